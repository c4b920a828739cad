//! The ladder of built-in players.

use super::cup::{Bid, at_least, matches};
use super::{Action, LiarsDice, View, one_in};
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::{Bot, BotSpec};

/// Weakest first.
pub(super) const ALL: &[BotSpec<LiarsDice>] = &[
    BotSpec {
        name: "random",
        about: "a low bid or a challenge",
        make: |stream| boxed(stream, 100, likeliest),
    },
    BotSpec {
        name: "count",
        about: "challenges a bid above the expected count, else bids the least",
        make: |stream| boxed(stream, 0, counted),
    },
    BotSpec {
        name: "prob+eps0.25",
        about: "every fourth turn at random, else prob",
        make: |stream| boxed(stream, 25, likeliest),
    },
    BotSpec {
        name: "prob",
        about: "does what is most likely true",
        make: |stream| boxed(stream, 0, likeliest),
    },
    BotSpec {
        name: "infer+eps0.1",
        about: "every tenth turn at random, else infer",
        make: |stream| boxed(stream, 10, inferred),
    },
    BotSpec {
        name: "infer",
        about: "as prob, but takes half of a bidder's dice to support its bid",
        make: |stream| boxed(stream, 0, inferred),
    },
];

struct Seated {
    choose: fn(&View<'_>) -> Action,
    /// In how many of a hundred turns it plays at random.
    slips: u64,
    rng: Pcg,
}

impl Bot<LiarsDice> for Seated {
    fn act(&mut self, view: &View<'_>) -> Action {
        if self.rng.below(100) < self.slips { random(view, &mut self.rng) } else { (self.choose)(view) }
    }
}

fn boxed(stream: u64, slips: u64, choose: fn(&View<'_>) -> Action) -> Box<dyn Bot<LiarsDice>> {
    Box::new(Seated { choose, slips, rng: Pcg::new(stream) })
}

/// The least bid of each face; none when the last bid is the highest there is.
fn cheapest(view: &View<'_>) -> Vec<(u8, u8)> {
    let faces = view.cup.lowest_face()..=6;
    faces.filter_map(|face| Some((view.cup.cheapest(face)?, face))).collect()
}

fn random(view: &View<'_>, rng: &mut Pcg) -> Action {
    let bids = cheapest(view);
    let doubts = u64::from(!view.cup.bids().is_empty());
    let nth = rng.below(bids.len() as u64 + doubts) as usize;
    bids.get(nth).map_or(Action::Challenge, |&(quantity, face)| Action::Bid { quantity, face })
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
    best(view, |face| {
        // Each other seat's newest bid of this round tells of its dice.
        let newest = |bid: &&Bid| {
            let later = view.cup.bids().iter().rev().find(|other| other.seat == bid.seat);
            later == Some(*bid) && bid.seat != view.me && bid.face == face
        };
        view.cup.bids().iter().filter(newest).map(|bid| view.cup.dice(bid.seat).div_ceil(2)).sum()
    })
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
