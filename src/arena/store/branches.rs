//! Branches: where sessions began that began elsewhere, what was played before, and what came of them.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Map, Value};

use super::sessions::{self, Entry, What};
use super::{StoreError, sessions::SELECT};
use crate::arena::engine::Input;
use crate::arena::engine::seats::{MAX_SEATS, Seat, SeatMap};
use crate::arena::record::{Branch, BranchKind, SessionRecord};

/// Sessions in one tree: more than anybody can look at.
const TREE: usize = 1_000;

/// A row of a story as a replay reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its place in the story.
    pub n: u32,
    /// What it does to the match.
    pub deed: Deed,
}

/// What a [`Step`] does.
#[derive(Debug, Clone, PartialEq)]
pub enum Deed {
    /// A tick.
    Played(Box<SeatMap<Input>>),
    /// A seat was taken out between ticks.
    Failed(Seat, String),
    /// Chance was drawn anew.
    Reseeded(u64),
    /// Nothing; it belongs to what was before.
    Settled,
    /// Nothing; it happened while the next tick was waited for.
    Pending,
}

impl From<&Entry> for Step {
    fn from(entry: &Entry) -> Self {
        let deed = match &entry.what {
            What::Played(inputs) => played(inputs),
            What::Said { kind, seat, text } => said(kind, *seat, text),
        };
        Self { n: entry.n, deed }
    }
}

/// Writes where a session began.
pub(super) fn put(connection: &Connection, session_id: &str, branch: &Branch) -> Result<(), StoreError> {
    connection.execute(
        "INSERT INTO branches (session_id, parent_id, tick, kind, nth, sample, seat, first_action, players_seed)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            session_id,
            branch.parent_id,
            branch.tick,
            branch.kind.as_str(),
            branch.nth,
            branch.sample,
            branch.seat.index() as i64,
            branch.first_action.as_ref().map(Value::to_string),
            branch.players_seed as i64,
        ],
    )?;
    Ok(())
}

