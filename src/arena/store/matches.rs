//! Matches of evaluations: who sat where, how it ended, and the log that replays it.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::Value;

use super::StoreError;

/// A match that was played.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchRow {
    /// The id of its replay.
    pub replay_id: String,
    /// The evaluation that it belongs to.
    pub eval_run_id: String,
    /// Its number there, from 0.
    pub n: u32,
    /// The game's slug.
    pub game: String,
    /// The rules that were played.
    pub game_version: String,
    /// The scores that were played for.
    pub score_version: String,
    /// Options of the game.
    pub config: Value,
    /// Decided all luck of the game.
    pub seed: u64,
    /// The horizon.
    pub max_ticks: u32,
    /// Ticks played.
    pub ticks: u32,
    /// How it ended.
    pub completion_reason: String,
    /// The seat of the submission, from 0.
    pub seat: u8,
    /// By seat: who played, score, rank, outcome, failure.
    pub seats: Value,
    /// How long it took.
    pub wall_ms: u64,
    /// What the submission's process computed.
    pub cpu_ms: u64,
    /// The action log, packed.
    pub log: Vec<u8>,
}

/// A match without its log, for lists and ratings.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayedMatch {
    /// Its number in the evaluation, from 0.
    pub n: u32,
    /// The id of its replay.
    pub replay_id: String,
    /// Decided all luck of the game.
    pub seed: u64,
    /// Ticks played.
    pub ticks: u32,
    /// How it ended.
    pub completion_reason: String,
    /// The seat of the submission, from 0.
    pub seat: u8,
    /// By seat: who played, score, rank, outcome, failure.
    pub seats: Value,
    /// How long it took.
    pub wall_ms: u64,
    /// What the submission's process computed.
    pub cpu_ms: u64,
    /// When it was played, in ms.
    pub created_at: i64,
}

/// Keeps a match. One that is there stays as it is: a match that is played twice counts once.
pub fn add(connection: &Connection, played: &MatchRow, at: Timestamp) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO matches (replay_id, eval_run_id, n, game, game_version, score_version, config, seed,
             max_ticks, ticks, completion_reason, seat, seats, wall_ms, cpu_ms, log, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        )?
        .execute(params![
            played.replay_id,
            played.eval_run_id,
            played.n,
            played.game,
            played.game_version,
            played.score_version,
            played.config.to_string(),
            played.seed as i64,
            played.max_ticks,
            played.ticks,
            played.completion_reason,
            played.seat,
            played.seats.to_string(),
            played.wall_ms as i64,
            played.cpu_ms as i64,
            played.log,
            at.as_millisecond(),
        ])?;
    Ok(())
}

/// The matches of an evaluation by their numbers, from this one on.
pub fn list(
    connection: &Connection,
    eval_run_id: &str,
    from: u32,
    limit: usize,
) -> Result<Vec<PlayedMatch>, StoreError> {
    let sql = "SELECT n, replay_id, seed, ticks, completion_reason, seat, seats, wall_ms, cpu_ms, created_at FROM matches
               WHERE eval_run_id = ?1 AND n >= ?2 ORDER BY n LIMIT ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params![eval_run_id, from, limit as i64], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A match with its log.
pub fn get(connection: &Connection, replay_id: &str) -> Result<Option<MatchRow>, StoreError> {
    let sql =
        "SELECT replay_id, eval_run_id, n, game, game_version, score_version, config, seed, max_ticks, ticks,
               completion_reason, seat, seats, wall_ms, cpu_ms, log FROM matches WHERE replay_id = ?1";
    let read = |row: &Row<'_>| {
        Ok(MatchRow {
            replay_id: row.get(0)?,
            eval_run_id: row.get(1)?,
            n: row.get(2)?,
            game: row.get(3)?,
            game_version: row.get(4)?,
            score_version: row.get(5)?,
            config: super::json(row, 6)?.unwrap_or_default(),
            seed: row.get::<_, i64>(7)? as u64,
            max_ticks: row.get(8)?,
            ticks: row.get(9)?,
            completion_reason: row.get(10)?,
            seat: row.get(11)?,
            seats: super::json(row, 12)?.unwrap_or_default(),
            wall_ms: row.get::<_, i64>(13)?.max(0) as u64,
            cpu_ms: row.get::<_, i64>(14)?.max(0) as u64,
            log: row.get(15)?,
        })
    };
    Ok(connection.prepare_cached(sql)?.query_row([replay_id], read).optional()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<PlayedMatch> {
    Ok(PlayedMatch {
        n: row.get(0)?,
        replay_id: row.get(1)?,
        seed: row.get::<_, i64>(2)? as u64,
        ticks: row.get(3)?,
        completion_reason: row.get(4)?,
        seat: row.get(5)?,
        seats: super::json(row, 6)?.unwrap_or_default(),
        wall_ms: row.get::<_, i64>(7)?.max(0) as u64,
        cpu_ms: row.get::<_, i64>(8)?.max(0) as u64,
        created_at: row.get(9)?,
    })
}
