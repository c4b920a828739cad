//! Rows of cells in columns that line up.

use std::borrow::Cow;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::text;

/// Columns between two columns.
pub const GAP: usize = 2;
/// A column is not squeezed below this; rather the last one is left out.
const LEAST: usize = 5;

/// Where a column's text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Align {
    /// Words.
    #[default]
    Left,
    /// Numbers.
    Right,
}

/// Shares `available` columns out: everyone gets what is wanted if it fits; otherwise the widest give way first,
/// and at last columns at the end get none.
pub fn column_widths(wanted: &[usize], available: usize) -> Vec<usize> {
    let mut widths = wanted.to_vec();
    let total = |widths: &[usize]| {
        let shown = widths.iter().filter(|wide| **wide > 0).count();
        widths.iter().sum::<usize>() + shown.saturating_sub(1) * GAP
    };
    let mut excess = total(&widths).saturating_sub(available);
    while excess > 0 {
        let widest = widths.iter().copied().max().unwrap_or(0);
        if widest <= LEAST {
            // Nobody can give more: the last column goes.
            let Some(last) = widths.iter().rposition(|wide| *wide > 0) else { break };
            if last == 0 {
                widths[0] = widths[0].min(available);
                break;
            }
            widths[last] = 0;
            excess = total(&widths).saturating_sub(available);
            continue;
        }
        // All of the widest come down to the next width below, or as far as needed.
        let next = widths.iter().copied().filter(|wide| *wide < widest).max().unwrap_or(0).max(LEAST);
        let count = widths.iter().filter(|wide| **wide == widest).count();
        let step = (widest - next).min(excess.div_ceil(count)).max(1);
        for wide in widths.iter_mut().filter(|wide| **wide == widest) {
            let cut = step.min(excess);
            *wide -= cut;
            excess -= cut;
        }
    }
    widths
}

/// One row; cells beyond the widths, and columns of width 0, are left out.
pub fn table_line<'a>(cells: &[(Cow<'a, str>, Style)], aligns: &[Align], widths: &[usize]) -> Line<'a> {
    let mut line = Line::default();
    for (nth, ((cell, style), wide)) in cells.iter().zip(widths).enumerate() {
        if *wide == 0 {
            continue;
        }
        if !line.spans.is_empty() {
            line.push_span(Span::raw(" ".repeat(GAP)));
        }
        let text = match aligns.get(nth) {
            Some(Align::Right) => text::pad_left(cell, *wide),
            _ => text::pad(cell, *wide),
        };
        line.push_span(Span::styled(text, *style));
    }
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_widest_column_gives_way_first() {
        assert_eq!(column_widths(&[4, 20, 6], 34), [4, 20, 6]);
        assert_eq!(column_widths(&[4, 20, 6], 24), [4, 10, 6]);
        assert_eq!(column_widths(&[4, 20, 6], 18), [4, 5, 5]);
        assert_eq!(column_widths(&[4, 20, 6], 15), [4, 5, 0]);
        assert_eq!(column_widths(&[4], 2), [2]);
    }

    #[test]
    fn numbers_stand_at_the_right() {
        let cells =
            [("p0", Style::new()), ("12.5", Style::new())].map(|(text, style)| (Cow::Borrowed(text), style));
        let line = table_line(&cells, &[Align::Left, Align::Right], &[4, 6]);
        assert_eq!(line.to_string(), "p0      12.5");
    }

    proptest! {
        #[test]
        fn rows_never_exceed_the_width(wanted in prop::collection::vec(0_usize..50, 0..12), available in 0_usize..120) {
            let widths = column_widths(&wanted, available);
            let cells: Vec<_> = wanted.iter().map(|wide| (Cow::Owned("x".repeat(*wide)), Style::new())).collect();
            prop_assert!(table_line(&cells, &[], &widths).width() <= available);
        }
    }
}
