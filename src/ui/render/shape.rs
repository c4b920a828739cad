//! What kind of thing a JSON value is, by its shape alone.

use serde_json::Value;

use super::values::{is_scalar, is_short};
use crate::text;

/// Rows and columns of a grid at most.
const MAX_GRID: usize = 200;
/// Cells of a grid made of values are not wider.
const MAX_CELL: usize = 6;
/// Items looked at to judge a list.
const SAMPLE: usize = 64;
/// Members of an object that is a row of a table.
const MAX_MEMBERS: usize = 24;
/// Strings up to this many columns are facts, longer ones text.
pub(super) const SHORT: usize = 36;

/// How a value is best shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Beside its name.
    Scalar,
    /// Wrapped.
    Text,
    /// A string of lines, or a list of strings: each character a cell.
    Characters,
    /// A list of lists: each value a cell, this many columns wide.
    Matrix(usize),
    /// A list of objects.
    Records,
    /// An object of objects.
    NamedRecords,
    /// A few scalars, or pairs of numbers, on one line.
    Inline,
    /// Many numbers.
    Numbers,
    /// An object of scalars.
    Facts,
    /// An object of anything.
    Object,
    /// Anything else.
    Other,
}

/// Judges a value; reads no more than a sample of a large one.
pub(super) fn shape(value: &Value) -> Shape {
    match value {
        Value::String(text) if is_drawn(text) => Shape::Characters,
        value if is_short(value, SHORT) => Shape::Scalar,
        Value::String(_) => Shape::Text,
        Value::Array(items) => of_list(items),
        Value::Object(members) if members.is_empty() => Shape::Scalar,
        Value::Object(members) => {
            let sample = || members.values().take(SAMPLE);
            if sample().all(is_scalar) {
                Shape::Facts
            } else if members.len() >= 2 && alike(sample()) {
                Shape::NamedRecords
            } else {
                Shape::Object
            }
        }
        _ => Shape::Scalar,
    }
}

fn of_list(items: &[Value]) -> Shape {
    let sample = || items.iter().take(SAMPLE);
    if items.is_empty() {
        return Shape::Scalar;
    }
    if let Some(wide) = matrix(items) {
        return Shape::Matrix(wide);
    }
    if is_character_grid(items) {
        return Shape::Characters;
    }
    if alike(sample()) {
        return Shape::Records;
    }
    let pairs = sample()
        .all(|item| item.as_array().is_some_and(|pair| pair.len() <= 3 && pair.iter().all(is_scalar)));
    if items.len() >= 16 && sample().all(Value::is_number) {
        Shape::Numbers
    } else if pairs || sample().all(|item| is_short(item, SHORT)) {
        Shape::Inline
    } else {
        Shape::Other
    }
}

/// A text that is a picture: several lines of one length.
fn is_drawn(text: &str) -> bool {
    if text.len() > MAX_GRID * MAX_GRID || !text.contains('\n') {
        return false;
    }
    let lines: Vec<&str> = text.lines().collect();
    lines.len() >= 3 && lines_are_cells(&lines)
}

fn is_character_grid(items: &[Value]) -> bool {
    if !(2..=MAX_GRID).contains(&items.len()) {
        return false;
    }
    let lines: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
    lines.len() == items.len() && lines_are_cells(&lines)
}

/// Of one length, of single columns, and of so few letters that they are not words: `["fold", "call"]` is not a map.
fn lines_are_cells(lines: &[&str]) -> bool {
    let length = lines[0].chars().count();
    if !(3..=MAX_GRID).contains(&length) || lines.iter().any(|line| line.chars().count() != length) {
        return false;
    }
    let letters = || lines.iter().flat_map(|line| line.chars());
    if letters().any(|letter| letter.is_control() || text::width(letter.encode_utf8(&mut [0; 4])) != 1) {
        return false;
    }
    let mut kinds: Vec<char> = letters().take(4_000).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.len() <= 4 || kinds.iter().any(|letter| !letter.is_alphabetic())
}

/// Rows of one length of short scalars; gives the width of the widest. Lists of pairs are not boards.
fn matrix(items: &[Value]) -> Option<usize> {
    let columns = items.first()?.as_array()?.len();
    let rows = items.len();
    if !(2..=MAX_GRID).contains(&rows) || !(2..=MAX_GRID).contains(&columns) || (columns == 2 && rows != 2) {
        return None;
    }
    let mut widest = 1;
    for (nth, row) in items.iter().enumerate() {
        let row = row.as_array().filter(|row| row.len() == columns)?;
        // Widths are judged by a sample; what is wider is cut when drawn.
        for cell in row.iter().take(if nth < SAMPLE { SAMPLE } else { 1 }) {
            let wide = match cell {
                Value::String(text) if text.len() <= MAX_CELL * 4 => text::width(&text::clean(text)),
                Value::Number(number) => number.to_string().len(),
                Value::Bool(_) | Value::Null => 1,
                _ => return None,
            };
            widest = widest.max(wide);
        }
    }
    (widest <= MAX_CELL).then_some(widest)
}

/// Objects that share most of their members, and have scalars among them.
fn alike<'a>(items: impl Iterator<Item = &'a Value>) -> bool {
    let mut first = None;
    let mut plain = false;
    for item in items {
        let Some(members) = item.as_object().filter(|members| (1..=MAX_MEMBERS).contains(&members.len()))
        else {
            return false;
        };
        let first = *first.get_or_insert(members);
        let shared = members.keys().filter(|key| first.contains_key(key.as_str())).count();
        if shared * 2 < first.len().max(members.len()) {
            return false;
        }
        plain |= members.values().any(is_scalar);
    }
    plain
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shapes_are_told_apart() {
        let cases = [
            (json!(3), Shape::Scalar),
            (json!("short"), Shape::Scalar),
            (json!([]), Shape::Scalar),
            (json!("x ".repeat(40)), Shape::Text),
            (json!("..#\n.@.\n#.."), Shape::Characters),
            (json!(["..#", "0@."]), Shape::Characters),
            (json!(["Ah", "7d", "2c"]), Shape::Inline),
            (json!(["fold", "call", "kick"]), Shape::Inline),
            (json!([[0, 1, 2], [2, 0, 0]]), Shape::Matrix(1)),
            (json!([["a", null, "bcd"], [1, 2, -3]]), Shape::Matrix(3)),
            (json!([[3, 4], [5, 6], [7, 8]]), Shape::Inline),
            (json!([{"id": 1, "hp": 3}, {"id": 2, "hp": 4}]), Shape::Records),
            (json!({"p0": {"hp": 3}, "p1": {"hp": 4}}), Shape::NamedRecords),
            (json!({"a": 1, "b": "x"}), Shape::Facts),
            (json!({"a": 1, "b": {"c": [1, {}]}}), Shape::Object),
            (json!(vec![1; 20]), Shape::Numbers),
            (json!([{"a": 1}, 7]), Shape::Other),
        ];
        for (value, expected) in cases {
            assert_eq!(shape(&value), expected, "{value}");
        }
    }
}
