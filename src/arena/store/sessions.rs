//! Sessions with their seats, what was played in them and what else happened.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Map, Value, json};

use super::{StoreError, branches, ledger};
use crate::arena::credits::Credits;
use crate::arena::engine::seats::{MAX_SEATS, Seat};
use crate::arena::record::{SeatKind, SeatRecord, SessionRecord, Status, rfc3339};

/// What sessions say that were live when the arena went away without a word.
pub const INTERRUPTED: &str = "interrupted: the arena stopped while it was played";

/// A row of the story of a session, in its order.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its place in the story.
    pub n: u32,
    /// Ticks played before it.
    pub tick: u32,
    /// When.
    pub at: Timestamp,
    /// What.
    pub what: What,
}

/// What an [`Entry`] tells.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A tick: what each seat played, JSON by player id.
    Played(String),
    /// Anything else.
    Said {
        /// `started`, `branched`, `reseeded`, `joined`, `left`, `rejected`, `delegated`, `timeout`, `failed`,
        /// `eliminated`, `ended`.
        kind: &'static str,
        /// Whom it concerns.
        seat: Option<Seat>,
        /// For people.
        text: String,
    },
}

/// Which sessions of an account are listed.
#[derive(Debug, Clone, Default)]
pub struct SessionFilter {
    /// Only of this game.
    pub game: Option<String>,
    /// Only in this state.
    pub status: Option<Status>,
}

/// Adds a session and reserves its price.
///
/// # Errors
/// [`StoreError::Short`] when the account cannot cover it.
pub fn add(connection: &Connection, session: &SessionRecord) -> Result<(), StoreError> {
    let hold = session.most_credits();
    let (account, id) = (&session.account_id, &session.session_id);
    ledger::hold(connection, account, id, &session.game, hold, session.created_at)?;
    connection.execute(
        "INSERT INTO sessions (session_id, account_id, game, game_version, score_version, status, tick, max_ticks,
         player_count, vs_ai, spectate_mode, tick_ms, pace_ms, seed, config, created_at, micro)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?16, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, 0)",
        params![
            id,
            account,
            session.game,
            session.game_version,
            session.score_version,
            session.status.as_str(),
            session.max_ticks,
            session.seats.len() as i64,
            session.vs_ai,
            session.spectate_mode,
            session.tick_ms,
            session.pace_ms,
            session.seed as i64,
            session.config.to_string(),
            session.created_at.as_millisecond(),
            session.tick,
        ],
    )?;
    if let Some(branch) = &session.branch {
        branches::put(connection, id, branch)?;
    }
    put_seats(connection, session)
}

/// Writes how a session stands now; a terminal one is settled.
pub fn put(connection: &Connection, session: &SessionRecord) -> Result<(), StoreError> {
    connection.execute(
        "UPDATE sessions SET status = ?2, tick = ?3, started_at = ?4, ended_at = ?5, completion_reason = ?6,
         failure_reason = ?7, micro = ?8 WHERE session_id = ?1",
        params![
            session.session_id,
            session.status.as_str(),
            session.tick,
            session.started_at.map(Timestamp::as_millisecond),
            session.ended_at.map(Timestamp::as_millisecond),
            session.completion_reason,
            session.failure_reason,
            session.credits().0,
        ],
    )?;
    if let Some(at) = session.ended_at {
        ledger::settle(connection, &session.session_id, session.paid_ticks(), at)?;
    }
    put_seats(connection, session)
}

fn put_seats(connection: &Connection, session: &SessionRecord) -> Result<(), StoreError> {
    let mut insert = connection.prepare_cached(
        "INSERT OR REPLACE INTO seats (session_id, seat, kind, name, account_id, score, failed, eliminated, rank,
         outcome) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    for seat in &session.seats {
        insert.execute(params![
            session.session_id,
            seat.seat.index() as i64,
            seat.kind.as_str(),
            seat.name,
            seat.account_id,
            seat.score,
            seat.failed,
            seat.eliminated,
            seat.rank,
            seat.outcome,
        ])?;
    }
    Ok(())
}

/// Appends to the story of a session. Writing a row twice is no harm.
pub fn append(connection: &Connection, session_id: &str, entries: &[Entry]) -> Result<(), StoreError> {
    let mut played = connection.prepare_cached(
        "INSERT OR IGNORE INTO actions (session_id, n, tick, at, inputs) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    let mut said = connection.prepare_cached(
        "INSERT OR IGNORE INTO logs (session_id, n, tick, at, kind, seat, text)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for Entry { n, tick, at, what } in entries {
        let at = at.as_millisecond();
        match what {
            What::Played(inputs) => played.execute(params![session_id, n, tick, at, inputs])?,
            What::Said { kind, seat, text } => {
                let seat = seat.map(|seat| seat.index() as i64);
                said.execute(params![session_id, n, tick, at, kind, seat, text])?
            }
        };
    }
    Ok(())
}

