//! The results so far, and whether more are needed.
//!
//! Games end in any order when several are played at once. What is counted is the longest run of pairs from the first
//! one on: so short games are not favoured, and a contest comes out the same however it was cut into sittings.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::seat::FailureKind;

use super::elo::{Estimate, estimate};
use super::row::PairRow;
use super::sprt::{Bounds, Decision};
use super::{Outcome, PairScore, Side};

/// What was counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// Games that the first player won.
    pub wins: u64,
    /// Games without a winner.
    pub draws: u64,
    /// Games that it lost.
    pub losses: u64,
    /// Pairs by their score in half points, worst first.
    pub pairs: [u64; 5],
    /// Failures of either side by kind. A failure that lost the game is among the losses, too.
    #[serde(serialize_with = "by_side")]
    pub failures: BTreeMap<(Side, FailureKind), u64>,
}

impl Counts {
    /// Games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The first player's points.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// How often a side failed.
    pub fn failures_of(&self, side: Side) -> u64 {
        self.failures.iter().filter(|((of, _), _)| *of == side).map(|(_, count)| count).sum()
    }

    fn add(&mut self, pair: &PairRow) {
        let [first, second] = &pair.games;
        for game in [first, second] {
            match game.result {
                Outcome::Win => self.wins += 1,
                Outcome::Draw => self.draws += 1,
                Outcome::Loss => self.losses += 1,
            }
            for failure in &game.failures {
                *self.failures.entry((failure.side, failure.kind)).or_default() += 1;
            }
        }
        self.pairs[PairScore::of(first.result, second.result).0] += 1;
    }
}

/// `{"a":{"crash":2},"b":{}}`.
fn by_side<S: Serializer>(
    failures: &BTreeMap<(Side, FailureKind), u64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let of = |side: Side| -> BTreeMap<&str, u64> {
        failures
            .iter()
            .filter(|((of, _), _)| *of == side)
            .map(|((_, kind), count)| (kind.as_str(), *count))
            .collect()
    };
    serializer.collect_map([("a", of(Side::A)), ("b", of(Side::B))])
}

/// A contest under way.
#[derive(Debug, Clone)]
pub struct Tally {
    bounds: Option<Bounds>,
    most: u64,
    rows: BTreeMap<u64, PairRow>,
    counted: u64,
    counts: Counts,
    decision: Option<Decision>,
}

impl Tally {
    /// A contest of at most so many pairs; with bounds it ends as soon as the test does.
    pub fn new(bounds: Option<Bounds>, most: u64) -> Self {
        let (rows, counts) = (BTreeMap::new(), Counts::default());
        Self { bounds, most, rows, counted: 0, counts, decision: None }
    }

    /// Takes a pair. One that is there already, or lies beyond the end, changes nothing.
    pub fn add(&mut self, row: PairRow) {
        if row.pair >= self.counted && row.pair < self.most && !self.is_over() {
            self.rows.entry(row.pair).or_insert(row);
        }
        while !self.is_over()
            && let Some(row) = self.rows.remove(&self.counted)
        {
            self.counts.add(&row);
            self.counted += 1;
            self.decision = self.bounds.and_then(|bounds| bounds.decide(self.counts.pairs));
        }
    }

    /// Whether a pair was played, counted or not.
    pub fn has(&self, pair: u64) -> bool {
        pair < self.counted || self.rows.contains_key(&pair)
    }

    /// Nothing more is needed.
    pub fn is_over(&self) -> bool {
        self.decision.is_some() || self.counted >= self.most
    }

    /// What was counted.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// How the test ended, if it did.
    pub fn decision(&self) -> Option<Decision> {
        self.decision
    }

    /// The test's bounds.
    pub fn bounds(&self) -> Option<Bounds> {
        self.bounds
    }

    /// The most pairs.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// The log-likelihood ratio so far.
    pub fn llr(&self) -> Option<f64> {
        let bounds = self.bounds?;
        Some(if self.counted == 0 { 0.0 } else { bounds.llr(self.counts.pairs) })
    }

    /// The difference in strength so far.
    pub fn estimate(&self) -> Estimate {
        estimate(self.counts.pairs)
    }

