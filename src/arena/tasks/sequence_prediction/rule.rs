//! The rules that rows follow.

use crate::arena::engine::rng::Pcg;
use crate::arena::tasks::level::Level;

/// Numbers beyond this are not shown.
const LARGEST: i64 = 1_000_000_000_000_000;

/// How a row goes on.
#[derive(Debug, Clone)]
pub(super) enum Rule {
    /// The sum of so many last numbers, each times a factor (the last one's first), and a constant.
    Linear { first: Vec<i64>, factors: Vec<i64>, constant: i64 },
    /// The same modulo something.
    Modular { first: Vec<i64>, factors: Vec<i64>, constant: i64, modulus: i64 },
    /// By the digits of the last number.
    Digits { first: i64, how: Digits, constant: i64 },
    /// Two rows that take turns.
    Turns(Box<[Rule; 2]>),
}

/// What is done with the digits of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Digits {
    /// Their sum is added to the number.
    AddSum,
    /// The sum of their squares is added to the number.
    AddSquares,
    /// The number is read backwards and added to itself, the last six digits are kept.
    AddBackwards,
    /// Three times the sum of their squares.
    TripleSquares,
}

impl Digits {
    pub(super) const ALL: [Self; 4] =
        [Self::AddSum, Self::AddSquares, Self::AddBackwards, Self::TripleSquares];

    pub(super) fn apply(self, number: i64) -> i64 {
        let digits =
            || std::iter::successors(Some(number), |n| Some(n / 10)).take_while(|n| *n != 0).map(|n| n % 10);
        match self {
            Self::AddSum => number + digits().sum::<i64>(),
            Self::AddSquares => number + digits().map(|digit| digit * digit).sum::<i64>(),
            Self::AddBackwards => (number + digits().fold(0, |all, digit| all * 10 + digit)) % 1_000_000,
            Self::TripleSquares => 3 * digits().map(|digit| digit * digit).sum::<i64>(),
        }
    }
}

impl Rule {
    /// A rule for the level.
    pub(super) fn draw(rng: &mut Pcg, level: Level) -> Self {
        match level.difficulty.in_twentieths() {
            0..=3 => match rng.below(3) {
                0 => Self::linear(rng, 1),
                1 => Self::digits(rng),
                _ => Self::linear(rng, 2),
            },
            4..=8 => match rng.below(4) {
                0 => Self::digits(rng),
                1 => Self::modular(rng, 1),
                _ => Self::linear(rng, 2),
            },
            9..=13 => match rng.below(4) {
                0 => Self::modular(rng, 2),
                1 => Self::linear(rng, 3),
                _ => Self::turns(rng),
            },
            _ => match rng.below(4) {
                0 => Self::modular(rng, 3),
                1 => Self::linear(rng, 4),
                2 => Self::Turns(Box::new([Self::modular(rng, 2), Self::digits(rng)])),
                _ => Self::Turns(Box::new([Self::modular(rng, 2), Self::modular(rng, 2)])),
            },
        }
    }

    fn turns(rng: &mut Pcg) -> Self {
        let [one, other] = [(); 2].map(|()| match rng.below(3) {
            0 => Self::linear(rng, 1),
            1 => Self::digits(rng),
            _ => Self::modular(rng, 1),
        });
        Self::Turns(Box::new([one, other]))
    }

    fn linear(rng: &mut Pcg, order: usize) -> Self {
        let factors = (0..order).map(|nth| factor(rng, nth + 1 == order)).collect();
        Self::Linear {
            first: (0..order).map(|_| rng.between(-9, 9)).collect(),
            factors,
            constant: rng.between(-9, 9),
        }
    }

    fn modular(rng: &mut Pcg, order: usize) -> Self {
        const PRIMES: [i64; 8] = [53, 61, 67, 71, 79, 83, 89, 97];
        let modulus = PRIMES[rng.below(8) as usize];
        let numbers = |rng: &mut Pcg| (0..order).map(|_| rng.between(2, modulus - 2)).collect();
        let (first, factors) = (numbers(rng), numbers(rng));
        Self::Modular { first, factors, constant: rng.between(0, modulus - 1), modulus }
    }

    fn digits(rng: &mut Pcg) -> Self {
        let how = Digits::ALL[rng.below(4) as usize];
        Self::Digits { first: rng.between(11, 99), how, constant: rng.between(1, 9) }
    }

    /// The first numbers; nothing when one becomes too large.
    pub(super) fn terms(&self, count: usize) -> Option<Vec<i64>> {
        let terms = match self {
            Self::Linear { first, factors, constant } => {
                grow(first, count, |last| combined(last, factors, *constant))
            }
            Self::Modular { first, factors, constant, modulus } => {
                grow(first, count, |last| Some(combined(last, factors, *constant)?.rem_euclid(*modulus)))
            }
            Self::Digits { first, how, constant } => {
                grow(&[*first], count, |last| last.last().map(|number| how.apply(*number) + constant))
            }
            Self::Turns(rules) => {
                let half = count.div_ceil(2);
                let (one, other) = (rules[0].terms(half)?, rules[1].terms(half)?);
                let terms = one.into_iter().zip(other).flat_map(|(one, other)| [one, other]).take(count);
                Some(terms.collect())
            }
        };
        terms.filter(|terms| terms.iter().all(|term| term.abs() <= LARGEST))
    }
}

/// Small, seldom nothing; the oldest term must count.
fn factor(rng: &mut Pcg, is_oldest: bool) -> i64 {
    let factors: &[i64] = if is_oldest { &[1, -1, 1, -1, 2] } else { &[1, -1, 2, 0, 1] };
    factors[rng.below(5) as usize]
}

/// The sum of the last numbers times their factors, the last one's first, and the constant.
pub(super) fn combined(last: &[i64], factors: &[i64], constant: i64) -> Option<i64> {
    let parts = last.iter().rev().zip(factors);
    parts
        .map(|(term, factor)| term.checked_mul(*factor))
        .try_fold(constant, |sum, part| sum.checked_add(part?))
}

fn grow(first: &[i64], count: usize, next: impl Fn(&[i64]) -> Option<i64>) -> Option<Vec<i64>> {
    let mut terms = first.to_vec();
    terms.truncate(count);
    while terms.len() < count {
        terms.push(next(&terms).filter(|term| term.abs() <= LARGEST)?);
    }
    Some(terms)
}
