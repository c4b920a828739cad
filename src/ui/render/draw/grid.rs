//! Boards and maps, at the largest scale that fits.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use serde_json::Value;

use super::super::scene::{DiscLook, Grid, GridCell, GridKind};
use super::super::values::safe;
use super::words_line;
use crate::text;
use crate::ui::theme::{ColorDepth, Role, Theme, seat_number};

/// How large a cell is drawn, in columns and rows with the gap to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scale {
    /// Round, `columns - 1` wide.
    Disc(u16, u16),
    /// A part of a map, four columns by two rows.
    Tile,
    /// One row.
    Cell(u16),
    /// Two cells one above the other in one column.
    Half,
}

impl Scale {
    fn of(kind: GridKind, theme: &Theme) -> &'static [Scale] {
        let halves = theme.depth != ColorDepth::None && !theme.ascii;
        let painted = halves && theme.depth != ColorDepth::Ansi16;
        match kind {
            GridKind::Discs => {
                &[Scale::Disc(7, 3), Scale::Disc(5, 2), Scale::Cell(3), Scale::Cell(2), Scale::Cell(1)]
            }
            GridKind::Map if halves => &[Scale::Tile, Scale::Cell(2), Scale::Half],
            GridKind::Map => &[Scale::Tile, Scale::Cell(2), Scale::Cell(1)],
            GridKind::Picture if painted => &[Scale::Cell(2), Scale::Half],
            GridKind::Picture | GridKind::Text(0 | 1) => &[Scale::Cell(2), Scale::Cell(1)],
            GridKind::Text(2) => &[Scale::Cell(3), Scale::Cell(2)],
            GridKind::Text(3) => &[Scale::Cell(4), Scale::Cell(3)],
            GridKind::Text(4) => &[Scale::Cell(5)],
            GridKind::Text(5) => &[Scale::Cell(6)],
            GridKind::Text(_) => &[Scale::Cell(7)],
        }
    }

    fn cell(self) -> (u16, u16) {
        match self {
            Self::Disc(columns, rows) => (columns, rows),
            Self::Tile => (4, 2),
            Self::Cell(columns) => (columns, 1),
            Self::Half => (1, 1),
        }
    }

    /// Columns and rows of the cells alone.
    fn size(self, grid: &Grid<'_>) -> (u16, u16) {
        let small = |count: usize| count.min(4_000) as u16;
        let (columns, rows) = (small(grid.columns), small(grid.rows()));
        let (wide, high) = self.cell();
        let rows = if self == Self::Half { rows.div_ceil(2) } else { rows * high };
        (columns.saturating_mul(wide), rows)
    }
}

fn gutter(grid: &Grid<'_>) -> u16 {
    if grid.number_rows { grid.rows().saturating_sub(1).to_string().len() as u16 + 1 } else { 0 }
}

/// Rows for the marks above and below.
fn trim(grid: &Grid<'_>) -> u16 {
    u16::from(!grid.head.is_empty()) + u16::from(!grid.foot.is_empty())
}

/// Least and greatest height at a width.
pub(super) fn heights(grid: &Grid<'_>, width: u16, theme: &Theme) -> (u16, u16) {
    let scales = Scale::of(grid.kind, theme);
    let least = scales.iter().map(|scale| scale.size(grid).1).min().unwrap_or(0);
    let room = width.saturating_sub(gutter(grid));
    let fitting = scales.iter().find(|scale| scale.size(grid).0 <= room + 1);
    let most = fitting.map_or(least, |scale| scale.size(grid).1) + trim(grid);
    (least, most)
}

/// The height of the largest scale that fits both ways; as it was, where none does.
pub(super) fn fitting(grid: &Grid<'_>, width: u16, height: u16, theme: &Theme) -> u16 {
    let room = width.saturating_sub(gutter(grid)) + 1;
    let sizes = Scale::of(grid.kind, theme).iter().map(|scale| scale.size(grid));
    let rows = sizes.filter(|(wide, _)| *wide <= room).map(|(_, high)| high + trim(grid));
    rows.filter(|rows| *rows <= height).max().unwrap_or(height)
}

