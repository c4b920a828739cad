//! The matches of an evaluation, several at once: each lane takes the next one that is missing, plays it and keeps it.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::pool::{Opponent, Pool};
use super::reference;
use super::schedule::{Fixture, Schedule, Sitting};
use super::tally::{SeatLine, Tally};
use crate::arena::Arena;
use crate::arena::credits::Credits;
use crate::arena::engine::Game;
use crate::arena::error::ArenaError;
use crate::arena::jobs::{Broken, Job};
use crate::arena::matches::{MatchError, MatchRecord, Order, Player, SeatRecord, Series};
use crate::arena::sandbox::Program;
use crate::arena::secret;
use crate::arena::store::StoreError;
use crate::arena::store::evaluations::{self as rows, Findings, NewEvaluation};
use crate::arena::store::ledger::Bill;
use crate::arena::store::matches::{self, MatchRow, PlayedMatch};
use crate::arena::submissions::check;

/// An evaluation that is played. Copies are the same one.
#[derive(Clone)]
pub(super) struct Field(Arc<Inner>);

struct Inner {
    job: Job,
    order: NewEvaluation,
    game: &'static dyn Game,
    pool: Pool,
    schedule: Schedule,
    /// By submission; built-in players are none.
    programs: BTreeMap<String, Program>,
    tally: Mutex<Tally>,
    /// Numbers of the matches that nobody has taken yet, the next one last.
    missing: Mutex<Vec<u32>>,
}

impl Field {
    /// Makes ready: the programs, and what an earlier run has played.
    pub(super) async fn new(
        job: &Job,
        order: NewEvaluation,
        game: &'static dyn Game,
    ) -> Result<Self, Broken> {
        let pool = Pool::from_json(order.pool.clone());
        let n_seats = game.spec().default_seats;
        let reference = reference(game);
        let schedule = match &reference {
            Some(_) => Schedule::alone(order.seed, order.match_count, n_seats),
            None => Schedule::against(order.seed, order.match_count, n_seats, pool.all().len()),
        };
        let mut tally = Tally::new(n_seats, pool.clone(), reference);
        let played = played(&job.arena, &order.eval_run_id).await?;
        for kept in &played {
            tally.add(usize::from(kept.seat), &seat_lines(&kept.seats), kept.ticks);
        }
        let done: BTreeSet<u32> = played.iter().map(|kept| kept.n).collect();
        let missing = (0..schedule.len()).rev().filter(|n| !done.contains(n)).collect();
        let (tally, missing) = (Mutex::new(tally), Mutex::new(missing));
        let mut inner = Inner {
            job: job.clone(),
            order,
            game,
            pool,
            schedule,
            programs: BTreeMap::new(),
            tally,
            missing,
        };
        inner.prepare().await?;
        Ok(Self(Arc::new(inner)))
    }

    pub(super) fn order(&self) -> &NewEvaluation {
        &self.0.order
    }

    /// What has come of it, with the statistics of the scores.
    pub(super) fn findings(&self) -> (Findings, Value) {
        let tally = self.0.tally();
        (tally.findings(), tally.score_stats())
    }

    /// What it has used.
    pub(super) fn bill(&self) -> Bill {
        self.0.bill()
    }

    /// Plays what is missing. The first lane that cannot go on ends the others.
    ///
    /// # Errors
    /// Why not all of it was played.
    pub(super) async fn play_all(&self) -> Result<(), Broken> {
        let cores = std::thread::available_parallelism().map_or(2, NonZero::get);
        let n_lanes = cores.saturating_sub(1).clamp(1, self.0.missing().len().max(1));
        let stop = self.0.job.stop.child_token();
        let mut lanes = JoinSet::new();
        for _ in 0..n_lanes {
            let (field, stop) = (self.clone(), stop.clone());
            lanes.spawn(async move { field.lane(&stop).await });
        }
        let mut outcome = Ok(());
        while let Some(lane) = lanes.join_next().await {
            let lane = lane.unwrap_or_else(|panic| Err(ArenaError::internal(panic).into()));
            if lane.is_err() {
                stop.cancel();
                // What the others say then is only that they were stopped.
                outcome = outcome.and(lane);
            }
        }
        outcome
    }

    async fn lane(&self, stop: &CancellationToken) -> Result<(), Broken> {
        let mut series = self.0.job.arena.matches().series();
        let played = loop {
            let next = self.0.missing().pop();
            let Some(n) = next else { break Ok(()) };
            if let Err(why) = self.0.play(&mut series, n, stop).await {
                break Err(why);
            }
        };
        series.close().await;
        played
    }
}

impl Inner {
    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn missing(&self) -> MutexGuard<'_, Vec<u32>> {
        self.missing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prepares the submission and those of its opponents that are programs.
    async fn prepare(&mut self) -> Result<(), Broken> {
        let own = self.order.submission_id.clone();
        let opponents = self.pool.all().iter().filter(|opponent| opponent.player.is_none());
        let ids: Vec<String> =
            std::iter::once(own).chain(opponents.map(|opponent| opponent.submission_id.clone())).collect();
        for id in ids {
            let program = check::prepare(&self.job.arena, &id).await?;
            let program = program.map_err(|why| self.failed(format!("`{id}` cannot be started: {why}")))?;
            self.programs.insert(id, program);
        }
        Ok(())
    }

