//! The catalogue: games at the left, the rules of the selected one at the right, facts beside them where there is room.

use std::borrow::Cow;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use crate::api::model::{Extra, Game, GameDetail, Json};
use crate::app::screen::Drawn;
use crate::app::{App, TICK_PRICE};
use crate::text;
use crate::ui::screen::{horizontal, vertical};
use crate::ui::theme::{Role, Theme};
use crate::ui::widgets::{self, Align};

use super::{failure, filter_line, placeholder, rows, scrolled};

/// Width of the list where the rules stand beside it.
const LIST: u16 = 48;
/// Width of the facts, and the width from which they are shown.
const FACTS: (u16, u16) = (46, 150);

/// Draws the pane.
pub fn draw(app: &App, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let pane = &app.games;
    if pane.reading && pane.selected().is_some() {
        return rules(app, theme, frame, area, drawn);
    }
    if !drawn.wide || pane.items().is_empty() {
        return list(app, theme, frame, area, drawn);
    }
    let facts_width = if area.width >= FACTS.1 { FACTS.0 } else { 0 };
    let [left, rule, middle, rule2, right] = Layout::horizontal([
        Constraint::Length(LIST),
        Constraint::Length(2),
        Constraint::Min(20),
        Constraint::Length(if facts_width > 0 { 2 } else { 0 }),
        Constraint::Length(facts_width),
    ])
    .areas(area);
    list(app, theme, frame, left, drawn);
    vertical(theme, frame, Rect { width: 1, ..rule });
    rules(app, theme, frame, middle, drawn);
    if facts_width > 0 {
        vertical(theme, frame, Rect { width: 1, ..rule2 });
        facts(app, theme, frame, right);
    }
}

fn list(app: &App, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let pane = &app.games;
    if pane.items().is_empty() {
        let lines = match pane.games.failure() {
            Some(why) => failure(app, why),
            None if pane.games.value().is_some() => vec![(Role::Dim, "The server has no games.".to_owned())],
            None => vec![(Role::Dim, "loading the games …".to_owned())],
        };
        return placeholder(&lines, theme, frame, area);
    }
    let [filter, tags, head, body] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(3),
        Constraint::Length(1),
        Constraint::Min(0),
    ])
    .areas(area);
    frame.render_widget(filter_line(&pane.list, pane.items().len(), theme, area.width), filter);
    frame.render_widget(
        ratatui::widgets::Paragraph::new(tag_lines(app, theme, usize::from(area.width))),
        tags,
    );
    let name = name_width(area.width);
    let widths = [name, 6, 6, 7];
    let aligns = [Align::Left, Align::Right, Align::Right, Align::Left];
    let dim = theme.style(Role::Dim);
    let titles = ["game", "seats", "ticks", "now"].map(|title| (Cow::Borrowed(title), dim));
    let mut header = widgets::table_line(&titles, &aligns, &widths);
    header.spans.insert(0, Span::raw("  "));
    frame.render_widget(header, head);
    rows(&pane.list, theme, frame, body, drawn, |item| {
        let game = &pane.items()[item];
        let live = app.sessions.items().iter().filter(|s| s.game == game.slug && s.status.is_live()).count();
        let now = if live > 0 { format!("● {live}") } else { String::new() };
        let cells = [
            (Cow::Owned(text::excerpt(game.slug.as_str(), name).into_owned()), theme.style(Role::Text)),
            (Cow::Owned(seats(game)), theme.style(Role::Text)),
            (
                Cow::Owned(game.canonical_ticks.map_or_else(String::new, |t| t.to_string())),
                theme.style(Role::Text),
            ),
            (Cow::Owned(now), theme.style(Role::Good)),
        ];
        widgets::table_line(&cells, &aligns, &widths)
    });
    if pane.list.shown().is_empty() {
        placeholder(&[(Role::Dim, "No game matches; Esc shows all.".into())], theme, frame, body);
    }
}

fn name_width(width: u16) -> usize {
    usize::from(width).saturating_sub(6 + 6 + 7 + 3 * widgets::GAP + 3).clamp(8, 32)
}

