//! Credits as whole numbers, so that caps and sums are exact.

use std::fmt;
use std::ops::Add;
use std::str::FromStr;

/// An amount of credits in millionths. A tick costs 0.0004 credits (protocol.md §4.9), which is 400 of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Micro(pub u64);

/// Why text is no amount of credits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an amount of credits is a number such as `2` or `0.25`, not negative, with at most six decimals")]
pub struct MicroError;

impl Micro {
    /// What a tick costs.
    pub const TICK: Self = Self(400);

    /// Ticks times the price of a tick; the largest amount where that overflows.
    pub fn ticks(ticks: u64) -> Self {
        Self(ticks.saturating_mul(Self::TICK.0))
    }

    /// The nearest amount that is not smaller; `None` for what is negative or no number.
    pub fn at_least(credits: f64) -> Option<Self> {
        // A millionth of slack: `0.1 + 0.2` is not more than 0.3 credits.
        let micro = (credits * 1e6 - 1e-3).ceil();
        (credits >= 0.0 && micro.is_finite()).then_some(Self(micro.max(0.0) as u64))
    }

    /// For people and for JSON.
    pub fn credits(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The sum, or the largest amount.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// What is left, or nothing.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Micro {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.plus(other)
    }
}

impl std::iter::Sum for Micro {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self(0), Self::plus)
    }
}

impl fmt::Display for Micro {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / 1_000_000, self.0 % 1_000_000);
        if part == 0 {
            return write!(f, "{whole}");
        }
        let digits = format!("{part:06}");
        write!(f, "{whole}.{}", digits.trim_end_matches('0'))
    }
}

impl FromStr for Micro {
    type Err = MicroError;

    fn from_str(text: &str) -> Result<Self, MicroError> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let enough = !(whole.is_empty() && part.is_empty()) && part.len() <= 6;
        if !enough || !digits(whole) || !digits(part) {
            return Err(MicroError);
        }
        let number = format!("{whole}{part:0<6}");
        number.parse().map(Self).map_err(|_| MicroError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_text_is_read_and_written_exactly() {
        for (text, micro, shown) in [
            ("0.0004", 400, "0.0004"),
            ("2", 2_000_000, "2"),
            (".5", 500_000, "0.5"),
            ("10.250000", 10_250_000, "10.25"),
        ] {
            let amount: Micro = text.parse().expect("an amount");
            assert_eq!((amount.0, amount.to_string().as_str()), (micro, shown));
        }
        for text in ["", ".", "-1", "1e3", "0.0000001", "1.2.3", "99999999999999999999", "١"] {
            assert_eq!(text.parse::<Micro>(), Err(MicroError), "{text:?}");
        }
    }

    #[test]
    fn a_float_of_the_wire_is_rounded_up_but_not_by_its_own_noise() {
        assert_eq!(Micro::at_least(0.1 + 0.2), Some(Micro(300_000)));
        assert_eq!(Micro::at_least(0.000_000_5), Some(Micro(1)));
        assert_eq!((Micro::at_least(-1.0), Micro::at_least(f64::NAN)), (None, None));
        assert_eq!(Micro::ticks(1000).credits().to_bits(), 0.4f64.to_bits());
        assert_eq!(Micro::ticks(u64::MAX), Micro(u64::MAX));
    }
}
