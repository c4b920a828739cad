//! Tasks over the wire: issuing, scoring, money, expiry.

use std::collections::BTreeMap;

use gert::arena::ArenaSettings;
use gert::arena::credits::Credits;
use gert::arena::store::ledger::{self, Link};
use gert::arena::store::{Place, StoreError};
use jiff::{SignedDuration, Timestamp};
use reqwest::Method;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::{Server, code, settings, text};

const NAMES: [&str; 10] = [
    "text_compression",
    "sequence_compression",
    "grid_compression",
    "sequence_prediction",
    "automaton_prediction",
    "market_prediction",
    "automaton_identification",
    "generator_identification",
    "player_identification",
    "rule_identification",
];

async fn draw(server: &Server, ask: Value) -> Value {
    let (status, answer) = server.post("/tasks", ask).await;
    assert_eq!(status, 201, "{answer}");
    answer["data"].clone()
}

async fn score(server: &Server, task_id: &Value, replies: Value) -> (u16, Value) {
    server.post("/tasks/score", json!({ "task_id": task_id, "responses": replies })).await
}

async fn usage(server: &Server) -> Vec<Value> {
    server.data("/auth/usage").await["entries"].as_array().unwrap().clone()
}

/// The free credits in micro-credits.
async fn micro(server: &Server) -> i64 {
    (server.credits().await * 1e6).round() as i64
}

#[tokio::test]
async fn every_variant_is_listed_issued_and_scored() {
    // protocol.md §6.3, the live suite's task test.
    let server = Server::start().await;
    let info = server.data("/tasks/info").await;
    assert_eq!(info["difficulty"], 0.45);
    let rows = info["variants"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| text(&row["name"])).collect::<Vec<_>>(), NAMES);
    for row in rows {
        // arena.md §10.1: 0.004 + 0.016 d and 0.001 + 0.004 d.
        assert_eq!((&row["generate_price"], &row["score_price"]), (&json!(0.0112), &json!(0.0028)), "{row}");
        let name = &row["name"];
        let drawn = draw(&server, json!({ "variants": [name] })).await;
        let task = &drawn["tasks"][0];
        assert_eq!(
            (&task["variant"], &task["kind"], &task["difficulty"]),
            (name, &row["kind"], &json!(0.45))
        );
        assert_eq!((&task["price"], &drawn["price"]), (&json!(0.0112), &json!(0.0112)));
        let [message] = &task["messages"].as_array().unwrap()[..] else { panic!("{task}") };
        assert_eq!(message["role"], "user");
        assert!(text(&message["content"]).contains("\n\n## Observation\n{"), "{name}");
        assert!(text(&task["task_id"]).starts_with("t1."), "{task}");
        let (status, answer) = score(&server, &task["task_id"], json!(["no action here", "[]", "[]"])).await;
        let (results, price) = (&answer["data"]["results"], &answer["data"]["price"]);
        assert_eq!((status, price), (200, &json!(0.0028)), "{answer}");
        assert!(text(&results[0]["error"]).starts_with("format:"), "{answer}");
        assert_eq!((&results[0]["points"], &results[0]["solved"]), (&json!(0.0), &json!(false)));
        assert_eq!(results[1], json!({ "points": 0.0, "solved": false }));
        assert_eq!(results[1], results[2]);
    }
    let hard = server.data("/tasks/info?difficulty=0.98").await;
    assert_eq!((&hard["difficulty"], &hard["variants"][0]["score_price"]), (&json!(1.0), &json!(0.005)));
}

