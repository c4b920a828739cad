//! How strong hands are: the best high and the best low from exactly two hole and three board cards.
//!
//! Everything is looked up in four small tables. A high without a flush depends on ranks alone, so there is one entry
//! for each pair of a multiset of three ranks (455) and one of two (91): the 60 combinations of a hand are 60 look-ups
//! in ten short rows. A flush depends on the ranks of its suit, a low on which of the eight low ranks there are.

use std::sync::LazyLock;

use super::cards::{Card, RANKS, SUITS, rank_letter};

/// How strong five cards are as a high, 1 (seven high) to 7462 (royal flush); equal hands are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct High(u16);

/// A low: its five ranks as bits, ace = bit 0 to eight = bit 7; the smaller, the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Low(u8);

/// What five cards are called, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Nothing of what follows.
    HighCard,
    /// Two of a rank.
    Pair,
    /// Twice two of a rank.
    TwoPair,
    /// Three of a rank.
    Trips,
    /// Five ranks in a row.
    Straight,
    /// Five of a suit.
    Flush,
    /// Three of a rank and two of another.
    FullHouse,
    /// Four of a rank.
    Quads,
    /// Both straight and flush.
    StraightFlush,
}

/// A hand's hole cards.
pub type Hole = [Card; 4];

/// Multisets of three ranks.
const TRIPLES: usize = 455;
/// Multisets of two ranks.
const PAIRS: usize = 91;

struct Tables {
    /// By three ranks in any order: which multiset it is.
    triple: Vec<u16>,
    /// By two ranks in any order.
    pair: Vec<u8>,
    /// By multiset of three and of two: the strength without a flush; 0 where a rank would be there five times.
    ranks: Vec<u16>,
    /// By ranks of a suit as bits, five of them: the strength.
    flush: Vec<u16>,
    /// By low ranks on the board and in the hole as bits: the best low, 0 for none.
    low: Vec<u8>,
    /// By strength: category and ranks, see [`key`].
    keys: Vec<u32>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

/// The board cards of a hand, prepared for many holes. 3 to 5 cards.
#[derive(Debug, Clone)]
pub struct Board {
    /// Where the rows of its triples start.
    rows: [u16; 10],
    n_rows: usize,
    /// The suit of three cards or more, and their ranks as bits.
    suited: Option<(u8, u16)>,
    low: u8,
}

impl Board {
    /// Prepares 3 to 5 cards.
    ///
    /// # Panics
    /// With another number of cards.
    pub fn new(cards: &[Card]) -> Self {
        assert!((3..=5).contains(&cards.len()), "a hand is made with a board of 3 to 5 cards");
        let mut board = Self { rows: [0; 10], n_rows: 0, suited: None, low: low_ranks(cards) };
        for (i, a) in cards.iter().enumerate() {
            for (j, b) in cards.iter().enumerate().skip(i + 1) {
                for c in &cards[j + 1..] {
                    board.rows[board.n_rows] = TABLES.triple[triple_at(a.rank(), b.rank(), c.rank())];
                    board.n_rows += 1;
                }
            }
        }
        let mut by_suit = [0u16; SUITS];
        for card in cards {
            by_suit[usize::from(card.suit())] |= 1 << card.rank();
        }
        board.suited = (0..).zip(by_suit).find(|(_, ranks)| ranks.count_ones() >= 3);
        board
    }

    /// The best high of a hole.
    pub fn high(&self, hole: Hole) -> High {
        self.by_ranks(hole).max(self.by_suit(hole).unwrap_or(High::NONE))
    }

    /// The best low of a hole, if it has one.
    pub fn low(&self, hole: Hole) -> Option<Low> {
        best_low(self.low, low_ranks(&hole))
    }

    /// The best high that is no flush.
    fn by_ranks(&self, hole: Hole) -> High {
        let tables = &*TABLES;
        let [a, b, c, d] = hole.map(Card::rank);
        let pairs = [(a, b), (a, c), (a, d), (b, c), (b, d), (c, d)]
            .map(|(one, other)| usize::from(tables.pair[pair_at(one, other)]));
        let mut best = 0;
        for row in &self.rows[..self.n_rows] {
            let start = usize::from(*row) * PAIRS;
            let row = &tables.ranks[start..start + PAIRS];
            for pair in pairs {
                best = best.max(row[pair]);
            }
        }
        High(best)
    }

    /// The best flush, if there is one.
    fn by_suit(&self, hole: Hole) -> Option<High> {
        let (suit, on_board) = self.suited?;
        let mut own = 0u16;
        for card in hole.iter().filter(|card| card.suit() == suit) {
            own |= 1 << card.rank();
        }
        if own.count_ones() < 2 {
            return None;
        }
        let best = subsets(own, 2)
            .flat_map(|pair| subsets(on_board, 3).map(move |triple| pair | triple))
            .map(|five| TABLES.flush[usize::from(five)])
            .max()?;
        Some(High(best))
    }
}

impl High {
    /// Less than any hand.
    pub const NONE: Self = Self(0);

