//! A message of a live session: its envelope is read once, everything else stays text until it is wanted.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// What a message is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// Our seat is ours.
    Connected,
    /// Play begins.
    GameStarted,
    /// What a seat sees.
    Observation,
    /// What became of an action.
    ActionResult,
    /// A seat's policy broke.
    PlayerFailed,
    /// The game put a seat out.
    PlayerEliminated,
    /// The session waits for somebody.
    Waiting,
    /// The session as a whole, for a spectator who just came.
    Session,
    /// Play is over.
    GameCompleted,
    /// The answer to a ping.
    Pong,
    /// The server could not do something.
    Error,
    /// A kind that this version does not know; empty if the message has none or is not JSON.
    Other(String),
}

impl MessageKind {
    /// The word on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Connected => "connected",
            Self::GameStarted => "game_started",
            Self::Observation => "observation",
            Self::ActionResult => "action_result",
            Self::PlayerFailed => "player_failed",
            Self::PlayerEliminated => "player_eliminated",
            Self::Waiting => "waiting",
            Self::Session => "session",
            Self::GameCompleted => "game_completed",
            Self::Pong => "pong",
            Self::Error => "error",
            Self::Other(word) => word,
        }
    }

    fn of(word: &str) -> Self {
        match word {
            "connected" => Self::Connected,
            "game_started" => Self::GameStarted,
            "observation" => Self::Observation,
            "action_result" => Self::ActionResult,
            "player_failed" => Self::PlayerFailed,
            "player_eliminated" => Self::PlayerEliminated,
            "waiting" => Self::Waiting,
            "session" => Self::Session,
            "game_completed" => Self::GameCompleted,
            "pong" => Self::Pong,
            "error" => Self::Error,
            other => Self::Other(other.to_owned()),
        }
    }
}

/// A message. Cloning is cheap: the text is shared.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// What it is about.
    pub kind: MessageKind,
    /// When in the game.
    pub tick: Option<u64>,
    /// Whose.
    pub player_id: Option<String>,
    /// The observation itself, as text.
    pub data: Option<JsonSlice>,
    /// The whole message as it came.
    pub raw: Utf8Bytes,
}

impl Message {
    /// Reads the envelope. Text that is not a JSON object becomes a message of the kind `Other("")`.
    pub fn parse(raw: Utf8Bytes) -> Self {
        let Ok(envelope) = serde_json::from_str::<Envelope<'_>>(&raw) else { return Self::unreadable(raw) };
        let kind = MessageKind::of(&envelope.kind);
        let (tick, player_id) = (envelope.tick, envelope.player_id.map(Cow::into_owned));
        let range = envelope.data.and_then(|data| range_in(&raw, data.get()));
        let data = range.map(|range| JsonSlice { whole: raw.clone(), range });
        Self { kind, tick, player_id, data, raw }
    }

    pub(super) fn unreadable(raw: Utf8Bytes) -> Self {
        Self { kind: MessageKind::Other(String::new()), tick: None, player_id: None, data: None, raw }
    }

    /// Any member, read as a type; `None` if it is missing, null or of another shape.
    pub fn member<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.raw_member(name)?).ok()
    }

    /// Any member as text; `None` if it is missing or null.
    pub fn raw_member(&self, name: &str) -> Option<&str> {
        let mut reader = serde_json::Deserializer::from_str(&self.raw);
        let found = reader.deserialize_map(Find { name }).ok()??;
        Some(found.get()).filter(|text| *text != "null")
    }
}

/// JSON that is part of a longer text, which it shares.
#[derive(Clone)]
pub struct JsonSlice {
    whole: Utf8Bytes,
    range: Range<usize>,
}

impl JsonSlice {
    /// The text.
    pub fn get(&self) -> &str {
        self.whole.get(self.range.clone()).unwrap_or("null")
    }

    /// Reads it as a type.
    ///
    /// # Errors
    /// When it has another shape.
    pub fn decode<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.get())
    }
}

