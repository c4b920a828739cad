//! Credits: what is left, what was spent on what and when, what is open now.

use std::borrow::Cow;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::api::model::{Balance, GameSlug, UsageEntry};
use crate::app::App;
use crate::app::panes::credits::{spent_on, when};
use crate::app::screen::Drawn;
use crate::text;
use crate::ui::screen::{WIDE, horizontal};
use crate::ui::theme::{Role, Theme};
use crate::ui::widgets::{self, Align};

use super::{ago, failure, placeholder};

/// Days in the chart, and on a narrow screen.
const DAYS: (usize, usize) = (14, 7);

/// Draws the pane.
pub fn draw(app: &App, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let pane = &app.credits;
    let Some(balance) = pane.balance.value() else {
        let lines = match pane.balance.failure() {
            Some(why) => failure(app, why),
            None => vec![(Role::Dim, "loading the balance …".to_owned())],
        };
        return placeholder(&lines, theme, frame, area);
    };
    let upper = if area.height >= 16 { 9 } else { 0 };
    let [head, _, charts, rule, table] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(upper),
        Constraint::Length(1),
        Constraint::Min(0),
    ])
    .areas(area);
    summary(app, balance, theme, frame, head);
    if upper > 0 {
        let days = if area.width < WIDE { DAYS.1 } else { DAYS.0 };
        let [chart, kinds, open] = Layout::horizontal([
            Constraint::Length(days as u16 * 3 + 8),
            Constraint::Fill(1),
            Constraint::Length(28),
        ])
        .spacing(1)
        .areas(charts);
        by_day(app, days, theme, frame, chart);
        by_kind(app, theme, frame, kinds);
        open_now(app, theme, frame, open);
    }
    horizontal(theme, frame, rule);
    entries(app, theme, frame, table, drawn);
}

fn summary(app: &App, balance: &Balance, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let dim = theme.style(Role::Dim);
    let held = balance.held.unwrap_or(0.0);
    let burn = app.credits.burn_per_hour(app.now.wall);
    let mut spans = vec![
        Span::styled(format!(" ◆ {} cr", text::credits(balance.credits)), theme.style(Role::Money).bold()),
        Span::styled("   held ", dim),
        Span::raw(text::credits(held)),
        Span::styled("   free ", dim),
        Span::raw(text::credits(balance.credits - held)),
        Span::styled("   spent in the last hour ", dim),
        Span::raw(text::decimal(burn, 4)),
    ];
    if area.width < 60 {
        spans.truncate(5); // What is left and what is free.
        spans.drain(1..3);
    } else if burn > 0.0 && area.width >= WIDE {
        spans.push(Span::styled("   lasts ", dim));
        spans.push(Span::raw(format!(
            "{} at this rate",
            text::duration(balance.credits.max(0.0) / burn * 3600.0)
        )));
    }
    frame.render_widget(Line::from(spans), area);
}

fn by_day(app: &App, n_days: usize, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let days = app.credits.by_day(app.now.wall, n_days);
    let most = days.iter().map(|(_, spent)| *spent).fold(0.0, f64::max);
    let tall = usize::from(area.height.saturating_sub(2));
    let dim = theme.style(Role::Dim);
    let mut lines = vec![Line::styled(" credits a day", theme.style(Role::Heading))];
    for row in (0..tall).rev() {
        let label = match row {
            _ if row + 1 == tall && most > 0.0 => text::decimal(most, 2),
            0 => "0".to_owned(),
            _ => String::new(),
        };
        let mut line = Line::from(Span::styled(format!("{} ", text::pad_left(&label, 6)), dim));
        for (_, spent) in &days {
            let eighths = if most > 0.0 { (spent / most * tall as f64 * 8.0).round() as usize } else { 0 };
            let fill = eighths.saturating_sub(row * 8).min(8);
            let glyph = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"][fill];
            line.push_span(Span::styled(format!("{glyph}{glyph} "), theme.style(Role::Money)));
        }
        lines.push(line);
    }
    let mut foot = Line::from(Span::styled(" ".repeat(7), dim));
    for (nth, (date, _)) in days.iter().enumerate() {
        // Every other day is named; two figures and a blank.
        let label = if nth % 2 == n_days % 2 { "   ".to_owned() } else { format!("{:>2} ", date.day()) };
        foot.push_span(Span::styled(label, dim));
    }
    lines.push(foot);
    frame.render_widget(Paragraph::new(lines), area);
}

