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
    /// The `column` it names, if any: drawn over the board.
    pub column: Option<u64>,
    /// The `direction` it names, if any: an arrow key plays it.
    pub direction: Option<String>,
}

/// The actions of `_action_space`, and doing nothing where that is allowed.
pub(super) fn choices(observation: &Value, may_pass: bool) -> Vec<Choice> {
    let listed = observation.get("_action_space").and_then(Value::as_array);
    let mut choices: Vec<Choice> = listed.into_iter().flatten().filter_map(choice).collect();
    if may_pass {
        choices.push(Choice {
            label: "do nothing".into(),
            payload: "[]".into(),
            weight: 0.0,
            column: None,
            direction: None,
        });
    }
    choices
}

fn choice(entry: &Value) -> Option<Choice> {
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
        column: action.get("column").and_then(Value::as_u64),
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
        assert_eq!(choices[0].column, Some(3));
    }
}
