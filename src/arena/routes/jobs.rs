//! Jobs, polled, and the decisions of those that branched.

use axum::Extension;
use axum::extract::{Path, State};
use serde_json::json;

use super::Answer;
use crate::arena::Arena;
use crate::arena::error::ArenaError;
use crate::arena::generation;
use crate::arena::generation::plan::Plan;
use crate::arena::guard::Caller;
use crate::arena::jobs::Kind;
use crate::arena::reply::Reply;
use crate::arena::store::generations;
use crate::arena::store::jobs::{self, JobRow};

/// `GET /jobs/{id}`.
pub(super) async fn get(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(job_id): Path<String>,
) -> Answer {
    Ok(Reply::ok(json!({ "job": find(&arena, account_id, job_id).await?.json() })))
}

/// `GET /jobs/{id}/branch-scores`. Points come as they are decided.
pub(super) async fn branch_scores(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(job_id): Path<String>,
) -> Answer {
    let job = find(&arena, account_id, job_id.clone()).await?;
    let plan =
        (job.kind == Kind::Generation).then(|| serde_json::from_value::<Plan>(job.request).ok()).flatten();
    let plan = plan.ok_or_else(|| ArenaError::not_found(format!("the job `{job_id}` generates nothing")))?;
    let id = job_id.clone();
    let points = arena.store().read(move |connection| generations::points(connection, &id)).await?;
    Ok(Reply::ok(generation::branch_scores(&job_id, &plan, &points)))
}

async fn find(arena: &Arena, account_id: String, job_id: String) -> Result<JobRow, ArenaError> {
    let id = job_id.clone();
    let job = arena.store().read(move |connection| jobs::get(connection, &account_id, &id)).await?;
    job.ok_or_else(|| ArenaError::not_found(format!("there is no job `{job_id}`")))
}
