//! The platform's JSON encoding, which is that of Go: how an observation looks inside the prompt.
//!
//! Source: protocol.md section 5.1, `_go_json` in the SDK's `rollouts.py`. A model that was trained on other bytes
//! than it is asked with is a worse model, so every byte counts.

use std::fmt::Write as _;

use crate::api::model::Json;

use super::json::{JsonError, Kind, Text, Value};
use super::python::Shortest;

/// Writes a value as the platform does: compact, members in their order (of a repeated name the last value in the
/// place of the first), integers with all their digits, other numbers as doubles in Go's notation, and
/// `&`, `<`, `>`, U+2028 and U+2029 escaped.
///
/// Half a surrogate pair, which JSON can spell and UTF-8 cannot, stays an escape. (The SDK's text holds it raw and
/// cannot be sent.)
///
/// # Errors
/// When it is nested too deep or a number does not fit a double.
pub fn encode(json: &Json) -> Result<String, JsonError> {
    let mut out = String::new();
    PLATFORM.write_value(&mut out, &Value::read(json.get())?)?;
    Ok(out)
}

/// How one side spells JSON; the walk through a value is the same for all.
pub(super) struct Notation {
    pub(super) float: fn(f64) -> String,
    pub(super) text: fn(&mut String, Text<'_>),
    /// Members in the order of their names, else in their own.
    pub(super) sorted: bool,
}

/// The platform's.
pub(super) const PLATFORM: Notation = Notation { float, text: write_text, sorted: false };

impl Notation {
    /// Writes members as an object, in the order they are given in.
    pub(super) fn write_members(
        &self,
        out: &mut String,
        members: &[&(Text<'_>, Value<'_>)],
    ) -> Result<(), JsonError> {
        out.push('{');
        for (index, (name, value)) in members.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            (self.text)(out, *name);
            out.push(':');
            self.write_value(out, value)?;
        }
        out.push('}');
        Ok(())
    }

    /// Writes a value.
    pub(super) fn write_value(&self, out: &mut String, value: &Value<'_>) -> Result<(), JsonError> {
        match &value.kind {
            Kind::Null | Kind::Bool(_) => out.push_str(value.raw),
            Kind::Int => out.push_str(integer(value.raw)),
            Kind::Float(x) if x.is_finite() => out.push_str(&(self.float)(*x)),
            Kind::Float(_) => return Err(JsonError::NotFinite),
            Kind::Text(text) => (self.text)(out, *text),
            Kind::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    self.write_value(out, item)?;
                }
                out.push(']');
            }
            Kind::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                if self.sorted {
                    members.sort_by_key(|(name, _)| *name);
                }
                self.write_members(out, &members)?;
            }
        }
        Ok(())
    }
}

/// An integer's digits: Python's has no negative zero.
pub(super) fn integer(raw: &str) -> &str {
    if raw == "-0" { "0" } else { raw }
}

/// A finite double in Go's notation: the shortest digits, plain from 1e-6 to 1e21, else with an exponent.
fn float(x: f64) -> String {
    let shortest = Shortest::of(x);
    if x == 0.0 || (-6..21).contains(&shortest.exponent) { shortest.plain() } else { shortest.scientific(1) }
}

fn write_text(out: &mut String, text: Text<'_>) {
    out.push('"');
    for point in text.code_points() {
        match (short_escape(point), char::from_u32(point)) {
            (Some(letter), _) => out.extend(['\\', letter]),
            (None, Some(c)) if c >= ' ' && !matches!(c, '&' | '<' | '>' | '\u{2028}' | '\u{2029}') => {
                out.push(c);
            }
            _ => write_escape(out, point),
        }
    }
    out.push('"');
}

/// The letter after the backslash, for what has a short escape.
pub(super) fn short_escape(point: u32) -> Option<char> {
    Some(match point {
        0x22 => '"',
        0x5c => '\\',
        0x08 => 'b',
        0x09 => 't',
        0x0a => 'n',
        0x0c => 'f',
        0x0d => 'r',
        _ => return None,
    })
}

/// Writes a UTF-16 unit as an escape.
pub(super) fn write_escape(out: &mut String, unit: u32) {
    write!(out, "\\u{unit:04x}").expect("a String takes everything");
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::super::json::MAX_DEPTH;
    use super::*;

    fn encoded(text: &str) -> String {
        encode(&Json::parse(text).unwrap()).unwrap()
    }

    /// The table of protocol.md section 5.1.
    #[test]
    fn numbers_are_in_gos_notation() {
        for (text, expected) in [
            ("2.0", "2"),
            ("7.30", "7.3"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("1e-5", "0.00001"),
            ("9.999e-5", "0.00009999"),
            ("1e2", "100"),
            ("123456789012345680000.0", "123456789012345680000"),
            ("1e-6", "0.000001"),
            ("1e-7", "1e-7"),
            ("1.5e-7", "1.5e-7"),
            ("1.5e-10", "1.5e-10"),
            ("1e-100", "1e-100"),
            ("5e-324", "5e-324"),
            ("1e20", "100000000000000000000"),
            ("1e21", "1e+21"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("1000000000000000000000000000000", "1000000000000000000000000000000"),
            ("-0.0", "-0"),
            ("-0e5", "-0"),
            ("-1e-999", "-0"),
            ("0.0", "0"),
            ("-0", "0"),
            ("-12", "-12"),
            ("-1E21", "-1e+21"),
            ("9.999999e-7", "9.999999e-7"),
            ("999999999999999900000.0", "999999999999999900000"),
            ("1817065380809337.3", "1817065380809337.2"),
        ] {
            assert_eq!(encoded(text), expected, "{text}");
        }
    }

    #[test]
    fn texts_and_names_are_escaped_as_go_does() {
        let source =
            "\"\\b\\f\\n\\r\\t\\u0000\\u001F\\\"\\\\\\/\u{7f}é\\u00e9\\ud83d\\ude00<>&\u{2028}\\u2029\"";
        let expected =
            "\"\\b\\f\\n\\r\\t\\u0000\\u001f\\\"\\\\/\u{7f}éé\u{1f600}\\u003c\\u003e\\u0026\\u2028\\u2029\"";
        assert_eq!(encoded(source), expected);
        assert_eq!(encoded(&format!("{{ {source} : 1 }}")), format!("{{{expected}:1}}"));
    }

    #[test]
    fn members_keep_their_order_and_a_repeated_name_its_first_place() {
        assert_eq!(encoded(r#" {"b" : [ 1 , {} ], "a":null, "b": [true] } "#), r#"{"b":[true],"a":null}"#);
    }

    #[test]
    fn half_a_surrogate_pair_stays_an_escape() {
        assert_eq!(encoded(r#""\uD800x\udfff""#), r#""\ud800x\udfff""#);
    }

    #[test]
    fn what_the_wire_cannot_carry_is_an_error() {
        let error = |text: &str| encode(&Json::parse(text).unwrap()).unwrap_err();
        assert_eq!(error("[1e999]"), JsonError::NotFinite);
        assert_eq!(error(&("[".repeat(5000) + &"]".repeat(5000))), JsonError::TooDeep);
    }

    #[test]
    fn the_deepest_value_fits_a_small_stack() {
        let text = "{\"a\":[".repeat(MAX_DEPTH / 2) + &"]}".repeat(MAX_DEPTH / 2);
        let write = move || assert_eq!(encoded(&text), text);
        thread::Builder::new().stack_size(1 << 20).spawn(write).unwrap().join().unwrap();
    }
}
