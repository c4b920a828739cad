//! Exports. The arena keeps no submissions yet, so those of submissions are complete and empty at once.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use serde_json::json;

use super::Answer;
use crate::arena::error::ArenaError;
use crate::arena::guard::Caller;
use crate::arena::page::{PageRequest, page};
use crate::arena::reply::Reply;
use crate::arena::request::Fields;
use crate::arena::store::exports::{self, Export};
use crate::arena::{Arena, catalogue, secret};

/// What can be exported. All of it belongs to submissions, of which there are none.
const TYPES: [&str; 2] = ["submissions", "agentic_branches"];

/// `POST /exports`.
pub(super) async fn create(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let mut fields = Fields::from_body(&headers, &body)?;
    let export_type = fields.word("export_type", &TYPES)?;
    let export_type = export_type.ok_or_else(|| ArenaError::invalid("export_type", "is required"))?;
    let format = fields.word("format", &["json", "parquet"])?.unwrap_or("json");
    let game_slug = fields.text("game_slug")?;
    if let Some(slug) = game_slug.as_deref().filter(|slug| catalogue::find(arena.games(), slug).is_none()) {
        return Err(ArenaError::not_found(format!("there is no game `{slug}`")));
    }
    let request = json!({
        "game_slug": game_slug,
        "tags": fields.texts("tags")?,
        "min_percentile": fields.number("min_percentile", 0.0..=1.0)?,
        "max_records": fields.whole("max_records", 1..=1_000_000)?,
        "branch_modes": fields.texts("branch_modes")?,
    });
    let dry_run = fields.flag("dry_run")?.unwrap_or(false);
    fields.finish()?;
    if dry_run {
        return Ok(Reply::ok(json!({ "estimated_credits": 0, "record_count": 0 })));
    }
    let job_id = secret::id("x_");
    let id = job_id.clone();
    arena
        .store()
        .write(move |connection| {
            exports::add_empty(
                connection,
                &account_id,
                (&id, export_type, format),
                &request,
                Timestamp::now(),
            )
        })
        .await?;
    Ok(Reply(StatusCode::ACCEPTED, json!({ "job_id": job_id })))
}

/// `GET /exports`.
pub(super) async fn list(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    RawQuery(query): RawQuery,
) -> Answer {
    let mut query = Fields::from_query(query.as_deref())?;
    let request = PageRequest::take(&mut query)?;
    query.finish()?;
    let after = request.after_numbers::<1>()?.map(|[seq]| seq);
    let limit = request.limit + 1;
    let rows =
        arena.store().read(move |connection| exports::list(connection, &account_id, after, limit)).await?;
    Ok(Reply::ok(page("exports", &request, rows, |row| row.seq.to_string(), |row| row.json())))
}

/// `GET /exports/{id}`.
pub(super) async fn get(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(job_id): Path<String>,
) -> Answer {
    Ok(Reply::ok(json!({ "export": find(&arena, account_id, job_id).await?.json() })))
}

/// `GET /exports/{id}/download`: the empty form.
pub(super) async fn download(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(job_id): Path<String>,
) -> Answer {
    let export = find(&arena, account_id, job_id).await?;
    let message = format!("nothing to export: the arena has no {}", export.export_type);
    Ok(Reply::ok(json!({ "record_count": export.rows, "message": message })))
}

async fn find(arena: &Arena, account_id: String, job_id: String) -> Result<Export, ArenaError> {
    let id = job_id.clone();
    let export = arena.store().read(move |connection| exports::get(connection, &account_id, &id)).await?;
    export.ok_or_else(|| ArenaError::not_found(format!("there is no job `{job_id}`")))
}
