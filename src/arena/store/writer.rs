//! The one thread that writes. Jobs are batched into transactions; an answer is sent only after its commit.

use std::fmt;
use std::sync::Arc;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::StoreError;

/// Jobs in one transaction at most.
const BATCH: usize = 500;

/// How often a locked file is tried for jobs that do not wait for ever; each try lasts as long as
/// [`super::open::BUSY_WAIT`].
const TRIES: u32 = 2;

/// One write, erased.
pub(super) trait Job: Send + fmt::Debug {
    /// Does it inside the open transaction. False undoes it.
    fn run(&mut self, connection: &Connection) -> bool;
    /// Whether a locked file is waited for without end.
    fn is_patient(&self) -> bool;
    /// Told when the transaction is committed, or why it is not.
    fn done(self: Box<Self>, commit: Result<(), StoreError>);
}

/// A write with somebody who waits for its answer.
pub(super) struct Ask<T, F> {
    work: F,
    patient: bool,
    answer: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Ask<T, F> {
    pub(super) fn new(work: F, patient: bool, reply: oneshot::Sender<Result<T, StoreError>>) -> Self {
        Self { work, patient, answer: None, reply }
    }
}

impl<T, F> fmt::Debug for Ask<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask").field("patient", &self.patient).finish_non_exhaustive()
    }
}

impl<T: Send, F: FnMut(&Connection) -> Result<T, StoreError> + Send> Job for Ask<T, F> {
    fn run(&mut self, connection: &Connection) -> bool {
        let answer = (self.work)(connection);
        let keep = answer.is_ok();
        self.answer = Some(answer);
        keep
    }

    fn is_patient(&self) -> bool {
        self.patient
    }

    fn done(self: Box<Self>, commit: Result<(), StoreError>) {
        let Self { answer, reply, .. } = *self;
        let answer = commit.and_then(|()| answer.unwrap_or(Err(StoreError::Closed)));
        if let Err(StoreError::Sql(error)) = &answer {
            tracing::error!(%error, "a write failed");
        }
        // The one who asked may have gone away; the write stands.
        _ = reply.send(answer);
    }
}

/// Runs until every sender is gone and the queue is empty.
pub(super) fn run(connection: &Connection, mut jobs: mpsc::Receiver<Box<dyn Job>>) {
    let mut batch: Vec<Box<dyn Job>> = Vec::with_capacity(BATCH);
    let mut tries = 0;
    loop {
        if batch.is_empty() {
            match jobs.blocking_recv() {
                Some(job) => batch.push(job),
                None => break,
            }
        }
        while batch.len() < BATCH
            && let Ok(job) = jobs.try_recv()
        {
            batch.push(job);
        }
        match commit(connection, &mut batch) {
            Err(StoreError::Busy) => {
                tries += 1;
                // A closed queue means that the arena is ending: then nobody waits for ever.
                if tries >= TRIES {
                    give_up(&mut batch, jobs.is_closed());
                }
            }
            outcome => {
                tries = 0;
                for job in batch.drain(..) {
                    job.done(outcome.clone());
                }
            }
        }
    }
    if let Err(error) = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)") {
        tracing::warn!(%error, "the write-ahead log stays beside the database");
    }
}

fn give_up(batch: &mut Vec<Box<dyn Job>>, all: bool) {
    let (keep, gone): (Vec<_>, Vec<_>) = batch.drain(..).partition(|job| !all && job.is_patient());
    batch.extend(keep);
    for job in gone {
        job.done(Err(StoreError::Busy));
    }
}

fn commit(connection: &Connection, batch: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let worked = batch.iter_mut().try_for_each(|job| in_savepoint(connection, job.as_mut()));
    let committed = worked.and_then(|()| connection.execute_batch("COMMIT"));
    if committed.is_err() && !connection.is_autocommit() {
        connection.execute_batch("ROLLBACK").map_err(|error| StoreError::Sql(Arc::new(error)))?;
    }
    Ok(committed?)
}

fn in_savepoint(connection: &Connection, job: &mut dyn Job) -> rusqlite::Result<()> {
    connection.execute_batch("SAVEPOINT job")?;
    if !job.run(connection) {
        connection.execute_batch("ROLLBACK TO job")?;
    }
    connection.execute_batch("RELEASE job")
}
