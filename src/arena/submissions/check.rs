//! Checks: whether a new submission can play at all.

use crate::arena::error::ArenaError;
use crate::arena::jobs::{Broken, Done, Job};

/// Does the job.
///
/// # Errors
/// Why it ended otherwise than well.
pub async fn run(job: &Job) -> Result<Done, Broken> {
    Err(ArenaError::internal(format!("`{}`: the arena has no checks yet", job.row.job_id)).into())
}
