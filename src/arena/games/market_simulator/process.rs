//! What nobody may see: a stock's fundamental, how its mark follows, and what the crowd wants.
//!
//! All of it is drawn from the match's generator in a fixed order that no player's action changes, so one seed gives
//! one history of fundamentals, news and crowd orders whatever the seats do. Divisions truncate towards zero.

use arrayvec::ArrayVec;

use super::book::Side;
use crate::arena::engine::rng::Pcg;

/// Fundamentals are kept in this many parts of a cent.
const PARTS: i64 = 256;
/// The least a fundamental can be, in parts.
const LEAST_VALUE: i64 = 1_000 * PARTS;
/// The least a mark can be, in cents.
const LEAST_MARK: i64 = 100;
/// Chance of a jump in a tick is one in this.
const JUMP_ONE_IN: u64 = 80;
/// Deviation of a jump, in cents.
const JUMP_DEVIATION: i64 = 120;
/// Chance of a new drift in a tick is one in this.
const DRIFT_ONE_IN: u64 = 40;
/// Share of the gap to the first price that closes in a tick is one in this.
const PULL: i64 = 400;
/// How far mark and fundamental are typically apart, in cents.
const GAP_DEVIATION: i64 = 66;
/// Deviation of the error of a news estimate, in cents.
const NEWS_DEVIATION: i64 = 25;

/// What sets the two stocks of a match apart: which one is which is for the players to find out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Behaviour {
    /// The mark follows slowly and smoothly, and the fundamental drifts.
    Sluggish,
    /// The mark follows at once, but wanders about it.
    Jittery,
}

/// The numbers of one behaviour.
struct Constants {
    /// Percent of the gap to the fundamental that the house closes in a tick.
    follow: i64,
    /// Percent of the wander that is left after a tick.
    keep: i64,
    /// Deviation of the wander's step, in parts of a cent per part of a normal draw.
    wander: i64,
    /// Deviation of the fundamental's step, in the same unit.
    noise: i64,
    /// Whether the fundamental drifts.
    drifts: bool,
}

impl Behaviour {
    const fn constants(self) -> Constants {
        match self {
            Self::Sluggish => Constants { follow: 5, keep: 0, wander: 3, noise: 6, drifts: true },
            Self::Jittery => Constants { follow: 50, keep: 94, wander: 22, noise: 4, drifts: false },
        }
    }
}

/// The hidden side of one stock. All but the mark in parts of a cent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Process {
    behaviour: Behaviour,
    anchor: i64,
    value: i64,
    drift: i64,
    base: i64,
    wander: i64,
    mark: i64,
}

impl Process {
    /// A stock that starts at `price` cents.
    pub(super) fn new(behaviour: Behaviour, price: i64) -> Self {
        let value = price * PARTS;
        Self { behaviour, anchor: value, value, drift: 0, base: value, wander: 0, mark: price }
    }

    /// The price the house quotes around, in cents.
    pub(super) fn mark(&self) -> i64 {
        self.mark
    }

    /// The fundamental in whole cents: what a share pays at the end.
    pub(super) fn settlement(&self) -> i64 {
        self.value / PARTS
    }

    /// Moves one tick on.
    pub(super) fn step(&mut self, rng: &mut Pcg) {
        let with = self.behaviour.constants();
        if with.drifts && rng.one_in(DRIFT_ONE_IN) {
            self.drift = rng.between(-2, 2) * 2 * PARTS;
        }
        self.value += self.drift + (self.anchor - self.value) / PULL + rng.normal() * with.noise;
        if rng.one_in(JUMP_ONE_IN) {
            self.value += rng.normal() * JUMP_DEVIATION;
        }
        self.value = self.value.max(LEAST_VALUE);
        self.base += (self.value - self.base) * with.follow / 100;
        self.wander = self.wander * with.keep / 100 + rng.normal() * with.wander;
        self.mark = ((self.base + self.wander) / PARTS).max(LEAST_MARK);
    }

    /// Another hidden side with the same mark. What past marks and news tell of it is not counted in, so this is for
    /// checking that nobody sees more than those, not for guessing well.
    pub(super) fn redeal(&mut self, behaviour: Behaviour, rng: &mut Pcg) {
        self.behaviour = behaviour;
        self.wander = rng.normal() * GAP_DEVIATION;
        self.base = self.mark * PARTS - self.wander + rng.between(0, PARTS - 1);
        self.value = (self.base + rng.normal() * GAP_DEVIATION).max(LEAST_VALUE);
        self.drift = rng.between(-2, 2) * 2 * PARTS;
    }

