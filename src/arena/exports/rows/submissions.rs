//! `submissions`: a row each, with its code, its rating and how it was generated.

use rusqlite::{Connection, Row};
use serde_json::{Map, Value};

use super::super::chunks::Chunks;
use super::super::table::{Cell, Payload, Schema, counted, flag, number, text, whole};
use super::super::{Fault, text_of};
use super::{each, json};
use crate::arena::jobs::Job;
use crate::arena::record::rfc3339;
use crate::arena::store::sessions::timestamp;

/// Submissions in memory at once: each comes with its transcript.
const PAGE: u64 = 16;

pub(super) const SCHEMA: Schema = Schema {
    columns: &[
        text("submission_id"),
        text("game"),
        text("game_version"),
        text("score_version"),
        whole("score_ticks"),
        text("language"),
        text("provider"),
        text("provider_source"),
        text("model"),
        text("branch_config"),
        counted(number("elo_rating")),
        number("elo_error"),
        number("percentile"),
        whole("match_count"),
        number("failure_rate"),
        number("score_mean"),
        number("score_std_dev"),
        number("score_min"),
        number("score_median"),
        number("score_max"),
        counted(text("score_stats")),
        text("code"),
        text("files"),
        text("command"),
        flag("fresh"),
        text("created_at"),
    ],
    payloads: PAYLOADS,
};

/// What belongs to a submission.
pub(super) const PAYLOADS: &[Payload] = &[
    Payload { column: "transcript", map: "transcripts" },
    Payload { column: "request_context", map: "request_contexts" },
    Payload { column: "value_context", map: "value_contexts" },
];

// The statistics and the horizon are those of the newest evaluation that is complete, as the rating is.
const SQL: &str = "
    SELECT n, submissions.submission_id, submissions.game, game_version, score_version,
        (SELECT max_ticks FROM matches WHERE matches.eval_run_id = rated.eval_run_id LIMIT 1),
        language, provider, provider_source, model, branch_config, submissions.elo, submissions.elo_error,
        submissions.percentile, matches, submissions.failure_rate, score_stats, files, submissions.created_at,
        transcript, request_context, value_context, command, fresh
    FROM export_records JOIN submissions ON submissions.submission_id = subject
    LEFT JOIN transcripts ON transcripts.submission_id = subject
    LEFT JOIN evaluations AS rated ON rated.seq = (SELECT max(seq) FROM evaluations
        WHERE evaluations.submission_id = subject AND score_stats IS NOT NULL)
    WHERE export_records.job_id = ?1 AND n > ?2 ORDER BY n LIMIT ?3";

pub(super) fn write(connection: &Connection, job: &Job, chunks: &mut Chunks<'_>) -> Result<(), Fault> {
    each(connection, job, (SQL, PAGE), read, |(row, payload)| {
        chunks.group(payload);
        Ok(chunks.push(&row)?)
    })
}

fn read(row: &Row<'_>) -> rusqlite::Result<(Vec<Cell>, Vec<Cell>)> {
    let text = |nth| row.get::<_, Option<String>>(nth);
    let number = |nth| row.get::<_, Option<f64>>(nth);
    let elo = number(11)?;
    let stats = text(16)?;
    let parsed = json(stats.clone());
    let stat = |name: &str| parsed.as_ref().and_then(|stats| stats.get(name)).and_then(Value::as_f64).into();
    let files = text(17)?;
    let cells = vec![
        text(1)?.into(),
        text(2)?.into(),
        text(3)?.into(),
        text(4)?.into(),
        row.get::<_, Option<i64>>(5)?.into(),
        text(6)?.into(),
        text(7)?.into(),
        text(8)?.into(),
        text(9)?.into(),
        Cell::json(text(10)?),
        elo.into(),
        number(12)?.into(),
        number(13)?.into(),
        elo.and(Some(row.get::<_, i64>(14)?)).into(),
        number(15)?.into(),
        stat("mean"),
        stat("std_dev"),
        stat("min"),
        stat("median"),
        stat("max"),
        Cell::json(stats),
        code(files.clone()).into(),
        Cell::json(files),
        // What starts it, and whether it wants a process for every turn: said where it is not the usual.
        text(22)?.into(),
        Some(true).filter(|_| row.get(23).is_ok_and(|fresh: bool| fresh)).into(),
        rfc3339(timestamp(row.get(18)?)).into(),
    ];
    Ok((cells, vec![Cell::json(text(19)?), Cell::json(text(20)?), Cell::json(text(21)?)]))
}

/// The code of a submission that is one file. Of several none is the code.
fn code(files: Option<String>) -> Option<String> {
    let files: Map<String, Value> = match json(files) {
        Some(Value::Object(files)) => files,
        _ => return None,
    };
    let mut contents = files.values();
    contents.next().filter(|_| files.len() == 1).and_then(text_of)
}
