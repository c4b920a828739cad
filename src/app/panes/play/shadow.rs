//! A policy that looks over a seat's shoulder: it answers every turn and plays none.

use std::sync::Arc;

use crate::api::model::Json;
use crate::rollout::canonical_action;

use super::policy::PolicySeat;

/// A shadow, and how often it agreed with what was played.
#[derive(Debug, Clone)]
pub struct Shadow {
    /// The policy.
    pub policy: PolicySeat,
    /// What it would play, and at which tick.
    pub would: Option<(u64, Arc<str>)>,
    /// What was played and is not compared yet; nothing where a provider decided.
    pub played: Option<(u64, Option<Arc<str>>)>,
    /// Turns in which it would have played the same.
    pub agrees: u64,
    /// Turns that were compared.
    pub compared: u64,
    /// Whether its suggestion is shown while the user decides.
    pub shown: bool,
}

/// A turn of a shadow beside what was played.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The tick.
    pub tick: u64,
    /// What it would have played.
    pub would: Arc<str>,
    /// Whether that is what was played; unknown where a provider decided.
    pub agrees: Option<bool>,
}

impl Shadow {
    /// A shadow that is being started.
    pub fn new(policy: PolicySeat) -> Self {
        Self { policy, would: None, played: None, agrees: 0, compared: 0, shown: false }
    }

    /// Compares what it would play with what was played, once both are known for the same tick.
    pub fn compare(&mut self) -> Option<Compared> {
        let ((tick, would), (at, played)) = (self.would.as_ref()?, self.played.as_ref()?);
        if tick != at {
            return None;
        }
        let agrees = played.as_ref().map(|played| same(would, played));
        if let Some(agrees) = agrees {
            self.compared += 1;
            self.agrees += u64::from(agrees);
        }
        let compared = Compared { tick: *tick, would: would.clone(), agrees };
        self.played = None;
        Some(compared)
    }
}

/// Whether two actions are one to the server.
fn same(a: &str, b: &str) -> bool {
    let key = |text: &str| canonical_action(&Json::parse(text).ok()?).ok().map(|(_, key)| key);
    match (key(a), key(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}
