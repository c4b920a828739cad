//! The lines of a recording.
//!
//! ```text
//! {"gert_recording":1,"kind":"spectator","session_id":"s_8f2c41","host":"…","started_at":"…"}
//! {"t":0,"about":{"game":"connect_four","player_id":"p0"}}
//! {"t":12,"m":{"type":"observation","tick":3,"data":{…}}}          heard on the socket, as it came
//! {"t":840,"act":{"player_id":"p0","tick":3,"by":"policy bot","payload":[{"action":"drop","column":3}]}}
//! {"t":900,"link":"lost","why":"reset by peer"}                    and `open` when it is back
//! ```
//!
//! `t` is in milliseconds since the recording began. A line that is not understood is skipped by a reader and kept by
//! whoever copies the file: a later version may have written it.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::api::Message;

/// The version this program writes; it reads this one and every earlier one.
pub const VERSION: u32 = 1;

/// The first line of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`VERSION`] of who wrote it.
    pub gert_recording: u32,
    /// `spectator` or `player`.
    pub kind: Cow<'static, str>,
    /// The session.
    pub session_id: String,
    /// The server, without credentials.
    #[serde(default)]
    pub host: String,
    /// When it began.
    pub started_at: jiff::Timestamp,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Milliseconds since the recording began.
    pub at_ms: u64,
    /// What.
    pub what: LineKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum LineKind {
    /// What was known of the session without having been heard.
    About(About),
    /// A message came.
    Heard(Message),
    /// A seat of ours acted, or a shadow said what it would have done.
    Acted(Act),
    /// The link went down, or came back.
    Linked {
        /// Whether it is up.
        up: bool,
        /// Why not.
        why: Option<String>,
    },
}

/// What is known of a session beside what its socket says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct About {
    /// The game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// The seat, of a player's recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player_id: Option<String>,
}

/// What was decided for a seat of ours, and by whom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Act {
    /// The seat.
    pub player_id: String,
    /// The tick it is meant for.
    pub tick: u64,
    /// Who decided: `human`, `policy NAME`, `provider ID`.
    pub by: String,
    /// The action; `null` where a provider decides on the server.
    #[serde(default, with = "raw")]
    pub payload: Option<Arc<str>>,
    /// Only what a shadow policy would have played: it was not sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
    /// Of a shadow: whether it agrees with what was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agrees: Option<bool>,
}

impl Line {
    /// Writes the line, with its line break, after what is there.
    pub fn write(&self, out: &mut Vec<u8>) {
        let (t, raw) = (self.at_ms, RawLine::default());
        let raw = match &self.what {
            LineKind::Heard(message) => {
                let text = one_line(&message.raw);
                match serde_json::from_str::<&RawValue>(&text) {
                    Ok(json) => return put(out, &RawLine { t, m: Some(json), ..raw }),
                    // No JSON at all: kept as text.
                    Err(_) => RawLine { t, text: Some(Cow::Borrowed(&message.raw)), ..raw },
                }
            }
            LineKind::About(about) => RawLine { t, about: Some(Cow::Borrowed(about)), ..raw },
            LineKind::Acted(act) => RawLine { t, act: Some(Cow::Borrowed(act)), ..raw },
            LineKind::Linked { up, why } => RawLine {
                t,
                link: Some(Cow::Borrowed(if *up { "open" } else { "lost" })),
                why: why.as_deref().map(Cow::Borrowed),
                ..raw
            },
        };
        put(out, &raw);
    }

    /// Reads a line; `None` if it is torn, or of a kind this version does not know.
    pub fn read(line: &[u8]) -> Option<Self> {
        let line: RawLine<'_> = serde_json::from_slice(line).ok()?;
        let what = if let Some(json) = line.m {
            LineKind::Heard(Message::parse(json.get().into()))
        } else if let Some(text) = line.text {
            LineKind::Heard(Message::parse((*text).into()))
        } else if let Some(act) = line.act {
            LineKind::Acted(act.into_owned())
        } else if let Some(about) = line.about {
            LineKind::About(about.into_owned())
        } else {
            LineKind::Linked { up: line.link? == "open", why: line.why.map(Cow::into_owned) }
        };
        Some(Self { at_ms: line.t, what })
    }
}

