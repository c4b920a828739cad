//! What actions and positions are worth, and what that costs.

use gert::arena::engine::rng::mix;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::super::{Server, code, text};
use super::{Run, balance, drop_for};

fn drop(column: u32) -> Value {
    json!({ "action": "drop", "column": column })
}

/// Connect four with p0 to move, who wins in column 3.
async fn won_position(run: &Run<'_>) -> Value {
    let mut last = run.reset(json!({ "game": "connect_four", "seed": 1 })).await;
    let episode_id = last["episode_id"].clone();
    for column in [3, 0, 3, 0, 3, 0] {
        let actions = drop_for(&last, column);
        last = run.step(&json!({ "episode_id": episode_id }), json!({ "actions": actions })).await;
    }
    last["episode_id"] = episode_id;
    last
}

fn path(episode: &Value, call: &str) -> String {
    format!("/episodes/{}/{call}", text(&episode["episode_id"]))
}

#[tokio::test]
async fn actions_are_ranked_and_the_episode_stays_as_it_is() {
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    let episode = won_position(&run).await;
    let ask = json!({
        "candidate_actions": [[drop(6)], drop(9), drop(3), [drop(3)], { "column": 6, "action": "drop" }],
        "samples_per_action": 5,
    });
    let answer = run.ok(&path(&episode, "score-actions"), ask.clone()).await;
    assert_eq!((&answer["seat"], &answer["total_actions_considered"]), (&json!("p0"), &json!(3)));
    let rows = answer["actions"].as_array().unwrap();
    let ranked: Vec<_> = rows.iter().map(|row| (&row["action"], row["action_rank"].as_u64())).collect();
    assert_eq!(ranked, [(&drop(3), Some(1)), (&drop(6), Some(2)), (&drop(9), Some(0))]);
    let best = &rows[0];
    assert_eq!(
        (&best["source"], &best["win_rate"], &best["failure_rate"]),
        (&json!("user"), &json!(1.0), &json!(0.0))
    );
    assert_eq!((&best["samples"], &best["scored"], &best["failed"]), (&json!(5), &json!(5), &json!(0)));
    assert_eq!(
        (&best["score"]["mean"], &best["score"]["percentiles"]["p90"]),
        (&json!(100.0), &json!(100.0))
    );
    let refused = &rows[2];
    assert_eq!(
        (&refused["failed"], &refused["failure_rate"], refused.get("win_rate")),
        (&json!(5), &json!(1.0), None)
    );
    assert!(text(&refused["refused"]).contains("column"), "{refused}");
    // The same question has the same answer, and the position has not moved.
    assert_eq!(run.ok(&path(&episode, "score-actions"), ask).await, answer);
    assert_eq!(run.probe(&episode).await.1["tick"], 6);
    // Only the ticks are billed: no episode, and no claim that was not played.
    let ticks = 6 + 2 * answer["ticks_used"].as_u64().unwrap();
    let closed = run.close().await;
    assert_eq!((&closed["episodes_used"], &closed["ticks_used"]), (&json!(1), &json!(ticks)));
    let credits = closed["credits_used"].as_f64().unwrap();
    assert!((credits - ticks as f64 * 0.0004).abs() < 1e-9, "{closed}");
    assert!((balance(&server).await["credits"].as_f64().unwrap() - (1000.0 - credits)).abs() < 1e-9);
}

#[tokio::test]
async fn the_arena_finds_candidates_itself_and_trims_the_answer() {
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    let episode = won_position(&run).await;
    let ask = json!({ "max_actions": 7, "samples_per_action": 2 });
    let all = run.ok(&path(&episode, "score-actions"), ask).await;
    let rows = all["actions"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["action"], &rows[0]["source"]), (7, &drop(3), &json!("league")));
    assert!(rows.iter().any(|row| row["source"] == "action_space"));
    let ask = json!({ "max_actions": 7, "samples_per_action": 2, "top_n": 1 });
    let best = run.ok(&path(&episode, "score-actions"), ask).await;
    assert_eq!((&best["total_actions_considered"], &best["actions"]), (&json!(7), &json!([rows[0]])));
}

