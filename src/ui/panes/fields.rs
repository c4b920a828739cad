//! The list of an observation's fields, to choose how each is drawn; and the lines that ask what to search for and
//! which tick to compare with.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::App;
use crate::app::editor::Editor;
use crate::app::fields::{FieldsForm, Form, value_at};
use crate::text;
use crate::ui::overlays::{clear, window};
use crate::ui::render;
use crate::ui::theme::{Role, Theme};

use super::play::editor_line;

/// Draws the list.
pub fn list(app: &App, form: &FieldsForm, theme: &Theme, frame: &mut Frame<'_>, body: Rect) {
    let height = (form.paths.len() as u16 + 4).min(body.height);
    let title = format!("Fields of {}", text::excerpt(&form.game, 30));
    let inner = window(&title, 76, height, theme, frame, body);
    if inner.height < 2 {
        return;
    }
    let view = app.fields.views.of(&form.game);
    let path_columns = usize::from(inner.width).saturating_sub(2 + 12 + 12 + 4).max(8);
    let dim = theme.style(Role::Dim);
    let head = format!("  {}  {}  {}", text::pad("path", path_columns), text::pad("shape", 12), "drawn as");
    frame.render_widget(Line::styled(head, dim), Rect { height: 1, ..inner });
    let tall = usize::from(inner.height - 1);
    let from = (form.at + 1).saturating_sub(tall);
    for (nth, path) in form.paths.iter().enumerate().skip(from).take(tall) {
        let choice = view.choice(path);
        let value = app.shown_data().and_then(|data| value_at(data, path));
        let shape = value.map_or("absent", render::shape_name);
        let form_words = match choice.form {
            shown if nth == form.at => format!("‹ {} ›", shown.name()),
            shown => format!("  {}", shown.name()),
        };
        let chosen = nth == form.at;
        let mark = if choice.pinned { "◆ " } else { "  " };
        let role = if choice.form == Form::Auto { Role::Dim } else { Role::Strong };
        let spot = Rect { y: inner.y + 1 + (nth - from) as u16, height: 1, ..inner };
        let line = Line::from(vec![
            Span::styled(mark, theme.style(Role::Key)),
            Span::raw(format!("{}  ", text::pad(&text::excerpt(path, path_columns), path_columns))),
            Span::styled(format!("{}  ", text::pad(shape, 12)), dim),
            Span::styled(form_words, theme.style(role)),
        ]);
        frame.render_widget(line, spot);
        if chosen {
            frame.buffer_mut().set_style(spot, theme.style(Role::Selected));
        }
    }
}

/// Draws a line that asks for something, along the bottom.
pub fn ask(app: &App, title: &str, editor: &Editor, theme: &Theme, frame: &mut Frame<'_>, body: Rect) {
    let spot = Rect { y: body.bottom().saturating_sub(1), height: 1.min(body.height), ..body };
    clear(frame, spot);
    let found = app.fields.find.as_ref().filter(|_| title == SEARCH).map(|find| match find.hits.len() {
        0 => "  nothing".to_owned(),
        all => format!("  {all} found"),
    });
    let found = found.unwrap_or_default();
    let room = usize::from(spot.width).saturating_sub(text::width(title) + text::width(&found) + 4);
    let words = editor.text();
    let mut line = vec![Span::styled(format!(" {title} "), theme.style(Role::Key))];
    line.extend(editor_line(&words, Some(editor.cursor().1), room, theme));
    line.push(Span::styled(found, theme.style(Role::Dim)));
    frame.render_widget(Line::from(line), spot);
}

/// What stands before a search.
pub const SEARCH: &str = "find";
/// What stands before a tick to compare with.
pub const COMPARE: &str = "compare with tick (empty: the one before)";
