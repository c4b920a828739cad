//! Plays the pairs of a contest, several at once.

use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::api::Client;
use crate::api::endpoints::{CreateSession, DeleteSession};
use crate::api::model::Json;
use crate::cli::Failure;
use crate::contest::schedule;
use crate::contest::{GameRow, PairRow, Settings, Side, Tally, seating};
use crate::seat::{self, Booking, GameFacts, OnFailure, Place, Table};
use crate::tape::Keep;

use super::super::kept::{Head, Kept};
use super::super::series::{self, Nothing, Series};
use super::super::stop::{INTERRUPTED, unless_stopped};
use super::report::{Progress, Report};
use super::{Args, Contender, resume_command};

impl Head for Settings {
    const OF: &'static str = "match";
    const VERSION: u32 = crate::contest::row::VERSION;

    fn version(&self) -> u32 {
        self.gert_match
    }
}

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

/// The pairs so far, and where they are kept.
struct Pairs<'a> {
    tally: &'a mut Tally,
    kept: &'a Kept<Settings, PairRow>,
    progress: Progress,
}

impl Series for Pairs<'_> {
    type Row = PairRow;
    const UNIT: &'static str = "pair";

    fn next(&self, from: u64) -> Option<u64> {
        (from..self.tally.most()).find(|pair| !self.tally.has(*pair))
    }

    fn is_over(&self) -> bool {
        self.tally.is_over()
    }

    fn take(&mut self, row: PairRow) -> Result<(), String> {
        self.kept.append(&row)?;
        self.tally.add(row);
        Ok(())
    }

    fn draw(&mut self) {
        self.progress.draw(self.tally);
    }

    fn say(&self, words: &str) {
        self.progress.say(words);
    }
}

impl Contest {
    /// Plays what is missing and shows the result.
    pub(super) async fn play(self, kept: Kept<Settings, PairRow>, args: &Args) -> Result<i32, Failure> {
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
        kept: &Kept<Settings, PairRow>,
        tally: &mut Tally,
        stop: &CancellationToken,
    ) -> Result<(), String> {
        let progress = Progress::new(&self.settings, tally, self.concurrency);
        let mut pairs = Pairs { tally, kept, progress };
        let play = |pair: u64, stop: CancellationToken| {
            let contest = Arc::clone(self);
            async move { contest.pair(pair, &stop).await }
        };
        let outcome = series::play(&mut pairs, self.concurrency.div_ceil(2), stop, play).await;
        pairs.progress.end();
        outcome
    }

    async fn pair(&self, pair: u64, stop: &CancellationToken) -> Result<PairRow, Nothing> {
        let (first, second) = if self.concurrency > 1 {
            tokio::join!(self.game(pair, 0, stop), self.game(pair, 1, stop))
        } else {
            (self.game(pair, 0, stop).await, self.game(pair, 1, stop).await)
        };
        Ok(PairRow { pair, games: [first?, second?] })
    }

    async fn game(&self, pair: u64, leg: usize, stop: &CancellationToken) -> Result<GameRow, Nothing> {
        if stop.is_cancelled() {
            return Err(Nothing::Stopped);
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
        let played = seat::play(&table, booking, stop).await.map_err(|why| series::refused(&why))?;
        let row = series::game_row(&seats, seed, &played, stop);
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
}