#[tokio::test]
async fn a_claim_that_cannot_be_held_is_refused_and_one_that_can_grows_the_hold() {
    let server = Server::start().await;
    let run = Run::open_with(&server, json!({ "max_episodes": 2, "max_ticks_per_episode": 10_000 })).await;
    let episode = won_position(&run).await;
    let before = (balance(&server).await, run.listed().await);
    // 7 x 100 x 10 000 ticks are 2800 credits, and the account has 1000.
    let ask = json!({ "max_actions": 7, "samples_per_action": 100 });
    let (status, answer) = run.call(&path(&episode, "score-actions"), ask).await;
    assert_eq!((status, code(&answer)), (402, "INSUFFICIENT_CREDITS"));
    assert_eq!((balance(&server).await, run.listed().await), before, "nothing has changed");
    let held = |balance: &Value| balance["held"].as_f64().unwrap();
    let ask = json!({ "samples": 100, "max_ticks": 0 });
    run.ok(&path(&episode, "complete"), ask).await;
    // 100 x 10 000 ticks are 400 credits; the opening hold of 8 covers a part of it that was free.
    let after = balance(&server).await;
    assert!(held(&after) > 399.0 && held(&after) < 409.0, "{after}");
    let ask = json!({ "samples": 90 });
    run.ok(&path(&episode, "complete"), ask).await;
    assert!(held(&balance(&server).await) <= held(&after), "what was given back covers the next claim");
    run.close().await;
    assert_eq!(held(&balance(&server).await), 0.0);
}

#[tokio::test]
async fn a_position_is_played_on_for_any_seat() {
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    let episode = won_position(&run).await;
    let answer = run.ok(&path(&episode, "complete"), json!({})).await;
    assert_eq!(
        (&answer["seat"], &answer["samples"], &answer["scored"]),
        (&json!("p0"), &json!(30), &json!(30))
    );
    assert!(answer["score"]["mean"].as_f64().unwrap() > 60.0, "p0 wins at once: {answer}");
    let other = run.ok(&path(&episode, "complete"), json!({ "seat": "p1" })).await;
    let sum = answer["score"]["mean"].as_f64().unwrap() + other["score"]["mean"].as_f64().unwrap();
    assert!((sum - 100.0).abs() < 1e-9, "the same matches, seen from the other side: {other}");
    assert!(run.probe(&episode).await.1["tick"] == 6);
}

