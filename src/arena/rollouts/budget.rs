//! What one run may still start, and what it has reserved for that; pure.
//!
//! All amounts are ticks, since every price is a number of ticks (protocol.md §4.9). With the price of an episode, the
//! largest claim so far, a run must hold at least
//!
//! ```text
//! price x episodes it may still start  +  what live episodes may still play  +  what was played
//! ```
//!
//! The hold only grows until the run is settled: what an episode did not play covers later claims. So nothing is ever
//! played that was not held before.

/// The counters of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// Episodes that it may start in all.
    pub max_episodes: u64,
    /// Episodes that it started, or paid playouts with; those of a playout that failed are given back.
    pub episodes_used: u64,
    /// Ticks that an episode not yet started is reserved at.
    pub price: u64,
    /// Ticks that the ledger holds for the run.
    pub held: u64,
    /// Ticks that were played, scoring included.
    pub ticks_used: u64,
    /// Ticks that live episodes and scoring calls may still play.
    claimed: u64,
}

/// Why a claim is not granted. Nothing has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Fewer episodes are left than were asked for.
    Exhausted {
        /// How many.
        left: u64,
    },
    /// The run must hold so many ticks first: raise [`Budget::held`] and ask again.
    Short {
        /// The whole hold.
        need: u64,
    },
}

impl Budget {
    /// The budget of a run that starts `max_episodes` episodes of so many ticks, its hold taken.
    pub fn new(max_episodes: u64, ticks_per_episode: u64) -> Self {
        let held = max_episodes * ticks_per_episode;
        Self { max_episodes, episodes_used: 0, price: ticks_per_episode, held, ticks_used: 0, claimed: 0 }
    }

    /// Episodes that may still be started.
    pub fn left(&self) -> u64 {
        self.max_episodes - self.episodes_used
    }

    /// Ticks that must be held.
    pub fn committed(&self) -> u64 {
        self.price * self.left() + self.claimed + self.ticks_used
    }

    /// Starts `count` episodes of `ticks` each, all or none.
    ///
    /// # Errors
    /// Too few episodes are left, or the hold does not cover them.
    pub fn claim(&mut self, count: u64, ticks: u64) -> Result<(), Refusal> {
        if count > self.left() {
            return Err(Refusal::Exhausted { left: self.left() });
        }
        self.change(|after| {
            after.episodes_used += count;
            after.price = after.price.max(ticks);
            after.claimed += count * ticks;
        })
    }

    /// Allows so many ticks of scoring; costs no episode.
    ///
    /// # Errors
    /// The hold does not cover them.
    pub fn claim_ticks(&mut self, ticks: u64) -> Result<(), Refusal> {
        self.change(|after| after.claimed += ticks)
    }

    /// Allows more episodes.
    ///
    /// # Errors
    /// The hold does not cover them.
    pub fn extend(&mut self, additional: u64) -> Result<(), Refusal> {
        self.change(|after| after.max_episodes += additional)
    }

    /// Notes ticks that were played out of a claim.
    pub fn meter(&mut self, ticks: u64) {
        debug_assert!(ticks <= self.claimed, "more was played than claimed");
        self.claimed = self.claimed.saturating_sub(ticks);
        self.ticks_used += ticks;
    }

    /// Gives back what a claim did not play.
    pub fn release(&mut self, ticks: u64) {
        debug_assert!(ticks <= self.claimed, "more is given back than was claimed");
        self.claimed = self.claimed.saturating_sub(ticks);
    }

    /// Gives back episodes that came to nothing, their ticks being released. They stay used when the price has risen
    /// meanwhile and the hold does not cover them any more.
    pub fn give_back(&mut self, episodes: u64) {
        _ = self.change(|after| after.episodes_used -= episodes);
    }

