//! The seat: who drives it and how well, its clock, what was played last, what a shadow thinks.

use ratatui::text::{Line, Span};

use crate::app::App;
use crate::app::panes::play::{Answered, Driver, OwnSeat, PolicySeat, ProviderSeat, Shadow, in_words};
use crate::text;
use crate::ui::screen::{tone, tone_mark};
use crate::ui::theme::{Role, Theme, seat_number};

/// The most lines a notice takes.
const NOTICE: usize = 4;
/// The most lines an answer that is being written takes.
const STREAMED: usize = 3;
/// Own seats listed.
const SEATS: usize = 6;

/// How much fits.
#[derive(Clone, Copy)]
pub(super) struct Room {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// The lines about a seat, as many as there is room for; `whole` if nothing else is in their column.
pub(super) fn lines(app: &App, seat: &OwnSeat, theme: &Theme, room: Room, whole: bool) -> Vec<Line<'static>> {
    // On a low screen the choices come first.
    if room.rows < 8 {
        return Vec::new();
    }
    let mut lines = vec![who(app, seat, theme, room.columns)];
    if seat.live.is_live() && (whole || room.rows >= 14) {
        lines.push(drivers(seat, theme));
    }
    let air = |lines: &mut Vec<Line<'static>>| {
        if whole {
            lines.push(Line::default());
        }
    };
    if app.play.seats.len() > 1 {
        air(&mut lines);
        lines.extend(seats(app, theme, room.columns));
    }
    if let (Driver::Provider, Some(provider)) = (seat.driver, &seat.provider) {
        air(&mut lines);
        lines.push(provider_line(app, provider, theme));
    }
    if let Some(policy) = &seat.policy {
        air(&mut lines);
        let drives = seat.driver == Driver::Policy;
        lines.extend(policy_lines(app, seat, policy, drives, theme, room.columns));
    }
    if let Some(shadow) = &seat.shadow {
        air(&mut lines);
        lines.extend(shadow_lines(seat, shadow, theme, room.columns));
    }
    let last = last_lines(seat, theme, room.columns, if whole { 4 } else { 1 });
    if whole || room.rows >= 14 {
        air(&mut lines);
        lines.extend(last);
    }
    lines
}

/// The seat, its driver and its score. What does not fit whole is left out: half a number would be another one.
fn who(app: &App, seat: &OwnSeat, theme: &Theme, columns: usize) -> Line<'static> {
    let number = seat_number(&seat.player_id).unwrap_or(0);
    let data = seat.live.view.seen.as_ref().map(|seen| &seen.data);
    let score = seat.live.view.scores.get(&seat.player_id).copied().or_else(|| data?.get("score")?.as_f64());
    let mut line = Line::from(vec![
        Span::styled(format!("{} ", theme.seat_glyph(number)), theme.seat(number)),
        Span::styled(text::excerpt(&seat.player_id, 10).into_owned(), theme.style(Role::Strong)),
        Span::styled("  driven by ", theme.style(Role::Dim)),
        Span::raw(text::excerpt(&driver(seat), 16).into_owned()),
    ]);
    let mut more = Vec::new();
    // At the end it stands large below.
    if let Some(score) = score.filter(|_| seat.live.view.outcome.is_none()) {
        more.push(("  score ".to_owned(), text::decimal(score, 2)));
    }
    if app.play.seats.len() > 1 {
        more.push((format!("  {} of {} (s)", app.play.at + 1, app.play.seats.len()), String::new()));
    }
    for (label, value) in more {
        if line.width() + text::width(&label) + text::width(&value) <= columns {
            line.push_span(Span::styled(label, theme.style(Role::Dim)));
            line.push_span(Span::styled(value, theme.style(Role::Strong)));
        }
    }
    line
}

/// Who drives, in a word.
fn driver(seat: &OwnSeat) -> String {
    match (seat.driver, &seat.policy, &seat.provider) {
        (Driver::Human, ..) => "you".into(),
        (Driver::Policy, Some(policy), _) => policy.title(),
        (Driver::Policy, None, _) => "policy".into(),
        (Driver::Provider, _, Some(provider)) => text::clean(&provider.title()).into_owned(),
        (Driver::Provider, _, None) => "provider".into(),
    }
}

