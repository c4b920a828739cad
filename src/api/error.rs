//! What can go wrong with a call, sorted by what the caller can do about it.
//!
//! `Display` names the step (`list games failed`), its source says why. Text from the server is cleaned and
//! bounded, keys and tokens are masked before anything is stored.

use std::fmt;
use std::time::Duration;

use http::StatusCode;
use jiff::Timestamp;
use serde_json::Value;

use super::{clean, retry};

/// The largest error body that is parsed and kept.
pub(crate) const MAX_KEPT_BODY: usize = 64 * 1024;

/// A call failed.
#[derive(Debug, Clone, PartialEq)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone, PartialEq)]
struct Inner {
    endpoint: &'static str,
    operation: Option<&'static str>,
    kind: ErrorKind,
    cause: Cause,
    host: String,
    mutating: bool,
    attempts: u32,
    status: Option<StatusCode>,
    code: Option<String>,
    request_id: Option<String>,
    message: Option<String>,
    body: Option<Value>,
    retry_after: Option<String>,
    location: Option<String>,
}

/// What went wrong, by what can be done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// 400, 422: the request is not acceptable.
    Validation,
    /// 401: no key, or a wrong one.
    Authentication,
    /// 402, and two codes at any status: the balance or a daily limit does not cover it.
    InsufficientCredits,
    /// 403: this key may not.
    Permission,
    /// 404: there is no such thing.
    NotFound,
    /// 409: it clashes with what there is.
    Conflict,
    /// 429: too much, for now.
    RateLimit,
    /// 500 and above: the server's fault.
    Server,
    /// Any other refusal, such as 410.
    Api,
    /// No connection was made: nothing was sent.
    Connect,
    /// The server was silent for too long.
    Timeout,
    /// The connection broke before the answer was whole.
    Lost,
    /// The certificate or the TLS handshake was not acceptable.
    Tls,
    /// The proxy could not be reached or refused.
    Proxy,
    /// The answer is not what the API sends.
    Decode,
    /// The answer is over the size limit.
    TooLarge,
    /// The server points elsewhere, and the request does not follow.
    Redirect,
    /// An argument is wrong: nothing was sent.
    Argument,
    /// The profile is read-only: nothing was sent.
    ReadOnly,
    /// One of our own spending caps forbids it: nothing was sent.
    Cap,
    /// A list ended early or left a row out; the rows before and after are good.
    Partial,
    /// The job failed or was cancelled; [`Error::body`] is the job.
    JobFailed,
    /// The job ended in a way that this version does not know; [`Error::body`] is the job.
    JobUnknown,
    /// The job did not end in the time that was given; it goes on.
    JobTimeout,
    /// The server did not tell for too long how far the job is; it may go on.
    WatchLost,
    /// A file could not be written.
    File,
}

/// Why a call failed, in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cause(String);

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Cause {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} failed", self.0.endpoint)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0.cause)
    }
}

impl Error {
    /// An error of our own making: nothing was sent.
    pub fn local(endpoint: &'static str, why: &str) -> Self {
        Step { endpoint, host: "", mutating: false, secrets: &[] }.error(ErrorKind::Argument, why)
    }

    /// An error of any kind, for tests of what is done about it.
    #[cfg(test)]
    pub(crate) fn sample(kind: ErrorKind, mutating: bool, why: &str) -> Self {
        Step { endpoint: "ask the platform", host: "gertlabs.example", mutating, secrets: &[] }
            .error(kind, why)
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Which call: `list games`.
    pub fn endpoint(&self) -> &'static str {
        self.0.endpoint
    }

