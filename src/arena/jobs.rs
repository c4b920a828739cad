//! Jobs: work that goes on after its request was answered.
//!
//! ```text
//! submit --row and hold, one write--> queued --a place is free--> running --+--> completed
//!                                       ^                            |      +--> failed
//!                                       +--the arena ends, starts----+      +--> cancelled
//! ```
//!
//! The queue is the database: a job that was under way when the arena ended is taken up again at the next start, and
//! given up when that happened `ATTEMPTS` times. So each kind's `run` must be able to go on from what it has kept.
//! What a kind does is in its own module (`work`); here is what all share: places, progress, ends, settlement,
//! call-backs. Start at [`Jobs::submit`].

pub mod callback;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use rusqlite::Connection;
use serde_json::Value;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::credits::Credits;
use super::error::ArenaError;
use super::store::jobs::{self as rows, JobRow};
use super::store::ledger::Bill;
use super::store::{Store, StoreError};
use super::{Arena, secret};

/// How often a job is taken up before it is given up.
const ATTEMPTS: u32 = 3;

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A submission is tried out.
    Check,
    /// A submission plays rated matches.
    Evaluation,
    /// A provider writes a submission.
    Generation,
    /// Several of the others, and their exports.
    DatasetBuild,
    /// Files are written.
    Export,
}

impl Kind {
    const ALL: [Self; 5] =
        [Self::Check, Self::Evaluation, Self::Generation, Self::DatasetBuild, Self::Export];

    /// The word on the wire, in the usage list too.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Evaluation => "evaluation",
            Self::Generation => "generation",
            Self::DatasetBuild => "dataset_build",
            Self::Export => "export",
        }
    }

    /// Reads the word, which the database has checked.
    pub fn from_word(word: &str) -> Self {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word).unwrap_or(Self::Export)
    }

    /// Jobs of this kind at once. A build waits for others, so it must not keep places from them.
    fn places(self) -> usize {
        match self {
            Self::Check | Self::Evaluation | Self::Generation => 4,
            Self::DatasetBuild => 16,
            Self::Export => 2,
        }
    }
}

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It waits for a place.
    Queued,
    /// It is worked on.
    Running,
    /// It ended well.
    Completed,
    /// It broke off.
    Failed,
    /// Somebody ended it.
    Cancelled,
}

impl Status {
    const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Completed, Self::Failed, Self::Cancelled];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Reads the word, which the database has checked.
    pub fn from_word(word: &str) -> Self {
        Self::ALL.into_iter().find(|status| status.as_str() == word).unwrap_or(Self::Failed)
    }

    /// Whether nothing more will happen.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// What is to be done.
#[derive(Debug, Clone)]
pub struct Order {
    /// The job's id, for the rows that are written beside it.
    pub job_id: String,
    account_id: String,
    kind: Kind,
    request: Value,
    /// The job that starts it.
    pub parent_id: Option<String>,
    /// What it costs at most.
    pub hold: Credits,
    /// Parts to do, as far as known.
    pub total: u64,
    /// Told when it ends; checked by [`callback::check`].
    pub callback_url: Option<String>,
}

impl Order {
    /// A job that costs nothing and has no parent; `request` is what its kind reads again when it is taken up.
    pub fn new(account_id: &str, kind: Kind, request: Value) -> Self {
        Self {
            job_id: secret::id("j_"),
            account_id: account_id.to_owned(),
            kind,
            request,
            parent_id: None,
            hold: Credits(0),
            total: 0,
            callback_url: None,
        }
    }

    pub(super) fn row(&self) -> JobRow {
        JobRow {
            job_id: self.job_id.clone(),
            account_id: self.account_id.clone(),
            kind: self.kind,
            status: Status::Queued,
            parent_id: self.parent_id.clone(),
            request: self.request.clone(),
            done: 0,
            total: self.total,
            attempts: 0,
            result: None,
            error: None,
            callback_url: self.callback_url.clone(),
            spent: None,
            created_at: Timestamp::now().as_millisecond(),
            started_at: None,
            ended_at: None,
        }
    }
}

/// A job that ended well.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// What came of it.
    pub result: Value,
    /// What it used.
    pub bill: Bill,
}

