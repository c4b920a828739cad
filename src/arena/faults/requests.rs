//! The layer that makes requests go wrong.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt as _;
use futures_util::stream;
use serde_json::{Map, Value, json};

use super::script::{Cut, RequestFault};
use crate::arena::reply::request_id;
use crate::arena::{Arena, BASE_PATH, legacy};

/// How much of an answer is sent before it is cut in the middle.
const HALF: usize = 24;

/// Does what the script says of this request.
pub async fn faults_on_demand(State(arena): State<Arena>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let path = [legacy::BASE_PATH, BASE_PATH].iter().find_map(|base| path.strip_prefix(base)).unwrap_or(path);
    let fault = arena.faults().of_request(request.method().as_str(), path).cloned();
    let Some(fault) = fault else { return next.run(request).await };
    tokio::time::sleep(Duration::from_millis(fault.latency_ms)).await;
    match fault.cut {
        Some(Cut::Before) => cut(None),
        Some(Cut::After) => {
            drop(next.run(request).await);
            cut(None)
        }
        Some(Cut::Middle) => cut(Some(next.run(request).await)),
        None => match answer(&fault) {
            Some(answer) => answer,
            None => next.run(request).await,
        },
    }
}

/// The answer that the script has, if it has one.
fn answer(fault: &RequestFault) -> Option<Response> {
    let status = fault.status.and_then(|status| StatusCode::from_u16(status).ok());
    let mut response = match (&fault.body, status) {
        (Some(body), status) => (status.unwrap_or(StatusCode::OK), body.clone()).into_response(),
        (None, Some(status)) => (status, Json(envelope(fault))).into_response(),
        (None, None) => return None,
    };
    // So that the layers around us take it for an answer and leave it as it is.
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(seconds) = fault.retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    Some(response)
}

fn envelope(fault: &RequestFault) -> Value {
    let message = fault.message.as_deref().unwrap_or("a fault on demand");
    let mut error = json!({ "message": message });
    if let Some(code) = &fault.code {
        error["code"] = Value::from(code.as_str());
    }
    let mut body = Map::new();
    body.insert("error".to_owned(), error);
    body.insert("request_id".to_owned(), Value::from(request_id()));
    body.extend(fault.members.clone());
    Value::Object(body)
}

/// A body that breaks: at once, so that the connection closes without an answer, or after some of it.
fn cut(response: Option<Response>) -> Response {
    let broken = || stream::once(async { Err(io::Error::from(io::ErrorKind::ConnectionAborted)) });
    let Some(response) = response else { return Response::new(Body::from_stream(broken().map(nothing))) };
    let (parts, body) = response.into_parts();
    let some = stream::once(async move {
        let whole = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
        Ok::<Bytes, io::Error>(whole.slice(..whole.len().min(HALF) / 2))
    });
    // Given time to leave before the connection breaks.
    let pause = stream::once(async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        Err(io::Error::from(io::ErrorKind::ConnectionAborted))
    });
    Response::from_parts(parts, Body::from_stream(some.chain(pause)))
}

fn nothing(error: Result<Infallible, io::Error>) -> Result<Bytes, io::Error> {
    error.map(|never| match never {})
}
