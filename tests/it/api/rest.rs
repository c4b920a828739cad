//! Requests and answers over a real connection.

use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gert::api::endpoints::{Act, CreateSession, GetBalance, GetGame, JoinPlay, LeavePlay};
use gert::api::model::{Json, PlayerToken, SessionId};
use gert::api::{Call, Client, ErrorKind, Notice, Observer};

use super::canned::{Canned, Reply, answer, data, error, raw_answer};
use super::{KEY, client, settings};

fn session() -> SessionId {
    "s1".into()
}

fn token() -> PlayerToken {
    "pt_abc".into()
}

#[tokio::test]
async fn a_request_carries_the_key_and_keeps_the_base_path() {
    let server = Canned::start(vec![data(r#"{"credits":10,"tier":"pro"}"#)]).await;
    let balance = client(&server.base()).send(&GetBalance::new()).await.expect("a balance");
    assert_eq!(balance.credits.to_bits(), 10f64.to_bits());
    let seen = &server.seen()[0];
    assert!(seen.starts_with("GET /api/v1/auth/balance HTTP/1.1\r\n"), "{seen}");
    assert!(
        seen.contains(&format!("x-api-key: {KEY}\r\n")) && seen.contains("accept-encoding: gzip"),
        "{seen}"
    );
}

#[tokio::test]
async fn bodies_are_sent_as_the_platform_expects_them() {
    let server =
        Canned::start(vec![data(r#"{"accepted":true,"tick":5}"#), Reply::Bytes(raw_answer(204, "", b""))])
            .await;
    let client = client(&server.base());
    let (session, token) = (session(), token());
    let act = Act::new(&session, &token, Json::parse("[]").expect("JSON"));
    let result = client.send(&act).await.expect("a result");
    assert!(result.accepted && result.tick == Some(5));
    client.send(&LeavePlay::new(&session, &token)).await.expect("left");
    let seen = server.seen();
    // SDK 3.4.0 tests/test_client.py test_play_act_uses_player_token_header.
    assert!(seen[0].contains("x-player-token: pt_abc\r\n") && seen[0].contains(&format!("x-api-key: {KEY}")));
    assert!(seen[0].contains("content-type: application/json\r\n") && seen[0].ends_with(r#"{"payload":[]}"#));
    assert!(seen[1].contains("content-length: 0\r\n") && !seen[1].contains("content-type"), "{}", seen[1]);
}

#[tokio::test]
async fn both_forms_of_retry_after_are_honoured_and_told() {
    // H-01. A date that is past means: now.
    let server = Canned::start(vec![
        error(429, "Retry-After: 0\r\n", "HOST_AT_CAPACITY"),
        error(503, "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n", "SERVER_BUSY"),
        answer(503, "Retry-After: 0\r\n", "service unavailable"),
        data(r#"{"credits":1}"#),
    ])
    .await;
    let notices = Arc::new(Mutex::new(Vec::new()));
    let mut settings = settings(&server.base());
    let log = notices.clone();
    settings.observer = Observer::new(move |notice| log.lock().expect("no panic").push(notice));
    Client::new(settings).expect("a client").send(&GetBalance::new()).await.expect("a balance");
    assert_eq!(server.seen().len(), 4);
    let notices = notices.lock().expect("no panic");
    assert_eq!(notices.len(), 3);
    let Notice::Waiting { endpoint, sent, wait, why } = &notices[0] else { panic!("{notices:?}") };
    assert_eq!((*endpoint, *sent, *wait), ("get balance", 1, Duration::ZERO));
    assert!(why.contains("HOST_AT_CAPACITY"), "{why}");
}

#[tokio::test]
async fn a_wait_can_be_cancelled() {
    let server = Canned::start(vec![error(503, "Retry-After: 60\r\n", "SERVER_BUSY")]).await;
    let client = client(&server.base());
    let waiting = tokio::time::timeout(Duration::from_millis(300), client.send(&GetBalance::new())).await;
    assert!(waiting.is_err(), "it waits as long as the server asked");
}

#[tokio::test]
async fn what_costs_is_not_sent_again_after_a_lost_answer() {
    // H-24. Each is sent exactly once, and the error says what may have happened and where to look.
    let server = Canned::start(vec![
        Reply::Cut,
        error(504, "", "GATEWAY_TIMEOUT"),
        Reply::Stall(b"HTTP/1.1 2".to_vec()),
    ])
    .await;
    let mut settings = settings(&server.base());
    settings.timeout = Duration::from_millis(300);
    let client = Client::new(settings).expect("a client");
    let error = client.send(&CreateSession::of("g")).await.expect_err("lost");
    assert_eq!((error.kind(), error.attempts(), error.outcome_unknown()), (ErrorKind::Lost, 1, true));
    assert!(error.advice().is_some_and(|advice| advice.contains("`gert sessions list --status active`")));
    assert_eq!((error.operation(), server.seen().len()), (Some("play.create"), 1));
    let error = client.send(&CreateSession::of("g")).await.expect_err("cut by the edge");
    assert_eq!((error.status(), error.outcome_unknown()), (Some(504), true));
    let act = Call::post("/play/s1/act").named("act").object();
    let error = client.raw(act).await.expect_err("silence");
    assert_eq!((error.kind(), error.outcome_unknown()), (ErrorKind::Timeout, true));
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn a_join_is_sent_once_more_after_a_lost_answer() {
    // SDK 3.4.0 tests/test_client.py test_play_join_resends_transport_drop.
    let seat = data(r#"{"session_id":"s1","player_id":"player_0","player_token":"tok"}"#);
    let server = Canned::start(vec![Reply::Cut, seat]).await;
    let joined = client(&server.base()).send(&JoinPlay::new(session())).await.expect("a seat");
    assert_eq!((joined.player_token.expose(), server.seen().len()), ("tok", 2));
    let server = Canned::start(vec![error(500, "", "INTERNAL_ERROR")]).await;
    let error = client(&server.base()).send(&JoinPlay::new(session())).await.expect_err("refused");
    assert_eq!((error.kind(), server.seen().len()), (ErrorKind::Server, 1));
}

#[tokio::test]
async fn answers_that_are_not_the_apis_are_named_as_such() {
    // H-06, H-18.
    let page = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>";
    let cut = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"data\":".to_vec();
    for (reply, kind, words) in [
        (answer(200, "Content-Type: text/html\r\n", "<html>Sign in</html>"), ErrorKind::Decode, "Sign in"),
        (answer(502, "Content-Type: text/html\r\n", page), ErrorKind::Server, "502 Bad Gateway nginx"),
        (data("[1,2]"), ErrorKind::Decode, "unexpected shape"),
        (Reply::Bytes(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec()), ErrorKind::Lost, "127.0.0.1:"),
        (Reply::Bytes(cut), ErrorKind::Lost, "broke before the answer was whole"),
        (
            answer(200, "Content-Encoding: gzip\r\n", "not gzip, really"),
            ErrorKind::Decode,
            "cannot be decompressed",
        ),
    ] {
        let server = Canned::start(vec![reply]).await;
        let error = client(&server.base()).send(&GetBalance::new()).await.expect_err("junk");
        assert_eq!((error.kind(), server.seen().len()), (kind, 1), "{}", error.why());
        assert!(error.why().contains(words), "{}", error.why());
    }
}

#[tokio::test]
async fn an_answer_over_the_limit_stops_at_the_limit() {
    // H-23: 8 MiB of zeros in a few kB, and a body without an end.
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let zeros = vec![b'0'; 1 << 20];
    for _ in 0..8 {
        gzip.write_all(&zeros).expect("memory");
    }
    let bomb = raw_answer(200, "Content-Encoding: gzip\r\n", &gzip.finish().expect("memory"));
    assert!(bomb.len() < 60_000);
    let endless = [b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), zeros.repeat(2)].concat();
    for reply in [Reply::Bytes(bomb), Reply::Stall(endless)] {
        let server = Canned::start(vec![reply]).await;
        let mut settings = settings(&server.base());
        settings.max_body = 1 << 20;
        let error =
            Client::new(settings).expect("a client").send(&GetBalance::new()).await.expect_err("too large");
        assert_eq!(error.kind(), ErrorKind::TooLarge);
        assert!(error.why().contains("over the limit of 1 MiB"), "{}", error.why());
    }
}

#[tokio::test]
async fn a_stalled_server_is_given_up_wherever_it_stalls() {
    // H-22.
    for bytes in [&b""[..], b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"] {
        let server = Canned::start(vec![Reply::Stall(bytes.to_vec())]).await;
        let mut settings = settings(&server.base());
        settings.timeout = Duration::from_millis(200);
        let error =
            Client::new(settings).expect("a client").send(&GetBalance::new()).await.expect_err("silence");
        assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Timeout, true));
        assert!(error.why().contains("silent for 0.2 s"), "{}", error.why());
    }
}

#[tokio::test]
async fn only_reads_follow_a_redirect_and_only_to_the_same_origin() {
    // H-12, H-13.
    let elsewhere = Canned::start(vec![data("{}")]).await;
    let away = format!("Location: {}/auth/balance?k={KEY}\r\n", elsewhere.base());
    let server = Canned::start(vec![answer(302, &away, "")]).await;
    let error = client(&server.base()).send(&GetBalance::new()).await.expect_err("redirected");
    assert_eq!((error.kind(), error.status()), (ErrorKind::Redirect, Some(302)));
    let location = error.location().expect("an address");
    assert!(location.contains(&elsewhere.address.to_string()) && !location.contains(KEY), "{location}");
    assert_eq!(elsewhere.seen().len(), 0);

    let here = "Location: /api/v2/auth/balance\r\n";
    let server = Canned::start(vec![answer(308, here, ""), data(r#"{"credits":2}"#)]).await;
    client(&server.base()).send(&GetBalance::new()).await.expect("a balance");
    assert!(server.seen()[1].starts_with("GET /api/v2/auth/balance "), "{:?}", server.seen());

    let server = Canned::start(vec![answer(307, here, "")]).await;
    let error = client(&server.base()).send(&CreateSession::of("g")).await.expect_err("redirected");
    assert_eq!((error.kind(), server.seen().len()), (ErrorKind::Redirect, 1));

    let circle = "Location: /api/v1/a\r\n";
    let server = Canned::start(vec![answer(302, circle, ""); 9]).await;
    let error = client(&server.base()).send(&GetBalance::new()).await.expect_err("a circle");
    assert_eq!((error.kind(), server.seen().len()), (ErrorKind::Redirect, 2));
    let server = Canned::start(vec![answer(304, "", "")]).await;
    let error = client(&server.base()).send(&GetBalance::new()).await.expect_err("nowhere");
    assert_eq!((error.kind(), error.location()), (ErrorKind::Redirect, None));
}

#[tokio::test]
async fn local_faults_send_nothing() {
    let server = Canned::start(vec![data("{}")]).await;
    let client = client(&server.base());
    for slug in ["", "a/b", ".."] {
        let error = client.send(&GetGame::new(slug)).await.expect_err("a bad slug");
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Argument, 0));
    }
    assert_eq!(server.seen().len(), 0);
    let error = Client::new(settings("http://gertlabs.example/api/v1")).expect_err("plain http");
    assert!(error.why().contains("in clear"), "{}", error.why());
}

#[tokio::test]
async fn nobody_there_is_said_with_what_to_do() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let error = client(&format!("http://{address}")).send(&CreateSession::of("g")).await.expect_err("nobody");
    assert_eq!((error.kind(), error.outcome_unknown()), (ErrorKind::Connect, false));
    assert!(error.why().to_lowercase().contains("connection refused"), "{}", error.why());
    assert!(error.advice().is_some_and(|advice| advice.contains("base URL")));
}

#[tokio::test]
async fn no_message_holds_a_secret() {
    // H-14.
    let echo = format!(
        r#"{{"error":{{"code":"UNAUTHORIZED","message":"bad key {KEY} and pt_abc"}},"key":"{KEY}"}}"#
    );
    let server = Canned::start(vec![answer(401, "", &echo)]).await;
    let client = client(&server.base());
    let (session, token) = (session(), token());
    let error = client.send(&LeavePlay::new(&session, &token)).await.expect_err("refused");
    let shown = format!("{error} {error:?} {} {:?} {client:?}", error.why(), error.body());
    assert!(!shown.contains(KEY) && !shown.contains("pt_abc"), "{shown}");
    assert!(error.why().contains("bad key *** and ***"), "{}", error.why());
}
