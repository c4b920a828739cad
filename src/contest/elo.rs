//! How much stronger the first player is, in Elo, and how sure that is.
//!
//! The formulas are those of fishtest (`official-stockfish/fishtest`, `server/fishtest/stats/stat_util.py`, `get_elo`):
//! the mean and the variance of the pairs' scores, empty classes counted as a thousandth, the normal approximation for
//! the mean, and the logistic curve between scores and Elo.

use serde::Serialize;

/// Two-sided 95 % of the normal distribution.
pub(super) const Z_95: f64 = 1.959_963_984_540_054;

/// What an empty class counts as, so that nothing is divided by zero: fishtest's `regularize`.
const EPSILON: f64 = 1e-3;

/// Scores nearer to 0 or 1 than this are taken as this: the curve goes to infinity there.
const EDGE: f64 = 1e-3;

/// What the results say of the difference in strength.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The difference in Elo; never beyond ±1200.
    pub elo: f64,
    /// Half the width of its 95 % interval.
    pub error: f64,
    /// The likelihood of superiority, 0 to 1: how likely it is that the first player is the stronger one.
    pub los: f64,
}

/// The estimate from pairs by their score in half points, worst first. Without any pair it is 0 with an error of
/// about 1200.
pub fn estimate(pairs: [u64; 5]) -> Estimate {
    let (n, classes) = distribution(pairs);
    let (mean, variance) = moments(&classes);
    let deviation = (variance / n).sqrt();
    let (low, high) = (mean - Z_95 * deviation, mean + Z_95 * deviation);
    Estimate {
        elo: elo_of(mean),
        error: f64::midpoint(elo_of(high), -elo_of(low)),
        los: normal((mean - 0.5) / deviation),
    }
}

/// The score expected of a difference in Elo: 1 / (1 + 10^(-elo / 400)).
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0))
}

/// The difference in Elo that leads to a score.
pub fn elo_of(score: f64) -> f64 {
    -400.0 * (1.0 / score.clamp(EDGE, 1.0 - EDGE) - 1.0).log10()
}

/// How many pairs there are, and the share of each score from 0 to 1, empty classes made up for.
pub(super) fn distribution(pairs: [u64; 5]) -> (f64, [(f64, f64); 5]) {
    let counts = pairs.map(|count| if count == 0 { EPSILON } else { count as f64 });
    let n: f64 = counts.iter().sum();
    let mut classes = [(0.0, 0.0); 5];
    for (nth, (class, count)) in classes.iter_mut().zip(counts).enumerate() {
        *class = (nth as f64 / 4.0, count / n);
    }
    (n, classes)
}

/// Mean and variance.
fn moments(classes: &[(f64, f64); 5]) -> (f64, f64) {
    let mean: f64 = classes.iter().map(|(score, share)| score * share).sum();
    let variance = classes.iter().map(|(score, share)| share * (score - mean).powi(2)).sum();
    (mean, variance)
}

/// The standard normal distribution function. The complementary error function is Numerical Recipes' `erfcc`, a
/// Chebyshev fit with a relative error below 1.2e-7 (W. H. Press et al., 2nd edition, §6.2).
fn normal(z: f64) -> f64 {
    const FIT: [f64; 10] = [
        0.170_872_77,
        -0.822_152_23,
        1.488_515_87,
        -1.135_203_98,
        0.278_868_07,
        -0.186_288_06,
        0.096_784_18,
        0.374_091_96,
        1.000_023_68,
        -1.265_512_23,
    ];
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.5 * x);
    let series = FIT.iter().fold(0.0, |sum, factor| sum * t + factor);
    let tail = 0.5 * t * (series - x * x).exp();
    if z >= 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn differences_and_errors_are_the_published_ones() {
        // fastchess, app/tests/elo_test.cpp, `EloPentanomial`.
        for (pairs, elo, error) in [
            ([34, 54, 63, 64, 75], 55.58, 27.65),
            ([332, 433, 498, 333, 334], -8.64, 10.33),
            ([7895, 8757, 5685, 568, 9999], -21.04, 2.95),
        ] {
            let estimate = estimate(pairs);
            assert!((estimate.elo - elo).abs() < 0.01, "{pairs:?}: {estimate:?}");
            assert!((estimate.error - error).abs() < 0.01, "{pairs:?}: {estimate:?}");
        }
        let los = estimate([332, 433, 498, 333, 334]).los;
        assert!((los - 0.0505).abs() < 0.0001, "{los}");
    }

    #[test]
    fn the_normal_distribution_is_known_at_its_landmarks() {
        for (z, expected) in [(0.0, 0.5), (Z_95, 0.975), (-1.0, 0.158_655_254), (6.0, 0.999_999_999)] {
            assert!((normal(z) - expected).abs() < 1e-7, "{z}: {}", normal(z));
        }
        assert!(normal(-40.0) >= 0.0 && normal(40.0) <= 1.0);
    }

    #[test]
    fn no_games_and_nothing_but_wins_are_numbers_too() {
        let none = estimate([0; 5]);
        assert!(none.elo.abs() < 1e-9 && (none.los - 0.5).abs() < 1e-6 && none.error > 1000.0, "{none:?}");
        let all = estimate([0, 0, 0, 0, 100]);
        assert!(all.elo > 1000.0 && all.error.is_finite() && all.los > 0.999, "{all:?}");
    }

    proptest! {
        #[test]
        fn the_estimate_is_symmetric_and_always_a_number(pairs in prop::array::uniform5(0u64..100_000)) {
            let mut turned = pairs;
            turned.reverse();
            let (one, other) = (estimate(pairs), estimate(turned));
            prop_assert!(one.elo.is_finite() && one.error.is_finite() && one.error >= 0.0);
            prop_assert!((0.0..=1.0).contains(&one.los));
            prop_assert!((one.elo + other.elo).abs() < 1e-6);
            prop_assert!((one.error - other.error).abs() < 1e-6);
            prop_assert!((one.los + other.los - 1.0).abs() < 1e-6);
        }

        #[test]
        fn elo_and_score_are_each_others_inverse(elo in -1000.0..1000.0f64) {
            prop_assert!((elo_of(score_of(elo)) - elo).abs() < 1e-6);
        }
    }
}
