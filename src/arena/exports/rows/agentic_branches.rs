//! `agentic_branches`: a row each decision point of a generation, with the actions that were tried and their values.
//!
//! The record is what the generation wrote (`store` table `decision_points`). Its known members become columns, what else it
//! has is in `extra`. What a submission was generated with comes once a file, as protocol.md §2.5 has it.

use rusqlite::{Connection, OptionalExtension, Row};
use serde_json::{Map, Value};

use super::super::Fault;
use super::super::chunks::Chunks;
use super::super::table::{Cell, Schema, counted, number, text, whole};
use super::{each, json, submissions};
use crate::arena::jobs::Job;

/// Decision points in memory at once.
const PAGE: u64 = 64;

pub(super) const SCHEMA: Schema = Schema {
    columns: &[
        text("submission_id"),
        whole("decision_index"),
        text("game"),
        text("game_version"),
        text("score_version"),
        text("provider"),
        text("provider_source"),
        text("model"),
        whole("state_entry_count"),
        counted(text("pruned")),
        text("branch_mode"),
        number("adopt_percentile"),
        text("actions"),
        text("code"),
        text("extra"),
    ],
    payloads: submissions::PAYLOADS,
};

const SQL: &str = "
    SELECT n, subject, decision_index, submissions.game, game_version, score_version, provider, provider_source, model, record
    FROM export_records
    JOIN submissions ON submissions.submission_id = subject
    JOIN decision_points ON decision_points.submission_id = subject AND decision_index = part
    WHERE export_records.job_id = ?1 AND n > ?2 ORDER BY n LIMIT ?3";

pub(super) fn write(connection: &Connection, job: &Job, chunks: &mut Chunks<'_>) -> Result<(), Fault> {
    let mut group = None;
    each(connection, job, (SQL, PAGE), read, |(submission_id, row)| {
        if group.as_ref() != Some(&submission_id) {
            chunks.group(payload(connection, &submission_id)?);
            group = Some(submission_id);
        }
        Ok(chunks.push(&row)?)
    })
}

fn payload(connection: &Connection, submission_id: &str) -> Result<Vec<Cell>, Fault> {
    let sql = "SELECT transcript, request_context, value_context FROM transcripts WHERE submission_id = ?1";
    let found = connection.prepare_cached(sql)?.query_row([submission_id], |row| {
        (0..3).map(|nth| Ok(Cell::json(row.get(nth)?))).collect::<rusqlite::Result<Vec<_>>>()
    });
    Ok(found.optional()?.unwrap_or_else(|| vec![Cell::Absent; submissions::PAYLOADS.len()]))
}

fn read(row: &Row<'_>) -> rusqlite::Result<(String, Vec<Cell>)> {
    let text = |nth| row.get::<_, Option<String>>(nth);
    let submission_id: String = row.get(1)?;
    let mut record = match json(text(9)?) {
        Some(Value::Object(record)) => record,
        _ => Map::new(),
    };
    // The row has them.
    for known in ["submission_id", "decision_index", "game", "game_version", "score_version"] {
        record.shift_remove(known);
    }
    let code = record.shift_remove("code").or_else(|| best_code(record.get("actions")?));
    let mut take = |name: &str| cell(record.shift_remove(name));
    let cells = vec![
        submission_id.as_str().into(),
        row.get::<_, i64>(2)?.into(),
        text(3)?.into(),
        text(4)?.into(),
        text(5)?.into(),
        take("provider").or(text(6)?),
        take("provider_source").or(text(7)?),
        take("model").or(text(8)?),
        take("state_entry_count"),
        // Null says that it was not computed, so it is said.
        take("pruned").or_null(),
        take("branch_mode"),
        take("adopt_percentile").into_number(),
        take("actions"),
        cell(code),
        Cell::json(
            Some(Value::Object(record))
                .filter(|rest| rest != &Value::Object(Map::new()))
                .map(|rest| rest.to_string()),
        ),
    ];
    Ok((submission_id, cells))
}

/// The workspace that the best continuation of the action that was adopted left, or of the action of the best mean.
fn best_code(actions: &Value) -> Option<Value> {
    let actions = actions.as_array()?;
    let adopted = actions.iter().find(|action| action["adopted"] == true);
    let best = adopted.or_else(|| actions.iter().find(|action| action["action_rank"] == 1));
    best?.get("code").cloned()
}

fn cell(value: Option<Value>) -> Cell {
    match value {
        None => Cell::Absent,
        Some(Value::Null) => Cell::Null,
        Some(Value::String(text)) => Cell::Text(text),
        Some(Value::Bool(flag)) => Cell::Flag(flag),
        Some(Value::Number(number)) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Cell::Whole(whole),
            (None, Some(number)) => Cell::Number(number),
            (None, None) => Cell::Absent,
        },
        Some(nested) => Cell::Json(nested.to_string()),
    }
}

impl Cell {
    fn or(self, otherwise: Option<String>) -> Self {
        if self.is_there() { self } else { otherwise.into() }
    }

    fn or_null(self) -> Self {
        if self == Self::Absent { Self::Null } else { self }
    }

    fn into_number(self) -> Self {
        match self {
            Self::Whole(whole) => Self::Number(whole as f64),
            other => other,
        }
    }
}
