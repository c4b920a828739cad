//! The SDK's client-side algorithms on top of [`api`](crate::api): what a model is shown and how its answer is
//! read, episodes from reset to end, batched stepping, scoring of actions, transcripts of generated code.
//!
//! The algorithms without traffic give the same bytes as the official Python SDK 3.4.0; `tests/sdk` compares the two
//! input by input. Start with [`format_observation`] and [`parse_action`].
//!
//! What makes calls starts here: [`Run`] is a run that is surely closed, [`run_episode`] plays an episode with a
//! [`Policy`], [`BatchStepper`] many at once, [`Together`] many with a policy each, [`score_actions_on_policy`] compares
//! actions, [`Env`] is an environment with `reset` and `step`.

mod closing;
mod encode;
mod env;
mod episode;
mod error;
mod extend;
mod fork;
mod json;
mod keys;
mod parse;
mod policy;
mod prompt;
mod python;
mod run;
mod score;
mod seats;
mod stats;
mod step;
mod together;
mod transcript;

pub use self::encode::encode;
pub use self::env::{End, Env, EnvOptions, EnvStep};
pub use self::episode::{Step, Trajectory, play_episode, run_episode};
pub use self::error::{BoxError, Error};
pub use self::fork::{fork_batch, fork_batch_within};
pub use self::json::JsonError;
pub use self::keys::{CandidateError, canonical_action, distinct_actions};
pub use self::parse::{ParsedAction, parse_action};
pub use self::policy::{BatchPolicy, NoPolicy, OneByOne, Policy, Turn};
pub use self::prompt::{
    DECISION_INSTRUCTIONS, DECISION_INSTRUCTIONS_3_0, Observation, PROMPT_SUFFIX, PROMPT_SUFFIX_3_0,
    format_observation, system_prompt,
};
pub use self::run::Run;
pub use self::score::score_actions_on_policy;
pub use self::seats::{POLICY_FAILED, TrainedSeat};
pub use self::stats::{Percentiles, ScoreStats, percentile, score_stats};
pub use self::step::{BatchStepper, Stepped, step_batch_with_retry, step_with_retry};
pub use self::together::{Ended, Together};
pub use self::transcript::{Decision, Message, ModelRequest, Role, TranscriptError, reconstruct_messages};
