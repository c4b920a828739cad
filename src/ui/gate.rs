//! The first screen, when there is no key or it is refused.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::app::App;
use crate::app::gate::{Gate, Why};
use crate::text;

use super::screen::centred;
use super::theme::{Role, Theme};

/// Draws the gate.
pub fn draw(app: &App, gate: &Gate, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let spot = centred(area, 76, 22.min(area.height));
    let columns = usize::from(spot.width);
    let dim = theme.style(Role::Dim);
    // On a low screen the choices and what is typed go before explanations.
    let roomy = area.height >= 18;
    let mut lines = vec![Line::styled("gert", theme.style(Role::Title))];
    if roomy {
        lines.push(Line::styled("a cockpit for the Gert Labs evaluation platform", dim));
        lines.push(Line::default());
    }
    match &gate.why {
        Why::NoKey => lines.push(Line::from("There is no API key yet. Where do you want to go?")),
        Why::Refused(words) => {
            lines.push(Line::styled("✗ The platform refused the key.", theme.style(Role::Bad)));
            lines.extend(
                text::wrap(&text::clean(words), columns)
                    .into_iter()
                    .take(3)
                    .map(|row| Line::styled(row, dim)),
            );
            lines.push(Line::styled(format!("host {}", text::excerpt(&app.boot.host, 60)), dim));
        }
    }
    if roomy {
        lines.push(Line::default());
    }
    for (nth, (name, about)) in Gate::ROWS.iter().enumerate() {
        let chosen = nth == gate.at;
        let style = if chosen { theme.style(Role::Selected) } else { theme.style(Role::Strong) };
        let mark = if chosen { "▸ " } else { "  " };
        lines.push(Line::from(vec![Span::raw(mark), Span::styled(format!(" {name} "), style)]));
        let about = if roomy { text::wrap(about, columns.saturating_sub(5)) } else { Vec::new() };
        lines.extend(about.into_iter().map(|row| Line::styled(format!("     {row}"), dim)));
    }
    if roomy {
        lines.push(Line::default());
    }
    if let Some(editor) = &gate.typing {
        let masked = "•".repeat(editor.text().chars().count().min(columns.saturating_sub(8)));
        lines.push(Line::from(vec![
            Span::raw(format!("key  {masked}")),
            Span::styled(" ", theme.style(Role::Selected)),
        ]));
        lines.push(Line::styled("⏎ check and use it   esc back", dim));
    }
    if gate.busy {
        lines.push(Line::styled("one moment …", theme.style(Role::Info)));
    }
    if let Some(problem) = &gate.problem {
        let rows = text::wrap(&text::clean(problem), columns);
        lines.extend(rows.into_iter().take(4).map(|row| Line::styled(row, theme.style(Role::Bad))));
    }
    if gate.typing.is_none() {
        lines.push(Line::styled("↑↓ choose   ⏎ go   q quit", dim));
    }
    frame.render_widget(Paragraph::new(lines), spot);
}
