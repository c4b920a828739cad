use serde_json::json;

use super::*;
use crate::arena::games::GAMES;

fn fields(json: &Value) -> Fields {
    let headers = [(axum::http::header::CONTENT_TYPE, "application/json".parse().unwrap())];
    Fields::from_body(&headers.into_iter().collect(), json.to_string().as_bytes()).unwrap()
}

fn translated(body: &Value) -> Value {
    Value::Object(Call::Reset.request(fields(body), GAMES, 0).unwrap())
}

fn refused(body: &Value) -> String {
    Call::Reset.request(fields(body), GAMES, 0).unwrap_err().message().to_owned()
}

/// Policy and league seats of a reset, by the docstring of `RolloutRuns.reset` in 1.3.0.
#[test]
fn the_policy_has_one_seat_unless_it_asks_for_more() {
    for (body, opponents) in [
        (json!({ "game": "connect_four" }), 1),
        (json!({ "game": "connect_four", "seats": 1 }), 1),
        (json!({ "game": "connect_four", "seats": 2 }), 0),
        (json!({ "game": "connect_four", "seats": null, "anchor_opponents": null }), 1),
        (json!({ "game": "grid_serpents", "player_count": 4 }), 3),
        (json!({ "game": "grid_serpents", "player_count": 4, "seats": 3 }), 1),
        (json!({ "game": "grid_serpents", "player_count": 4, "seats": 4 }), 0),
        (json!({ "game": "grid_serpents", "player_count": 4, "seats": 4, "anchor_opponents": 0 }), 0),
        (json!({ "game": "grid_serpents", "player_count": 4, "seats": 3, "anchor_opponents": 1 }), 1),
        (json!({ "game": "grid_serpents", "player_count": 4, "seats": 4, "anchor_opponents": 1 }), 1),
        (json!({ "game": "grid_serpents", "player_count": 4, "seats": 2, "anchor_opponents": 1 }), 2),
    ] {
        assert_eq!(translated(&body)["opponent_seats"], opponents, "{body}");
    }
}

#[test]
fn nothing_else_of_a_reset_changes() {
    let body = json!({ "game": "connect_four", "seed": 9_007_199_254_740_993_u64, "min_percentile": 0.4, "seats": 2,
        "opponent_models": [], "max_ticks": 20 });
    let want = json!({ "game": "connect_four", "seed": 9_007_199_254_740_993_u64, "min_percentile": 0.4,
        "opponent_models": [], "max_ticks": 20, "opponent_seats": 0 });
    assert_eq!(translated(&body), want);
}

#[test]
fn seats_that_cannot_be_had_are_refused_by_name() {
    for (body, word) in [
        (json!({ "game": "connect_four", "seats": 3 }), "`seats` must be a whole number from 1 to 2"),
        (json!({ "game": "connect_four", "seats": 0 }), "`seats`"),
        (json!({ "game": "connect_four", "seats": true }), "`seats`"),
        (json!({ "game": "connect_four", "anchor_opponents": 1 }), "set `seats` to 2 or more"),
        (json!({ "game": "connect_four", "seats": 2, "anchor_opponents": 2 }), "leave a seat"),
        (
            json!({ "game": "connect_four", "opponent_seats": 1 }),
            "`opponent_seats` is not known to SDK 1.3.0",
        ),
        (json!({ "game": "connect_four", "difficulty": 0.5 }), "`difficulty` is not known to SDK 1.3.0"),
        (json!({ "tags": ["board"], "seats": 200 }), "`tags` fits no game"),
    ] {
        assert!(refused(&body).contains(word), "{body}: {}", refused(&body));
    }
}

#[test]
fn what_is_wrong_in_any_version_is_left_to_the_reset() {
    for body in [
        json!({}),
        json!({ "game": "no_such_game" }),
        json!({ "game": "connect_four", "tags": ["board"] }),
        json!({ "game": 7 }),
        json!({ "tags": ["no_such_tag"] }),
    ] {
        assert_eq!(translated(&body), body);
    }
}

