//! Charts in braille: two by four dots a cell.

use std::ops::RangeInclusive;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::scene::{Series, SeriesLine};
use crate::text;
use crate::ui::theme::{Role, Theme};

/// Below this many columns or rows a chart has no axes.
const AXES_FROM: (u16, u16) = (26, 4);
/// From this many rows on there is an axis below, too.
const X_AXIS_FROM: u16 = 7;
/// The dot of a braille cell by column and row.
const DOTS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// Draws a chart over all of `area`.
pub(super) fn draw(series: &Series<'_>, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let Some(frame) = Frame::of(series) else {
        buffer.set_stringn(area.x, area.y, "nothing yet", usize::from(area.width), theme.style(Role::Dim));
        return;
    };
    let mut plot = area;
    if area.width >= AXES_FROM.0 && area.height >= AXES_FROM.1 {
        if area.height >= X_AXIS_FROM {
            plot.height -= 2;
        }
        let labels = frame.y_labels(plot.height);
        let wide = labels.iter().map(|(_, label)| text::width(label)).max().unwrap_or(0) as u16 + 1;
        plot.x += wide;
        plot.width = plot.width.saturating_sub(wide);
        for y in plot.top()..plot.bottom() {
            buffer.set_string(plot.x - 1, y, "│", theme.style(Role::Border));
        }
        for (row, label) in labels {
            let label = text::pad_left(&label, usize::from(wide - 1));
            buffer.set_string(area.x, plot.y + row, label, theme.style(Role::Dim));
            buffer.set_string(plot.x - 1, plot.y + row, "┤", theme.style(Role::Border));
        }
        if area.height >= X_AXIS_FROM {
            x_axis(&frame, theme, plot, buffer);
        }
    }
    for line in &series.lines {
        stroke(line, &frame, theme, plot, buffer);
    }
    if series.lines.len() > 1 {
        legend(series, &frame, theme, plot, buffer);
    }
    for mark in &series.marks {
        if let Some((x, y)) = frame.cell(mark.x, mark.y, plot) {
            buffer[(x, y)].set_char(mark.glyph).set_style(theme.style(mark.role));
        }
    }
}

/// Names the lines along the top, each with the glyph that stands at its end: colours alone tell nobody apart.
fn legend(series: &Series<'_>, frame: &Frame, theme: &Theme, plot: Rect, buffer: &mut Buffer) {
    let mut x = plot.x;
    for (nth, line) in series.lines.iter().enumerate().filter(|(_, line)| !line.points.is_empty()) {
        let seat = if let Role::Seat(seat) = line.role { seat } else { nth as u8 };
        let glyph = theme.seat_glyph(seat % 8);
        let style = theme.style(line.role);
        if let Some((x, y)) = line.points.last().and_then(|(x, y)| frame.cell(*x, *y, plot)) {
            buffer.set_stringn(x, y, glyph, 1, style);
        }
        if line.name.is_empty() {
            continue;
        }
        let words = format!("{glyph} {}", text::excerpt(&line.name, 16));
        let wide = text::width(&words) as u16;
        if plot.height < 3 || x + wide > plot.right() {
            continue;
        }
        buffer.set_string(x, plot.y, words, style);
        x += wide + 2;
    }
}

/// The part of the plane that is shown.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    /// As large as the points need; `None` without any.
    fn of(series: &Series<'_>) -> Option<Self> {
        let points =
            || series.lines.iter().flat_map(|line| &line.points).filter(|(x, y)| sane(*x) && sane(*y));
        points().next()?;
        let span = |of: fn(&(f64, f64)) -> f64| {
            points()
                .map(of)
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
        };
        let (x, mut y) = (span(|point| point.0), span(|point| point.1));
        if y.1 - y.0 < f64::EPSILON * y.1.abs().max(1.0) {
            let room = (y.0.abs() * 0.01).max(1.0);
            y = (y.0 - room, y.1 + room);
        }
        Some(Self { x: (x.0, x.1.max(x.0 + 1.0)), y })
    }

    /// The dot of a point, counted from the top left of a plot of so many dots.
    fn dot(&self, (x, y): (f64, f64), columns: u16, rows: u16) -> (i32, i32) {
        let part = |value: f64, (low, high): (f64, f64)| ((value - low) / (high - low)).clamp(0.0, 1.0);
        let across = part(x, self.x) * f64::from((columns * 2).saturating_sub(1));
        let down = (1.0 - part(y, self.y)) * f64::from((rows * 4).saturating_sub(1));
        (across.round() as i32, down.round() as i32)
    }

    fn cell(&self, x: f64, y: f64, plot: Rect) -> Option<(u16, u16)> {
        if plot.is_empty() || !sane(y) || !(self.x.0..=self.x.1).contains(&x) {
            return None;
        }
        let (across, down) = self.dot((x, y), plot.width, plot.height);
        Some((plot.x + across as u16 / 2, plot.y + down as u16 / 4))
    }

    /// Round values with their rows, a few rows apart.
    fn y_labels(&self, rows: u16) -> Vec<(u16, String)> {
        let apart = if rows < 12 { 2 } else { 4 };
        let step = nice_step((self.y.1 - self.y.0) / f64::from((rows / apart).max(1)));
        let places = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
        let mut labels: Vec<(u16, String)> = Vec::new();
        for nth in multiples(self.y, step) {
            let value = nth as f64 * step;
            let row = self.dot((self.x.0, value), 1, rows).1 as u16 / 4;
            if labels.iter().all(|(other, _)| other.abs_diff(row) >= 2) {
                labels.push((row, text::grouped(value, places)));
            }
        }
        labels
    }
}

