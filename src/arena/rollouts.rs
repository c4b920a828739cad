//! The rollout host: runs that hold credits, and the episodes that are played under them.
//!
//! Start at [`Rollouts::open`], then [`Rollouts::reset`] (in `reset`) and [`Rollouts::step`] (in `steps`; many
//! at once in `batch`). What a run may
//! start and must hold is in `budget`, pure; `run` puts locks and the ledger around it. An episode's match is behind a
//! lock of its own (`episode`); the policy's part of a step is played on the spot, league players think on blocking
//! threads. No step waits for the database: what was used is posted by `upkeep`, which also closes what is idle and
//! settles what has expired.
//!
//! Runs survive a restart, episodes do not.

mod answer;
pub mod batch;
pub mod budget;
pub mod curriculum;
pub mod episode;
mod forks;
pub mod op_keys;
mod replays;
pub mod reset;
pub mod run;
pub mod scoring;
pub mod steps;
mod upkeep;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use axum::http::StatusCode;
use bytes::Bytes;
use jiff::Timestamp;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use self::episode::Episode;
use self::replays::Replays;
use self::run::Run;
use super::credits::Credits;
use super::error::ArenaError;
use super::host::Limits;
use super::store::runs::{self, RunRow};
use super::store::{Store, StoreError};

/// Questions that are scored at once.
const SCORERS: usize = 2;

/// The rollout host. Copies are the same.
#[derive(Debug, Clone)]
pub struct Rollouts(Arc<Inner>);

struct Inner {
    store: Arc<Store>,
    limits: Limits,
    runs: RwLock<HashMap<String, Arc<Run>>>,
    replays: Mutex<Replays>,
    live_episodes: Arc<AtomicUsize>,
    /// Work on blocking threads: more at once than there are cores gains nothing.
    workers: Arc<Semaphore>,
    cores: usize,
    /// Scoring takes all cores for a while: two at a time, so that a short question need not wait for a long one.
    scorers: Arc<Semaphore>,
    /// Work that goes on when its client gives up.
    tasks: TaskTracker,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rollouts").field("live_episodes", &self.live_episodes).finish_non_exhaustive()
    }
}

impl Rollouts {
    /// A host with the runs that an earlier one left open.
    pub async fn load(store: Arc<Store>, limits: Limits, tasks: TaskTracker) -> Result<Self, StoreError> {
        let left_open = store.read(runs::open).await?;
        let runs =
            left_open.into_iter().map(|(row, held)| (row.run_id.clone(), Arc::new(Run::new(row, held))));
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Ok(Self(Arc::new(Inner {
            store,
            limits,
            runs: RwLock::new(runs.collect()),
            replays: Mutex::default(),
            live_episodes: Arc::default(),
            workers: Arc::new(Semaphore::new(cores)),
            cores,
            scorers: Arc::new(Semaphore::new(SCORERS)),
            tasks,
        })))
    }

    /// Opens a run and takes its opening hold.
    ///
    /// # Errors
    /// `INSUFFICIENT_CREDITS`; `QUOTA_EXCEEDED` when the account has too many open runs.
    pub async fn open(&self, row: RunRow) -> Result<Arc<Run>, ArenaError> {
        let open = read(&self.0.runs).values().filter(|run| run.row.account_id == row.account_id).count();
        if open >= self.0.limits.open_runs {
            return Err(ArenaError::new(
                StatusCode::TOO_MANY_REQUESTS,
                "QUOTA_EXCEEDED",
                format!("{open} rollout runs of this account are open: close some first"),
            ));
        }
        let hold = Credits::for_ticks(row.counters.max_episodes * row.counters.price_ticks);
        let kept = row.clone();
        self.0.store.write(move |connection| runs::add(connection, &kept, hold)).await?;
        let run = Arc::new(Run::new(row, hold));
        write(&self.0.runs).insert(run.row.run_id.clone(), Arc::clone(&run));
        Ok(run)
    }

    /// An open run, whoever's.
    pub fn find(&self, run_id: &str) -> Option<Arc<Run>> {
        read(&self.0.runs).get(run_id).cloned()
    }

