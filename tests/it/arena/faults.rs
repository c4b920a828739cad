//! Faults on demand, as a client meets them.

use std::sync::Arc;

use futures_util::StreamExt as _;
use gert::arena::ArenaSettings;
use gert::arena::faults::Faults;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::{Server, both_seats, code, drop_in, settings, text};

async fn with(script: Value) -> Server {
    let faults = Arc::new(Faults::new(serde_json::from_value(script).unwrap()));
    Server::with(ArenaSettings { faults, ..settings() }).await
}

async fn sessions(server: &Server) -> usize {
    server.data("/sessions").await["sessions"].as_array().unwrap().len()
}

#[tokio::test]
async fn an_error_comes_as_scripted_and_then_no_more() {
    let server = with(json!({"request": [
        {"on": "POST /play", "times": 1, "status": 503, "code": "SERVER_BUSY", "retry_after": 7,
         "members": {"existing_job_id": "j_1"}},
        {"on": "GET /games", "times": 1, "body": "<html>"},
    ]}))
    .await;
    let url = format!("{}/play", server.base());
    let answer =
        server.client.post(&url).header("x-api-key", &server.key).json(&both_seats()).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.headers()["retry-after"].to_str().unwrap()), (503, "7"));
    let body: Value = answer.json().await.unwrap();
    assert_eq!((code(&body), text(&body["existing_job_id"])), ("SERVER_BUSY", "j_1"));
    assert_eq!(sessions(&server).await, 0, "nothing was started");
    server.create(both_seats()).await;
    let games = server.client.get(format!("{}/games", server.base())).header("x-api-key", &server.key);
    assert_eq!(games.send().await.unwrap().text().await.unwrap(), "<html>");
    server.data("/games").await;
}

#[tokio::test]
async fn a_connection_is_cut_before_after_or_in_the_middle() {
    let server = with(json!({"request": [
        {"on": "POST /play", "times": 1, "cut": "before"},
        {"on": "POST /play", "times": 1, "cut": "after"},
        {"on": "POST /play", "times": 1, "cut": "middle"},
    ]}))
    .await;
    let ask = || {
        let url = format!("{}/play", server.base());
        server.client.post(url).header("x-api-key", &server.key).json(&both_seats()).send()
    };
    assert!(ask().await.is_err(), "before");
    assert_eq!(sessions(&server).await, 0);
    assert!(ask().await.is_err(), "after");
    assert_eq!(sessions(&server).await, 1);
    let answer = ask().await.unwrap();
    assert_eq!(answer.status().as_u16(), 201);
    assert!(answer.bytes().await.is_err(), "middle");
    assert_eq!(sessions(&server).await, 2);
}

#[tokio::test]
async fn a_socket_drops_closes_or_talks_nonsense() {
    let server = with(json!({"socket": [
        {"on": "play", "times": 1, "after": 1, "then": "drop"},
        {"on": "play", "times": 1, "after": 2, "then": {"close": 1012}},
        {"on": "play", "times": 1, "then": {"garbage": "{]"}},
    ]}))
    .await;
    let session = server.create(both_seats()).await;
    let mut dropped = server.seat(&session, 0).await;
    assert_eq!(dropped.next().await["type"], "connected");
    let last = dropped.0.next().await;
    assert!(!matches!(last, Some(Ok(Message::Close(_)))), "no goodbye: {last:?}");
    let mut closed = server.seat(&session, 0).await;
    assert_eq!(closed.next().await["type"], "connected");
    assert_eq!(closed.next().await["type"], "observation");
    assert_eq!(closed.next().await, json!({ "close": 1012 }));
    let mut odd = server.seat(&session, 0).await;
    assert_eq!(odd.0.next().await.unwrap().unwrap(), Message::text("{]"));
    assert_eq!(odd.next().await["type"], "connected", "and goes on");
}

#[tokio::test]
async fn a_session_starts_late_or_not_at_all() {
    // protocol.md §2.9: `waiting` becomes `active`; a failed start carries `failure_reason`.
    let server = with(json!({"session": [
        {"times": 1, "start_delay_ms": 300},
        {"times": 1, "start_failure": "no host"},
    ]}))
    .await;
    let late = server.create(both_seats()).await;
    assert_eq!(late["session"]["status"], "waiting");
    let mut player = server.seat(&late, 0).await;
    player.next_of("observation").await;
    server.until(text(&late["session_id"]), "status", "active").await;
    let refused = server.create(both_seats()).await;
    let record = server.until(text(&refused["session_id"]), "status", "failed").await;
    assert_eq!((&record["failure_reason"], &record["credits_used"]), (&json!("no host"), &json!(0)));
}

#[tokio::test]
async fn a_seat_fails_at_its_tick() {
    let server =
        with(json!({"session": [{"game": "connect_four", "seat": "p1", "tick": 2, "reason": "crashed"}]}))
            .await;
    let session = server.create(both_seats()).await;
    let mut seats = [server.seat(&session, 0).await, server.seat(&session, 1).await];
    for column in 0..2 {
        seats[column as usize].next_of("observation").await;
        seats[column as usize].act(drop_in(column)).await;
    }
    let failed = seats[1].next_of("player_failed").await;
    assert_eq!((&failed["tick"], &failed["reason"]), (&json!(2), &json!("crashed")));
    let end = seats[0].next_of("game_completed").await;
    assert_eq!(end["ranks"], json!({"p0": 1, "p1": 2}));
}
