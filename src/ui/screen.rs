//! The whole screen: header, tabs, the pane, footer, and what lies on top.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::app::action::Action;
use crate::app::key::Key;
use crate::app::keymap;
use crate::app::live::{Live, Tone};
use crate::app::screen::{Area, Drawn, Hit};
use crate::app::{App, Health, Pane};
use crate::text;

use super::theme::{Role, Theme, asciify};
use super::{gate, overlays, panes, widgets};

/// The smallest screen that is drawn whole.
pub const LEAST: (u16, u16) = (40, 10);
/// From this width on a list and its detail are side by side.
pub const WIDE: u16 = 100;

/// Draws everything; says what lies where.
pub fn draw(app: &App, theme: &Theme, frame: &mut Frame<'_>) -> Drawn {
    let area = frame.area();
    let mut drawn = Drawn { wide: area.width >= WIDE, ..Drawn::default() };
    if area.width < LEAST.0 || area.height < LEAST.1 {
        drawn.tiny = true;
        too_small(frame, area);
    } else if let Some(gate) = &app.gate {
        gate::draw(app, gate, theme, frame, area);
    } else {
        whole(app, theme, frame, area, &mut drawn);
    }
    if theme.ascii {
        asciify(frame.buffer_mut(), area);
    }
    drawn
}

fn too_small(frame: &mut Frame<'_>, area: Rect) {
    let words = format!("gert needs {}x{}; q quits", LEAST.0, LEAST.1);
    let lines = text::wrap(&words, usize::from(area.width).max(1));
    frame.render_widget(Paragraph::new(lines.into_iter().map(Line::from).collect::<Vec<_>>()), area);
}

fn whole(app: &App, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let [head, tabs, rule, body, low, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(area);
    header(app, theme, frame, head);
    match title_live(app) {
        Some(live) => panes::live::title(app, live, theme, frame, tabs),
        None if app.pane == Pane::Sessions && app.sessions.wall.is_some() => {
            panes::wall::title(app, theme, frame, tabs);
        }
        None => tab_bar(app, theme, frame, tabs, drawn),
    }
    horizontal(theme, frame, rule);
    match app.pane {
        Pane::Games => panes::games::draw(app, theme, frame, body, drawn),
        Pane::Sessions => panes::sessions::draw(app, theme, frame, body, drawn),
        Pane::Play => panes::play::draw(app, theme, frame, body, drawn),
        Pane::Credits => panes::credits::draw(app, theme, frame, body, drawn),
    }
    horizontal(theme, frame, low);
    footer(app, theme, frame, foot, drawn);
    if let Some(overlay) = &app.overlay {
        overlays::draw(app, overlay, theme, frame, body, drawn);
    }
    toasts(app, theme, frame, body);
}

/// The session whose title takes the place of the tabs.
fn title_live(app: &App) -> Option<&Live> {
    match app.pane {
        Pane::Sessions => app.sessions.watching.as_ref().map(|watching| &watching.live),
        Pane::Play => app.play.seat().map(|seat| &seat.live),
        _ => None,
    }
}

fn header(app: &App, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let mut left = vec![
        Span::raw(" "),
        Span::styled("gert", theme.style(Role::Title)),
        Span::styled(" ▸ ", theme.style(Role::Dim)),
        Span::raw(if app.boot.arena {
            "arena".to_owned()
        } else {
            text::excerpt(&app.boot.host, 32).into_owned()
        }),
        Span::styled(format!(" · {}", text::excerpt(&app.boot.profile, 16)), theme.style(Role::Dim)),
        Span::raw("   "),
    ];
    if area.width < 60 {
        left.truncate(2); // The name alone: what is wrong must be seen.
        left.push(Span::raw("  "));
    }
    left.extend(activity(app, area.width, theme));
    let right = money(app, theme, area.width);
    let wide: usize = right.iter().map(Span::width).sum();
    let [a, b] = Layout::horizontal([Constraint::Min(0), Constraint::Length(wide as u16)]).areas(area);
    frame.render_widget(Line::from(left), a);
    frame.render_widget(Line::from(right), b);
}

/// What is live, or what is wrong.
fn activity(app: &App, width: u16, theme: &Theme) -> Vec<Span<'static>> {
    if let Health::Down { retry_at, tries } = app.health {
        let left = retry_at.saturating_sub(app.now.since_start).as_secs();
        let words = match width {
            ..60 => format!("✗ down, {left} s"),
            60..90 => format!("✗ no answer, next try in {left} s"),
            _ => format!("✗ no answer, try {tries}, next in {left} s"),
        };
        return vec![Span::styled(words, theme.style(Role::Bad))];
    }
    let mut spans = Vec::new();
    if app.boot.read_only {
        spans.push(Span::styled("read-only   ", theme.style(Role::Warn)));
    }
    let live = app.sessions.live_count();
    if live > 0 {
        spans.push(Span::styled("● ", theme.style(Role::Good)));
        spans.push(Span::raw(format!("{live} live   ")));
    }
    let mine = app.play.live().count();
    if mine > 0 {
        spans.push(Span::styled("▶ ", theme.style(Role::Accent)));
        spans.push(Span::raw(format!("{mine} {}   ", if mine == 1 { "seat" } else { "seats" })));
    }
    if let Some(waited) = app.waiting_for().filter(|waited| *waited >= Duration::from_secs(1)) {
        spans.push(Span::styled(format!("◷ waiting {} s", waited.as_secs()), theme.style(Role::Warn)));
    }
    spans
}

