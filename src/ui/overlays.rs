//! What lies over a pane: help, palette, rules, the form of a session, a command line, a question.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Paragraph};

use crate::app::key::Key;
use crate::app::keymap::{self, BINDINGS};
use crate::app::overlay::{Confirm, CreateForm, Field, LinePrompt, Overlay, Palette, Wanted};
use crate::app::panes::sessions::Facet;
use crate::app::screen::{Drawn, Hit};
use crate::app::{App, Pane};
use crate::text;

use super::branching;
use super::panes::fields;
use super::panes::play::{self, editor_line};
use super::panes::scrolled;
use super::screen::{cells, centred};
use super::theme::{Role, Theme};
use super::widgets;

/// Draws what lies on top.
pub fn draw(
    app: &App,
    overlay: &Overlay,
    theme: &Theme,
    frame: &mut Frame<'_>,
    body: Rect,
    drawn: &mut Drawn,
) {
    match overlay {
        Overlay::Help { scroll } => help(app, *scroll, theme, frame, body, drawn),
        Overlay::Palette(palette) => draw_palette(palette, theme, frame, body),
        Overlay::Create(form) => create(app, form, theme, frame, body, drawn),
        Overlay::Branch(form) => branching::form(app, form, theme, frame, body, drawn),
        Overlay::Provider(picker) => play::provider(app, picker, theme, frame, body),
        Overlay::Prompt(view) => play::prompt(view, theme, frame, body, drawn),
        Overlay::Command(prompt) => play::command(prompt, theme, frame, body),
        Overlay::Line(asked) => line_asked(asked, theme, frame, body),
        Overlay::Confirm(confirm) => question(confirm, theme, frame, body, drawn),
        Overlay::Rules { slug, scroll } => rules(app, slug, *scroll, theme, frame, body, drawn),
        Overlay::Fields(form) => fields::list(app, form, theme, frame, body),
        Overlay::Find(editor) => fields::ask(app, fields::SEARCH, editor, theme, frame, body),
        Overlay::Compare(editor) => fields::ask(app, fields::COMPARE, editor, theme, frame, body),
    }
}

/// Keys and what they do, in the order of the footer.
type Hints = (&'static [&'static str], &'static [&'static str]);

/// The footer while something lies on top or a text has the keys.
pub fn hints(app: &App) -> Option<Hints> {
    let Some(overlay) = &app.overlay else { return text_hints(app) };
    match overlay {
        Overlay::Help { .. } | Overlay::Rules { .. } => Some((&["↑↓", "esc"], &["scroll", "close"])),
        Overlay::Palette(_) => Some((&["↑↓", "⏎", "esc"], &["choose", "do it", "close"])),
        Overlay::Create(_) => {
            Some((&["↑↓", "←→", "⏎", "y", "esc"], &["row", "change", "press", "start", "cancel"]))
        }
        Overlay::Branch(_) => {
            Some((&["↑↓", "←→", "⏎", "y", "esc"], &["row", "change", "press", "branch", "cancel"]))
        }
        Overlay::Provider(_) => Some((&["↑↓", "⏎", "esc"], &["choose", "take it", "cancel"])),
        Overlay::Prompt(_) => {
            Some((&["↑↓", "tab", "y", "esc"], &["scroll", "other message", "copy", "close"]))
        }
        Overlay::Line(_) => Some((&["⏎", "esc"], &["do it", "cancel"])),
        Overlay::Command(_) => Some((&["⏎", "esc"], &["start it", "cancel"])),
        Overlay::Fields(_) => Some((
            &["↑↓", "←→", "p", "+-", "x", "R", "⏎"],
            &["field", "form", "pin", "move", "hide", "as before", "close"],
        )),
        Overlay::Find(_) => Some((&["⏎", "esc"], &["show it; n and N go on", "close"])),
        Overlay::Compare(_) => Some((&["⏎", "esc"], &["list what changed", "close"])),
        Overlay::Confirm(_) => Some((&["←→", "⏎", "y", "n"], &["choose", "press", "yes", "no"])),
    }
}