/// Columns the largest scale takes that fits the room; where none does, those of the smallest.
pub(super) fn width(grid: &Grid<'_>, theme: &Theme, room: u16) -> u16 {
    let widths = Scale::of(grid.kind, theme).iter().map(|scale| scale.size(grid).0 + gutter(grid));
    let fitting = widths.clone().find(|wide| *wide <= room);
    fitting.or(widths.min()).unwrap_or(0).max(20)
}

/// Draws as much of the grid as the area holds; cells outside the rows that will be seen may be left out.
pub(super) fn draw(grid: &Grid<'_>, theme: &Theme, area: Rect, seen: Range<u16>, buffer: &mut Buffer) {
    let (columns, rows) = (grid.columns, grid.rows());
    if columns == 0 || rows == 0 || area.is_empty() {
        return;
    }
    let scales = Scale::of(grid.kind, theme);
    let room = area.width.saturating_sub(gutter(grid)) + 1;
    let fits = |scale: &&Scale, trim: u16| {
        let (wide, high) = scale.size(grid);
        wide <= room && high + trim <= area.height
    };
    let all = trim(grid);
    let (scale, trimmed) = match scales.iter().find(|scale| fits(scale, all)) {
        Some(scale) => (*scale, all > 0),
        None => match scales.iter().find(|scale| fits(scale, 0)) {
            Some(scale) => (*scale, false),
            // Not all of it will be seen: then as much as there can be.
            None => {
                let across = scales.iter().filter(|scale| scale.size(grid).0 <= room);
                let flattest = across.min_by_key(|scale| scale.size(grid).1).or(scales.last());
                (flattest.copied().unwrap_or(Scale::Cell(1)), false)
            }
        },
    };
    let gutter = if room > scale.size(grid).0 + gutter(grid) || grid.number_rows { gutter(grid) } else { 0 };
    let wide = (scale.size(grid).0 + gutter).min(area.width);
    // Boards stand in the middle; text grids at the left, like the text around them.
    let left = if matches!(grid.kind, GridKind::Text(_)) { 0 } else { (area.width - wide) / 2 };
    let board = Rect {
        x: area.x + left + gutter,
        width: (area.width - left).saturating_sub(gutter),
        y: area.y + u16::from(trimmed && !grid.head.is_empty()),
        height: area.height.saturating_sub(if trimmed { all } else { 0 }),
    };
    let place = Place { grid, theme, scale, board, seen };
    if trimmed {
        place.marks(&grid.head, area.y, buffer);
        place.marks(&grid.foot, board.y + scale.size(grid).1, buffer);
    }
    if gutter > 0 {
        place.row_numbers(gutter, buffer);
    }
    place.cells(buffer);
}

struct Place<'g, 'a> {
    grid: &'g Grid<'a>,
    theme: &'g Theme,
    scale: Scale,
    board: Rect,
    seen: Range<u16>,
}

impl Place<'_, '_> {
    /// How many cells fit, and the first of them, so that the focus stays in sight.
    fn window(&self) -> ((usize, usize), (usize, usize)) {
        let (wide, high) = self.scale.cell();
        let high = if self.scale == Scale::Half { 2 * self.board.height } else { self.board.height / high };
        let fit = (usize::from((self.board.width + 1) / wide.max(1)), usize::from(high));
        let focus = self.grid.focus.unwrap_or((0, 0));
        let first =
            |focus: usize, fit: usize, all: usize| focus.saturating_sub(fit / 2).min(all.saturating_sub(fit));
        let top = first(focus.1, fit.1, self.grid.rows());
        // Half cells come in pairs.
        let top = if self.scale == Scale::Half { top & !1 } else { top };
        (fit, (first(focus.0, fit.0, self.grid.columns), top))
    }

    fn visible(&self) -> impl Iterator<Item = (usize, usize, u16, u16)> {
        let ((across, down), (left, top)) = self.window();
        let (wide, high) = self.scale.cell();
        let (board, columns, rows) = (self.board, self.grid.columns, self.grid.rows());
        (top..rows.min(top + down)).flat_map(move |row| {
            (left..columns.min(left + across)).map(move |column| {
                let x = board.x + (column - left) as u16 * wide;
                (column, row, x, board.y + (row - top) as u16 * high)
            })
        })
    }

