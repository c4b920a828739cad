//! Measures a league: plays the built-in players of a game against each other on all cores and fits their ratings.
//!
//! The same order gives the same table, whatever the number of threads and whichever match ends first: every match has
//! seeds of its own, and results are counted in whole numbers.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::rating::Results;
use super::solo;
use super::table::{Row, Table};
use crate::arena::engine::playout::{Playout, UnknownPlayer};
use crate::arena::engine::rng::{Pcg, mix};
use crate::arena::engine::seats::{Seat, SeatMap};
use crate::arena::engine::{ConfigError, Game, MatchSetup};

/// What is to be measured.
#[derive(Clone)]
pub struct Order<'a> {
    /// The game, at its default seats and horizon.
    pub game: &'a dyn Game,
    /// Who is rated: different players, as many as the game has seats or more.
    pub players: Vec<String>,
    /// How often any two meet, each time from all seats: in two seats that makes `2 · pairs` matches of each two. In games
    /// of one seat, the matches that everybody plays.
    pub pairs: u32,
    /// Decides all matches.
    pub seed: u64,
}

/// Why a league was not measured.
#[derive(Debug, thiserror::Error)]
pub enum CalibrateError {
    /// Too few to sit at a table.
    #[error("`{slug}` needs {seats} different players at least and has {players}")]
    TooFew {
        /// The game.
        slug: &'static str,
        /// Its default seats.
        seats: u8,
        /// Those who are to be rated.
        players: usize,
    },
    /// A player that the game does not have.
    #[error(transparent)]
    Unknown(#[from] UnknownPlayer),
    /// The game did not start.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A built-in player did what is not allowed, which would spoil its rating.
    #[error("`{player}` played what is not allowed, in the match with seed {seed}")]
    Foul {
        /// Its name.
        player: String,
        /// The match.
        seed: u64,
    },
}

/// Plays all matches of an order and fits the table. `progress` is told how many rounds of how many are done, from any
/// thread. Takes as long as the players think: seconds to minutes; not for an async thread.
///
/// # Errors
/// A player does not exist, or plays what is not allowed.
pub fn calibrate(
    order: &Order<'_>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Table, CalibrateError> {
    let threads = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    if solo::rates(order.game) {
        return Ok(solo::rate(order, &solo::play_all(order, threads, progress)?));
    }
    Ok(rate(order, &play_all(order, threads, progress)?))
}

/// Refuses an order that cannot fill a table.
pub(super) fn check_players(order: &Order<'_>) -> Result<(), CalibrateError> {
    let (spec, players) = (order.game.spec(), order.players.len());
    if players < usize::from(spec.default_seats).max(2) {
        return Err(CalibrateError::TooFew { slug: spec.slug, seats: spec.default_seats, players });
    }
    Ok(())
}

/// Does `n` pieces of work on several threads, each of which counts into a tally of its own; gives all tallies.
pub(super) fn share_out<T: Send>(
    n: usize,
    threads: usize,
    progress: &(dyn Fn(usize, usize) + Sync),
    empty: impl Fn() -> T + Sync,
    work: impl Fn(usize, &mut T) -> Result<(), CalibrateError> + Sync,
) -> Result<Vec<T>, CalibrateError> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let labour = || {
        let mut tally = empty();
        loop {
            let nth = next.fetch_add(1, Ordering::Relaxed);
            if nth >= n {
                return Ok(tally);
            }
            if let Err(error) = work(nth, &mut tally) {
                // The others find nothing left to do.
                next.store(n, Ordering::Relaxed);
                return Err(error);
            }
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, n);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(labour)).collect();
        let joined = workers.into_iter().map(|worker| match worker.join() {
            Ok(tally) => tally,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect()
    })
}

/// Players who meet once from all seats.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Round {
    players: Vec<usize>,
    seed: u64,
}

