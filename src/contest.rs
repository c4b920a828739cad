//! A contest of two players over many games: who sits where, what the results say, when enough was played.
//!
//! Games come in pairs: both games of a pair have the same seed, and the second has the seats exchanged, so that
//! neither luck nor the better seat favours anybody. The unit of all statistics is the pair ([`PairScore`]); its five
//! possible scores make the *pentanomial* model.
//!
//! Nothing here plays, reads or writes: [`schedule`] says what is played, [`Tally`] counts, [`elo`] and [`sprt`] judge,
//! [`row`] is what a file of results holds, [`ladder`] is a policy against the league. Start reading at [`Tally`].

pub mod elo;
pub mod interval;
pub mod ladder;
pub mod row;
pub mod schedule;
pub mod sprt;
mod tally;

pub use self::elo::Estimate;
pub use self::row::{FailureRow, GameRow, PairRow, Settings};
pub use self::schedule::{Side, seating};
pub use self::sprt::{Bounds, Decision};
pub use self::tally::{Counts, Tally};

/// How a game went for the first player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It lost.
    Loss,
    /// Nobody won.
    Draw,
    /// It won.
    Win,
}

impl Outcome {
    /// From the places of the seats, 1 is best: the side with the lower mean wins. `None` where a side has no place.
    pub fn of_places(seats: impl IntoIterator<Item = (Side, f64)>) -> Option<Self> {
        let (mut sums, mut counts) = ([0.0, 0.0], [0.0, 0.0]);
        for (side, place) in seats {
            sums[side as usize] += place;
            counts[side as usize] += 1.0;
        }
        if counts.contains(&0.0) {
            return None;
        }
        // Cross-multiplied, so that equal means are equal numbers.
        let (first, second) = (sums[0] * counts[1], sums[1] * counts[0]);
        Some(match first.partial_cmp(&second)? {
            std::cmp::Ordering::Less => Self::Win,
            std::cmp::Ordering::Equal => Self::Draw,
            std::cmp::Ordering::Greater => Self::Loss,
        })
    }

    /// Half points.
    fn halves(self) -> usize {
        self as usize
    }
}

/// The first player's half points of a pair of games, 0 to 4: from two losses to two wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PairScore(pub usize);

impl PairScore {
    /// Of the two games.
    pub fn of(first: Outcome, second: Outcome) -> Self {
        Self(first.halves() + second.halves())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_side_with_the_better_places_wins() {
        use Side::{A, B};
        for (seats, outcome) in [
            (&[(A, 1.0), (B, 2.0)][..], Some(Outcome::Win)),
            (&[(B, 1.0), (A, 2.0)], Some(Outcome::Loss)),
            (&[(A, 1.0), (B, 1.0)], Some(Outcome::Draw)),
            (&[(A, 1.0), (B, 2.0), (B, 3.0), (A, 4.0)], Some(Outcome::Draw)),
            (&[(A, 2.0), (B, 1.0), (B, 3.0)], Some(Outcome::Draw)),
            (&[(A, 1.0)], None),
            (&[(A, f64::NAN), (B, 1.0)], None),
            (&[], None),
        ] {
            assert_eq!(Outcome::of_places(seats.iter().copied()), outcome, "{seats:?}");
        }
    }
}
