//! Boards, maps and pictures made from what observations hold: characters, matrices, places by name, points over a
//! width and a height, chess positions, pixels.

use serde_json::{Map, Value};

use super::scene::{Body, Fact, Grid, GridCell, GridKind, Part, Words};
use super::shape::{Shape, place, shape};
use super::values::{Change, is_scalar, safe};
use crate::text;
use crate::ui::theme::{Role, seat_number};

/// Rows and columns of a map at most.
const MAX_SIDE: i64 = 200;
/// Points of a layer.
const MAX_POINTS: usize = 4_000;
/// Words explained below a map.
const MAX_LEGEND: usize = 24;
/// Cells of a tape in a row.
const TAPE: usize = 32;
/// Where more of a heat map changed than this part of it, marks would say nothing.
const MARKED: usize = 5;

/// A board with what explains it.
pub(super) struct Board<'a> {
    pub(super) body: Body<'a>,
    /// Stands behind the title.
    pub(super) note: Words<'a>,
    /// What the letters mean.
    pub(super) legend: Vec<Fact<'a>>,
}

/// A grid of text with numbers around it.
pub(super) fn numbered(columns: usize, cells: Vec<GridCell<'_>>, wide: usize) -> Body<'_> {
    let label = |column: usize| {
        let label = column.to_string();
        // Labels as wide as their cells would run into each other.
        let crowded = label.len() > wide;
        if crowded && column % 2 == 1 && column >= 10 {
            Vec::new()
        } else {
            vec![Part::new(label, Role::Dim)]
        }
    };
    Body::Grid(Grid {
        kind: GridKind::Text(wide),
        columns,
        cells,
        head: (0..columns).map(label).collect(),
        foot: Vec::new(),
        number_rows: true,
        focus: None,
    })
}

fn bare(kind: GridKind, columns: usize, cells: Vec<GridCell<'_>>) -> Grid<'_> {
    Grid { kind, columns, cells, head: Vec::new(), foot: Vec::new(), number_rows: false, focus: None }
}

/// Numbers as colours between their least and greatest.
pub(super) fn heat<'a>(rows: &'a [Value], before: Option<&'a Value>) -> Option<Board<'a>> {
    let columns = rows.first()?.as_array()?.len();
    let numbers: Vec<Option<f64>> = rows
        .iter()
        .filter_map(Value::as_array)
        .filter(|row| row.len() == columns)
        .flatten()
        .map(|cell| cell.as_f64().filter(|number| number.abs() < 1e15))
        .collect();
    let known = || numbers.iter().flatten().copied();
    let (low, high) =
        known().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), n| (low.min(n), high.max(n)));
    if columns == 0 || numbers.is_empty() || low > high {
        return None;
    }
    let old = |nth: usize| before.and_then(|before| before.get(nth / columns)?.get(nth % columns)?.as_f64());
    let changed = |nth: usize| before.is_some() && numbers[nth] != old(nth);
    let many = (0..numbers.len()).filter(|nth| changed(*nth)).count() * MARKED > numbers.len();
    let cell = |(nth, number): (usize, &Option<f64>)| match number {
        Some(number) => {
            let share = if high > low { (number - low) / (high - low) } else { 0.5 };
            GridCell::Heat((share * 255.0).round() as u8, !many && changed(nth))
        }
        None => GridCell::Outside,
    };
    let cells = numbers.iter().enumerate().map(cell).collect();
    let size = format!("  {} × {columns}  ", numbers.len() / columns);
    let number = |value: f64| text::decimal(value, 2);
    let mut note = vec![Part::new(size, Role::Dim)];
    note.push(Part::plain(format!("{} ", number(low))));
    note.push(Part::new("░▒▓█", Role::Dim));
    note.push(Part::plain(format!(" {}", number(high))));
    if many {
        note.push(Part::new("  • most of it changed", Role::Changed));
    }
    let mut grid = bare(GridKind::Picture, columns, cells);
    grid.number_rows = true;
    Some(Board { body: Body::Grid(grid), note, legend: Vec::new() })
}