    /// The SDK's name of the operation, where it is one of the API's known operations: `games.list`.
    pub fn operation(&self) -> Option<&'static str> {
        self.0.operation
    }

    /// Host and port that were asked; empty for local errors.
    pub fn host(&self) -> &str {
        &self.0.host
    }

    /// How often the request was sent.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// The HTTP status, if there was an answer.
    pub fn status(&self) -> Option<u16> {
        self.0.status.map(|status| status.as_u16())
    }

    /// The API's code, such as `RUN_EXHAUSTED`.
    pub fn code(&self) -> Option<&str> {
        self.0.code.as_deref()
    }

    /// The API's name for the request, to quote to its makers.
    pub fn request_id(&self) -> Option<&str> {
        self.0.request_id.as_deref()
    }

    /// The server's own words, cleaned.
    pub fn message(&self) -> Option<&str> {
        self.0.message.as_deref()
    }

    /// The whole parsed body, where there was one of reasonable size: some errors say more in it.
    pub fn body(&self) -> Option<&Value> {
        self.0.body.as_ref()
    }

    /// Where a redirect points, cleaned.
    pub fn location(&self) -> Option<&str> {
        self.0.location.as_deref()
    }

    /// Why, in one line, without the step.
    pub fn why(&self) -> &str {
        &self.0.cause.0
    }

    /// How long the server asks to wait, if it does.
    pub fn retry_after(&self, now: Timestamp) -> Option<Duration> {
        retry::asked_wait(self.0.retry_after.as_deref()?, now)
    }

    /// True when asking again later may work and cannot do harm.
    pub fn is_retryable(&self) -> bool {
        let error = &*self.0;
        match error.kind {
            ErrorKind::Connect | ErrorKind::Proxy => true,
            ErrorKind::Timeout | ErrorKind::Lost => !error.mutating,
            ErrorKind::RateLimit => self.code() != Some("QUOTA_EXCEEDED"),
            ErrorKind::Server => {
                retry::is_generic(error.status, self.code())
                    || (!error.mutating && self.code() != Some("SERVICE_UNAVAILABLE"))
            }
            _ => false,
        }
    }

    /// True when the request may have been carried out although no good answer came.
    pub fn outcome_unknown(&self) -> bool {
        let error = &*self.0;
        error.mutating
            && match error.kind {
                ErrorKind::Timeout | ErrorKind::Lost | ErrorKind::Decode | ErrorKind::TooLarge => true,
                ErrorKind::Server => !retry::is_generic(error.status, self.code()) && !self.is_refusal(),
                _ => false,
            }
    }

    /// True for what a page stream says beside its rows: the stream goes on, or ended early but well.
    pub fn is_notice(&self) -> bool {
        self.0.kind == ErrorKind::Partial
    }

    /// What to do next, if we know.
    pub fn advice(&self) -> Option<&str> {
        if self.outcome_unknown() {
            return Some(after_loss(self.operation()));
        }
        if self.0.endpoint == DOWNLOAD {
            return Some(download_advice(self.0.kind));
        }
        match (self.code(), self.0.kind) {
            (Some("SESSION_LIMIT_EXCEEDED"), _) => Some("end a live session first"),
            (Some("DAILY_LIMIT_EXCEEDED"), _) => Some("wait until tomorrow, or have the daily limit raised"),
            (Some("QUOTA_EXCEEDED"), _) => Some("the quota is used up: waiting a moment does not help"),
            (Some("GAME_AT_CAPACITY"), _) => Some("this game is full: try another one, or later"),
            (Some("SERVICE_UNAVAILABLE"), _) => Some("this service is switched off on the server"),
            (_, ErrorKind::Authentication) => {
                Some("check the key (`GERT_API_KEY`) and that it belongs to this server")
            }
            (_, ErrorKind::InsufficientCredits) => Some("add credits, or ask for fewer ticks or seats"),
            (_, ErrorKind::Permission) => Some("use a key with the scope, organisation and address for this"),
            (_, ErrorKind::RateLimit | ErrorKind::Server) => Some("try again in a moment"),
            (_, ErrorKind::Connect) => Some("check that the server runs and that the base URL is right"),
            (_, ErrorKind::Timeout | ErrorKind::Lost) => Some("check the network, then try again"),
            (_, ErrorKind::Tls) => {
                Some("if your network has its own certificate authority, name its file in `SSL_CERT_FILE`")
            }
            (_, ErrorKind::Proxy) => Some("check `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`"),
            (_, ErrorKind::Decode) => Some("check that the base URL is the API's and not a web page's"),
            (_, ErrorKind::ReadOnly) => Some("use another profile, or set its `read_only` to false"),
            (_, ErrorKind::Cap) => {
                Some("raise the cap under `[spend]` in the configuration if this is meant")
            }
            (_, ErrorKind::Redirect) => Some("if the new address is right, set it as the base URL"),
            (_, ErrorKind::JobTimeout) => Some("the job goes on: wait again, with more time"),
            (_, ErrorKind::WatchLost) => Some("the job may go on: look at it again when the server answers"),
            _ => None,
        }
    }

    /// A 5xx that says in plain words that nothing was started.
    fn is_refusal(&self) -> bool {
        matches!(self.code(), Some("SERVICE_UNAVAILABLE"))
    }

    pub(crate) fn raw_status(&self) -> Option<StatusCode> {
        self.0.status
    }

    pub(crate) fn raw_retry_after(&self) -> Option<&str> {
        self.0.retry_after.as_deref()
    }

    /// Names the operation.
    pub(crate) fn of(mut self, operation: Option<&'static str>) -> Self {
        self.0.operation = operation;
        self
    }

    /// Adds a job: the body, and its own error in the place of a code, as in the SDK.
    pub(crate) fn with_job(mut self, job: Value, code: Option<&str>) -> Self {
        self.0.body = Some(job);
        self.0.code = code.map(|code| clean::line(code, 500));
        self
    }

    pub(crate) fn after(mut self, attempts: u32) -> Self {
        self.0.attempts = attempts;
        self
    }

    pub(crate) fn with_location(mut self, location: Option<String>) -> Self {
        self.0.location = location;
        self
    }

    pub(crate) fn with_status(mut self, status: StatusCode) -> Self {
        self.0.status = Some(status);
        self
    }
}

