//! How each kind of panel looks at the size it gets.

mod grid;
mod hands;
mod lines;
mod series;

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

pub(super) use self::lines::{merges_title, words_line, words_width};
use super::scene::{Body, Panel};
use crate::ui::theme::Theme;

/// The heights a body can use at a width: least, and all it has use for.
pub(super) fn heights(body: &Body<'_>, width: u16, theme: &Theme) -> (u16, u16) {
    match body {
        Body::Grid(grid) => grid::heights(grid, width, theme),
        Body::Series(_) => (1, 12),
        Body::Ladder(_) => {
            let all = lines::line_count(body, usize::from(width)) as u16;
            (all.min(3), all)
        }
        Body::Hands(hands) => hands::heights(hands, usize::from(width)),
        _ => {
            let all = lines::line_count(body, usize::from(width)).min(usize::from(u16::MAX / 4)) as u16;
            (all, all)
        }
    }
}

/// The greatest height up to `height` that a body has use for.
pub(super) fn fitting(body: &Body<'_>, (width, height): (u16, u16), theme: &Theme) -> u16 {
    match body {
        Body::Grid(grid) => grid::fitting(grid, width, height, theme),
        Body::Hands(hands) => hands::fitting(hands, usize::from(width), height),
        _ => height,
    }
}

/// The columns a body has use for where there is room for so many; `None` for as many as there are.
pub(super) fn width(panel: &Panel<'_>, theme: &Theme, room: u16) -> Option<u16> {
    match &panel.body {
        Body::Grid(grid) => Some(grid::width(grid, theme, room)),
        Body::Ladder(_) => Some(36),
        Body::Hands(hands) => Some(hands::width(hands, usize::from(room)) as u16),
        Body::Table(table) => Some((table.columns.len() * 10).clamp(20, 60) as u16),
        Body::Gauges(_) => Some(34),
        Body::Facts(facts) => Some(if facts.len() > 6 { 48 } else { 30 }),
        Body::Series(_) | Body::Log(_) | Body::Text(_) | Body::Passages(_) | Body::Tree(_) => None,
    }
}

/// Draws the part of a body that is in sight: of `height` rows, those from `skip` on, into `target`.
pub(super) fn body(
    panel: &Panel<'_>,
    theme: &Theme,
    height: u16,
    skip: u16,
    target: Rect,
    buffer: &mut Buffer,
) {
    let target = target.intersection(buffer.area);
    if target.is_empty() {
        return;
    }
    match &panel.body {
        Body::Grid(grid) => picture(height, skip, target, buffer, |area, seen, buffer| {
            grid::draw(grid, theme, area, seen, buffer);
        }),
        Body::Series(series) => picture(height, skip, target, buffer, |area, _, buffer| {
            series::draw(series, theme, area, buffer);
        }),
        other => {
            let size = (usize::from(target.width), usize::from(height));
            let window = usize::from(skip)..usize::from(skip) + usize::from(target.height);
            for (y, line) in
                (target.top()..target.bottom()).zip(lines::lines(other, &panel.title, size, window, theme))
            {
                buffer.set_line(target.x, y, &line, target.width);
            }
        }
    }
}

/// Draws a picture that cannot be cut while it is made: aside, where not all of it is in sight. Tells which of the
/// rows will be seen.
fn picture(
    height: u16,
    skip: u16,
    target: Rect,
    buffer: &mut Buffer,
    draw: impl FnOnce(Rect, Range<u16>, &mut Buffer),
) {
    if skip == 0 && height <= target.height {
        let area = Rect { height, ..target };
        return draw(area, area.top()..area.bottom(), buffer);
    }
    let whole = Rect::new(0, 0, target.width, height.min(500));
    let mut aside = Buffer::empty(whole);
    draw(whole, skip..skip.saturating_add(target.height), &mut aside);
    for y in 0..target.height.min(whole.height.saturating_sub(skip)) {
        for x in 0..target.width {
            buffer[(target.x + x, target.y + y)] = aside[(x, y + skip)].clone();
        }
    }
}
