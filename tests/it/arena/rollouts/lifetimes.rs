//! What ends by itself, what survives a restart, and what a kill may cost.

use std::path::Path;

use gert::arena::ArenaSettings;
use gert::arena::store::Place;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::super::{PATIENCE, Server, code, text};
use super::{Run, balance, drop_for};

fn later(duration: SignedDuration) -> Timestamp {
    Timestamp::now() + duration
}

#[tokio::test]
async fn an_idle_episode_is_closed_and_probing_is_no_activity() {
    let server = Server::start().await;
    let run = Run::open(&server, 3).await;
    let idle = run.reset(json!({ "game": "connect_four" })).await;
    let step = run.step(&idle, json!({ "actions": drop_for(&idle, 0) })).await;
    server.arena.rollouts().sweep(later(SignedDuration::from_mins(9))).await;
    assert_eq!(run.probe(&idle).await.0, 200);
    server.arena.rollouts().sweep(later(SignedDuration::from_mins(11))).await;
    for (status, answer) in
        [run.probe(&idle).await, run.try_step(&idle, json!({ "actions": drop_for(&step, 0) })).await]
    {
        assert_eq!((status, code(&answer)), (404, "EPISODE_NOT_FOUND"));
    }
    let listed = run.listed().await;
    assert_eq!(
        (&listed["ticks_used"], &listed["episodes_used"], &listed["status"]),
        (&json!(1), &json!(1), &json!("active"))
    );
}

#[tokio::test]
async fn the_result_of_an_ended_episode_is_kept_for_a_while() {
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    let episode = run.reset(json!({ "game": "connect_four" })).await;
    let body = json!({ "actions": { "p0": "junk" }, "expected_tick": 0 });
    let end = run.step(&episode, body.clone()).await;
    server.arena.rollouts().sweep(later(SignedDuration::from_mins(9))).await;
    assert_eq!(run.step(&episode, body.clone()).await, end);
    server.arena.rollouts().sweep(later(SignedDuration::from_mins(11))).await;
    let (status, answer) = run.try_step(&episode, body).await;
    assert_eq!((status, code(&answer)), (404, "EPISODE_NOT_FOUND"));
}

#[tokio::test]
async fn an_expired_run_settles_by_itself() {
    let server = Server::start().await;
    let run = Run::open(&server, 2).await;
    let episode = run.reset(json!({ "game": "connect_four" })).await;
    run.step(&episode, json!({ "actions": drop_for(&episode, 0) })).await;
    server.arena.rollouts().sweep(later(SignedDuration::from_hours(25))).await;
    let listed = run.listed().await;
    assert_eq!((&listed["status"], &listed["credits_used"]), (&json!("closed"), &json!(0.0004)));
    assert_eq!(balance(&server).await, json!({ "credits": 999.9996, "tier": "arena", "held": 0 }));
    let end = run.close().await;
    assert_eq!((&end["status"], &end["ticks_used"]), (&json!("closed"), &json!(1)));
}

fn on_disk(path: &Path) -> ArenaSettings {
    ArenaSettings::new(Place::File(path.to_owned()), true)
}

#[tokio::test]
async fn a_restart_keeps_runs_and_closes_episodes_at_what_they_played() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arena.db");
    let mut server = Server::with(on_disk(&path)).await;
    let run = Run::open(&server, 3).await;
    let episode = run.reset(json!({ "game": "connect_four" })).await;
    let last = run.step(&episode, json!({ "actions": drop_for(&episode, 0) })).await;
    let run_id = run.run_id.clone();
    server.stop().await;

    let server = Server::with(on_disk(&path)).await;
    let run = Run { server: &server, run_id };
    let (status, answer) =
        run.try_step(&episode, json!({ "actions": drop_for(&last, 0), "expected_tick": 1 })).await;
    assert_eq!((status, code(&answer)), (404, "EPISODE_NOT_FOUND"));
    let listed = run.listed().await;
    assert_eq!(
        (&listed["status"], &listed["episodes_used"], &listed["ticks_used"]),
        (&json!("active"), &json!(1), &json!(1))
    );
    assert_eq!(balance(&server).await, json!({ "credits": 999.9996, "tier": "arena", "held": 0.1196 }));
    let two = [
        run.reset(json!({ "game": "connect_four" })).await,
        run.reset(json!({ "game": "connect_four" })).await,
    ];
    run.step(&two[1], json!({ "actions": drop_for(&two[1], 0) })).await;
    let (status, answer) = run.call("/episodes", json!({ "game": "connect_four" })).await;
    assert_eq!((status, code(&answer)), (409, "RUN_EXHAUSTED"));
    assert_eq!(run.close().await["credits_used"], 0.0008);
    assert_eq!(balance(&server).await, json!({ "credits": 999.9992, "tier": "arena", "held": 0 }));
}

