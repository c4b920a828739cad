//! Built-in players by name, and the slips that make a ladder of a handful of them.

use serde_json::Value;

use super::rng::{Pcg, mix};
use super::seats::Seat;
use super::table::Table;
use super::{Bot, Play, Player, Rules};

/// What stands between a player's name and the share of its random moves: `ab4+eps0.25`.
const SLIPS: &str = "+eps";

/// Slips are counted in these, so that no draw depends on floats.
const PER_MILLE: u64 = 1000;

/// A built-in player at work.
pub(super) struct Hired<R: Rules> {
    bot: Box<dyn Bot<R>>,
    /// How often out of [`PER_MILLE`] it plays a uniformly random legal action instead.
    slips: u64,
    rng: Pcg,
}

impl<R: Rules> Hired<R> {
    /// The player of this name; `stream` seeds its own randomness.
    pub(super) fn hire(name: &str, stream: u64) -> Option<Self> {
        let named = |name: &str| R::bots().iter().find(|bot| bot.name == name);
        let (spec, slips) = match named(name) {
            Some(spec) => (spec, 0),
            None => name.split_once(SLIPS).and_then(|(bot, share)| Some((named(bot)?, slips(share)?)))?,
        };
        Some(Self { bot: (spec.make)(stream), slips, rng: Pcg::new(mix(&[stream, 0xE9])) })
    }

    /// Decides for a seat that is on turn.
    pub(super) fn act(&mut self, state: &R::State, seat: Seat) -> R::Action {
        if self.slips > 0 && self.rng.below(PER_MILLE) < self.slips {
            let mut legal = Vec::new();
            R::legal(state, seat, &mut legal);
            if !legal.is_empty() {
                return legal.swap_remove(self.rng.below(legal.len() as u64) as usize).0;
            }
        }
        self.bot.act(&R::view(state, seat))
    }
}

/// Reads `0.25` as 250 per mille.
fn slips(share: &str) -> Option<u64> {
    let share: f64 = share.parse().ok().filter(|share| (0.0..=1.0).contains(share))?;
    Some((share * PER_MILLE as f64).round() as u64)
}

impl<R: Rules> Player for Hired<R> {
    fn act(&mut self, play: &dyn Play, seat: Seat) -> Value {
        // At a table of another game there is nothing sensible to do; the empty list is judged like any answer.
        let Some(table) = play.as_any().downcast_ref::<Table<R>>() else { return Value::Array(Vec::new()) };
        let action = self.act(table.state(), seat);
        serde_json::to_value(action).expect("actions are plain data")
    }
}
