//! JSON as the SDK sees it: Python's grammar, taken apart without losing a digit.
//!
//! `serde_json`'s own tree will not do. The SDK's results hang on the order of members, on whether a number was
//! written as an integer, on integers of any size and on escaped halves of surrogate pairs, which Rust's text cannot
//! hold. So values are kept as slices of their source, and texts are compared and written by code point.
//!
//! The grammar is JSON's with the one extension of Python's reader: `NaN`, `Infinity` and `-Infinity` are numbers.
//! Whoever writes a number refuses what is not finite.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::iter;

/// How deep values may be nested: half a megabyte of stack at most. Python raises `RecursionError` where its own stack
/// ends: in version 3.11 the SDK's encoder writes a little under 500 levels, and Python reads a little under 1000.
pub(super) const MAX_DEPTH: usize = 500;

/// Why a value cannot be read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// The text is not JSON.
    #[error("the text is not JSON")]
    NotJson,
    /// Its lists and objects are nested too deep.
    #[error("the value is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// A number is not finite: beyond what a double holds, as `1e999` is.
    #[error("a number is not finite")]
    NotFinite,
}

/// A value and the text it was read from.
#[derive(Debug)]
pub(super) struct Value<'a> {
    pub(super) raw: &'a str,
    pub(super) kind: Kind<'a>,
}

#[derive(Debug)]
pub(super) enum Kind<'a> {
    Null,
    Bool(bool),
    /// A number with neither fraction nor exponent, of any size: its digits are in `raw`.
    Int,
    /// Any other number; not finite when it overflows or is spelt `NaN` or `Infinity`.
    Float(f64),
    Text(Text<'a>),
    List(Vec<Value<'a>>),
    /// Members in their order. Of a repeated name the last value is kept, in the place of the first.
    Object(Vec<(Text<'a>, Value<'a>)>),
}

impl<'a> Value<'a> {
    /// Reads a text that is one value, with white space around it.
    pub(super) fn read(text: &'a str) -> Result<Self, JsonError> {
        let mut reader = Reader { text, at: skip_space(text, 0) };
        let value = reader.value(0)?;
        if skip_space(text, reader.at) == text.len() { Ok(value) } else { Err(JsonError::NotJson) }
    }

    /// A member of an object.
    pub(super) fn get(&self, name: &str) -> Option<&Value<'a>> {
        let Kind::Object(members) = &self.kind else { return None };
        members.iter().find(|(known, _)| known.is(name)).map(|(_, value)| value)
    }

    /// The text, if it is one.
    pub(super) fn text(&self) -> Option<Text<'a>> {
        if let Kind::Text(text) = self.kind { Some(text) } else { None }
    }

    /// The number, rounded to a double; Python's `False` and `True` are 0 and 1.
    pub(super) fn number(&self) -> Option<f64> {
        match self.kind {
            Kind::Int => self.raw.parse().ok(),
            Kind::Float(x) => Some(x),
            Kind::Bool(yes) => Some(f64::from(u8::from(yes))),
            _ => None,
        }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self.kind, Kind::Null)
    }

    /// Python's truth: not null, false, zero or empty.
    pub(super) fn is_truthy(&self) -> bool {
        match &self.kind {
            Kind::Null => false,
            Kind::Bool(yes) => *yes,
            Kind::Int => self.raw.bytes().any(|digit| (b'1'..=b'9').contains(&digit)),
            Kind::Float(x) => *x != 0.0,
            Kind::Text(text) => !text.raw.is_empty(),
            Kind::List(items) => !items.is_empty(),
            Kind::Object(members) => !members.is_empty(),
        }
    }
}

/// A text as it stands between its quotes, escapes and all. It is compared by what it says, in code points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'a> {
    raw: &'a str,
}

impl<'a> Text<'a> {
    /// Where a text that begins with the quote at `at` ends, and what is in it. Control characters and unknown
    /// escapes are refused.
    pub(super) fn at(text: &'a str, at: usize) -> Option<(Self, usize)> {
        let bytes = text.as_bytes();
        let start = at + 1;
        let mut at = start;
        loop {
            at += match bytes.get(at)? {
                b'"' => return Some((Self { raw: &text[start..at] }, at + 1)),
                b'\\' => match bytes.get(at + 1)? {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
                    b'u' if bytes.get(at + 2..at + 6)?.iter().all(u8::is_ascii_hexdigit) => 6,
                    _ => return None,
                },
                0..=0x1f => return None,
                _ => 1,
            };
        }
    }

