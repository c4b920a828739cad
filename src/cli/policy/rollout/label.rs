//! Whether an episode is of use, and what is wrong with it.

use serde::{Deserialize, Serialize};

use crate::api::model::{Json, Seat};
use crate::rollout::Trajectory;

/// What an episode is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Label {
    /// Played to its end. A seat that the game's own rules put out is part of it.
    Valid,
    /// Cut off at its horizon.
    Truncated,
    /// A seat of ours went out for an action that is no action.
    Malformed,
    /// A seat of ours went out for an action that was refused.
    Rejected,
    /// The policy's process, the server or the way to it failed: it says nothing of the game.
    Infrastructure,
}

impl Label {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Truncated => "truncated",
            Self::Malformed => "malformed",
            Self::Rejected => "rejected",
            Self::Infrastructure => "infrastructure",
        }
    }
}

/// A seat that failed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct FailedSeat {
    pub(super) seat: Seat,
    pub(super) how: String,
}

/// The label of an episode that was played, and the seats that spoilt it.
pub(super) fn judge(played: &Trajectory) -> (Label, Vec<FailedSeat>) {
    let broken = played.failed_seats.iter().filter(|seat| !played.eliminated_seats.contains(seat));
    let failed: Vec<FailedSeat> = broken
        .map(|seat| {
            let malformed = last_action(played, seat).is_none_or(|action| !is_action(action));
            let label = if malformed { Label::Malformed } else { Label::Rejected };
            FailedSeat { seat: seat.clone(), how: label.as_str().into() }
        })
        .collect();
    let label = if failed.iter().any(|seat| seat.how == Label::Malformed.as_str()) {
        Label::Malformed
    } else if !failed.is_empty() {
        Label::Rejected
    } else if played.completion_reason.as_deref().is_none_or(|reason| reason == "max_ticks") {
        Label::Truncated
    } else {
        Label::Valid
    };
    (label, failed)
}

fn last_action<'a>(played: &'a Trajectory, seat: &Seat) -> Option<&'a Json> {
    let is_primary = played.policy_seat.as_ref() == Some(seat);
    played.steps.iter().rev().find_map(|step| {
        let one = step.action.as_ref().filter(|_| is_primary);
        step.actions.get(seat).or(one)
    })
}

/// An object or a list of objects.
fn is_action(json: &Json) -> bool {
    match json.decode::<serde_json::Value>() {
        Ok(serde_json::Value::Array(items)) => items.iter().all(serde_json::Value::is_object),
        Ok(value) => value.is_object(),
        Err(_) => false,
    }
}
