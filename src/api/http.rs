//! The client: sends calls, reads bounded answers, unwraps them, sends again where that is allowed.

use std::sync::Arc;
use std::time::Duration;

use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName, LOCATION, RETRY_AFTER, USER_AGENT};
use http::{HeaderValue, Method, StatusCode};
use jiff::Timestamp;
use reqwest::{Response, Url};
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::call::{Call, Endpoint, Quote, Timeout};
use super::connect::{self, Dialer};
use super::error::{Error, ErrorKind, Step};
use super::guard::{Gate, Guard, Intent, Outcome, Refusal, admit};
use super::model::{Extra, Json};
use super::money::Micro;
use super::retry::Plan;
use super::settings::{Notice, Settings};
use super::{ApiKey, clean};

/// Sent with every request.
pub(crate) const AGENT: &str = concat!("gert-tui/", env!("CARGO_PKG_VERSION"));

/// A call that starts a game is not given up before the service's edge does so, after 90 s.
const WARMUP: Duration = Duration::from_secs(105);

/// How much of a refusal is read.
const MAX_REFUSAL: usize = 1 << 20;

/// How many redirects to the same origin a read follows.
const MAX_REDIRECTS: u32 = 3;

/// Talks to one API with one key. Cloning is cheap and shares the connections.
#[derive(Debug, Clone)]
pub struct Client(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    settings: Settings,
    http: reqwest::Client,
    dialer: Dialer,
    host: String,
}

