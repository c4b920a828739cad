//! Playing: over REST and sockets, alone and with others, well and badly.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use super::{Server, both_seats, code, drop_in, settings, text};

/// REST calls of one seat.
struct Rest<'a> {
    server: &'a Server,
    session_id: String,
    token: String,
}

impl<'a> Rest<'a> {
    fn seat(server: &'a Server, session: &Value, nth: usize) -> Self {
        let token = text(&session["seats"][nth]["player_token"]).to_owned();
        Self { server, session_id: text(&session["session_id"]).to_owned(), token }
    }

    async fn get(&self) -> Value {
        let path = format!("/play/{}", self.session_id);
        let (status, body) =
            self.server.call(Method::GET, &path, None, &[("x-player-token", &self.token)]).await;
        assert_eq!(status, 200, "{body}");
        body["data"].clone()
    }

    async fn post(&self, what: &str, body: Option<Value>) -> Value {
        let path = format!("/play/{}/{what}", self.session_id);
        let (status, body) =
            self.server.call(Method::POST, &path, body, &[("x-player-token", &self.token)]).await;
        assert_eq!(status, 200, "{body}");
        body["data"].clone()
    }

    async fn act(&self, payload: Value) -> Value {
        self.post("act", Some(json!({ "payload": payload, "action_id": "a1" }))).await
    }
}

#[tokio::test]
async fn a_session_starts_at_once_with_prompt_observation_and_tokens() {
    let server = Server::start().await;
    let session = server.create(json!({ "game": "connect_four", "vs_ai": true, "seed": 5 })).await;
    assert_eq!(session["session"]["status"], "active");
    assert_eq!(session["seats"].as_array().unwrap().len(), 1);
    assert_eq!(session["seats"][0]["player_token"], session["player_token"]);
    assert!(text(&session["player_token"]).starts_with("pt_"));
    assert!(text(&session["prompt"]).contains("## Action schema"));
    assert_eq!(session["observation"]["tick"], 0);
    let seats = session["session"]["seats"].as_array().unwrap();
    assert_eq!((&seats[0]["kind"], &seats[0]["name"]), (&json!("user"), &json!("you")));
    assert_eq!((&seats[1]["kind"], &seats[1]["connected"]), (&json!("ai"), &json!(true)));
}

#[tokio::test]
async fn a_whole_game_is_played_over_rest() {
    let server = Server::start().await;
    let session = server.create(both_seats()).await;
    let (p0, p1) = (Rest::seat(&server, &session, 0), Rest::seat(&server, &session, 1));
    let off_turn = p1.act(drop_in(3)).await;
    assert_eq!(
        (&off_turn["accepted"], &off_turn["reasons"]),
        (&json!(false), &json!(["it is not this seat's turn"]))
    );
    for nth in 0..7u32 {
        let mover = if nth % 2 == 0 { &p0 } else { &p1 };
        let view = mover.get().await;
        assert_eq!((&view["status"], &view["observation"]["tick"]), (&json!("active"), &json!(nth)));
        let answer = mover.act(drop_in(nth % 2)).await;
        assert_eq!(answer, json!({ "accepted": true, "tick": nth, "action_id": "a1" }));
        server.until(&p0.session_id, "tick", nth + 1).await;
    }
    let view = p1.get().await;
    assert_eq!(view["status"], "completed");
    let record = server.data(&format!("/sessions/{}", p0.session_id)).await;
    assert_eq!(record["completion_reason"], "game_complete");
    assert_eq!(record["ranks"], json!({ "p0": 1, "p1": 2 }));
    assert_eq!(p0.act(drop_in(0)).await["accepted"], false, "it is over");
    p0.post("leave", None).await;
}

#[tokio::test]
async fn a_refused_action_is_explained_and_the_third_in_a_tick_ends_the_seat() {
    let server = Server::start().await;
    let session = server.create(both_seats()).await;
    let p0 = Rest::seat(&server, &session, 0);
    let mut watcher = server.spectate(&p0.session_id).await;
    let bad = [json!([{ "action": "drop", "column": 99 }]), json!("nonsense"), json!([])];
    for (nth, payload) in bad.into_iter().enumerate() {
        let answer = p0.act(payload).await;
        assert_eq!(answer["accepted"], false);
        assert!(!answer["reasons"].as_array().unwrap().is_empty(), "{answer}");
        let observation = &p0.get().await["observation"];
        assert_eq!(observation.get("_rejection_feedback").is_some(), nth < 2, "{observation}");
    }
    let failed = watcher.next_of("player_failed").await;
    assert_eq!((&failed["player_id"], &failed["tick"]), (&json!("p0"), &json!(0)));
    let end = watcher.next_of("game_completed").await;
    assert_eq!(end["ranks"], json!({ "p0": 2, "p1": 1 }));
    let logs = server.data(&format!("/sessions/{}/logs", p0.session_id)).await;
    let kinds: Vec<&str> = logs["logs"].as_array().unwrap().iter().map(|row| text(&row["kind"])).collect();
    assert_eq!(kinds, ["started", "rejected", "rejected", "rejected", "failed", "ended"]);
}

