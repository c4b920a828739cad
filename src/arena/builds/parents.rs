//! The parents of an exploration: sessions that built-in players play, explored at a few of their ticks.

use rusqlite::{Connection, OptionalExtension, params};

use super::plan::{Build, Unit, Work};
use crate::arena::catalogue;
use crate::arena::engine::Game;
use crate::arena::error::ArenaError;
use crate::arena::host::Plan;
use crate::arena::host::branch::{Explore, Order, Want};
use crate::arena::jobs::Job;
use crate::arena::providers;
use crate::arena::record::{BranchKind, SessionRecord, Status};
use crate::arena::store::StoreError;
use crate::arena::store::branches::{self, BranchFilter};
use crate::arena::store::sessions;

/// Plays a parent and explores it; gives its session's id. What an earlier attempt has done is not done again.
///
/// # Errors
/// Too few credits, too many live sessions, or a record that cannot be played again.
pub(super) async fn explore(job: &Job, build: &Build, unit: &Unit) -> Result<String, ArenaError> {
    let game = catalogue::find(job.arena.games(), &unit.game)
        .ok_or_else(|| ArenaError::not_found(format!("this arena does not play `{}`", unit.game)))?;
    let parent = match kept(job, unit).await? {
        Some(parent) => parent,
        None => play(job, build, unit, game).await?,
    };
    for tick in build.points(game).into_iter().take_while(|tick| *tick < parent.tick) {
        if job.stop.is_cancelled() {
            break;
        }
        if !is_explored(job, &parent.session_id, tick).await? {
            at_tick(job, build, game, &parent, tick).await?;
        }
    }
    Ok(parent.session_id)
}

/// The parent that an earlier attempt has had played to its end.
async fn kept(job: &Job, unit: &Unit) -> Result<Option<SessionRecord>, ArenaError> {
    let (job_id, key) = (job.row.job_id.clone(), unit.key());
    let find = move |connection: &Connection| -> Result<_, StoreError> {
        let sql = "SELECT session_id FROM build_parents WHERE job_id = ?1 AND unit = ?2";
        let id: Option<String> = connection.query_row(sql, [job_id, key], |row| row.get(0)).optional()?;
        id.map_or(Ok(None), |id| sessions::get(connection, &id))
    };
    Ok(job.arena.store().read(find).await?.filter(|parent| parent.status == Status::Completed))
}

async fn play(
    job: &Job,
    build: &Build,
    unit: &Unit,
    game: &'static dyn Game,
) -> Result<SessionRecord, ArenaError> {
    let seed = build.stream(unit) >> 11;
    let plan = Plan {
        spectate_mode: "private",
        ..Plan::of_bots(game, &job.row.account_id, game.spec().default_seats, seed)
    };
    let live = job.arena.host().create(plan).await?;
    let (job_id, key, id) = (job.row.job_id.clone(), unit.key(), live.session_id.clone());
    let note = move |connection: &Connection| -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO build_parents (job_id, unit, session_id) VALUES (?1, ?2, ?3)";
        connection.execute(sql, params![job_id, key, id])?;
        Ok(())
    };
    job.arena.store().write(note).await?;
    tokio::select! {
        () = live.ended() => {}
        () = job.stop.cancelled() => live.cancel().await,
    }
    Ok(live.record())
}

async fn is_explored(job: &Job, session_id: &str, tick: u32) -> Result<bool, ArenaError> {
    let filter =
        BranchFilter { kind: Some(BranchKind::Explore), tick: Some(tick), ..BranchFilter::default() };
    let id = session_id.to_owned();
    let branches =
        job.arena.store().read(move |connection| branches::children(connection, &id, &filter)).await?;
    // Branches are made all or none; those that an end of the arena has interrupted are made again.
    Ok(!branches.is_empty() && branches.iter().all(|branch| branch.status == Status::Completed))
}

async fn at_tick(
    job: &Job,
    build: &Build,
    game: &'static dyn Game,
    parent: &SessionRecord,
    tick: u32,
) -> Result<(), ArenaError> {
    let Work::BranchExploration { max_actions, samples_per_action, .. } = build.work else { return Ok(()) };
    let player = providers::player(game, providers::BUILT_IN, None).map_err(ArenaError::conflict)?;
    let order = Order {
        game,
        parent: parent.clone(),
        account_id: job.row.account_id.clone(),
        tick: Some(tick),
        want: Want::Explore(Explore {
            max_actions: max_actions as usize,
            samples: samples_per_action as usize,
            seat: None,
            player,
        }),
        fresh_luck: false,
        tick_ms: None,
        pace_ms: None,
    };
    let branches = job.arena.host().branch(order).await?;
    let ends = futures_util::future::join_all(branches.iter().map(|live| live.ended()));
    tokio::select! {
        _ = ends => {}
        () = job.stop.cancelled() => {
            for live in &branches {
                live.cancel().await;
            }
        }
    }
    Ok(())
}
