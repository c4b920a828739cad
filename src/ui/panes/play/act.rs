//! What may be played: the legal actions, or the editor of one.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::app::panes::play::{Choice, Draft, Driver, OwnSeat, Verdict};
use crate::app::screen::Drawn;
use crate::text;
use crate::ui::panes::{filter_line, rows};
use crate::ui::theme::{Role, Theme};
use crate::ui::widgets;

/// Draws the legal actions.
pub(super) fn choices(seat: &OwnSeat, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
    if seat.driver != Driver::Human {
        let hints = widgets::key_hints(
            &[("h", "take the seat back"), ("L", "policy log")],
            usize::from(area.width),
            theme,
        );
        frame.render_widget(hints, head);
        return;
    }
    if seat.choices.is_empty() {
        let words = if seat.live.view.seen.is_some() {
            "This game lists no actions; e writes one as JSON."
        } else {
            ""
        };
        frame.render_widget(Line::styled(words, theme.style(Role::Dim)), head);
        return;
    }
    if seat.list.typing() || !seat.list.filter().is_empty() {
        frame.render_widget(filter_line(&seat.list, seat.choices.len(), theme, area.width), head);
    } else {
        let steer = if seat.steers() {
            "  arrows play"
        } else if seat.lies_on_board() {
            "  arrows choose"
        } else {
            ""
        };
        frame.render_widget(
            Line::from(vec![
                Span::styled("act", theme.style(Role::Heading)),
                Span::styled(format!("  {} legal{steer}", seat.choices.len()), theme.style(Role::Dim)),
            ]),
            head,
        );
    }
    let heaviest = seat.choices.iter().map(|choice| choice.weight).fold(0.0, f64::max);
    let columns = usize::from(body.width);
    let digits = seat.choices.len().to_string().len();
    let numbered = seat.lies_on_board();
    rows(&seat.list, theme, frame, body, drawn, |nth| {
        if !numbered {
            return choice_row(&seat.choices[nth], heaviest, columns, theme);
        }
        // The number that stands in a cell of the board.
        let number = text::pad_left(&(nth + 1).to_string(), digits);
        let room = columns.saturating_sub(digits + 1);
        let mut line = choice_row(&seat.choices[nth], heaviest, room, theme);
        line.spans.insert(0, Span::styled(format!("{number} "), theme.style(Role::Dim)));
        line
    });
}

fn choice_row(choice: &Choice, heaviest: f64, columns: usize, theme: &Theme) -> Line<'static> {
    const BAR: usize = 4;
    // A label that needs the bar's place gets it: what an action says goes before how likely it is.
    let has_bar = text::width(&choice.label) + BAR + 4 <= columns;
    let room = columns.saturating_sub(if has_bar { BAR + 4 } else { 3 });
    let label = text::excerpt(&choice.label, room).into_owned();
    let left = room.saturating_sub(text::width(&label) + 2);
    let size = choice.amount.map(|amount| format!("←→ {}–{}", amount.least, amount.most));
    let json = if let Some(size) = size {
        text::excerpt(&size, left).into_owned()
    } else if left >= 8 {
        text::excerpt(&choice.payload, left).into_owned()
    } else {
        String::new()
    };
    let gap = room.saturating_sub(text::width(&label) + text::width(&json));
    let share = if heaviest > 0.0 { choice.weight / heaviest } else { 0.0 };
    let bar = if has_bar { format!(" {}", text::pad(&widgets::bar(share, BAR), BAR)) } else { String::new() };
    Line::from(vec![
        Span::raw(label),
        Span::raw(" ".repeat(gap)),
        Span::styled(json, theme.style(Role::Dim)),
        Span::styled(bar, theme.style(Role::Dim)),
    ])
}

