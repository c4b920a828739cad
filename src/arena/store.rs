//! What the arena keeps: one `SQLite` file in WAL mode with one writing thread and a few readers.
//!
//! Writes are closures that the `writer` runs in batches, one transaction a batch, each in a savepoint of its own.
//! Reads run on tokio's blocking threads. Nothing here is called on a tick path: sessions post what they played and
//! go on. Start at [`Store`]; opening, migrating and refusing files is in [`open`]; the SQL is in the other modules.

pub mod accounts;
pub mod branches;
pub mod evaluations;
pub mod exports;
pub mod generations;
pub mod jobs;
pub mod ledger;
pub mod matches;
pub mod open;
pub mod providers;
pub mod runs;
pub mod sessions;
pub mod submissions;
pub mod tasks;
mod writer;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rusqlite::Connection;
use tempfile::TempDir;
use tokio::sync::{Semaphore, mpsc, oneshot};

use self::open::OpenError;
use self::writer::{Ask, Job};

/// Jobs that wait for the writer. A live session posts one a tick, so this is seconds of work for the writer.
const WRITE_QUEUE: usize = 1024;

/// Reads at once; `SQLite` gains nothing from more.
const READERS: usize = 8;

/// Where the data lies.
#[derive(Debug, Clone)]
pub enum Place {
    /// In this file, made when it is not there.
    File(PathBuf),
    /// In a temporary folder that goes away with the store.
    Ephemeral,
}

/// A write or read that did not happen.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// Another program holds the file for too long; nothing was written.
    #[error("the database is locked by another program")]
    Busy,
    /// The store was closed.
    #[error("the database is closed")]
    Closed,
    /// The free credits do not cover a hold.
    #[error("the free credits do not cover it: {need} needed, {have} there")]
    Short {
        /// What the hold takes.
        need: super::credits::Credits,
        /// What is free.
        have: super::credits::Credits,
    },
    /// The account may not spend that much today.
    #[error("the daily limit of {limit} does not cover it: {need} needed, {used} used or promised")]
    DailyLimit {
        /// What the hold takes.
        need: super::credits::Credits,
        /// What was spent since midnight UTC, and what is promised.
        used: super::credits::Credits,
        /// What may be spent a day.
        limit: super::credits::Credits,
    },
    /// What it was to be held for is settled.
    #[error("it is settled")]
    Settled,
    /// A unique name is in use.
    #[error("{0} is taken")]
    Taken(&'static str),
    /// An account keeps as many of these as it may.
    #[error("an account keeps {1} {0} at most")]
    Full(&'static str, u64),
    /// Anything else.
    #[error("the database failed")]
    Sql(#[source] Arc<rusqlite::Error>),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
        match error.sqlite_error_code() {
            Some(DatabaseBusy | DatabaseLocked) => Self::Busy,
            _ => Self::Sql(Arc::new(error)),
        }
    }
}

/// The open database.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    writer: Mutex<Option<mpsc::Sender<Box<dyn Job>>>>,
    thread: Mutex<Option<thread::JoinHandle<()>>>,
    idle_readers: Arc<Mutex<Vec<Connection>>>,
    permits: Arc<Semaphore>,
    /// Held as long as we use the file, so that a second arena does not take our live sessions for dead ones.
    lock: Mutex<Option<File>>,
    /// Removes itself when the store goes.
    _folder: Option<TempDir>,
}

