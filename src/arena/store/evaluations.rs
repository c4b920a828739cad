//! Evaluations: what was to be played, and what came of it so far.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::Value;

use super::StoreError;
use super::submissions::{self, Standing};
use crate::arena::jobs::Status;

/// An evaluation before it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvaluation {
    /// Its id.
    pub eval_run_id: String,
    /// Who is evaluated.
    pub submission_id: String,
    /// Who pays.
    pub account_id: String,
    /// The job that plays it.
    pub job_id: String,
    /// Matches to play.
    pub match_count: u32,
    /// Decides the schedule and all luck.
    pub seed: u64,
    /// Which opponents were wanted, in the words of the request.
    pub opponents: Value,
    /// The opponents that there were.
    pub pool: Value,
}

/// An evaluation as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluationRow {
    /// Its place among all; grows with time.
    pub seq: i64,
    /// What it was when it was asked for.
    pub order: NewEvaluation,
    /// How far it is: the status of its job.
    pub status: Status,
    /// Why it broke off.
    pub error: Option<String>,
    /// Matches that were played.
    pub played: u32,
    /// The rating so far; nothing before the first match that counts.
    pub standing: Option<Standing>,
    /// Matches by the code of the submission's failure.
    pub failures: Option<Value>,
    /// Statistics of its scores; not before it is completed.
    pub score_stats: Option<Value>,
    /// When it was asked for, in ms.
    pub created_at: i64,
    /// When it was completed, in ms.
    pub ended_at: Option<i64>,
}

/// What an evaluation has found so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// Matches that were played.
    pub played: u32,
    /// The rating.
    pub standing: Standing,
    /// Matches by the code of the submission's failure.
    pub failures: Value,
}

/// Keeps an evaluation, beside its job.
pub fn add(connection: &Connection, new: &NewEvaluation, at: Timestamp) -> Result<(), StoreError> {
    connection.execute(
        "INSERT INTO evaluations (eval_run_id, submission_id, account_id, job_id, match_count, seed, opponents, pool,
         created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            new.eval_run_id,
            new.submission_id,
            new.account_id,
            new.job_id,
            new.match_count,
            new.seed as i64,
            new.opponents.to_string(),
            new.pool.to_string(),
            at.as_millisecond(),
        ],
    )?;
    Ok(())
}

/// The evaluation that a job plays.
pub fn by_job(connection: &Connection, job_id: &str) -> Result<Option<EvaluationRow>, StoreError> {
    let sql = format!("{SELECT} WHERE evaluations.job_id = ?1");
    Ok(connection.prepare_cached(&sql)?.query_row([job_id], read).optional()?)
}

/// One evaluation of a submission.
pub fn get(
    connection: &Connection,
    submission_id: &str,
    eval_run_id: &str,
) -> Result<Option<EvaluationRow>, StoreError> {
    let sql = format!("{SELECT} WHERE submission_id = ?1 AND eval_run_id = ?2");
    Ok(connection.prepare_cached(&sql)?.query_row([submission_id, eval_run_id], read).optional()?)
}

/// A submission's evaluations, newest first, after this place.
pub fn list(
    connection: &Connection,
    submission_id: &str,
    after: Option<i64>,
    limit: usize,
) -> Result<Vec<EvaluationRow>, StoreError> {
    let sql = format!(
        "{SELECT} WHERE submission_id = ?1 AND evaluations.seq < ?2 ORDER BY evaluations.seq DESC LIMIT ?3"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![submission_id, after.unwrap_or(i64::MAX), limit as i64], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Notes the rating so far.
pub fn progress(connection: &Connection, eval_run_id: &str, found: &Findings) -> Result<(), StoreError> {
    let Findings { played, standing, failures } = found;
    connection
        .prepare_cached(
            "UPDATE evaluations SET played = ?2, elo = ?3, elo_error = ?4, percentile = ?5, failure_rate = ?6, failures = ?7
             WHERE eval_run_id = ?1 AND ended_at IS NULL",
        )?
        .execute(params![
            eval_run_id,
            played,
            standing.elo,
            standing.error,
            standing.percentile,
            standing.failure_rate,
            failures.to_string()
        ])?;
    Ok(())
}

/// Completes an evaluation, with the statistics of its scores: its rating becomes the submission's. Does nothing the second time.
pub fn complete(
    connection: &Connection,
    order: &NewEvaluation,
    found: &Findings,
    score_stats: &Value,
    at: Timestamp,
) -> Result<(), StoreError> {
    progress(connection, &order.eval_run_id, found)?;
    let completed = connection.execute(
        "UPDATE evaluations SET score_stats = ?2, ended_at = ?3 WHERE eval_run_id = ?1 AND ended_at IS NULL",
        params![order.eval_run_id, score_stats.to_string(), at.as_millisecond()],
    )?;
    if completed > 0 {
        submissions::rate(connection, &order.submission_id, &found.standing)?;
    }
    Ok(())
}

const SELECT: &str = "SELECT evaluations.seq, eval_run_id, submission_id, evaluations.account_id, evaluations.job_id,
    match_count, seed, opponents, pool, jobs.status, jobs.error, played, elo, elo_error, percentile, failure_rate, failures,
    score_stats, evaluations.created_at, evaluations.ended_at
    FROM evaluations JOIN jobs ON jobs.job_id = evaluations.job_id";

fn read(row: &Row<'_>) -> rusqlite::Result<EvaluationRow> {
    let played = row.get(11)?;
    let standing = match row.get(12)? {
        None => None,
        Some(elo) => Some(Standing {
            elo,
            error: row.get::<_, Option<f64>>(13)?.unwrap_or_default(),
            percentile: row.get::<_, Option<f64>>(14)?.unwrap_or_default(),
            matches: played,
            failure_rate: row.get::<_, Option<f64>>(15)?.unwrap_or_default(),
        }),
    };
    Ok(EvaluationRow {
        seq: row.get(0)?,
        order: NewEvaluation {
            eval_run_id: row.get(1)?,
            submission_id: row.get(2)?,
            account_id: row.get(3)?,
            job_id: row.get(4)?,
            match_count: row.get(5)?,
            seed: row.get::<_, i64>(6)? as u64,
            opponents: super::json(row, 7)?.unwrap_or_default(),
            pool: super::json(row, 8)?.unwrap_or_default(),
        },
        status: Status::from_word(&row.get::<_, String>(9)?),
        error: row.get(10)?,
        played,
        standing,
        failures: super::json(row, 16)?,
        score_stats: super::json(row, 17)?,
        created_at: row.get(18)?,
        ended_at: row.get(19)?,
    })
}