    /// What the news says of the fundamental, in cents.
    pub(super) fn estimate(&self, rng: &mut Pcg) -> i64 {
        self.settlement() + rng.normal() * NEWS_DEVIATION / PARTS
    }

    /// The same stock at another mark, to set a scene.
    #[cfg(test)]
    pub(super) fn with_mark(self, mark: i64) -> Self {
        Self { mark, ..self }
    }

    /// The same stock with another fundamental in cents, to set a scene.
    #[cfg(test)]
    pub(super) fn with_value(self, cents: i64) -> Self {
        Self { value: cents * PARTS, ..self }
    }
}

/// The crowd's market orders for one stock in one tick: sides and shares.
pub(super) fn crowd_orders(rng: &mut Pcg) -> ArrayVec<(Side, i64), 3> {
    let count = rng.below(4);
    (0..count)
        .map(|_| {
            let side = if rng.one_in(2) { Side::Buy } else { Side::Sell };
            (side, rng.between(1, 15))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(behaviour: Behaviour, seed: u64, ticks: usize) -> Vec<(i64, i64)> {
        let mut rng = Pcg::new(seed);
        let mut process = Process::new(behaviour, 10_000);
        (0..ticks)
            .map(|_| {
                process.step(&mut rng);
                (process.settlement(), process.mark())
            })
            .collect()
    }

    #[test]
    fn a_jittery_mark_moves_several_times_as_much_as_a_sluggish_one() {
        let mean_move = |behaviour| {
            let path = run(behaviour, 3, 4_000);
            path.windows(2).map(|pair| (pair[1].1 - pair[0].1).abs()).sum::<i64>() / 4_000
        };
        let (sluggish, jittery) = (mean_move(Behaviour::Sluggish), mean_move(Behaviour::Jittery));
        assert!((2..8).contains(&sluggish), "{sluggish}");
        assert!((15..25).contains(&jittery), "{jittery}");
    }

    #[test]
    fn a_gap_closes_by_the_behaviours_share_a_tick() {
        for (behaviour, share) in [(Behaviour::Sluggish, 5), (Behaviour::Jittery, 50)] {
            let mut process = Process::new(behaviour, 10_000);
            process.value = 20_000 * PARTS;
            let before = process.value;
            process.step(&mut Pcg::new(1));
            let gap = process.value - before + 10_000 * PARTS;
            assert_eq!(process.base, 10_000 * PARTS + gap * share / 100);
        }
    }

    #[test]
    fn prices_never_fall_below_their_floors() {
        let mut process = Process::new(Behaviour::Jittery, 10_000);
        process.anchor = 0;
        process.value = LEAST_VALUE;
        process.base = 0;
        let mut rng = Pcg::new(2);
        let mut lowest = i64::MAX;
        for _ in 0..5_000 {
            process.step(&mut rng);
            assert!(process.value >= LEAST_VALUE && process.mark >= LEAST_MARK);
            lowest = lowest.min(process.settlement());
        }
        assert_eq!(lowest, 1_000);
    }

    #[test]
    fn estimates_scatter_about_the_fundamental() {
        let process = Process::new(Behaviour::Sluggish, 10_000);
        let mut rng = Pcg::new(4);
        let errors: Vec<i64> = (0..4_000).map(|_| process.estimate(&mut rng) - 10_000).collect();
        let mean = errors.iter().sum::<i64>() as f64 / 4_000.0;
        let deviation = (errors.iter().map(|error| error * error).sum::<i64>() as f64 / 4_000.0).sqrt();
        assert!(mean.abs() < 1.5, "{mean}");
        assert!((23.0..27.0).contains(&deviation), "{deviation}");
    }

    #[test]
    fn the_crowd_buys_as_often_as_it_sells() {
        let mut rng = Pcg::new(6);
        let orders: Vec<(Side, i64)> = (0..4_000).flat_map(|_| crowd_orders(&mut rng)).collect();
        let buys = orders.iter().filter(|(side, _)| *side == Side::Buy).count();
        assert!((5_800..6_200).contains(&orders.len()), "{}", orders.len());
        assert!((2_850..3_150).contains(&buys), "{buys}");
        assert!(orders.iter().all(|(_, qty)| (1..=15).contains(qty)));
    }
}
