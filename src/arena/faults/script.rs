//! What a fault script says. Unknown members are refused, so that a fault with a typing error is not silently absent.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::Seat;

/// A whole script.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Decides all chance.
    #[serde(default)]
    pub seed: u64,
    /// Faults of requests, the first that is due happens.
    #[serde(default)]
    pub request: Vec<RequestFault>,
    /// Faults of sockets, decided when one opens.
    #[serde(default)]
    pub socket: Vec<SocketFault>,
    /// Faults of play sessions, decided when one is made.
    #[serde(default)]
    pub session: Vec<SessionFault>,
}

impl Script {
    /// What is wrong with it, beyond its form.
    ///
    /// # Errors
    /// Names the fault and says what it may be.
    pub fn check(&self) -> Result<(), String> {
        for (nth, fault) in self.request.iter().enumerate() {
            fault.check().map_err(|problem| format!("request {}: {problem}", nth + 1))?;
        }
        for (nth, fault) in self.session.iter().enumerate() {
            fault.check().map_err(|problem| format!("session {}: {problem}", nth + 1))?;
        }
        let occasions = (self.request.iter().map(Fault::occasion))
            .chain(self.socket.iter().map(Fault::occasion))
            .chain(self.session.iter().map(Fault::occasion));
        for occasion in occasions {
            if occasion.share.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
                return Err("`share` must be a number from 0 to 1".to_owned());
            }
        }
        Ok(())
    }
}

/// When a fault happens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Occasion {
    skip: u64,
    times: Option<u64>,
    share: Option<f64>,
}

impl Occasion {
    /// Whether it happens at the nth meeting, from 0.
    pub fn is_due(self, nth: u64, rng: &mut Pcg) -> bool {
        const PARTS: u64 = 1_000_000;
        let counts = nth >= self.skip && self.times.is_none_or(|times| nth - self.skip < times);
        // Drawn only where there is chance, so that a script without any needs no seed.
        counts && self.share.is_none_or(|share| rng.below(PARTS) < (share * PARTS as f64) as u64)
    }
}

/// Any of the faults.
pub trait Fault {
    /// When it happens.
    fn occasion(&self) -> Occasion;
}

/// Declares a fault with the members of its occasion, which serde cannot flatten where unknown members are refused.
macro_rules! fault {
    ($(#[$head:meta])* $name:ident { $($(#[$meta:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$head])*
        #[derive(Debug, Clone, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($(#[$meta])* pub $field: $type,)*
            /// How often it is passed over first.
            #[serde(default)]
            skip: u64,
            /// How often it happens; for ever unless given.
            times: Option<u64>,
            /// With what chance, 0 to 1; always unless given.
            share: Option<f64>,
        }

        impl Fault for $name {
            fn occasion(&self) -> Occasion {
                Occasion { skip: self.skip, times: self.times, share: self.share }
            }
        }
    };
}

fault! {
    /// What happens to a request. Latency comes first; an answer of its own or a cut replaces the arena's answer.
    RequestFault {
        /// Which: `POST /play`, `* /rollout-runs/*/steps`; `*` stands for any method, or any one part of the path. The path
        /// is without the base path.
        on: Target,
        /// Waits so long, in ms.
        #[serde(default)]
        latency_ms: u64,
        /// Answers an error of this HTTP status instead of doing anything.
        status: Option<u16>,
        /// The error's code, such as `SERVER_BUSY`; none for an error without one.
        code: Option<String>,
        /// The error's message.
        message: Option<String>,
        /// Further members of the error's body, such as `existing_job_id`.
        #[serde(default)]
        members: BTreeMap<String, Value>,
        /// The header `Retry-After`, in seconds.
        retry_after: Option<u64>,
        /// This text is the whole body, whatever it is; with `status`, or 200.
        body: Option<String>,
        /// Closes the connection instead of answering.
        cut: Option<Cut>,
    }
}

impl RequestFault {
    fn check(&self) -> Result<(), String> {
        if self.status.is_some_and(|status| !(200..600).contains(&status)) {
            return Err("`status` must be from 200 to 599".to_owned());
        }
        if self.code.is_some() && self.status.is_none() {
            return Err("a `code` needs a `status`".to_owned());
        }
        if self.cut.is_some() && (self.status.is_some() || self.body.is_some()) {
            return Err("a `cut` answers nothing: leave `status` and `body` out".to_owned());
        }
        if self.latency_ms == 0 && self.status.is_none() && self.body.is_none() && self.cut.is_none() {
            return Err("nothing happens: give `latency_ms`, `status`, `body` or `cut`".to_owned());
        }
        Ok(())
    }
}

