//! The API's types, read tolerantly: the platform's shapes are only partly known, and newer servers add to them.
//!
//! One rule for all: a member that is null or missing has its default, a member of an unexpected shape has its
//! default and stays in `extra` as it came, unknown members stay in `extra`, unknown words are `Other`. A row of a
//! list that is not even an object is left out and reported (see [`Listing`]).

mod billing;
mod by_seat;
mod game;
mod id;
mod listing;
mod members;
mod play;
mod rollout;
mod scores;
mod session;

pub use self::billing::{Balance, UsageEntry};
pub use self::by_seat::BySeat;
pub use self::game::{Game, GameDetail, GameScoring, Tag, Tags};
pub use self::id::{
    EpisodeId, GameSlug, JobId, PlayerId, PlayerToken, ProviderId, RunId, Seat, SessionId, SubmissionId,
    TaskId,
};
pub use self::listing::{BadItem, Listing};
pub(crate) use self::listing::{Page, read_row};
pub use self::members::{Extra, Ignored, Json};
pub use self::play::{ActResult, CreatedSeat, CreatedSession, Joined, PlayState};
pub use self::rollout::{
    ActionScores, BatchEntry, Completion, Episode, EpisodeClosed, EpisodeProbe, RankedAction, Run, RunClosed,
    RunOpened, RunStatus, ScoreStats, StepEntry, StepFailure, StepResult,
};
pub use self::scores::Scores;
pub use self::session::{LogEntry, Logs, Session, SessionSeat, SessionStatus};