#[tokio::test]
async fn a_good_action_after_a_refused_one_counts() {
    let server = Server::start().await;
    let session = server.create(both_seats()).await;
    let p0 = Rest::seat(&server, &session, 0);
    assert_eq!(p0.act(json!([])).await["accepted"], false);
    assert_eq!(
        p0.act(json!({ "action": "drop", "column": 3 })).await["accepted"],
        true,
        "one object is a list of one"
    );
    server.until(&p0.session_id, "tick", 1).await;
}

#[tokio::test]
async fn a_second_action_in_a_tick_takes_the_place_of_the_first() {
    let server = Server::start().await;
    let session = server
        .create(json!({ "game": "market_simulator", "seats": 2, "player_count": 2, "tick_ms": 0 }))
        .await;
    let (p0, p1) = (Rest::seat(&server, &session, 0), Rest::seat(&server, &session, 1));
    assert_eq!(p0.act(json!([])).await, json!({ "accepted": true, "tick": 0, "action_id": "a1" }));
    let second = p0.act(json!([])).await;
    assert_eq!(second, json!({ "accepted": true, "tick": 0, "replaced": true, "action_id": "a1" }));
    p1.act(json!([])).await;
    server.until(&p0.session_id, "tick", 1).await;
    assert_eq!(p0.act(json!([])).await.get("replaced"), None, "a new tick begins afresh");
}

#[tokio::test]
async fn three_missed_deadlines_in_a_row_end_a_seat_that_was_there() {
    let server = Server::start().await;
    let session = server.create(json!({ "game": "connect_four", "seats": 2, "tick_ms": 40 })).await;
    let session_id = text(&session["session_id"]);
    let (_p0, _p1) = (server.seat(&session, 0).await, server.seat(&session, 1).await);
    let record = server.until(session_id, "status", "completed").await;
    assert_eq!(record["seats"][0]["failed"], true);
    assert_eq!(record["outcomes"], json!({ "p0": "lost", "p1": "won" }));
    // Two each were played for them before: a legal move drawn by the seed.
    assert_eq!(record["tick"], 4);
}

#[tokio::test]
async fn a_seat_that_nobody_visited_is_waited_for() {
    let mut settings = settings();
    settings.limits.first_visit = Duration::from_millis(400);
    let server = Server::with(settings).await;
    let session = server.create(json!({ "game": "connect_four", "seats": 2, "tick_ms": 10 })).await;
    let session_id = text(&session["session_id"]);
    tokio::time::sleep(Duration::from_millis(200)).await;
    let record = server.data(&format!("/sessions/{session_id}")).await;
    assert_eq!((&record["status"], &record["tick"]), (&json!("active"), &json!(0)));
    server.until(session_id, "status", "completed").await;
}

#[tokio::test]
async fn a_session_that_everybody_left_alone_ends_and_costs_what_was_played() {
    let mut settings = settings();
    settings.limits.idle = Duration::from_millis(300);
    let server = Server::with(settings).await;
    let session = server.create(both_seats()).await;
    let record = server.until(text(&session["session_id"]), "status", "failed").await;
    assert_eq!(record["completion_reason"], "abandoned");
    assert!(text(&record["failure_reason"]).starts_with("abandoned"), "{record}");
    assert_eq!(server.data("/auth/balance").await, json!({ "credits": 1000, "tier": "arena", "held": 0 }));
}

