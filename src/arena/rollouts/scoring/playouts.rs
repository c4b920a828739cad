//! Plays samples on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use axum::http::StatusCode;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::Trial;
use crate::arena::engine::Play;
use crate::arena::engine::playout::Playout;
use crate::arena::engine::rng::mix;
use crate::arena::engine::seats::SeatMap;
use crate::arena::error::ArenaError;

/// One sample to play.
#[derive(Debug)]
pub(super) struct Branch<'a> {
    pub(super) first: Option<&'a Value>,
    pub(super) players: SeatMap<&'static str>,
    /// Decides luck and players.
    pub(super) stream: u64,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Played {
    pub(super) ticks: u32,
    /// Score and place; nothing when a policy seat failed.
    pub(super) result: Option<(f64, u32)>,
}

/// Plays every branch; results in their order, whichever thread played them.
///
/// # Errors
/// The arena is shutting down, or a player broke.
pub(super) fn play(
    play: &dyn Play,
    trial: &Trial,
    branches: &[Branch<'_>],
    stop: &CancellationToken,
) -> Result<Vec<Played>, ArenaError> {
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((nth, branch)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|nth| Some((nth, branches.get(nth)?)))
        {
            if stop.is_cancelled() {
                return Err(shutting_down());
            }
            done.push((nth, play_one(play, trial, branch)?));
        }
        Ok(done)
    };
    let shares = thread::scope(|scope| {
        let helpers: Vec<_> = (1..cores.min(branches.len())).map(|_| scope.spawn(work)).collect();
        let own = work();
        let joined = helpers.into_iter().map(|helper| helper.join().unwrap_or_else(|_| Err(broke())));
        std::iter::once(own).chain(joined).collect::<Result<Vec<_>, _>>()
    })?;
    let mut played: Vec<(usize, Played)> = shares.into_iter().flatten().collect();
    played.sort_by_key(|(nth, _)| *nth);
    Ok(played.into_iter().map(|(_, played)| played).collect())
}

fn play_one(play: &dyn Play, trial: &Trial, branch: &Branch<'_>) -> Result<Played, ArenaError> {
    let order = Playout {
        players: &branch.players,
        players_stream: mix(&[branch.stream, 0x91A7]),
        chance_stream: Some(branch.stream),
        first: branch.first.map(|action| (trial.seat, action)),
        max_ticks: trial.max_ticks,
    };
    let end = play.playout(&order).map_err(ArenaError::internal)?;
    let result = end.scores.get(trial.seat).zip(end.standings.get(trial.seat));
    let is_spoilt = trial.policy.iter().any(|seat| end.failed.contains(seat));
    let result = result.filter(|_| !is_spoilt).map(|(score, standing)| (*score, standing.rank));
    Ok(Played { ticks: end.ticks, result })
}

/// Sent although work was done: the arena is gone anyway, and nothing of it is billed.
fn shutting_down() -> ArenaError {
    ArenaError::new(StatusCode::SERVICE_UNAVAILABLE, "SERVER_DRAINING", "the arena is shutting down")
}

fn broke() -> ArenaError {
    ArenaError::internal("a built-in player broke in a playout")
}
