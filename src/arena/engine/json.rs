//! Serialises straight into bytes: the same text as `serde_json`'s compact form, sooner.
//!
//! `serde_json` hands every bracket, comma and digit to a writer as a slice. Observations are hundreds of those, which
//! made up half of a tick. What is rare (text to escape, odd numbers) is left to `serde_json`; its `RawValue` is the one
//! thing that does not come out as there.
//!
//! The small steps are always inlined: names of members and variants are constants, and only where they are written can
//! the compiler know their length and that they need no escaping.
#![expect(
    clippy::inline_always,
    reason = "a copy of unknown length costs more than all else that a member does"
)]

use serde::{Serialize, ser};
use serde_json::Error;

/// Appends a value as JSON.
///
/// # Panics
/// When the value is not plain data: it has a map whose keys are no text, or an error of its own.
pub fn write<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    value.serialize(Writer(out)).expect("plain data serialises into memory");
}

/// Appends a string that needs no escaping, quoted.
#[inline(always)]
pub(super) fn write_plain(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

/// Looks at every byte, whatever the others are: so it is a constant for constants, and quick for long lines.
#[inline(always)]
fn needs_escaping(text: &str) -> bool {
    text.bytes().filter(|&byte| byte < b' ' || byte == b'"' || byte == b'\\').count() > 0
}

struct Writer<'a>(&'a mut Vec<u8>);

/// Appends the name of a member that needs no escaping: `"key":`.
#[inline(always)]
pub(super) fn write_key(out: &mut Vec<u8>, key: &'static str) {
    out.push(b'"');
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":");
}

/// Ends a list or object whose parts have left a comma behind each: the last one gives way.
#[inline(always)]
pub(super) fn write_end(out: &mut Vec<u8>, end: u8) {
    match out.last_mut() {
        Some(last @ b',') => *last = end,
        _ => out.push(end),
    }
}

/// A list or object that is being written, and what ends it.
struct Parts<'a> {
    out: &'a mut Vec<u8>,
    end: u8,
    /// One more bracket is open: that of the object around a variant.
    is_variant: bool,
}

impl<'a> Parts<'a> {
    #[inline(always)]
    fn list(out: &'a mut Vec<u8>, is_variant: bool) -> Self {
        out.push(b'[');
        Self { out, end: b']', is_variant }
    }

    #[inline(always)]
    fn object(out: &'a mut Vec<u8>, is_variant: bool) -> Self {
        out.push(b'{');
        Self { out, end: b'}', is_variant }
    }

    #[inline(always)]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(Writer(self.out))?;
        self.out.push(b',');
        Ok(())
    }

    /// A member of a struct: its name is an identifier.
    #[inline(always)]
    fn member<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        write_key(self.out, key);
        self.item(value)
    }

    #[inline(always)]
    fn close(self) {
        write_end(self.out, self.end);
        if self.is_variant {
            self.out.push(b'}');
        }
    }
}

impl<'a> Writer<'a> {
    /// The name of a variant before what it holds: `{"name":`.
    #[inline(always)]
    fn variant(self, name: &'static str) -> &'a mut Vec<u8> {
        self.0.push(b'{');
        write_key(self.0, name);
        self.0
    }

    fn slowly<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        serde_json::to_writer(self.0, value)
    }

    #[inline(always)]
    fn whole(self, number: u64) {
        if number < 10 {
            self.0.push(b'0' + number as u8);
        } else {
            self.digits(number);
        }
    }

    fn digits(self, mut number: u64) {
        if number < 100 {
            let (ten, one) = (number / 10, number % 10);
            return self.0.extend_from_slice(&[b'0' + ten as u8, b'0' + one as u8]);
        }
        // The greatest has twenty.
        let mut text = [0; 20];
        let mut at = text.len();
        while number > 0 {
            at -= 1;
            text[at] = b'0' + (number % 10) as u8;
            number /= 10;
        }
        self.0.extend_from_slice(&text[at..]);
    }
}

/// Most fractions have four places at most: those are written as a whole number with a point in it.
const PLACES: usize = 4;
const SCALE: f64 = 10_000.0;

