//! The form of a branch: where it begins and what it may cost.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::app::App;
use crate::app::branching::{BranchForm, Chosen};
use crate::app::screen::Drawn;
use crate::text;

use super::overlays::{buttons, window};
use super::theme::{Role, Theme};

/// Draws the form.
pub(super) fn form(
    app: &App,
    form: &BranchForm,
    theme: &Theme,
    frame: &mut Frame<'_>,
    body: Rect,
    drawn: &mut Drawn,
) {
    const WIDTH: u16 = 66;
    let dim = theme.style(Role::Dim);
    let mut lines = vec![tick_line(form, theme), Line::default()];
    lines.push(match form.price() {
        Some(price) => Line::from(vec![
            Span::raw("  costs at most "),
            Span::styled(format!("{} cr", text::decimal(price, 4)), theme.style(Role::Money).bold()),
            Span::styled(
                format!(
                    "  ({} ticks are left, {} each)",
                    form.ticks_left().unwrap_or(0),
                    crate::app::TICK_PRICE
                ),
                dim,
            ),
        ]),
        None => Line::styled("  its price is not known: the session has no horizon", theme.style(Role::Warn)),
    });
    if let Some(balance) = app.credits.balance.value() {
        lines.push(Line::styled(format!("  of a balance of {} cr", text::credits(balance.credits)), dim));
    }
    lines.push(Line::styled("  the session itself goes on as it is", dim));
    lines.push(Line::default());
    let problem = text::wrap(form.problem.as_deref().unwrap_or_default(), usize::from(WIDTH) - 8);
    let problem = problem.into_iter().take(4).filter(|row| !row.is_empty());
    let problem: Vec<Line<'_>> =
        problem.map(|row| Line::styled(format!("  {row}"), theme.style(Role::Bad))).collect();
    let height = (lines.len() + problem.len()) as u16 + 4;
    let title =
        format!("Branch {} · {}", text::excerpt(&form.game, 24), text::excerpt(form.session.as_str(), 16));
    let inner = window(&title, WIDTH, height, theme, frame, body);
    // The buttons stay in sight where there is no room for all.
    let at = (lines.len() as u16).min(inner.height.saturating_sub(1));
    lines.truncate(usize::from(at));
    frame.render_widget(Paragraph::new(lines), inner);
    let row = Rect { x: inner.x + 2, y: inner.y + at, width: inner.width.saturating_sub(2), height: 1 };
    let row = row.intersection(inner);
    let chosen = (form.chosen != Chosen::Tick).then_some(form.chosen == Chosen::Branch);
    if form.sent.is_some() {
        frame.render_widget(Line::styled("branching …", theme.style(Role::Info)), row);
    } else {
        buttons("Cancel", "Branch", chosen, theme, frame, row, drawn);
    }
    let below = Rect { y: row.y + 1, height: problem.len() as u16, ..inner }.intersection(inner);
    frame.render_widget(Paragraph::new(problem), below);
}

fn tick_line(form: &BranchForm, theme: &Theme) -> Line<'static> {
    let (dim, chosen) = (theme.style(Role::Dim), form.chosen == Chosen::Tick);
    let value = form.tick.map_or_else(|| "now".to_owned(), |tick| tick.to_string());
    let value = if chosen { format!("‹ {value} ›") } else { format!("  {value}  ") };
    let about = if form.live {
        format!("now, or 0 to {}: ← → or a number", form.last)
    } else {
        format!("0 to {}: ← → or a number", form.last)
    };
    Line::from(vec![
        Span::styled(if chosen { "▸ " } else { "  " }, theme.style(Role::Key)),
        Span::styled(text::pad("from tick", 11), dim),
        Span::styled(text::pad(&value, 12), theme.style(if chosen { Role::Selected } else { Role::Strong })),
        Span::styled(format!(" {about}"), dim),
    ])
}
