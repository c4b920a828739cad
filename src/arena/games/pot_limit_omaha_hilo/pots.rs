//! Who gets what at the end of a hand: layers of the pot, halves, and odd chips.

use arrayvec::ArrayVec;

use super::MAX_PLAYERS;
use super::evaluate::{High, Low};
use crate::arena::engine::seats::{Seat, SeatSet};

/// Most parts a hand can be paid out in: a high and a low half for each layer.
const MAX_SHARES: usize = 2 * MAX_PLAYERS;

/// A part of the chips of a hand that certain seats play for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layer {
    /// Chips.
    pub amount: u32,
    /// Seats that put in enough for it and did not fold.
    pub eligible: SeatSet,
}

/// What a share was won with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Half {
    /// The best high.
    High,
    /// The best low.
    Low,
    /// Nobody else was left to play for it.
    Returned,
}

impl Half {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Low => "low",
            Self::Returned => "returned",
        }
    }
}

/// Chips that go to one seat, or in equal parts to several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Share {
    /// Chips in all.
    pub amount: u32,
    /// What they were won with.
    pub half: Half,
    /// Who gets them.
    pub winners: SeatSet,
}

/// The shares of a hand, in the order in which they are paid.
pub type Shares = ArrayVec<Share, MAX_SHARES>;

/// What a seat shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    /// Its best high.
    pub high: High,
    /// Its best low.
    pub low: Option<Low>,
}

impl Shown {
    /// Less than any hand.
    pub const NOTHING: Self = Self { high: High::NONE, low: None };
}

/// Cuts what all seats put into a hand into layers, the main pot first.
///
/// Each layer goes up to what the next more generous seat put in; so each has fewer eligible seats than the one below.
/// Chips of folded seats beyond the top belong to the top layer.
pub fn layers(paid: &[u32], in_hand: SeatSet) -> ArrayVec<Layer, MAX_PLAYERS> {
    let mut layers = ArrayVec::new();
    let top = in_hand.iter().map(|seat| paid[seat.index()]).max().unwrap_or(0);
    let mut below = 0;
    while below < top {
        let paid_more = in_hand.iter().filter(|seat| paid[seat.index()] > below);
        let eligible: SeatSet = paid_more.collect();
        let level = eligible.iter().map(|seat| paid[seat.index()]).min().unwrap_or(top);
        let end = if level == top { u32::MAX } else { level };
        let amount = paid.iter().map(|&chips| chips.min(end).saturating_sub(below)).sum();
        layers.push(Layer { amount, eligible });
        below = level;
    }
    layers
}

/// Divides the layers into shares. `shown` is asked for seats of `in_hand` only.
pub fn divide(paid: &[u32], in_hand: SeatSet, shown: impl Fn(Seat) -> Shown) -> Shares {
    let mut shares = Shares::new();
    for Layer { amount, eligible } in layers(paid, in_hand) {
        if eligible.len() == 1 {
            shares.push(Share { amount, half: Half::Returned, winners: eligible });
            continue;
        }
        let best_high = eligible.iter().map(|seat| shown(seat).high).max();
        let winners = eligible.iter().filter(|&seat| Some(shown(seat).high) == best_high).collect();
        let best_low = eligible.iter().filter_map(|seat| shown(seat).low).min();
        // The odd chip goes to the high half.
        let low_half = if best_low.is_some() { amount / 2 } else { 0 };
        shares.push(Share { amount: amount - low_half, half: Half::High, winners });
        if low_half > 0 {
            let winners = eligible.iter().filter(|&seat| shown(seat).low == best_low).collect();
            shares.push(Share { amount: low_half, half: Half::Low, winners });
        }
    }
    shares
}

/// Chips of a share for each of its winners. Those that cannot be divided go one each to the first winners in `order`.
pub fn pay(share: &Share, order: impl Iterator<Item = Seat>, mut give: impl FnMut(Seat, u32)) {
    let n_winners = share.winners.len() as u32;
    let (each, odd) = (share.amount / n_winners, share.amount % n_winners);
    for (nth, seat) in (0..).zip(order.filter(|&seat| share.winners.contains(seat))) {
        give(seat, each + u32::from(nth < odd));
    }
}

#[cfg(test)]
mod tests;
