//! Episodes with league opponents.

use serde_json::{Value, json};

use super::super::{Server, code, text};
use super::Run;

/// The first action that an observation lists.
fn first_legal(observation: &Value) -> Value {
    json!([observation["_action_space"][0]["action"]])
}

#[tokio::test]
async fn league_players_open_and_answer_within_the_steps_of_the_policy() {
    let server = Server::start().await;
    let run = Run::open(&server, 40).await;
    let mut openers = 0;
    for seed in 0..6 {
        let ask = json!({ "game": "connect_four", "opponent_seats": 1, "seed": seed });
        let episode = run.reset(ask).await;
        let seat = text(&episode["policy_seat"]).to_owned();
        let other = if seat == "p0" { "p1" } else { "p0" };
        assert_eq!(episode["policy_seats"], json!([seat]));
        let opponents: Vec<&String> = episode["opponents"].as_object().unwrap().keys().collect();
        assert_eq!(opponents, [other]);
        assert_eq!(episode["opponents"][other]["player_type"], "code");
        assert_eq!(episode["opponents"][other]["provider"], "arena");
        openers += u32::from(seat == "p1");
        assert_eq!(episode["tick"], u32::from(seat == "p1"), "whoever sits on p0 opens");
        let (mut last, mut total) = (episode.clone(), episode["initial_score"].as_f64().unwrap());
        while last["done"] == false {
            assert_eq!(last["on_turn_seats"], json!([seat]));
            let body = json!({ "action": first_legal(&last["observation"]), "expected_tick": last["tick"] });
            let next = run.step(&episode, body).await;
            let ticks = next["tick"].as_u64().unwrap() - last["tick"].as_u64().unwrap();
            assert!(ticks == 2 || (ticks == 1 && next["done"] == true), "{next}");
            total += next["reward"].as_f64().unwrap();
            last = next;
        }
        assert_eq!(last["score"].as_f64(), Some(total));
        assert!(last.get("failed_seats").is_none() && last.get("eliminated_seats").is_none());
        assert!(last["rank"].is_u64() && last["outcome"].is_string());
    }
    assert!((1..6).contains(&openers), "the seed decides who opens: {openers}");
}

#[tokio::test]
async fn what_league_seats_suffer_is_not_in_the_lists() {
    let server = Server::start().await;
    let run = Run::open_with(&server, json!({ "max_episodes": 2, "max_ticks_per_episode": 300 })).await;
    let ask = json!({ "game": "liars_dice", "player_count": 4, "opponent_seats": 3, "seed": 2 });
    let episode = run.reset(ask).await;
    let seat = episode["policy_seat"].clone();
    let mut last = episode.clone();
    while last["done"] == false {
        let body = json!({ "action": first_legal(&last["observation"]), "expected_tick": last["tick"] });
        last = run.step(&episode, body).await;
        for list in ["failed_seats", "eliminated_seats"] {
            assert!(last.get(list).is_none_or(|list| *list == json!([seat])), "{last}");
        }
    }
    // Whether or not the policy was out before: the game went on to its own end.
    assert_eq!(last["completion_reason"], "game_complete");
    assert!(last["score"].is_number() && last["rank"].is_u64());
}

#[tokio::test]
async fn a_failed_policy_ends_its_episode_at_once() {
    let server = Server::start().await;
    let run = Run::open(&server, 2).await;
    for ask in [
        json!({ "game": "market_simulator", "player_count": 3, "opponent_seats": 2 }),
        json!({ "game": "connect_four", "opponent_seats": 1 }),
    ] {
        let episode = run.reset(ask).await;
        let end = run.step(&episode, json!({ "action": "junk" })).await;
        assert_eq!((&end["done"], &end["completion_reason"]), (&json!(true), &json!("policy_failed")));
        assert_eq!((&end["failed_seats"], end.get("score")), (&json!([episode["policy_seat"]]), None));
        assert!(end["reward"].as_f64().unwrap() < 0.0, "{end}");
    }
}

#[tokio::test]
async fn opponents_come_from_the_band_and_the_filters() {
    let server = Server::start().await;
    let run = Run::open(&server, 40).await;
    let ladder: Vec<String> =
        gert::arena::league::of("connect_four").iter().map(|entry| entry.player.clone()).collect();
    let weakest = &ladder[..ladder.len().div_ceil(2)];
    for seed in 0..8 {
        let ask = json!({ "game": "connect_four", "opponent_seats": 1, "seed": seed, "max_percentile": 0.5 });
        let episode = run.reset(ask).await;
        let opponent = episode["opponents"].as_object().unwrap().values().next().unwrap().clone();
        assert!(weakest.iter().any(|name| *name == text(&opponent["model"])), "{opponent}");
    }
    let ask = json!({ "game": "connect_four", "opponent_seats": 1, "opponent_models": [ladder[3]] });
    let episode = run.reset(ask).await;
    let opponent = episode["opponents"].as_object().unwrap().values().next().unwrap().clone();
    assert_eq!(text(&opponent["model"]), ladder[3]);
    for thin in [
        json!({ "opponent_models": ["nobody"] }),
        json!({ "opponent_providers": ["somebody"] }),
        json!({ "min_percentile": 0.5, "max_percentile": 0.5001 }),
        json!({ "opponent_created_before": "2001-01-01T00:00:00Z" }),
    ] {
        let mut ask = json!({ "game": "market_simulator", "player_count": 4, "opponent_seats": 3 });
        ask.as_object_mut().unwrap().extend(thin.as_object().unwrap().clone());
        let (status, answer) = run.call("/episodes", ask).await;
        assert_eq!((status, code(&answer)), (409, "LEAGUE_TOO_THIN"), "{thin}");
    }
    assert_eq!(run.listed().await["episodes_used"], 9, "a refused reset claims nothing");
}

#[tokio::test]
async fn the_seats_say_how_many_players_there_are() {
    let server = Server::start().await;
    let run = Run::open(&server, 4).await;
    let episode = run.reset(json!({ "game": "grid_serpents", "opponent_seats": 5 })).await;
    assert_eq!(episode["player_count"], 6, "the first count that leaves the policy a seat");
    assert_eq!(episode["policy_seats"].as_array().unwrap().len(), 1);
    let anchored =
        run.reset(json!({ "game": "market_simulator", "player_count": 4, "opponent_seats": 1 })).await;
    assert_eq!(anchored["policy_seats"].as_array().unwrap().len(), 3);
    assert_eq!(anchored["policy_seat"], anchored["policy_seats"][0]);
}
