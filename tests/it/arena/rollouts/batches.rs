//! Many steps at once, and forks.

use reqwest::Method;
use serde_json::{Value, json};

use super::super::{Server, code, text};
use super::{Run, balance, drop_for};

fn ids(children: &Value) -> Vec<String> {
    children.as_array().unwrap().iter().map(|child| text(&child["episode_id"]).to_owned()).collect()
}

#[tokio::test]
async fn a_batch_keeps_the_order_and_one_bad_entry_fails_alone() {
    let server = Server::start().await;
    let run = Run::open(&server, 4).await;
    let mut episodes = Vec::new();
    for seed in 0..3 {
        episodes.push(run.reset(json!({ "game": "connect_four", "seed": seed })).await);
    }
    let id = |nth: usize| episodes[nth]["episode_id"].clone();
    let first = |column| json!({ "p0": [{ "action": "drop", "column": column }] });
    let steps = json!({ "steps": [
        { "episode_id": id(2), "actions": first(2), "expected_tick": 0 },
        { "episode_id": "ep_none", "action": [], "expected_tick": 0 },
        { "episode_id": id(0), "actions": first(0), "expected_tick": 5 },
        { "episode_id": id(1), "actions": { "p0": null }, "expected_tick": 0 },
        { "episode_id": id(0) },
        { "episode_id": id(0), "action": [], "actions": {} },
        { "episode_id": id(0), "actions": first(0), "tick": 0 },
        7,
        { "actions": first(0) },
        { "episode_id": id(0), "actions": first(0), "expected_tick": 0 },
        { "episode_id": id(0), "actions": { "p1": [{ "action": "drop", "column": 0 }] }, "expected_tick": 1 },
    ] });
    let answer = run.ok("/steps", steps.clone()).await;
    let results = answer["results"].as_array().unwrap();
    let told: Vec<(bool, &str)> = results
        .iter()
        .map(|result| (result["ok"].as_bool().unwrap(), text(&result["error"]["code"])))
        .collect();
    assert_eq!(
        told,
        [
            (true, ""),
            (false, "EPISODE_NOT_FOUND"),
            (false, "STEP_CONFLICT"),
            (true, ""),
            (false, "VALIDATION_ERROR"),
            (false, "VALIDATION_ERROR"),
            (false, "VALIDATION_ERROR"),
            (false, "VALIDATION_ERROR"),
            (false, "VALIDATION_ERROR"),
            (true, ""),
            (true, ""),
        ]
    );
    assert_eq!((&results[0]["episode_id"], &results[0]["tick"]), (&id(2), &json!(1)));
    assert_eq!(
        results[3]["completion_reason"], "policy_failed",
        "no action at all is none that a game can read"
    );
    assert_eq!(
        (&results[9]["tick"], &results[10]["tick"]),
        (&json!(1), &json!(2)),
        "one episode's steps stay in order"
    );
    // What was played is answered again, the rest is refused again; the older step of an episode is not kept.
    let again = run.ok("/steps", steps).await;
    for nth in [0, 3, 10] {
        assert_eq!(again["results"][nth], answer["results"][nth], "{nth}");
    }
    assert_eq!(again["results"][9]["error"]["code"], "STEP_CONFLICT");
    assert_eq!(run.listed().await["ticks_used"], 3);
}

#[tokio::test]
async fn a_batch_is_as_wide_as_allowed_and_no_wider() {
    let server = Server::start().await;
    let run = Run::open(&server, 300).await;
    let parent = run.reset(json!({ "game": "connect_four" })).await;
    let parent_id = text(&parent["episode_id"]);
    let forks =
        run.ok(&format!("/episodes/{parent_id}/forks"), json!({ "count": 128, "op_key": "wide" })).await;
    let steps: Vec<Value> = (ids(&forks["forks"]).iter().enumerate())
        .map(|(nth, id)| json!({ "episode_id": id, "actions": { "p0": [{ "action": "drop", "column": nth % 7 }] } }))
        .collect();
    let answer = run.ok("/steps", json!({ "steps": steps })).await;
    for (nth, result) in answer["results"].as_array().unwrap().iter().enumerate() {
        assert_eq!((&result["ok"], &result["episode_id"]), (&json!(true), &steps[nth]["episode_id"]));
        assert_eq!(result["observations"]["p1"]["tick"], 1);
    }
    let too_wide: Vec<&Value> = steps.iter().cycle().take(129).collect();
    for bad in [
        json!({}),
        json!({ "steps": [] }),
        json!({ "steps": {} }),
        json!({ "steps": too_wide }),
        json!({ "steps": steps, "x": 1 }),
    ] {
        let (status, answer) = run.call("/steps", bad).await;
        assert_eq!((status, code(&answer)), (400, "VALIDATION_ERROR"));
    }
}

