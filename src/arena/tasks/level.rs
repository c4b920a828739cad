//! How hard a task is, what that costs, and how long the problem may be.

use serde::{Serialize, Serializer};

use crate::arena::credits::Credits;

/// A difficulty from 0 to 1, kept in twentieths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difficulty(u8);

impl Difficulty {
    /// When nobody says: 0.45.
    pub const DEFAULT: Self = Self(9);
    /// The highest.
    pub const MAX: Self = Self(20);

    /// The nearest twentieth, ties up; what is outside of 0 to 1 becomes the nearer end.
    pub fn nearest(value: f64) -> Self {
        Self((value.clamp(0.0, 1.0) * 20.0 + 0.5).floor() as u8)
    }

    /// So many twentieths, 20 at most.
    pub fn twentieths(count: u8) -> Self {
        Self(count.min(20))
    }

    /// In twentieths.
    pub fn in_twentieths(self) -> u8 {
        self.0
    }

    /// As a number from 0 to 1.
    pub fn value(self) -> f64 {
        f64::from(self.0) / 20.0
    }

    /// The price of a task: 0.004 and 0.016 times the difficulty, in credits.
    pub fn generate_price(self) -> Credits {
        Credits(4_000 + 800 * i64::from(self.0))
    }

    /// The price of a scored action: 0.001 and 0.004 times the difficulty, in credits.
    pub fn score_price(self) -> Credits {
        Credits(1_000 + 200 * i64::from(self.0))
    }
}

impl Serialize for Difficulty {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.value())
    }
}

/// What an instance is drawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// How hard it is.
    pub difficulty: Difficulty,
    /// Its length in percent of what the difficulty asks for: below 100 when the prompt had to be shorter.
    pub percent: u8,
}

impl Level {
    /// At full length.
    pub fn new(difficulty: Difficulty) -> Self {
        Self { difficulty, percent: 100 }
    }

    /// The same at three quarters of the length; nothing when it is as short as it can be.
    pub fn shorter(self) -> Option<Self> {
        let percent = (u16::from(self.percent) * 3 / 4) as u8;
        (percent >= 5).then_some(Self { percent, ..self })
    }

    /// A number between what is right for difficulty 0 and what is right for 1, rounded.
    pub fn between(self, easy: i64, hard: i64) -> i64 {
        let twentieths = (hard - easy) * i64::from(self.difficulty.0);
        easy + (twentieths * 2 + 20 * twentieths.signum()) / 40
    }

    /// A length: as [`Level::between`], but shorter when the prompt has to be, 1 at least.
    pub fn length(self, easy: i64, hard: i64) -> usize {
        (self.between(easy, hard) * i64::from(self.percent) / 100).max(1) as usize
    }

    /// Whether it is at least so hard.
    pub fn is_at_least(self, difficulty: f64) -> bool {
        self.difficulty.value() >= difficulty
    }

    /// The points that a naive answer may get: all at 0, a quarter at 0.5, a tenth at 1.
    pub fn conceded(self) -> f64 {
        let difficulty = self.difficulty.value();
        if difficulty < 0.5 { 1.0 - 1.5 * difficulty } else { 0.4 - 0.3 * difficulty }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn difficulties_are_rounded_to_a_twentieth_with_ties_up() {
        // arena.md §10.1.
        for (given, rounded) in [
            (0.0, 0.0),
            (0.024, 0.0),
            (0.025, 0.05),
            (0.45, 0.45),
            (0.474, 0.45),
            (0.475, 0.5),
            (0.99, 1.0),
            (1.0, 1.0),
        ] {
            assert!((Difficulty::nearest(given).value() - rounded).abs() < 1e-12, "{given}");
        }
    }

    #[test]
    fn prices_are_exact_decimals() {
        // arena.md §10.1: 0.004 + 0.016 d, 0.001 + 0.004 d.
        let text = |credits| serde_json::to_string(&credits).unwrap();
        for (difficulty, generate, score) in
            [(0, "0.004", "0.001"), (9, "0.0112", "0.0028"), (10, "0.012", "0.003"), (20, "0.02", "0.005")]
        {
            let difficulty = Difficulty::twentieths(difficulty);
            assert_eq!(text(difficulty.generate_price()), generate);
            assert_eq!(text(difficulty.score_price()), score);
        }
    }

    #[test]
    fn lengths_shrink_and_other_numbers_do_not() {
        let level = Level::new(Difficulty::MAX);
        let shorter = level.shorter().unwrap();
        assert_eq!((shorter.length(10, 100), shorter.between(10, 100)), (75, 100));
        assert_eq!(Level::new(Difficulty::twentieths(10)).between(3, 6), 5);
        assert_eq!(Level::new(Difficulty::twentieths(10)).between(8, 2), 5);
        assert!(std::iter::successors(Some(level), |level| level.shorter()).count() < 20);
    }
}