impl Client {
    /// Makes a client. Nothing is sent yet.
    ///
    /// # Errors
    /// Plain http to a host that is not this machine, an unusable proxy, unreadable CA files.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        let host = settings.base_url.host();
        let step = Step { endpoint: "set up the client", host: &host, mutating: false, secrets: &[] };
        let local = |why: String| step.error(ErrorKind::Argument, why);
        settings.base_url.check(settings.allow_plain_http).map_err(|error| local(error.to_string()))?;
        let dialer = Dialer::new(&settings).map_err(local)?;
        let http = http_client(&settings, &dialer).map_err(local)?;
        Ok(Self(Arc::new(Shared { settings, http, dialer, host })))
    }

    /// What the client was made from.
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// Sends a typed request and decodes its answer.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub async fn send<E: Endpoint>(&self, endpoint: &E) -> Result<E::Reply, Error> {
        let call = endpoint.request();
        let mutating = !call.is_read();
        let raw = member(self.raw(call).await?, E::MEMBER);
        let secrets = [self.0.settings.key.expose()];
        decode(&raw).map_err(|why| {
            self.step(E::NAME, mutating, &secrets).error(ErrorKind::Decode, why).of(Some(E::OPERATION))
        })
    }

    /// [`Client::raw`] for an answer that wraps what is meant in a member (see [`Endpoint::MEMBER`]).
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub async fn raw_member(&self, call: Call, name: Option<&str>) -> Result<Json, Error> {
        self.raw(call).await.map(|raw| member(raw, name).into())
    }

    /// Sends a call and returns its unwrapped answer as it came.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub async fn raw(&self, call: Call) -> Result<Box<RawValue>, Error> {
        let secrets = secrets(&self.0.settings.key, &call);
        let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
        let step = self.step(call.name, !call.is_read(), &secrets);
        if let Some(fault) = &call.fault {
            return Err(step.error(ErrorKind::Argument, fault).of(call.operation));
        }
        let Some(guard) = self.0.settings.guard.of(&call) else {
            return self.deliver(&call, step).await;
        };
        let intent = Intent {
            name: call.name,
            operation: call.operation,
            target: format!("{} {}", call.method, call.target()),
            price: self.price(&call, &*guard).await?,
        };
        let mark = admit(&guard, &intent).await.map_err(|refusal| refused(refusal, step))?;
        // Dropping the future in between leaves what was admitted counted: it may have been sent.
        let reply = self.deliver(&call, step).await;
        let outcome = Outcome::of(&reply);
        // It fails only when the guard panicked, which has been reported.
        let _ = tokio::task::spawn_blocking(move || guard.settle(&intent, mark, &outcome)).await;
        reply
    }

    /// Whether a socket that acts may be opened.
    pub(crate) async fn may_act(&self, call: &Call, step: Step<'_>) -> Result<(), Error> {
        let Some(guard) = self.0.settings.guard.any() else { return Ok(()) };
        let target = format!("GET {}", call.target());
        let intent = Intent { name: step.endpoint, operation: None, target, price: Some(Micro(0)) };
        admit(&guard, &intent).await.map(drop).map_err(|refusal| refused(refusal, step))
    }

    /// Asks the guard about messages of a socket.
    pub(crate) fn gate(&self, call: &Call) -> Gate {
        Gate::new(&self.0.settings.guard, format!("WS {}", call.target()))
    }

    /// What a call costs at most, as far as it can be known and matters.
    async fn price(&self, call: &Call, guard: &dyn Guard) -> Result<Option<Micro>, Error> {
        match call.quote {
            Quote::Free => Ok(Some(Micro(0))),
            Quote::UpTo(price) => Ok(Some(price)),
            Quote::DryRun if guard.wants_price() => {
                let dry = call.clone().member("dry_run", &true).quote(Quote::Free);
                let estimate: Estimate = Box::pin(self.raw(dry)).await.and_then(|raw| {
                    decode(&raw).map_err(|why| self.step(call.name, false, &[]).error(ErrorKind::Decode, why))
                })?;
                Ok(estimate.estimated_credits.and_then(Micro::at_least))
            }
            Quote::DryRun | Quote::Unknown => Ok(None),
        }
    }

    /// Sends a call, again where that is allowed.
    async fn deliver(&self, call: &Call, step: Step<'_>) -> Result<Box<RawValue>, Error> {
        let mut plan = Plan::new(call.resend, call.retries.unwrap_or(self.0.settings.max_retries));
        loop {
            let error = match self.once(call, step).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let Some(wait) = plan.after(&error, Timestamp::now(), rand::random()) else {
                return Err(error.after(plan.sent()).of(call.operation));
            };
            let sent = plan.sent();
            self.0.settings.observer.tell(|| Notice::Waiting {
                endpoint: call.name,
                sent,
                wait,
                why: error.why().to_owned(),
            });
            tokio::time::sleep(wait).await;
        }
    }

    async fn once(&self, call: &Call, step: Step<'_>) -> Result<Box<RawValue>, Error> {
        let idle = self.idle(call.timeout);
        let mut url = self.0.settings.base_url.join(&call.path);
        if !call.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&call.query);
        }
        let mut followed = 0;
        let response = loop {
            let response = self.exchange(call, url.clone(), idle, step).await?;
            if !response.status().is_redirection() {
                break response;
            }
            url = redirect(call, &url, &response, followed, step)?;
            followed += 1;
        };
        let status = response.status();
        if status.is_client_error() || status.is_server_error() {
            let after =
                response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()).map(str::to_owned);
            // A refusal is a refusal, however its body ends.
            let body = read(response, idle, MAX_REFUSAL, step).await.unwrap_or_default();
            return Err(step.refused(status, after.as_deref(), &body));
        }
        let body = read(response, idle, self.0.settings.max_body, step)
            .await
            .map_err(|error| error.with_status(status))?;
        unwrap(status, &body).map_err(|why| {
            let page = clean::excerpt(&String::from_utf8_lossy(&body));
            let why = format!("HTTP {} from `{}` is not JSON ({why}): {page}", status.as_u16(), self.0.host);
            step.error(ErrorKind::Decode, why).with_status(status)
        })
    }

    async fn exchange(
        &self,
        call: &Call,
        url: Url,
        idle: Option<Duration>,
        step: Step<'_>,
    ) -> Result<Response, Error> {
        let mut request = reqwest::Request::new(call.method.clone(), url);
        let headers = request.headers_mut();
        headers.insert(HeaderName::from_static("x-api-key"), self.0.settings.key.header());
        headers.extend(call.headers.iter().cloned());
        if let Some(body) = call.body_text() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            *request.body_mut() = Some(body.into());
        } else if call.method == Method::POST {
            headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        let sent = within(idle, self.0.http.execute(request)).await;
        match sent {
            Some(Ok(response)) => Ok(response),
            Some(Err(error)) => Err(transport(&error, &self.0.settings, &self.0.dialer, step)),
            None => Err(silence(idle, step)),
        }
    }

    fn idle(&self, timeout: Timeout) -> Option<Duration> {
        match timeout {
            Timeout::Default => Some(self.0.settings.timeout),
            // A user who allows more for every call allows it for these, too.
            Timeout::Warmup => Some(WARMUP.max(self.0.settings.timeout)),
            Timeout::Fanout => None,
            Timeout::Exact(limit) => Some(limit),
        }
    }

    pub(crate) fn dialer(&self) -> &Dialer {
        &self.0.dialer
    }

    pub(crate) fn step<'a>(
        &'a self,
        endpoint: &'static str,
        mutating: bool,
        secrets: &'a [&'a str],
    ) -> Step<'a> {
        Step { endpoint, host: &self.0.host, mutating, secrets }
    }
}

/// What a dry run says.
#[derive(Deserialize)]
struct Estimate {
    #[serde(default)]
    estimated_credits: Option<f64>,
}

fn refused(refusal: Refusal, step: Step<'_>) -> Error {
    match refusal {
        Refusal::ReadOnly(why) => step.error(ErrorKind::ReadOnly, why),
        Refusal::Cap(why) => step.error(ErrorKind::Cap, why),
    }
}

