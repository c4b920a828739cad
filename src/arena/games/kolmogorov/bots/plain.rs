//! Three simple notes: the commonest letter, letters packed in pairs, and run lengths.

use super::super::payload::{LETTERS, symbol};
use super::{packed, unpacked};

/// The commonest symbol, the lowest of several.
fn commonest(symbols: &[u8]) -> u8 {
    let count = |symbol: u8| symbols.iter().map(|&other| usize::from(other == symbol)).sum::<usize>();
    (0..LETTERS).rev().max_by_key(|&symbol| count(symbol)).unwrap_or(0)
}

fn letter(symbol: u8) -> char {
    char::from(b'A' + symbol)
}

pub(super) fn mode(symbols: &[u8]) -> String {
    letter(commonest(symbols)).to_string()
}

pub(super) fn read_mode(note: &str, length: usize) -> Vec<u8> {
    vec![note.bytes().next().and_then(symbol).unwrap_or(0); length]
}

/// The commonest symbol, then all of them in pairs.
pub(super) fn pack(symbols: &[u8]) -> String {
    format!("{}{}", letter(commonest(symbols)), packed(symbols))
}

pub(super) fn read_pack(note: &str, length: usize) -> Vec<u8> {
    let (fill, rest) = match note.as_bytes() {
        [first, rest @ ..] => (symbol(*first).unwrap_or(0), rest),
        [] => (0, &[][..]),
    };
    let mut symbols = unpacked(rest);
    symbols.resize(length, fill);
    symbols
}

/// Letters, each followed by how often it stands there if that is not once.
pub(super) fn runs(symbols: &[u8]) -> String {
    let runs = symbols.chunk_by(|one, other| one == other);
    let run = |run: &[u8]| match run.len() {
        1 => letter(run[0]).to_string(),
        n => format!("{}{n}", letter(run[0])),
    };
    runs.map(run).collect()
}

pub(super) fn read_runs(note: &str, length: usize) -> Vec<u8> {
    let mut symbols = Vec::with_capacity(length);
    let mut rest = note.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let times = tail[..digits]
            .iter()
            .fold(0, |n: usize, digit| n.saturating_mul(10).saturating_add(usize::from(digit - b'0')));
        let room = length - symbols.len();
        let times = if digits == 0 { 1 } else { times };
        symbols.extend(
            symbol(*first).into_iter().flat_map(|symbol| std::iter::repeat_n(symbol, times.min(room))),
        );
        rest = &tail[digits..];
    }
    let last = symbols.last().copied().unwrap_or(0);
    symbols.resize(length, last);
    symbols
}
