//! A session as accounts see it: the same record from a live match and from the database.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::credits::Credits;
use super::engine::observation::Number;
use super::engine::seats::Seat;

/// How far a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Seats are open.
    Waiting,
    /// It is played.
    Active,
    /// It ended as games do.
    Completed,
    /// It ended otherwise.
    Failed,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Active, Self::Completed, Self::Failed];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Active => "active",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }

    /// Reads the word; what is unknown counts as failed.
    pub fn from_word(word: &str) -> Self {
        Self::ALL.into_iter().find(|status| status.as_str() == word).unwrap_or(Self::Failed)
    }

    /// Whether nothing more will happen.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed)
    }
}

/// Who sits on a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeatKind {
    /// Somebody's account.
    User,
    /// A built-in player.
    Ai,
    /// Nobody yet.
    Open,
}

impl SeatKind {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Ai => "ai",
            Self::Open => "open",
        }
    }

    /// Reads the word.
    pub fn from_word(word: &str) -> Self {
        match word {
            "user" => Self::User,
            "ai" => Self::Ai,
            _ => Self::Open,
        }
    }
}

/// One seat of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct SeatRecord {
    /// Its place.
    pub seat: Seat,
    /// Who sits there.
    pub kind: SeatKind,
    /// The built-in player's name, or what others call the user.
    pub name: String,
    /// Whose it is.
    pub account_id: Option<String>,
    /// The score as it stands.
    pub score: f64,
    /// Out, for any reason.
    pub failed: bool,
    /// Out by the rules.
    pub eliminated: bool,
    /// Somebody is there.
    pub connected: bool,
    /// At the end, in a game of several: 1 is best.
    pub rank: Option<u32>,
    /// At the end, in a game of several: `won`, `draw`, `lost`.
    pub outcome: Option<String>,
}

/// Why a branch was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchKind {
    /// Alone.
    Single,
    /// With others that begin the same.
    Count,
    /// To try an action.
    Explore,
}

impl BranchKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Single, Self::Count, Self::Explore];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Count => "count",
            Self::Explore => "explore",
        }
    }

    /// Reads the word; what is unknown counts as single.
    pub fn from_word(word: &str) -> Self {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word).unwrap_or(Self::Single)
    }
}

/// Where a session branched off another one.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// The other one. It may have been deleted since.
    pub parent_id: String,
    /// Ticks that were played there; they are not paid again.
    pub tick: u32,
    /// Why.
    pub kind: BranchKind,
    /// Its place among those made with it, from 1.
    pub nth: u32,
    /// Which luck it has, when several try the same action: 0 is the match's own.
    pub sample: Option<u32>,
    /// Whose turn it was: the seat it is judged by.
    pub seat: Seat,
    /// What that seat played first, where that was given.
    pub first_action: Option<Value>,
    /// Seeds the built-in players.
    pub players_seed: u64,
}

impl Branch {
    fn json(&self) -> Value {
        let mut json = json!({
            "parent_id": self.parent_id,
            "tick": self.tick,
            "kind": self.kind.as_str(),
            "nth": self.nth,
            "player_id": self.seat,
        });
        if let Some(sample) = self.sample {
            json["sample"] = sample.into();
        }
        if let Some(action) = &self.first_action {
            json["first_action"] = action.clone();
        }
        json
    }
}

/// One session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRecord {
    /// Its place in the list; 0 for one that was not read from the database.
    pub seq: i64,
    /// Its id.
    pub session_id: String,
    /// Who pays for it.
    pub account_id: String,
    /// The game's slug.
    pub game: String,
    /// Of the game when it was played.
    pub game_version: String,
    /// Of the game when it was played.
    pub score_version: String,
    /// How far it is.
    pub status: Status,
    /// Ticks played.
    pub tick: u32,
    /// The horizon.
    pub max_ticks: u32,
    /// In order.
    pub seats: Vec<SeatRecord>,
    /// Whether built-in players fill seats.
    pub vs_ai: bool,
    /// `public`, `private` or `org`.
    pub spectate_mode: String,
    /// A tick's deadline in ms, 0 for none.
    pub tick_ms: u32,
    /// The least wall time of a tick in ms.
    pub pace_ms: u32,
    /// Decides all chance.
    pub seed: u64,
    /// The game's options.
    pub config: Value,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When the first tick began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// How it ended.
    pub completion_reason: Option<String>,
    /// Why it failed.
    pub failure_reason: Option<String>,
    /// Where it began, if not at a beginning.
    pub branch: Option<Branch>,
}

impl SessionRecord {
    /// Ticks that were there when it began.
    pub fn first_tick(&self) -> u32 {
        self.branch.as_ref().map_or(0, |branch| branch.tick)
    }

    /// Ticks that it has to pay for so far.
    pub fn paid_ticks(&self) -> u32 {
        self.tick.saturating_sub(self.first_tick())
    }

    /// What it has cost so far.
    pub fn credits(&self) -> Credits {
        Credits::for_ticks(self.paid_ticks())
    }

    /// What it may cost: reserved when it is made.
    pub fn most_credits(&self) -> Credits {
        Credits::for_ticks(self.max_ticks.saturating_sub(self.first_tick()))
    }