fn by_kind(app: &App, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let kinds = app.credits.by_kind();
    let most = kinds.first().map_or(0.0, |(_, spent)| *spent);
    let bar = usize::from(area.width).saturating_sub(24).min(20);
    let mut lines = vec![Line::styled("by kind", theme.style(Role::Heading))];
    if kinds.is_empty() {
        lines.push(Line::styled("nothing was spent yet", theme.style(Role::Dim)));
    }
    for (kind, spent) in kinds.into_iter().take(usize::from(area.height.saturating_sub(1))) {
        lines.push(Line::from(vec![
            Span::raw(text::pad(&text::excerpt(kind, 11), 12)),
            Span::raw(text::pad_left(&format!("{spent:.4}"), 8)),
            Span::styled(
                format!("  {}", widgets::bar(if most > 0.0 { spent / most } else { 0.0 }, bar)),
                theme.style(Role::Money),
            ),
        ]));
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn open_now(app: &App, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let dim = theme.style(Role::Dim);
    let mut lines = vec![Line::styled("open now", theme.style(Role::Heading))];
    for seat in app.play.live().take(usize::from(area.height.saturating_sub(2))) {
        let game = text::excerpt(seat.live.view.game.as_deref().unwrap_or("session"), 18).into_owned();
        let spent = seat.live.view.tick as f64 * crate::app::TICK_PRICE;
        lines.push(Line::from(vec![
            Span::styled("▶ ", theme.style(Role::Accent)),
            Span::raw(format!("{game} ")),
            Span::styled(format!("{} cr so far", text::decimal(spent, 4)), dim),
        ]));
    }
    if lines.len() == 1 {
        lines.push(Line::styled("nothing of yours burns", dim));
    } else {
        lines.push(Line::styled("3 goes there, x leaves", dim));
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn entries(app: &App, theme: &Theme, frame: &mut Frame<'_>, area: Rect, drawn: &mut Drawn) {
    let pane = &app.credits;
    let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
    if pane.entries().is_empty() {
        let words = match pane.usage.failure() {
            Some(why) => format!("✗ {why}: {}", why.why()),
            None if pane.usage.is_loading() => "loading the usage …".to_owned(),
            None => "No usage yet.".to_owned(),
        };
        return placeholder(&[(Role::Dim, words)], theme, frame, area);
    }
    let mut widths = if area.width < 60 { [6, 0, 0, 6, 9] } else { [10, 10, 0, 7, 11] };
    let taken = widths.iter().sum::<usize>() + widths.len() * widgets::GAP + 1;
    widths[2] = usize::from(area.width).saturating_sub(taken).clamp(8, 60);
    let aligns = [Align::Left, Align::Left, Align::Left, Align::Right, Align::Right];
    let dim = theme.style(Role::Dim);
    let titles = ["when", "kind", "what", "ticks", "credits"].map(|title| (Cow::Borrowed(title), dim));
    let mut header = widgets::table_line(&titles, &aligns, &widths);
    header.spans.insert(0, Span::raw(" "));
    frame.render_widget(header, head);
    drawn.text_rows = usize::from(body.height);
    drawn.text_lines = pane.entries().len();
    let from = pane.scroll.min(drawn.max_scroll());
    for (y, entry) in (body.y..body.bottom()).zip(pane.entries().iter().skip(from)) {
        let mut line = entry_line(app, entry, &widths, &aligns, theme);
        line.spans.insert(0, Span::raw(" "));
        frame.render_widget(line, Rect { y, height: 1, ..body });
    }
}

fn entry_line(
    app: &App,
    entry: &UsageEntry,
    widths: &[usize],
    aligns: &[Align],
    theme: &Theme,
) -> Line<'static> {
    let cell = |words: String| (Cow::Owned(words), theme.style(Role::Text));
    let spent = spent_on(entry);
    let (sign, role) = match spent {
        s if s < 0.0 => ("+", Role::Good),
        s if s > 0.0 => ("−", Role::Money),
        _ => ("", Role::Dim),
    };
    let what = entry.description.as_deref().or(entry.game.as_ref().map(GameSlug::as_str)).unwrap_or("");
    let cells = [
        cell(when(entry.created_at.as_deref()).map(|at| ago(app.now.wall, at)).unwrap_or_default()),
        cell(text::excerpt(entry.kind.as_deref().unwrap_or("other"), 12).into_owned()),
        cell(text::excerpt(what, widths[2]).into_owned()),
        cell(entry.ticks.map(|ticks| ticks.to_string()).unwrap_or_default()),
        (Cow::Owned(format!("{sign}{:.4}", spent.abs())), theme.style(role)),
    ];
    widgets::table_line(&cells, aligns, widths)
}
