//! The player and the spectator socket.
//!
//! [`PlaySocket::recv`] may be dropped at any moment without losing a message or the keepalive's count, so one
//! task can `select!` over receiving and its own commands and send in between; there is no need to split the
//! socket. Reconnecting is the owner's business: see [`reconnect`](super::reconnect).

mod closed;
mod message;
mod open;

use std::fmt;
use std::time::Duration;

use futures_util::{FutureExt, SinkExt, StreamExt};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::CapacityError;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error as WsError, Message as Frame, Utf8Bytes};

pub use self::closed::{Closed, Verdict};
pub use self::message::{JsonSlice, Message, MessageKind};
use super::connect::Stream;
use super::guard::{Gate, Outcome};
use super::http::size;
use super::{clean, model::PlayerId};

/// How long leaving may take.
const CLOSE_LIMIT: Duration = Duration::from_secs(3);

/// The longest time a message may wait to be taken by the connection.
const SEND_LIMIT: Duration = Duration::from_secs(30);

/// A link to a live session.
pub struct PlaySocket {
    ws: WebSocketStream<Stream>,
    player_id: Option<PlayerId>,
    keepalive: Duration,
    /// When the present silence becomes a ping, or the end; `None` while nobody waited since the last frame.
    deadline: Option<Instant>,
    pinged: bool,
    /// A ping was handed over and may not have left yet.
    unflushed: bool,
    over: bool,
    closed: Option<Closed>,
    max_message: usize,
    /// Has a say over what may bill.
    gate: Gate,
}

/// A link was lost, or a message cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SocketError {
    /// Neither messages nor an answer to a ping.
    #[error("the server was silent for {after:?}, even after a ping")]
    Silent {
        /// How long.
        after: Duration,
    },
    /// The connection broke.
    #[error("the connection was lost: {0}")]
    Lost(String),
    /// A message over the limit.
    #[error("the server sent a message over the limit of {limit}", limit = size(*.limit))]
    TooLarge {
        /// In bytes.
        limit: usize,
    },
    /// The guard of the client does not let it pass: nothing was sent, and the link goes on.
    #[error("{0}")]
    Refused(String),
    /// Not the WebSocket protocol.
    #[error("the server broke the WebSocket protocol: {0}")]
    Protocol(String),
}

impl SocketError {
    /// What to do after it.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Silent { .. } | Self::Lost(_) | Self::Protocol(_) => Verdict::BackOff,
            // The same message would come again, or be refused again.
            Self::TooLarge { .. } | Self::Refused(_) => Verdict::Stop,
        }
    }
}

impl PlaySocket {
    fn new(ws: WebSocketStream<Stream>, keepalive: Duration, max_message: usize) -> Self {
        Self {
            ws,
            player_id: None,
            keepalive,
            deadline: None,
            pinged: false,
            unflushed: false,
            over: false,
            closed: None,
            max_message,
            gate: Gate::default(),
        }
    }

    /// Our seat; `None` for a spectator.
    pub fn player_id(&self) -> Option<&PlayerId> {
        self.player_id.as_ref()
    }

    /// How and why the socket ended, once [`PlaySocket::recv`] gave `None`.
    pub fn closed(&self) -> Option<&Closed> {
        self.closed.as_ref()
    }

    /// What the end of the socket means for the next attempt, and in words.
    pub fn ending(&self) -> (Verdict, String) {
        let Some(closed) = &self.closed else { return (Verdict::BackOff, "the connection ended".into()) };
        let words = match (closed.code, closed.reason.is_empty()) {
            (_, false) => closed.reason.clone(),
            (Some(code), true) => format!("closed by the server with code {code}"),
            (None, true) => "the connection ended".into(),
        };
        (closed.verdict, words)
    }

    /// True once the game is over: whatever happens to the link now is no loss.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Sets the longest silence before a ping, from now on.
    pub fn set_keepalive(&mut self, period: Duration) {
        self.keepalive = period;
        self.deadline = None;
    }

