//! Opening, listing, extending and closing runs; what they hold and cost.

use serde_json::{Value, json};

use super::super::{Server, code, text};
use super::{Run, balance, drop_for};

#[tokio::test]
async fn a_run_holds_its_price_and_pays_for_what_was_played() {
    let server = Server::start().await;
    let (status, answer) = server.post("/rollout-runs", json!({ "max_episodes": 10 })).await;
    // protocol.md §4.9: ten episodes of 1000 ticks.
    assert_eq!((status, &answer["data"]["estimated_credits"]), (201, &json!(4)));
    assert_eq!(answer["data"]["max_episodes"], 10);
    assert!(text(&answer["data"]["expires_at"]).ends_with('Z'));
    let run = Run { server: &server, run_id: text(&answer["data"]["run_id"]).to_owned() };
    assert_eq!(balance(&server).await, json!({ "credits": 1000, "tier": "arena", "held": 4 }));
    let episode = run.reset(json!({ "game": "connect_four" })).await;
    let mut last = episode.clone();
    for column in [0, 1, 0] {
        last = run.step(&episode, json!({ "actions": drop_for(&last, column) })).await;
    }
    // Metered, and no longer held on top.
    assert_eq!(balance(&server).await, json!({ "credits": 999.9988, "tier": "arena", "held": 3.9988 }));
    let (status, closed) = run.close_episode(&episode).await;
    assert_eq!(
        (status, &closed["ticks_used"], &closed["episode_id"]),
        (200, &json!(3), &episode["episode_id"])
    );
    let listed = run.listed().await;
    assert_eq!(
        (&listed["status"], &listed["episodes_used"], &listed["ticks_used"], &listed["credits_used"]),
        (&json!("active"), &json!(1), &json!(3), &json!(0.0012))
    );
    assert_eq!((&listed["ticks_per_episode"], &listed["auto_curriculum"]), (&json!(1000), &json!(false)));
    let end = run.close().await;
    assert_eq!(
        end,
        json!({ "run_id": run.run_id, "status": "closed", "ticks_used": 3, "episodes_used": 1, "credits_used": 0.0012 })
    );
    assert_eq!(run.close().await, end, "closing is idempotent");
    assert_eq!(balance(&server).await, json!({ "credits": 999.9988, "tier": "arena", "held": 0 }));
    let usage = server.data("/auth/usage").await;
    let spent = &usage["entries"][0];
    assert_eq!(
        (&spent["kind"], &spent["run_id"], &spent["credits"], &spent["ticks"]),
        (&json!("rollout_run"), &json!(run.run_id), &json!(0.0012), &json!(3))
    );
    let listed = run.listed().await;
    assert_eq!(listed["status"], "closed");
    assert!(text(&listed["closed_at"]) >= text(&listed["created_at"]));
}

#[tokio::test]
async fn closing_a_run_closes_its_episodes_at_what_they_played() {
    let server = Server::start().await;
    let run = Run::open(&server, 3).await;
    let (one, two) = (
        run.reset(json!({ "game": "connect_four" })).await,
        run.reset(json!({ "game": "connect_four" })).await,
    );
    run.step(&one, json!({ "actions": drop_for(&one, 2) })).await;
    let end = run.close().await;
    assert_eq!((&end["ticks_used"], &end["episodes_used"]), (&json!(1), &json!(2)));
    for (path, body) in [
        ("/episodes".to_owned(), json!({ "game": "connect_four" })),
        (format!("/episodes/{}/step", text(&two["episode_id"])), json!({ "actions": drop_for(&two, 0) })),
        (format!("/episodes/{}/close", text(&two["episode_id"])), json!({})),
        ("/extend".to_owned(), json!({ "additional_episodes": 1 })),
    ] {
        let (status, answer) = run.call(&path, body).await;
        assert_eq!((status, code(&answer)), (409, "RUN_CLOSED"), "{path}");
    }
}

#[tokio::test]
async fn what_is_not_covered_is_refused_and_holds_nothing() {
    let server = Server::start().await;
    let (status, answer) = server.post("/rollout-runs", json!({ "max_episodes": 2501 })).await;
    assert_eq!((status, code(&answer)), (402, "INSUFFICIENT_CREDITS"));
    assert_eq!(balance(&server).await, json!({ "credits": 1000, "tier": "arena", "held": 0 }));
    assert_eq!(server.data("/rollout-runs").await["runs"], json!([]));
    let run = Run::open_with(&server, json!({ "max_episodes": 2500 })).await;
    assert_eq!(balance(&server).await["held"], 1000);
    let (status, answer) = run.call("/extend", json!({ "additional_episodes": 1 })).await;
    assert_eq!((status, code(&answer)), (402, "INSUFFICIENT_CREDITS"));
    let (status, answer) = run.call("/episodes", json!({ "game": "connect_four", "max_ticks": 1001 })).await;
    assert_eq!(
        (status, code(&answer)),
        (402, "INSUFFICIENT_CREDITS"),
        "a longer episode raises the price of all"
    );
    assert_eq!(
        (&run.listed().await["max_episodes"], &run.listed().await["episodes_used"]),
        (&json!(2500), &json!(0))
    );
}

