//! What a player is rated who met opponents whose ratings are fixed; pure.
//!
//! Maximum likelihood in Elo's model with a normal prior, so that a clean record stays finite and no record is the prior
//! (arena.md §5.3). What is played without opponents is rated by the league's
//! [`Reference`](crate::arena::league::solo::Reference).

use std::f64::consts::LN_10;

use crate::arena::league::rating::{CENTRE, Rating, expected};

/// How far ratings spread before anything is known, in Elo points.
pub const SPREAD: f64 = 350.0;

/// Change of a log odds by a rating point.
const STEEPNESS: f64 = LN_10 / 400.0;

/// What a player made against one opponent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// The opponent's rating.
    pub opponent: f64,
    /// Points: 1 a win, 0.5 a draw.
    pub points: f64,
    /// Results that they were made in.
    pub results: f64,
}

/// The rating that explains the scores best. `seats` is the size of the tables: results of one table hang together, so
/// each counts for less, as in the league's own fit (see [`Results::fit`](crate::arena::league::rating::Results::fit)).
pub fn against(scores: &[Score], seats: u8) -> Rating {
    let weight = 3.0 / (f64::from(seats.max(2)) + 1.0);
    // The slope of the log likelihood; it falls everywhere, so its only zero is the maximum.
    let slope = |elo: f64| {
        let surprise = |score: &Score| score.points - score.results * expected(elo, score.opponent);
        weight * STEEPNESS * scores.iter().map(surprise).sum::<f64>() - (elo - CENTRE) / SPREAD.powi(2)
    };
    let known = |elo: f64| {
        let information = |score: &Score| {
            let chance = expected(elo, score.opponent);
            score.results * chance * (1.0 - chance)
        };
        weight * STEEPNESS.powi(2) * scores.iter().map(information).sum::<f64>() + SPREAD.powi(-2)
    };
    let elo = zero_of_falling(slope, CENTRE - 40.0 * SPREAD, CENTRE + 40.0 * SPREAD);
    Rating { elo, error: known(elo).sqrt().recip() }
}

/// The share of values below this one, ties half; 0.5 among none.
pub fn percentile(value: f64, among: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = among.clone().count();
    if n == 0 {
        return 0.5;
    }
    let halves = |other: f64| match other.total_cmp(&value) {
        std::cmp::Ordering::Less => 2,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Greater => 0,
    };
    f64::from(among.map(halves).sum::<u32>()) / (2 * n) as f64
}

/// Bisection: every machine takes the same steps.
fn zero_of_falling(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if f(middle) > 0.0 { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, within: f64) -> bool {
        (a - b).abs() <= within
    }

    fn score(opponent: f64, points: f64, results: f64) -> Score {
        Score { opponent, points, results }
    }

    #[test]
    fn nothing_known_is_the_prior() {
        // arena.md §5.3: Normal(1000, 350).
        let Rating { elo, error } = against(&[], 2);
        assert!(close(elo, 1000.0, 1e-6) && close(error, 350.0, 1e-6));
    }

    #[test]
    fn a_single_anchor_has_a_closed_form() {
        // Half of the points against the prior's mean change nothing but the error: 1/e² = n·q²/4 + 1/350².
        let even = against(&[score(1000.0, 50.0, 100.0)], 2);
        let error = (100.0 * STEEPNESS.powi(2) / 4.0 + SPREAD.powi(-2)).sqrt().recip();
        assert!(close(even.elo, 1000.0, 1e-6) && close(even.error, error, 1e-9), "{even:?}");
        // At the maximum, what was made beyond expectation balances the prior: q·(s − n·E) = (R − 1000)/350². With
        // R = 1200, E = 0.7597 (arena.md §4.5), the points are 75.97 + 200/350²/q.
        let points = 100.0 * expected(1200.0, 1000.0) + 200.0 / SPREAD.powi(2) / STEEPNESS;
        assert!(close(against(&[score(1000.0, points, 100.0)], 2).elo, 1200.0, 1e-6));
    }

    #[test]
    fn with_many_results_the_prior_fades() {
        // arena.md §4.5: 75 % against one anchor rated 1000 are 1191, which is 400 · log10(3) above.
        let many = against(&[score(1000.0, 750_000.0, 1_000_000.0)], 2);
        assert!(close(many.elo, 1000.0 + 400.0 * 3f64.log10(), 0.01), "{many:?}");
        // And the error is that of a share: sqrt(p(1 − p)/n) in rating points.
        assert!(close(many.error, (0.75f64 * 0.25 / 1e6).sqrt() / (0.75 * 0.25) / STEEPNESS, 1e-3));
    }

    #[test]
    fn a_clean_record_is_finite_and_grows_with_its_length() {
        let wins = |n: f64| against(&[score(1400.0, n, n)], 2).elo;
        assert!(wins(1.0) > 1000.0 && wins(1.0) < wins(10.0) && wins(10.0) < wins(1000.0));
        assert!(wins(1e6).is_finite() && wins(1e6) < 4_000.0);
        let losses = against(&[score(1400.0, 0.0, 10.0)], 2);
        assert!(losses.elo < 1000.0 && losses.error < 350.0);
    }

    #[test]
    fn a_table_of_more_seats_tells_less_than_as_many_duels() {
        // arena.md §5.2 decomposes tables into pairs; k seats: each pair counts 3/(k + 1).
        let scores = [score(900.0, 20.0, 30.0), score(1100.0, 14.0, 30.0)];
        let [duels, table] = [2, 5].map(|seats| against(&scores, seats));
        let halved =
            scores.map(|Score { opponent, points, results }| score(opponent, points / 2.0, results / 2.0));
        assert_eq!(against(&halved, 2), table);
        assert!(table.error > duels.error);
    }

    #[test]
    fn known_strengths_are_recovered_within_their_errors() {
        let anchors = [600.0, 800.0, 1000.0, 1200.0, 1500.0];
        for truth in [500.0, 1000.0, 1350.0] {
            let expected_score = |&opponent: &f64| score(opponent, 400.0 * expected(truth, opponent), 400.0);
            let rating = against(&anchors.iter().map(expected_score).collect::<Vec<_>>(), 2);
            assert!(close(rating.elo, truth, rating.error / 2.0), "{truth}: {rating:?}");
            assert!(rating.error < 25.0, "{rating:?}");
        }
    }

    #[test]
    fn a_percentile_counts_ties_half() {
        let among = [1.0, 2.0, 2.0, 3.0];
        let of = |value| percentile(value, among.iter().copied());
        assert!(close(of(2.0), 0.5, 1e-12) && close(of(3.0), 0.875, 1e-12) && close(of(0.0), 0.0, 1e-12));
    }
}
