//! Plays seats of play sessions without a dashboard: a policy on one side, a player's socket on the other.
//!
//! ```text
//! play ── creates the session, then for each own seat:
//!
//!   client (socket, reconnects, recording) ── FeedEvent ──▶ Desk ◀── PolicyEventKind ── policy (a process)
//!                                                             └── Do: ask, reject, act, restart, leave
//! ```
//!
//! The rules are the dashboard's: a seat is asked once a tick, an answer for another tick is dropped, a refused action
//! is asked for again, and after a reconnect the observation says whether the seat is still asked. What to do about a
//! policy that fails is the caller's choice ([`OnFailure`]). Start reading at [`play`]; the rules are in `desk`.

mod count;
mod desk;
mod drive;
mod ending;
mod process;
mod session;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::count::{Latencies, SeatCounts};
pub use self::drive::{SeatEnd, SeatReport};
pub use self::ending::Ending;
pub use self::process::Player;
pub use self::session::{Booking, GameFacts, Place, Played, Table, play};

/// How a policy failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// Its process ended by itself.
    Crash,
    /// It did not answer in time.
    TimeOut,
    /// Its actions were refused too often in one tick.
    Refused,
    /// It answered something that is no action.
    Garbage,
    /// The server took the seat out for a reason of its own.
    TakenOut,
    /// Its command cannot be run at all.
    NotStarted,
}

impl FailureKind {
    /// All kinds, in the order in which they are listed.
    pub const ALL: [Self; 6] =
        [Self::Crash, Self::TimeOut, Self::Refused, Self::Garbage, Self::TakenOut, Self::NotStarted];

    /// The word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::TimeOut => "time_out",
            Self::Refused => "refused",
            Self::Garbage => "garbage",
            Self::TakenOut => "taken_out",
            Self::NotStarted => "not_started",
        }
    }

    /// The words for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::TimeOut => "time-out",
            Self::Refused => "refused",
            Self::Garbage => "garbage",
            Self::TakenOut => "taken out",
            Self::NotStarted => "not started",
        }
    }
}

/// What becomes of a seat whose policy failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnFailure {
    /// The seat is given up.
    #[default]
    Stop,
    /// The policy is started again and asked the same again, a few times.
    Restart,
    /// Something harmless is played in its place: nothing where that is a move, else the first listed action. A process
    /// that ended is started again.
    Safe,
}

impl OnFailure {
    /// The word on the command line and in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Restart => "restart",
            Self::Safe => "safe",
        }
    }
}

impl fmt::Display for OnFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A policy's failure in a seat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// How.
    pub kind: FailureKind,
    /// At which tick.
    pub tick: u64,
    /// What happened, cleaned.
    pub why: String,
}
