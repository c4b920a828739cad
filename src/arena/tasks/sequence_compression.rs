//! `sequence_compression`: write a sequence of letters as a short program.
//!
//! `machine` is the language, `fit` finds programs for the simpler families.

mod fit;
mod machine;

use serde_json::{Value, json};

use self::machine::{Program, Token};
use super::answer::{Fuel, Refusal};
use super::level::Level;
use super::prompt::{ONE_ACTION, POINTS, Section, UNREADABLE};
use super::{Instance, Kind, Score, Variant, VariantSpec, hard_enough};
use crate::arena::engine::rng::Pcg;

/// The variant.
pub(super) struct SequenceCompression;

static SPEC: VariantSpec = VariantSpec {
    name: "sequence_compression",
    kind: Kind::Compression,
    weight: 1.0,
    version: 1,
    title: "Sequence compression",
    is_exact: true,
    rules: &[
        Section {
            title: "Problem",
            sentences: &[
                [
                    "`sequence` is a row of letters from A to H that some short program makes.",
                    "A short program made the letters from A to H in `sequence`.",
                    "In `sequence` there are letters from A to H, made by a short program.",
                ],
                [
                    "Write a program that makes it, with as few tokens as you can.",
                    "Find a program that makes the same letters and costs as little as possible.",
                    "State a program for it, the shorter the better.",
                ],
            ],
        },
        Section {
            title: "Language",
            sentences: &[
                [
                    "A program works on a stack of lists of whole numbers; a letter is a number, A is 0 and H is 7.",
                    "Programs keep a stack of lists of whole numbers, in which letters from A, which is 0, to H, which is 7, are numbers.",
                    "There is a stack of lists of whole numbers; the letters are numbers as well, with A for 0 and H for 7.",
                ],
                [
                    "A number pushes a list of itself, a text of letters the list of its letters, and `index` the list 0, 1, 2 and so on for each place of the sequence.",
                    "What is pushed: by `index` the list 0, 1, 2 and on, a number for each place of the sequence; by a number the list of it alone; by a text of letters their list.",
                    "To push a list, write `index` for 0, 1, 2 and on up to the length of the sequence, a number for itself, or a text for its letters.",
                ],
                [
                    "`add`, `mul`, `mod`, `xor` and `shift` (to the right) take two lists and combine them place by place, each repeated to the length of the sequence.",
                    "Two lists, each repeated to the length of the sequence, are combined place by place by `add`, `mul`, `mod`, `xor`, and by `shift`, which shifts right.",
                    "With `add`, `mul`, `mod`, `xor` and `shift`, a shift to the right, two lists become one as long as the sequence, place by place and repeated as needed.",
                ],
                [
                    "`concat` puts two lists in a row; `repeat` takes a list and then how often to repeat it; `pick` takes a list and then the places to take from it, counted around.",
                    "Two lists in a row are made by `concat`, a list repeated by `repeat`, with the count on top, and by `pick` a list of what stands in a list at the places on top, counted around.",
                    "`repeat` wants a list and above it a count, `pick` a list and above it places, which are counted around; `concat` appends the upper list to the lower.",
                ],
                [
                    "`if` takes three lists in the same way: where the top one is not 0 the lowest, else the middle one.",
                    "By `if` three lists become one in the same way: of the lowest where the top is not 0, of the middle one elsewhere.",
                    "Of three lists `if` makes one in the same way, with the lowest where the top one is other than 0 and the middle one elsewhere.",
                ],
                [
                    "At the end the top list, repeated as often as needed and taken modulo 8, must be the sequence.",
                    "The sequence is the top list at the end, modulo 8, over and over.",
                    "What is on top at the end, modulo 8 and repeated to the full length, must be the sequence.",
                ],
            ],
        },
        Section {
            title: "Answer",
            sentences: &[
                ONE_ACTION,
                [
                    "Its form is `{\"action\":\"submit\",\"program\":[\"ABC\",\"index\",2,\"mul\",\"pick\"]}`.",
                    "Send `{\"action\":\"submit\",\"program\":[\"ABC\",\"index\",2,\"mul\",\"pick\"]}`, with a program of your own.",
                    "It looks like `{\"action\":\"submit\",\"program\":[\"ABC\",\"index\",2,\"mul\",\"pick\"]}`.",
                ],
            ],
        },
        Section {
            title: "Scoring",
            sentences: &[
                [
                    "Each letter of a text costs 1, and so does every other token.",
                    "The cost is 1 for a letter in a text and for any other token.",
                    "You pay 1 for every token, and for every letter where the token is a text.",
                ],
                POINTS,
                [
                    "The sequence as a text gets 0, the program that made it 1, and what lies between a share.",
                    "As a text the sequence is worth 0, as cheaply as it was made 1, with shares between.",
                    "Between the sequence as a text, for 0, and the program it was made by, for 1, they grow with what is saved.",
                ],
                UNREADABLE,
            ],
        },
    ],
};

struct Sequence {
    symbols: Vec<u8>,
    /// The cost of the program that made it.
    made_for: usize,
}

