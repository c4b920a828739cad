//! Resets and steps of episodes whose seats are all the policy's.

use serde_json::{Value, json};

use super::super::{Server, code, text};
use super::{Run, drop_for};

/// Plays columns one after the other; gives the last result.
async fn play(run: &Run<'_>, episode: &Value, columns: &[u32]) -> Value {
    let mut last = episode.clone();
    for column in columns {
        let body = json!({ "actions": drop_for(&last, *column), "expected_tick": last["tick"] });
        last = run.step(episode, body).await;
    }
    last
}

#[tokio::test]
async fn a_reset_tells_what_the_contract_promises() {
    let server = Server::start().await;
    let run = Run::open(&server, 2).await;
    let episode = run.reset(json!({ "game": "connect_four", "seed": 7 })).await;
    assert_eq!(
        (&episode["game"], &episode["seed"], &episode["player_count"], &episode["max_ticks"]),
        (&json!("connect_four"), &json!(7), &json!(2), &json!(42))
    );
    assert_eq!(
        (&episode["policy_seat"], &episode["policy_seats"], &episode["on_turn_seats"]),
        (&json!("p0"), &json!(["p0", "p1"]), &json!(["p0"]))
    );
    assert_eq!((&episode["tick"], &episode["done"]), (&json!(0), &json!(false)));
    assert_eq!(
        (&episode["initial_score"], &episode["initial_scores"]),
        (&json!(50), &json!({ "p0": 50, "p1": 50 }))
    );
    assert_eq!(episode["observation"], episode["observations"]["p0"]);
    assert_eq!(episode["observations"]["p1"]["seat"], "p1");
    assert_eq!(episode["opponents"], json!({}));
    for absent in ["failed_seats", "eliminated_seats", "difficulty", "score", "completion_reason"] {
        assert!(episode.get(absent).is_none(), "{absent}");
    }
}

#[tokio::test]
async fn rewards_add_up_to_the_score_and_the_end_closes_the_episode() {
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    let episode = run.reset(json!({ "game": "connect_four" })).await;
    let (mut last, mut sums) = (episode.clone(), [50.0, 50.0]);
    for column in [0, 1, 0, 1, 0, 1, 0] {
        assert_eq!(last["done"], false);
        last = run
            .step(&episode, json!({ "actions": drop_for(&last, column), "expected_tick": last["tick"] }))
            .await;
        for (sum, seat) in sums.iter_mut().zip(["p0", "p1"]) {
            *sum += last["rewards"][seat].as_f64().unwrap();
        }
        assert_eq!(last["reward"], last["rewards"]["p0"]);
    }
    assert_eq!((&last["done"], &last["tick"]), (&json!(true), &json!(7)));
    assert_eq!(last["completion_reason"], "game_complete");
    assert_eq!(last["scores"], json!({ "p0": 100, "p1": 0 }));
    assert_eq!(json!(sums), json!([100.0, 0.0]));
    assert_eq!((&last["score"], &last["rank"], &last["outcome"]), (&json!(100), &json!(1), &json!("won")));
    assert_eq!(
        (&last["ranks"], &last["outcomes"]),
        (&json!({ "p0": 1, "p1": 2 }), &json!({ "p0": "won", "p1": "lost" }))
    );
    assert_eq!(last["on_turn_seats"], json!([]));
    let (status, answer) = run.probe(&episode).await;
    assert_eq!((status, code(&answer)), (404, "EPISODE_NOT_FOUND"));
    let (status, answer) = run.close_episode(&episode).await;
    assert_eq!((status, code(&answer)), (404, "EPISODE_NOT_FOUND"));
}