/// Pixels of three or four numbers, whether up to 1 or up to 255.
pub(super) fn pixels(rows: &[Value]) -> Option<Board<'static>> {
    let columns = rows.first()?.as_array()?.len();
    let all = || rows.iter().filter_map(Value::as_array).filter(|row| row.len() == columns).flatten();
    let parts = |pixel: &Value| {
        let part = |nth: usize| pixel.get(nth).and_then(Value::as_f64).unwrap_or(0.0);
        [part(0), part(1), part(2)]
    };
    let greatest = all().take(MAX_POINTS).flat_map(parts).fold(0.0, f64::max);
    let scale = if greatest <= 1.0 { 255.0 } else { 1.0 };
    let byte = |part: f64| (part * scale).clamp(0.0, 255.0).round() as u8;
    let cells: Vec<_> =
        all().map(|pixel| parts(pixel).map(byte)).map(|[r, g, b]| GridCell::Pixel(r, g, b)).collect();
    let note = vec![Part::new(format!("  {} × {columns} pixels", cells.len() / columns.max(1)), Role::Dim)];
    (columns > 0).then(|| Board {
        body: Body::Grid(bare(GridKind::Picture, columns, cells)),
        note,
        legend: Vec::new(),
    })
}

/// One row of signs, with the place of whatever points at it below.
pub(super) fn tape<'a>(items: &'a [Value], before: Option<&Value>, head: Option<usize>) -> Body<'a> {
    let columns = if items.len() > TAPE + TAPE / 2 { TAPE } else { items.len() };
    let cell = |(nth, item): (usize, &'a Value)| {
        GridCell::Value(item, before.is_some() && before.and_then(|before| before.get(nth)) != Some(item))
    };
    let mut cells: Vec<_> = items.iter().take(MAX_POINTS).enumerate().map(cell).collect();
    cells.resize(cells.len().next_multiple_of(columns.max(1)), GridCell::Outside);
    let mut grid = bare(GridKind::Text(1), columns, cells);
    grid.number_rows = items.len() > columns;
    if let Some(head) = head.filter(|head| *head < columns && items.len() == columns) {
        grid.foot = vec![Vec::new(); columns];
        grid.foot[head] = vec![Part::new("▲", Role::Key)];
    }
    Body::Grid(grid)
}

/// Words as single letters, each with its meaning.
#[derive(Default)]
struct Legend<'a> {
    known: Vec<(&'a str, char, Role)>,
}

impl<'a> Legend<'a> {
    /// The letter of a word: its first that is free, or else a digit, or else `?`.
    fn sign(&mut self, word: &'a str) -> (char, Role) {
        if let Some((_, sign, role)) = self.known.iter().find(|(known, ..)| *known == word) {
            return (*sign, *role);
        }
        let free =
            |sign: &char| sign.is_ascii_graphic() && self.known.iter().all(|(_, taken, _)| taken != sign);
        let letters = word.chars().filter(char::is_ascii_alphanumeric);
        let upper =
            word.chars().map(|letter| letter.to_ascii_uppercase()).filter(char::is_ascii_alphanumeric);
        let sign = letters.chain(upper).chain('1'..='9').find(|sign| free(sign)).unwrap_or('?');
        let role = match seat_number(word) {
            Some(seat) => Role::Seat(seat),
            None if self.known.len() < 8 => Role::Series(self.known.len() as u8),
            None => Role::Text,
        };
        if self.known.len() < MAX_LEGEND {
            self.known.push((word, sign, role));
        }
        (sign, role)
    }

    fn facts(self) -> Vec<Fact<'a>> {
        let entry = |(word, sign, role): (&'a str, char, Role)| Fact {
            key: sign.to_string().into(),
            value: vec![Part::new(text::excerpt(word, 14), role)],
            trend: Vec::new(),
        };
        self.known.into_iter().map(entry).collect()
    }
}

/// What a place holds, in a word: the value itself, or the member that says what kind of thing it is.
fn kind_of(value: &Value) -> Option<&Value> {
    const KINDS: [&str; 10] =
        ["type", "kind", "terrain", "tile", "piece", "unit", "owner", "seat", "name", "id"];
    if is_scalar(value) {
        return Some(value);
    }
    KINDS.iter().find_map(|key| value.get(*key).filter(|value| is_scalar(value)))
}

/// One object whose names are places, later ones lie on top.
pub(super) struct Layer<'a> {
    pub(super) places: &'a Map<String, Value>,
    pub(super) before: Option<&'a Value>,
}