/// One session.
pub fn get(connection: &Connection, session_id: &str) -> Result<Option<SessionRecord>, StoreError> {
    let sql = format!("{SELECT} WHERE session_id = ?1");
    let session = connection.prepare_cached(&sql)?.query_row([session_id], read).optional()?;
    session.map(|session| whole(connection, session)).transpose()
}

/// The sessions that an account pays for or sits in, and the live ones of others that anybody may watch; newest first, after the
/// row with this time and place.
pub fn list(
    connection: &Connection,
    account_id: &str,
    filter: &SessionFilter,
    after: Option<[i64; 2]>,
    limit: usize,
) -> Result<Vec<SessionRecord>, StoreError> {
    let [at, seq] = after.unwrap_or([i64::MAX, i64::MAX]);
    let sql = format!(
        "{SELECT} WHERE (account_id = ?1 OR (spectate_mode = 'public' AND status IN ('waiting', 'active'))
         OR EXISTS (SELECT 1 FROM seats WHERE session_id = sessions.session_id AND seats.account_id = ?1))
         AND (created_at, seq) < (?2, ?3) AND (?4 IS NULL OR game = ?4)
         AND (?5 IS NULL OR status = ?5) ORDER BY created_at DESC, seq DESC LIMIT ?6"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let status = filter.status.map(Status::as_str);
    let rows = statement.query_map(params![account_id, at, seq, filter.game, status, limit as i64], read)?;
    rows.map(|row| whole(connection, row?)).collect()
}

/// The story of a session from a place on, one row a seat and tick.
pub fn story(
    connection: &Connection,
    session_id: &str,
    after: Option<[i64; 2]>,
    limit: usize,
) -> Result<Vec<Told>, StoreError> {
    let [after_n, after_seat] = after.unwrap_or([-1, -1]);
    let mut statement = connection.prepare_cached(
        "SELECT n, tick, at, 'action', NULL, inputs FROM actions WHERE session_id = ?1 AND n >= ?2
         UNION ALL SELECT n, tick, at, kind, seat, text FROM logs WHERE session_id = ?1 AND n >= ?2
         ORDER BY n LIMIT ?3",
    )?;
    let rows = statement.query_map(params![session_id, after_n, limit as i64 + 1], |row| {
        let seat = row.get::<_, Option<u8>>(4)?.filter(|seat| usize::from(*seat) < MAX_SEATS).map(Seat::new);
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get::<_, String>(3)?, seat, row.get::<_, String>(5)?))
    })?;
    let mut told = Vec::new();
    for row in rows {
        let (n, tick, at, kind, seat, text): (i64, u32, i64, String, Option<Seat>, String) = row?;
        if kind == "action" {
            let inputs: Map<String, Value> = serde_json::from_str(&text).unwrap_or_default();
            told.extend(inputs.into_iter().map(|(player_id, data)| {
                let text = describe(&data);
                Told { n, tick, at, kind: kind.clone(), player_id: Some(player_id), text, data: Some(data) }
            }));
        } else {
            let player_id = seat.map(|seat| seat.to_string());
            told.push(Told { n, tick, at, kind, player_id, text, data: None });
        }
    }
    told.retain(|row| (row.n, row.place()) > (after_n, after_seat));
    told.truncate(limit);
    Ok(told)
}

/// One row of `GET /sessions/{id}/logs`.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    n: i64,
    tick: u32,
    at: i64,
    kind: String,
    player_id: Option<String>,
    text: String,
    data: Option<Value>,
}

impl Told {
    /// Its place, for cursors.
    pub fn key(&self) -> String {
        format!("{}.{}", self.n, self.place())
    }

    fn place(&self) -> i64 {
        let seat = self.player_id.as_deref().and_then(|id| id.parse::<Seat>().ok());
        seat.map_or(0, |seat| seat.index() as i64)
    }

    /// As it goes out.
    pub fn json(self) -> Value {
        let mut json = Map::new();
        json.insert("tick".to_owned(), self.tick.into());
        json.insert("at".to_owned(), rfc3339(timestamp(self.at)).into());
        json.insert("kind".to_owned(), self.kind.into());
        if let Some(player_id) = self.player_id {
            json.insert("player_id".to_owned(), player_id.into());
        }
        json.insert("text".to_owned(), self.text.into());
        if let Some(data) = self.data {
            json.insert("data".to_owned(), data);
        }
        Value::Object(json)
    }
}

