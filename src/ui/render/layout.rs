//! Where panels go: one to three columns and a strip along the bottom, for any area.
//!
//! A column is a document. Panels start at their least height, then grow in order while there is room; charts take
//! what is left. What still does not fit can be scrolled to.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw;
use super::scene::{Body, Panel, Scene, Slot};
use crate::ui::theme::{Role, Theme, asciify};

/// From this width on there are two columns.
const TWO_FROM: u16 = 66;
/// From this width on there may be three.
const THREE_FROM: u16 = 104;
/// From this size on the log has a strip of its own.
const STRIP_FROM: (u16, u16) = (50, 12);
/// Below this size every row counts: no gaps, few titles.
const ROOMY_FROM: (u16, u16) = (24, 10);
/// Narrower tiles have no titles and do not say that there is more: nobody scrolls them.
const WORDY_FROM: u16 = 34;
/// Between two columns: ` │ `.
const GAP: u16 = 3;
/// A chart is not made higher.
const MAX_CHART: u16 = 24;

/// What drawing found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Drawn {
    /// The largest scroll that still moves something.
    pub max_scroll: u16,
    /// Rows in sight.
    pub page: u16,
}

/// Draws a scene into an area of any size, scrolled down by `scroll` rows.
pub fn draw_scene(scene: &Scene<'_>, theme: &Theme, scroll: u16, buffer: &mut Buffer, area: Rect) -> Drawn {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return Drawn::default();
    }
    let mut above = area;
    let strip: Vec<&Panel<'_>> = in_slots(scene, &[Slot::Foot]);
    let has_strip = area.width >= STRIP_FROM.0 && area.height >= STRIP_FROM.1 && !strip.is_empty();
    if has_strip {
        above.height -= draw_strip(&strip, theme, buffer, area) + 1;
    }
    let mut drawn = Drawn { max_scroll: 0, page: above.height };
    let columns = columns(scene, theme, above, !has_strip);
    for (nth, (place, panels)) in columns.iter().enumerate() {
        if nth > 0 {
            for y in place.top()..place.bottom() {
                buffer.set_string(place.x - 2, y, "│", theme.style(Role::Border));
            }
        }
        let rows = draw_column(panels, theme, scroll, buffer, *place);
        drawn.max_scroll = drawn.max_scroll.max(rows.saturating_sub(place.height));
    }
    if theme.ascii {
        asciify(buffer, area);
    }
    drawn
}

fn in_slots<'s, 'a>(scene: &'s Scene<'a>, slots: &[Slot]) -> Vec<&'s Panel<'a>> {
    let mut panels: Vec<_> =
        slots.iter().flat_map(|slot| scene.panels.iter().filter(move |panel| panel.slot == *slot)).collect();
    panels.sort_by_key(|panel| (panel.slot != Slot::Main, panel.priority));
    panels
}

/// Draws the strip and gives its height, without the rule above it.
fn draw_strip(panels: &[&Panel<'_>], theme: &Theme, buffer: &mut Buffer, area: Rect) -> u16 {
    let height = if area.height >= 30 { 3 } else { 1 + u16::from(area.height >= 18) };
    let top = area.bottom() - height;
    let rule = "─".repeat(usize::from(area.width));
    buffer.set_string(area.x, top - 1, rule, theme.style(Role::Border));
    if let Some(panel) = panels.first() {
        let place = Rect { y: top, height, ..area };
        draw::body(panel, theme, height, 0, place, buffer);
    }
    height
}

/// The columns with their panels, left to right.
fn columns<'s, 'a>(
    scene: &'s Scene<'a>,
    theme: &Theme,
    area: Rect,
    with_log: bool,
) -> Vec<(Rect, Vec<&'s Panel<'a>>)> {
    let mut groups: Vec<Vec<&Panel<'_>>> = match area.width {
        ..TWO_FROM => vec![in_slots(scene, &[Slot::Main, Slot::Side, Slot::Far])],
        TWO_FROM..THREE_FROM if stacks(scene, theme, area) => {
            vec![in_slots(scene, &[Slot::Main, Slot::Side, Slot::Far])]
        }
        TWO_FROM..THREE_FROM => {
            vec![in_slots(scene, &[Slot::Main]), in_slots(scene, &[Slot::Side, Slot::Far])]
        }
        _ => [Slot::Main, Slot::Side, Slot::Far].map(|slot| in_slots(scene, &[slot])).into(),
    };
    groups.retain(|group| !group.is_empty());
    if with_log {
        match groups.last_mut() {
            Some(last) => last.extend(in_slots(scene, &[Slot::Foot])),
            None => groups.push(in_slots(scene, &[Slot::Foot])),
        }
    }
    let widths = share(&groups, theme, area.width);
    let mut x = area.x;
    let place = |(group, width): (Vec<&'s Panel<'a>>, u16)| {
        let rect = Rect { x, width, ..area };
        x += width + GAP;
        (rect, group)
    };
    groups.into_iter().zip(widths).map(place).collect()
}

