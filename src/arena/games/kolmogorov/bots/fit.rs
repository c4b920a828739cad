//! Finds the rule that made a payload, and notes its numbers. Where there is none the note is that of [`lz`].

use std::collections::BTreeSet;

use super::super::payload::{LETTERS, Pattern, SYSTEMS, neighbourhood};
use super::{DIGITS, digit, lz, packed, unpacked, value};

/// Begin the notes of patterns. None is a letter of a payload or a digit, so none begins a note of [`lz`].
const PERIOD: u8 = b'p';
const INTERLEAVE: u8 = b'q';
const ARITHMETIC: u8 = b'r';
const REGISTER: u8 = b's';
const GROWTH: u8 = b't';
const AUTOMATON: u8 = b'u';

pub(super) fn write(symbols: &[u8]) -> String {
    let notes = patterns(symbols).filter(|pattern| pattern.symbols(symbols.len()) == symbols);
    notes.map(|pattern| note(&pattern)).min_by_key(String::len).unwrap_or_else(|| lz::write(symbols))
}

pub(super) fn read(text: &str, length: usize) -> Vec<u8> {
    pattern(text.as_bytes()).map_or_else(|| lz::read(text, length), |pattern| pattern.symbols(length))
}

/// What may have made the symbols.
fn patterns(symbols: &[u8]) -> impl Iterator<Item = Pattern> {
    let two = two_letters(symbols);
    let bits = |letters: [u8; 2]| symbols.iter().map(move |&symbol| u8::from(symbol == letters[1]));
    let registers = two
        .into_iter()
        .flat_map(|[zero, one]| [[zero, one], [one, zero]])
        .filter_map(move |letters| register(&bits(letters).collect::<Vec<u8>>(), letters));
    let automata = two.into_iter().flat_map(move |letters| automata(bits(letters).collect(), letters));
    period(symbols, usize::from(DIGITS) - 1)
        .map(|word| Pattern::Period(word.to_vec()))
        .into_iter()
        .chain(interleave(symbols))
        .chain(arithmetic(symbols))
        .chain(growth(symbols))
        .chain(registers)
        .chain(automata)
}

/// The shortest word that the symbols repeat, if it stands there three times.
fn period(symbols: &[u8], longest: usize) -> Option<&[u8]> {
    let repeats = |&length: &usize| symbols[length..].iter().zip(symbols).all(|(one, other)| one == other);
    let length = (1..=longest.min(symbols.len() / 3)).find(repeats)?;
    Some(&symbols[..length])
}

fn interleave(symbols: &[u8]) -> Option<Pattern> {
    let every_other = |from: usize| symbols.iter().skip(from).step_by(2).copied().collect::<Vec<u8>>();
    let [even, odd] = [every_other(0), every_other(1)];
    let longest = usize::from(DIGITS) / 2;
    Some(Pattern::Interleave(period(&even, longest)?.to_vec(), period(&odd, longest)?.to_vec()))
}

/// All of them: whoever asks checks whether one fits.
fn arithmetic(symbols: &[u8]) -> impl Iterator<Item = Pattern> {
    // The first symbol is `c`, the second `a + b + c`.
    let start = symbols.first().copied().zip(symbols.get(1).copied());
    start.into_iter().flat_map(|(first, second)| {
        let linear = move |square: u8| (second + 2 * LETTERS - first - square) % LETTERS;
        (0..LETTERS).map(move |square| Pattern::Arithmetic([square, linear(square), first]))
    })
}

fn growth(symbols: &[u8]) -> impl Iterator<Item = Pattern> {
    // Every system shows its letters in order.
    let mut seen = symbols.to_vec();
    let mut known = BTreeSet::new();
    seen.retain(|symbol| known.insert(*symbol));
    let letters = [0, 1, 2].map(|nth| seen.get(nth).copied().unwrap_or(0));
    let fits = seen.len() <= letters.len();
    (0..SYSTEMS.len() as u8).filter(move |_| fits).map(move |system| Pattern::Growth { system, letters })
}

/// The letters, if there are two.
fn two_letters(symbols: &[u8]) -> Option<[u8; 2]> {
    let letters: BTreeSet<u8> = symbols.iter().copied().collect();
    <[u8; 2]>::try_from(letters.into_iter().collect::<Vec<u8>>()).ok()
}

/// The shortest register that gives the bits: J. L. Massey, "Shift-Register Synthesis and BCH Decoding", 1969.
fn register(bits: &[u8], letters: [u8; 2]) -> Option<Pattern> {
    /// Longer ones are no rule.
    const LONGEST: usize = 24;
    // Bit k of a polynomial says whether the bit k places before counts.
    let (mut now, mut before): (u64, u64) = (1, 1);
    let (mut length, mut shift) = (0, 1);
    for place in 0..bits.len() {
        let counted = |&back: &usize| now >> back & 1 == 1;
        let predicted = (0..=length.min(place)).filter(counted).fold(0, |bit, back| bit ^ bits[place - back]);
        if predicted == 0 {
            shift += 1;
            continue;
        }
        let corrected = now ^ before << shift;
        if 2 * length <= place {
            (length, before, shift) = (place + 1 - length, now, 1);
            if length > LONGEST {
                return None;
            }
        } else {
            shift += 1;
        }
        now = corrected;
    }
    let taps =
        (1..=length).filter(|back| now >> back & 1 == 1).fold(0, |taps, back| taps | 1 << (length - back));
    let start = (0..length).fold(0, |start, place| start | u32::from(bits[place]) << place);
    (length > 0).then_some(Pattern::Register { length: length as u8, taps, start, letters })
}

