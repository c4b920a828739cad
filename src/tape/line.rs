//! The lines of a recording.
//!
//! ```text
//! {"gert_recording":1,"kind":"spectator","session_id":"s_8f2c41","host":"…","started_at":"…"}
//! {"t":0,"about":{"game":"connect_four","player_id":"p0"}}
//! {"t":12,"m":{"type":"observation","tick":3,"data":{…}}}          heard on the socket, as it came
//! {"t":840,"act":{"player_id":"p0","tick":3,"by":"policy bot","payload":[{"action":"drop","column":3}]}}
//! {"t":900,"link":"lost","why":"reset by peer"}                    and `open` when it is back
//! {"t":950,"stop":"…"}                                             the recording is full; nothing more follows
//! {"t":950,"closed":{"game":"connect_four","tick":42,…}}           last line of one that was closed in order
//! ```
//!
//! `t` is in milliseconds since the recording began. A line that is not understood is skipped by a reader and kept by
//! whoever copies the file: a later version may have written it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::api::Message;

use super::secret;

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

impl Header {
    /// Reads the first line of a file.
    ///
    /// # Errors
    /// When it is no recording, or one of a later version.
    pub fn read(line: &[u8]) -> io::Result<Self> {
        #[derive(Deserialize)]
        struct Mark {
            gert_recording: u64,
        }
        let not_ours =
            |why: serde_json::Error| io::Error::other(format!("is not a recording of gert: {why}"));
        let mark: Mark = serde_json::from_slice(line).map_err(not_ours)?;
        if mark.gert_recording > u64::from(VERSION) {
            return Err(io::Error::other(format!(
                "was recorded in version {} of the format, and this program reads versions up to {VERSION}: a newer \
                 gert opens it",
                mark.gert_recording
            )));
        }
        serde_json::from_slice(line).map_err(not_ours)
    }
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
    /// Nothing more is recorded, for this reason.
    Stopped(String),
    /// What it came to; the last line.
    Closed(Box<Totals>),
}

/// What a recording came to, so that a list of many need not read each.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// The game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// The seat, of a player's recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player_id: Option<String>,
    /// The seats that were heard of.
    pub seats: Vec<String>,
    /// Moments.
    pub moments: usize,
    /// The newest tick.
    pub tick: u64,
    /// The newest scores.
    pub scores: BTreeMap<String, f64>,
    /// Whether the match ended while it was recorded.
    pub ended: bool,
    /// From its beginning to its newest line.
    pub length_ms: u64,
}

/// Why a line could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// It is no line of a recording, or only a part of one.
    Broken,
    /// It is of a kind that this version does not know.
    Unknown,
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
                    Ok(json) => {
                        let shown = secret::members(json.get());
                        let json = match &shown {
                            Cow::Borrowed(_) => Some(json),
                            // Blanking keeps it JSON.
                            Cow::Owned(blanked) => serde_json::from_str(blanked).ok(),
                        };
                        return put(out, &RawLine { t, m: json, ..raw });
                    }
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
            LineKind::Stopped(why) => RawLine { t, stop: Some(Cow::Borrowed(why)), ..raw },
            LineKind::Closed(totals) => RawLine { t, closed: Some(Cow::Borrowed(&**totals)), ..raw },
        };
        put(out, &raw);
    }

    /// Reads a line; `None` if it is torn, or of a kind this version does not know.
    pub fn read(line: &[u8]) -> Option<Self> {
        Self::parse(line).ok()
    }

    /// Reads a line.
    ///
    /// # Errors
    /// Says whether it is torn, or of a kind this version does not know.
    pub fn parse(line: &[u8]) -> Result<Self, Unread> {
        let line: RawLine<'_> = serde_json::from_slice(line).map_err(|_| Unread::Broken)?;
        let what = if let Some(json) = line.m {
            LineKind::Heard(Message::parse(json.get().into()))
        } else if let Some(text) = line.text {
            LineKind::Heard(Message::parse((*text).into()))
        } else if let Some(act) = line.act {
            LineKind::Acted(act.into_owned())
        } else if let Some(about) = line.about {
            LineKind::About(about.into_owned())
        } else if let Some(why) = line.stop {
            LineKind::Stopped(why.into_owned())
        } else if let Some(totals) = line.closed {
            LineKind::Closed(Box::new(totals.into_owned()))
        } else {
            let link = line.link.ok_or(Unread::Unknown)?;
            LineKind::Linked { up: link == "open", why: line.why.map(Cow::into_owned) }
        };
        Ok(Self { at_ms: line.t, what })
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
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    stop: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    closed: Option<Cow<'a, Totals>>,
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
    fn what_is_torn_and_what_is_unknown_are_told_apart() {
        for (line, why) in [
            (&b"{\"t\":1,\"m\":{\"type\""[..], Unread::Broken),
            (b"{\"t\":1,\"new\":true}", Unread::Unknown),
            (b"\xff", Unread::Broken),
            (b"{}", Unread::Broken),
            (b"", Unread::Broken),
        ] {
            assert_eq!(Line::parse(line), Err(why));
        }
    }

    #[test]
    fn totals_and_the_reason_of_a_stop_come_back() {
        let scores = [("p0".to_owned(), 1.5)].into();
        let totals = Totals { game: Some("g".into()), moments: 3, tick: 9, scores, ..Totals::default() };
        for what in [LineKind::Stopped("full".into()), LineKind::Closed(Box::new(totals))] {
            assert_eq!(round_trip(what.clone()).1.what, what);
        }
    }

    #[test]
    fn a_token_in_a_message_is_not_written() {
        let text = r#"{"type":"connected","player_id":"p0","player_token":"pt_1"}"#;
        let (written, _) = round_trip(LineKind::Heard(Message::parse(text.into())));
        assert!(written.contains("\"player_token\":\"***\"") && !written.contains("pt_1"), "{written}");
    }

    #[test]
    fn a_header_of_a_later_version_names_both() {
        let header = br#"{"gert_recording":7,"other":1}"#;
        let why = Header::read(header).expect_err("refused").to_string();
        assert!(why.contains("version 7") && why.contains("up to 1"), "{why}");
        assert!(Header::read(b"{}").is_err() && Header::read(b"").is_err());
    }
}