    fn cells(&self, buffer: &mut Buffer) {
        if self.scale == Scale::Half {
            return self.halves(buffer);
        }
        let high = self.scale.cell().1;
        let seen = |y: u16| y + high > self.seen.start && y < self.seen.end;
        for (column, row, x, y) in self.visible().filter(|(.., y)| seen(*y)) {
            let cell = &self.grid.cells[row * self.grid.columns + column];
            match self.scale {
                Scale::Tile => self.tile(cell, x, y, buffer),
                Scale::Disc(columns, rows) => self.large(cell, Rect::new(x, y, columns - 1, rows), buffer),
                _ => self.small(cell, x, y, buffer),
            }
        }
    }

    fn put(&self, x: u16, y: u16, text: &str, columns: u16, style: Style, buffer: &mut Buffer) {
        if x < self.board.right() && y < self.board.bottom() {
            let room = columns.min(self.board.right() - x);
            buffer.set_stringn(x, y, text, usize::from(room), style);
        }
    }

    /// A cell of one row.
    fn small(&self, cell: &GridCell<'_>, x: u16, y: u16, buffer: &mut Buffer) {
        let (wide, _) = self.scale.cell();
        let theme = self.theme;
        let mut pair = [0; 8];
        let (text, style) = match cell {
            GridCell::Empty => ("·", theme.style(Role::Border)),
            GridCell::Value(value, changed) => return self.small(&value_cell(value, *changed), x, y, buffer),
            // A number that does not fit would say something else.
            GridCell::Text(text, role)
                if self.grid.kind == GridKind::Discs && text::width(text) > usize::from(wide) =>
            {
                ("∘", theme.style(*role))
            }
            GridCell::Text(text, role) => {
                let numeric = text.starts_with(|first: char| first.is_ascii_digit() || first == '-');
                let (wide, gap) = (usize::from(wide), usize::from(wide > 1));
                let text = text::excerpt(text, wide);
                let text = if numeric && wide > 2 && self.grid.kind != GridKind::Discs {
                    text::pad_left(&text, wide - gap)
                } else {
                    text.into_owned()
                };
                return self.put(x, y, &text, wide as u16, theme.style(*role), buffer);
            }
            GridCell::Disc { seat, look: look @ (DiscLook::Last | DiscLook::Turned) } => {
                let style = theme.seat(*seat);
                self.mark(*look, x + 1, y, wide, buffer);
                return self.put(x, y, theme.seat_glyph(*seat), 1, emphasised(style, *look), buffer);
            }
            GridCell::Disc { seat, look } => match look {
                DiscLook::Last | DiscLook::Turned | DiscLook::Plain => {
                    (theme.seat_glyph(*seat), theme.seat(*seat))
                }
                DiscLook::Winner => (
                    theme.seat_glyph(*seat),
                    theme.seat(*seat).add_modifier(Modifier::BOLD | Modifier::REVERSED),
                ),
                DiscLook::Quiet => (theme.seat_glyph(*seat), theme.style(Role::Dim)),
                DiscLook::Ghost => ("◌", theme.seat(*seat)),
            },
            GridCell::Body { seat, glyphs } => {
                let text: String = glyphs.iter().collect();
                return self.put(x, y, &text, wide, theme.style(Role::SeatFill(*seat)), buffer);
            }
            GridCell::Thing(glyph, role) => (&*glyph.encode_utf8(&mut pair), theme.style(*role)),
            GridCell::Outside => return,
            GridCell::Heat(..) | GridCell::Pixel(..) => return self.shade(cell, x, y, buffer),
        };
        self.put(x, y, text, wide, style, buffer);
    }

    /// A cell that is a colour: where there are too few colours, a shade of grey made of text.
    fn shade(&self, cell: &GridCell<'_>, x: u16, y: u16, buffer: &mut Buffer) {
        let (level, changed) = match cell {
            GridCell::Heat(level, changed) => (*level, *changed),
            GridCell::Pixel(red, green, blue) => (luma(*red, *green, *blue), false),
            _ => (0, false),
        };
        let wide = self.scale.cell().0;
        let mark = if changed { "•" } else { " " };
        if let Some(color) = self.color(cell) {
            let ink = if level > 140 { Color::Black } else { Color::White };
            let text = if wide > 1 { format!("{mark} ") } else { mark.to_owned() };
            return self.put(x, y, &text, wide, Style::new().fg(ink).bg(color), buffer);
        }
        let glyph = shade_glyph(level, self.theme.ascii);
        let text: String = std::iter::repeat_n(glyph, usize::from(wide)).collect();
        let style = self.theme.style(if changed { Role::Changed } else { Role::Text });
        self.put(x, y, &text, wide, style, buffer);
    }

