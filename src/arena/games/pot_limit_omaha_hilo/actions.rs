//! What a seat may send: reading it, judging it, and the menu of suggestions.

use serde::Serialize;
use serde_json::{Value, json};

use super::MAX_CHIPS;
use super::state::{Options, State};
use crate::arena::engine::seats::Seat;
use crate::arena::engine::{Reasons, decode};

/// What a seat does in a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Gives the hand up.
    Fold,
    /// Stays in without a chip.
    Check,
    /// Matches what the others put in, or goes all-in with less; a check when there is nothing to match.
    Call,
    /// Bets or raises.
    Raise {
        /// The own chips of this street, afterwards.
        to: u32,
    },
}

/// Reads an action. `"pot"` and `"min"` become the totals that they stand for.
pub(super) fn decode(options: Options, actions: &[Value]) -> Result<Action, Reasons> {
    let action = decode::single(actions)?;
    match decode::word(action, "action")? {
        "fold" => Ok(Action::Fold),
        "check" => Ok(Action::Check),
        "call" => Ok(Action::Call),
        "raise" | "bet" => Ok(Action::Raise { to: total(options, action)? }),
        verb => Err(vec![format!(
            "unknown action `{}`: use `fold`, `check`, `call` or `raise`",
            decode::shortened(verb)
        )]),
    }
}

fn total(options: Options, action: &Value) -> Result<u32, Reasons> {
    let (least, most) = options.raise.unwrap_or_default();
    match action.get("to").and_then(Value::as_str) {
        Some("min") => Ok(least),
        Some("pot") => Ok(most),
        Some(word) => Err(vec![format!(
            "`to` must be a whole number, `min` or `pot`, not `{}`",
            decode::shortened(word)
        )]),
        None => decode::whole(action, "to", 1..=i64::from(MAX_CHIPS)).map(|to| to as u32),
    }
}

/// Whether an action may be played with these options.
pub(super) fn check(options: Options, action: Action) -> Result<(), Reasons> {
    match (action, options.raise) {
        (Action::Check, _) if options.to_call > 0 => {
            Err(vec![format!("there is a bet to match: call {} or fold", options.to_call)])
        }
        (Action::Raise { to }, Some((least, most))) if !(least..=most).contains(&to) => {
            Err(vec![format!("`to` must be from {least} to {most}, not {to}")])
        }
        (Action::Raise { .. }, None) => {
            Err(vec!["raising is not open to you now: `can_raise` is false".into()])
        }
        _ => Ok(()),
    }
}

/// What a seat does that sends nothing.
pub(super) fn noop(options: Options) -> Action {
    if options.to_call == 0 { Action::Check } else { Action::Fold }
}

/// Fold, check or call, and raises of the least size, half the pot and the pot.
pub(super) fn menu(state: &State, seat: Seat, out: &mut Vec<(Action, f32)>) {
    let options = state.options(seat);
    if options.to_call > 0 {
        out.extend([(Action::Fold, 1.0), (Action::Call, 3.0)]);
    } else {
        out.push((Action::Check, 3.0));
    }
    let Some((least, most)) = options.raise else { return };
    let half = state.half_pot(seat).clamp(least, most);
    let mut last = 0;
    for to in [least, half, most] {
        if to != last {
            out.push((Action::Raise { to }, 1.0));
        }
        last = to;
    }
}

/// JSON Schema of an action.
pub(super) fn schema() -> Value {
    let plain = json!({
        "type": "object",
        "properties": {"action": {"enum": ["fold", "check", "call"]}},
        "required": ["action"],
    });
    let raise = json!({
        "type": "object",
        "properties": {
            "action": {"enum": ["raise", "bet"]},
            "to": {
                "description": "Your chips of this street afterwards, or the least or greatest there may be.",
                "oneOf": [{"type": "integer", "minimum": 1, "maximum": MAX_CHIPS}, {"enum": ["min", "pot"]}],
            },
        },
        "required": ["action", "to"],
    });
    json!({"oneOf": [plain, raise]})
}