impl Store {
    /// Opens or makes the database, brings its schema up to date and closes what an earlier run left open.
    pub fn open(place: &Place) -> Result<Self, OpenError> {
        let (path, folder) = match place {
            Place::File(path) => (path.clone(), None),
            Place::Ephemeral => {
                let folder =
                    tempfile::Builder::new().prefix("gert-arena-").tempdir().map_err(OpenError::NoFolder)?;
                (folder.path().join("arena.db"), Some(folder))
            }
        };
        let (mut connection, lock) = open::open(&path, open::MIGRATIONS)?;
        sessions::close_interrupted(&mut connection).map_err(|error| OpenError::damaged(&path, error))?;
        let (sender, jobs) = mpsc::channel(WRITE_QUEUE);
        let thread = thread::Builder::new()
            .name("arena-writer".to_owned())
            .spawn(move || writer::run(&connection, jobs))
            .map_err(|source| OpenError::Io { path: path.clone(), source })?;
        Ok(Self {
            path,
            writer: Mutex::new(Some(sender)),
            thread: Mutex::new(Some(thread)),
            idle_readers: Arc::default(),
            permits: Arc::new(Semaphore::new(READERS)),
            lock: Mutex::new(Some(lock)),
            _folder: folder,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs a write and waits until it is committed. `work` may run again when the file was locked.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.ask(false, work).await
    }

    /// Like [`Store::write`], but waits for a locked file as long as it takes: for what must not be lost.
    pub async fn write_patiently<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.ask(true, work).await
    }

    async fn ask<T: Send + 'static>(
        &self,
        patient: bool,
        work: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let sender = self.sender().ok_or(StoreError::Closed)?;
        sender.send(Box::new(Ask::new(work, patient, reply))).await.map_err(|_| StoreError::Closed)?;
        drop(sender);
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Hands a write over without waiting for it. False when the queue is full: keep the rows and try later.
    pub fn post(&self, work: impl FnMut(&Connection) -> Result<(), StoreError> + Send + 'static) -> bool {
        // Nobody listens for the answer; the writer logs a failure.
        let (reply, _) = oneshot::channel();
        self.sender().is_some_and(|sender| sender.try_send(Box::new(Ask::new(work, true, reply))).is_ok())
    }

    /// Whether [`Store::post`] would take a write now.
    pub fn has_room(&self) -> bool {
        self.sender().is_some_and(|sender| sender.capacity() > 0)
    }

    /// Runs a read.
    pub async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| StoreError::Closed)?;
        let (idle, path) = (Arc::clone(&self.idle_readers), self.path.clone());
        if self.sender().is_none() {
            return Err(StoreError::Closed);
        }
        let task = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let pooled = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let connection = pooled.map_or_else(|| open::reader(&path), Ok)?;
            let answer = work(&connection);
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            answer
        });
        task.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Finishes what is queued and closes the file. Later calls answer [`StoreError::Closed`].
    pub async fn close(&self) {
        drop(self.writer.lock().unwrap_or_else(PoisonError::into_inner).take());
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let joined = tokio::task::spawn_blocking(move || thread.join()).await;
            if !matches!(joined, Ok(Ok(()))) {
                tracing::error!("the database writer did not end well");
            }
        }
        self.idle_readers.lock().unwrap_or_else(PoisonError::into_inner).clear();
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    fn sender(&self) -> Option<mpsc::Sender<Box<dyn Job>>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A column of JSON. Written by us; what cannot be read is shown as absent rather than hiding the row.
fn json(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Option<serde_json::Value>> {
    let text: Option<String> = row.get(column)?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn count(connection: &Connection) -> Result<i64, StoreError> {
        Ok(connection.query_row("SELECT count(*) FROM accounts", [], |row| row.get(0))?)
    }

    fn add(connection: &Connection, n: i64) -> Result<(), StoreError> {
        connection.execute(
            "INSERT INTO accounts (account_id, email, created_at) VALUES (?1, ?1, 0)",
            [n.to_string()],
        )?;
        Ok(())
    }

    #[tokio::test]
    async fn a_failed_write_does_not_undo_its_neighbours() {
        let store = Store::open(&Place::Ephemeral).unwrap();
        let writes = [0, 1, 1, 2].map(|n| store.write(move |connection| add(connection, n)));
        let answers = futures_util::future::join_all(writes).await;
        assert_eq!(answers.iter().filter(|answer| answer.is_err()).count(), 1);
        assert_eq!(store.read(count).await.unwrap(), 3);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn many_parallel_writes_all_arrive() {
        let store = Arc::new(Store::open(&Place::Ephemeral).unwrap());
        let mut tasks = tokio::task::JoinSet::new();
        for n in 0..400 {
            let store = Arc::clone(&store);
            tasks.spawn(async move { store.write(move |connection| add(connection, n)).await });
        }
        assert!(tasks.join_all().await.iter().all(Result::is_ok));
        assert_eq!(store.read(count).await.unwrap(), 400);
    }

    #[tokio::test]
    async fn a_short_lock_by_another_program_is_waited_out() {
        // S-05.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arena.db");
        let store = Arc::new(Store::open(&Place::File(path.clone())).unwrap());
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let writing = tokio::spawn({
            let store = Arc::clone(&store);
            async move { store.write(|connection| add(connection, 7)).await }
        });
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(store.read(count).await.unwrap(), 0, "readers do not wait for a writer");
        other.execute_batch("ROLLBACK").unwrap();
        writing.await.unwrap().unwrap();
        assert_eq!(store.read(count).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn a_long_lock_is_told_to_those_who_wait_and_outlasted_by_those_who_must() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arena.db");
        let store = Arc::new(Store::open(&Place::File(path.clone())).unwrap());
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        assert!(store.post(|connection| add(connection, 1)));
        let told =
            tokio::time::timeout(Duration::from_secs(20), store.write(|connection| add(connection, 2)));
        let told = told.await.expect("nobody waits for ever");
        assert!(matches!(told, Err(StoreError::Busy)), "{told:?}");
        other.execute_batch("ROLLBACK").unwrap();
        store.write(|connection| add(connection, 3)).await.unwrap();
        let kept = |connection: &Connection| -> Result<Vec<String>, StoreError> {
            let mut statement = connection.prepare("SELECT email FROM accounts ORDER BY email")?;
            Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
        };
        assert_eq!(store.read(kept).await.unwrap(), ["1", "3"]);
    }

    #[tokio::test]
    async fn closing_finishes_what_was_posted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arena.db");
        let store = Store::open(&Place::File(path.clone())).unwrap();
        for n in 0..50 {
            assert!(store.post(move |connection| add(connection, n)));
        }
        store.close().await;
        assert!(!store.post(|connection| add(connection, 99)));
        drop(store);
        let again = Store::open(&Place::File(path)).unwrap();
        assert_eq!(again.read(count).await.unwrap(), 50);
    }
}
