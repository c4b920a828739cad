//! One turn's request: sent, sent again where that may help, and read.

use std::sync::Arc;
use std::time::Duration;

use http::header::{AUTHORIZATION, RETRY_AFTER};
use http::{HeaderValue, StatusCode};
use reqwest::Response;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::super::answer::Line;
use super::super::clean::clean;
use super::super::event::Usage;
use super::super::spec::{Endpoint, Limits};
use super::stream::{Body, TooLong, ToolCall, refusal};

/// How often a request is sent again.
const RETRIES: u32 = 4;
/// The wait before the first repetition, without advice from the endpoint; doubled each time.
const BACKOFF: Duration = Duration::from_millis(500);
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// Bytes of one answer, the wrapping of its pieces included.
const MAX_BODY: usize = 32 * 1024 * 1024;
/// Bytes read of a refusal.
const MAX_REFUSAL: usize = 64 * 1024;
/// Characters shown of what an endpoint says.
const SHOWN: usize = 300;

/// What is needed to ask.
#[derive(Clone)]
pub(super) struct Asker {
    http: reqwest::Client,
    endpoint: Endpoint,
    /// Its `Debug` is not derived anywhere: it is marked as sensitive and never printed.
    key: Option<HeaderValue>,
    secret: String,
    patience: Duration,
    max_text: usize,
}

/// A whole answer.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) text: String,
    pub(super) usage: Option<Usage>,
    pub(super) tool_calls: Vec<ToolCall>,
    pub(super) is_cut: bool,
}

impl Reply {
    /// Says of an answer without action that the endpoint cut it, if it did.
    pub(super) fn explain(&self, line: Line) -> Line {
        match line {
            Line::Garbage { why } if self.is_cut => {
                Line::Garbage { why: format!("{why}; the endpoint cut the answer at its limit of tokens") }
            }
            line => line,
        }
    }
}

/// There is no answer.
#[derive(Debug)]
pub(super) enum Fault {
    /// It broke off, or makes no sense. Asking again may help.
    Broken { why: String, text: String },
    /// It is too long.
    TooLong,
    /// The endpoint refuses, or cannot be reached, and asking again will not change that now.
    Refused(String),
}

/// Why one attempt failed.
enum Failed {
    /// For good.
    Fault(Fault),
    /// Perhaps not the next time; the endpoint may say when.
    Later { why: String, wait: Option<Duration> },
    /// It does not take one of the members about streaming.
    NoStream,
}

impl Asker {
    /// Makes the connections' owner and reads the key.
    pub(super) fn new(endpoint: &Endpoint, limits: &Limits) -> Result<Self, String> {
        let secret = match &endpoint.key_env {
            Some(name) => std::env::var(name).ok().filter(|key| !key.trim().is_empty()).ok_or_else(|| {
                format!("the environment variable `{name}`, which is to hold the key, is not set")
            })?,
            None => String::new(),
        };
        let secret = secret.trim().to_owned();
        let key = (!secret.is_empty()).then(|| HeaderValue::from_str(&format!("Bearer {secret}")));
        let mut key =
            key.transpose().map_err(|_| "the key holds characters that no header can carry".to_owned())?;
        if let Some(key) = &mut key {
            key.set_sensitive(true);
        }
        Ok(Self {
            http: http_client(endpoint)?,
            endpoint: endpoint.clone(),
            key,
            secret,
            patience: limits.turn,
            max_text: limits.line_bytes,
        })
    }

    /// Asks with two messages, and sends the pieces of the answer as they come.
    pub(super) async fn ask(
        self,
        system: String,
        user: String,
        pieces: mpsc::Sender<String>,
    ) -> Result<Reply, Fault> {
        let messages = json!([{"role": "system", "content": system}, {"role": "user", "content": user}]);
        self.converse(json!({ "messages": messages }), &pieces).await
    }

    /// Asks with messages, and whatever else stands in `asked`.
    pub(super) async fn converse(
        &self,
        mut asked: Value,
        pieces: &mpsc::Sender<String>,
    ) -> Result<Reply, Fault> {
        let until = Instant::now().checked_add(self.patience);
        asked["model"] = self.endpoint.model.as_str().into();
        let mut body = asked.clone();
        body["stream"] = true.into();
        body["stream_options"] = json!({"include_usage": true});
        let mut backoff = BACKOFF;
        let mut n_sent = 0;
        loop {
            let (why, wait) = match self.attempt(&body, pieces).await {
                Ok(reply) => return Ok(reply),
                Err(Failed::Fault(fault)) => return Err(fault),
                Err(Failed::NoStream) => {
                    body = asked.clone();
                    continue;
                }
                Err(Failed::Later { why, wait }) => (why, wait.unwrap_or(backoff)),
            };
            n_sent += 1;
            backoff *= 2;
            let in_time = until.is_none_or(|until| Instant::now() + wait < until);
            if n_sent > RETRIES {
                return Err(Fault::Refused(format!("{why} (sent {n_sent} times)")));
            }
            if !in_time {
                let wait = wait.as_secs_f32();
                return Err(Fault::Refused(format!(
                    "{why}; the wait of {wait} s before the next try is longer than what is left of the turn"
                )));
            }
            sleep(wait).await;
        }
    }