#[tokio::test]
async fn tasks_and_scored_actions_are_charged_to_the_last_digit() {
    let server = Server::start().await;
    let before = micro(&server).await;
    let drawn = draw(&server, json!({ "n": 3, "difficulty": 0.524, "kinds": ["prediction"] })).await;
    assert_eq!((drawn["tasks"].as_array().unwrap().len(), &drawn["price"]), (3, &json!(0.036)));
    assert!(drawn["tasks"].as_array().unwrap().iter().all(|task| task["kind"] == "prediction"));
    assert_eq!(before - micro(&server).await, 36_000);
    let task_id = &drawn["tasks"][0]["task_id"];
    // Two distinct actions, both of a wrong shape: scored nothing, charged all the same.
    let replies = json!([r#"{"action":"a"}"#, r#"[{"action":"a"}]"#, "nothing", r#"{"action":"b"}"#]);
    let (_, answer) = score(&server, task_id, replies.clone()).await;
    let errors: Vec<&str> =
        answer["data"]["results"].as_array().unwrap().iter().map(|result| text(&result["error"])).collect();
    assert!(errors[0].starts_with("answer:") && errors[0] == errors[1], "{errors:?}");
    assert!(errors[2].starts_with("format:") && errors[3].starts_with("answer:"), "{errors:?}");
    assert_eq!(answer["data"]["price"], 0.006);
    // A repeated request is another one.
    score(&server, task_id, replies).await;
    let (_, free) = score(&server, task_id, json!(["nothing", "to read"])).await;
    assert_eq!(free["data"]["price"], 0);
    assert_eq!(before - micro(&server).await, 36_000 + 2 * 6_000);
    let usage = usage(&server).await;
    let kinds: BTreeMap<&str, usize> = usage.iter().fold(BTreeMap::new(), |mut kinds, entry| {
        *kinds.entry(text(&entry["kind"])).or_default() += 1;
        kinds
    });
    assert_eq!(kinds, BTreeMap::from([("grant", 1), ("task_generate", 3), ("task_score", 2)]));
    let scored = usage.iter().find(|entry| entry["kind"] == "task_score").unwrap();
    assert_eq!((&scored["credits"], &scored["task_id"]), (&json!(0.006), task_id), "{scored}");
}

#[tokio::test]
async fn a_task_that_cannot_be_paid_is_neither_charged_nor_kept_nor_scored() {
    let server = Server::start().await;
    let drawn = draw(&server, json!({ "n": 1, "difficulty": 0 })).await;
    let task_id = &drawn["tasks"][0]["task_id"];
    // Two tasks could be paid, or nine answers.
    let spent = Credits(micro(&server).await - 9_000);
    let account = server.arena.keys().account_of(&server.key).unwrap();
    let spend = move |connection: &Connection| {
        ledger::charge(
            connection,
            &account,
            "test",
            spent,
            &Link::Task("t"),
            "all but a rest",
            Timestamp::now(),
        )
    };
    server.arena.store().write(spend).await.unwrap();
    let (status, answer) = server.post("/tasks", json!({ "n": 3, "difficulty": 0 })).await;
    assert_eq!((status, code(&answer)), (402, "INSUFFICIENT_CREDITS"));
    assert_eq!(micro(&server).await, 9_000);
    let replies: Vec<String> = (0..10).map(|n| format!("{{\"action\":\"{n}\"}}")).collect();
    let (status, answer) = score(&server, task_id, json!(replies)).await;
    assert_eq!(
        (status, code(&answer)),
        (402, "INSUFFICIENT_CREDITS"),
        "scores are not told before they are paid"
    );
    assert_eq!(score(&server, task_id, json!(replies[..9])).await.0, 200);
    assert_eq!(micro(&server).await, 0);
    assert_eq!(server.arena.store().read(tasks_kept).await.unwrap(), 1);
}

fn tasks_kept(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.query_row("SELECT count(*) FROM tasks", [], |row| row.get(0))?)
}

#[tokio::test]
async fn a_task_can_be_scored_for_seven_days_and_by_its_account_only() {
    // protocol.md §2.13, §4.7.
    let server = Server::start().await;
    let drawn = draw(&server, json!({ "variants": ["rule_identification"] })).await;
    let task_id = text(&drawn["tasks"][0]["task_id"]).to_owned();
    let account = server.arena.keys().account_of(&server.key).unwrap();
    let ask = |account: &str, days: i64, minutes: i64| {
        let now =
            Timestamp::now() + SignedDuration::from_hours(24 * days) + SignedDuration::from_mins(minutes);
        let (desk, account, task_id) = (server.arena.desk(), account.to_owned(), task_id.clone());
        async move {
            desk.score(&account, task_id, vec!["[]".to_owned()], now).await.map_err(|error| error.code())
        }
    };
    assert!(ask(&account, 7, -1).await.is_ok());
    assert_eq!(ask(&account, 7, 1).await, Err("TASK_EXPIRED"));
    let (other, other_key) = server.arena.bootstrap_key("you@example.org").await.unwrap();
    assert_eq!(ask(&other, 0, 0).await, Err("NOT_FOUND"));
    let body = Some(json!({ "task_id": task_id, "responses": ["[]"] }));
    let headers = [("x-api-key", other_key.as_str())];
    assert_eq!(server.call(Method::POST, "/tasks/score", body, &headers).await.0, 404);
    // Forgotten, it has expired all the same; what never was is unknown.
    let forget = |connection: &Connection| Ok(connection.execute("DELETE FROM tasks", [])?);
    server.arena.store().write(forget).await.unwrap();
    let (status, answer) = score(&server, &json!(task_id), json!(["[]"])).await;
    assert_eq!((status, code(&answer)), (410, "TASK_EXPIRED"));
    let (status, answer) = score(&server, &json!("t1.body.sig"), json!(["[]"])).await;
    assert_eq!((status, code(&answer)), (404, "NOT_FOUND"));
}

#[tokio::test]
async fn tasks_outlive_a_restart_and_old_ones_are_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::File(folder.path().join("arena.db"));
    let settings = || ArenaSettings { store: place.clone(), ..settings() };
    let mut server = Server::with(settings()).await;
    let drawn = draw(&server, json!({ "n": 2 })).await;
    server.stop().await;
    let server = Server::with(settings()).await;
    assert_eq!(score(&server, &drawn["tasks"][1]["task_id"], json!(["[]"])).await.0, 200);
    let age = |connection: &Connection| {
        Ok(connection.execute("UPDATE tasks SET created_at = created_at - 7 * 24 * 3600 * 1000", [])?)
    };
    server.arena.store().write(age).await.unwrap();
    draw(&server, json!({})).await;
    assert_eq!(server.arena.store().read(tasks_kept).await.unwrap(), 1);
}

