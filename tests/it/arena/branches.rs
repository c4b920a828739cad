//! Branches: forks of a match that is played or was, what they cost, the tree of them, their scores.

use reqwest::Method;
use serde_json::{Value, json};

use super::{PATIENCE, Server, both_seats, code, drop_in, settings, text};

impl Server {
    /// Drops discs in turn, from the tick where a session is.
    async fn play_discs(&self, session: &Value, columns: &[u32]) {
        let session_id = text(&session["session_id"]);
        let mut tick = self.data(&format!("/sessions/{session_id}")).await["tick"].as_u64().unwrap();
        for column in columns {
            let token = text(&session["seats"][(tick % 2) as usize]["player_token"]);
            let body = json!({ "payload": drop_in(*column) });
            let path = format!("/play/{session_id}/act");
            let answer = self.call(Method::POST, &path, Some(body), &[("x-player-token", token)]).await;
            assert_eq!(answer.1["data"]["accepted"], true, "{answer:?}");
            tick += 1;
            self.until(session_id, "tick", tick).await;
        }
    }

    async fn branch(&self, of: &Value, body: Value) -> Value {
        let (status, answer) = self.post(&format!("/play/{}/branch", text(of)), body).await;
        assert_eq!(status, 201, "{answer}");
        answer["data"].clone()
    }

    async fn refused(&self, of: &Value, body: Value) -> (u16, String, String) {
        let (status, answer) = self.post(&format!("/play/{}/branch", text(of)), body).await;
        (status, code(&answer).to_owned(), text(&answer["error"]["message"]).to_owned())
    }

    async fn delete(&self, session_id: &Value) -> Value {
        let path = format!("/sessions/{}", text(session_id));
        self.call(Method::DELETE, &path, None, &[("x-api-key", &self.key)]).await.1["data"].clone()
    }

    async fn ended(&self, session: &Value) -> Value {
        self.until(text(&session["session_id"]), "status", "completed").await
    }

    /// What was played in a session, tick by tick.
    async fn played(&self, session: &Value) -> Vec<Value> {
        let logs = self.data(&format!("/sessions/{}/logs", text(&session["session_id"]))).await;
        let rows = logs["logs"].as_array().unwrap().iter().filter(|row| row["kind"] == "action");
        rows.map(|row| json!([row["tick"], row["player_id"], row["data"]["action"]])).collect()
    }
}

fn bots(game: &str, seed: u32) -> Value {
    json!({ "game": game, "autostart": true, "pace_ms": 0, "max_ticks": 60, "seed": seed })
}

#[tokio::test]
async fn a_branch_goes_on_from_where_a_live_session_is_and_leaves_it_alone() {
    let server = Server::start().await;
    let parent = server.create(both_seats()).await;
    server.play_discs(&parent, &[3, 3, 2]).await;
    let branch = server.branch(&parent["session_id"], json!({})).await;
    let session = &branch["session"];
    assert_eq!((&session["status"], &session["tick"]), (&json!("active"), &json!(3)));
    let of = json!({ "parent_id": parent["session_id"], "tick": 3, "kind": "single", "nth": 1, "player_id": "p1" });
    assert_eq!(session["branch"], of);
    assert_eq!(branch["seats"].as_array().unwrap().len(), 2);
    assert_ne!(branch["player_token"], parent["player_token"]);
    assert!(text(&branch["prompt"]).contains("## Action schema"));

    let seen = |session: &Value| {
        let path = format!("/play/{}", text(&session["session_id"]));
        let token = text(&session["seats"][1]["player_token"]).to_owned();
        let server = &server;
        async move { server.call(Method::GET, &path, None, &[("x-player-token", &token)]).await.1["data"].clone() }
    };
    assert_eq!(seen(&branch).await["observation"], seen(&parent).await["observation"]);
    server.play_discs(&branch, &[6]).await;
    server.play_discs(&parent, &[0]).await;
    assert_ne!(seen(&branch).await["observation"]["board"], seen(&parent).await["observation"]["board"]);
    let discs = |n| vec![3, 3, 2, n].into_iter().map(drop_in).collect::<Vec<_>>();
    let actions = |rows: Vec<Value>| rows.into_iter().map(|row| row[2].clone()).collect::<Vec<_>>();
    assert_eq!(actions(server.played(&branch).await), discs(6));
    assert_eq!(actions(server.played(&parent).await), discs(0));
}

