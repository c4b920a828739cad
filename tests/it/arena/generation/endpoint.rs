//! A model behind an endpoint: what it is sent is what an export gives back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use gert::api::model::Json as Raw;
use gert::arena::generation::model::chat_messages;
use gert::arena::store::generations;
use gert::arena::store::providers::{self, ProviderRow};
use gert::rollout::{Decision, reconstruct_messages};
use tokio::net::TcpListener;

use super::*;

/// A program that plays the first column that has room.
const PROGRAM: &str = "# a\ndef act(observation, seat, info):\n    return [{\"action\": \"drop\", \"column\": observation[\"legal_columns\"][0]}]\n";

/// Requests that the endpoint was sent, by what they end with.
type Seen = Arc<Mutex<Vec<Value>>>;

/// Writes a program first, then reads, edits and looks at it; each answer has another text.
async fn complete(State(seen): State<Seen>, Json(request): Json<Value>) -> Json<Value> {
    let n = {
        let mut seen = seen.lock().unwrap();
        seen.push(request.clone());
        seen.len()
    };
    let said = request["messages"].to_string();
    let call = |name: &str, arguments: Value| json!({ "id": "x", "type": "function", "function": { "name": name, "arguments": arguments.to_string() } });
    let path = "submission.py";
    let calls = if said.contains("(empty workspace)") && !said.contains("wrote submission.py") {
        vec![call("write_workspace_file", json!({ "path": path, "content": PROGRAM }))]
    } else {
        let edited = format!("# a{n}\n# a");
        vec![
            call("read_file", json!({ "path": path })),
            call(
                "edit_file",
                json!({ "path": path, "old_string": "# a\ndef", "new_string": format!("{edited}\ndef") }),
            ),
            call("run_evaluation", json!({ "match_count": 1 })),
        ]
    };
    let message =
        json!({ "role": "assistant", "content": format!("thought {n} \u{e4}\"\\"), "tool_calls": calls });
    Json(json!({ "choices": [{ "message": message, "finish_reason": "tool_calls" }] }))
}

async fn endpoint(seen: Seen) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let app = Router::new().route("/v1/chat/completions", post(complete)).with_state(seen);
    tokio::spawn(async move { axum::serve(listener, app).await });
    base
}

async fn register(server: &Server, base_url: String, key_env: Option<&str>) -> String {
    let row = ProviderRow {
        provider_id: "pr_test".into(),
        name: "mine".into(),
        base_url,
        models: vec!["m-large".into(), "m-small".into()],
        key_env: key_env.map(str::to_owned),
    };
    let write = move |connection: &_| providers::add(connection, &row, jiff::Timestamp::UNIX_EPOCH);
    server.arena.store().write(write).await.unwrap();
    "pr_test".into()
}

#[tokio::test]
async fn what_the_generator_sent_is_what_its_export_gives_back() {
    let (server, seen) = (server().await, Seen::default());
    let provider = register(&server, endpoint(Arc::clone(&seen)).await, None).await;
    let order = json!({
        "custom_provider_id": provider, "pipeline": "agentic", "max_turns": 6, "branch": true, "branch_interval": 2,
        "max_actions": 2, "samples_per_action": 1, "rollout_model": "m-small", "rollout_model_after": 0,
        "branch_mode": "measure",
    });
    let made = generate(&server, order).await;
    result_of(&server, &made["job_id"]).await;
    let (submission_id, job_id) = (text(&made["submission_id"]).to_owned(), text(&made["job_id"]).to_owned());
    let kept = server.arena.store().read(move |connection| {
        Ok((generations::transcript(connection, &submission_id)?, generations::points(connection, &job_id)?))
    });
    let (transcript, points) = kept.await.unwrap();
    let generations::Kept { transcript, request_context, .. } = transcript.unwrap();
    let frame = Raw::parse(&request_context.unwrap().to_string()).unwrap();
    assert_eq!(points.len(), 3);
    let sent = seen.lock().unwrap().clone();
    for point in &points {
        let index = point["decision_index"].as_i64().unwrap();
        let rebuilt = reconstruct_messages(&Decision {
            transcript: &transcript,
            request_context: &frame,
            index,
            pruned: Some(&Raw::parse(&point["pruned"].to_string()).unwrap()),
            state_entry_count: Some(point["state_entry_count"].as_u64().unwrap() as usize),
            windowed: true,
        });
        let rebuilt = json!(chat_messages(&rebuilt.unwrap()).unwrap()).to_string();
        let alike = |model: &str| {
            sent.iter()
                .filter(|request| {
                    request["model"] == model
                        && serde_json::to_string(&request["messages"]).unwrap() == rebuilt
                })
                .count()
        };
        // Each candidate was asked for with these very bytes, by the session's model.
        assert_eq!((alike("m-large"), alike("m-small")), (2, 0), "step {index}: {rebuilt}");
    }
    let models: HashMap<&str, usize> = sent.iter().fold(HashMap::new(), |mut models, request| {
        *models.entry(text(&request["model"])).or_default() += 1;
        models
    });
    assert_eq!(models, HashMap::from([("m-large", 6), ("m-small", 6)]));
    // Turns of another model than the session's say whose they are (protocol.md §2.8).
    assert!(transcript.contains(r#""model":"m-small","provider":"mine""#), "{transcript}");
    assert!(!transcript.contains(r#""model":"m-large","provider":"mine""#), "{transcript}");
    let pruned: Vec<&Value> = points.iter().map(|point| &point["pruned"]).collect();
    assert_ne!(pruned[2], &json!({}), "something was old news by then");
}

#[tokio::test]
async fn a_missing_key_or_a_silent_endpoint_fails_the_job_with_a_reason() {
    let server = server().await;
    let provider = register(&server, "http://127.0.0.1:1/v1".into(), Some("GERT_TEST_NO_SUCH_KEY")).await;
    let made = generate(&server, json!({ "custom_provider_id": provider })).await;
    let job = end_of(&server, text(&made["job_id"])).await;
    assert_eq!(job["status"], "failed");
    assert!(text(&job["error"]).contains("`GERT_TEST_NO_SUCH_KEY`"), "{job}");
    let submission = server.data(&format!("/submissions/{}", text(&made["submission_id"]))).await;
    assert_eq!(submission["status"], "failed");
    assert!(text(&submission["failure"]["detail"]).contains("`GERT_TEST_NO_SUCH_KEY`"), "{submission}");
}