/// The footer while what is typed goes into a text of the pane.
fn text_hints(app: &App) -> Option<Hints> {
    const FILTER: &[&str] = &["choose", "keep", "clear"];
    let (list, labels): (_, &[&str]) = match app.pane {
        Pane::Games => (&app.games.list, FILTER),
        Pane::Sessions if app.sessions.is_listing() => match app.sessions.facet {
            Facet::Recorded => (&app.sessions.recorded, FILTER),
            _ => (&app.sessions.list, FILTER),
        },
        Pane::Play => {
            let seat = app.play.seat()?;
            if seat.draft.as_ref().is_some_and(|draft| draft.open) {
                return Some((
                    &["⏎", "alt-⏎", "tab", "^p", "esc"],
                    &["send", "new line", "complete", "history", "close, keep the text"],
                ));
            }
            (&seat.list, &["choose", "act", "clear"])
        }
        Pane::Sessions | Pane::Credits => return None,
    };
    list.typing().then_some((&["↑↓", "⏎", "esc"], labels))
}

/// A cleared frame in the middle; returns what is inside.
pub fn window(
    title: &str,
    width: u16,
    height: u16,
    theme: &Theme,
    frame: &mut Frame<'_>,
    body: Rect,
) -> Rect {
    let spot = centred(body, width, height);
    clear(frame, spot);
    let mut block =
        Block::bordered().border_type(BorderType::Rounded).border_style(theme.style(Role::Border));
    if !title.is_empty() {
        block = block.title(Line::styled(format!(" {title} "), theme.style(Role::Title)));
    }
    let inner = block.inner(spot);
    frame.render_widget(block, spot);
    Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner }
}

/// Clears an area, and the letters that reach into it from the left: half of a wide letter cannot be drawn.
pub fn clear(frame: &mut Frame<'_>, spot: Rect) {
    frame.render_widget(Clear, spot);
    for y in spot.top()..spot.bottom() {
        for back in 1..=spot.x.min(2) {
            let Some(cell) = frame.buffer_mut().cell_mut((spot.x - back, y)) else { continue };
            if text::width(cell.symbol()) > usize::from(back) {
                cell.set_symbol(" ");
            }
        }
    }
}

fn help(app: &App, scroll: usize, theme: &Theme, frame: &mut Frame<'_>, body: Rect, drawn: &mut Drawn) {
    let inner = window("Keys", 72, body.height, theme, frame, body);
    let here = app.contexts();
    let mut order = here.clone();
    for binding in BINDINGS {
        if !order.contains(&binding.context) {
            order.push(binding.context);
        }
    }
    let mut lines = Vec::new();
    for context in order {
        let place = if here.first() == Some(&context) { "  (here)" } else { "" };
        lines.push(Line::from(vec![
            Span::styled(context.title(), theme.style(Role::Heading)),
            Span::styled(place, theme.style(Role::Dim)),
        ]));
        let bindings: Vec<_> = if here.contains(&context) {
            keymap::active(&here).filter(|binding| binding.context == context).collect()
        } else {
            BINDINGS.iter().filter(|binding| binding.context == context).collect()
        };
        for binding in bindings {
            let symbols = binding
                .keys
                .iter()
                .map(|key| key.parse::<Key>().map_or((*key).into(), |key| key.symbol(theme.ascii)));
            let keys: Vec<String> = symbols.collect();
            lines.push(Line::from(vec![
                Span::styled(text::pad_left(&keys.join(" "), 18), theme.style(Role::Key)),
                Span::raw(format!("  {}", binding.help)),
            ]));
        }
        lines.push(Line::default());
    }
    scrolled(lines, scroll, frame, inner, drawn);
}

fn draw_palette(palette: &Palette, theme: &Theme, frame: &mut Frame<'_>, body: Rect) {
    let inner = window("Command", 72, 16, theme, frame, body);
    if inner.height == 0 {
        return;
    }
    let mut input = vec![Span::styled(": ", theme.style(Role::Key))];
    let words = palette.input.text();
    input.extend(editor_line(
        &words,
        Some(palette.input.cursor().1),
        usize::from(inner.width).saturating_sub(3),
        theme,
    ));
    frame.render_widget(Line::from(input), Rect { height: 1, ..inner });
    let tall = usize::from(inner.height.saturating_sub(2));
    let matches = palette.matches();
    let from = (palette.at + 1).saturating_sub(tall);
    for (nth, binding) in matches.iter().enumerate().skip(from).take(tall) {
        let chosen = nth == palette.at;
        let key =
            binding.keys.first().and_then(|key| key.parse::<Key>().ok()).map(|key| key.symbol(theme.ascii));
        let line = Line::from(vec![
            Span::raw(if chosen { "▸ " } else { "  " }),
            Span::raw(text::pad(binding.name, 15)),
            Span::styled(text::pad(&key.unwrap_or_default(), 10), theme.style(Role::Key)),
            Span::styled(
                text::fit(binding.help, usize::from(inner.width).saturating_sub(28)).into_owned(),
                theme.style(Role::Dim),
            ),
        ]);
        let spot = Rect { y: inner.y + 2 + (nth - from) as u16, height: 1, ..inner };
        frame.render_widget(line, spot);
        if chosen {
            frame.buffer_mut().set_style(spot, theme.style(Role::Selected));
        }
    }
    if matches.is_empty() {
        let spot = Rect { y: inner.y + 2, height: 1, ..inner }.intersection(inner);
        frame.render_widget(Line::styled("no command of that name", theme.style(Role::Dim)), spot);
    }
}

