//! Rollout runs: what they may start, what they used, when they were settled.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::StoreError;
use super::ledger::{self, Payee};
use super::sessions::timestamp;
use crate::arena::credits::Credits;

/// A run as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// Its place among all runs; 0 before it is kept.
    pub seq: i64,
    /// Its id.
    pub run_id: String,
    /// Who pays.
    pub account_id: String,
    /// The longest an episode is unless its reset says otherwise, in ticks.
    pub ticks_per_episode: u32,
    /// Whether opponents follow the win rate.
    pub auto_curriculum: bool,
    /// Half the width of the band, in percentiles: above 0, at most 0.5.
    pub curriculum_band_width: f64,
    /// The weight of the newest result: above 0, at most 1.
    pub curriculum_ewma_alpha: f64,
    /// What it used.
    pub counters: Counters,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it settles by itself.
    pub expires_at: Timestamp,
    /// When it was settled.
    pub closed_at: Option<Timestamp>,
}

/// What changes while a run is open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counters {
    /// Episodes that it may start in all.
    pub max_episodes: u64,
    /// Episodes that it started.
    pub episodes_used: u64,
    /// Ticks played.
    pub ticks_used: u64,
    /// Ticks that an episode not yet started is reserved at.
    pub price_ticks: u64,
    /// The smoothed win rate, 0 to 1.
    pub win_rate: f64,
}

/// Adds a run and takes its opening hold.
///
/// # Errors
/// [`StoreError::Short`] when the account cannot cover it.
pub fn add(connection: &Connection, run: &RunRow, hold: Credits) -> Result<(), StoreError> {
    let counters = &run.counters;
    connection.execute(
        "INSERT INTO runs (run_id, account_id, status, ticks_per_episode, auto_curriculum, curriculum_band_width,
         curriculum_ewma_alpha, win_rate, max_episodes, episodes_used, ticks_used, price_ticks, created_at, expires_at)
         VALUES (?1, ?2, 'active', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            run.run_id,
            run.account_id,
            run.ticks_per_episode,
            run.auto_curriculum,
            run.curriculum_band_width,
            run.curriculum_ewma_alpha,
            counters.win_rate,
            counters.max_episodes as i64,
            counters.episodes_used as i64,
            counters.ticks_used as i64,
            counters.price_ticks as i64,
            run.created_at.as_millisecond(),
            run.expires_at.as_millisecond(),
        ],
    )?;
    ledger::raise_hold(connection, &run.account_id, &run.run_id, hold, run.created_at)
}

/// Writes what a run used so far. A settled run stays as it is.
pub fn put(connection: &Connection, run_id: &str, counters: &Counters) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(
        "UPDATE runs SET max_episodes = ?2, episodes_used = ?3, ticks_used = ?4, price_ticks = ?5, win_rate = ?6
         WHERE run_id = ?1 AND status = 'active'",
    )?;
    statement.execute(params![
        run_id,
        counters.max_episodes as i64,
        counters.episodes_used as i64,
        counters.ticks_used as i64,
        counters.price_ticks as i64,
        counters.win_rate,
    ])?;
    Ok(())
}

/// Settles a run at what it played and gives its hold back. Does nothing the second time.
pub fn close(
    connection: &Connection,
    run_id: &str,
    counters: &Counters,
    at: Timestamp,
) -> Result<(), StoreError> {
    put(connection, run_id, counters)?;
    connection.execute(
        "UPDATE runs SET status = 'closed', closed_at = ?2 WHERE run_id = ?1 AND status = 'active'",
        params![run_id, at.as_millisecond()],
    )?;
    ledger::settle_run(connection, run_id, counters.episodes_used, counters.ticks_used, at)
}

/// One run of an account.
pub fn get(connection: &Connection, account_id: &str, run_id: &str) -> Result<Option<RunRow>, StoreError> {
    let sql = format!("{SELECT} WHERE run_id = ?1 AND account_id = ?2");
    Ok(connection.prepare_cached(&sql)?.query_row([run_id, account_id], read).optional()?)
}

/// All runs that are not settled, with the ticks that the ledger holds for each.
pub fn open(connection: &Connection) -> Result<Vec<(RunRow, Credits)>, StoreError> {
    let sql = format!("{SELECT} WHERE status = 'active'");
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map([], read)?.collect::<Result<Vec<_>, _>>()?;
    rows.into_iter()
        .map(|row| {
            let held = ledger::held_for(connection, &Payee::Run(row.run_id.clone()))?;
            Ok((row, held))
        })
        .collect()
}

/// The runs of an account, newest first, after the one with this time and place; `is_open` chooses those that are
/// settled or those that are not.
pub fn list(
    connection: &Connection,
    account_id: &str,
    is_open: Option<bool>,
    after: Option<[i64; 2]>,
    limit: usize,
) -> Result<Vec<RunRow>, StoreError> {
    let [at, seq] = after.unwrap_or([i64::MAX, i64::MAX]);
    let sql = format!(
        "{SELECT} WHERE account_id = ?1 AND (created_at, seq) < (?2, ?3) AND (?4 IS NULL OR (status = 'active') = ?4)
         ORDER BY created_at DESC, seq DESC LIMIT ?5"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![account_id, at, seq, is_open, limit as i64], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

const SELECT: &str = "SELECT seq, run_id, account_id, ticks_per_episode, auto_curriculum, curriculum_band_width,
    curriculum_ewma_alpha, win_rate, max_episodes, episodes_used, ticks_used, price_ticks, created_at, expires_at,
    closed_at FROM runs";

fn read(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    let count = |column| row.get::<_, i64>(column).map(|count| count.max(0) as u64);
    Ok(RunRow {
        seq: row.get(0)?,
        run_id: row.get(1)?,
        account_id: row.get(2)?,
        ticks_per_episode: row.get(3)?,
        auto_curriculum: row.get(4)?,
        curriculum_band_width: row.get(5)?,
        curriculum_ewma_alpha: row.get(6)?,
        counters: Counters {
            win_rate: row.get(7)?,
            max_episodes: count(8)?,
            episodes_used: count(9)?,
            ticks_used: count(10)?,
            price_ticks: count(11)?,
        },
        created_at: timestamp(row.get(12)?),
        expires_at: timestamp(row.get(13)?),
        closed_at: row.get::<_, Option<i64>>(14)?.map(timestamp),
    })
}
