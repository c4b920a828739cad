//! The ladder of built-in players, each written against [`View`] alone.
//!
//! [`rules`] judges hands by counting points and by what they have made, [`equity`] by dealing the rest of the hand
//! many times. Players keep floats and generators of their own; the match's state has no floats.

mod equity;
mod rules;

use self::equity::{Rivals, Sampler};
use self::rules::RulePlayer;
use super::{Action, PotLimitOmahaHilo, View};
use crate::arena::engine::rng::{Pcg, mix};
use crate::arena::engine::{Bot, BotSpec};

/// Weakest first, by the mean score in big blinds of heads-up matches against all others, both seats with the same cards.
///
/// Measured over 80 matches a pair, standard errors about 3: station -54, random -32, equity200-eps50 -11, rock 0, loose 8,
/// equity200-eps20 10, equity50 17, equity200 21, ranges200 44. `knowledge_pays` checks the anchors. Not a chain: the rock
/// loses to the random player, whose raises it believes.
pub(super) const ALL: &[BotSpec<PotLimitOmahaHilo>] = &[
    BotSpec { name: "station", about: "checks and calls, whatever comes", make: |_| Box::new(Station) },
    BotSpec {
        name: "random",
        about: "any entry of the menu, each as likely",
        make: |stream| Box::new(Random(Pcg::new(stream))),
    },
    BotSpec {
        name: "equity200-eps50",
        about: "equity200, but plays the menu at random half the time",
        make: |stream| Box::new(Mixed::new(Sampler::new(200, Rivals::Any, stream), 50, stream)),
    },
    BotSpec {
        name: "rock",
        about: "plays few hands by a point count, goes on with strong ones only",
        make: |_| Box::new(RulePlayer::ROCK),
    },
    BotSpec {
        name: "loose",
        about: "plays most hands, bets what it has made",
        make: |_| Box::new(RulePlayer::LOOSE),
    },
    BotSpec {
        name: "equity200-eps20",
        about: "equity200, but plays the menu at random in 20 % of its turns",
        make: |stream| Box::new(Mixed::new(Sampler::new(200, Rivals::Any, stream), 20, stream)),
    },
    BotSpec {
        name: "equity50",
        about: "equity200 with 50 samples",
        make: |stream| Box::new(Sampler::new(50, Rivals::Any, stream)),
    },
    BotSpec {
        name: "equity200",
        about: "deals the rest 200 times against random hands; calls by pot odds, raises with an edge",
        make: |stream| Box::new(Sampler::new(200, Rivals::Any, stream)),
    },
    BotSpec {
        name: "ranges200",
        about: "equity200, but deals its rivals hands that fit what they put in",
        make: |stream| Box::new(Sampler::new(200, Rivals::Likely, stream)),
    },
];

/// Any entry of the menu.
struct Random(Pcg);

impl Bot<PotLimitOmahaHilo> for Random {
    fn act(&mut self, view: &View<'_>) -> Action {
        anything(view, &mut self.0)
    }
}

/// Checks and calls.
struct Station;

impl Bot<PotLimitOmahaHilo> for Station {
    fn act(&mut self, view: &View<'_>) -> Action {
        stay(view)
    }
}

/// Another player that acts at random in a part of its turns.
struct Mixed<B> {
    player: B,
    percent_random: u64,
    rng: Pcg,
}

impl<B> Mixed<B> {
    fn new(player: B, percent_random: u64, stream: u64) -> Self {
        Self { player, percent_random, rng: Pcg::new(mix(&[stream, percent_random])) }
    }
}

impl<B: Bot<PotLimitOmahaHilo>> Bot<PotLimitOmahaHilo> for Mixed<B> {
    fn act(&mut self, view: &View<'_>) -> Action {
        if self.rng.below(100) < self.percent_random {
            anything(view, &mut self.rng)
        } else {
            self.player.act(view)
        }
    }
}

fn anything(view: &View<'_>, rng: &mut Pcg) -> Action {
    let menu = view.menu();
    menu[rng.below(menu.len() as u64) as usize].0
}

/// Checks, or calls what there is to call.
fn stay(view: &View<'_>) -> Action {
    if view.options().to_call > 0 { Action::Call } else { Action::Check }
}

/// Checks when that is free.
fn give_up(view: &View<'_>) -> Action {
    if view.options().to_call > 0 { Action::Fold } else { Action::Check }
}

/// How much to raise by.
#[derive(Clone, Copy)]
enum Size {
    HalfPot,
    Pot,
}

/// Raises, or stays in where that is not allowed.
fn raise(view: &View<'_>, size: Size) -> Action {
    let Some((least, most)) = view.options().raise else { return stay(view) };
    let to = match size {
        Size::HalfPot => view.half_pot().clamp(least, most),
        Size::Pot => most,
    };
    Action::Raise { to }
}

#[cfg(test)]
mod tests;