fn money(app: &App, theme: &Theme, width: u16) -> Vec<Span<'static>> {
    let Some(balance) = app.credits.balance.value() else {
        return vec![Span::styled("◆ – ", theme.style(Role::Dim))];
    };
    let mut spans =
        vec![Span::styled(format!("◆ {} cr", text::credits(balance.credits)), theme.style(Role::Money))];
    let burn = app.credits.burn_per_hour(app.now.wall);
    if width >= 70 {
        let sign = if burn > 0.0 { "−" } else { "" };
        spans.push(Span::styled(format!("  {sign}{}/h", text::decimal(burn, 2)), theme.style(Role::Dim)));
    }
    if width >= 100 {
        let days = app.credits.by_day(app.now.wall, 8);
        let spark = widgets::sparkline(days.iter().map(|(_, spent)| *spent), 8);
        spans.push(Span::styled(format!("  {spark}"), theme.style(Role::Dim)));
    }
    spans.push(Span::raw(" "));
    spans
}

fn tab_bar(app: &App, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let mut x = area.x + 1;
    for (pane, key, name) in Pane::ALL {
        let chosen = pane == app.pane;
        let style = if chosen { theme.style(Role::Selected) } else { Style::new() };
        let key_style = if chosen { style } else { theme.style(Role::Dim) };
        let line = Line::from(vec![
            Span::styled(format!(" {key} "), key_style),
            Span::styled(format!("{name} "), style),
        ]);
        let wide = line.width() as u16;
        let spot = Rect { x, y: area.y, width: wide.min(area.right().saturating_sub(x)), height: 1 };
        frame.render_widget(line, spot);
        drawn.hits.push((cells(spot), Hit::Pane(pane)));
        x += wide + 1;
    }
}