    /// What it says: code points, among them halves of surrogate pairs that were escaped alone.
    pub(super) fn code_points(self) -> impl Iterator<Item = u32> + use<'a> {
        let mut rest = self.raw;
        iter::from_fn(move || {
            let first = rest.chars().next()?;
            rest = &rest[first.len_utf8()..];
            if first != '\\' {
                return Some(u32::from(first));
            }
            let escape = rest.chars().next()?;
            rest = &rest[escape.len_utf8()..];
            let unit = match escape {
                'b' => 0x08,
                'f' => 0x0c,
                'n' => 0x0a,
                'r' => 0x0d,
                't' => 0x09,
                'u' => hex(rest)?,
                other => return Some(u32::from(other)),
            };
            if escape != 'u' {
                return Some(unit);
            }
            rest = &rest[4..];
            let low = rest.strip_prefix("\\u").and_then(hex).filter(|low| (0xdc00..0xe000).contains(low));
            match low {
                Some(low) if (0xd800..0xdc00).contains(&unit) => {
                    rest = &rest[6..];
                    Some(0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00))
                }
                _ => Some(unit),
            }
        })
    }

    /// What it says as Rust's text; a lone half of a surrogate pair is U+FFFD.
    pub(super) fn to_str(self) -> Cow<'a, str> {
        if self.is_plain() {
            return Cow::Borrowed(self.raw);
        }
        Cow::Owned(self.code_points().map(|point| char::from_u32(point).unwrap_or('\u{fffd}')).collect())
    }

    /// Whether it says that.
    pub(super) fn is(self, text: &str) -> bool {
        if self.is_plain() { self.raw == text } else { self.code_points().eq(text.chars().map(u32::from)) }
    }

    /// It as JSON, in its own spelling.
    pub(super) fn to_json(self) -> String {
        format!("\"{}\"", self.raw)
    }

    fn is_plain(self) -> bool {
        !self.raw.contains('\\')
    }
}

impl Ord for Text<'_> {
    /// By code point, as Python sorts.
    fn cmp(&self, other: &Self) -> Ordering {
        if self.is_plain() && other.is_plain() {
            // The order of UTF-8 is that of code points.
            return self.raw.cmp(other.raw);
        }
        self.code_points().cmp(other.code_points())
    }
}

impl PartialOrd for Text<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Text<'_> {}

/// Where the white space that begins at `at` ends.
pub(super) fn skip_space(text: &str, at: usize) -> usize {
    let space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    at + text.as_bytes()[at..].iter().take_while(space).count()
}

/// The value other than a list or an object that begins at `at`, and where it ends.
pub(super) fn scalar(text: &str, at: usize) -> Option<(Kind<'_>, usize)> {
    let words = [
        ("null", Kind::Null),
        ("true", Kind::Bool(true)),
        ("false", Kind::Bool(false)),
        ("NaN", Kind::Float(f64::NAN)),
        ("Infinity", Kind::Float(f64::INFINITY)),
        ("-Infinity", Kind::Float(f64::NEG_INFINITY)),
    ];
    match text.as_bytes().get(at)? {
        b'"' => Text::at(text, at).map(|(text, end)| (Kind::Text(text), end)),
        b'0'..=b'9' => number(text, at),
        b'-' if text.as_bytes().get(at + 1)?.is_ascii_digit() => number(text, at),
        _ => words
            .into_iter()
            .find_map(|(word, kind)| Some((kind, at + word.len())).filter(|_| text[at..].starts_with(word))),
    }
}