    fn change(&mut self, change: impl FnOnce(&mut Self)) -> Result<(), Refusal> {
        let mut after = self.clone();
        change(&mut after);
        if after.committed() > self.held {
            return Err(Refusal::Short { need: after.committed() });
        }
        *self = after;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_open_run_holds_the_price_of_all_its_episodes() {
        // protocol.md §4.9: ten episodes of 1000 ticks are 4.0 credits.
        let budget = Budget::new(10, 1000);
        assert_eq!((budget.held, budget.committed()), (10_000, 10_000));
    }

    #[test]
    fn a_longer_episode_raises_the_price_of_all_that_follow() {
        let mut budget = Budget::new(3, 10);
        assert_eq!(budget.claim(1, 25), Err(Refusal::Short { need: 75 }));
        assert_eq!(budget, Budget::new(3, 10), "a refusal changes nothing");
        budget.held = 75;
        budget.claim(1, 25).unwrap();
        assert_eq!((budget.price, budget.left()), (25, 2));
    }

    #[test]
    fn a_claim_is_all_or_nothing_and_closing_gives_no_episode_back() {
        let mut budget = Budget::new(3, 10);
        budget.claim(1, 10).unwrap();
        assert_eq!(budget.claim(3, 10), Err(Refusal::Exhausted { left: 2 }));
        budget.meter(4);
        budget.release(6);
        assert_eq!((budget.left(), budget.ticks_used), (2, 4));
        budget.claim(2, 10).unwrap();
        assert_eq!(budget.claim(1, 10), Err(Refusal::Exhausted { left: 0 }));
    }

    #[test]
    fn what_was_not_played_pays_for_an_extension() {
        let mut budget = Budget::new(2, 10);
        budget.claim(1, 10).unwrap();
        budget.meter(1);
        budget.release(9);
        assert_eq!(budget.extend(1), Err(Refusal::Short { need: 21 }));
        budget.held = 21;
        budget.extend(1).unwrap();
        assert_eq!(budget.left(), 2);
    }

    #[test]
    fn episodes_come_back_unless_they_became_too_dear() {
        let mut budget = Budget::new(5, 10);
        budget.claim(2, 10).unwrap();
        budget.release(20);
        budget.give_back(2);
        assert_eq!(budget, Budget::new(5, 10));
        budget.claim(2, 10).unwrap();
        budget.held = 95;
        budget.claim(1, 25).unwrap();
        budget.release(20);
        budget.give_back(2);
        assert_eq!(
            (budget.left(), budget.committed()),
            (2, 75),
            "at 25 each they would need more than is held"
        );
    }

    #[derive(Debug, Clone)]
    enum Op {
        Open(u64, u64),
        Score(u64),
        Extend(u64),
        Play(u64),
        Close,
    }

    fn op() -> impl Strategy<Value = Op> {
        prop_oneof![
            4 => (1..4u64, 1..30u64).prop_map(|(count, ticks)| Op::Open(count, ticks)),
            1 => (1..50u64).prop_map(Op::Score),
            1 => (1..4u64).prop_map(Op::Extend),
            4 => (0..10u64).prop_map(Op::Play),
            3 => Just(Op::Close),
        ]
    }

    proptest! {
        /// Against a model that keeps every claim apart.
        #[test]
        fn the_hold_always_covers_what_may_be_played(ops in prop::collection::vec(op(), 0..60)) {
            let mut budget = Budget::new(5, 10);
            let (mut left, mut price, mut claims) = (5u64, 10u64, Vec::<u64>::new());
            let mut played = 0;
            for op in ops {
                let (before, held) = (budget.clone(), budget.held);
                let ask = |budget: &mut Budget| match op {
                    Op::Open(count, ticks) => budget.claim(count, ticks),
                    Op::Score(ticks) => budget.claim_ticks(ticks),
                    Op::Extend(more) => budget.extend(more),
                    Op::Play(_) | Op::Close => Ok(()),
                };
                let mut answer = ask(&mut budget);
                if let Err(Refusal::Short { need }) = answer {
                    prop_assert!(need > held);
                    prop_assert_eq!(&budget, &before);
                    budget.held = need;
                    answer = ask(&mut budget);
                    prop_assert_eq!(budget.committed(), need, "no more is held than is needed");
                }
                match (op, answer) {
                    (Op::Open(count, ticks), Ok(())) => {
                        (left, price) = (left - count, price.max(ticks));
                        claims.extend((0..count).map(|_| ticks));
                    }
                    (Op::Open(count, _), Err(refusal)) => {
                        prop_assert_eq!(refusal, Refusal::Exhausted { left });
                        prop_assert!(count > left);
                    }
                    (Op::Score(ticks), _) => claims.push(ticks),
                    (Op::Extend(more), _) => left += more,
                    (Op::Play(ticks), _) => if let Some(claim) = claims.last_mut() {
                        let ticks = ticks.min(*claim);
                        *claim -= ticks;
                        played += ticks;
                        budget.meter(ticks);
                    },
                    (Op::Close, _) => if let Some(claim) = claims.pop() { budget.release(claim) },
                }
                let committed = price * left + claims.iter().sum::<u64>() + played;
                prop_assert_eq!((budget.left(), budget.committed(), budget.ticks_used), (left, committed, played));
                prop_assert!(budget.held >= committed && budget.held >= held);
            }
        }
    }
}
