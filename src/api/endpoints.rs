//! Typed requests, one file a resource. Building one sends nothing; [`Client::send`](super::Client::send) does.

mod billing;
mod games;
mod play;
mod rollout_runs;
mod sessions;

pub use self::billing::{GetBalance, ListUsage};
pub use self::games::{GetGame, GetTags, ListGames};
pub use self::play::{Act, CreateSession, GetPlay, JoinPlay, LeavePlay};
pub(crate) use self::rollout_runs::TRIES;
pub use self::rollout_runs::{
    CloseEpisode, CloseRun, CompleteEpisode, ExtendRun, ForkBatch, ForkEpisode, GetEpisode, ListRuns,
    MAX_BATCH, OpenRun, ResetEpisode, ScoreActions, ScoreActionsOnPolicy, StepBatch, StepEpisode,
};
pub use self::sessions::{GetSession, GetSessionLogs, ListSessions};
