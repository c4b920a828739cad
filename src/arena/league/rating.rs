//! Elo ratings: what a difference of ratings promises, and the ratings that explain a set of results best.
//!
//! The fit is maximum likelihood in the model of Bradley and Terry (1952), which is Elo's: a player of strength `p`
//! beats one of strength `q` with probability `p / (p + q)`, and the rating is `400 · log10 p`. One virtual draw
//! between any two players keeps records without a loss finite.

/// What the middle player of a fit is rated.
pub const CENTRE: f64 = 1000.0;

/// Rating points between two players one of whom is ten times as strong.
const SCALE: f64 = 400.0;

/// The fit ends when no strength changes by more than this share.
const PRECISION: f64 = 1e-12;

/// The fit ends at the latest after so many rounds; a league takes some hundreds.
const ROUNDS: u32 = 100_000;

/// The points, 0 to 1, that a player rated `own` is expected to make in a match with one rated `other`.
pub fn expected(own: f64, other: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf((other - own) / SCALE))
}

/// The difference of ratings that promises a share of the points, over 0 and below 1; the inverse of [`expected`].
pub fn difference(share: f64) -> f64 {
    SCALE * (share / (1.0 - share)).log10()
}

/// A rating with its standard error, both in Elo points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// Around [`CENTRE`].
    pub elo: f64,
    /// Standard error, relative to the mean of all players of the fit.
    pub error: f64,
}

/// Results between players who are known by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Results {
    players: usize,
    /// Half points that the first made against the second, row by row: 2 for a win, 1 for a draw. Whole numbers, so
    /// that their sum does not depend on the order in which matches end.
    halves: Vec<u64>,
}

impl Results {
    /// None yet.
    pub fn none(players: usize) -> Self {
        Self { players, halves: vec![0; players * players] }
    }

    /// Counts a table of two or more, given as players with their places (1 is best, ties share one): everybody against
    /// everybody, a tie is a draw.
    pub fn add(&mut self, table: &[(usize, u32)]) {
        for (nth, &(player, rank)) in table.iter().enumerate() {
            for &(other, other_rank) in &table[nth + 1..] {
                let halves = match rank.cmp(&other_rank) {
                    std::cmp::Ordering::Less => 2,
                    std::cmp::Ordering::Equal => 1,
                    std::cmp::Ordering::Greater => 0,
                };
                self.halves[player * self.players + other] += halves;
                self.halves[other * self.players + player] += 2 - halves;
            }
        }
    }

    /// Counts what another has counted.
    pub fn absorb(&mut self, other: &Self) {
        for (mine, theirs) in self.halves.iter_mut().zip(&other.halves) {
            *mine += theirs;
        }
    }

    /// Points that `player` made against `other`, and results between the two.
    pub fn between(&self, player: usize, other: usize) -> (f64, f64) {
        let made = self.halves[player * self.players + other];
        let lost = self.halves[other * self.players + player];
        (made as f64 / 2.0, (made + lost) as f64 / 2.0)
    }

    /// The ratings that make the results likeliest, the median player's being [`CENTRE`].
    ///
    /// `seats` is the size of the tables that were counted. The results of one table hang together: the place of one
    /// of `k` equals varies by `(k² − 1) / 12`, which is `(k + 1) / 3` times what `k − 1` matches of their own would.
    /// Each result counts for so much less.
    pub fn fit(&self, seats: u8) -> Vec<Rating> {
        let weight = 3.0 / (f64::from(seats) + 1.0);
        let strengths = self.strengths(weight);
        let errors = self.errors(weight, &strengths);
        let elos: Vec<f64> = strengths.iter().map(|strength| SCALE * strength.log10()).collect();
        let shift = CENTRE - median(&elos);
        elos.into_iter().zip(errors).map(|(elo, error)| Rating { elo: elo + shift, error }).collect()
    }