    /// How many more pairs it may take, by how fast the test has moved so far; at most what is left.
    pub fn left(&self) -> u64 {
        let rest = self.most.saturating_sub(self.counted);
        let (Some(bounds), Some(llr), 1..) = (self.bounds, self.llr(), self.counted) else { return rest };
        let (lower, upper) = bounds.limits();
        let way = if llr > 0.0 { upper - llr } else { llr - lower };
        let pace = llr.abs() / self.counted as f64;
        let needed = (way.max(0.0) / pace).ceil();
        // A test that does not move takes all.
        if needed.is_finite() { rest.min(needed as u64) } else { rest }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::row::GameRow;
    use super::*;

    fn game(result: Outcome) -> GameRow {
        GameRow { result, ..GameRow::default() }
    }

    fn pair(pair: u64, first: Outcome, second: Outcome) -> PairRow {
        PairRow { pair, games: [game(first), game(second)] }
    }

    use Outcome::{Draw, Loss, Win};

    #[test]
    fn only_an_unbroken_run_of_pairs_is_counted() {
        let mut tally = Tally::new(None, 4);
        tally.add(pair(1, Win, Draw));
        assert_eq!((tally.counts().games(), tally.has(1), tally.has(0)), (0, true, false));
        tally.add(pair(0, Loss, Loss));
        tally.add(pair(0, Win, Win));
        let counts = tally.counts();
        assert_eq!((counts.wins, counts.draws, counts.losses), (1, 1, 2));
        assert_eq!(counts.pairs, [1, 0, 0, 1, 0]);
        assert!(!tally.is_over());
        tally.add(pair(7, Win, Win));
        assert!(!tally.has(7), "beyond the end");
    }

    #[test]
    fn the_test_ends_the_contest_and_later_pairs_change_nothing() {
        let bounds = Bounds { elo1: 200.0, ..Bounds::default() };
        let mut tally = Tally::new(Some(bounds), 1000);
        for nth in 0..100 {
            tally.add(pair(nth, Win, Win));
        }
        assert_eq!(tally.decision(), Some(Decision::Accepted));
        assert!(tally.counts().games() < 50, "{:?}", tally.counts());
        assert!(tally.llr().is_some_and(|llr| llr >= bounds.limits().1));
    }

    #[test]
    fn what_is_left_is_guessed_from_the_pace() {
        let mut tally = Tally::new(Some(Bounds::default()), 1000);
        assert_eq!(tally.left(), 1000);
        for nth in 0..20 {
            tally.add(pair(nth, Win, Loss));
        }
        assert!(tally.left() <= 980);
        assert_eq!(Tally::new(None, 10).left(), 10);
    }

    #[test]
    fn failures_are_tallied_by_side_and_kind() {
        let mut tally = Tally::new(None, 1);
        let mut row = pair(0, Loss, Win);
        let failure = |side, kind| super::super::row::FailureRow { side, kind, ..Default::default() };
        row.games[0].failures = vec![failure(Side::A, FailureKind::Crash)];
        row.games[1].failures =
            vec![failure(Side::B, FailureKind::TimeOut), failure(Side::A, FailureKind::Crash)];
        tally.add(row);
        assert_eq!((tally.counts().failures_of(Side::A), tally.counts().failures_of(Side::B)), (2, 1));
        let json = serde_json::to_value(tally.counts()).expect("JSON");
        assert_eq!(json["failures"], serde_json::json!({"a": {"crash": 2}, "b": {"time_out": 1}}));
    }

    proptest! {
        #[test]
        fn the_order_in_which_pairs_end_does_not_matter(
            scores in prop::collection::vec((0usize..3, 0usize..3), 1..60), turn in 0usize..60,
        ) {
            let of = |nth: usize| [Loss, Draw, Win][nth];
            let rows: Vec<PairRow> = scores
                .iter()
                .enumerate()
                .map(|(nth, (first, second))| pair(nth as u64, of(*first), of(*second)))
                .collect();
            let bounds = Some(Bounds { elo0: -50.0, elo1: 150.0, ..Bounds::default() });
            let run = |rows: &mut dyn Iterator<Item = &PairRow>| {
                let mut tally = Tally::new(bounds, 60);
                rows.for_each(|row| tally.add(row.clone()));
                (tally.counts().clone(), tally.decision())
            };
            let turn = turn % rows.len();
            let turned = run(&mut rows[turn..].iter().chain(&rows[..turn]));
            prop_assert_eq!(run(&mut rows.iter()), turned.clone());
            prop_assert_eq!(run(&mut rows.iter().rev()), turned);
        }
    }
}
