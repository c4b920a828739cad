//! One socket, kept open: connects, reads, sends, and comes back after it was lost.
//!
//! What to do after a loss is decided by [`api::reconnect`]; this carries it out.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use crate::api;
use crate::api::model::{PlayerToken, SessionId};
use crate::api::reconnect::{Input, Output, State, step};
use crate::api::{PlaySocket, Verdict};

use super::{ClientEvent, FeedEvent, FeedId};

/// How long closing all sockets may take.
pub const CLOSING: Duration = Duration::from_secs(1);
/// The longest silence before the server is asked for a sign of life; twice that counts as lost.
const KEEPALIVE: Duration = Duration::from_secs(15);

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
        /// The action as JSON text.
        payload: Arc<str>,
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
) {
    let mut link = Link { api, target, feed, orders, events };
    let mut state = State::START;
    loop {
        // Only a connecting link gets here.
        let State::Connecting { attempt } = state else { return };
        let End::Lost { verdict, lived, why } = link.live(attempt).await else { return };
        let live = if lived.is_zero() { state } else { step(state, Input::Opened, 0.0).0 };
        let (next, output) = step(live, Input::Lost { verdict, lived }, rand::random());
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
        loop {
            tokio::select! {
                message = socket.recv() => match message {
                    Ok(Some(message)) => self.tell(FeedEvent::Said(message)).await,
                    Ok(None) => return Some(socket.ending()),
                    Err(why) => return Some((why.verdict(), why.to_string())),
                },
                order = self.orders.recv() => match order? {
                    Command::Act { action_id, payload } => {
                        if let Err(why) = act(socket, &action_id, &payload).await {
                            self.tell(FeedEvent::NotSent { action_id, why }).await;
                        }
                    }
                    Command::Reconnect => {}
                },
            }
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
                    order @ Command::Act { .. } => self.refuse(order).await,
                },
            }
        }
    }

    async fn refuse(&self, order: Command) {
        if let Command::Act { action_id, .. } = order {
            self.tell(FeedEvent::NotSent { action_id, why: "the connection is down".into() }).await;
        }
    }
}

async fn act(socket: &mut PlaySocket, action_id: &str, payload: &str) -> Result<(), String> {
    let payload = RawValue::from_string(payload.to_owned()).map_err(|why| why.to_string())?;
    socket.send_action(&payload, Some(action_id)).await.map_err(|why| why.to_string())
}