    /// The nth strength from below.
    #[cfg(test)]
    pub(super) const fn nth(n: u16) -> Self {
        Self(n)
    }

    /// The strength of five cards of which any may be hole or board cards.
    #[cfg(test)]
    pub(super) fn of_five(cards: [Card; 5]) -> Self {
        if cards.iter().all(|card| card.suit() == cards[0].suit()) {
            return Self(TABLES.flush[cards.iter().fold(0, |ranks, card| ranks | 1 << card.rank())]);
        }
        Self(TABLES.ranks[ranks_at(cards)])
    }

    fn key(self) -> u32 {
        TABLES.keys[usize::from(self.0)]
    }

    /// What it is called.
    pub fn category(self) -> Category {
        category_of(self.key())
    }

    /// What it is in words.
    pub fn words(self) -> String {
        let rank = |nth: u32| (self.key() >> (16 - 4 * nth) & 15) as usize;
        let first = rank(0);
        match self.category() {
            Category::HighCard => format!("{} high", ONE[first]),
            Category::Pair => format!("pair of {}", MANY[first]),
            // The key has every rank as often as it is held.
            Category::TwoPair => format!("two pair, {} and {}", MANY[first], MANY[rank(2)]),
            Category::Trips => format!("three {}", MANY[first]),
            Category::Straight => format!("straight to the {}", ONE[first]),
            Category::Flush => format!("flush, {} high", ONE[first]),
            Category::FullHouse => format!("full house, {} over {}", MANY[first], MANY[rank(3)]),
            Category::Quads => format!("four {}", MANY[first]),
            Category::StraightFlush if first == RANKS - 1 => "royal flush".to_owned(),
            Category::StraightFlush => format!("straight flush to the {}", ONE[first]),
        }
    }
}

const ONE: [&str; RANKS] =
    ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"];
const MANY: [&str; RANKS] = [
    "twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines", "tens", "jacks", "queens",
    "kings", "aces",
];

impl Low {
    /// A low that is better than any greater one.
    #[cfg(test)]
    pub(super) const fn nth(n: u8) -> Self {
        Self(n)
    }

