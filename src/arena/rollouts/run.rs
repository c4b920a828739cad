//! One open run: its budget, its live episodes, and what grows its hold.
//!
//! Claims that the hold covers take a short lock and nothing else. Whatever needs more goes through `gate`, one at a
//! time, and waits for the ledger; closing does so too, so that nothing is reserved for a run that is settled.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::http::StatusCode;
use jiff::Timestamp;

use super::answer::Alike;
use super::budget::{Budget, Refusal};
use super::curriculum::Curriculum;
use super::episode::{Episode, Live};
use super::lock;
use super::op_keys::OpKeys;
use crate::arena::credits::Credits;
use crate::arena::error::ArenaError;
use crate::arena::store::runs::{Counters, RunRow};
use crate::arena::store::{Store, ledger};

/// An open run.
#[derive(Debug)]
pub struct Run {
    /// How it was opened; its counters are those of `books`.
    pub row: RunRow,
    books: Mutex<Books>,
    /// Nothing when it is being settled: no episode may come any more.
    episodes: Mutex<Option<HashMap<String, Arc<Episode>>>>,
    /// What batches of forks answered.
    pub(super) op_keys: Mutex<OpKeys<Arc<Alike>>>,
    gate: tokio::sync::Mutex<()>,
    /// The counters changed since they were last written.
    is_dirty: AtomicBool,
}

#[derive(Debug)]
struct Books {
    budget: Budget,
    win_rate: f64,
    is_closing: bool,
}

impl Run {
    /// A run as the database has it; `held` is what the ledger reserves for it.
    pub(super) fn new(row: RunRow, held: Credits) -> Self {
        let counters = row.counters;
        let mut budget = Budget::new(counters.max_episodes, counters.price_ticks);
        budget.episodes_used = counters.episodes_used.min(counters.max_episodes);
        budget.ticks_used = counters.ticks_used;
        // Never less than what is needed: a hold that was lost is no reason to stop.
        budget.held = held.ticks().max(budget.committed());
        let books = Books { budget, win_rate: counters.win_rate, is_closing: false };
        Self {
            row,
            books: Mutex::new(books),
            episodes: Mutex::new(Some(HashMap::new())),
            op_keys: Mutex::new(OpKeys::new()),
            gate: tokio::sync::Mutex::default(),
            is_dirty: AtomicBool::new(false),
        }
    }

    /// Its id.
    pub fn run_id(&self) -> &str {
        &self.row.run_id
    }

    /// Ticks played so far.
    pub fn ticks_used(&self) -> u64 {
        lock(&self.books).budget.ticks_used
    }

    /// What it holds in all.
    pub fn held(&self) -> Credits {
        Credits::for_ticks(lock(&self.books).budget.held)
    }

    /// Whether it is being settled.
    pub fn is_closing(&self) -> bool {
        lock(&self.books).is_closing
    }

    /// What it used so far.
    pub fn counters(&self) -> Counters {
        let books = lock(&self.books);
        Counters {
            max_episodes: books.budget.max_episodes,
            episodes_used: books.budget.episodes_used,
            ticks_used: books.budget.ticks_used,
            price_ticks: books.budget.price,
            win_rate: books.win_rate,
        }
    }

    /// Starts `count` episodes of `ticks` each, all or none; the claim is for all of them.
    ///
    /// # Errors
    /// `RUN_EXHAUSTED`, `RUN_CLOSED`, `INSUFFICIENT_CREDITS`.
    pub async fn claim(self: &Arc<Self>, store: &Store, count: u64, ticks: u64) -> Result<Claim, ArenaError> {
        self.reserve(store, |budget| budget.claim(count, ticks)).await?;
        Ok(Claim { run: Arc::clone(self), left: count * ticks, episodes: 0 })
    }

    /// Allows so many ticks of scoring, which costs no episode.
    ///
    /// # Errors
    /// `RUN_CLOSED`, `INSUFFICIENT_CREDITS`.
    pub async fn claim_ticks(self: &Arc<Self>, store: &Store, ticks: u64) -> Result<Claim, ArenaError> {
        self.reserve(store, |budget| budget.claim_ticks(ticks)).await?;
        Ok(Claim { run: Arc::clone(self), left: ticks, episodes: 0 })
    }

