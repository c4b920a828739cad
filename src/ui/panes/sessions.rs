//! Sessions: the list, what became of the selected one, and the one that is watched.

use std::borrow::Cow;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::api::model::{BranchedFrom, Session, SessionStatus};
use crate::app::App;
use crate::app::live::Live;
use crate::app::panes::credits::when;
use crate::app::panes::sessions::{Facet, SessionsPane, Watching};
use crate::app::screen::Drawn;
use crate::text;
use crate::ui::marks;
use crate::ui::screen::{horizontal, vertical};
use crate::ui::theme::{Role, Theme, seat_number};
use crate::ui::widgets::{self, Align};

use super::live::{self, View};
use super::{ago, failure, filter_line, placeholder, rows, scrolled};

/// Width of the detail where it stands beside the list.
const DETAIL: u16 = 46;
/// From this width on the log stands beside a watched session.
const WITH_LOG: u16 = 140;

/// Draws the pane.
pub fn draw(app: &App, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    if let Some(watching) = &app.sessions.watching {
        return watch(app, watching, theme, frame, area, drawn);
    }
    if let Some(wall) = &app.sessions.wall {
        return super::wall::draw(app, wall, theme, frame, area, drawn);
    }
    if app.sessions.facet == Facet::Recorded {
        return super::recorded::draw(app, theme, frame, area, drawn);
    }
    if !drawn.wide || app.sessions.items().is_empty() {
        if app.sessions.opened {
            return detail(app, theme, frame, area, drawn);
        }
        return list(app, theme, frame, area, drawn);
    }
    let [left, rule, right] = Layout::horizontal([
        Constraint::Min(50),
        Constraint::Length(2),
        Constraint::Length(DETAIL.max(area.width / 3)),
    ])
    .areas(area);
    list(app, theme, frame, left, drawn);
    vertical(theme, frame, Rect { width: 1, ..rule });
    detail(app, theme, frame, right, drawn);
}

fn watch(
    app: &App,
    watching: &Watching,
    theme: &Theme,
    frame: &mut Frame<'_>,
    area: Rect,
    drawn: &mut Drawn,
) {
    let live = app.shown(&watching.live);
    let tall = area.height >= 18;
    let log_width = if area.width >= WITH_LOG { 44 } else { 0 };
    let [body, rule, foot, bar] = Layout::vertical([
        Constraint::Min(1),
        Constraint::Length(u16::from(tall && log_width == 0)),
        Constraint::Length(if tall && log_width == 0 { 2 } else { 0 }),
        Constraint::Length(1 + u16::from(tall)),
    ])
    .areas(area);
    let [main, side] = Layout::horizontal([Constraint::Min(1), Constraint::Length(log_width)]).areas(body);
    let view = View {
        live,
        seat: watching.seat,
        mine: false,
        raw: watching.raw,
        scroll: watching.scroll,
        cursor: None,
        fields: &app.fields,
    };
    live::scene(&view, theme, frame, main, drawn);
    if log_width > 0 {
        vertical(theme, frame, Rect { width: 1, ..side });
        log_column(live, theme, frame, Rect { x: side.x + 1, width: side.width - 1, ..side });
    } else if tall {
        horizontal(theme, frame, rule);
        live::log(live, theme, frame, foot);
    }
    live::timeline(app, &watching.live, theme, frame, bar, drawn);
    if let Some(outcome) = &live.view.outcome {
        let lines = live::outcome(live, outcome, None, 44, theme);
        let tall = (lines.len() as u16 + 2).min(body.height);
        let spot = Rect {
            x: body.right().saturating_sub(46),
            y: body.bottom().saturating_sub(tall),
            width: 44,
            height: tall,
        };
        let spot = spot.intersection(body);
        crate::ui::overlays::clear(frame, spot);
        frame.render_widget(
            Paragraph::new(lines),
            Rect { y: spot.y + 1, height: spot.height.saturating_sub(1), ..spot },
        );
        horizontal(theme, frame, Rect { height: 1.min(spot.height), ..spot });
    }
}

fn log_column(shown: &Live, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
    frame.render_widget(Line::styled(" log", theme.style(Role::Heading)), head);
    live::log(shown, theme, frame, body);
}

