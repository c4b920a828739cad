//! The sockets: order of messages, first and last frames, slow and foreign peers.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{PATIENCE, Server, Socket, both_seats, drop_in, settings, text};

#[tokio::test]
async fn a_player_is_connected_first_then_sees_where_it_stands() {
    let server = Server::start().await;
    let session = server.create(both_seats()).await;
    let mut p0 = server.seat(&session, 0).await;
    let session_id = text(&session["session_id"]);
    assert_eq!(p0.next().await, json!({ "type": "connected", "player_id": "p0", "session_id": session_id }));
    let seen = p0.next().await;
    assert_eq!(
        (&seen["type"], &seen["tick"], &seen["on_turn"]),
        (&json!("observation"), &json!(0), &json!(true))
    );
    assert_eq!((&seen["data"]["seat"], &seen["player_id"]), (&json!("p0"), &json!("p0")));
    assert!(seen.get("deadline_ms").is_none(), "there is none");
    p0.act(drop_in(3)).await;
    let result = p0.next().await;
    assert_eq!(result, json!({ "type": "action_result", "accepted": true, "tick": 0 }));
    let seen = p0.next().await;
    assert_eq!(
        (&seen["type"], &seen["tick"], &seen["on_turn"]),
        (&json!("observation"), &json!(1), &json!(false))
    );
    // Long after the start the other seat sees the same position.
    let mut p1 = server.seat(&session, 1).await;
    p1.next_of("connected").await;
    let seen = p1.next().await;
    assert_eq!((&seen["tick"], &seen["on_turn"]), (&json!(1), &json!(true)));
}

#[tokio::test]
async fn a_wrong_token_or_a_wrong_first_message_is_refused_with_a_message() {
    let server = Server::start().await;
    let session = server.create(both_seats()).await;
    let (id, token) = (text(&session["session_id"]), text(&session["player_token"]));
    let other = server.create(both_seats()).await;
    for (session_id, first) in [
        (id, json!({ "type": "auth", "token": "pt_wrong" })),
        (id, json!({ "type": "auth" })),
        (id, json!({ "type": "ping" })),
        (id, json!([1])),
        (text(&other["session_id"]), json!({ "type": "auth", "token": token })),
        ("s_none", json!({ "type": "auth", "token": token })),
    ] {
        let mut socket = server.open(&format!("/play/{session_id}/ws"), None).await;
        socket.send(first.clone()).await;
        let refused = socket.next().await;
        assert_eq!(
            (&refused["type"], &refused["code"]),
            (&json!("error"), &json!("UNAUTHORIZED")),
            "{first}"
        );
        assert!(!text(&refused["message"]).is_empty());
        assert_eq!(socket.next().await, json!({ "close": 1008 }));
    }
}

/// Plays no-ops to the end and checks that what is told is already true everywhere.
async fn told(server: &Server, session_id: &str, socket: &mut Socket) -> Value {
    let end = socket.play_to_end(json!([])).await;
    let record = server.data(&format!("/sessions/{session_id}")).await;
    let credits = server.credits().await;
    assert_eq!((text(&record["status"]), credits), ("completed", 999.996), "when {end} arrived");
    let close = loop {
        let message = socket.next().await;
        if message.get("close").is_some() {
            break message;
        }
    };
    assert_eq!(close, json!({ "close": 1000 }));
    end
}

#[tokio::test]
async fn two_seats_play_no_ops_to_the_end_and_the_status_is_final_when_they_are_told() {
    let server = Server::start().await;
    let ask =
        json!({ "game": "market_simulator", "player_count": 2, "seats": 2, "vs_ai": false, "max_ticks": 10 });
    let session = server.create(ask).await;
    let session_id = text(&session["session_id"]);
    let (mut p0, mut p1) = (server.seat(&session, 0).await, server.seat(&session, 1).await);
    let begun = std::time::Instant::now();
    let (end, _) = tokio::join!(told(&server, session_id, &mut p0), told(&server, session_id, &mut p1));
    assert!(begun.elapsed() < Duration::from_secs(5), "ticks end early when all have acted");
    assert_eq!(
        (&end["ticks"], &end["credits_used"], &end["scores"]),
        (&json!(10), &json!(0.004), &json!({ "p0": 0, "p1": 0 }))
    );
    let mut late = server.seat(&session, 0).await;
    late.next_of("connected").await;
    assert_eq!(late.next().await, end, "who comes late is told too");
    assert_eq!(late.next().await, json!({ "close": 1000 }));
}

