//! Statistics of scores, bit for bit those of the platform, so that a ranking of actions never turns on a last bit.
//!
//! Source: protocol.md section 5.10, `_score_stats` and `_percentile` in the SDK's `rollouts.py`.

use std::cmp::Ordering;

use serde::{Serialize, Serializer};

/// What is known of some scores. Serializes to the platform's shape.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct ScoreStats {
    /// The lowest.
    pub min: f64,
    /// The highest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
    /// The middle, or the mean of the middle two.
    pub median: f64,
    /// The standard deviation of a sample (n − 1); 0 for one score.
    pub std_dev: f64,
    /// `None`, and an empty object on the wire, without scores.
    #[serde(serialize_with = "map")]
    pub percentiles: Option<Percentiles>,
}

/// Percentiles in three decimals; those of a single score are the score itself.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Percentiles {
    /// A tenth is below.
    pub p10: f64,
    /// A quarter is below.
    pub p25: f64,
    /// Half is below.
    pub p50: f64,
    /// Three quarters are below.
    pub p75: f64,
    /// Nine tenths are below.
    pub p90: f64,
}

#[expect(clippy::ref_option, reason = "serde gives it like this")]
fn map<S: Serializer>(percentiles: &Option<Percentiles>, serializer: S) -> Result<S::Ok, S::Error> {
    match percentiles {
        Some(percentiles) => percentiles.serialize(serializer),
        None => serializer.collect_map::<&str, f64, _>([]),
    }
}

/// The statistics of scores in any order; all zero without any.
///
/// The order of operations is the platform's: plain sums over the sorted scores, nothing compensated or fused.
pub fn score_stats(scores: &[f64]) -> ScoreStats {
    let mut sorted = scores.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    let n = sorted.len();
    let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else { return ScoreStats::default() };
    // Not `sum()`, which may start at -0.0.
    let mean = sorted.iter().fold(0.0, |total, x| total + x) / n as f64;
    let squares = sorted.iter().map(|x| x - mean).fold(0.0, |total, d| total + d * d);
    let variance = if n > 1 { squares / (n - 1) as f64 } else { squares };
    let (lower, upper) = (sorted[(n - 1) / 2], sorted[n / 2]);
    #[expect(clippy::manual_midpoint, reason = "rounds otherwise where doubles end")]
    let median = if n.is_multiple_of(2) { (lower + upper) / 2.0 } else { upper };
    let at = |p| percentile(&sorted, p);
    let percentiles =
        Percentiles { p10: at(0.10), p25: at(0.25), p50: at(0.50), p75: at(0.75), p90: at(0.90) };
    ScoreStats { min, max, mean, median, std_dev: variance.sqrt(), percentiles: Some(percentiles) }
}

/// The percentile `p`, from 0 to 1, of sorted scores: between the nearest two in proportion, rounded to three
/// decimals with halves away from zero. A single score is returned as it is; none are 0.
pub fn percentile(sorted: &[f64], p: f64) -> f64 {
    let (Some(&first), Some(last)) = (sorted.first(), sorted.len().checked_sub(1)) else { return 0.0 };
    if last == 0 {
        return first;
    }
    let place = p.clamp(0.0, 1.0) * last as f64;
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    let fraction = place - place.floor();
    let value =
        if low == high { sorted[low] } else { sorted[low] * (1.0 - fraction) + sorted[high] * fraction };
    (value.abs() * 1000.0 + 0.5).floor().copysign(value) / 1000.0
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "bit for bit is what this is about")]
mod tests {
    use std::f64;

    use super::*;

    fn percentiles(stats: &ScoreStats) -> [f64; 5] {
        let Percentiles { p10, p25, p50, p75, p90 } = stats.percentiles.unwrap();
        [p10, p25, p50, p75, p90]
    }

    /// The table of protocol.md section 5.10.
    #[test]
    fn the_statistics_are_the_platforms() {
        let sd = 1.290_994_448_735_805_6;
        for (scores, mean, median, std_dev, expected) in [
            (&[3.0, 1.0, 4.0, 2.0][..], 2.5, 2.5, sd, [1.3, 1.75, 2.5, 3.25, 3.7]),
            (&[-4.0, -3.0, -2.0, -1.0], -2.5, -2.5, sd, [-3.7, -3.25, -2.5, -1.75, -1.3]),
            (&[5.0, 7.0], 6.0, 6.0, f64::consts::SQRT_2, [5.2, 5.5, 6.0, 6.5, 6.8]),
            (&[1.234_567_89], 1.234_567_89, 1.234_567_89, 0.0, [1.234_567_89; 5]),
        ] {
            let stats = score_stats(scores);
            assert_eq!((stats.mean, stats.median, stats.std_dev), (mean, median, std_dev), "{scores:?}");
            assert_eq!(percentiles(&stats), expected, "{scores:?}");
        }
    }

    #[test]
    fn sums_are_plain() {
        // A compensated sum has the mean 1/3.
        let stats = score_stats(&[-1e16, 1.0, 1e16]);
        assert_eq!((stats.mean, stats.median, stats.std_dev), (0.0, 1.0, 1e16));
    }

    #[test]
    fn without_scores_everything_is_zero_and_the_percentiles_are_empty() {
        let json = serde_json::to_string(&score_stats(&[])).unwrap();
        assert_eq!(json, r#"{"min":0.0,"max":0.0,"mean":0.0,"median":0.0,"std_dev":0.0,"percentiles":{}}"#);
        assert_eq!(percentile(&[], 0.5), 0.0);
        let json = serde_json::to_string(&score_stats(&[1.0]).percentiles).unwrap();
        assert_eq!(json, r#"{"p10":1.0,"p25":1.0,"p50":1.0,"p75":1.0,"p90":1.0}"#);
    }

    #[test]
    fn halves_are_rounded_away_from_zero() {
        assert_eq!(percentile(&[0.0, 0.0125, 1.0], 0.5), 0.013);
        assert_eq!(percentile(&[-1.0, -0.0125, 0.0], 0.5), -0.013);
        assert!(percentile(&[-0.0001, 0.0], 0.0).is_sign_negative());
    }
}
