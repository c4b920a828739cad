//! Many steps in one call, on all cores.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;

use super::run::Run;
use super::steps::{Step, StepError};
use super::{Rollouts, answer, lock};
use crate::arena::error::ArenaError;

/// One entry of a batch: a step, or why it is none.
#[derive(Debug)]
pub struct Entry {
    /// Which episode, as it was sent.
    pub episode_id: String,
    /// What is to be done.
    pub step: Result<Step, ArenaError>,
}

/// Entries of one episode, with their places in the batch.
type Group = Vec<(usize, Entry)>;

/// What the workers share.
struct Work {
    groups: Vec<Mutex<Group>>,
    next: AtomicUsize,
}

impl Rollouts {
    /// Plays all entries and answers each in its place; those of one episode one after the other. Goes on until all are
    /// played, so it belongs on a task of its own.
    pub async fn steps(&self, run: &Arc<Run>, entries: Vec<Entry>) -> Bytes {
        let ids: Vec<String> = entries.iter().map(|entry| entry.episode_id.clone()).collect();
        let groups = group(entries);
        let workers = self.0.cores.min(groups.len());
        let work = Arc::new(Work { groups, next: AtomicUsize::new(0) });
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..workers {
            // The semaphore is never closed; without a permit it would only be less fair.
            let permit = Arc::clone(&self.0.workers).acquire_owned().await.ok();
            let (host, run, work) = (self.clone(), Arc::clone(run), Arc::clone(&work));
            tasks.spawn_blocking(move || {
                let _permit = permit;
                host.work_off(&run, &work)
            });
        }
        let mut results: Vec<Option<Vec<u8>>> = ids.iter().map(|_| None).collect();
        while let Some(done) = tasks.join_next().await {
            match done {
                Ok(done) => done.into_iter().for_each(|(place, result)| results[place] = Some(result)),
                Err(error) => tracing::error!(%error, "a part of a batch broke"),
            }
        }
        answer::results(ids.iter().zip(&results))
    }

    fn work_off(&self, run: &Run, work: &Work) -> Vec<(usize, Vec<u8>)> {
        let mut done = Vec::new();
        while let Some(group) = work.groups.get(work.next.fetch_add(1, Ordering::Relaxed)) {
            for (place, entry) in std::mem::take(&mut *lock(group)) {
                let outcome = entry.step.map_err(StepError::from).and_then(|step| self.step_here(run, step));
                done.push((place, answer::result(&entry.episode_id, &outcome)));
            }
        }
        done
    }

    /// A step on a thread that may wait.
    fn step_here(&self, run: &Run, step: Step) -> Result<Bytes, StepError> {
        let Some(episode) = run.episode(&step.episode_id) else { return Ok(self.replayed(run, &step)?) };
        let mut live = episode.live.blocking_lock();
        self.play(run, &episode, &mut live, step)
    }
}

fn group(entries: Vec<Entry>) -> Vec<Mutex<Group>> {
    let mut groups: Vec<Mutex<Group>> = Vec::with_capacity(entries.len());
    let mut places: HashMap<String, usize> = HashMap::with_capacity(entries.len());
    for (place, entry) in entries.into_iter().enumerate() {
        let nth = *places.entry(entry.episode_id.clone()).or_insert(groups.len());
        match groups.get_mut(nth) {
            Some(group) => {
                group.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).push((place, entry));
            }
            None => groups.push(Mutex::new(vec![(place, entry)])),
        }
    }
    groups
}
