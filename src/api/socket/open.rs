//! Opening a socket: dial, upgrade, and for a player the first two frames.

use std::time::Duration;

use http::header::{HeaderName, LOCATION, ORIGIN, RETRY_AFTER, USER_AGENT};
use http::{HeaderValue, Request, Response};
use serde::Serialize;
use tokio_tungstenite::tungstenite::Error as WsError;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::{MessageKind, PlaySocket, Verdict};
use crate::api::call::Call;
use crate::api::clean;
use crate::api::connect::{self, Stream};
use crate::api::error::{Error, ErrorKind, Step};
use crate::api::http::{AGENT, Client};
use crate::api::model::{PlayerId, PlayerToken, SessionId};

const CONNECT: &str = "connect to session";
const SPECTATE: &str = "spectate session";

impl Client {
    /// Opens a seat's socket: sends the token and waits for `connected`.
    ///
    /// # Errors
    /// [`ErrorKind::Authentication`] when anything else comes first, [`ErrorKind::ReadOnly`] when the client may not
    /// change anything; see also [`Error::verdict`].
    pub async fn connect_player(
        &self,
        session: &SessionId,
        token: &PlayerToken,
    ) -> Result<PlaySocket, Error> {
        #[derive(Serialize)]
        struct Auth<'a> {
            r#type: &'static str,
            token: &'a str,
        }
        let secrets = [self.settings().key.expose(), token.expose()];
        let step = self.step(CONNECT, false, &secrets);
        if token.is_empty() {
            return Err(step.error(ErrorKind::Argument, "the player token is empty"));
        }
        let call = Call::get("/play").id("session", session.as_str()).then("/ws");
        self.may_act(&call, step).await?;
        let mut socket = self.open(&call, false, step).await?;
        let lost = |error: super::SocketError| step.error(ErrorKind::Lost, error.to_string());
        socket.send(&Auth { r#type: "auth", token: token.expose() }).await.map_err(lost)?;
        let first = socket.recv().await.map_err(lost)?;
        let Some(first) = first else {
            let reason = socket.closed().map(|closed| closed.reason.as_str()).unwrap_or_default();
            let reason = if reason.is_empty() { "the connection was closed" } else { reason };
            return Err(step.error(ErrorKind::Authentication, format!("the seat was refused: {reason}")));
        };
        if first.kind != MessageKind::Connected {
            let why = first.member::<String>("message");
            let why = why.unwrap_or_else(|| format!("`{}` came first", clean::line(&first.raw, 80)));
            socket.close().await;
            return Err(step.error(ErrorKind::Authentication, format!("the seat was refused: {why}")));
        }
        socket.player_id = first.player_id.map(PlayerId::from);
        socket.gate = self.gate(&call);
        Ok(socket)
    }

    /// Opens a spectator's socket.
    ///
    /// # Errors
    /// When the upgrade is refused; see also [`Error::verdict`].
    pub async fn spectate(&self, session: &SessionId) -> Result<PlaySocket, Error> {
        let secrets = [self.settings().key.expose()];
        let call = Call::get("/spectate").id("session", session.as_str());
        self.open(&call, true, self.step(SPECTATE, false, &secrets)).await
    }

    async fn open(&self, call: &Call, with_key: bool, step: Step<'_>) -> Result<PlaySocket, Error> {
        if let Some(fault) = call.fault() {
            return Err(step.error(ErrorKind::Argument, fault));
        }
        let request =
            self.upgrade_request(call, with_key).map_err(|why| step.error(ErrorKind::Argument, why))?;
        let base = &self.settings().base_url;
        let stream = self.dialer().open(base).await.map_err(|(kind, why)| step.error(kind, why))?;
        let settings = self.settings();
        let ws = upgrade(request, stream, settings.max_message, settings.timeout, step).await?;
        Ok(PlaySocket::new(ws, settings.keepalive, settings.max_message))
    }

    fn upgrade_request(&self, call: &Call, with_key: bool) -> Result<Request<()>, String> {
        let settings = self.settings();
        let url = settings.base_url.socket(&call.target());
        let mut request = url.into_client_request().map_err(|error| connect::innermost(&error))?;
        let headers = request.headers_mut();
        headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        // The SDK's library sends it, so a server may look at it.
        let origin = HeaderValue::from_str(&settings.base_url.origin());
        headers.extend(origin.ok().map(|origin| (ORIGIN, origin)));
        if with_key {
            headers.insert(HeaderName::from_static("x-api-key"), settings.key.header());
        }
        Ok(request)
    }
}

/// Makes a connection a socket.
pub(super) async fn upgrade(
    request: Request<()>,
    stream: Stream,
    max_message: usize,
    limit: Duration,
    step: Step<'_>,
) -> Result<WebSocketStream<Stream>, Error> {
    let config =
        WebSocketConfig::default().max_message_size(Some(max_message)).max_frame_size(Some(max_message));
    match tokio::time::timeout(limit, client_async_with_config(request, stream, Some(config))).await {
        Ok(Ok((ws, _))) => Ok(ws),
        Ok(Err(WsError::Http(response))) => Err(refused(&response, step)),
        Ok(Err(error)) => {
            let kind = if connect::find_tls(&error).is_some() { ErrorKind::Tls } else { ErrorKind::Lost };
            Err(step.error(
                kind,
                format!("`{}` did not open the socket: {}", step.host, connect::innermost(&error)),
            ))
        }
        Err(_) => {
            let why = format!("`{}` did not open the socket within {} s", step.host, limit.as_secs_f32());
            Err(step.error(ErrorKind::Timeout, why))
        }
    }
}

/// An answer other than 101. A redirect is never followed: the key would go along.
fn refused(response: &Response<Option<Vec<u8>>>, step: Step<'_>) -> Error {
    let status = response.status();
    let header = |name| response.headers().get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    if status.is_redirection() {
        let to = header(LOCATION).map(|to| clean::line(&clean::redact(to, step.secrets), clean::EXCERPT));
        let why = match &to {
            Some(to) => format!("HTTP {}: `{}` points to `{to}`", status.as_u16(), step.host),
            None => format!("HTTP {} from `{}` points nowhere", status.as_u16(), step.host),
        };
        return step.error(ErrorKind::Redirect, why).with_location(to).with_status(status);
    }
    if status.is_success() {
        let why = format!(
            "`{}` answered the upgrade with HTTP {}: it has no socket there",
            step.host,
            status.as_u16()
        );
        return step.error(ErrorKind::Decode, why).with_status(status);
    }
    step.refused(status, header(RETRY_AFTER), response.body().as_deref().unwrap_or_default())
}

impl Error {
    /// What a failure to open a socket means for the next attempt.
    pub fn verdict(&self) -> Verdict {
        match self.kind() {
            ErrorKind::Connect
            | ErrorKind::Proxy
            | ErrorKind::Timeout
            | ErrorKind::Lost
            | ErrorKind::Server => Verdict::BackOff,
            ErrorKind::RateLimit => Verdict::Later,
            _ => Verdict::Stop,
        }
    }
}
