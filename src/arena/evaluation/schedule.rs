//! Which matches an evaluation has: a pure function of its seed, so that one that was cut short goes on where it was.
//!
//! Matches come in rounds. A round has one seed and one table of opponents and is played once from each seat, everybody
//! moved on by one each time: nobody profits from a seat, and luck is shared. Opponents are spread evenly over the pool
//! by rating, between rounds and within a table.

use crate::arena::engine::rng::{Pcg, mix};

/// Seeds stay exact in programs that keep numbers as doubles.
const SEED_BITS: u32 = 53;

/// Tells the order of rounds from their seeds.
const ORDER: u64 = 0x0D;

/// Who sits where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sitting {
    /// The submission that is evaluated.
    Own,
    /// An opponent, by its place in the pool.
    Opponent(usize),
}

/// A match of an evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixture {
    /// Its number, from 0.
    pub n: u32,
    /// Decides all luck.
    pub seed: u64,
    /// By seat.
    pub seats: Vec<Sitting>,
    /// The seat that the submission is judged by.
    pub seat: u8,
}

/// All matches of an evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    seed: u64,
    n_matches: u32,
    n_seats: u8,
    /// By round, in the order in which they are played: places in the pool. Empty where nobody is met.
    tables: Vec<Vec<usize>>,
}

impl Schedule {
    /// Matches against a pool of this size, which has at least one opponent for each other seat.
    pub fn against(seed: u64, n_matches: u32, n_seats: u8, pool: usize) -> Self {
        let rounds = n_matches.div_ceil(u32::from(n_seats.max(1))) as usize;
        let mut rng = Pcg::new(mix(&[seed, ORDER]));
        let tables = tables(rounds, usize::from(n_seats).saturating_sub(1), pool, &mut rng);
        Self { seed, n_matches, n_seats, tables }
    }

    /// Matches of a game in which nobody is met: the submission has all seats, and every match its own luck.
    pub fn alone(seed: u64, n_matches: u32, n_seats: u8) -> Self {
        Self { seed, n_matches, n_seats, tables: Vec::new() }
    }

    /// How many there are.
    pub fn len(&self) -> u32 {
        self.n_matches
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.n_matches == 0
    }

    /// The match with this number, below [`Schedule::len`].
    pub fn fixture(&self, n: u32) -> Fixture {
        let n_seats = u32::from(self.n_seats.max(1));
        let (round, seat) = (n / n_seats, n % n_seats);
        let Some(table) = self.tables.get(round as usize) else {
            return Fixture { n, seed: self.luck(n), seats: vec![Sitting::Own; n_seats as usize], seat: 0 };
        };
        let opponents = table.iter().map(|&place| Sitting::Opponent(place));
        let mut seats: Vec<Sitting> = std::iter::once(Sitting::Own).chain(opponents).collect();
        seats.rotate_right(seat as usize);
        Fixture { n, seed: self.luck(round), seats, seat: seat as u8 }
    }

    fn luck(&self, round: u32) -> u64 {
        mix(&[self.seed, u64::from(round)]) >> (u64::BITS - SEED_BITS)
    }
}