impl PartialEq for JsonSlice {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl fmt::Debug for JsonSlice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

/// Where a part of a text lies in it. The parser hands out parts of what it was given, not copies.
fn range_in(whole: &str, part: &str) -> Option<Range<usize>> {
    let start = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    let range = start..start.checked_add(part.len())?;
    (whole.get(range.clone()) == Some(part)).then_some(range)
}

/// The members that every reader needs; each may be missing or of any shape.
#[derive(Default)]
struct Envelope<'a> {
    kind: Cow<'a, str>,
    tick: Option<u64>,
    player_id: Option<Cow<'a, str>>,
    data: Option<&'a RawValue>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Envelope<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope<'de>, A::Error> {
                let mut envelope = Envelope::default();
                while let Some(Name(name)) = map.next_key()? {
                    match &*name {
                        "type" => envelope.kind = text(map.next_value()?).unwrap_or_default(),
                        "tick" => envelope.tick = number(map.next_value()?),
                        "player_id" => envelope.player_id = text(map.next_value()?),
                        "data" => envelope.data = Some(map.next_value()?),
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(envelope)
            }
        }
        deserializer.deserialize_map(Read)
    }
}

/// A member's name, borrowed where it holds no escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inside = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if !inside.contains('\\') {
        return Some(Cow::Borrowed(inside));
    }
    serde_json::from_str::<Name<'_>>(raw.get()).ok().map(|Name(text)| text)
}

/// A number as JSON writes it and one as Rust reads it are the same, if it is whole.
fn number(raw: &RawValue) -> Option<u64> {
    raw.get().parse().ok()
}

struct Find<'n> {
    name: &'n str,
}

impl<'de> Visitor<'de> for Find<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(Name(name)) = map.next_key()? {
            if name == self.name {
                found = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::model::Scores;

    fn parse(text: &str) -> Message {
        Message::parse(text.into())
    }

    #[test]
    fn an_observation_keeps_its_data_as_text() {
        let message = parse(
            r#"{"type":"observation","tick":3,"player_id":"p0","data":{"n":9007199254740993,"x":1.50}}"#,
        );
        assert_eq!((message.kind, message.tick), (MessageKind::Observation, Some(3)));
        assert_eq!(message.player_id.as_deref(), Some("p0"));
        assert_eq!(message.data.expect("data").get(), r#"{"n":9007199254740993,"x":1.50}"#);
    }

    #[test]
    fn unknown_kinds_odd_members_and_junk_are_messages_too() {
        let message = parse(r#"{"type":"confetti","tick":"three","player_id":7,"data":null,"x":{}}"#);
        assert_eq!(message.kind, MessageKind::Other("confetti".into()));
        assert_eq!((message.tick, message.player_id), (None, None));
        for junk in ["[1]", "3", "{", "<html>", r#"{"type":3}"#, "{}", r#"{"type":null}"#, "\u{0}"] {
            let message = parse(junk);
            assert_eq!((message.kind.as_str(), &*message.raw), ("", junk));
        }
        assert_eq!(parse(r#"{"t\u0079pe":"po\u006eg"}"#).kind, MessageKind::Pong);
    }

    #[test]
    fn other_members_are_read_when_wanted() {
        let message =
            parse(r#"{"type":"game_completed","scores":{"p0":1.5},"message":null,"players":["player_0"]}"#);
        assert_eq!(message.member::<Scores>("scores").and_then(|scores| scores.get("p0")), Some(1.5));
        assert_eq!(message.member::<Vec<String>>("players"), Some(vec!["player_0".into()]));
        assert_eq!(message.member::<String>("message"), None);
        assert_eq!(message.member::<u64>("scores"), None);
        assert_eq!(message.raw_member("scores"), Some(r#"{"p0":1.5}"#));
        assert_eq!(parse("[]").raw_member("x"), None);
    }

    #[test]
    fn every_known_word_reads_back() {
        for word in [
            "connected",
            "game_started",
            "observation",
            "action_result",
            "player_failed",
            "player_eliminated",
            "waiting",
            "session",
            "game_completed",
            "pong",
            "error",
            "other",
        ] {
            assert_eq!(MessageKind::of(word).as_str(), word);
        }
    }
}