/// Draws the editor with its verdict and what Tab offers.
pub(super) fn editor(seat: &OwnSeat, draft: &Draft, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let below = if area.height >= 6 { 3 } else { area.height.saturating_sub(2).min(1) };
    let head = u16::from(area.height > 3);
    let [head, body, verdict] =
        Layout::vertical([Constraint::Length(head), Constraint::Min(1), Constraint::Length(below)])
            .areas(area);
    frame.render_widget(Line::styled("action as JSON", theme.style(Role::Heading)), head);
    let (row, column) = draft.editor.cursor();
    let columns = usize::from(body.width).saturating_sub(1).max(1);
    let found = draft.verdict(seat.schema.as_deref());
    let wrong = if let Verdict::Misfit { line, .. } = &found { *line } else { None };
    let top = (row + 1).saturating_sub(usize::from(body.height));
    for (y, (nth, line)) in (body.y..body.bottom()).zip(draft.editor.rows().iter().enumerate().skip(top)) {
        let at = if nth == row { Some(column) } else { None };
        let mut spans = editor_line(line, at, columns.saturating_sub(2), theme);
        let mark = if wrong == Some(nth) { "! " } else { "  " };
        spans.insert(0, Span::styled(mark, theme.style(Role::Warn)));
        frame.render_widget(Line::from(spans), Rect { y, height: 1, ..body });
    }
    let (role, words) = match found {
        Verdict::Action if seat.schema.is_some() => (Role::Good, "✓ fits the schema".to_owned()),
        Verdict::Action => (Role::Good, "✓ an action".to_owned()),
        Verdict::Unread(why) => (Role::Warn, format!("… {why}")),
        Verdict::Misfit { why, .. } => (Role::Warn, format!("! schema: {why}")),
    };
    let mut lines: Vec<Line<'_>> = Vec::new();
    if below > 1 {
        lines.push(offers(draft, columns, theme));
    }
    let words = text::clean(&words);
    lines.extend(
        text::wrap(&words, columns).into_iter().take(2).map(|row| Line::styled(row, theme.style(role))),
    );
    frame.render_widget(Paragraph::new(lines), verdict);
}

/// What Tab puts at the cursor, the one that is there marked.
fn offers(draft: &Draft, columns: usize, theme: &Theme) -> Line<'static> {
    let dim = theme.style(Role::Dim);
    let Some((options, chosen)) = draft.offers() else {
        return widgets::key_hints(&[("tab", "completes"), ("^p", "played before")], columns, theme);
    };
    let mut spans = Vec::new();
    let mut left = columns;
    // The chosen one comes first: it must be in sight.
    for nth in (chosen..options.len()).chain(0..chosen) {
        let word = text::excerpt(options[nth].trim(), 24).into_owned();
        let word = if nth == chosen { format!("[{word}] ") } else { format!("{word}  ") };
        if text::width(&word) > left {
            break;
        }
        left -= text::width(&word);
        spans.push(Span::styled(word, if nth == chosen { theme.style(Role::Strong) } else { dim }));
    }
    Line::from(spans)
}

/// A line of an editor, scrolled sideways so that the cursor is in sight.
pub fn editor_line(line: &str, cursor: Option<usize>, columns: usize, theme: &Theme) -> Vec<Span<'static>> {
    let Some(at) = cursor else {
        return vec![Span::raw(text::excerpt(line, columns).into_owned())];
    };
    let split = line.char_indices().nth(at).map_or(line.len(), |(start, _)| start);
    let (before, after) = line.split_at(split);
    // As much as fits before the cursor, taken from its end: the line may be very long.
    let mut left = columns.saturating_sub(1);
    let shown = before.char_indices().rev().take_while(|(_, c)| {
        let wide = text::width(c.encode_utf8(&mut [0; 4]));
        let fits = wide <= left;
        left = left.saturating_sub(wide);
        fits
    });
    let from = shown.last().map_or(before.len(), |(start, _)| start);
    let before = text::fit(&text::clean(&before[from..]), columns.saturating_sub(1)).into_owned();
    let mut after = after.chars();
    let under =
        after.next().map_or_else(|| " ".to_owned(), |c| text::clean(c.encode_utf8(&mut [0; 4])).into_owned());
    let room = columns.saturating_sub(text::width(&before) + text::width(&under));
    let rest = text::excerpt(after.as_str(), room).into_owned();
    vec![Span::raw(before), Span::styled(under, theme.style(Role::Selected)), Span::raw(rest)]
}