#[tokio::test]
async fn a_batch_may_be_larger_than_other_bodies() {
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    let padding = "x".repeat(10_000);
    let steps: Vec<Value> = (0..100).map(|_| json!({ "episode_id": "ep_none", "action": padding })).collect();
    let answer = run.ok("/steps", json!({ "steps": steps })).await;
    assert_eq!(answer["results"].as_array().unwrap().len(), 100);
    let (status, answer) = run.call("/steps", json!({ "steps": ["x".repeat(5 * 1024 * 1024)] })).await;
    assert_eq!((status, code(&answer)), (413, "PAYLOAD_TOO_LARGE"));
}

#[tokio::test]
async fn a_batch_with_league_players_works_too() {
    let server = Server::start().await;
    let run = Run::open(&server, 8).await;
    let mut episodes = Vec::new();
    for seed in 0..8 {
        episodes.push(run.reset(json!({ "game": "connect_four", "opponent_seats": 1, "seed": seed })).await);
    }
    let entry = |episode: &Value| {
        let action = &episode["observation"]["_action_space"][0]["action"];
        json!({ "episode_id": episode["episode_id"], "action": action, "expected_tick": episode["tick"] })
    };
    let steps: Vec<Value> = episodes.iter().map(entry).collect();
    let answer = run.ok("/steps", json!({ "steps": steps })).await;
    for (result, episode) in answer["results"].as_array().unwrap().iter().zip(&episodes) {
        assert_eq!((&result["ok"], &result["episode_id"]), (&json!(true), &episode["episode_id"]));
        assert_eq!(result["tick"].as_u64(), episode["tick"].as_u64().map(|tick| tick + 2));
    }
}

#[tokio::test]
async fn a_batch_is_played_although_its_client_has_gone() {
    let server = Server::start().await;
    let run = Run::open(&server, 16).await;
    let mut steps = Vec::new();
    for seed in 0..16 {
        let episode = run.reset(json!({ "game": "connect_four", "opponent_seats": 1, "seed": seed })).await;
        let action = &episode["observation"]["_action_space"][0]["action"];
        steps.push(json!({ "episode_id": episode["episode_id"], "action": action, "expected_tick": episode["tick"] }));
    }
    let before = run.listed().await["ticks_used"].as_u64().unwrap();
    let body = json!({ "steps": steps }).to_string();
    let request = format!(
        "POST /api/v1/rollout-runs/{}/steps HTTP/1.1\r\nHost: {}\r\nX-API-Key: {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        run.run_id,
        server.address,
        server.key,
        body.len()
    );
    let mut stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut stream, request.as_bytes()).await.unwrap();
    drop(stream);
    let played = async {
        // A closed connection may be seen before its request is read; then nothing is played, and nothing is lost.
        let again = run.ok("/steps", json!({ "steps": steps })).await;
        assert!(again["results"].as_array().unwrap().iter().all(|result| result["ok"] == true), "{again}");
        run.listed().await["ticks_used"].as_u64().unwrap()
    };
    assert_eq!(played.await, before + 32, "every step was played once");
}

#[tokio::test]
async fn a_fork_starts_where_its_parent_stands_and_counts_its_own_ticks() {
    let server = Server::start().await;
    let run = Run::open(&server, 4).await;
    let parent = run.reset(json!({ "game": "connect_four", "seed": 9, "max_ticks": 10 })).await;
    let mut last = parent.clone();
    for column in [3, 3, 4] {
        last = run.step(&parent, json!({ "actions": drop_for(&last, column) })).await;
    }
    let parent_id = text(&parent["episode_id"]);
    let (status, fork) = run.bare(Method::POST, &format!("/episodes/{parent_id}/fork")).await;
    assert_eq!(status, 201, "{fork}");
    assert_eq!((&fork["tick"], &fork["max_ticks"], &fork["done"]), (&json!(0), &json!(7), &json!(false)));
    assert_eq!(
        (&fork["on_turn_seats"], &fork["seed"], &fork["game"]),
        (&json!(["p1"]), &json!(9), &json!("connect_four"))
    );
    assert_eq!(fork["observations"], last["observations"], "the same position");
    assert_eq!(fork["initial_scores"], json!({ "p0": 50, "p1": 50 }));
    // Two that are driven alike stay alike; the parent is untouched.
    let (mut here, mut there, mut ticks) = (fork.clone(), last.clone(), 0);
    for column in [5, 0, 5, 0, 5, 1, 5] {
        let (fork_next, parent_next) = (
            run.step(&fork, json!({ "actions": drop_for(&here, column), "expected_tick": ticks })).await,
            run.step(&parent, json!({ "actions": drop_for(&there, column), "expected_tick": ticks + 3 }))
                .await,
        );
        ticks += 1;
        assert_eq!(
            (fork_next["tick"].as_u64(), parent_next["tick"].as_u64()),
            (Some(ticks), Some(ticks + 3))
        );
        for same in ["observations", "rewards", "done", "scores", "completion_reason"] {
            assert_eq!(fork_next[same], parent_next[same], "{same}");
        }
        (here, there) = (fork_next, parent_next);
    }
    assert_eq!((&here["done"], &here["tick"]), (&json!(true), &json!(7)));
    let listed = run.listed().await;
    assert_eq!((&listed["episodes_used"], &listed["ticks_used"]), (&json!(2), &json!(17)));
}

