//! Letters, and copies of what was before: after J. Ziv and A. Lempel, "A Universal Algorithm for Sequential Data
//! Compression", 1977. A copy may reach into itself, so a word that repeats costs its letters and one copy.
//!
//! A letter stands for itself. A copy is a digit for its length and one or two for how far back it begins.

use super::super::payload::symbol;
use super::{DIGITS, digit, value};

/// Shorter copies cost as much as their letters.
const SHORTEST: usize = 3;
/// Distances up to this take one digit, longer ones two.
const NEAR: usize = 48;

/// What a digit says of the length: every length up to 42, then steps of 20.
fn length_of(digit: u8) -> usize {
    let digit = usize::from(digit);
    if digit < 40 { SHORTEST + digit } else { SHORTEST + 40 + (digit - 40) * 20 }
}

/// The longest copy that can be written and is not longer than this.
fn longest(length: usize) -> Option<u8> {
    (0..DIGITS).rev().find(|&digit| length_of(digit) <= length)
}

pub(super) fn write(symbols: &[u8]) -> String {
    let mut note = String::new();
    let mut at = 0;
    while at < symbols.len() {
        let (matched, back) = best_match(symbols, at);
        let costs = if back <= NEAR { 2 } else { 3 };
        if let Some(length) = longest(matched).filter(|&digit| length_of(digit) > costs) {
            note.push(digit(length));
            push_distance(&mut note, back);
            at += length_of(length);
        } else {
            note.push(char::from(b'A' + symbols[at]));
            at += 1;
        }
    }
    note
}

/// The longest match of what follows with what was before, and how far back it begins: the nearest one.
fn best_match(symbols: &[u8], at: usize) -> (usize, usize) {
    let matched = |back: usize| {
        symbols[at..].iter().zip(&symbols[at - back..]).take_while(|(one, other)| one == other).count()
    };
    (1..=at)
        .map(|back| (matched(back), back))
        .max_by_key(|&(n, back)| (n, std::cmp::Reverse(back)))
        .unwrap_or((0, 0))
}

fn push_distance(note: &mut String, back: usize) {
    match back.checked_sub(NEAR + 1) {
        None => note.push(digit((back - 1) as u8)),
        Some(far) => {
            let (high, low) = (far / usize::from(DIGITS), far % usize::from(DIGITS));
            note.push(digit((NEAR + high) as u8));
            note.push(digit(low as u8));
        }
    }
}

/// The distance at the head of a note, and the rest.
fn distance(note: &[u8]) -> Option<(usize, &[u8])> {
    let (first, rest) = note.split_first()?;
    let first = usize::from(value(*first)?);
    if first < NEAR {
        return Some((first + 1, rest));
    }
    let (low, rest) = rest.split_first()?;
    let far = (first - NEAR) * usize::from(DIGITS) + usize::from(value(*low)?);
    Some((far + NEAR + 1, rest))
}

/// What is missing goes on as the last copy did.
pub(super) fn read(note: &str, length: usize) -> Vec<u8> {
    let mut symbols = Vec::with_capacity(length);
    let mut rest = note.as_bytes();
    let mut last_back = 1;
    while let [first, tail @ ..] = rest {
        rest = tail;
        if let Some(symbol) = symbol(*first) {
            symbols.push(symbol);
            last_back = 1;
            continue;
        }
        let Some(((back, after), copied)) = distance(tail).zip(value(*first)) else { break };
        copy(&mut symbols, back, length_of(copied));
        (rest, last_back) = (after, back);
    }
    let missing = length.saturating_sub(symbols.len());
    copy(&mut symbols, last_back, missing);
    symbols.truncate(length);
    symbols
}

/// Where nothing stood before, it is the symbol 0.
fn copy(symbols: &mut Vec<u8>, back: usize, times: usize) {
    for _ in 0..times {
        let from = symbols.len().checked_sub(back).map_or(0, |place| symbols[place]);
        symbols.push(from);
    }
}
