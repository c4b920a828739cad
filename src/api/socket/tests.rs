//! The socket over an in-memory pipe, so that time can be paused.

use tokio::io::DuplexStream;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{WebSocketStream, accept_async};

use super::*;
use crate::api::error::Step;

const PERIOD: Duration = Duration::from_mins(1);

/// Our socket and the server's end of it.
async fn pair(max_message: usize) -> (PlaySocket, WebSocketStream<DuplexStream>) {
    let (near, far) = tokio::io::duplex(1 << 20);
    let request = "ws://h/play/s/ws".into_client_request().expect("a request");
    let step = Step { endpoint: "connect", host: "h", mutating: false, secrets: &[] };
    let open = open::upgrade(request, Box::new(near), max_message, PERIOD, step);
    let (ws, server) = tokio::join!(open, accept_async(far));
    (PlaySocket::new(ws.expect("a socket"), PERIOD, max_message), server.expect("a socket"))
}

async fn text(server: &mut WebSocketStream<DuplexStream>) -> String {
    match server.next().await {
        Some(Ok(Frame::Text(text))) => text.to_string(),
        other => panic!("{other:?}"),
    }
}

async fn say(server: &mut WebSocketStream<DuplexStream>, text: &str) {
    server.send(Frame::text(text)).await.expect("sent");
}