/// Tables of different opponents. Systematic sampling: the places at all tables together are evenly spaced over the pool
/// from a random start, and those at one table lie a whole share of the pool apart. Then rounds are shuffled, so that the
/// first ones are spread over the pool as well, and so are the seats of each table.
fn tables(rounds: usize, others: usize, pool: usize, rng: &mut Pcg) -> Vec<Vec<usize>> {
    /// The start is one of so many between two places.
    const FINE: u64 = 1 << 20;
    let places = (rounds * others).max(1) as u64;
    let start = rng.below(FINE);
    let place = |nth: usize| ((nth as u64 * FINE + start) * pool as u64 / (places * FINE)) as usize;
    let mut tables: Vec<Vec<usize>> =
        (0..rounds).map(|round| (0..others).map(|other| place(round + other * rounds)).collect()).collect();
    rng.shuffle(&mut tables);
    for table in &mut tables {
        rng.shuffle(table);
    }
    tables
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn opponents(fixture: &Fixture) -> Vec<usize> {
        let places = fixture.seats.iter().filter_map(|sitting| match sitting {
            Sitting::Own => None,
            Sitting::Opponent(place) => Some(*place),
        });
        places.collect()
    }

    fn fixtures(schedule: &Schedule) -> Vec<Fixture> {
        (0..schedule.len()).map(|n| schedule.fixture(n)).collect()
    }

    #[test]
    fn a_round_is_played_from_every_seat_with_the_same_luck_and_neighbours() {
        for (n_seats, pool) in [(2, 14), (4, 12), (8, 9)] {
            let schedule = Schedule::against(7, u32::from(n_seats) * 5, n_seats, pool);
            let all = fixtures(&schedule);
            for round in all.chunks(usize::from(n_seats)) {
                let seats: Vec<u8> = round.iter().map(|fixture| fixture.seat).collect();
                assert_eq!(seats, (0..n_seats).collect::<Vec<_>>());
                for fixture in round {
                    assert_eq!(fixture.seed, round[0].seed);
                    assert_eq!(fixture.seats[usize::from(fixture.seat)], Sitting::Own);
                    let mut home = fixture.seats.clone();
                    home.rotate_left(usize::from(fixture.seat));
                    assert_eq!(home, round[0].seats, "the same order around the table");
                }
            }
            let seeds: BTreeSet<u64> = all.iter().map(|fixture| fixture.seed).collect();
            assert_eq!(seeds.len(), 5, "every round has its own luck");
            assert!(seeds.iter().all(|seed| *seed < 1 << SEED_BITS));
        }
    }

    #[test]
    fn opponents_are_met_evenly_and_nobody_sits_twice_at_a_table() {
        for (n_matches, n_seats, pool) in
            [(100, 2, 14), (28, 2, 14), (40, 4, 12), (80, 4, 3), (33, 8, 9), (10, 2, 1)]
        {
            let schedule = Schedule::against(3, n_matches, n_seats, pool);
            let rounds = n_matches.div_ceil(u32::from(n_seats));
            let mut met: BTreeMap<usize, u32> = (0..pool).map(|place| (place, 0)).collect();
            for round in 0..rounds {
                let table = opponents(&schedule.fixture(round * u32::from(n_seats)));
                assert_eq!(
                    table.iter().collect::<BTreeSet<_>>().len(),
                    usize::from(n_seats) - 1,
                    "{table:?}"
                );
                for place in table {
                    *met.get_mut(&place).unwrap() += 1;
                }
            }
            let (least, most) = (met.values().min().unwrap(), met.values().max().unwrap());
            assert!(most - least <= 1, "{n_matches} of {n_seats}: {met:?}");
        }
    }

    #[test]
    fn a_few_matches_reach_over_the_whole_pool() {
        for seed in 0..50 {
            let schedule = Schedule::against(seed, 8, 2, 16);
            let mut met: Vec<usize> = fixtures(&schedule).iter().flat_map(opponents).collect();
            met.dedup();
            met.sort_unstable();
            // Four rounds: one from each quarter.
            assert_eq!(met.iter().map(|place| place / 4).collect::<Vec<_>>(), [0, 1, 2, 3], "{met:?}");
        }
    }

    #[test]
    fn seeds_decide_and_numbers_alone_find_a_match_again() {
        let one = Schedule::against(1, 60, 2, 14);
        assert_eq!(one, Schedule::against(1, 60, 2, 14));
        assert_ne!(fixtures(&one), fixtures(&Schedule::against(2, 60, 2, 14)));
        assert_eq!(one.fixture(41), fixtures(&one)[41]);
    }

    #[test]
    fn alone_every_match_has_its_own_luck() {
        let schedule = Schedule::alone(5, 20, 2);
        let all = fixtures(&schedule);
        assert!(all.iter().all(|fixture| fixture.seats == [Sitting::Own; 2] && fixture.seat == 0));
        assert_eq!(all.iter().map(|fixture| fixture.seed).collect::<BTreeSet<_>>().len(), 20);
    }
}
