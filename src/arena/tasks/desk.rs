//! Where tasks are issued and replies scored: the variants with a database, threads and money around them.
//!
//! Drawing and scoring are work for a processor, so both run on blocking threads, a few at a time. Charging and keeping
//! are one write: no task is paid for and lost, or kept and not paid. Scores are charged before they are told.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::grade::{Grades, grade};
use super::id::SealKey;
use super::level::{Difficulty, Level};
use super::{Drawn, Wish};
use crate::arena::credits::Credits;
use crate::arena::engine::rng::Pcg;
use crate::arena::error::ArenaError;
use crate::arena::store::ledger::{self, Link};
use crate::arena::store::tasks::{self, TaskRow};
use crate::arena::store::{Store, StoreError};

/// How long a call draws tasks; one is drawn whatever it takes.
const DRAWING: Duration = Duration::from_secs(75);

/// How long a call waits for its turn before it is told to come again.
const PATIENCE: Duration = Duration::from_secs(20);

/// The place.
pub struct Desk {
    store: Arc<Store>,
    key: SealKey,
    workers: Arc<Semaphore>,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").finish_non_exhaustive()
    }
}

impl Desk {
    /// Opens it.
    pub async fn open(store: Arc<Store>) -> Result<Self, StoreError> {
        let key = SealKey(store.read(tasks::seal_key).await?);
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Ok(Self { store, key, workers: Arc::new(Semaphore::new(cores)) })
    }

    /// Draws tasks, charges and keeps them; the answer of `POST /tasks`.
    ///
    /// # Errors
    /// The account cannot pay, or nobody has time.
    pub async fn issue(
        &self,
        account_id: &str,
        wish: Wish,
        count: usize,
        now: Timestamp,
    ) -> Result<Value, ArenaError> {
        let permit = self.permit().await?;
        let price = wish.difficulty.generate_price();
        let drawn = blocking(permit, move || draw(&wish, count, rand::random())).await?;
        let issued: Vec<(TaskRow, Drawn)> =
            drawn.into_iter().map(|drawn| (self.row(account_id, &drawn), drawn)).collect();
        let rows: Vec<TaskRow> = issued.iter().map(|(row, _)| row.clone()).collect();
        let account = account_id.to_owned();
        self.store.write(move |connection| tasks::add(connection, &account, &rows, price, now)).await?;
        let total = Credits(price.0 * issued.len() as i64);
        let tasks: Vec<Value> = issued.iter().map(|(row, drawn)| wire(&row.task_id, drawn, price)).collect();
        Ok(json!({ "tasks": tasks, "price": total }))
    }

    /// Scores replies to a task and charges what was scored; the answer of `POST /tasks/score`.
    ///
    /// # Errors
    /// There is no such task of this account or it is too old, the account cannot pay, or nobody has time.
    pub async fn score(
        &self,
        account_id: &str,
        task_id: String,
        replies: Vec<String>,
        now: Timestamp,
    ) -> Result<Value, ArenaError> {
        let row = self.find(account_id, task_id, now).await?;
        let Some(variant) = super::find(&row.variant).filter(|variant| variant.spec().version == row.version)
        else {
            return Err(expired("was drawn by another version of the arena"));
        };
        let level = Level { difficulty: Difficulty::twentieths(row.difficulty), percent: row.percent };
        let (permit, seed) = (self.permit().await?, row.seed);
        let grades = blocking(permit, move || grade(&*variant.draw(seed, level), &replies)).await?;
        let price = Credits(level.difficulty.score_price().0 * grades.scored as i64);
        self.charge(account_id, row, &grades, price, now).await?;
        Ok(json!({ "results": grades.outcomes, "price": price }))
    }

    async fn find(&self, account_id: &str, task_id: String, now: Timestamp) -> Result<TaskRow, ArenaError> {
        if !self.key.has_issued(account_id, &task_id) {
            return Err(ArenaError::not_found("there is no such task"));
        }
        let account = account_id.to_owned();
        let row = self.store.read(move |connection| tasks::get(connection, &account, &task_id, now)).await?;
        row.ok_or_else(|| expired("can be scored for seven days and is older"))
    }

    async fn charge(
        &self,
        account_id: &str,
        row: TaskRow,
        grades: &Grades,
        price: Credits,
        now: Timestamp,
    ) -> Result<(), ArenaError> {
        if price.0 == 0 {
            return Ok(());
        }
        let account = account_id.to_owned();
        let plural = if grades.scored == 1 { "answer" } else { "answers" };
        let description = format!("{}, {} {plural}", row.variant, grades.scored);
        let charge = self.store.write(move |connection| {
            let link = Link::Task(&row.task_id);
            ledger::charge(connection, &account, "task_score", price, &link, &description, now)
        });
        Ok(charge.await?)
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, ArenaError> {
        let waiting = Arc::clone(&self.workers).acquire_owned();
        match tokio::time::timeout(PATIENCE, waiting).await {
            Ok(Ok(permit)) => Ok(permit),
            // Nothing was begun, so a client may ask again.
            _ => Err(ArenaError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "SERVER_BUSY",
                "the arena is busy with other tasks: try again",
            )),
        }
    }

    fn row(&self, account_id: &str, drawn: &Drawn) -> TaskRow {
        let spec = drawn.variant.spec();
        TaskRow {
            task_id: self.key.issue(account_id, rand::random()),
            variant: spec.name.to_owned(),
            version: spec.version,
            seed: drawn.seed,
            difficulty: drawn.level.difficulty.in_twentieths(),
            percent: drawn.level.percent,
        }
    }
}

/// As many tasks as are wanted, or as there is time for.
fn draw(wish: &Wish, count: usize, seed: u64) -> Vec<Drawn> {
    let (mut rng, began) = (Pcg::new(seed), Instant::now());
    let mut drawn = Vec::with_capacity(count);
    while drawn.len() < count && (drawn.is_empty() || began.elapsed() < DRAWING) {
        let Some(next) = wish.draw(&mut rng) else { break };
        drawn.push(next);
    }
    drawn
}

/// A task as it goes out.
fn wire(task_id: &str, drawn: &Drawn, price: Credits) -> Value {
    let spec = drawn.variant.spec();
    json!({
        "task_id": task_id,
        "variant": spec.name,
        "kind": spec.kind.as_str(),
        "difficulty": drawn.level.difficulty,
        "messages": [{ "role": "user", "content": drawn.prompt }],
        "price": price,
    })
}

fn expired(why: &str) -> ArenaError {
    ArenaError::new(StatusCode::GONE, "TASK_EXPIRED", format!("this task {why}: draw a new one"))
}

async fn blocking<T: Send + 'static>(
    permit: OwnedSemaphorePermit,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ArenaError> {
    let task = tokio::task::spawn_blocking(move || {
        // Given back when the work is done, also when nobody waits for it any more.
        let _permit = permit;
        work()
    });
    task.await.map_err(ArenaError::internal)
}
