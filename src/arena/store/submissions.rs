//! Submissions: code that plays a game, and how it is rated.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use serde_json::Value;

use super::StoreError;
use crate::arena::engine::GameSpec;
use crate::arena::secret;

/// The file that a submission without a command is.
pub const MODULE: &str = "main.py";

/// Whether a submission can play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It is not checked yet.
    Pending,
    /// It passed its check.
    Ready,
    /// It did not.
    Failed,
}

impl Stage {
    const ALL: [Self; 3] = [Self::Pending, Self::Ready, Self::Failed];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Ready => "ready",
            Self::Failed => "failed",
        }
    }

    /// Reads the word, which the database has checked.
    pub fn from_word(word: &str) -> Self {
        Self::ALL.into_iter().find(|stage| stage.as_str() == word).unwrap_or(Self::Failed)
    }
}

/// What is run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Code {
    /// Contents by file name.
    pub files: BTreeMap<String, String>,
    /// What starts it; nothing for a Python module in `main.py`.
    pub command: Option<String>,
    /// Whether it wants a process for every turn.
    pub fresh: bool,
}

impl Code {
    /// A Python module.
    pub fn python(code: impl Into<String>) -> Self {
        Self { files: BTreeMap::from([(MODULE.to_owned(), code.into())]), command: None, fresh: false }
    }
}

/// A submission before it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSubmission {
    /// Its id.
    pub submission_id: String,
    /// Whose it is.
    pub account_id: String,
    /// The game's slug.
    pub game: String,
    /// The rules that it was written for.
    pub game_version: String,
    /// The scores that it was written for.
    pub score_version: String,
    /// The language of its code, as it was named.
    pub language: String,
    /// Its code.
    pub code: Code,
    /// Who generated it, for people.
    pub provider: Option<String>,
    /// Whose provider that is.
    pub provider_source: Option<String>,
    /// The model that generated it.
    pub model: Option<String>,
    /// `none`, `measure` or `best_of_n`.
    pub branch_mode: &'static str,
    /// How it was branched, if it was.
    pub branch_config: Option<Value>,
    /// The job that generates or checks it.
    pub job_id: Option<String>,
    /// Whether it can play.
    pub stage: Stage,
}

impl NewSubmission {
    /// One that waits for its check, that nobody is said to have generated and that was not branched.
    pub fn new(account_id: &str, game: &GameSpec, language: impl Into<String>, code: Code) -> Self {
        Self {
            submission_id: secret::id("sub_"),
            account_id: account_id.to_owned(),
            game: game.slug.to_owned(),
            game_version: game.game_version.to_owned(),
            score_version: game.score_version.to_owned(),
            language: language.into(),
            code,
            provider: None,
            provider_source: None,
            model: None,
            branch_mode: "none",
            branch_config: None,
            job_id: None,
            stage: Stage::Pending,
        }
    }
}

/// A submission as it is kept, without its code.
#[derive(Debug, Clone, PartialEq)]
pub struct SubmissionRow {
    /// Its place among all; grows with time.
    pub seq: i64,
    /// Its id.
    pub submission_id: String,
    /// Whose it is.
    pub account_id: String,
    /// The game's slug.
    pub game: String,
    /// The rules that it was written for.
    pub game_version: String,
    /// The scores that it was written for, and is rated by.
    pub score_version: String,
    /// The language of its code.
    pub language: String,
    /// Who generated it, for people.
    pub provider: Option<String>,
    /// Whose provider that is.
    pub provider_source: Option<String>,
    /// The model that generated it.
    pub model: Option<String>,
    /// How it was branched, if it was.
    pub branch_config: Option<Value>,
    /// The job that generates or checks it.
    pub job_id: Option<String>,
    /// Whether it can play.
    pub stage: Stage,
    /// Why it cannot.
    pub failure: Option<Value>,
    /// Nothing before the first evaluation is completed.
    pub standing: Option<Standing>,
    /// When it was made, in ms.
    pub created_at: i64,
    /// When it was deleted, in ms.
    pub deleted_at: Option<i64>,
}

/// How a submission is rated, by its newest completed evaluation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Rating in Elo points.
    pub elo: f64,
    /// Its standard error.
    pub error: f64,
    /// The share of the opponents that is rated lower, ties half.
    pub percentile: f64,
    /// Matches that count.
    pub matches: u32,
    /// The share of them in which it failed.
    pub failure_rate: f64,
}

/// Which of an account's submissions are wanted; what is empty or absent does not matter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selector {
    /// Of this game.
    pub game: Option<String>,
    /// Generated by one of these.
    pub models: Vec<String>,
    /// Generated through one of these.
    pub providers: Vec<String>,
    /// Branched like one of these.
    pub branch_modes: Vec<String>,
    /// Made at this time or later.
    pub created_after: Option<Timestamp>,
    /// Made before this time.
    pub created_before: Option<Timestamp>,
    /// One of these.
    pub submission_ids: Option<Vec<String>>,
}

