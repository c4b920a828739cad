//! What is to be remembered: sequences over eight letters, nearly all of which follow a rule.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::arena::engine::difficulty::Difficulty;
use crate::arena::engine::rng::Pcg;

/// How many letters there are, from `A` on.
pub const LETTERS: u8 = 8;

/// A sequence with a short description. Symbols are numbers below [`LETTERS`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// A word over and over.
    Period(Vec<u8>),
    /// Two words over and over, the one at even places, the other at odd ones.
    Interleave(Vec<u8>, Vec<u8>),
    /// `a·i² + b·i + c` modulo 8, for `[a, b, c]`.
    Arithmetic([u8; 3]),
    /// Bits of which each is the parity of some of the `length` bits before it: of those that `taps` names. The oldest is
    /// the lowest bit, of `taps` as of `start`. Each bit is shown as one of two letters.
    Register {
        /// Bits that are remembered, 1 to 31.
        length: u8,
        /// Which of them count.
        taps: u32,
        /// The first ones.
        start: u32,
        /// For 0 and 1.
        letters: [u8; 2],
    },
    /// The word that the letter 0 grows to when all letters are replaced by words again and again.
    Growth {
        /// Of `SYSTEMS`.
        system: u8,
        /// For 0, 1 and 2.
        letters: [u8; 3],
    },
    /// The rows of an elementary cellular automaton on a ring, one after another.
    Automaton {
        /// Its number after S. Wolfram.
        rule: u8,
        /// Cells on the ring, 3 to 32.
        width: u8,
        /// The first row, its first cell lowest.
        start: u32,
        /// For 0 and 1.
        letters: [u8; 2],
    },
}

/// What letters are replaced by: Fibonacci, Thue–Morse, period doubling, Tribonacci.
pub(super) const SYSTEMS: &[[&[u8]; 3]] =
    &[[&[0, 1], &[0], &[]], [&[0, 1], &[1, 0], &[]], [&[0, 1], &[0, 0], &[]], [&[0, 1], &[0, 2], &[0]]];

impl Pattern {
    /// Its first symbols.
    pub fn symbols(&self, length: usize) -> Vec<u8> {
        match self {
            Self::Period(word) => word.iter().copied().cycle().take(length).collect(),
            Self::Interleave(even, odd) => {
                let both = even.iter().cycle().zip(odd.iter().cycle());
                both.flat_map(|(&even, &odd)| [even, odd]).take(length).collect()
            }
            Self::Arithmetic([a, b, c]) => {
                let [a, b, c] = [a, b, c].map(|&number| usize::from(number));
                (0..length).map(|i| ((a * i * i + b * i + c) % usize::from(LETTERS)) as u8).collect()
            }
            Self::Register { length: bits, taps, start, letters } => {
                let mut register = *start;
                let step = |_| {
                    let bit = register & 1;
                    register = register >> 1 | ((register & taps).count_ones() & 1) << (bits - 1);
                    letters[bit as usize]
                };
                (0..length).map(step).collect()
            }
            Self::Growth { system, letters } => {
                let rules = &SYSTEMS[usize::from(*system)];
                let mut word = vec![0];
                while word.len() < length {
                    word = word.iter().flat_map(|&letter| rules[usize::from(letter)]).copied().collect();
                }
                word[..length].iter().map(|&letter| letters[usize::from(letter)]).collect()
            }
            Self::Automaton { rule, width, start, letters } => {
                let mut row: Vec<u8> = (0..*width).map(|cell| (start >> cell & 1) as u8).collect();
                let mut cells = Vec::with_capacity(length + row.len());
                while cells.len() < length {
                    cells.extend(row.iter().map(|&cell| letters[usize::from(cell)]));
                    row = next_row(*rule, &row);
                }
                cells.truncate(length);
                cells
            }
        }
    }
}

fn next_row(rule: u8, row: &[u8]) -> Vec<u8> {
    (0..row.len()).map(|cell| rule >> neighbourhood(row, cell) & 1).collect()
}

/// A cell with its neighbours as a number, the left one highest.
pub(super) fn neighbourhood(row: &[u8], cell: usize) -> u8 {
    let at = |cell: usize| row[cell % row.len()];
    at(cell + row.len() - 1) << 2 | at(cell) << 1 | at(cell + 1)
}

/// What is drawn for a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Drawn {
    /// The sequence.
    pub symbols: Vec<u8>,
    /// It follows no rule at all.
    pub is_random: bool,
}

