//! What can go wrong in an algorithm that makes many calls.

use crate::api;
use crate::api::model::{EpisodeId, Seat};

/// Any error of a policy.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A rollout failed. Episodes that were live were closed as well as that was possible.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A call failed.
    #[error(transparent)]
    Api(#[from] api::Error),
    /// The run has no episodes left for it. Nothing was used up.
    #[error("the run has too few episodes left: {advice}")]
    Exhausted {
        /// What can be done.
        advice: String,
        /// The server's refusal.
        source: api::Error,
    },
    /// A policy failed.
    #[error("the policy failed")]
    Policy(#[source] BoxError),
    /// The game put seats out for what the opponents' policy answered, so the episode says nothing about the
    /// trained seat. A seat that the game puts out by its own rules is not meant.
    #[error(
        "the game rejected what the opponents' policy answered for {}: let it answer with a valid action",
        list(.0)
    )]
    BrokenOpponents(Vec<Seat>),
    /// Something else stepped the episode.
    #[error(
        "`{episode_id}` was stepped by something else at tick {tick}: nothing else may step it meanwhile"
    )]
    Conflict {
        /// Which episode.
        episode_id: EpisodeId,
        /// The tick that was expected.
        tick: u64,
    },
    /// What was asked for cannot be done; says why.
    #[error("{0}")]
    Refused(String),
    /// The server's answer does not fit the question.
    #[error("{0}")]
    Answer(String),
}

impl Error {
    /// The API's code, where it is a refusal that has one.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Api(error) | Self::Exhausted { source: error, .. } => error.code(),
            Self::Conflict { .. } => Some("STEP_CONFLICT"),
            _ => None,
        }
    }
}

fn list(seats: &[Seat]) -> String {
    seats.iter().map(|seat| format!("`{seat}`")).collect::<Vec<_>>().join(", ")
}