/// Where a session began; nothing for one that began at a beginning.
pub(super) fn get(connection: &Connection, session_id: &str) -> Result<Option<Branch>, StoreError> {
    let sql = "SELECT parent_id, tick, kind, nth, sample, seat, first_action, players_seed FROM branches
               WHERE session_id = ?1";
    Ok(connection.prepare_cached(sql)?.query_row([session_id], read).optional()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Branch> {
    let first_action: Option<String> = row.get(6)?;
    Ok(Branch {
        parent_id: row.get(0)?,
        tick: row.get(1)?,
        kind: BranchKind::from_word(&row.get::<_, String>(2)?),
        nth: row.get(3)?,
        sample: row.get(4)?,
        seat: Seat::new(row.get::<_, u8>(5)? % MAX_SEATS as u8),
        first_action: first_action.and_then(|text| serde_json::from_str(&text).ok()),
        players_seed: row.get::<_, i64>(7)? as u64,
    })
}

/// Adds branches of one session, all or none, and reserves what each may cost. Each gets a copy of the first `told` rows
/// of their parent's story, of which `unwritten` is what the database has not seen yet, and goes on with its own.
///
/// # Errors
/// [`StoreError::Short`] when the account cannot cover all of them.
pub fn add(
    connection: &Connection,
    parent_id: &str,
    told: u32,
    unwritten: &[Entry],
    branches: &[(SessionRecord, Vec<Entry>)],
) -> Result<(), StoreError> {
    for (session, story) in branches {
        sessions::add(connection, session)?;
        connection
            .prepare_cached(
                "INSERT INTO actions (session_id, n, tick, at, inputs)
                 SELECT ?1, n, tick, at, inputs FROM actions WHERE session_id = ?2 AND n < ?3",
            )?
            .execute(params![session.session_id, parent_id, told])?;
        connection
            .prepare_cached(
                "INSERT INTO logs (session_id, n, tick, at, kind, seat, text)
                 SELECT ?1, n, tick, at, kind, seat, text FROM logs WHERE session_id = ?2 AND n < ?3",
            )?
            .execute(params![session.session_id, parent_id, told])?;
        let before: Vec<Entry> = unwritten.iter().filter(|entry| entry.n < told).cloned().collect();
        sessions::append(connection, &session.session_id, &before)?;
        sessions::append(connection, &session.session_id, story)?;
    }
    Ok(())
}

/// The whole story of a session, for a replay.
pub fn steps(connection: &Connection, session_id: &str) -> Result<Vec<Step>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT n, 'action', NULL, inputs FROM actions WHERE session_id = ?1
         UNION ALL SELECT n, kind, seat, text FROM logs WHERE session_id = ?1 ORDER BY n",
    )?;
    let rows = statement.query_map([session_id], |row| {
        let (kind, text): (String, String) = (row.get(1)?, row.get(3)?);
        let seat = row.get::<_, Option<u8>>(2)?.filter(|seat| usize::from(*seat) < MAX_SEATS).map(Seat::new);
        let deed = if kind == "action" { played(&text) } else { said(&kind, seat, &text) };
        Ok(Step { n: row.get(0)?, deed })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn played(inputs: &str) -> Deed {
    let inputs: Map<String, Value> = serde_json::from_str(inputs).unwrap_or_default();
    let input = |(id, mut data): (String, Value)| {
        let input = data.get_mut("action").map_or(Input::Pass, |action| Input::Act(action.take()));
        Some((id.parse().ok()?, input))
    };
    Deed::Played(Box::new(inputs.into_iter().filter_map(input).collect()))
}

fn said(kind: &str, seat: Option<Seat>, text: &str) -> Deed {
    match (kind, seat) {
        ("failed", Some(seat)) => Deed::Failed(seat, text.to_owned()),
        ("reseeded", _) => text.parse().map_or(Deed::Pending, Deed::Reseeded),
        // Seats are taken and left in the lobby; an elimination is what the last tick did.
        ("started" | "branched" | "joined" | "left" | "eliminated", _) => Deed::Settled,
        _ => Deed::Pending,
    }
}

/// Which branches are wanted.
#[derive(Debug, Clone, Default)]
pub struct BranchFilter {
    /// Only of this kind.
    pub kind: Option<BranchKind>,
    /// Only those that began here.
    pub tick: Option<u32>,
    /// Only those judged by this seat.
    pub seat: Option<Seat>,
}

/// The branches of one session, in the order they were made.
pub fn children(
    connection: &Connection,
    parent_id: &str,
    filter: &BranchFilter,
) -> Result<Vec<SessionRecord>, StoreError> {
    let sql = format!(
        "{SELECT} WHERE session_id IN (SELECT session_id FROM branches WHERE parent_id = ?1
         AND (?2 IS NULL OR kind = ?2) AND (?3 IS NULL OR tick = ?3) AND (?4 IS NULL OR seat = ?4))
         ORDER BY seq LIMIT ?5"
    );
    let kind = filter.kind.map(BranchKind::as_str);
    let seat = filter.seat.map(|seat| seat.index() as i64);
    let mut statement = connection.prepare_cached(&sql)?;
    let rows =
        statement.query_map(params![parent_id, kind, filter.tick, seat, TREE as i64], sessions::read)?;
    rows.map(|row| sessions::whole(connection, row?)).collect()
}

/// All sessions below one, by their parents' ids.
pub fn tree(connection: &Connection, root: &str) -> Result<HashMap<String, Vec<SessionRecord>>, StoreError> {
    let mut tree = HashMap::new();
    let (mut found, mut open) = (0, vec![root.to_owned()]);
    while let Some(parent) = open.pop().filter(|_| found < TREE) {
        let rows = children(connection, &parent, &BranchFilter::default())?;
        found += rows.len();
        open.extend(rows.iter().map(|row| row.session_id.clone()));
        tree.insert(parent, rows);
    }
    Ok(tree)
}

/// What a seat played first in a branch; nothing when it did not play or nothing came of it.
pub fn first_action(
    connection: &Connection,
    session_id: &str,
    branch: &Branch,
) -> Result<Option<Value>, StoreError> {
    let sql = "SELECT inputs FROM actions WHERE session_id = ?1 AND tick >= ?2 ORDER BY n LIMIT 1";
    let inputs: Option<String> = connection
        .prepare_cached(sql)?
        .query_row(params![session_id, branch.tick], |row| row.get(0))
        .optional()?;
    let inputs: Option<Value> = inputs.and_then(|text| serde_json::from_str(&text).ok());
    Ok(inputs.and_then(|mut inputs| Some(inputs.get_mut(branch.seat.to_string())?.get_mut("action")?.take())))
}
