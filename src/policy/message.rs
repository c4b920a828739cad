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

/// A line for the policy, newline included, and what it means for the turn that may be open.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) line: Vec<u8>,
    pub(super) effect: TurnEffect,
}

/// What happens to the open turn once a line is written.
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
    pub(super) fn hello(hello: &Hello, limits: &Limits) -> Self {
        let message = ToPolicy::Hello {
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
        };
        Self::new(&message, TurnEffect::Opens)
    }

    pub(super) fn observe(turn: &Turn) -> Result<Self, SendError> {
        // JSON text has line breaks only between tokens, never inside a string; there a blank means the same.
        let text = turn.observation.replace(['\n', '\r'], " ");
        let observation =
            RawValue::from_string(text).map_err(|why| SendError::Observation(why.to_string()))?;
        let message = ToPolicy::Observe { id: turn.id, tick: turn.tick, observation: &observation };
        Ok(Self::new(&message, TurnEffect::Asks(turn.id)))
    }

    pub(super) fn reject(id: u64, reasons: &[String]) -> Self {
        Self::new(&ToPolicy::Reject { id, reasons }, TurnEffect::Tells)
    }

    pub(super) fn end(result: &Value) -> Self {
        Self::new(&ToPolicy::End { result }, TurnEffect::Closes)
    }

    fn new(message: &ToPolicy<'_>, effect: TurnEffect) -> Self {
        let mut line = serde_json::to_vec(message).expect("string keys and plain values always serialise");
        line.push(b'\n');
        Self { line, effect }
    }
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
    Observe {
        id: u64,
        tick: u64,
        observation: &'a RawValue,
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

    fn text(message: &Outgoing) -> &str {
        std::str::from_utf8(&message.line).expect("JSON is UTF-8")
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
            text(&Outgoing::hello(&hello, &limits)),
            "{\"type\":\"hello\",\"protocol\":1,\"game\":\"connect_four\",\"game_version\":\"1\",\"seat\":\"p0\",\
             \"player_count\":2,\"rules\":\"...\",\"config\":{},\"seed\":7,\
             \"limits\":{\"start_ms\":5000,\"first_ms\":1000,\"turn_ms\":100,\"memory_mb\":512}}\n"
        );
        assert_eq!(
            text(&Outgoing::reject(17, &["column 3 is full".into()])),
            "{\"type\":\"reject\",\"id\":17,\"reasons\":[\"column 3 is full\"]}\n"
        );
        let result = json!({"score": 100, "rank": 1, "outcome": "won", "reason": "game_complete"});
        assert_eq!(
            text(&Outgoing::end(&result)),
            "{\"type\":\"end\",\"result\":{\"score\":100,\"rank\":1,\"outcome\":\"won\",\"reason\":\"game_complete\"}}\n"
        );
    }

    #[test]
    fn an_observation_keeps_its_bytes_and_stays_on_one_line() {
        let turn =
            Turn { id: 17, tick: 16, observation: "{\"big\":12345678901234567890.50,\n\"a\":1}".into() };
        assert_eq!(
            text(&Outgoing::observe(&turn).expect("valid")),
            "{\"type\":\"observe\",\"id\":17,\"tick\":16,\"observation\":{\"big\":12345678901234567890.50, \"a\":1}}\n"
        );
        let turn = Turn { observation: "{\"a\":".into(), ..turn };
        assert!(matches!(Outgoing::observe(&turn), Err(SendError::Observation(_))));
    }
}