/// The member that is meant, where the answer wraps it; else the whole answer.
fn member(raw: Box<RawValue>, name: Option<&str>) -> Box<RawValue> {
    let Some(name) = name else { return raw };
    let inner = serde_json::from_str::<Extra>(raw.get()).ok().and_then(|mut members| members.remove(name));
    inner.map_or(raw, Json::into_raw)
}

/// Decodes an unwrapped answer. Null counts as an empty object: every member has a default.
fn decode<T: DeserializeOwned>(raw: &RawValue) -> Result<T, String> {
    let text = if raw.get() == "null" { "{}" } else { raw.get() };
    serde_json::from_str(text).map_err(|error| format!("the answer has an unexpected shape: {error}"))
}

/// Sorts a failure to get any answer.
pub(crate) fn transport(
    error: &reqwest::Error,
    settings: &Settings,
    dialer: &Dialer,
    step: Step<'_>,
) -> Error {
    if error.is_connect() {
        if error.is_timeout() && dialer.proxy.is_none() {
            let limit = settings.connect_timeout.as_secs_f32();
            return step
                .error(ErrorKind::Connect, format!("no connection to `{}` within {limit} s", step.host));
        }
        let (kind, why) = dialer.explain(step.host, error);
        return step.error(kind, why);
    }
    if error.is_builder() {
        return step.error(ErrorKind::Argument, connect::innermost(error));
    }
    lost(error, step)
}

/// A client without a key, for the host of the settings' base URL.
pub(crate) fn http_client(settings: &Settings, dialer: &Dialer) -> Result<reqwest::Client, String> {
    let mut tls = (*dialer.tls).clone();
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(settings.connect_timeout)
        .default_headers([(USER_AGENT, HeaderValue::from_static(AGENT))].into_iter().collect());
    if let Some(proxy) = dialer.reqwest_proxy() {
        builder = builder.proxy(proxy?);
    }
    builder.build().map_err(|error| connect::innermost(&error))
}

/// All that must not show in a message about this call.
fn secrets(key: &ApiKey, call: &Call) -> Vec<String> {
    let tokens = call.headers.iter().filter(|(_, value)| value.is_sensitive());
    let tokens = tokens.filter_map(|(_, value)| value.to_str().ok().map(str::to_owned));
    std::iter::once(key.expose().to_owned()).chain(tokens).collect()
}

pub(crate) async fn within<T>(limit: Option<Duration>, work: impl Future<Output = T>) -> Option<T> {
    match limit {
        Some(limit) => tokio::time::timeout(limit, work).await.ok(),
        None => Some(work.await),
    }
}

pub(crate) fn silence(idle: Option<Duration>, step: Step<'_>) -> Error {
    let seconds = idle.unwrap_or_default().as_secs_f32();
    step.error(ErrorKind::Timeout, format!("`{}` was silent for {seconds} s", step.host))
}

fn lost(error: &reqwest::Error, step: Step<'_>) -> Error {
    let why = connect::innermost(error);
    if connect::find_tls(error).is_some() {
        return step.error(ErrorKind::Tls, format!("the connection to `{}` failed: {why}", step.host));
    }
    if error.is_timeout() {
        return step.error(ErrorKind::Timeout, format!("`{}` was silent for too long: {why}", step.host));
    }
    step.error(
        ErrorKind::Lost,
        format!("the connection to `{}` broke before the answer was whole: {why}", step.host),
    )
}

/// Where a redirected call goes on: only a read, only within the origin, only a few times. Everything else is an
/// error that names the new address, so that neither the key nor a write ends up somewhere else.
fn redirect(
    call: &Call,
    from: &Url,
    response: &Response,
    followed: u32,
    step: Step<'_>,
) -> Result<Url, Error> {
    let status = response.status();
    let to = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let target = to.and_then(|to| from.join(to).ok());
    if let Some(target) = &target
        && call.is_read()
        && followed < MAX_REDIRECTS
        && target.origin() == from.origin()
        && target != from
    {
        return Ok(target.clone());
    }
    let shown = to.map(|to| clean::line(&clean::redact(to, step.secrets), clean::EXCERPT));
    let why = match &shown {
        Some(shown) => format!("HTTP {}: `{}` points to `{shown}`", status.as_u16(), step.host),
        None => format!("HTTP {} from `{}` points nowhere", status.as_u16(), step.host),
    };
    Err(step.error(ErrorKind::Redirect, why).with_location(shown).with_status(status))
}

