//! Plays the pairs of a contest, several at once.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use crate::api::endpoints::{CreateSession, DeleteSession};
use crate::api::model::Json;
use crate::api::{self, Client};
use crate::cli::Failure;
use crate::contest::schedule;
use crate::contest::{FailureRow, GameRow, Outcome, PairRow, Settings, Side, Tally, seating};
use crate::seat::{self, Booking, FailureKind, GameFacts, OnFailure, Place, Played, Table};
use crate::tape::Keep;

use super::super::stop::{INTERRUPTED, unless_stopped};
use super::file::Kept;
use super::report::{Progress, Report};
use super::{Args, Contender, resume_command};

/// Pairs in a row that may come to nothing before the contest is given up.
const FAULTS: u32 = 3;

/// How often the table is drawn again.
const REDRAW: Duration = Duration::from_millis(250);

/// A contest and all that is needed to play it.
pub(super) struct Contest {
    pub(super) api: Client,
    pub(super) recordings: Option<Keep>,
    pub(super) game: Arc<GameFacts>,
    pub(super) contenders: [Contender; 2],
    pub(super) on_failure: OnFailure,
    pub(super) concurrency: usize,
    pub(super) pairs: u64,
    /// Sessions are deleted when they are over: nobody looks at them.
    pub(super) forget: bool,
    pub(super) settings: Settings,
    pub(super) path: PathBuf,
}

/// Why a pair came to nothing.
#[derive(Debug)]
enum NoPair {
    /// Nobody wants it any more.
    Stopped,
    /// It may work another time.
    Fault(String),
    /// It never will.
    Hopeless(String),
}

impl Contest {
    /// Plays what is missing and shows the result.
    pub(super) async fn play(self, kept: Kept, args: &Args) -> Result<i32, Failure> {
        let contest = Arc::new(self);
        let mut tally = Tally::new(contest.settings.sprt, contest.pairs);
        kept.rows.iter().for_each(|row| tally.add(row.clone()));
        let stop = CancellationToken::new();
        let played = unless_stopped(&stop, contest.play_missing(&kept, &mut tally, &stop)).await;
        for contender in &contest.contenders {
            if let (Contender::Policy(player), Some(_)) = (contender, &played) {
                player.shutdown().await;
            }
        }
        let interrupted = stop.is_cancelled() && !tally.is_over();
        let report = Report::of(&contest.settings, &tally, &contest.path, interrupted);
        crate::cli::print(&if args.json { report.json() } else { report.table() })?;
        if let Some(Err(why)) = played {
            eprintln!("gert: {why}");
            contest.say_how_to_go_on(args);
            return Ok(1);
        }
        if interrupted {
            contest.say_how_to_go_on(args);
            return Ok(INTERRUPTED);
        }
        Ok(0)
    }

    fn say_how_to_go_on(&self, args: &Args) {
        eprintln!("gert: every finished pair is kept; this goes on:");
        eprintln!("{}", resume_command(args, &self.settings, &self.path));
    }

