//! The ladder of built-in players.

mod deal;

use arrayvec::ArrayVec;

use self::deal::Dealer;
use super::cup::{Bid, at_least, matches};
use super::{Action, LiarsDice, View, one_in};
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::Seat;
use crate::arena::engine::{Bot, BotSpec};

/// Weakest first.
pub(super) const ALL: &[BotSpec<LiarsDice>] = &[
    BotSpec {
        name: "random",
        about: "a low bid or a challenge",
        make: |stream| Box::new(Random(Pcg::new(stream))),
    },
    BotSpec {
        name: "count",
        about: "challenges a bid above the expected count, else bids the least",
        make: |_| Box::new(Plain(counted)),
    },
    BotSpec { name: "prob", about: "does what is most likely true", make: |_| Box::new(Plain(likeliest)) },
    BotSpec {
        name: "infer",
        about: "as prob, but takes half of a bidder's dice to support its bid",
        make: |_| Box::new(Plain(inferred)),
    },
    BotSpec {
        name: "deal20",
        about: "rolls the hidden dice 20 times and plays the round out, all others as count, prob or infer",
        make: |stream| Box::new(Dealer { deals: 20, rng: Pcg::new(stream) }),
    },
    BotSpec {
        name: "deal100",
        about: "deal20 with 100 rolls",
        make: |stream| Box::new(Dealer { deals: 100, rng: Pcg::new(stream) }),
    },
];

/// A low bid or a challenge, each as likely.
struct Random(Pcg);

impl Bot<LiarsDice> for Random {
    fn act(&mut self, view: &View<'_>) -> Action {
        let bids = cheapest(view);
        let doubts = u64::from(!view.cup.bids().is_empty());
        let nth = self.0.below(bids.len() as u64 + doubts) as usize;
        bids.get(nth).map_or(Action::Challenge, |&(quantity, face)| Action::Bid { quantity, face })
    }
}

/// One rule, no chance, no memory.
struct Plain(fn(&View<'_>) -> Action);

impl Bot<LiarsDice> for Plain {
    fn act(&mut self, view: &View<'_>) -> Action {
        (self.0)(view)
    }
}

/// The least bid of each face; none when the last bid is the highest there is.
fn cheapest(view: &View<'_>) -> ArrayVec<(u8, u8), 6> {
    let faces = view.cup.lowest_face()..=6;
    faces.filter_map(|face| Some((view.cup.cheapest(face)?, face))).collect()
}

fn own(view: &View<'_>, face: u8) -> u8 {
    matches(view.hand(), face, view.cup.wild_ones())
}

/// Compares the last bid with the own dice and the average of the others.
fn counted(view: &View<'_>) -> Action {
    let expected = |face| own(view, face) + view.unseen() / one_in(view.cup, face);
    let bids = cheapest(view);
    let best = bids.iter().max_by_key(|&&(quantity, face)| i16::from(expected(face)) - i16::from(quantity));
    match (view.cup.bids().last(), best) {
        (Some(last), _) if expected(last.face) < last.quantity => Action::Challenge,
        (_, Some(&(quantity, face))) => Action::Bid { quantity, face },
        (_, None) => Action::Challenge,
    }
}

fn likeliest(view: &View<'_>) -> Action {
    best(view, |_| 0)
}

fn inferred(view: &View<'_>) -> Action {
    let others = || view.cup.live().iter().filter(|&seat| seat != view.me);
    best(view, |face| {
        // Each other seat's newest bid of this round tells of its dice.
        let supports = |seat: &Seat| bidden(view, *seat).is_some_and(|bid| bid.face == face);
        others().filter(supports).map(|seat| view.cup.dice(seat).div_ceil(2)).sum()
    })
}

/// The newest bid of a seat in this round.
fn bidden<'a>(view: &View<'a>, seat: Seat) -> Option<&'a Bid> {
    view.cup.bids().iter().rev().find(|bid| bid.seat == seat)
}

/// The bid or the challenge that is most likely right. `support` says how many unseen dice are taken for known.
fn best(view: &View<'_>, support: impl Fn(u8) -> u8) -> Action {
    let truth = |quantity: u8, face: u8| {
        let known = support(face);
        let missing = i16::from(quantity) - i16::from(own(view, face) + known);
        at_least(view.unseen() - known, missing, one_in(view.cup, face))
    };
    let doubt = view.cup.bids().last().map(|last| (Action::Challenge, 1.0 - truth(last.quantity, last.face)));
    let bids = cheapest(view).into_iter();
    let bids = bids.map(|(quantity, face)| (Action::Bid { quantity, face }, truth(quantity, face)));
    let best = bids.chain(doubt).max_by(|one, other| one.1.total_cmp(&other.1));
    best.map_or(Action::Challenge, |(action, _)| action)
}

#[cfg(test)]
mod tests;
