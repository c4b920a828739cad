//! Games and tags.

use axum::extract::{Path, RawQuery, State};

use super::Answer;
use crate::arena::engine::Game;
use crate::arena::error::ArenaError;
use crate::arena::page::{PageRequest, page};
use crate::arena::reply::Reply;
use crate::arena::request::Fields;
use crate::arena::{Arena, catalogue, games};

/// `GET /games`.
pub(super) async fn list(State(arena): State<Arena>, RawQuery(query): RawQuery) -> Answer {
    let mut query = Fields::from_query(query.as_deref())?;
    let request = PageRequest::take(&mut query)?;
    let mut tags = query.texts("tags")?.unwrap_or_default();
    tags.extend(query.text("tag")?);
    query.finish()?;
    let after = request.after_numbers::<1>()?.map_or(0, |[last]| last.max(-1) + 1);
    let rows: Vec<(usize, &dyn Game)> = catalogue::with_tags(arena.games(), &tags)
        .enumerate()
        .skip(after as usize)
        .take(request.limit + 1)
        .collect();
    Ok(Reply::ok(page("games", &request, rows, |(nth, _)| nth.to_string(), |(_, game)| catalogue::row(game))))
}

/// `GET /games/{slug}`.
pub(super) async fn get(State(arena): State<Arena>, Path(slug): Path<String>) -> Answer {
    let game = catalogue::find(arena.games(), &slug);
    let game = game.ok_or_else(|| ArenaError::not_found(format!("there is no game `{slug}`")))?;
    Ok(Reply::ok(catalogue::record(game)))
}

/// `GET /tags`.
pub(super) async fn tags(State(arena): State<Arena>, RawQuery(query): RawQuery) -> Answer {
    let mut query = Fields::from_query(query.as_deref())?;
    let active = query.flag("active")?.unwrap_or(false);
    query.finish()?;
    Ok(Reply::ok(catalogue::tags(arena.games(), games::TAXONOMY, active)))
}
