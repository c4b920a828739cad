//! Which records an export gets: what there is, less what an earlier export gave.

use rusqlite::{Connection, named_params};
use serde_json::json;

use crate::arena::exports::ExportType;
use crate::arena::store::StoreError;

/// What is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// Whose records.
    pub account_id: String,
    /// Of what type.
    pub export_type: ExportType,
    /// Only of these games.
    pub games: Option<Vec<String>>,
    /// Games of which one seat plays a tick: their replays have as many rows as ticks.
    pub turn_based: Vec<String>,
    /// Only of submissions that are rated at least as well as this share of the league, 0 to 1.
    pub min_percentile: Option<f64>,
    /// Only of submissions that were branched like this; all when it is empty.
    pub branch_modes: Vec<String>,
    /// Only of these submissions, or branches of these sessions; then also what was exported before.
    pub only: Option<Vec<String>>,
    /// Also what was exported before.
    pub again: bool,
}

/// How much there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Things that are exported whole: submissions, matches, decision points, branches.
    pub units: u64,
    /// Rows that they have at most.
    pub rows: u64,
}

/// Counts what an export of at most so many rows would hold.
pub fn count(connection: &Connection, choice: &Choice, most: u64) -> Result<Found, StoreError> {
    let sql = format!("{} SELECT count(*), coalesce(max(upto), 0) FROM chosen", chosen(choice.export_type));
    run(choice, most, None, |params| {
        let found = connection.prepare_cached(&sql)?.query_row(params, |row| {
            let number = |nth| row.get::<_, i64>(nth).map(|number| number.max(0) as u64);
            Ok(Found { units: number(0)?, rows: number(1)? })
        });
        Ok(found?)
    })
}

/// Chooses the records of an export, of at most so many rows; of replays whole matches, and one at least.
pub fn claim(connection: &Connection, job_id: &str, choice: &Choice, most: u64) -> Result<(), StoreError> {
    let sql = format!(
        "INSERT INTO export_records (job_id, n, account_id, export_type, unit, subject, part, game) {}
         SELECT :job, n, :account, :type, unit, subject, part, game FROM chosen",
        chosen(choice.export_type)
    );
    run(choice, most, Some(job_id), |params| {
        connection.prepare_cached(&sql)?.execute(params)?;
        Ok(())
    })
}

fn run<T>(
    choice: &Choice,
    most: u64,
    job_id: Option<&str>,
    work: impl FnOnce(&[(&str, &dyn rusqlite::ToSql)]) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let list = |list: &[String]| json!(list).to_string();
    let modes = Some(&choice.branch_modes).filter(|modes| !modes.is_empty()).map(|modes| list(modes));
    let (games, only) = (choice.games.as_deref().map(list), choice.only.as_deref().map(list));
    let again = choice.again || choice.only.is_some();
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let turn_based = list(&choice.turn_based);
    let params = named_params! {
        ":account": choice.account_id, ":type": choice.export_type.as_str(), ":games": games, ":again": again,
        ":percentile": choice.min_percentile, ":modes": modes, ":only": only, ":turns": turn_based, ":most": most,
        ":job": job_id,
    };
    // A statement that only counts has no place for the job.
    let params = if job_id.is_some() { params } else { &params[..params.len() - 1] };
    work(params)
}

/// A `WITH` clause that ends in the table `chosen`: in order, numbered, with the rows up to each.
fn chosen(export_type: ExportType) -> String {
    let found = match export_type {
        ExportType::Submissions => SUBMISSIONS,
        ExportType::Replays => REPLAYS,
        ExportType::AgenticBranches => AGENTIC_BRANCHES,
        ExportType::BranchExploration => BRANCH_EXPLORATION,
    };
    format!(
        "WITH found AS ({found}),
         fresh AS (SELECT * FROM found WHERE (:games IS NULL OR game IN (SELECT value FROM json_each(:games)))
             AND (:again OR NOT EXISTS (
                 SELECT 1 FROM export_records AS earlier JOIN jobs ON jobs.job_id = earlier.job_id
                 WHERE earlier.account_id = :account AND earlier.export_type = :type AND earlier.unit = found.unit
                 AND earlier.tracked AND jobs.status IN ('queued', 'running', 'completed')))),
         numbered AS (SELECT *, row_number() OVER in_order AS n, sum(size) OVER in_order AS upto FROM fresh
             WINDOW in_order AS (ORDER BY place, part ROWS UNBOUNDED PRECEDING)),
         chosen AS (SELECT * FROM numbered WHERE upto <= :most OR n = 1)"
    )
}

// Each names all parameters, as SQLite wants them named; those that a type has no use for are never given.

const SUBMISSIONS: &str = "
    SELECT submission_id || '#' || coalesce((SELECT max(seq) FROM evaluations
        WHERE evaluations.submission_id = submissions.submission_id AND score_stats IS NOT NULL), 0) AS unit,
        submission_id AS subject, 0 AS part, game, 1 AS size, seq AS place
    FROM submissions
    WHERE account_id = :account AND status = 'ready' AND deleted_at IS NULL AND :turns IS NOT NULL
    AND (:percentile IS NULL OR percentile >= :percentile)
    AND (:modes IS NULL OR branch_mode IN (SELECT value FROM json_each(:modes)))
    AND (:only IS NULL OR submission_id IN (SELECT value FROM json_each(:only)))";

const REPLAYS: &str = "
    SELECT replay_id AS unit, replay_id AS subject, 0 AS part, matches.game,
        ticks * iif(matches.game IN (SELECT value FROM json_each(:turns)), 1, json_array_length(seats)) AS size,
        matches.seq AS place
    FROM matches JOIN evaluations ON evaluations.eval_run_id = matches.eval_run_id
    JOIN submissions ON submissions.submission_id = evaluations.submission_id
    WHERE submissions.account_id = :account AND deleted_at IS NULL AND :modes IS NULL
    AND (:percentile IS NULL OR submissions.percentile >= :percentile)
    AND (:only IS NULL OR submissions.submission_id IN (SELECT value FROM json_each(:only)))";

const AGENTIC_BRANCHES: &str = "
    SELECT submissions.submission_id || '/' || decision_index AS unit, submissions.submission_id AS subject,
        decision_index AS part, game, 1 AS size, seq AS place
    FROM decision_points JOIN submissions ON submissions.submission_id = decision_points.submission_id
    WHERE account_id = :account AND status <> 'pending' AND deleted_at IS NULL AND :modes IS NULL AND :turns IS NOT NULL
    AND (:percentile IS NULL OR percentile >= :percentile)
    AND (:only IS NULL OR submissions.submission_id IN (SELECT value FROM json_each(:only)))";

const BRANCH_EXPLORATION: &str = "
    SELECT sessions.session_id AS unit, sessions.session_id AS subject, 0 AS part, game, 1 AS size, sessions.seq AS place
    FROM branches JOIN sessions ON sessions.session_id = branches.session_id
    WHERE account_id = :account AND kind = 'explore' AND status IN ('completed', 'failed')
    AND :modes IS NULL AND :percentile IS NULL AND :turns IS NOT NULL
    AND (:only IS NULL OR parent_id IN (SELECT value FROM json_each(:only)))";