#[tokio::test(start_paused = true)]
async fn silence_sends_one_ping_a_period_and_any_frame_ends_it() {
    // W-02.
    // SDK 3.4.0 tests/test_ws.py test_read_timeout_sends_a_ping_and_keeps_reading.
    let (mut socket, mut server) = pair(1 << 20).await;
    let serve = async {
        assert_eq!(text(&mut server).await, PING);
        say(&mut server, r#"{"type":"pong"}"#).await;
        assert_eq!(text(&mut server).await, PING);
        say(&mut server, r#"{"type":"game_started","players":["player_0"]}"#).await;
        server.close(None).await.expect("closed");
        server
    };
    let read = async {
        let mut kinds = Vec::new();
        while let Some(message) = socket.recv().await.expect("a message") {
            kinds.push(message.kind);
        }
        kinds
    };
    let (_, kinds) = tokio::join!(serve, read);
    assert_eq!(kinds, [MessageKind::Pong, MessageKind::GameStarted]);
    assert_eq!(socket.closed().map(|closed| closed.verdict), Some(Verdict::BackOff));
}

#[tokio::test(start_paused = true)]
async fn an_unanswered_ping_is_a_lost_link() {
    // SDK 3.4.0 tests/test_ws.py test_unanswered_ping_raises_the_timeout; W-01.
    let (mut socket, mut server) = pair(1 << 20).await;
    socket.set_keepalive(Duration::from_secs(15));
    let start = Instant::now();
    let error = socket.recv().await.expect_err("silence");
    assert_eq!(error, SocketError::Silent { after: Duration::from_secs(30) });
    assert_eq!(start.elapsed().as_secs(), 30);
    assert_eq!(text(&mut server).await, PING);
    assert_eq!(socket.recv().await, Ok(None));
    drop(socket);
    assert!(!matches!(server.next().await, Some(Ok(Frame::Text(_)))), "only one ping");
}

#[tokio::test(start_paused = true)]
async fn receiving_can_be_dropped_at_any_moment() {
    let (mut socket, mut server) = pair(1 << 20).await;
    let mut received = 0;
    for _ in 0..100 {
        // Much shorter than the period: the count of the silence must go on across calls.
        let slice = tokio::time::timeout(Duration::from_secs(1), socket.recv());
        if slice.await.is_ok() {
            received += 1;
        }
    }
    assert_eq!(received, 0);
    assert_eq!(text(&mut server).await, PING);
    socket.send_action(RawValue::NULL, Some("a")).await.expect("sent");
    assert_eq!(text(&mut server).await, r#"{"type":"action","payload":null,"action_id":"a"}"#);
    say(&mut server, r#"{"type":"waiting"}"#).await;
    assert_eq!(socket.recv().await.expect("open").expect("a message").kind, MessageKind::Waiting);
}

#[tokio::test(start_paused = true)]
async fn frames_that_are_not_messages_are_not_fatal() {
    let (mut socket, mut server) = pair(1 << 20).await;
    say(&mut server, "not json").await;
    server.send(Frame::binary(br#"{"type":"pong"}"#.to_vec())).await.expect("sent");
    server.send(Frame::binary(vec![0xff, 0xfe])).await.expect("sent");
    server.send(Frame::Ping(Vec::new().into())).await.expect("sent");
    say(&mut server, "").await;
    let mut kinds = Vec::new();
    while let Some(message) = socket.recv().await.expect("a message") {
        kinds.push(message.kind.as_str().to_owned());
    }
    // SDK 3.4.0 tests/test_ws.py test_closed_socket_ends_the_iteration: an empty frame is the end.
    assert_eq!(kinds, ["", "pong", ""]);
}

#[tokio::test(start_paused = true)]
async fn a_message_over_the_limit_is_a_clear_error() {
    // W-10.
    let (mut socket, mut server) = pair(1000).await;
    say(&mut server, &format!(r#"{{"type":"observation","data":"{}"}}"#, "x".repeat(900))).await;
    assert_eq!(socket.recv().await.expect("fits").expect("a message").kind, MessageKind::Observation);
    say(&mut server, &"x".repeat(1001)).await;
    let error = socket.recv().await.expect_err("too large");
    assert_eq!((&error, error.verdict()), (&SocketError::TooLarge { limit: 1000 }, Verdict::Stop));
    assert_eq!(error.to_string(), "the server sent a message over the limit of 1000 bytes");
    assert_eq!(socket.recv().await, Ok(None));
}

#[tokio::test(start_paused = true)]
async fn close_codes_and_abrupt_ends_are_told_apart() {
    // W-06, W-19.
    let over = r#"{"type":"game_completed","scores":{}}"#;
    for (first, frame, wanted) in [
        (Some(over), Some((CloseCode::Normal, "bye")), (Some(1000), "bye", Verdict::Ended)),
        (None, Some((CloseCode::Restart, "deploy\u{1b}[2J")), (Some(1012), "deploy [2J", Verdict::Soon)),
        (None, Some((CloseCode::Again, "")), (Some(1013), "", Verdict::Later)),
        (None, Some((CloseCode::Policy, "no")), (Some(1008), "no", Verdict::Stop)),
        (None, None, (None, "", Verdict::BackOff)),
        (Some(over), None, (None, "", Verdict::Ended)),
    ] {
        let (mut socket, mut server) = pair(1000).await;
        if let Some(first) = first {
            say(&mut server, first).await;
        }
        let frame = frame.map(|(code, reason)| CloseFrame { code, reason: reason.into() });
        server.close(frame).await.expect("closed");
        while socket.recv().await.expect("no error").is_some() {}
        let closed = socket.closed().expect("closed");
        assert_eq!((closed.code, closed.reason.as_str(), closed.verdict), wanted);
    }
}

#[tokio::test(start_paused = true)]
async fn a_link_that_breaks_is_an_error_unless_the_game_is_over() {
    for over in [false, true] {
        let (mut socket, mut server) = pair(1000).await;
        if over {
            say(&mut server, r#"{"type":"game_completed"}"#).await;
            assert!(socket.recv().await.expect("a message").is_some());
        }
        drop(server);
        let end = socket.recv().await;
        assert_eq!(end.is_ok(), over, "{end:?}");
        let wanted = if over { Verdict::Ended } else { Verdict::BackOff };
        assert_eq!(socket.closed().map(|closed| closed.verdict), Some(wanted));
    }
}

#[tokio::test(start_paused = true)]
async fn leaving_takes_three_seconds_at_most() {
    let (socket, mut server) = pair(1000).await;
    let start = Instant::now();
    socket.close().await;
    assert_eq!(start.elapsed(), CLOSE_LIMIT);
    assert!(
        matches!(server.next().await, Some(Ok(Frame::Close(Some(frame)))) if frame.code == CloseCode::Normal)
    );
}
