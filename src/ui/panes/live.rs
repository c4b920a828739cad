//! What watching and playing share: the title line, the drawn observation, the log, the timeline.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use serde_json::Value;

use crate::app::App;
use crate::app::fields::{Against, Fields};
use crate::app::live::{Link, Live, Outcome, Seen};
use crate::app::screen::Drawn;
use crate::app::timeline::Timeline;
use crate::text;
use crate::ui::marks;
use crate::ui::render::{self, SceneInput};
use crate::ui::screen::{tone, tone_mark};
use crate::ui::theme::{Role, Theme, seat_number};
use crate::ui::widgets;

/// The line that takes the place of the tabs while a session is on screen.
pub fn title(app: &App, live: &Live, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let dim = theme.style(Role::Dim);
    let back = if app.pane == crate::app::Pane::Play { "Games" } else { "Sessions" };
    let game = |columns| text::excerpt(live.view.game.as_deref().unwrap_or("session"), columns).into_owned();
    let mut left = if area.width < 60 {
        // The state goes before names.
        vec![Span::styled(format!(" ‹ {}  ", game(12)), theme.style(Role::Strong))]
    } else {
        vec![
            Span::styled(format!(" ‹ {back}   "), dim),
            Span::styled(game(28), theme.style(Role::Strong)),
            Span::styled(format!(" · {}   ", text::excerpt(&live.view.session_id, 16)), dim),
        ]
    };
    left.extend(state(app, live, theme));
    let shown = app.shown(live);
    let skipped = if live.skipped > 0 { skipped(live.skipped, area.width) } else { String::new() };
    let left = Line::from(left);
    let room = area.width.saturating_sub(left.width() as u16);
    let mut right = seats(shown, usize::from(room).saturating_sub(text::width(&skipped)), theme);
    right.push(Span::styled(skipped, theme.style(Role::Dim)));
    let right = Line::from(right);
    let [a, b] =
        Layout::horizontal([Constraint::Min(0), Constraint::Length(right.width() as u16)]).areas(area);
    frame.render_widget(left, a);
    frame.render_widget(right, b);
}

/// Observations that came too fast to be drawn.
fn skipped(count: u64, columns: u16) -> String {
    let count = text::grouped(count as f64, 0);
    if columns >= 120 { format!(" {count} not drawn, all recorded ") } else { format!(" {count} not drawn ") }
}

/// How the session and its link are doing, with the tick.
fn state(app: &App, live: &Live, theme: &Theme) -> Vec<Span<'static>> {
    let time = app.timeline(live.feed);
    let shown = app.shown(live);
    let (role, words) = match time.filter(|time| time.looks_back()) {
        Some(time) if time.is_recorded => (Role::Info, "▪ recorded".to_owned()),
        Some(_) => (Role::Info, "◂ past".to_owned()),
        None => link_words(app, live),
    };
    let most = shown.view.session.as_ref().and_then(|session| session.max_ticks);
    let tick = most.map_or_else(|| shown.view.tick.to_string(), |most| format!("{}/{most}", shown.view.tick));
    let mut spans = vec![Span::styled(words, theme.style(role)), Span::raw(format!("   tick {tick}  "))];
    if let Some(age) = age(app, live) {
        spans.push(Span::styled(format!("{age}  "), theme.style(Role::Dim)));
    }
    spans
}

/// How the link is doing.
fn link_words(app: &App, live: &Live) -> (Role, String) {
    let now = app.now.since_start;
    let silent = live.view.heard.map(|heard| now.saturating_sub(heard).as_secs());
    match (&live.view.outcome, &live.link) {
        (Some(_), _) => (Role::Strong, "■ ended".to_owned()),
        (None, Link::Open) if silent.is_some_and(|secs| secs >= 25) => {
            (Role::Warn, format!("● stalled {}", since(silent.unwrap_or(0))))
        }
        (None, Link::Open) => (Role::Good, "● live".to_owned()),
        (None, Link::Recorded) => (Role::Info, "▪ recorded".to_owned()),
        (None, Link::Connecting(1)) => (Role::Info, "◷ connecting".to_owned()),
        (None, Link::Connecting(attempt)) => (Role::Info, format!("◷ connecting, try {attempt}")),
        (None, Link::Lost { retry_at, .. }) => {
            let left = retry_at.saturating_sub(now).as_secs();
            (Role::Warn, format!("! link lost, again in {left} s"))
        }
        (None, Link::Ended { .. }) => (Role::Bad, "! closed".to_owned()),
    }
}

