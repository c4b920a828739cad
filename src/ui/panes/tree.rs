//! The observation itself, as a tree that can be folded and searched.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use serde_json::Value;

use crate::app::fields::{Fields, Pick};
use crate::app::screen::{Drawn, TreeRows};
use crate::text;
use crate::ui::render::{TreeRow, tree_len, tree_line, tree_of, tree_rows};
use crate::ui::theme::{Role, Theme};

/// Draws the tree with the chosen row in sight, and tells which rows lie around it.
pub fn draw(
    fields: &Fields,
    (data, before): (&Value, Option<&Value>),
    theme: &Theme,
    frame: &mut Frame<'_>,
    area: Rect,
    drawn: &mut Drawn,
) {
    let tree = tree_of(data, before, &fields.folds);
    let [head, body] = split(area);
    let rows = tree_rows(&tree, 0..tree_len(&tree));
    let tall = usize::from(body.height);
    let chosen = match &fields.pick {
        Pick::First => 0,
        Pick::Last => rows.iter().rposition(|row| !row.path.is_empty()).unwrap_or(0),
        Pick::At(path) => nearest(&rows, path),
    };
    frame.render_widget(heading(fields, &rows, chosen, usize::from(head.width), theme), head);
    let top = chosen.saturating_sub(tall / 2).min(rows.len().saturating_sub(tall));
    for (nth, row) in rows.iter().enumerate().skip(top).take(tall) {
        let spot = Rect { y: body.y + (nth - top) as u16, height: 1, ..body };
        let line = tree_line(row, usize::from(body.width), theme);
        let text = Rect { width: (line.width() as u16).min(spot.width), ..spot };
        frame.render_widget(line, spot);
        if is_hit(fields, &row.path) {
            let style = theme.style(Role::Accent).add_modifier(Modifier::UNDERLINED);
            frame.buffer_mut().set_style(text, style);
        }
        if nth == chosen {
            frame.buffer_mut().set_style(spot, theme.style(Role::Selected));
        }
    }
    drawn.text_rows = tall;
    drawn.text_lines = rows.len();
    drawn.tree = around(&rows, chosen, tall.max(8));
}

fn split(area: Rect) -> [Rect; 2] {
    let head = u16::from(area.height > 3);
    [Rect { height: head, ..area }, Rect { y: area.y + head, height: area.height - head, ..area }]
}

/// The row at a path, or else of the nearest thing that it was part of.
fn nearest(rows: &[TreeRow<'_>], path: &str) -> usize {
    let mut path = path;
    loop {
        if let Some(at) = rows.iter().position(|row| row.path == path) {
            return at;
        }
        match path.rsplit_once('/') {
            Some((parent, _)) if !parent.is_empty() => path = parent,
            _ => return 0,
        }
    }
}

fn is_hit(fields: &Fields, path: &str) -> bool {
    let found = fields.find.as_ref().map_or(&[][..], |find| &find.hits);
    !path.is_empty() && found.iter().any(|hit| hit == path)
}

/// The path of the chosen row, and what is searched for.
fn heading(
    fields: &Fields,
    rows: &[TreeRow<'_>],
    chosen: usize,
    columns: usize,
    theme: &Theme,
) -> Line<'static> {
    let path = rows.get(chosen).map_or("", |row| row.path.as_str());
    let found = fields.find.as_ref().map(|find| match find.hits.len() {
        0 => format!("  / {}: nothing", text::excerpt(&find.text, 20)),
        all => format!("  / {}: {} of {all}", text::excerpt(&find.text, 20), find.at + 1),
    });
    let found = found.unwrap_or_default();
    let room = columns.saturating_sub(text::width(&found) + 1);
    Line::from(vec![
        Span::styled(format!(" {}", text::excerpt(path, room)), theme.style(Role::Heading)),
        Span::styled(found, theme.style(Role::Info)),
    ])
}

/// Rows that keys may lead to: notes are none.
fn around(rows: &[TreeRow<'_>], chosen: usize, tall: usize) -> TreeRows {
    let from = chosen.saturating_sub(2 * tall);
    let mut known = TreeRows::default();
    for (nth, row) in rows.iter().enumerate().skip(from).take(4 * tall) {
        if row.path.is_empty() {
            continue;
        }
        if nth <= chosen {
            known.chosen = known.rows.len();
        }
        known.rows.push((row.path.clone(), row.open));
    }
    known
}
