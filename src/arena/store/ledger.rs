//! The ledger: grants, holds, settlements, refunds. The sum of an account's entries is what it may still promise.
//!
//! ```text
//! create   hold   -price of max_ticks
//! end      settle -price of the ticks played
//!          refund +the hold
//! ```
//!
//! A rollout run is held, settled and refunded alike, but its hold may grow by further entries.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Map, Value, json};

use super::StoreError;
use super::sessions::timestamp;
use crate::arena::credits::Credits;
use crate::arena::record::rfc3339;

/// What the ledger says of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holdings {
    /// The sum of all entries.
    pub free: Credits,
    /// Holds that are not settled yet.
    pub open: Vec<(Payee, Credits)>,
}

/// What a hold is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payee {
    /// A session, by its id.
    Session(String),
    /// A rollout run, by its id.
    Run(String),
}

/// One line of the usage list.
#[derive(Debug, Clone, PartialEq)]
pub struct UsageEntry {
    /// Its number in the ledger.
    pub entry: i64,
    /// When.
    pub at: i64,
    kind: String,
    micro: i64,
    session_id: Option<String>,
    run_id: Option<String>,
    task_id: Option<String>,
    cause: Option<String>,
    game: Option<String>,
    ticks: Option<u64>,
    description: String,
}

impl UsageEntry {
    /// As it goes out: credits are what was spent, negative for what was granted.
    pub fn json(&self) -> Value {
        let mut json = Map::new();
        let mut put = |key: &str, value: Value| json.insert(key.to_owned(), value);
        put("entry_id", format!("u_{}", self.entry).into());
        let kind = match (self.kind.as_str(), &self.cause, &self.run_id) {
            ("settle", Some(cause), _) => cause,
            ("settle", None, Some(_)) => "rollout_run",
            ("settle", None, None) => "session",
            (kind, ..) => kind,
        };
        put("kind", kind.into());
        put("credits", json!(Credits(-self.micro)));
        if let Some(ticks) = self.ticks {
            put("ticks", ticks.into());
        }
        if let Some(game) = &self.game {
            put("game", game.as_str().into());
        }
        if let Some(session_id) = &self.session_id {
            put("session_id", session_id.as_str().into());
        }
        if let Some(run_id) = &self.run_id {
            put("run_id", run_id.as_str().into());
        }
        if let Some(task_id) = &self.task_id {
            put("task_id", task_id.as_str().into());
        }
        put("description", self.description.as_str().into());
        put("created_at", rfc3339(timestamp(self.at)).into());
        Value::Object(json)
    }
}

/// Gives credits.
pub fn grant(
    connection: &Connection,
    account_id: &str,
    amount: Credits,
    at: Timestamp,
    description: &str,
) -> Result<(), StoreError> {
    connection.execute(
        "INSERT INTO ledger (account_id, at, kind, micro, description) VALUES (?1, ?2, 'grant', ?3, ?4)",
        params![account_id, at.as_millisecond(), amount.0, description],
    )?;
    Ok(())
}

/// Reserves the price of a whole session.
///
/// # Errors
/// [`StoreError::Short`] when the account cannot cover it.
pub fn hold(
    connection: &Connection,
    account_id: &str,
    session_id: &str,
    game: &str,
    amount: Credits,
    at: Timestamp,
) -> Result<(), StoreError> {
    let have = free(connection, account_id)?;
    if have < amount {
        return Err(StoreError::Short { need: amount, have });
    }
    connection.execute(
        "INSERT INTO ledger (account_id, at, kind, micro, session_id, game, description)
         VALUES (?1, ?2, 'hold', ?3, ?4, ?5, 'reserved')",
        params![account_id, at.as_millisecond(), -amount.0, session_id, game],
    )?;
    Ok(())
}

/// Charges the ticks played and gives the hold back. Does nothing the second time.
pub fn settle(
    connection: &Connection,
    session_id: &str,
    ticks: u32,
    at: Timestamp,
) -> Result<(), StoreError> {
    let sql = "SELECT account_id, micro, game FROM ledger WHERE session_id = ?1 AND kind = 'hold'";
    let held = connection
        .query_row(sql, [session_id], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?))
        })
        .optional()?;
    let Some((account_id, held, game)) = held else { return Ok(()) };
    let plural = if ticks == 1 { "tick" } else { "ticks" };
    let mut insert = connection.prepare_cached(
        "INSERT OR IGNORE INTO ledger (account_id, at, kind, micro, session_id, game, ticks, description)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    let at = at.as_millisecond();
    let spent = -Credits::for_ticks(ticks).0;
    let description = format!("{game}, {ticks} {plural}");
    insert.execute(params![account_id, at, "settle", spent, session_id, game, ticks, description])?;
    insert.execute(params![account_id, at, "refund", -held, session_id, game, ticks, "hold released"])?;
    Ok(())
}

/// What a charge is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link<'a> {
    /// A task, by its id.
    Task(&'a str),
}

/// Charges something that was not held before. `cause` is what the usage list calls it.
///
/// # Errors
/// [`StoreError::Short`] when the free credits do not cover it.
pub fn charge(
    connection: &Connection,
    account_id: &str,
    cause: &str,
    amount: Credits,
    link: &Link<'_>,
    description: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    let have = free(connection, account_id)?;
    if have < amount {
        return Err(StoreError::Short { need: amount, have });
    }
    let Link::Task(task_id) = link;
    connection
        .prepare_cached(
            "INSERT INTO ledger (account_id, at, kind, micro, cause, task_id, description)
             VALUES (?1, ?2, 'settle', ?3, ?4, ?5, ?6)",
        )?
        .execute(params![account_id, at.as_millisecond(), -amount.0, cause, task_id, description])?;
    Ok(())
}

