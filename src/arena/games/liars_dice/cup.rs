//! The dice on the table, the bids of a round and what happens to those who are wrong.

use std::sync::LazyLock;

use serde::Serialize;

use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::{Seat, SeatSet};

/// The most players.
pub const MAX_PLAYERS: usize = 6;
/// The most dice of one player.
pub const MAX_DICE: u8 = 6;
/// The most dice on a table.
const MOST_DICE: usize = MAX_PLAYERS * MAX_DICE as usize;

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
        (self.live_count() > 1).then_some(self.mover)
    }

    /// Players with dice.
    pub fn live(&self) -> SeatSet {
        Seat::first(self.seats).filter(|seat| self.dice[seat.index()] > 0).collect()
    }

    fn live_count(&self) -> u8 {
        self.dice.iter().map(|&dice| u8::from(dice > 0)).sum()
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
        if self.dice(seat) > 0 { self.seats - self.live_count() } else { self.outlived[seat.index()] }
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
        let (count, loser) = self.judge(exactly)?;
        if self.dice(loser) == 1 {
            self.take_out(loser);
        } else {
            self.dice[loser.index()] -= 1;
        }
        self.mover = if self.dice(loser) > 0 { loser } else { self.next_live(loser) };
        self.roll(rng);
        Some(Reveal { bid, caller, count, loser, hands })
    }

    /// How many dice match the last bid, and who loses one if it is doubted now.
    pub fn judge(&self, exactly: bool) -> Option<(u8, Seat)> {
        let bid = self.bids.last()?;
        let count = self.hands.iter().map(|hand| matches(hand, bid.face, self.wild_ones)).sum();
        let caller_is_right = if exactly { count == bid.quantity } else { count < bid.quantity };
        Some((count, if caller_is_right { bid.seat } else { self.mover }))
    }

    /// Whose turn it is, or would be if more than one were left.
    pub fn next(&self) -> Seat {
        self.mover
    }

    /// Takes a player's dice away. The round is void, since its bids counted them.
    pub fn fail(&mut self, seat: Seat, rng: &mut Pcg) {
        self.take_out(seat);
        if self.mover == seat {
            self.mover = self.next_live(seat);
        }
        self.roll(rng);
    }

    /// Puts other dice under a player's cup, as many as before.
    pub fn give(&mut self, seat: Seat, hand: Hand) {
        debug_assert_eq!(hand.iter().sum::<u8>(), self.dice(seat), "dice are not made or lost");
        self.hands[seat.index()] = hand;
    }

    /// Rolls the dice of all others again.
    pub fn redeal(&mut self, viewer: Seat, rng: &mut Pcg) {
        for seat in Seat::first(self.seats).filter(|&seat| seat != viewer) {
            self.roll_for(seat, rng);
        }
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
        for seat in Seat::first(self.seats) {
            self.roll_for(seat, rng);
        }
    }

    fn roll_for(&mut self, seat: Seat, rng: &mut Pcg) {
        let hand = &mut self.hands[seat.index()];
        *hand = [0; 6];
        for _ in 0..self.dice[seat.index()] {
            hand[rng.below(6) as usize] += 1;
        }
    }
}

/// How many dice of a hand count for a face.
pub fn matches(hand: &Hand, face: u8, wild_ones: bool) -> u8 {
    let wild = if wild_ones && face != 1 { hand[0] } else { 0 };
    hand[usize::from(face) - 1] + wild
}

/// The dice one by one, ascending.
pub fn faces(hand: &Hand) -> impl Iterator<Item = u8> {
    (1..=6).zip(hand).flat_map(|(face, &count)| std::iter::repeat_n(face, usize::from(count)))
}

/// The chance that at least `k` of `n` unseen dice match, each with a chance of one in `one_in`: 3 or 6.
pub fn at_least(n: u8, k: i16, one_in: u8) -> f64 {
    static OF_THREE: LazyLock<Chances> = LazyLock::new(|| chances(1.0 / 3.0));
    static OF_SIX: LazyLock<Chances> = LazyLock::new(|| chances(1.0 / 6.0));
    let table = if one_in == 3 { &OF_THREE } else { &OF_SIX };
    table[usize::from(n)].get(k.max(0) as usize).copied().unwrap_or(0.0)
}

/// By the number of dice, then by how many of them have to match.
type Chances = [[f64; MOST_DICE + 1]; MOST_DICE + 1];

/// Only sums and products: the same on every machine.
fn chances(hit: f64) -> Chances {
    let mut table = [[0.0; MOST_DICE + 1]; MOST_DICE + 1];
    table[0][0] = 1.0;
    for n in 1..=MOST_DICE {
        table[n][0] = 1.0;
        for k in 1..=n {
            table[n][k] = hit * table[n - 1][k - 1] + (1.0 - hit) * table[n - 1][k];
        }
    }
    table
}