/// In two seats everybody meets everybody. In more, tables are drawn, so many that any two may expect to meet as often.
fn schedule(players: usize, seats: usize, pairs: u32, seed: u64) -> Vec<Round> {
    let seed_of = |nth: u64| mix(&[seed, nth]);
    let meetings = players * (players - 1) / 2 * pairs as usize;
    if seats == 2 {
        let couples = (0..players).flat_map(|a| (a + 1..players).map(move |b| vec![a, b]));
        let repeated = couples.flat_map(|couple| std::iter::repeat_n(couple, pairs as usize));
        return repeated.zip(0..).map(|(players, nth)| Round { players, seed: seed_of(nth) }).collect();
    }
    // A round has a match from each seat, two of which make a pair as in two seats.
    let met_in_a_round = seats * (seats - 1) / 2 * seats;
    let rounds = (2 * meetings).div_ceil(met_in_a_round.max(1));
    let mut rng = Pcg::new(mix(&[seed, 0xCA11]));
    let mut draw = |nth| {
        let mut all: Vec<usize> = (0..players).collect();
        rng.shuffle(&mut all);
        all.truncate(seats);
        Round { players: all, seed: seed_of(nth) }
    };
    (0..rounds as u64).map(&mut draw).collect()
}

/// What was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Played {
    pub(super) results: Results,
    /// Matches of each player.
    matches: Vec<u32>,
    /// Half points of the first seat against the others.
    first_seat: u64,
    /// Results of the first seat.
    first_seat_results: u64,
}

impl Played {
    fn nothing(players: usize) -> Self {
        Self {
            results: Results::none(players),
            matches: vec![0; players],
            first_seat: 0,
            first_seat_results: 0,
        }
    }

    /// Counts a match: players with their places, in the order of the seats.
    fn add(&mut self, table: &[(usize, u32)]) {
        self.results.add(table);
        for &(player, _) in table {
            self.matches[player] += 1;
        }
        if let Some((&(_, first), others)) = table.split_first() {
            let won = others.iter().filter(|(_, rank)| first < *rank).count();
            let drawn = others.iter().filter(|(_, rank)| first == *rank).count();
            self.first_seat += (2 * won + drawn) as u64;
            self.first_seat_results += others.len() as u64;
        }
    }

    fn absorb(&mut self, other: &Self) {
        self.results.absorb(&other.results);
        for (mine, theirs) in self.matches.iter_mut().zip(&other.matches) {
            *mine += theirs;
        }
        self.first_seat += other.first_seat;
        self.first_seat_results += other.first_seat_results;
    }
}

