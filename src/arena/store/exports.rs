//! Exports: what is chosen for them, what they hold, where their files are, and what was exported before.
//!
//! An export's records are chosen in the write that makes its job ([`claim`]); so the choice stands, whatever happens
//! while it waits, and two exports never give the same. What a failed or cancelled one chose is free again by that.

mod choose;

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Map, Value, json};

pub use self::choose::{Choice, Found, claim, count};
use super::StoreError;
use super::sessions::timestamp;
use crate::arena::exports::{ExportType, Format};
use crate::arena::jobs::Status;
use crate::arena::record::rfc3339;

/// One export.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// Its place in the list.
    pub seq: i64,
    /// Its id, which is its job's id.
    pub job_id: String,
    /// What it holds.
    pub export_type: String,
    /// `json` or `parquet`.
    pub format: String,
    /// What was asked for.
    pub request: Value,
    /// How far its job is.
    pub status: Status,
    /// How many rows it holds, once it is complete.
    pub rows: u64,
    /// What came of it.
    pub result: Option<Value>,
    /// Why it failed.
    pub error: Option<String>,
    /// When it was asked for, in ms.
    pub created_at: i64,
    /// When it ended, in ms.
    pub ended_at: Option<i64>,
    /// When its files go or went, in ms; nothing for one without files.
    pub expires_at: Option<i64>,
}

impl Export {
    /// As it goes out.
    pub fn json(&self) -> Value {
        let mut json = Map::new();
        let mut put = |key: &str, value: Value| json.insert(key.to_owned(), value);
        put("job_id", self.job_id.as_str().into());
        put("status", self.status.as_str().into());
        put("export_type", self.export_type.as_str().into());
        put("format", self.format.as_str().into());
        for filter in ["game_slug", "tags", "min_percentile", "max_records", "branch_modes"] {
            if let Some(value) = self.request.get(filter).filter(|value| !value.is_null()) {
                put(filter, value.clone());
            }
        }
        if self.status == Status::Completed {
            put("record_count", self.rows.into());
        }
        for member in ["chunk_count", "size_bytes"] {
            if let Some(value) = self.result.as_ref().and_then(|result| result.get(member)) {
                put(member, value.clone());
            }
        }
        if let Some(error) = &self.error {
            put("error", error.as_str().into());
        }
        put("created_at", rfc3339(timestamp(self.created_at)).into());
        for (key, at) in [("finished_at", self.ended_at), ("expires_at", self.expires_at)] {
            if let Some(at) = at {
                put(key, rfc3339(timestamp(at)).into());
            }
        }
        Value::Object(json)
    }
}

/// A file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportFile {
    /// Its name, as it lies in the folder and as it is offered.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// How many rows it holds.
    pub records: u64,
}

/// Adds an export beside its job.
pub fn add(
    connection: &Connection,
    account_id: &str,
    job_id: &str,
    (export_type, format): (ExportType, Format),
    request: &Value,
    at: i64,
) -> Result<(), StoreError> {
    connection.execute(
        "INSERT INTO exports (job_id, account_id, export_type, format, request, rows, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6)",
        params![job_id, account_id, export_type.as_str(), format.as_str(), request.to_string(), at],
    )?;
    Ok(())
}

/// Writes what an export holds in the end, again if it is done again.
pub fn put_files(
    connection: &Connection,
    job_id: &str,
    files: &[ExportFile],
    expires_at: i64,
) -> Result<(), StoreError> {
    connection.execute("DELETE FROM export_files WHERE job_id = ?1", [job_id])?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO export_files (job_id, n, name, bytes, records) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (n, file) in files.iter().enumerate() {
        insert.execute(params![job_id, n as i64, file.name, file.bytes as i64, file.records as i64])?;
    }
    let rows: u64 = files.iter().map(|file| file.records).sum();
    let expires_at = Some(expires_at).filter(|_| !files.is_empty());
    let sql = "UPDATE exports SET rows = ?2, expires_at = ?3 WHERE job_id = ?1";
    connection.execute(sql, params![job_id, rows as i64, expires_at])?;
    Ok(())
}

