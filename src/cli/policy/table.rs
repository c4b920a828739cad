//! Small tables for people.

use crate::text;

/// Between two columns.
const GAP: &str = "  ";

/// A column's title; a number is flush right.
#[derive(Debug, Clone, Copy)]
pub(super) enum Column {
    Text(&'static str),
    Number(&'static str),
}

/// Rows under titles, a line each.
pub(super) fn draw(columns: &[Column], rows: &[Vec<String>]) -> String {
    let titles: Vec<String> = columns.iter().map(|column| column.title().to_owned()).collect();
    let width = |nth: usize| {
        let cells = rows.iter().chain([&titles]).map(|row| row.get(nth).map_or(0, |cell| text::width(cell)));
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let mut out = String::new();
    for row in [&titles].into_iter().chain(rows) {
        let cells = row.iter().zip(columns).zip(&widths).map(|((cell, column), width)| match column {
            Column::Text(_) => text::pad(cell, *width),
            Column::Number(_) => text::pad_left(cell, *width),
        });
        out.push_str(cells.collect::<Vec<_>>().join(GAP).trim_end());
        out.push('\n');
    }
    out
}

impl Column {
    fn title(self) -> &'static str {
        match self {
            Self::Text(title) | Self::Number(title) => title,
        }
    }
}

/// A latency in milliseconds with two digits that count.
pub(super) fn millis(latency: Option<std::time::Duration>) -> String {
    let Some(latency) = latency else { return "–".into() };
    let ms = latency.as_secs_f64() * 1000.0;
    if ms < 10.0 { format!("{ms:.2}") } else { format!("{ms:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_flush_right_and_text_flush_left() {
        let rows = [vec!["a".to_owned(), "1".to_owned()], vec!["long".to_owned(), "100".to_owned()]];
        let drawn = draw(&[Column::Text("NAME"), Column::Number("N")], &rows);
        assert_eq!(drawn, "NAME    N\na       1\nlong  100\n");
    }
}