#[tokio::test]
async fn forks_of_one_key_are_made_once() {
    let server = Server::start().await;
    let run = Run::open(&server, 10).await;
    let parent = run.reset(json!({ "game": "connect_four" })).await;
    let path = format!("/episodes/{}/forks", text(&parent["episode_id"]));
    let first = run.ok(&path, json!({ "count": 3, "op_key": "k" })).await;
    let children = ids(&first["forks"]);
    assert_eq!(children.len(), 3);
    // Even when the parent moved on or is gone.
    run.step(&parent, json!({ "actions": drop_for(&parent, 0) })).await;
    assert_eq!(run.ok(&path, json!({ "count": 3, "op_key": "k" })).await, first);
    run.close_episode(&parent).await;
    assert_eq!(run.ok(&path, json!({ "count": 3, "op_key": "k" })).await, first);
    let (status, answer) = run.call(&path, json!({ "count": 2, "op_key": "k" })).await;
    assert_eq!((status, code(&answer)), (409, "CONFLICT"));
    assert_eq!(run.listed().await["episodes_used"], 4);
    for bad in [
        json!({ "count": 3 }),
        json!({ "op_key": "k" }),
        json!({ "count": 0, "op_key": "k" }),
        json!({ "count": 129, "op_key": "k" }),
        json!({ "count": true, "op_key": "k" }),
        json!({ "count": 1, "op_key": "" }),
        json!({ "count": 1, "op_key": "ä".repeat(65) }),
    ] {
        let (status, answer) = run.call(&path, bad.clone()).await;
        assert_eq!((status, code(&answer)), (400, "VALIDATION_ERROR"), "{bad}");
    }
}

#[tokio::test]
async fn refused_forks_leave_nothing_behind() {
    let mut settings = super::super::settings();
    settings.limits.live_episodes = 5;
    let server = Server::with(settings).await;
    let run = Run::open(&server, 6).await;
    let parent = run.reset(json!({ "game": "connect_four" })).await;
    let held = balance(&server).await;
    let path = |episode: &Value| format!("/episodes/{}/forks", text(&episode["episode_id"]));
    let (status, answer) = run.call(&path(&parent), json!({ "count": 6, "op_key": "a" })).await;
    assert_eq!((status, code(&answer)), (429, "HOST_AT_CAPACITY"), "five may live, and one does");
    let league = run.reset(json!({ "game": "connect_four", "opponent_seats": 1 })).await;
    let (status, answer) = run.call(&path(&league), json!({ "count": 1, "op_key": "a" })).await;
    assert_eq!((status, code(&answer)), (409, "FORK_UNSUPPORTED"));
    run.close_episode(&league).await;
    let (status, answer) = run.call(&path(&league), json!({ "count": 1, "op_key": "b" })).await;
    assert_eq!((status, code(&answer)), (404, "EPISODE_NOT_FOUND"));
    let spent = |answer: &Value| answer["held"].as_f64().unwrap() + answer["credits"].as_f64().unwrap();
    assert!((spent(&held) - spent(&balance(&server).await)).abs() < 0.001);
    assert_eq!(run.listed().await["episodes_used"], 2);
    // The same keys work once there is room and budget.
    let small = Run::open(&server, 2).await;
    let parent = small.reset(json!({ "game": "connect_four" })).await;
    let (status, answer) = small.call(&path(&parent), json!({ "count": 2, "op_key": "a" })).await;
    assert_eq!((status, code(&answer)), (409, "RUN_EXHAUSTED"));
    small.ok("/extend", json!({ "additional_episodes": 1 })).await;
    assert_eq!(
        small.ok(&path(&parent), json!({ "count": 2, "op_key": "a" })).await["forks"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let (status, answer) = run.call("/episodes", json!({ "game": "connect_four", "tags": null })).await;
    assert_eq!(status, 201, "{answer}");
    let (status, answer) = run.call("/episodes", json!({ "game": "connect_four" })).await;
    assert_eq!((status, code(&answer)), (429, "HOST_AT_CAPACITY"));
}

#[tokio::test]
async fn a_failed_seat_is_out_in_a_fork_too() {
    let server = Server::start().await;
    let run = Run::open(&server, 2).await;
    let parent = run.reset(json!({ "game": "market_simulator", "player_count": 3 })).await;
    run.step(&parent, json!({ "actions": { "p0": "junk", "p1": [], "p2": [] } })).await;
    let (status, fork) =
        run.bare(Method::POST, &format!("/episodes/{}/fork", text(&parent["episode_id"]))).await;
    assert_eq!(status, 201, "{fork}");
    assert_eq!((&fork["failed_seats"], &fork["on_turn_seats"]), (&json!(["p0"]), &json!(["p1", "p2"])));
    assert!(fork.get("observation").is_none());
    assert_eq!((&fork["policy_seat"], &fork["policy_seats"]), (&json!("p0"), &json!(["p0", "p1", "p2"])));
}