    /// Claims playouts of so many ticks at most.
    ///
    /// # Errors
    /// `RUN_CLOSED`; `INSUFFICIENT_CREDITS` or `RUN_EXHAUSTED`, whichever they are paid with.
    pub async fn claim_playouts(
        self: &Arc<Self>,
        store: &Store,
        paid_with: PlayoutClaim,
        ticks: u64,
    ) -> Result<Claim, ArenaError> {
        if paid_with == PlayoutClaim::Price {
            return self.claim_ticks(store, ticks).await;
        }
        let each = u64::from(self.row.ticks_per_episode);
        let episodes = whole_episodes(ticks, each);
        let mut claim = self.claim(store, episodes, each).await?;
        claim.episodes = episodes;
        Ok(claim)
    }

    /// Allows more episodes.
    ///
    /// # Errors
    /// `RUN_CLOSED`, `INSUFFICIENT_CREDITS`.
    pub async fn extend(&self, store: &Store, additional: u64) -> Result<(), ArenaError> {
        self.reserve(store, |budget| budget.extend(additional)).await
    }

    /// How strong its next opponents are to be, when that follows its results.
    pub fn curriculum(&self) -> Option<Curriculum> {
        self.row.auto_curriculum.then(|| self.curriculum_at(lock(&self.books).win_rate))
    }

    /// Takes in how an episode ended, when it had opponents and the run has a curriculum.
    pub(super) fn learn(&self, episode: &Episode, live: &Live) {
        if !self.row.auto_curriculum || episode.opponents.is_empty() {
            return;
        }
        let Some(outcome) = live.outcome(episode) else { return };
        let mut books = lock(&self.books);
        let mut curriculum = self.curriculum_at(books.win_rate);
        curriculum.record(outcome);
        books.win_rate = curriculum.win_rate();
        self.is_dirty.store(true, Ordering::Release);
    }

    fn curriculum_at(&self, win_rate: f64) -> Curriculum {
        Curriculum::new(self.row.curriculum_band_width, self.row.curriculum_ewma_alpha, win_rate)
    }

    /// A live episode.
    pub fn episode(&self, episode_id: &str) -> Option<Arc<Episode>> {
        lock(&self.episodes).as_ref()?.get(episode_id).cloned()
    }

    /// All live episodes.
    pub(super) fn episodes(&self) -> Vec<Arc<Episode>> {
        lock(&self.episodes).as_ref().map(|live| live.values().cloned().collect()).unwrap_or_default()
    }

    /// Puts new episodes beside the others. False when the run was closed meanwhile.
    pub(super) fn add(&self, episodes: impl IntoIterator<Item = Arc<Episode>>) -> bool {
        let mut live = lock(&self.episodes);
        let Some(live) = live.as_mut() else { return false };
        live.extend(episodes.into_iter().map(|episode| (episode.episode_id.clone(), episode)));
        true
    }

    pub(super) fn forget(&self, episode_id: &str) {
        if let Some(live) = lock(&self.episodes).as_mut() {
            live.remove(episode_id);
        }
    }

    /// Starts settling: no claim is granted any more. Gives what was live.
    pub(super) fn begin_closing(&self) -> Vec<Arc<Episode>> {
        lock(&self.books).is_closing = true;
        lock(&self.episodes).take().map(|live| live.into_values().collect()).unwrap_or_default()
    }

    /// One at a time: growing the hold, settling.
    pub(super) async fn gate(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.gate.lock().await
    }

    /// The counters, if they changed since the last time.
    pub(super) fn take_dirty(&self) -> Option<Counters> {
        self.is_dirty.swap(false, Ordering::AcqRel).then(|| self.counters())
    }

    pub(super) fn mark_dirty(&self) {
        self.is_dirty.store(true, Ordering::Release);
    }

