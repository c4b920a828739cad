//! Exports: asked for, listed, fetched. Their files are in [`files`].

pub(super) mod files;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{MatchedPath, Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use serde_json::json;

use super::Answer;
use crate::arena::error::ArenaError;
use crate::arena::exports::{self, Ask, ExportType, Format, MOST_ROWS};
use crate::arena::guard::Caller;
use crate::arena::jobs::Status;
use crate::arena::page::{PageRequest, page};
use crate::arena::reply::Reply;
use crate::arena::request::Fields;
use crate::arena::store::exports::{self as rows, Export};
use crate::arena::{Arena, catalogue};

/// The words of types, with the one of old for replays.
const TYPES: [&str; 5] = ["submissions", "replays", "agentic_branches", "branch_exploration", "game_replays"];

/// Branch modes that submissions can have.
const MODES: [&str; 3] = ["none", "measure", "best_of_n"];

/// `POST /exports`.
pub(super) async fn create(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let mut fields = Fields::from_body(&headers, &body)?;
    let ask = read(&mut fields)?;
    let dry_run = fields.flag("dry_run")?.unwrap_or(false);
    fields.finish()?;
    ask.check(arena.games())?;
    if dry_run {
        let (found, price) = exports::estimate(&arena, &account_id, &ask).await?;
        return Ok(Reply::ok(json!({ "estimated_credits": price, "record_count": found.rows })));
    }
    let job_id = exports::start(&arena, &account_id, &ask, None).await?;
    Ok(Reply(StatusCode::ACCEPTED, json!({ "job_id": job_id })))
}

fn read(fields: &mut Fields) -> Result<Ask, ArenaError> {
    let export_type = read_type(fields)?.ok_or_else(|| ArenaError::invalid("export_type", "is required"))?;
    let format = match fields.word("format", &["json", "parquet"])? {
        Some("parquet") => Format::Parquet,
        _ => Format::Json,
    };
    let branch_modes = fields.texts("branch_modes")?;
    if branch_modes.iter().flatten().any(|mode| !MODES.contains(&mode.as_str())) {
        let problem = format_args!("must be a list of `{}`", MODES.join("`, `"));
        return Err(ArenaError::invalid("branch_modes", problem));
    }
    Ok(Ask {
        game_slug: fields.text("game_slug")?,
        tags: fields.texts("tags")?,
        min_percentile: fields.number("min_percentile", 0.0..=1.0)?,
        max_records: fields.whole("max_records", 1..=MOST_ROWS)?,
        branch_modes,
        ..Ask::all(export_type, format)
    })
}

fn read_type(fields: &mut Fields) -> Result<Option<ExportType>, ArenaError> {
    Ok(fields.word("export_type", &TYPES)?.and_then(ExportType::from_word))
}

/// `POST /exports/reset-tracking`: its filters are in the query.
pub(super) async fn reset_tracking(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    RawQuery(query): RawQuery,
) -> Answer {
    let mut query = Fields::from_query(query.as_deref())?;
    let export_type = read_type(&mut query)?;
    let (slug, tags) = (query.text("game_slug")?, query.texts("tags")?);
    query.finish()?;
    if let Some(slug) = slug.as_deref().filter(|slug| catalogue::find(arena.games(), slug).is_none()) {
        return Err(ArenaError::not_found(format!("there is no game `{slug}`")));
    }
    let games = exports::named_games(arena.games(), slug.as_deref(), tags.as_deref());
    let reset = move |connection: &_| rows::reset(connection, &account_id, export_type, games.as_deref());
    Ok(Reply::ok(json!({ "reset_count": arena.store().write(reset).await? })))
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
    let found =
        arena.store().read(move |connection| rows::list(connection, &account_id, after, limit)).await?;
    Ok(Reply::ok(page("exports", &request, found, |row| row.seq.to_string(), |row| row.json())))
}

/// `GET /exports/{id}`.
pub(super) async fn get(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(job_id): Path<String>,
) -> Answer {
    Ok(Reply::ok(json!({ "export": find(&arena, account_id, job_id).await?.json() })))
}

/// `GET /exports/{id}/download`: the addresses of its files, each good for a while.
pub(super) async fn download(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(job_id): Path<String>,
    route: MatchedPath,
    headers: HeaderMap,
) -> Answer {
    let export = find(&arena, account_id, job_id).await?;
    match export.status {
        Status::Completed => {}
        Status::Failed | Status::Cancelled => {
            let status = export.status.as_str();
            let why = export.error.map(|error| format!(": {error}")).unwrap_or_default();
            return Err(ArenaError::conflict(format!("this export is {status} and has no files{why}")));
        }
        Status::Queued | Status::Running => {
            return Err(ArenaError::conflict("this export is not complete yet: wait for its job"));
        }
    }
    if export.expires_at.is_some_and(|at| at <= Timestamp::now().as_millisecond()) {
        return Err(gone());
    }
    let id = export.job_id.clone();
    let read = move |connection: &_| Ok((rows::files(connection, &id)?, rows::signing_key(connection)?));
    let (made, key) = arena.store().read(read).await?;
    let addresses = files::Addresses::new(&arena, &headers, &route, &export.job_id, key)?;
    Ok(Reply::ok(match &made[..] {
        [] => {
            let message = export.result.as_ref().and_then(|result| result["message"].as_str());
            json!({ "record_count": 0, "message": message.unwrap_or("nothing to export") })
        }
        [file] => addresses.json(file),
        many => json!({
            "chunked": true,
            "chunk_count": many.len(),
            "chunks": many.iter().map(|file| addresses.json(file)).collect::<Vec<_>>(),
            "record_count": export.rows,
        }),
    }))
}

async fn find(arena: &Arena, account_id: String, job_id: String) -> Result<Export, ArenaError> {
    let id = job_id.clone();
    let export = arena.store().read(move |connection| rows::get(connection, &account_id, &id)).await?;
    export.ok_or_else(|| ArenaError::not_found(format!("there is no export `{job_id}`")))
}

/// Files that have expired.
fn gone() -> ArenaError {
    ArenaError::new(
        StatusCode::GONE,
        "EXPORT_EXPIRED",
        "the files of this export have expired: reset the tracking (`POST /exports/reset-tracking`) and export again",
    )
}