/// The tags with how many games have them, the most common first, on as many lines as there is room for.
fn tag_lines(app: &App, theme: &Theme, columns: usize) -> Vec<Line<'static>> {
    const LINES: usize = 2;
    let mut lines = vec![Line::from(Span::raw(" "))];
    let mut used = 1;
    let mut facets = app.games.facets();
    // The chosen tag is always in sight.
    if let Some(at) = app.games.tag.as_ref().and_then(|tag| facets.iter().position(|(name, _)| name == tag)) {
        let chosen = facets.remove(at);
        facets.insert(0, chosen);
    }
    for (tag, count) in facets {
        let words = format!("{} {count}", text::excerpt(tag, 24));
        let wide = text::width(&words) + 2;
        if used + wide > columns && lines.len() == LINES {
            break;
        }
        if used + wide > columns {
            lines.push(Line::from(Span::raw(" ")));
            used = 1;
        }
        used += wide;
        let chosen = app.games.tag.as_deref() == Some(tag);
        if let Some(line) = lines.last_mut() {
            line.push_span(Span::styled(words, theme.style(if chosen { Role::Selected } else { Role::Dim })));
            line.push_span(Span::raw("  "));
        }
    }
    lines
}

/// `2–8`, or `4`.
fn seats(game: &Game) -> String {
    match (game.min_players, game.max_players) {
        (Some(least), Some(most)) if least == most => least.to_string(),
        (Some(least), Some(most)) => format!("{least}–{most}"),
        _ => String::new(),
    }
}

fn rules(app: &App, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let Some(game) = app.games.selected() else { return };
    let [head, body, rule, foot] = Layout::vertical([
        Constraint::Length(3),
        Constraint::Min(0),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area });
    let columns = usize::from(head.width);
    let arena = app.games.detail(game.slug.as_str()).and_then(|detail| detail.config.decode::<bool>("arena"));
    let edition = if arena == Some(true) { "arena edition" } else { "" };
    let title = text::excerpt(game.title(), columns.saturating_sub(15)).into_owned();
    let gap = columns.saturating_sub(text::width(&title) + text::width(edition));
    frame.render_widget(
        Line::from(vec![
            Span::styled(title, theme.style(Role::Title)),
            Span::raw(" ".repeat(gap)),
            Span::styled(edition, theme.style(Role::Dim)),
        ]),
        Rect { height: 1, ..head },
    );
    let line = Line::raw(text::fit(&summary(game), columns).into_owned());
    frame.render_widget(line, Rect { y: head.y + 1, height: 1, ..head });
    scrolled(body_lines(app, game, theme, columns), app.games.scroll, frame, body, drawn);
    horizontal(theme, frame, rule);
    frame.render_widget(price_line(app, game, theme, drawn), foot);
}

fn summary(game: &Game) -> String {
    let mut parts = Vec::new();
    if !seats(game).is_empty() {
        parts.push(format!("{} seats", seats(game)));
    }
    if let Some(turns) = game.turn_based {
        parts.push(if turns { "turn-based" } else { "simultaneous" }.to_owned());
    }
    parts.extend(game.canonical_ticks.map(|ticks| format!("{ticks} ticks")));
    parts.extend((!game.tags.is_empty()).then(|| text::clean(&game.tags.join(" ")).into_owned()));
    parts.join(" · ")
}

fn body_lines(app: &App, game: &Game, theme: &Theme, columns: usize) -> Vec<Line<'static>> {
    let prompt = app.games.detail(game.slug.as_str()).and_then(|detail| detail.prompt.as_deref());
    if let Some(prompt) = prompt {
        return widgets::markdown(prompt, columns, theme);
    }
    let mut lines: Vec<Line<'static>> =
        text::wrap(&text::clean(game.description.as_deref().unwrap_or("")), columns)
            .into_iter()
            .map(Line::from)
            .collect();
    lines.push(Line::default());
    lines.push(match app.games.loading(game.slug.as_str()).and_then(|detail| detail.failure()) {
        Some(why) => Line::styled(format!("✗ {why}: {}; R tries again", why.why()), theme.style(Role::Bad)),
        None => Line::styled("loading the rules …", theme.style(Role::Dim)),
    });
    lines
}