/// How old what is shown is, while more may come.
fn age(app: &App, live: &Live) -> Option<String> {
    let silent = app.now.since_start.saturating_sub(live.view.heard.filter(|_| live.is_live())?);
    Some(match silent.as_secs() {
        0 => "<1 s ago".to_owned(),
        secs => format!("{} ago", since(secs)),
    })
}

/// In whole minutes after the first, so that nothing moves every second for it.
pub fn since(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        _ => format!("{} h {:02} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

/// The seats with their names, as many as fit whole.
fn seats(live: &Live, columns: usize, theme: &Theme) -> Vec<Span<'static>> {
    let Some(session) = &live.view.session else { return Vec::new() };
    let mut spans = Vec::new();
    let mut used = 0;
    for seat in &session.seats {
        let id = text::excerpt(seat.player_id.as_str(), 8).into_owned();
        let number = seat_number(&id).unwrap_or(0);
        let glyph = format!("{} ", theme.seat_glyph(number));
        let name = format!(" {}  ", text::excerpt(seat.name.as_deref().unwrap_or(""), 12));
        used += text::width(&glyph) + text::width(&id) + text::width(&name);
        if used > columns {
            break;
        }
        spans.push(Span::styled(glyph, theme.seat(number)));
        spans.push(Span::raw(id));
        spans.push(Span::styled(name, theme.style(Role::Dim)));
    }
    spans
}

/// Whose observation is drawn.
pub struct View<'a> {
    /// The session.
    pub live: &'a Live,
    /// The number of the seat among those seen; 0 is the primary one.
    pub seat: usize,
    /// The observation itself instead of a drawing.
    pub raw: bool,
    /// Whether the seat is the user's own.
    pub mine: bool,
    /// Scroll offset.
    pub scroll: usize,
    /// The action about to be played.
    pub cursor: Option<&'a Value>,
    /// How it is looked at.
    pub fields: &'a Fields,
}

/// The observation before the one drawn; known of the primary seat only.
fn earlier<'a>(view: &View<'a>, seat: usize) -> Option<&'a Value> {
    view.live.view.previous.as_ref().filter(|_| seat == 0)
}

/// What a seat saw.
fn seat_of<'a>(seen: &'a Seen, player: &str) -> Option<&'a Value> {
    if seen.player == player {
        return Some(&seen.data);
    }
    seen.others.iter().find(|(other, _)| other == player).map(|(_, data)| data)
}

