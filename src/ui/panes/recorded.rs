//! The recordings on this disk: what was watched or played and can be opened again.

use std::borrow::Cow;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Span;

use crate::app::App;
use crate::app::screen::Drawn;
use crate::text;
use crate::ui::theme::{Role, Theme};
use crate::ui::widgets::{self, Align};

use super::{ago, filter_line, placeholder, rows};

/// Draws the list.
pub fn draw(app: &App, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let pane = &app.sessions;
    if pane.tapes().is_empty() {
        let lines = match (pane.recordings.failure(), pane.recordings.value()) {
            (Some(why), _) => vec![(Role::Bad, format!("✗ {why}: {}", why.why()))],
            (None, Some(_)) => vec![
                (Role::Text, "Nothing was recorded yet.".to_owned()),
                (Role::Dim, "What is watched or played is recorded by itself; a lists sessions.".to_owned()),
            ],
            (None, None) => vec![(Role::Dim, "looking for recordings …".to_owned())],
        };
        return placeholder(&lines, theme, frame, area);
    }
    let [filter, _, head, body] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(0),
    ])
    .areas(area);
    frame.render_widget(filter_line(&pane.recorded, pane.tapes().len(), theme, area.width), filter);
    let host = if area.width >= 110 { 40 } else { 0 };
    let widths = [10, 18, 14, 6, 9, host];
    let aligns = [Align::Left, Align::Left, Align::Left, Align::Right, Align::Right, Align::Left];
    let dim = theme.style(Role::Dim);
    let titles =
        ["recorded", "game", "session", "age", "size", "server"].map(|title| (Cow::Borrowed(title), dim));
    let mut header = widgets::table_line(&titles, &aligns, &widths);
    header.spans.insert(0, Span::raw("  "));
    frame.render_widget(header, head);
    rows(&pane.recorded, theme, frame, body, drawn, |item| {
        let tape = &pane.tapes()[item];
        let kind = if tape.header.kind == "player" { "▶ played" } else { "▪ watched" };
        let cell = |words: String| (Cow::Owned(words), theme.style(Role::Text));
        let cells = [
            (Cow::Borrowed(kind), theme.style(Role::Info)),
            cell(text::excerpt(tape.totals.game.as_deref().unwrap_or("?"), 18).into_owned()),
            cell(text::excerpt(&tape.header.session_id, 14).into_owned()),
            cell(ago(app.now.wall, tape.header.started_at)),
            cell(size(tape.bytes)),
            (Cow::Owned(text::excerpt(&tape.header.host, host).into_owned()), dim),
        ];
        widgets::table_line(&cells, &aligns, &widths)
    });
    if pane.recorded.shown().is_empty() {
        placeholder(&[(Role::Dim, "No recording matches; Esc shows all.".into())], theme, frame, body);
    }
}

/// Bytes in words.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", text::decimal(bytes as f64 / 1e6, 1)),
    }
}
