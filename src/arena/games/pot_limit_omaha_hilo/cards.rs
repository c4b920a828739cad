//! Cards: a deck of 52, and how they are written.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// How many ranks there are.
pub const RANKS: usize = 13;
/// How many suits there are.
pub const SUITS: usize = 4;
/// The cards of a deck.
pub const DECK: usize = RANKS * SUITS;

const RANK_LETTERS: &[u8; RANKS] = b"23456789TJQKA";
const SUIT_LETTERS: &[u8; SUITS] = b"cdhs";

/// A card: rank times four plus suit; rank 0 is the deuce, 12 the ace, suits are clubs, diamonds, hearts, spades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

impl Card {
    /// The card of this rank and suit.
    ///
    /// # Panics
    /// When there is no such rank or suit.
    pub const fn new(rank: u8, suit: u8) -> Self {
        assert!((rank as usize) < RANKS && (suit as usize) < SUITS, "a card has one of 13 ranks and 4 suits");
        Self(rank * SUITS as u8 + suit)
    }

    /// From 0, the deuce, to 12, the ace.
    pub const fn rank(self) -> u8 {
        self.0 / SUITS as u8
    }

    /// 0 clubs, 1 diamonds, 2 hearts, 3 spades.
    pub const fn suit(self) -> u8 {
        self.0 % SUITS as u8
    }

    /// A bit of its own in a set of cards.
    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// The whole deck in order.
    pub fn deck() -> [Self; DECK] {
        std::array::from_fn(|n| Self(n as u8))
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name(*self))
    }
}

impl FromStr for Card {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let [rank, suit] = text.as_bytes() else { return Err(()) };
        let place = |letters: &[u8], wanted| letters.iter().position(|letter| letter == wanted);
        let rank = place(RANK_LETTERS, rank).ok_or(())?;
        let suit = place(SUIT_LETTERS, suit).ok_or(())?;
        Ok(Self::new(rank as u8, suit as u8))
    }
}

impl Serialize for Card {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(name(*self))
    }
}

/// All names one after another, in the order of the deck.
static NAMES: [u8; 2 * DECK] = {
    let mut names = [0; 2 * DECK];
    let mut n = 0;
    while n < DECK {
        names[2 * n] = RANK_LETTERS[n / SUITS];
        names[2 * n + 1] = SUIT_LETTERS[n % SUITS];
        n += 1;
    }
    names
};

fn name(card: Card) -> &'static str {
    let at = 2 * usize::from(card.0);
    std::str::from_utf8(&NAMES[at..at + 2]).expect("the letters are ASCII")
}

/// The letter of a rank, `2` to `A`.
pub fn rank_letter(rank: u8) -> char {
    char::from(RANK_LETTERS[usize::from(rank)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_reads_back_what_it_shows() {
        for (n, card) in Card::deck().into_iter().enumerate() {
            assert_eq!(card.to_string().parse(), Ok(card));
            assert_eq!(usize::from(card.rank() * 4 + card.suit()), n);
        }
        for bad in ["", "A", "1s", "10s", "as", "AS", "Ä"] {
            assert_eq!(bad.parse::<Card>(), Err(()), "{bad}");
        }
        assert_eq!(Card::new(0, 0).to_string() + &Card::new(12, 3).to_string(), "2cAs");
    }
}
