//! What a policy writes and what is said of it, newest last.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::app::panes::play::OwnSeat;
use crate::text;
use crate::ui::panes::placeholder;
use crate::ui::theme::{Role, Theme};

/// Draws the log of the policy that drives or drove the seat, else of its shadow.
pub(super) fn draw(seat: &OwnSeat, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let shadow = seat.shadow.as_ref().map(|shadow| &shadow.policy);
    let Some(policy) = seat.policy.as_ref().or(shadow) else {
        let lines = [(Role::Dim, "No policy has driven this seat; c puts a command into it.".to_owned())];
        return placeholder(&lines, theme, frame, area);
    };
    let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
    let dropped =
        if policy.dropped > 0 { format!("   {} older lines dropped", policy.dropped) } else { String::new() };
    frame.render_widget(
        Line::from(vec![
            Span::styled(" policy log", theme.style(Role::Heading)),
            Span::styled(format!("{dropped}   L shows the game"), theme.style(Role::Dim)),
        ]),
        head,
    );
    let columns = usize::from(body.width).saturating_sub(2);
    let tall = usize::from(body.height);
    let newest = policy.lines.iter().rev().take(tall).rev();
    let rows: Vec<Line<'_>> =
        newest.flat_map(|line| text::wrap(line, columns)).map(|row| Line::raw(format!(" {row}"))).collect();
    let from = rows.len().saturating_sub(tall);
    frame.render_widget(Paragraph::new(rows.into_iter().skip(from).collect::<Vec<_>>()), body);
}
