//! Scores, rewards and latencies over a whole recording, held compactly and given in as many steps as a chart has room.

use std::collections::BTreeMap;

use super::numbers::ByPlayer;

/// Points kept of a recording; the rest of a longer one has no curve.
const MOST_POINTS: usize = 8 << 20;
/// Players with a curve.
const MOST_PLAYERS: usize = 64;
/// Steps of a chart.
const MOST_BUCKETS: usize = 4096;

/// The lowest, the highest and the last value of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the sentence above says it")]
pub struct Span {
    pub min: f64,
    pub max: f64,
    pub last: f64,
}

/// Curves over a part of a recording. All lists are as long as `ticks`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chart {
    /// The first moment.
    pub from: usize,
    /// The last moment.
    pub to: usize,
    /// The tick that each step begins at.
    pub ticks: Vec<u64>,
    /// By player, in the order of their names.
    pub curves: Vec<Curve>,
}

/// The curves of a player; nothing for a step without a value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curve {
    /// Whose.
    pub player: String,
    /// The score; it goes on until it changes.
    pub scores: Vec<Option<Span>>,
    /// The reward: as it was told, or else the change of the score.
    pub rewards: Vec<Option<Span>>,
    /// Milliseconds that actions took.
    pub latencies: Vec<Option<Span>>,
}

/// Everything that curves are made from.
#[derive(Debug, Default)]
pub(super) struct Curves {
    players: BTreeMap<String, Player>,
    points: usize,
}

#[derive(Debug, Default)]
struct Player {
    /// Only where it changed.
    scores: Series,
    rewards: Series,
    latencies: Series,
}

/// Values at moments.
#[derive(Debug, Default)]
struct Series {
    nth: Vec<u32>,
    value: Vec<f64>,
}

impl Series {
    /// The places of the moments from one up to another, without it.
    fn between(&self, from: usize, to: usize) -> std::ops::Range<usize> {
        let place = |nth: usize| self.nth.partition_point(|at| (*at as usize) < nth);
        place(from)..place(to).max(place(from))
    }

    fn push(&mut self, nth: usize, value: f64) {
        self.nth.push(nth as u32);
        self.value.push(value);
    }
}

impl Curves {
    pub(super) fn score(&mut self, nth: usize, scores: &ByPlayer) {
        for (player, score) in scores {
            let is_same = |player: &Player| {
                player.scores.value.last().is_some_and(|last| last.to_bits() == score.to_bits())
            };
            if !self.players.get(player).is_some_and(is_same) {
                self.point(player, |player| player.scores.push(nth, *score));
            }
        }
    }

    pub(super) fn reward(&mut self, nth: usize, rewards: &ByPlayer) {
        for (player, reward) in rewards {
            self.point(player, |player| player.rewards.push(nth, *reward));
        }
    }

    pub(super) fn took(&mut self, nth: usize, player: &str, ms: f64) {
        self.point(player, |player| player.latencies.push(nth, ms));
    }

    fn point(&mut self, player: &str, add: impl FnOnce(&mut Player)) {
        let is_known = self.players.contains_key(player);
        if self.points == MOST_POINTS || (!is_known && self.players.len() == MOST_PLAYERS) {
            return;
        }
        self.points += 1;
        add(self.players.entry(player.to_owned()).or_default());
    }

    /// The newest scores.
    pub(super) fn scores(&self) -> BTreeMap<String, f64> {
        let last =
            |(player, curves): (&String, &Player)| Some((player.clone(), *curves.scores.value.last()?));
        self.players.iter().filter_map(last).collect()
    }

    pub(super) fn players(&self) -> impl Iterator<Item = &String> {
        self.players.keys()
    }

