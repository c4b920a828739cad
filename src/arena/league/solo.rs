//! The league of a game for one: there is nobody to beat, so players are rated by their scores. So it is in games whose
//! seats play together: there a player is rated by what it makes with itself in all of them.
//!
//! Everybody plays the same matches, and the scores of all together are the [`Reference`]. The percentile of a score is the
//! share of the reference below it, ties half; a player's is the mean over its matches, which is how likely it does better
//! than a league player in some match. Its rating is `1000 + 200 z`, `z` being the normal quantile of that.
//!
//! Percentiles are averaged and not scores: where scores come in steps, as they do when most boards are solved, means lie in
//! the gaps between them, and all players in one gap would be rated alike.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::calibrate::{CalibrateError, Order, check_players, share_out, tenths};
use super::rating::{CENTRE, Rating};
use super::table::{Row, Table};
use crate::arena::engine::playout::Playout;
use crate::arena::engine::rng::mix;
use crate::arena::engine::seats::{Seat, SeatMap};
use crate::arena::engine::{Game, MatchSetup};

/// Rating points of one standard deviation.
const DEVIATION: f64 = 200.0;

/// Percentiles nearer to 0 or 1 than this are taken for it: what a reference of this size can tell apart.
const EXTREME: f64 = 0.005;

/// Scores are counted in these, so that no sum depends on its order.
const UNITS: f64 = 10_000.0;

/// The scores of a league: its quantiles from 0 to 100 %, ascending.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>")]
pub struct Reference(Vec<f64>);

impl TryFrom<Vec<f64>> for Reference {
    type Error = &'static str;

    fn try_from(quantiles: Vec<f64>) -> Result<Self, &'static str> {
        if quantiles.is_empty() || !quantiles.is_sorted() {
            return Err("a reference is an ascending list of scores");
        }
        Ok(Self(quantiles))
    }
}

impl Reference {
    /// Of some scores in [`UNITS`], at least one.
    pub(super) fn of(mut units: Vec<i64>) -> Self {
        const STEPS: usize = 100;
        units.sort_unstable();
        let last = units.len() - 1;
        let quantile = |step: usize| units[(step * last + STEPS / 2) / STEPS] as f64 / UNITS;
        Self((0..=STEPS).map(quantile).collect())
    }

    /// The share of the reference below a score, ties half; from 0 to 1.
    pub fn percentile(&self, score: f64) -> f64 {
        let quantiles = &self.0;
        let below = quantiles.partition_point(|quantile| *quantile < score);
        let not_above = quantiles.partition_point(|quantile| *quantile <= score);
        (below + not_above) as f64 / 2.0 / quantiles.len() as f64
    }

    /// What scores make a player, given the matches that it made them in; at least one.
    pub fn rate(&self, scores: impl Iterator<Item = f64>) -> Rating {
        let percentiles: Vec<f64> = scores.map(|score| self.percentile(score)).collect();
        let n = percentiles.len() as f64;
        let mean = percentiles.iter().sum::<f64>() / n;
        let squares: f64 = percentiles.iter().map(|percentile| (percentile - mean).powi(2)).sum();
        let error = (squares / (n - 1.0).max(1.0) / n).sqrt();
        Rating { elo: elo(mean), error: (elo(mean + error) - elo(mean - error)) / 2.0 }
    }
}

fn elo(percentile: f64) -> f64 {
    CENTRE + DEVIATION * normal_quantile(percentile.clamp(EXTREME, 1.0 - EXTREME))
}

/// The inverse of the normal distribution function, by P. J. Acklam's rational approximation (2003); off by less than
/// 1.2e-9 of the value.
fn normal_quantile(share: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969_683_028_665_376e1,
        2.209_460_984_245_205e2,
        -2.759_285_104_469_687e2,
        1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1,
        2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -5.447_609_879_822_406e1,
        1.615_858_368_580_409e2,
        -1.556_989_798_598_866e2,
        6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784_894_002_430_293e-3,
        -3.223_964_580_411_365e-1,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 5] = [
        7.784_695_709_041_462e-3,
        3.224_671_290_700_398e-1,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
        1.0,
    ];
    const TAIL: f64 = 0.024_25;
    let polynomial = |coefficients: &[f64], x: f64| {
        coefficients.iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
    };
    if share > 0.5 {
        return -normal_quantile(1.0 - share);
    }
    if share < TAIL {
        let x = (-2.0 * share.ln()).sqrt();
        return polynomial(&C, x) / polynomial(&D, x);
    }
    let x = share - 0.5;
    x * polynomial(&A, x * x) / polynomial(&B, x * x)
}

/// Whether a game's players are rated here: whoever sits at a table has the same score.
pub(super) fn rates(game: &dyn Game) -> bool {
    let spec = game.spec();
    spec.default_seats == 1 || spec.tags.contains(&"coop")
}

