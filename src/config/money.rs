//! Credits to the millionth, and the caps on spending them.

use std::fmt;
use std::str::FromStr;

/// Credits in millionths: a tick's 0.0004 credits (protocol.md §4.9) are 400.
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

impl fmt::Display for Micro {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.0 / 1_000_000, self.0 % 1_000_000);
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        write!(f, "{whole}.{}", format!("{fraction:06}").trim_end_matches('0'))
    }
}

/// Caps on spending, enforced before anything is sent. Without a cap there is no limit of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spend {
    /// The most that one action may cost.
    pub per_action: Option<Micro>,
    /// The most that a day's actions may cost.
    pub per_day: Option<Micro>,
    /// The most that the profile may cost in all.
    pub per_profile: Option<Micro>,
    /// What happens to an action whose price nobody knows beforehand.
    pub unknown_price: UnknownPrice,
}

/// What happens to an action whose price nobody knows beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownPrice {
    /// It is done. The default where there is no cap.
    #[default]
    Allow,
    /// It is not done. The default once any cap is set.
    Refuse,
}

impl fmt::Display for UnknownPrice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Refuse => "refuse",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
