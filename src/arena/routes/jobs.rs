//! Jobs, polled.

use axum::Extension;
use axum::extract::{Path, State};
use serde_json::json;

use super::Answer;
use crate::arena::Arena;
use crate::arena::error::ArenaError;
use crate::arena::guard::Caller;
use crate::arena::reply::Reply;
use crate::arena::store::jobs;

/// `GET /jobs/{id}`.
pub(super) async fn get(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(job_id): Path<String>,
) -> Answer {
    let id = job_id.clone();
    let job = arena.store().read(move |connection| jobs::get(connection, &account_id, &id)).await?;
    let job = job.ok_or_else(|| ArenaError::not_found(format!("there is no job `{job_id}`")))?;
    Ok(Reply::ok(json!({ "job": job.json() })))
}