/// A decimal of up to fifteen digits is the shortest that stands for its double.
const EXACT: u64 = 1_000_000_000_000_000;

impl<'a> ser::Serializer for Writer<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Parts<'a>;
    type SerializeTuple = Parts<'a>;
    type SerializeTupleStruct = Parts<'a>;
    type SerializeTupleVariant = Parts<'a>;
    type SerializeMap = Parts<'a>;
    type SerializeStruct = Parts<'a>;
    type SerializeStructVariant = Parts<'a>;

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.0.extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    #[inline(always)]
    fn serialize_i8(self, value: i8) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    #[inline(always)]
    fn serialize_i16(self, value: i16) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    #[inline(always)]
    fn serialize_i32(self, value: i32) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    #[inline(always)]
    fn serialize_i64(self, value: i64) -> Result<(), Error> {
        if value < 0 {
            self.0.push(b'-');
        }
        self.whole(value.unsigned_abs());
        Ok(())
    }

    #[inline(always)]
    fn serialize_u8(self, value: u8) -> Result<(), Error> {
        self.whole(value.into());
        Ok(())
    }

    #[inline(always)]
    fn serialize_u16(self, value: u16) -> Result<(), Error> {
        self.whole(value.into());
        Ok(())
    }

    #[inline(always)]
    fn serialize_u32(self, value: u32) -> Result<(), Error> {
        self.whole(value.into());
        Ok(())
    }

    #[inline(always)]
    fn serialize_u64(self, value: u64) -> Result<(), Error> {
        self.whole(value);
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        self.slowly(&value)
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        let size = value.abs();
        // Signed, because that takes one instruction.
        let scaled = (size * SCALE + 0.5) as i64 as u64;
        let (whole, mut rest) = (scaled / SCALE as u64, scaled % SCALE as u64);
        // Whole ones need a `.0`, and zeros a sign.
        let is_short = scaled < EXACT && (scaled as i64 as f64 / SCALE).to_bits() == size.to_bits();
        if rest == 0 || !is_short {
            return self.slowly(&value);
        }
        if value < 0.0 {
            self.0.push(b'-');
        }
        let mut places = [b'0'; PLACES];
        for digit in places.iter_mut().rev() {
            *digit += (rest % 10) as u8;
            rest /= 10;
        }
        let used = places.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1);
        Writer(&mut *self.0).whole(whole);
        self.0.push(b'.');
        self.0.extend_from_slice(&places[..used]);
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.slowly(&value)
    }

    #[inline(always)]
    fn serialize_str(self, value: &str) -> Result<(), Error> {
        if needs_escaping(value) {
            return self.slowly(value);
        }
        write_plain(self.0, value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.0.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    #[inline(always)]
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        write_plain(self.0, variant);
        Ok(())
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let out = self.variant(variant);
        value.serialize(Writer(&mut *out))?;
        out.push(b'}');
        Ok(())
    }

    #[inline(always)]
    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'a>, Error> {
        Ok(Parts::list(self.0, false))
    }

    #[inline(always)]
    fn serialize_tuple(self, _: usize) -> Result<Parts<'a>, Error> {
        Ok(Parts::list(self.0, false))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, Error> {
        Ok(Parts::list(self.0, false))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts<'a>, Error> {
        Ok(Parts::list(self.variant(variant), true))
    }

    #[inline(always)]
    fn serialize_map(self, _: Option<usize>) -> Result<Parts<'a>, Error> {
        Ok(Parts::object(self.0, false))
    }

    #[inline(always)]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, Error> {
        Ok(Parts::object(self.0, false))
    }

    #[inline(always)]
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts<'a>, Error> {
        Ok(Parts::object(self.variant(variant), true))
    }
}

impl ser::SerializeSeq for Parts<'_> {
    type Ok = ();
    type Error = Error;

    #[inline(always)]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.item(value)
    }

    #[inline(always)]
    fn end(self) -> Result<(), Error> {
        self.close();
        Ok(())
    }
}

