//! One socket, kept open: connects, reads, sends, and comes back after it was lost.
//!
//! What to do after a loss is decided by [`api::reconnect`]; this carries it out. Every message goes into the session's
//! recording. The dashboard gets the newest observation and how many it replaced: however fast a socket is, what is
//! shown is never old.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

use crate::api;
use crate::api::model::{PlayerToken, ProviderId, SessionId};
use crate::api::reconnect::{Input, Output, State, step};
use crate::api::{Message, MessageKind, PlaySocket, Verdict};
use crate::tape::{Act, LineKind};

use super::pen::Pen;
use super::{ClientEvent, FeedEvent, FeedId};

/// How long closing all sockets may take.
pub const CLOSING: Duration = Duration::from_secs(1);
/// The longest silence before the server is asked for a sign of life; twice that counts as lost.
const KEEPALIVE: Duration = Duration::from_secs(15);

/// The shortest time between two observations of a session that is only watched: half a frame. A player gets each at
/// once, unless the dashboard is slower than the socket.
const GAP: Duration = Duration::from_millis(16);

/// Whose socket.
#[derive(Debug, Clone)]
pub enum Target {
    /// Somebody who looks on.
    Spectator(SessionId),
    /// A seat of ours.
    Player(SessionId, PlayerToken),
}

/// What a socket is told to do; the end of the orders closes it.
#[derive(Debug)]
pub enum Command {
    /// Send an action.
    Act {
        /// Comes back in the acknowledgement.
        action_id: String,
        /// Who decided.
        by: Arc<str>,
        /// The tick it is meant for.
        tick: u64,
        /// The action as JSON text.
        payload: Arc<str>,
    },
    /// Let a provider decide a turn.
    Delegate {
        /// Comes back only if it could not be sent.
        action_id: String,
        /// Who decides.
        by: Arc<str>,
        /// The tick it is meant for.
        tick: u64,
        /// The provider.
        provider: ProviderId,
        /// The model; without one the provider's own choice.
        model: Option<String>,
    },
    /// Try again now.
    Reconnect,
}

/// How an attempt to be connected ended.
enum End {
    /// We were told to close it.
    Closed,
    /// It was lost, refused, or over.
    Lost {
        /// What that means.
        verdict: Verdict,
        /// How long it was up.
        lived: Duration,
        /// What happened, for people.
        why: String,
    },
}

/// Runs the socket until its orders end.
pub async fn run(
    api: api::Client,
    feed: FeedId,
    target: Target,
    orders: mpsc::Receiver<Command>,
    events: mpsc::Sender<ClientEvent>,
    pen: Pen,
) {
    let gap = if matches!(target, Target::Spectator(_)) { GAP } else { Duration::ZERO };
    let mut link = Link { api, target, feed, orders, events, pen, newest: Newest::new(gap) };
    let mut state = State::START;
    loop {
        // Only a connecting link gets here.
        let State::Connecting { attempt } = state else { return };
        let End::Lost { verdict, lived, why } = link.live(attempt).await else { return };
        let live = if lived.is_zero() { state } else { step(state, Input::Opened, 0.0).0 };
        let (next, output) = step(live, Input::Lost { verdict, lived }, rand::random());
        if !lived.is_zero() && verdict != Verdict::Ended {
            link.pen.write(LineKind::Linked { up: false, why: Some(why.clone()) }).await;
        }
        let input = if let Output::Wait(retry) = output {
            link.tell(FeedEvent::Lost { why, retry }).await;
            link.pause(Some(retry)).await
        } else {
            link.tell(FeedEvent::Ended { why, orderly: verdict == Verdict::Ended }).await;
            link.pause(None).await
        };
        let Some(input) = input else { return };
        state = step(next, input, 0.0).0;
    }
}

/// What a feed works with.
struct Link {
    api: api::Client,
    target: Target,
    feed: FeedId,
    orders: mpsc::Receiver<Command>,
    events: mpsc::Sender<ClientEvent>,
    pen: Pen,
    newest: Newest,
}

impl Link {
    async fn tell(&self, event: FeedEvent) {
        // The receiver is gone only when the program ends.
        let _ = self.events.send(ClientEvent::Fed(self.feed, event)).await;
    }

    /// Connects and stays connected as long as it lasts.
    async fn live(&mut self, attempt: u32) -> End {
        self.tell(FeedEvent::Connecting { attempt }).await;
        let mut socket = match self.connect().await {
            Some(Ok(socket)) => socket,
            Some(Err(why)) => {
                tracing::warn!(error = %why, why = why.why(), "a socket did not open");
                let words = format!("{why}: {}", why.why());
                return End::Lost { verdict: why.verdict(), lived: Duration::ZERO, why: words };
            }
            None => return End::Closed,
        };
        socket.set_keepalive(KEEPALIVE);
        let opened = Instant::now();
        self.tell(FeedEvent::Opened).await;
        if attempt > 1 {
            self.pen.write(LineKind::Linked { up: true, why: None }).await;
        }
        let Some((verdict, why)) = self.read(&mut socket).await else {
            socket.close().await;
            return End::Closed;
        };
        // A link that was up at all is told from one that was refused.
        End::Lost { verdict, lived: opened.elapsed().max(Duration::from_millis(1)), why }
    }

    /// Connects; `None` if we are told to close meanwhile.
    async fn connect(&mut self) -> Option<Result<PlaySocket, api::Error>> {
        let (api, target) = (self.api.clone(), self.target.clone());
        let connecting = async move {
            match target {
                Target::Spectator(session) => api.spectate(&session).await,
                Target::Player(session, token) => api.connect_player(&session, &token).await,
            }
        };
        let mut connecting = std::pin::pin!(connecting);
        loop {
            tokio::select! {
                socket = &mut connecting => return Some(socket),
                order = self.orders.recv() => self.refuse(order?).await,
            }
        }
    }