/// Reads a body up to `limit` bytes after decompression, giving up after `idle` of silence.
async fn read(
    mut response: Response,
    idle: Option<Duration>,
    limit: usize,
    step: Step<'_>,
) -> Result<Vec<u8>, Error> {
    let expected = response.content_length().unwrap_or(0).min(limit as u64);
    let mut body = Vec::with_capacity(expected as usize);
    loop {
        let chunk = match within(idle, response.chunk()).await {
            None => return Err(silence(idle, step)),
            Some(Err(error)) => return Err(broken(&error, step)),
            Some(Ok(None)) => return Ok(body),
            Some(Ok(Some(chunk))) => chunk,
        };
        if body.len() + chunk.len() > limit {
            let why = format!("the answer of `{}` is over the limit of {}", step.host, size(limit));
            return Err(step.error(ErrorKind::TooLarge, why));
        }
        body.extend_from_slice(&chunk);
    }
}

/// A body that cannot be decompressed is the server's fault, one that ends early the connection's.
pub(crate) fn broken(error: &reqwest::Error, step: Step<'_>) -> Error {
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(cause) = next {
        let io = cause.downcast_ref::<std::io::Error>();
        if io.is_some_and(|io| {
            io.kind() == std::io::ErrorKind::InvalidData || io.kind() == std::io::ErrorKind::InvalidInput
        }) && connect::find_tls(error).is_none()
        {
            let why = format!("the answer of `{}` cannot be decompressed: {cause}", step.host);
            return step.error(ErrorKind::Decode, why);
        }
        next = cause.source();
    }
    lost(error, step)
}

pub(crate) fn size(bytes: usize) -> String {
    if bytes >= 1 << 20 { format!("{} MiB", bytes >> 20) } else { format!("{bytes} bytes") }
}

/// The payload of a successful answer: its `data` member if it has one, else all of it; `{}` for nothing.
fn unwrap(status: StatusCode, body: &[u8]) -> Result<Box<RawValue>, String> {
    let raw = |text: &str| RawValue::from_string(text.to_owned()).map_err(|error| error.to_string());
    if status == StatusCode::NO_CONTENT || body.is_empty() {
        return raw("{}");
    }
    let text = std::str::from_utf8(body).map_err(|_| "it is not UTF-8".to_owned())?;
    let text = text.trim_matches(|c: char| c == '\u{feff}' || c.is_ascii_whitespace());
    if !text.starts_with('{') {
        return raw(text);
    }
    let envelope: Envelope = serde_json::from_str(text).map_err(|error| error.to_string())?;
    envelope.0.map_or_else(|| raw(text), Ok)
}

/// The `data` of an object, unread.
struct Envelope(Option<Box<RawValue>>);

impl<'de> Deserialize<'de> for Envelope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Find;
        impl<'de> Visitor<'de> for Find {
            type Value = Envelope;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope, A::Error> {
                let mut data = None;
                while let Some(name) = map.next_key::<String>()? {
                    let value = map.next_value::<&RawValue>()?;
                    if name == "data" {
                        data = Some(value.to_owned());
                    }
                }
                Ok(Envelope(data))
            }
        }
        deserializer.deserialize_map(Find)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload(status: u16, body: &str) -> Result<String, String> {
        let status = StatusCode::from_u16(status).expect("a status");
        unwrap(status, body.as_bytes()).map(|raw| raw.get().to_owned())
    }

    #[test]
    fn an_answer_is_unwrapped_as_the_sdk_does() {
        // SDK 3.4.0 client.py `request`; tests/test_client.py test_unwraps_data_envelope, test_204_returns_empty.
        for (body, data) in [
            (r#"{"data":{"slug":"chess"},"meta":{"request_id":"r"}}"#, r#"{"slug":"chess"}"#),
            (r#"{"data":null}"#, "null"),
            (r#"{"meta":{}}"#, r#"{"meta":{}}"#),
            (r#"{"data":[{"n":9007199254740993,"f":1.10}]}"#, r#"[{"n":9007199254740993,"f":1.10}]"#),
            (" [1, 2]\n", "[1, 2]"),
            ("\u{feff}3", "3"),
            ("", "{}"),
        ] {
            assert_eq!(payload(200, body).as_deref(), Ok(data), "{body}");
        }
        assert_eq!(payload(204, "ignored").as_deref(), Ok("{}"));
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for body in ["<html>", "{", r#"{"data":1}x"#, "nul", "[1,]"] {
            assert!(payload(200, body).is_err(), "{body}");
        }
        assert!(unwrap(StatusCode::OK, &[0xff, 0xfe]).is_err());
    }

    #[test]
    fn deep_nesting_neither_overflows_nor_panics() {
        // H-23. Raw JSON is scanned without recursion; decoding it stops at a depth of 128.
        let deep = format!("{{\"data\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
        let raw = unwrap(StatusCode::OK, deep.as_bytes()).expect("it is JSON");
        assert!(decode::<serde_json::Value>(&raw).is_err());
    }
}
