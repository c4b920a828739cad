//! The success envelope, and the request id that both envelopes carry.

use axum::Json;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::Serialize;
use serde_json::json;

use super::secret;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

tokio::task_local! {
    static CURRENT: String;
}

/// A success: `data` of the envelope.
#[derive(Debug)]
pub struct Reply<T>(pub StatusCode, pub T);

impl<T> Reply<T> {
    /// Answers 200.
    pub fn ok(data: T) -> Self {
        Self(StatusCode::OK, data)
    }
}

impl<T: Serialize> IntoResponse for Reply<T> {
    fn into_response(self) -> Response {
        let body = json!({ "data": self.1, "meta": { "request_id": request_id() } });
        (self.0, Json(body)).into_response()
    }
}

/// A success whose `data` is JSON text already, so that what is large is written once.
#[derive(Debug)]
pub struct RawReply(pub StatusCode, pub Bytes);

impl IntoResponse for RawReply {
    fn into_response(self) -> Response {
        let Self(status, data) = self;
        let request_id = request_id();
        let mut body = Vec::with_capacity(data.len() + request_id.len() + 40);
        body.extend_from_slice(b"{\"data\":");
        body.extend_from_slice(&data);
        // Our own ids need no escaping.
        body.extend_from_slice(format!(",\"meta\":{{\"request_id\":\"{request_id}\"}}}}").as_bytes());
        (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
    }
}

/// The id of the request that this task answers; empty outside of one.
pub fn request_id() -> String {
    CURRENT.try_with(Clone::clone).unwrap_or_default()
}

/// Gives every request an id, in the envelope and in a header.
pub async fn with_request_id(request: Request, next: Next) -> Response {
    let id = secret::id("req_");
    let mut response = CURRENT.scope(id.clone(), next.run(request)).await;
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}