#[tokio::test]
async fn one_seed_is_one_episode() {
    let server = Server::start().await;
    let run = Run::open(&server, 4).await;
    let ask = json!({ "game": "market_simulator", "seed": 5, "player_count": 2, "opponent_seats": 1, "max_ticks": 3 });
    let (one, two) = (run.reset(ask.clone()).await, run.reset(ask).await);
    assert_ne!(one["episode_id"], two["episode_id"]);
    for same in ["observation", "policy_seats", "opponents", "initial_scores"] {
        assert_eq!(one[same], two[same], "{same}");
    }
    let (one, two) =
        (run.step(&one, json!({ "action": [] })).await, run.step(&two, json!({ "action": [] })).await);
    assert_eq!(one, two);
    let other = run.reset(json!({ "game": "market_simulator", "player_count": 2 })).await;
    assert!(other["seed"].as_u64().unwrap() < 1 << 53);
}

#[tokio::test]
async fn a_lost_step_is_answered_again_and_nothing_is_played_twice() {
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    let episode = run.reset(json!({ "game": "connect_four" })).await;
    let body = json!({ "actions": drop_for(&episode, 3), "expected_tick": 0 });
    let first = run.step(&episode, body.clone()).await;
    assert_eq!(run.step(&episode, body).await, first);
    assert_eq!(run.probe(&episode).await.1["tick"], 1);
    for expected in [2, 7] {
        let body = json!({ "actions": drop_for(&first, 3), "expected_tick": expected });
        let (status, answer) = run.try_step(&episode, body).await;
        assert_eq!((status, code(&answer)), (409, "STEP_CONFLICT"), "{expected}");
    }
    let second = run.step(&episode, json!({ "actions": drop_for(&first, 3) })).await;
    assert_eq!(second["tick"], 2, "without a tick it is played as things stand");
    let (status, answer) =
        run.try_step(&episode, json!({ "actions": drop_for(&episode, 3), "expected_tick": 0 })).await;
    assert_eq!((status, code(&answer)), (409, "STEP_CONFLICT"), "only the last step is kept");
}

#[tokio::test]
async fn the_last_step_is_answered_again_after_the_end_but_only_that_one() {
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    let episode = run.reset(json!({ "game": "connect_four" })).await;
    let last = play(&run, &episode, &[0, 1, 0, 1, 0, 1]).await;
    let body = json!({ "actions": drop_for(&last, 0), "expected_tick": 6 });
    let end = run.step(&episode, body.clone()).await;
    assert_eq!(end["done"], true);
    assert_eq!(run.step(&episode, body).await, end);
    for body in [
        json!({ "actions": { "p1": [] }, "expected_tick": 7 }),
        json!({ "actions": { "p1": [] }, "expected_tick": 5 }),
        json!({ "actions": { "p0": [{ "action": "drop", "column": 0 }] } }),
    ] {
        let (status, answer) = run.try_step(&episode, body.clone()).await;
        assert_eq!((status, code(&answer)), (404, "EPISODE_NOT_FOUND"), "{body}");
    }
    assert_eq!(run.listed().await["ticks_used"], 7);
}

#[tokio::test]
async fn output_that_is_no_action_fails_the_seat_and_is_no_bad_request() {
    let server = Server::start().await;
    let run = Run::open(&server, 8).await;
    for action in [
        json!("drop it in the middle"),
        json!(7),
        json!([1]),
        json!([{ "action": "drop", "column": 9 }]),
        json!([]),
    ] {
        let episode = run.reset(json!({ "game": "connect_four" })).await;
        let end = run.step(&episode, json!({ "actions": { "p0": action }, "expected_tick": 0 })).await;
        assert_eq!(
            (&end["done"], &end["completion_reason"]),
            (&json!(true), &json!("policy_failed")),
            "{action}"
        );
        assert_eq!((&end["failed_seats"], end.get("eliminated_seats")), (&json!(["p0"]), None));
        assert!(end.get("observation").is_none() && end["observations"].get("p0").is_none(), "{end}");
        assert_eq!((&end["reward"], &end["tick"]), (&json!(-50), &json!(0)));
        // The other seat did nothing wrong, and its result counts.
        assert_eq!((&end["scores"], &end["outcomes"]["p1"]), (&json!({ "p0": 0, "p1": 100 }), &json!("won")));
        // A step that cost no tick is told from the next one by what it names.
        let again = run.step(&episode, json!({ "actions": { "p0": action }, "expected_tick": 0 })).await;
        assert_eq!(again, end);
    }
}

