//! What a session's task knows of one seat, and how its input is written down.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::sync::broadcast;

use crate::arena::engine::seats::{Seat, SeatSet};
use crate::arena::engine::{Game, Input, Player, Verdict};
use crate::arena::host::frames::Frame;
use crate::arena::host::live::{Delegation, Presence};
use crate::arena::host::players_stream;

/// One seat.
pub(super) struct SeatState {
    pub(super) seat: Seat,
    pub(super) frames: broadcast::Sender<Frame>,
    pub(super) presence: Arc<Presence>,
    /// A built-in player that is not thinking now.
    pub(super) player: Option<Box<dyn Player>>,
    /// Its answer in this round.
    pub(super) given: Option<Given>,
    /// Refused actions in this round.
    pub(super) tries: u32,
    /// Rounds missed in a row.
    pub(super) strikes: u32,
    /// Taken out by the host, or left.
    pub(super) gone: bool,
    /// Who decides this turn in the seat's place, while it does.
    pub(super) delegated: Option<Delegation>,
    /// The player that decided before, by its name: it remembers what it saw.
    pub(super) stand_in: Option<(String, Box<dyn Player>)>,
}

/// A seat's answer in a round.
pub(super) enum Given {
    /// An action that may be played.
    Action {
        /// As it came.
        payload: Value,
        /// Since it was asked.
        latency: Duration,
        /// Who decided in the seat's place.
        by: Option<Delegation>,
    },
    /// None, and why.
    Nothing(&'static str),
}

impl Given {
    /// The seat's own decision.
    pub(super) fn action(payload: Value, latency: Duration) -> Self {
        Self::Action { payload, latency, by: None }
    }

    pub(super) fn input(&self) -> Input {
        match self {
            Self::Action { payload, .. } => Input::Act(payload.clone()),
            Self::Nothing(_) => Input::Pass,
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Action { payload, latency, by } => {
                let mut json = json!({ "action": payload, "latency_ms": latency.as_millis() as u64 });
                if let Some(by) = by {
                    json["delegated"] = by.json();
                }
                json
            }
            Self::Nothing(why) => json!({ "pass": why }),
        }
    }
}

impl SeatState {
    pub(super) fn new(seat: Seat, frames: broadcast::Sender<Frame>, presence: Arc<Presence>) -> Self {
        Self {
            seat,
            frames,
            presence,
            player: None,
            given: None,
            tries: 0,
            strikes: 0,
            gone: false,
            delegated: None,
            stand_in: None,
        }
    }

    /// Seats a built-in player.
    pub(super) fn hire(&mut self, game: &dyn Game, name: &str, seed: u64) {
        self.player = game.player(name, players_stream(seed, self.seat));
    }
}

/// What a tick played, as JSON by player id.
pub(super) fn played(asked: SeatSet, seats: &[SeatState]) -> String {
    let map: Map<String, Value> = asked
        .iter()
        .filter_map(|seat| Some((seat.to_string(), seats[seat.index()].given.as_ref()?.json())))
        .collect();
    Value::Object(map).to_string()
}

/// Why an action is not accepted, for the player to read.
pub(super) fn reasons(verdict: Verdict) -> Vec<String> {
    match verdict {
        Verdict::Rejected(reasons) => reasons,
        Verdict::Malformed(reason) | Verdict::Failed(reason) => vec![reason],
        Verdict::Applied | Verdict::Passed => Vec::new(),
    }
}