fn price_line(app: &App, game: &Game, theme: &Theme, drawn: &Drawn) -> Line<'static> {
    let live = app.sessions.items().iter().filter(|s| s.game == game.slug && s.status.is_live()).count();
    let mut spans = vec![Span::styled(format!("{TICK_PRICE} cr/tick"), theme.style(Role::Money))];
    if let Some(ticks) = game.canonical_ticks {
        let whole = ticks as f64 * TICK_PRICE;
        spans.push(Span::styled(
            format!(" → {} cr a full match", text::decimal(whole, 4)),
            theme.style(Role::Dim),
        ));
    }
    if live > 0 {
        spans.push(Span::styled(format!("   ● {live} live"), theme.style(Role::Good)));
    }
    if drawn.max_scroll() > 0 && drawn.text_rows > 0 {
        let percent = (app.games.scroll.min(drawn.max_scroll()) * 100) / drawn.max_scroll();
        spans.push(Span::styled(format!("   J K {percent} %"), theme.style(Role::Dim)));
    }
    Line::from(spans)
}

/// The record's flags and its schema of an action.
fn facts(app: &App, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let Some(detail) = app.games.selected().and_then(|game| app.games.detail(game.slug.as_str())) else {
        return;
    };
    let columns = usize::from(area.width.saturating_sub(1));
    let mut lines = vec![Line::styled("Record", theme.style(Role::Heading))];
    lines.extend(flags(detail).into_iter().map(|(name, value)| {
        Line::from(vec![
            Span::styled(text::pad(&name, 20), theme.style(Role::Dim)),
            Span::raw(text::fit(&value, columns.saturating_sub(20)).into_owned()),
        ])
    }));
    lines.push(Line::default());
    if let Some(schema) = &detail.action_schema {
        lines.push(Line::styled("Action schema", theme.style(Role::Heading)));
        let pretty = schema
            .decode::<serde_json::Value>()
            .ok()
            .and_then(|value| serde_json::to_string_pretty(&value).ok());
        let pretty = text::clean_lines(&pretty.unwrap_or_default()).into_owned();
        lines.extend(
            pretty
                .lines()
                .map(|row| Line::styled(text::fit(row, columns).into_owned(), theme.style(Role::Dim))),
        );
    }
    lines.truncate(usize::from(area.height));
    frame.render_widget(ratatui::widgets::Paragraph::new(lines), area);
}

fn flags(detail: &GameDetail) -> Vec<(String, String)> {
    let mut flags = vec![("slug".to_owned(), detail.slug.to_string())];
    let versions = [("game version", &detail.game_version), ("score version", &detail.score_version)];
    flags.extend(
        versions
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), plain(value.as_ref()?.get())))),
    );
    flags.extend(detail.league.as_ref().and_then(league).map(|words| ("league".to_owned(), words)));
    flags.extend(detail.config.iter().map(|(name, value)| (name.replace('_', " "), plain(value.get()))));
    // What is itself an object is for the raw view.
    flags.retain(|(_, value)| !value.starts_with(['{', '[']));
    flags
        .iter()
        .map(|(name, value)| (text::clean(name).into_owned(), text::clean(value).into_owned()))
        .collect()
}

/// How many opponents are rated, and from where to where.
fn league(league: &Json) -> Option<String> {
    let league: Extra = league.decode().ok()?;
    let rated: u64 = league.decode("rated")?;
    let elo = |name: &str| league.decode::<f64>(name).filter(|elo| elo.is_finite());
    Some(match (elo("min_elo"), elo("max_elo")) {
        (Some(low), Some(high)) => format!("{rated} rated, Elo {low:.0} to {high:.0}"),
        _ => format!("{rated} rated"),
    })
}

/// A JSON scalar without its quotes.
fn plain(json: &str) -> String {
    json.trim_matches('"').to_owned()
}