#[tokio::test]
async fn a_branch_left_to_itself_ends_as_its_parent_did() {
    let server = Server::start().await;
    let parents = [
        json!({ "game": "connect_four", "autostart": true, "pace_ms": 0, "seed": 4, "ai": ["uct500", "centre"] }),
        bots("grid_serpents", 11),
        bots("liars_dice", 12),
        bots("pot_limit_omaha_hilo", 13),
        bots("market_simulator", 14),
        bots("multi_reversi", 15),
    ];
    for ask in parents {
        let parent = server.create(ask.clone()).await;
        let ended = server.ended(&parent).await;
        let tick = ended["tick"].as_u64().unwrap() / 2;
        let branch = server.branch(&parent["session_id"], json!({ "tick": tick })).await;
        let again = server.ended(&branch).await;
        assert_eq!(again["scores"], ended["scores"], "{ask}");
        assert_eq!(server.played(&branch).await, server.played(&parent).await, "{ask}");
        assert_eq!(
            again["credits_used"].as_f64().map(micro),
            Some(400 * (ended["tick"].as_i64().unwrap() - tick as i64))
        );
    }
}

#[tokio::test]
async fn luck_that_was_drawn_anew_is_part_of_the_record_of_branches() {
    let server = Server::start().await;
    let parent = server.create(bots("liars_dice", 5)).await;
    let ended = server.ended(&parent).await;
    let branch = server.branch(&parent["session_id"], json!({ "tick": 4, "luck": "fresh" })).await;
    let other = server.ended(&branch).await;
    assert_ne!(server.played(&branch).await, server.played(&parent).await, "{ended}");
    let tick = other["tick"].as_u64().unwrap() - 2;
    let grandchild = server.branch(&branch["session_id"], json!({ "tick": tick })).await;
    assert_eq!(server.ended(&grandchild).await["scores"], other["scores"]);
    assert_eq!(server.played(&grandchild).await, server.played(&branch).await);
}

#[tokio::test]
async fn several_branches_come_in_one_answer_and_part_ways() {
    let server = Server::start().await;
    let ask = json!({ "game": "liars_dice", "autostart": true, "pace_ms": 0, "seed": 3, "max_ticks": 80,
                      "ai": ["random", "random", "random"], "player_count": 3 });
    let parent = server.create(ask).await;
    server.ended(&parent).await;
    let made = server.branch(&parent["session_id"], json!({ "count": 8, "tick": 2 })).await;
    let branches = made["branches"].as_array().unwrap();
    assert_eq!(branches.len(), 8);
    assert_eq!(made["session_id"], branches[0]["session_id"]);
    let mut courses = Vec::new();
    for (nth, branch) in (1..).zip(branches) {
        let end = server.ended(branch).await;
        assert_eq!((&end["branch"]["kind"], &end["branch"]["nth"]), (&json!("count"), &json!(nth)));
        courses.push(server.played(branch).await);
    }
    assert!(courses.iter().any(|course| *course != courses[0]), "players of their own randomness");
    assert!(courses.iter().all(|course| course[..2] == courses[0][..2]), "one past");
    let listed = server.data(&format!("/sessions/{}/branches", text(&parent["session_id"]))).await;
    assert_eq!(listed["branches"].as_array().unwrap().len(), 8);
}

