//! The rows of each export type, read page by page and made one by one.

mod agentic_branches;
mod exploration;
mod replays;
mod submissions;

use rusqlite::{Connection, Row, params};
use serde_json::Value;

use super::chunks::Chunks;
use super::table::Schema;
use super::{ExportType, Fault};
use crate::arena::jobs::Job;

/// The columns of a type.
pub(super) fn schema(kind: ExportType) -> Schema {
    match kind {
        ExportType::Submissions => submissions::SCHEMA,
        ExportType::Replays => replays::SCHEMA,
        ExportType::AgenticBranches => agentic_branches::SCHEMA,
        ExportType::BranchExploration => exploration::SCHEMA,
    }
}

/// Writes all rows that were chosen for an export.
pub(super) fn write(
    connection: &Connection,
    job: &Job,
    kind: ExportType,
    chunks: &mut Chunks<'_>,
) -> Result<(), Fault> {
    match kind {
        ExportType::Submissions => submissions::write(connection, job, chunks),
        ExportType::Replays => replays::write(connection, job, chunks),
        ExportType::AgenticBranches => agentic_branches::write(connection, job, chunks),
        ExportType::BranchExploration => exploration::write(connection, job, chunks),
    }
}

/// Reads what was chosen, `size` at a time, and has each made into rows. A page is read whole before anything is written,
/// so that no statement stays open for long: that would keep the write-ahead log growing.
///
/// `sql` takes the job (`?1`), the number after which to go on (`?2`) and the size (`?3`), and gives that number first.
fn each<T>(
    connection: &Connection,
    job: &Job,
    (sql, size): (&str, u64),
    read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    mut make: impl FnMut(T) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let (mut after, mut done) = (0_i64, 0);
    loop {
        let mut statement = connection.prepare_cached(sql)?;
        let page = statement.query_map(params![job.row.job_id, after, size as i64], |row| {
            Ok((row.get::<_, i64>(0)?, read(row)?))
        })?;
        let page: Vec<(i64, T)> = page.collect::<Result<_, _>>()?;
        let Some((last, _)) = page.last() else { return Ok(()) };
        after = *last;
        for (_, found) in page {
            go_on(job)?;
            make(found)?;
            done += 1;
        }
        job.progress(done, job.row.total);
    }
}

/// Ends the work when the job is to end.
fn go_on(job: &Job) -> Result<(), Fault> {
    if job.stop.is_cancelled() { Err(Fault::Stopped) } else { Ok(()) }
}

/// The difficulty that a match was pinned to, if it was.
fn difficulty(config: &Value) -> Option<f64> {
    config.get("difficulty").and_then(Value::as_f64)
}

/// JSON of the database; what cannot be read counts as absent.
fn json(text: Option<String>) -> Option<Value> {
    text.and_then(|text| serde_json::from_str(&text).ok())
}
