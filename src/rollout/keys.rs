//! When two actions are the same: the canonical key by which candidates are told apart.
//!
//! The server counts candidates and forks by this rule, so a client that counts otherwise pays for forks it does not
//! want. Source: protocol.md section 5.9, `_canonical_action_key` in the SDK's `rollouts.py`.

use std::collections::HashSet;

use crate::api::model::Json;

use super::encode::{Notation, short_escape, write_escape};
use super::json::{JsonError, Kind, Text, Value};
use super::python::float_repr;

/// A candidate that cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("candidate `{index}` is no action that can be sent")]
pub struct CandidateError {
    /// Its place among the candidates, from 0.
    pub index: usize,
    /// Why.
    #[source]
    pub source: JsonError,
}

/// The candidates in the form the server echoes, each once, in the order they were first seen.
///
/// A list of one is its element, one level deep. Two actions are the same if they differ only in the order of members,
/// in white space, in escapes, or in how the same double is spelt; `1` and `1.0` differ. Of equal ones the first is
/// kept as it was written.
///
/// # Errors
/// Names the first candidate that is nested too deep or has a number that is not finite.
pub fn distinct_actions(candidates: &[Json]) -> Result<Vec<Json>, CandidateError> {
    let mut seen = HashSet::new();
    let mut distinct = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        let (action, key) = canonical_action(candidate).map_err(|source| CandidateError { index, source })?;
        if seen.insert(key) {
            distinct.push(action);
        }
    }
    Ok(distinct)
}

/// Python's `json.dumps` with sorted members and nothing between them.
const PYTHON: Notation = Notation { float: float_repr, text: write_text, sorted: true };

/// An action in the form the server echoes (a list of one is its element), and its key: Python's
/// `json.dumps(action, sort_keys=True, separators=(",", ":"))`.
///
/// # Errors
/// When it is nested too deep or has a number that is not finite.
pub fn canonical_action(action: &Json) -> Result<(Json, String), JsonError> {
    let value = Value::read(action.get())?;
    let action = match &value.kind {
        Kind::List(items) if items.len() == 1 => &items[0],
        _ => &value,
    };
    let mut key = String::new();
    PYTHON.write_value(&mut key, action)?;
    Ok((Json::parse(action.raw).map_err(|_| JsonError::NotJson)?, key))
}

/// Writes a text with all but printable ASCII escaped.
fn write_text(out: &mut String, text: Text<'_>) {
    out.push('"');
    for point in text.code_points() {
        match (short_escape(point), point) {
            (Some(letter), _) => out.extend(['\\', letter]),
            (None, 0x20..=0x7e) => out.extend(char::from_u32(point)),
            (None, 0x1_0000..) => {
                write_escape(out, 0xd800 + ((point - 0x1_0000) >> 10));
                write_escape(out, 0xdc00 + ((point - 0x1_0000) & 0x3ff));
            }
            _ => write_escape(out, point),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    fn key(text: &str) -> String {
        canonical_action(&json(text)).unwrap().1
    }

    #[test]
    fn a_key_is_what_python_writes_with_sorted_members() {
        for (text, expected) in [
            (r#" {"b" : 1, "a" : [ 2, {"d":null,"c":true} ] } "#, r#"{"a":[2,{"c":true,"d":null}],"b":1}"#),
            ("[1.0, 1, 1.50, 1e16, 1e-5, -0, -0.0, 100E0]", "[1.0,1,1.5,1e+16,1e-05,0,-0.0,100.0]"),
            (r#""é\u007f\/\n😀\ud800""#, r#""\u00e9\u007f/\n\ud83d\ude00\ud800""#),
            // By code point: U+FFFF is before U+10000.
            (
                "{\"\u{10000}\":1,\"\u{ffff}\":2,\"B\":3,\"a\":4}",
                r#"{"B":3,"a":4,"\uffff":2,"\ud800\udc00":1}"#,
            ),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
        ] {
            assert_eq!(key(text), expected, "{text}");
        }
        let digits = "9".repeat(5000);
        assert_eq!(key(&digits), digits);
    }

    #[test]
    fn a_list_of_one_is_its_element_and_stays_as_it_was_written() {
        for (text, action) in [
            (r#"[ {"b": 1.10, "a":2} ]"#, r#"{"b": 1.10, "a":2}"#),
            (r#"[{"a":1},{"b":2}]"#, r#"[{"a":1},{"b":2}]"#),
            ("[[1]]", "[1]"),
            ("[]", "[]"),
            ("[null]", "null"),
        ] {
            assert_eq!(canonical_action(&json(text)).unwrap().0, json(action));
        }
    }

    #[test]
    fn candidates_are_counted_once_in_the_order_they_were_first_seen() {
        let candidates =
            [r#"{"x": 1,"y":2}"#, r#"{"x":1.0}"#, r#"[{"y":2,"x":1}]"#, r#"{"x":1.00}"#, "[]"].map(json);
        let expected = [r#"{"x": 1,"y":2}"#, r#"{"x":1.0}"#, "[]"].map(json);
        assert_eq!(distinct_actions(&candidates).unwrap(), expected);
    }

    #[test]
    fn the_first_candidate_that_cannot_be_sent_is_named() {
        let error = distinct_actions(&[json("{}"), json(r#"{"x":1e999}"#), json("1e999")]).unwrap_err();
        assert_eq!(error, CandidateError { index: 1, source: JsonError::NotFinite });
        assert_eq!(error.to_string(), "candidate `1` is no action that can be sent");
        let deep = json(&("[".repeat(2000) + &"]".repeat(2000)));
        assert_eq!(distinct_actions(&[deep]).unwrap_err().source, JsonError::TooDeep);
    }
}
