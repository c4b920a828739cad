//! One's own seat: the game, what one may do, how the clock stands, who drives.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::app::App;
use crate::app::panes::play::{Answered, Choice, Driver, OwnSeat, PolicySeat, read_action};
use crate::app::screen::Drawn;
use crate::text;
use crate::ui::screen::{tone, tone_mark, vertical};
use crate::ui::theme::{Role, Theme, seat_number};
use crate::ui::widgets;

use super::live::{self, View};
use super::{placeholder, rows};

/// The most lines a notice takes.
const NOTICE: usize = 4;

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
    let (game, side) = split(body);
    if app.play.policy_log {
        policy_log(seat, theme, frame, game);
    } else {
        let cursor =
            seat.chosen().and_then(|choice| choice.column).and_then(|column| usize::try_from(column).ok());
        let cursor =
            cursor.filter(|_| !app.looks_back() && seat.wants_decision() && seat.driver == Driver::Human);
        let view = View {
            live: app.shown(&seat.live),
            seat: 0,
            mine: true,
            raw: app.play.raw,
            scroll: app.play.scroll,
            cursor,
        };
        live::scene(&view, theme, frame, game, drawn);
    }
    if side.x > body.x {
        vertical(theme, frame, Rect { x: side.x - 1, width: 1, ..side });
    }
    beside(app, seat, theme, frame, side, drawn);
    live::timeline(app, &seat.live, theme, frame, bar, drawn);
}

/// The game and what one may do: side by side, or one above the other where that is too narrow.
fn split(area: Rect) -> (Rect, Rect) {
    if area.width < 76 {
        let [game, side] =
            Layout::vertical([Constraint::Fill(1), Constraint::Max(area.height.div_ceil(2))]).areas(area);
        return (game, side);
    }
    let side = (area.width * 2 / 5).clamp(32, 52);
    let [game, _, side] =
        Layout::horizontal([Constraint::Min(1), Constraint::Length(1), Constraint::Length(side)]).areas(area);
    (game, side)
}

fn beside(app: &App, seat: &OwnSeat, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let area = Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area };
    let columns = usize::from(area.width);
    let mut lines = vec![clock(app, seat, theme)];
    // On a low screen the choices come first.
    let roomy = area.height >= 8;
    if roomy {
        lines.insert(0, who(app, seat, theme));
    }
    let notices = notice(seat, theme, columns);
    lines.extend(notices.into_iter().take(if roomy { usize::MAX } else { 1 }));
    if let Some(policy) = seat.policy.as_ref().filter(|_| roomy) {
        lines.extend(policy_lines(app, seat, policy, theme, columns));
    }
    let head_height = (lines.len() as u16 + u16::from(roomy)).min(area.height);
    let [head, rest] = Layout::vertical([Constraint::Length(head_height), Constraint::Min(0)]).areas(area);
    frame.render_widget(Paragraph::new(lines), head);
    match (&seat.live.view.outcome, &seat.draft) {
        (Some(outcome), _) => {
            let mut lines = live::outcome(&seat.live, outcome, Some(&seat.player_id), columns, theme);
            lines.push(Line::default());
            let hints = [("n", "play again"), ("x", "close"), ("9", "credits")];
            lines.push(widgets::key_hints(&hints, columns, theme));
            frame.render_widget(Paragraph::new(lines), rest);
        }
        (None, Some(draft)) if draft.open => draft_editor(seat, theme, frame, rest),
        (None, _) => choices(seat, theme, frame, rest, drawn),
    }
}