    async fn play_missing(
        self: &Arc<Self>,
        kept: &Kept,
        tally: &mut Tally,
        stop: &CancellationToken,
    ) -> Result<(), String> {
        // Cancelled with `stop`, or when enough was played: what is under way then is of no use.
        let enough = stop.child_token();
        let mut progress = Progress::new(&self.settings, tally, self.concurrency);
        let mut redraw = tokio::time::interval(REDRAW);
        redraw.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut pairs: JoinSet<(u64, Result<PairRow, NoPair>)> = JoinSet::new();
        let mut under_way = BTreeSet::new();
        let mut faults = 0;
        let outcome = loop {
            while pairs.len() < self.concurrency.div_ceil(2).max(1)
                && !tally.is_over()
                && !enough.is_cancelled()
            {
                let missing = |pair: &u64| !tally.has(*pair) && !under_way.contains(pair);
                let Some(pair) = (0..tally.most()).find(missing) else { break };
                under_way.insert(pair);
                let (contest, enough) = (Arc::clone(self), enough.clone());
                pairs.spawn(async move { (pair, contest.pair(pair, &enough).await) });
            }
            let (pair, outcome) = tokio::select! {
                done = pairs.join_next() => match done {
                    Some(Ok(done)) => done,
                    Some(Err(why)) => break Err(format!("a game broke: {why}")),
                    None => break Ok(()),
                },
                _ = redraw.tick() => {
                    progress.draw(tally);
                    continue;
                }
            };
            under_way.remove(&pair);
            match outcome {
                Ok(row) => {
                    faults = 0;
                    if let Err(why) = kept.append(&row) {
                        break Err(format!("the results cannot be kept in `{}`: {why}", self.path.display()));
                    }
                    tally.add(row);
                    progress.draw(tally);
                }
                Err(NoPair::Stopped) => {}
                Err(NoPair::Hopeless(why)) => break Err(why),
                Err(NoPair::Fault(why)) => {
                    faults += 1;
                    progress.say(&format!("pair {pair} is played again: {why}"));
                    if faults >= FAULTS {
                        break Err(format!("{FAULTS} pairs in a row came to nothing, the last since {why}"));
                    }
                }
            }
            if tally.is_over() {
                enough.cancel();
            }
        };
        enough.cancel();
        // Their seats are left and their processes end.
        while pairs.join_next().await.is_some() {}
        progress.end();
        outcome
    }

    async fn pair(&self, pair: u64, stop: &CancellationToken) -> Result<PairRow, NoPair> {
        let (first, second) = if self.concurrency > 1 {
            tokio::join!(self.game(pair, 0, stop), self.game(pair, 1, stop))
        } else {
            (self.game(pair, 0, stop).await, self.game(pair, 1, stop).await)
        };
        Ok(PairRow { pair, games: [first?, second?] })
    }

    async fn game(&self, pair: u64, leg: usize, stop: &CancellationToken) -> Result<GameRow, NoPair> {
        if stop.is_cancelled() {
            return Err(NoPair::Stopped);
        }
        let seats = seating(self.settings.players as usize, pair, leg);
        let seed = schedule::seed(self.settings.seed, pair);
        let booking = self.booking(pair, leg, &seats, seed);
        let table = Table {
            api: self.api.clone(),
            recordings: self.recordings.clone(),
            on_failure: self.on_failure,
            notes: None,
        };
        let played = seat::play(&table, booking, stop).await.map_err(|why| no_session(&why))?;
        let row = self.row(&seats, seed, &played, stop);
        if self.forget && played.ending.is_some() {
            // One that stays only takes room.
            let _ = self.api.send(&DeleteSession::new(&played.session_id)).await;
        }
        row
    }

