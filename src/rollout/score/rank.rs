//! From samples to a table, in the server's order.

use std::cmp::Ordering;

use crate::api::model::{Json, RankedAction, ScoreStats};
use crate::rollout::stats::{Percentiles, score_stats};

/// What came of one fork.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sample {
    /// It says nothing about the action.
    Failed,
    /// It was played to an end.
    Scored {
        /// The score, or the mean of the played ends.
        score: f64,
        /// The share of first places; none where there are no places.
        won: Option<f64>,
        /// How many played ends it stands for.
        weight: f64,
    },
}

/// One row a candidate with its samples, best first; rows without a score come last and have rank 0.
pub(super) fn rank<'a>(rows: impl Iterator<Item = (&'a Json, &'a [Sample])>) -> Vec<RankedAction> {
    let mut rows: Vec<_> = rows.map(|(action, samples)| row(action, samples)).collect();
    // Stable: equal ones keep the order in which they were given.
    rows.sort_by(|a, b| {
        let is_unscored = |row: &RankedAction| row.scored == Some(0);
        let by_mean = b.score.mean.partial_cmp(&a.score.mean).unwrap_or(Ordering::Equal);
        is_unscored(a).cmp(&is_unscored(b)).then(by_mean)
    });
    for (index, row) in rows.iter_mut().enumerate() {
        let rank = if row.scored == Some(0) { 0 } else { index + 1 };
        row.action_rank = u32::try_from(rank).ok();
    }
    rows
}

fn row(action: &Json, samples: &[Sample]) -> RankedAction {
    let scores: Vec<f64> = samples
        .iter()
        .filter_map(|sample| match sample {
            Sample::Scored { score, .. } => Some(*score),
            Sample::Failed => None,
        })
        .collect();
    let failed = samples.len() - scores.len();
    RankedAction {
        action: action.clone(),
        source: Some("user".into()),
        samples: Some(samples.len() as u64),
        scored: Some(scores.len() as u64),
        failed: Some(failed as u64),
        failure_rate: Some(failed as f64 / samples.len().max(1) as f64),
        win_rate: win_rate(samples),
        score: summarise(&scores),
        ..RankedAction::default()
    }
}

/// The weighted share of first places; none where no sample has places.
fn win_rate(samples: &[Sample]) -> Option<f64> {
    let mut total = (0.0, 0.0);
    for sample in samples {
        if let Sample::Scored { won: Some(won), weight, .. } = sample {
            total = (total.0 + won * weight, total.1 + weight);
        }
    }
    (total.1 > 0.0).then(|| total.0 / total.1)
}

/// The statistics in the shape of the wire, where any of them may be missing.
fn summarise(scores: &[f64]) -> ScoreStats {
    let stats = score_stats(scores);
    let named = |Percentiles { p10, p25, p50, p75, p90 }| {
        [("p10", p10), ("p25", p25), ("p50", p50), ("p75", p75), ("p90", p90)]
            .map(|(name, value)| (name.to_owned(), value))
            .into()
    };
    ScoreStats {
        min: Some(stats.min),
        max: Some(stats.max),
        mean: Some(stats.mean),
        median: Some(stats.median),
        std_dev: Some(stats.std_dev),
        percentiles: stats.percentiles.map_or_else(Default::default, named),
        ..ScoreStats::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(score: f64, won: Option<f64>, weight: f64) -> Sample {
        Sample::Scored { score, won, weight }
    }

    fn ranked(rows: &[(&str, &[Sample])]) -> Vec<(String, Option<u32>)> {
        let actions: Vec<Json> = rows.iter().map(|(name, _)| Json::parse(name).expect("JSON")).collect();
        let table = rank(actions.iter().zip(rows.iter().map(|(_, samples)| *samples)));
        table.into_iter().map(|row| (row.action.get().to_owned(), row.action_rank)).collect()
    }

    #[test]
    fn scored_rows_come_first_by_their_mean_and_equal_ones_in_order() {
        let low = [scored(-2.0, None, 1.0)];
        let high = [scored(3.0, None, 1.0), Sample::Failed];
        let table = ranked(&[("1", &[Sample::Failed]), ("2", &low), ("3", &high), ("4", &high), ("5", &low)]);
        let expected = [("3", 1), ("4", 2), ("2", 3), ("5", 4), ("1", 0)];
        assert_eq!(table, expected.map(|(name, rank)| (name.to_owned(), Some(rank))));
    }

    #[test]
    fn a_win_rate_needs_places_and_is_weighted() {
        // SDK 3.4.0 tests/test_rollouts.py test_weighted_win_rate_none_without_rank_signal.
        assert_eq!(win_rate(&[]), None);
        assert_eq!(win_rate(&[scored(1.0, None, 3.0), Sample::Failed]), None);
        assert_eq!(win_rate(&[scored(1.0, Some(1.0), 1.0), scored(0.0, Some(0.0), 1.0)]), Some(0.5));
        assert_eq!(win_rate(&[scored(1.0, Some(1.0), 3.0), scored(0.0, Some(0.0), 1.0)]), Some(0.75));
    }
}
