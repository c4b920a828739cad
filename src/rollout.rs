//! The SDK's client-side algorithms on top of [`api`](crate::api): what a model is shown and how its answer is
//! read, episodes from reset to end, batched stepping, scoring of actions, transcripts of generated code.
//!
//! What makes calls starts here: [`Run`] is a run that is surely closed, [`run_episode`] plays an episode with a
//! [`Policy`], [`BatchStepper`] many at once, [`score_actions_on_policy`] compares actions, [`Env`] is an
//! environment with `reset` and `step`.

mod closing;
mod env;
mod episode;
mod error;
mod extend;
mod fork;
mod policy;
mod run;
mod score;
mod seats;
mod step;

pub use self::env::{End, Env, EnvOptions, EnvStep};
pub use self::episode::{Step, Trajectory, run_episode};
pub use self::error::{BoxError, Error};
pub use self::fork::{fork_batch, fork_batch_within};
pub use self::policy::{BatchPolicy, NoPolicy, OneByOne, Policy, Turn};
pub use self::run::Run;
pub use self::score::score_actions_on_policy;
pub use self::seats::{POLICY_FAILED, TrainedSeat};
pub use self::step::{BatchStepper, Stepped, step_batch_with_retry, step_with_retry};
