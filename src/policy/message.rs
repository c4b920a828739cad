//! What a policy is told, as the lines it reads.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::millis;
use super::spec::Limits;

/// The opening of a match.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hello {
    /// Slug of the game.
    pub game: String,
    /// Version of its rules, if known.
    pub game_version: Option<String>,
    /// The seat this policy plays.
    pub seat: String,
    /// How many seats there are.
    pub player_count: u32,
    /// The rules in prose.
    pub rules: String,
    /// The game's configuration, an object.
    pub config: Value,
    /// The seed, if it is known: a policy that seeds its own choices with it plays the same match again.
    pub seed: Option<u64>,
}

/// One request for an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Unique within the process; the answer repeats it.
    pub id: u64,
    /// The tick shown.
    pub tick: u64,
    /// The observation as JSON text. It is passed on byte for byte, but for line breaks between tokens.
    pub observation: String,
}

/// A message was not sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The policy does not read its input; messages wait already.
    #[error("the policy is busy: it does not read its input")]
    Busy,
    /// The process is gone or about to go.
    #[error("the policy has ended")]
    Ended,
    /// The observation is not JSON.
    #[error("the observation is not JSON: {0}")]
    Observation(String),
}

/// A message on its way to the policy.
#[derive(Debug)]
pub(super) enum Outgoing {
    Hello(Box<Hello>),
    Observe(Turn),
    Reject { id: u64, reasons: Vec<String> },
    End(Value),
}

/// What happens to the open turn once a message is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TurnEffect {
    /// A match opens: an open turn is given up, the next one is a first one.
    Opens,
    /// A turn opens.
    Asks(u64),
    /// Nothing changes.
    Tells,
    /// An open turn is given up.
    Closes,
}

impl Outgoing {
    pub(super) fn observe(turn: &Turn) -> Result<Self, SendError> {
        match serde_json::from_str::<&RawValue>(&turn.observation) {
            Ok(_) => Ok(Self::Observe(turn.clone())),
            Err(why) => Err(SendError::Observation(why.to_string())),
        }
    }

    pub(super) fn effect(&self) -> TurnEffect {
        match self {
            Self::Hello(_) => TurnEffect::Opens,
            Self::Observe(turn) => TurnEffect::Asks(turn.id),
            Self::Reject { .. } => TurnEffect::Tells,
            Self::End(_) => TurnEffect::Closes,
        }
    }
}

/// `hello` as a line, newline included.
pub(super) fn hello_line(hello: &Hello, limits: &Limits) -> Vec<u8> {
    line(&ToPolicy::Hello {
        protocol: 1,
        game: &hello.game,
        game_version: hello.game_version.as_deref(),
        seat: &hello.seat,
        player_count: hello.player_count,
        rules: &hello.rules,
        config: &hello.config,
        seed: hello.seed,
        limits: WireLimits {
            start_ms: millis(limits.start),
            first_ms: millis(limits.first),
            turn_ms: millis(limits.turn),
            memory_mb: limits.memory_mb,
        },
    })
}

/// `observe` as a line. The observation is known to be JSON and goes in byte for byte; it has line breaks only
/// between tokens, never inside a string, and there a blank means the same.
pub(super) fn observe_line(turn: &Turn) -> Vec<u8> {
    let mut line = Vec::with_capacity(turn.observation.len() + 80);
    line.extend_from_slice(
        format!(r#"{{"type":"observe","id":{},"tick":{},"observation":"#, turn.id, turn.tick).as_bytes(),
    );
    let start = line.len();
    line.extend_from_slice(turn.observation.trim().as_bytes());
    for byte in &mut line[start..] {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    line.extend_from_slice(b"}\n");
    line
}

/// `reject` as a line.
pub(super) fn reject_line(id: u64, reasons: &[String]) -> Vec<u8> {
    line(&ToPolicy::Reject { id, reasons })
}

/// `end` as a line.
pub(super) fn end_line(result: &Value) -> Vec<u8> {
    line(&ToPolicy::End { result })
}

fn line(message: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).expect("string keys and plain values always serialise");
    line.push(b'\n');
    line
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum ToPolicy<'a> {
    Hello {
        protocol: u32,
        game: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        game_version: Option<&'a str>,
        seat: &'a str,
        player_count: u32,
        rules: &'a str,
        config: &'a Value,
        #[serde(skip_serializing_if = "Option::is_none")]
        seed: Option<u64>,
        limits: WireLimits,
    },
    Reject {
        id: u64,
        reasons: &'a [String],
    },
    End {
        result: &'a Value,
    },
}

#[derive(Serialize)]
struct WireLimits {
    start_ms: u64,
    first_ms: u64,
    turn_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_mb: Option<u64>,
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    fn text(line: Vec<u8>) -> String {
        String::from_utf8(line).expect("JSON is UTF-8")
    }

    #[test]
    fn the_four_messages_are_written_as_the_protocol_has_them() {
        let hello = Hello {
            game: "connect_four".into(),
            game_version: Some("1".into()),
            seat: "p0".into(),
            player_count: 2,
            rules: "...".into(),
            config: json!({}),
            seed: Some(7),
        };
        let limits = Limits {
            start: Duration::from_secs(5),
            first: Duration::from_secs(1),
            turn: Duration::from_millis(100),
            memory_mb: Some(512),
            ..Limits::default()
        };
        assert_eq!(
            text(hello_line(&hello, &limits)),
            "{\"type\":\"hello\",\"protocol\":1,\"game\":\"connect_four\",\"game_version\":\"1\",\"seat\":\"p0\",\
             \"player_count\":2,\"rules\":\"...\",\"config\":{},\"seed\":7,\
             \"limits\":{\"start_ms\":5000,\"first_ms\":1000,\"turn_ms\":100,\"memory_mb\":512}}\n"
        );
        assert_eq!(
            text(reject_line(17, &["column 3 is full".into()])),
            "{\"type\":\"reject\",\"id\":17,\"reasons\":[\"column 3 is full\"]}\n"
        );
        let result = json!({"score": 100, "rank": 1, "outcome": "won", "reason": "game_complete"});
        assert_eq!(
            text(end_line(&result)),
            "{\"type\":\"end\",\"result\":{\"score\":100,\"rank\":1,\"outcome\":\"won\",\"reason\":\"game_complete\"}}\n"
        );
    }

    #[test]
    fn an_observation_keeps_its_bytes_and_stays_on_one_line() {
        let turn =
            Turn { id: 17, tick: 16, observation: "{\"big\":12345678901234567890.50,\n\"a\":1}".into() };
        assert_eq!(
            text(observe_line(&turn)),
            "{\"type\":\"observe\",\"id\":17,\"tick\":16,\"observation\":{\"big\":12345678901234567890.50, \"a\":1}}\n"
        );
        let turn = Turn { observation: "{\"a\":".into(), ..turn };
        assert!(matches!(Outgoing::observe(&turn), Err(SendError::Observation(_))));
    }
}