/// Whether a board is drawn larger with the rest below it than with the rest beside it, and all of that fits.
fn stacks(scene: &Scene<'_>, theme: &Theme, area: Rect) -> bool {
    let all = in_slots(scene, &[Slot::Main, Slot::Side, Slot::Far]);
    let Some((board, others)) = all.split_first().filter(|(board, _)| matches!(board.body, Body::Grid(_)))
    else {
        return false;
    };
    let least = |panel: &&Panel<'_>| {
        let block = block(panel, theme, area.width, true);
        block.title + block.height + 1
    };
    let below = others.iter().map(least).fold(2, u16::saturating_add);
    let room = area.height.saturating_sub(below);
    let beside = draw::fitting(&board.body, (area.width * 11 / 20, area.height), theme);
    draw::heights(&board.body, area.width, theme).0 <= room
        && draw::fitting(&board.body, (area.width, room), theme) > beside
}

/// Shares the width out: the first column flexible, the others as they wish within limits.
fn share(groups: &[Vec<&Panel<'_>>], theme: &Theme, width: u16) -> Vec<u16> {
    let count = groups.len() as u16;
    if count < 2 {
        return vec![width; groups.len()];
    }
    let room = width.saturating_sub(GAP * (count - 1));
    let wish = |group: &[&Panel<'_>], room: u16| {
        group.iter().map(|panel| draw::width(panel, theme, room).unwrap_or(0)).max().unwrap_or(0)
    };
    let most = if count == 2 { room * 9 / 20 } else { room * 3 / 10 };
    let least = if count == 2 { 26 } else { 24 };
    let mut widths: Vec<u16> =
        groups.iter().map(|group| wish(group, most).clamp(least, most.max(least))).collect();
    widths[0] = room.saturating_sub(widths[1..].iter().sum());
    // A board has no use for more than its own width: the others share what it leaves.
    let bounded = groups[0].iter().all(|panel| draw::width(panel, theme, widths[0]).is_some());
    let titles = groups[0].iter().map(|panel| draw::words_width(&panel.title) as u16).max().unwrap_or(0);
    let spare = widths[0].saturating_sub(wish(&groups[0], widths[0]).max(titles) + 2);
    if bounded && spare > 0 {
        widths[0] -= spare;
        let each = spare / (count - 1);
        for wide in &mut widths[1..] {
            *wide += each;
        }
        widths[1] += spare - each * (count - 1);
    }
    widths
}

struct Block<'s, 'a> {
    panel: &'s Panel<'a>,
    title: u16,
    height: u16,
    most: u16,
    /// Rows of its own that do not fit, of which so many lie above what is seen.
    hidden: u16,
    above: u16,
}

/// A long text does not push what stands around it off the screen: it gets the room that the others leave, and is
/// scrolled by itself before the column is. Not less than these rows.
const LEAST_TEXT: u16 = 6;

/// Draws a column and gives the rows of all its panels.
fn draw_column(panels: &[&Panel<'_>], theme: &Theme, scroll: u16, buffer: &mut Buffer, area: Rect) -> u16 {
    let roomy = area.width >= ROOMY_FROM.0 && area.height >= ROOMY_FROM.1;
    let mut blocks: Vec<Block<'_, '_>> =
        panels.iter().map(|panel| block(panel, theme, area.width, roomy)).collect();
    let gap = grow(&mut blocks, (area.width, area.height), theme, roomy);
    let hidden = if roomy { shorten(&mut blocks, area.height, gap, scroll) } else { 0 };
    let total = rows(&blocks, gap);
    let scroll = i64::from(scroll.saturating_sub(hidden).min(total.saturating_sub(area.height)));
    let mut y = -scroll;
    for block in &blocks {
        draw_block(block, theme, y, buffer, area);
        y += i64::from(block.title) + i64::from(block.height) + i64::from(gap);
    }
    let below = total.saturating_sub(area.height).saturating_sub(scroll as u16);
    if below > 0 && (roomy || area.width >= WORDY_FROM) {
        more(below, theme, buffer, area);
    }
    total.saturating_add(hidden)
}

/// Lets the longest text be scrolled by itself; gives the rows of it that do not fit.
fn shorten(blocks: &mut [Block<'_, '_>], height: u16, gap: u16, scroll: u16) -> u16 {
    let over = rows(blocks, gap).saturating_sub(height);
    let is_text = |block: &&mut Block<'_, '_>| {
        matches!(block.panel.body, Body::Text(_) | Body::Passages(_)) && block.height > LEAST_TEXT
    };
    let Some(block) = blocks.iter_mut().filter(is_text).max_by_key(|block| block.height) else { return 0 };
    block.hidden = over.min(block.height - LEAST_TEXT);
    block.height -= block.hidden;
    block.above = scroll.min(block.hidden);
    block.hidden
}

fn block<'s, 'a>(panel: &'s Panel<'a>, theme: &Theme, width: u16, roomy: bool) -> Block<'s, 'a> {
    let merged = matches!(&panel.body, Body::Table(table) if draw::merges_title(table));
    let titled = !panel.title.is_empty()
        && !merged
        && (roomy || width >= WORDY_FROM || matches!(panel.body, Body::Series(_)));
    let (least, most) = draw::heights(&panel.body, width, theme);
    Block { panel, title: u16::from(titled), height: least, most, hidden: 0, above: 0 }
}

fn rows(blocks: &[Block<'_, '_>], gap: u16) -> u16 {
    let panels = blocks.iter().fold(0_u16, |sum, block| sum.saturating_add(block.title + block.height));
    panels.saturating_add(gap * (blocks.len() as u16).saturating_sub(1))
}

/// Lets panels grow into the room there is; gives the gap between them.
fn grow(blocks: &mut [Block<'_, '_>], (width, height): (u16, u16), theme: &Theme, roomy: bool) -> u16 {
    // A board is what one came to see: it gets up to four fifths before the others are laid out.
    for block in blocks.iter_mut().filter(|block| matches!(block.panel.body, Body::Grid(_))) {
        let wished = block.most.min(block.height.max(height * 4 / 5));
        block.height = draw::fitting(&block.panel.body, (width, wished), theme).max(block.height);
        if !roomy {
            // Nobody scrolls a tile: the board shows the part that matters.
            block.height = block.height.min(height);
        }
    }
    // A little too much is pressed together; far too much is scrolled anyway and stays airy.
    let airy = rows(blocks, 1);
    let gap = u16::from(roomy && (airy <= height || airy > height + height / 2));
    let mut spare = height.saturating_sub(rows(blocks, gap));
    // Charts share, so that the first does not leave the others flat.
    let charts = blocks.iter().filter(|block| matches!(block.panel.body, Body::Series(_))).count() as u16;
    for block in blocks.iter_mut().filter(|block| !matches!(block.panel.body, Body::Series(_))) {
        let wished = block.height + spare.min(block.most.saturating_sub(block.height));
        let more = draw::fitting(&block.panel.body, (width, wished), theme).saturating_sub(block.height);
        block.height += more;
        spare -= more;
    }
    let mut left = charts;
    for block in blocks.iter_mut().filter(|block| matches!(block.panel.body, Body::Series(_))) {
        let more = (spare / left.max(1)).min(MAX_CHART - block.height);
        block.height += more;
        spare -= more;
        left -= 1;
    }
    gap
}

fn draw_block(block: &Block<'_, '_>, theme: &Theme, y: i64, buffer: &mut Buffer, area: Rect) {
    let bottom = i64::from(area.height);
    if block.title > 0 && (0..bottom).contains(&y) {
        let mut title = block.panel.title.as_slice();
        while let [rest @ .., last] = title
            && last.role == Role::Dim
            && draw::words_width(title) > usize::from(area.width)
        {
            title = rest;
        }
        let line = draw::words_line(title, usize::from(area.width), theme);
        buffer.set_line(area.x, area.y + y as u16, &line, area.width);
    }
    let top = y + i64::from(block.title);
    let (from, to) = (top.max(0), (top + i64::from(block.height)).min(bottom));
    if from < to {
        let target = Rect { y: area.y + from as u16, height: (to - from) as u16, ..area };
        let (all, skip) = (block.height + block.hidden, block.above + (from - top) as u16);
        draw::body(block.panel, theme, all, skip, target, buffer);
        if block.hidden > block.above && i64::from(block.height) == to - top {
            more(block.hidden - block.above, theme, buffer, target);
        }
    }
}

/// Says at the bottom right that there is more below.
fn more(rows: u16, theme: &Theme, buffer: &mut Buffer, area: Rect) {
    let note = format!(" ↓ {rows} ");
    let wide = crate::text::width(&note) as u16;
    if wide < area.width {
        buffer.set_string(area.right() - wide, area.bottom() - 1, note, theme.style(Role::Selected));
    }
}
