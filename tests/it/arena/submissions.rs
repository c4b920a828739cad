//! Submissions and evaluations over the wire, with real programs in the sandbox (protocol.md §2.8, arena.md §5.3 and §9.3).
#![cfg(all(unix, feature = "tui"))]

mod bulk_delete;
mod evaluations;
mod uploads;

use std::path::{Path, PathBuf};
use std::time::Duration;

use gert::arena::ArenaSettings;
use gert::arena::sandbox::Limits;
use gert::arena::store::Place;
use reqwest::Method;
use serde_json::{Value, json};

use super::{PATIENCE, Server, settings, text};

/// Plays the first column that has room.
const FIRST: &str = r#"
def act(observation, seat, info):
    return [{"action": "drop", "column": observation["legal_columns"][0]}]
"#;

/// Plays the last one.
const LAST: &str = r#"
def act(observation, seat, info):
    return [{"action": "drop", "column": observation["legal_columns"][-1]}]
"#;

/// Passes its check in the first seat and knows no other.
const HALF: &str = r#"
def act(observation, seat, info):
    return [{"action": "drop", "column": {"p0": observation["legal_columns"][0]}[seat]}]
"#;

/// Programs run, and nobody fails by the clock, however slow the machine.
fn with_programs(place: Place) -> ArenaSettings {
    let long = Duration::from_mins(1);
    ArenaSettings {
        store: place,
        launcher: Some(PathBuf::from(env!("CARGO_BIN_EXE_gert"))),
        programs: Limits { start: long, first: long, turn: long, ..Limits::default() },
        ..settings()
    }
}

async fn server() -> Server {
    Server::with(with_programs(Place::Ephemeral)).await
}

fn on_disk(path: &Path) -> ArenaSettings {
    with_programs(Place::File(path.to_owned()))
}

impl Server {
    /// Uploads a Connect Four program and gives its id.
    async fn upload(&self, code: &str, model: &str) -> String {
        let body = json!({ "game": "connect_four", "language": "python", "code": code, "model": model });
        let (status, answer) = self.post("/submissions", body).await;
        assert_eq!(status, 201, "{answer}");
        text(&answer["data"]["submission_id"]).to_owned()
    }

    /// Starts an evaluation against fast players and gives what was answered.
    async fn evaluate(&self, submission_id: &str, mut options: Value) -> Value {
        let fast = json!(["random", "centre", "ab2", "ab2+eps0.4"]);
        let is_system = options.get("opponent_source").is_none();
        if is_system && options.get("opponent_models").is_none() {
            options["opponent_models"] = fast;
        }
        let (status, answer) = self.post(&format!("/submissions/{submission_id}/evaluate"), options).await;
        assert_eq!(status, 202, "{answer}");
        answer["data"].clone()
    }

    async fn job(&self, job_id: &str) -> Value {
        self.data(&format!("/jobs/{job_id}")).await["job"].clone()
    }

    /// Waits until a job's member satisfies.
    async fn job_when(&self, job_id: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let polling = async {
            loop {
                let job = self.job(job_id).await;
                if is_so(&job) {
                    return job;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(3 * PATIENCE, polling)
            .await
            .unwrap_or_else(|_| panic!("{job_id} never came so far"))
    }

    /// Waits for the end of a job.
    async fn job_ended(&self, job_id: &str) -> Value {
        self.job_when(job_id, |job| matches!(text(&job["status"]), "completed" | "failed" | "cancelled"))
            .await
    }

    /// Uploads a program, evaluates it and gives its id, when it is rated.
    async fn rated(&self, code: &str, model: &str) -> String {
        let submission_id = self.upload(code, model).await;
        let started = self.evaluate(&submission_id, json!({ "match_count": 4, "seed": 7 })).await;
        let job = self.job_ended(text(&started["job_id"])).await;
        assert_eq!(job["status"], "completed", "{job}");
        submission_id
    }

    async fn submission_record(&self, submission_id: &str) -> Value {
        self.data(&format!("/submissions/{submission_id}")).await
    }

    async fn delete_submission(&self, submission_id: &str) -> (u16, Value) {
        let path = format!("/submissions/{submission_id}");
        self.call(Method::DELETE, &path, None, &[("x-api-key", &self.key)]).await
    }
}

/// The league's weakest Connect Four player.
async fn a_built_in(server: &Server) -> String {
    let rows = server.data("/submissions?game=connect_four&limit=100").await;
    let row = rows["submissions"].as_array().unwrap().iter().find(|row| row["provider"] == "arena").unwrap();
    text(&row["submission_id"]).to_owned()
}
