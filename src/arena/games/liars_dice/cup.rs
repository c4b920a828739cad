//! The dice on the table, the bids of a round and what happens to those who are wrong.

use serde::Serialize;

use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::{Seat, SeatSet};

/// The most players.
pub const MAX_PLAYERS: usize = 6;
/// The most dice of one player.
pub const MAX_DICE: u8 = 6;

/// One player's dice: how many show each face, ones first.
pub type Hand = [u8; 6];

/// "At least so many dice show this face."
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Bid {
    /// Dice.
    pub quantity: u8,
    /// From 1 to 6.
    pub face: u8,
    /// Who said it.
    pub seat: Seat,
}

/// How the round before ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reveal {
    /// The bid that was doubted.
    pub bid: Bid,
    /// Who doubted it.
    pub caller: Seat,
    /// Dice that matched.
    pub count: u8,
    /// Who lost a die.
    pub loser: Seat,
    /// All dice of the round.
    pub hands: [Hand; MAX_PLAYERS],
}

/// All dice, and whose turn it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cup {
    hands: [Hand; MAX_PLAYERS],
    /// Dice left, by player.
    dice: [u8; MAX_PLAYERS],
    /// Rivals that were out when a player went out.
    outlived: [u8; MAX_PLAYERS],
    seats: u8,
    mover: Seat,
    bids: Vec<Bid>,
    wild_ones: bool,
}

impl Cup {
    /// The first round; who begins is drawn.
    pub fn new(seats: u8, dice: u8, wild_ones: bool, rng: &mut Pcg) -> Self {
        let mut left = [0; MAX_PLAYERS];
        left[..usize::from(seats)].fill(dice);
        let mover = Seat::new(rng.below(u64::from(seats)) as u8);
        let hands = [[0; 6]; MAX_PLAYERS];
        let outlived = [0; MAX_PLAYERS];
        let mut cup = Self { hands, dice: left, outlived, seats, mover, bids: Vec::new(), wild_ones };
        cup.roll(rng);
        cup
    }

    /// Whose turn it is, if two are left.
    pub fn mover(&self) -> Option<Seat> {
        (self.live().len() > 1).then_some(self.mover)
    }

    /// Players with dice.
    pub fn live(&self) -> SeatSet {
        Seat::first(self.seats).filter(|seat| self.dice[seat.index()] > 0).collect()
    }

    /// A player's dice. Only that player may know them.
    pub fn hand(&self, seat: Seat) -> &Hand {
        &self.hands[seat.index()]
    }

    /// How many dice a player has.
    pub fn dice(&self, seat: Seat) -> u8 {
        self.dice[seat.index()]
    }

    /// How many dice there are.
    pub fn total(&self) -> u8 {
        self.dice.iter().sum()
    }

    /// The bids of this round, oldest first.
    pub fn bids(&self) -> &[Bid] {
        &self.bids
    }

    /// Whether ones count as every face.
    pub fn wild_ones(&self) -> bool {
        self.wild_ones
    }

    /// How many rivals went out before the player did, or until now.
    pub fn outlived(&self, seat: Seat) -> u8 {
        if self.dice(seat) > 0 { self.seats - self.live().len() as u8 } else { self.outlived[seat.index()] }
    }

    /// The lowest face that may be bid.
    pub fn lowest_face(&self) -> u8 {
        if self.wild_ones { 2 } else { 1 }
    }

    /// The least quantity of a face that beats the last bid, if there are so many dice.
    pub fn cheapest(&self, face: u8) -> Option<u8> {
        let least = self.bids.last().map_or(1, |bid| bid.quantity + u8::from(face <= bid.face));
        (least <= self.total()).then_some(least)
    }

    /// Plays a bid that was found legal.
    pub fn bid(&mut self, quantity: u8, face: u8) {
        self.bids.push(Bid { quantity, face, seat: self.mover });
        self.mover = self.next_live(self.mover);
    }

    /// Shows all dice. Whoever is wrong loses one; `exactly` doubts that the bid is the very number.
    pub fn doubt(&mut self, exactly: bool, rng: &mut Pcg) -> Option<Reveal> {
        let bid = *self.bids.last()?;
        let (caller, hands) = (self.mover, self.hands);
        let count = hands.iter().map(|hand| matches(hand, bid.face, self.wild_ones)).sum();
        let caller_is_right = if exactly { count == bid.quantity } else { count < bid.quantity };
        let loser = if caller_is_right { bid.seat } else { caller };
        if self.dice(loser) == 1 {
            self.take_out(loser);
        } else {
            self.dice[loser.index()] -= 1;
        }
        self.mover = if self.dice(loser) > 0 { loser } else { self.next_live(loser) };
        self.roll(rng);
        Some(Reveal { bid, caller, count, loser, hands })
    }

    /// Takes a player's dice away. The round is void, since its bids counted them.
    pub fn fail(&mut self, seat: Seat, rng: &mut Pcg) {
        self.take_out(seat);
        if self.mover == seat {
            self.mover = self.next_live(seat);
        }
        self.roll(rng);
    }

    /// Gives a player the dice it has in another cup.
    #[cfg(test)]
    pub fn show_only(&mut self, seat: Seat, other: &Self) {
        self.hands[seat.index()] = other.hands[seat.index()];
        self.mover = other.mover;
    }

    fn take_out(&mut self, seat: Seat) {
        self.outlived[seat.index()] = self.outlived(seat);
        self.dice[seat.index()] = 0;
    }

    fn next_live(&self, seat: Seat) -> Seat {
        let order = (1..=self.seats).map(|step| Seat::new((seat.index() as u8 + step) % self.seats));
        order.into_iter().find(|&next| self.dice(next) > 0).unwrap_or(seat)
    }

    fn roll(&mut self, rng: &mut Pcg) {
        self.bids.clear();
        for (hand, &dice) in self.hands.iter_mut().zip(&self.dice) {
            *hand = [0; 6];
            for _ in 0..dice {
                hand[rng.below(6) as usize] += 1;
            }
        }
    }
}

/// How many dice of a hand count for a face.
pub fn matches(hand: &Hand, face: u8, wild_ones: bool) -> u8 {
    let wild = if wild_ones && face != 1 { hand[0] } else { 0 };
    hand[usize::from(face) - 1] + wild
}

/// The dice one by one, ascending.
pub fn faces(hand: &Hand) -> Vec<u8> {
    (1..=6).flat_map(|face| std::iter::repeat_n(face, usize::from(hand[usize::from(face) - 1]))).collect()
}

/// The chance that at least `k` of `n` unseen dice match, each with a chance of one in `one_in`.
pub fn at_least(n: u8, k: i16, one_in: u8) -> f64 {
    let hit = 1.0 / f64::from(one_in);
    // Only sums and products: the same on every machine.
    let mut chances = vec![1.0];
    for _ in 0..n {
        let mut next = vec![0.0; chances.len() + 1];
        for (hits, chance) in chances.iter().enumerate() {
            next[hits] += chance * (1.0 - hit);
            next[hits + 1] += chance * hit;
        }
        chances = next;
    }
    if k <= 0 { 1.0 } else { chances.iter().skip(k as usize).sum() }
}