fn create(app: &App, form: &CreateForm, theme: &Theme, frame: &mut Frame<'_>, body: Rect, drawn: &mut Drawn) {
    const WIDTH: u16 = 66;
    let mut rows = form_rows(form, theme);
    let price = price_lines(app, form, theme);
    let wrapped =
        text::wrap(form.problem.as_deref().unwrap_or_default(), usize::from(WIDTH) - 8).into_iter().take(4);
    let problem: Vec<Line<'_>> = wrapped
        .filter(|row| !row.is_empty())
        .map(|row| Line::styled(format!("  {row}"), theme.style(Role::Bad)))
        .collect();
    // Borders, three lines of air and the buttons.
    let height = (rows.len() + price.len() + problem.len()) as u16 + 6;
    let title = format!("Play {}", text::excerpt(&form.name, 40));
    let inner = window(&title, WIDTH, height, theme, frame, body);
    // The price and the buttons are always in sight; the rows above them scroll to the chosen one, air goes first.
    let chosen = form.fields().iter().position(|field| *field == form.field).unwrap_or(0);
    let air = u16::from(inner.height + 2 >= height);
    let [top, _, middle, _, row, _, below] = Layout::vertical([
        Constraint::Max(rows.len() as u16),
        Constraint::Length(air),
        Constraint::Length(if air > 0 { price.len() as u16 } else { 1 }),
        Constraint::Length(air),
        Constraint::Length(1),
        Constraint::Length(air),
        Constraint::Length((problem.len() as u16).min(inner.height.saturating_sub(2))),
    ])
    .areas(inner);
    let from = (chosen + 1).min(rows.len()).saturating_sub(usize::from(top.height));
    frame.render_widget(Paragraph::new(rows.split_off(from)), top);
    frame.render_widget(Paragraph::new(price), middle);
    frame.render_widget(Paragraph::new(problem), below);
    let row = Rect { x: row.x + 2, width: row.width.saturating_sub(2), ..row };
    if form.sent.is_some() {
        frame.render_widget(Line::styled("starting …", theme.style(Role::Info)), row);
    } else {
        let chosen = (form.field == Field::Buttons).then_some(form.start);
        buttons("Cancel", "Start", chosen, theme, frame, row, drawn);
    }
}

/// The values one can change, a line each.
fn form_rows(form: &CreateForm, theme: &Theme) -> Vec<Line<'static>> {
    let others = form.players.saturating_sub(form.mine);
    let counts: Vec<String> = form.allowed.iter().map(u64::to_string).collect();
    let row = |field: Field| match field {
        Field::Players => ("players", form.players.to_string(), format!("one of {}", counts.join(" "))),
        Field::Mine if form.mine == 0 => ("yours", "0".into(), "you watch".into()),
        Field::Mine => ("yours", form.mine.to_string(), "seats that you drive".into()),
        Field::Others if form.ai => {
            ("others", format!("{others} built-in"), "players of the platform".into())
        }
        Field::Others => ("others", format!("{others} open"), "the match waits until they are joined".into()),
        Field::Ticks => ("ticks", form.ticks.to_string(), "the horizon: ← → or type a number".into()),
        Field::Buttons => ("", String::new(), String::new()),
    };
    let dim = theme.style(Role::Dim);
    let line = |field: Field| {
        let (name, value, about) = row(field);
        let chosen = form.field == field;
        let value = if chosen { format!("‹ {value} ›") } else { format!("  {value}  ") };
        Line::from(vec![
            Span::styled(if chosen { "▸ " } else { "  " }, theme.style(Role::Key)),
            Span::styled(text::pad(name, 9), dim),
            Span::styled(
                text::pad(&value, 14),
                theme.style(if chosen { Role::Selected } else { Role::Strong }),
            ),
            Span::styled(format!(" {about}"), dim),
        ])
    };
    form.fields().into_iter().filter(|field| *field != Field::Buttons).map(line).collect()
}

