//! What lies over the pane: a command line, the choice of a provider, the exact prompt.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::app::answers::explain;
use crate::app::overlay::{CommandPrompt, ProviderPicker};
use crate::app::screen::Drawn;
use crate::app::seats::{PromptView, providers};
use crate::app::{App, TICK_PRICE};
use crate::text;
use crate::ui::overlays::window;
use crate::ui::panes::scrolled;
use crate::ui::theme::{Role, Theme};

use super::editor_line;

/// Draws the line in which a command is typed.
pub fn command(prompt: &CommandPrompt, theme: &Theme, frame: &mut Frame<'_>, body: Rect) {
    let title = if prompt.shadow { "Shadow" } else { "Policy" };
    let inner = window(title, 76, 13, theme, frame, body);
    let columns = usize::from(inner.width);
    let dim = theme.style(Role::Dim);
    let mut line = vec![Span::styled("$ ", theme.style(Role::Key))];
    let words = prompt.input.text();
    line.extend(editor_line(&words, Some(prompt.input.cursor().1), columns.saturating_sub(3), theme));
    let about = if prompt.shadow {
        "A command that says what it would play and plays nothing. Empty ends it."
    } else {
        "A command that plays this seat: JSON lines in, JSON lines out."
    };
    let mut lines = vec![Line::from(about), Line::default(), Line::from(line), Line::default()];
    if let Some(problem) = &prompt.problem {
        let rows = text::wrap(&text::clean(problem), columns).into_iter().take(5);
        lines.extend(rows.map(|row| Line::styled(row, theme.style(Role::Bad))));
    } else {
        let mut about = vec![
            "No shell: quotes group words, nothing is expanded. It gets no API key.",
            "Or a model: --openai URL --model NAME.",
        ];
        if !prompt.shadow {
            about.push("When it fails: --on-crash, --on-end, --on-timeout, --on-late, --on-garbage, --on-refused with stop, restart, hand, safe, ask or wait.");
            about.push("h takes the seat back at any tick.");
        }
        let rows = about.into_iter().flat_map(|words| text::wrap(words, columns));
        lines.extend(rows.map(|row| Line::styled(row, dim)));
        lines.push(Line::styled("assets/policies/README.md says how to write one.", dim));
    }
    frame.render_widget(Paragraph::new(lines), inner);
}

/// Draws the choice of a provider and its model.
pub fn provider(app: &App, picker: &ProviderPicker, theme: &Theme, frame: &mut Frame<'_>, body: Rect) {
    let inner = window("Provider", 76, 16, theme, frame, body);
    let columns = usize::from(inner.width);
    let dim = theme.style(Role::Dim);
    let price = format!(
        "It may cost credits: what a turn of a provider costs is not known before, and there is no dry run. \
         The session itself costs {TICK_PRICE} cr a tick."
    );
    let price: Vec<Line<'_>> = text::wrap(&price, columns)
        .into_iter()
        .map(|row| Line::styled(row, theme.style(Role::Money)))
        .collect();
    let tall = (price.len() as u16).min(inner.height.saturating_sub(4));
    let [head, list, model, _, foot] = Layout::vertical([
        Constraint::Length(2),
        Constraint::Min(1),
        Constraint::Length(1),
        Constraint::Length(u16::from(inner.height > 8)),
        Constraint::Length(tall),
    ])
    .areas(inner);
    let about = "A model that the platform asks for each turn of this seat, until you take it back.";
    let about = text::wrap(about, columns).into_iter().take(2).map(Line::from);
    frame.render_widget(Paragraph::new(about.collect::<Vec<_>>()), head);
    frame.render_widget(Paragraph::new(provider_rows(app, picker, theme, list)), list);
    let mut line = vec![Span::styled("model  ", dim)];
    let typed = picker.model.text();
    line.extend(editor_line(&typed, Some(picker.model.cursor().1), columns.saturating_sub(8), theme));
    if typed.is_empty() {
        line.push(Span::styled(" as chosen above; type another", dim));
    }
    frame.render_widget(Line::from(line), model);
    frame.render_widget(Paragraph::new(price), foot);
}

fn provider_rows(app: &App, picker: &ProviderPicker, theme: &Theme, area: Rect) -> Vec<Line<'static>> {
    let columns = usize::from(area.width);
    let say = |role, words: &str| {
        let rows = text::wrap(words, columns).into_iter();
        rows.map(|row| Line::styled(row, theme.style(role))).collect::<Vec<_>>()
    };
    let providers = &app.play.providers;
    let Some(known) = providers.value() else {
        return match providers.failure() {
            Some(why) => say(Role::Bad, &format!("The providers could not be listed: {}", explain(why))),
            None => say(Role::Dim, "loading the providers …"),
        };
    };
    let seat = app.play.seats.iter().find(|seat| seat.live.feed == picker.feed);
    let rows = providers::rows(&known.items, seat.and_then(|seat| seat.live.view.game.as_deref()));
    if rows.is_empty() {
        return say(
            Role::Dim,
            "This account has no providers. They are registered on the platform's website.",
        );
    }
    let from = (picker.at + 1).saturating_sub(usize::from(area.height));
    let row = |(nth, (id, name, model)): (usize, &(_, String, Option<String>))| {
        let chosen = nth == picker.at;
        let id: &crate::api::model::ProviderId = id;
        let model = model.as_deref().unwrap_or("its own choice");
        let words = format!(
            "{}{}  {}  {}",
            if chosen { "▸ " } else { "  " },
            text::pad(&text::excerpt(name, 20), 20),
            text::pad(&text::excerpt(model, 28), 28),
            text::excerpt(id.as_str(), 16)
        );
        let role = if chosen { Role::Selected } else { Role::Text };
        Line::styled(text::fit(&words, columns).into_owned(), theme.style(role))
    };
    rows.iter().enumerate().skip(from).take(usize::from(area.height)).map(row).collect()
}

/// Draws a message of the prompt, with what it takes.
pub fn prompt(view: &PromptView, theme: &Theme, frame: &mut Frame<'_>, body: Rect, drawn: &mut Drawn) {
    let inner = window(&format!("Prompt at tick {}", view.tick), 110, body.height, theme, frame, body);
    let [head, text] = Layout::vertical([Constraint::Length(2), Constraint::Min(0)]).areas(inner);
    let mut spans = Vec::new();
    for (label, part, on) in
        [("system", &view.system, !view.shows_user), ("user", &view.user, view.shows_user)]
    {
        let style = theme.style(if on { Role::Selected } else { Role::Dim });
        spans.push(Span::styled(format!(" {label} "), style));
        let size = part.as_ref().map_or_else(
            |_| "  none   ".to_owned(),
            |text| format!(" {} bytes, about {} tokens   ", text.len(), PromptView::tokens(text)),
        );
        spans.push(Span::styled(size, theme.style(Role::Dim)));
    }
    frame.render_widget(Line::from(spans), head);
    let columns = usize::from(text.width);
    let lines = match view.part() {
        Ok(part) => text::clean_lines(part)
            .split('\n')
            .flat_map(|line| if line.is_empty() { vec![String::new()] } else { text::wrap(line, columns) })
            .map(Line::from)
            .collect(),
        Err(why) => vec![Line::styled(text::clean(why).into_owned(), theme.style(Role::Warn))],
    };
    scrolled(lines, view.scroll, frame, text, drawn);
}