#[tokio::test]
async fn a_single_policy_seat_has_plain_members_and_its_failure_has_no_score() {
    let server = Server::start().await;
    let run = Run::open(&server, 2).await;
    let ask = json!({ "game": "grid_serpents", "player_count": 1, "max_ticks": 3, "seed": 0 });
    let episode = run.reset(ask.clone()).await;
    assert_eq!((&episode["policy_seats"], &episode["on_turn_seats"]), (&json!(["p0"]), &json!(["p0"])));
    let mut last = run.step(&episode, json!({ "action": [], "expected_tick": 0 })).await;
    for absent in ["rewards", "observations"] {
        assert!(last.get(absent).is_none(), "{last}");
    }
    while last["done"] == false {
        last = run.step(&episode, json!({ "action": [] })).await;
    }
    assert_eq!((&last["completion_reason"], &last["tick"]), (&json!("max_ticks"), &json!(3)));
    assert!(last["score"].is_number());
    for absent in ["rank", "outcome", "ranks", "outcomes", "scores"] {
        assert!(last.get(absent).is_none(), "one player has no {absent}: {last}");
    }
    let episode = run.reset(ask).await;
    let end = run.step(&episode, json!({ "action": "left" })).await;
    assert_eq!((&end["done"], &end["completion_reason"]), (&json!(true), &json!("policy_failed")));
    assert_eq!(
        (&end["failed_seats"], end.get("score"), end.get("observation")),
        (&json!(["p0"]), None, None)
    );
}