/// Keeps a submission. It is there at once, whatever its stage.
pub fn add(connection: &Connection, new: &NewSubmission, at: Timestamp) -> Result<(), StoreError> {
    let files = serde_json::to_string(&new.code.files).unwrap_or_default();
    connection.execute(
        "INSERT INTO submissions (submission_id, account_id, game, game_version, score_version, language, files, command,
         fresh, provider, provider_source, model, branch_mode, branch_config, job_id, status, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        params![
            new.submission_id,
            new.account_id,
            new.game,
            new.game_version,
            new.score_version,
            new.language,
            files,
            new.code.command,
            new.code.fresh,
            new.provider,
            new.provider_source,
            new.model,
            new.branch_mode,
            new.branch_config.as_ref().map(Value::to_string),
            new.job_id,
            new.stage.as_str(),
            at.as_millisecond(),
        ],
    )?;
    Ok(())
}

/// A submission of an account that is not deleted.
pub fn get(
    connection: &Connection,
    account_id: &str,
    submission_id: &str,
) -> Result<Option<SubmissionRow>, StoreError> {
    let row = any(connection, submission_id)?;
    Ok(row.filter(|row| row.account_id == account_id && row.deleted_at.is_none()))
}

/// A submission, whoever's, deleted or not.
pub fn any(connection: &Connection, submission_id: &str) -> Result<Option<SubmissionRow>, StoreError> {
    let sql = format!("{SELECT} WHERE submission_id = ?1");
    Ok(connection.prepare_cached(&sql)?.query_row([submission_id], read).optional()?)
}

/// The code of a submission, deleted or not; nothing when there is no such submission.
pub fn code(connection: &Connection, submission_id: &str) -> Result<Option<Code>, StoreError> {
    let sql = "SELECT files, command, fresh FROM submissions WHERE submission_id = ?1";
    let read = |row: &Row<'_>| {
        let files: String = row.get(0)?;
        let files = serde_json::from_str(&files).unwrap_or_default();
        Ok(Code { files, command: row.get(1)?, fresh: row.get(2)? })
    };
    Ok(connection.prepare_cached(sql)?.query_row([submission_id], read).optional()?)
}