    async fn reserve(
        &self,
        store: &Store,
        claim: impl Fn(&mut Budget) -> Result<(), Refusal>,
    ) -> Result<(), ArenaError> {
        if self.try_reserve(&claim)?.is_none() {
            return Ok(());
        }
        let _gate = self.gate.lock().await;
        while let Some(need) = self.try_reserve(&claim)? {
            let (account, run) = (self.row.account_id.clone(), self.row.run_id.clone());
            let hold = Credits::for_ticks(need);
            store
                .write(move |connection| {
                    ledger::raise_hold(connection, &account, &run, hold, Timestamp::now())
                })
                .await?;
            let mut books = lock(&self.books);
            books.budget.held = books.budget.held.max(need);
        }
        Ok(())
    }

    /// Nothing when it is granted, else the hold that it needs.
    fn try_reserve(
        &self,
        claim: impl Fn(&mut Budget) -> Result<(), Refusal>,
    ) -> Result<Option<u64>, ArenaError> {
        let mut books = lock(&self.books);
        if books.is_closing {
            return Err(closed(&self.row.run_id));
        }
        match claim(&mut books.budget) {
            Ok(()) => {
                self.is_dirty.store(true, Ordering::Release);
                Ok(None)
            }
            Err(Refusal::Short { need }) => Ok(Some(need)),
            Err(Refusal::Exhausted { left }) => Err(exhausted(left)),
        }
    }
}

/// What playouts are paid with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlayoutClaim {
    /// The price of their ticks, on top of the hold (SDK 3.4.0).
    #[default]
    Price,
    /// Episodes of the run, which stay used (SDKs until 3.3.0; protocol.md §4.9).
    Episodes,
}

/// The episodes that cover so many ticks.
fn whole_episodes(ticks: u64, ticks_per_episode: u64) -> u64 {
    ticks.div_ceil(ticks_per_episode.max(1))
}

/// Ticks that may be played. What is left when it goes is given back to the run's budget.
#[derive(Debug)]
pub struct Claim {
    run: Arc<Run>,
    left: u64,
    /// Episodes that are given back, too, unless it is metered.
    episodes: u64,
}

impl Claim {
    /// Notes ticks that were played.
    pub fn meter(&mut self, ticks: u64) {
        debug_assert!(ticks <= self.left, "more was played than claimed");
        self.left = self.left.saturating_sub(ticks);
        self.episodes = 0;
        if ticks > 0 {
            lock(&self.run.books).budget.meter(ticks);
            self.run.mark_dirty();
        }
    }

    /// Takes a part of it.
    pub(super) fn split(&mut self, ticks: u64) -> Self {
        let ticks = ticks.min(self.left);
        self.left -= ticks;
        Self { run: Arc::clone(&self.run), left: ticks, episodes: 0 }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if self.left > 0 {
            lock(&self.run.books).budget.release(self.left);
        }
        if self.episodes > 0 {
            lock(&self.run.books).budget.give_back(self.episodes);
            self.run.mark_dirty();
        }
    }
}

pub(super) fn closed(run_id: &str) -> ArenaError {
    ArenaError::new(
        StatusCode::CONFLICT,
        "RUN_CLOSED",
        format!("the run `{run_id}` is closed: open another one"),
    )
}

fn exhausted(left: u64) -> ArenaError {
    ArenaError::new(
        StatusCode::CONFLICT,
        "RUN_EXHAUSTED",
        format!("the run may start {left} more episodes: extend it, or open another one"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ceil(candidates * samples * max_ticks / max_ticks_per_episode)`; "~= K x N x 31 slots with the defaults" is one
    /// of the fork and 30 of its tail (README of SDK 1.3.0).
    #[test]
    fn playouts_are_paid_with_whole_episodes() {
        for (ticks, ticks_per_episode, episodes) in [
            (30 * 1000, 1000, 30),
            (3 * 5 * 1000, 1000, 15),
            (3 * 5 * 20, 1000, 1),
            (1, 1000, 1),
            (7 * 10 * 42, 100, 30),
        ] {
            assert_eq!(whole_episodes(ticks, ticks_per_episode), episodes);
        }
    }
}
