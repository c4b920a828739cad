//! Players that roll the hidden dice many times and play the round out.

use arrayvec::ArrayVec;

use super::super::cup::{Cup, Hand, MAX_PLAYERS};
use super::super::{Action, LiarsDice, View};
use super::{bidden, counted, inferred, likeliest};
use crate::arena::engine::Bot;
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::Seat;

/// How many times likelier a die of a rival is to match the rival's last bid than chance has it: with two, half of the
/// dice match, as the player `infer` takes it.
const TRUST: u64 = 2;
/// Bids above the least of a face that are looked at.
const JUMPS: u8 = 2;
/// How somebody may think.
type Way = fn(&View<'_>) -> Action;
const WAYS: [Way; 3] = [counted, likeliest, inferred];
/// All that is looked at in a turn: six faces, so many bids each, and the challenge.
const MOST_CHOICES: usize = 6 * JUMPS as usize + 1;

/// Looks for the action after which it loses a die least often and others do most often.
pub(super) struct Dealer {
    pub(super) deals: u32,
    pub(super) rng: Pcg,
}

impl Bot<LiarsDice> for Dealer {
    fn act(&mut self, view: &View<'_>) -> Action {
        let choices = choices(view);
        let rivals = i32::from(view.cup.live().len() as u8) - 1;
        let mut worths: ArrayVec<i32, MOST_CHOICES> = choices.iter().map(|_| 0).collect();
        for _ in 0..self.deals {
            let dealt = self.deal(view);
            // Nobody knows how the others think: one way as likely as another, each for the whole round.
            let ways = [(); MAX_PLAYERS].map(|()| WAYS[self.rng.below(WAYS.len() as u64) as usize]);
            for (choice, worth) in choices.iter().zip(&mut worths) {
                // A die of one rival is worth its part of a die of one's own.
                *worth += if play_out(dealt.clone(), *choice, &ways) == view.me { -rivals } else { 1 };
            }
        }
        // The first of equals: the challenge, then lower bids, which leave more to say.
        let best = choices.iter().zip(&worths).rev().max_by_key(|(_, worth)| **worth);
        best.map_or(Action::Challenge, |(action, _)| *action)
    }
}

impl Dealer {
    /// The table as it may be: own dice as they are, those of others as their bids have it.
    fn deal(&mut self, view: &View<'_>) -> Cup {
        let mut cup = view.cup.clone();
        for seat in cup.live().iter().filter(|&seat| seat != view.me) {
            let face = bidden(view, seat).map(|bid| bid.face);
            let mut hand = Hand::default();
            for _ in 0..cup.dice(seat) {
                hand[usize::from(self.die(face, cup.wild_ones())) - 1] += 1;
            }
            cup.give(seat, hand);
        }
        cup
    }

    /// A die of one who has bid the face.
    fn die(&mut self, bid: Option<u8>, wild_ones: bool) -> u8 {
        let weight = |face: u8| match bid {
            Some(bid) if face == bid || face == 1 && wild_ones => TRUST,
            _ => 1,
        };
        let mut nth = self.rng.below((1..=6).map(weight).sum());
        for face in 1..6 {
            match nth.checked_sub(weight(face)) {
                Some(left) => nth = left,
                None => return face,
            }
        }
        6
    }
}

/// The challenge and the lowest bids of each face.
fn choices(view: &View<'_>) -> ArrayVec<Action, MOST_CHOICES> {
    let cup = view.cup;
    let mut choices = ArrayVec::new();
    if !cup.bids().is_empty() {
        choices.push(Action::Challenge);
    }
    for more in 0..JUMPS {
        for face in cup.lowest_face()..=6 {
            let quantity = cup.cheapest(face).map(|least| least + more);
            if let Some(quantity) = quantity.filter(|&quantity| quantity <= cup.total()) {
                choices.push(Action::Bid { quantity, face });
            }
        }
    }
    choices
}

/// Who loses a die in this round, if each seat goes on in its way.
fn play_out(mut cup: Cup, first: Action, ways: &[Way; MAX_PLAYERS]) -> Seat {
    let mut action = first;
    loop {
        match action {
            Action::Bid { quantity, face } => cup.bid(quantity, face),
            Action::Challenge | Action::SpotOn => {
                return cup.judge(false).map_or(cup.next(), |(_, loser)| loser);
            }
        }
        let me = cup.next();
        action = ways[me.index()](&View { cup: &cup, me });
    }
}
