//! What others hold of a session: commands to its task, its newest face, who is there.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::Instant;

use super::frames::Frame;
use super::lock;
use crate::arena::engine::seats::{Seat, SeatMap};
use crate::arena::engine::{Game, Play};
use crate::arena::error::ArenaError;
use crate::arena::record::{SeatKind, SessionRecord};
use crate::arena::secret;
use crate::arena::store::sessions::Entry;

/// How a session stands, for readers.
#[derive(Debug, Clone)]
pub struct Face {
    /// The record, `connected` aside.
    pub record: SessionRecord,
    /// What the users' seats see now, as JSON.
    pub observations: SeatMap<Arc<str>>,
}

/// What a session's task is asked.
#[derive(Debug)]
pub(super) enum Command {
    Act { seat: Seat, payload: Value, reply: oneshot::Sender<ActAnswer> },
    Delegate { seat: Seat, order: Delegation, reply: oneshot::Sender<Result<(), &'static str>> },
    Checkpoint { reply: oneshot::Sender<Option<Checkpoint>> },
    Join { account_id: String, name: String, reply: oneshot::Sender<Result<Vec<Seat>, ArenaError>> },
    Leave { seat: Seat, reply: oneshot::Sender<bool> },
    Attach { seat: Seat, reply: oneshot::Sender<Feed> },
    Watch { reply: oneshot::Sender<Feed> },
    Cancel { reply: oneshot::Sender<()> },
}

/// Who is to decide one turn in a seat's place.
#[derive(Debug, Clone, PartialEq)]
pub struct Delegation {
    /// The provider.
    pub provider_id: String,
    /// Its model: a built-in player of the game.
    pub model: String,
    /// Comes back with what became of it.
    pub action_id: Option<Value>,
}

impl Delegation {
    /// Who decided, as it goes out.
    pub(super) fn json(&self) -> Value {
        json!({ "provider_id": self.provider_id, "model": self.model })
    }
}

/// A live match at one moment, to go on from.
pub(super) struct Checkpoint {
    pub(super) play: Box<dyn Play>,
    pub(super) record: SessionRecord,
    /// Rows of the story so far.
    pub(super) told: u32,
    /// Those of them that the database has not been given yet.
    pub(super) unwritten: Vec<Entry>,
}

impl std::fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checkpoint").field("tick", &self.record.tick).finish_non_exhaustive()
    }
}

/// What became of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActAnswer {
    /// It will be played.
    pub accepted: bool,
    /// Ticks played before it.
    pub tick: u32,
    /// It takes the place of one that was accepted for the same tick and not played yet.
    pub replaced: bool,
    /// Why not.
    pub reasons: Vec<String>,
}

impl ActAnswer {
    pub(super) fn accepted(tick: u32, replaced: bool) -> Self {
        Self { accepted: true, tick, replaced, reasons: Vec::new() }
    }

    pub(super) fn refused(tick: u32, reasons: Vec<String>) -> Self {
        Self { accepted: false, tick, replaced: false, reasons }
    }

    /// Its members as they go out.
    pub fn json(&self) -> Value {
        let mut json = json!({ "accepted": self.accepted, "tick": self.tick });
        if self.replaced {
            json["replaced"] = true.into();
        }
        if !self.accepted {
            json["reasons"] = json!(self.reasons);
        }
        json
    }
}

/// Frames of a session from now on.
#[derive(Debug)]
pub struct Feed {
    /// To be sent first.
    pub backlog: Vec<Frame>,
    /// Then these; closed after the last one.
    pub frames: broadcast::Receiver<Frame>,
}

/// Who is there, by sockets and by polls.
#[derive(Debug, Default)]
pub struct Presence(Mutex<Visits>);

#[derive(Debug, Default)]
struct Visits {
    sockets: u32,
    last: Option<Instant>,
}

impl Presence {
    /// Notes a poll.
    pub fn touch(&self) {
        lock(&self.0).last = Some(Instant::now());
    }

    /// Notes a socket, until the guard goes.
    pub fn enter(self: &Arc<Self>) -> Visit {
        let mut visits = lock(&self.0);
        visits.sockets += 1;
        visits.last = Some(Instant::now());
        Visit(Arc::clone(self))
    }

    /// Whether a socket is open.
    pub fn is_connected(&self) -> bool {
        lock(&self.0).sockets > 0
    }

    /// When somebody was last there; now, while a socket is open.
    pub fn last_seen(&self) -> Option<Instant> {
        let visits = lock(&self.0);
        if visits.sockets > 0 { Some(Instant::now()) } else { visits.last }
    }
}

/// An open socket.
#[derive(Debug)]
pub struct Visit(Arc<Presence>);

