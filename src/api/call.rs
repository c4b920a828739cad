//! Requests as values: what to send, how long to wait, and whether it may be sent twice.

use std::time::Duration;

use http::{HeaderName, HeaderValue, Method};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};

use super::key::secret_header;
use super::model::PlayerToken;
use super::money::Micro;
use super::request::Request;
use super::rules::Resend;

/// A typed request: says what to send and what comes back.
pub trait Endpoint {
    /// The answer, decoded from the unwrapped `data`.
    type Reply: DeserializeOwned;
    /// What the call does, for messages: `get game`.
    const NAME: &'static str;
    /// The SDK's name of the operation, and its row in [`RULES`](super::RULES): `games.get`.
    const OPERATION: &'static str;
    /// The member of the answer that is meant, where the answer wraps it: `job`.
    const MEMBER: Option<&'static str> = None;
    /// The request.
    fn call(&self) -> Call;

    /// The request as it is sent: with its name, and with its row of the table of rules.
    fn request(&self) -> Call {
        self.call().named(Self::NAME).rule(Self::OPERATION)
    }
}

/// A typed request whose answer comes in pages.
pub trait List {
    /// One row.
    type Item: DeserializeOwned + Send;
    /// What the call does, for messages: `list games`.
    const NAME: &'static str;
    /// The SDK's name of the operation, and its row in [`RULES`](super::RULES): `games.list`.
    const OPERATION: &'static str;
    /// The member of the answer that holds the rows.
    const COLLECTION: &'static str;
    /// The request without `limit` and `cursor`.
    fn call(&self) -> Call;
}

/// How long the server may be silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Timeout {
    /// [`Settings::timeout`](super::Settings), 30 s unless changed.
    #[default]
    Default,
    /// 105 s: calls that start a game. The service's edge gives up after 90 s; giving up before it would leave a
    /// game behind that is paid for.
    Warmup,
    /// For ever: one request that starts many games, whose ids are only in its answer.
    Fanout,
    /// Exactly this long, whatever the settings say: for loops with a deadline of their own.
    Exact(Duration),
}

/// What a call may cost, as far as it is known before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quote {
    /// Nothing, or only what something before it already reserved.
    #[default]
    Free,
    /// Not more than this.
    UpTo(Micro),
    /// The API says it when asked with `dry_run`, which is free.
    DryRun,
    /// It costs something that only the server knows.
    Unknown,
}

/// One request as a value.
#[derive(Debug, Clone)]
pub struct Call {
    pub(crate) name: &'static str,
    pub(crate) operation: Option<&'static str>,
    pub(crate) quote: Quote,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) body: Option<Vec<(String, Box<RawValue>)>>,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) timeout: Timeout,
    pub(crate) resend: Resend,
    pub(crate) retries: Option<u32>,
    pub(crate) fault: Option<String>,
}

impl Call {
    /// Starts a GET of a path, which begins with a slash.
    pub fn get(path: &str) -> Self {
        Self::new(Method::GET, path)
    }

    /// Starts a POST without a body.
    pub fn post(path: &str) -> Self {
        Self::new(Method::POST, path)
    }

    /// Starts a DELETE.
    pub fn delete(path: &str) -> Self {
        Self::new(Method::DELETE, path)
    }

    /// Starts a request of any method.
    pub fn new(method: Method, path: &str) -> Self {
        let mut call = Self {
            name: "call the API",
            operation: None,
            quote: Quote::Free,
            method,
            path: String::new(),
            query: Vec::new(),
            body: None,
            headers: Vec::new(),
            timeout: Timeout::Default,
            resend: Resend::Generic,
            retries: None,
            fault: None,
        };
        if !path.starts_with('/') || path.contains(['?', '#']) {
            call.fail(format!("`{path}` is not a path: it starts with a slash and holds no query"));
        }
        call.then(path)
    }

    /// Appends literal text to the path.
    #[must_use]
    pub fn then(mut self, path: &str) -> Self {
        self.path.push_str(path);
        self
    }

    /// Appends a slash and an identifier to the path. An identifier that would change the path's shape is a
    /// local error when the call is sent.
    #[must_use]
    pub fn id(mut self, what: &str, id: &str) -> Self {
        if id.is_empty() {
            self.fail(format!("the {what} is empty"));
        } else if id.contains(['/', '\\']) || id == "." || id == ".." || id.chars().any(char::is_control) {
            self.fail(format!("`{}` is not a {what}", super::clean::line(id, 60)));
        }
        self.path.push('/');
        push_encoded(&mut self.path, id);
        self
    }