    /// A cell with room for a picture: only discs and what stands between them.
    fn large(&self, cell: &GridCell<'_>, area: Rect, buffer: &mut Buffer) {
        let theme = self.theme;
        let (style, rows) = match cell {
            GridCell::Disc { seat, look } => {
                let style = match look {
                    DiscLook::Plain | DiscLook::Ghost => theme.seat(*seat),
                    DiscLook::Last | DiscLook::Turned => emphasised(theme.seat(*seat), *look),
                    DiscLook::Winner => theme.seat(*seat).add_modifier(Modifier::BOLD),
                    DiscLook::Quiet => theme.style(Role::Dim),
                };
                (style, disc(*seat, *look, area.height > 2, theme.ascii))
            }
            GridCell::Text(text, role) => {
                let text = text::excerpt(text, usize::from(area.width));
                let gap = area.width.saturating_sub(text::width(&text) as u16) / 2;
                let y = area.y + (area.height - 1) / 2;
                return self.put(area.x + gap, y, &text, area.width - gap, theme.style(*role), buffer);
            }
            GridCell::Empty if area.height > 2 => (theme.style(Role::Border), ["", "  ▗▖", ""]),
            GridCell::Empty => (theme.style(Role::Border), [" ▗▖", "", ""]),
            other => return self.small(other, area.x, area.y, buffer),
        };
        let rows = if theme.ascii && *cell == GridCell::Empty { ["", " .", ""] } else { rows };
        for (y, row) in (area.top()..area.bottom()).zip(rows) {
            self.put(area.x, y, row, area.width, style, buffer);
        }
        let mark = match cell {
            GridCell::Disc { look: DiscLook::Last, .. } => "◂▸",
            GridCell::Disc { look: DiscLook::Turned, .. } => "••",
            _ => return,
        };
        let (x, y) = (area.x + area.width / 2 - 1, area.y + (area.height - 1) / 2);
        self.put(x, y, mark, 2, theme.style(Role::Changed), buffer);
    }

    /// What stands right of a disc, in the gap between two.
    fn mark(&self, look: DiscLook, x: u16, y: u16, wide: u16, buffer: &mut Buffer) {
        let mark = match look {
            DiscLook::Last => "◂",
            DiscLook::Turned => "•",
            _ => return,
        };
        if wide > 1 {
            self.put(x, y, mark, 1, self.theme.style(Role::Changed), buffer);
        }
    }

    /// A cell of a map, four columns by two rows: bodies are joined by the line that runs through them.
    fn tile(&self, cell: &GridCell<'_>, x: u16, y: u16, buffer: &mut Buffer) {
        let theme = self.theme;
        let (style, rows) = match cell {
            GridCell::Empty => (theme.style(Role::Border), [" ·".to_owned(), String::new()]),
            GridCell::Body { seat, glyphs: [first, second] } => {
                let left = if "━┛┓╸▶".contains(*first) { '━' } else { ' ' };
                let right = if *second == '━' || *first == '◀' { '━' } else { ' ' };
                let down = if "┃┏┓╻▲".contains(*first) { '┃' } else { ' ' };
                let rows = [format!("{left}{first}{second}{right}"), format!(" {down}  ")];
                (theme.style(Role::SeatFill(*seat)), rows)
            }
            GridCell::Thing('✗', role) if !theme.ascii => {
                (theme.style(*role), [" ╲╱".to_owned(), " ╱╲".to_owned()])
            }
            GridCell::Thing('♦', role) if !theme.ascii => {
                (theme.style(*role), [" ▟▙".to_owned(), " ▜▛".to_owned()])
            }
            other => return self.small(other, x + 1, y, buffer),
        };
        for (y, row) in (y..).zip(rows) {
            self.put(x, y, &row, 4, style, buffer);
        }
    }