/// The three drivers with their keys, the present one marked.
fn drivers(seat: &OwnSeat, theme: &Theme) -> Line<'static> {
    let all =
        [("h", "you", Driver::Human), ("c", "command", Driver::Policy), ("v", "provider", Driver::Provider)];
    let mut spans = Vec::new();
    for (key, label, driver) in all {
        let on = seat.driver == driver;
        spans.push(Span::styled(key, theme.style(Role::Key)));
        let style = theme.style(if on { Role::Strong } else { Role::Dim });
        spans.push(Span::styled(format!(" {label}{}  ", if on { " ●" } else { "" }), style));
    }
    Line::from(spans)
}

/// Own seats, a line each: who drives, whether it is asked, what it played last.
fn seats(app: &App, theme: &Theme, columns: usize) -> Vec<Line<'static>> {
    let from = (app.play.at + 1).saturating_sub(SEATS);
    let row = |(nth, seat): (usize, &OwnSeat)| {
        let number = seat_number(&seat.player_id).unwrap_or(0);
        let turn = if seat.wants_decision() { "◷" } else { " " };
        let last = seat.last.as_ref().map_or_else(String::new, |last| last.words.clone());
        let used = 2 + 2 + 4 + 2 + 11;
        Line::from(vec![
            Span::raw(if nth == app.play.at { "▸ " } else { "  " }),
            Span::styled(format!("{} ", theme.seat_glyph(number)), theme.seat(number)),
            Span::raw(text::pad(&text::excerpt(&seat.player_id, 4), 4)),
            Span::styled(format!("{turn} "), theme.style(Role::Good)),
            Span::raw(text::pad(&text::excerpt(&driver(seat), 10), 11)),
            Span::styled(
                text::excerpt(&last, columns.saturating_sub(used)).into_owned(),
                theme.style(Role::Dim),
            ),
        ])
    };
    app.play.seats.iter().enumerate().skip(from).take(SEATS).map(row).collect()
}

/// Whose turn it is, and how long it lasts; nothing after the match.
pub(super) fn clock(app: &App, seat: &OwnSeat, theme: &Theme) -> Option<Line<'static>> {
    if seat.live.view.outcome.is_some() {
        return None;
    }
    let (role, words) = match (&seat.sent, &seat.answered) {
        (Some(sent), _) if sent.payload.is_none() => (Role::Info, "◷ it decides …".to_owned()),
        (Some(_), _) => (Role::Info, "◷ sent …".to_owned()),
        (None, Some(Answered::Accepted { tick })) => {
            (Role::Good, format!("✓ accepted at tick {tick}, waiting for the others"))
        }
        (None, Some(Answered::Refused { .. })) => (Role::Bad, "✗ refused, try another".to_owned()),
        (None, None) if seat.wants_decision() && seat.driver != Driver::Human => {
            (Role::Good, "● its turn".to_owned())
        }
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
    Some(Line::from(spans))
}

/// Why something was refused, or what else there is to say.
pub(super) fn notices(seat: &OwnSeat, theme: &Theme, room: Room) -> Vec<Line<'static>> {
    let most = if room.rows < 8 { 1 } else { NOTICE };
    let mut lines = Vec::new();
    let mut say = |role_style, mark: &str, words: &str| {
        for (nth, row) in text::wrap(words, room.columns.saturating_sub(2)).into_iter().take(most).enumerate()
        {
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
    lines.truncate(if room.rows < 8 { 1 } else { usize::MAX });
    lines
}

fn policy_lines(
    app: &App,
    seat: &OwnSeat,
    policy: &PolicySeat,
    drives: bool,
    theme: &Theme,
    columns: usize,
) -> Vec<Line<'static>> {
    let dim = theme.style(Role::Dim);
    let mut lines = vec![Line::from(vec![
        Span::styled("policy ", theme.style(Role::Heading)),
        Span::styled(text::excerpt(&policy.command, columns.saturating_sub(7)).into_owned(), dim),
    ])];
    let now = app.now.since_start;
    let doing = match (policy.pending, policy.restart_at) {
        (_, Some(at)) => format!("   starts again in {} s", at.saturating_sub(now).as_secs() + 1),
        (Some(_), None) if drives => {
            let since = seat.live.view.heard.map_or(0, |heard| now.saturating_sub(heard).as_secs());
            let what = if policy.streamed.is_empty() { "thinking" } else { "writing" };
            if since > 0 { format!("   {what} {since} s") } else { format!("   {what}") }
        }
        _ => String::new(),
    };
    lines.push(Line::styled(text::fit(&format!("{}{doing}", timing(policy)), columns).into_owned(), dim));
    if let Some(tokens) = policy.tokens_told() {
        lines.push(Line::styled(text::fit(&tokens, columns).into_owned(), dim));
    }
    if !drives {
        return lines;
    }
    if policy.streamed.is_empty() {
        if let Some(note) = &policy.note {
            let note = format!("“{}”", text::excerpt(note, columns.saturating_sub(2)));
            lines.push(Line::styled(note, theme.style(Role::Info)));
        }
        if let Some(line) = policy.lines.back() {
            lines.push(Line::styled(text::fit(line, columns).into_owned(), dim));
        }
    } else {
        let rows: Vec<String> = policy.streamed.lines().flat_map(|line| text::wrap(line, columns)).collect();
        let newest = rows.into_iter().rev().take(STREAMED).collect::<Vec<_>>().into_iter().rev();
        lines.extend(newest.map(|row| Line::styled(row, theme.style(Role::Info))));
    }
    lines
}

