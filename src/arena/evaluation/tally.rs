//! What the matches of an evaluation add up to, so far; pure. The order in which matches end does not matter.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::pool::Pool;
use super::rating::{Score, against};
use crate::arena::league::rating::{CENTRE, Rating};
use crate::arena::league::solo::Reference;
use crate::arena::store::evaluations::Findings;
use crate::arena::store::submissions::Standing;
use crate::rollout::score_stats;

/// A seat of a match as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeatLine {
    /// Who sat there.
    pub submission_id: String,
    /// Who generated it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model that generated it; the name of a built-in player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its rating then; nothing for the one that is evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elo_rating: Option<f64>,
    /// At the end.
    pub score: f64,
    /// 1 is best; ties share it.
    pub rank: u32,
    /// `won`, `draw` or `lost`.
    pub outcome: String,
    /// Answers that could not be played or came late, of a program.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub strikes: u32,
    /// Why it was taken out, if it was: `code`, `detail`, `stderr`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The sums.
#[derive(Debug, Clone)]
pub struct Tally {
    n_seats: u8,
    pool: Pool,
    /// What scores are compared with in a game without opponents.
    reference: Option<Reference>,
    /// Half points and results against each opponent: whole numbers, whose sums have no order.
    halves: BTreeMap<String, (u64, u64)>,
    scores: Vec<f64>,
    failures: BTreeMap<String, u32>,
    played: u32,
    ticks: u64,
}

impl Tally {
    /// Nothing played yet.
    pub fn new(n_seats: u8, pool: Pool, reference: Option<Reference>) -> Self {
        Self {
            n_seats,
            pool,
            reference,
            halves: BTreeMap::new(),
            scores: Vec::new(),
            failures: BTreeMap::new(),
            played: 0,
            ticks: 0,
        }
    }

    /// Counts a match by the seat of the submission.
    pub fn add(&mut self, seat: usize, lines: &[SeatLine], ticks: u32) {
        let Some(own) = lines.get(seat) else { return };
        self.played += 1;
        self.ticks += u64::from(ticks);
        self.scores.push(own.score);
        if let Some(failure) = &own.failure {
            let code = failure["code"].as_str().unwrap_or("unknown").to_owned();
            *self.failures.entry(code).or_default() += 1;
        }
        for other in lines.iter().filter(|line| line.submission_id != own.submission_id) {
            let (halves, results) = self.halves.entry(other.submission_id.clone()).or_default();
            *results += 1;
            *halves += match own.rank.cmp(&other.rank) {
                std::cmp::Ordering::Less => 2,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Greater => 0,
            };
        }
    }

    /// Matches that count.
    pub fn played(&self) -> u32 {
        self.played
    }

    /// Ticks played.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Statistics of the scores, as the platform computes them.
    pub fn score_stats(&self) -> Value {
        json!(score_stats(&self.scores))
    }

    /// What it comes to.
    pub fn findings(&self) -> Findings {
        let rating = self.rating();
        let failed: u32 = self.failures.values().sum();
        let failure_rate = f64::from(failed) / f64::from(self.played.max(1));
        let elo = rounded(rating.elo, 10.0);
        let percentile = match &self.reference {
            Some(reference) => {
                self.scores.iter().map(|score| reference.percentile(*score)).sum::<f64>()
                    / self.scores.len().max(1) as f64
            }
            None => self.pool.percentile(elo),
        };
        Findings {
            played: self.played,
            standing: Standing {
                elo,
                error: rounded(rating.error, 10.0),
                percentile: rounded(percentile, 1e4),
                matches: self.played,
                failure_rate: rounded(failure_rate, 1e4),
            },
            failures: json!(self.failures),
        }
    }

    fn rating(&self) -> Rating {
        if let Some(reference) = &self.reference {
            if self.scores.is_empty() {
                return Rating { elo: CENTRE, error: super::rating::SPREAD };
            }
            // Sorted, since sums of floats have an order.
            let mut scores = self.scores.clone();
            scores.sort_by(f64::total_cmp);
            return reference.rate(scores.into_iter());
        }
        let ratings = self.pool.ratings();
        let score = |(id, &(halves, results)): (&String, &(u64, u64))| {
            let opponent = *ratings.get(id.as_str())?;
            Some(Score { opponent, points: halves as f64 / 2.0, results: results as f64 })
        };
        against(&self.halves.iter().filter_map(score).collect::<Vec<_>>(), self.n_seats)
    }
}