    /// Adds the members of a request: to the query of a read or a deletion, else to the JSON object that is sent.
    #[must_use]
    pub fn fields(self, request: &impl Request) -> Self {
        if matches!(self.method, Method::GET | Method::DELETE) {
            self.query_fields(request)
        } else {
            request.put(self.object())
        }
    }

    /// [`Call::fields`] for a call that has no body at all unless something is sent that we do not know.
    #[must_use]
    pub fn fields_if_any(self, request: &impl Request) -> Self {
        request.put(self)
    }

    /// Adds the members of a request to the query, whatever the method.
    #[must_use]
    pub fn query_fields(mut self, request: &impl Request) -> Self {
        let body = self.body.take();
        self = request.put(self);
        let members = std::mem::replace(&mut self.body, body).unwrap_or_default();
        for (name, raw) in members {
            self.query_json(&name, raw.get());
        }
        self
    }

    /// A text without its quotes, a list as a repeated name, anything else as it is.
    fn query_json(&mut self, name: &str, json: &str) {
        if let Ok(text) = serde_json::from_str::<String>(json) {
            self.query.push((name.to_owned(), text));
        } else if let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(json) {
            for item in items {
                self.query_json(name, item.get());
            }
        } else {
            self.query.push((name.to_owned(), json.to_owned()));
        }
    }

    /// Says what the call may cost.
    #[must_use]
    pub fn quote(mut self, quote: Quote) -> Self {
        self.quote = quote;
        self
    }

    /// Adds a query parameter: nothing for an absent value, a repeated name for a list.
    #[must_use]
    pub fn query(mut self, name: &str, value: impl QueryValue) -> Self {
        value.each(&mut |text| self.query.push((name.to_owned(), text)));
        self
    }

    /// Sends a JSON object, `{}` unless members follow.
    #[must_use]
    pub fn object(mut self) -> Self {
        self.body.get_or_insert_default();
        self
    }

    /// Adds a member to the JSON object that is sent; null is left out, as at the top level of every request.
    #[must_use]
    pub fn member(mut self, name: &str, value: &impl Serialize) -> Self {
        match to_raw_value(value) {
            Ok(raw) => self.raw_member(name, raw),
            Err(error) => {
                self.fail(format!("`{name}` cannot be sent as JSON: {error}"));
                self
            }
        }
    }

    /// [`Call::member`] for JSON text, which is sent as it is.
    #[must_use]
    pub fn raw_member(mut self, name: &str, raw: Box<RawValue>) -> Self {
        let body = self.body.get_or_insert_default();
        body.retain(|(known, _)| known != name);
        if raw.get() != "null" {
            body.push((name.to_owned(), raw));
        }
        self
    }

    /// Acts for a seat.
    #[must_use]
    pub fn player_token(mut self, token: &PlayerToken) -> Self {
        match secret_header(token.expose()) {
            Some(value) if !token.expose().is_empty() => {
                self.headers.push((HeaderName::from_static("x-player-token"), value));
            }
            _ => self.fail("the player token is empty or holds an illegal character".to_owned()),
        }
        self
    }

    /// Sets how long the server may be silent.
    #[must_use]
    pub fn timeout(mut self, timeout: Timeout) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets when the request may be sent again after its answer was lost.
    #[must_use]
    pub fn resend(mut self, resend: Resend) -> Self {
        self.resend = resend;
        self
    }

