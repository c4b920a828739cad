//! What happens by itself: counters are written, idle episodes are closed, expired runs are settled.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::run::Run;
use super::{Rollouts, end, episode, lock, read};
use crate::arena::store::runs;

/// How often counters are written: what a crash may forget to bill.
const WRITE_EVERY: Duration = Duration::from_millis(250);

/// How often the arena looks for what is idle or has expired.
const SWEEP_EVERY: Duration = Duration::from_secs(5);

impl Rollouts {
    /// Does its work until `stop`.
    pub async fn keep_up(self, stop: CancellationToken) {
        let mut write = tokio::time::interval(WRITE_EVERY);
        let mut sweep = tokio::time::interval(SWEEP_EVERY);
        write.set_missed_tick_behavior(MissedTickBehavior::Delay);
        sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                _ = write.tick() => self.write_counters(),
                _ = sweep.tick() => self.sweep(Timestamp::now()).await,
            }
        }
    }

    /// Closes episodes that were idle for too long at `now`, settles runs that have expired, forgets old results.
    pub async fn sweep(&self, now: Timestamp) {
        for run in self.open_runs() {
            if run.row.expires_at <= now {
                if let Err(error) = self.settle(&run, now).await {
                    tracing::warn!(run_id = run.run_id(), %error, "an expired run is still open");
                }
                continue;
            }
            self.close_idle(&run, now);
        }
        let life = SignedDuration::try_from(self.0.limits.replay).unwrap_or(SignedDuration::MAX);
        lock(&self.0.replays).expire(now, life);
    }

    fn close_idle(&self, run: &Run, now: Timestamp) {
        let patience = i64::try_from(self.0.limits.episode_idle.as_millis()).unwrap_or(i64::MAX);
        let latest = episode::millis(now).saturating_sub(patience);
        let is_idle = |touched: i64| touched <= latest;
        for episode in run.episodes() {
            if !is_idle(episode.touched.load(Ordering::Acquire)) {
                continue;
            }
            // One that is locked is being driven.
            if let Ok(mut live) = episode.live.try_lock()
                && is_idle(episode.touched.load(Ordering::Acquire))
            {
                live.close(run, &episode);
            }
        }
    }

    /// Posts what runs used since the last time; what finds no room is posted the next time.
    fn write_counters(&self) {
        for run in self.open_runs() {
            if !self.0.store.has_room() {
                return;
            }
            let Some(counters) = run.take_dirty() else { continue };
            let run_id = run.row.run_id.clone();
            if !self.0.store.post(move |connection| runs::put(connection, &run_id, &counters)) {
                run.mark_dirty();
            }
        }
    }

    /// Closes all episodes, writes all counters and waits for that: for an arena that ends.
    pub async fn finish(&self) {
        for run in self.open_runs() {
            for episode in run.episodes() {
                end(&run, &episode).await;
            }
            let (run_id, counters) = (run.row.run_id.clone(), run.counters());
            let written =
                self.0.store.write_patiently(move |connection| runs::put(connection, &run_id, &counters));
            if let Err(error) = written.await {
                tracing::warn!(run_id = run.run_id(), %error, "what a run used was not written");
            }
        }
    }

    fn open_runs(&self) -> Vec<Arc<Run>> {
        read(&self.0.runs).values().cloned().collect()
    }
}
