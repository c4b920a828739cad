//! Exports: jobs that are asked for, kept and fetched.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Value, json};

use super::StoreError;
use super::sessions::timestamp;
use crate::arena::record::rfc3339;

/// One export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// Its place in the list.
    pub seq: i64,
    /// Its id, which is a job's id too.
    pub job_id: String,
    /// What it holds.
    pub export_type: String,
    /// `json` or `parquet`.
    pub format: String,
    /// `completed`.
    pub status: String,
    /// How many records it holds.
    pub rows: u32,
    /// When it was asked for, in ms.
    pub created_at: i64,
}

impl Export {
    /// As it goes out.
    pub fn json(&self) -> Value {
        json!({
            "job_id": self.job_id, "status": self.status, "export_type": self.export_type,
            "format": self.format, "record_count": self.rows,
            "created_at": rfc3339(timestamp(self.created_at)),
        })
    }
}

/// Adds a finished export without records.
pub fn add_empty(
    connection: &Connection,
    account_id: &str,
    export: (&str, &str, &str),
    request: &Value,
    at: Timestamp,
) -> Result<(), StoreError> {
    let (job_id, export_type, format) = export;
    connection.execute(
        "INSERT INTO exports (job_id, account_id, export_type, format, status, request, rows, created_at)
         VALUES (?1, ?2, ?3, ?4, 'completed', ?5, 0, ?6)",
        params![job_id, account_id, export_type, format, request.to_string(), at.as_millisecond()],
    )?;
    Ok(())
}

/// One export of an account.
pub fn get(connection: &Connection, account_id: &str, job_id: &str) -> Result<Option<Export>, StoreError> {
    let sql = format!("{SELECT} WHERE account_id = ?1 AND job_id = ?2");
    Ok(connection.prepare_cached(&sql)?.query_row([account_id, job_id], read).optional()?)
}

/// An account's exports, newest first, after this place.
pub fn list(
    connection: &Connection,
    account_id: &str,
    after: Option<i64>,
    limit: usize,
) -> Result<Vec<Export>, StoreError> {
    let sql = format!("{SELECT} WHERE account_id = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![account_id, after.unwrap_or(i64::MAX), limit as i64], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

const SELECT: &str = "SELECT seq, job_id, export_type, format, status, rows, created_at FROM exports";

fn read(row: &Row<'_>) -> rusqlite::Result<Export> {
    Ok(Export {
        seq: row.get(0)?,
        job_id: row.get(1)?,
        export_type: row.get(2)?,
        format: row.get(3)?,
        status: row.get(4)?,
        rows: row.get(5)?,
        created_at: row.get(6)?,
    })
}
