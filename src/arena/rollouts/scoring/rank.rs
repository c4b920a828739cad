//! From samples to numbers, and from numbers to a ranking.

use std::cmp::Ordering;

use serde::Serialize;

use crate::rollout::{ScoreStats, score_stats};

/// Samples in numbers, as they are answered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Samples that were wanted.
    pub samples: u32,
    /// Samples that count.
    pub scored: u32,
    /// Samples in which a policy seat failed; they are in none of the other numbers.
    pub failed: u32,
    /// Their share.
    pub failure_rate: f64,
    /// The share of first places among those that count, shared ones included. Nothing for games of one and without
    /// a sample that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub win_rate: Option<f64>,
    /// Of the scores that count.
    pub score: ScoreStats,
}

impl Summary {
    /// Of scores and places.
    pub(super) fn new(samples: u32, results: &[(f64, u32)], is_alone: bool) -> Self {
        let scored = results.len() as u32;
        let failed = samples - scored;
        let firsts = results.iter().filter(|(_, rank)| *rank == 1).count();
        let scores: Vec<f64> = results.iter().map(|(score, _)| *score).collect();
        Self {
            samples,
            scored,
            failed,
            failure_rate: f64::from(failed) / f64::from(samples.max(1)),
            win_rate: (!is_alone && scored > 0).then(|| firsts as f64 / f64::from(scored)),
            score: score_stats(&scores),
        }
    }
}

/// Which row comes first, by mean score; rows without a sample that counts come last. Equal ones keep their order. Beside
/// each place in `summaries` its rank: from 1, or 0 without a sample that counts.
pub fn ranking<'a>(summaries: impl Iterator<Item = &'a Summary>) -> Vec<(usize, u32)> {
    let mut rows: Vec<(usize, &Summary)> = summaries.enumerate().collect();
    rows.sort_by(|(_, a), (_, b)| {
        let by_mean = b.score.mean.partial_cmp(&a.score.mean).unwrap_or(Ordering::Equal);
        (a.scored == 0).cmp(&(b.scored == 0)).then(by_mean)
    });
    let ranked = rows.into_iter().enumerate();
    ranked.map(|(place, (nth, row))| (nth, if row.scored == 0 { 0 } else { place as u32 + 1 })).collect()
}

/// How many of so many rows are answered: the first `top_n`, and of all rows the best share `top_percentile` (0 to 1),
/// one row at least. Neither, or 0, is all.
pub fn kept(rows: usize, top_n: u32, top_percentile: f64) -> usize {
    let by_count = if top_n == 0 { rows } else { top_n as usize };
    let by_share = if top_percentile > 0.0 { (top_percentile * rows as f64).ceil() as usize } else { rows };
    rows.min(by_count).min(by_share.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_samples_are_counted_and_left_out_of_the_rest() {
        let summary = Summary::new(4, &[(100.0, 1), (50.0, 1), (0.0, 2)], false);
        assert_eq!((summary.scored, summary.failed, summary.failure_rate), (3, 1, 0.25));
        // First places that are shared count.
        assert_eq!(summary.win_rate, Some(2.0 / 3.0));
        assert_eq!((summary.score.mean, summary.score.std_dev), (50.0, 50.0));
    }

    #[test]
    fn a_win_rate_needs_others_and_a_sample() {
        assert_eq!(Summary::new(1, &[(3.0, 1)], true).win_rate, None);
        let failed = Summary::new(2, &[], false);
        assert_eq!((failed.win_rate, failed.failure_rate, failed.score.mean), (None, 1.0, 0.0));
        let json = serde_json::to_value(&failed).unwrap();
        assert!(json.get("win_rate").is_none(), "{json}");
        assert_eq!(json["score"]["percentiles"], serde_json::json!({}));
    }

    #[test]
    fn rows_without_a_score_come_last_and_have_no_rank() {
        // As the SDK ranks: 3.4.0 tests/test_rollouts.py, descending mean, stable, rank 0 for all-failed rows.
        let row = |results: &[(f64, u32)]| Summary::new(2, results, false);
        let rows = [row(&[]), row(&[(-2.0, 2)]), row(&[(3.0, 1)]), row(&[(3.0, 1), (3.0, 1)]), row(&[])];
        assert_eq!(ranking(rows.iter()), [(2, 1), (3, 2), (1, 3), (0, 0), (4, 0)]);
    }

    #[test]
    fn the_answer_is_trimmed_to_the_best() {
        for (rows, top_n, top_percentile, expected) in [
            (7, 0, 0.0, 7),
            (7, 3, 0.0, 3),
            (7, 30, 0.0, 7),
            (7, 0, 0.25, 2),
            (7, 1, 0.9, 1),
            (7, 0, 0.01, 1),
            (7, 0, 1.0, 7),
        ] {
            assert_eq!(kept(rows, top_n, top_percentile), expected, "{rows} {top_n} {top_percentile}");
        }
    }
}
