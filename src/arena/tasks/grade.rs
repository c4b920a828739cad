//! Replies to one task, read and scored: equal actions once.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;

use super::Instance;
use super::answer::{Fuel, Refusal};
use crate::arena::engine::observation::round4;
use crate::rollout::{ParsedAction, canonical_action, parse_action};

/// What a reply is worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// 0 to 1, four decimals.
    pub points: f64,
    /// Whether it solves the problem.
    pub solved: bool,
    /// Why it has no points; begins with `format:` or `time:` when it was not scored, and with `answer:` when it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Outcome {
    fn nothing(error: Option<String>) -> Self {
        Self { points: 0.0, solved: false, error }
    }
}

/// What all replies are worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Grades {
    /// One a reply, in their order.
    pub outcomes: Vec<Outcome>,
    /// Actions that are charged: the distinct ones that were scored.
    pub scored: usize,
}

/// Scores replies. Takes as long as the fuel of each distinct action lasts: for a blocking thread.
pub fn grade(instance: &dyn Instance, replies: &[String]) -> Grades {
    let mut known: HashMap<String, Outcome> = HashMap::new();
    let mut scored = 0;
    let mut grade_one = |reply: &String| {
        let (action, key) = match read(reply) {
            Ok(found) => found,
            Err(problem) => return Outcome::nothing(Some(format!("format: {problem}"))),
        };
        if let Some(outcome) = known.get(&key) {
            return outcome.clone();
        }
        let (outcome, is_scored) = judge(instance, &action);
        scored += usize::from(is_scored);
        known.insert(key, outcome.clone());
        outcome
    };
    let outcomes = replies.iter().map(&mut grade_one).collect();
    Grades { outcomes, scored }
}

/// The action of a reply, a list of one unwrapped, and the key that equal actions share.
fn read(reply: &str) -> Result<(String, String), &'static str> {
    let ParsedAction::Action(json) = parse_action(reply) else {
        return Err("there is no JSON action in the reply");
    };
    let (action, key) = canonical_action(&json).map_err(|_| "the action is nested too deep")?;
    Ok((action.get().to_owned(), key))
}

/// What an action is worth, and whether it was scored.
fn judge(instance: &dyn Instance, action: &str) -> (Outcome, bool) {
    // Valid JSON, but for escapes that are no characters and what is nested deeper than anything asked for.
    let Ok(action) = serde_json::from_str::<Value>(action) else {
        return (Outcome::nothing(Some("answer: the action cannot be read".to_owned())), true);
    };
    // Doing nothing is an action like any other, and no mistake.
    if action.as_array().is_some_and(Vec::is_empty) {
        return (Outcome::nothing(None), true);
    }
    match instance.score(&action, &mut Fuel::default()) {
        Ok(score) => (Outcome { points: round4(score.points), solved: score.solved, error: None }, true),
        Err(Refusal::Answer(problem)) => (Outcome::nothing(Some(format!("answer: {problem}"))), true),
        Err(Refusal::Time) => {
            let problem = "time: scoring this action takes too long: send a simpler one".to_owned();
            (Outcome::nothing(Some(problem)), false)
        }
    }
}
