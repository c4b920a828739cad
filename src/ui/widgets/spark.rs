//! Numbers as little pictures made of text.

/// No level fills its row: lines one below the other must not touch.
const LEVELS: [char; 7] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇'];

/// The last `columns` values as blocks between their own least and greatest. A flat line is drawn low and flat.
pub fn sparkline(values: impl DoubleEndedIterator<Item = f64>, columns: usize) -> String {
    let mut shown: Vec<f64> = values.rev().take(columns).collect();
    shown.reverse();
    let finite = shown.iter().copied().filter(|value| value.is_finite());
    let (low, high) = finite
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let level = |value: f64| match value {
        _ if !value.is_finite() => ' ',
        _ if high <= low => LEVELS[2],
        // Halved first: the span of two finite numbers may itself be infinite.
        _ => {
            let part = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
            LEVELS[((part * 6.0).round() as usize).min(6)]
        }
    };
    shown.into_iter().map(level).collect()
}

/// A bar as long as `share` of the columns, without the rest of the track; a little is shown as a sliver.
pub fn bar(share: f64, columns: usize) -> String {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    match (share * columns as f64).round() as usize {
        0 if share > 0.0 && columns > 0 => "▏".to_owned(),
        filled => "▇".repeat(filled),
    }
}

/// A bar that grows from the middle, for a value within `±limit`; exactly `columns` wide: `───━━┿────`.
pub fn gauge(value: f64, limit: f64, columns: usize) -> String {
    if columns < 3 {
        return " ".repeat(columns);
    }
    let side = (columns - 1) / 2;
    let part = if limit > 0.0 && value.is_finite() { (value / limit).clamp(-1.0, 1.0) } else { 0.0 };
    let filled = match (part.abs() * side as f64).round() as usize {
        0 if part != 0.0 => 1,
        filled => filled,
    };
    let (left, right) = if part < 0.0 { (filled, 0) } else { (0, filled) };
    let mut out = "─".repeat(side - left);
    out.push_str(&"━".repeat(left));
    out.push('┼');
    out.push_str(&"━".repeat(right));
    out.push_str(&"─".repeat(columns - 1 - side - right));
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::width;

    #[test]
    fn a_sparkline_spans_its_own_range() {
        assert_eq!(sparkline([0.0, 1.0, 2.0, 7.0].into_iter(), 10), "▁▂▃▇");
        assert_eq!(sparkline([5.0, 5.0].into_iter(), 10), "▃▃");
        assert_eq!(sparkline((0..100).map(f64::from), 3), "▁▄▇");
        assert_eq!(sparkline([f64::NAN, 1.0, f64::MAX, f64::MIN].into_iter(), 4), " ▄▇▁");
    }

    #[test]
    fn a_bar_never_hides_a_little() {
        assert_eq!(bar(0.5, 4), "▇▇");
        assert_eq!(bar(7.0, 4), "▇▇▇▇");
        assert_eq!(bar(0.001, 4), "▏");
        assert_eq!(bar(0.0, 4), "");
        assert_eq!(bar(f64::NAN, 4), "");
    }

    #[test]
    fn a_gauge_grows_from_the_middle() {
        assert_eq!(gauge(100.0, 200.0, 9), "────┼━━──");
        assert_eq!(gauge(-200.0, 200.0, 9), "━━━━┼────");
        assert_eq!(gauge(1.0, 200.0, 9), "────┼━───");
    }

    proptest! {
        #[test]
        fn pictures_keep_their_width(value in any::<f64>(), limit in any::<f64>(), columns in 0_usize..60) {
            prop_assert!(width(&bar(value, columns)) <= columns);
            prop_assert_eq!(width(&gauge(value, limit, columns)), columns);
            prop_assert!(width(&sparkline([value, limit].into_iter(), columns)) <= columns);
        }
    }
}