#[tokio::test]
async fn exploring_finds_the_move_that_wins() {
    let server = Server::start().await;
    let parent = server.create(both_seats()).await;
    server.play_discs(&parent, &[3, 0, 3, 0, 3, 0]).await;
    let body = json!({ "explore": { "max_actions": 7, "samples": 2, "model": "block" } });
    let explored = server.branch(&parent["session_id"], body).await;
    assert_eq!(explored["seats"], json!([]), "built-in players finish them");
    let branches = explored["branches"].as_array().unwrap();
    assert_eq!(branches.len(), 14);
    assert!(branches.iter().all(|branch| branch["session"]["status"] == "completed"));
    let [point] = &explored["decision_points"].as_array().unwrap()[..] else { panic!("one point") };
    assert_eq!((&point["tick"], &point["player_id"]), (&json!(6), &json!("p0")));
    let actions = point["actions"].as_array().unwrap();
    assert_eq!(actions.len(), 7);
    let best = &actions[0];
    assert_eq!((&best["action"], &best["action_rank"]), (&drop_in(3)[0], &json!(1)));
    assert_eq!((&best["sample_turns"], &best["value"]["std_dev"]), (&json!([1, 1]), &json!(0.0)));
    // The other side has three in a column too: whoever does not win or block loses at once.
    let value = json!({ "mean": 0.0, "std_dev": 0.0, "min": 0, "max": 0 });
    assert_eq!((&actions[6]["value"], &actions[6]["sample_turns"]), (&value, &json!([2, 2])));

    let path = format!("/sessions/{}/branch-scores", text(&parent["session_id"]));
    let scores = server.data(&path).await;
    assert_eq!(scores["decision_points"], explored["decision_points"]);
    let rows = scores["branches"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["outcome"], &rows[0]["rank"]), (14, &json!("won"), &json!(1)));
    assert!(rows.is_sorted_by(|a, b| a["score"].as_f64() >= b["score"].as_f64()));
    for (query, count) in
        [("kind=explore&status=completed", 14), ("kind=single", 0), ("tick=5", 0), ("player_id=p0", 14)]
    {
        let found = server.data(&format!("{path}?{query}")).await;
        assert_eq!(found["branches"].as_array().unwrap().len(), count, "{query}");
    }
    assert_eq!(server.get(&format!("{path}?colour=red")).await.0, 400);
}

