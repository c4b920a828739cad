//! Writes observations straight to JSON bytes, top-level members sorted by key.
//!
//! Sorted always, because the platform sorts them when it strips `_action_space`: so both forms agree
//! (protocol.md §5.2). Nothing is written twice or moved: games write their members in order, and the writer puts
//! those that all games share in between.

use std::cmp::Ordering;

use serde::{Serialize, Serializer};

use super::json;

/// Something that writes itself as JSON. Unlike with [`Serialize`], different types fit into one list.
pub trait Json {
    /// Appends it.
    fn write(&self, out: &mut Vec<u8>);
}

impl<T: Serialize + ?Sized> Json for T {
    fn write(&self, out: &mut Vec<u8>) {
        json::write(out, self);
    }
}

/// A member that is ready to be written.
pub type Member<'a> = (&'static str, &'a dyn Json);

/// Writes the members of one observation in the order of their keys.
pub struct ObservationWriter<'a> {
    out: &'a mut Vec<u8>,
    /// What all games share, in order; the rest that is not written yet.
    shared: &'a [Member<'a>],
    last: &'static str,
}

impl std::fmt::Debug for ObservationWriter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ObservationWriter").field("last", &self.last).finish_non_exhaustive()
    }
}

impl<'a> ObservationWriter<'a> {
    /// Begins an object; `shared` is put in where it belongs.
    pub fn open(out: &'a mut Vec<u8>, shared: &'a [Member<'a>]) -> Self {
        out.push(b'{');
        Self { out, shared, last: "" }
    }

    /// Adds a member. Keys ascend (`_` comes before all letters) and need no escaping.
    #[inline]
    pub fn field<T: Json + ?Sized>(&mut self, key: &'static str, value: &T) {
        self.share_before(key);
        self.member(key, value);
    }

    fn share_before(&mut self, key: &str) {
        while let Some((&(shared, value), rest)) = self.shared.split_first()
            && precedes(shared, key)
        {
            self.shared = rest;
            self.member(shared, value);
        }
    }

    #[inline]
    fn member<T: Json + ?Sized>(&mut self, key: &'static str, value: &T) {
        debug_assert!(self.last < key, "`{key}` is written after `{}`: members go in order", self.last);
        self.last = key;
        json::write_key(self.out, key);
        value.write(self.out);
        self.out.push(b',');
    }

    /// Ends the object.
    pub fn close(mut self) {
        for &(key, value) in self.shared {
            self.member(key, value);
        }
        json::write_end(self.out, b'}');
    }
}

/// Whether `one` is less than `other`. The first letters say so most of the time.
fn precedes(one: &str, other: &str) -> bool {
    match one.as_bytes().first().cmp(&other.as_bytes().first()) {
        Ordering::Equal => one < other,
        order => order.is_lt(),
    }
}

/// A JSON list whose items are made while they are written: nothing is collected first.
#[derive(Debug, Clone)]
pub struct List<I>(pub I);

impl<I> Serialize for List<I>
where
    I: Iterator<Item: Serialize> + Clone,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

/// A board as JSON: rows of whole numbers from -9 to 9.
#[derive(Debug, Clone)]
pub struct Grid<I>(pub I);

impl<I: Iterator<Item: Iterator<Item = i8>> + Clone> Json for Grid<I> {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for row in self.0.clone() {
            out.push(b'[');
            for cell in row {
                if cell < 0 {
                    out.push(b'-');
                }
                out.push(b'0' + cell.unsigned_abs());
                out.push(b',');
            }
            json::write_end(out, b']');
            out.push(b',');
        }
        json::write_end(out, b']');
    }
}

/// A JSON object whose members are made while they are written, as in [`List`].
#[derive(Debug, Clone)]
pub struct Members<I>(pub I);

impl<I, K: Serialize, V: Serialize> Serialize for Members<I>
where
    I: Iterator<Item = (K, V)> + Clone,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.clone())
    }
}

/// A number in the platform's notation: at most four places, no trailing `.0`, no negative zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(whole) = small_whole(self.0) {
            return serializer.serialize_i32(whole);
        }
        let rounded = round4(self.0);
        let whole = rounded as i64;
        if (whole as f64).to_bits() == rounded.to_bits() && rounded.abs() < 9e15 {
            serializer.serialize_i64(whole)
        } else {
            serializer.serialize_f64(rounded)
        }
    }
}

/// Cents as units of 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cents(pub i64);

impl Serialize for Cents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % 100 == 0 {
            serializer.serialize_i64(self.0 / 100)
        } else {
            serializer.serialize_f64(self.0 as f64 / 100.0)
        }
    }
}

/// Rounds to four places, half away from zero; never gives `-0`.
pub fn round4(value: f64) -> f64 {
    match small_whole(value) {
        Some(whole) => f64::from(whole),
        None => (value * 10_000.0).round() / 10_000.0 + 0.0,
    }
}

/// The number as an integer, if it is one of moderate size: most scores and weights are.
#[inline]
#[expect(clippy::float_cmp, reason = "it is an integer or it is not")]
fn small_whole(value: f64) -> Option<i32> {
    let whole = value as i32;
    (f64::from(whole) == value).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_games_share_is_put_between_a_games_own_members() {
        let mut out = Vec::new();
        let mut writer = ObservationWriter::open(&mut out, &[("score", &1), ("seat", &"p0"), ("tick", &3)]);
        writer.field("_action_space", &[1, 2]);
        writer.field("board", &"x");
        writer.field("seats", &2);
        writer.close();
        let written = r#"{"_action_space":[1,2],"board":"x","score":1,"seat":"p0","seats":2,"tick":3}"#;
        assert_eq!(String::from_utf8(out).unwrap(), written);
    }

    #[test]
    #[should_panic(expected = "`board` is written after `turn`")]
    fn members_out_of_order_are_noticed() {
        let mut out = Vec::new();
        let mut writer = ObservationWriter::open(&mut out, &[]);
        writer.field("turn", &1);
        writer.field("board", &1);
    }

    #[test]
    fn grids_are_lists_of_lists() {
        let text = |rows: &[Vec<i8>]| {
            let mut out = Vec::new();
            Grid(rows.iter().map(|row| row.iter().copied())).write(&mut out);
            String::from_utf8(out).unwrap()
        };
        for rows in [vec![], vec![vec![]], vec![vec![-1, 0], vec![9]]] {
            assert_eq!(text(&rows), serde_json::to_string(&rows).unwrap());
        }
    }

    #[test]
    fn numbers_have_the_platforms_notation() {
        let text = |value| serde_json::to_string(&Number(value)).unwrap();
        assert_eq!(text(2.0), "2");
        assert_eq!(text(-0.000_01), "0");
        assert_eq!(text(0.122_54), "0.1225");
        assert_eq!(serde_json::to_string(&[Cents(10_125), Cents(-300)]).unwrap(), "[101.25,-3]");
    }
}