fn list(app: &App, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let pane = &app.sessions;
    if pane.items().is_empty() {
        let lines = match pane.sessions.failure() {
            Some(why) => failure(app, why),
            None if pane.sessions.value().is_some() => vec![
                (Role::Text, "No sessions yet.".to_owned()),
                (Role::Dim, "A session is one match of a game. In Games (1), p starts one.".to_owned()),
            ],
            None => vec![(Role::Dim, "loading the sessions …".to_owned())],
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
    frame.render_widget(filter_line(&pane.list, pane.items().len(), theme, area.width), filter);
    let mut widths = [9, 16, 0, 8, 8, 6, if area.width >= 90 { 12 } else { 0 }];
    let gaps = widths.iter().filter(|wide| **wide > 0).count() * widgets::GAP;
    let players =
        usize::from(area.width).saturating_sub(widths.iter().sum::<usize>() + gaps + 3).clamp(6, 40);
    widths[2] = players;
    let aligns =
        [Align::Left, Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Left];
    let dim = theme.style(Role::Dim);
    let titles = ["state", "game", "players", "ticks", "best", "age", "session"]
        .map(|title| (Cow::Borrowed(title), dim));
    let mut header = widgets::table_line(&titles, &aligns, &widths);
    header.spans.insert(0, Span::raw("  "));
    frame.render_widget(header, head);
    rows(&pane.list, theme, frame, body, drawn, |item| {
        let session = &pane.items()[item];
        let (role, mut state) = status(&session.status);
        if pane.marked.contains(session.session_id.as_str()) {
            state.push_str(" +");
        }
        let cell = |words: String| (Cow::Owned(words), theme.style(Role::Text));
        let cells = [
            (Cow::Owned(state), theme.style(role)),
            cell(text::excerpt(&origin(pane, item), 16).into_owned()),
            cell(text::excerpt(&names(session), players).into_owned()),
            cell(ticks(session)),
            cell(best(session)),
            cell(when(session.created_at.as_deref()).map(|at| ago(app.now.wall, at)).unwrap_or_default()),
            cell(text::excerpt(session.session_id.as_str(), 12).into_owned()),
        ];
        widgets::table_line(&cells, &aligns, &widths)
    });
    if pane.list.shown().is_empty() {
        placeholder(&[(Role::Dim, "No session matches; Esc and a show others.".into())], theme, frame, body);
    }
}

fn status(status: &SessionStatus) -> (Role, String) {
    match status {
        SessionStatus::Active => (Role::Good, "● live".into()),
        SessionStatus::Waiting => (Role::Info, "◷ waits".into()),
        SessionStatus::Completed => (Role::Dim, "■ ended".into()),
        SessionStatus::Failed => (Role::Bad, "✗ failed".into()),
        other => (Role::Warn, format!("? {}", text::excerpt(other.as_str(), 7))),
    }
}

fn names(session: &Session) -> String {
    let names: Vec<&str> = session
        .seats
        .iter()
        .map(|seat| seat.name.as_deref().filter(|name| !name.is_empty()).unwrap_or(seat.player_id.as_str()))
        .collect();
    names.join(", ")
}

fn ticks(session: &Session) -> String {
    match (session.tick, session.max_ticks) {
        (Some(tick), Some(most)) => format!("{tick}/{most}"),
        (Some(tick), None) => tick.to_string(),
        _ => String::new(),
    }
}

/// What is played; of a branch that stands below its parent, which says that already, where it began.
fn origin(pane: &SessionsPane, item: usize) -> String {
    let session = &pane.items()[item];
    let depth = pane.depths.get(item).copied().unwrap_or(0);
    let tick = session.branch.as_ref().and_then(|branch| branch.tick);
    match tick.filter(|_| depth > 0 && pane.list.filter().is_empty()) {
        Some(tick) => format!("{}└ from tick {tick}", " ".repeat((depth - 1).min(2))),
        None => session.game.as_str().to_owned(),
    }
}

/// The best score.
fn best(session: &Session) -> String {
    let scores = session.scores.iter().flat_map(|scores| scores.0.iter().filter_map(|(_, score)| *score));
    scores.max_by(f64::total_cmp).map(|score| text::decimal(score, 2)).unwrap_or_default()
}

fn detail(app: &App, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let Some(session) = app.sessions.selected() else { return };
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let mut lines = facts(app, session, theme);
    if app.sessions.logs_of.as_deref() == Some(session.session_id.as_str()) {
        lines.push(Line::default());
        lines.push(Line::styled("Log", theme.style(Role::Heading)));
        lines.extend(log_lines(app, theme, usize::from(inner.width)));
    } else if session.status.is_live() {
        lines.push(Line::default());
        lines.push(Line::styled("⏎ watches it", theme.style(Role::Dim)));
    } else {
        lines.push(Line::default());
        let has_tape = app.sessions.tape_of(session.session_id.as_str()).is_some();
        let words = if has_tape { "⏎ plays its recording, L shows its log" } else { "⏎ shows its log" };
        lines.push(Line::styled(words, theme.style(Role::Dim)));
    }
    scrolled(lines, app.sessions.scroll, frame, inner, drawn);
}

fn facts(app: &App, session: &Session, theme: &Theme) -> Vec<Line<'static>> {
    let dim = theme.style(Role::Dim);
    let (role, state) = status(&session.status);
    let mut lines = vec![
        Line::styled(text::excerpt(session.game.as_str(), 40).into_owned(), theme.style(Role::Title)),
        Line::from(vec![
            Span::styled(state, theme.style(role)),
            Span::styled(format!("   {}", text::excerpt(session.session_id.as_str(), 24)), dim),
        ]),
        Line::default(),
    ];
    for seat in session.seats.iter().take(16) {
        let id = seat.player_id.as_str();
        let number = seat_number(id).unwrap_or(0);
        let score = seat.score.or_else(|| session.scores.as_ref()?.get(id));
        let word = session.outcomes.get(id).and_then(|json| json.decode::<String>().ok()).unwrap_or_default();
        let word = text::excerpt(&word, 8);
        let fate = marks::fate(seat.failed, seat.eliminated, &word);
        lines.push(Line::from(vec![
            Span::styled(format!("{} ", theme.seat_glyph(number)), theme.seat(number)),
            Span::raw(text::pad(&text::excerpt(id, 4), 4)),
            Span::raw(text::pad(&text::excerpt(seat.name.as_deref().unwrap_or(""), 14), 15)),
            Span::raw(text::pad_left(&score.map(|score| text::decimal(score, 2)).unwrap_or_default(), 9)),
            Span::styled(
                format!("  {}", if fate.word.is_empty() { &word } else { fate.word }),
                theme.style(fate.role),
            ),
        ]));
    }
    lines.push(Line::default());
    let mut fact = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            lines.push(Line::from(vec![
                Span::styled(text::pad(name, 10), dim),
                Span::raw(text::excerpt(&value, 60).into_owned()),
            ]));
        }
    };
    fact("ticks", Some(ticks(session)));
    fact("branch", session.branch.as_ref().map(branch_words));
    fact("ended by", session.completion_reason.as_deref().map(|reason| reason.replace('_', " ")));
    fact("failed", session.failure_reason.clone());
    fact(
        "started",
        when(session.started_at.as_deref())
            .map(|at| format!("{} ({} ago)", super::clock(app, at), ago(app.now.wall, at))),
    );
    fact("cost", session.credits_used.map(|credits| format!("{} cr", text::decimal(credits, 4))));
    fact("seen by", session.spectate_mode.clone());
    lines
}