/// The seat, its score and its driver.
fn who(app: &App, seat: &OwnSeat, theme: &Theme) -> Line<'static> {
    let number = seat_number(&seat.player_id).unwrap_or(0);
    let driver = match (seat.driver, &seat.policy) {
        (Driver::Human, _) => "you".to_owned(),
        (Driver::Policy, Some(policy)) => policy.name.clone().unwrap_or_else(|| "policy".into()),
        (Driver::Policy, None) => "policy".into(),
    };
    let data = seat.live.view.seen.as_ref().map(|seen| &seen.data);
    let score = seat.live.view.scores.get(&seat.player_id).copied().or_else(|| data?.get("score")?.as_f64());
    let mut spans = vec![
        Span::styled(format!("{} ", theme.seat_glyph(number)), theme.seat(number)),
        Span::styled(text::excerpt(&seat.player_id, 10).into_owned(), theme.style(Role::Strong)),
        Span::styled("  driven by ", theme.style(Role::Dim)),
        Span::raw(text::excerpt(&driver, 14).into_owned()),
    ];
    // At the end it stands large below.
    if let Some(score) = score.filter(|_| seat.live.view.outcome.is_none()) {
        spans.push(Span::styled("   score ", theme.style(Role::Dim)));
        spans.push(Span::styled(text::decimal(score, 2), theme.style(Role::Strong)));
    }
    if app.play.seats.len() > 1 {
        let words = format!("   seat {} of {} (s)", app.play.at + 1, app.play.seats.len());
        spans.push(Span::styled(words, theme.style(Role::Dim)));
    }
    Line::from(spans)
}

/// Whose turn it is, and how long it lasts.
fn clock(app: &App, seat: &OwnSeat, theme: &Theme) -> Line<'static> {
    if seat.live.view.outcome.is_some() {
        return Line::default();
    }
    let (role, words) = match (&seat.sent, &seat.answered) {
        (Some(_), _) => (Role::Info, "◷ sent …".to_owned()),
        (None, Some(Answered::Accepted { tick })) => {
            (Role::Good, format!("✓ accepted at tick {tick}, waiting for the others"))
        }
        (None, Some(Answered::Refused { .. })) => (Role::Bad, "✗ refused, try another".to_owned()),
        (None, None) if seat.wants_decision() => (Role::Good, "● your turn".to_owned()),
        (None, None) if seat.live.view.seen.is_none() => {
            (Role::Dim, "waiting for the match to start".to_owned())
        }
        (None, None) => (Role::Dim, "○ not your turn".to_owned()),
    };
    let mut spans = vec![Span::styled(words, theme.style(role))];
    if let Some(deadline) = seat.live.view.deadline {
        let left = deadline.saturating_sub(app.now.since_start).as_secs();
        let role = if left < 5 { Role::Warn } else { Role::Dim };
        // A tick of a second needs no countdown.
        let short =
            seat.live.view.session.as_ref().and_then(|session| session.tick_ms).is_some_and(|ms| ms < 3000);
        if !short {
            spans.push(Span::styled(format!("   {left} s left"), theme.style(role)));
        }
    }
    Line::from(spans)
}

/// Why something was refused, or what else there is to say.
fn notice(seat: &OwnSeat, theme: &Theme, columns: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut say = |role_style, mark: &str, words: &str| {
        for (nth, row) in text::wrap(words, columns.saturating_sub(2)).into_iter().take(NOTICE).enumerate() {
            let head = if nth == 0 { format!("{mark} ") } else { "  ".into() };
            lines.push(Line::from(vec![Span::styled(head, role_style), Span::styled(row, role_style)]));
        }
    };
    if let Some(Answered::Refused { reasons }) = &seat.answered {
        say(theme.style(Role::Bad), "✗", &reasons.join("; "));
    }
    if let Some((kind, words)) = &seat.notice {
        say(tone(theme, *kind), tone_mark(*kind), words);
    }
    lines
}

