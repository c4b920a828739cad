//! The two sockets. A player's proves its seat by its first message, a spectator's by the key on the upgrade.
//!
//! Each is one task that sends what its session's task broadcasts. One that cannot keep up is given a fresh snapshot;
//! one that takes nothing at all is dropped with 1013 and may come back.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Path, State};
use axum::response::Response;
use serde_json::{Map, Value, json};
use tokio::sync::broadcast::error::RecvError;

use super::sessions::visible;
use crate::arena::Arena;
use crate::arena::engine::seats::Seat;
use crate::arena::error::ArenaError;
use crate::arena::faults::script::{Socket, SocketEnd};
use crate::arena::guard::Caller;
use crate::arena::host::frames::{self, Frame};
use crate::arena::host::live::{Delegation, Feed, Live};
use crate::arena::providers;
use crate::arena::store::sessions;

/// The largest message of a client: one action.
const MESSAGE_LIMIT: usize = 64 * 1024;

/// The largest frame that a fault script can have sent.
const MOST_HUGE: usize = 64 << 20;

/// How long a player may take to say who it is.
const AUTH_WAIT: Duration = Duration::from_secs(10);

/// Snapshots in a row that a spectator may need before it counts as too slow.
const RESETS: u32 = 8;

/// `GET /play/{id}/ws`.
pub(super) async fn play(
    State(arena): State<Arena>,
    Path(session_id): Path<String>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let tracked = arena.tasks().token();
    upgrade.max_message_size(MESSAGE_LIMIT).on_upgrade(move |socket| async move {
        let _tracked = tracked;
        let mut wire = Wire::new(&arena, socket, Socket::Play);
        let Err(end) = player(&mut wire, &arena, &session_id).await;
        wire.end(end).await;
    })
}

