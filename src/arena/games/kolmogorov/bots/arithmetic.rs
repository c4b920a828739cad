//! Arithmetic coding (I. H. Witten, R. M. Neal, J. G. Cleary, "Arithmetic Coding for Data Compression", 1987) of each
//! letter by the one before it. Six bits make a character.
//!
//! Where the bits end, the reader goes on with the letter that mostly followed.

use super::super::payload::LETTERS;
use super::{digit, value};

/// How often each letter followed each; a letter that was seen counts for several that were not.
struct Model {
    counts: [[u32; LETTERS as usize]; LETTERS as usize],
    before: usize,
}

/// How much one sight counts: few letters follow a letter, so it is believed at once.
const SIGHT: u32 = 12;

impl Model {
    fn new() -> Self {
        Self { counts: [[1; LETTERS as usize]; LETTERS as usize], before: 0 }
    }

    fn total(&self) -> u64 {
        self.counts[self.before].iter().sum::<u32>().into()
    }

    /// Where the share of a symbol begins and ends.
    fn share(&self, symbol: u8) -> (u64, u64) {
        let row = &self.counts[self.before];
        let low: u32 = row[..usize::from(symbol)].iter().sum();
        (low.into(), (low + row[usize::from(symbol)]).into())
    }

    /// Whose share this place is in.
    fn at(&self, place: u64) -> u8 {
        (0..LETTERS).find(|&symbol| place < self.share(symbol).1).unwrap_or(LETTERS - 1)
    }

    fn likeliest(&self) -> u8 {
        let row = &self.counts[self.before];
        (0..LETTERS).rev().max_by_key(|&symbol| row[usize::from(symbol)]).unwrap_or(0)
    }

    fn learn(&mut self, symbol: u8) {
        self.counts[self.before][usize::from(symbol)] += SIGHT;
        self.before = usize::from(symbol);
    }
}

const BITS: u32 = 32;
const HALF: u64 = 1 << (BITS - 1);
const QUARTER: u64 = HALF / 2;

/// The interval that is left.
#[derive(Clone, Copy)]
struct Interval {
    low: u64,
    high: u64,
}

impl Interval {
    const ALL: Self = Self { low: 0, high: 2 * HALF - 1 };

    fn narrow(&mut self, (from, to): (u64, u64), total: u64) {
        let width = self.high - self.low + 1;
        self.high = self.low + width * to / total - 1;
        self.low += width * from / total;
    }

    /// Where it lies, if that is in one half: 0 or 1; or in the middle: 2.
    fn side(self) -> Option<u8> {
        match self {
            Self { high, .. } if high < HALF => Some(0),
            Self { low, .. } if low >= HALF => Some(1),
            Self { low, high } if low >= QUARTER && high < HALF + QUARTER => Some(2),
            _ => None,
        }
    }

    /// Doubles it, seen from its side.
    fn grow(&mut self, side: u8) {
        let base = base(side);
        self.low = (self.low - base) * 2;
        self.high = (self.high - base) * 2 + 1;
    }
}

fn base(side: u8) -> u64 {
    [0, HALF, QUARTER][usize::from(side)]
}

pub(super) fn write(symbols: &[u8]) -> String {
    let (mut model, mut interval) = (Model::new(), Interval::ALL);
    let (mut bits, mut pending) = (Vec::new(), 0);
    let mut put = |bit: bool, pending: &mut usize| {
        bits.push(bit);
        bits.extend(std::iter::repeat_n(!bit, std::mem::take(pending)));
    };
    for &symbol in symbols {
        interval.narrow(model.share(symbol), model.total());
        model.learn(symbol);
        while let Some(side) = interval.side() {
            if side == 2 {
                pending += 1;
            } else {
                put(side == 1, &mut pending);
            }
            interval.grow(side);
        }
    }
    pending += 1;
    put(interval.low >= QUARTER, &mut pending);
    bits.chunks(6).map(|six| digit(six.iter().rev().fold(0, |all, &bit| all << 1 | u8::from(bit)))).collect()
}

pub(super) fn read(note: &str, length: usize) -> Vec<u8> {
    let sixes = note.bytes().map_while(value);
    let bits: Vec<u64> = sixes.flat_map(|six| (0..6).map(move |nth| u64::from(six >> nth & 1))).collect();
    let mut place = 0;
    let mut next = || {
        place += 1;
        (bits.get(place - 1).copied().unwrap_or(0), place)
    };
    let mut code = (0..BITS).fold(0, |code, _| code << 1 | next().0);
    let (mut model, mut interval) = (Model::new(), Interval::ALL);
    // The writer's last bits are at least two, so all that it wrote is read before the reader is this far ahead.
    let ahead = bits.len() + BITS as usize - 2;
    let mut is_told = !bits.is_empty();
    let mut symbols = Vec::with_capacity(length);
    while symbols.len() < length {
        if !is_told {
            let symbol = model.likeliest();
            model.before = usize::from(symbol);
            symbols.push(symbol);
            continue;
        }
        let (width, total) = (interval.high - interval.low + 1, model.total());
        let symbol = model.at(((code - interval.low + 1) * total - 1) / width);
        interval.narrow(model.share(symbol), total);
        model.learn(symbol);
        symbols.push(symbol);
        while let Some(side) = interval.side() {
            interval.grow(side);
            let (bit, place) = next();
            code = (code - base(side)) * 2 + bit;
            is_told &= place <= ahead;
        }
    }
    symbols
}