#[tokio::test]
async fn a_simultaneous_game_goes_on_with_no_ops_for_seats_that_are_late() {
    let server = Server::start().await;
    let session = server
        .create(
            json!({ "game": "grid_serpents", "player_count": 2, "seats": 2, "tick_ms": 20, "max_ticks": 5 }),
        )
        .await;
    let p0 = Rest::seat(&server, &session, 0);
    assert_eq!(p0.act(json!([])).await["accepted"], true);
    let record = server.until(&p0.session_id, "status", "completed").await;
    let failed: Vec<bool> = record["seats"]
        .as_array()
        .unwrap()
        .iter()
        .map(|seat| seat["failed"] == true && seat["eliminated"] == false)
        .collect();
    assert_eq!(failed, [false, false], "{record}");
}

#[tokio::test]
async fn leaving_ends_the_session_when_no_player_is_left() {
    let server = Server::start().await;
    let session = server
        .create(json!({ "game": "grid_serpents", "player_count": 4, "vs_ai": true, "tick_ms": 0 }))
        .await;
    let p0 = Rest::seat(&server, &session, 0);
    let mut socket = server.seat(&session, 0).await;
    socket.next_of("observation").await;
    p0.post("leave", None).await;
    let failed = socket.next_of("player_failed").await;
    assert_eq!(failed["reason"], "left");
    let end = socket.next_of("game_completed").await;
    assert_eq!((&end["completion_reason"], &end["status"]), (&json!("left"), &json!("failed")));
    assert_eq!(p0.get().await["failure_reason"], "every player left");
}

#[tokio::test]
async fn others_join_open_seats_and_get_the_same_seat_back() {
    let server = Server::start().await;
    let (_, guest_key) = server.arena.bootstrap_key("guest@example.org").await.unwrap();
    let guest = [("x-api-key", guest_key.as_str())];
    let session = server.create(json!({ "game": "connect_four", "tick_ms": 0 })).await;
    let session_id = text(&session["session_id"]).to_owned();
    assert_eq!(session["session"]["status"], "waiting");
    assert_eq!(session["session"]["seats"][1]["kind"], "open");
    let mut owner = server.seat(&session, 0).await;
    assert_eq!(owner.next_of("waiting").await["waiting_for"], json!(["p1"]));
    let rest = Rest::seat(&server, &session, 0);
    assert_eq!(rest.get().await["observation"], Value::Null);
    assert_eq!(rest.act(drop_in(0)).await["accepted"], false);

    let join = format!("/play/{session_id}/join");
    let own = server.post(&join, json!({})).await.1;
    assert_eq!(own["data"]["player_token"], session["player_token"], "the owner has a seat already");
    let (status, first) = server.call(Method::POST, &join, None, &guest).await;
    assert_eq!(status, 200, "{first}");
    assert_eq!(first["data"]["player_id"], "p1");
    assert_eq!(owner.next_of("game_started").await["players"], json!(["p0", "p1"]));
    owner.next_of("observation").await;
    let (_, again) = server.call(Method::POST, &join, None, &guest).await;
    assert_eq!(again["data"]["player_token"], first["data"]["player_token"]);

    let (_, third_key) = server.arena.bootstrap_key("third@example.org").await.unwrap();
    let (status, answer) = server.call(Method::POST, &join, None, &[("x-api-key", &third_key)]).await;
    assert_eq!((status, code(&answer)), (409, "CONFLICT"));
    server
        .call(Method::DELETE, &format!("/sessions/{session_id}"), None, &[("x-api-key", &server.key)])
        .await;
    let (_, list) = server.call(Method::GET, "/sessions", None, &guest).await;
    assert_eq!(list["data"]["sessions"][0]["session_id"], session_id.as_str(), "who joined finds it again");
    let seen = server.data(&format!("/sessions/{session_id}")).await;
    assert_eq!((&seen["seats"][0]["name"], &seen["seats"][1]["name"]), (&json!("you"), &json!("guest")));
}

#[tokio::test]
async fn a_seat_left_in_the_lobby_is_open_again_and_its_old_token_is_void() {
    let server = Server::start().await;
    let session = server.create(json!({ "game": "grid_serpents", "player_count": 4, "tick_ms": 0 })).await;
    let join = format!("/play/{}/join", text(&session["session_id"]));
    let (_, guest_key) = server.arena.bootstrap_key("guest@example.org").await.unwrap();
    let (_, joined) = server.call(Method::POST, &join, None, &[("x-api-key", &guest_key)]).await;
    let guest = Rest::seat(&server, &joined["data"], 0);
    guest.post("leave", None).await;
    let path = format!("/play/{}", guest.session_id);
    assert_eq!(server.call(Method::GET, &path, None, &[("x-player-token", &guest.token)]).await.0, 401);
    let (_, other_key) = server.arena.bootstrap_key("other@example.org").await.unwrap();
    let (_, other) = server.call(Method::POST, &join, None, &[("x-api-key", &other_key)]).await;
    assert_eq!(other["data"]["player_id"], "p1");
    assert_ne!(text(&other["data"]["player_token"]), guest.token);
    // The owner leaving ends it.
    Rest::seat(&server, &session, 0).post("leave", None).await;
    server.until(&guest.session_id, "status", "failed").await;
}