/// Draws a payload. Harder ones have longer words, larger registers and more noise; One of eight is random if any may be.
pub(super) fn draw(rng: &mut Pcg, length: usize, difficulty: Difficulty, may_be_random: bool) -> Drawn {
    let is_random = rng.one_in(8) && may_be_random;
    let symbols = if is_random {
        (0..length).map(|_| letter(rng)).collect()
    } else {
        let upto = |easy: u32, hard: u32| u64::from(easy + difficulty.share_of(hard - easy));
        match rng.below(8) {
            0 => runs(rng, length, upto(0, 18)),
            1 => Pattern::Period(word(rng, upto(4, 16))).symbols(length),
            2 => Pattern::Interleave(word(rng, upto(3, 8)), word(rng, upto(3, 8))).symbols(length),
            3 => Pattern::Arithmetic(arithmetic(rng)).symbols(length),
            4 => register(rng, upto(4, 9)).symbols(length),
            5 => growth(rng).symbols(length),
            6 => automaton(rng, upto(9, 24)).symbols(length),
            _ => markov(rng, length, upto(5, 30)),
        }
    };
    Drawn { symbols, is_random }
}

fn letter(rng: &mut Pcg) -> u8 {
    rng.below(u64::from(LETTERS)) as u8
}

/// Different letters.
fn letters<const N: usize>(rng: &mut Pcg) -> [u8; N] {
    let mut all: [u8; LETTERS as usize] = std::array::from_fn(|nth| nth as u8);
    rng.shuffle(&mut all);
    std::array::from_fn(|nth| all[nth])
}

/// Two letters or more, of which not all are the same.
fn word(rng: &mut Pcg, longest: u64) -> Vec<u8> {
    let mut word: Vec<u8> = (0..rng.between(2, longest as i64)).map(|_| letter(rng)).collect();
    if word.iter().all(|&letter| letter == word[0]) {
        word[0] = (word[0] + 1) % LETTERS;
    }
    word
}

/// With an odd `b`, so that not all letters are the same: `4·i² + 4·i` is a multiple of 8.
fn arithmetic(rng: &mut Pcg) -> [u8; 3] {
    [letter(rng), 1 + 2 * rng.below(u64::from(LETTERS) / 2) as u8, letter(rng)]
}

/// Constant runs, each of another letter than the one before; shorter ones with `haste`, 0 to 18.
fn runs(rng: &mut Pcg, length: usize, haste: u64) -> Vec<u8> {
    let mut symbols = Vec::with_capacity(length + 48);
    let mut now = letter(rng);
    while symbols.len() < length {
        let run = 1 + rng.below(2 * (24 - haste)) as usize;
        symbols.extend(std::iter::repeat_n(now, run));
        now = (now + 1 + rng.below(u64::from(LETTERS) - 1) as u8) % LETTERS;
    }
    symbols.truncate(length);
    symbols
}

/// A register of three bits or more that never stands still.
pub(super) fn register(rng: &mut Pcg, longest: u64) -> Pattern {
    let length = rng.between(3, longest as i64) as u8;
    let all = 1 << length;
    // The oldest bit counts, or it would not be one.
    Pattern::Register {
        length,
        taps: rng.below(all) as u32 | 1,
        start: 1 + rng.below(all - 1) as u32,
        letters: letters(rng),
    }
}

fn growth(rng: &mut Pcg) -> Pattern {
    Pattern::Growth { system: rng.below(SYSTEMS.len() as u64) as u8, letters: letters(rng) }
}

fn automaton(rng: &mut Pcg, widest: u64) -> Pattern {
    /// Those that neither die out nor repeat at once.
    const RULES: [u8; 8] = [30, 45, 54, 73, 90, 105, 110, 150];
    let width = rng.between(7, widest as i64) as u8;
    Pattern::Automaton {
        rule: RULES[rng.below(RULES.len() as u64) as usize],
        width,
        start: 1 + rng.below((1 << width) - 1) as u32,
        letters: letters(rng),
    }
}

/// Each letter has one that mostly follows it; in `noise` of 100 cases any follows.
pub(super) fn markov(rng: &mut Pcg, length: usize, noise: u64) -> Vec<u8> {
    let follower: [u8; LETTERS as usize] = letters(rng);
    let mut now = letter(rng);
    let step = |_| {
        now = if rng.below(100) < noise { letter(rng) } else { follower[usize::from(now)] };
        now
    };
    (0..length).map(step).collect()
}

/// The sequence in letters.
pub(super) fn text(symbols: &[u8]) -> String {
    symbols.iter().map(|symbol| char::from(b'A' + symbol)).collect()
}

/// The number of a letter.
pub(super) fn symbol(letter: u8) -> Option<u8> {
    letter.checked_sub(b'A').filter(|symbol| *symbol < LETTERS)
}

/// Bytes that three bits a symbol take.
pub fn plain_bytes(length: usize) -> usize {
    (3 * length).div_ceil(8)
}

/// Bytes of the letters when zlib has done its best on them.
pub fn zlib_bytes(text: &str) -> usize {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let bytes = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    bytes.expect("a vector takes all that is written to it").len()
}