/// Who failed: what every error of one call has in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step<'a> {
    pub endpoint: &'static str,
    pub host: &'a str,
    pub mutating: bool,
    pub secrets: &'a [&'a str],
}

impl Step<'_> {
    pub(crate) fn error(self, kind: ErrorKind, why: impl Into<String>) -> Error {
        let why = why.into();
        Error(Box::new(Inner {
            endpoint: self.endpoint,
            operation: None,
            kind,
            cause: Cause(clean::line(&clean::redact(&why, self.secrets), 1000)),
            host: self.host.to_owned(),
            mutating: self.mutating,
            attempts: u32::from(!matches!(kind, ErrorKind::Argument | ErrorKind::ReadOnly | ErrorKind::Cap)),
            status: None,
            code: None,
            request_id: None,
            message: None,
            body: None,
            retry_after: None,
            location: None,
        }))
    }

    /// Reads an answer of status 400 or above. Anything may be missing from it.
    pub(crate) fn refused(self, status: StatusCode, retry_after: Option<&str>, body: &[u8]) -> Error {
        let text = String::from_utf8_lossy(body);
        let text = clean::redact(&text, self.secrets);
        let parsed: Option<Value> =
            if text.len() <= MAX_KEPT_BODY { serde_json::from_str(&text).ok() } else { None };
        let detail = parsed.as_ref().and_then(|body| body.get("error")).filter(|error| error.is_object());
        let member = |name| detail.and_then(|detail| detail.get(name)).and_then(Value::as_str);
        let code = member("code").filter(|code| !code.is_empty()).map(|code| clean::line(code, 80));
        let message =
            member("message").map(|message| clean::line(message, 500)).filter(|text| !text.is_empty());
        let request_id = parsed
            .as_ref()
            .filter(|_| detail.is_some())
            .and_then(|body| body.get("request_id"))
            .and_then(Value::as_str)
            .map(|id| clean::line(id, 80));
        let kind = kind_of(status, code.as_deref());
        let why = match &message {
            Some(message) => describe(message, code.as_deref(), status, request_id.as_deref()),
            None if detail.is_some() => {
                describe(&format!("HTTP {}", status.as_u16()), code.as_deref(), status, request_id.as_deref())
            }
            None => {
                let words = clean::excerpt(&text);
                let words = if words.is_empty() { String::new() } else { format!(": {words}") };
                format!("HTTP {} from `{}`{words}", status.as_u16(), self.host)
            }
        };
        // As the SDK does: without a proper `error` object the raw text is the message.
        let message = message
            .or_else(|| Some(clean::excerpt(&text)).filter(|text| detail.is_none() && !text.is_empty()));
        let mut error = self.error(kind, why);
        let inner = &mut *error.0;
        inner.status = Some(status);
        inner.code = code;
        inner.message = message;
        inner.request_id = request_id;
        inner.body = parsed;
        inner.retry_after = retry_after.map(|text| clean::line(text, 60));
        error
    }
}

/// The name of a download in messages.
pub(crate) const DOWNLOAD: &str = "download export";

fn download_advice(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Api => "ask for the download again: an address is good for a while only",
        ErrorKind::File => "check that the folder may be written and that the disk has room",
        ErrorKind::Redirect => "do not fetch the file from there: tell the platform's makers",
        ErrorKind::Decode => "ask for the download again",
        _ => "check the network, then ask for the download again",
    }
}