/// An account's submissions, newest first, after this place.
pub fn list(
    connection: &Connection,
    account_id: &str,
    wanted: &Selector,
    after: Option<i64>,
    limit: usize,
) -> Result<Vec<SubmissionRow>, StoreError> {
    let mut condition = Condition::of(account_id, wanted);
    condition.and("seq < ", after.unwrap_or(i64::MAX));
    let sql = format!("{SELECT} WHERE {} ORDER BY seq DESC LIMIT {limit}", condition.sql);
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(condition.values), read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// How many of an account's submissions match.
pub fn count(connection: &Connection, account_id: &str, wanted: &Selector) -> Result<u64, StoreError> {
    let condition = Condition::of(account_id, wanted);
    let sql = format!("SELECT count(*) FROM submissions WHERE {}", condition.sql);
    let count: i64 =
        connection.prepare_cached(&sql)?.query_row(params_from_iter(condition.values), |row| row.get(0))?;
    Ok(count as u64)
}

/// Deletes those of an account's submissions that match, softly, and gives the ids of their unfinished evaluations' jobs.
pub fn delete(
    connection: &Connection,
    account_id: &str,
    wanted: &Selector,
    at: Timestamp,
) -> Result<Vec<String>, StoreError> {
    let condition = Condition::of(account_id, wanted);
    let sql = format!(
        "SELECT job_id FROM jobs WHERE status IN ('queued', 'running') AND job_id IN
         (SELECT job_id FROM evaluations WHERE submission_id IN (SELECT submission_id FROM submissions WHERE {}))",
        condition.sql
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let jobs = statement.query_map(params_from_iter(condition.values.clone()), |row| row.get(0))?;
    let jobs = jobs.collect::<Result<_, _>>()?;
    let sql = format!("UPDATE submissions SET deleted_at = {} WHERE {}", at.as_millisecond(), condition.sql);
    connection.prepare_cached(&sql)?.execute(params_from_iter(condition.values))?;
    Ok(jobs)
}

/// Writes what a check found: nothing when it passed, else why not. A submission is checked once.
pub fn checked(
    connection: &Connection,
    submission_id: &str,
    failure: Option<&Value>,
) -> Result<(), StoreError> {
    let stage = if failure.is_some() { Stage::Failed } else { Stage::Ready };
    let sql =
        "UPDATE submissions SET status = ?2, failure = ?3 WHERE submission_id = ?1 AND status = 'pending'";
    connection.execute(sql, params![submission_id, stage.as_str(), failure.map(Value::to_string)])?;
    Ok(())
}

/// Writes how a submission is rated.
pub fn rate(connection: &Connection, submission_id: &str, standing: &Standing) -> Result<(), StoreError> {
    connection.execute(
        "UPDATE submissions SET elo = ?2, elo_error = ?3, percentile = ?4, matches = ?5, failure_rate = ?6
         WHERE submission_id = ?1",
        params![
            submission_id,
            standing.elo,
            standing.error,
            standing.percentile,
            standing.matches,
            standing.failure_rate
        ],
    )?;
    Ok(())
}

/// An account's rated submissions of a game that may be opponents: newest first, none that failed in a larger share of its
/// matches than `most_failures`.
pub fn rated(
    connection: &Connection,
    account_id: &str,
    game: &GameSpec,
    most_failures: f64,
    limit: usize,
) -> Result<Vec<SubmissionRow>, StoreError> {
    let sql = format!(
        "{SELECT} WHERE account_id = ?1 AND game = ?2 AND score_version = ?3 AND game_version = ?4 AND elo IS NOT NULL
         AND failure_rate <= ?5 AND status = 'ready' AND deleted_at IS NULL ORDER BY seq DESC LIMIT ?6"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(
        params![account_id, game.slug, game.score_version, game.game_version, most_failures, limit as i64],
        read,
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A `WHERE` clause with its values.
struct Condition {
    sql: String,
    values: Vec<Sql>,
}

impl Condition {
    fn of(account_id: &str, wanted: &Selector) -> Self {
        let mut condition = Self { sql: "deleted_at IS NULL".to_owned(), values: Vec::new() };
        condition.and("account_id = ", account_id.to_owned());
        if let Some(game) = &wanted.game {
            condition.and("game = ", game.clone());
        }
        let lists = [
            ("model", &wanted.models),
            ("provider", &wanted.providers),
            ("branch_mode", &wanted.branch_modes),
        ];
        for (column, list) in lists {
            if !list.is_empty() {
                condition.is_one_of(column, list);
            }
        }
        if let Some(ids) = &wanted.submission_ids {
            condition.is_one_of("submission_id", ids);
        }
        if let Some(after) = wanted.created_after {
            condition.and("created_at >= ", after.as_millisecond());
        }
        if let Some(before) = wanted.created_before {
            condition.and("created_at < ", before.as_millisecond());
        }
        condition
    }

    fn and(&mut self, comparison: &str, value: impl Into<Sql>) {
        self.sql.push_str(" AND ");
        self.sql.push_str(comparison);
        self.sql.push('?');
        self.values.push(value.into());
    }

    /// The list goes over as one JSON value, so that its length does not change the statement.
    fn is_one_of(&mut self, column: &str, list: &[String]) {
        self.sql.extend([" AND ", column, " IN (SELECT value FROM json_each(?))"]);
        self.values.push(Sql::Text(serde_json::to_string(list).unwrap_or_default()));
    }
}

const SELECT: &str = "SELECT seq, submission_id, account_id, game, game_version, score_version, language, provider,
    provider_source, model, branch_config, job_id, status, failure, elo, elo_error, percentile, matches, failure_rate,
    created_at, deleted_at FROM submissions";

fn read(row: &Row<'_>) -> rusqlite::Result<SubmissionRow> {
    Ok(SubmissionRow {
        seq: row.get(0)?,
        submission_id: row.get(1)?,
        account_id: row.get(2)?,
        game: row.get(3)?,
        game_version: row.get(4)?,
        score_version: row.get(5)?,
        language: row.get(6)?,
        provider: row.get(7)?,
        provider_source: row.get(8)?,
        model: row.get(9)?,
        branch_config: super::json(row, 10)?,
        job_id: row.get(11)?,
        stage: Stage::from_word(&row.get::<_, String>(12)?),
        failure: super::json(row, 13)?,
        standing: standing(row)?,
        created_at: row.get(19)?,
        deleted_at: row.get(20)?,
    })
}

fn standing(row: &Row<'_>) -> rusqlite::Result<Option<Standing>> {
    let Some(elo) = row.get(14)? else { return Ok(None) };
    Ok(Some(Standing {
        elo,
        error: row.get::<_, Option<f64>>(15)?.unwrap_or_default(),
        percentile: row.get::<_, Option<f64>>(16)?.unwrap_or_default(),
        matches: row.get(17)?,
        failure_rate: row.get::<_, Option<f64>>(18)?.unwrap_or_default(),
    }))
}

#[cfg(test)]
mod tests;
