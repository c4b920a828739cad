//! Jobs: what was asked for, how far it is, what came of it.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Value, json};

use super::StoreError;
use super::generations;
use super::ledger::{self, Bill};
use super::sessions::timestamp;
use crate::arena::credits::Credits;
use crate::arena::jobs::{Kind, Status};
use crate::arena::record::rfc3339;

/// A job.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRow {
    /// Its id.
    pub job_id: String,
    /// Who pays.
    pub account_id: String,
    /// What it does.
    pub kind: Kind,
    /// How far it is.
    pub status: Status,
    /// The job that started it.
    pub parent_id: Option<String>,
    /// What it was told, in its kind's own words.
    pub request: Value,
    /// Parts done, of `total`.
    pub done: u64,
    /// Parts to do; 0 while that is not known.
    pub total: u64,
    /// How often it was taken up.
    pub attempts: u32,
    /// What came of it.
    pub result: Option<Value>,
    /// Why it failed.
    pub error: Option<String>,
    /// Told when it ends.
    pub callback_url: Option<String>,
    /// What it cost; nothing before it is settled.
    pub spent: Option<Credits>,
    /// When it was asked for.
    pub created_at: i64,
    /// When it was first taken up.
    pub started_at: Option<i64>,
    /// When it ended.
    pub ended_at: Option<i64>,
}

impl JobRow {
    /// As it goes out.
    pub fn json(&self) -> Value {
        let mut json = json!({
            "job_id": self.job_id,
            "kind": self.kind.as_str(),
            "status": self.status.as_str(),
            "created_at": rfc3339(timestamp(self.created_at)),
        });
        let mut put = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                json[key] = value;
            }
        };
        let time = |ms: Option<i64>| ms.map(|ms| rfc3339(timestamp(ms)).into());
        put("started_at", time(self.started_at));
        put("finished_at", time(self.ended_at));
        put("progress", (self.total > 0).then(|| json!({ "done": self.done, "total": self.total })));
        put("parent_job_id", self.parent_id.as_deref().map(Value::from));
        put("credits_used", self.spent.map(|spent| json!(spent)));
        put("result", self.result.clone());
        put("error", self.error.as_deref().map(Value::from));
        json
    }
}

/// Adds a job that waits, with its hold.
///
/// # Errors
/// [`StoreError::Short`] or [`StoreError::DailyLimit`] when the hold cannot be covered.
pub fn add(connection: &Connection, job: &JobRow, hold: Credits) -> Result<(), StoreError> {
    ledger::hold_job(connection, &job.account_id, &job.job_id, hold, timestamp(job.created_at))?;
    connection.execute(
        "INSERT INTO jobs (job_id, account_id, kind, status, parent_id, request, total, callback_url, created_at)
         VALUES (?1, ?2, ?3, 'queued', ?4, ?5, ?6, ?7, ?8)",
        params![
            job.job_id,
            job.account_id,
            job.kind.as_str(),
            job.parent_id,
            job.request.to_string(),
            job.total as i64,
            job.callback_url,
            job.created_at
        ],
    )?;
    Ok(())
}

/// Marks a job as taken up.
pub fn take_up(connection: &Connection, job_id: &str, at: Timestamp) -> Result<(), StoreError> {
    connection.execute(
        "UPDATE jobs SET status = 'running', attempts = attempts + 1, started_at = coalesce(started_at, ?2)
         WHERE job_id = ?1 AND status IN ('queued', 'running')",
        params![job_id, at.as_millisecond()],
    )?;
    Ok(())
}

/// Puts a job back, untouched by how often it was taken up: the arena ended in good order.
pub fn put_back(connection: &Connection, job_id: &str) -> Result<(), StoreError> {
    let sql = "UPDATE jobs SET status = 'queued', attempts = max(attempts - 1, 0) WHERE job_id = ?1 AND status = 'running'";
    connection.execute(sql, [job_id])?;
    Ok(())
}

/// Notes how far a job is.
pub fn progress(connection: &Connection, job_id: &str, done: u64, total: u64) -> Result<(), StoreError> {
    let sql = "UPDATE jobs SET done = ?2, total = ?3 WHERE job_id = ?1";
    connection.prepare_cached(sql)?.execute(params![job_id, done as i64, total as i64])?;
    Ok(())
}

