//! Panels that are lines of text: tables, facts, gauges, ladders, logs, text, trees.
//!
//! Each says how many lines it has for a width and gives those in a window; only these are formatted.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::scene::{Body, Column, Fact, Gauge, Ladder, Level, Part, Passage, Rows, Table, Words};
use super::super::tree::{tree_len, tree_line, tree_rows};
use super::super::values::{Change, inline};
use super::hands;
use crate::text;
use crate::ui::theme::{Role, Theme};
use crate::ui::widgets::{Align, bar, column_widths, gauge, sparkline, table_line};

/// Columns of a sparkline beside a value.
const TREND: usize = 8;
/// A cell of a table is not wider.
const MAX_CELL: usize = 32;
/// Rows that decide how wide a table's columns are.
const MEASURED: usize = 64;
/// Text is not read beyond this.
const MAX_TEXT: usize = 16 * 1024;

/// Lines of a body at a width, except of those that are pictures.
pub(in super::super) fn line_count(body: &Body<'_>, width: usize) -> usize {
    match body {
        Body::Grid(_) | Body::Series(_) => 0,
        Body::Hands(hands) => hands.len(),
        Body::Ladder(ladder) => ladder.asks.len().max(ladder.bids.len()) * 2 + 1,
        Body::Table(table) => table.rows.len() + 1,
        Body::Gauges(gauges) => gauges.len(),
        Body::Facts(facts) => facts.len().div_ceil(FactGrid::of(facts, width).across),
        Body::Log(entries) => entries.len(),
        Body::Text(text) => text::wrap(&shown_text(text), width).len(),
        Body::Passages(passages) => passage_rows(passages, width).count(),
        Body::Tree(tree) => tree_len(tree),
    }
}

/// The lines of a body in a window, of `height` lines in all.
pub(in super::super) fn lines(
    body: &Body<'_>,
    title: &Words<'_>,
    (width, height): (usize, usize),
    window: Range<usize>,
    theme: &Theme,
) -> Vec<Line<'static>> {
    match body {
        Body::Grid(_) | Body::Series(_) => Vec::new(),
        Body::Hands(hands) => pick(hands::lines(hands, width, height, theme), window),
        Body::Ladder(ladder) => pick(ladder_lines(ladder, width, height, theme), window),
        Body::Table(table) => table_lines(table, title, width, window, theme),
        Body::Gauges(gauges) => pick(gauge_lines(gauges, width, theme), window),
        Body::Facts(facts) => fact_lines(facts, width, window, theme),
        Body::Log(entries) if height < entries.len().min(4) => {
            pick(flow_lines(entries, width, height, theme), window)
        }
        Body::Log(entries) => {
            window.filter_map(|nth| entries.get(nth)).map(|entry| words_line(entry, width, theme)).collect()
        }
        Body::Text(text) => {
            pick(text::wrap(&shown_text(text), width), window).into_iter().map(Line::from).collect()
        }
        Body::Passages(passages) => {
            let rows: Vec<_> = passage_rows(passages, width).skip(window.start).take(window.len()).collect();
            rows.into_iter().map(|row| row.line(width, theme)).collect()
        }
        Body::Tree(tree) => tree_rows(tree, window).iter().map(|row| tree_line(row, width, theme)).collect(),
    }
}

/// A row of a passage: its lead stands before the first.
struct PassageRow<'p, 'a> {
    passage: &'p Passage<'a>,
    lead: usize,
    first: bool,
    text: String,
}

impl PassageRow<'_, '_> {
    fn line(&self, width: usize, theme: &Theme) -> Line<'static> {
        let mark = if self.passage.changed && self.first { "•" } else { " " };
        let mut line = Line::from(Span::styled(mark.to_owned(), theme.style(Role::Changed)));
        if self.lead > 0 {
            let lead =
                if self.first { words_line(&self.passage.lead, self.lead, theme) } else { Line::default() };
            let gap = self.lead + 2 - lead.width().min(self.lead);
            line.spans.extend(lead.spans);
            line.push_span(Span::raw(" ".repeat(gap)));
        }
        line.push_span(Span::raw(text::fit(&self.text, width.saturating_sub(line.width())).into_owned()));
        line
    }
}