#[tokio::test]
async fn the_budget_is_spent_by_resets_for_ever_and_extended() {
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    let episode = run.reset(json!({ "game": "connect_four" })).await;
    run.close_episode(&episode).await;
    let (status, answer) = run.call("/episodes", json!({ "game": "connect_four" })).await;
    assert_eq!((status, code(&answer)), (409, "RUN_EXHAUSTED"));
    let extended = run.ok("/extend", json!({ "additional_episodes": 2 })).await;
    // The first episode played nothing, so its hold pays for one of the two.
    assert_eq!(extended, json!({ "run_id": run.run_id, "max_episodes": 3, "estimated_credits": 0.08 }));
    run.reset(json!({ "game": "connect_four" })).await;
    assert_eq!(run.listed().await["episodes_used"], 2);
}

#[tokio::test]
async fn a_longer_episode_raises_the_hold() {
    let server = Server::start().await;
    let run = Run::open(&server, 3).await;
    assert_eq!(balance(&server).await["held"], 0.12);
    let episode = run.reset(json!({ "game": "market_simulator", "player_count": 2, "max_ticks": 200 })).await;
    assert_eq!(episode["max_ticks"], 200);
    assert_eq!(balance(&server).await["held"], 0.24);
    let short = run.reset(json!({ "game": "market_simulator", "player_count": 2 })).await;
    assert_eq!(short["max_ticks"], 100, "the run's own length, unless the reset says otherwise");
    assert_eq!(balance(&server).await["held"], 0.24);
}

