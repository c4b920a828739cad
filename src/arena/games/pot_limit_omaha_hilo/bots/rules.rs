//! Players that go by rules of thumb: points for the four cards, then what hand and board have made.

use super::super::cards::{Card, RANKS, SUITS};
use super::super::evaluate::{Board, Category, Hole, best_low, low_ranks};
use super::super::{Action, BIG_BLIND, PotLimitOmahaHilo, View};
use super::{Size, give_up, raise, stay};
use crate::arena::engine::Bot;

/// A player with its thresholds.
pub(super) struct RulePlayer {
    /// Points that are worth the price of a blind.
    enter: i32,
    /// Points that are worth more than that.
    open: i32,
    /// What it calls bets with.
    call: Made,
    /// What it bets and raises with.
    bet: Made,
}

impl RulePlayer {
    pub(super) const LOOSE: Self = Self { enter: 5, open: 14, call: Made::Something, bet: Made::Good };
    pub(super) const ROCK: Self = Self { enter: 7, open: 14, call: Made::Something, bet: Made::Strong };
}

impl Bot<PotLimitOmahaHilo> for RulePlayer {
    fn act(&mut self, view: &View<'_>) -> Action {
        if view.board().is_empty() {
            return self.before_the_flop(view);
        }
        let made = made(*view.hole(), view.board());
        if made >= self.bet {
            raise(view, Size::Pot)
        } else if made >= self.call || made >= Made::Something && is_cheap(view) {
            stay(view)
        } else {
            give_up(view)
        }
    }
}

impl RulePlayer {
    fn before_the_flop(&self, view: &View<'_>) -> Action {
        let points = points(*view.hole());
        // Against one rival half of all hands are good enough for the price of a raise; against a table they are not.
        let blinds = if view.rivals().len() == 1 { 3 } else { 1 };
        let is_cheap = view.options().to_call <= blinds * BIG_BLIND;
        if points >= self.open && view.paid(view.seat()) <= 4 * BIG_BLIND {
            raise(view, Size::Pot)
        } else if points >= self.open || points >= self.enter && is_cheap {
            stay(view)
        } else {
            give_up(view)
        }
    }
}

/// Whether a call costs less than a fourth of what can be won with it.
fn is_cheap(view: &View<'_>) -> bool {
    3 * view.options().to_call < view.pot()
}

/// What four cards are worth before the flop: mostly from 0 to 30, 7 on average.
pub(super) fn points(hole: Hole) -> i32 {
    let (mut by_rank, mut by_suit) = ([0; RANKS], [0; SUITS]);
    for card in &hole {
        by_rank[usize::from(card.rank())] += 1;
        by_suit[usize::from(card.suit())] += 1;
    }
    low_points(low_ranks(&hole)) + pair_points(by_rank) + suit_points(hole, by_suit) + run_points(by_rank)
}

/// Two of the three lowest ranks make the lows that win.
fn low_points(ranks: u8) -> i32 {
    let has = |set: u8| ranks & set == set;
    let best = [(0b11, 9), (0b101, 6), (0b110, 4), (0b1001, 3), (0b1_0001, 2)];
    let pair = best.into_iter().find(|(set, _)| has(*set)).map_or(0, |(_, points)| points);
    // A third one is a reserve when the board takes one away.
    pair + if has(0b111) { 4 } else { i32::from(has(0b1011) || has(0b1101)) * 2 }
}

fn pair_points(by_rank: [u8; RANKS]) -> i32 {
    let worth = |rank: usize| match rank {
        12 => 9,
        11 => 6,
        10 => 4,
        8 | 9 => 3,
        _ => 1,
    };
    // A third card of the rank is one that cannot come any more.
    let points = |(rank, count): (usize, u8)| match count {
        2 => worth(rank),
        3.. => worth(rank) - 5,
        _ => 0,
    };
    by_rank.into_iter().enumerate().map(points).sum()
}

fn suit_points(hole: Hole, by_suit: [u8; SUITS]) -> i32 {
    let points = |card: &Card| match (by_suit[usize::from(card.suit())], card.rank()) {
        (2 | 3, 12) => 3,
        (2 | 3, 11) => 2,
        (2, _) => 1,
        _ => 0,
    };
    hole.iter().map(points).sum()
}

/// Ranks close to one another, best at the top.
fn run_points(by_rank: [u8; RANKS]) -> i32 {
    let ranks: u16 = (0..RANKS).filter(|&rank| by_rank[rank] > 0).fold(0, |ranks, rank| ranks | 1 << rank);
    let big = (ranks >> 8).count_ones() as i32;
    let neighbours = (ranks & ranks << 1).count_ones() as i32;
    // Sevens, eights and nines make second-best hands of both kinds.
    let middling = (ranks & 0b1110_0000).count_ones() as i32;
    neighbours + big / 2 + i32::from(big == 4) * 4 - middling
}

/// What hand and board have made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Made {
    /// Nothing to speak of.
    Little,
    /// Two pair, an over-pair of aces, some low.
    Something,
    /// Three of a kind, or the best low there can be.
    Good,
    /// A hand that often wins its half, or more.
    Strong,
}

pub(super) fn made(hole: Hole, board: &[Card]) -> Made {
    let high = Board::new(board).high(hole).category();
    let low = best_low(low_ranks(board), low_ranks(&hole));
    let has_best_low = low.is_some() && low == best_low(low_ranks(board), u8::MAX);
    let threat = threat(board);
    let high = match high {
        Category::HighCard | Category::Pair => Made::Little,
        Category::TwoPair if threat >= Category::FullHouse => Made::Little,
        Category::TwoPair => Made::Something,
        Category::Trips if threat > Category::Trips => Made::Something,
        Category::Trips => Made::Good,
        category if category < threat => Made::Good,
        _ => Made::Strong,
    };
    match (high, low) {
        (high, _) if has_best_low => {
            if high >= Made::Good {
                Made::Strong
            } else {
                Made::Good
            }
        }
        (high, Some(_)) => high.max(Made::Something),
        (high, None) => high,
    }
}

/// The best that somebody may easily have on this board.
fn threat(board: &[Card]) -> Category {
    let (mut by_rank, mut by_suit) = ([0; RANKS], [0; SUITS]);
    for card in board {
        by_rank[usize::from(card.rank())] += 1;
        by_suit[usize::from(card.suit())] += 1;
    }
    if by_rank.iter().any(|&count| count >= 2) {
        Category::FullHouse
    } else if by_suit.iter().any(|&count| count >= 3) {
        Category::Flush
    } else {
        Category::Trips
    }
}