/// Rounded, so that the last bits of a logarithm, which machines may compute differently, do not show.
fn rounded(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::evaluation::pool::Opponents;

    fn pool() -> Pool {
        Pool::choose("connect_four", &Opponents::system(), &[])
    }

    fn line(submission_id: &str, rank: u32, score: f64) -> SeatLine {
        SeatLine {
            submission_id: submission_id.to_owned(),
            provider: None,
            model: None,
            elo_rating: None,
            score,
            rank,
            outcome: if rank == 1 { "won" } else { "lost" }.to_owned(),
            strikes: 0,
            failure: None,
        }
    }

    /// `won` of `n` matches against the opponent at a place of the pool.
    fn against_one(place: usize, won: u32, n: u32) -> Tally {
        let pool = pool();
        let opponent = pool.all()[place].submission_id.clone();
        let mut tally = Tally::new(2, pool, None);
        for nth in 0..n {
            let (mine, theirs) = if nth < won { (1, 2) } else { (2, 1) };
            tally.add(0, &[line("me", mine, 100.0), line(&opponent, theirs, 0.0)], 7);
        }
        tally
    }

    #[test]
    fn half_of_the_points_against_somebody_is_about_as_strong() {
        let tally = against_one(7, 200, 400);
        let (elo, found) = (tally.pool.all()[7].elo, tally.findings());
        assert!((found.standing.elo - elo).abs() < 5.0, "{found:?} {elo}");
        assert!((found.standing.percentile - 0.5).abs() < 0.1, "the eighth of {}", pool().all().len());
        assert_eq!((tally.ticks(), found.played, found.failures), (2_800, 400, json!({})));
        assert_eq!(tally.score_stats()["mean"], 100.0);
    }

    #[test]
    fn the_order_of_matches_does_not_matter_and_more_matches_say_more() {
        let first = pool().all()[3].submission_id.clone();
        let rows: Vec<[SeatLine; 2]> = (0..20)
            .map(|nth| [line("me", 1 + nth % 2, f64::from(nth) / 3.0), line(&first, 2 - nth % 2, 0.0)])
            .collect();
        let of = |rows: &mut dyn Iterator<Item = &[SeatLine; 2]>| {
            let mut tally = Tally::new(2, pool(), None);
            rows.for_each(|row| tally.add(0, row, 1));
            (tally.findings(), tally.score_stats())
        };
        assert_eq!(of(&mut rows.iter()), of(&mut rows.iter().rev()));
        let error = |n| against_one(7, n / 2, n).findings().standing.error;
        assert!(error(100) < error(20) && error(20) < 350.0);
    }

    #[test]
    fn failures_are_counted_by_their_code() {
        let opponent = pool().all()[0].submission_id.clone();
        let mut tally = Tally::new(2, pool(), None);
        for (nth, code) in [None, Some("timeout"), Some("crashed"), Some("timeout")].into_iter().enumerate() {
            let mut own = line("me", 2, 0.0);
            own.failure = code.map(|code| json!({ "code": code }));
            tally.add(1, &[line(&opponent, 1, 100.0), own], nth as u32);
        }
        let found = tally.findings();
        assert_eq!(found.failures, json!({ "crashed": 1, "timeout": 2 }));
        assert!((found.standing.failure_rate - 0.75).abs() < 1e-9);
    }

    #[test]
    fn an_unplayed_one_is_the_prior_and_a_seat_that_is_not_there_counts_nothing() {
        let mut tally = Tally::new(2, pool(), None);
        tally.add(5, &[line("me", 1, 1.0)], 9);
        let found = tally.findings();
        assert_eq!((found.played, found.standing.elo, found.standing.error), (0, 1000.0, 350.0));
    }

    #[test]
    fn without_opponents_scores_are_rated_by_those_of_the_league() {
        let reference = Reference::try_from((0..=100).map(f64::from).collect::<Vec<_>>()).unwrap();
        let rated = |score: f64| {
            let mut tally = Tally::new(1, Pool::from_json(json!([])), Some(reference.clone()));
            (0..10).for_each(|_| tally.add(0, &[line("me", 1, score)], 1));
            tally.findings().standing
        };
        assert!((rated(50.0).elo - 1000.0).abs() < 1.0 && rated(84.0).elo > 1190.0);
        assert!((rated(50.0).percentile - 0.5).abs() < 0.01);
    }
}