impl Variant for SequenceCompression {
    fn spec(&self) -> &'static VariantSpec {
        &SPEC
    }

    fn draw(&self, seed: u64, level: Level) -> Box<dyn Instance> {
        let mut rng = Pcg::new(seed);
        let length = level.length(64, 512);
        Box::new(hard_enough(level, || {
            let program = made(&mut rng, level);
            let symbols = program.run(length, &mut Fuel::default()).unwrap_or_else(|_| vec![0; length]);
            Sequence { symbols, made_for: program.cost() }
        }))
    }
}

impl Instance for Sequence {
    fn observation(&self) -> Value {
        json!({ "length": self.symbols.len(), "sequence": machine::letters(&self.symbols) })
    }

    fn score(&self, action: &Value, fuel: &mut Fuel) -> Result<Score, Refusal> {
        let program = Program::read(action)?;
        let found = program.run(self.symbols.len(), fuel)?;
        if let Some(at) = found.iter().zip(&self.symbols).position(|(found, wanted)| found != wanted) {
            return Err(Refusal::Answer(format!("the program gives another letter at place {at}")));
        }
        let (cost, base) = (program.cost() as f64, self.symbols.len() as f64);
        Ok(Score::share(base - cost, base - self.made_for as f64, program.cost() <= self.made_for))
    }

    fn reference(&self) -> Value {
        fit::program(&self.symbols).answer()
    }

    /// The shortest text that repeats.
    fn naive(&self) -> Value {
        Program(vec![Token::Text(fit::period(&self.symbols).to_vec())]).answer()
    }
}

/// A program that makes a sequence: one family at first, families on top of each other later.
fn made(rng: &mut Pcg, level: Level) -> Program {
    let easy: &[fn(&mut Pcg, Level) -> Program] = &[period, line, fold];
    let middle: &[fn(&mut Pcg, Level) -> Program] = &[alternating, square, sum, either];
    let (first, second) = match level.difficulty.in_twentieths() {
        0..=4 => (easy, None),
        5..=13 => (middle, None),
        14..=17 => (middle, Some(period as fn(&mut Pcg, Level) -> Program)),
        _ => (middle, Some(square as fn(&mut Pcg, Level) -> Program)),
    };
    let mut program = first[rng.below(first.len() as u64) as usize](rng, level);
    if let Some(second) = second {
        program.0.extend(second(rng, level).0);
        program.0.push(Token::Add);
    }
    program
}

fn text(rng: &mut Pcg, length: i64) -> Token {
    Token::Text((0..length).map(|_| rng.below(8) as u8).collect())
}

/// A length of a text that grows with the level, drawn so that two seldom have a common factor.
fn short(rng: &mut Pcg, level: Level) -> i64 {
    let middle = level.between(7, 23);
    rng.between(middle - 3, middle + 4)
}

fn period(rng: &mut Pcg, level: Level) -> Program {
    let length = short(rng, level);
    Program(vec![text(rng, length)])
}

/// `a i mod m`.
fn line(rng: &mut Pcg, level: Level) -> Program {
    let modulus = rng.between(11, level.between(20, 60));
    Program(vec![
        Token::Index,
        Token::Number(rng.between(2, modulus - 1)),
        Token::Mul,
        Token::Number(modulus),
        Token::Mod,
    ])
}

/// `i xor (i >> s)`.
fn fold(rng: &mut Pcg, _: Level) -> Program {
    Program(vec![Token::Index, Token::Index, Token::Number(rng.between(1, 3)), Token::Shift, Token::Xor])
}

/// `(i + b) i a mod m`.
fn square(rng: &mut Pcg, _: Level) -> Program {
    const PRIMES: [i64; 8] = [311, 331, 353, 373, 397, 421, 443, 463];
    let modulus = PRIMES[rng.below(8) as usize];
    let (b, a) = (rng.between(1, 30), rng.between(2, 30));
    let tokens = [Token::Index, Token::Number(b), Token::Add, Token::Index, Token::Mul];
    let rest = [Token::Number(a), Token::Mul, Token::Number(modulus), Token::Mod];
    Program(tokens.into_iter().chain(rest).collect())
}

/// One text at even places and another one at odd ones, each where it would stand alone.
fn alternating(rng: &mut Pcg, level: Level) -> Program {
    let [p, q] = [(); 2].map(|()| short(rng, level) | 1);
    let tokens = [text(rng, p), text(rng, q), Token::Index, Token::Number(2), Token::Mod, Token::If];
    Program(tokens.into_iter().collect())
}

/// Two texts added.
fn sum(rng: &mut Pcg, level: Level) -> Program {
    let [p, q] = [(); 2].map(|()| short(rng, level));
    Program(vec![text(rng, p), text(rng, q), Token::Add])
}

/// Two texts combined by exclusive or.
fn either(rng: &mut Pcg, level: Level) -> Program {
    let [p, q] = [(); 2].map(|()| short(rng, level));
    Program(vec![text(rng, p), text(rng, q), Token::Xor])
}

#[cfg(test)]
mod tests;
