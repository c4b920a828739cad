//! A player with a mixed strategy for a much simplified game, found beforehand.
//!
//! It tells apart eight strengths of its hand, four streets, four prices of a call and whether much is left to bet: 256
//! situations. In each it gives up, stays in, or raises by half the pot or the pot, with probabilities from a table of
//! 1 KiB. The table comes from regret minimisation heads-up (`train`, which only tests contain) and is in the repository.

#[cfg(test)]
mod train;

use super::super::{Action, PotLimitOmahaHilo, View};
use super::equity::{Rivals, Sampler};
use super::{Size, give_up, raise, stay};
use crate::arena::engine::Bot;
use crate::arena::engine::rng::{Pcg, mix};

/// What there is to choose from: give up, stay, raise by half the pot, raise by the pot.
const CHOICES: usize = 4;
const STRENGTHS: usize = 8;
const STREETS: usize = 4;
const PRICES: usize = 4;
const SITUATIONS: usize = STRENGTHS * STREETS * PRICES * 2;

/// Upper ends of all strengths but the greatest, in percent of the pot that the hand wins of one rival.
const ENDS: [f64; STRENGTHS - 1] = [32.0, 40.0, 46.0, 52.0, 58.0, 65.0, 74.0];

/// Weights by situation and choice.
static TABLE: &[u8; SITUATIONS * CHOICES] = include_bytes!("regret/table.bin");

/// Plays by the table.
pub(super) struct Regret {
    sampler: Sampler,
    rng: Pcg,
}

impl Regret {
    pub(super) fn new(samples: u32, stream: u64) -> Self {
        Self { sampler: Sampler::new(samples, stream), rng: Pcg::new(mix(&[stream, 1])) }
    }
}

impl Bot<PotLimitOmahaHilo> for Regret {
    fn act(&mut self, view: &View<'_>) -> Action {
        // Of more rivals the same part of an even share.
        let even = view.rivals().len() as f64 + 1.0;
        let strength = strength(self.sampler.equity(view, Rivals::Any) * even / 2.0);
        let at = CHOICES * situation(view, strength);
        let open = open(view);
        let weights: [u64; CHOICES] =
            std::array::from_fn(|choice| if open[choice] { u64::from(TABLE[at + choice]) } else { 0 });
        let total: u64 = weights.iter().sum();
        if total == 0 {
            return stay(view);
        }
        let mut nth = self.rng.below(total);
        for (choice, weight) in weights.into_iter().enumerate() {
            match nth.checked_sub(weight) {
                Some(left) => nth = left,
                None => return play(view, choice),
            }
        }
        stay(view)
    }
}

/// The strength of a hand that wins this part of the pot.
fn strength(equity: f64) -> usize {
    ENDS.iter().filter(|&&end| equity * 100.0 >= end).count()
}

/// The situation of a seat on turn.
fn situation(view: &View<'_>, strength: usize) -> usize {
    let to_call = view.options().to_call;
    // Of what a call costs and what can be won with it.
    let price = match 100 * to_call / (view.pot() + to_call).max(1) {
        0 => 0,
        1..=21 => 1,
        22..=29 => 2,
        _ => 3,
    };
    let is_deep = view.stack(view.seat()) > 2 * view.pot();
    ((strength * STREETS + view.street() as usize) * PRICES + price) * 2 + usize::from(is_deep)
}

/// Which choices there are.
fn open(view: &View<'_>) -> [bool; CHOICES] {
    let options = view.options();
    let can_raise = options.raise.is_some();
    let has_sizes = options.raise.is_some_and(|(_, most)| view.half_pot() < most);
    [options.to_call > 0, true, can_raise && has_sizes, can_raise]
}

fn play(view: &View<'_>, choice: usize) -> Action {
    match choice {
        0 => give_up(view),
        1 => stay(view),
        2 => raise(view, Size::HalfPot),
        _ => raise(view, Size::Pot),
    }
}