/// A job that did not.
#[derive(Debug)]
pub enum Broken {
    /// It cannot be done; what it used so far is charged.
    Failed {
        /// Why, for the user, with what to do.
        error: String,
        /// What it used.
        bill: Bill,
    },
    /// [`Job::stop`] was cancelled; what it used so far is charged if the job was, and kept for later if the arena ends.
    Stopped {
        /// What it used.
        bill: Bill,
    },
    /// The arena's own fault; not charged.
    Internal(ArenaError),
}

impl From<ArenaError> for Broken {
    fn from(error: ArenaError) -> Self {
        Self::Internal(error)
    }
}

impl From<StoreError> for Broken {
    fn from(error: StoreError) -> Self {
        Self::Internal(error.into())
    }
}

/// A job under way, as its kind's `run` gets it.
#[derive(Debug, Clone)]
pub struct Job {
    /// Where it runs.
    pub arena: Arena,
    /// What it was told; as it was when it was taken up.
    pub row: JobRow,
    /// Cancelled when the job is, or when the arena ends: then `run` returns [`Broken::Stopped`] soon.
    pub stop: CancellationToken,
}

impl Job {
    /// Notes how far it is. Not waited for; a later note makes up for a lost one.
    pub fn progress(&self, done: u64, total: u64) {
        let job_id = self.row.job_id.clone();
        let noted =
            self.arena.store().post(move |connection| rows::progress(connection, &job_id, done, total));
        if !noted {
            tracing::debug!(job_id = self.row.job_id, "progress was not noted: the database is behind");
        }
    }
}

/// What each kind does.
async fn work(job: &Job) -> Result<Done, Broken> {
    match job.row.kind {
        Kind::Check => super::submissions::check::run(job).await,
        Kind::Evaluation => super::evaluation::run(job).await,
        Kind::Generation => super::generation::run(job).await,
        Kind::DatasetBuild => super::builds::run(job).await,
        Kind::Export => super::exports::run(job).await,
    }
}

/// The queue.
#[derive(Debug)]
pub struct Jobs {
    tasks: TaskTracker,
    closing: CancellationToken,
    places: HashMap<Kind, Arc<Semaphore>>,
    /// Jobs that have not ended, with who may end them and who waits for them.
    open: Mutex<HashMap<String, Handle>>,
}

#[derive(Debug)]
struct Handle {
    cancelled: CancellationToken,
    ended: watch::Sender<bool>,
}

impl Jobs {
    /// An empty queue. `closing` is cancelled when the arena ends.
    pub fn new(tasks: TaskTracker, closing: CancellationToken) -> Self {
        let places = Kind::ALL.map(|kind| (kind, Arc::new(Semaphore::new(kind.places()))));
        Self { tasks, closing, places: places.into(), open: Mutex::default() }
    }

    /// Takes up what an earlier run left open, or gives it up.
    ///
    /// # Errors
    /// The database failed.
    pub async fn resume(&self, arena: &Arena) -> Result<(), StoreError> {
        for row in arena.store().read(rows::unfinished).await? {
            if row.attempts >= ATTEMPTS {
                let error = format!("given up: the arena ended {ATTEMPTS} times while this job ran");
                end(arena.store(), &row, Status::Failed, (None, Some(error)), Bill::nothing()).await?;
            } else {
                self.start(arena, row);
            }
        }
        Ok(())
    }

