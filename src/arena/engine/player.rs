//! Built-in players by name, and the slips that make a ladder of a handful of them.

use serde_json::Value;

use super::rng::{Pcg, mix};
use super::seats::Seat;
use super::table::Table;
use super::{Bot, BotSpec, Play, Player, Rules};

/// What stands between a player's name and the share of its random moves: `ab4+eps0.25`.
const SLIPS: &str = "+eps";

/// Slips are counted in these, so that no draw depends on floats.
const PER_MILLE: u64 = 1000;

/// A player that is a function of what it is shown and of chance, and has nothing to remember with. For
/// [`BotSpec::make`]; games that keep their turns apart have no other players.
pub fn pure<R: Rules>(stream: u64, decide: fn(&R::View<'_>, &mut Pcg) -> R::Action) -> Box<dyn Bot<R>> {
    Box::new(Pure::<R> { decide, rng: Pcg::new(stream) })
}

struct Pure<R: Rules> {
    decide: fn(&R::View<'_>, &mut Pcg) -> R::Action,
    rng: Pcg,
}

impl<R: Rules> Bot<R> for Pure<R> {
    fn act(&mut self, view: &R::View<'_>) -> R::Action {
        (self.decide)(view, &mut self.rng)
    }
}

/// A built-in player at work.
pub(super) struct Hired<R: Rules> {
    spec: &'static BotSpec<R>,
    stream: u64,
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
        Some(Self { spec, stream, bot: (spec.make)(stream), slips, rng: slips_rng(stream) })
    }

    /// Takes a new player of the same kind, as a program gets a new process: whatever this one kept is gone.
    fn forget(&mut self, tick: u32) {
        let stream = mix(&[self.stream, u64::from(tick)]);
        self.bot = (self.spec.make)(stream);
        self.rng = slips_rng(stream);
    }

    /// Decides for a seat that is on turn.
    pub(super) fn act(&mut self, state: &R::State, seat: Seat) -> R::Action {
        if R::spec().turn_isolated {
            self.forget(R::tick(state));
        }
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

/// Decides when a player slips, and how.
fn slips_rng(stream: u64) -> Pcg {
    Pcg::new(mix(&[stream, 0xE9]))
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