fn describe(input: &Value) -> String {
    match input.get("action") {
        Some(action) => action.to_string(),
        None => "no answer".to_owned(),
    }
}

/// Deletes an ended session; what it cost stays in the ledger. False when it has not ended.
pub fn delete(connection: &Connection, session_id: &str) -> Result<bool, StoreError> {
    let sql = "DELETE FROM sessions WHERE session_id = ?1 AND status IN ('completed', 'failed')";
    Ok(connection.execute(sql, [session_id])? > 0)
}

/// Ends what an earlier run left open, at the ticks that were recorded.
pub(super) fn close_interrupted(connection: &mut Connection) -> rusqlite::Result<()> {
    let work = connection.transaction()?;
    // A branch has a copy of what its parent played: older than itself, and paid there.
    let open: Vec<(String, u32, u32, i64)> = work
        .prepare(
            "SELECT session_id, (SELECT count(*) FROM actions WHERE session_id = sessions.session_id),
             coalesce((SELECT tick FROM branches WHERE session_id = sessions.session_id), 0),
             max(coalesce((SELECT max(at) FROM actions WHERE session_id = sessions.session_id), 0), created_at)
             FROM sessions WHERE status NOT IN ('completed', 'failed')",
        )?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
        .collect::<Result<_, _>>()?;
    for (session_id, ticks, first, at) in &open {
        let paid = ticks.saturating_sub(*first);
        work.execute(
            "UPDATE sessions SET status = 'failed', tick = ?2, ended_at = ?3, completion_reason = 'interrupted',
             failure_reason = ?4, micro = ?5 WHERE session_id = ?1",
            params![session_id, ticks, at, INTERRUPTED, Credits::for_ticks(paid).0],
        )?;
        let settled = ledger::settle(&work, session_id, paid, timestamp(*at));
        if let Err(StoreError::Sql(error)) = settled {
            tracing::error!(session_id, %error, "an interrupted session could not be settled");
        }
    }
    work.commit()?;
    if !open.is_empty() {
        tracing::warn!(sessions = open.len(), "closed sessions that an earlier run left open");
    }
    Ok(())
}

/// A time as it is kept.
pub(in crate::arena) fn timestamp(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(ms).unwrap_or_default()
}

pub(super) const SELECT: &str =
    "SELECT seq, session_id, account_id, game, game_version, score_version, status, tick, max_ticks,
    vs_ai, spectate_mode, tick_ms, pace_ms, seed, config, created_at, started_at, ended_at, completion_reason,
    failure_reason FROM sessions";

pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<SessionRecord> {
    let config: String = row.get(14)?;
    Ok(SessionRecord {
        seq: row.get(0)?,
        session_id: row.get(1)?,
        account_id: row.get(2)?,
        game: row.get(3)?,
        game_version: row.get(4)?,
        score_version: row.get(5)?,
        status: Status::from_word(&row.get::<_, String>(6)?),
        tick: row.get(7)?,
        max_ticks: row.get(8)?,
        seats: Vec::new(),
        vs_ai: row.get(9)?,
        spectate_mode: row.get(10)?,
        tick_ms: row.get(11)?,
        pace_ms: row.get(12)?,
        seed: row.get::<_, i64>(13)? as u64,
        config: serde_json::from_str(&config).unwrap_or_else(|_| json!({})),
        created_at: timestamp(row.get(15)?),
        started_at: row.get::<_, Option<i64>>(16)?.map(timestamp),
        ended_at: row.get::<_, Option<i64>>(17)?.map(timestamp),
        completion_reason: row.get(18)?,
        failure_reason: row.get(19)?,
        branch: None,
    })
}

/// A row of `sessions` with what other tables say of it.
pub(super) fn whole(
    connection: &Connection,
    mut session: SessionRecord,
) -> Result<SessionRecord, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT seat, kind, name, account_id, score, failed, eliminated, rank, outcome FROM seats
         WHERE session_id = ?1 ORDER BY seat",
    )?;
    let rows = statement.query_map([&session.session_id], |row| {
        let kind = SeatKind::from_word(&row.get::<_, String>(1)?);
        Ok(SeatRecord {
            seat: Seat::new(row.get::<_, u8>(0)? % MAX_SEATS as u8),
            kind,
            name: row.get(2)?,
            account_id: row.get(3)?,
            score: row.get(4)?,
            failed: row.get(5)?,
            eliminated: row.get(6)?,
            connected: kind == SeatKind::Ai,
            rank: row.get(7)?,
            outcome: row.get(8)?,
        })
    })?;
    session.seats = rows.collect::<Result<_, _>>()?;
    session.branch = branches::get(connection, &session.session_id)?;
    Ok(session)
}