#[tokio::test]
async fn in_a_simultaneous_game_a_seat_without_an_action_fails_and_the_others_play_on() {
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    let episode = run.reset(json!({ "game": "market_simulator", "player_count": 3, "max_ticks": 5 })).await;
    assert_eq!(episode["on_turn_seats"], json!(["p0", "p1", "p2"]));
    let step = run.step(&episode, json!({ "actions": { "p0": [], "p2": [] }, "expected_tick": 0 })).await;
    assert_eq!(
        (&step["done"], &step["tick"], &step["failed_seats"]),
        (&json!(false), &json!(1), &json!(["p1"]))
    );
    assert_eq!(step["on_turn_seats"], json!(["p0", "p2"]));
    let seats: Vec<&str> = step["observations"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(seats, ["p0", "p2"]);
    assert_eq!(run.probe(&episode).await.1["failed_seats"], json!(["p1"]));
    let mut last = step;
    while last["done"] == false {
        // What is sent for a seat that is out is skipped.
        last = run.step(&episode, json!({ "actions": { "p0": [], "p1": "junk", "p2": [] } })).await;
    }
    assert_eq!(
        (&last["completion_reason"], &last["failed_seats"]),
        (&json!("game_complete"), &json!(["p1"]))
    );
    assert_eq!(last["ranks"]["p1"], 3);
}

#[tokio::test]
async fn when_every_policy_seat_fails_there_is_no_score() {
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    let episode = run.reset(json!({ "game": "market_simulator", "player_count": 2 })).await;
    let end = run.step(&episode, json!({ "actions": {} })).await;
    assert_eq!((&end["done"], &end["completion_reason"]), (&json!(true), &json!("policy_failed")));
    assert_eq!((&end["failed_seats"], end.get("scores")), (&json!(["p0", "p1"]), None));
}

#[tokio::test]
async fn a_failure_in_the_tick_that_ends_the_game_leaves_the_games_own_reason() {
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    let ask = json!({ "game": "market_simulator", "player_count": 3, "max_ticks": 1 });
    let episode = run.reset(ask).await;
    let end = run.step(&episode, json!({ "actions": { "p0": "junk", "p1": [], "p2": [] } })).await;
    assert_eq!((&end["done"], &end["completion_reason"]), (&json!(true), &json!("game_complete")));
    assert_eq!(end["failed_seats"], json!(["p0"]));
}

#[tokio::test]
async fn a_game_ends_the_same_tick_for_one_seat_too() {
    // grid_serpents with one seat: running into the wall is an elimination, which the rules score.
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    let episode = run.reset(json!({ "game": "grid_serpents", "player_count": 1, "seed": 1 })).await;
    let mut last = episode.clone();
    while last["done"] == false {
        last = run.step(&episode, json!({ "action": [] })).await;
    }
    assert_eq!(last["completion_reason"], "game_complete");
    assert_eq!((&last["failed_seats"], &last["eliminated_seats"]), (&json!(["p0"]), &json!(["p0"])));
    assert!(last["score"].is_number() && last.get("observation").is_none(), "{last}");
}

#[tokio::test]
async fn the_probe_has_facts_and_no_observation() {
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    let episode = run.reset(json!({ "game": "connect_four", "seed": 3 })).await;
    let (status, probe) = run.probe(&episode).await;
    assert_eq!(status, 200);
    assert_eq!(
        probe,
        json!({
            "episode_id": episode["episode_id"], "game": "connect_four", "tick": 0, "done": false,
            "on_turn_seats": ["p0"], "policy_seat": "p0", "policy_seats": ["p0", "p1"], "turn_based": true,
            "player_count": 2, "max_ticks": 42, "seed": 3,
        })
    );
}

#[tokio::test]
async fn bad_steps_are_refused_and_change_nothing() {
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    let episode = run.reset(json!({ "game": "connect_four" })).await;
    let action = json!([{ "action": "drop", "column": 1 }]);
    for (body, field) in [
        (json!({}), "action"),
        (json!({ "action": action, "actions": { "p0": action } }), "actions"),
        (json!({ "actions": [] }), "actions"),
        (json!({ "actions": {} }), "actions"),
        (json!({ "actions": { "p1": action } }), "actions"),
        (json!({ "actions": { "p2": action } }), "actions"),
        (json!({ "actions": { "player_0": action } }), "actions"),
        (json!({ "actions": { "p0": action }, "expected_tick": -1 }), "expected_tick"),
        (json!({ "actions": { "p0": action }, "expected_tick": "0" }), "expected_tick"),
        (json!({ "actions": { "p0": action }, "tick": 0 }), "tick"),
    ] {
        let (status, answer) = run.try_step(&episode, body.clone()).await;
        assert_eq!((status, code(&answer)), (400, "VALIDATION_ERROR"), "{body}");
        assert!(text(&answer["error"]["message"]).contains(&format!("`{field}`")), "{body}: {answer}");
    }
    assert_eq!(run.probe(&episode).await.1["tick"], 0);
    let skipped = json!({ "actions": { "p0": action, "p1": "off turn, so never read" } });
    assert_eq!(run.step(&episode, skipped).await["tick"], 1);
}

#[tokio::test]
async fn a_plain_action_plays_the_only_seat_on_turn() {
    let server = Server::start().await;
    let run = Run::open(&server, 2).await;
    let episode = run.reset(json!({ "game": "connect_four" })).await;
    for tick in 0..2 {
        let body = json!({ "action": { "action": "drop", "column": 3 }, "expected_tick": tick });
        let after = run.step(&episode, body.clone()).await;
        assert_eq!(after["tick"], tick + 1);
        assert_eq!(run.step(&episode, body).await, after, "sent again, it is not played again");
    }
    let together = run.reset(json!({ "game": "grid_serpents", "player_count": 2 })).await;
    let (status, refused) = run.try_step(&together, json!({ "action": [] })).await;
    assert_eq!((status, code(&refused)), (400, "VALIDATION_ERROR"));
}