#[tokio::test]
async fn what_cannot_be_scored_is_refused_with_its_code() {
    let server = Server::start().await;
    let run = Run::open(&server, 4).await;
    let episode = won_position(&run).await;
    let gone = json!({ "episode_id": "ep_0" });
    let one = json!([drop(1)]);
    for (episode, call, ask, expected) in [
        (&episode, "score-actions", json!({}), (400, "VALIDATION_ERROR")),
        (&episode, "score-actions", json!({ "candidate_actions": [] }), (400, "VALIDATION_ERROR")),
        (
            &episode,
            "score-actions",
            json!({ "candidate_actions": one, "seat": "p1" }),
            (409, "SEAT_OFF_TURN"),
        ),
        (
            &episode,
            "score-actions",
            json!({ "candidate_actions": one, "seat": "p7" }),
            (400, "VALIDATION_ERROR"),
        ),
        (
            &episode,
            "score-actions",
            json!({ "candidate_actions": one, "samples": 3 }),
            (400, "VALIDATION_ERROR"),
        ),
        (&episode, "complete", json!({ "samples": true }), (400, "VALIDATION_ERROR")),
        (&episode, "complete", json!({ "samples": 1.5 }), (400, "VALIDATION_ERROR")),
        (
            &episode,
            "complete",
            json!({ "min_percentile": 0.501, "max_percentile": 0.502 }),
            (409, "LEAGUE_TOO_THIN"),
        ),
        (&gone, "complete", json!({}), (404, "EPISODE_NOT_FOUND")),
        (&gone, "score-actions", json!({ "max_actions": 1 }), (404, "EPISODE_NOT_FOUND")),
    ] {
        let (status, answer) = run.call(&path(episode, call), ask.clone()).await;
        assert_eq!((status, code(&answer)), expected, "{call} {ask}: {answer}");
    }
    // Simultaneous seats: one that failed has no action, its match goes on.
    let market = run.reset(json!({ "game": "market_simulator", "player_count": 3, "seed": 1 })).await;
    run.step(&market, json!({ "actions": { "p0": "junk", "p1": [], "p2": [] } })).await;
    for call in ["score-actions", "complete"] {
        let ask = json!({ "candidate_actions": [[]], "seat": "p0" });
        let ask = if call == "complete" { json!({ "seat": "p0" }) } else { ask };
        let (status, answer) = run.call(&path(&market, call), ask).await;
        assert_eq!((status, code(&answer)), (409, "SEAT_FAILED"), "{call}: {answer}");
    }
    let ask = json!({ "candidate_actions": [[]], "seat": "p1", "samples_per_action": 2, "max_ticks": 5 });
    assert_eq!(run.ok(&path(&market, "score-actions"), ask).await["ticks_used"], 10);
    assert_eq!(run.close().await["ticks_used"], 6 + 1 + 10);
}

#[tokio::test]
async fn league_episodes_are_scored_too() {
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    let ask = json!({ "game": "connect_four", "opponent_seats": 1, "max_percentile": 0.4, "seed": mix(&[4]) >> 12 });
    let episode = run.reset(ask).await;
    let ask = json!({ "max_actions": 3, "samples_per_action": 2 });
    let answer = run.ok(&path(&episode, "score-actions"), ask).await;
    assert_eq!((&answer["seat"], answer["actions"].as_array().unwrap().len()), (&episode["policy_seat"], 3));
}

#[tokio::test]
async fn scoring_keeps_an_episode_from_becoming_idle() {
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    let episode = run.reset(json!({ "game": "connect_four" })).await;
    let before = Timestamp::now();
    run.ok(&path(&episode, "complete"), json!({ "samples": 20 })).await;
    server.arena.rollouts().sweep(before + SignedDuration::from_mins(10)).await;
    assert_eq!(run.probe(&episode).await.0, 200);
    server.arena.rollouts().sweep(Timestamp::now() + SignedDuration::from_mins(11)).await;
    assert_eq!(run.probe(&episode).await.0, 404);
}

#[tokio::test]
async fn opponents_follow_the_win_rate_of_the_run() {
    let server = Server::start().await;
    let open = json!({
        "max_episodes": 9,
        "max_ticks_per_episode": 100,
        "auto_curriculum": true,
        "curriculum_band_width": 0.125,
        "curriculum_ewma_alpha": 0.5,
    });
    let run = Run::open_with(&server, open).await;
    let league = json!({ "game": "connect_four", "opponent_seats": 1 });
    let lose = async |ask: &Value| {
        let episode = run.reset(ask.clone()).await;
        let end = run.step(&episode, json!({ "action": "junk" })).await;
        assert_eq!(end["done"], true, "{end}");
        episode["opponent_band"].clone()
    };
    assert_eq!(lose(&league).await, json!([0.375, 0.625]));
    assert_eq!(lose(&league).await, json!([0.125, 0.375]));
    // A band that is named is kept, and its result counts all the same.
    let named = json!({ "game": "connect_four", "opponent_seats": 1, "min_percentile": 0.5 });
    assert_eq!(lose(&named).await, json!([0.5, 1.0]));
    assert_eq!(lose(&league).await, json!([0.0, 0.25]));
    let alone = run.reset(json!({ "game": "connect_four" })).await;
    assert_eq!(alone.get("opponent_band"), None);
}