#[tokio::test]
async fn the_first_action_of_other_branches_is_what_was_played() {
    let server = Server::start().await;
    let parent = server.create(both_seats()).await;
    server.play_discs(&parent, &[3]).await;
    let branch = server.branch(&parent["session_id"], json!({ "tick": 0 })).await;
    server.play_discs(&branch, &[5]).await;
    let path = format!("/sessions/{}/branch-scores", text(&parent["session_id"]));
    let polling = async {
        loop {
            let row = server.data(&path).await["branches"][0].clone();
            if row["first_action"] == drop_in(5) {
                break row;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    let row = tokio::time::timeout(PATIENCE, polling).await.expect("written in time");
    assert_eq!(
        (&row["status"], &row["tick"], &row["player_id"]),
        (&json!("active"), &json!(0), &json!("p0"))
    );
}

#[tokio::test]
async fn branches_are_a_tree_and_outlive_what_they_came_from() {
    let server = Server::start().await;
    let parent = server.create(both_seats()).await;
    server.play_discs(&parent, &[3, 4]).await;
    let child = server.branch(&parent["session_id"], json!({})).await;
    server.play_discs(&child, &[1]).await;
    let grandchild = server.branch(&child["session_id"], json!({})).await;
    let tree_of = |session: &Value| format!("/sessions/{}/branches", text(&session["session_id"]));
    let tree = server.data(&tree_of(&parent)).await;
    let node = &tree["branches"][0];
    assert_eq!((&node["session_id"], &node["tick"]), (&child["session_id"], &json!(3)));
    assert_eq!(node["branches"][0]["session_id"], grandchild["session_id"]);
    assert_eq!(node["branches"][0]["branch"]["parent_id"], child["session_id"]);
    assert_eq!(node["branches"][0]["branches"], json!([]));

    for deletion in ["ended", "deleted"] {
        assert_eq!(server.delete(&child["session_id"]).await[deletion], true);
    }
    assert_eq!(server.data(&tree_of(&parent)).await["branches"], json!([]), "its own branches hang on it");
    let orphan = server.data(&format!("/sessions/{}", text(&grandchild["session_id"]))).await;
    assert_eq!(orphan["branch"]["parent_id"], child["session_id"], "the name stays");
    assert_eq!(server.data(&tree_of(&child)).await["branches"][0]["session_id"], grandchild["session_id"]);
    server.play_discs(&grandchild, &[6]).await;
    server.branch(&grandchild["session_id"], json!({ "tick": 1 })).await;
    let (_, stranger) = server.arena.bootstrap_key("stranger@example.org").await.unwrap();
    assert_eq!(
        server.call(Method::GET, "/sessions/s_none/branches", None, &[("x-api-key", &stranger)]).await.0,
        404
    );
}

#[tokio::test]
async fn what_branches_may_cost_is_held_for_all_or_none_of_them() {
    let mut settings = settings();
    settings.limits.live_sessions = 4;
    let server = Server::with(settings).await;
    let parent = server.create(both_seats()).await;
    server.play_discs(&parent, &[0, 1]).await;
    let balance = || async {
        let balance = server.data("/auth/balance").await;
        (micro(balance["credits"].as_f64().unwrap()), micro(balance["held"].as_f64().unwrap()))
    };
    let (credits, held) = balance().await;
    let made = server.branch(&parent["session_id"], json!({ "count": 3 })).await;
    assert_eq!(balance().await, (credits, held + 3 * 40 * 400), "forty ticks are left of each");
    let (status, refusal, message) = server.refused(&parent["session_id"], json!({})).await;
    assert_eq!((status, refusal.as_str()), (429, "SESSION_LIMIT_EXCEEDED"));
    assert!(message.contains("limit of 4"), "{message}");
    assert_eq!(balance().await, (credits, held + 3 * 40 * 400));
    server.play_discs(&made["branches"][0], &[0, 1, 0]).await;
    for branch in made["branches"].as_array().unwrap() {
        assert_eq!(server.delete(&branch["session_id"]).await["ended"], true);
    }
    assert_eq!(balance().await, (credits - 3 * 400, held), "what was played in the branches, and only there");
    let usage = server.data("/auth/usage").await;
    let ticks: Vec<&Value> = usage["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["kind"] == "session")
        .map(|row| &row["ticks"])
        .collect();
    assert_eq!(ticks.iter().filter_map(|ticks| ticks.as_u64()).sum::<u64>(), 3);
}

#[tokio::test]
async fn too_few_credits_make_no_branch_at_all() {
    let mut settings = settings();
    settings.limits.live_sessions = 1000;
    let server = Server::with(settings).await;
    let ask = || json!({ "game": "connect_four", "seats": 2, "tick_ms": 0, "max_ticks": 10_000 });
    // Each holds 4 credits of 1000.
    for _ in 0..248 {
        server.create(ask()).await;
    }
    let parent = server.create(ask()).await;
    let (status, refusal, message) = server.refused(&parent["session_id"], json!({ "count": 2 })).await;
    assert_eq!((status, refusal.as_str()), (402, "INSUFFICIENT_CREDITS"), "{message}");
    assert_eq!(server.data("/auth/balance").await["held"], 996);
    let tree = server.data(&format!("/sessions/{}/branches", text(&parent["session_id"]))).await;
    assert_eq!(tree["branches"], json!([]));
    server.branch(&parent["session_id"], json!({ "count": 1 })).await;
}

#[tokio::test]
async fn what_cannot_be_branched_is_told_with_what_can() {
    let server = Server::start().await;
    let lobby = server.create(json!({ "game": "connect_four", "tick_ms": 0 })).await;
    let (status, refusal, message) = server.refused(&lobby["session_id"], json!({})).await;
    assert_eq!((status, refusal.as_str()), (409, "CONFLICT"));
    assert!(message.contains("has not begun"), "{message}");

    let over = server.create(both_seats()).await;
    server.play_discs(&over, &[0, 1, 0, 1, 0, 1, 0]).await;
    let (status, _, message) = server.refused(&over["session_id"], json!({})).await;
    assert_eq!(status, 409);
    assert!(message.contains("`tick` from 0 to 6"), "{message}");
    for (body, field) in [
        (json!({ "tick": 8 }), "tick"),
        (json!({ "tick": 43 }), "tick"),
        (json!({ "tick": -1 }), "tick"),
        (json!({ "count": 0 }), "count"),
        (json!({ "count": 33 }), "count"),
        (json!({ "explore": 3 }), "explore"),
        (json!({ "explore": {}, "count": 2 }), "count"),
        (json!({ "tick": 1, "explore": { "max_actions": 0 } }), "max_actions"),
        (json!({ "tick": 1, "explore": { "max_actions": 7, "samples": 5 } }), "max_actions"),
        (json!({ "tick": 1, "explore": { "player_id": "p0" } }), "player_id"),
        (json!({ "tick": 1, "explore": { "player_id": "p7" } }), "player_id"),
        (json!({ "tick": 1, "explore": { "model": "gpt" } }), "model"),
        (json!({ "tick": 1, "explore": { "depth": 2 } }), "depth"),
        (json!({ "luck": "good" }), "luck"),
        (json!({ "seed": 1 }), "seed"),
    ] {
        let (status, refusal, message) = server.refused(&over["session_id"], body.clone()).await;
        assert_eq!((status, refusal.as_str()), (400, "VALIDATION_ERROR"), "{body}: {message}");
        assert!(message.contains(&format!("`{field}`")), "{body}: {message}");
    }
    assert_eq!(server.refused(&json!("s_none"), json!({})).await.0, 404);
    assert_eq!(server.data("/auth/balance").await["held"], json!(0.0168), "the lobby's, and nothing else");
    server.branch(&over["session_id"], json!({ "tick": 6 })).await;
}

#[tokio::test]
async fn seats_of_others_are_played_by_built_in_players_and_only_when_it_is_over() {
    let server = Server::start().await;
    let (_, guest_key) = server.arena.bootstrap_key("guest@example.org").await.unwrap();
    let guest = [("x-api-key", guest_key.as_str())];
    let session = server.create(json!({ "game": "connect_four", "tick_ms": 0 })).await;
    let path = format!("/play/{}", text(&session["session_id"]));
    let (_, joined) = server.call(Method::POST, &format!("{path}/join"), None, &guest).await;
    let seats = json!({ "session_id": session["session_id"], "seats": [session["seats"][0], joined["data"]["seats"][0]] });
    server.play_discs(&seats, &[3, 3]).await;
    let (status, _, message) = server.refused(&session["session_id"], json!({})).await;
    assert_eq!(status, 403, "{message}");
    assert_eq!(server.call(Method::POST, &format!("{path}/branch"), Some(json!({})), &guest).await.0, 403);
    server.delete(&session["session_id"]).await;

    let (status, branch) =
        server.call(Method::POST, &format!("{path}/branch"), Some(json!({})), &guest).await;
    assert_eq!(status, 201, "{branch}");
    let branch = &branch["data"];
    assert_eq!((&branch["player_id"], &branch["session"]["branch"]["tick"]), (&json!("p1"), &json!(2)));
    assert_eq!(
        (&branch["session"]["seats"][0]["kind"], &branch["session"]["seats"][1]["kind"]),
        (&json!("ai"), &json!("user"))
    );
    let (_, balance) = server.call(Method::GET, "/auth/balance", None, &guest).await;
    assert!(balance["data"]["held"].as_f64() > Some(0.0), "who branches pays: {balance}");
    assert_eq!(server.data("/auth/balance").await["held"], 0);
    let (_, stranger) = server.arena.bootstrap_key("stranger@example.org").await.unwrap();
    let stranger = [("x-api-key", stranger.as_str())];
    let private = server
        .create(json!({ "game": "connect_four", "seats": 2, "tick_ms": 0, "spectate_mode": "private" }))
        .await;
    let path = format!("/play/{}/branch", text(&private["session_id"]));
    assert_eq!(server.call(Method::POST, &path, Some(json!({})), &stranger).await.0, 404);
}

#[tokio::test]
async fn a_client_that_gives_up_leaves_no_hold_without_a_session() {
    let server = Server::start().await;
    let parent = server.create(bots("grid_serpents", 2)).await;
    server.ended(&parent).await;
    let ask = || json!({ "count": 2, "tick": 1, "pace_ms": 60_000 });
    for patience in 0..10 {
        tokio::select! {
            _ = server.branch(&parent["session_id"], ask()) => {}
            () = tokio::time::sleep(std::time::Duration::from_micros(patience * 700)) => {}
        }
    }
    server.branch(&parent["session_id"], ask()).await;
    // Each branch has 59 ticks before it, and none is played yet.
    let settled = async {
        loop {
            let live = server.data("/sessions?status=active").await["sessions"].as_array().unwrap().len();
            let held = micro(server.data("/auth/balance").await["held"].as_f64().unwrap());
            if held == live as i64 * 59 * 400 {
                break live;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    let live = tokio::time::timeout(PATIENCE, settled).await.expect("a hold for each session and no other");
    assert!(live >= 2 && live % 2 == 0, "{live}");
}

fn micro(credits: f64) -> i64 {
    (credits * 1e6).round() as i64
}
