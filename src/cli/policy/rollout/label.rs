//! Whether an episode is of use, and what is wrong with it.

use serde::{Deserialize, Serialize};

use crate::api::model::{Json, Seat};
use crate::rollout::Trajectory;

/// What an episode is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in super::super) enum Label {
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
    pub(in super::super) fn as_str(self) -> &'static str {
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
pub(in super::super) struct FailedSeat {
    pub(in super::super) seat: Seat,
    pub(in super::super) how: String,
}

/// The label of an episode that was played, and the seats that spoilt it.
pub(in super::super) fn judge(played: &Trajectory) -> (Label, Vec<FailedSeat>) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::model::BySeat;
    use crate::rollout::Step;

    fn played(action: &str, failed: &[&str], eliminated: &[&str], reason: Option<&str>) -> Trajectory {
        let seats = |names: &[&str]| names.iter().map(|name| Seat::from(*name)).collect();
        let step = Step {
            observation: None,
            action: Some(Json::parse(action).expect("JSON")),
            reward: 0.0,
            done: true,
            failed_seats: seats(failed),
            eliminated_seats: seats(eliminated),
            observations: BySeat::default(),
            actions: BySeat::default(),
            rewards: BySeat::default(),
        };
        Trajectory {
            episode_id: "ep-0".into(),
            game: "g".into(),
            policy_seat: Some("p0".into()),
            steps: vec![step],
            total_reward: 0.0,
            score: None,
            rank: None,
            outcome: None,
            completion_reason: reason.map(str::to_owned),
            failed_seats: seats(failed),
            eliminated_seats: seats(eliminated),
            policy_seats: Vec::new(),
            scores: BySeat::default(),
            ranks: BySeat::default(),
            outcomes: BySeat::default(),
        }
    }

    #[test]
    fn an_episode_is_what_spoilt_it_first_of_all() {
        for (action, failed, eliminated, reason, label) in [
            (r#"[{"a":1}]"#, &[][..], &[][..], Some("game_complete"), Label::Valid),
            (r#"[{"a":1}]"#, &["p0"], &["p0"], Some("game_complete"), Label::Valid),
            (r#"[{"a":1}]"#, &[], &[], Some("max_ticks"), Label::Truncated),
            (r#"[{"a":1}]"#, &[], &[], None, Label::Truncated),
            (r#"[{"a":1}]"#, &["p0"], &[], Some("policy_failed"), Label::Rejected),
            (r#"{"a":1}"#, &["p0"], &[], Some("max_ticks"), Label::Rejected),
            (r#""I pass""#, &["p0"], &[], Some("policy_failed"), Label::Malformed),
            (r"[1]", &["p0"], &[], None, Label::Malformed),
            // Of a seat that never acted nothing is known.
            (r#"[{"a":1}]"#, &["p1"], &[], None, Label::Malformed),
        ] {
            let played = played(action, failed, eliminated, reason);
            assert_eq!(judge(&played).0, label, "{action} {failed:?} {eliminated:?} {reason:?}");
        }
    }
}
