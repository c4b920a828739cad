//! Credits as whole numbers, so that caps and sums are exact.

use std::fmt;
use std::ops::Add;
use std::str::FromStr;

/// An amount of credits in millionths. A tick costs 0.0004 credits (protocol.md §4.9), which is 400 of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Micro(pub u64);

/// Digits after the point.
const PLACES: usize = 6;

/// A text is no amount of credits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AmountError {
    /// It is not of the form `12` or `0.0004`.
    #[error("must be a number of credits of 0 or more, like `12` or `0.0004`")]
    Form,
    /// A seventh digit after the point.
    #[error("must not be finer than a millionth of a credit")]
    TooFine,
    /// More than fits.
    #[error("must be a smaller number of credits")]
    TooLarge,
}

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

/// Reads decimal text exactly; underscores between digits as in TOML.
impl FromStr for Micro {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Self, AmountError> {
        let text = text.strip_prefix('+').unwrap_or(text).replace('_', "");
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, "0"));
        if ![whole, fraction].iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
        {
            return Err(AmountError::Form);
        }
        let fraction = fraction.trim_end_matches('0');
        if fraction.len() > PLACES {
            return Err(AmountError::TooFine);
        }
        let micro: u64 = format!("{whole}{fraction:0<PLACES$}").parse().map_err(|_| AmountError::TooLarge)?;
        Ok(Self(micro))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_float_of_the_wire_is_rounded_up_but_not_by_its_own_noise() {
        assert_eq!(Micro::at_least(0.1 + 0.2), Some(Micro(300_000)));
        assert_eq!(Micro::at_least(0.000_000_5), Some(Micro(1)));
        assert_eq!((Micro::at_least(-1.0), Micro::at_least(f64::NAN)), (None, None));
        assert_eq!(Micro::ticks(1000).credits().to_bits(), 0.4f64.to_bits());
        assert_eq!(Micro::ticks(u64::MAX), Micro(u64::MAX));
    }

    #[test]
    fn decimal_text_is_read_exactly_and_written_back() {
        for (text, micro, back) in [
            ("0", 0, "0"),
            ("0.0004", 400, "0.0004"),
            ("12", 12_000_000, "12"),
            ("1_000.50", 1_000_500_000, "1000.5"),
            ("+0.1", 100_000, "0.1"),
            // As a float this is 0.30000000000000004 away from exact.
            ("0.3", 300_000, "0.3"),
            ("0.0000010", 1, "0.000001"),
        ] {
            let read: Micro = text.parse().expect(text);
            assert_eq!((read, &*read.to_string()), (Micro(micro), back));
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in ["", "-1", "1e3", ".5", "5.", "inf", "nan", "1,5", "0x10"] {
            assert_eq!(text.parse::<Micro>(), Err(AmountError::Form), "{text}");
        }
        assert_eq!("0.0000001".parse::<Micro>(), Err(AmountError::TooFine));
        assert_eq!("99999999999999999999".parse::<Micro>(), Err(AmountError::TooLarge));
    }
}
