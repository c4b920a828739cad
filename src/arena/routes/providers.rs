//! Providers, listed. They are registered with `gert arena provider add`, not over the wire: an API key may only list them.

use axum::extract::State;

use super::Answer;
use crate::arena::Arena;
use crate::arena::providers;
use crate::arena::reply::Reply;
use crate::arena::store::providers as rows;

/// `GET /org/providers`: a bare list.
pub(super) async fn list(State(arena): State<Arena>) -> Answer {
    let endpoints = arena.store().read(rows::list).await?;
    Ok(Reply::ok(providers::list(arena.games(), &endpoints)))
}
