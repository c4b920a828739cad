//! The two pure parts of scoring. To be replaced at integration by `rollout::distinct_actions` and
//! `rollout::score_stats`.

use serde_json::Value;

use crate::api::model::{Json, ScoreStats};

/// The candidates without repetitions, in the order they were first seen; a list of one is unwrapped.
///
/// # Errors
/// Which candidate is no JSON that can be sent, and why.
pub(super) fn normalise(candidates: &[Json]) -> Result<Vec<Json>, String> {
    let mut seen: Vec<(Value, Json)> = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        let action = match candidate.decode::<Vec<Json>>() {
            Ok(mut list) if list.len() == 1 => list.remove(0),
            _ => candidate.clone(),
        };
        let wrong = |error| format!("`candidate_actions[{index}]` cannot be sent: {error}");
        let key: Value = action.decode().map_err(wrong)?;
        if seen.iter().all(|(known, _)| *known != key) {
            seen.push((key, action));
        }
    }
    Ok(seen.into_iter().map(|(_, action)| action).collect())
}

/// Scores in numbers, as the server computes them (protocol.md §5.10).
pub(super) fn summarise(scores: &[f64]) -> ScoreStats {
    let mut sorted = scores.to_vec();
    sorted.sort_by(f64::total_cmp);
    let [min, .., max] = sorted.as_slice() else {
        let only = sorted.first().copied();
        let zero = Some(only.unwrap_or(0.0));
        let percentiles =
            only.into_iter().flat_map(|score| PERCENTILES.map(|(name, _)| (name.into(), score)));
        return ScoreStats {
            min: zero,
            max: zero,
            mean: zero,
            median: zero,
            std_dev: Some(0.0),
            percentiles: percentiles.collect(),
            ..ScoreStats::default()
        };
    };
    let n = sorted.len();
    let mean = sorted.iter().fold(0.0, |sum, score| sum + score) / n as f64;
    let squares = sorted.iter().fold(0.0, |sum, score| sum + (score - mean) * (score - mean));
    let middle = n / 2;
    let median =
        if n.is_multiple_of(2) { f64::midpoint(sorted[middle - 1], sorted[middle]) } else { sorted[middle] };
    ScoreStats {
        min: Some(*min),
        max: Some(*max),
        mean: Some(mean),
        median: Some(median),
        std_dev: Some((squares / (n - 1) as f64).sqrt()),
        percentiles: PERCENTILES.map(|(name, p)| (name.into(), percentile(&sorted, p))).into(),
        ..ScoreStats::default()
    }
}

const PERCENTILES: [(&str, f64); 5] =
    [("p10", 0.1), ("p25", 0.25), ("p50", 0.5), ("p75", 0.75), ("p90", 0.9)];

fn percentile(sorted: &[f64], p: f64) -> f64 {
    let at = p * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    let part = at - at.floor();
    let value = if part == 0.0 { low } else { low * (1.0 - part) + high * part };
    ((value.abs() * 1000.0 + 0.5).floor() / 1000.0).copysign(value)
}