fn branch_words(branch: &BranchedFrom) -> String {
    let parent = branch.parent_id.as_ref().map_or("a session", |id| id.as_str());
    let tick = branch.tick.map_or_else(String::new, |tick| format!(" at tick {tick}"));
    format!("of {}{tick}", text::excerpt(parent, 24))
}

fn log_lines(app: &App, theme: &Theme, columns: usize) -> Vec<Line<'static>> {
    let dim = theme.style(Role::Dim);
    let Some(logs) = app.sessions.logs.value() else {
        return vec![match app.sessions.logs.failure() {
            Some(why) => Line::styled(format!("✗ {why}: {}", why.why()), theme.style(Role::Bad)),
            None => Line::styled("loading …", dim),
        }];
    };
    if logs.entries.is_empty() {
        return vec![Line::styled("nothing was logged", dim)];
    }
    logs.entries
        .iter()
        .map(|entry| {
            let who = entry.player_id.as_ref().map_or("", |player| player.as_str());
            let played = entry.data.as_ref().filter(|_| entry.kind.as_deref() == Some("action"));
            let played =
                played.and_then(|json| json.decode().ok()).map(|action| crate::app::live::words(&action));
            let words = played.as_deref().or(entry.text.as_deref()).or(entry.kind.as_deref()).unwrap_or("");
            Line::from(vec![
                Span::styled(
                    format!("{:>4} ", entry.tick.map_or_else(String::new, |tick| tick.to_string())),
                    dim,
                ),
                Span::styled(text::pad(&text::excerpt(who, 4), 4), theme.seat(seat_number(who).unwrap_or(0))),
                Span::raw(text::excerpt(words, columns.saturating_sub(10)).into_owned()),
            ])
        })
        .collect()
}