impl ser::SerializeTuple for Parts<'_> {
    type Ok = ();
    type Error = Error;

    #[inline(always)]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.item(value)
    }

    #[inline(always)]
    fn end(self) -> Result<(), Error> {
        self.close();
        Ok(())
    }
}

impl ser::SerializeTupleStruct for Parts<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.item(value)
    }

    #[inline(always)]
    fn end(self) -> Result<(), Error> {
        self.close();
        Ok(())
    }
}

impl ser::SerializeTupleVariant for Parts<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.item(value)
    }

    #[inline(always)]
    fn end(self) -> Result<(), Error> {
        self.close();
        Ok(())
    }
}

impl ser::SerializeMap for Parts<'_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        let start = self.out.len();
        key.serialize(Writer(self.out))?;
        match self.out.get(start) {
            Some(b'"') => Ok(()),
            // Numbers are written as text.
            Some(b'-' | b'0'..=b'9') => {
                self.out.insert(start, b'"');
                self.out.push(b'"');
                Ok(())
            }
            _ => Err(ser::Error::custom("key must be a string")),
        }
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.out.push(b':');
        self.item(value)
    }

    #[inline(always)]
    fn end(self) -> Result<(), Error> {
        self.close();
        Ok(())
    }
}

impl ser::SerializeStruct for Parts<'_> {
    type Ok = ();
    type Error = Error;

    #[inline(always)]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.member(key, value)
    }

    #[inline(always)]
    fn end(self) -> Result<(), Error> {
        self.close();
        Ok(())
    }
}

impl ser::SerializeStructVariant for Parts<'_> {
    type Ok = ();
    type Error = Error;

    #[inline(always)]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.member(key, value)
    }

    #[inline(always)]
    fn end(self) -> Result<(), Error> {
        self.close();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn text<T: Serialize + ?Sized>(value: &T) -> String {
        let mut out = Vec::new();
        write(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    fn check<T: Serialize + ?Sized>(value: &T) {
        assert_eq!(text(value), serde_json::to_string(value).unwrap());
    }

    #[derive(Serialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Plain,
        One(u8),
        Two(u8, Option<&'static str>),
        Named { a: bool, b: () },
    }

    #[derive(Serialize)]
    struct Pair(u8, Kind);

    #[test]
    fn every_form_is_written_as_serde_json_writes_it() {
        check(&[Kind::Plain, Kind::One(1), Kind::Two(2, Some("x")), Kind::Named { a: true, b: () }]);
        check(&(Pair(3, Kind::Two(4, None)), 'x', '"', 1.5f32, [0u8; 0], "quo\"te", "tab\t", "ünïcode"));
        check(&BTreeMap::from([(-7i8, "negative"), (12, "positive")]));
        check(&BTreeMap::from([("key \"", 1)]));
        check(&json!({"a": [null, true, 1, -1, 1.25, "x", {}], "b": {"c": []}}));
        check(&[i64::MIN, i64::MAX, 0, -1, 10, -10, 99, 100]);
        check(&[u64::MAX, 10_000_000_000_000_000_000]);
        check(&[
            0.0,
            -0.0,
            1.0,
            -2.0,
            0.1,
            -0.1,
            0.0001,
            -12.3456,
            101.25,
            0.1 + 0.2,
            1e-5,
            1e15,
            1e21,
            5e-324,
        ]);
        check(&[f64::NAN, f64::INFINITY, f64::MAX, 99_999_999_999.999_9, 100_000_000_000.000_1]);
    }

    proptest! {
        #[test]
        fn numbers_are_written_as_serde_json_writes_them(
            float in any::<f64>(), parts in any::<i64>(), small in -2_000_000_000i64..2_000_000_000,
        ) {
            for value in [float, parts as f64 / 10_000.0, small as f64 / 10_000.0, small as f64 / 100.0] {
                prop_assert_eq!(text(&value), serde_json::to_string(&value).unwrap());
            }
            prop_assert_eq!(text(&parts), parts.to_string());
        }

        #[test]
        fn strings_are_written_as_serde_json_writes_them(string in any::<String>()) {
            prop_assert_eq!(text(&string), serde_json::to_string(&string).unwrap());
        }
    }
}
