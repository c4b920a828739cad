//! Estimates of a stock's fundamental from marks and news.
//!
//! Three linear models of how marks come about, each with a Kalman filter: [`Model::PLAIN`] knows nothing of
//! behaviours, the other two assume one each. Floats are fine here: an estimate is a player's opinion, not state.

use super::super::observe::View;

/// Variance of a news estimate's error, in cents squared.
const NEWS_VARIANCE: f64 = 625.0;
/// Variance of the first price as an estimate of the fundamental: it is exact, but players may join late.
const FIRST_VARIANCE: f64 = 400.0;

const N: usize = 3;
type Vector = [f64; N];
type Matrix = [Vector; N];

/// A linear model of three hidden numbers; the first is the fundamental less the first mark seen.
pub(in crate::arena) struct Model {
    /// The numbers after a tick, from those before.
    step: Matrix,
    /// Variances that a tick adds.
    noise: Vector,
    /// Which of the numbers add up to the mark.
    mark: Vector,
    /// Variance of the mark about that sum.
    mark_variance: f64,
    /// Variances at the start, behind that of the fundamental.
    start: [f64; 2],
    /// How many ticks of drift (the third number of the sluggish model) a fair price counts in.
    foresight: f64,
}

impl Model {
    /// A random walk that marks and news scatter about; the last two numbers are not used. A mark's distance from
    /// the fundamental hardly changes from tick to tick, so one mark tells little that the last did not: hence its
    /// variance, far above that of the distance itself.
    pub(super) const PLAIN: Self = Self {
        step: [[1.0, 0.0, 0.0], [0.0; N], [0.0; N]],
        noise: [200.0, 0.0, 0.0],
        mark: [1.0, 0.0, 0.0],
        mark_variance: 60_000.0,
        start: [0.0; 2],
        foresight: 0.0,
    };
    /// The mark's base, the second number, closes a twentieth of its gap a tick; the third is the drift.
    pub(in crate::arena) const SLUGGISH: Self = Self {
        step: [[1.0, 0.0, 1.0], [0.05, 0.95, 0.05], [0.0, 0.0, 0.975]],
        noise: [100.0, 0.1, 0.4],
        mark: [0.0, 1.0, 0.0],
        mark_variance: 9.0,
        start: [25.0, 8.0],
        foresight: 15.0,
    };
    /// The mark is the fundamental and a wander, the second number, of which 6 percent go in a tick.
    pub(in crate::arena) const JITTERY: Self = Self {
        step: [[1.0, 0.0, 0.0], [0.0, 0.94, 0.0], [0.0; N]],
        noise: [150.0, 484.0, 0.0],
        mark: [1.0, 1.0, 0.0],
        mark_variance: 1.0,
        start: [484.0, 0.0],
        foresight: 0.0,
    };
}

/// A running estimate under one model.
pub(in crate::arena) struct Filter {
    model: &'static Model,
    /// The tick that was looked at last.
    seen: Option<u32>,
    origin: f64,
    mean: Vector,
    covariance: Matrix,
}

impl Filter {
    pub(in crate::arena) const fn new(model: &'static Model) -> Self {
        Self { model, seen: None, origin: 0.0, mean: [0.0; N], covariance: [[0.0; N]; N] }
    }

    /// Takes in what the view shows since it was looked at last; starts anew when ticks are missing.
    pub(in crate::arena) fn look(&mut self, view: &View<'_>, stock: usize) {
        let now = view.tick();
        let next = match self.seen {
            Some(seen) if seen <= now && seen + 1 >= view.oldest() => seen + 1,
            _ => {
                self.start(view.past_mark(stock, view.oldest()) as f64);
                view.oldest() + 1
            }
        };
        for tick in next..=now {
            self.predict();
            self.correct(self.model.mark, view.past_mark(stock, tick) as f64, self.model.mark_variance);
            for news in view.news().iter().filter(|news| news.tick == tick && news.stock == stock) {
                self.correct([1.0, 0.0, 0.0], news.estimate as f64, NEWS_VARIANCE);
            }
        }
        self.seen = Some(now);
    }

