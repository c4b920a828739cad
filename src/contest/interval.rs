//! How sure a share is.

use super::elo::Z_95;

/// The 95 % interval of a mean of `n` independent observations between 0 and 1: E. B. Wilson's, *Probable inference, the
/// law of succession, and statistical inference* (1927). `None` without an observation.
///
/// It takes the variance of a thing that is 0 or 1. Observations in between vary less, so for them the interval is
/// rather too wide than too narrow. For observations in groups `n` is what they are worth: see [`effective`].
pub fn wilson(mean: f64, n: f64) -> Option<(f64, f64)> {
    if n <= 0.0 {
        return None;
    }
    let square = Z_95 * Z_95;
    let centre = mean + square / (2.0 * n);
    let spread = Z_95 * (mean * (1.0 - mean) / n + square / (4.0 * n * n)).sqrt();
    let whole = 1.0 + square / n;
    Some((((centre - spread) / whole).max(0.0), ((centre + spread) / whole).min(1.0)))
}

/// How many independent observations groups of `size` observations each are worth, by the means of the groups: L. Kish's
/// design effect (*Survey sampling*, 1965), taken as no better than independent observations, and as no worse than one
/// observation a group. Groups whose means cannot tell, since all are 0 or all are 1, count as one observation each.
pub fn effective(means: &[f64], size: f64) -> f64 {
    let groups = means.len() as f64;
    let mean = means.iter().sum::<f64>() / groups.max(1.0);
    let alone = mean * (1.0 - mean) / size;
    if groups < 2.0 || alone <= 0.0 {
        return groups;
    }
    let variance = means.iter().map(|of| (of - mean).powi(2)).sum::<f64>() / (groups - 1.0);
    groups * size / (variance / alone).clamp(1.0, size.max(1.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_interval_is_the_published_one() {
        // R. G. Newcombe, Two-sided confidence intervals for the single proportion (1998), table I, method 3.
        for (hits, n, low, high) in [
            (81.0, 263.0, 0.2553, 0.3662),
            (15.0, 148.0, 0.0624, 0.1605),
            (0.0, 20.0, 0.0, 0.1611),
            (1.0, 29.0, 0.0061, 0.1718),
        ] {
            let (from, to) = wilson(hits / n, n).expect("observations");
            assert!((from - low).abs() < 5e-5 && (to - high).abs() < 5e-5, "{hits} of {n}: {from} {to}");
        }
        assert_eq!(wilson(0.0, 0.0), None);
    }

    #[test]
    fn groups_of_like_observations_count_once_and_balanced_ones_fully() {
        for (means, size, worth) in [
            (&[0.5; 10][..], 2.0, 20.0),
            (&[1.0, 0.0, 1.0, 0.0], 2.0, 4.0),
            (&[1.0; 10], 4.0, 10.0),
            (&[0.7], 4.0, 1.0),
            (&[], 4.0, 0.0),
            // A variance of 0.1 where independent observations have 0.125: that luck is not believed.
            (&[0.5, 0.5, 1.0, 0.5, 0.5, 0.0], 2.0, 12.0),
            // 0.2 for 0.125: an effect of 1.6.
            (&[0.0, 0.5, 1.0, 0.5, 1.0, 0.0], 2.0, 7.5),
        ] {
            assert!((effective(means, size) - worth).abs() < 1e-9, "{means:?}: {}", effective(means, size));
        }
    }

    proptest! {
        #[test]
        fn the_mean_lies_in_its_interval_and_more_observations_narrow_it(mean in 0.0..=1.0f64, n in 1.0..1e4f64) {
            let (low, high) = wilson(mean, n).expect("observations");
            let (lower, higher) = wilson(mean, 2.0 * n).expect("observations");
            prop_assert!(0.0 <= low && low <= mean + 1e-12 && mean <= high + 1e-12 && high <= 1.0);
            prop_assert!(higher - lower <= high - low);
        }
    }
}
