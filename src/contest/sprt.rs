//! When enough was played: the generalised sequential probability ratio test on pairs of games.
//!
//! Two claims are compared, that the difference in strength is `elo0` and that it is `elo1`. For each, the likeliest
//! distribution of pair scores with that mean is found, and the log-likelihood ratio (LLR) of the two is taken; the test
//! ends when it leaves Wald's bounds. This is the pentanomial GSPRT in logistic Elo as fishtest has it
//! (`official-stockfish/fishtest`, `server/fishtest/stats/LLRcalc.py`, `LLR_logistic`). Theory: M. Van den Bergh,
//! "Comments on normalized Elo" and "A note on the MLE of a multinomial distribution with given expectation"
//! (`support_MLE_multinomial.pdf`, Proposition 1.1); A. Wald, "Sequential Tests of Statistical Hypotheses" (1945).

use serde::{Deserialize, Serialize};

use super::elo::{distribution, score_of};

/// The two claims, and how often either may be accepted wrongly.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// The first player is this much stronger: the claim that is kept when nothing speaks against it.
    pub elo0: f64,
    /// The first player is this much stronger: what is hoped for.
    pub elo1: f64,
    /// How often `elo1` may be accepted where `elo0` is true.
    pub alpha: f64,
    /// How often `elo0` may be accepted where `elo1` is true.
    pub beta: f64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 }
    }
}

/// What the test says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The difference is `elo1` or more.
    Accepted,
    /// The difference is `elo0` or less.
    Rejected,
}

impl Bounds {
    /// Reads `elo0,elo1` or `elo0,elo1,alpha,beta`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let numbers: Vec<f64> = text
            .split(',')
            .map(|number| number.trim().parse::<f64>().ok().filter(|number| number.is_finite()))
            .collect::<Option<_>>()
            .ok_or_else(|| format!("`{text}` is not a list of numbers such as `0,10` or `0,10,0.05,0.05`"))?;
        let bounds = match numbers.as_slice() {
            [elo0, elo1] => Self { elo0: *elo0, elo1: *elo1, ..Self::default() },
            [elo0, elo1, alpha, beta] => Self { elo0: *elo0, elo1: *elo1, alpha: *alpha, beta: *beta },
            _ => return Err("give two numbers (`elo0,elo1`) or four (`elo0,elo1,alpha,beta`)".into()),
        };
        bounds.check().map(|()| bounds)
    }

    fn check(&self) -> Result<(), String> {
        if self.elo0 >= self.elo1 {
            return Err(format!("elo0 ({}) must be below elo1 ({})", self.elo0, self.elo1));
        }
        if self.elo0 < -1000.0 || self.elo1 > 1000.0 {
            return Err("elo0 and elo1 must lie between -1000 and 1000".into());
        }
        let is_rate = |rate: f64| rate > 0.0 && rate < 0.5;
        if !is_rate(self.alpha) || !is_rate(self.beta) {
            return Err("alpha and beta are error rates between 0 and 0.5, such as 0.05".into());
        }
        Ok(())
    }

    /// Wald's bounds of the LLR: at the lower one `elo0` is accepted, at the upper one `elo1`.
    pub fn limits(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of `elo1` against `elo0`, from pairs by their score in half points, worst first.
    pub fn llr(&self, pairs: [u64; 5]) -> f64 {
        let (n, classes) = distribution(pairs);
        let (under0, under1) = (tilt(&classes, score_of(self.elo0)), tilt(&classes, score_of(self.elo1)));
        let of_class = |((_, share), (p0, p1)): (&(f64, f64), (f64, f64))| share * (p1.ln() - p0.ln());
        n * classes.iter().zip(under0.into_iter().zip(under1)).map(of_class).sum::<f64>()
    }

    /// Whether the test has ended, and how.
    pub fn decide(&self, pairs: [u64; 5]) -> Option<Decision> {
        if pairs == [0; 5] {
            return None;
        }
        let (llr, (lower, upper)) = (self.llr(pairs), self.limits());
        if llr >= upper {
            Some(Decision::Accepted)
        } else if llr <= lower {
            Some(Decision::Rejected)
        } else {
            None
        }
    }
}