/// `GET /spectate/{id}`.
pub(super) async fn spectate(
    State(arena): State<Arena>,
    Extension(Caller(account_id)): Extension<Caller>,
    Path(session_id): Path<String>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, ArenaError> {
    visible(&arena, &account_id, &session_id).await?;
    let tracked = arena.tasks().token();
    Ok(upgrade.max_message_size(MESSAGE_LIMIT).on_upgrade(move |socket| async move {
        let _tracked = tracked;
        let mut wire = Wire::new(&arena, socket, Socket::Spectate);
        let Err(end) = spectator(&mut wire, &arena, &account_id, &session_id).await;
        wire.end(end).await;
    }))
}

/// Why a socket ends.
#[derive(Debug)]
enum End {
    /// With this close frame.
    Close(u16, &'static str),
    /// The peer closed or is gone.
    Gone,
}

const OVER: End = End::Close(close_code::NORMAL, "the session is over");
const STOPPING: End = End::Close(close_code::AWAY, "the arena is shutting down");
const SLOW: End = End::Close(close_code::AGAIN, "too slow: connect again for a fresh snapshot");

/// Both loops end by an `Err`: there is always a reason.
type Never = Result<std::convert::Infallible, End>;

async fn player(wire: &mut Wire, arena: &Arena, session_id: &str) -> Never {
    let (live, seat) = match tokio::time::timeout(AUTH_WAIT, authenticate(wire, arena, session_id)).await {
        Ok(Ok(seat)) => seat,
        Ok(Err(Some(end))) => return Err(end),
        Ok(Err(None)) | Err(_) => {
            let text = "the first message must be `auth` with the token of a seat of this session";
            wire.send(frames::error("UNAUTHORIZED", text)).await?;
            return Err(End::Close(close_code::POLICY, "not authenticated"));
        }
    };
    let _visit = live.seats[seat.index()].presence.enter();
    let hello = json!({ "type": "connected", "player_id": seat, "session_id": session_id });
    wire.send(frames::frame(&hello)).await?;
    loop {
        let Some(mut feed) = live.attach(seat).await else {
            wire.send(frames::frame(&live.record().completed_message())).await?;
            return Err(OVER);
        };
        wire.send_backlog(&mut feed).await?;
        // Behind by a whole queue: what matters is the newest observation, so it starts over with that.
        while let Some(event) = wire.next(&mut feed).await? {
            match event {
                Incoming::Frame(frame) => wire.send(frame).await?,
                Incoming::Said(message) => {
                    if let Some(answer) = answer_player(&live, seat, message).await {
                        wire.send(answer).await?;
                    }
                }
            }
        }
    }
}

async fn spectator(wire: &mut Wire, arena: &Arena, account_id: &str, session_id: &str) -> Never {
    let Some(live) = arena.host().find(session_id) else {
        return replay_end(wire, arena, account_id, session_id).await;
    };
    let _visit = live.spectators.enter();
    for _ in 0..RESETS {
        wire.send(session_frame(&live.record().json(account_id))).await?;
        let Some(mut feed) = live.watch().await else {
            wire.send(frames::frame(&live.record().completed_message())).await?;
            return Err(OVER);
        };
        wire.send_backlog(&mut feed).await?;
        while let Some(event) = wire.next(&mut feed).await? {
            match event {
                Incoming::Frame(frame) => wire.send(frame).await?,
                Incoming::Said(message) => wire.send(answer_spectator(&message)).await?,
            }
        }
    }
    Err(SLOW)
}

/// A session that ended long ago: how it ended, from the database.
async fn replay_end(wire: &mut Wire, arena: &Arena, account_id: &str, session_id: &str) -> Never {
    let id = session_id.to_owned();
    let record = arena.store().read(move |connection| sessions::get(connection, &id)).await;
    if let Ok(Some(record)) = record {
        wire.send(session_frame(&record.json(account_id))).await?;
        wire.send(frames::frame(&record.completed_message())).await?;
    }
    Err(OVER)
}

fn session_frame(session: &Value) -> Frame {
    frames::frame(&json!({ "type": "session", "session": session }))
}

/// The seat that the first message opens; `Err(None)` when it opens none.
async fn authenticate(
    wire: &mut Wire,
    arena: &Arena,
    session_id: &str,
) -> Result<(Arc<Live>, Seat), Option<End>> {
    let message = wire.said().await.map_err(Some)?;
    let is_auth = message.get("type").and_then(Value::as_str) == Some("auth");
    let token = message.get("token").and_then(Value::as_str).filter(|_| is_auth).ok_or(None)?;
    arena.host().seat_of(session_id, token).ok_or(None)
}

async fn answer_player(live: &Live, seat: Seat, mut message: Map<String, Value>) -> Option<Frame> {
    let kind = message.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    match kind.as_str() {
        "action" => {
            let Some(payload) = message.remove("payload") else {
                return Some(frames::error("VALIDATION_ERROR", "an `action` needs a `payload`"));
            };
            let mut answer = live.act(seat, payload).await.json();
            answer["type"] = "action_result".into();
            if let Some(action_id) = message.remove("action_id").filter(|id| !id.is_null()) {
                answer["action_id"] = action_id;
            }
            Some(frames::frame(&answer))
        }
        // A second one proves nothing new.
        "auth" => None,
        "delegate" => delegate(live, seat, &mut message).await.err(),
        _ => Some(answer_spectator(&message)),
    }
}

/// Lets a provider decide this turn. What comes of it is sent by the session, to all sockets of the seat.
async fn delegate(live: &Live, seat: Seat, message: &mut Map<String, Value>) -> Result<(), Frame> {
    let refuse = |code, problem: &str| frames::error(code, problem);
    let Some(provider_id) = message.get("provider_id").and_then(Value::as_str).map(str::to_owned) else {
        return Err(refuse("VALIDATION_ERROR", "a `delegate` needs a `provider_id`"));
    };
    let model = match message.get("model").filter(|model| !model.is_null()) {
        None => None,
        Some(Value::String(model)) => Some(model.as_str()),
        Some(_) => return Err(refuse("VALIDATION_ERROR", "`model` must be a string")),
    };
    let model =
        providers::player(live.game, &provider_id, model).map_err(|problem| refuse("NOT_FOUND", &problem))?;
    let action_id = message.remove("action_id").filter(|id| !id.is_null());
    let order = Delegation { provider_id, model, action_id };
    live.delegate(seat, order).await.map_err(|problem| refuse("CONFLICT", problem))
}

fn answer_spectator(message: &Map<String, Value>) -> Frame {
    match message.get("type").and_then(Value::as_str) {
        Some("ping") => frames::frame(&json!({ "type": "pong" })),
        Some(kind) => frames::error("UNKNOWN_TYPE", &format!("`{kind}` means nothing here and was ignored")),
        None => frames::error("BAD_MESSAGE", "a message must be a JSON object with a `type`"),
    }
}

/// What reaches a socket's task.
enum Incoming {
    Frame(Frame),
    Said(Map<String, Value>),
}

/// A socket that never waits for ever.
struct Wire {
    arena: Arena,
    socket: WebSocket,
    /// What is to go wrong, after so many more frames.
    fault: Option<(u64, SocketEnd)>,
}

impl Wire {
    fn new(arena: &Arena, socket: WebSocket, kind: Socket) -> Self {
        let fault = arena.faults().of_socket(kind).map(|fault| (fault.after, fault.then.clone()));
        Self { arena: arena.clone(), socket, fault }
    }

    async fn send(&mut self, frame: Frame) -> Result<(), End> {
        match self.fault.take_if(|(after, _)| *after == 0) {
            Some((_, end)) => self.go_wrong(end).await?,
            None => self.fault.iter_mut().for_each(|(after, _)| *after -= 1),
        }
        self.write(frame).await
    }

    /// What a fault script says of this socket.
    async fn go_wrong(&mut self, end: SocketEnd) -> Result<(), End> {
        match end {
            SocketEnd::Drop => Err(End::Gone),
            SocketEnd::Close(code) => Err(End::Close(code, "a fault on demand")),
            SocketEnd::Silence => {
                self.arena.closing().cancelled().await;
                Err(STOPPING)
            }
            SocketEnd::Garbage(text) => self.write(text.into()).await,
            SocketEnd::Huge(bytes) => self.write("x".repeat(bytes.min(MOST_HUGE)).into()).await,
        }
    }

    async fn write(&mut self, frame: Frame) -> Result<(), End> {
        let patience = self.arena.limits().send;
        tokio::select! {
            biased;
            sent = self.socket.send(Message::Text(frame)) => sent.map_err(|_| End::Gone),
            () = self.arena.closing().cancelled() => Err(STOPPING),
            () = tokio::time::sleep(patience) => Err(SLOW),
        }
    }

    async fn send_backlog(&mut self, feed: &mut Feed) -> Result<(), End> {
        for frame in feed.backlog.drain(..) {
            self.send(frame).await?;
        }
        Ok(())
    }

    /// The next frame to send or message to answer; nothing when frames were missed.
    async fn next(&mut self, feed: &mut Feed) -> Result<Option<Incoming>, End> {
        tokio::select! {
            biased;
            () = self.arena.closing().cancelled() => Err(STOPPING),
            frame = feed.frames.recv() => match frame {
                Ok(frame) => Ok(Some(Incoming::Frame(frame))),
                Err(RecvError::Lagged(_)) => Ok(None),
                Err(RecvError::Closed) => Err(OVER),
            },
            message = read(&mut self.socket) => Ok(Some(Incoming::Said(message?))),
        }
    }

    /// The next message of the peer.
    async fn said(&mut self) -> Result<Map<String, Value>, End> {
        tokio::select! {
            () = self.arena.closing().cancelled() => Err(STOPPING),
            message = read(&mut self.socket) => message,
        }
    }

    /// Says why it ends, and waits for the peer to close too: one that is busy with an observation may still send
    /// its answer, and must find the last message when it looks.
    async fn end(mut self, end: End) {
        let limits = self.arena.limits();
        let End::Close(code, reason) = end else { return };
        let patience = if code == close_code::NORMAL {
            limits.closing
        } else {
            limits.closing.min(Duration::from_secs(1))
        };
        let closed = async {
            let frame = CloseFrame { code, reason: reason.into() };
            if self.socket.send(Message::Close(Some(frame))).await.is_ok() {
                while let Some(Ok(_)) = self.socket.recv().await {}
            }
        };
        let stopped = async {
            self.arena.closing().cancelled().await;
            tokio::time::sleep(Duration::from_millis(500)).await;
        };
        tokio::select! {
            () = closed => {}
            () = stopped => {}
            () = tokio::time::sleep(patience) => {}
        }
    }
}

/// The next message; one that is no JSON object is as good as an empty one. Safe to cancel.
async fn read(socket: &mut WebSocket) -> Result<Map<String, Value>, End> {
    loop {
        let Some(Ok(message)) = socket.recv().await else { return Err(End::Gone) };
        match message {
            Message::Text(text) => return Ok(serde_json::from_str(text.as_str()).unwrap_or_default()),
            Message::Binary(bytes) => return Ok(serde_json::from_slice(&bytes).unwrap_or_default()),
            // The reply to a close frame and pongs go out as reading goes on.
            Message::Ping(_) | Message::Pong(_) | Message::Close(_) => {}
        }
    }
}
