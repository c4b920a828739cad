//! Faults on demand: what may go wrong between a client and the platform, made to happen (`gert arena --fault FILE`).
//!
//! A [`Script`] lists faults of requests, of sockets and of sessions, each with its occasion: after how many times it
//! begins, how often it happens, with what chance. All chance comes from the script's seed, so a run can be repeated.
//! `requests` is the layer around all handlers; sockets and sessions ask here when they start.

pub mod requests;
pub mod script;

use std::sync::{Mutex, PoisonError};

use self::script::{Fault, RequestFault, Script, SessionFault, Socket, SocketFault};
use super::engine::rng::Pcg;

/// A script at work: it counts.
#[derive(Debug, Default)]
pub struct Faults {
    script: Script,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    rng: Pcg,
    /// How often each fault was met, in the order of the script: requests, sockets, sessions.
    met: Vec<u64>,
}

impl Default for State {
    fn default() -> Self {
        Self { rng: Pcg::new(0), met: Vec::new() }
    }
}

impl Faults {
    /// Begins a script.
    pub fn new(script: Script) -> Self {
        let met = vec![0; script.request.len() + script.socket.len() + script.session.len()];
        let state = State { rng: Pcg::new(script.seed), met };
        Self { script, state: Mutex::new(state) }
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.script.request.is_empty() && self.script.socket.is_empty() && self.script.session.is_empty()
    }

    /// The fault of this request, the first of the script that is due.
    pub fn of_request(&self, method: &str, path: &str) -> Option<&RequestFault> {
        self.due(0, &self.script.request, |fault| fault.on.is_met(method, path))
    }

    /// The fault of a socket that opens.
    pub fn of_socket(&self, kind: Socket) -> Option<&SocketFault> {
        self.due(self.script.request.len(), &self.script.socket, |fault| fault.on == kind)
    }

    /// The fault of a session that is made.
    pub fn of_session(&self, game: &str) -> Option<&SessionFault> {
        let first = self.script.request.len() + self.script.socket.len();
        self.due(first, &self.script.session, |fault| fault.game.as_deref().is_none_or(|slug| slug == game))
    }

    fn due<'a, F: Fault>(&self, first: usize, faults: &'a [F], is_met: impl Fn(&F) -> bool) -> Option<&'a F> {
        if faults.is_empty() {
            return None;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { rng, met } = &mut *state;
        faults.iter().zip(&mut met[first..]).filter(|(fault, _)| is_met(fault)).find_map(|(fault, met)| {
            let nth = *met;
            *met += 1;
            fault.occasion().is_due(nth, rng).then_some(fault)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn faults(script: serde_json::Value) -> Faults {
        Faults::new(serde_json::from_value(script).unwrap())
    }

    #[test]
    fn a_fault_begins_after_its_skips_and_ends_after_its_times() {
        let faults = faults(json!({"request": [
            {"on": "POST /play", "skip": 1, "times": 2, "status": 503, "code": "SERVER_BUSY"},
            {"on": "* /rollout-runs/*/steps", "latency_ms": 5},
        ]}));
        let met: Vec<bool> = (0..5).map(|_| faults.of_request("POST", "/play").is_some()).collect();
        assert_eq!(met, [false, true, true, false, false]);
        assert!(faults.of_request("POST", "/rollout-runs/r_1/steps").is_some());
        for (method, path) in
            [("GET", "/play"), ("POST", "/play/x"), ("POST", "/rollout-runs/r_1/episodes/steps")]
        {
            assert!(faults.of_request(method, path).is_none(), "{method} {path}");
        }
    }

    #[test]
    fn chance_is_repeatable() {
        let script = json!({"seed": 7, "socket": [{"on": "play", "share": 0.3, "after": 2, "then": "drop"}]});
        let run = || -> Vec<bool> {
            let faults = faults(script.clone());
            (0..200).map(|_| faults.of_socket(Socket::Play).is_some()).collect()
        };
        assert_eq!(run(), run());
        let share = run().iter().filter(|met| **met).count();
        assert!((30..90).contains(&share), "{share} of 200 with a share of 0.3");
    }

    #[test]
    fn a_session_fault_is_for_its_game_or_for_all() {
        let faults = faults(json!({"session": [
            {"game": "connect_four", "seat": "p1", "tick": 3, "reason": "crashed"},
        ]}));
        assert!(faults.of_session("connect_four").is_some());
        assert!(faults.of_session("liars_dice").is_none());
    }
}