#[tokio::test]
async fn one_of_another_version_of_its_variant_is_expired() {
    let server = Server::start().await;
    let drawn = draw(&server, json!({})).await;
    let age = |connection: &Connection| Ok(connection.execute("UPDATE tasks SET version = 0", [])?);
    server.arena.store().write(age).await.unwrap();
    let (status, answer) = score(&server, &drawn["tasks"][0]["task_id"], json!(["[]"])).await;
    assert_eq!((status, code(&answer)), (410, "TASK_EXPIRED"));
    assert!(text(&answer["error"]["message"]).contains("another version"), "{answer}");
}

#[tokio::test]
async fn draws_are_narrowed_and_rules_are_worded_anew() {
    let server = Server::start().await;
    let names = |drawn: &Value| -> Vec<String> {
        drawn["tasks"].as_array().unwrap().iter().map(|task| text(&task["variant"]).to_owned()).collect()
    };
    let ask = json!({ "n": 16, "kinds": ["identification"], "weights": { "rule_identification": 0 }, "difficulty": 0 });
    let drawn = draw(&server, ask).await;
    assert!(
        names(&drawn).iter().all(|name| name.ends_with("identification") && name != "rule_identification")
    );
    let two = json!({ "n": 16, "variants": ["rule_identification", "text_compression"], "difficulty": 0,
                      "weights": { "text_compression": 1000, "rule_identification": 0.001 } });
    assert!(names(&draw(&server, two).await).iter().filter(|name| *name == "text_compression").count() > 14);
    let rules = |drawn: &Value| -> Vec<String> {
        let tasks = drawn["tasks"].as_array().unwrap().iter();
        tasks
            .map(|task| {
                text(&task["messages"][0]["content"]).split("## Observation").next().unwrap().to_owned()
            })
            .collect()
    };
    let one = |randomize| json!({ "n": 2, "variants": ["rule_identification"], "difficulty": 0, "randomize_prompt": randomize });
    let plain = rules(&draw(&server, one(false)).await);
    assert_eq!(plain[0], plain[1]);
    let worded = draw(&server, one(true)).await;
    assert!(rules(&worded)[0] != rules(&worded)[1] && rules(&worded)[0] != plain[0]);
    assert_eq!(worded["price"], 0.008, "the wording costs nothing");
}