/// Larger numbers cannot be told apart in a chart, and their differences overflow.
fn sane(value: f64) -> bool {
    value.abs() < 1e15
}

/// 1, 2 or 5 times a power of ten, not below `least`.
fn nice_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.max(1e-9).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * power).find(|step| *step >= least).unwrap_or(least)
}

fn multiples((low, high): (f64, f64), step: f64) -> RangeInclusive<i64> {
    let first = (low / step).ceil() as i64;
    first..=((high / step).floor() as i64).min(first + 50)
}

fn x_axis(frame: &Frame, theme: &Theme, plot: Rect, buffer: &mut Buffer) {
    let style = theme.style(Role::Border);
    let y = plot.bottom();
    buffer.set_string(plot.x - 1, y, "└", style);
    buffer.set_string(plot.x, y, "─".repeat(usize::from(plot.width)), style);
    let step = nice_step((frame.x.1 - frame.x.0) / f64::from((plot.width / 12).max(1))).max(1.0);
    let mut free = plot.x;
    for nth in multiples(frame.x, step) {
        let value = nth as f64 * step;
        let label = text::grouped(value, 0);
        let wide = text::width(&label) as u16;
        let Some((x, _)) = frame.cell(value, frame.y.0, plot) else { continue };
        let start = x.saturating_sub(wide / 2).max(plot.x);
        if start >= free && start + wide <= plot.right() {
            buffer.set_string(x, y, "┬", style);
            buffer.set_string(start, y + 1, label, theme.style(Role::Dim));
            free = start + wide + 2;
        }
    }
}

fn stroke(line: &SeriesLine<'_>, frame: &Frame, theme: &Theme, plot: Rect, buffer: &mut Buffer) {
    if plot.is_empty() {
        return;
    }
    let (columns, rows) = (usize::from(plot.width), usize::from(plot.height));
    let mut dots = vec![0_u8; columns * rows];
    let mut last = None;
    for point in line.points.iter().filter(|(x, y)| sane(*x) && sane(*y)) {
        let dot = frame.dot(*point, plot.width, plot.height);
        for (x, y) in segment(last.unwrap_or(dot), dot) {
            let (x, y) = (x as usize, y as usize);
            dots[y / 4 * columns + x / 2] |= DOTS[x % 2][y % 4];
        }
        last = Some(dot);
    }
    let style = theme.style(line.role);
    for (place, bits) in dots.into_iter().enumerate().filter(|(_, bits)| *bits != 0) {
        let at = (plot.x + (place % columns) as u16, plot.y + (place / columns) as u16);
        let cell = &mut buffer[at];
        // Lines that cross share a cell's dots; the later one's colour wins.
        let under =
            cell.symbol().chars().next().map_or(0, u32::from).checked_sub(0x2800).filter(|bits| *bits < 256);
        let glyph = char::from_u32(0x2800 + (under.unwrap_or(0) | u32::from(bits))).unwrap_or(' ');
        cell.set_char(glyph).set_style(style);
    }
}

/// The dots from one to another, both included.
fn segment(from: (i32, i32), to: (i32, i32)) -> impl Iterator<Item = (i32, i32)> {
    let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs());
    (0..=steps).map(move |step| {
        let along = |from: i32, to: i32| {
            if steps == 0 {
                to
            } else {
                from + (f64::from((to - from) * step) / f64::from(steps)).round() as i32
            }
        };
        (along(from.0, to.0), along(from.1, to.1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::ColorDepth;

    #[test]
    fn a_line_goes_from_corner_to_corner() {
        let line = SeriesLine { name: "".into(), role: Role::Text, points: vec![(0.0, 0.0), (10.0, 10.0)] };
        let series = Series { lines: vec![line], marks: Vec::new() };
        let area = Rect::new(0, 0, 8, 2);
        let mut buffer = Buffer::empty(area);
        draw(&series, &Theme::new(ColorDepth::None, false), area, &mut buffer);
        assert_eq!(buffer, Buffer::with_lines(["    ⣀⠤⠒⠉", "⣀⠤⠒⠉    "]));
    }

    #[test]
    fn axis_steps_are_round() {
        let steps: Vec<f64> = [0.3, 1.0, 7.0, 24.0].map(nice_step).to_vec();
        assert_eq!(steps, [0.5, 1.0, 10.0, 50.0]);
    }
}
