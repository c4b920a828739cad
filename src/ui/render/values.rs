//! JSON values as short text, and whether they changed. All work is bounded by what is shown.

use std::borrow::Cow;

use serde_json::Value;

use super::scene::Part;
use crate::text;
use crate::ui::theme::{Role, seat_number};

/// Nodes compared before two values count as unchanged.
const COMPARED: usize = 2_000;

/// Neither list nor object.
pub(super) fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

/// A scalar that takes little room on a line.
pub(super) fn is_short(value: &Value, columns: usize) -> bool {
    match value {
        Value::String(text) => {
            text.len() <= columns * 4 && !text.contains('\n') && text::width(text) <= columns
        }
        value => is_scalar(value),
    }
}

/// A value on one line, at most `columns` wide.
pub(super) fn inline(value: &Value, columns: usize) -> Part<'_> {
    match value {
        Value::Null => Part::new("–", Role::Dim),
        Value::Bool(true) => Part::new("yes", Role::Text),
        Value::Bool(false) => Part::new("no", Role::Dim),
        Value::Number(number) => Part::plain(number.to_string()),
        Value::String(text) => {
            Part::new(text::excerpt(text, columns), seat_number(text).map_or(Role::Text, Role::Seat))
        }
        Value::Array(items) if items.is_empty() => Part::new("none", Role::Dim),
        Value::Object(members) if members.is_empty() => Part::new("none", Role::Dim),
        Value::Array(_) | Value::Object(_) => {
            let mut out = String::new();
            compact(value, columns, 0, &mut out);
            Part::plain(text::excerpt(&out, columns).into_owned())
        }
    }
}

/// Lists as `a b c`, pairs as `(a,b)`, objects as `key value, key value`; stops soon after `limit` bytes.
fn compact(value: &Value, limit: usize, depth: usize, out: &mut String) {
    if out.len() > limit * 4 || depth > 8 {
        out.push('…');
        return;
    }
    match value {
        Value::Array(items) => {
            let pair = depth > 0;
            if pair {
                out.push('(');
            }
            for (nth, item) in items.iter().enumerate() {
                if out.len() > limit * 4 {
                    return;
                }
                if nth > 0 {
                    out.push(if pair { ',' } else { ' ' });
                }
                compact(item, limit, depth + 1, out);
            }
            if pair {
                out.push(')');
            }
        }
        Value::Object(members) => {
            if depth > 0 {
                out.push('{');
            }
            for (nth, (key, member)) in members.iter().enumerate() {
                if out.len() > limit * 4 {
                    return;
                }
                if nth > 0 {
                    out.push_str(", ");
                }
                out.push_str(&text::excerpt(key, limit));
                out.push(' ');
                compact(member, limit, depth + 1, out);
            }
            if depth > 0 {
                out.push('}');
            }
        }
        scalar => out.push_str(&inline(scalar, limit).text),
    }
}

/// How a value differs from what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// Not at all.
    Same,
    /// A number went up.
    Up,
    /// A number went down.
    Down,
    /// In some other way, or it is new.
    Other,
}

impl Change {
    /// Compares with the value of a moment ago; without one, the value is new.
    pub(super) fn of(now: &Value, before: Option<&Value>) -> Self {
        match (now, before) {
            (Value::Number(now), Some(Value::Number(before))) => {
                match now.as_f64().partial_cmp(&before.as_f64()) {
                    Some(std::cmp::Ordering::Greater) => Self::Up,
                    Some(std::cmp::Ordering::Less) => Self::Down,
                    _ => Self::Same,
                }
            }
            (now, Some(before)) if !differs(now, before, &mut COMPARED.clone()) => Self::Same,
            _ => Self::Other,
        }
    }

    /// The mark beside the value, one column.
    pub(super) fn glyph(self) -> &'static str {
        match self {
            Self::Same => " ",
            Self::Up => "▲",
            Self::Down => "▼",
            Self::Other => "•",
        }
    }
}

fn differs(one: &Value, two: &Value, budget: &mut usize) -> bool {
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    match (one, two) {
        (Value::Array(one), Value::Array(two)) => {
            one.len() != two.len() || one.iter().zip(two).any(|(one, two)| differs(one, two, budget))
        }
        (Value::Object(one), Value::Object(two)) => {
            one.len() != two.len()
                || one.iter().any(|(key, one)| two.get(key).is_none_or(|two| differs(one, two, budget)))
        }
        _ => one != two,
    }
}

/// A number member.
pub(super) fn number(value: &Value, key: &str) -> Option<f64> {
    value.get(key)?.as_f64().filter(|number| number.is_finite())
}

/// A small whole number member.
pub(super) fn count(value: &Value, key: &str) -> Option<usize> {
    value.get(key)?.as_u64().and_then(|number| usize::try_from(number).ok())
}

/// A string member.
pub(super) fn word<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// A pair of small whole numbers, as `[a, b]`.
pub(super) fn pair(value: &Value) -> Option<(usize, usize)> {
    match value.as_array()?.as_slice() {
        [one, two] => Some((usize::try_from(one.as_u64()?).ok()?, usize::try_from(two.as_u64()?).ok()?)),
        _ => None,
    }
}

/// Text made safe, without a copy where it is safe already.
pub(super) fn safe(text: &str) -> Cow<'_, str> {
    text::clean(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_read_as_short_text() {
        let cases = [
            (json!([3, 4, 5]), "3 4 5"),
            (json!([[3, 4], [5, 6]]), "(3,4) (5,6)"),
            (json!({"q": 3, "who": "p1", "at": [1, 2]}), "q 3, who p1, at (1,2)"),
            (json!(null), "–"),
            (json!([]), "none"),
            (json!("a\u{1b}b"), "a␛b"),
            (json!(0.1225), "0.1225"),
        ];
        for (value, shown) in cases {
            assert_eq!(inline(&value, 40).text, shown);
        }
        assert!(text::width(&inline(&json!(vec![7; 100_000]), 20).text) <= 20);
    }

    #[test]
    fn changes_have_a_direction_where_there_is_one() {
        assert_eq!(Change::of(&json!(2), Some(&json!(1.5))), Change::Up);
        assert_eq!(Change::of(&json!(1), Some(&json!(1.0))), Change::Same);
        assert_eq!(Change::of(&json!({"a": [1]}), Some(&json!({"a": [2]}))), Change::Other);
        assert_eq!(Change::of(&json!("x"), None), Change::Other);
    }
}