    /// The session of a game. Commands have a block of seats, built-in players the rest, and all are moved on.
    fn booking(&self, pair: u64, leg: usize, seats: &[Side], seed: u64) -> Booking {
        let n_seats = seats.len();
        let first_seat = schedule::first_seat(n_seats, pair);
        let at = |place: usize| (first_seat + place) % n_seats;
        let first = if leg == 0 { Side::A } else { Side::B };
        let count = |side: Side| seats.iter().filter(|of| **of == side).count();
        // The block that begins the seating is moved behind the other one where only the other one is ours.
        let is_built_in = |side: Side| matches!(self.contender(side), Contender::BuiltIn(_));
        let skip = if is_built_in(first) && !is_built_in(first.other()) { count(first) } else { 0 };
        let in_order: Vec<usize> = (0..n_seats).map(|place| at(place + skip)).collect();
        let own: Vec<usize> = in_order.iter().copied().filter(|seat| !is_built_in(seats[*seat])).collect();
        let ai: Vec<&str> = in_order
            .iter()
            .filter_map(|seat| match self.contender(seats[*seat]) {
                Contender::BuiltIn(name) => Some(name.as_str()),
                Contender::Policy(_) => None,
            })
            .collect();
        let mut create = CreateSession::of(self.settings.game.as_str());
        create.seats = Some(own.len() as u32);
        create.player_count = Some(n_seats as u32);
        create.vs_ai = Some(!ai.is_empty());
        create.max_ticks = self.settings.max_ticks;
        create.spectate_mode = Some("private".into());
        let mut put = |name: &str, value: serde_json::Value| {
            // What was made from a value is JSON.
            if let Ok(json) = Json::parse(&value.to_string()) {
                create.extra.insert(name, json);
            }
        };
        put("seed", seed.into());
        // A policy's own limits decide; the arena waits.
        put("tick_ms", 0.into());
        put("pace_ms", 0.into());
        put("rotation", in_order[0].into());
        put("config", self.settings.config.clone());
        if !ai.is_empty() {
            put("ai", ai.into());
        }
        // The server lists our seats in the order of their names.
        let mut own = own;
        own.sort_unstable();
        let places = own.into_iter().filter_map(|seat| match self.contender(seats[seat]) {
            Contender::Policy(player) => {
                let seed = Some(schedule::policy_seed(seed, seat));
                Some(Place { player: Arc::clone(player), seed })
            }
            Contender::BuiltIn(_) => None,
        });
        Booking { create, places: places.collect(), game: Arc::clone(&self.game) }
    }

    fn contender(&self, side: Side) -> &Contender {
        &self.contenders[side as usize]
    }

    fn row(
        &self,
        seats: &[Side],
        seed: u64,
        played: &Played,
        stop: &CancellationToken,
    ) -> Result<GameRow, NoPair> {
        let side_of = |player_id: &str| {
            let number = player_id.trim_start_matches(|c: char| !c.is_ascii_digit());
            seats.get(number.parse::<usize>().ok()?).copied()
        };
        let mut failures = Vec::new();
        for seat in &played.seats {
            for failure in &seat.counts.failures {
                if failure.kind == FailureKind::NotStarted {
                    return Err(NoPair::Hopeless(format!("{}: {}", seat.player, failure.why)));
                }
                failures.push(FailureRow {
                    side: side_of(&seat.player_id).unwrap_or(Side::A),
                    player_id: seat.player_id.clone(),
                    kind: failure.kind,
                    why: failure.why.clone(),
                });
            }
        }
        if played.was_stopped() || (stop.is_cancelled() && played.ending.is_none()) {
            return Err(NoPair::Stopped);
        }
        let Some(ending) = &played.ending else {
            let lost = played.seats.iter().find_map(|seat| match &seat.end {
                seat::SeatEnd::Lost(why) => Some(why.clone()),
                _ => None,
            });
            return Err(NoPair::Fault(lost.unwrap_or_else(|| "its end is not known".into())));
        };
        let places = ending.places();
        let of_sides = places.iter().filter_map(|(seat, place)| Some((side_of(seat)?, *place)));
        let result = Outcome::of_places(of_sides)
            .ok_or_else(|| NoPair::Fault("the server does not say who won".into()))?;
        Ok(GameRow {
            result,
            seed,
            session_id: played.session_id.as_str().to_owned(),
            seats: seats.to_vec(),
            ticks: ending.ticks.unwrap_or_default(),
            scores: ending.scores.clone(),
            reason: ending.reason.clone(),
            failures,
        })
    }
}

/// A session that was refused for what was asked is refused again.
fn no_session(why: &api::Error) -> NoPair {
    let words = format!("{why}: {}", why.why());
    let may_pass = why.is_retryable() || why.outcome_unknown();
    if may_pass { NoPair::Fault(words) } else { NoPair::Hopeless(words) }
}

/// Since when, for what is left.
pub(super) fn pace(began: Instant, done: u64) -> Option<Duration> {
    let done = u32::try_from(done).ok().filter(|done| *done > 0)?;
    Some(began.elapsed() / done)
}
