//! Rollout runs: what is beside the driving of episodes.

pub mod curriculum;
pub mod op_keys;
pub mod scoring;
