//! Sessions as the account sees them.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::members::{Json, model};
use super::{BadItem, GameSlug, Listing, PlayerId, Scores, SessionId};

/// How far a session is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum SessionStatus {
    /// It does not run yet.
    Waiting,
    /// It is being played.
    Active,
    /// It ended well.
    Completed,
    /// It could not start or broke off.
    Failed,
    /// A word that this version does not know.
    Other(String),
    /// None came.
    #[default]
    Unknown,
}

impl SessionStatus {
    /// The word on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Waiting => "waiting",
            Self::Active => "active",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Other(word) => word,
            Self::Unknown => "",
        }
    }

    /// True when nothing more will happen. An unknown word is not an end.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed)
    }

    /// True when it waits or is played.
    pub fn is_live(&self) -> bool {
        matches!(self, Self::Waiting | Self::Active)
    }
}

impl FromStr for SessionStatus {
    type Err = Infallible;

    fn from_str(word: &str) -> Result<Self, Infallible> {
        Ok(match word {
            "waiting" => Self::Waiting,
            "active" => Self::Active,
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            "" => Self::Unknown,
            other => Self::Other(other.to_owned()),
        })
    }
}

impl fmt::Display for SessionStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for SessionStatus {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Ok(word.parse().unwrap_or_default())
    }
}

impl Serialize for SessionStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unknown => serializer.serialize_none(),
            known => serializer.serialize_str(known.as_str()),
        }
    }
}

model! {
    /// A play session.
    pub struct Session {
        /// Its name.
        pub session_id: SessionId = or "id",
        /// What is played.
        pub game: GameSlug = or "game_slug",
        /// How far it is.
        pub status: SessionStatus,
        /// Ticks played.
        pub tick: Option<u64>,
        /// The horizon.
        pub max_ticks: Option<u64>,
        /// How many seats.
        pub player_count: Option<u32>,
        /// Who sits where.
        pub seats: Vec<SessionSeat>,
        /// Scores by seat.
        pub scores: Option<Scores>,
        /// Ranks by seat, once it is over.
        pub ranks: Option<Scores>,
        /// Outcomes by seat, once it is over.
        pub outcomes: BTreeMap<String, Json>,
        /// The platform's players fill the other seats.
        pub vs_ai: Option<bool>,
        /// Who may watch.
        pub spectate_mode: Option<String>,
        /// A tick's deadline.
        pub tick_ms: Option<u64>,
        /// Where its chance comes from; any size.
        pub seed: Option<Json>,
        /// When it was made.
        pub created_at: Option<String>,
        /// When play began.
        pub started_at: Option<String>,
        /// When it was over.
        pub ended_at: Option<String>,
        /// Why it is over.
        pub completion_reason: Option<String>,
        /// Why it failed.
        pub failure_reason: Option<String>,
        /// What it cost so far.
        pub credits_used: Option<f64>,
        /// Where it began, if it is a branch.
        pub branch: Option<BranchedFrom>,
    }
}

model! {
    /// Where a branch began.
    pub struct BranchedFrom {
        /// The session that it was before; it may be deleted.
        pub parent_id: Option<SessionId> = or "parent_session_id", "session_id",
        /// Ticks that were played there.
        pub tick: Option<u64> = or "branch_tick",
        /// Why it was made, such as `explore`.
        pub kind: Option<String>,
    }
}

model! {
    /// A seat of a session.
    pub struct SessionSeat {
        /// Its name.
        pub player_id: PlayerId = or "id",
        /// Who drives it: `user`, `ai`, `open`, or another word.
        pub kind: Option<String> = or "player_type", "type",
        /// The driver's name.
        pub name: Option<String>,
        /// Its score.
        pub score: Option<f64>,
        /// Its policy broke.
        pub failed: bool,
        /// The game put it out.
        pub eliminated: bool,
        /// Somebody is there.
        pub connected: Option<bool>,
    }
}

model! {
    /// A line of a session's log.
    pub struct LogEntry {
        /// When in the game.
        pub tick: Option<u64>,
        /// When on the clock.
        pub at: Option<String> = or "created_at", "timestamp", "time",
        /// What kind of line.
        pub kind: Option<String> = or "type", "level", "event",
        /// Whose.
        pub player_id: Option<PlayerId>,
        /// For people.
        pub text: Option<String> = or "message",
        /// The details.
        pub data: Option<Json>,
    }
}

/// A session's log: `{"logs": […]}`, or a bare list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Logs {
    /// The lines.
    pub entries: Vec<LogEntry>,
    /// Lines that could not be read.
    pub bad: Vec<BadItem>,
}

impl<'de> Deserialize<'de> for Logs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        let listing = Listing::read(json.get(), "logs").map_err(serde::de::Error::custom)?;
        Ok(Self { entries: listing.items, bad: listing.bad })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_status_is_kept_and_is_not_an_end() {
        // H-11.
        let session: Session = serde_json::from_str(r#"{"status":"paused","id":7}"#).expect("a session");
        assert_eq!(session.status, SessionStatus::Other("paused".into()));
        assert!(!session.status.is_over() && !session.status.is_live());
        assert_eq!(session.session_id.as_str(), "7");
        assert_eq!(serde_json::to_value(&session).expect("JSON")["status"], "paused");
        for (text, status) in [("{}", SessionStatus::Unknown), (r#"{"status":null}"#, SessionStatus::Unknown)]
        {
            assert_eq!(serde_json::from_str::<Session>(text).expect("a session").status, status);
        }
    }

    #[test]
    fn one_odd_seat_leaves_the_others_raw_but_the_session_is_read() {
        let text = r#"{"session_id":"s","status":"active","seats":[{"player_id":"p0"},3]}"#;
        let session: Session = serde_json::from_str(text).expect("a session");
        assert_eq!(session.status, SessionStatus::Active);
        assert!(session.seats.is_empty() && session.extra.get("seats").is_some());
    }

    #[test]
    fn logs_come_wrapped_or_bare() {
        for text in [r#"{"logs":[{"text":"a"},5]}"#, r#"[{"message":"a"},5]"#] {
            let logs: Logs = serde_json::from_str(text).expect("logs");
            assert_eq!(logs.entries[0].text.as_deref(), Some("a"), "{text}");
            assert_eq!(logs.bad[0].index, 1);
        }
        assert_eq!(serde_json::from_str::<Logs>("{}").expect("logs"), Logs::default());
    }
}
