//! The legal actions of a seat, as choices to pick from.

use std::sync::Arc;

use serde_json::Value;

use crate::app::live::words;

/// A legal action to pick.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// For people: `drop column 3`.
    pub label: String,
    /// The action as JSON text.
    pub payload: Arc<str>,
    /// The server's weight; a prior, not advice.
    pub weight: f64,
    /// Where it lies on a board, if it names a place: arrow keys go from one to the next.
    pub place: Option<(i64, i64)>,
    /// Its size, if it has one between two limits: arrow keys change it.
    pub amount: Option<Amount>,
    /// The `direction` it names, if any: an arrow key plays it.
    pub direction: Option<String>,
}

/// The size of a bet or raise, within what the observation allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    /// What is chosen.
    pub now: i64,
    /// The least there may be.
    pub least: i64,
    /// The most there may be.
    pub most: i64,
}

impl Amount {
    fn read(action: &Value, observation: &Value) -> Option<Self> {
        let whole = |key: &str| observation.get(key).and_then(Value::as_i64);
        let (least, most) = (whole("raise_min")?, whole("raise_max")?);
        let now = action.get("to").and_then(Value::as_i64)?;
        (least < most && (least..=most).contains(&now)).then_some(Self { now, least, most })
    }

    /// The next round number up or down: a dozen or so of them lie between the limits.
    fn stepped(self, up: bool) -> i64 {
        let range = self.most.saturating_sub(self.least);
        let step = [500, 250, 100, 50, 25, 10, 5].into_iter().find(|step| step * 8 <= range).unwrap_or(1);
        let next = if up {
            self.now.div_euclid(step).saturating_add(1)
        } else {
            self.now.saturating_sub(1).div_euclid(step)
        };
        next.saturating_mul(step).clamp(self.least, self.most)
    }
}

impl Choice {
    /// Makes it larger or smaller, if it has a size.
    pub(super) fn step(&mut self, up: bool) -> Option<()> {
        let amount = self.amount.as_mut()?;
        let mut action: Value = serde_json::from_str(&self.payload).ok()?;
        amount.now = amount.stepped(up);
        *action.get_mut("to")? = amount.now.into();
        self.label = crate::text::clean(&words(&action)).into_owned();
        self.payload = action.to_string().into();
        Some(())
    }
}

/// The nearest other choice that lies in a direction from the first.
pub(super) fn neighbour<'c>(
    choices: impl Iterator<Item = &'c Choice>,
    from: (i64, i64),
    (right, down): (i64, i64),
) -> Option<&'c Choice> {
    let far = |choice: &&Choice| {
        let (x, y) = choice.place?;
        let (x, y) = (x.checked_sub(from.0)?, y.checked_sub(from.1)?);
        let (along, aside) = (x * right + y * down, (x * down).abs() + (y * right).abs());
        // What lies straight ahead goes before what is nearer, but off the line.
        (along > 0 && along >= aside).then_some(along + 2 * aside)
    };
    choices.filter(|choice| far(choice).is_some()).min_by_key(far)
}

/// Column and row: of a cell, or of a bid by its number and face.
fn place(action: &Value) -> Option<(i64, i64)> {
    let whole =
        |key: &str| action.get(key)?.as_u64().and_then(|at| i64::try_from(at).ok().filter(|at| *at < 10_000));
    whole("col").zip(whole("row")).or_else(|| whole("quantity").zip(whole("face")))
}

/// The actions of `_action_space`, and doing nothing where that is allowed.
pub(super) fn choices(observation: &Value, may_pass: bool) -> Vec<Choice> {
    let listed = observation.get("_action_space").and_then(Value::as_array);
    let mut choices: Vec<Choice> =
        listed.into_iter().flatten().filter_map(|entry| choice(entry, observation)).collect();
    if may_pass {
        choices.push(Choice {
            label: "do nothing".into(),
            payload: "[]".into(),
            weight: 0.0,
            place: None,
            amount: None,
            direction: None,
        });
    }
    choices
}

fn choice(entry: &Value, observation: &Value) -> Option<Choice> {
    // An entry is `{"action": {…}, "weight": w}`; a server may also list the actions themselves.
    let action = match entry.get("action") {
        Some(action @ (Value::Object(_) | Value::Array(_))) => action,
        _ if entry.is_object() => entry,
        _ => return None,
    };
    Some(Choice {
        label: crate::text::clean(&words(action)).into_owned(),
        payload: action.to_string().into(),
        weight: entry.get("weight").and_then(Value::as_f64).unwrap_or(1.0),
        place: place(action),
        amount: Amount::read(action, observation),
        direction: action.get("direction").and_then(Value::as_str).map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_read_well_whatever_their_shape() {
        let observation = serde_json::json!({"_action_space": [
            {"action": {"action": "drop", "column": 3}, "weight": 4},
            {"action": {"action": "move", "direction": "up"}, "weight": 1},
            {"action": "pass"},
            {"action": [{"action": "a"}, {"action": "b"}]},
            17,
        ]});
        let choices = choices(&observation, true);
        let labels: Vec<&str> = choices.iter().map(|choice| choice.label.as_str()).collect();
        assert_eq!(labels, ["drop column 3", "move up", "pass", "a, b", "do nothing"]);
        assert_eq!(&*choices[2].payload, r#"{"action":"pass"}"#);
        assert_eq!(choices[1].direction.as_deref(), Some("up"));
    }

    #[test]
    fn a_raise_goes_from_limit_to_limit_over_round_numbers() {
        let observation = serde_json::json!({"raise_min": 33, "raise_max": 105, "_action_space": [
            {"action": {"action": "raise", "to": 33}, "weight": 1}, {"action": {"action": "call"}, "weight": 1},
        ]});
        let mut choices = choices(&observation, false);
        let mut sizes = vec![];
        for up in [true, true, false, false, false] {
            choices[0].step(up).unwrap();
            sizes.push(choices[0].amount.unwrap().now);
        }
        assert_eq!(sizes, [35, 40, 35, 33, 33]);
        (0..40).for_each(|_| choices[0].step(true).unwrap());
        assert_eq!(
            (&*choices[0].payload, choices[0].label.as_str()),
            (r#"{"action":"raise","to":105}"#, "raise to 105")
        );
        assert_eq!(choices[1].step(true), None);
    }

    #[test]
    fn arrows_find_the_nearest_cell_straight_ahead() {
        let cells = [[2, 2], [2, 5], [4, 3], [7, 2]]
            .map(|[row, col]| serde_json::json!({"action": {"action": "place", "row": row, "col": col}}));
        let choices = choices(&serde_json::json!({"_action_space": cells}), false);
        let go = |from: (i64, i64), way: (i64, i64)| {
            neighbour(choices.iter(), from, way).and_then(|choice| choice.place)
        };
        assert_eq!(go((2, 2), (1, 0)), Some((5, 2)));
        assert_eq!(go((2, 2), (0, 1)), Some((3, 4)));
        assert_eq!(go((3, 4), (0, 1)), Some((2, 7)));
        assert_eq!(go((2, 2), (-1, 0)), None);
    }
}