/// Draws the observation.
pub fn scene(view: &View<'_>, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let Some(seen) = &view.live.view.seen else {
        let words = match &view.live.link {
            Link::Lost { why, .. } | Link::Ended { why, .. } => text::clean(why).into_owned(),
            Link::Connecting(_) => "connecting …".to_owned(),
            Link::Open => "waiting for the first observation …".to_owned(),
            Link::Recorded => "nothing was seen yet".to_owned(),
        };
        return super::placeholder(&[(Role::Dim, words)], theme, frame, area);
    };
    let all: Vec<(&str, &Value)> = std::iter::once((seen.player.as_str(), &seen.data))
        .chain(seen.others.iter().map(|(player, data)| (player.as_str(), data)))
        .collect();
    let at = view.seat % all.len();
    let (player, data) = all[at];
    let about = view.fields.is_about(view.live.feed);
    if let Some(charts) = view.fields.charts.as_ref().filter(|_| about) {
        return super::charts::draw(charts, theme, frame, area, drawn);
    }
    let (since, previous) = match view.fields.against.as_ref().filter(|_| about) {
        Some(Against::Tick(tick, seen)) => (Some(format!("tick {tick}")), seat_of(seen, player)),
        Some(Against::Previous) => (Some("the tick before".to_owned()), earlier(view, at)),
        Some(Against::Asked { .. }) | None => (None, earlier(view, at)),
    };
    if view.raw {
        return super::tree::draw(view.fields, (data, previous), theme, frame, area, drawn);
    }
    let others: Vec<(String, &Value)> = all
        .iter()
        .enumerate()
        .filter(|(nth, _)| *nth != at)
        .map(|(_, (player, data))| ((*player).to_owned(), *data))
        .collect();
    let folds = render::Folds::default();
    let input = SceneInput {
        game: view.live.view.game.as_deref(),
        seat: player,
        mine: view.mine,
        data,
        others: &others,
        previous,
        trail: &view.live.view.trail,
        cursor: view.cursor,
        folds: &folds,
        renderers: theme.renderers.as_deref(),
        ascii: theme.ascii,
        view: view.fields.views.of(view.live.view.game.as_deref().unwrap_or_default()),
    };
    let mut scene = render::scene(&input);
    if let (Some(since), Some(previous)) = (since, previous) {
        render::list_changes(&mut scene, &since, previous, data);
    }
    let laid = render::draw_scene(&scene, theme, view.scroll as u16, frame.buffer_mut(), area);
    if let Some(find) = view.fields.find.as_ref().filter(|_| about) {
        mark_found(&find.text, theme, frame.buffer_mut(), area);
    }
    drawn.text_rows = usize::from(laid.page);
    drawn.text_lines = usize::from(laid.page) + usize::from(laid.max_scroll);
}

/// Marks what is searched for wherever it is drawn; `text` is in lower case.
pub fn mark_found(text: &str, theme: &Theme, buffer: &mut Buffer, area: Rect) {
    let area = area.intersection(buffer.area);
    let wanted: Vec<char> = text.chars().collect();
    if wanted.is_empty() {
        return;
    }
    let style = theme.style(Role::Accent).add_modifier(Modifier::UNDERLINED);
    for y in area.top()..area.bottom() {
        let row: Vec<char> = (area.left()..area.right())
            .map(|x| buffer[(x, y)].symbol().chars().next().unwrap_or(' '))
            .flat_map(|letter| letter.to_lowercase().take(1))
            .collect();
        for at in (0..row.len()).filter(|at| row[*at..].starts_with(&wanted)) {
            let found = Rect::new(area.x + at as u16, y, wanted.len() as u16, 1);
            buffer.set_style(found, style);
        }
    }
}

/// The newest lines of the log, newest last.
pub fn log(live: &Live, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width.saturating_sub(1));
    let from = live.view.log.len().saturating_sub(usize::from(area.height));
    let lines: Vec<Line<'_>> = live
        .view
        .log
        .iter()
        .skip(from)
        .map(|line| {
            Line::from(vec![
                Span::styled(format!(" {:>4} ", line.tick), theme.style(Role::Dim)),
                Span::styled(format!("{} ", tone_mark(line.tone)), tone(theme, line.tone)),
                Span::raw(text::fit(&line.text, columns.saturating_sub(8)).into_owned()),
            ])
        })
        .collect();
    frame.render_widget(Paragraph::new(lines), area);
}

/// The way through the session: a bar over the whole width, and its words below it where there is a second line.
pub fn timeline(app: &App, live: &Live, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let nothing = Timeline::default();
    let time = app.timeline(live.feed).unwrap_or(&nothing);
    widgets::timeline::draw(time, live, theme, frame, area, drawn);
}

