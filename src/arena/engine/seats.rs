//! Seats: the places of a match, `p0` to `p7`, and small sets and maps of them.

use std::fmt;
use std::str::FromStr;

/// The most seats a match can have.
pub const MAX_SEATS: usize = 8;

/// A place in a match; shown as `p0` … `p7`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(u8);

impl Seat {
    /// The seat with this number.
    ///
    /// # Panics
    /// From [`MAX_SEATS`] on.
    pub const fn new(number: u8) -> Self {
        assert!((number as usize) < MAX_SEATS, "a match has at most eight seats");
        Self(number)
    }

    /// Its number, from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The first `n` seats in order.
    pub fn first(n: u8) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..n.min(MAX_SEATS as u8)).map(Self)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}", self.0)
    }
}

impl FromStr for Seat {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text.as_bytes() {
            [b'p', digit @ b'0'..=b'7'] => Ok(Self(digit - b'0')),
            _ => Err(()),
        }
    }
}

impl<'de> serde::Deserialize<'de> for Seat {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(|()| {
            serde::de::Error::custom(format!("`{name}` is no seat: the seats are `p0` to `p7`"))
        })
    }
}

impl serde::Serialize for Seat {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const NAMES: [&str; MAX_SEATS] = ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"];
        serializer.serialize_str(NAMES[self.index()])
    }
}

/// A set of seats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SeatSet(u8);

impl SeatSet {
    /// No seat.
    pub const EMPTY: Self = Self(0);

    /// The first `n` seats.
    pub const fn first(n: u8) -> Self {
        Self(((1u16 << n) - 1) as u8)
    }

    /// Just this seat.
    pub const fn one(seat: Seat) -> Self {
        Self(1 << seat.0)
    }

    /// Whether the seat is in it.
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 & (1 << seat.0) != 0
    }

    /// Adds a seat.
    pub const fn insert(&mut self, seat: Seat) {
        self.0 |= 1 << seat.0;
    }

    /// Takes a seat out.
    pub const fn remove(&mut self, seat: Seat) {
        self.0 &= !(1 << seat.0);
    }

    /// Seats in either.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Seats in both.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Seats in this one only.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// How many.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// In ascending order.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let next = (left != 0).then(|| Seat(left.trailing_zeros() as u8))?;
            left &= left - 1;
            Some(next)
        })
    }
}

impl serde::Serialize for SeatSet {
    /// A list, in ascending order.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl FromIterator<Seat> for SeatSet {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Self {
        seats.into_iter().fold(Self::EMPTY, |set, seat| set.union(Self::one(seat)))
    }
}

/// At most one value a seat.
#[derive(Debug, Clone, PartialEq)]
pub struct SeatMap<T>([Option<T>; MAX_SEATS]);

impl<T> Default for SeatMap<T> {
    fn default() -> Self {
        Self([const { None }; MAX_SEATS])
    }
}

impl<T> SeatMap<T> {
    /// The seat's value.
    pub fn get(&self, seat: Seat) -> Option<&T> {
        self.0[seat.index()].as_ref()
    }

    /// The seat's value, to change.
    pub fn get_mut(&mut self, seat: Seat) -> Option<&mut T> {
        self.0[seat.index()].as_mut()
    }

    /// Sets the seat's value and returns the one before.
    pub fn insert(&mut self, seat: Seat, value: T) -> Option<T> {
        self.0[seat.index()].replace(value)
    }

    /// Takes the seat's value out.
    pub fn remove(&mut self, seat: Seat) -> Option<T> {
        self.0[seat.index()].take()
    }

    /// Seats that have a value, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (Seat, &T)> {
        self.0.iter().enumerate().filter_map(|(n, value)| value.as_ref().map(|value| (Seat(n as u8), value)))
    }

    /// The same, to change the values.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Seat, &mut T)> {
        self.0
            .iter_mut()
            .enumerate()
            .filter_map(|(n, value)| value.as_mut().map(|value| (Seat(n as u8), value)))
    }

    /// The seats that have a value.
    pub fn seats(&self) -> SeatSet {
        self.iter().map(|(seat, _)| seat).collect()
    }

    /// How many seats have a value.
    pub fn len(&self) -> usize {
        self.0.iter().flatten().count()
    }

    /// Whether no seat has a value.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }
}

impl<T> FromIterator<(Seat, T)> for SeatMap<T> {
    fn from_iter<I: IntoIterator<Item = (Seat, T)>>(values: I) -> Self {
        let mut map = Self::default();
        for (seat, value) in values {
            map.insert(seat, value);
        }
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_reads_back_what_it_shows() {
        for seat in Seat::first(8) {
            assert_eq!(seat.to_string().parse(), Ok(seat));
        }
        for bad in ["", "p", "p8", "p00", "player_0", "q1"] {
            assert_eq!(bad.parse::<Seat>(), Err(()));
        }
    }

    #[test]
    fn sets_iterate_in_order_without_losing_a_seat() {
        let set: SeatSet = [Seat::new(5), Seat::new(0)].into_iter().collect();
        assert_eq!(set.iter().map(Seat::index).collect::<Vec<_>>(), [0, 5]);
        assert_eq!(SeatSet::first(8).len(), 8);
        assert_eq!(SeatSet::first(8).without(set).len(), 6);
    }
}
