//! The arena over real sockets: a server on a free port, spoken to with an ordinary HTTP client and WebSocket client.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod accounts;
mod branches;
mod delegating;
mod durability;
mod exports;
mod faults;
mod generation;
mod league;
mod legacy;
mod play;
mod process;
mod requests;
mod rollouts;
mod sockets;
mod submissions;
mod tasks;
mod zoo;

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use gert::arena::store::Place;
use gert::arena::{Arena, ArenaSettings, serve};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};
use tokio_util::sync::{CancellationToken, DropGuard};

/// No test waits longer for anything.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running arena with a key.
pub(crate) struct Server {
    arena: Arena,
    address: SocketAddr,
    pub(crate) key: String,
    client: Client,
    serving: Option<JoinHandle<std::io::Result<()>>>,
    stop: CancellationToken,
    _stop_on_drop: DropGuard,
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::with(settings()).await
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}/api/v1", self.address)
    }

    async fn with(settings: ArenaSettings) -> Self {
        let arena = Arena::open(settings).await.unwrap();
        let (_, key) = arena.bootstrap_key("me@example.org").await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let serving = Some(tokio::spawn(serve(listener, arena.clone(), stop.clone())));
        let guard = stop.clone().drop_guard();
        Self { arena, address, key, client: client(), serving, stop, _stop_on_drop: guard }
    }

    async fn get(&self, path: &str) -> (u16, Value) {
        self.call(Method::GET, path, None, &[("x-api-key", &self.key)]).await
    }

    async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        self.call(Method::POST, path, Some(body), &[("x-api-key", &self.key)]).await
    }

    /// A call without a body, which then has no content type either.
    async fn post_nothing(&self, path: &str) -> (u16, Value) {
        self.call(Method::POST, path, None, &[("x-api-key", &self.key)]).await
    }

    /// `data` of an answer that must be a success.
    pub(crate) async fn data(&self, path: &str) -> Value {
        let (status, body) = self.get(path).await;
        assert_eq!(status, 200, "{path}: {body}");
        body["data"].clone()
    }

    async fn create(&self, body: Value) -> Value {
        let (status, answer) = self.post("/play", body).await;
        assert_eq!(status, 201, "{answer}");
        answer["data"].clone()
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> (u16, Value) {
        let mut request = self.client.request(method, format!("http://{}/api/v1{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        let response =
            tokio::time::timeout(PATIENCE, request.send()).await.expect("an answer in time").unwrap();
        let status = response.status().as_u16();
        assert!(!(300..400).contains(&status), "{path} redirects");
        assert!(response.headers().contains_key("x-request-id"), "{path}");
        (status, response.json().await.unwrap_or_default())
    }

    async fn seat(&self, session: &Value, nth: usize) -> Socket {
        let session_id = text(&session["session_id"]);
        self.connect(session_id, text(&session["seats"][nth]["player_token"])).await
    }

    async fn connect(&self, session_id: &str, token: &str) -> Socket {
        let mut socket = self.open(&format!("/play/{session_id}/ws"), None).await;
        socket.send(json!({ "type": "auth", "token": token })).await;
        socket
    }

    async fn spectate(&self, session_id: &str) -> Socket {
        self.open(&format!("/spectate/{session_id}"), Some(&self.key)).await
    }

    async fn open(&self, path: &str, key: Option<&str>) -> Socket {
        let mut request = format!("ws://{}/api/v1{path}", self.address).into_client_request().unwrap();
        if let Some(key) = key {
            request.headers_mut().insert("x-api-key", key.parse().unwrap());
        }
        let (stream, _) = tokio_tungstenite::connect_async(request).await.unwrap();
        Socket(stream)
    }

    /// Stops the server and waits for its end.
    async fn stop(&mut self) {
        self.stop.cancel();
        let serving = self.serving.take().expect("stopped once");
        tokio::time::timeout(Duration::from_secs(5), serving)
            .await
            .expect("an end in time")
            .unwrap()
            .unwrap();
    }

    async fn credits(&self) -> f64 {
        self.data("/auth/balance").await["credits"].as_f64().unwrap()
    }

    /// Waits until a session's member is as wanted.
    async fn until(&self, session_id: &str, member: &str, wanted: impl Into<Value>) -> Value {
        let wanted = wanted.into();
        let polling = async {
            loop {
                let session = self.data(&format!("/sessions/{session_id}")).await;
                if session[member] == wanted {
                    return session;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, polling)
            .await
            .unwrap_or_else(|_| panic!("{member} never became {wanted}"))
    }
}

struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    async fn send(&mut self, message: Value) {
        self.0.send(Message::text(message.to_string())).await.unwrap();
    }

    async fn act(&mut self, payload: Value) {
        self.send(json!({ "type": "action", "payload": payload })).await;
    }

    /// The next message; the code of the close frame as `{"close":…}` when it was closed.
    async fn next(&mut self) -> Value {
        loop {
            let message = tokio::time::timeout(PATIENCE, self.0.next()).await.expect("a message in time");
            match message {
                Some(Ok(Message::Text(text))) => return serde_json::from_str(&text).unwrap(),
                Some(Ok(Message::Close(frame))) => {
                    return json!({ "close": frame.map(|frame| u16::from(frame.code)) });
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => panic!("the socket broke: {error}"),
                None => panic!("the socket ended without a close frame"),
            }
        }
    }

    /// The next message of a type; others are skipped.
    async fn next_of(&mut self, kind: &str) -> Value {
        loop {
            let message = self.next().await;
            assert!(message.get("close").is_none(), "closed while waiting for {kind}: {message}");
            if message["type"] == kind {
                return message;
            }
        }
    }

    /// Answers every observation with the same action until the end; gives the last message.
    async fn play_to_end(&mut self, payload: Value) -> Value {
        loop {
            let message = self.next().await;
            match text(&message["type"]) {
                "observation" => self.act(payload.clone()).await,
                "game_completed" => return message,
                _ => {}
            }
        }
    }
}

/// Nothing kept, accounts over the wire.
fn settings() -> ArenaSettings {
    ArenaSettings::new(Place::Ephemeral, true)
}

fn client() -> Client {
    // Fails when another test was first, which is as good.
    _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The code of an error envelope that is whole.
fn code(body: &Value) -> &str {
    assert!(text(&body["request_id"]).starts_with("req_"), "{body}");
    assert!(!text(&body["error"]["message"]).is_empty(), "{body}");
    text(&body["error"]["code"])
}

/// The settings of a session in which the caller has both seats of a game that waits for moves.
fn both_seats() -> Value {
    json!({ "game": "connect_four", "seats": 2, "tick_ms": 0 })
}

fn drop_in(column: u32) -> Value {
    json!([{ "action": "drop", "column": column }])
}