    /// Its ranks, highest first: `8-6-4-2-A`.
    pub fn words(self) -> String {
        let ranks = (0..8u8).rev().filter(|bit| self.0 & 1 << bit != 0);
        let letters = ranks.map(|bit| if bit == 0 { 'A' } else { rank_letter(bit - 1) }.to_string());
        letters.collect::<Vec<_>>().join("-")
    }
}

/// The low ranks among some cards as bits, ace = bit 0 to eight = bit 7.
pub fn low_ranks(cards: &[Card]) -> u8 {
    // Bit 0 of the product of `1 << rank` is the deuce, bit 12 the ace.
    let ranks = cards.iter().fold(0u16, |ranks, card| ranks | 1 << card.rank());
    (ranks << 1) as u8 | (ranks >> 12) as u8
}

/// The best low of hole ranks with board ranks, as [`low_ranks`] gives them.
pub fn best_low(board: u8, hole: u8) -> Option<Low> {
    let low = TABLES.low[usize::from(board) << 8 | usize::from(hole)];
    (low != 0).then_some(Low(low))
}

/// Whether `to_come` more board cards can give these hole ranks a low.
pub fn low_is_possible(board: u8, hole: u8, to_come: u32) -> bool {
    let missing = 3u32.saturating_sub(board.count_ones());
    missing <= to_come
        && (0..=255u8).any(|added| added.count_ones() == to_come && best_low(board | added, hole).is_some())
}

fn triple_at(a: u8, b: u8, c: u8) -> usize {
    (usize::from(a) * RANKS + usize::from(b)) * RANKS + usize::from(c)
}

fn pair_at(a: u8, b: u8) -> usize {
    usize::from(a) * RANKS + usize::from(b)
}

/// Where the strength of five ranks is, whichever of them are on the board.
#[cfg(test)]
fn ranks_at(cards: [Card; 5]) -> usize {
    let rank = |nth: usize| cards[nth].rank();
    let row = usize::from(TABLES.triple[triple_at(rank(0), rank(1), rank(2))]) * PAIRS;
    row + usize::from(TABLES.pair[pair_at(rank(3), rank(4))])
}

/// Subsets with so many bits, of a set that has few.
fn subsets(set: u16, bits: u32) -> impl Iterator<Item = u16> + Clone {
    let mut next = Some(set);
    let all = std::iter::from_fn(move || {
        let subset = next?;
        next = subset.checked_sub(1).map(|less| less & set);
        Some(subset)
    });
    all.filter(move |subset| subset.count_ones() == bits)
}

/// What orders five cards: the category above five digits of four bits, the ranks that are there most often first.
fn key(mut ranks: [u8; 5], suited: bool) -> u32 {
    let count =
        |rank: u8, ranks: &[u8; 5]| ranks.iter().map(|&other| usize::from(other == rank)).sum::<usize>();
    let all = ranks;
    ranks.sort_by_key(|&rank| std::cmp::Reverse((count(rank, &all), rank)));
    let groups = (count(ranks[0], &all), count(ranks[3], &all));
    let distinct = ranks.is_sorted_by(|a, b| a > b);
    let wheel = ranks == [12, 3, 2, 1, 0];
    if wheel {
        // The ace is the lowest of these five; below the deuce there is no digit, but the first one decides.
        ranks = [3, 2, 1, 0, 0];
    }
    let straight = wheel || distinct && ranks[0] - ranks[4] == 4;
    let category = match (straight, suited, groups) {
        (true, true, _) => Category::StraightFlush,
        (_, _, (4, _)) => Category::Quads,
        (_, _, (3, 2)) => Category::FullHouse,
        (_, true, _) => Category::Flush,
        (true, ..) => Category::Straight,
        (_, _, (3, _)) => Category::Trips,
        (_, _, (2, 2)) => Category::TwoPair,
        (_, _, (2, _)) => Category::Pair,
        _ => Category::HighCard,
    };
    ranks.iter().fold(category as u32, |key, &rank| key << 4 | u32::from(rank))
}

fn category_of(key: u32) -> Category {
    const ALL: [Category; 9] = [
        Category::HighCard,
        Category::Pair,
        Category::TwoPair,
        Category::Trips,
        Category::Straight,
        Category::Flush,
        Category::FullHouse,
        Category::Quads,
        Category::StraightFlush,
    ];
    ALL[(key >> 20) as usize]
}

impl Tables {
    fn new() -> Self {
        let (triple, triples) = multisets_of_three();
        let (pair, pairs) = multisets_of_two();
        let mut by_ranks = vec![0u32; TRIPLES * PAIRS];
        for (row, [a, b, c]) in triples.iter().enumerate() {
            for (column, [d, e]) in pairs.iter().enumerate() {
                let ranks = [*a, *b, *c, *d, *e];
                if ranks.iter().any(|rank| rank != a) {
                    by_ranks[row * PAIRS + column] = key(ranks, false);
                }
            }
        }
        let mut by_suit = vec![0u32; 1 << RANKS];
        for set in (0..1u16 << RANKS).filter(|set| set.count_ones() == 5) {
            let mut ranks = (0..RANKS as u8).filter(|rank| set & 1 << rank != 0);
            by_suit[usize::from(set)] = key(std::array::from_fn(|_| ranks.next().unwrap_or(0)), true);
        }
        let mut keys: Vec<u32> = by_ranks.iter().chain(&by_suit).copied().chain([0]).collect();
        keys.sort_unstable();
        keys.dedup();
        let strength = |key: &u32| keys.binary_search(key).expect("every key was listed") as u16;
        let ranks = by_ranks.iter().map(strength).collect();
        let flush = by_suit.iter().map(strength).collect();
        Self { triple, pair, ranks, flush, low: lows(), keys }
    }
}

/// The number of each multiset of three ranks, by any order of them, and the multisets.
fn multisets_of_three() -> (Vec<u16>, Vec<[u8; 3]>) {
    let (mut numbers, mut multisets) = (vec![0; RANKS * RANKS * RANKS], Vec::with_capacity(TRIPLES));
    for a in 0..RANKS as u8 {
        for b in 0..=a {
            for c in 0..=b {
                for [x, y, z] in [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]] {
                    numbers[triple_at(x, y, z)] = multisets.len() as u16;
                }
                multisets.push([a, b, c]);
            }
        }
    }
    (numbers, multisets)
}

/// The same for two ranks.
fn multisets_of_two() -> (Vec<u8>, Vec<[u8; 2]>) {
    let (mut numbers, mut multisets) = (vec![0; RANKS * RANKS], Vec::with_capacity(PAIRS));
    for a in 0..RANKS as u8 {
        for b in 0..=a {
            numbers[pair_at(a, b)] = multisets.len() as u8;
            numbers[pair_at(b, a)] = multisets.len() as u8;
            multisets.push([a, b]);
        }
    }
    (numbers, multisets)
}

/// The best low for each set of board ranks and each set of hole ranks.
fn lows() -> Vec<u8> {
    let mut lows = vec![0u8; 1 << 16];
    let sets = |bits| (0..=255u8).filter(move |set| set.count_ones() == bits);
    // Two and three ranks exactly: every other set has the best of its subsets, found by taking a rank away.
    for board in (3..=8).flat_map(sets) {
        for hole in (2..=8).flat_map(sets) {
            let at = |board: u8, hole: u8| usize::from(board) << 8 | usize::from(hole);
            let mut best = 0u8;
            if board.count_ones() == 3 && hole.count_ones() == 2 && board & hole == 0 {
                best = board | hole;
            }
            for bit in (0..8).map(|bit| 1u8 << bit) {
                for less in [at(board & !bit, hole), at(board, hole & !bit)] {
                    let low = lows[less];
                    if low != 0 && (best == 0 || low < best) {
                        best = low;
                    }
                }
            }
            lows[at(board, hole)] = best;
        }
    }
    lows
}

#[cfg(test)]
mod tests;