impl Drop for Visit {
    fn drop(&mut self) {
        let mut visits = lock(&self.0.0);
        visits.sockets -= 1;
        visits.last = Some(Instant::now());
    }
}

/// A seat as others see it. Not `Debug`: its token is a secret.
pub struct LiveSeat {
    token: Mutex<Option<String>>,
    /// Who is there.
    pub presence: Arc<Presence>,
}

impl LiveSeat {
    pub(super) fn new(kind: SeatKind) -> Self {
        let token = (kind != SeatKind::Ai).then(|| secret::secret("pt_"));
        Self { token: Mutex::new(token), presence: Arc::default() }
    }

    /// What opens it; nothing for a built-in player's.
    pub fn token(&self) -> Option<String> {
        lock(&self.token).clone()
    }

    /// Replaces the token and gives the old one.
    pub(super) fn renew_token(&self) -> Option<String> {
        lock(&self.token).replace(secret::secret("pt_"))
    }
}

/// A session in memory.
pub struct Live {
    /// Its id.
    pub session_id: String,
    /// What is played.
    pub game: &'static dyn Game,
    /// Its seats in order.
    pub seats: Vec<LiveSeat>,
    /// Who watches.
    pub spectators: Arc<Presence>,
    pub(super) commands: mpsc::Sender<Command>,
    pub(super) face: watch::Receiver<Arc<Face>>,
}

impl std::fmt::Debug for Live {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The tokens of the seats are nobody's business.
        f.debug_struct("Live").field("session_id", &self.session_id).finish_non_exhaustive()
    }
}

impl Live {
    /// How it stands.
    pub fn face(&self) -> Arc<Face> {
        self.face.borrow().clone()
    }

    /// Its record, with who is there.
    pub fn record(&self) -> SessionRecord {
        let mut record = self.face().record.clone();
        for (seat, live) in record.seats.iter_mut().zip(&self.seats) {
            seat.connected = seat.kind == SeatKind::Ai || live.presence.is_connected();
        }
        record
    }

    /// Waits until it has ended.
    pub async fn ended(&self) {
        let mut face = self.face.clone();
        // An error means that the task is gone, which is an end too.
        _ = face.wait_for(|face| face.record.status.is_terminal()).await;
    }

    /// Acts for a seat.
    pub async fn act(&self, seat: Seat, payload: Value) -> ActAnswer {
        let answer = self.ask(|reply| Command::Act { seat, payload, reply }).await;
        answer.unwrap_or_else(|| {
            ActAnswer::refused(self.face().record.tick, vec!["the session is over".to_owned()])
        })
    }

    /// Lets somebody decide a seat's turn. What came of it is sent to the seat's sockets.
    ///
    /// # Errors
    /// Why it cannot be.
    pub async fn delegate(&self, seat: Seat, order: Delegation) -> Result<(), &'static str> {
        let answer = self.ask(|reply| Command::Delegate { seat, order, reply }).await;
        answer.unwrap_or(Err("the session is over"))
    }

    /// The match as it stands; nothing in a lobby, or when it is over.
    pub(super) async fn checkpoint(&self) -> Option<Checkpoint> {
        self.ask(|reply| Command::Checkpoint { reply }).await.flatten()
    }

    /// Takes an open seat, or tells which ones the account has. Idempotent.
    ///
    /// # Errors
    /// No seat is open, or it is over.
    pub async fn join(&self, account_id: String, name: String) -> Result<Vec<Seat>, ArenaError> {
        let answer = self.ask(|reply| Command::Join { account_id, name, reply }).await;
        answer.unwrap_or_else(|| Err(ArenaError::conflict("the session is over")))
    }

    /// Gives up a seat. True when it is open for others again.
    pub(super) async fn leave(&self, seat: Seat) -> bool {
        self.ask(|reply| Command::Leave { seat, reply }).await.unwrap_or(false)
    }

    /// What a seat is sent; nothing when it is over.
    pub async fn attach(&self, seat: Seat) -> Option<Feed> {
        self.ask(|reply| Command::Attach { seat, reply }).await
    }

    /// What spectators are sent; nothing when it is over.
    pub async fn watch(&self) -> Option<Feed> {
        self.ask(|reply| Command::Watch { reply }).await
    }

    /// Ends it, by its owner's wish.
    pub async fn cancel(&self) {
        if self.ask(|reply| Command::Cancel { reply }).await.is_some() {
            self.ended().await;
        }
    }

    async fn ask<T>(&self, command: impl FnOnce(oneshot::Sender<T>) -> Command) -> Option<T> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(command(reply)).await.ok()?;
        answer.await.ok()
    }
}