/// Places by name. Those that make up a hexagon are drawn as one: each row half a cell further.
pub(super) fn places<'a>(layers: &[Layer<'a>]) -> Option<Board<'a>> {
    let all = || layers.iter().flat_map(|layer| layer.places.keys()).filter_map(|key| place(key));
    let span = |of: fn((i32, i32)) -> i32| {
        all().map(of).fold((i32::MAX, i32::MIN), |(low, high), at| (low.min(at), high.max(at)))
    };
    let ((left, right), (top, bottom)) = (span(|at| at.0), span(|at| at.1));
    if left > right {
        return None;
    }
    let hex = is_hex(&all().collect::<Vec<_>>());
    let across = |(q, r): (i32, i32)| if hex { 2 * q + r } else { q };
    let (first, last) =
        all().map(across).fold((i32::MAX, i32::MIN), |(low, high), at| (low.min(at), high.max(at)));
    let (columns, rows) = (i64::from(last) - i64::from(first) + 1, i64::from(bottom) - i64::from(top) + 1);
    if columns > 2 * MAX_SIDE || rows > MAX_SIDE {
        return None;
    }
    let columns = columns as usize;
    let mut cells = vec![GridCell::Outside; columns * rows as usize];
    let mut legend = Legend::default();
    for layer in layers {
        for (key, value) in layer.places.iter().take(MAX_POINTS) {
            let Some(at) = place(key) else { continue };
            let before = layer.before.map(|before| before.get(key));
            let changed = before.is_some_and(|before| Change::of(value, before) != Change::Same);
            let cell = &mut cells[(at.1 - top) as usize * columns + (across(at) - first) as usize];
            *cell = match kind_of(value) {
                Some(Value::String(word)) => {
                    let (sign, role) = legend.sign(word);
                    GridCell::Thing(sign, if changed { Role::Changed } else { role })
                }
                Some(Value::Null) => GridCell::Empty,
                Some(other) => GridCell::Value(other, changed),
                None => GridCell::Thing('+', if changed { Role::Changed } else { Role::Text }),
            };
        }
    }
    let mut grid = bare(GridKind::Text(1), columns, cells);
    if !hex {
        grid.head = (left..=right)
            .map(|column| vec![Part::new((column.rem_euclid(100)).to_string(), Role::Dim)])
            .collect();
    }
    let corner = format!("  {left},{top} to {right},{bottom}");
    let mut note = vec![Part::new(if hex { format!("  hexagons{corner}") } else { corner }, Role::Dim)];
    Some(Board { body: Body::Grid(grid), note, legend: legend.facts() })
}

/// No place further from the middle than the corners of a hexagon are, and all six sides reached.
fn is_hex(all: &[(i32, i32)]) -> bool {
    let reach = all.iter().map(|(q, r)| q.abs().max(r.abs())).max().unwrap_or(0);
    let inside = all.iter().all(|(q, r)| (q + r).abs() <= reach);
    let opposite = |at: (i32, i32)| all.contains(&at) && all.contains(&(-at.0, -at.1));
    reach > 0 && inside && opposite((reach, -reach))
}

/// Whether a value is a point, or a list of points; gives them.
fn points(value: &Value) -> Vec<(i64, i64)> {
    let whole = |value: Option<&Value>| value.and_then(Value::as_i64);
    let point = |value: &Value| match value {
        Value::Array(pair) if pair.len() == 2 => whole(pair.first()).zip(whole(pair.get(1))),
        Value::Object(members) => {
            let inner =
                ["at", "pos", "position", "xy", "cell", "location"].iter().find_map(|key| members.get(*key));
            let of = |value: &Value| match value {
                Value::Array(pair) if pair.len() == 2 => whole(pair.first()).zip(whole(pair.get(1))),
                other => whole(other.get("x")).zip(whole(other.get("y"))),
            };
            inner.and_then(of).or_else(|| of(value))
        }
        _ => None,
    };
    if let Some(point) = point(value) {
        return vec![point];
    }
    let Some(items) = value.as_array().filter(|items| !items.is_empty()) else { return Vec::new() };
    items.iter().take(MAX_POINTS).map(point).collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// The width and height an observation tells.
fn size(members: &Map<String, Value>) -> Option<(i64, i64)> {
    let number = |key: &str| members.get(key).and_then(Value::as_i64);
    let first = |keys: &[&str]| keys.iter().find_map(|key| number(key));
    let told = first(&["width", "w", "cols", "columns", "grid_width", "board_width"]).zip(first(&[
        "height",
        "h",
        "rows",
        "grid_height",
        "board_height",
    ]));
    let pair = ["size", "dims", "grid_size", "board_size", "shape"].iter().find_map(|key| {
        let value = members.get(*key)?;
        let pair = value.as_array().filter(|pair| pair.len() == 2);
        let side = || value.as_i64().map(|side| (side, side));
        pair.and_then(|pair| pair[0].as_i64().zip(pair[1].as_i64())).or_else(side)
    });
    told.or(pair).filter(|(wide, high)| (2..=MAX_SIDE).contains(wide) && (2..=MAX_SIDE).contains(high))
}

/// Points over a width and a height as a map, with the names of those that it shows whole.
pub(super) fn layers<'a>(
    members: &'a Map<String, Value>,
    before: Option<&Value>,
) -> Option<(Board<'a>, Vec<&'a str>)> {
    let (wide, high) = size(members)?;
    let drawn = |value: &Value| matches!(shape(value), Shape::Matrix(_) | Shape::Characters | Shape::Heat);
    if members.values().any(drawn) {
        return None;
    }
    let within = |(x, y): &(i64, i64)| (0..wide).contains(x) && (0..high).contains(y);
    let layer = |(name, value): (&'a String, &'a Value)| {
        let found = points(value);
        (!found.is_empty() && found.iter().all(within)).then_some((name.as_str(), value, found))
    };
    let mut found: Vec<_> = members.iter().filter_map(layer).collect();
    if found.is_empty() {
        return None;
    }
    // The fewer its points, the further up a layer lies.
    found.sort_by_key(|(_, _, points)| std::cmp::Reverse(points.len()));
    let mut cells = vec![GridCell::Empty; (wide * high) as usize];
    let mut legend = Legend::default();
    let mut shown = Vec::new();
    for (name, value, all) in &found {
        let (sign, role) = legend.sign(name);
        let old = before.map(|before| before.get(*name).map(points).unwrap_or_default());
        for at in all {
            let changed = old.as_ref().is_some_and(|old| !old.contains(at));
            cells[(at.1 * wide + at.0) as usize] =
                GridCell::Thing(sign, if changed { Role::Changed } else { role });
        }
        let plain = value.as_array().is_some_and(|items| items.iter().all(|item| !item.is_object()));
        if plain || value.as_object().is_some_and(|members| members.len() == 2) {
            shown.push(*name);
        }
    }
    Some((Board { body: numbered(wide as usize, cells, 1), note: Vec::new(), legend: legend.facts() }, shown))
}