fn footer(app: &App, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let stamp = app.credits.balance_at.filter(|_| app.pane == Pane::Credits);
    let stamp = stamp.map(|at| format!("as of {} ", panes::clock(app, at))).unwrap_or_default();
    let [left, right] =
        Layout::horizontal([Constraint::Min(0), Constraint::Length(text::width(&stamp) as u16)]).areas(area);
    if let Some((key, label)) = overlays::hints(app) {
        let hints: Vec<(&str, &str)> = key.iter().copied().zip(label.iter().copied()).collect();
        frame.render_widget(indented(widgets::key_hints(&hints, usize::from(area.width), theme)), area);
        return;
    }
    let contexts = app.contexts();
    let mut x = left.x + 1;
    for binding in
        keymap::active(&contexts).filter(|binding| !binding.label.is_empty() && shown(app, binding.action))
    {
        let symbol = |key: &str| key.parse::<Key>().map(|key| key.symbol(theme.ascii)).unwrap_or_default();
        let key = match binding.action {
            // One word for both directions.
            Action::TickBack => format!("{}{}", symbol("left"), symbol("right")),
            _ => symbol(binding.keys[0]),
        };
        let line = widgets::key_hints(&[(&key, binding.label)], 40, theme);
        let wide = line.width() as u16;
        if x + wide > left.right() {
            break;
        }
        let spot = Rect { x, y: area.y, width: wide, height: 1 };
        frame.render_widget(line, spot);
        drawn.hits.push((cells(spot), Hit::Action(binding.action)));
        x += wide + 3;
    }
    frame.render_widget(Line::styled(stamp, theme.style(Role::Dim)), right);
}

/// Whether the footer has a use for the action at this moment.
fn shown(app: &App, action: Action) -> bool {
    let seat = app.play.seat();
    match action {
        Action::DriveByHand => seat.is_some_and(|seat| seat.driver != crate::app::panes::play::Driver::Human),
        Action::DriveByPolicy | Action::DriveByProvider => {
            seat.is_some_and(|seat| seat.driver == crate::app::panes::play::Driver::Human)
        }
        _ => true,
    }
}

fn indented(mut line: Line<'static>) -> Line<'static> {
    line.spans.insert(0, Span::raw(" "));
    line
}

fn toasts(app: &App, theme: &Theme, frame: &mut Frame<'_>, body: Rect) {
    let mut bottom = body.bottom();
    for toast in app.toasts.iter().rev() {
        let most = usize::from(body.width).saturating_sub(6).min(64);
        let lines = text::wrap(&toast.text, most);
        let wide = lines.iter().map(|line| text::width(line)).max().unwrap_or(0) as u16 + 4;
        let tall = lines.len() as u16;
        if bottom < body.y + tall + 1 {
            break;
        }
        bottom -= tall;
        let spot = Rect { x: body.right().saturating_sub(wide + 1), y: bottom, width: wide, height: tall };
        overlays::clear(frame, spot);
        let mark = tone_mark(toast.tone);
        let rows = lines.into_iter().enumerate().map(|(nth, line)| {
            let head = if nth == 0 { mark } else { " " };
            Line::from(vec![Span::styled(format!("▌{head} "), tone(theme, toast.tone)), Span::raw(line)])
        });
        frame.render_widget(Paragraph::new(rows.collect::<Vec<_>>()), spot);
        bottom = bottom.saturating_sub(1);
    }
}

/// A horizontal rule.
pub fn horizontal(theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    frame.render_widget(Line::styled("─".repeat(usize::from(area.width)), theme.style(Role::Border)), area);
}

/// A vertical rule.
pub fn vertical(theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    for y in area.top()..area.bottom() {
        frame.render_widget(Span::styled("│", theme.style(Role::Border)), Rect { y, height: 1, ..area });
    }
}

/// The style of a tone.
pub fn tone(theme: &Theme, tone: Tone) -> Style {
    theme.style(match tone {
        Tone::Plain => Role::Info,
        Tone::Good => Role::Good,
        Tone::Warn => Role::Warn,
        Tone::Bad => Role::Bad,
    })
}

/// The mark of a tone, so that it is not told by colour alone.
pub fn tone_mark(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "·",
        Tone::Good => "✓",
        Tone::Warn => "!",
        Tone::Bad => "✗",
    }
}

/// A rectangle as the state knows it.
pub fn cells(area: Rect) -> Area {
    Area { x: area.x, y: area.y, width: area.width, height: area.height }
}

/// The area in the middle, at most this large.
pub fn centred(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height }
}
