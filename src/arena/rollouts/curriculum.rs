//! Auto-curriculum: opponents as strong as the policy wins often.
//!
//! The win rate is an exponentially weighted mean of results; the band of opponents is centred on it (arena.md §5.3,
//! protocol.md §4.6). It concerns resets that ask for opponents and name no band.

use crate::arena::league::{self, Wanted};

/// Half the width of the band when nobody says.
pub const HALF_WIDTH: f64 = 0.15;

/// The weight of the newest result when nobody says.
pub const ALPHA: f64 = 0.1;

/// The win rate before the first episode.
pub const START: f64 = 0.5;

/// How much a band that is too thin grows at each end.
const STEP: f64 = 0.05;

/// The curriculum of one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curriculum {
    /// More than 0, up to 0.5.
    half_width: f64,
    /// More than 0, up to 1.
    alpha: f64,
    /// From 0 to 1.
    win_rate: f64,
}

impl Curriculum {
    /// With the win rate so far: [`START`] in a new run, later what was stored. `half_width` is more than 0 and up to 0.5,
    /// `alpha` more than 0 and up to 1.
    pub fn new(half_width: f64, alpha: f64, win_rate: f64) -> Self {
        Self {
            half_width: half_width.clamp(0.0, 0.5),
            alpha: alpha.clamp(0.0, 1.0),
            win_rate: win_rate.clamp(0.0, 1.0),
        }
    }

    /// The smoothed win rate, 0 to 1; what is to be stored.
    pub fn win_rate(&self) -> f64 {
        self.win_rate
    }

    /// Takes in how an episode with opponents ended for the policy: its `outcome` on the wire.
    pub fn record(&mut self, outcome: &str) {
        let result = match outcome {
            "won" => 1.0,
            "draw" => 0.5,
            _ => 0.0,
        };
        self.win_rate += self.alpha * (result - self.win_rate);
    }

    /// The percentiles of the next opponents, shifted so that they lie between 0 and 1.
    pub fn band(&self) -> [f64; 2] {
        let centre = self.win_rate.clamp(self.half_width, 1.0 - self.half_width);
        [centre - self.half_width, centre + self.half_width]
    }

    /// Which opponents a reset gets that asks for so many of them: the band of the moment unless it names one.
    pub fn opponents(&self, slug: &str, wanted: Wanted, seats: usize) -> Wanted {
        if wanted.band.is_some() || seats == 0 {
            return wanted;
        }
        let within = |band| Wanted { band: Some(band), ..wanted.clone() };
        within(self.band_with(|band| league::pool(slug, &within(band)).len() >= seats))
    }

    /// The band, widened by steps at both ends until it holds enough players; the whole league when it never does.
    pub fn band_with(&self, enough: impl Fn([f64; 2]) -> bool) -> [f64; 2] {
        let mut band = self.band();
        while !enough(band) && band[1] - band[0] < 1.0 {
            band = [(band[0] - STEP).max(0.0), (band[1] + STEP).min(1.0)];
        }
        band
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "values that doubles hold exactly")]
mod tests {
    use super::*;

    fn close(a: [f64; 2], b: [f64; 2]) -> bool {
        a.into_iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn the_win_rate_moves_by_alpha_towards_each_result() {
        let mut curriculum = Curriculum::new(0.25, 0.5, START);
        for (outcome, expected) in [("won", 0.75), ("lost", 0.375), ("draw", 0.4375), ("failed", 0.21875)] {
            curriculum.record(outcome);
            assert_eq!(curriculum.win_rate(), expected, "{outcome}");
        }
    }

    #[test]
    fn the_band_keeps_its_width_at_the_ends() {
        for (win_rate, expected) in
            [(0.5, [0.35, 0.65]), (0.0, [0.0, 0.3]), (0.05, [0.0, 0.3]), (1.0, [0.7, 1.0])]
        {
            let band = Curriculum::new(0.15, 0.1, win_rate).band();
            assert!(close(band, expected), "{win_rate}: {band:?}");
        }
        assert_eq!(Curriculum::new(0.5, 0.1, 0.9).band(), [0.0, 1.0]);
    }

    #[test]
    fn a_thin_band_is_widened_and_no_further_than_needed() {
        let curriculum = Curriculum::new(0.01, 0.1, START);
        let band = curriculum.band_with(|[low, high]| high - low > 0.2);
        assert!(close(band, [0.39, 0.61]), "{band:?}");
        assert_eq!(curriculum.band_with(|_| false), [0.0, 1.0]);
        assert_eq!(curriculum.band_with(|_| true), curriculum.band());
    }

    #[test]
    fn only_resets_that_leave_the_band_open_get_one() {
        let curriculum = Curriculum::new(0.01, 0.1, START);
        let named = Wanted { band: Some([0.9, 1.0]), ..Wanted::any() };
        assert_eq!(curriculum.opponents("connect_four", named.clone(), 1), named);
        assert_eq!(curriculum.opponents("connect_four", Wanted::any(), 0), Wanted::any());
        // Wide enough for three different players, filters included.
        let models: Vec<String> =
            league::of("connect_four").iter().take(5).map(|entry| entry.player.clone()).collect();
        let wanted = curriculum.opponents("connect_four", Wanted { models, ..Wanted::any() }, 3);
        assert!(wanted.band.is_some() && league::pool("connect_four", &wanted).len() >= 3);
    }

    #[test]
    fn winning_brings_stronger_opponents() {
        let mut curriculum = Curriculum::new(HALF_WIDTH, ALPHA, START);
        let mean_elo = |curriculum: &Curriculum| {
            let band = Some(curriculum.band());
            let pool = league::pool("connect_four", &Wanted { band, ..Wanted::any() });
            pool.iter().map(|(entry, _)| entry.elo).sum::<f64>() / pool.len() as f64
        };
        let before = mean_elo(&curriculum);
        for _ in 0..30 {
            curriculum.record("won");
        }
        assert!(mean_elo(&curriculum) > before);
    }
}