#[test]
fn of_tags_every_game_that_fits_can_be_picked() {
    let pick = |pick: u64| {
        let body = fields(&json!({ "tags": ["turn_based"], "player_count": 2 }));
        Call::Reset.request(body, GAMES, pick).unwrap()
    };
    let mut slugs: Vec<String> = (0..100).map(|nth| pick(nth)["game"].as_str().unwrap().to_owned()).collect();
    assert!(pick(0).get("tags").is_none());
    slugs.sort();
    slugs.dedup();
    let tags = ["turn_based".to_owned()];
    let mut want: Vec<&str> = catalogue::with_tags(GAMES, &tags)
        .map(|game| game.spec())
        .filter(|spec| spec.seats.contains(&2))
        .map(|spec| spec.slug)
        .collect();
    want.sort_unstable();
    assert_eq!(slugs, want);
}

#[test]
fn calls_are_told_apart_by_method_and_path() {
    for (method, path, call) in [
        (Method::POST, "/rollout-runs/r/episodes", Some(Call::Reset)),
        (Method::GET, "/rollout-runs/r/episodes/e", Some(Call::Episode)),
        (Method::POST, "/rollout-runs/r/episodes/e/fork", Some(Call::Episode)),
        (Method::POST, "/rollout-runs/r/episodes/e/forks", Some(Call::Forks)),
        (Method::POST, "/rollout-runs/r/episodes/e/complete", Some(Call::Episode)),
        (Method::POST, "/rollout-runs/r/episodes/e/score-actions", Some(Call::Episode)),
        (Method::POST, "/rollout-runs/r/episodes/e/step", None),
        (Method::POST, "/rollout-runs/r/steps", None),
        (Method::POST, "/rollout-runs", None),
        (Method::POST, "/exports", Some(Call::MakeExport)),
        (Method::POST, "/dataset-builds", Some(Call::MakeExport)),
        (Method::GET, "/exports/x_1", Some(Call::ReadExports)),
        (Method::GET, "/exports/x_1/download", None),
        (Method::GET, "/games", None),
    ] {
        assert_eq!(Call::of(&method, path), call, "{method} {path}");
    }
}

#[test]
fn answers_say_which_scores_are_better() {
    for (call, mut data, at) in [
        (Call::Reset, json!({ "episode_id": "e" }), ""),
        (Call::Episode, json!({ "seat": "p0" }), ""),
        (Call::Forks, json!({ "forks": [{}, {}] }), "/forks/1"),
    ] {
        call.answer(&mut data);
        assert_eq!(data.pointer(at).unwrap()["score_higher_is_better"], true, "{call:?}");
    }
}

#[test]
fn replays_are_called_game_replays() {
    let asked =
        Call::MakeExport.request(fields(&json!({ "export_type": "game_replays" })), GAMES, 0).unwrap();
    assert_eq!(asked["export_type"], "replays");
    let mut one = json!({ "export": { "export_type": "replays" } });
    Call::ReadExports.answer(&mut one);
    assert_eq!(one["export"]["export_type"], "game_replays");
    let mut list = json!({ "exports": [{ "export_type": "submissions" }, { "export_type": "replays" }] });
    Call::ReadExports.answer(&mut list);
    assert_eq!(list["exports"][0]["export_type"], "submissions");
    assert_eq!(list["exports"][1]["export_type"], "game_replays");
}

/// The retryable set of 1.3.0 (`client.py`), and codes that it passes on.
#[test]
fn codes_that_it_knows_stay() {
    for code in
        ["SERVER_BUSY", "RUN_BUSY", "OWNER_UNREACHABLE", "SETTLE_FAILED", "SERVICE_BUSY", "RUN_EXHAUSTED"]
    {
        assert_eq!(error_code(code), code);
    }
    assert_eq!(error_code("OP_FAILED"), "REPLAY_EXPIRED");
}
