//! The schemes: how a message becomes a word, and what a received word is taken for.
//!
//! Readers take any word, of any length: somebody else may have sent it.

use std::sync::LazyLock;

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use super::{LONGEST, MESSAGE};

/// Different symbols, from `A` on.
pub const SYMBOLS: u8 = 8;

/// What is to be sent, in numbers below [`SYMBOLS`].
pub type Message = [u8; MESSAGE];

/// What is sent.
pub type Word = ArrayVec<u8, LONGEST>;

/// What a word says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheme {
    /// The message as it is.
    Raw,
    /// Every symbol several times.
    Rep3,
    /// The message, once or twice, and six sums.
    Parity,
    /// Six blocks of Hamming's code.
    Hamming,
    /// Whatever the two have agreed on; built-in players have agreed on `linear`.
    Custom,
}

impl Scheme {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Raw, Self::Rep3, Self::Parity, Self::Hamming, Self::Custom];

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Rep3 => "rep3",
            Self::Parity => "parity",
            Self::Hamming => "hamming",
            Self::Custom => "custom",
        }
    }

    /// The scheme of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scheme| scheme.name() == name)
    }
}

/// The likeliest message, or one that is nearly so.
pub(super) fn read(scheme: Scheme, received: &[u8]) -> Message {
    match scheme {
        Scheme::Rep3 if received.len() >= 2 * MESSAGE => read_repeated(received),
        Scheme::Parity if received.len() >= SINGLE => read_sums(received),
        Scheme::Hamming if received.len() >= HAMMING => read_hamming(received),
        Scheme::Custom if received.len() >= MESSAGE => read_linear(received),
        _ => first_symbols(received),
    }
}

/// What is missing is the symbol 0.
pub(super) fn first_symbols(received: &[u8]) -> Message {
    std::array::from_fn(|nth| received.get(nth).copied().unwrap_or(0))
}

/// Each symbol three times in a row.
pub(super) fn rep3(message: Message) -> Word {
    message.iter().flat_map(|&symbol| [symbol; 3]).collect()
}

/// The commonest of each symbol's copies, the first of those that are as common.
fn read_repeated(received: &[u8]) -> Message {
    let copies = received.len() / MESSAGE;
    std::array::from_fn(|nth| {
        let copies = &received[nth * copies..(nth + 1) * copies];
        let times = |symbol: u8| copies.iter().map(|&copy| u32::from(copy == symbol)).sum::<u32>();
        copies.iter().copied().rev().max_by_key(|&symbol| times(symbol)).unwrap_or(0)
    })
}

/// Symbols of a row when the message is written in two.
const ROW: usize = MESSAGE / 2;
/// Sums of four columns and two rows.
const SUMS: usize = ROW + 2;
/// The message and its sums.
const SINGLE: usize = MESSAGE + SUMS;
/// The message twice and its sums.
pub(super) const DOUBLE: usize = 2 * MESSAGE + SUMS;

/// The message, `copies` times, then the sums of its columns and of its rows.
pub(super) fn parity(message: Message, copies: usize) -> Word {
    (0..copies).flat_map(|_| message).chain(sums(message)).collect()
}

fn sums(message: Message) -> [u8; SUMS] {
    std::array::from_fn(|nth| match nth.checked_sub(ROW) {
        None => (message[nth] + message[nth + ROW]) % SYMBOLS,
        Some(row) => message[row * ROW..(row + 1) * ROW].iter().sum::<u8>() % SYMBOLS,
    })
}

/// The message that differs from the received word in the fewest places, of those that have each symbol from one of the
/// copies but for one, which a sum may set right.
fn read_sums(received: &[u8]) -> Message {
    let copies = if received.len() >= DOUBLE { 2 } else { 1 };
    let (copied, told) = received.split_at(copies * MESSAGE);
    let distance = |message: &Message| {
        let in_copies = copied.iter().zip(message.iter().cycle()).filter(|(one, other)| one != other).count();
        in_copies + sums(*message).iter().zip(told).filter(|(one, other)| one != other).count()
    };
    let first = first_symbols(copied);
    let second = if copies == 2 { first_symbols(&copied[MESSAGE..]) } else { first };
    // Bit by bit, from which copy each symbol is taken where they differ.
    let differ: u16 = (0..MESSAGE).filter(|&nth| first[nth] != second[nth]).map(|nth| 1 << nth).sum();
    let choices = (0..1_u16 << MESSAGE).filter(|choice| choice & !differ == 0);
    let picked = choices.map(|choice| -> Message {
        std::array::from_fn(|nth| if choice >> nth & 1 == 1 { second[nth] } else { first[nth] })
    });
    let candidates = picked.flat_map(|message| {
        let corrected = (0..2 * MESSAGE).map(move |nth| corrected(message, told, nth / 2, nth % 2 == 0));
        std::iter::once(message).chain(corrected)
    });
    // The first of the nearest: that without a correction.
    candidates.min_by_key(distance).unwrap_or(first)
}

