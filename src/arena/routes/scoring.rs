//! What actions and positions of an episode are worth.

use std::future::Future;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use tokio_util::sync::CancellationToken;

use crate::arena::Arena;
use crate::arena::error::ArenaError;
use crate::arena::guard::Caller;
use crate::arena::reply::RawReply;
use crate::arena::request::Fields;
use crate::arena::rollouts::run::PlayoutClaim;
use crate::arena::rollouts::scoring::knobs::{ActionKnobs, Knobs};

/// `POST /rollout-runs/{run}/episodes/{episode}/score-actions`.
pub(super) async fn score_actions(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    paid_with: Option<Extension<PlayoutClaim>>,
    Path((run_id, episode_id)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<RawReply, ArenaError> {
    let mut fields = Fields::from_body(&headers, &body)?;
    let run = arena.rollouts().run(&account_id, &run_id).await?;
    let knobs = ActionKnobs::take(&mut fields, &body, run.row.ticks_per_episode)?;
    fields.finish()?;
    let (host, paid_with) =
        (arena.rollouts().clone(), paid_with.map_or_else(PlayoutClaim::default, |claim| claim.0));
    let ask = |stop| async move { host.score_actions(&run, &episode_id, knobs, paid_with, stop).await };
    to_the_end(&arena, ask).await
}

/// `POST /rollout-runs/{run}/episodes/{episode}/complete`.
pub(super) async fn complete(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    paid_with: Option<Extension<PlayoutClaim>>,
    Path((run_id, episode_id)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<RawReply, ArenaError> {
    let mut fields = Fields::from_body(&headers, &body)?;
    let run = arena.rollouts().run(&account_id, &run_id).await?;
    let knobs = Knobs::take(&mut fields, "samples", run.row.ticks_per_episode)?;
    fields.finish()?;
    let (host, paid_with) =
        (arena.rollouts().clone(), paid_with.map_or_else(PlayoutClaim::default, |claim| claim.0));
    let ask = |stop| async move { host.complete(&run, &episode_id, knobs, paid_with, stop).await };
    to_the_end(&arena, ask).await
}

/// Runs a call on a task of its own, so that its claim is given back whatever happens. When the client gives up or the
/// arena ends it stops playing: nobody would see what it found.
async fn to_the_end<F>(
    arena: &Arena,
    call: impl FnOnce(CancellationToken) -> F,
) -> Result<RawReply, ArenaError>
where
    F: Future<Output = Result<Bytes, ArenaError>> + Send + 'static,
{
    let stop = arena.closing().child_token();
    let _stop_when_dropped = stop.clone().drop_guard();
    let calling = arena.tasks().spawn(call(stop));
    Ok(RawReply(StatusCode::OK, calling.await.map_err(ArenaError::internal)??))
}