/// What to do after the answer to a write was lost: where to see whether it was done.
fn after_loss(operation: Option<&str>) -> &'static str {
    match operation.unwrap_or_default() {
        "play.create" | "play.branch" | "play.branch many" => {
            "a session may be running, and it is billed: look at the live sessions \
             (`gert sessions list --status active`) before trying again"
        }
        "rollout_runs.open" | "rollout_runs.extend" | "rollout_runs.reset" | "rollout_runs.fork" => {
            "it may have been done all the same, and a run holds credits until it is closed: look at the open runs \
             (`gert rollout-runs list --status active`) before trying again"
        }
        "dataset_builds.evaluate_code" | "dataset_builds.explore" => {
            "the build may be running: if so, the same request is refused and names it in `existing_job_id`; \
             look at it as a job (`gert jobs get`)"
        }
        "exports.create" => {
            "the export may be running: look at the exports (`gert exports list`) before trying again"
        }
        "submissions.create" => {
            "the submission may be there: look at the submissions (`gert submissions list`) before trying again"
        }
        "submissions.evaluate" | "submissions.batch_evaluate" => {
            "the evaluation may be running: look at the submission's evaluations \
             (`gert submissions evaluations`) before trying again"
        }
        "tasks.create" | "tasks.score" => {
            "it may have been done and charged all the same: look at the usage (`gert billing usage`) \
             before trying again"
        }
        _ => "it may have been done all the same: look at the list before trying again",
    }
}

/// The SDK's display form.
fn describe(message: &str, code: Option<&str>, status: StatusCode, request_id: Option<&str>) -> String {
    let mut parts = Vec::new();
    if let Some(code) = code {
        parts.push(format!("code={code}"));
    }
    parts.push(format!("status={}", status.as_u16()));
    if let Some(id) = request_id {
        parts.push(format!("request_id={id}"));
    }
    format!("{message} ({})", parts.join(", "))
}