/// The longest number that begins at `at` with a digit or a sign and a digit.
fn number(text: &str, at: usize) -> Option<(Kind<'_>, usize)> {
    let bytes = text.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
    let digits = |at: usize| at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let first = at + usize::from(byte(at) == b'-');
    let whole = if byte(first) == b'0' { first + 1 } else { digits(first) };
    let mut end = whole;
    if byte(end) == b'.' && byte(end + 1).is_ascii_digit() {
        end = digits(end + 1);
    }
    if matches!(byte(end), b'e' | b'E') {
        let exponent = end + 1 + usize::from(matches!(byte(end + 1), b'+' | b'-'));
        if byte(exponent).is_ascii_digit() {
            end = digits(exponent);
        }
    }
    let kind = if end == whole { Kind::Int } else { Kind::Float(text[at..end].parse().ok()?) };
    Some((kind, end))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<Value<'a>, JsonError> {
        let start = self.at;
        let kind = match self.text.as_bytes().get(start) {
            Some(b'[' | b'{') if depth == MAX_DEPTH => return Err(JsonError::TooDeep),
            Some(b'[') => self.list(depth)?,
            Some(b'{') => self.object(depth)?,
            _ => {
                let (kind, end) = scalar(self.text, start).ok_or(JsonError::NotJson)?;
                self.at = end;
                kind
            }
        };
        Ok(Value { raw: &self.text[start..self.at], kind })
    }

    fn list(&mut self, depth: usize) -> Result<Kind<'a>, JsonError> {
        let mut items = Vec::new();
        if self.opens_empty(b']') {
            return Ok(Kind::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.ends(b']')? {
                return Ok(Kind::List(items));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Kind<'a>, JsonError> {
        let mut members = Vec::new();
        let mut places = BTreeMap::new();
        if self.opens_empty(b'}') {
            return Ok(Kind::Object(members));
        }
        loop {
            let name = self.name()?;
            let value = self.value(depth + 1)?;
            match places.entry(name) {
                Entry::Occupied(place) => members[*place.get()] = (name, value),
                Entry::Vacant(place) => {
                    place.insert(members.len());
                    members.push((name, value));
                }
            }
            if self.ends(b'}')? {
                return Ok(Kind::Object(members));
            }
        }
    }

    /// Takes a member's name and its colon.
    fn name(&mut self) -> Result<Text<'a>, JsonError> {
        let (name, end) = name(self.text, self.at).ok_or(JsonError::NotJson)?;
        self.at = end;
        Ok(name)
    }

    /// Takes the opening bracket, and the closing one if nothing is between them.
    fn opens_empty(&mut self, close: u8) -> bool {
        self.at += 1;
        self.takes(close)
    }

    /// Takes what follows an element: true at the closing bracket, false at a comma.
    fn ends(&mut self, close: u8) -> Result<bool, JsonError> {
        if self.takes(close) {
            return Ok(true);
        }
        if !self.takes(b',') {
            return Err(JsonError::NotJson);
        }
        self.at = skip_space(self.text, self.at);
        Ok(false)
    }

    /// Skips white space and takes a byte if it comes next.
    fn takes(&mut self, byte: u8) -> bool {
        self.at = skip_space(self.text, self.at);
        let is_next = self.text.as_bytes().get(self.at) == Some(&byte);
        self.at += usize::from(is_next);
        is_next
    }
}

/// A member's name that begins at `at`, and where its value begins.
pub(super) fn name(text: &str, at: usize) -> Option<(Text<'_>, usize)> {
    let bytes = text.as_bytes();
    let (name, end) = (bytes.get(at) == Some(&b'"')).then(|| Text::at(text, at))??;
    let colon = skip_space(text, end);
    (bytes.get(colon) == Some(&b':')).then(|| (name, skip_space(text, colon + 1)))
}

