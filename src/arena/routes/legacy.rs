//! The second base path: the same routes, with requests and answers translated for SDK 1.3.0 (`arena::legacy`).

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use super::{BODY_LIMIT, too_large};
use crate::arena::Arena;
use crate::arena::error::ArenaError;
use crate::arena::legacy::{self, Call};
use crate::arena::request::Fields;
use crate::arena::rollouts::run::PlayoutClaim;

/// Serves `routes` under both base paths.
pub(super) fn under_both_paths(routes: Router<Arena>, arena: &Arena) -> Router<Arena> {
    let translated = routes.clone().layer(middleware::from_fn_with_state(arena.clone(), translate));
    Router::new().nest(crate::arena::BASE_PATH, routes).nest(legacy::BASE_PATH, translated)
}

async fn translate(State(arena): State<Arena>, mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(PlayoutClaim::Episodes);
    let Some(call) = Call::of(request.method(), request.uri().path()) else {
        return next.run(request).await;
    };
    match translate_request(call, &arena, request).await {
        Ok(request) => translate_answer(call, next.run(request).await).await,
        Err(error) => error.into_response(),
    }
}

async fn translate_request(call: Call, arena: &Arena, request: Request) -> Result<Request, ArenaError> {
    let (mut head, body) = request.into_parts();
    let body = to_bytes(body, BODY_LIMIT).await.map_err(|_| too_large())?;
    if body.is_empty() {
        return Ok(Request::from_parts(head, body.into()));
    }
    let fields = Fields::from_body(&head.headers, &body)?;
    let body = call.request(fields, arena.games(), rand::random())?;
    head.headers.remove(header::CONTENT_LENGTH);
    Ok(Request::from_parts(head, Body::from(Value::Object(body).to_string())))
}

async fn translate_answer(call: Call, response: Response) -> Response {
    if !is_json(response.headers()) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    // Our own answer: however long it is, it is in memory already.
    let body = match to_bytes(body, usize::MAX).await {
        Ok(body) => body,
        Err(error) => return ArenaError::internal(error).into_response(),
    };
    head.headers.remove(header::CONTENT_LENGTH);
    let body = translate_body(call, head.status, &body).unwrap_or(body);
    Response::from_parts(head, body.into())
}

fn translate_body(call: Call, status: StatusCode, body: &[u8]) -> Option<Bytes> {
    let mut envelope: Value = serde_json::from_slice(body).ok()?;
    if status.is_success() {
        call.answer(envelope.get_mut("data")?);
    } else {
        let code = envelope.pointer_mut("/error/code")?;
        *code = Value::from(legacy::error_code(code.as_str()?));
    }
    Some(envelope.to_string().into())
}

fn is_json(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json")
}