/// How a match ended: places, scores, why, and what it cost.
pub fn outcome(
    live: &Live,
    outcome: &Outcome,
    mine: Option<&str>,
    columns: usize,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let name_columns = columns.saturating_sub(5 + 2 + 4 + 10 + 9).clamp(2, 15);
    let mut lines = Vec::new();
    if let Some(mine) = mine {
        let word = outcome.outcomes.get(mine).map_or("over", String::as_str);
        let role = match word {
            "won" => Role::Good,
            "lost" => Role::Bad,
            _ => Role::Strong,
        };
        let score = outcome.scores.get(mine).map(|score| format!("   score {}", text::decimal(*score, 4)));
        lines.push(Line::from(vec![
            Span::styled(format!(" {} ", text::excerpt(word, 20).to_uppercase()), theme.style(role).bold()),
            Span::styled(score.unwrap_or_default(), theme.style(Role::Strong)),
        ]));
        lines.push(Line::default());
    }
    let mut players: Vec<(&String, &f64)> = outcome.scores.iter().collect();
    players.sort_by(|a, b| b.1.total_cmp(a.1));
    for (player, score) in players.into_iter().take(8) {
        let number = seat_number(player).unwrap_or(0);
        let rank = outcome.ranks.get(player).map_or_else(|| " ".to_owned(), u64::to_string);
        let seat = live
            .view
            .session
            .as_ref()
            .and_then(|session| session.seats.iter().find(|seat| seat.player_id.as_str() == player));
        let name = seat.and_then(|seat| seat.name.clone());
        let word = outcome.outcomes.get(player).map_or("", String::as_str);
        let fate =
            marks::fate(seat.is_some_and(|seat| seat.failed), seat.is_some_and(|seat| seat.eliminated), word);
        lines.push(Line::from(vec![
            Span::styled(format!(" {rank:>2}. "), theme.style(Role::Dim)),
            Span::styled(format!("{} ", theme.seat_glyph(number)), theme.seat(number)),
            Span::raw(text::pad(&text::excerpt(player, 6), 4)),
            Span::raw(text::pad(&text::excerpt(&name.unwrap_or_default(), name_columns - 1), name_columns)),
            Span::raw(text::pad_left(&text::decimal(*score, 4), 10)),
            Span::styled(format!(" {}", text::excerpt(fate.word, 8)), theme.style(fate.role)),
        ]));
    }
    lines.push(Line::default());
    let reason = outcome.reason.as_deref().map_or_else(String::new, |reason| reason.replace('_', " "));
    let ticks = outcome.ticks.map_or_else(String::new, |ticks| format!(" after {ticks} ticks"));
    lines.push(Line::styled(format!(" {}{ticks}", text::excerpt(&reason, 40)), theme.style(Role::Dim)));
    if let Some(credits) = outcome.credits.or_else(|| live.view.session.as_ref()?.credits_used) {
        lines.push(Line::from(vec![
            Span::raw(" cost "),
            Span::styled(format!("{} cr", text::decimal(credits, 4)), theme.style(Role::Money)),
        ]));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::ColorDepth;

    #[test]
    fn what_is_searched_for_is_marked_wherever_it_stands() {
        let theme = Theme::new(ColorDepth::None, false);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 24, 2));
        buffer.set_string(0, 0, "│ Größe North 東north", ratatui::style::Style::new());
        mark_found("north", &theme, &mut buffer, Rect::new(0, 0, 90, 1));
        let marked: String = (0..24)
            .filter(|x| buffer[(*x, 0)].modifier.contains(Modifier::UNDERLINED))
            .map(|x| buffer[(x, 0)].symbol().to_owned())
            .collect();
        assert_eq!(marked, "Northnorth");
        mark_found("", &theme, &mut buffer, Rect::new(0, 1, 24, 1));
        assert!((0..24).all(|x| !buffer[(x, 1)].modifier.contains(Modifier::UNDERLINED)));
    }

    #[test]
    fn ages_stand_still_within_a_minute_after_the_first() {
        assert_eq!([59, 60, 119, 3_725].map(since), ["59 s", "1 min", "1 min", "1 h 02 min"]);
    }
}
