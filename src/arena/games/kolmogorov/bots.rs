//! The ladder of built-in players. Each is a way to write a note and a way to read it, and nothing else.
//!
//! All but the first keep only as much of a note as pays: what is missing is guessed, and right guesses count too.

mod arithmetic;
mod fit;
mod lz;
mod plain;

use super::payload::{self, symbol};
use super::{Action, Kolmogorov, View, plain_bytes, right, worth};
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::{BotSpec, pure};

/// Weakest first.
pub(super) const ALL: &[BotSpec<Kolmogorov>] = &[
    BotSpec {
        name: "verbatim",
        about: "notes the payload as it is, which earns nothing",
        make: |stream| pure::<Kolmogorov>(stream, verbatim),
    },
    BotSpec {
        name: "random",
        about: "notes nothing and emits random letters",
        make: |stream| pure::<Kolmogorov>(stream, random),
    },
    BotSpec {
        name: "mode",
        about: "notes the commonest letter and emits nothing else",
        make: |stream| pure::<Kolmogorov>(stream, |view, _| play(view, plain::mode, plain::read_mode)),
    },
    BotSpec {
        name: "pack",
        about: "packs two letters a byte, as many as pay",
        make: |stream| pure::<Kolmogorov>(stream, |view, _| play(view, plain::pack, plain::read_pack)),
    },
    BotSpec {
        name: "runs",
        about: "run lengths, as many as pay",
        make: |stream| pure::<Kolmogorov>(stream, |view, _| play(view, plain::runs, plain::read_runs)),
    },
    BotSpec {
        name: "lz",
        about: "letters and copies of what was before (LZ77), as many as pay",
        make: |stream| pure::<Kolmogorov>(stream, |view, _| play(view, lz::write, lz::read)),
    },
    BotSpec {
        name: "fit",
        about: "looks for the rule that made the payload, else lz",
        make: |stream| pure::<Kolmogorov>(stream, |view, _| play(view, fit::write, fit::read)),
    },
    BotSpec {
        name: "model",
        about: "fit, or arithmetic coding by the letter before where that pays more",
        make: |stream| pure::<Kolmogorov>(stream, |view, _| play(view, best_of_all, read_any)),
    },
];

fn verbatim(view: &View<'_>, _: &mut Pcg) -> Action {
    match *view {
        View::Encode { payload } => Action::Note { text: payload.to_owned() },
        View::Decode { note, .. } => Action::Emit { text: note.to_owned() },
        View::Nothing => Action::Emit { text: String::new() },
    }
}

fn random(view: &View<'_>, rng: &mut Pcg) -> Action {
    match *view {
        View::Encode { .. } => Action::Note { text: String::new() },
        View::Decode { length, .. } => {
            let symbols: Vec<u8> =
                (0..length).map(|_| rng.below(u64::from(payload::LETTERS)) as u8).collect();
            Action::Emit { text: payload::text(&symbols) }
        }
        View::Nothing => Action::Emit { text: String::new() },
    }
}

/// Makes a note of symbols.
type Write = fn(&[u8]) -> String;
/// Makes so many symbols of a note. Any text is a note: what it does not say is guessed.
type Read = fn(&str, usize) -> Vec<u8>;

fn play(view: &View<'_>, write: Write, read: Read) -> Action {
    match *view {
        View::Encode { payload } => Action::Note { text: shortened(payload, write(&symbols(payload)), read) },
        View::Decode { note, length } => Action::Emit { text: payload::text(&read(note, length)) },
        View::Nothing => Action::Emit { text: String::new() },
    }
}

fn symbols(text: &str) -> Vec<u8> {
    text.bytes().filter_map(symbol).collect()
}

/// As much of a note as earns the most. Notes are ASCII, so any byte may be the last.
fn shortened(payload: &str, mut note: String, read: Read) -> String {
    // Of a long note not every length is tried, for time.
    let most = note.len().min(plain_bytes(payload.len()));
    let tried = (0..=most).rev().step_by(1 + most / 32).chain([0]);
    let keep = tried.max_by_key(|&kept| (earns(payload, &note[..kept], read), std::cmp::Reverse(kept)));
    note.truncate(keep.unwrap_or(0));
    note
}

fn earns(payload: &str, note: &str, read: Read) -> u64 {
    let answer = payload::text(&read(note, payload.len()));
    worth(right(payload, &answer), note.len(), payload.len())
}

/// Begins a note that is coded arithmetically. No other note begins so.
const CODED: &str = "~";

fn best_of_all(symbols: &[u8]) -> String {
    let payload = payload::text(symbols);
    let coded = format!("{CODED}{}", arithmetic::write(symbols));
    let notes = [fit::write(symbols), coded].map(|note| shortened(&payload, note, read_any));
    notes.into_iter().max_by_key(|note| earns(&payload, note, read_any)).unwrap_or_default()
}

fn read_any(note: &str, length: usize) -> Vec<u8> {
    match note.strip_prefix(CODED) {
        Some(coded) => arithmetic::read(coded, length),
        None => fit::read(note, length),
    }
}

/// How many values a character of a note can have.
const DIGITS: u8 = 64;

/// A number below [`DIGITS`] as a character that is no letter of a payload.
fn digit(value: u8) -> char {
    // '#' to '@' are 30 characters; the letters of payloads are left out.
    char::from(if value < 30 { b'#' + value } else { b'I' + (value - 30) })
}

/// The value of a character.
fn value(digit: u8) -> Option<u8> {
    match digit {
        b'#'..=b'@' => Some(digit - b'#'),
        b'I'..=b'j' => Some(digit - b'I' + 30),
        _ => None,
    }
}

/// Two symbols a character; of an odd number, the last is followed by the symbol 0.
fn packed(symbols: &[u8]) -> String {
    symbols.chunks(2).map(|pair| digit(pair[0] * 8 + pair.get(1).copied().unwrap_or(0))).collect()
}

/// What [`packed`] wrote, up to the first character that is none of its.
fn unpacked(text: &[u8]) -> Vec<u8> {
    text.iter().map_while(|&digit| value(digit)).flat_map(|pair| [pair / 8, pair % 8]).collect()
}

#[cfg(test)]
mod tests;
