//! Money: whole micro-credits inside, decimal credits on the wire.

use serde::{Serialize, Serializer};

/// The price of one tick.
pub const TICK_PRICE: Credits = Credits(400);

/// What a new account is given.
pub const FIRST_GRANT: Credits = Credits(1_000 * 1_000_000);

/// An amount in micro-credits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Credits(pub i64);

impl Credits {
    /// The price of this many ticks.
    pub fn for_ticks(ticks: impl Into<u64>) -> Self {
        let ticks = i64::try_from(ticks.into()).unwrap_or(i64::MAX);
        Self(TICK_PRICE.0.saturating_mul(ticks))
    }

    /// The ticks that it pays for.
    pub fn ticks(self) -> u64 {
        (self.0.max(0) / TICK_PRICE.0) as u64
    }
}

impl Serialize for Credits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % 1_000_000 == 0 {
            serializer.serialize_i64(self.0 / 1_000_000)
        } else {
            // The nearest double to a decimal of this size prints as that decimal.
            serializer.serialize_f64(self.0 as f64 / 1e6)
        }
    }
}

impl std::fmt::Display for Credits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0 as f64 / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credits_print_as_exact_decimals() {
        let text = |micro| serde_json::to_string(&Credits(micro)).unwrap();
        assert_eq!(text(400), "0.0004");
        assert_eq!(text(998_420_000), "998.42");
        assert_eq!(text(1_000_000_000), "1000");
        assert_eq!(text(-16_800), "-0.0168");
        for ticks in 0..5_000u32 {
            let shown: f64 = text(Credits::for_ticks(ticks).0).parse().unwrap();
            assert_eq!((shown * 1e6).round() as i64, 400 * i64::from(ticks));
        }
    }
}
