//! The routes, and what surrounds them. Outside in: request id, faults on demand, errors as
//! envelopes, host and origin, key, handler.

mod account;
mod branches;
mod builds;
mod exports;
mod games;
mod jobs;
mod legacy;
mod play;
mod providers;
mod rollouts;
mod scoring;
mod sessions;
mod sockets;
mod submissions;
mod tasks;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use super::error::ArenaError;
use super::faults::requests::faults_on_demand;
use super::reply::{Reply, with_request_id};
use super::{Arena, guard};

/// The largest body: a request is settings or one action.
const BODY_LIMIT: usize = 256 * 1024;

/// The largest batch of steps, as many as are allowed, each with the actions of all seats; the largest program; and the most
/// replies to tasks.
const BATCH_LIMIT: usize = 4 * 1024 * 1024;

/// See [`super::router`].
pub(super) fn router(arena: Arena) -> Router {
    let with_key = Router::new()
        .route("/auth/balance", get(account::balance))
        .route("/auth/usage", get(account::usage))
        .route("/tags", get(games::tags))
        .route("/games", get(games::list))
        .route("/games/{slug}", get(games::get))
        .route("/sessions", get(sessions::list))
        .route("/sessions/{session_id}", get(sessions::get).delete(sessions::delete))
        .route("/sessions/{session_id}/logs", get(sessions::logs))
        .route("/sessions/{session_id}/branches", get(branches::tree))
        .route("/sessions/{session_id}/branch-scores", get(branches::scores::get))
        .route("/org/providers", get(providers::list))
        .route("/play", post(play::create))
        .route("/play/{session_id}/branch", post(branches::create))
        .route("/play/{session_id}/join", post(play::join))
        .route("/spectate/{session_id}", get(sockets::spectate))
        .route("/exports", get(exports::list).post(exports::create))
        .route("/exports/reset-tracking", post(exports::reset_tracking))
        .route("/exports/{job_id}", get(exports::get))
        .route("/exports/{job_id}/download", get(exports::download))
        .route("/jobs/{job_id}", get(jobs::get))
        .route("/jobs/{job_id}/branch-scores", get(jobs::branch_scores))
        .route("/dataset-builds", post(builds::create))
        .merge(
            Router::new()
                .route("/submissions", get(submissions::list).post(submissions::create))
                .layer(DefaultBodyLimit::max(BATCH_LIMIT)),
        )
        .route("/submissions/bulk-delete", post(submissions::bulk_delete))
        .route("/submissions/evaluate", post(submissions::batch_evaluate))
        .route("/submissions/{submission_id}", get(submissions::get).delete(submissions::delete))
        .route("/submissions/{submission_id}/evaluate", post(submissions::evaluate))
        .route("/submissions/{submission_id}/evaluations", get(submissions::evaluations))
        .route("/submissions/{submission_id}/evaluations/{eval_run_id}/matches", get(submissions::matches))
        .route("/rollout-runs", get(rollouts::list).post(rollouts::open))
        .route("/rollout-runs/{run_id}/extend", post(rollouts::extend))
        .route("/rollout-runs/{run_id}/close", post(rollouts::close))
        .route("/rollout-runs/{run_id}/episodes", post(rollouts::reset))
        .route("/rollout-runs/{run_id}/episodes/{episode_id}", get(rollouts::probe))
        .route("/rollout-runs/{run_id}/episodes/{episode_id}/step", post(rollouts::step))
        .route("/rollout-runs/{run_id}/episodes/{episode_id}/fork", post(rollouts::fork))
        .route("/rollout-runs/{run_id}/episodes/{episode_id}/forks", post(rollouts::forks))
        .route("/rollout-runs/{run_id}/episodes/{episode_id}/close", post(rollouts::close_episode))
        .route("/rollout-runs/{run_id}/episodes/{episode_id}/score-actions", post(scoring::score_actions))
        .route("/rollout-runs/{run_id}/episodes/{episode_id}/complete", post(scoring::complete))
        .merge(
            Router::new()
                .route("/rollout-runs/{run_id}/steps", post(rollouts::steps))
                .route("/tasks/score", post(tasks::score))
                .layer(DefaultBodyLimit::max(BATCH_LIMIT)),
        )
        .route("/tasks", post(tasks::create))
        .route("/tasks/info", get(tasks::info))
        .route_layer(middleware::from_fn_with_state(arena.clone(), guard::api_key));
    // A player token opens one seat and needs no key beside it.
    let with_token = Router::new()
        .route("/play/{session_id}", get(play::get))
        .route("/play/{session_id}/act", post(play::act))
        .route("/play/{session_id}/leave", post(play::leave))
        .route("/play/{session_id}/ws", get(sockets::play));
    // The address of a file opens it alone.
    let with_signature = Router::new().route("/exports/files/{job_id}/{name}", get(exports::files::fetch));
    let bootstrap = Router::new()
        .route("/auth/register", post(account::register))
        .route("/auth/login", post(account::log_in))
        .route("/auth/api-keys", post(account::mint_key));
    let all =
        legacy::under_both_paths(with_key.merge(with_token).merge(with_signature).merge(bootstrap), &arena)
            .fallback(unknown)
            .method_not_allowed_fallback(wrong_method)
            .layer(DefaultBodyLimit::max(BODY_LIMIT))
            .layer(middleware::from_fn_with_state(arena.clone(), guard::own_host_and_origin))
            .layer(middleware::from_fn(errors_as_envelopes));
    let all = if arena.faults().is_empty() {
        all
    } else {
        all.layer(middleware::from_fn_with_state(arena.clone(), faults_on_demand))
    };
    all.layer(middleware::from_fn(with_request_id)).with_state(arena)
}

async fn unknown(request: Request) -> ArenaError {
    ArenaError::not_found(format!("the arena does not serve `{}` yet", request.uri().path()))
}

async fn wrong_method(request: Request) -> ArenaError {
    let (method, path) = (request.method(), request.uri().path());
    ArenaError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "METHOD_NOT_ALLOWED",
        format!("the arena does not serve {method} on `{path}`"),
    )
}

/// Puts refusals of the framework (a path that is not UTF-8, a body that is too large) into our envelope.
async fn errors_as_envelopes(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let status = response.status();
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        _ if status.is_client_error() => ArenaError::new(
            status,
            "VALIDATION_ERROR",
            format!(
                "the request is malformed: {}",
                status.canonical_reason().unwrap_or("bad request").to_lowercase()
            ),
        ),
        _ => ArenaError::new(status, "INTERNAL_ERROR", "the arena failed to answer: see its log"),
    }
    .into_response()
}

fn too_large() -> ArenaError {
    let message =
        format!("a body may have {BODY_LIMIT} bytes at most; steps, programs and replies {BATCH_LIMIT}");
    ArenaError::new(StatusCode::PAYLOAD_TOO_LARGE, "PAYLOAD_TOO_LARGE", message)
}

/// What most handlers answer.
type Answer = Result<Reply<serde_json::Value>, ArenaError>;