    /// Two rows of cells in one row of half blocks.
    fn halves(&self, buffer: &mut Buffer) {
        for (column, row, x, _) in self.visible().filter(|(_, row, _, _)| row % 2 == 0) {
            let (_, (_, top)) = self.window();
            let y = self.board.y + ((row - top) / 2) as u16;
            let color = |row: usize| {
                let cell =
                    (row < self.grid.rows()).then(|| &self.grid.cells[row * self.grid.columns + column]);
                cell.and_then(|cell| self.color(cell))
            };
            let (text, style) = match (color(row), color(row + 1)) {
                (None, None) => ("·", self.theme.style(Role::Border)),
                (Some(upper), None) => ("▀", Style::new().fg(upper)),
                (None, Some(lower)) => ("▄", Style::new().fg(lower)),
                (Some(upper), Some(lower)) if upper == lower => ("█", Style::new().fg(upper)),
                (Some(upper), Some(lower)) => ("▀", Style::new().fg(upper).bg(lower)),
            };
            self.put(x, y, text, 1, style, buffer);
        }
    }

    fn color(&self, cell: &GridCell<'_>) -> Option<Color> {
        match cell {
            GridCell::Empty | GridCell::Value(..) | GridCell::Outside => None,
            GridCell::Heat(level, _) => self.theme.heat(*level),
            GridCell::Pixel(r, g, b) => self.theme.pixel(*r, *g, *b),
            GridCell::Disc { seat, .. } | GridCell::Body { seat, .. } => self.theme.seat_color(*seat),
            GridCell::Text(_, role) | GridCell::Thing(_, role) => self.theme.style(*role).fg,
        }
    }

    fn marks(&self, marks: &[Vec<super::super::scene::Part<'_>>], y: u16, buffer: &mut Buffer) {
        let (_, (left, _)) = self.window();
        let (wide, _) = self.scale.cell();
        for (nth, words) in marks.iter().enumerate().skip(left).take(self.grid.columns) {
            let columns = if matches!(self.scale, Scale::Disc(..)) { wide - 1 } else { wide };
            let line = words_line(words, usize::from(columns), self.theme);
            let centre =
                if matches!(self.scale, Scale::Disc(..)) { (columns - line.width() as u16) / 2 } else { 0 };
            let x = self.board.x + (nth - left) as u16 * wide + centre;
            if x < self.board.right() && y < buffer.area.bottom() {
                buffer.set_line(x, y, &line, self.board.right() - x);
            }
        }
    }

    fn row_numbers(&self, gutter: u16, buffer: &mut Buffer) {
        let (_, (left, _)) = self.window();
        let style = self.theme.style(Role::Dim);
        let (_, (_, top)) = self.window();
        for (_, row, x, y) in self.visible().filter(|(column, ..)| *column == left) {
            let half = self.scale == Scale::Half;
            let y = if half { self.board.y + ((row - top) / 2) as u16 } else { y };
            if y >= self.board.bottom() || half && row % 2 == 1 {
                continue;
            }
            let y = if let Scale::Disc(_, high) = self.scale { y + (high - 1) / 2 } else { y };
            let label = text::pad_left(&row.to_string(), usize::from(gutter - 1));
            buffer.set_stringn(x - gutter, y, label, usize::from(gutter), style);
        }
    }
}

/// Where there is no room for a mark, the last disc and those it turned still differ from the others.
fn emphasised(style: Style, look: DiscLook) -> Style {
    match look {
        DiscLook::Last => style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
        _ => style.add_modifier(Modifier::BOLD),
    }
}

/// How light a colour is.
fn luma(r: u8, g: u8, b: u8) -> u8 {
    ((u32::from(r) * 2126 + u32::from(g) * 7152 + u32::from(b) * 722) / 10_000) as u8
}

/// A share of 255 as one column that is filled more or less.
fn shade_glyph(level: u8, ascii: bool) -> char {
    const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];
    const ASCII: [char; 10] = [' ', '.', ':', '-', '=', '+', '*', '%', '#', '@'];
    let of = |shades: &[char]| shades[usize::from(level) * shades.len() / 256];
    if ascii { of(&ASCII) } else { of(&SHADES) }
}

