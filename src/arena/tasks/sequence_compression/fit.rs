//! Finds short programs for the families that are drawn, from the sequence alone.

use super::machine::{Program, Token};
use crate::arena::tasks::answer::Fuel;

/// Takes one symbol out of a combination of two.
type Undo = fn(u8, u8) -> u8;

/// The shortest beginning that the whole sequence repeats.
pub(super) fn period(symbols: &[u8]) -> &[u8] {
    let length = (1..symbols.len()).find(|&length| has_period(symbols, length));
    &symbols[..length.unwrap_or(symbols.len())]
}

fn has_period(symbols: &[u8], length: usize) -> bool {
    symbols.iter().zip(&symbols[length..]).all(|(a, b)| a == b)
}

/// The cheapest program that is found.
pub(super) fn program(symbols: &[u8]) -> Program {
    let repeated = Program(vec![Token::Text(period(symbols).to_vec())]);
    let found = [line(symbols), fold(symbols), square(symbols), alternating(symbols), two_texts(symbols)];
    let mut programs: Vec<Program> = found.into_iter().flatten().chain([repeated]).collect();
    programs.retain(|program| makes(program, symbols));
    programs.sort_by_key(Program::cost);
    programs.into_iter().next().unwrap_or_else(|| Program(vec![Token::Text(symbols.to_vec())]))
}

fn makes(program: &Program, symbols: &[u8]) -> bool {
    program.run(symbols.len(), &mut Fuel::default()).is_ok_and(|made| made == symbols)
}

fn agrees(symbols: &[u8], value: impl Fn(i64) -> i64) -> bool {
    symbols.iter().zip(0..).all(|(symbol, i)| value(i) & 7 == i64::from(*symbol))
}

fn line(symbols: &[u8]) -> Option<Program> {
    let mut pairs = (9..=64).flat_map(|m| (1..m).map(move |a| (a, m)));
    let (a, m) = pairs.find(|&(a, m)| agrees(symbols, |i| a * i % m))?;
    Some(Program(vec![Token::Index, Token::Number(a), Token::Mul, Token::Number(m), Token::Mod]))
}

fn fold(symbols: &[u8]) -> Option<Program> {
    let s = (1..8).find(|&s| agrees(symbols, |i| i ^ (i >> s)))?;
    Some(Program(vec![Token::Index, Token::Index, Token::Number(s), Token::Shift, Token::Xor]))
}

fn square(symbols: &[u8]) -> Option<Program> {
    let triples = (300..=470).flat_map(|m| (1..=30).flat_map(move |b| (2..=30).map(move |a| (a, b, m))));
    let (a, b, m) = { triples }.find(|&(a, b, m)| agrees(symbols, |i| (i + b) * i * a % m))?;
    let tokens = [Token::Index, Token::Number(b), Token::Add, Token::Index, Token::Mul];
    let rest = [Token::Number(a), Token::Mul, Token::Number(m), Token::Mod];
    Some(Program(tokens.into_iter().chain(rest).collect()))
}

/// Texts at odd and at even places, each with a period of its own.
fn alternating(symbols: &[u8]) -> Option<Program> {
    // Where the top of `if` is not 0, at odd places, the lowest list is taken.
    let [low, middle] = [1, 0].map(|rest| text_at(symbols, rest));
    let (low, middle) = (low?, middle?);
    Some(Program(vec![low, middle, Token::Index, Token::Number(2), Token::Mod, Token::If]))
}

/// The shortest text that is right at all places of one parity.
fn text_at(symbols: &[u8], parity: usize) -> Option<Token> {
    let text = |length: usize| {
        let mut text = vec![None; length];
        for at in (parity..symbols.len()).step_by(2) {
            if *text[at % length].get_or_insert(symbols[at]) != symbols[at] {
                return None;
            }
        }
        Some(Token::Text(text.into_iter().map(Option::unwrap_or_default).collect()))
    };
    (1..=40).find_map(text)
}

/// Two texts added or combined by exclusive or.
fn two_texts(symbols: &[u8]) -> Option<Program> {
    let minus: Undo = |a, b| a.wrapping_sub(b) & 7;
    let xor: Undo = |a, b| a ^ b;
    let mut best: Option<(usize, usize, Undo, Token)> = None;
    for p in 1..=40.min(symbols.len() / 2) {
        for (undo, token) in [(minus, Token::Add), (xor, Token::Xor)] {
            // What is left of a difference over one period has the other one.
            let rest: Vec<u8> = symbols.iter().zip(&symbols[p..]).map(|(a, b)| undo(*b, *a)).collect();
            let most = best.as_ref().map_or(symbols.len(), |(p, q, ..)| p + q);
            let longest = most.saturating_sub(p).min(rest.len());
            if let Some(q) = (p..longest).find(|&q| has_period(&rest, q)) {
                best = Some((p, q, undo, token));
            }
        }
    }
    let (p, q, undo, token) = best?;
    let (one, other) = split(symbols, p, q, undo)?;
    Some(Program(vec![Token::Text(one), Token::Text(other), token]))
}

/// The texts of lengths `p` and `q` that make the symbols, when there are any.
fn split(symbols: &[u8], p: usize, q: usize, undo: Undo) -> Option<(Vec<u8>, Vec<u8>)> {
    let (mut one, mut other) = (vec![None; p], vec![None; q]);
    // Each symbol ties a place of one text to a place of the other; what is not tied to anything is 0.
    for start in 0..p {
        if one[start].is_none() {
            one[start] = Some(0);
        }
        let mut grew = true;
        while grew {
            grew = false;
            for (at, &symbol) in symbols.iter().enumerate() {
                let (a, b) = (one[at % p], other[at % q]);
                match (a, b) {
                    (Some(a), None) => (other[at % q], grew) = (Some(undo(symbol, a)), true),
                    (None, Some(b)) => (one[at % p], grew) = (Some(undo(symbol, b)), true),
                    (Some(a), Some(b)) if undo(symbol, a) != b => return None,
                    _ => {}
                }
            }
        }
    }
    Some((one.into_iter().flatten().collect(), other.into_iter().map(Option::unwrap_or_default).collect()))
}