    /// Points and results between two players as the fit counts them, the virtual draw included.
    fn counted(&self, weight: f64, player: usize, other: usize) -> (f64, f64) {
        let (points, results) = self.between(player, other);
        (points * weight + 0.5, results * weight + 1.0)
    }

    /// Minorise and maximise (Hunter 2004): nothing but sums, products and quotients, which are the same on every
    /// machine.
    fn strengths(&self, weight: f64) -> Vec<f64> {
        let mut strengths = vec![1.0; self.players];
        for _ in 0..ROUNDS {
            let next: Vec<f64> =
                (0..self.players).map(|player| self.improved(weight, &strengths, player)).collect();
            let mean = next.iter().sum::<f64>() / next.len() as f64;
            let next: Vec<f64> = next.into_iter().map(|strength| strength / mean).collect();
            let moved = next.iter().zip(&strengths).any(|(new, old)| (new / old - 1.0).abs() > PRECISION);
            strengths = next;
            if !moved {
                break;
            }
        }
        strengths
    }

    fn improved(&self, weight: f64, strengths: &[f64], player: usize) -> f64 {
        let (mut points, mut chances) = (0.0, 0.0);
        for other in (0..self.players).filter(|&other| other != player) {
            let (made, results) = self.counted(weight, player, other);
            points += made;
            chances += results / (strengths[player] + strengths[other]);
        }
        if chances > 0.0 { points / chances } else { 1.0 }
    }

    /// Standard errors in Elo points, by the inverse of the Fisher information. The information knows nothing of the
    /// mean, so the inverse is taken among ratings whose sum stands still.
    fn errors(&self, weight: f64, strengths: &[f64]) -> Vec<f64> {
        let n = self.players;
        let share = 1.0 / n.max(1) as f64;
        let mut information = vec![vec![share; n]; n];
        for player in 0..n {
            for other in (0..n).filter(|&other| other != player) {
                let (_, results) = self.counted(weight, player, other);
                let chance = strengths[player] / (strengths[player] + strengths[other]);
                let known = results * chance * (1.0 - chance);
                information[player][player] += known;
                information[player][other] -= known;
            }
        }
        let per_point = SCALE / std::f64::consts::LN_10;
        let variances = inverse(information).into_iter().enumerate().map(|(nth, row)| row[nth] - share);
        variances.map(|variance| per_point * variance.max(0.0).sqrt()).collect()
    }
}

/// The middle value, or the mean of the two in the middle; 0 of nothing.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n => f64::midpoint(sorted[(n - 1) / 2], sorted[n / 2]),
    }
}