#[tokio::test]
async fn pings_are_answered_and_unknown_messages_ignored() {
    let server = Server::start().await;
    let session = server.create(both_seats()).await;
    let mut p0 = server.seat(&session, 0).await;
    p0.next_of("observation").await;
    p0.send(json!({ "type": "ping" })).await;
    assert_eq!(p0.next().await, json!({ "type": "pong" }));
    for (message, code) in [
        (json!({ "type": "dance" }), "UNKNOWN_TYPE"),
        (json!({ "type": "delegate", "provider_id": "p" }), "NOT_FOUND"),
        (json!({ "type": "action" }), "VALIDATION_ERROR"),
        (json!({ "no": "type" }), "BAD_MESSAGE"),
        (json!(7), "BAD_MESSAGE"),
    ] {
        p0.send(message.clone()).await;
        let answer = p0.next().await;
        assert_eq!((text(&answer["type"]), text(&answer["code"])), ("error", code), "{message}");
    }
    p0.send(json!({ "type": "action", "payload": drop_in(0), "action_id": 7 })).await;
    assert_eq!(
        p0.next().await,
        json!({ "type": "action_result", "accepted": true, "tick": 0, "action_id": 7 })
    );
}

#[tokio::test]
async fn a_refused_action_brings_the_observation_again_with_the_reason() {
    let server = Server::start().await;
    let session = server.create(both_seats()).await;
    let mut p0 = server.seat(&session, 0).await;
    p0.next_of("observation").await;
    p0.act(drop_in(42)).await;
    let result = p0.next().await;
    assert_eq!((&result["type"], &result["accepted"]), (&json!("action_result"), &json!(false)));
    let seen = p0.next().await;
    assert_eq!(seen["data"]["_rejection_feedback"], result["reasons"]);
    p0.act(drop_in(2)).await;
    assert_eq!(p0.next().await["accepted"], true);
    assert!(p0.next().await["data"].get("_rejection_feedback").is_none());
}

#[tokio::test]
async fn the_deadline_is_told_and_shrinks() {
    let server = Server::start().await;
    let session = server.create(json!({ "game": "connect_four", "seats": 2, "tick_ms": 5000 })).await;
    let mut p0 = server.seat(&session, 0).await;
    let first = p0.next_of("observation").await["deadline_ms"].as_u64().unwrap();
    assert!((1..=5000).contains(&first));
    tokio::time::sleep(Duration::from_millis(60)).await;
    let mut again = server.seat(&session, 0).await;
    let later = again.next_of("observation").await["deadline_ms"].as_u64().unwrap();
    assert!(later + 40 <= first, "{first} then {later}");
}

#[tokio::test]
async fn silence_is_broken_before_old_clients_give_up() {
    let mut settings = settings();
    settings.limits.keepalive = Duration::from_millis(200);
    let server = Server::with(settings).await;
    let session = server.create(both_seats()).await;
    let mut p1 = server.seat(&session, 1).await;
    assert_eq!(p1.next_of("waiting").await["waiting_for"], json!(["p0"]));
    let mut watcher = server.spectate(text(&session["session_id"])).await;
    watcher.next_of("waiting").await;
}

#[tokio::test]
async fn a_spectator_sees_every_seat_and_what_was_played() {
    let server = Server::start().await;
    let session = server.create(both_seats()).await;
    let mut watcher = server.spectate(text(&session["session_id"])).await;
    let first = watcher.next().await;
    assert_eq!(
        (&first["type"], &first["session"]["session_id"]),
        (&json!("session"), &session["session_id"])
    );
    let seen = watcher.next().await;
    assert_eq!(
        (&seen["type"], &seen["player_id"], &seen["tick"]),
        (&json!("observation"), &json!("p0"), &json!(0))
    );
    assert_eq!((&seen["data"]["seat"], &seen["others"]["p1"]["seat"]), (&json!("p0"), &json!("p1")));
    assert_eq!(seen["actions"], json!({}));
    let mut p0 = server.seat(&session, 0).await;
    p0.act(drop_in(3)).await;
    let seen = watcher.next().await;
    assert_eq!((&seen["tick"], &seen["actions"]["p0"]["action"]), (&json!(1), &drop_in(3)));
    assert!(seen["actions"]["p0"]["latency_ms"].is_u64());
    assert_eq!(seen["scores"].as_object().unwrap().len(), 2);
    watcher.send(json!({ "type": "ping" })).await;
    assert_eq!(watcher.next().await, json!({ "type": "pong" }));
}

