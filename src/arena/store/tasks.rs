//! Tasks that were issued: what their problems are drawn from again, for seven days.

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::StoreError;
use super::ledger::{self, Link};
use crate::arena::credits::Credits;

/// How long a task can be scored (protocol.md §2.13).
pub const KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Rows that one write forgets at most.
const FORGOTTEN_AT_ONCE: i64 = 1_000;

/// A task as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    /// Its name.
    pub task_id: String,
    /// Which variant.
    pub variant: String,
    /// The version of the variant that drew it.
    pub version: u32,
    /// Decides its instance.
    pub seed: u64,
    /// In twentieths.
    pub difficulty: u8,
    /// Its length in percent of what the difficulty asks for.
    pub percent: u8,
}

/// What the names of tasks are sealed with.
pub fn seal_key(connection: &Connection) -> Result<[u8; 32], StoreError> {
    Ok(connection.query_row("SELECT key FROM task_seal", [], |row| row.get(0))?)
}

/// Keeps tasks and charges each of them; all or none. Forgets some that are too old.
///
/// # Errors
/// [`StoreError::Short`] when the account cannot cover them.
pub fn add(
    connection: &Connection,
    account_id: &str,
    tasks: &[TaskRow],
    price: Credits,
    at: Timestamp,
) -> Result<(), StoreError> {
    // What they need together is told, not what the one needs that is not covered any more.
    let (need, have) = (Credits(price.0 * tasks.len() as i64), ledger::free(connection, account_id)?);
    if have < need {
        return Err(StoreError::Short { need, have });
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO tasks (task_id, account_id, variant, version, seed, difficulty, percent, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for task in tasks {
        insert.execute(params![
            task.task_id,
            account_id,
            task.variant,
            task.version,
            task.seed as i64,
            task.difficulty,
            task.percent,
            at.as_millisecond(),
        ])?;
        let link = Link::Task(&task.task_id);
        ledger::charge(connection, account_id, "task_generate", price, &link, &task.variant, at)?;
    }
    forget(connection, at)
}

fn forget(connection: &Connection, now: Timestamp) -> Result<(), StoreError> {
    let sql =
        "DELETE FROM tasks WHERE task_id IN (SELECT task_id FROM tasks WHERE created_at <= ?1 LIMIT ?2)";
    connection.prepare_cached(sql)?.execute(params![oldest(now), FORGOTTEN_AT_ONCE])?;
    Ok(())
}

/// What was made then or before is too old, in milliseconds.
fn oldest(now: Timestamp) -> i64 {
    now.as_millisecond().saturating_sub(KEPT.as_millis() as i64)
}

/// A task of this account, when it can still be scored.
pub fn get(
    connection: &Connection,
    account_id: &str,
    task_id: &str,
    now: Timestamp,
) -> Result<Option<TaskRow>, StoreError> {
    let sql = "SELECT variant, version, seed, difficulty, percent FROM tasks
               WHERE task_id = ?1 AND account_id = ?2 AND created_at > ?3";
    let row = connection.prepare_cached(sql)?.query_row(params![task_id, account_id, oldest(now)], |row| {
        Ok(TaskRow {
            task_id: task_id.to_owned(),
            variant: row.get(0)?,
            version: row.get(1)?,
            seed: row.get::<_, i64>(2)? as u64,
            difficulty: row.get(3)?,
            percent: row.get(4)?,
        })
    });
    Ok(row.optional()?)
}