#[tokio::test]
async fn private_sessions_are_for_those_who_sit_in_them() {
    let server = Server::start().await;
    let (_, guest_key) = server.arena.bootstrap_key("guest@example.org").await.unwrap();
    let guest = [("x-api-key", guest_key.as_str())];
    let mut ask = both_seats();
    let mut made = Vec::new();
    for (mode, status) in [("public", 200), ("private", 404)] {
        ask["spectate_mode"] = json!(mode);
        let session = server.create(ask.clone()).await;
        let path = format!("/sessions/{}", text(&session["session_id"]));
        assert_eq!(server.call(Method::GET, &path, None, &guest).await.0, status, "{mode}");
        let deleted = server.call(Method::DELETE, &path, None, &guest).await.0;
        assert!(deleted == 403 || deleted == 404, "{mode}: {deleted}");
        let spectate = format!("/spectate/{}", text(&session["session_id"]));
        assert!(server.call(Method::GET, &spectate, None, &guest).await.0 >= 400);
        made.push(session["session_id"].clone());
    }
    let (_, list) = server.call(Method::GET, "/sessions", None, &guest).await;
    let listed: Vec<&Value> =
        list["data"]["sessions"].as_array().unwrap().iter().map(|row| &row["session_id"]).collect();
    assert_eq!(listed, [&made[0]], "the public one, while it is live");
}

#[tokio::test]
async fn a_live_session_is_ended_and_an_ended_one_deleted() {
    let server = Server::start().await;
    let session = server.create(both_seats()).await;
    let path = format!("/sessions/{}", text(&session["session_id"]));
    let key = [("x-api-key", server.key.as_str())];
    let (_, ended) = server.call(Method::DELETE, &path, None, &key).await;
    assert_eq!(ended["data"]["ended"], true);
    assert_eq!(server.data(&path).await["completion_reason"], "cancelled");
    let (_, deleted) = server.call(Method::DELETE, &path, None, &key).await;
    assert_eq!(deleted["data"]["deleted"], true);
    assert_eq!(server.get(&path).await.0, 404);
    assert_eq!(server.data("/sessions").await["sessions"], json!([]));
}

#[tokio::test]
async fn the_same_seed_gives_the_same_match() {
    let server = Server::start().await;
    let mut ends = Vec::new();
    for _ in 0..2 {
        let ask =
            json!({ "game": "grid_serpents", "autostart": true, "seed": 77, "pace_ms": 0, "max_ticks": 60 });
        let session = server.create(ask).await;
        assert_eq!(session["seats"], json!([]));
        let record = server.until(text(&session["session_id"]), "status", "completed").await;
        ends.push((record["scores"].clone(), record["tick"].clone()));
    }
    assert_eq!(ends[0], ends[1]);
}

#[tokio::test]
async fn a_session_of_one_takes_a_difficulty_and_ends_with_a_score_alone() {
    let server = Server::start().await;
    let ask = |config: Value| json!({ "game": "minefield", "seats": 0, "pace_ms": 0, "config": config });
    let session = server.create(ask(json!({ "difficulty": 0 }))).await["session"].clone();
    assert_eq!((&session["player_count"], &session["config"]["difficulty"]), (&json!(1), &json!(0)));
    let ended = server.until(text(&session["session_id"]), "status", "completed").await;
    assert!(ended["scores"]["p0"].is_number() && ended["completion_reason"] == "game_complete", "{ended}");
    for absent in ["ranks", "outcomes"] {
        assert!(ended.get(absent).is_none(), "{ended}");
    }
    let own = server.create(json!({ "game": "minefield", "config": { "difficulty": 1 } })).await;
    assert_eq!((&own["observation"]["rows"], own["seats"].as_array().unwrap().len()), (&json!(16), 1));
    let (status, answer) = server.post("/play", ask(json!({ "difficulty": 2 }))).await;
    assert_eq!(status, 400, "{answer}");
    assert!(text(&answer["error"]["message"]).contains("`difficulty`"), "{answer}");
}
