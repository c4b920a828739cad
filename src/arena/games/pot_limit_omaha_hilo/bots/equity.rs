//! Players that deal the rest of the hand many times and count what they win.

use arrayvec::ArrayVec;

use super::super::cards::{Card, DECK};
use super::super::evaluate::{Board, Hole};
use super::super::pots::{Half, Shown, divide};
use super::super::{Action, BIG_BLIND, MAX_PLAYERS, PotLimitOmahaHilo, View};
use super::rules::{Made, made, points};
use super::{Size, give_up, raise, stay};
use crate::arena::engine::Bot;
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::{Seat, SeatSet};

/// Which hands the others are dealt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rivals {
    /// Any.
    Any,
    /// Such as fit what they put in.
    Likely,
}

/// Goes by the part of the pot that it wins in some imagined deals.
pub(super) struct EquityPlayer {
    rivals: Rivals,
    sampler: Sampler,
}

/// Deals the rest of the hand `samples` times.
pub(super) struct Sampler {
    samples: u32,
    rng: Pcg,
}

/// How often a hand that does not fit is dealt again.
const TRIES: u32 = 8;
/// Chips of the imagined pot: divisible by all that it may have to be divided by.
const WHOLE: u32 = 120;

impl EquityPlayer {
    pub(super) fn new(samples: u32, rivals: Rivals, stream: u64) -> Self {
        Self { rivals, sampler: Sampler::new(samples, stream) }
    }
}

impl Sampler {
    pub(super) fn new(samples: u32, stream: u64) -> Self {
        Self { samples, rng: Pcg::new(stream) }
    }

    /// The part of the pot that the seat wins on average, if everybody stays in.
    pub(super) fn equity(&mut self, view: &View<'_>, expected: Rivals) -> f64 {
        let rivals: ArrayVec<Rival, MAX_PLAYERS> =
            view.rivals().iter().map(|seat| Rival::new(view, seat, expected)).collect();
        self.share(*view.hole(), view.board(), &rivals)
    }

    /// The same of cards against one rival with any hand.
    #[cfg(test)]
    pub(super) fn equity_of(&mut self, hole: Hole, board: &[Card]) -> f64 {
        self.share(hole, board, &[Rival::ANYBODY])
    }

    fn share(&mut self, hole: Hole, board: &[Card], rivals: &[Rival]) -> f64 {
        let seen = hole.iter().chain(board).fold(0, |seen, card| seen | card.bit());
        let mut unseen: ArrayVec<Card, DECK> =
            Card::deck().into_iter().filter(|card| seen & card.bit() == 0).collect();
        let won: u32 = (0..self.samples).map(|_| self.sample(hole, board, rivals, &mut unseen)).sum();
        f64::from(won) / f64::from(self.samples * WHOLE)
    }

    fn sample(&mut self, hole: Hole, shown: &[Card], rivals: &[Rival], unseen: &mut [Card]) -> u32 {
        let mut hands = [Shown::NOTHING; MAX_PLAYERS];
        let (mut board, mut dealt) = ([unseen[0]; 5], 0);
        let open = shown.len();
        board[..open].copy_from_slice(shown);
        let mut holes = [hole; MAX_PLAYERS];
        for (&rival, hole) in rivals.iter().zip(&mut holes[1..]) {
            *hole = self.deal_to(rival, shown, unseen, dealt);
            dealt += hole.len();
        }
        for place in &mut board[open..] {
            *place = draw(unseen, dealt, &mut self.rng);
            dealt += 1;
        }
        let prepared = Board::new(&board);
        for (hand, hole) in hands.iter_mut().zip(&holes[..=rivals.len()]) {
            *hand = Shown { high: prepared.high(*hole), low: prepared.low(*hole) };
        }
        winnings(&hands[..=rivals.len()])
    }

    /// Deals four of the cards from `at` on to a rival.
    fn deal_to(&mut self, rival: Rival, board: &[Card], unseen: &mut [Card], at: usize) -> Hole {
        let mut tries = 0;
        loop {
            let hole = [0, 1, 2, 3].map(|n| draw(unseen, at + n, &mut self.rng));
            tries += 1;
            if tries == TRIES || rival.may_hold(hole, board) {
                return hole;
            }
        }
    }
}

/// Moves one of the cards from `at` on to that place.
fn draw(cards: &mut [Card], at: usize, rng: &mut Pcg) -> Card {
    let from = at + rng.below((cards.len() - at) as u64) as usize;
    cards.swap(at, from);
    cards[at]
}

/// What the first of these hands wins of a whole pot.
fn winnings(hands: &[Shown]) -> u32 {
    let paid = [WHOLE / hands.len() as u32; MAX_PLAYERS];
    let all = SeatSet::first(hands.len() as u8);
    let shares = divide(&paid[..hands.len()], all, |seat| hands[seat.index()]);
    let mine =
        shares.iter().filter(|share| share.winners.contains(Seat::new(0)) && share.half != Half::Returned);
    mine.map(|share| share.amount / share.winners.len() as u32).sum()
}

/// What is expected of a rival.
#[derive(Clone, Copy)]
struct Rival {
    least_points: i32,
    least_made: Made,
}

impl Rival {
    const ANYBODY: Self = Self { least_points: i32::MIN, least_made: Made::Little };

    fn new(view: &View<'_>, seat: Seat, rivals: Rivals) -> Self {
        if rivals == Rivals::Any {
            return Self::ANYBODY;
        }
        // Who put in more than a blind before the flop, or much later on, has something.
        let before = view.paid(seat) - view.street_bet(seat);
        let paid = if view.board().is_empty() { view.street_bet(seat) } else { before };
        let least_points = match paid / BIG_BLIND {
            0 | 1 => i32::MIN,
            2..=4 => 5,
            _ => 8,
        };
        let bet = view.street_bet(seat);
        let least_made =
            if view.board().is_empty() || 3 * bet < before { Made::Little } else { Made::Something };
        Self { least_points, least_made }
    }

    fn may_hold(self, hole: Hole, board: &[Card]) -> bool {
        (self.least_points == i32::MIN || points(hole) >= self.least_points)
            && (self.least_made == Made::Little || made(hole, board) >= self.least_made)
    }
}

impl Bot<PotLimitOmahaHilo> for EquityPlayer {
    fn act(&mut self, view: &View<'_>) -> Action {
        let equity = self.sampler.equity(view, self.rivals);
        let n_rivals = view.rivals().len() as f64;
        // How much more than a fair part of the pot.
        let edge = equity * (n_rivals + 1.0);
        let to_call = f64::from(view.options().to_call);
        let price = to_call / (f64::from(view.pot()) + to_call);
        if edge > 1.25 {
            raise(view, Size::Pot)
        } else if edge > 1.1 && price < 0.3 {
            raise(view, Size::HalfPot)
        } else if equity > price + 0.03 {
            stay(view)
        } else {
            give_up(view)
        }
    }
}
