//! Generation and dataset builds over the wire, with real programs in the sandbox (protocol.md §2.4, §2.6 to §2.8).
#![cfg(all(unix, feature = "tui"))]

mod builds;
mod endpoint;
mod sessions;

use std::path::PathBuf;
use std::time::Duration;

use gert::arena::ArenaSettings;
use gert::arena::sandbox::Limits;
use gert::arena::store::Place;
use serde_json::{Value, json};

use super::{PATIENCE, Server, code, settings, text};

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

/// Orders a generation of a Connect Four program by the offline writer, and gives the answer.
async fn generate(server: &Server, more: Value) -> Value {
    let mut body = json!({ "game": "connect_four", "custom_provider_id": "program-writer", "seed": 7 });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    let (status, answer) = server.post("/submissions", body).await;
    assert_eq!(status, 202, "{answer}");
    answer["data"].clone()
}

/// Waits for the end of a job.
async fn end_of(server: &Server, job_id: &str) -> Value {
    let polling = async {
        loop {
            let job = server.data(&format!("/jobs/{job_id}")).await["job"].clone();
            if matches!(text(&job["status"]), "completed" | "failed" | "cancelled") {
                return job;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(6 * PATIENCE, polling).await.unwrap_or_else(|_| panic!("{job_id} never ended"))
}

/// Waits for a job that completes, and gives its result.
async fn result_of(server: &Server, job_id: &Value) -> Value {
    let job = end_of(server, text(job_id)).await;
    assert_eq!(job["status"], "completed", "{job}");
    job["result"].clone()
}
