//! `branch_exploration`: a row each explored branch of a session: what the seat saw, what was tried, what came of it.
//!
//! The observation is made again: the branch's own record is played up to where it began. A branch whose game has other rules
//! by now keeps its row and lacks the observation.

use rusqlite::{Connection, Row};

use super::super::Fault;
use super::super::chunks::Chunks;
use super::super::table::{Cell, Schema, counted, number, text, whole};
use super::{difficulty, each};
use crate::arena::catalogue::{self, Games};
use crate::arena::engine::{Game, MatchSetup, Play};
use crate::arena::jobs::Job;
use crate::arena::record::{Branch, SessionRecord, rfc3339};
use crate::arena::store::branches::{self, Deed};
use crate::arena::store::sessions;

/// Sessions in memory at once.
const PAGE: u64 = 64;

pub(super) const SCHEMA: Schema = Schema {
    columns: &[
        text("session_id"),
        text("parent_session_id"),
        text("game"),
        text("game_version"),
        text("score_version"),
        number("difficulty"),
        whole("tick"),
        text("player_id"),
        counted(text("observation")),
        text("action"),
        whole("sample"),
        text("status"),
        text("completion_reason"),
        number("score"),
        whole("rank"),
        text("outcome"),
        whole("ticks"),
        whole("max_ticks"),
        text("created_at"),
    ],
    payloads: &[],
};

const SQL: &str = "SELECT n, subject FROM export_records WHERE job_id = ?1 AND n > ?2 ORDER BY n LIMIT ?3";

pub(super) fn write(connection: &Connection, job: &Job, chunks: &mut Chunks<'_>) -> Result<(), Fault> {
    let read = |row: &Row<'_>| row.get::<_, String>(1);
    each(connection, job, (SQL, PAGE), read, |session_id| {
        let session = sessions::get(connection, &session_id)?;
        // It may have been deleted since it was chosen.
        let Some((session, branch)) = session.and_then(|session| {
            let branch = session.branch.clone()?;
            Some((session, branch))
        }) else {
            chunks.missing_group();
            return Ok(());
        };
        let observation = observation(connection, job.arena.games(), &session, &branch)?;
        let action = match &branch.first_action {
            Some(action) => Some(action.clone()),
            None => branches::first_action(connection, &session_id, &branch)?,
        };
        chunks.group(Vec::new());
        Ok(chunks.push(&cells(&session, &branch, observation, action.map(|action| action.to_string())))?)
    })
}

fn cells(
    session: &SessionRecord,
    branch: &Branch,
    observation: Option<String>,
    action: Option<String>,
) -> Vec<Cell> {
    let seat = session.seats.get(branch.seat.index());
    vec![
        session.session_id.as_str().into(),
        branch.parent_id.as_str().into(),
        session.game.as_str().into(),
        session.game_version.as_str().into(),
        session.score_version.as_str().into(),
        difficulty(&session.config).into(),
        branch.tick.into(),
        branch.seat.to_string().into(),
        Cell::json(observation),
        Cell::json(action),
        branch.sample.into(),
        session.status.as_str().into(),
        session.completion_reason.as_deref().into(),
        seat.map(|seat| seat.score).into(),
        seat.and_then(|seat| seat.rank).into(),
        seat.and_then(|seat| seat.outcome.as_deref()).into(),
        session.tick.into(),
        session.max_ticks.into(),
        rfc3339(session.created_at).into(),
    ]
}

/// What the seat saw where the branch began.
fn observation(
    connection: &Connection,
    games: Games,
    session: &SessionRecord,
    branch: &Branch,
) -> Result<Option<String>, Fault> {
    let game = catalogue::find(games, &session.game);
    let Some(game) = game.filter(|game| game.spec().game_version == session.game_version) else {
        return Ok(None);
    };
    let Some(play) = play_to(connection, game, session, branch.tick)? else { return Ok(None) };
    let mut bytes = Vec::new();
    play.observe(branch.seat, &[], &mut bytes);
    Ok(String::from_utf8(bytes).ok())
}

/// Plays a session's record again up to a tick.
fn play_to(
    connection: &Connection,
    game: &dyn Game,
    session: &SessionRecord,
    tick: u32,
) -> Result<Option<Box<dyn Play>>, Fault> {
    let setup = MatchSetup {
        config: &session.config,
        seats: session.seats.len() as u8,
        max_ticks: session.max_ticks,
        seed: session.seed,
    };
    let Ok(mut play) = game.start(&setup) else { return Ok(None) };
    for step in branches::steps(connection, &session.session_id)? {
        let is_there = play.probe().tick >= tick;
        match step.deed {
            Deed::Played(_) | Deed::Failed(..) if is_there => break,
            Deed::Played(inputs) => _ = play.submit(&inputs),
            Deed::Failed(seat, why) => play.fail(seat, &why),
            Deed::Reseeded(stream) => play.reseed(stream),
            Deed::Settled | Deed::Pending => {}
        }
    }
    Ok((play.probe().tick == tick).then_some(play))
}
