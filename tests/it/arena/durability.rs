//! Stopping, restarting, being killed.

use std::path::Path;
use std::time::Duration;

use gert::arena::store::Place;
use gert::arena::{Arena, ArenaSettings, demo};
use serde_json::json;

use super::{PATIENCE, Server, both_seats, drop_in, settings, text};

fn on_disk(path: &Path) -> ArenaSettings {
    ArenaSettings::new(Place::File(path.to_owned()), true)
}

#[tokio::test]
async fn a_restart_keeps_accounts_keys_sessions_and_money() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arena.db");
    let mut server = Server::with(on_disk(&path)).await;
    let ask = json!({ "game": "connect_four", "autostart": true, "pace_ms": 0, "ai": ["random", "random"] });
    let session = server.create(ask).await;
    let session_path = format!("/sessions/{}", text(&session["session_id"]));
    server.until(text(&session["session_id"]), "status", "completed").await;
    let record = server.data(&session_path).await;
    let logs = server.data(&format!("{session_path}/logs")).await;
    let usage = server.data("/auth/usage").await;
    let (credits, key) = (server.credits().await, server.key.clone());
    server.stop().await;

    let mut server = Server::with(on_disk(&path)).await;
    server.key = key;
    assert_eq!(server.data(&session_path).await, record);
    assert_eq!(server.data(&format!("{session_path}/logs")).await, logs);
    assert_eq!(server.data("/auth/usage").await, usage);
    assert!((server.credits().await - credits).abs() < f64::EPSILON);
}

#[tokio::test]
async fn stopping_closes_every_socket_with_1001_and_settles_what_was_live() {
    // S-10.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arena.db");
    let mut server = Server::with(on_disk(&path)).await;
    let session = server.create(both_seats()).await;
    let session_id = text(&session["session_id"]).to_owned();
    let (mut player, mut watcher) = (server.seat(&session, 0).await, server.spectate(&session_id).await);
    player.next_of("observation").await;
    player.act(drop_in(3)).await;
    player.next_of("action_result").await;
    watcher.next_of("observation").await;
    // One that never says who it is, and one that never reads.
    let mut silent = server.open(&format!("/play/{session_id}/ws"), None).await;
    let _stuck = server.spectate(&session_id).await;
    server.until(&session_id, "tick", 1).await;
    let begun = std::time::Instant::now();
    let ((), closes) = tokio::join!(server.stop(), async {
        let mut closes = Vec::new();
        for socket in [&mut player, &mut watcher, &mut silent] {
            closes.push(loop {
                let message = socket.next().await;
                if message.get("close").is_some() {
                    break message["close"].clone();
                }
            });
        }
        closes
    });
    assert_eq!(closes, [1001, 1001, 1001]);
    assert!(begun.elapsed() < Duration::from_secs(5));

    let server = Server::with(on_disk(&path)).await;
    let record = server.data(&format!("/sessions/{session_id}")).await;
    assert_eq!((&record["status"], &record["tick"]), (&json!("failed"), &json!(1)));
    assert!(text(&record["failure_reason"]).contains("stopped"), "{record}");
    assert_eq!(
        server.data("/auth/balance").await,
        json!({ "credits": 999.9996, "tier": "arena", "held": 0 })
    );
}

#[tokio::test]
async fn after_a_kill_live_sessions_are_failed_and_settled_at_the_ticks_recorded() {
    // S-09.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arena.db");
    let server = Server::with(on_disk(&path)).await;
    let session = server.create(both_seats()).await;
    let session_id = text(&session["session_id"]).to_owned();
    let (mut p0, mut p1) = (server.seat(&session, 0).await, server.seat(&session, 1).await);
    for (nth, column) in [0, 1, 0].into_iter().enumerate() {
        let mover = if nth % 2 == 0 { &mut p0 } else { &mut p1 };
        mover.act(drop_in(column)).await;
        mover.next_of("action_result").await;
        server.until(&session_id, "tick", nth as u64 + 1).await;
    }
    // The session waits for a move. Once all is recorded, the files are what a kill would leave behind.
    let recorded = async {
        while server.data(&format!("/sessions/{session_id}/logs")).await["logs"].as_array().unwrap().len() < 4
        {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, recorded).await.unwrap();
    let left_behind = folder.path().join("left.db");
    for suffix in ["", "-wal"] {
        let name = |base: &Path| format!("{}{suffix}", base.display());
        std::fs::copy(name(&path), name(&left_behind)).unwrap();
    }

    let revived = Server::with(on_disk(&left_behind)).await;
    let record = revived.data(&format!("/sessions/{session_id}")).await;
    assert_eq!((&record["status"], &record["tick"]), (&json!("failed"), &json!(3)));
    assert!(text(&record["failure_reason"]).starts_with("interrupted"), "{record}");
    assert_eq!(
        revived.data("/auth/balance").await,
        json!({ "credits": 999.9988, "tier": "arena", "held": 0 })
    );
    let deleted = revived
        .call(
            reqwest::Method::DELETE,
            &format!("/sessions/{session_id}"),
            None,
            &[("x-api-key", &revived.key)],
        )
        .await;
    assert_eq!(deleted.1["data"]["deleted"], true);
}

#[tokio::test]
async fn the_demo_has_two_weeks_of_finished_sessions_of_every_game() {
    let mut settings = settings();
    // The market's long matches are too slow for a test without optimisation.
    settings.games = Box::leak(Box::new(
        ["connect_four", "grid_serpents"].map(|slug| gert::arena::games::find(slug).unwrap()),
    ));
    let arena = Arena::open(settings).await.unwrap();
    let (account_id, _) = arena.bootstrap_key("demo@arena").await.unwrap();
    tokio::time::timeout(Duration::from_mins(1), demo::seed(&arena, &account_id)).await.expect("quick");
    let filter = gert::arena::store::sessions::SessionFilter::default();
    let account = account_id.clone();
    let sessions = arena
        .store()
        .read(move |connection| gert::arena::store::sessions::list(connection, &account, &filter, None, 100))
        .await
        .unwrap();
    assert!(sessions.len() >= 14, "{}", sessions.len());
    assert!(sessions.iter().all(|session| session.status.is_terminal()));
    let days = |slug: &str| {
        let of_game = sessions.iter().filter(|session| session.game == slug);
        let times: Vec<_> = of_game.map(|session| session.created_at).collect();
        (*times.last().unwrap() - *times.first().unwrap()).as_hours().abs()
    };
    assert!(days("connect_four") > 24 * 9 && days("grid_serpents") > 24 * 9);
    let usage = arena
        .store()
        .read(move |connection| gert::arena::store::ledger::usage(connection, &account_id, None, 100))
        .await
        .unwrap();
    assert!(usage.len() > 14 && usage.is_sorted_by(|a, b| a.at >= b.at));
    arena.close().await;
}