/// The scores of each player in [`UNITS`], by match.
pub(super) fn play_all(
    order: &Order<'_>,
    threads: usize,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<Vec<i64>>, CalibrateError> {
    check_players(order)?;
    let play = |nth: usize, played: &mut Vec<(usize, Vec<i64>)>| {
        let seed = mix(&[order.seed, nth as u64]);
        let scores: Result<_, _> = order.players.iter().map(|player| play(order, player, seed)).collect();
        played.push((nth, scores?));
        Ok(())
    };
    let mut played = share_out(order.pairs as usize, threads, progress, Vec::new, play)?.concat();
    played.sort_unstable_by_key(|(nth, _)| *nth);
    let of = |player: usize| played.iter().map(|(_, scores)| scores[player]).collect();
    Ok((0..order.players.len()).map(of).collect())
}

fn play(order: &Order<'_>, player: &str, seed: u64) -> Result<i64, CalibrateError> {
    let spec = order.game.spec();
    let setup =
        MatchSetup { config: &json!({}), seats: spec.default_seats, max_ticks: spec.canonical_ticks, seed };
    let players: SeatMap<&str> = Seat::first(spec.default_seats).map(|seat| (seat, player)).collect();
    let end = order.game.start(&setup)?.playout(&Playout {
        players: &players,
        players_stream: seed,
        chance_stream: None,
        first: None,
        max_ticks: spec.canonical_ticks,
    })?;
    if !end.failed.is_empty() {
        return Err(CalibrateError::Foul { player: player.to_owned(), seed });
    }
    Ok((end.scores.get(Seat::new(0)).copied().unwrap_or_default() * UNITS).round() as i64)
}

/// The table of what was played.
pub(super) fn rate(order: &Order<'_>, played: &[Vec<i64>]) -> Table {
    let spec = order.game.spec();
    let reference = Reference::of(played.concat());
    let row = |(player, units): (&String, &Vec<i64>)| {
        let rating = reference.rate(units.iter().map(|units| *units as f64 / UNITS));
        Row {
            player: player.clone(),
            elo: tenths(rating.elo),
            error: tenths(rating.error),
            matches: units.len() as u32,
            score: Some(tenths(units.iter().sum::<i64>() as f64 / UNITS / units.len() as f64)),
        }
    };
    let mut entries: Vec<Row> = order.players.iter().zip(played).map(row).collect();
    entries.sort_by(Row::by_elo);
    Table {
        game: spec.slug.to_owned(),
        game_version: spec.game_version.to_owned(),
        score_version: spec.score_version.to_owned(),
        seats: spec.default_seats,
        pairs: order.pairs,
        seed: order.seed,
        first_seat: None,
        reference: Some(reference),
        entries,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(scores: &[i64]) -> Vec<i64> {
        scores.iter().map(|score| score * UNITS as i64).collect()
    }

    #[test]
    fn normal_quantiles_are_those_of_the_tables() {
        // Abramowitz and Stegun, table 26.1 and 26.5.
        for (share, quantile) in [
            (0.5, 0.0),
            (0.841_344_746, 1.0),
            (0.975, 1.959_963_985),
            (0.01, -2.326_347_874),
            (0.1, -1.281_551_566),
        ] {
            assert!((normal_quantile(share) - quantile).abs() < 1e-7, "{share}");
        }
    }

    #[test]
    fn a_percentile_is_the_share_below_ties_half() {
        let reference = Reference::of(units(&(0..=100).collect::<Vec<_>>()));
        for (score, percentile) in [(-1.0, 0.0), (101.0, 1.0), (50.0, 50.5 / 101.0), (20.5, 21.0 / 101.0)] {
            assert!((reference.percentile(score) - percentile).abs() < 1e-12, "{score}");
        }
        let steps = Reference::of(units(&[0, 0, 10, 10]));
        assert!((steps.percentile(0.0) - 0.25).abs() < 0.01 && (steps.percentile(10.0) - 0.75).abs() < 0.01);
    }

    #[test]
    fn a_rating_is_200_a_deviation_around_1000() {
        let reference = Reference::of(units(&(0..=1000).collect::<Vec<_>>()));
        let rate = |scores: &[f64]| reference.rate(scores.iter().copied());
        assert!((rate(&[500.0, 500.0]).elo - 1000.0).abs() < 3.0);
        // 84.13 % lie below one deviation.
        assert!((rate(&[841.3, 841.3]).elo - 1200.0).abs() < 5.0);
        assert!(rate(&[2000.0]).elo < 1520.0 && rate(&[-5.0]).elo > 480.0, "what is off the scale is finite");
        let (few, many) = (rate(&[300.0, 700.0]), rate(&[300.0, 700.0].repeat(50)));
        assert!(few.error > 5.0 * many.error && many.error > 0.0);
    }

    #[test]
    fn a_reference_that_is_none_is_refused() {
        for bad in ["[]", "[2,1]"] {
            assert!(serde_json::from_str::<Reference>(bad).is_err(), "{bad}");
        }
    }
}
