//! Generation: a provider writes a submission.

use super::error::ArenaError;
use super::jobs::{Broken, Done, Job};

/// Does the job.
///
/// # Errors
/// Why it ended otherwise than well.
pub async fn run(job: &Job) -> Result<Done, Broken> {
    Err(ArenaError::internal(format!("`{}`: the arena has no generation yet", job.row.job_id)).into())
}
