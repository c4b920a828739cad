//! Reading actions: what a variant asks for by name and type, with refusals that say what is wrong.

use serde_json::{Map, Value};

/// Why an action has no score of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It is no answer to the problem: no points, and it counts as scored.
    Answer(String),
    /// Scoring it would take too long: not scored.
    Time,
}

impl Refusal {
    /// An answer that will not do.
    pub(super) fn answer(problem: impl Into<String>) -> Self {
        Self::Answer(problem.into())
    }
}

/// What a scorer may still do, in steps of some nanoseconds. Steps and not a clock, so that the same answer has the same
/// score on every machine.
#[derive(Debug)]
pub struct Fuel(u64);

/// About 100 ms on one core of a small machine, half of what arena.md §10.1 allows.
const FULL: u64 = 50_000_000;

impl Default for Fuel {
    fn default() -> Self {
        Self(FULL)
    }
}

impl Fuel {
    /// Takes so many steps.
    ///
    /// # Errors
    /// There are not that many left.
    pub fn spend(&mut self, steps: usize) -> Result<(), Refusal> {
        self.0 = self.0.checked_sub(steps as u64).ok_or(Refusal::Time)?;
        Ok(())
    }
}

/// The members of the action, which must be an object with this verb.
pub(super) fn members<'a>(action: &'a Value, verb: &str) -> Result<&'a Map<String, Value>, Refusal> {
    let wanted = || Refusal::Answer(format!("the action must be an object with `\"action\":\"{verb}\"`"));
    let members = action.as_object().ok_or_else(wanted)?;
    if members.get("action").and_then(Value::as_str) == Some(verb) { Ok(members) } else { Err(wanted()) }
}

/// A member that is a list.
pub(super) fn list<'a>(members: &'a Map<String, Value>, name: &str) -> Result<&'a [Value], Refusal> {
    let list = members.get(name).and_then(Value::as_array);
    list.map(Vec::as_slice).ok_or_else(|| Refusal::Answer(format!("`{name}` must be a list")))
}

/// A member that is a text.
pub(super) fn text<'a>(members: &'a Map<String, Value>, name: &str) -> Result<&'a str, Refusal> {
    let text = members.get(name).and_then(Value::as_str);
    text.ok_or_else(|| Refusal::Answer(format!("`{name}` must be a text")))
}

/// A member that is an object.
pub(super) fn object<'a>(
    members: &'a Map<String, Value>,
    name: &str,
) -> Result<&'a Map<String, Value>, Refusal> {
    let object = members.get(name).and_then(Value::as_object);
    object.ok_or_else(|| Refusal::Answer(format!("`{name}` must be an object")))
}

/// A list of texts of this length, each one of `known`; gives their places there.
pub(super) fn names(
    members: &Map<String, Value>,
    name: &str,
    count: usize,
    known: &[&str],
) -> Result<Vec<usize>, Refusal> {
    let list = list(members, name)?;
    if list.len() != count {
        return Err(Refusal::Answer(format!("`{name}` has {} entries, {count} are asked for", list.len())));
    }
    let place = |(at, value): (usize, &Value)| {
        let place = value.as_str().and_then(|word| known.iter().position(|known| *known == word));
        place.ok_or_else(|| Refusal::Answer(format!("entry {at} of `{name}` is none of the listed names")))
    };
    list.iter().enumerate().map(place).collect()
}
