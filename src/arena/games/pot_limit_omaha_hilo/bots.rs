//! The ladder of built-in players, each written against [`View`] alone.
//!
//! [`rules`] judges hands by counting points and by what they have made, [`equity`] by dealing the rest of the hand
//! many times, and [`regret`] mixes its play by a table. Players keep floats and generators of their own; the match's state has no floats.

mod equity;
mod regret;
mod rules;

use self::equity::{EquityPlayer, Rivals};
use self::regret::Regret;
use self::rules::RulePlayer;
use super::{Action, PotLimitOmahaHilo, View};
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::{Bot, BotSpec};

/// Weakest first, by the mean score in big blinds of heads-up matches against all others, both seats with the same cards.
///
/// Measured over 24 matches a pair, standard errors about 6: station -59, random -47, rock 3, loose 5, equity50 18,
/// equity200 13, regret 25, ranges200 41. `knowledge_pays` checks the anchors. Not a chain: the rock loses to the random
/// player, whose raises it believes.
pub(super) const ALL: &[BotSpec<PotLimitOmahaHilo>] = &[
    BotSpec { name: "station", about: "checks and calls, whatever comes", make: |_| Box::new(Station) },
    BotSpec {
        name: "random",
        about: "any entry of the menu, each as likely",
        make: |stream| Box::new(Random(Pcg::new(stream))),
    },
    BotSpec {
        name: "rock",
        about: "plays few hands by a point count, raises with strong ones only",
        make: |_| Box::new(RulePlayer::ROCK),
    },
    BotSpec {
        name: "loose",
        about: "plays most hands, bets what it has made",
        make: |_| Box::new(RulePlayer::LOOSE),
    },
    BotSpec {
        name: "equity50",
        about: "equity200 with 50 samples",
        make: |stream| Box::new(EquityPlayer::new(50, Rivals::Any, stream)),
    },
    BotSpec {
        name: "equity200",
        about: "deals the rest 200 times against random hands; calls by pot odds, raises with an edge",
        make: |stream| Box::new(EquityPlayer::new(200, Rivals::Any, stream)),
    },
    BotSpec {
        name: "regret",
        about: "mixes its play by a table that leaves little to regret; deals the rest 60 times to know its strength",
        make: |stream| Box::new(Regret::new(60, stream)),
    },
    BotSpec {
        name: "ranges200",
        about: "equity200, but deals its rivals hands that fit what they put in",
        make: |stream| Box::new(EquityPlayer::new(200, Rivals::Likely, stream)),
    },
];

/// Any entry of the menu.
struct Random(Pcg);

impl Bot<PotLimitOmahaHilo> for Random {
    fn act(&mut self, view: &View<'_>) -> Action {
        let menu = view.menu();
        menu[self.0.below(menu.len() as u64) as usize].0
    }
}

/// Checks and calls.
struct Station;

impl Bot<PotLimitOmahaHilo> for Station {
    fn act(&mut self, view: &View<'_>) -> Action {
        stay(view)
    }
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
