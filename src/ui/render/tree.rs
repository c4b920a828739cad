//! JSON as a foldable tree: rows for whatever part of it is in sight.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::text::{Line, Span};
use serde_json::Value;

use super::scene::{Folds, Tree};
use super::values::{Change, inline, is_scalar, safe};
use crate::text;
use crate::ui::theme::{Role, Theme};

/// Rows of a tree at most; folds bring any value below that.
const MAX_ROWS: usize = 20_000;
/// Members shown of a node that is open by depth; one opened by hand shows [`MAX_ROWS`].
const SHOWN: usize = 64;
/// Deeper nodes cannot be opened.
const MAX_DEPTH: usize = 250;

/// One visible row.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeRow<'a> {
    /// Where it is, as a JSON pointer; empty for a note like `… 900 more`.
    pub path: String,
    /// How deep.
    pub depth: usize,
    /// Its name, or its place in a list.
    pub key: Cow<'a, str>,
    /// What it holds; `None` for a note.
    pub value: Option<&'a Value>,
    /// Whether its members are shown; `None` where there are none.
    pub open: Option<bool>,
    /// What to mark.
    change: Change,
}

/// How many rows the tree has now.
pub fn tree_len(tree: &Tree<'_>) -> usize {
    let mut walk = Walk { folds: &tree.folds, compare: false, seen: 0, range: 0..0, rows: Vec::new() };
    walk.roots(tree);
    walk.seen
}

/// The rows in `range`.
pub fn tree_rows<'a>(tree: &Tree<'a>, range: Range<usize>) -> Vec<TreeRow<'a>> {
    let mut walk = Walk { folds: &tree.folds, compare: tree.compare, seen: 0, range, rows: Vec::new() };
    walk.roots(tree);
    walk.rows
}

/// A row as text.
pub fn tree_line(row: &TreeRow<'_>, columns: usize, theme: &Theme) -> Line<'static> {
    let indent = (row.depth * 2).min(columns / 2);
    let quiet = theme.style(Role::Dim);
    let mark = match row.open {
        Some(true) => "▾ ",
        Some(false) => "▸ ",
        None => "  ",
    };
    let changed = row.change != Change::Same;
    let key = text::fit(&row.key, columns.saturating_sub(indent + 4)).into_owned();
    let left = columns.saturating_sub(indent + 4 + text::width(&key));
    let mut line = Line::from(vec![
        Span::styled(row.change.glyph().to_owned(), theme.style(Role::Changed)),
        Span::raw(" ".repeat(indent)),
        Span::styled(mark, quiet),
        Span::styled(key, quiet),
    ]);
    let Some(value) = row.value else { return line };
    if row.open == Some(true) {
        return line;
    }
    let part = inline(value, left);
    let role = if changed { Role::Changed } else { part.role };
    line.push_span(Span::raw(" "));
    line.push_span(Span::styled(part.text.into_owned(), theme.style(role)));
    line
}

struct Walk<'t, 'a> {
    folds: &'t Folds,
    compare: bool,
    seen: usize,
    range: Range<usize>,
    rows: Vec<TreeRow<'a>>,
}

impl<'a> Walk<'_, 'a> {
    fn roots(&mut self, tree: &Tree<'a>) {
        for (key, value, before) in &tree.roots {
            let mut path = format!("/{key}");
            self.node(&mut path, key.clone(), value, *before, 0);
        }
    }

    fn full(&self) -> bool {
        self.seen >= MAX_ROWS || (self.range.end > 0 && self.seen >= self.range.end)
    }

    fn row(&mut self, make: impl FnOnce() -> TreeRow<'a>) {
        if self.range.contains(&self.seen) {
            self.rows.push(make());
        }
        self.seen += 1;
    }

    fn node(
        &mut self,
        path: &mut String,
        key: Cow<'a, str>,
        value: &'a Value,
        before: Option<&'a Value>,
        depth: usize,
    ) {
        if self.full() {
            return;
        }
        let size = match value {
            Value::Array(items) => items.len(),
            Value::Object(members) => members.len(),
            _ => 0,
        };
        // A short list of scalars reads better on one line than open.
        let flat = value.as_array().is_some_and(|items| items.len() <= 32 && items.iter().all(is_scalar));
        let by_depth = if flat { usize::MAX } else { depth };
        let open = (size > 0).then(|| depth < MAX_DEPTH && self.folds.is_open(path, by_depth));
        let compare = self.compare;
        self.row(|| {
            // An open node's members carry their own marks.
            let change = if compare && open != Some(true) { Change::of(value, before) } else { Change::Same };
            TreeRow { path: path.clone(), depth, key, value: Some(value), open, change }
        });
        if open != Some(true) {
            return;
        }
        let shown = if self.folds.open.contains(path.as_str()) { MAX_ROWS } else { SHOWN };
        match value {
            Value::Array(items) => {
                for (nth, item) in items.iter().take(shown).enumerate() {
                    let before = before.and_then(|before| before.get(nth));
                    self.member(path, &nth.to_string(), Cow::Owned(nth.to_string()), item, before, depth);
                }
            }
            Value::Object(members) => {
                for (key, item) in members.iter().take(shown) {
                    let before = before.and_then(|before| before.get(key));
                    self.member(path, key, text::excerpt(key, 64), item, before, depth);
                }
            }
            _ => {}
        }
        if size > shown && !self.full() {
            self.row(|| TreeRow {
                path: String::new(),
                depth: depth + 1,
                key: Cow::Owned(format!("… {} more", size - shown)),
                value: None,
                open: None,
                change: Change::Same,
            });
        }
    }

    fn member(
        &mut self,
        path: &mut String,
        step: &str,
        key: Cow<'a, str>,
        value: &'a Value,
        before: Option<&'a Value>,
        depth: usize,
    ) {
        if self.full() {
            return;
        }
        let length = path.len();
        path.push('/');
        path.push_str(step);
        self.node(path, key, value, before, depth + 1);
        path.truncate(length);
    }
}

