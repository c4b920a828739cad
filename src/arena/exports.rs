//! Exports: what the arena knows of submissions and matches, as files.

use super::error::ArenaError;
use super::jobs::{Broken, Done, Job};

/// Does the job.
///
/// # Errors
/// Why it ended otherwise than well.
pub async fn run(job: &Job) -> Result<Done, Broken> {
    Err(ArenaError::internal(format!("`{}`: the arena has no exports yet", job.row.job_id)).into())
}
