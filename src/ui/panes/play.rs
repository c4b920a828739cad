//! One's own seat: the game, what one may do, how the clock stands, who drives.
//!
//! Three columns where there is room: the game, what may be played, the seat; two or one where there is less.

mod act;
mod log;
mod over;
mod seat;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use serde_json::Value;

use crate::app::panes::play::{Driver, OwnSeat};
use crate::app::screen::Drawn;
use crate::app::{App, TICK_PRICE};
use crate::text;
use crate::ui::screen::vertical;
use crate::ui::theme::{Role, Theme};
use crate::ui::widgets;

use super::live::{self, View};
use super::placeholder;

pub use self::act::editor_line;
pub use self::over::{command, prompt, provider};

/// From this width on the choices have a column of their own.
const THREE: u16 = 110;

/// Draws the pane.
pub fn draw(app: &App, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let Some(seat) = app.play.seat() else {
        let lines = [
            (Role::Text, "You have no seat in a session.".to_owned()),
            (
                Role::Dim,
                "In Games (1), p starts one: alone, against built-in players, or for others to join."
                    .to_owned(),
            ),
        ];
        return placeholder(&lines, theme, frame, area);
    };
    let tall = if area.height >= 18 { 2 } else { 1 };
    let [body, bar] = Layout::vertical([Constraint::Min(1), Constraint::Length(tall)]).areas(area);
    let columns = split(body);
    game(app, seat, theme, frame, columns.game, drawn);
    for column in [columns.act, columns.seat].into_iter().flatten().filter(|column| column.x > body.x) {
        vertical(theme, frame, Rect { x: column.x - 1, width: 1, ..column });
    }
    beside(app, seat, theme, frame, &columns, drawn);
    progress(app, seat, theme, frame, bar, drawn);
}

/// Where the parts lie. Without a column for the seat its lines stand above the choices.
struct Columns {
    game: Rect,
    act: Option<Rect>,
    seat: Option<Rect>,
}

fn split(area: Rect) -> Columns {
    if area.width < 76 {
        let [game, act] =
            Layout::vertical([Constraint::Fill(1), Constraint::Max(area.height.div_ceil(2))]).areas(area);
        return Columns { game, act: Some(act), seat: None };
    }
    if area.width < THREE {
        let side = (area.width * 2 / 5).clamp(32, 52);
        let [game, _, act] =
            Layout::horizontal([Constraint::Min(1), Constraint::Length(1), Constraint::Length(side)])
                .areas(area);
        return Columns { game, act: Some(act), seat: None };
    }
    let (act, seat) = ((area.width * 3 / 10).clamp(32, 44), (area.width * 3 / 10).clamp(34, 46));
    let [game, _, act, _, seat] = Layout::horizontal([
        Constraint::Min(1),
        Constraint::Length(1),
        Constraint::Length(act),
        Constraint::Length(1),
        Constraint::Length(seat),
    ])
    .areas(area);
    Columns { game, act: Some(act), seat: Some(seat) }
}

fn game(app: &App, seat: &OwnSeat, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    if app.play.policy_log {
        return log::draw(seat, theme, frame, area);
    }
    let chooses = !app.looks_back() && seat.wants_decision() && seat.driver == Driver::Human;
    let chosen = seat.chosen().filter(|_| chooses);
    let action: Option<Value> = chosen.and_then(|choice| serde_json::from_str(&choice.payload).ok());
    let view = View {
        live: app.shown(&seat.live),
        seat: 0,
        mine: true,
        raw: app.play.raw,
        scroll: app.play.scroll,
        cursor: action.as_ref(),
        fields: &app.fields,
    };
    live::scene(&view, theme, frame, area, drawn);
}

fn beside(
    app: &App,
    seat: &OwnSeat,
    theme: &Theme,
    frame: &mut Frame<'_>,
    columns: &Columns,
    drawn: &mut Drawn,
) {
    let inside = |area: Rect| Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area };
    let Some(area) = columns.act.map(inside) else { return };
    let room = seat::Room { columns: usize::from(area.width), rows: usize::from(area.height) };
    let mut lines = match columns.seat.map(inside) {
        Some(own) => {
            let room = seat::Room { columns: usize::from(own.width), rows: usize::from(own.height) };
            frame.render_widget(Paragraph::new(seat::lines(app, seat, theme, room, true)), own);
            Vec::new()
        }
        None => seat::lines(app, seat, theme, room, false),
    };
    if let Some(line) = seat::clock(app, seat, theme) {
        // Whose turn it is stands at the choices, next to where one looks.
        let at = usize::from(!lines.is_empty());
        lines.insert(at, line);
    }
    lines.extend(seat::notices(seat, theme, room));
    if room.rows >= 8 && !lines.is_empty() {
        lines.push(Line::default());
    }
    let head_height = (lines.len() as u16).min(area.height);
    let [head, rest] = Layout::vertical([Constraint::Length(head_height), Constraint::Min(0)]).areas(area);
    frame.render_widget(Paragraph::new(lines), head);
    match (&seat.live.view.outcome, &seat.draft) {
        (Some(outcome), _) => {
            let mut lines = live::outcome(&seat.live, outcome, Some(&seat.player_id), room.columns, theme);
            lines.push(Line::default());
            let hints = [("n", "play again"), ("x", "close"), ("9", "credits")];
            lines.push(widgets::key_hints(&hints, room.columns, theme));
            frame.render_widget(Paragraph::new(lines), rest);
        }
        (None, Some(draft)) if draft.open => act::editor(seat, draft, theme, frame, rest),
        (None, _) => act::choices(seat, theme, frame, rest, drawn),
    }
}

/// How far the match is, and what it has cost so far.
fn progress(app: &App, seat: &OwnSeat, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let view = &seat.live.view;
    let paid = view.outcome.as_ref().and_then(|outcome| outcome.credits);
    let spent = paid.unwrap_or(view.tick as f64 * TICK_PRICE);
    let words = format!("spent {spent:.4} cr ");
    let wide = if area.width < 60 { 0 } else { text::width(&words) as u16 + 2 };
    let [bar, right] = Layout::horizontal([Constraint::Min(0), Constraint::Length(wide)]).areas(area);
    live::timeline(app, &seat.live, theme, frame, bar, drawn);
    let line = Line::from(vec![Span::raw("  "), Span::styled(words, theme.style(Role::Money))]);
    frame.render_widget(line, right);
}