    /// Keeps a job with its hold and what `beside` writes, all or nothing, and starts it.
    ///
    /// # Errors
    /// `INSUFFICIENT_CREDITS`, `DAILY_LIMIT_EXCEEDED`, or what `beside` answers.
    pub async fn submit(
        &self,
        arena: &Arena,
        order: Order,
        mut beside: impl FnMut(&Connection) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<String, ArenaError> {
        let row = order.row();
        let (kept, hold) = (row.clone(), order.hold);
        let written = arena.store().write(move |connection| {
            rows::add(connection, &kept, hold)?;
            beside(connection)
        });
        written.await?;
        self.start(arena, row);
        Ok(order.job_id)
    }

    /// Ends a job early, if it has not ended. It is told as `cancelled` soon after.
    pub fn cancel(&self, job_id: &str) {
        if let Some(handle) = self.open().get(job_id) {
            handle.cancelled.cancel();
        }
    }

    /// Waits until a job has ended, or the arena ends.
    pub async fn ended(&self, job_id: &str) {
        let Some(mut ended) = self.open().get(job_id).map(|handle| handle.ended.subscribe()) else { return };
        // An error means that the sender is gone: it has ended.
        _ = ended.wait_for(|ended| *ended).await;
    }

    fn start(&self, arena: &Arena, row: JobRow) {
        let cancelled = CancellationToken::new();
        let handle = Handle { cancelled: cancelled.clone(), ended: watch::Sender::new(false) };
        self.open().insert(row.job_id.clone(), handle);
        let places = self.places.get(&row.kind).cloned();
        let (arena, closing) = (arena.clone(), self.closing.clone());
        self.tasks.spawn(async move {
            let job_id = row.job_id.clone();
            if let Err(error) = see_through(&arena, row, places, &cancelled, &closing).await {
                tracing::error!(job_id, %error, "a job's end was not written; it is taken up again at the next start");
            }
            if let Some(handle) = arena.jobs().open().remove(&job_id) {
                handle.ended.send_replace(true);
            }
        });
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Handle>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for a place, does the work, writes the end.
async fn see_through(
    arena: &Arena,
    row: JobRow,
    places: Option<Arc<Semaphore>>,
    cancelled: &CancellationToken,
    closing: &CancellationToken,
) -> Result<(), StoreError> {
    let place = async {
        match places {
            Some(places) => places.acquire_owned().await.ok(),
            None => None,
        }
    };
    let _place = tokio::select! {
        place = place => place,
        // It stays in the queue for the next start.
        () = closing.cancelled() => return Ok(()),
        () = cancelled.cancelled() => {
            return end(arena.store(), &row, Status::Cancelled, (None, None), Bill::nothing()).await;
        }
    };
    let job_id = row.job_id.clone();
    arena.store().write(move |connection| rows::take_up(connection, &job_id, Timestamp::now())).await?;
    let stop = CancellationToken::new();
    let job = Job { arena: arena.clone(), row: row.clone(), stop: stop.clone() };
    // In a task of its own, so that a panic ends the job and nothing else.
    let working = tokio::spawn(async move { work(&job).await });
    tokio::pin!(working);
    let worked = tokio::select! {
        worked = &mut working => worked,
        () = cancelled.cancelled() => { stop.cancel(); working.await }
        () = closing.cancelled() => { stop.cancel(); working.await }
    };
    let worked = worked.unwrap_or_else(|panic| Err(Broken::Internal(ArenaError::internal(panic))));
    match worked {
        Ok(Done { result, bill }) => {
            end(arena.store(), &row, Status::Completed, (Some(result), None), bill).await
        }
        Err(Broken::Failed { error, bill }) => {
            end(arena.store(), &row, Status::Failed, (None, Some(error)), bill).await
        }
        Err(Broken::Stopped { bill }) if cancelled.is_cancelled() => {
            end(arena.store(), &row, Status::Cancelled, (None, None), bill).await
        }
        Err(Broken::Stopped { .. }) => {
            let job_id = row.job_id.clone();
            arena.store().write(move |connection| rows::put_back(connection, &job_id)).await
        }
        // The arena's own fault shows again at the next start, or it was the end of the database.
        Err(Broken::Internal(_)) if closing.is_cancelled() => Ok(()),
        Err(Broken::Internal(error)) => {
            tracing::error!(job_id = row.job_id, %error, "a job broke");
            let error = format!("{}: {}", error.code(), error.message());
            end(arena.store(), &row, Status::Failed, (None, Some(error)), Bill::nothing()).await
        }
    }
}

async fn end(
    store: &Store,
    row: &JobRow,
    status: Status,
    outcome: (Option<Value>, Option<String>),
    bill: Bill,
) -> Result<(), StoreError> {
    let (kept, (result, error)) = (row.clone(), outcome.clone());
    let written = store.write_patiently(move |connection| {
        let outcome = (result.as_ref(), error.as_deref());
        rows::finish(connection, &kept, status, outcome, &bill, Timestamp::now())
    });
    written.await?;
    if let Some(url) = &row.callback_url {
        callback::tell(url, &row.job_id, status, &outcome).await;
    }
    Ok(())
}
