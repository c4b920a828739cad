//! Sessions as accounts see them.

use axum::Extension;
use axum::extract::{Path, RawQuery, State};
use serde_json::json;

use super::Answer;
use crate::arena::Arena;
use crate::arena::error::ArenaError;
use crate::arena::guard::Caller;
use crate::arena::page::{PageRequest, page};
use crate::arena::record::{SessionRecord, Status};
use crate::arena::reply::Reply;
use crate::arena::request::Fields;
use crate::arena::store::sessions::{self, SessionFilter};

/// Log rows in one answer: the SDK does not turn pages here.
const LOG_ROWS: usize = 1000;

/// `GET /sessions`: those the account pays for or sits in, and the live ones of others that anybody may watch, newest
/// first.
pub(super) async fn list(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    RawQuery(query): RawQuery,
) -> Answer {
    let mut query = Fields::from_query(query.as_deref())?;
    let request = PageRequest::take(&mut query)?;
    let status = query.word("status", &Status::ALL.map(Status::as_str))?.map(Status::from_word);
    let filter = SessionFilter { game: query.text("game")?, status };
    query.finish()?;
    let (after, limit) = (request.after_numbers::<2>()?, request.limit + 1);
    let account = account_id.clone();
    let rows = arena
        .store()
        .read(move |connection| sessions::list(connection, &account, &filter, after, limit))
        .await?;
    let key = |row: &SessionRecord| format!("{}.{}", row.created_at.as_millisecond(), row.seq);
    let json = |row: SessionRecord| newest(&arena, row).json(&account_id);
    Ok(Reply::ok(page("sessions", &request, rows, key, json)))
}

/// `GET /sessions/{id}`.
pub(super) async fn get(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(session_id): Path<String>,
) -> Answer {
    Ok(Reply::ok(visible(&arena, &account_id, &session_id).await?.json(&account_id)))
}

/// `GET /sessions/{id}/logs`: what was played and what else happened, in order.
pub(super) async fn logs(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(session_id): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    let mut query = Fields::from_query(query.as_deref())?;
    let request = PageRequest::take_up_to(&mut query, LOG_ROWS)?;
    query.finish()?;
    let record = visible(&arena, &account_id, &session_id).await?;
    if !record.status.is_terminal() && !record.belongs_to(&account_id) {
        // They would tell a player what the others hide.
        return Err(ArenaError::forbidden("the logs of others are open when the session has ended"));
    }
    let (after, limit) = (request.after_numbers::<2>()?, request.limit + 1);
    let rows =
        arena.store().read(move |connection| sessions::story(connection, &session_id, after, limit)).await?;
    Ok(Reply::ok(page("logs", &request, rows, sessions::Told::key, sessions::Told::json)))
}

/// `DELETE /sessions/{id}`: ends a live session; deletes one that has ended.
pub(super) async fn delete(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(session_id): Path<String>,
) -> Answer {
    let record = visible(&arena, &account_id, &session_id).await?;
    if record.account_id != account_id {
        return Err(ArenaError::forbidden("only the account that pays for a session may end or delete it"));
    }
    if !record.status.is_terminal()
        && let Some(live) = arena.host().find(&session_id)
    {
        live.cancel().await;
        return Ok(Reply::ok(json!({ "session_id": session_id, "ended": true })));
    }
    let id = session_id.clone();
    if !arena.store().write(move |connection| sessions::delete(connection, &id)).await? {
        return Err(ArenaError::conflict("the session is just ending: try again"));
    }
    arena.host().forget(&session_id);
    Ok(Reply::ok(json!({ "session_id": session_id, "deleted": true })))
}

/// The session, when this account may look at it.
pub(super) async fn visible(
    arena: &Arena,
    account_id: &str,
    session_id: &str,
) -> Result<SessionRecord, ArenaError> {
    let record = if let Some(live) = arena.host().find(session_id) {
        Some(live.record())
    } else {
        let id = session_id.to_owned();
        arena.store().read(move |connection| sessions::get(connection, &id)).await?
    };
    record
        .filter(|record| record.may_watch(account_id))
        .ok_or_else(|| ArenaError::not_found(format!("there is no session `{session_id}`")))
}

/// A row of the database lags behind a live session.
pub(super) fn newest(arena: &Arena, row: SessionRecord) -> SessionRecord {
    arena.host().find(&row.session_id).map_or(row, |live| live.record())
}
