//! The jobs that a build starts, and finds again when it is taken up again: each is linked to it, and says in its request
//! which part of the build it is.

use super::plan::{Build, Unit};
use crate::arena::catalogue;
use crate::arena::error::ArenaError;
use crate::arena::evaluation::{self, Plan};
use crate::arena::exports::{self, Ask};
use crate::arena::generation::request::{self, Link};
use crate::arena::jobs::{Job, Kind, Status};
use crate::arena::providers::Author;
use crate::arena::store::StoreError;
use crate::arena::store::jobs::{self, JobRow};

/// Has a submission written and evaluated; gives its id. The error says why there is none.
///
/// # Errors
/// Too few credits, or the generation or the evaluation failed.
pub(super) async fn submission(
    job: &Job,
    build: &Build,
    unit: &Unit,
    match_count: u32,
) -> Result<String, ArenaError> {
    let Some(plan) = build.generation(unit) else {
        return Err(ArenaError::conflict("this build writes no submissions"));
    };
    // The seed is the part's alone, and stays when the build is taken up again.
    let seed = plan.seed;
    let is_part = |row: &JobRow| row.kind == Kind::Generation && row.request["seed"].as_u64() == Some(seed);
    let kept = children(job).await?.into_iter().find(|row| is_part(row) && row.status != Status::Cancelled);
    let generated = if let Some(row) = kept {
        row.job_id
    } else {
        let game = catalogue::find(job.arena.games(), &unit.game)
            .ok_or_else(|| ArenaError::not_found(format!("this arena does not play `{}`", unit.game)))?;
        let author = Author::find(job.arena.store(), &plan.provider_id).await?;
        let link = Link { parent_id: Some(job.row.job_id.clone()), callback_url: None };
        let ordered = request::order(&job.arena, &job.row.account_id, &author, game, plan, link).await?;
        ordered.job_id
    };
    let generated = ended(job, &generated).await?;
    let submission_id = generated.request["submission_id"].as_str().unwrap_or_default().to_owned();
    evaluate(job, &submission_id, match_count, seed).await?;
    Ok(submission_id)
}

async fn evaluate(job: &Job, submission_id: &str, match_count: u32, seed: u64) -> Result<(), ArenaError> {
    let is_part = |row: &JobRow| {
        row.kind == Kind::Evaluation && row.request["submission_id"].as_str() == Some(submission_id)
    };
    let kept = children(job).await?.into_iter().find(|row| is_part(row) && row.status != Status::Cancelled);
    let evaluated = if let Some(row) = kept {
        row.job_id
    } else {
        let plan = Plan { seed, parent_id: Some(job.row.job_id.clone()), ..Plan::new(match_count) };
        evaluation::start(&job.arena, &job.row.account_id, submission_id, plan).await?.job_id
    };
    ended(job, &evaluated).await.map(|_| ())
}

/// Starts an export, or finds the one that was started.
///
/// # Errors
/// Too few credits.
pub(super) async fn export(job: &Job, ask: &Ask) -> Result<String, ArenaError> {
    let kind = ask.export_type.as_str();
    let is_part =
        |row: &JobRow| row.kind == Kind::Export && row.request["export_type"].as_str() == Some(kind);
    let kept = children(job).await?.into_iter().find(|row| is_part(row) && row.status != Status::Cancelled);
    match kept {
        Some(row) => Ok(row.job_id),
        None => exports::start(&job.arena, &job.row.account_id, ask, Some(job.row.job_id.clone())).await,
    }
}

/// Ends the children that have not ended.
///
/// # Errors
/// The database failed.
pub(super) async fn cancel(job: &Job) -> Result<(), ArenaError> {
    for row in children(job).await?.iter().filter(|row| !row.status.is_terminal()) {
        job.arena.jobs().cancel(&row.job_id);
    }
    Ok(())
}

async fn children(job: &Job) -> Result<Vec<JobRow>, ArenaError> {
    let id = job.row.job_id.clone();
    Ok(job.arena.store().read(move |connection| jobs::children(connection, &id)).await?)
}

/// Waits for a child to complete.
///
/// # Errors
/// It did not, or the build is to end.
async fn ended(job: &Job, job_id: &str) -> Result<JobRow, ArenaError> {
    tokio::select! {
        () = job.arena.jobs().ended(job_id) => {}
        () = job.stop.cancelled() => return Err(ArenaError::conflict("the build is to end")),
    }
    let id = job_id.to_owned();
    let find = move |connection: &_| -> Result<_, StoreError> { jobs::any(connection, &id) };
    let row = job.arena.store().read(find).await?;
    let row = row.ok_or_else(|| ArenaError::not_found(format!("the job `{job_id}` is gone")))?;
    match row.status {
        Status::Completed => Ok(row),
        status => {
            let why = row.error.as_deref().unwrap_or("without a reason");
            Err(ArenaError::conflict(format!("the {} {}: {why}", row.kind.as_str(), status.as_str())))
        }
    }
}
