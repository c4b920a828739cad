//! Writes observations straight to JSON bytes, top-level members sorted by key.
//!
//! Sorted always, because the platform sorts them when it strips `_action_space`: so both forms agree
//! (protocol.md §5.2).

use std::ops::Range;

use serde::{Serialize, Serializer};

/// Collects the members of one observation.
#[derive(Debug)]
pub struct ObservationWriter {
    bytes: Vec<u8>,
    members: Vec<(&'static str, Range<usize>)>,
}

impl Default for ObservationWriter {
    fn default() -> Self {
        // Room for most observations, so that writing one allocates twice and not a dozen times.
        Self { bytes: Vec::with_capacity(2048), members: Vec::with_capacity(32) }
    }
}

impl ObservationWriter {
    /// Adds a member. Keys are unique and need no escaping.
    pub fn field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) {
        let start = self.bytes.len();
        serde_json::to_writer(&mut self.bytes, value).expect("observation values serialise");
        self.members.push((key, start..self.bytes.len()));
    }

    /// Appends the object to `out`.
    pub fn finish(mut self, out: &mut Vec<u8>) {
        self.members.sort_unstable_by_key(|(key, _)| *key);
        debug_assert!(
            self.members.windows(2).all(|pair| pair[0].0 != pair[1].0),
            "a member was written twice"
        );
        out.reserve(self.bytes.len() + self.members.iter().map(|(key, _)| key.len() + 4).sum::<usize>() + 2);
        out.push(b'{');
        for (nth, (key, value)) in self.members.into_iter().enumerate() {
            if nth > 0 {
                out.push(b',');
            }
            out.push(b'"');
            out.extend_from_slice(key.as_bytes());
            out.extend_from_slice(b"\":");
            out.extend_from_slice(&self.bytes[value]);
        }
        out.push(b'}');
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
        let rounded = round4(self.0);
        if rounded.fract() == 0.0 && rounded.abs() < 9e15 {
            serializer.serialize_i64(rounded as i64)
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
    (value * 10_000.0).round() / 10_000.0 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_out_sorted_with_underscores_first() {
        let mut writer = ObservationWriter::default();
        writer.field("tick", &3);
        writer.field("_action_space", &[1, 2]);
        writer.field("board", &"x");
        let mut out = Vec::new();
        writer.finish(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), r#"{"_action_space":[1,2],"board":"x","tick":3}"#);
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