/// The message with one symbol set so that its column's sum, or its row's, is what was told.
fn corrected(mut message: Message, told: &[u8], place: usize, by_column: bool) -> Message {
    let sum = if by_column { place % ROW } else { ROW + place / ROW };
    message[place] = (message[place] + told[sum] + SYMBOLS - sums(message)[sum]) % SYMBOLS;
    message
}

/// Blocks of four bits.
const BLOCKS: usize = 3 * MESSAGE / 4;
/// Bits of a block with its checks.
const BLOCK: usize = 7;
/// Symbols of all blocks.
const HAMMING: usize = BLOCKS * BLOCK / 3;

/// The message's 24 bits in six blocks of four, each with three checks (R. W. Hamming, "Error Detecting and Error
/// Correcting Codes", 1950): `d1 d2 d3 d4`, then `d1+d2+d4`, `d1+d3+d4`, `d2+d3+d4`. Sent are the first bits of all
/// blocks, then the second ones and so on, three a symbol: a wrong symbol spoils one bit of a block at most.
pub(super) fn hamming(message: Message) -> Word {
    let bits = bits(&message);
    let blocks: Vec<[u8; BLOCK]> = bits
        .chunks_exact(4)
        .map(|d| [d[0], d[1], d[2], d[3], d[0] ^ d[1] ^ d[3], d[0] ^ d[2] ^ d[3], d[1] ^ d[2] ^ d[3]])
        .collect();
    let sent: Vec<u8> = (0..BLOCK).flat_map(|nth| blocks.iter().map(move |block| block[nth])).collect();
    sent.chunks_exact(3).map(symbol).collect()
}

fn read_hamming(received: &[u8]) -> Message {
    let sent = bits(&received[..HAMMING]);
    let data: Vec<u8> = (0..BLOCKS)
        .flat_map(|block| {
            let mut b: [u8; BLOCK] = std::array::from_fn(|nth| sent[nth * BLOCKS + block]);
            let failed = [b[4] ^ b[0] ^ b[1] ^ b[3], b[5] ^ b[0] ^ b[2] ^ b[3], b[6] ^ b[1] ^ b[2] ^ b[3]];
            match failed {
                [1, 1, 0] => b[0] ^= 1,
                [1, 0, 1] => b[1] ^= 1,
                [0, 1, 1] => b[2] ^= 1,
                [1, 1, 1] => b[3] ^= 1,
                // All in order, or a check itself is wrong.
                _ => (),
            }
            [b[0], b[1], b[2], b[3]]
        })
        .collect();
    std::array::from_fn(|nth| symbol(&data[3 * nth..3 * nth + 3]))
}

/// Three a symbol, the highest first.
fn bits(symbols: &[u8]) -> Vec<u8> {
    symbols.iter().flat_map(|symbol| [symbol >> 2 & 1, symbol >> 1 & 1, symbol & 1]).collect()
}

fn symbol(bits: &[u8]) -> u8 {
    bits.iter().fold(0, |symbol, bit| symbol << 1 | bit)
}

/// Symbols of a half of the message.
const HALF: usize = MESSAGE / 2;
/// Symbols that a half of the message may be coded in.
const COLUMNS: usize = LONGEST / 2;

/// A row for each symbol of a half. Found by a greedy search for columns that keep codewords far apart: those of the first
/// 9, 13 and 16 columns differ in 6, 9 and 11 places at least.
const GENERATOR: [&[u8; COLUMNS]; HALF] =
    [b"BAAABBBBBBBBBABB", b"ABAAFHEBGBHEGBDF", b"AABAFGDEBGDEFGCC", b"AAABGHFCBFBHDHED"];

/// The product in the field of eight elements, by x³ + x + 1.
pub(super) fn product(one: u8, other: u8) -> u8 {
    let carryless = (0..3).filter(|bit| other >> bit & 1 == 1).fold(0, |sum, bit| sum ^ one << bit);
    let reduced = if carryless & 0b1_0000 == 0 { carryless } else { carryless ^ 0b1_0110 };
    if reduced & 0b1000 == 0 { reduced } else { reduced ^ 0b1011 }
}