    /// Overrides how often the request is sent again when the server did nothing yet; 0 for loops with their own
    /// pace.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = Some(retries);
        self
    }

    /// Names the call in messages.
    #[must_use]
    pub fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// True when the call only reads.
    pub fn is_read(&self) -> bool {
        matches!(self.method, Method::GET | Method::HEAD)
    }

    /// What it does, for messages.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The SDK's name of the operation, where it is one of the API's known operations.
    pub fn operation(&self) -> Option<&'static str> {
        self.operation
    }

    /// What it may cost.
    pub fn quoted(&self) -> Quote {
        self.quote
    }

    /// A member of the JSON object that is sent.
    pub fn sent_member(&self, name: &str) -> Option<&str> {
        self.body.as_ref()?.iter().find(|(known, _)| known == name).map(|(_, raw)| raw.get())
    }

    /// The path with its query, for tests and for a raw view.
    pub fn target(&self) -> String {
        let mut target = self.path.clone();
        for (index, (name, value)) in self.query.iter().enumerate() {
            target.push(if index == 0 { '?' } else { '&' });
            push_encoded(&mut target, name);
            target.push('=');
            push_encoded(&mut target, value);
        }
        target
    }

    /// The bytes that are sent; `None` when there is no body at all.
    pub fn body_text(&self) -> Option<String> {
        let members = self.body.as_ref()?;
        let mut text = String::from("{");
        for (index, (name, raw)) in members.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            text.push_str(&serde_json::Value::from(name.as_str()).to_string());
            text.push(':');
            text.push_str(raw.get());
        }
        text.push('}');
        Some(text)
    }

    /// The first thing that is wrong with the call, if anything.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    pub(crate) fn fail(&mut self, fault: String) {
        self.fault.get_or_insert(fault);
    }
}

/// Percent-encodes all but the unreserved characters.
fn push_encoded(out: &mut String, text: &str) {
    use std::fmt::Write as _;
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("writing to a string does not fail");
        }
    }
}

/// A value of a query parameter.
pub trait QueryValue {
    /// Calls `push` once for each time the parameter is sent.
    fn each(&self, push: &mut dyn FnMut(String));
}

macro_rules! displayed {
    ($($type:ty),*) => {$(
        impl QueryValue for $type {
            fn each(&self, push: &mut dyn FnMut(String)) {
                push(self.to_string());
            }
        }
    )*};
}
displayed!(str, String, bool, u32, u64, i64, f64);

impl<T: QueryValue + ?Sized> QueryValue for &T {
    fn each(&self, push: &mut dyn FnMut(String)) {
        (**self).each(push);
    }
}

impl<T: QueryValue> QueryValue for Option<T> {
    fn each(&self, push: &mut dyn FnMut(String)) {
        if let Some(value) = self {
            value.each(push);
        }
    }
}

impl<T: QueryValue> QueryValue for [T] {
    fn each(&self, push: &mut dyn FnMut(String)) {
        for value in self {
            value.each(push);
        }
    }
}

impl<T: QueryValue> QueryValue for Vec<T> {
    fn each(&self, push: &mut dyn FnMut(String)) {
        self.as_slice().each(push);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_drops_nothing_repeats_lists_and_writes_words() {
        let call = Call::get("/games")
            .query("tags", vec!["a", "b c"])
            .query("none", None::<&str>)
            .query("mine", true)
            .query("limit", 25u32);
        assert_eq!(call.target(), "/games?tags=a&tags=b%20c&mine=true&limit=25");
        assert_eq!(call.body_text(), None);
    }

    #[test]
    fn a_body_drops_top_level_nulls_only() {
        // SDK 3.4.0 tests/test_client.py test_drops_none_fields.
        let call = Call::post("/exports")
            .member("export_type", &"submissions")
            .member("game_slug", &None::<&str>)
            .member("min_percentile", &0.9)
            .member("nested", &serde_json::json!({"a": null}));
        assert_eq!(
            call.body_text().as_deref(),
            Some(r#"{"export_type":"submissions","min_percentile":0.9,"nested":{"a":null}}"#)
        );
        assert_eq!(Call::post("/x").object().body_text().as_deref(), Some("{}"));
    }

    #[test]
    fn an_identifier_cannot_change_the_shape_of_the_path() {
        assert_eq!(Call::get("/games").id("slug", "a b?é").target(), "/games/a%20b%3F%C3%A9");
        for id in ["", "a/b", "..", ".", "a\\b", "a\nb"] {
            assert!(Call::get("/games").id("slug", id).fault().is_some(), "{id:?}");
        }
        assert!(Call::get("games").fault().is_some());
    }

    #[test]
    fn a_player_token_is_never_printed() {
        let call = Call::get("/play").player_token(&PlayerToken::from("pt_secret"));
        assert!(!format!("{call:?}").contains("pt_secret"));
        assert!(Call::get("/play").player_token(&PlayerToken::from("")).fault().is_some());
        assert!(Call::get("/play").player_token(&PlayerToken::from("a\nb")).fault().is_some());
    }
}