#[tokio::test]
async fn what_is_asked_wrongly_is_refused_and_not_charged() {
    let server = Server::start().await;
    let before = micro(&server).await;
    for (path, body, problem) in [
        ("/tasks", json!({ "n": 0 }), "`n` must be a whole number from 1 to 16"),
        ("/tasks", json!({ "n": 17 }), "`n`"),
        ("/tasks", json!({ "difficulty": 1.01 }), "`difficulty`"),
        ("/tasks", json!({ "difficulty": "0.5" }), "`difficulty`"),
        (
            "/tasks",
            json!({ "variants": ["chess"] }),
            "`variants` names `chess`: there are `text_compression`",
        ),
        ("/tasks", json!({ "variants": [] }), "leave nothing to draw from"),
        ("/tasks", json!({ "kinds": ["riddle"] }), "`kinds` names `riddle`"),
        ("/tasks", json!({ "kinds": ["compression"], "variants": ["rule_identification"] }), "leave nothing"),
        ("/tasks", json!({ "weights": [1] }), "`weights` must be an object"),
        ("/tasks", json!({ "weights": { "chess": 1 } }), "`weights` names `chess`"),
        ("/tasks", json!({ "weights": { "text_compression": -1 } }), "numbers from 0"),
        ("/tasks", json!({ "weights": { "text_compression": "1" } }), "numbers from 0"),
        (
            "/tasks",
            json!({ "variants": ["text_compression"], "weights": { "text_compression": 0 } }),
            "nothing",
        ),
        ("/tasks", json!({ "max_prompt_bytes": 65_535 }), "`max_prompt_bytes`"),
        ("/tasks", json!({ "randomize_prompt": "yes" }), "`randomize_prompt`"),
        ("/tasks", json!({ "seed": 1 }), "`seed` is not a field"),
        ("/tasks/score", json!({ "responses": ["[]"] }), "`task_id`"),
        ("/tasks/score", json!({ "task_id": "t", "responses": [] }), "has 0 replies"),
        ("/tasks/score", json!({ "task_id": "t", "responses": vec!["[]"; 65] }), "has 65 replies"),
        (
            "/tasks/score",
            json!({ "task_id": "t", "responses": "[]" }),
            "`responses` must be a list of strings",
        ),
        (
            "/tasks/score",
            json!({ "task_id": "t", "responses": [{}] }),
            "`responses` must be a list of strings",
        ),
    ] {
        let (status, answer) = server.post(path, body.clone()).await;
        assert_eq!((status, code(&answer)), (400, "VALIDATION_ERROR"), "{body}: {answer}");
        assert!(text(&answer["error"]["message"]).contains(problem), "{body}: {answer}");
    }
    assert_eq!(micro(&server).await, before);
}

#[tokio::test]
async fn many_long_replies_fit_into_one_request() {
    let server = Server::start().await;
    let drawn = draw(&server, json!({ "variants": ["rule_identification"] })).await;
    let thinking = "so far so good ".repeat(2_000);
    let replies: Vec<String> = (0..64).map(|n| format!("{thinking}{{\"action\":\"{}\"}}", n % 3)).collect();
    let (status, answer) = score(&server, &drawn["tasks"][0]["task_id"], json!(replies)).await;
    assert_eq!((status, &answer["data"]["price"]), (200, &json!(0.0084)), "{answer}");
    assert_eq!(answer["data"]["results"].as_array().unwrap().len(), 64);
}