/// Plays all matches of an order.
pub(super) fn play_all(
    order: &Order<'_>,
    threads: usize,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Played, CalibrateError> {
    check_players(order)?;
    let (players, seats) = (order.players.len(), usize::from(order.game.spec().default_seats));
    let rounds = schedule(players, seats, order.pairs, order.seed);
    let play = |nth: usize, played: &mut Played| play(order, &rounds[nth], played);
    let tallies = share_out(rounds.len(), threads, progress, || Played::nothing(players), play)?;
    let mut all = Played::nothing(players);
    for played in &tallies {
        all.absorb(played);
    }
    Ok(all)
}

/// Plays a round: a match with the same luck from each seat, everybody moved on by one each time.
fn play(order: &Order<'_>, round: &Round, played: &mut Played) -> Result<(), CalibrateError> {
    let spec = order.game.spec();
    let start = order.game.start(&MatchSetup {
        config: &json!({}),
        seats: spec.default_seats,
        max_ticks: spec.canonical_ticks,
        seed: round.seed,
    })?;
    for rotation in 0..round.players.len() {
        let mut sitting = round.players.clone();
        sitting.rotate_left(rotation);
        let players: SeatMap<&str> = Seat::first(spec.default_seats)
            .zip(sitting.iter().map(|&player| order.players[player].as_str()))
            .collect();
        let end = start.playout(&Playout {
            players: &players,
            players_stream: mix(&[round.seed, rotation as u64]),
            chance_stream: None,
            first: None,
            max_ticks: spec.canonical_ticks,
        })?;
        if let Some(foul) = end.failed.iter().next() {
            let player = players.get(foul).copied().unwrap_or_default().to_owned();
            return Err(CalibrateError::Foul { player, seed: round.seed });
        }
        let ranks = end.standings.iter().map(|(_, standing)| standing.rank);
        let table: Vec<(usize, u32)> = sitting.into_iter().zip(ranks).collect();
        played.add(&table);
    }
    Ok(())
}

fn rate(order: &Order<'_>, played: &Played) -> Table {
    let spec = order.game.spec();
    let ratings = played.results.fit(spec.default_seats);
    let rows = order.players.iter().zip(ratings).zip(&played.matches);
    let mut entries: Vec<Row> = rows
        .map(|((player, rating), &matches)| Row {
            player: player.clone(),
            elo: tenths(rating.elo),
            error: tenths(rating.error),
            matches,
            score: None,
        })
        .collect();
    entries.sort_by(Row::by_elo);
    Table {
        game: spec.slug.to_owned(),
        game_version: spec.game_version.to_owned(),
        score_version: spec.score_version.to_owned(),
        seats: spec.default_seats,
        pairs: order.pairs,
        seed: order.seed,
        first_seat: Some(
            (played.first_seat as f64 / 2.0 / played.first_seat_results.max(1) as f64 * 1000.0).round()
                / 1000.0,
        ),
        reference: None,
        entries,
    }
}

/// Rounded, so that the last bits of a logarithm, which machines may compute differently, do not show.
pub(super) fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::games::find;

    fn order(slug: &str, players: &[&str], pairs: u32) -> Order<'static> {
        let players = players.iter().map(|&name| name.to_owned()).collect();
        Order { game: find(slug).unwrap(), players, pairs, seed: 7 }
    }

    const DICE: &[&str] = &["random", "count", "prob", "count+eps0.5", "random+eps1"];

    #[test]
    fn the_table_does_not_depend_on_the_threads() {
        let order = order("liars_dice", DICE, 3);
        let one = play_all(&order, 1, &|_, _| ()).unwrap();
        assert_eq!(play_all(&order, 3, &|_, _| ()).unwrap(), one);
        assert_eq!(calibrate(&order, &|_, _| ()).unwrap(), rate(&order, &one));
        let other = Order { seed: 8, ..order };
        assert_ne!(play_all(&other, 1, &|_, _| ()).unwrap(), one);
    }

    #[test]
    fn a_small_table_is_the_same_on_every_machine() {
        insta::assert_snapshot!(calibrate(&order("liars_dice", DICE, 5), &|_, _| ()).unwrap().to_text());
    }

    #[test]
    fn in_two_seats_everybody_meets_everybody_from_both() {
        let order = order("connect_four", &["random", "centre", "block"], 4);
        let played = play_all(&order, 2, &|_, _| ()).unwrap();
        assert_eq!(played.matches, [16, 16, 16]);
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            assert!((played.results.between(a, b).1 - 8.0).abs() < 1e-9);
        }
        let seeds: std::collections::HashSet<u64> =
            schedule(3, 2, 4, 7).iter().map(|round| round.seed).collect();
        assert_eq!(seeds.len(), 12, "both matches of a round have one seed, rounds have their own");
    }

    #[test]
    fn in_more_seats_any_two_meet_as_often_on_average() {
        let rounds = schedule(8, 4, 30, 1);
        let mut met = Results::none(8);
        for round in &rounds {
            let different: std::collections::HashSet<_> = round.players.iter().collect();
            assert_eq!(different.len(), 4);
            // Each of the round's four matches.
            (0..4)
                .for_each(|_| met.add(&round.players.iter().map(|&player| (player, 1)).collect::<Vec<_>>()));
        }
        let counts: Vec<f64> =
            (0..8).flat_map(|a| (a + 1..8).map(move |b| (a, b))).map(|(a, b)| met.between(a, b).1).collect();
        let mean = counts.iter().sum::<f64>() / counts.len() as f64;
        assert!((mean - 60.0).abs() < 1.0, "{mean}");
        assert!(counts.iter().all(|count| (25.0..110.0).contains(count)), "{counts:?}");
    }

    #[test]
    fn who_cannot_play_is_named() {
        let refused =
            |slug, players: &[&str]| calibrate(&order(slug, players, 1), &|_, _| ()).unwrap_err().to_string();
        assert_eq!(
            refused("connect_four", &["random", "nobody"]),
            "`connect_four` has no built-in player `nobody`"
        );
        assert_eq!(
            refused("liars_dice", &["random", "count"]),
            "`liars_dice` needs 4 different players at least and has 2"
        );
    }
}