/// How many turns a policy had, and how long they took.
fn timing(policy: &PolicySeat) -> String {
    let turns = if policy.turns == 1 { "1 turn".to_owned() } else { format!("{} turns", policy.turns) };
    match (policy.latency(50), policy.latency(99)) {
        (Some(middle), Some(slow)) if policy.turns > 1 => {
            format!("{turns}   {} ms each, p99 {} ms", middle.as_millis(), slow.as_millis())
        }
        (Some(middle), _) => format!("{turns}   {} ms each", middle.as_millis()),
        _ => turns,
    }
}

fn provider_line(app: &App, provider: &ProviderSeat, theme: &Theme) -> Line<'static> {
    let turns = if provider.turns == 1 { "1 turn".to_owned() } else { format!("{} turns", provider.turns) };
    let doing = provider.pending.map_or_else(String::new, |(_, since)| {
        format!("   deciding {} s", app.now.since_start.saturating_sub(since).as_secs())
    });
    Line::from(vec![
        Span::styled("provider ", theme.style(Role::Heading)),
        Span::styled(format!("{turns}{doing}"), theme.style(Role::Dim)),
    ])
}

/// What the shadow would play: hidden while the user decides, unless asked for.
fn shadow_lines(seat: &OwnSeat, shadow: &Shadow, theme: &Theme, columns: usize) -> Vec<Line<'static>> {
    let dim = theme.style(Role::Dim);
    let tick = seat.live.view.tick;
    let would = shadow.would.as_ref().filter(|(answered, _)| *answered == tick);
    let spoils = seat.driver == Driver::Human && seat.wants_decision() && !shadow.shown;
    let words = match would {
        None if shadow.policy.pending.is_some() => "thinks".to_owned(),
        None => "waits".to_owned(),
        Some(_) if spoils => "has decided; w shows it".to_owned(),
        Some((_, payload)) => format!("would play {}", in_words(payload)),
    };
    let agrees = match shadow.compared {
        0 => String::new(),
        compared => format!("  agrees {} of {compared}", shadow.agrees),
    };
    let room = columns.saturating_sub(7 + text::width(&agrees));
    vec![
        Line::from(vec![
            Span::styled("shadow ", theme.style(Role::Heading)),
            Span::raw(text::excerpt(&shadow.policy.title(), room).into_owned()),
            Span::styled(agrees, dim),
        ]),
        Line::raw(format!("  {}", text::excerpt(&words, columns.saturating_sub(2)))),
    ]
}

/// What was played last: for this seat and by whom; with more room what the session's log says of all.
fn last_lines(seat: &OwnSeat, theme: &Theme, columns: usize, most: usize) -> Vec<Line<'static>> {
    if let (1, Some(last)) = (most, &seat.last) {
        let room = columns.saturating_sub(8);
        let by = text::excerpt(&last.by, room.min(24)).into_owned();
        let words = text::excerpt(&last.words, room.saturating_sub(text::width(&by))).into_owned();
        return vec![Line::from(vec![
            Span::styled("last  ", theme.style(Role::Dim)),
            Span::raw(by),
            Span::styled(format!("  {words}"), theme.style(Role::Dim)),
        ])];
    }
    let log = &seat.live.view.log;
    let shown = log.iter().rev().take(most).collect::<Vec<_>>().into_iter().rev();
    shown
        .enumerate()
        .map(|(nth, line)| {
            let head = if nth == 0 { "last  " } else { "      " };
            Line::from(vec![
                Span::styled(head, theme.style(Role::Dim)),
                Span::styled(format!("{} ", tone_mark(line.tone)), tone(theme, line.tone)),
                Span::raw(text::excerpt(&line.text, columns.saturating_sub(8)).into_owned()),
            ])
        })
        .collect()
}