    /// The moments from one to another in so many steps or fewer.
    pub(super) fn chart(&self, from: usize, to: usize, buckets: usize, tick: impl Fn(usize) -> u64) -> Chart {
        let moments = (to + 1).saturating_sub(from);
        let buckets = buckets.clamp(1, MOST_BUCKETS).min(moments);
        let start = |bucket: usize| from + bucket * moments / buckets.max(1);
        let curve = |(name, player): (&String, &Player)| Curve {
            player: name.clone(),
            scores: (0..buckets).map(|b| lasting(&player.scores, start(b), start(b + 1))).collect(),
            rewards: (0..buckets).map(|b| reward(player, start(b), start(b + 1))).collect(),
            latencies: (0..buckets).map(|b| told(&player.latencies, start(b), start(b + 1))).collect(),
        };
        Chart {
            from,
            to,
            ticks: (0..buckets).map(|bucket| tick(start(bucket))).collect(),
            curves: self.players.iter().map(curve).collect(),
        }
    }
}

/// The values told from one moment up to another.
fn told(series: &Series, from: usize, to: usize) -> Option<Span> {
    span(series.value[series.between(from, to)].iter().copied())
}

/// The values of something that stays as it is until it changes.
fn lasting(series: &Series, from: usize, to: usize) -> Option<Span> {
    let range = series.between(from, to);
    let changed_at_once = series.nth.get(range.start).is_some_and(|nth| *nth as usize == from);
    let before = if changed_at_once { None } else { range.start.checked_sub(1).map(|nth| series.value[nth]) };
    span(before.into_iter().chain(series.value[range].iter().copied()))
}

/// Rewards as told; where they never are, a reward is the change of the score.
fn reward(player: &Player, from: usize, to: usize) -> Option<Span> {
    if !player.rewards.nth.is_empty() {
        return told(&player.rewards, from, to);
    }
    let scores = &player.scores;
    let changes = scores
        .between(from, to)
        .filter_map(|nth| Some(scores.value[nth] - scores.value[nth.checked_sub(1)?]));
    span(changes)
}

fn span(values: impl Iterator<Item = f64>) -> Option<Span> {
    values.fold(None, |span: Option<Span>, value| {
        Some(span.map_or(Span { min: value, max: value, last: value }, |span| Span {
            min: span.min.min(value),
            max: span.max.max(value),
            last: value,
        }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(min: f64, max: f64, last: f64) -> Span {
        Span { min, max, last }
    }

    #[test]
    fn a_chart_has_the_extremes_of_each_step() {
        let mut curves = Curves::default();
        for (nth, score) in [1.0, 5.0, 2.0, 2.0, 2.0, 2.0, 0.0, 3.0].into_iter().enumerate() {
            curves.score(nth, &vec![("p0".into(), score)]);
        }
        curves.took(2, "p0", 12.0);
        curves.took(3, "p0", 8.0);
        assert_eq!(curves.players["p0"].scores.nth.len(), 5, "only what changes is kept");
        let chart = curves.chart(0, 7, 4, |nth| nth as u64 * 10);
        assert_eq!(chart.ticks, [0, 20, 40, 60]);
        let curve = &chart.curves[0];
        assert_eq!(
            curve.scores,
            [
                Some(of(1.0, 5.0, 5.0)),
                Some(of(2.0, 2.0, 2.0)),
                Some(of(2.0, 2.0, 2.0)),
                Some(of(0.0, 3.0, 3.0))
            ]
        );
        assert_eq!(
            curve.rewards,
            [Some(of(4.0, 4.0, 4.0)), Some(of(-3.0, -3.0, -3.0)), None, Some(of(-2.0, 3.0, 3.0))]
        );
        assert_eq!(curve.latencies, [None, Some(of(8.0, 12.0, 8.0)), None, None]);
    }

    #[test]
    fn a_chart_of_hardly_anything_is_short() {
        let mut curves = Curves::default();
        curves.score(0, &vec![("p0".into(), 1.0)]);
        assert_eq!(curves.chart(0, 0, 1000, |_| 3).ticks, [3]);
        assert_eq!(curves.chart(5, 4, 10, |_| 3).ticks, [0; 0]);
        assert_eq!(curves.chart(0, 9, 0, |_| 3).ticks.len(), 1);
    }
}