fn price_lines(app: &App, form: &CreateForm, theme: &Theme) -> Vec<Line<'static>> {
    let dim = theme.style(Role::Dim);
    let mut lines = vec![Line::from(vec![
        Span::raw("  costs at most "),
        Span::styled(format!("{} cr", text::decimal(form.price(), 4)), theme.style(Role::Money).bold()),
        Span::styled(format!("  ({} a tick that is played)", crate::app::TICK_PRICE), dim),
    ])];
    if let Some(balance) = app.credits.balance.value() {
        let words = format!("  of a balance of {} cr", text::credits(balance.credits));
        lines.push(Line::styled(words, dim));
    }
    lines
}

/// Two buttons side by side; no button is chosen while another row has the keys.
pub fn buttons(
    no: &str,
    yes: &str,
    chosen: Option<bool>,
    theme: &Theme,
    frame: &mut Frame<'_>,
    row: Rect,
    drawn: &mut Drawn,
) {
    let mut x = row.x;
    for (words, agree) in [(no, false), (yes, true)] {
        let on = chosen == Some(agree);
        let words = if on { format!("▸[ {words} ]") } else { format!(" [ {words} ]") };
        let style = if on { theme.style(Role::Selected) } else { theme.style(Role::Text) };
        let spot = Rect { x, width: text::width(&words) as u16, ..row }.intersection(row);
        frame.render_widget(Span::styled(words, style), spot);
        drawn.hits.push((cells(spot), Hit::Button(agree)));
        x = spot.right() + 2;
    }
}

fn line_asked(prompt: &LinePrompt, theme: &Theme, frame: &mut Frame<'_>, body: Rect) {
    let (title, about) = match prompt.wanted {
        Wanted::Place => ("Go to", "A tick (217), a share (50%), or a way (+10, -10)."),
        Wanted::Note => ("Note", "Words for this moment; they are kept with the recording."),
    };
    let inner = window(title, 60, 6, theme, frame, body);
    let columns = usize::from(inner.width);
    let mut line = vec![Span::styled("▸ ", theme.style(Role::Key))];
    let cursor = Some(prompt.input.cursor().1);
    line.extend(editor_line(&prompt.input.text(), cursor, columns.saturating_sub(3), theme));
    let below = match &prompt.problem {
        Some(problem) => Line::styled(format!("✗ {problem}"), theme.style(Role::Bad)),
        None => Line::default(),
    };
    let about = Line::styled(about, theme.style(Role::Dim));
    frame.render_widget(Paragraph::new(vec![about, Line::default(), Line::from(line), below]), inner);
}

fn question(confirm: &Confirm, theme: &Theme, frame: &mut Frame<'_>, body: Rect, drawn: &mut Drawn) {
    let columns = 62usize.min(usize::from(body.width).saturating_sub(4));
    let mut lines: Vec<Line<'static>> = text::wrap(&confirm.question, columns)
        .into_iter()
        .map(|row| Line::styled(row, theme.style(Role::Strong)))
        .collect();
    lines.push(Line::default());
    for detail in &confirm.detail {
        lines.extend(
            text::wrap(detail, columns).into_iter().map(|row| Line::styled(row, theme.style(Role::Dim))),
        );
    }
    lines.push(Line::default());
    let inner = window("", columns as u16 + 4, lines.len() as u16 + 3, theme, frame, body);
    let at = (lines.len() as u16).min(inner.height.saturating_sub(1));
    // What has no room must not stand between the buttons.
    lines.truncate(usize::from(at));
    frame.render_widget(Paragraph::new(lines), inner);
    let row = Rect { y: inner.y + at, height: 1, ..inner }.intersection(inner);
    buttons(confirm.no, confirm.yes, Some(confirm.agree), theme, frame, row, drawn);
}

fn rules(
    app: &App,
    slug: &str,
    scroll: usize,
    theme: &Theme,
    frame: &mut Frame<'_>,
    body: Rect,
    drawn: &mut Drawn,
) {
    let inner = window(&text::excerpt(slug, 40), 90, body.height, theme, frame, body);
    let prompt = app.games.detail(slug).and_then(|detail| detail.prompt.as_deref());
    let lines = match prompt {
        Some(prompt) => widgets::markdown(prompt, usize::from(inner.width), theme),
        None => vec![Line::styled("loading the rules …", theme.style(Role::Dim))],
    };
    scrolled(lines, scroll, frame, inner, drawn);
}