/// All halves in all columns, by the half's number in base eight.
static CODEWORDS: LazyLock<Vec<[u8; COLUMNS]>> = LazyLock::new(|| {
    let codeword = |number: usize| -> [u8; COLUMNS] {
        let half = half(number);
        std::array::from_fn(|column| {
            let products =
                half.iter().zip(GENERATOR).map(|(&symbol, row)| product(symbol, row[column] - b'A'));
            products.fold(0, |sum, product| sum ^ product)
        })
    };
    (0..1 << (3 * HALF)).map(codeword).collect()
});

fn half(number: usize) -> [u8; HALF] {
    std::array::from_fn(|nth| (number >> (3 * (HALF - 1 - nth)) & 7) as u8)
}

/// Each half of the message in the first `columns` columns of [`GENERATOR`], from 4 to half of the longest word.
pub(super) fn linear(message: Message, columns: usize) -> Word {
    let number = |half: &[u8]| half.iter().fold(0, |number, &symbol| number << 3 | usize::from(symbol));
    let columns = columns.min(COLUMNS);
    message.chunks_exact(HALF).flat_map(|half| CODEWORDS[number(half)][..columns].iter().copied()).collect()
}

/// The halves whose codewords are nearest.
fn read_linear(received: &[u8]) -> Message {
    let columns = (received.len() / 2).min(COLUMNS);
    let nearest = |word: &[u8]| {
        let distance =
            |codeword: &[u8; COLUMNS]| codeword.iter().zip(word).filter(|(one, other)| one != other).count();
        let nearest = CODEWORDS.iter().enumerate().min_by_key(|(_, codeword)| distance(codeword));
        half(nearest.map_or(0, |(number, _)| number))
    };
    let halves = [nearest(&received[..columns]), nearest(&received[columns..2 * columns])];
    std::array::from_fn(|nth| halves[nth / HALF][nth % HALF])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::engine::rng::Pcg;

    fn words(message: Message) -> Vec<(Scheme, Word)> {
        vec![
            (Scheme::Raw, message.iter().copied().collect()),
            (Scheme::Rep3, rep3(message)),
            (Scheme::Parity, parity(message, 1)),
            (Scheme::Parity, parity(message, 2)),
            (Scheme::Hamming, hamming(message)),
            (Scheme::Custom, linear(message, 9)),
            (Scheme::Custom, linear(message, 16)),
        ]
    }

    #[test]
    fn what_arrives_unspoilt_is_read_as_it_was_meant_and_all_but_raw_bear_a_wrong_symbol() {
        let mut rng = Pcg::new(1);
        for _ in 0..20 {
            let message: Message = std::array::from_fn(|_| rng.below(8) as u8);
            for (scheme, word) in words(message) {
                assert_eq!(read(scheme, &word), message, "{scheme:?}");
                for place in 0..word.len() {
                    let mut spoilt = word.clone();
                    spoilt[place] = (spoilt[place] + 1 + rng.below(7) as u8) % 8;
                    let is_read = read(scheme, &spoilt) == message;
                    assert_eq!(is_read, scheme != Scheme::Raw, "{scheme:?} at {place}");
                }
            }
        }
    }

    #[test]
    fn words_are_as_long_as_the_rules_say() {
        let lengths: Vec<usize> = words([0; MESSAGE]).iter().map(|(_, word)| word.len()).collect();
        assert_eq!(lengths, [8, 24, 14, 22, 14, 18, 32]);
    }

    #[test]
    fn the_field_has_inverses_and_its_product_is_that_of_polynomials() {
        for one in 1..8 {
            assert_eq!((1..8).filter(|&other| product(one, other) == 1).count(), 1);
            for other in 0..8 {
                assert_eq!(product(one, other), product(other, one));
                assert_eq!(product(one, other ^ 5), product(one, other) ^ product(one, 5));
            }
        }
        // x · x² = x³ = x + 1.
        assert_eq!(product(2, 4), 3);
    }

    #[test]
    fn codewords_differ_in_as_many_places_as_is_said() {
        for (columns, least) in [(9, 6), (13, 9), (16, 11)] {
            let weights = CODEWORDS[1..]
                .iter()
                .map(|word| word[..columns].iter().filter(|&&symbol| symbol != 0).count());
            assert_eq!(weights.min(), Some(least), "{columns}");
        }
    }

    #[test]
    fn any_word_is_read() {
        let mut rng = Pcg::new(2);
        for length in 0..=LONGEST {
            let word: Word = (0..length).map(|_| rng.below(8) as u8).collect();
            assert!(Scheme::ALL.iter().all(|&scheme| read(scheme, &word).iter().all(|&symbol| symbol < 8)));
        }
    }
}