fn passage_rows<'p, 'a>(
    passages: &'p [Passage<'a>],
    width: usize,
) -> impl Iterator<Item = PassageRow<'p, 'a>> {
    let wished = passages.iter().map(|passage| words_width(&passage.lead)).max().unwrap_or(0);
    let lead = wished.min(12).min(width / 4);
    let columns = width.saturating_sub(1 + if lead > 0 { lead + 2 } else { 0 });
    passages.iter().flat_map(move |passage| {
        let rows = text::wrap(&shown_text(&passage.text), columns);
        rows.into_iter().enumerate().map(move |(nth, text)| PassageRow {
            passage,
            lead,
            first: nth == 0,
            text,
        })
    })
}

fn pick<T>(all: Vec<T>, window: Range<usize>) -> Vec<T> {
    all.into_iter().skip(window.start).take(window.len()).collect()
}

fn shown_text(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_TEXT {
        return text::clean_lines(text);
    }
    let rest = text.len() - MAX_TEXT;
    let head = text::clean_lines(&text[..text.floor_char_boundary(MAX_TEXT)]);
    Cow::Owned(format!("{head}… and {} kB more", rest.div_ceil(1000)))
}

/// Parts one after another, cut at the width.
pub(in super::super) fn words_line(words: &[Part<'_>], width: usize, theme: &Theme) -> Line<'static> {
    let mut line = Line::default();
    let mut left = width;
    for part in words {
        let text = text::excerpt(&part.text, left);
        let text = match part.role {
            Role::Suit(suit) if theme.ascii => {
                text.replace(suit.glyph(), suit.letter().encode_utf8(&mut [0; 4]))
            }
            _ => text.into_owned(),
        };
        left -= text::width(&text);
        line.push_span(Span::styled(text, theme.style(part.role)));
        if left == 0 {
            break;
        }
    }
    line
}

/// Columns the parts take.
pub(in super::super) fn words_width(words: &[Part<'_>]) -> usize {
    words.iter().map(|part| text::width(&text::excerpt(&part.text, 200))).sum()
}

/// Log entries side by side, for a strip of few lines.
fn flow_lines(entries: &[Words<'_>], width: usize, height: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = vec![Line::default()];
    let mut used = 0;
    for entry in entries {
        let wide = words_width(entry);
        if used > 0 && used + 3 + wide > width {
            if lines.len() == height {
                break;
            }
            lines.push(Line::default());
            used = 0;
        }
        let gap = if used > 0 { 3 } else { 0 };
        let Some(line) = lines.last_mut() else { break };
        line.push_span(Span::raw(" ".repeat(gap)));
        for span in words_line(entry, width - used - gap, theme).spans {
            line.push_span(span);
        }
        used += gap + wide;
    }
    lines
}

/// How facts are laid out: all cells as wide as the widest.
struct FactGrid {
    across: usize,
    key: usize,
    value: usize,
    trend: usize,
}

impl FactGrid {
    const GAP: usize = 3;

    fn of(facts: &[Fact<'_>], width: usize) -> Self {
        let widest = |of: &dyn Fn(&Fact<'_>) -> usize| facts.iter().map(of).max().unwrap_or(0);
        let key = widest(&|fact| text::width(&text::excerpt(&fact.key, 20))).min(width / 2);
        // In steps, so that a value that grows by a digit does not move its neighbours.
        let value = widest(&|fact| words_width(&fact.value)).next_multiple_of(3);
        let trend = if facts.iter().any(|fact| fact.trend.len() > 1) { TREND + 1 } else { 0 };
        let cell = key + 1 + value + trend;
        let across = ((width + Self::GAP) / (cell + Self::GAP)).clamp(1, facts.len().max(1));
        let trend = if key + 1 + value + trend > width { 0 } else { trend };
        Self { across, key, value: value.min(width.saturating_sub(key + 1 + trend)), trend }
    }
}

fn fact_lines(facts: &[Fact<'_>], width: usize, window: Range<usize>, theme: &Theme) -> Vec<Line<'static>> {
    let grid = FactGrid::of(facts, width);
    let down = facts.len().div_ceil(grid.across);
    let line = |row: usize| {
        let mut line = Line::default();
        for nth in 0..grid.across {
            let Some(fact) = facts.get(nth * down + row) else { break };
            if nth > 0 {
                line.push_span(Span::raw(" ".repeat(FactGrid::GAP)));
            }
            let key = text::pad(&text::excerpt(&fact.key, grid.key), grid.key + 1);
            line.push_span(Span::styled(key, theme.style(Role::Dim)));
            let value = words_line(&fact.value, grid.value, theme);
            let rest = grid.value - value.width().min(grid.value);
            line.spans.extend(value.spans);
            line.push_span(Span::raw(" ".repeat(rest)));
            if grid.trend > 0 {
                let trend = format!(" {}", sparkline(fact.trend.iter().copied(), TREND));
                line.push_span(Span::styled(text::pad(&trend, grid.trend), theme.style(Role::Accent)));
            }
        }
        line
    };
    window.take_while(|row| *row < down).map(line).collect()
}

fn gauge_lines(gauges: &[Gauge<'_>], width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let label = gauges.iter().map(|gauge| words_width(&gauge.label)).max().unwrap_or(0).min(width / 2);
    let value = gauges.iter().map(|gauge| text::width(&gauge.text)).max().unwrap_or(0).min(width - label);
    let track = width.saturating_sub(label + value + 2).min(40);
    let line = |gauge_: &Gauge<'_>| {
        let mut line = words_line(&gauge_.label, label, theme);
        line.push_span(Span::raw(" ".repeat((label + 1).saturating_sub(line.width()))));
        let share = if gauge_.limit > 0.0 { gauge_.value / gauge_.limit } else { 0.0 };
        let bar = if gauge_.signed {
            gauge(gauge_.value, gauge_.limit, track)
        } else {
            text::pad(&bar(share, track), track)
        };
        line.push_span(Span::styled(text::pad_left(&gauge_.text, value), theme.style(Role::Text)));
        line.push_span(Span::raw(" "));
        line.push_span(Span::styled(bar, theme.style(gauge_.role)));
        line
    };
    gauges.iter().map(line).collect()
}

/// Asks above, bids below, the best of both around the spread; as many levels of each as fit.
fn ladder_lines(ladder: &Ladder, width: usize, height: usize, theme: &Theme) -> Vec<Line<'static>> {
    let each = height.saturating_sub(1) / 2;
    let (asks, bids) = (ladder.asks.iter().take(each), ladder.bids.iter().take(each));
    let all = asks.clone().chain(bids.clone());
    let most = all.clone().map(|level| level.quantity).fold(0.0, f64::max);
    let text = |value: f64| text::decimal(value, 2);
    let price = |level: &Level| text::grouped(level.price, 2);
    let price_width = all.clone().map(|level| text::width(&price(level))).max().unwrap_or(0);
    let count_width = all.clone().map(|level| text::width(&text(level.quantity))).max().unwrap_or(0);
    let used = 4 + price_width + 2 + count_width + 1;
    let line = |side: &'static str, level: &Level, role: Role| {
        let own = level.own > 0.0;
        let mark = if own { "◂" } else { " " };
        let row = if own { theme.style(Role::Strong) } else { Style::new() };
        let share = if most > 0.0 { level.quantity / most } else { 0.0 };
        let mut spans = vec![
            Span::styled(format!("{side:<4}"), theme.style(Role::Dim)),
            Span::styled(text::pad_left(&price(level), price_width), theme.style(role).patch(row)),
            Span::styled(format!("  {}", text::pad_left(&text(level.quantity), count_width)), row),
            Span::styled(mark, theme.style(Role::Changed)),
            Span::styled(bar(share, width.saturating_sub(used + 8).min(12)), theme.style(role)),
        ];
        if own {
            spans.push(Span::styled(format!(" own {}", text(level.own)), theme.style(Role::Changed)));
        }
        Line::from(spans)
    };
    let mut lines: Vec<Line<'static>> = asks
        .enumerate()
        .map(|(nth, level)| line(if nth == 0 { "ask" } else { "" }, level, Role::Bad))
        .collect();
    lines.reverse();
    let spread = match (ladder.asks.first(), ladder.bids.first()) {
        (Some(ask), Some(bid)) => format!("spread {}", text::grouped(ask.price - bid.price, 2)),
        _ => "no spread: one side is empty".to_owned(),
    };
    let rule = "─".repeat((used.saturating_sub(5)).min(width.saturating_sub(5 + text::width(&spread))));
    lines.push(Line::styled(format!("    {rule} {spread}"), theme.style(Role::Dim)));
    lines.extend(
        bids.enumerate().map(|(nth, level)| line(if nth == 0 { "bid" } else { "" }, level, Role::Good)),
    );
    lines
}

fn table_lines(
    table: &Table<'_>,
    title: &Words<'_>,
    width: usize,
    window: Range<usize>,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let aligns: Vec<Align> = table.columns.iter().map(|column| column.align).collect();
    let mut wanted: Vec<usize> =
        table.columns.iter().map(|column| text::width(&text::excerpt(&column.title, MAX_CELL))).collect();
    if merges_title(table) {
        wanted[0] = words_width(title);
    }
    for nth in 0..table.rows.len().min(MEASURED) {
        for (wide, part) in wanted.iter_mut().zip(row_parts(table, nth)) {
            *wide = (*wide).max(text::width(&text::excerpt(&part.text, MAX_CELL)));
        }
    }
    let left_out = |widths: &[usize]| {
        widths.iter().zip(&wanted).filter(|(wide, wanted)| **wide < **wanted.min(&&1)).count()
    };
    let mut widths = column_widths(&wanted, width);
    if left_out(&widths) > 0 {
        widths = column_widths(&wanted, width.saturating_sub(4)); // Room to say so.
    }
    let left_out = left_out(&widths);
    let mut lines = Vec::with_capacity(window.len());
    for row in window {
        if row == 0 {
            let mut header = table_header(table, title, &aligns, &widths, theme);
            if left_out > 0 {
                header.push_span(Span::styled(format!(" +{left_out}"), theme.style(Role::Info)));
            }
            lines.push(header);
        } else if row <= table.rows.len() {
            let parts = row_parts(table, row - 1);
            let cells: Vec<_> = parts
                .into_iter()
                .map(|part| {
                    (Cow::Owned(text::excerpt(&part.text, MAX_CELL).into_owned()), theme.style(part.role))
                })
                .collect();
            lines.push(table_line(&cells, &aligns, &widths));
        }
    }
    lines
}

/// The panel's title stands in the header, over the first column.
pub(in super::super) fn merges_title(table: &Table<'_>) -> bool {
    table.columns.first().is_some_and(|column| column.title.is_empty())
}

fn table_header(
    table: &Table<'_>,
    title: &Words<'_>,
    aligns: &[Align],
    widths: &[usize],
    theme: &Theme,
) -> Line<'static> {
    let quiet = theme.style(Role::Dim);
    let mut cells: Vec<_> = table
        .columns
        .iter()
        .map(|column| (Cow::Owned(text::excerpt(&column.title, MAX_CELL).into_owned()), quiet))
        .collect();
    if merges_title(table)
        && let Some(part) = title.first()
    {
        cells[0] = (Cow::Owned(text::excerpt(&part.text, MAX_CELL).into_owned()), theme.style(part.role));
    }
    table_line(&cells, aligns, widths)
}

fn row_parts<'t>(table: &'t Table<'_>, nth: usize) -> Vec<Part<'t>> {
    match &table.rows {
        Rows::Ready(rows) => rows[nth].iter().map(|part| Part::new(part.text.as_ref(), part.role)).collect(),
        Rows::Objects(rows) => {
            let compare = rows.iter().take(MEASURED).any(|row| row.before.is_some());
            let row = rows[nth];
            let cell = |column: &'t Column<'_>| {
                if column.title.is_empty() {
                    let name = row.name.unwrap_or_default();
                    let role = crate::ui::theme::seat_number(name).map_or(Role::Dim, Role::Seat);
                    return Part::new(text::excerpt(name, MAX_CELL), role);
                }
                let Some(value) = row.now.get(column.title.as_ref()) else { return Part::plain("") };
                let mut part = inline(value, MAX_CELL - 2);
                if compare {
                    let before = row.before.and_then(|before| before.get(column.title.as_ref()));
                    let change = Change::of(value, before);
                    let role = if change == Change::Same { part.role } else { Role::Changed };
                    part = Part::new(format!("{}{}", part.text, change.glyph()), role);
                }
                part
            };
            table.columns.iter().map(cell).collect()
        }
    }
}
