//! Opening sockets over a real connection.

use futures_util::{SinkExt, StreamExt};
use gert::api::model::{PlayerToken, SessionId};
use gert::api::{Client, ErrorKind, MessageKind, PlaySocket, Verdict};
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message as Frame;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};

use super::canned::{Canned, Reply, answer, error};
use super::{KEY, client};

/// Takes one socket; says what was asked on the upgrade and what came first, after sending `first`.
#[expect(clippy::result_large_err, reason = "the type of the library's callback")]
async fn host(first: &'static str) -> (String, tokio::task::JoinHandle<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}/api/v1", listener.local_addr().expect("an address"));
    let task = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.expect("a client");
        let mut head = String::new();
        let note = |request: &Request, response: Response| {
            head = format!("{} {:?}", request.uri(), request.headers());
            Ok(response)
        };
        let mut ws = tokio_tungstenite::accept_hdr_async(stream, note).await.expect("a socket");
        let auth = if head.contains("/spectate/") { String::new() } else { text(ws.next().await) };
        ws.send(Frame::text(first)).await.expect("sent");
        while let Some(Ok(_)) = ws.next().await {}
        (head, auth)
    });
    (base, task)
}

pub(super) fn text(frame: Option<Result<Frame, tokio_tungstenite::tungstenite::Error>>) -> String {
    frame.expect("a frame").expect("a frame").into_text().expect("text").to_string()
}

pub(super) async fn connect(client: &Client) -> Result<PlaySocket, gert::api::Error> {
    client.connect_player(&SessionId::from("s1"), &PlayerToken::from("pt_abc")).await
}

#[tokio::test]
async fn a_player_sends_the_token_first_and_no_key() {
    let (base, host) = host(r#"{"type":"connected","player_id":"player_0"}"#).await;
    let socket = connect(&client(&base)).await.expect("a seat");
    assert_eq!(socket.player_id().map(ToString::to_string).as_deref(), Some("player_0"));
    socket.close().await;
    let (head, auth) = host.await.expect("no panic");
    assert_eq!(auth, r#"{"type":"auth","token":"pt_abc"}"#);
    assert!(head.starts_with("/api/v1/play/s1/ws ") && !head.contains("x-api-key"), "{head}");
    assert!(head.contains(&base.replace("/api/v1", "")), "the origin is the server's own: {head}");
}

#[tokio::test]
async fn a_spectator_sends_the_key_on_the_upgrade() {
    let (base, host) = host(r#"{"type":"session","session":{"status":"active"}}"#).await;
    let mut socket = client(&base).spectate(&SessionId::from("s1")).await.expect("a socket");
    let message = socket.recv().await.expect("a message").expect("a message");
    assert_eq!((message.kind, socket.player_id()), (MessageKind::Session, None));
    socket.close().await;
    let (head, _) = host.await.expect("no panic");
    assert!(head.starts_with("/api/v1/spectate/s1 ") && head.contains(KEY), "{head}");
}

#[tokio::test]
async fn anything_but_connected_is_a_refused_seat() {
    for (first, words) in [
        (r#"{"type":"error","message":"bad token pt_abc"}"#, "bad token ***"),
        (r#"{"type":"observation","data":{}}"#, "observation"),
        ("", "connection was closed"),
    ] {
        let (base, _host) = host(first).await;
        let error = connect(&client(&base)).await.expect_err("refused");
        assert_eq!((error.kind(), error.verdict()), (ErrorKind::Authentication, Verdict::Stop));
        assert!(error.why().contains(words), "{}", error.why());
    }
}

#[tokio::test]
async fn a_refused_upgrade_keeps_status_code_and_meaning() {
    // W-07, W-18.
    let away = "Location: https://elsewhere.example/spectate/s1\r\n";
    for (reply, kind, verdict, words) in [
        (error(401, "", "UNAUTHORIZED"), ErrorKind::Authentication, Verdict::Stop, "code=UNAUTHORIZED"),
        (error(403, "", "FORBIDDEN"), ErrorKind::Permission, Verdict::Stop, "status=403"),
        (error(404, "", "NOT_FOUND"), ErrorKind::NotFound, Verdict::Stop, "boom"),
        (answer(410, "", ""), ErrorKind::Api, Verdict::Stop, "410"),
        (answer(426, "", "upgrade"), ErrorKind::Api, Verdict::Stop, "426"),
        (answer(429, "", ""), ErrorKind::RateLimit, Verdict::Later, "429"),
        (answer(502, "", "<h1>Bad Gateway</h1>"), ErrorKind::Server, Verdict::BackOff, "Bad Gateway"),
        (answer(302, away, ""), ErrorKind::Redirect, Verdict::Stop, "elsewhere.example"),
        (answer(200, "", "hello"), ErrorKind::Decode, Verdict::Stop, "no socket there"),
        (Reply::Cut, ErrorKind::Lost, Verdict::BackOff, "did not open"),
        (Reply::Bytes(b"junk\r\n\r\n".to_vec()), ErrorKind::Lost, Verdict::BackOff, "did not open"),
    ] {
        let server = Canned::start(vec![reply.clone()]).await;
        let error = client(&server.base()).spectate(&SessionId::from("s1")).await.expect_err("refused");
        assert_eq!((error.kind(), error.verdict()), (kind, verdict), "{reply:?}: {}", error.why());
        assert!(error.why().contains(words), "{}", error.why());
    }
}

#[tokio::test]
async fn local_faults_open_nothing() {
    let server = Canned::start(Vec::new()).await;
    let client = client(&server.base());
    let empty = client.connect_player(&SessionId::from("s1"), &PlayerToken::from("")).await;
    assert_eq!(empty.expect_err("no token").kind(), ErrorKind::Argument);
    let slash = client.spectate(&SessionId::from("a/b")).await;
    assert_eq!(slash.expect_err("a slash").kind(), ErrorKind::Argument);
    assert_eq!(server.seen().len(), 0);
}