/// Those of any width whose rule is not contradicted.
fn automata(bits: Vec<u8>, letters: [u8; 2]) -> impl Iterator<Item = Pattern> {
    (3..=32_usize.min(bits.len() / 3)).filter_map(move |width| {
        let start = (0..width).fold(0, |start, cell| start | u32::from(bits[cell]) << cell);
        let rule = rule(&bits, width)?;
        Some(Pattern::Automaton { rule, width: width as u8, start, letters })
    })
}

/// The rule that leads from every whole row to the next.
fn rule(bits: &[u8], width: usize) -> Option<u8> {
    let rows: Vec<&[u8]> = bits.chunks_exact(width).collect();
    let (mut rule, mut known) = (0_u8, 0_u8);
    for pair in rows.windows(2) {
        for cell in 0..width {
            let mask = 1 << neighbourhood(pair[0], cell);
            let bit = if pair[1][cell] == 1 { mask } else { 0 };
            if known & mask != 0 && rule & mask != bit {
                return None;
            }
            (known, rule) = (known | mask, rule | bit);
        }
    }
    Some(rule)
}

fn note(pattern: &Pattern) -> String {
    let mut note = String::new();
    let mut put = |kind: u8, small: &[usize], letters: &[u8]| {
        note.push(char::from(kind));
        note.extend(small.iter().map(|&number| digit(number as u8)));
        note.push_str(&packed(letters));
    };
    match pattern {
        Pattern::Period(word) => put(PERIOD, &[word.len()], word),
        Pattern::Interleave(even, odd) => {
            put(INTERLEAVE, &[even.len(), odd.len()], &[even.as_slice(), odd].concat());
        }
        Pattern::Arithmetic(factors) => put(ARITHMETIC, &[], factors),
        Pattern::Register { length, taps, start, letters } => {
            let numbers = [digits(*taps, *length), digits(*start, *length)].concat();
            put(REGISTER, &[&[usize::from(*length)][..], &numbers].concat(), letters);
        }
        Pattern::Growth { system, letters } => put(GROWTH, &[usize::from(*system)], letters),
        Pattern::Automaton { rule, width, start, letters } => {
            let numbers = [digits(u32::from(*rule), 8), digits(*start, *width)].concat();
            put(AUTOMATON, &[&[usize::from(*width)][..], &numbers].concat(), letters);
        }
    }
    note
}

/// So many bits in sixes, the lowest first.
fn digits(number: u32, bits: u8) -> Vec<usize> {
    (0..bits.div_ceil(6)).map(|nth| (number >> (6 * nth)) as usize % usize::from(DIGITS)).collect()
}

/// Reads a note from front to back.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn small(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        value(*first)
    }

    /// What [`digits`] wrote.
    fn number(&mut self, bits: u8) -> Option<u32> {
        (0..bits.div_ceil(6)).try_fold(0, |number, nth| {
            Some(number | u32::from(self.small()?).checked_shl(6 * u32::from(nth))?)
        })
    }

    /// All that is left, at least so many letters.
    fn letters(&mut self, least: usize) -> Option<Vec<u8>> {
        Some(unpacked(self.0)).filter(|letters| letters.len() >= least)
    }

    fn some_letters<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.letters(N)?.first_chunk().copied()
    }
}

/// What a note says, if it is that of a pattern and whole. Any text may come.
fn pattern(note: &[u8]) -> Option<Pattern> {
    let (kind, rest) = note.split_first()?;
    let mut reader = Reader(rest);
    match *kind {
        PERIOD => {
            let length = reader.small().filter(|length| *length > 0)?.into();
            let mut word = reader.letters(length)?;
            word.truncate(length);
            Some(Pattern::Period(word))
        }
        INTERLEAVE => {
            let lengths = [usize::from(reader.small()?), usize::from(reader.small()?)];
            let mut even = reader.letters(lengths[0] + lengths[1])?;
            let mut odd = even.split_off(lengths[0]);
            odd.truncate(lengths[1]);
            (!even.is_empty() && !odd.is_empty()).then_some(Pattern::Interleave(even, odd))
        }
        ARITHMETIC => Some(Pattern::Arithmetic(reader.some_letters()?)),
        REGISTER => {
            let length = reader.small().filter(|length| (1..32).contains(length))?;
            let (taps, start) = (reader.number(length)?, reader.number(length)?);
            Some(Pattern::Register { length, taps, start, letters: reader.some_letters()? })
        }
        GROWTH => {
            let system = reader.small().filter(|system| usize::from(*system) < SYSTEMS.len())?;
            Some(Pattern::Growth { system, letters: reader.some_letters()? })
        }
        AUTOMATON => {
            let width = reader.small().filter(|width| (3..=32).contains(width))?;
            let (rule, start) = (reader.number(8)? as u8, reader.number(width)?);
            Some(Pattern::Automaton { rule, width, start, letters: reader.some_letters()? })
        }
        _ => None,
    }
}