    /// What a share is worth, in cents.
    pub(super) fn fair(&self) -> f64 {
        self.origin + self.mean[0] + self.mean[2] * self.model.foresight
    }

    /// What a share will be worth in so many ticks, in cents, when nothing unforeseen happens.
    pub(in crate::arena) fn ahead(&self, ticks: u32) -> f64 {
        let later = (0..ticks).fold(self.mean, |mean, _| apply(&self.model.step, mean));
        self.origin + later[0]
    }

    fn start(&mut self, mark: f64) {
        self.origin = mark;
        self.mean = [0.0; N];
        let [second, third] = self.model.start;
        self.covariance = [[FIRST_VARIANCE, 0.0, 0.0], [0.0, second, 0.0], [0.0, 0.0, third]];
    }

    fn predict(&mut self) {
        let step = &self.model.step;
        self.mean = apply(step, self.mean);
        // F P F' + Q, with F P first.
        let rows: Matrix = std::array::from_fn(|i| {
            std::array::from_fn(|j| (0..N).map(|k| step[i][k] * self.covariance[k][j]).sum())
        });
        self.covariance = rows.map(|row| apply(step, row));
        for i in 0..N {
            self.covariance[i][i] += self.model.noise[i];
        }
    }

    /// Takes in a number that is `of` times the hidden ones, about `self.origin`, with an error of this variance.
    fn correct(&mut self, of: Vector, observed: f64, variance: f64) {
        let along = apply(&self.covariance, of);
        let total = dot(of, along) + variance;
        let surprise = observed - self.origin - dot(of, self.mean);
        for i in 0..N {
            let gain = along[i] / total;
            self.mean[i] += gain * surprise;
            for (covariance, along) in self.covariance[i].iter_mut().zip(along) {
                *covariance -= gain * along;
            }
        }
    }
}

fn apply(matrix: &Matrix, vector: Vector) -> Vector {
    matrix.map(|row| dot(row, vector))
}

fn dot(a: Vector, b: Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::super::super::State;
    use super::super::is_lively;
    use super::*;
    use crate::arena::engine::events::NoEvents;
    use crate::arena::engine::seats::{Seat, SeatMap};

    /// Mean distances from the fundamental over a few quiet matches: of the mark, and of the model's estimate.
    fn distances(model: &'static Model, lively: bool) -> (f64, f64) {
        let (mut by_mark, mut by_filter) = (0.0, 0.0);
        for seed in 0..6 {
            let mut state = State::new(2, 401, seed);
            let mut filters = [Filter::new(model), Filter::new(model)];
            for tick in 0..400 {
                state.play_tick(&SeatMap::default(), &mut NoEvents);
                let view = View::new(&state, Seat::new(0));
                for (stock, filter) in filters.iter_mut().enumerate() {
                    filter.look(&view, stock);
                    if tick > 40 && is_lively(&view, stock) == Some(lively) {
                        let value = state.stocks[stock].process.settlement() as f64;
                        by_mark += (view.mark(stock) as f64 - value).abs();
                        by_filter += (filter.origin + filter.mean[0] - value).abs();
                    }
                }
            }
        }
        (by_mark, by_filter)
    }

    #[test]
    fn the_right_model_knows_the_fundamental_better_than_the_mark_and_the_wrong_model_do() {
        for (lively, right, wrong) in
            [(false, &Model::SLUGGISH, &Model::JITTERY), (true, &Model::JITTERY, &Model::SLUGGISH)]
        {
            let (by_mark, by_right) = distances(right, lively);
            let others = [by_mark, distances(wrong, lively).1];
            assert!(others.iter().all(|other| by_right < 0.8 * other), "{lively}: {by_right} of {others:?}");
        }
    }
}