fn hex(text: &str) -> Option<u32> {
    u32::from_str_radix(text.get(..4)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use std::thread;

    use proptest::prelude::*;

    use super::*;

    fn kind(text: &str) -> String {
        Value::read(text).map_or_else(|error| error.to_string(), |value| format!("{:?}", value.kind))
    }

    #[test]
    fn values_keep_their_source_text() {
        let value = Value::read(" { \"a\" : [ 1.10 , -0 ] , \"\\u0061b\":\"x\" } ").unwrap();
        assert_eq!(value.get("a").unwrap().raw, "[ 1.10 , -0 ]");
        assert!(value.get("ab").unwrap().text().unwrap().is("x"));
        assert_eq!(value.raw, "{ \"a\" : [ 1.10 , -0 ] , \"\\u0061b\":\"x\" }");
    }

    #[test]
    fn of_a_repeated_name_the_last_value_has_the_place_of_the_first() {
        let value = Value::read(r#"{"a":1,"b":2,"\u0061":3}"#).unwrap();
        let Kind::Object(members) = &value.kind else { panic!("{value:?}") };
        let names: Vec<_> = members.iter().map(|(name, value)| (name.to_str(), value.raw)).collect();
        assert_eq!(names, [("a".into(), "3"), ("b".into(), "2")]);
    }

    #[test]
    fn the_grammar_is_that_of_python() {
        for text in ["1", "-0", "12345678901234567890123"] {
            assert_eq!(kind(text), "Int", "{text}");
        }
        for (text, float) in [("1.50", "1.5"), ("-0.0", "-0.0"), ("1E2", "100.0"), ("NaN", "NaN")] {
            assert_eq!(kind(text), format!("Float({float})"));
        }
        for (text, float) in [("-Infinity", "-inf"), ("1e999", "inf"), ("1e-999", "0.0")] {
            assert_eq!(kind(text), format!("Float({float})"));
        }
        for text in [
            "",
            "01",
            "+1",
            "1.",
            ".5",
            "1e",
            "-",
            "nan",
            "[1,]",
            "[,1]",
            "{\"a\":1,}",
            "{a:1}",
            "{\"a\"}",
            "[1 2]",
            "\"\n\"",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\\u12\"",
            "\"a",
            "[1]]",
            "[",
            "{",
            "\u{a0}1",
            "\u{feff}1",
            "'a'",
        ] {
            assert_eq!(Value::read(text).err(), Some(JsonError::NotJson), "{text}");
        }
    }

    #[test]
    fn texts_are_compared_by_code_point_and_may_hold_half_a_surrogate_pair() {
        let text = |raw| Text::at(raw, 0).unwrap().0;
        assert_eq!(text(r#""\ud83d\ude00""#), text("\"\u{1f600}\""));
        assert_eq!(text(r#""\ud83d\ude00""#).code_points().collect::<Vec<_>>(), [0x1_f600]);
        assert_eq!(
            text(r#""\ud83d\ud83d\ude00x""#).code_points().collect::<Vec<_>>(),
            [0xd83d, 0x1_f600, 0x78]
        );
        assert_eq!(text(r#""\ude00\ud83d\u0041""#).to_str(), "\u{fffd}\u{fffd}A");
        // In UTF-16 the astral one would come first.
        assert!(text("\"\u{ffff}\"") < text("\"\u{10000}\"") && text(r#""\ud83d""#) < text("\"\u{ffff}\""));
        assert!(text(r#""\/\"\\\b\f\n\r\t""#).is("/\"\\\u{8}\u{c}\n\r\t"));
    }

    #[test]
    fn nesting_has_a_bound_that_fits_a_small_stack() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        let objects = |depth: usize| "{\"a\":".repeat(depth) + "1" + &"}".repeat(depth);
        let read = move || {
            assert!(Value::read(&nested(MAX_DEPTH)).is_ok() && Value::read(&objects(MAX_DEPTH)).is_ok());
            for text in [nested(MAX_DEPTH + 1), objects(MAX_DEPTH + 1), "[".repeat(1 << 20)] {
                assert_eq!(Value::read(&text).err(), Some(JsonError::TooDeep));
            }
        };
        thread::Builder::new().stack_size(1 << 20).spawn(read).unwrap().join().unwrap();
    }

    proptest! {
        #[test]
        fn whatever_serde_takes_for_json_is_read_and_nothing_else(text in r#"[\[\]{},:"\\au0-9.eE+ -]{0,12}"#) {
            let strict = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
            prop_assert_eq!(Value::read(&text).is_ok(), strict);
        }

        #[test]
        fn a_text_says_what_was_written(text in any::<String>()) {
            let raw = serde_json::to_string(&text).unwrap();
            let (read, end) = Text::at(&raw, 0).unwrap();
            prop_assert!(read.is(&text) && end == raw.len());
            prop_assert_eq!(read.to_str(), text);
        }
    }
}
