//! Built-in players that finish a match: what searches, `complete`, `score-actions` and the rating of the league do
//! thousands of times. It runs on the concrete types, without JSON and without events.

use serde_json::Value;

use super::player::Hired;
use super::rng::mix;
use super::seats::{Seat, SeatMap, SeatSet};
use super::table::Table;
use super::{EndReason, Play, Rules, Standing};

/// How a match is to be finished.
#[derive(Debug, Clone)]
pub struct Playout<'a> {
    /// Who plays each seat, by name (`ab4`, `ab4+eps0.25`). A seat that is out needs none.
    pub players: &'a SeatMap<&'a str>,
    /// Seeds the players' own randomness.
    pub players_stream: u64,
    /// Replaces future chance; `None` keeps the luck of the match.
    pub chance_stream: Option<u64>,
    /// Played first, in place of the seat's player. Judged like any action: one that is refused fails the seat.
    pub first: Option<(Seat, &'a Value)>,
    /// Ticks at most; the match's own horizon ends it earlier.
    pub max_ticks: u32,
}

/// How it came out.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayoutEnd {
    /// Ticks played by it.
    pub ticks: u32,
    /// Scores of all seats, as they stand.
    pub scores: SeatMap<f64>,
    /// Places of all seats.
    pub standings: SeatMap<Standing>,
    /// Seats that failed during it, eliminations aside.
    pub failed: SeatSet,
    /// Nothing when `max_ticks` cut it short of the match's own end.
    pub over: Option<EndReason>,
    /// Of the last state (see [`Play::digest`]).
    pub digest: u64,
}

/// A player that the game does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{slug}` has no built-in player `{name}`")]
pub struct UnknownPlayer {
    /// The game.
    pub slug: &'static str,
    /// What was asked for.
    pub name: String,
}

impl<R: Rules> Table<R> {
    pub(super) fn finish(&self, order: &Playout<'_>) -> Result<PlayoutEnd, UnknownPlayer> {
        let mut table = self.without_events();
        let mut players = hire::<R>(order)?;
        if let Some(stream) = order.chance_stream {
            table.reseed(stream);
        }
        let (failed_before, began) = (table.failed(), table.tick());
        let mut first = order.first;
        while table.over().is_none() && table.tick() - began < order.max_ticks {
            table.play_on(&mut players, &mut first);
        }
        let probe = table.probe();
        Ok(PlayoutEnd {
            ticks: probe.tick - began,
            scores: probe.scores,
            standings: table.standings(),
            failed: table.failed().without(failed_before),
            over: probe.over,
            digest: table.digest(),
        })
    }

    /// One tick. `first` is taken when its seat is asked.
    fn play_on(&mut self, players: &mut SeatMap<Hired<R>>, first: &mut Option<(Seat, &Value)>) {
        let mut actions = SeatMap::default();
        let asked = self.turn().seats();
        for seat in asked.iter() {
            let action = match first.take_if(|(first, _)| *first == seat) {
                Some((_, raw)) => self.read_on_turn(seat, raw).ok(),
                None => players.get_mut(seat).map(|player| player.act(self.state(), seat)),
            };
            action.and_then(|action| actions.insert(seat, action));
        }
        let failing = asked.without(actions.seats());
        failing.iter().for_each(|seat| self.take_out(seat));
        if !actions.is_empty() && (failing.is_empty() || self.over().is_none()) {
            self.apply_quietly(&actions);
        }
    }
}

fn hire<R: Rules>(order: &Playout<'_>) -> Result<SeatMap<Hired<R>>, UnknownPlayer> {
    let hire = |(seat, name): (Seat, &&str)| {
        let player = Hired::hire(name, mix(&[order.players_stream, seat.index() as u64]));
        let unknown = || UnknownPlayer { slug: R::spec().slug, name: (*name).to_owned() };
        Ok((seat, player.ok_or_else(unknown)?))
    };
    order.players.iter().map(hire).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::arena::engine::MatchSetup;
    use crate::arena::games::connect_four::ConnectFour;

    const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

    fn table() -> Table<ConnectFour> {
        Table::start(&MatchSetup { config: &json!({}), seats: 2, max_ticks: 42, seed: 1 }).unwrap()
    }

    fn players(names: [&str; 2]) -> SeatMap<&str> {
        SEATS.into_iter().zip(names).collect()
    }

    fn order<'a>(players: &'a SeatMap<&'a str>) -> Playout<'a> {
        Playout { players, players_stream: 7, chance_stream: None, first: None, max_ticks: 100 }
    }

    #[test]
    fn a_playout_ends_the_match_and_leaves_it_as_it_was() {
        let table = table();
        let before = table.digest();
        let players = players(["ab4", "random"]);
        let end = table.playout(&order(&players)).unwrap();
        assert_eq!((end.over, end.failed), (Some(EndReason::GameComplete), SeatSet::EMPTY));
        assert_eq!(end.standings.get(SEATS[0]).unwrap().outcome, "won");
        assert_eq!(table.digest(), before);
        assert_eq!(table.playout(&order(&players)).unwrap(), end, "one stream, one playout");
    }

    #[test]
    fn the_first_action_is_judged_and_ticks_are_limited() {
        let table = table();
        let players = players(["random", "random"]);
        let short = Playout { max_ticks: 3, ..order(&players) };
        assert_eq!(table.playout(&short).unwrap().ticks, 3);
        let refused = json!([{"action": "drop", "column": 99}]);
        let end = table.playout(&Playout { first: Some((SEATS[0], &refused)), ..order(&players) }).unwrap();
        assert_eq!(end.failed, SeatSet::one(SEATS[0]));
    }

    #[test]
    fn an_unknown_player_is_named() {
        for name in ["nobody", "ab4+eps1.5", "ab4+epsx"] {
            let players = players(["random", name]);
            assert_eq!(table().playout(&order(&players)).unwrap_err().name, name);
        }
    }

    #[test]
    fn slips_weaken_a_player() {
        let table = table();
        let wins = |name| {
            let players = players([name, "block"]);
            (0..40)
                .map(|stream| Playout { players_stream: stream, ..order(&players) })
                .filter(|order| table.playout(order).unwrap().standings.get(SEATS[0]).unwrap().rank == 1)
                .count()
        };
        assert!(wins("ab4") > wins("ab4+eps1") + 10);
    }
}