    /// An open run of an account.
    ///
    /// # Errors
    /// `RUN_CLOSED` when it is settled, `NOT_FOUND` when there is none.
    pub async fn run(&self, account_id: &str, run_id: &str) -> Result<Arc<Run>, ArenaError> {
        if let Some(run) = self.find(run_id).filter(|run| run.row.account_id == account_id) {
            return Ok(run);
        }
        self.settled(account_id, run_id).await?;
        Err(run::closed(run_id))
    }

    /// Settles a run at what it played. Idempotent.
    ///
    /// # Errors
    /// There is no such run, or the database failed: then it is still open.
    pub async fn close(&self, account_id: &str, run_id: &str, at: Timestamp) -> Result<RunRow, ArenaError> {
        if let Some(run) = self.find(run_id).filter(|run| run.row.account_id == account_id) {
            self.settle(&run, at).await?;
        }
        self.settled(account_id, run_id).await
    }

    /// Allows a run more episodes.
    ///
    /// # Errors
    /// `RUN_CLOSED`, `INSUFFICIENT_CREDITS`.
    pub async fn extend(&self, run: &Run, additional: u64) -> Result<(), ArenaError> {
        run.extend(&self.0.store, additional).await?;
        let (run_id, counters) = (run.row.run_id.clone(), run.counters());
        Ok(self.0.store.write(move |connection| runs::put(connection, &run_id, &counters)).await?)
    }

    /// Closes one episode early; gives its ticks.
    ///
    /// # Errors
    /// `EPISODE_NOT_FOUND`.
    pub async fn close_episode(&self, run: &Run, episode_id: &str) -> Result<u32, ArenaError> {
        let episode = run.episode(episode_id).ok_or_else(|| episode::not_found(episode_id))?;
        end(run, &episode).await.ok_or_else(|| episode::not_found(episode_id))
    }

    /// What the probe answers. No activity.
    ///
    /// # Errors
    /// `EPISODE_NOT_FOUND`.
    pub async fn probe(&self, run: &Run, episode_id: &str) -> Result<Bytes, ArenaError> {
        let episode = run.episode(episode_id).ok_or_else(|| episode::not_found(episode_id))?;
        let live = episode.live.lock().await;
        if live.lease.is_none() {
            return Err(episode::not_found(episode_id));
        }
        Ok(answer::probed(&episode, &live))
    }

    async fn settled(&self, account_id: &str, run_id: &str) -> Result<RunRow, ArenaError> {
        let (account, id) = (account_id.to_owned(), run_id.to_owned());
        let row = self.0.store.read(move |connection| runs::get(connection, &account, &id)).await?;
        row.ok_or_else(|| ArenaError::not_found(format!("there is no rollout run `{run_id}`")))
    }

    async fn settle(&self, run: &Run, at: Timestamp) -> Result<(), ArenaError> {
        for episode in run.begin_closing() {
            end(run, &episode).await;
        }
        let _gate = run.gate().await;
        if self.find(run.run_id()).is_none() {
            return Ok(());
        }
        let (run_id, counters) = (run.row.run_id.clone(), run.counters());
        self.0
            .store
            .write_patiently(move |connection| runs::close(connection, &run_id, &counters, at))
            .await?;
        write(&self.0.runs).remove(run.run_id());
        Ok(())
    }

    /// Room for more live episodes, all or none.
    fn take_places(&self, count: u32) -> Result<Vec<Place>, ArenaError> {
        let (live, most) = (&self.0.live_episodes, self.0.limits.live_episodes);
        let more = |live: usize| live.checked_add(count as usize).filter(|live| *live <= most);
        match live.fetch_update(Ordering::AcqRel, Ordering::Acquire, more) {
            Ok(_) => Ok((0..count).map(|_| Place(Arc::clone(live))).collect()),
            Err(live) => Err(ArenaError::new(
                StatusCode::TOO_MANY_REQUESTS,
                "HOST_AT_CAPACITY",
                format!("{live} of {most} episodes are live: close some, or try again later"),
            )),
        }
    }
}

/// Takes an episode out of play; gives its ticks, or nothing when it was closed already. Waits for a step under way.
async fn end(run: &Run, episode: &Episode) -> Option<u32> {
    let mut live = episode.live.lock().await;
    live.close(run, episode)
}

/// Room for one live episode; given back when it goes.
#[derive(Debug)]
pub struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// All of it is plain data: a panic elsewhere leaves it usable.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
