//! The ladder of built-in players. Each sends by a scheme of its own and reads every scheme, so any two can play.

use super::codes::{self, Message, Scheme, Word};
use super::{Action, MESSAGE, TransmitReceive, View, text};
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::{BotSpec, pure};

/// Weakest first.
pub(super) const ALL: &[BotSpec<TransmitReceive>] = &[
    BotSpec {
        name: "random",
        about: "sends and guesses random symbols",
        make: |stream| pure::<TransmitReceive>(stream, random),
    },
    BotSpec {
        name: "raw",
        about: "sends the message as it is",
        make: |stream| pure::<TransmitReceive>(stream, |view, _| play(view, |message, _, _| raw(message))),
    },
    BotSpec {
        name: "parity",
        about: "sends the message with sums of its rows and columns",
        make: |stream| {
            pure::<TransmitReceive>(stream, |view, _| {
                play(view, |message, _, _| (Scheme::Parity, codes::parity(message, 1)))
            })
        },
    },
    BotSpec {
        name: "hamming",
        about: "Hamming's code on blocks of four bits",
        make: |stream| {
            pure::<TransmitReceive>(stream, |view, _| {
                play(view, |message, _, _| (Scheme::Hamming, codes::hamming(message)))
            })
        },
    },
    BotSpec {
        name: "rep3",
        about: "sends every symbol three times, or once where there is no room",
        make: |stream| {
            pure::<TransmitReceive>(stream, |view, _| {
                play(view, |message, budget, _| match codes::rep3(message) {
                    word if word.len() <= budget => (Scheme::Rep3, word),
                    _ => raw(message),
                })
            })
        },
    },
    BotSpec {
        name: "erasure",
        about: "sends the message twice with sums, which decide where the two differ",
        make: |stream| {
            pure::<TransmitReceive>(stream, |view, _| {
                play(view, |message, budget, _| {
                    let copies = if codes::DOUBLE <= budget { 2 } else { 1 };
                    (Scheme::Parity, codes::parity(message, copies))
                })
            })
        },
    },
    BotSpec {
        name: "linear",
        about: "a linear code over eight symbols, read by the nearest codeword",
        make: |stream| {
            pure::<TransmitReceive>(stream, |view, _| {
                play(view, |message, budget, noise| {
                    let columns = (budget / 2).min(if noise < 50_000 { 7 } else { 9 });
                    (Scheme::Custom, codes::linear(message, columns))
                })
            })
        },
    },
];

/// The word for a message, by budget and noise.
type Send = fn(Message, usize, u32) -> (Scheme, Word);

fn raw(message: Message) -> (Scheme, Word) {
    (Scheme::Raw, message.iter().copied().collect())
}

fn play(view: &View<'_>, send: Send) -> Action {
    match *view {
        View::Send { message, budget, noise } => {
            let (scheme, word) = send(*message, budget.into(), noise);
            Action::Send { scheme, word: text(&word) }
        }
        View::Receive { scheme, received } => Action::Guess { text: text(&codes::read(scheme, received)) },
        View::Wait => Action::Guess { text: String::new() },
    }
}

fn random(view: &View<'_>, rng: &mut Pcg) -> Action {
    let text = text(&std::array::from_fn::<u8, MESSAGE, _>(|_| rng.below(codes::SYMBOLS.into()) as u8));
    match view {
        View::Send { .. } => Action::Send { scheme: Scheme::Raw, word: text },
        _ => Action::Guess { text },
    }
}