    /// Plays a match and keeps it. One that is void is played again, once.
    async fn play(&self, series: &mut Series, n: u32, stop: &CancellationToken) -> Result<(), Broken> {
        let fixture = self.schedule.fixture(n);
        let order = self.match_order(&fixture)?;
        let mut played = series.play(&order, stop).await;
        if let Err(MatchError::Host(why)) = &played {
            tracing::warn!(eval_run_id = self.order.eval_run_id, n, why, "a match is void and played again");
            played = series.play(&order, stop).await;
        }
        match played {
            Ok(record) => self.keep(&fixture, &order, record).await.map_err(Broken::from),
            Err(MatchError::Cancelled) => Err(Broken::Stopped { bill: self.bill() }),
            Err(why) => Err(self.failed(format!("match {n} could not be played: {why}"))),
        }
    }

    fn match_order(&self, fixture: &Fixture) -> Result<Order, Broken> {
        let program = |id: &String| {
            let program = self.programs.get(id).cloned().map(Player::Program);
            program.ok_or_else(|| self.failed(format!("`{id}` was not prepared")))
        };
        let player = |sitting: &Sitting| match self.sitter(*sitting) {
            None => program(&self.order.submission_id),
            Some(Opponent { player: Some(name), .. }) => Ok(Player::BuiltIn(name.clone())),
            Some(opponent) => program(&opponent.submission_id),
        };
        let players = fixture.seats.iter().map(player).collect::<Result<_, _>>()?;
        Ok(Order::new(self.game, fixture.seed, players))
    }

    /// The opponent who sits there; nothing for the submission itself.
    fn sitter(&self, sitting: Sitting) -> Option<&Opponent> {
        match sitting {
            Sitting::Own => None,
            Sitting::Opponent(place) => self.pool.all().get(place),
        }
    }

    /// Counts a match and writes it. The writer takes it when it can; only a full queue is waited for.
    async fn keep(&self, fixture: &Fixture, order: &Order, record: MatchRecord) -> Result<(), StoreError> {
        let lines: Vec<SeatLine> = fixture
            .seats
            .iter()
            .zip(&record.seats)
            .map(|(sitting, seat)| self.seat_line(self.sitter(*sitting), seat))
            .collect();
        let row = self.row(fixture, order, &record, json!(lines));
        let (found, done) = {
            let mut tally = self.tally();
            tally.add(usize::from(fixture.seat), &lines, record.ticks);
            (tally.findings(), u64::from(tally.played()))
        };
        let store = self.job.arena.store();
        let at = Timestamp::now();
        let write = move |connection: &rusqlite::Connection| {
            matches::add(connection, &row, at)?;
            rows::progress(connection, &row.eval_run_id, &found)
        };
        if !store.has_room() || !store.post(write.clone()) {
            store.write(write).await?;
        }
        self.job.progress(done, u64::from(self.order.match_count));
        Ok(())
    }

    fn row(&self, fixture: &Fixture, order: &Order, record: &MatchRecord, seats: Value) -> MatchRow {
        let spec = self.game.spec();
        MatchRow {
            replay_id: secret::id("m_"),
            eval_run_id: self.order.eval_run_id.clone(),
            n: fixture.n,
            game: spec.slug.to_owned(),
            game_version: spec.game_version.to_owned(),
            score_version: spec.score_version.to_owned(),
            config: order.config.clone(),
            seed: record.seed,
            max_ticks: order.max_ticks,
            ticks: record.ticks,
            completion_reason: record.end.as_str().to_owned(),
            seat: fixture.seat,
            seats,
            wall_ms: record.wall.as_millis() as u64,
            cpu_ms: record.cpu.as_millis() as u64,
            log: record.log.as_bytes().to_vec(),
        }
    }

    fn seat_line(&self, opponent: Option<&Opponent>, seat: &SeatRecord) -> SeatLine {
        SeatLine {
            submission_id: opponent.map_or(&self.order.submission_id, |other| &other.submission_id).clone(),
            provider: opponent.and_then(|other| other.provider.clone()),
            model: opponent.and_then(|other| other.model.clone()),
            elo_rating: opponent.map(|other| other.elo),
            score: seat.score,
            rank: seat.rank,
            outcome: seat.outcome.to_owned(),
            strikes: seat.strikes,
            failure: seat.failure.as_ref().map(|failure| json!(failure)),
        }
    }

    fn bill(&self) -> Bill {
        let tally = self.tally();
        let (ticks, n_matches) = (tally.ticks(), tally.played());
        let slug = self.game.spec().slug;
        let plural = if n_matches == 1 { "match" } else { "matches" };
        Bill {
            amount: Credits::for_ticks(ticks),
            ticks: Some(ticks),
            description: format!("evaluation in {slug}, {n_matches} {plural}, {ticks} ticks"),
        }
    }

    fn failed(&self, error: String) -> Broken {
        Broken::Failed { error, bill: self.bill() }
    }
}

async fn played(arena: &Arena, eval_run_id: &str) -> Result<Vec<PlayedMatch>, StoreError> {
    let id = eval_run_id.to_owned();
    arena.store().read(move |connection| matches::list(connection, &id, 0, usize::MAX >> 1)).await
}

fn seat_lines(seats: &Value) -> Vec<SeatLine> {
    serde_json::from_value(seats.clone()).unwrap_or_default()
}
