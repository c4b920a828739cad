//! Tables and numbers for people.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::text;

/// Rows in columns that line up; the first row is the head. Numbers are right-aligned where `right` says so.
pub(super) fn table(rows: &[Vec<String>], right: &[bool]) -> String {
    let columns = right.len();
    let cell = |row: &Vec<String>, nth: usize| row.get(nth).map_or(0, |cell| text::width(cell));
    let widths: Vec<usize> =
        (0..columns).map(|nth| rows.iter().map(|row| cell(row, nth)).max().unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).zip(right).map(|((cell, width), right)| {
            if *right { text::pad_left(cell, *width) } else { text::pad(cell, *width) }
        });
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

/// Text from a file, safe and short.
pub(super) fn word(text: &str, columns: usize) -> String {
    text::excerpt(&text::clean(text), columns).into_owned()
}

/// A size in the largest unit that it has one of.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

/// A time as minutes and seconds.
pub(super) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// Scores in one line.
pub(super) fn scores(scores: &BTreeMap<String, f64>) -> String {
    let one = |(player, score): (&String, &f64)| format!("{} {}", word(player, 12), text::decimal(*score, 4));
    let shown: Vec<String> = scores.iter().take(8).map(one).collect();
    let more = if scores.len() > 8 { " …" } else { "" };
    format!("{}{more}", shown.join("  "))
}