/// The files of an export in their order.
pub fn files(connection: &Connection, job_id: &str) -> Result<Vec<ExportFile>, StoreError> {
    let sql = "SELECT name, bytes, records FROM export_files WHERE job_id = ?1 ORDER BY n";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([job_id], |row| {
        let number = |nth| row.get::<_, i64>(nth).map(|number| number.max(0) as u64);
        Ok(ExportFile { name: row.get(0)?, bytes: number(1)?, records: number(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// One export of an account.
pub fn get(connection: &Connection, account_id: &str, job_id: &str) -> Result<Option<Export>, StoreError> {
    let sql = format!("{SELECT} WHERE exports.account_id = ?1 AND exports.job_id = ?2");
    Ok(connection.prepare_cached(&sql)?.query_row([account_id, job_id], read).optional()?)
}

/// An account's exports, newest first, after this place.
pub fn list(
    connection: &Connection,
    account_id: &str,
    after: Option<i64>,
    limit: usize,
) -> Result<Vec<Export>, StoreError> {
    let sql = format!(
        "{SELECT} WHERE exports.account_id = ?1 AND exports.seq < ?2 ORDER BY exports.seq DESC LIMIT ?3"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![account_id, after.unwrap_or(i64::MAX), limit as i64], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Lets an account's exported records be exported again: of one type and of some games, or all. Gives their number.
pub fn reset(
    connection: &Connection,
    account_id: &str,
    export_type: Option<ExportType>,
    games: Option<&[String]>,
) -> Result<u64, StoreError> {
    let games = games.map(|games| json!(games).to_string());
    let changed = connection.execute(
        "UPDATE export_records SET tracked = 0 WHERE account_id = ?1 AND tracked AND (?2 IS NULL OR export_type = ?2)
         AND (?3 IS NULL OR game IN (SELECT value FROM json_each(?3)))",
        params![account_id, export_type.map(ExportType::as_str), games],
    )?;
    Ok(changed as u64)
}

/// The games of an export's records.
pub fn games(connection: &Connection, job_id: &str) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT DISTINCT game FROM export_records WHERE job_id = ?1 ORDER BY game";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([job_id], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// How many things were chosen for an export.
pub fn chosen(connection: &Connection, job_id: &str) -> Result<u64, StoreError> {
    let sql = "SELECT count(*) FROM export_records WHERE job_id = ?1";
    let chosen: i64 = connection.query_row(sql, [job_id], |row| row.get(0))?;
    Ok(chosen as u64)
}

/// Forgets the files of exports that have expired, and gives those exports.
pub fn expire(connection: &Connection, now: i64) -> Result<Vec<String>, StoreError> {
    let gone = "SELECT job_id FROM exports WHERE expires_at <= ?1 AND EXISTS
        (SELECT 1 FROM export_files WHERE export_files.job_id = exports.job_id)";
    let mut statement = connection.prepare_cached(gone)?;
    let expired: Vec<String> = statement.query_map([now], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut delete = connection.prepare_cached("DELETE FROM export_files WHERE job_id = ?1")?;
    for job_id in &expired {
        delete.execute([job_id])?;
    }
    Ok(expired)
}

/// Forgets what ended exports chose that keeps nothing out of others any more, and gives the exports that have files.
pub fn tidy(connection: &Connection) -> Result<Vec<String>, StoreError> {
    connection.execute(
        "DELETE FROM export_records WHERE job_id IN (SELECT job_id FROM jobs WHERE status IN ('failed', 'cancelled'))
         OR (NOT tracked AND job_id IN (SELECT job_id FROM jobs WHERE status = 'completed'))",
        [],
    )?;
    let mut statement = connection.prepare("SELECT DISTINCT job_id FROM export_files")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// What addresses of files are signed with.
pub fn signing_key(connection: &Connection) -> Result<Vec<u8>, StoreError> {
    let sql = "SELECT key FROM signing_keys WHERE name = 'exports'";
    Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

const SELECT: &str =
    "SELECT exports.seq, exports.job_id, export_type, format, exports.request, status, rows, result, error,
    exports.created_at, ended_at, expires_at FROM exports JOIN jobs ON jobs.job_id = exports.job_id";

fn read(row: &Row<'_>) -> rusqlite::Result<Export> {
    let json = |text: Option<String>| text.and_then(|text| serde_json::from_str(&text).ok());
    Ok(Export {
        seq: row.get(0)?,
        job_id: row.get(1)?,
        export_type: row.get(2)?,
        format: row.get(3)?,
        request: json(row.get(4)?).unwrap_or_default(),
        status: Status::from_word(&row.get::<_, String>(5)?),
        rows: row.get::<_, i64>(6)?.max(0) as u64,
        result: json(row.get(7)?),
        error: row.get(8)?,
        created_at: row.get(9)?,
        ended_at: row.get(10)?,
        expires_at: row.get(11)?,
    })
}