/// A line as it is written.
#[derive(Default, Serialize, Deserialize)]
struct RawLine<'a> {
    t: u64,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    m: Option<&'a RawValue>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    act: Option<Cow<'a, Act>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    about: Option<Cow<'a, About>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    link: Option<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    why: Option<Cow<'a, str>>,
}

fn put(out: &mut Vec<u8>, line: &RawLine<'_>) {
    serde_json::to_writer(&mut *out, line).expect("strings and JSON always serialise");
    out.push(b'\n');
}

/// JSON has line breaks only between its tokens, where a blank means the same.
fn one_line(json: &str) -> Cow<'_, str> {
    if json.contains(['\n', '\r']) { json.replace(['\n', '\r'], " ").into() } else { json.into() }
}

/// JSON text kept as it is.
mod raw {
    use std::sync::Arc;

    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};
    use serde_json::value::RawValue;

    pub(super) fn serialize<S: Serializer>(text: &Option<Arc<str>>, out: S) -> Result<S::Ok, S::Error> {
        let json = text.as_deref().map(serde_json::from_str::<&RawValue>).transpose();
        json.map_err(serde::ser::Error::custom)?.serialize(out)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Arc<str>>, D::Error> {
        Ok(Option::<Box<RawValue>>::deserialize(from)?.map(|json| json.get().into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(what: LineKind) -> (String, Line) {
        let mut out = Vec::new();
        Line { at_ms: 12, what }.write(&mut out);
        let line = Line::read(&out).expect("it reads back");
        assert_eq!(line.at_ms, 12);
        (String::from_utf8(out).expect("text"), line)
    }

    #[test]
    fn a_message_comes_back_byte_for_byte() {
        let text = r#"{"type":"observation","tick":3,"data":{"n":9007199254740993,"x":1.50}}"#;
        let (written, line) = round_trip(LineKind::Heard(Message::parse(text.into())));
        assert_eq!(written, format!("{{\"t\":12,\"m\":{text}}}\n"));
        assert!(matches!(line.what, LineKind::Heard(message) if &*message.raw == text));
    }

    #[test]
    fn a_message_of_several_lines_or_none_is_one_line() {
        for text in ["{\"type\":\n\"x\"}", "no JSON\nat all", "{\"a\":"] {
            let (written, line) = round_trip(LineKind::Heard(Message::parse(text.into())));
            assert_eq!(written.matches('\n').count(), 1, "{text}");
            assert!(matches!(line.what, LineKind::Heard(_)));
        }
    }

    #[test]
    fn acts_and_links_come_back() {
        let act = Act {
            player_id: "p0".into(),
            tick: 3,
            by: "human".into(),
            payload: Some(r#"[{"action":"drop","column":3}]"#.into()),
            shadow: false,
            agrees: None,
        };
        let (written, line) = round_trip(LineKind::Acted(act.clone()));
        assert!(written.contains(r#""payload":[{"action":"drop","column":3}]"#), "{written}");
        assert!(matches!(line.what, LineKind::Acted(read) if read == act));
        let (_, line) = round_trip(LineKind::Linked { up: false, why: Some("reset".into()) });
        assert!(matches!(line.what, LineKind::Linked { up: false, why: Some(why) } if why == "reset"));
    }

    #[test]
    fn what_is_torn_or_unknown_is_none() {
        for line in [&b"{\"t\":1,\"m\":{\"type\""[..], b"{\"t\":1,\"new\":true}", b"\xff", b"{}", b""] {
            assert!(Line::read(line).is_none());
        }
    }
}