/// Ends a job and settles it. Does nothing to one that has ended.
pub fn finish(
    connection: &Connection,
    job: &JobRow,
    status: Status,
    outcome: (Option<&Value>, Option<&str>),
    bill: &Bill,
    at: Timestamp,
) -> Result<(), StoreError> {
    let (result, error) = outcome;
    let changed = connection.execute(
        "UPDATE jobs SET status = ?2, result = ?3, error = ?4, ended_at = ?5
         WHERE job_id = ?1 AND status IN ('queued', 'running')",
        params![job.job_id, status.as_str(), result.map(Value::to_string), error, at.as_millisecond()],
    )?;
    if changed > 0 {
        ledger::settle_job(connection, &job.job_id, job.kind.as_str(), bill, at)?;
        if job.kind == Kind::Generation && status != Status::Completed {
            generations::never_came(connection, &job.job_id, error.unwrap_or("it was called off"))?;
        }
    }
    Ok(())
}

/// A job of an account.
pub fn get(connection: &Connection, account_id: &str, job_id: &str) -> Result<Option<JobRow>, StoreError> {
    Ok(any(connection, job_id)?.filter(|job| job.account_id == account_id))
}

/// A job, whoever's.
pub fn any(connection: &Connection, job_id: &str) -> Result<Option<JobRow>, StoreError> {
    let sql = format!("{SELECT} WHERE job_id = ?1");
    Ok(connection.prepare_cached(&sql)?.query_row([job_id], read).optional()?)
}

/// Jobs that have not ended, oldest first.
pub fn unfinished(connection: &Connection) -> Result<Vec<JobRow>, StoreError> {
    let sql = format!("{SELECT} WHERE status IN ('queued', 'running') ORDER BY seq");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map([], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// An account's unfinished job of a kind, if there is one.
pub fn open_of_kind(
    connection: &Connection,
    account_id: &str,
    kind: Kind,
) -> Result<Option<String>, StoreError> {
    let sql = "SELECT job_id FROM jobs WHERE account_id = ?1 AND kind = ?2 AND status IN ('queued', 'running') LIMIT 1";
    Ok(connection.prepare_cached(sql)?.query_row([account_id, kind.as_str()], |row| row.get(0)).optional()?)
}

/// The same, but for one job.
pub fn other_of_kind(
    connection: &Connection,
    account_id: &str,
    kind: Kind,
    than: &str,
) -> Result<Option<String>, StoreError> {
    let sql = "SELECT job_id FROM jobs WHERE account_id = ?1 AND kind = ?2 AND job_id <> ?3
         AND status IN ('queued', 'running') LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_row([account_id, kind.as_str(), than], |row| row.get(0)).optional()?)
}

/// The jobs that a job started, oldest first.
pub fn children(connection: &Connection, parent_id: &str) -> Result<Vec<JobRow>, StoreError> {
    let sql = format!("{SELECT} WHERE parent_id = ?1 ORDER BY seq");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map([parent_id], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

const SELECT: &str =
    "SELECT job_id, account_id, kind, status, parent_id, request, done, total, attempts, result, error, callback_url,
    (SELECT -micro FROM ledger WHERE ledger.job_id = jobs.job_id AND ledger.kind = 'settle'),
    created_at, started_at, ended_at FROM jobs";

fn read(row: &Row<'_>) -> rusqlite::Result<JobRow> {
    let value = |nth: usize| -> rusqlite::Result<Option<Value>> {
        let text: Option<String> = row.get(nth)?;
        // Written by us; what cannot be read is shown as absent rather than hiding the job.
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    };
    Ok(JobRow {
        job_id: row.get(0)?,
        account_id: row.get(1)?,
        kind: Kind::from_word(&row.get::<_, String>(2)?),
        status: Status::from_word(&row.get::<_, String>(3)?),
        parent_id: row.get(4)?,
        request: value(5)?.unwrap_or_default(),
        done: row.get::<_, i64>(6)?.max(0) as u64,
        total: row.get::<_, i64>(7)?.max(0) as u64,
        attempts: row.get(8)?,
        result: value(9)?,
        error: row.get(10)?,
        callback_url: row.get(11)?,
        spent: row.get::<_, Option<i64>>(12)?.map(Credits),
        created_at: row.get(13)?,
        started_at: row.get(14)?,
        ended_at: row.get(15)?,
    })
}
