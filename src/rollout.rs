//! The SDK's client-side algorithms on top of [`api`](crate::api): what a model is shown and how its answer is read,
//! episodes from reset to end, batched stepping, scoring of actions, transcripts of generated code.
//!
//! The algorithms without traffic give the same bytes as the official Python SDK 3.4.0; `tests/sdk` compares the two
//! input by input. Start with [`format_observation`] and [`parse_action`].

mod encode;
mod json;
mod keys;
mod parse;
mod prompt;
mod python;
mod stats;
mod transcript;

pub use self::encode::encode;
pub use self::json::JsonError;
pub use self::keys::{CandidateError, canonical_action, distinct_actions};
pub use self::parse::{ParsedAction, parse_action};
pub use self::prompt::{
    DECISION_INSTRUCTIONS, DECISION_INSTRUCTIONS_3_0, Observation, PROMPT_SUFFIX, PROMPT_SUFFIX_3_0,
    format_observation, system_prompt,
};
pub use self::stats::{Percentiles, ScoreStats, percentile, score_stats};
pub use self::transcript::{Decision, Message, ModelRequest, Role, TranscriptError, reconstruct_messages};