#[tokio::test]
async fn an_automatic_session_can_be_watched_to_its_end_and_afterwards() {
    let server = Server::start().await;
    let ask = json!({ "game": "connect_four", "autostart": true, "pace_ms": 5, "ai": ["random", "random"] });
    let session = server.create(ask).await;
    let session_id = text(&session["session_id"]);
    let mut watcher = server.spectate(session_id).await;
    let mut ticks = Vec::new();
    let end = loop {
        let message = watcher.next().await;
        match text(&message["type"]) {
            "observation" => ticks.push(message["tick"].as_u64().unwrap()),
            "game_completed" => break message,
            _ => {}
        }
    };
    assert!(ticks.is_sorted_by(|a, b| a < b), "{ticks:?}");
    assert_eq!(ticks.last().copied(), end["ticks"].as_u64(), "the last position is shown");
    assert_eq!(watcher.next().await, json!({ "close": 1000 }));
    server.arena.host().forget(session_id);
    let mut late = server.spectate(session_id).await;
    assert_eq!(late.next().await["session"]["status"], "completed");
    assert_eq!(late.next().await, end);
    assert_eq!(late.next().await, json!({ "close": 1000 }));
}

#[tokio::test]
async fn a_spectator_that_stops_reading_is_dropped_and_nobody_else_notices() {
    // S-12.
    let mut settings = settings();
    settings.limits.send = Duration::from_millis(300);
    let server = Server::with(settings).await;
    let ask = json!({ "game": "market_simulator", "player_count": 8, "autostart": true, "pace_ms": 0, "max_ticks": 10_000 });
    let session = server.create(ask).await;
    let session_id = text(&session["session_id"]);
    let mut stuck = TcpStream::connect(server.address).await.unwrap();
    let upgrade = format!(
        "GET /api/v1/spectate/{session_id} HTTP/1.1\r\nHost: {}\r\nX-API-Key: {}\r\nUpgrade: websocket\r\n\
         Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
        server.address, server.key
    );
    stuck.write_all(upgrade.as_bytes()).await.unwrap();
    let live = server.arena.host().find(session_id).unwrap();
    let until = |there: bool| {
        let live = live.clone();
        async move {
            let waiting = async {
                while live.spectators.is_connected() != there {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            };
            tokio::time::timeout(PATIENCE, waiting).await.expect("it comes and goes in time");
        }
    };
    until(true).await;
    until(false).await;
    assert_eq!(live.face().record.status.as_str(), "active", "it was dropped while the game went on");
    let mut other = server.spectate(session_id).await;
    let first = other.next_of("observation").await["tick"].as_u64().unwrap();
    let next = other.next_of("observation").await["tick"].as_u64().unwrap();
    assert!(next > first, "another one comes and sees it move");
    let mut rest = Vec::new();
    let reading = stuck.read_to_end(&mut rest);
    _ = tokio::time::timeout(PATIENCE, reading).await.expect("the connection was ended");
    assert!(rest.len() < 32 << 20, "{} bytes were kept for it", rest.len());
}

#[tokio::test]
async fn an_oversized_message_ends_its_socket_only() {
    let server = Server::start().await;
    let session = server.create(both_seats()).await;
    let mut p0 = server.seat(&session, 0).await;
    p0.next_of("observation").await;
    p0.act(Value::from("x".repeat(70_000))).await;
    let ended = tokio::time::timeout(PATIENCE, async {
        use futures_util::StreamExt as _;
        while let Some(Ok(message)) = p0.0.next().await {
            assert!(!message.is_text(), "{message}");
        }
    });
    ended.await.expect("the socket ends");
    server.seat(&session, 0).await.next_of("observation").await;
}