fn kind_of(status: StatusCode, code: Option<&str>) -> ErrorKind {
    if matches!(code, Some("INSUFFICIENT_CREDITS" | "DAILY_LIMIT_EXCEEDED")) {
        return ErrorKind::InsufficientCredits;
    }
    match status.as_u16() {
        400 | 422 => ErrorKind::Validation,
        401 => ErrorKind::Authentication,
        402 => ErrorKind::InsufficientCredits,
        403 => ErrorKind::Permission,
        404 => ErrorKind::NotFound,
        407 => ErrorKind::Proxy,
        409 => ErrorKind::Conflict,
        429 => ErrorKind::RateLimit,
        500.. => ErrorKind::Server,
        _ => ErrorKind::Api,
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    fn refused(status: u16, body: &str) -> Error {
        let step = Step { endpoint: "get game", host: "h:1", mutating: false, secrets: &["sk_gert_x"] };
        step.refused(StatusCode::from_u16(status).expect("a status"), None, body.as_bytes())
    }

    fn coded(status: u16, code: &str) -> Error {
        refused(
            status,
            &format!(r#"{{"error":{{"code":"{code}","message":"boom"}},"request_id":"req-err"}}"#),
        )
    }

    #[test]
    fn kinds_follow_code_first_then_status() {
        // SDK 3.4.0 tests/test_client.py test_error_status_mapping, test_code_override_beats_status; exceptions.py.
        for (status, code, kind) in [
            (404, "NOT_FOUND", ErrorKind::NotFound),
            (400, "VALIDATION_ERROR", ErrorKind::Validation),
            (422, "VALIDATION_FAILED", ErrorKind::Validation),
            (409, "CONFLICT", ErrorKind::Conflict),
            (402, "INSUFFICIENT_CREDITS", ErrorKind::InsufficientCredits),
            (500, "INTERNAL_ERROR", ErrorKind::Server),
            (403, "INSUFFICIENT_CREDITS", ErrorKind::InsufficientCredits),
            (429, "DAILY_LIMIT_EXCEEDED", ErrorKind::InsufficientCredits),
            (401, "UNAUTHORIZED", ErrorKind::Authentication),
            (403, "FORBIDDEN", ErrorKind::Permission),
            (429, "RATE_LIMIT_EXCEEDED", ErrorKind::RateLimit),
            (410, "TASK_EXPIRED", ErrorKind::Api),
            (418, "", ErrorKind::Api),
            (599, "X", ErrorKind::Server),
        ] {
            let error = coded(status, code);
            assert_eq!(error.kind(), kind, "{status} {code}");
            assert_eq!(error.code(), Some(code).filter(|code| !code.is_empty()));
            assert_eq!(error.status(), Some(status));
            assert_eq!(error.request_id(), Some("req-err"));
        }
    }

    #[test]
    fn a_message_names_the_step_and_its_source_the_reason() {
        let error = coded(409, "CONFLICT");
        assert_eq!(error.to_string(), "get game failed");
        let source = error.source().expect("a source").to_string();
        assert_eq!(source, "boom (code=CONFLICT, status=409, request_id=req-err)");
    }

    #[test]
    fn a_page_instead_of_json_gives_status_host_and_a_few_words() {
        // H-06.
        let error = refused(
            502,
            "<html><head><title>502 Bad Gateway</title></head><body>\x1b[31mnginx</body></html>",
        );
        assert_eq!(error.why(), "HTTP 502 from `h:1`: 502 Bad Gateway [31mnginx");
        assert_eq!((error.kind(), error.code()), (ErrorKind::Server, None));
        assert_eq!(refused(503, "").why(), "HTTP 503 from `h:1`");
        assert_eq!(refused(503, "").message(), None);
        assert!(refused(500, &"x".repeat(1_000_000)).why().len() < 300);
        assert_eq!(refused(404, r#"{"error":"gone"}"#).code(), None);
        assert_eq!(refused(404, "null").kind(), ErrorKind::NotFound);
    }

    #[test]
    fn the_body_keeps_further_members() {
        // SDK 3.4.0 tests/test_client.py test_error_body_exposes_existing_job_id.
        let error = refused(
            409,
            r#"{"error":{"code":"CONFLICT","message":"already running"},"existing_job_id":"job-xyz","request_id":"req-9"}"#,
        );
        assert_eq!(error.body().and_then(|body| body["existing_job_id"].as_str()), Some("job-xyz"));
    }

    #[test]
    fn an_echoed_key_is_masked_everywhere() {
        let error = refused(401, r#"{"error":{"code":"sk_gert_x","message":"no key sk_gert_x"}}"#);
        assert!(!format!("{error} {error:?} {} {:?}", error.why(), error.body()).contains("sk_gert_x"));
        assert!(error.advice().is_some());
    }

    #[test]
    fn a_write_whose_answer_was_lost_is_unknown_and_not_retryable() {
        // H-24.
        let write = Step { endpoint: "create", host: "h", mutating: true, secrets: &[] };
        let read = Step { mutating: false, ..write };
        for kind in [ErrorKind::Lost, ErrorKind::Timeout] {
            assert!(write.error(kind, "").outcome_unknown() && !write.error(kind, "").is_retryable());
            assert!(!read.error(kind, "").outcome_unknown() && read.error(kind, "").is_retryable());
        }
        assert!(!write.error(ErrorKind::Connect, "").outcome_unknown());
        let busy =
            write.refused(StatusCode::SERVICE_UNAVAILABLE, None, br#"{"error":{"code":"SERVER_BUSY"}}"#);
        assert!(busy.is_retryable() && !busy.outcome_unknown());
        let cut =
            write.refused(StatusCode::GATEWAY_TIMEOUT, None, br#"{"error":{"code":"GATEWAY_TIMEOUT"}}"#);
        assert!(!cut.is_retryable() && cut.outcome_unknown());
        let owner = write.refused(
            StatusCode::SERVICE_UNAVAILABLE,
            None,
            br#"{"error":{"code":"OWNER_UNREACHABLE"}}"#,
        );
        assert!(!owner.is_retryable() && owner.outcome_unknown());
    }

    #[test]
    fn after_a_lost_answer_it_is_said_where_to_look() {
        // H-24.
        let step = Step { endpoint: "x", host: "h", mutating: true, secrets: &[] };
        for (operation, words) in [
            ("play.create", "`gert sessions list --status active`"),
            ("play.branch many", "`gert sessions list --status active`"),
            ("rollout_runs.open", "`gert rollout-runs list --status active`"),
            ("rollout_runs.reset", "`gert rollout-runs list --status active`"),
            ("dataset_builds.explore", "`gert jobs get`"),
            ("exports.create", "`gert exports list`"),
            ("submissions.evaluate", "`gert submissions evaluations`"),
            ("tasks.score", "`gert billing usage`"),
            ("sessions.delete", "look at the list"),
        ] {
            let error = step.error(ErrorKind::Lost, "gone").of(Some(operation));
            assert_eq!(error.operation(), Some(operation));
            assert!(error.advice().is_some_and(|advice| advice.contains(words)), "{operation}");
        }
    }
}
