//! How submissions were generated: transcripts with what their requests held besides, and decision points.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Value, json};

use super::StoreError;
use super::submissions;
use crate::arena::generation::workspace::Workspace;

/// What is kept of a finished session.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    /// Whose code it is.
    pub submission_id: String,
    /// The files.
    pub workspace: Workspace,
    /// How it was branched, if it was.
    pub branch_config: Option<Value>,
    /// The transcript, a JSON list; its text is what the model saw.
    pub transcript: String,
    /// The frame of its requests.
    pub request_context: Value,
    /// What the values of its branches were measured under.
    pub value_context: Option<Value>,
    /// Why the code cannot play.
    pub failure: Option<Value>,
}

/// Keeps a decision point; one that is there already is replaced.
pub fn add_point(
    connection: &Connection,
    submission_id: &str,
    job_id: &str,
    decision_index: u32,
    record: &Value,
) -> Result<(), StoreError> {
    let sql = "INSERT OR REPLACE INTO decision_points (submission_id, job_id, decision_index, record) VALUES (?1, ?2, ?3, ?4)";
    connection.execute(sql, params![submission_id, job_id, decision_index, record.to_string()])?;
    Ok(())
}

/// Forgets what an earlier attempt at a session left.
pub fn clear(connection: &Connection, submission_id: &str) -> Result<(), StoreError> {
    connection.execute("DELETE FROM decision_points WHERE submission_id = ?1", [submission_id])?;
    Ok(())
}

/// The decision points of a job, in their order.
pub fn points(connection: &Connection, job_id: &str) -> Result<Vec<Value>, StoreError> {
    let sql = "SELECT record FROM decision_points WHERE job_id = ?1 ORDER BY decision_index";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([job_id], |row| row.get::<_, String>(0))?;
    let texts: Vec<String> = rows.collect::<Result<_, _>>()?;
    // Written by us.
    Ok(texts.iter().filter_map(|text| serde_json::from_str(text).ok()).collect())
}

/// Completes a submission that a session has written. Does nothing the second time.
pub fn finish(connection: &Connection, generated: &Generated) -> Result<(), StoreError> {
    let files = serde_json::to_string(&generated.workspace.submitted()).unwrap_or_default();
    let changed = connection.execute(
        "UPDATE submissions SET files = ?2, branch_config = ?3 WHERE submission_id = ?1 AND status = 'pending'",
        params![generated.submission_id, files, generated.branch_config.as_ref().map(Value::to_string)],
    )?;
    if changed == 0 {
        return Ok(());
    }
    connection.execute(
        "INSERT OR REPLACE INTO transcripts (submission_id, transcript, request_context, value_context) VALUES (?1, ?2, ?3, ?4)",
        params![
            generated.submission_id,
            generated.transcript,
            generated.request_context.to_string(),
            generated.value_context.as_ref().map(Value::to_string)
        ],
    )?;
    submissions::checked(connection, &generated.submission_id, generated.failure.as_ref())
}

/// Marks the submission of a job that wrote none as failed, so that nobody waits for it.
pub fn never_came(connection: &Connection, job_id: &str, why: &str) -> Result<(), StoreError> {
    let failure = json!({ "code": "generation_failed", "detail": why }).to_string();
    let sql =
        "UPDATE submissions SET status = 'failed', failure = ?2 WHERE job_id = ?1 AND status = 'pending'";
    connection.execute(sql, [job_id, &failure])?;
    Ok(())
}

/// A transcript as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// A JSON list, as text.
    pub transcript: String,
    /// The frame of its requests.
    pub request_context: Option<Value>,
    /// What values were measured under.
    pub value_context: Option<Value>,
}

/// The transcript of a submission, if it was generated.
pub fn transcript(connection: &Connection, submission_id: &str) -> Result<Option<Kept>, StoreError> {
    let sql = "SELECT transcript, request_context, value_context FROM transcripts WHERE submission_id = ?1";
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Kept {
            transcript: row.get(0)?,
            request_context: super::json(row, 1)?,
            value_context: super::json(row, 2)?,
        })
    };
    Ok(connection.prepare_cached(sql)?.query_row([submission_id], read).optional()?)
}
