//! The base path for SDK 1.3.0. The SDK itself is run against it by `.ci/sdk-live.sh`.

use serde_json::{Value, json};

use super::{PATIENCE, Server, text};

/// A call below the base path of 1.3.0: the status and the body.
async fn call(server: &Server, path: &str, body: Option<Value>) -> (u16, Value) {
    let url = format!("http://{}/sdk-1.3/api/v1{path}", server.address);
    let request = match body {
        Some(body) => server.client.post(url).json(&body),
        None => server.client.get(url),
    };
    let request = request.header("x-api-key", &server.key);
    let response = tokio::time::timeout(PATIENCE, request.send()).await.expect("an answer in time").unwrap();
    let (status, length) = (response.status().as_u16(), response.content_length());
    let body = response.bytes().await.unwrap();
    assert_eq!(length.unwrap_or(body.len() as u64), body.len() as u64, "{path}");
    (status, serde_json::from_slice(&body).unwrap())
}

#[tokio::test]
async fn what_did_not_change_is_the_same_on_both_paths() {
    let server = Server::start().await;
    for path in ["/games", "/games/connect_four", "/tags", "/auth/balance", "/rollout-runs"] {
        let (status, legacy) = call(&server, path, None).await;
        assert_eq!((status, &legacy["data"]), (200, &server.data(path).await), "{path}");
    }
    let (status, body) = call(&server, "/rollout-runs/none/episodes/none", None).await;
    assert_eq!((status, text(&body["error"]["code"])), (404, "NOT_FOUND"));
    assert!(!text(&body["request_id"]).is_empty());
}

#[tokio::test]
async fn the_policy_has_one_seat_against_the_league_unless_it_asks_for_more() {
    let server = Server::start().await;
    let (_, run) = call(&server, "/rollout-runs", Some(json!({ "max_episodes": 9 }))).await;
    let episodes = format!("/rollout-runs/{}/episodes", text(&run["data"]["run_id"]));
    for (body, policy_seats, opponents) in [
        (json!({ "game": "connect_four" }), 1, 1),
        (json!({ "tags": ["turn_based", "board"], "player_count": 2 }), 1, 1),
        (json!({ "game": "connect_four", "seats": 2 }), 2, 0),
        (json!({ "game": "grid_serpents", "player_count": 4, "seats": 3, "anchor_opponents": 1 }), 3, 1),
    ] {
        let (status, answer) = call(&server, &episodes, Some(body.clone())).await;
        assert_eq!(status, 201, "{body}: {answer}");
        let episode = &answer["data"];
        assert_eq!(episode["policy_seats"].as_array().unwrap().len(), policy_seats, "{body}");
        assert_eq!(episode["opponents"].as_object().map_or(0, serde_json::Map::len), opponents, "{body}");
        assert_eq!(episode["score_higher_is_better"], true);
    }
    let (status, refused) =
        call(&server, &episodes, Some(json!({ "game": "connect_four", "seats": 3 }))).await;
    assert_eq!((status, text(&refused["error"]["code"])), (400, "VALIDATION_ERROR"));
    let (status, refused) = server.post(&episodes, json!({ "game": "connect_four", "seats": 1 })).await;
    assert_eq!(status, 400, "the words of 1.3.0 are for its own path: {refused}");
}

#[tokio::test]
async fn bodies_that_are_no_objects_and_too_long_ones_are_refused_as_everywhere() {
    let server = Server::start().await;
    for (body, status, code) in [
        (json!([1]), 400, "VALIDATION_ERROR"),
        (json!({ "game": "x".repeat(300 * 1024) }), 413, "PAYLOAD_TOO_LARGE"),
    ] {
        let (got, answer) = call(&server, "/rollout-runs/none/episodes", Some(body)).await;
        assert_eq!((got, text(&answer["error"]["code"])), (status, code));
    }
}