/// Gauss and Jordan without a search for pivots: the information matrix, which is positive definite, needs none.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = matrix.len();
    for pivot in 0..n {
        let scale = 1.0 / matrix[pivot][pivot];
        matrix[pivot][pivot] = 1.0;
        matrix[pivot].iter_mut().for_each(|cell| *cell *= scale);
        let pivot_row = matrix[pivot].clone();
        for (_, row) in matrix.iter_mut().enumerate().filter(|(nth, _)| *nth != pivot) {
            let factor = std::mem::take(&mut row[pivot]);
            row.iter_mut().zip(&pivot_row).for_each(|(cell, above)| *cell -= factor * above);
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::engine::rng::Pcg;

    fn close(a: f64, b: f64, within: f64) -> bool {
        (a - b).abs() <= within
    }

    /// `wins` of the first against the second, and of the second against the first.
    fn duel(wins: u32, losses: u32) -> Results {
        let mut results = Results::none(2);
        (0..wins).for_each(|_| results.add(&[(0, 1), (1, 2)]));
        (0..losses).for_each(|_| results.add(&[(0, 2), (1, 1)]));
        results
    }

    #[test]
    fn elo_is_elo() {
        // 1 / (1 + 10^(−200/400)) = 0.7597, and 75 % are 400 · log10(3) = 191 points.
        assert!(close(expected(1200.0, 1000.0), 0.7597, 5e-5));
        assert!(close(1000.0 + difference(0.75), 1191.0, 0.5));
        assert!(close(difference(expected(1234.0, 1000.0)), 234.0, 1e-9));
        // Equal players, K = 32, one win: 1016 and 984.
        assert!(close(1000.0 + 32.0 * (1.0 - expected(1000.0, 1000.0)), 1016.0, 1e-9));
    }

    #[test]
    fn two_players_have_a_closed_form() {
        // 30 wins, 10 losses and the virtual draw are 30.5 of 41; the error of the difference is that of a log odds.
        let fit = duel(30, 10).fit(2);
        let share = 30.5 / 41.0;
        assert!(close(fit[0].elo - fit[1].elo, difference(share), 1e-6), "{fit:?}");
        assert!(close(f64::midpoint(fit[0].elo, fit[1].elo), CENTRE, 1e-9));
        let of_difference = SCALE / std::f64::consts::LN_10 / (41.0 * share * (1.0 - share)).sqrt();
        // Each is half the difference away from the mean.
        assert!(close(fit[0].error, of_difference / 2.0, 1e-6), "{fit:?}");
    }

    #[test]
    fn a_clean_record_stays_finite_and_no_record_is_the_centre() {
        let fit = duel(40, 0).fit(2);
        assert!(close(fit[0].elo - fit[1].elo, difference(40.5 / 41.0), 1e-6), "{fit:?}");
        assert!(Results::none(3).fit(2).iter().all(|rating| close(rating.elo, CENTRE, 1e-9)));
    }

    #[test]
    fn a_table_is_everybody_against_everybody() {
        let mut results = Results::none(4);
        results.add(&[(2, 1), (0, 2), (3, 2), (1, 4)]);
        assert_eq!(results.between(2, 1), (1.0, 1.0));
        assert_eq!(results.between(0, 3), (0.5, 1.0));
        assert_eq!(results.between(1, 3), (0.0, 1.0));
    }

    /// Ratings that are known, and what their players' matches tell of them.
    fn league(true_elos: &[f64], seats: usize, tables: u32) -> Results {
        let mut rng = Pcg::new(7);
        let mut uniform = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let mut results = Results::none(true_elos.len());
        let mut order = Pcg::new(8);
        for _ in 0..tables {
            let mut players: Vec<usize> = (0..true_elos.len()).collect();
            order.shuffle(&mut players);
            players.truncate(seats);
            // Who finishes first of exponential waits with such rates (Luce 1959): pairs of them are Elo's.
            let mut waits: Vec<(f64, usize)> = players
                .iter()
                .map(|&player| (-(1.0 - uniform()).ln() / 10f64.powf(true_elos[player] / SCALE), player))
                .collect();
            waits.sort_by(|a, b| a.0.total_cmp(&b.0));
            let table: Vec<(usize, u32)> = waits.iter().map(|wait| wait.1).zip(1..).collect();
            results.add(&table);
        }
        results
    }

    #[test]
    fn known_ratings_are_recovered_within_their_errors() {
        let true_elos = [700.0, 850.0, 1000.0, 1100.0, 1400.0];
        for (seats, tables) in [(2, 6_000), (4, 1_500)] {
            let fit = league(&true_elos, seats, tables).fit(seats as u8);
            for (rating, truth) in fit.iter().zip(true_elos) {
                assert!(rating.error > 2.0 && rating.error < 15.0, "{seats} seats: {fit:?}");
                assert!(close(rating.elo, truth, 3.0 * rating.error), "{seats} seats: {truth} as {rating:?}");
            }
        }
    }

    #[test]
    fn the_order_of_matches_does_not_matter() {
        let whole = league(&[900.0, 1000.0, 1100.0], 3, 50);
        let mut parts = Results::none(3);
        parts.absorb(&whole);
        assert_eq!(parts, whole);
        assert_eq!(parts.fit(3), whole.fit(3));
    }
}