    /// Seeds the built-in players.
    pub fn players_seed(&self) -> u64 {
        self.branch.as_ref().map_or(self.seed, |branch| branch.players_seed)
    }

    /// Whether the account pays for it or sits in it.
    pub fn belongs_to(&self, account_id: &str) -> bool {
        self.account_id == account_id
            || self.seats.iter().any(|seat| seat.account_id.as_deref() == Some(account_id))
    }

    /// Whether the account may look at it.
    pub fn may_watch(&self, account_id: &str) -> bool {
        self.spectate_mode == "public" || self.belongs_to(account_id)
    }

    /// As it goes out to an account.
    pub fn json(&self, viewer: &str) -> Value {
        let mut json = Map::new();
        let mut put = |key: &str, value: Value| json.insert(key.to_owned(), value);
        put("session_id", self.session_id.as_str().into());
        put("game", self.game.as_str().into());
        put("status", self.status.as_str().into());
        put("tick", self.tick.into());
        put("max_ticks", self.max_ticks.into());
        put("player_count", self.seats.len().into());
        put("seats", self.seats.iter().map(|seat| seat_json(seat, viewer)).collect());
        put("scores", self.scores());
        put("vs_ai", self.vs_ai.into());
        put("spectate_mode", self.spectate_mode.as_str().into());
        put("tick_ms", self.tick_ms.into());
        put("pace_ms", self.pace_ms.into());
        put("seed", self.seed.into());
        put("config", self.config.clone());
        put("game_version", self.game_version.as_str().into());
        put("score_version", self.score_version.as_str().into());
        put("created_at", rfc3339(self.created_at).into());
        if let Some(at) = self.started_at {
            put("started_at", rfc3339(at).into());
        }
        if let Some(at) = self.ended_at {
            put("ended_at", rfc3339(at).into());
        }
        if self.status.is_terminal() {
            if let Some(reason) = &self.completion_reason {
                put("completion_reason", reason.as_str().into());
            }
            if let Some(ranks) = self.ranks() {
                put("ranks", ranks);
            }
            if let Some(outcomes) = self.outcomes() {
                put("outcomes", outcomes);
            }
        }
        if let Some(reason) = &self.failure_reason {
            put("failure_reason", reason.as_str().into());
        }
        put("credits_used", json!(self.credits()));
        if let Some(branch) = &self.branch {
            put("branch", branch.json());
        }
        Value::Object(json)
    }

    /// The last message of its sockets.
    pub fn completed_message(&self) -> Value {
        let mut json = Map::new();
        let mut put = |key: &str, value: Value| json.insert(key.to_owned(), value);
        put("type", "game_completed".into());
        put("scores", self.scores());
        if let Some(ranks) = self.ranks() {
            put("ranks", ranks);
        }
        if let Some(outcomes) = self.outcomes() {
            put("outcomes", outcomes);
        }
        put("status", self.status.as_str().into());
        put("completion_reason", self.completion_reason.clone().into());
        if let Some(reason) = &self.failure_reason {
            put("failure_reason", reason.as_str().into());
        }
        put("ticks", self.tick.into());
        put("credits_used", json!(self.credits()));
        Value::Object(json)
    }

    fn scores(&self) -> Value {
        self.per_seat(|seat| Some(json!(Number(seat.score)))).unwrap_or_default()
    }

    fn ranks(&self) -> Option<Value> {
        self.per_seat(|seat| seat.rank.map(Value::from))
    }

    fn outcomes(&self) -> Option<Value> {
        self.per_seat(|seat| seat.outcome.as_deref().map(Value::from))
    }

    /// A map by player id, or nothing when no seat has one.
    fn per_seat(&self, value: impl Fn(&SeatRecord) -> Option<Value>) -> Option<Value> {
        let map: Map<String, Value> =
            self.seats.iter().filter_map(|seat| Some((seat.seat.to_string(), value(seat)?))).collect();
        (!map.is_empty()).then_some(Value::Object(map))
    }
}

#[derive(Serialize)]
struct SeatJson<'a> {
    player_id: Seat,
    kind: &'static str,
    name: &'a str,
    score: Number,
    failed: bool,
    eliminated: bool,
    connected: bool,
}

fn seat_json(seat: &SeatRecord, viewer: &str) -> Value {
    let own = seat.account_id.as_deref() == Some(viewer);
    json!(SeatJson {
        player_id: seat.seat,
        kind: seat.kind.as_str(),
        name: if own { "you" } else { &seat.name },
        score: Number(seat.score),
        failed: seat.failed,
        eliminated: seat.eliminated,
        connected: seat.connected,
    })
}

/// A time on the wire: always three digits of a second, so that times sort as text.
pub(super) fn rfc3339(at: Timestamp) -> String {
    format!("{at:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_sort_as_text() {
        let at = |ms| rfc3339(Timestamp::from_millisecond(ms).unwrap());
        assert_eq!(at(1_120), "1970-01-01T00:00:01.120Z");
        assert!(at(1_120) < at(1_123) && at(1_000) < at(1_001));
    }
}
