//! What kind of thing a JSON value is, by its shape alone.

use serde_json::Value;

use super::values::{is_scalar, is_short};
use crate::text;

/// Rows and columns of a grid at most.
const MAX_GRID: usize = 200;
/// Rows and columns of a picture at most.
const MAX_PICTURE: usize = 512;
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
    /// A matrix of many different numbers: colours tell more than digits.
    Heat,
    /// Rows of pixels of three numbers.
    Pixels,
    /// A chess position or its like, as Forsyth and Edwards write it.
    Fen,
    /// An object whose names are places: `3,4`.
    Places,
    /// One row of single signs.
    Cells,
    /// Lists of one length whose columns are of different kinds: `["a", "b", 4]`.
    Tuples,
    /// What was said or may be chosen: objects or texts of which one part is long.
    Talk,
    /// Short words that together need several lines.
    Tokens,
    /// Something encoded: nobody reads it.
    Blob,
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
        Value::String(text) if is_fen(text) => Shape::Fen,
        Value::String(text) if is_blob(text) => Shape::Blob,
        value if is_short(value, SHORT) => Shape::Scalar,
        Value::String(_) => Shape::Text,
        Value::Array(items) => of_list(items),
        Value::Object(members) if members.is_empty() => Shape::Scalar,
        Value::Object(members) => {
            let sample = || members.values().take(SAMPLE);
            if members.len() >= 3 && members.keys().take(SAMPLE).all(|key| place(key).is_some()) {
                Shape::Places
            } else if sample().all(is_scalar) {
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
    if is_pixels(items) {
        return Shape::Pixels;
    }
    if is_heat(items) {
        return Shape::Heat;
    }
    if is_tuples(items) {
        return Shape::Tuples;
    }
    if let Some(wide) = matrix(items) {
        return Shape::Matrix(wide);
    }
    if is_character_grid(items) {
        return Shape::Characters;
    }
    if is_talk(items) {
        return Shape::Talk;
    }
    if alike(sample()) {
        return Shape::Records;
    }
    let flags = items.len() >= 4 && sample().all(Value::is_boolean);
    if flags || items.len() >= 8 && sample().all(is_sign) && kinds(items) <= 5 {
        return Shape::Cells;
    }
    let pairs = sample()
        .all(|item| item.as_array().is_some_and(|pair| pair.len() <= 3 && pair.iter().all(is_scalar)));
    if items.len() >= 16 && sample().all(Value::is_number) {
        Shape::Numbers
    } else if sample().all(|item| is_short(item, SHORT)) && is_wide(items) {
        Shape::Tokens
    } else if pairs || sample().all(|item| is_short(item, SHORT)) {
        Shape::Inline
    } else {
        Shape::Other
    }
}

/// A place from its name: `3,-4`, `(3, 4)`, `3:4`, `3_4`, `3x4`.
pub(super) fn place(key: &str) -> Option<(i32, i32)> {
    if key.len() > 16 {
        return None;
    }
    let bare = key.trim_matches(['(', ')', '[', ']', ' ']);
    let (one, two) = bare.split_once([',', ':', ';', '_', 'x', '|', ' '])?;
    let read = |part: &str| part.trim().parse::<i32>().ok().filter(|number| number.unsigned_abs() < 10_000);
    Some((read(one)?, read(two)?))
}

/// Ranks of pieces and counts of empty squares, at least four, each as long as the first.
pub(super) fn is_fen(text: &str) -> bool {
    let board = text.split(' ').next().unwrap_or_default();
    if text.len() > 160 || board.len() < 7 {
        return false;
    }
    let ranks: Vec<Option<usize>> = board.split('/').map(rank_length).collect();
    (4..=16).contains(&ranks.len())
        && ranks[0].is_some_and(|wide| wide >= 4)
        && ranks.iter().all(|rank| *rank == ranks[0])
}

fn rank_length(rank: &str) -> Option<usize> {
    let mut length = 0;
    let mut empty = 0;
    for letter in rank.chars() {
        match letter.to_digit(10) {
            Some(digit) => empty = empty * 10 + digit as usize,
            None if letter.is_ascii_alphabetic() || matches!(letter, '+' | '~') => {
                length += std::mem::take(&mut empty) + usize::from(letter.is_ascii_alphabetic());
            }
            None => return None,
        }
        if empty + length > 32 {
            return None;
        }
    }
    Some(length + empty)
}

/// One long word of letters and digits without a sentence in it.
pub(super) fn is_blob(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_:;,.".contains(&byte);
    text.len() >= 48
        && text.bytes().take(2_000).all(allowed)
        && text.bytes().take(200).any(|b| b.is_ascii_digit())
}

/// A word that only machines compare: a hash, a UUID.
pub(super) fn is_id(text: &str) -> bool {
    let hex = text.bytes().filter(u8::is_ascii_hexdigit).count();
    let dashes = text.bytes().filter(|byte| *byte == b'-').count();
    text.len() >= 12
        && hex + dashes == text.len()
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && hex >= 12
}

fn is_sign(item: &Value) -> bool {
    match item {
        Value::Bool(_) | Value::Null => true,
        Value::Number(number) => number.as_u64().is_some_and(|number| number < 10),
        Value::String(text) => text.len() <= 4 && text.chars().count() == 1 && text::width(text) == 1,
        _ => false,
    }
}

/// Different values among the first.
fn kinds(items: &[Value]) -> usize {
    let mut kinds: Vec<&Value> = Vec::new();
    for item in items.iter().take(SAMPLE * 4) {
        if !kinds.contains(&item) {
            kinds.push(item);
        }
        if kinds.len() > 8 {
            break;
        }
    }
    kinds.len()
}

/// Whether the items side by side are wider than a short value may be.
fn is_wide(items: &[Value]) -> bool {
    let wide = |item: &Value| match item {
        Value::String(text) => text.len(),
        Value::Bool(_) | Value::Null => 2,
        other => other.to_string().len(),
    };
    items.iter().take(SAMPLE).map(|item| wide(item) + 1).sum::<usize>() > SHORT
}

fn is_pixels(items: &[Value]) -> bool {
    let Some(columns) = items[0].as_array().map(Vec::len) else { return false };
    let pixel = |pixel: &Value| {
        let byte = |part: &Value| part.as_f64().is_some_and(|part| (0.0..=255.0).contains(&part));
        pixel.as_array().is_some_and(|parts| (3..=4).contains(&parts.len()) && parts.iter().all(byte))
    };
    (2..=MAX_PICTURE).contains(&items.len())
        && (4..=MAX_PICTURE).contains(&columns)
        && items.iter().all(|row| row.as_array().is_some_and(|row| row.len() == columns))
        && items.iter().take(8).filter_map(Value::as_array).flatten().take(SAMPLE).all(pixel)
}

/// Six by six or more numbers of which many differ.
fn is_heat(items: &[Value]) -> bool {
    let Some(columns) = items[0].as_array().map(Vec::len) else { return false };
    if !(6..=MAX_PICTURE).contains(&items.len()) || !(6..=MAX_PICTURE).contains(&columns) {
        return false;
    }
    if !items.iter().all(|row| row.as_array().is_some_and(|row| row.len() == columns)) {
        return false;
    }
    let step = (items.len() * columns / 400).max(1);
    let mut kinds: Vec<u64> = Vec::new();
    for cell in items.iter().filter_map(Value::as_array).flatten().step_by(step) {
        match cell.as_f64() {
            Some(number) => kinds.push(number.to_bits()),
            None if cell.is_null() => {}
            None => return false,
        }
    }
    kinds.sort_unstable();
    kinds.dedup();
    kinds.len() > 12
}

/// Rows of two to six scalars whose columns are of different kinds, at least one of them words.
fn is_tuples(items: &[Value]) -> bool {
    let Some(first) = items[0].as_array().filter(|row| (2..=6).contains(&row.len())) else { return false };
    let kind = |value: &Value| match value {
        Value::String(_) => 1_u8,
        Value::Number(_) => 2,
        Value::Bool(_) => 3,
        _ => 0,
    };
    let same = |row: &Value| {
        row.as_array().is_some_and(|row| {
            row.len() == first.len()
                && row.iter().all(is_scalar)
                && row.iter().zip(first).all(|(cell, first)| kind(cell) == kind(first) || cell.is_null())
        })
    };
    let words = first.iter().any(Value::is_string);
    let mixed = first.iter().any(|cell| kind(cell) != kind(&first[0]));
    let pairs_of_words = first.len() == 2 && first.iter().all(Value::is_string) && items.len() > 2;
    items.len() >= 2 && words && (mixed || pairs_of_words) && items.iter().take(SAMPLE).all(same)
}

/// Texts of which some are sentences, or objects of few members of which one is.
fn is_talk(items: &[Value]) -> bool {
    let long = |text: &str| text.len() > 18 && text.contains(' ');
    if items.iter().take(SAMPLE).all(Value::is_string) {
        let texts = || items.iter().take(SAMPLE).filter_map(Value::as_str);
        let all: usize = texts().map(str::len).sum();
        return all > SHORT && texts().any(long);
    }
    let said = |item: &Value| {
        item.as_object().is_some_and(|members| {
            members.len() <= 5 && members.values().all(is_scalar) && said(item).is_some()
        })
    };
    let longest = |item: &Value| said_text(item).is_some_and(|text| text.len() > MAX_SAID && long(text));
    items.iter().take(SAMPLE).all(said) && items.iter().take(SAMPLE).any(longest)
}

/// Longer texts do not fit a table.
const MAX_SAID: usize = 28;
/// Names of what is said.
const SAID: [&str; 10] =
    ["content", "text", "message", "msg", "body", "utterance", "description", "label", "question", "prompt"];

/// The member that is said, by name.
pub(super) fn said(item: &Value) -> Option<&'static str> {
    SAID.into_iter().find(|key| item.get(*key).is_some_and(Value::is_string))
}

