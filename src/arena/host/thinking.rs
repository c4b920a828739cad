//! Built-in players at work: each decision on a blocking thread, a few at a time.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::arena::engine::seats::Seat;
use crate::arena::engine::{Play, Player};

/// A decision.
pub(super) struct Thought {
    pub(super) seat: Seat,
    /// The round that it was asked in; a later one has no use for it.
    pub(super) round: u64,
    pub(super) took: Duration,
    /// The player comes back with its action; nothing when it panicked.
    pub(super) outcome: Option<(Box<dyn Player>, Value)>,
}

/// The decisions under way in one session.
#[derive(Debug)]
pub(super) struct Thinking {
    tasks: JoinSet<Thought>,
    permits: Arc<Semaphore>,
}

impl Thinking {
    pub(super) fn new(permits: Arc<Semaphore>) -> Self {
        Self { tasks: JoinSet::new(), permits }
    }

    /// Asks a player; `play` is a copy of the match that nobody changes.
    pub(super) fn start(&mut self, seat: Seat, round: u64, mut player: Box<dyn Player>, play: Arc<dyn Play>) {
        let permits = Arc::clone(&self.permits);
        self.tasks.spawn(async move {
            let asked = Instant::now();
            // The semaphore is never closed; without a permit it would only be less fair.
            let _permit = permits.acquire_owned().await.ok();
            let task = tokio::task::spawn_blocking(move || {
                let action = player.act(play.as_ref(), seat);
                (player, action)
            });
            let outcome =
                task.await.inspect_err(|error| tracing::error!(%seat, %error, "a built-in player broke"));
            Thought { seat, round, took: asked.elapsed(), outcome: outcome.ok() }
        });
    }

    /// The next decision; waits for ever when none is under way.
    pub(super) async fn next(&mut self) -> Thought {
        loop {
            match self.tasks.join_next().await {
                Some(Ok(thought)) => return thought,
                // Cancelled with the session; the loop ends with it.
                Some(Err(_)) => {}
                None => std::future::pending().await,
            }
        }
    }
}
