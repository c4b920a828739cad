//! Rollouts: the real client and the algorithms against a small server with a real, deterministic game.
//!
//! What the official SDK's own tests expect is expected here, too; their names are cited.

mod env;
mod episodes;
pub(crate) mod fake;
mod forks;
mod runs;
mod scoring;
mod seats;
mod steps;

use std::time::Duration;

use gert::api::model::{Json, Seat};
use gert::rollout::Policy;

fn json(text: &str) -> Json {
    Json::parse(text).expect("JSON")
}

fn names(seats: &[Seat]) -> Vec<&str> {
    seats.iter().map(Seat::as_str).collect()
}

/// A policy that always adds as much to the seat's score.
fn adds(amount: u64) -> impl Policy<Error = serde_json::Error> + Clone {
    move |_observation, _seat| async move { Json::parse(&format!(r#"[{{"add":{amount}}}]"#)) }
}

/// Waits for something that another task does.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), waiting)
        .await
        .unwrap_or_else(|_| panic!("{what} did not happen"));
}