/// What is said.
pub(super) fn said_text(item: &Value) -> Option<&str> {
    item.as_str().or_else(|| item.get(said(item)?)?.as_str())
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
    // Moves like `e2e4` are words, too.
    kinds.len() <= 4 || kinds.iter().any(|letter| !letter.is_alphanumeric())
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
            (json!(vec![1.5; 20]), Shape::Numbers),
            (json!([{"a": 1}, 7]), Shape::Other),
            (json!(["e2e4", "d2d4", "g1f3"]), Shape::Inline),
            (json!([["a", "b", 4], ["a", "c", 2]]), Shape::Tuples),
            (json!([0, 1, 1, 0, 1, 0, 0, 1]), Shape::Cells),
            (json!([true, false, true, true, false, false, true, true]), Shape::Cells),
            (json!({"0,0": "sea", "1,-1": "hill", "(2, 3)": "sea"}), Shape::Places),
            (json!("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), Shape::Fen),
            (json!("BX+nq9TIKFFcHVyr0QOAtkmcTtAyRXIhJgepAIo1WXeRFmQmGxpO8axs39WkFluegx"), Shape::Blob),
            (json!([{"role": "a", "content": "good morning to all of you, and welcome"}]), Shape::Talk),
            (json!(["You hit the kobold.", "The kobold misses you."]), Shape::Talk),
            (
                json!(["e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7", "Kxf7", "d4", "d5", "c3"]),
                Shape::Tokens,
            ),
            (json!(vec![vec![vec![1, 2, 3]; 4]; 3]), Shape::Pixels),
        ];
        for (value, expected) in cases {
            assert_eq!(shape(&value), expected, "{value}");
        }
    }
}
