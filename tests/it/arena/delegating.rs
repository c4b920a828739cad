//! Turns and seats that providers play: the one there is stands for the built-in players.

use serde_json::{Value, json};

use super::{Server, both_seats, code, drop_in, text};

#[tokio::test]
async fn the_provider_of_the_arena_is_listed() {
    let server = Server::start().await;
    let providers = server.data("/org/providers").await;
    let provider = providers.as_array().unwrap().iter().find(|provider| provider["provider_id"] == "arena");
    let provider = provider.expect("a bare list with it");
    assert!(provider["allowed_models"].as_array().unwrap().contains(&json!("ab4")));
    assert_eq!(provider["models_by_game"]["connect_four"][0], "random");
}

#[tokio::test]
async fn a_delegated_turn_is_decided_told_and_charged_as_a_tick() {
    let server = Server::start().await;
    let session = server.create(both_seats()).await;
    let session_id = text(&session["session_id"]);
    let (mut p0, mut watcher) = (server.seat(&session, 0).await, server.spectate(session_id).await);
    watcher.next_of("observation").await;
    p0.next_of("observation").await;
    let by = json!({ "provider_id": "arena", "model": "ab4+eps0.25" });
    p0.send(json!({ "type": "delegate", "provider_id": "arena", "model": "ab4+eps0.25", "action_id": "d1" }))
        .await;
    let result = p0.next_of("action_result").await;
    assert_eq!(
        (&result["accepted"], &result["tick"], &result["action_id"]),
        (&json!(true), &json!(0), &json!("d1"))
    );
    assert_eq!(result["delegated"], by);
    let seen = watcher.next_of("observation").await;
    assert_eq!(seen["actions"]["p0"]["action"], result["action"]);
    assert_eq!(seen["actions"]["p0"]["delegated"], by);
    let record = server.until(session_id, "tick", 1).await;
    assert_eq!(record["credits_used"], 0.0004);

    p0.send(json!({ "type": "delegate", "provider_id": "arena" })).await;
    let error = p0.next_of("error").await;
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!("CONFLICT"), &json!("it is not this seat's turn"))
    );
    let logs = server.data(&format!("/sessions/{session_id}/logs")).await;
    let said =
        logs["logs"].as_array().unwrap().iter().find(|row| row["kind"] == "delegated").cloned().unwrap();
    assert_eq!((&said["player_id"], &said["text"]), (&json!("p0"), &json!("arena/ab4+eps0.25 decides")));
}

#[tokio::test]
async fn an_unknown_provider_or_model_is_answered_with_what_there_is() {
    let server = Server::start().await;
    let session = server.create(both_seats()).await;
    let mut p0 = server.seat(&session, 0).await;
    for (message, says) in [
        (json!({ "provider_id": "mine" }), "this arena has `arena`"),
        (json!({ "provider_id": "arena", "model": "gpt" }), "`ab4`"),
        (json!({ "provider_id": "arena", "model": "ab4+eps7" }), "`ab4`"),
        (json!({ "provider_id": "arena", "model": 7 }), "`model`"),
        (json!({}), "`provider_id`"),
    ] {
        let mut message = message;
        message["type"] = "delegate".into();
        p0.send(message).await;
        let error = p0.next_of("error").await;
        assert!(text(&error["message"]).contains(says), "{error}");
    }
    p0.act(drop_in(3)).await;
    assert_eq!(p0.next_of("action_result").await["accepted"], true, "the turn is still open");
}

#[tokio::test]
async fn a_seat_that_delegates_every_turn_plays_as_the_built_in_player_would() {
    let server = Server::start().await;
    let ask = |seats: u32, ai: Value| json!({ "game": "connect_four", "seats": seats, "seed": 9, "tick_ms": 0, "vs_ai": true, "ai": ai });
    let session = server.create(ask(1, json!(["block"]))).await;
    let mut p0 = server.seat(&session, 0).await;
    let end = loop {
        let message = p0.next().await;
        match text(&message["type"]) {
            "observation" if message["on_turn"] == true => {
                p0.send(json!({ "type": "delegate", "provider_id": "arena", "model": "ab4" })).await;
            }
            "game_completed" => break message,
            "action_result" => assert_eq!(message["accepted"], true, "{message}"),
            _ => {}
        }
    };
    assert_eq!(end["outcomes"]["p0"], "won", "ab4 against block: {end}");
}

#[tokio::test]
async fn seats_of_a_provider_are_built_in_players_and_others_are_refused() {
    let server = Server::start().await;
    // SDK 3.4.0 README "Connected model": no seat of one's own, a provider plays.
    let ask = json!({ "game": "market_simulator", "autostart": true, "ai_mode": "agentic_player",
                      "custom_provider_id": "arena", "spectate_mode": "private", "max_ticks": 5, "pace_ms": 0 });
    let session = server.create(ask).await;
    let end = server.until(text(&session["session_id"]), "status", "completed").await;
    assert!(end["seats"].as_array().unwrap().iter().all(|seat| seat["kind"] == "ai"));
    let mine = json!({ "game": "connect_four", "ai_mode": "agentic_player", "custom_provider_id": "arena", "tick_ms": 0 });
    assert_eq!(server.create(mine).await["session"]["seats"][1]["kind"], "ai");
    for (ask, says) in [
        (json!({ "game": "connect_four", "ai_mode": "agentic_player" }), "this arena has `arena`"),
        (
            json!({ "game": "connect_four", "ai_mode": "agentic_player", "custom_provider_id": "mine" }),
            "this arena has `arena`",
        ),
        (
            json!({ "game": "connect_four", "ai_mode": "code", "custom_provider_id": "arena" }),
            "`agentic_player`",
        ),
        (json!({ "game": "connect_four", "ai_mode": "human" }), "`code`, `agentic_player`"),
    ] {
        let (status, answer) = server.post("/play", ask.clone()).await;
        assert_eq!((status, code(&answer)), (400, "VALIDATION_ERROR"), "{ask}");
        assert!(text(&answer["error"]["message"]).contains(says), "{ask}: {answer}");
    }
}