/// Numbers by colour, what is empty or zero quiet, seats in their own.
fn value_cell(cell: &Value, changed: bool) -> GridCell<'_> {
    let role = |quiet: bool, number: Option<i64>| match number {
        _ if changed => Role::Changed,
        _ if quiet => Role::Dim,
        Some(number @ 1..=8) => Role::Series((number - 1) as u8),
        _ => Role::Text,
    };
    match cell {
        Value::Null => GridCell::Empty,
        Value::Bool(flag) => GridCell::Text(if *flag { "■" } else { "·" }.into(), role(!flag, None)),
        Value::String(text) if text.trim().is_empty() => GridCell::Empty,
        Value::String(text) => {
            let seat = seat_number(text).map(Role::Seat);
            let quiet = matches!(text.as_str(), "." | "_" | "-" | "·");
            GridCell::Text(safe(text), seat.filter(|_| !changed).unwrap_or(role(quiet, None)))
        }
        number => {
            GridCell::Text(number.to_string().into(), role(number.as_f64() == Some(0.0), number.as_i64()))
        }
    }
}

/// A disc four columns by two rows, or six by three. Seats differ in form: full, ring, full lozenge, open lozenge.
fn disc(seat: u8, look: DiscLook, large: bool, ascii: bool) -> [&'static str; 3] {
    if ascii {
        return ascii_disc(seat, look, large);
    }
    match (large, look, seat % 4) {
        (true, DiscLook::Ghost, _) => ["╭╌╌╌╌╮", "╎    ╎", "╰╌╌╌╌╯"],
        (false, DiscLook::Ghost, _) => ["╭╌╌╮", "╰╌╌╯", ""],
        (true, DiscLook::Winner, 0) => ["▟████▙", "██▌▐██", "▜████▛"],
        (true, DiscLook::Winner, 1) => ["▟▀▀▀▀▙", "█ ▐▌ █", "▜▄▄▄▄▛"],
        (false, DiscLook::Winner, 0) => ["▟▘▝▙", "▜▖▗▛", ""],
        (true, _, 0) => ["▟████▙", "██████", "▜████▛"],
        (true, _, 1) => ["▟▀▀▀▀▙", "█    █", "▜▄▄▄▄▛"],
        (true, _, 2) => ["  ▟▙", "▗▟██▙▖", "  ▜▛"],
        (true, ..) => [" ╱▔▔╲", "▕    ▏", " ╲▁▁╱"],
        (false, _, 0) => ["▟██▙", "▜██▛", ""],
        (false, _, 1) => ["▟▀▀▙", "▜▄▄▛", ""],
        (false, _, 2) => ["▗▟▙▖", "▝▜▛▘", ""],
        (false, ..) => [" ╱╲", " ╲╱", ""],
    }
}

fn ascii_disc(seat: u8, look: DiscLook, large: bool) -> [&'static str; 3] {
    match (large, look, seat % 4) {
        (true, DiscLook::Ghost, _) => ["/....\\", ".    .", "\\..../"],
        (false, DiscLook::Ghost, _) => ["/..\\", "\\../", ""],
        (true, DiscLook::Winner, 0) => ["/OOOO\\", "OO**OO", "\\OOOO/"],
        (true, DiscLook::Winner, 1) => ["/XXXX\\", "XX**XX", "\\XXXX/"],
        (false, DiscLook::Winner, 0) => ["/O*\\", "\\*O/", ""],
        (false, DiscLook::Winner, 1) => ["/X*\\", "\\*X/", ""],
        (true, _, 0) => ["/OOOO\\", "OOOOOO", "\\OOOO/"],
        (true, _, 1) => ["/XXXX\\", "X    X", "\\XXXX/"],
        (true, _, 2) => ["/####\\", "######", "\\####/"],
        (true, ..) => ["/@@@@\\", "@    @", "\\@@@@/"],
        (false, _, 0) => ["/OO\\", "\\OO/", ""],
        (false, _, 1) => ["/XX\\", "\\XX/", ""],
        (false, _, 2) => ["/##\\", "\\##/", ""],
        (false, ..) => ["/@@\\", "\\@@/", ""],
    }
}