/// A tree of one value's members.
pub fn tree_of<'a>(value: &'a Value, before: Option<&'a Value>, folds: &'a Folds) -> Tree<'a> {
    let roots = match value {
        Value::Object(members) => members
            .iter()
            .map(|(key, member)| (safe(key), member, before.and_then(|before| before.get(key))))
            .collect(),
        Value::Array(items) if items.len() <= SHOWN => items
            .iter()
            .enumerate()
            .map(|(nth, item)| (Cow::Owned(nth.to_string()), item, before.and_then(|before| before.get(nth))))
            .collect(),
        other => vec![(Cow::Borrowed("observation"), other, before)],
    };
    Tree { roots, folds: Cow::Borrowed(folds), compare: before.is_some() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ui::theme::ColorDepth;

    fn text_of(tree: &Tree<'_>) -> String {
        let theme = Theme::new(ColorDepth::None, false);
        let rows = tree_rows(tree, 0..100);
        let lines: Vec<_> = rows.iter().map(|row| tree_line(row, 40, &theme).to_string()).collect();
        lines.join("\n")
    }

    #[test]
    fn nodes_open_by_depth_and_by_hand_and_changes_are_marked() {
        let before = json!({"ship": {"at": [1, 2], "hull": {"left": 5, "right": 5}}, "log": []});
        let now = json!({"ship": {"at": [1, 3], "hull": {"left": 4, "right": 5}}, "log": []});
        let mut folds = Folds { depth: 1, ..Folds::default() };
        insta::assert_snapshot!(text_of(&tree_of(&now, Some(&before), &folds)), @r"
         ▾ ship
        •  ▸ at 1 3
        •  ▸ hull left 4, right 5
           log none
        ");
        folds.toggle("/ship/hull", false);
        insta::assert_snapshot!(text_of(&tree_of(&now, Some(&before), &folds)), @r"
         ▾ ship
        •  ▸ at 1 3
           ▾ hull
        ▼      left 4
               right 5
           log none
        ");
    }

    #[test]
    fn huge_values_have_few_rows_and_a_note() {
        let wide = json!({"list": vec![json!({"a": 1}); 100_000]});
        let folds = Folds { depth: 1, ..Folds::default() };
        let tree = tree_of(&wide, None, &folds);
        assert_eq!(tree_len(&tree), SHOWN + 2);
        assert_eq!(tree_rows(&tree, 65..66)[0].key, "… 99936 more");
    }
}
