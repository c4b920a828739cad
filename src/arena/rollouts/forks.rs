//! Forks: new episodes at the state of another one.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use axum::http::StatusCode;
use bytes::Bytes;
use jiff::Timestamp;
use tokio::sync::Mutex;

use super::answer::Alike;
use super::episode::{self, Episode, Lease, Live};
use super::op_keys::Claim;
use super::run::{self, Run};
use super::{Rollouts, lock};
use crate::arena::engine::Play;
use crate::arena::engine::seats::SeatMap;
use crate::arena::error::ArenaError;

impl Rollouts {
    /// Forks an episode once.
    ///
    /// # Errors
    /// As [`Rollouts::forks`], the key aside.
    pub async fn fork(&self, run: &Arc<Run>, episode_id: &str) -> Result<Bytes, ArenaError> {
        Ok(self.split(run, episode_id, 1).await?.first())
    }

    /// Forks an episode `count` times from one snapshot, all or none; the same key gives the same children again.
    ///
    /// # Errors
    /// `EPISODE_NOT_FOUND`, `EPISODE_COMPLETE`, `FORK_UNSUPPORTED`, `RUN_EXHAUSTED`, `RUN_CLOSED`,
    /// `INSUFFICIENT_CREDITS`, `HOST_AT_CAPACITY`; and what [`OpKeys::claim`](super::op_keys::OpKeys::claim) refuses.
    pub async fn forks(
        &self,
        run: &Arc<Run>,
        episode_id: &str,
        count: u32,
        op_key: &str,
    ) -> Result<Bytes, ArenaError> {
        let claim = lock(&run.op_keys).claim(episode_id, op_key, count, Timestamp::now())?;
        if let Claim::Replay(children) = claim {
            return Ok(children.all());
        }
        let (host, batch, parent) = (self.clone(), Arc::clone(run), episode_id.to_owned());
        // A task of its own, so that a game that breaks does not leave the key running for ever.
        let splitting = self.0.tasks.spawn(async move { host.split(&batch, &parent, count).await });
        let outcome = splitting.await;
        let mut keys = lock(&run.op_keys);
        match outcome {
            Ok(Ok(children)) => {
                let children = Arc::new(children);
                keys.commit(episode_id, op_key, Arc::clone(&children), Timestamp::now());
                drop(keys);
                Ok(children.all())
            }
            // Every refusal comes before anything is started.
            Ok(Err(refusal)) => {
                keys.forget(episode_id, op_key);
                Err(refusal)
            }
            Err(broken) => {
                keys.fail(episode_id, op_key, Timestamp::now());
                Err(ArenaError::internal(broken))
            }
        }
    }

    async fn split(&self, run: &Arc<Run>, episode_id: &str, count: u32) -> Result<Alike, ArenaError> {
        let parent = run.episode(episode_id).ok_or_else(|| episode::not_found(episode_id))?;
        if !parent.opponents.is_empty() {
            return Err(unsupported());
        }
        let places = self.take_places(count)?;
        let snapshot = {
            let live = parent.live.lock().await;
            match (&live.lease, live.end) {
                (Some(_), _) => live.play.fork(),
                (None, Some(_)) => return Err(complete()),
                (None, None) => return Err(episode::not_found(episode_id)),
            }
        };
        let origin = snapshot.probe().tick;
        let ticks = u64::from(parent.horizon - origin);
        let mut claim = run.claim(&self.0.store, u64::from(count), ticks).await?;
        let now = episode::millis(Timestamp::now());
        parent.touched.store(now, Ordering::Release);
        let leases = places.into_iter().map(|place| Lease { claim: claim.split(ticks), _place: place });
        let children: Vec<Arc<Episode>> =
            leases.map(|lease| Arc::new(child(&parent, snapshot.as_ref(), origin, lease, now))).collect();
        let told = Alike::new(&children, &Live::new(snapshot, SeatMap::default(), None));
        if run.add(children) { Ok(told) } else { Err(run::closed(run.run_id())) }
    }
}

fn child(parent: &Episode, snapshot: &dyn Play, origin: u32, lease: Lease, now: i64) -> Episode {
    Episode {
        episode_id: episode::new_id(),
        game: parent.game,
        player_count: parent.player_count,
        policy: parent.policy,
        opponents: SeatMap::default(),
        wanted: parent.wanted.clone(),
        seed: parent.seed,
        difficulty: parent.difficulty,
        origin,
        horizon: parent.horizon,
        touched: AtomicI64::new(now),
        live: Arc::new(Mutex::new(Live::new(snapshot.fork(), SeatMap::default(), Some(lease)))),
    }
}

fn unsupported() -> ArenaError {
    ArenaError::new(
        StatusCode::CONFLICT,
        "FORK_UNSUPPORTED",
        "an episode with league opponents cannot be forked: reset one with `opponent_seats` 0",
    )
}

fn complete() -> ArenaError {
    ArenaError::new(
        StatusCode::CONFLICT,
        "EPISODE_COMPLETE",
        "the episode has just ended: there is nothing to fork",
    )
}