/// Waits until the database itself says that so many ticks were played.
async fn until_written(server: &Server, run_id: &str, ticks: i64) {
    let polling = async {
        loop {
            let id = run_id.to_owned();
            let written = server.arena.store().read(move |connection| {
                let sql = "SELECT ticks_used FROM runs WHERE run_id = ?1";
                Ok(connection.query_row(sql, [id], |row| row.get::<_, i64>(0))?)
            });
            if written.await.unwrap() == ticks {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, polling).await.expect("counters are written in the background");
}

#[tokio::test]
async fn a_kill_loses_no_credit_and_leaves_an_open_run_that_can_be_closed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arena.db");
    let server = Server::with(on_disk(&path)).await;
    let settled = Run::open(&server, 1).await;
    let episode = settled.reset(json!({ "game": "connect_four" })).await;
    settled.step(&episode, json!({ "actions": drop_for(&episode, 0) })).await;
    settled.close().await;
    let open = Run::open(&server, 2).await;
    let mut last = open.reset(json!({ "game": "connect_four" })).await;
    let episode = last.clone();
    for column in [0, 1, 2] {
        last = open.step(&episode, json!({ "actions": drop_for(&last, column) })).await;
    }
    until_written(&server, &open.run_id, 3).await;
    // What a kill would leave behind.
    let left_behind = folder.path().join("left.db");
    for suffix in ["", "-wal"] {
        let name = |base: &Path| format!("{}{suffix}", base.display());
        std::fs::copy(name(&path), name(&left_behind)).unwrap();
    }

    let revived = Server::with(on_disk(&left_behind)).await;
    assert_eq!(balance(&revived).await, json!({ "credits": 999.9984, "tier": "arena", "held": 0.0788 }));
    let run = Run { server: &revived, run_id: open.run_id.clone() };
    assert_eq!(run.listed().await["episodes_used"], 1);
    assert_eq!(run.close().await["ticks_used"], 3);
    let closed = Run { server: &revived, run_id: settled.run_id.clone() };
    assert_eq!(closed.close().await["credits_used"], 0.0004);
    assert_eq!(balance(&revived).await, json!({ "credits": 999.9984, "tier": "arena", "held": 0 }));
}

#[tokio::test]
async fn open_runs_of_an_account_are_limited() {
    let mut settings = super::super::settings();
    settings.limits.open_runs = 2;
    let server = Server::with(settings).await;
    let first = Run::open(&server, 1).await;
    Run::open(&server, 1).await;
    let (status, answer) = server.post("/rollout-runs", json!({ "max_episodes": 1 })).await;
    assert_eq!((status, code(&answer)), (429, "QUOTA_EXCEEDED"));
    first.close().await;
    Run::open(&server, 1).await;
}

#[tokio::test]
async fn the_ledger_adds_up_after_any_order_of_things() {
    let server = Server::start().await;
    let (one, two) = (Run::open(&server, 3).await, Run::open(&server, 2).await);
    let longer = json!({ "game": "market_simulator", "player_count": 2, "max_ticks": 150 });
    let episode = one.reset(longer).await;
    one.step(&episode, json!({ "actions": { "p0": [], "p1": [] } })).await;
    let parent = two.reset(json!({ "game": "connect_four" })).await;
    two.ok("/extend", json!({ "additional_episodes": 4 })).await;
    let path = format!("/episodes/{}/forks", text(&parent["episode_id"]));
    let forks = two.ok(&path, json!({ "count": 4, "op_key": "k" })).await;
    for fork in forks["forks"].as_array().unwrap() {
        two.step(fork, json!({ "actions": drop_for(fork, 1) })).await;
    }
    assert_eq!(balance(&server).await["credits"], 999.998);
    one.close().await;
    two.close().await;
    assert_eq!(balance(&server).await, json!({ "credits": 999.998, "tier": "arena", "held": 0 }));
    let sum = server.arena.store().read(|connection| {
        let sql = "SELECT sum(micro), sum(micro) FILTER (WHERE kind IN ('hold', 'refund')) FROM ledger";
        Ok(connection.query_row(sql, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))?)
    });
    assert_eq!(sum.await.unwrap(), (999_998_000, 0));
}

/// `benches/arena.rs` does the same with 10,000.
#[tokio::test]
async fn hundreds_of_live_episodes_can_all_be_stepped_and_are_settled_to_the_credit() {
    let server = Server::start().await;
    let run = Run::open_with(&server, json!({ "max_episodes": 385, "max_ticks_per_episode": 42 })).await;
    let parent = run.reset(json!({ "game": "connect_four" })).await;
    let path = format!("/episodes/{}/forks", text(&parent["episode_id"]));
    for batch in 0..3 {
        let forks = run.ok(&path, json!({ "count": 128, "op_key": batch.to_string() })).await;
        let step = |(nth, fork): (usize, &Value)| json!({ "episode_id": fork["episode_id"], "actions": drop_for(fork, nth as u32 % 7), "expected_tick": 0 });
        let steps: Vec<Value> = forks["forks"].as_array().unwrap().iter().enumerate().map(step).collect();
        let answer = run.ok("/steps", json!({ "steps": steps })).await;
        assert!(answer["results"].as_array().unwrap().iter().all(|result| result["ok"] == true));
    }
    let end = run.close().await;
    assert_eq!(
        (&end["episodes_used"], &end["ticks_used"], &end["credits_used"]),
        (&json!(385), &json!(384), &json!(0.1536))
    );
    assert_eq!(balance(&server).await, json!({ "credits": 999.8464, "tier": "arena", "held": 0 }));
}