#[tokio::test]
async fn runs_are_listed_newest_first_by_status_and_page() {
    let server = Server::start().await;
    let mut runs = Vec::new();
    for _ in 0..5 {
        runs.push(Run::open(&server, 1).await);
    }
    runs[1].close().await;
    let ids = |page: &Value| -> Vec<String> {
        page["runs"].as_array().unwrap().iter().map(|run| text(&run["run_id"]).to_owned()).collect()
    };
    let newest_first: Vec<String> = runs.iter().rev().map(|run| run.run_id.clone()).collect();
    assert_eq!(ids(&server.data("/rollout-runs").await), newest_first);
    let (mut walked, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = server.data(&format!("/rollout-runs?limit=2{cursor}")).await;
        walked.extend(ids(&page));
        match page.get("next_cursor").and_then(Value::as_str) {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(walked, newest_first);
    assert_eq!(ids(&server.data("/rollout-runs?status=closed").await), [runs[1].run_id.clone()]);
    assert_eq!(ids(&server.data("/rollout-runs?status=active").await).len(), 4);
    assert_eq!(ids(&server.data("/rollout-runs?status=closing").await), Vec::<String>::new());
}

#[tokio::test]
async fn bad_runs_and_resets_are_refused_by_field_and_cost_nothing() {
    let server = Server::start().await;
    for (body, field) in [
        (json!({}), "max_episodes"),
        (json!({ "max_episodes": 0 }), "max_episodes"),
        (json!({ "max_episodes": 1.5 }), "max_episodes"),
        (json!({ "max_episodes": 1, "max_ticks_per_episode": 0 }), "max_ticks_per_episode"),
        (json!({ "max_episodes": 1, "max_ticks_per_episode": 10_001 }), "max_ticks_per_episode"),
        (json!({ "max_episodes": 1, "auto_curriculum": 1 }), "auto_curriculum"),
        (json!({ "max_episodes": 1, "curriculum_band_width": 0 }), "curriculum_band_width"),
        (json!({ "max_episodes": 1, "curriculum_band_width": 0.6 }), "curriculum_band_width"),
        (json!({ "max_episodes": 1, "curriculum_ewma_alpha": 0 }), "curriculum_ewma_alpha"),
        (json!({ "max_episodes": 1, "game": "connect_four" }), "game"),
    ] {
        let (status, answer) = server.post("/rollout-runs", body.clone()).await;
        assert_eq!((status, code(&answer)), (400, "VALIDATION_ERROR"), "{body}");
        assert!(text(&answer["error"]["message"]).contains(&format!("`{field}`")), "{body}: {answer}");
    }
    let run = Run::open(&server, 1).await;
    let game = "connect_four";
    for (body, field) in [
        (json!({}), "game"),
        (json!({ "game": game, "tags": ["board"] }), "tags"),
        (json!({ "tags": [] }), "tags"),
        (json!({ "tags": [""] }), "tags"),
        (json!({ "tags": ["board", "card"] }), "tags"),
        (json!({ "tags": ["board"], "player_count": 3 }), "tags"),
        (json!({ "game": game, "player_count": 3 }), "player_count"),
        (json!({ "game": game, "opponent_seats": 2 }), "opponent_seats"),
        (json!({ "game": game, "opponent_seats": -1 }), "opponent_seats"),
        (json!({ "game": game, "max_ticks": 0 }), "max_ticks"),
        (json!({ "game": game, "max_ticks": 10_001 }), "max_ticks"),
        (json!({ "game": game, "seed": -1 }), "seed"),
        (json!({ "game": game, "seed": 1.5 }), "seed"),
        (json!({ "game": game, "difficulty": 0.5 }), "difficulty"),
        (json!({ "game": game, "min_percentile": 1.1 }), "min_percentile"),
        (json!({ "game": game, "min_percentile": 0.6, "max_percentile": 0.4 }), "min_percentile"),
        (json!({ "game": game, "opponent_source": "own" }), "opponent_source"),
        (json!({ "game": game, "opponent_source": "mine" }), "opponent_source"),
        (json!({ "game": game, "opponent_models": [1] }), "opponent_models"),
        (json!({ "game": game, "opponent_created_after": "yesterday" }), "opponent_created_after"),
        (json!({ "game": game, "config": {} }), "config"),
        (json!({ "game": game, "seats": 1 }), "seats"),
    ] {
        let (status, answer) = run.call("/episodes", body.clone()).await;
        assert_eq!((status, code(&answer)), (400, "VALIDATION_ERROR"), "{body}");
        assert!(text(&answer["error"]["message"]).contains(&format!("`{field}`")), "{body}: {answer}");
    }
    for (path, body, expected) in [
        ("/episodes", json!({ "game": "no-such-game" }), (404, "NOT_FOUND")),
        ("/episodes/ep_none/step", json!({ "action": [] }), (404, "EPISODE_NOT_FOUND")),
        ("/episodes/ep_none/close", json!({}), (404, "EPISODE_NOT_FOUND")),
        ("/extend", json!({}), (400, "VALIDATION_ERROR")),
        ("/extend", json!({ "additional_episodes": 0 }), (400, "VALIDATION_ERROR")),
        ("/close", json!({ "now": true }), (400, "VALIDATION_ERROR")),
    ] {
        let (status, answer) = run.call(path, body).await;
        assert_eq!((status, code(&answer)), expected, "{path}");
    }
    let nowhere = Run { server: &server, run_id: "run_none".to_owned() };
    for path in ["/episodes", "/extend", "/close", "/episodes/x/step", "/episodes/x/close"] {
        let body = match path {
            "/episodes" => json!({ "game": game }),
            "/extend" => json!({ "additional_episodes": 1 }),
            "/episodes/x/step" => json!({ "action": [] }),
            _ => json!({}),
        };
        let (status, answer) = nowhere.call(path, body).await;
        assert_eq!((status, code(&answer)), (404, "NOT_FOUND"), "{path}");
    }
    assert_eq!(run.listed().await["episodes_used"], 0);
}

#[tokio::test]
async fn runs_of_others_do_not_exist() {
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    let episode = run.reset(json!({ "game": "connect_four" })).await;
    let (_, other) = server.arena.bootstrap_key("other@example.org").await.unwrap();
    let key = [("x-api-key", other.as_str())];
    for (method, path) in [
        (reqwest::Method::POST, format!("/rollout-runs/{}/close", run.run_id)),
        (
            reqwest::Method::GET,
            format!("/rollout-runs/{}/episodes/{}", run.run_id, text(&episode["episode_id"])),
        ),
    ] {
        let (status, answer) = server.call(method, &path, None, &key).await;
        assert_eq!((status, code(&answer)), (404, "NOT_FOUND"), "{path}");
    }
    let (_, listed) = server.call(reqwest::Method::GET, "/rollout-runs", None, &key).await;
    assert_eq!(listed["data"]["runs"], json!([]));
    assert_eq!(run.listed().await["status"], "active");
}
