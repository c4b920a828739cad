//! One line of JSON with its parts coloured: action entries, events, log lines.

use ratatui::text::{Line, Span};
use serde_json::Value;

use crate::text;
use crate::ui::theme::{Role, Theme};

/// Nothing beyond this many spans is coloured or read: a line is never that wide.
const MAX_SPANS: usize = 400;

/// The value as compact JSON, cut to `columns`: keys quiet, numbers and words apart.
pub fn json_line(value: &Value, columns: usize, theme: &Theme) -> Line<'static> {
    let mut line = Writer { theme, spans: Vec::new(), left: columns };
    line.value(value, 0);
    Line::from(line.spans)
}

struct Writer<'a> {
    theme: &'a Theme,
    spans: Vec<Span<'static>>,
    left: usize,
}

impl Writer<'_> {
    /// Adds a part; false when the line is full.
    fn put(&mut self, part: &str, role: Role) -> bool {
        if self.left == 0 || self.spans.len() >= MAX_SPANS {
            return false;
        }
        let shown = text::excerpt(part, self.left).into_owned();
        self.left -= text::width(&shown);
        let whole = shown.len() >= part.len() || !shown.ends_with(text::ELLIPSIS);
        self.spans.push(Span::styled(shown, self.theme.style(role)));
        if !whole {
            self.left = 0;
        }
        whole
    }

    fn value(&mut self, value: &Value, depth: usize) -> bool {
        if depth > MAX_SPANS {
            return self.put(text::ELLIPSIS, Role::Dim);
        }
        match value {
            Value::Null => self.put("null", Role::Dim),
            Value::Bool(flag) => self.put(if *flag { "true" } else { "false" }, Role::Info),
            Value::Number(number) => self.put(&number.to_string(), Role::Accent),
            Value::String(word) => {
                let role = crate::ui::theme::seat_number(word).map_or(Role::Good, Role::Seat);
                self.put("\"", Role::Dim) && self.put(word, role) && self.put("\"", Role::Dim)
            }
            Value::Array(items) => {
                self.put("[", Role::Dim)
                    && items.iter().enumerate().all(|(nth, item)| {
                        (nth == 0 || self.put(",", Role::Dim)) && self.value(item, depth + 1)
                    })
                    && self.put("]", Role::Dim)
            }
            Value::Object(members) => {
                self.put("{", Role::Dim)
                    && members.iter().enumerate().all(|(nth, (key, item))| {
                        (nth == 0 || self.put(",", Role::Dim))
                            && self.put(key, Role::Text)
                            && self.put(":", Role::Dim)
                            && self.value(item, depth + 1)
                    })
                    && self.put("}", Role::Dim)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ui::theme::ColorDepth;

    #[test]
    fn an_action_reads_as_json_with_quiet_punctuation() {
        let theme = Theme::new(ColorDepth::Ansi16, false);
        let line = json_line(&json!({"action": "buy", "qty": 10, "to": ["p1", null]}), 80, &theme);
        assert_eq!(line.to_string(), r#"{action:"buy",qty:10,to:["p1",null]}"#);
        let seat = line.spans.iter().find(|span| span.content == "p1").unwrap();
        assert_eq!(seat.style, theme.seat(1));
    }

    #[test]
    fn a_long_value_is_cut_with_an_ellipsis() {
        let theme = Theme::new(ColorDepth::None, false);
        let line = json_line(&json!({"text": "a\u{1b}bcdefghijklm"}), 12, &theme);
        assert_eq!(line.to_string(), r#"{text:"a␛bc…"#);
        assert!(json_line(&json!(vec![1; 100_000]), 5000, &theme).spans.len() <= MAX_SPANS);
    }
}
