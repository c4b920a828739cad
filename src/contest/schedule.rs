//! Which games are played: seeds, and who sits where.

use serde::{Deserialize, Serialize};

/// Seeds stay exact in programs that keep numbers as doubles.
const SEED_MASK: u64 = (1 << 53) - 1;

/// One of the two players.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The first: results are its.
    A,
    /// The second.
    B,
}

impl Side {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

/// The seed of both games of a pair. Pairs of a contest, and contests with other seeds, have nothing in common.
pub fn seed(contest: u64, pair: u64) -> u64 {
    mix(mix(contest) ^ pair) & SEED_MASK
}

/// The seed that a policy in a seat is told. It says nothing of the game's own.
pub fn policy_seed(game: u64, seat: usize) -> u64 {
    mix(mix(game ^ 0x9E37_79B9_7F4A_7C15).wrapping_add(seat as u64)) & SEED_MASK
}

/// Who sits where in the first (`leg` 0) or second game of a pair, seat by seat.
///
/// One side has the first half of the seats, the other the rest; with each pair all move on by one seat; the second
/// game of a pair has the sides exchanged. So with two seats both play each seed from both seats, and with more both
/// play it from all seats, in time.
pub fn seating(n_seats: usize, pair: u64, leg: usize) -> Vec<Side> {
    let half = n_seats.div_ceil(2);
    let first_seat = first_seat(n_seats, pair);
    (0..n_seats)
        .map(|seat| {
            let place = (seat + n_seats - first_seat) % n_seats;
            let side = if place < half { Side::A } else { Side::B };
            if leg == 0 { side } else { side.other() }
        })
        .collect()
}

/// The seat where the first half begins.
pub fn first_seat(n_seats: usize, pair: u64) -> usize {
    (pair % n_seats.max(1) as u64) as usize
}

/// A step of SplitMix64 (S. Vigna, <https://prng.di.unimi.it/splitmix64.c>, public domain).
fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::Side::{A, B};
    use super::*;

    #[test]
    fn two_seats_are_swapped() {
        assert_eq!((seating(2, 0, 0), seating(2, 0, 1)), (vec![A, B], vec![B, A]));
        assert_eq!((seating(2, 1, 0), seating(2, 1, 1)), (vec![B, A], vec![A, B]));
        assert_eq!(seating(4, 1, 0), [B, A, A, B]);
        assert_eq!((seating(3, 0, 0), seating(3, 0, 1)), (vec![A, A, B], vec![B, B, A]));
    }

    #[test]
    fn mixing_is_the_published_generator() {
        // The first output of the reference program for the state 1234567.
        assert_eq!(mix(1_234_567), 6_457_827_717_110_365_317);
    }

    #[test]
    fn seeds_differ_and_are_exact_as_doubles() {
        let seeds: HashSet<u64> = (0..1000).map(|pair| seed(7, pair)).collect();
        assert_eq!(seeds.len(), 1000);
        assert!(seeds.iter().all(|seed| *seed == *seed as f64 as u64));
        assert_ne!(seed(7, 0), seed(8, 0));
        assert_ne!(policy_seed(seed(7, 0), 0), policy_seed(seed(7, 0), 1));
    }

    proptest! {
        #[test]
        fn over_all_rotations_both_sides_have_every_seat_equally_often(n_seats in 2usize..9) {
            for seat in 0..n_seats {
                let of_a = (0..n_seats as u64)
                    .flat_map(|pair| [seating(n_seats, pair, 0), seating(n_seats, pair, 1)])
                    .filter(|seats| seats[seat] == A)
                    .count();
                prop_assert_eq!(of_a, n_seats);
            }
        }
    }
}