    /// The next message; `None` when the socket is closed, see [`PlaySocket::closed`]. Safe to drop and call again.
    ///
    /// After a silence of the keepalive period one `ping` is sent; a second such silence is an error.
    ///
    /// # Errors
    /// When the link is lost; nothing more comes after that.
    pub async fn recv(&mut self) -> Result<Option<Message>, SocketError> {
        while self.closed.is_none() {
            let Ok(frame) = self.frame_in_time().await else {
                self.was_silent().await?;
                continue;
            };
            (self.pinged, self.deadline) = (false, None);
            if let Some(message) = self.take(frame)? {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }

    /// Acts for our seat. The payload is any JSON, usually a list of action objects; `[]` does nothing.
    ///
    /// # Errors
    /// When the link is lost.
    pub async fn send_action(
        &mut self,
        payload: &RawValue,
        action_id: Option<&str>,
    ) -> Result<(), SocketError> {
        #[derive(Serialize)]
        struct Sent<'a> {
            r#type: &'static str,
            payload: &'a RawValue,
            #[serde(skip_serializing_if = "Option::is_none")]
            action_id: Option<&'a str>,
        }
        self.send(&Sent { r#type: "action", payload, action_id }).await
    }

    /// Lets a registered provider decide this turn. Only the server knows what that costs, so the client's guard is asked
    /// for it as for a call of an unknown price.
    ///
    /// # Errors
    /// [`SocketError::Refused`] when the guard does not let it pass; when the link is lost.
    pub async fn delegate(&mut self, provider_id: &str, model: Option<&str>) -> Result<(), SocketError> {
        #[derive(Serialize)]
        struct Sent<'a> {
            r#type: &'static str,
            provider_id: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            model: Option<&'a str>,
        }
        let admitted = self.gate.admit("delegate turn", None).await.map_err(SocketError::Refused)?;
        let sent = self.send(&Sent { r#type: "delegate", provider_id, model }).await;
        // There is no answer that says what it cost, and what was lost may have arrived.
        admitted.settle(Outcome::Unknown).await;
        sent
    }

    /// Asks the server for a sign of life.
    ///
    /// # Errors
    /// When the link is lost.
    pub async fn ping(&mut self) -> Result<(), SocketError> {
        self.send_text(PING.into()).await
    }

    /// Leaves politely; takes three seconds at most.
    pub async fn close(mut self) {
        let frame = CloseFrame { code: CloseCode::Normal, reason: Utf8Bytes::default() };
        let leave = async {
            self.ws.close(Some(frame)).await?;
            while let Some(frame) = self.ws.next().await {
                frame?;
            }
            Ok::<_, WsError>(())
        };
        // Whatever happens, the connection is dropped next.
        let _ = timeout(CLOSE_LIMIT, leave).await;
    }

    async fn send(&mut self, message: &impl Serialize) -> Result<(), SocketError> {
        let text =
            serde_json::to_string(message).map_err(|error| SocketError::Protocol(error.to_string()))?;
        self.send_text(text.into()).await
    }

    async fn send_text(&mut self, text: Utf8Bytes) -> Result<(), SocketError> {
        match timeout(SEND_LIMIT, self.ws.send(Frame::Text(text))).await {
            Ok(sent) => sent.map_err(|error| self.explain(&error)),
            Err(_) => {
                Err(SocketError::Lost(format!("a message was not taken within {} s", SEND_LIMIT.as_secs())))
            }
        }
    }

    /// The next frame, or nothing at the end of the socket, unless the silence was too long.
    async fn frame_in_time(&mut self) -> Result<Option<Result<Frame, WsError>>, Elapsed> {
        // For what is there already neither clock nor timer is needed.
        if let Some(frame) = self.next_frame().now_or_never() {
            return Ok(frame);
        }
        timeout_at(self.patience(), self.next_frame()).await
    }

    /// The end of the present silence, which began no later than now.
    fn patience(&mut self) -> Instant {
        *self.deadline.get_or_insert_with(|| Instant::now() + self.keepalive)
    }

    /// After a silence hands a ping over, without waiting for it to leave: that is done while receiving. After a second
    /// one gives up.
    async fn was_silent(&mut self) -> Result<(), SocketError> {
        if self.pinged {
            let error = SocketError::Silent { after: self.keepalive * 2 };
            self.closed = Some(Closed::lost(&error.to_string(), self.over));
            return Err(error);
        }
        (self.pinged, self.deadline, self.unflushed) = (true, None, true);
        // An error here comes up again when the next frame is read.
        let _ = timeout_at(self.patience(), self.ws.feed(Frame::Text(PING.into()))).await;
        Ok(())
    }

    async fn next_frame(&mut self) -> Option<Result<Frame, WsError>> {
        if self.unflushed {
            if let Err(error) = self.ws.flush().await {
                return Some(Err(error));
            }
            self.unflushed = false;
        }
        self.ws.next().await
    }

    fn take(&mut self, frame: Option<Result<Frame, WsError>>) -> Result<Option<Message>, SocketError> {
        let text = match frame {
            Some(Ok(Frame::Text(text))) => text,
            Some(Ok(Frame::Binary(bytes))) => match Utf8Bytes::try_from(bytes) {
                Ok(text) => text,
                Err(_) => return Ok(Some(Message::unreadable("(binary data)".into()))),
            },
            Some(Ok(Frame::Close(frame))) => {
                self.closed = Some(Closed::by(frame.as_ref(), self.over));
                return Ok(None);
            }
            // The library answers pings by itself.
            Some(Ok(Frame::Ping(_) | Frame::Pong(_) | Frame::Frame(_))) => return Ok(None),
            Some(Err(WsError::ConnectionClosed | WsError::AlreadyClosed)) | None => {
                self.closed = Some(Closed::by(None, self.over));
                return Ok(None);
            }
            Some(Err(error)) => {
                let error = self.explain(&error);
                self.closed = Some(Closed::after(&error, self.over));
                // After the end of the game a reset is as good as a close.
                return if self.over { Ok(None) } else { Err(error) };
            }
        };
        if text.is_empty() {
            // The SDK takes an empty frame for the end.
            self.closed = Some(Closed::by(None, self.over));
            return Ok(None);
        }
        let message = Message::parse(text);
        self.over |= message.kind == MessageKind::GameCompleted;
        Ok(Some(message))
    }

    fn explain(&self, error: &WsError) -> SocketError {
        match error {
            WsError::Capacity(CapacityError::MessageTooLong { .. }) => {
                SocketError::TooLarge { limit: self.max_message }
            }
            WsError::Protocol(_) | WsError::Utf8(_) | WsError::Capacity(_) | WsError::AttackAttempt => {
                SocketError::Protocol(clean::line(&error.to_string(), clean::EXCERPT))
            }
            other => SocketError::Lost(clean::line(&super::connect::innermost(other), clean::EXCERPT)),
        }
    }
}

const PING: &str = r#"{"type":"ping"}"#;

impl fmt::Debug for PlaySocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlaySocket")
            .field("player_id", &self.player_id)
            .field("keepalive", &self.keepalive)
            .field("closed", &self.closed)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
