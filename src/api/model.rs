//! The API's types, read tolerantly: the platform's shapes are only partly known, and newer servers add to them.
//!
//! One rule for all: a member that is null or missing has its default, a member of an unexpected shape has its
//! default and stays in `extra` as it came, unknown members stay in `extra`, unknown words are `Other`. A row of a
//! list that is not even an object is left out and reported (see [`Listing`]).

mod billing;
mod branch;
mod build;
mod by_seat;
#[cfg(test)]
mod check;
mod export;
mod game;
mod id;
mod job;
mod listing;
mod members;
mod play;
mod provider;
mod rollout;
mod scores;
mod session;
mod submission;
mod task;

pub use self::billing::{Balance, UsageEntry};
pub use self::branch::{Branch, BranchedPlay};
pub use self::build::Started;
pub use self::by_seat::BySeat;
pub use self::export::{DownloadUrl, Export, ExportDownload, ExportFile};
pub use self::game::{Game, GameDetail, GameScoring, Tag, Tags};
pub use self::id::{
    EpisodeId, GameSlug, JobId, PlayerId, PlayerToken, ProviderId, RunId, Seat, SessionId, SubmissionId,
    TaskId,
};
pub use self::job::{BranchScores, DecisionPoint, Job, JobStatus, ScoredAction, ValueStats};
pub use self::listing::{BadItem, Listing, Rows};
pub(crate) use self::listing::{Page, read_row};
pub use self::members::{Extra, Ignored, Json};
pub use self::play::{ActResult, CreatedSeat, CreatedSession, Joined, PlayState};
pub use self::provider::Provider;
pub use self::rollout::{
    ActionScores, BatchEntry, Completion, Episode, EpisodeClosed, EpisodeProbe, RankedAction, Run, RunClosed,
    RunOpened, RunStatus, ScoreStats, StepEntry, StepFailure, StepResult,
};
pub use self::scores::Scores;
pub use self::session::{BranchedFrom, LogEntry, Logs, Session, SessionSeat, SessionStatus};
pub use self::submission::{BulkDeleted, CreatedSubmission, Evaluation, StartedEvaluation, Submission};
pub use self::task::{DrawnTasks, Task, TaskInfo, TaskMessage, TaskResult, TaskScores, TaskVariant};