/// When a connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// Before anything was done.
    Before,
    /// After all was done, with no byte of the answer.
    After,
    /// In the middle of the answer.
    Middle,
}

fault! {
    /// What happens to a socket.
    SocketFault {
        /// Which.
        on: Socket,
        /// After so many frames of ours.
        #[serde(default)]
        after: u64,
        /// What happens then.
        then: SocketEnd,
    }
}

/// A kind of socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Socket {
    /// A player's.
    Play,
    /// A spectator's.
    Spectate,
}

/// What happens to a socket.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SocketEnd {
    /// It is gone, without a close frame.
    Drop,
    /// It closes with this code.
    Close(u16),
    /// It stays open and says nothing more, not even pings.
    Silence,
    /// This text is sent as a frame once, whatever it is.
    Garbage(String),
    /// A frame of so many bytes is sent once.
    Huge(usize),
}

fault! {
    /// What happens to a play session.
    SessionFault {
        /// Of this game only.
        game: Option<String>,
        /// It waits so long before it starts, in ms.
        #[serde(default)]
        start_delay_ms: u64,
        /// It does not start, for this reason.
        start_failure: Option<String>,
        /// This seat fails …
        seat: Option<Seat>,
        /// … at this tick, or the first time that it matters after it …
        #[serde(default)]
        tick: u32,
        /// … for this reason: a code such as `timeout` or `crashed`.
        reason: Option<String>,
    }
}

impl SessionFault {
    /// Whether it does not start at once.
    pub fn is_late(&self) -> bool {
        self.start_delay_ms > 0 || self.start_failure.is_some()
    }

    fn check(&self) -> Result<(), String> {
        if self.seat.is_some() != self.reason.is_some() {
            return Err("`seat` and `reason` go together".to_owned());
        }
        if self.start_delay_ms == 0 && self.start_failure.is_none() && self.seat.is_none() {
            return Err(
                "nothing happens: give `start_delay_ms`, `start_failure`, or `seat` and `reason`".to_owned()
            );
        }
        Ok(())
    }
}

/// Which requests are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    method: String,
    parts: Vec<String>,
}

impl Target {
    /// Whether it means this one; the path is without the base path.
    pub fn is_met(&self, method: &str, path: &str) -> bool {
        let mut parts = path.trim_matches('/').split('/');
        (self.method == "*" || self.method == method)
            && self
                .parts
                .iter()
                .all(|wanted| parts.next().is_some_and(|part| wanted == "*" || wanted == part))
            && parts.next().is_none()
    }
}

impl<'de> Deserialize<'de> for Target {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Form;
        impl fmt::Display for Form {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`on` is a method and a path, such as `POST /play` or `* /sessions/*`")
            }
        }
        let text = String::deserialize(deserializer)?;
        let (method, path) = text.split_once(' ').ok_or_else(|| serde::de::Error::custom(Form))?;
        let path = path.trim().strip_prefix('/').ok_or_else(|| serde::de::Error::custom(Form))?;
        let parts = path.trim_end_matches('/').split('/').map(str::to_owned).collect();
        Ok(Self { method: method.to_owned(), parts })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problem(script: Value) -> String {
        match serde_json::from_value::<Script>(script) {
            Ok(script) => script.check().unwrap_err(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_to_do() {
        for (script, wanted) in [
            (json!({"request": [{"on": "/play", "status": 500}]}), "a method and a path"),
            (json!({"request": [{"on": "POST /play"}]}), "request 1: nothing happens"),
            (json!({"request": [{"on": "POST /play", "code": "SERVER_BUSY"}]}), "needs a `status`"),
            (json!({"request": [{"on": "POST /play", "status": 99}]}), "200 to 599"),
            (json!({"request": [{"on": "POST /play", "cut": "before", "status": 500}]}), "leave `status`"),
            (json!({"request": [{"on": "POST /play", "statuss": 500}]}), "statuss"),
            (json!({"socket": [{"on": "play", "then": "explode"}]}), "explode"),
            (json!({"session": [{"seat": "p1"}]}), "go together"),
            (json!({"session": [{"start_delay_ms": 9, "share": 2}]}), "from 0 to 1"),
        ] {
            let problem = problem(script);
            assert!(problem.contains(wanted), "{problem}");
        }
    }
}
