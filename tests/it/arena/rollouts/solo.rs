//! Games for one: nobody to beat, and a difficulty.

use serde_json::{Value, json};

use super::super::{Server, code, text};
use super::Run;

const RANKED: [&str; 6] = ["rank", "ranks", "outcome", "outcomes", "win_rate", "rewards"];

fn first_legal(observation: &Value) -> Value {
    json!([observation["_action_space"][0]["action"]])
}

fn path(episode: &Value, call: &str) -> String {
    format!("/episodes/{}/{call}", text(&episode["episode_id"]))
}

#[tokio::test]
async fn an_episode_of_one_has_a_score_and_no_place() {
    // protocol.md §4.4, arena.md §1.4.
    let server = Server::start().await;
    let run = Run::open_with(&server, json!({ "max_episodes": 4, "max_ticks_per_episode": 200 })).await;
    for game in ["minefield", "spe_recall"] {
        let episode = run.reset(json!({ "game": game, "seed": 5 })).await;
        assert_eq!((&episode["policy_seats"], &episode["player_count"]), (&json!(["p0"]), &json!(1)));
        let (mut last, mut total) = (episode.clone(), episode["initial_score"].as_f64().unwrap());
        while last["done"] == false {
            assert_eq!(last["on_turn_seats"], json!(["p0"]));
            let body = json!({ "action": first_legal(&last["observation"]), "expected_tick": last["tick"] });
            last = run.step(&episode, body).await;
            total += last["reward"].as_f64().unwrap();
        }
        assert_eq!(last["completion_reason"], "game_complete");
        assert!((last["score"].as_f64().unwrap() - total).abs() < 1e-3, "{last}");
        for absent in RANKED {
            assert!(last.get(absent).is_none(), "{game}: {absent}");
        }
    }
    // Three mines, and it is over by the rules: eliminated, not failed.
    let episode = run.reset(json!({ "game": "minefield", "seed": 6, "difficulty": 1 })).await;
    let mut last = episode.clone();
    while last["done"] == false {
        last = run.step(&episode, json!({ "action": first_legal(&last["observation"]) })).await;
    }
    assert_eq!((&last["eliminated_seats"], &last["failed_seats"]), (&json!(["p0"]), &json!(["p0"])));
    assert!(last["score"].is_number() && last["completion_reason"] == "game_complete", "{last}");
    // Alone and unusable: nobody is left.
    let episode = run.reset(json!({ "game": "spe_recall" })).await;
    let end = run.step(&episode, json!({ "action": "junk" })).await;
    assert_eq!((&end["done"], &end["completion_reason"]), (&json!(true), &json!("policy_failed")));
    assert_eq!((end.get("score"), &end["reward"]), (None, &json!(-20)));
}

#[tokio::test]
async fn a_difficulty_is_played_echoed_and_inherited() {
    // protocol.md §2.12.2.
    let server = Server::start().await;
    let run = Run::open(&server, 12).await;
    for (difficulty, side) in [(json!(0), 8), (json!(0.45), 12), (json!(1), 16), (json!(0.125), 9)] {
        let episode = run.reset(json!({ "game": "minefield", "difficulty": difficulty })).await;
        assert_eq!((&episode["difficulty"], &episode["observation"]["rows"]), (&difficulty, &json!(side)));
        let (status, child) = run.call(&path(&episode, "fork"), json!({})).await;
        assert_eq!(
            (status, &child["difficulty"], &child["observation"]),
            (201, &difficulty, &episode["observation"])
        );
    }
    let usual = run.reset(json!({ "game": "minefield" })).await;
    assert_eq!((usual.get("difficulty"), &usual["observation"]["rows"]), (None, &json!(12)));
}

#[tokio::test]
async fn a_difficulty_that_cannot_be_is_refused() {
    let server = Server::start().await;
    let run = Run::open(&server, 1).await;
    for (body, hint) in [
        (json!({ "game": "minefield", "difficulty": 1.01 }), "from 0 to 1"),
        (json!({ "game": "minefield", "difficulty": -0.5 }), "from 0 to 1"),
        (json!({ "game": "minefield", "difficulty": "hard" }), "number"),
        (json!({ "game": "connect_four", "difficulty": 0.5 }), "one difficulty"),
        (json!({ "tags": ["difficulty"], "difficulty": 0.5 }), "needs `game`"),
    ] {
        let (status, answer) = run.call("/episodes", body.clone()).await;
        assert_eq!((status, code(&answer)), (400, "VALIDATION_ERROR"), "{body}");
        let message = text(&answer["error"]["message"]);
        assert!(message.contains("`difficulty`") && message.contains(hint), "{body}: {message}");
    }
    // Nobody else can sit there.
    let (status, _) = run.call("/episodes", json!({ "game": "minefield", "opponent_seats": 1 })).await;
    assert_eq!(status, 400);
}

#[tokio::test]
async fn positions_of_one_are_scored_without_a_win_rate() {
    // protocol.md §2.12.7 and 8: solo games included.
    let server = Server::start().await;
    let run = Run::open_with(&server, json!({ "max_episodes": 2, "max_ticks_per_episode": 200 })).await;
    for (game, difficulty) in [("minefield", 0.2), ("spe_recall", 0.2)] {
        let episode = run.reset(json!({ "game": game, "seed": 3, "difficulty": difficulty })).await;
        let worth = run.ok(&path(&episode, "complete"), json!({ "samples": 6 })).await;
        assert_eq!(
            (&worth["seat"], &worth["scored"], &worth["failed"]),
            (&json!("p0"), &json!(6), &json!(0))
        );
        assert!(worth.get("win_rate").is_none() && worth["score"]["mean"].as_f64() > Some(40.0), "{worth}");
        let ask = json!({ "max_actions": 4, "samples_per_action": 3 });
        let answer = run.ok(&path(&episode, "score-actions"), ask).await;
        let rows = answer["actions"].as_array().unwrap();
        assert!(!rows.is_empty());
        for row in rows {
            assert!(row.get("win_rate").is_none() && row["scored"] == 3, "{row}");
        }
    }
}
