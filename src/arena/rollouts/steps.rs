//! Steps, one or many.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use jiff::Timestamp;

use super::episode::{self, Episode, Given, Live, Stepped};
use super::run::Run;
use super::{Rollouts, lock};
use crate::arena::error::ArenaError;

/// One step of one episode.
#[derive(Debug)]
pub struct Step {
    /// Which episode.
    pub episode_id: String,
    /// What is played.
    pub given: Given,
    /// The tick that the client knows; without one the step is applied as things stand.
    pub expected_tick: Option<u32>,
}

/// A step that was refused or broke.
#[derive(Debug)]
pub struct StepError {
    /// Why.
    pub error: ArenaError,
    /// What the episode is billed, when the step closed it.
    pub ticks_used: Option<u32>,
}

impl From<ArenaError> for StepError {
    fn from(error: ArenaError) -> Self {
        Self { error, ticks_used: None }
    }
}

impl Rollouts {
    /// Plays a step; a lost one that was played is answered again.
    ///
    /// # Errors
    /// `EPISODE_NOT_FOUND`, `STEP_CONFLICT`, actions for seats that are not the policy's; `INTERNAL_ERROR` when the game
    /// broke.
    pub async fn step(&self, run: &Arc<Run>, step: Step) -> Result<Bytes, ArenaError> {
        let Some(episode) = run.episode(&step.episode_id) else {
            return self.replayed(run, &step);
        };
        if episode.opponents.is_empty() {
            let mut live = episode.live.lock().await;
            return self.play(run, &episode, &mut live, step).map_err(|broken| broken.error);
        }
        // Permit before lock, everywhere: who has the lock must not wait for those who wait for it.
        let permit = Arc::clone(&self.0.workers).acquire_owned().await.map_err(ArenaError::internal)?;
        let (host, run) = (self.clone(), Arc::clone(run));
        // It goes on when the client gives up; a repetition then finds the result.
        let task = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let mut live = episode.live.blocking_lock();
            host.play(&run, &episode, &mut live, step)
        });
        task.await.map_err(ArenaError::internal)?.map_err(|broken| broken.error)
    }

    /// Plays a step of an episode whose lock is held.
    pub(super) fn play(
        &self,
        run: &Run,
        episode: &Episode,
        live: &mut Live,
        step: Step,
    ) -> Result<Bytes, StepError> {
        let before = live.tick(episode);
        let attempt = AssertUnwindSafe(|| live.step(episode, step.given, step.expected_tick));
        let Ok(outcome) = std::panic::catch_unwind(attempt) else {
            return Err(broke(run, episode, live, before));
        };
        let applied = match outcome? {
            Stepped::Replayed(body) => return Ok(body),
            Stepped::Played(applied) => applied,
        };
        let now = Timestamp::now();
        episode.touched.store(episode::millis(now), Ordering::Release);
        live.meter(applied.tick - applied.before);
        if applied.done {
            run.learn(episode, live);
            // Kept before it is gone: a repetition finds it here or there.
            let body = applied.body.clone();
            lock(&self.0.replays).put(run.run_id(), &episode.episode_id, applied.before, body, now);
            live.close(run, episode);
        }
        Ok(applied.body)
    }

    /// The result of a step that ended its episode.
    pub(super) fn replayed(&self, run: &Run, step: &Step) -> Result<Bytes, ArenaError> {
        lock(&self.0.replays)
            .get(run.run_id(), &step.episode_id, step.expected_tick)
            .ok_or_else(|| episode::not_found(&step.episode_id))
    }
}

/// A game that panicked: the episode is closed at what it played.
fn broke(run: &Run, episode: &Episode, live: &mut Live, before: u32) -> StepError {
    let game = episode.game.spec().slug;
    tracing::error!(game, seed = episode.seed, episode_id = episode.episode_id, "a game broke in a step");
    live.meter(live.tick(episode).saturating_sub(before));
    let ticks_used = live.close(run, episode);
    StepError { error: ArenaError::internal("the game broke: its episode was closed"), ticks_used }
}
