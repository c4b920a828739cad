//! Small pieces that many panes draw: bars and sparklines as text, key hints, table rows, Markdown, JSON.
//!
//! All are pure functions that give text or ratatui lines; nothing here knows a pane or keeps state. The timeline's bar
//! also notes where a click leads.

mod json;
mod markdown;
mod spark;
mod table;
pub mod timeline;

use ratatui::text::{Line, Span};

pub use self::json::json_line;
pub use self::markdown::markdown;
pub use self::spark::{bar, gauge, sparkline};
pub use self::table::{Align, GAP, column_widths, table_line};
use super::theme::{Role, Theme};
use crate::text;

/// The keys that work here, `key label` each, as many as fit the width whole.
pub fn key_hints(hints: &[(&str, &str)], columns: usize, theme: &Theme) -> Line<'static> {
    let mut line = Line::default();
    let mut used = 0;
    for (key, label) in hints {
        let gap = if used == 0 { 0 } else { 3 };
        let wide = gap + text::width(key) + 1 + text::width(label);
        if used + wide > columns {
            break;
        }
        line.push_span(Span::raw(" ".repeat(gap)));
        line.push_span(Span::styled((*key).to_owned(), theme.style(Role::Key)));
        line.push_span(Span::styled(format!(" {label}"), theme.style(Role::Dim)));
        used += wide;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::ColorDepth;

    #[test]
    fn key_hints_are_shown_whole_or_not_at_all() {
        let theme = Theme::new(ColorDepth::None, false);
        let hints = [("⏎", "open"), ("w", "watch"), ("?", "help")];
        assert_eq!(key_hints(&hints, 40, &theme).to_string(), "⏎ open   w watch   ? help");
        assert_eq!(key_hints(&hints, 17, &theme).to_string(), "⏎ open   w watch");
        assert_eq!(key_hints(&hints, 3, &theme).to_string(), "");
    }
}
