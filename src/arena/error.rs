//! The one error of the routes. It tells the client little and the log the rest.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

use super::reply::request_id;
use super::store::StoreError;

/// A refused or failed request.
#[derive(Debug, thiserror::Error)]
#[error("{code}: {message}")]
pub struct ArenaError {
    status: StatusCode,
    code: &'static str,
    message: String,
    /// A member beside the error, where the wire has one. Boxed, since next to none has it.
    beside: Option<Box<(&'static str, Value)>>,
    /// For the log only.
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl ArenaError {
    /// Any refusal.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), beside: None, source: None }
    }

    /// A request that does not say what it must; `field` is named first.
    pub fn invalid(field: &str, problem: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "VALIDATION_ERROR", format!("`{field}` {problem}"))
    }

    /// A request whose body cannot be read at all.
    pub fn malformed(problem: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "VALIDATION_ERROR", problem)
    }

    /// No or unknown credentials.
    pub fn unauthenticated(problem: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", problem)
    }

    /// Known, but not allowed.
    pub fn forbidden(problem: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "FORBIDDEN", problem)
    }

    /// No such thing, or not for this caller.
    pub fn not_found(what: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "NOT_FOUND", what)
    }

    /// The thing is in no state for that.
    pub fn conflict(problem: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "CONFLICT", problem)
    }

    /// Our own fault.
    pub fn internal(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let message = "the arena failed to answer: see its log";
        Self {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            code: "INTERNAL_ERROR",
            message: message.to_owned(),
            beside: None,
            source: Some(source.into()),
        }
    }

    /// With a member beside the error in the envelope.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.beside = Some(Box::new((name, value.into())));
        self
    }

    /// The code of the envelope.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The message of the envelope.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl From<StoreError> for ArenaError {
    fn from(error: StoreError) -> Self {
        match error {
            // Sent before anything was written, so a client may repeat the request.
            StoreError::Busy => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "SERVICE_BUSY",
                "the arena's database is locked by another program: try again",
            ),
            StoreError::Closed => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "SERVER_DRAINING", "the arena is shutting down")
            }
            StoreError::Short { need, have } => Self::new(
                StatusCode::PAYMENT_REQUIRED,
                "INSUFFICIENT_CREDITS",
                format!("this reserves {need} credits and {have} are free"),
            ),
            StoreError::DailyLimit { need, used, limit } => Self::new(
                StatusCode::PAYMENT_REQUIRED,
                "DAILY_LIMIT_EXCEEDED",
                format!(
                    "this reserves {need} credits, {used} of the {limit} a day are used or promised: wait until midnight UTC"
                ),
            ),
            StoreError::Settled => {
                Self::new(StatusCode::CONFLICT, "RUN_CLOSED", "the run was closed in the meantime")
            }
            error @ StoreError::Full(..) => {
                let message = format!("{error}: delete some first");
                Self::new(StatusCode::TOO_MANY_REQUESTS, "QUOTA_EXCEEDED", message)
            }
            StoreError::Taken(what) => Self::conflict(format!("{what} is taken")),
            error @ StoreError::Sql(_) => Self::internal(error),
        }
    }
}

impl IntoResponse for ArenaError {
    fn into_response(self) -> Response {
        if let Some(source) = &self.source {
            tracing::error!(request_id = request_id(), error = source, "request failed");
        }
        let mut body = Map::new();
        body.insert("error".to_owned(), json!({ "code": self.code, "message": self.message }));
        body.extend(self.beside.map(|beside| (beside.0.to_owned(), beside.1)));
        body.insert("request_id".to_owned(), Value::from(request_id()));
        (self.status, Json(Value::Object(body))).into_response()
    }
}