/// The likeliest distribution with this mean, given what was seen: each share divided by `1 + x (score - mean)`, with
/// the `x` for which the mean comes out.
fn tilt(classes: &[(f64, f64); 5], mean: f64) -> [f64; 5] {
    /// Keeps away from the poles at both ends of the interval.
    const MARGIN: f64 = 1e-9;
    /// Halves an interval of at most a few thousand down to the last bit.
    const STEPS: u32 = 100;
    let drift = |x: f64| -> f64 {
        classes.iter().map(|(score, share)| share * (score - mean) / (1.0 + x * (score - mean))).sum()
    };
    // Falls from one pole to the other: the root lies between.
    let (mut low, mut high) = (-1.0 / (1.0 - mean) + MARGIN, 1.0 / mean - MARGIN);
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        if drift(middle) > 0.0 { low = middle } else { high = middle }
    }
    let x = f64::midpoint(low, high);
    classes.map(|(score, share)| share / (1.0 + x * (score - mean)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bounds(elo0: f64, elo1: f64) -> Bounds {
        Bounds { elo0, elo1, ..Bounds::default() }
    }

    #[test]
    fn ratios_are_fishtests() {
        // Computed by others with fishtest's own `LLR_logistic`, server/fishtest/stats at 93fe81eb.
        for (pairs, elo0, elo1, expected) in [
            ([3, 20, 50, 22, 5], 0.0, 20.0, 0.040_320_372_416_706_79),
            ([3, 20, 50, 22, 5], 0.0, 5.0, 0.178_380_224_381_881_25),
            ([3, 20, 50, 22, 5], -10.0, 10.0, 0.934_472_911_388_982_9),
            ([0, 10, 30, 12, 0], 0.0, 20.0, -0.270_414_536_288_852_04),
            ([0, 10, 30, 12, 0], 0.0, 5.0, 0.085_226_848_211_516),
            ([12, 40, 60, 30, 8], 0.0, 20.0, -2.997_301_135_158_272_3),
            ([12, 40, 60, 30, 8], -10.0, 10.0, -2.057_973_200_426_021_6),
        ] {
            let llr = bounds(elo0, elo1).llr(pairs);
            assert!((llr - expected).abs() < 1e-6, "{pairs:?} {elo0} {elo1}: {llr}");
        }
        // fastchess, app/tests/sprt_test.cpp, `logistic pentanomial`: to two places.
        for (pairs, elo0, elo1, expected) in [
            ([223, 9863, 21279, 10037, 246], 0.5, 2.5, -3.07),
            ([871, 26175, 55983, 26678, 821], 0.0, 2.0, -4.98),
        ] {
            let llr = bounds(elo0, elo1).llr(pairs);
            assert!((llr - expected).abs() < 0.03, "{pairs:?}: {llr}");
        }
    }

    #[test]
    fn the_limits_are_walds() {
        let (lower, upper) = Bounds::default().limits();
        assert!((lower + 2.944_438_979_166_44).abs() < 1e-12 && (upper - 2.944_438_979_166_44).abs() < 1e-12);
    }

    #[test]
    fn a_clear_difference_ends_the_test_and_none_does_not() {
        // As in fishtest, 53 pairs of nothing but wins are enough for 0 against 20.
        let wins = |n| bounds(0.0, 20.0).decide([0, 0, 0, 0, n]);
        assert_eq!((wins(52), wins(53)), (None, Some(Decision::Accepted)));
        assert_eq!(bounds(0.0, 20.0).decide([100, 0, 0, 0, 0]), Some(Decision::Rejected));
        assert_eq!(Bounds::default().decide([0; 5]), None);
        assert_eq!(bounds(-10.0, 10.0).decide([20, 30, 40, 30, 20]), None);
    }

    #[test]
    fn bounds_are_read_and_faults_are_named() {
        assert_eq!(Bounds::parse("0, 10"), Ok(Bounds::default()));
        let all = Bounds { elo0: -5.0, elo1: 5.0, alpha: 0.1, beta: 0.01 };
        assert_eq!(Bounds::parse("-5,5,0.1,0.01"), Ok(all));
        for (text, why) in [
            ("", "not a list"),
            ("0,x", "not a list"),
            ("0,inf", "not a list"),
            ("5", "two numbers"),
            ("10,0", "must be below"),
            ("0,5000", "between"),
            ("0,10,0,0.05", "error rates"),
            ("0,10,0.05,0.7", "error rates"),
        ] {
            let fault = Bounds::parse(text).expect_err(text);
            assert!(fault.contains(why), "{text}: {fault}");
        }
    }

    proptest! {
        #[test]
        fn the_ratio_is_symmetric_and_always_a_number(
            pairs in prop::array::uniform5(0u64..10_000), elo0 in -300.0..299.0f64, width in 0.5..300.0f64,
        ) {
            let mut turned = pairs;
            turned.reverse();
            let one = bounds(elo0, elo0 + width).llr(pairs);
            let other = bounds(-elo0 - width, -elo0).llr(turned);
            prop_assert!(one.is_finite());
            prop_assert!((one + other).abs() < 1e-5 * one.abs().max(1.0), "{} {}", one, other);
        }

        #[test]
        fn a_won_pair_more_speaks_for_the_first_player(pairs in prop::array::uniform5(1u64..1000)) {
            let mut more = pairs;
            more[4] += 1;
            prop_assert!(Bounds::default().llr(more) > Bounds::default().llr(pairs));
        }
    }
}