    /// Reads and sends until the socket ends. `None` if we are told to close it.
    async fn read(&mut self, socket: &mut PlaySocket) -> Option<(Verdict, String)> {
        let end = loop {
            let due = self.newest.due();
            tokio::select! {
                // What waits goes first, or a socket that never pauses would keep it waiting.
                biased;
                room = room_at(&self.events, due) => {
                    for event in self.newest.take() {
                        // There is room for one; a count before it may wait a moment.
                        if let Ok(room) = self.events.reserve().await {
                            room.send(ClientEvent::Fed(self.feed, event));
                        }
                    }
                    drop(room);
                }
                order = self.orders.recv() => match order? {
                    Command::Act { action_id, by, tick, payload } => {
                        let sent = act(socket, &action_id, &payload).await;
                        let act = decided(socket, &by, tick, Some(payload));
                        self.acted(sent, action_id, act).await;
                    }
                    Command::Delegate { action_id, by, tick, provider, model } => {
                        let sent = socket.delegate(provider.as_str(), model.as_deref()).await;
                        let act = decided(socket, &by, tick, None);
                        self.acted(sent.map_err(|why| why.to_string()), action_id, act).await;
                    }
                    Command::Reconnect => {}
                },
                message = socket.recv() => match message {
                    Ok(Some(message)) => self.heard(message).await,
                    Ok(None) => break socket.ending(),
                    Err(why) => break (why.verdict(), why.to_string()),
                },
            }
        };
        self.flush().await;
        Some(end)
    }

    /// Notes a message; passes it on, unless it is an observation that a newer one may replace.
    async fn heard(&mut self, message: Message) {
        self.pen.write(LineKind::Heard(message.clone())).await;
        if message.kind == MessageKind::Observation {
            self.newest.put(message);
        } else {
            // Their order is kept.
            self.flush().await;
            self.tell(FeedEvent::Said(message)).await;
        }
    }

    async fn flush(&mut self) {
        for event in self.newest.take() {
            self.tell(event).await;
        }
    }

    /// Notes what was sent for the seat, or tells that it was not.
    async fn acted(&mut self, sent: Result<(), String>, action_id: String, act: Act) {
        match sent {
            Ok(()) => self.pen.write(LineKind::Acted(act)).await,
            Err(why) => self.tell(FeedEvent::NotSent { action_id, why }).await,
        }
    }

    /// Waits for its time, or for the user. `None` if we are told to close it.
    async fn pause(&mut self, wait: Option<Duration>) -> Option<Input> {
        let timer = async {
            match wait {
                Some(wait) => sleep(wait).await,
                None => std::future::pending().await,
            }
        };
        let mut timer = std::pin::pin!(timer);
        loop {
            tokio::select! {
                () = &mut timer => return Some(Input::Due),
                order = self.orders.recv() => match order? {
                    Command::Reconnect => return Some(Input::Retry),
                    order => self.refuse(order).await,
                },
            }
        }
    }

    async fn refuse(&self, order: Command) {
        if let Command::Act { action_id, .. } | Command::Delegate { action_id, .. } = order {
            self.tell(FeedEvent::NotSent { action_id, why: "the connection is down".into() }).await;
        }
    }
}

/// Waits for room for an event, but not before a time; for ever without one.
async fn room_at(
    events: &mpsc::Sender<ClientEvent>,
    due: Option<Instant>,
) -> Option<mpsc::OwnedPermit<ClientEvent>> {
    let Some(due) = due else { return std::future::pending().await };
    if due > Instant::now() {
        sleep_until(due).await;
    }
    events.clone().reserve_owned().await.ok()
}

/// The observation that waits to be passed on.
struct Newest {
    gap: Duration,
    /// When one was passed on last.
    passed: Option<Instant>,
    waits: Option<Message>,
    replaced: u64,
}

impl Newest {
    fn new(gap: Duration) -> Self {
        Self { gap, passed: None, waits: None, replaced: 0 }
    }

    fn put(&mut self, message: Message) {
        self.replaced += u64::from(self.waits.replace(message).is_some());
    }

    /// When it is to be passed on.
    fn due(&self) -> Option<Instant> {
        self.waits.as_ref()?;
        Some(self.passed.map_or_else(Instant::now, |passed| passed + self.gap))
    }

    /// What is to be told now.
    fn take(&mut self) -> Vec<FeedEvent> {
        let Some(message) = self.waits.take() else { return Vec::new() };
        self.passed = Some(Instant::now());
        let replaced = std::mem::take(&mut self.replaced);
        let skipped = (replaced > 0).then_some(FeedEvent::Skipped(replaced));
        skipped.into_iter().chain([FeedEvent::Said(message)]).collect()
    }
}

/// What was decided for the seat of a socket, for its recording.
fn decided(socket: &PlaySocket, by: &str, tick: u64, payload: Option<Arc<str>>) -> Act {
    let player_id = socket.player_id().map_or_else(String::new, ToString::to_string);
    Act { player_id, tick, by: by.to_owned(), payload, shadow: false, agrees: None }
}

async fn act(socket: &mut PlaySocket, action_id: &str, payload: &str) -> Result<(), String> {
    let payload = RawValue::from_string(payload.to_owned()).map_err(|why| why.to_string())?;
    socket.send_action(&payload, Some(action_id)).await.map_err(|why| why.to_string())
}