/// A chess position: White's pieces in capitals.
pub(super) fn fen<'a>(text: &'a str, before: Option<&str>, moved: Option<&str>) -> Board<'a> {
    let mut parts = text.split(' ');
    let rows = fen_rows(parts.next().unwrap_or_default());
    let old = before.map(|before| fen_rows(before.split(' ').next().unwrap_or_default()));
    let wide = rows.first().map_or(0, Vec::len);
    let mut cells = Vec::new();
    for (nth, row) in rows.iter().enumerate() {
        let rank = rows.len() - nth;
        cells.push(GridCell::Text(rank.to_string().into(), Role::Dim));
        for (file, piece) in row.iter().enumerate() {
            let square = format!("{}{rank}", (b'a' + file as u8 % 26) as char);
            let then = old.as_ref().and_then(|old| old.get(nth)?.get(file));
            let changed =
                old.is_some() && then != Some(piece) || moved.is_some_and(|moved| moved.contains(&square));
            let role = match piece {
                _ if changed => Role::Changed,
                'A'..='Z' => Role::Strong,
                _ => Role::Seat(1),
            };
            cells.push(match piece {
                '.' if changed => GridCell::Thing('∘', role),
                '.' => GridCell::Empty,
                piece => GridCell::Thing(*piece, role),
            });
        }
    }
    let mut grid = bare(GridKind::Text(1), wide + 1, cells);
    let files =
        (0..wide).map(|file| vec![Part::new(((b'a' + file as u8 % 26) as char).to_string(), Role::Dim)]);
    grid.foot = std::iter::once(Vec::new()).chain(files).collect();
    let mut note = Vec::new();
    let side = parts.next();
    if let Some(side @ ("w" | "b")) = side {
        note.push(Part::plain(if side == "w" { "  white to move" } else { "  black to move" }));
    }
    let rest: Vec<&str> = parts.take(6).collect();
    if !rest.is_empty() {
        note.push(Part::new(format!("  {}", safe(&rest.join(" "))), Role::Dim));
    }
    Board { body: Body::Grid(grid), note, legend: Vec::new() }
}

fn fen_rows(board: &str) -> Vec<Vec<char>> {
    let row = |rank: &str| {
        let mut row = Vec::new();
        let mut empty = 0;
        for letter in rank.chars().take(64) {
            match letter.to_digit(10) {
                Some(digit) => empty = (empty * 10 + digit as usize).min(64),
                None if letter.is_ascii_alphabetic() => {
                    row.extend(std::iter::repeat_n('.', std::mem::take(&mut empty)));
                    row.push(letter);
                }
                None => {}
            }
        }
        row.extend(std::iter::repeat_n('.', empty));
        row
    };
    let mut rows: Vec<Vec<char>> = board.split('/').take(16).map(row).collect();
    let wide = rows.iter().map(Vec::len).max().unwrap_or(0).min(32);
    for row in &mut rows {
        row.resize(wide, '.');
    }
    rows
}