/// Makes the hold of a run as large as this; one that is large enough stays as it is.
///
/// # Errors
/// [`StoreError::Short`] when the account cannot cover what is missing.
pub fn raise_hold(
    connection: &Connection,
    account_id: &str,
    run_id: &str,
    to: Credits,
    at: Timestamp,
) -> Result<(), StoreError> {
    let missing = Credits(to.0 - held_for(connection, &Payee::Run(run_id.to_owned()))?.0);
    if missing.0 <= 0 {
        return Ok(());
    }
    let have = free(connection, account_id)?;
    if have < missing {
        return Err(StoreError::Short { need: missing, have });
    }
    connection.execute(
        "INSERT INTO ledger (account_id, at, kind, micro, run_id, description)
         VALUES (?1, ?2, 'hold', ?3, ?4, 'reserved')",
        params![account_id, at.as_millisecond(), -missing.0, run_id],
    )?;
    Ok(())
}

/// Charges what a run played and gives its whole hold back. Does nothing the second time.
pub fn settle_run(
    connection: &Connection,
    run_id: &str,
    episodes: u64,
    ticks: u64,
    at: Timestamp,
) -> Result<(), StoreError> {
    let sql = "SELECT account_id FROM ledger WHERE run_id = ?1 AND kind = 'hold' LIMIT 1";
    let account: Option<String> = connection.query_row(sql, [run_id], |row| row.get(0)).optional()?;
    let Some(account_id) = account else { return Ok(()) };
    let held = held_for(connection, &Payee::Run(run_id.to_owned()))?;
    let mut insert = connection.prepare_cached(
        "INSERT OR IGNORE INTO ledger (account_id, at, kind, micro, run_id, ticks, description)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let (at, spent) = (at.as_millisecond(), -Credits::for_ticks(ticks).0);
    let plural = |n, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    let description = format!("rollout run, {}, {}", plural(episodes, "episode"), plural(ticks, "tick"));
    let ticks = ticks as i64;
    insert.execute(params![account_id, at, "settle", spent, run_id, ticks, description])?;
    insert.execute(params![account_id, at, "refund", held.0, run_id, ticks, "hold released"])?;
    Ok(())
}

/// What was reserved for something, settled or not.
pub fn held_for(connection: &Connection, payee: &Payee) -> Result<Credits, StoreError> {
    let (column, id) = match payee {
        Payee::Session(id) => ("session_id", id),
        Payee::Run(id) => ("run_id", id),
    };
    let sql = format!("SELECT coalesce(-sum(micro), 0) FROM ledger WHERE {column} = ?1 AND kind = 'hold'");
    Ok(Credits(connection.prepare_cached(&sql)?.query_row([id], |row| row.get(0))?))
}

/// What the account may still promise.
pub fn free(connection: &Connection, account_id: &str) -> Result<Credits, StoreError> {
    let sql = "SELECT coalesce(sum(micro), 0) FROM ledger WHERE account_id = ?1";
    Ok(Credits(connection.prepare_cached(sql)?.query_row([account_id], |row| row.get(0))?))
}

/// The sum and the open holds, of one moment.
pub fn holdings(connection: &Connection, account_id: &str) -> Result<Holdings, StoreError> {
    // One transaction, so that a settlement in between does not count twice.
    let snapshot = connection.unchecked_transaction()?;
    let free = free(&snapshot, account_id)?;
    let mut statement = snapshot.prepare_cached(
        "SELECT session_id, run_id, -sum(micro) FROM ledger AS hold WHERE account_id = ?1 AND kind = 'hold'
         AND NOT EXISTS (SELECT 1 FROM ledger WHERE session_id = hold.session_id AND kind = 'refund')
         AND NOT EXISTS (SELECT 1 FROM ledger WHERE run_id = hold.run_id AND kind = 'refund')
         GROUP BY session_id, run_id",
    )?;
    let rows = statement.query_map([account_id], |row| {
        let payee = match row.get::<_, Option<String>>(0)? {
            Some(session_id) => Payee::Session(session_id),
            None => Payee::Run(row.get(1)?),
        };
        Ok((payee, Credits(row.get(2)?)))
    })?;
    Ok(Holdings { free, open: rows.collect::<Result<_, _>>()? })
}

/// Usage, newest first, after the row with this time and number.
pub fn usage(
    connection: &Connection,
    account_id: &str,
    after: Option<[i64; 2]>,
    limit: usize,
) -> Result<Vec<UsageEntry>, StoreError> {
    let [at, entry] = after.unwrap_or([i64::MAX, i64::MAX]);
    let mut statement = connection.prepare_cached(
        "SELECT entry, at, kind, micro, session_id, run_id, game, ticks, description, cause, task_id FROM ledger
         WHERE account_id = ?1 AND kind IN ('grant', 'settle') AND (at, entry) < (?2, ?3)
         ORDER BY at DESC, entry DESC LIMIT ?4",
    )?;
    let rows = statement.query_map(params![account_id, at, entry, limit as i64], |row| {
        Ok(UsageEntry {
            entry: row.get(0)?,
            at: row.get(1)?,
            kind: row.get(2)?,
            micro: row.get(3)?,
            session_id: row.get(4)?,
            run_id: row.get(5)?,
            game: row.get(6)?,
            ticks: row.get::<_, Option<i64>>(7)?.map(|ticks| ticks.max(0) as u64),
            description: row.get(8)?,
            cause: row.get(9)?,
            task_id: row.get(10)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