fn policy_lines(
    app: &App,
    seat: &OwnSeat,
    policy: &PolicySeat,
    theme: &Theme,
    columns: usize,
) -> Vec<Line<'static>> {
    let dim = theme.style(Role::Dim);
    let mut lines = vec![Line::from(vec![
        Span::styled("policy ", theme.style(Role::Heading)),
        Span::styled(text::excerpt(&policy.command, columns.saturating_sub(7)).into_owned(), dim),
    ])];
    let median = policy
        .median_latency()
        .map(|latency| format!("   {} ms each", latency.as_millis()))
        .unwrap_or_default();
    let thinking = match policy.pending {
        Some(_) if seat.driver == Driver::Policy => {
            let since =
                seat.live.view.heard.map_or(0, |heard| app.now.since_start.saturating_sub(heard).as_secs());
            if since > 0 { format!("   thinking {since} s") } else { "   thinking".into() }
        }
        _ => String::new(),
    };
    let turns = if policy.turns == 1 { "1 turn".to_owned() } else { format!("{} turns", policy.turns) };
    lines.push(Line::styled(format!("{turns}{median}{thinking}"), dim));
    if let Some(note) = &policy.note {
        lines.push(Line::styled(
            format!("“{}”", text::excerpt(note, columns.saturating_sub(2))),
            theme.style(Role::Info),
        ));
    }
    if let Some(line) = policy.lines.back() {
        lines.push(Line::styled(text::fit(line, columns).into_owned(), dim));
    }
    lines
}

fn choices(seat: &OwnSeat, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
    if seat.driver == Driver::Policy {
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
        frame.render_widget(super::filter_line(&seat.list, seat.choices.len(), theme, area.width), head);
    } else {
        let steer = if seat.steers() { "  arrows play" } else { "" };
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
    rows(&seat.list, theme, frame, body, drawn, |nth| {
        choice_row(&seat.choices[nth], heaviest, columns, theme)
    });
}

fn choice_row(choice: &Choice, heaviest: f64, columns: usize, theme: &Theme) -> Line<'static> {
    const BAR: usize = 4;
    let room = columns.saturating_sub(BAR + 4);
    let label = text::excerpt(&choice.label, room).into_owned();
    let left = room.saturating_sub(text::width(&label) + 2);
    let json = if left >= 8 { text::excerpt(&choice.payload, left).into_owned() } else { String::new() };
    let gap = room.saturating_sub(text::width(&label) + text::width(&json));
    let share = if heaviest > 0.0 { choice.weight / heaviest } else { 0.0 };
    Line::from(vec![
        Span::raw(label),
        Span::raw(" ".repeat(gap)),
        Span::styled(json, theme.style(Role::Dim)),
        Span::styled(format!(" {}", text::pad(&widgets::bar(share, BAR), BAR)), theme.style(Role::Dim)),
    ])
}

/// The editor with its verdict.
fn draft_editor(seat: &OwnSeat, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let Some(draft) = &seat.draft else { return };
    let [head, body, verdict] =
        Layout::vertical([Constraint::Length(1), Constraint::Min(1), Constraint::Length(2)]).areas(area);
    frame.render_widget(Line::styled("action as JSON", theme.style(Role::Heading)), head);
    let (row, column) = draft.editor.cursor();
    let columns = usize::from(body.width).saturating_sub(1).max(1);
    let top = (row + 1).saturating_sub(usize::from(body.height));
    for (y, (nth, line)) in (body.y..body.bottom()).zip(draft.editor.rows().iter().enumerate().skip(top)) {
        let at = if nth == row { Some(column) } else { None };
        let spans = editor_line(line, at, columns, theme);
        frame.render_widget(Line::from(spans), Rect { y, height: 1, ..body });
    }
    let (role, words) = match read_action(&draft.editor.text()) {
        Ok(_) => (Role::Good, "✓ an action".to_owned()),
        Err(why) => (Role::Warn, format!("… {why}")),
    };
    let rows =
        text::wrap(&words, columns).into_iter().take(2).map(|row| Line::styled(row, theme.style(role)));
    frame.render_widget(Paragraph::new(rows.collect::<Vec<_>>()), verdict);
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

/// What the policy writes, newest last.
fn policy_log(seat: &OwnSeat, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let Some(policy) = &seat.policy else {
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
    let from = policy.lines.len().saturating_sub(usize::from(body.height));
    let columns = usize::from(body.width).saturating_sub(1);
    let lines: Vec<Line<'_>> = policy
        .lines
        .iter()
        .skip(from)
        .map(|line| Line::raw(format!(" {}", text::fit(line, columns))))
        .collect();
    frame.render_widget(Paragraph::new(lines), body);
}
