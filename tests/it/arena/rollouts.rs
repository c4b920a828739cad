//! Rollout runs over HTTP: their life, what is refused, what is billed.

mod batches;
mod broken;
mod episodes;
mod league;
mod lifetimes;
mod runs;
mod scoring;
mod solo;

use reqwest::Method;
use serde_json::{Value, json};

use super::{Server, text};

/// A run with what its calls need.
struct Run<'a> {
    server: &'a Server,
    run_id: String,
}

impl<'a> Run<'a> {
    /// A run of so many episodes of 100 ticks.
    async fn open(server: &'a Server, max_episodes: u32) -> Self {
        Self::open_with(server, json!({ "max_episodes": max_episodes, "max_ticks_per_episode": 100 })).await
    }

    async fn open_with(server: &'a Server, body: Value) -> Self {
        let (status, answer) = server.post("/rollout-runs", body).await;
        assert_eq!(status, 201, "{answer}");
        Self { server, run_id: text(&answer["data"]["run_id"]).to_owned() }
    }

    /// A call below the run: status and `data`, or the whole error.
    async fn call(&self, path: &str, body: Value) -> (u16, Value) {
        let (status, body) = self.server.post(&format!("/rollout-runs/{}{path}", self.run_id), body).await;
        (status, if status < 400 { body["data"].clone() } else { body })
    }

    /// A call that must succeed.
    async fn ok(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.call(path, body).await;
        assert!(status < 300, "{path}: {status} {answer}");
        answer
    }

    async fn reset(&self, body: Value) -> Value {
        let (status, answer) = self.call("/episodes", body).await;
        assert_eq!(status, 201, "{answer}");
        answer
    }

    async fn step(&self, episode: &Value, body: Value) -> Value {
        self.ok(&format!("/episodes/{}/step", text(&episode["episode_id"])), body).await
    }

    async fn try_step(&self, episode: &Value, body: Value) -> (u16, Value) {
        self.call(&format!("/episodes/{}/step", text(&episode["episode_id"])), body).await
    }

    /// Calls that have no body at all.
    async fn bare(&self, method: Method, path: &str) -> (u16, Value) {
        let path = format!("/rollout-runs/{}{path}", self.run_id);
        let (status, body) = self.server.call(method, &path, None, &[("x-api-key", &self.server.key)]).await;
        (status, if status < 400 { body["data"].clone() } else { body })
    }

    async fn probe(&self, episode: &Value) -> (u16, Value) {
        self.bare(Method::GET, &format!("/episodes/{}", text(&episode["episode_id"]))).await
    }

    async fn close_episode(&self, episode: &Value) -> (u16, Value) {
        self.bare(Method::POST, &format!("/episodes/{}/close", text(&episode["episode_id"]))).await
    }

    async fn close(&self) -> Value {
        let (status, answer) = self.bare(Method::POST, "/close").await;
        assert_eq!(status, 200, "{answer}");
        answer
    }

    /// How it is listed.
    async fn listed(&self) -> Value {
        let runs = self.server.data("/rollout-runs").await;
        let mut runs = runs["runs"].as_array().unwrap().iter();
        runs.find(|run| run["run_id"] == self.run_id.as_str()).unwrap().clone()
    }
}

/// Both seats of connect four: `{"p0": drop}` for whoever is on turn.
fn drop_for(episode: &Value, column: u32) -> Value {
    let seat = text(&episode["on_turn_seats"][0]).to_owned();
    json!({ seat: [{ "action": "drop", "column": column }] })
}

async fn balance(server: &Server) -> Value {
    server.data("/auth/balance").await
}