    async fn attempt(&self, body: &Value, pieces: &mpsc::Sender<String>) -> Result<Reply, Failed> {
        let mut request = self.http.post(self.endpoint.completions()).json(body);
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, key.clone());
        }
        let response = request.send().await.map_err(|error| Failed::Later {
            why: format!("`{}` cannot be reached: {}", self.endpoint.url, self.shown(&innermost(&error))),
            wait: None,
        })?;
        if response.status().is_success() {
            return self.read(response, pieces).await.map_err(Failed::Fault);
        }
        Err(self.refused(response, body.get("stream").is_some()).await)
    }

    async fn read(&self, mut response: Response, pieces: &mpsc::Sender<String>) -> Result<Reply, Fault> {
        let mut body = Body::new();
        let (mut n_bytes, mut n_told) = (0, 0);
        let broken = |why: String, text: &str| Fault::Broken { why, text: text.to_owned() };
        loop {
            let chunk = match response.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                Err(error) => {
                    let why = format!("the answer broke off: {}", self.shown(&innermost(&error)));
                    return Err(broken(why, &body.text));
                }
            };
            n_bytes += chunk.len();
            body.push(&chunk).map_err(|TooLong| Fault::TooLong)?;
            if n_bytes > MAX_BODY || body.text.len() > self.max_text {
                return Err(Fault::TooLong);
            }
            if body.text.len() > n_told {
                // Nobody listens any more only when the turn was given up, and then this is dropped, too.
                let _ = pieces.send(body.text[n_told..].to_owned()).await;
                n_told = body.text.len();
            }
        }
        body.end();
        if let Some(error) = &body.error {
            return Err(broken(format!("the endpoint says: {}", self.shown(error)), &body.text));
        }
        if !body.is_done {
            return Err(broken("the answer broke off before its end".into(), &body.text));
        }
        if n_told < body.text.len() {
            let _ = pieces.send(body.text[n_told..].to_owned()).await;
        }
        Ok(Reply { text: body.text, usage: body.usage, tool_calls: body.tool_calls, is_cut: body.is_cut })
    }

    async fn refused(&self, mut response: Response, is_stream: bool) -> Failed {
        let status = response.status();
        let wait =
            response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let mut body = Vec::new();
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_REFUSAL {
                break;
            }
        }
        let said = self.shown(&refusal(&String::from_utf8_lossy(&body)));
        if is_stream && matches!(status.as_u16(), 400 | 422) && said.contains("stream") {
            return Failed::NoStream;
        }
        let why = format!("`{}` answered {status}: {said}", self.endpoint.url);
        let is_passing = status.is_server_error()
            || matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT);
        if is_passing {
            return Failed::Later { why, wait: wait.map(Duration::from_secs) };
        }
        let advice = match (status.as_u16(), &self.endpoint.key_env) {
            (401 | 403, None) => "; name the variable that holds the key with `--key-env NAME`".to_owned(),
            (401 | 403, Some(name)) => format!("; is the key in `{name}` right, and for this endpoint?"),
            (404, _) => format!(
                "; is the model `{}` there (`--model`), and does the address end like `/v1` (`--openai`)?",
                self.endpoint.model
            ),
            (300..=399, _) => "; redirects are not followed: give the address that it leads to".to_owned(),
            _ => String::new(),
        };
        Failed::Fault(Fault::Refused(format!("{why}{advice}")))
    }

    /// What the endpoint says, fit to be shown: without the key, and short.
    fn shown(&self, text: &str) -> String {
        let text = if self.secret.is_empty() { text.to_owned() } else { text.replace(&self.secret, "***") };
        clean(text.as_bytes(), SHOWN)
    }
}

/// A client that follows no redirect, so that the key reaches no other host.
fn http_client(endpoint: &Endpoint) -> Result<reqwest::Client, String> {
    let is_here = endpoint.url.starts_with("http://");
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls(is_here)?)
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT)
        .user_agent(concat!("gert-tui/", env!("CARGO_PKG_VERSION")));
    if is_here {
        // Traffic with this machine itself never leaves it.
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| innermost(&error))
}

fn tls(is_plain: bool) -> Result<ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    if is_plain {
        return Ok(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth());
    }
    let verifier = Verifier::new(provider)
        .map_err(|error| format!("the certificate authorities cannot be read: {error}"))?;
    Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
