//! Panels of a file made from an observation.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::file::{AlignName, Bound, Format, Kind, Panel, Renderer, RoleName, SlotName};
use super::values;
use crate::text;
use crate::ui::render::SceneInput;
use crate::ui::render::scene::{
    Body, Column, Fact, Gauge, Grid, GridCell, GridKind, Part, Rows, Scene, Series, SeriesLine, Slot, Table,
    Words,
};
use crate::ui::render::values::{Change, inline, safe};
use crate::ui::theme::Role;
use crate::ui::widgets::Align;

/// Rows and columns of a board.
const MAX_SIDE: usize = 200;
/// Rows of a table, entries of a log.
const MAX_ROWS: usize = 500;

/// All panels that find something; nothing if none does.
pub(super) fn paint<'a>(renderer: &'a Renderer, input: &SceneInput<'a>) -> Option<Scene<'a>> {
    let mut scene = Scene::default();
    for panel in &renderer.panels {
        let slot = match panel.slot {
            SlotName::Main => Slot::Main,
            SlotName::Side => Slot::Side,
            SlotName::Far => Slot::Far,
            SlotName::Foot => Slot::Foot,
        };
        let mut legend = Vec::new();
        let body = match panel.kind {
            Kind::Grid => grid(panel, input, &mut legend),
            Kind::Table => table(panel, input),
            Kind::Facts => facts(panel, input),
            Kind::Chart => chart(panel, input),
            Kind::Gauge => gauge(panel, input),
            Kind::Text => text_of(panel, input),
            Kind::Cards => cards(panel, input),
            Kind::Log => log(panel, input),
        };
        if let Some(body) = body {
            scene.add(slot, panel.title.as_str(), body);
        }
        if !legend.is_empty() {
            scene.push(slot, 9, Vec::new(), Body::Facts(legend));
        }
    }
    (!scene.panels.is_empty()).then_some(scene)
}

fn at<'a>(panel: &Panel, data: &'a Value) -> Option<&'a Value> {
    values(data, panel.path.as_deref()?).first().map(|(_, value)| *value)
}

/// Signs of a matrix, of strings, or none; then the layers on top.
fn grid<'a>(panel: &'a Panel, input: &SceneInput<'a>, legend: &mut Vec<Fact<'a>>) -> Option<Body<'a>> {
    let mut board = match at(panel, input.data) {
        Some(value) => signs(value)?,
        _ => vec![
            vec![String::new(); side(panel.width.as_ref(), input.data)?];
            side(panel.height.as_ref(), input.data)?
        ],
    };
    let old = at_before(panel, input).and_then(signs);
    let columns = board.iter().map(Vec::len).max().unwrap_or(0);
    if columns == 0 || columns > MAX_SIDE || board.len() > MAX_SIDE {
        return None;
    }
    let mut cells = Vec::with_capacity(columns * board.len());
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for (y, row) in board.iter_mut().enumerate() {
        row.resize(columns, String::new());
        for (x, sign) in row.iter().enumerate() {
            let changed = old.as_ref().is_some_and(|old| old.get(y).and_then(|row| row.get(x)) != Some(sign));
            let look = panel.cells.get_key_value(sign.as_str());
            if let Some((key, _)) = look {
                seen.insert(key);
            }
            let role = look.and_then(|(_, look)| look.role).map_or(Role::Text, RoleName::role);
            let role = if changed && old.is_some() { Role::Changed } else { role };
            let glyph = look.and_then(|(_, look)| look.sign(input.ascii)).filter(|glyph| is_single(*glyph));
            cells.push(match glyph {
                Some(glyph) => GridCell::Thing(glyph, role),
                None if sign.is_empty() => GridCell::Empty,
                None => GridCell::Text(text::excerpt(sign, 6).into_owned().into(), role),
            });
        }
    }
    for key in seen {
        let look = &panel.cells[key];
        if let Some(words) = &look.legend {
            let role = look.role.map_or(Role::Text, RoleName::role);
            let sign = look.sign(input.ascii).map_or(key.to_owned(), String::from);
            legend.push(entry(sign, words, role));
        }
    }
    let rows = cells.len() / columns;
    for layer in &panel.layers {
        let role = layer.role.role();
        let glyph = layer.sign(input.ascii);
        let mut found = false;
        for (_, value) in values(input.data, &layer.path) {
            for (x, y) in points(value) {
                let (x, y) = if layer.rows_first { (y, x) } else { (x, y) };
                if x < columns && y < rows && is_single(glyph) {
                    cells[y * columns + x] = GridCell::Thing(glyph, role);
                    found = true;
                }
            }
        }
        if let Some(words) = layer.legend.as_ref().filter(|_| found) {
            legend.push(entry(glyph.to_string(), words, role));
        }
    }
    if panel.upwards {
        cells = cells.chunks(columns).rev().flatten().cloned().collect();
    }
    let wide =
        board.iter().flatten().map(|sign| text::width(&text::excerpt(sign, 6))).max().unwrap_or(1).max(1);
    Some(Body::Grid(Grid {
        kind: GridKind::Text(wide),
        columns,
        cells,
        head: Vec::new(),
        foot: Vec::new(),
        number_rows: false,
        focus: None,
    }))
}

/// Rows or columns of an empty board.
fn side(bound: Option<&Bound>, data: &Value) -> Option<usize> {
    let side = bound?.of(data)?;
    (1.0..=MAX_SIDE as f64).contains(&side).then_some(side as usize)
}

fn is_single(glyph: char) -> bool {
    text::width(glyph.encode_utf8(&mut [0; 4])) == 1
}

fn entry(sign: String, words: &str, role: Role) -> Fact<'_> {
    Fact { key: sign.into(), value: vec![Part::new(text::excerpt(words, 20), role)], trend: Vec::new() }
}

fn at_before<'a>(panel: &Panel, input: &SceneInput<'a>) -> Option<&'a Value> {
    at(panel, input.previous?)
}

/// Each cell as a word.
fn signs(value: &Value) -> Option<Vec<Vec<String>>> {
    let word = |cell: &Value| match cell {
        Value::Null => String::new(),
        Value::String(text) => text::excerpt(text, 8).into_owned(),
        Value::Array(_) | Value::Object(_) => "+".to_owned(),
        other => other.to_string(),
    };
    let letters = |line: &str| {
        line.chars().take(MAX_SIDE).map(|letter| safe(letter.encode_utf8(&mut [0; 4])).into_owned()).collect()
    };
    let rows: Vec<Vec<String>> = match value {
        Value::String(text) if crate::ui::render::shape::is_fen(text) => {
            let rows = crate::ui::render::boards::fen_rows(text.split(' ').next()?);
            let cell = |piece: &char| if *piece == '.' { String::new() } else { piece.to_string() };
            rows.iter().map(|row| row.iter().map(cell).collect()).collect()
        }
        Value::String(text) => text.lines().take(MAX_SIDE).map(letters).collect(),
        Value::Array(items) => items
            .iter()
            .take(MAX_SIDE)
            .map(|row| match row {
                Value::String(line) => letters(line),
                Value::Array(cells) => cells.iter().take(MAX_SIDE).map(word).collect(),
                other => vec![word(other)],
            })
            .collect(),
        _ => return None,
    };
    (!rows.is_empty()).then_some(rows)
}

fn points(value: &Value) -> Vec<(usize, usize)> {
    let number =
        |value: Option<&Value>| value.and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
    match value {
        Value::Array(pair) if pair.len() == 2 && pair.iter().all(Value::is_number) => {
            number(pair.first()).zip(number(pair.get(1))).into_iter().collect()
        }
        Value::Array(items) => items.iter().take(4_000).flat_map(points_of_item).collect(),
        _ => points_of_item(value),
    }
}

fn points_of_item(value: &Value) -> Vec<(usize, usize)> {
    match value {
        Value::Array(pair) if pair.len() == 2 => points(value),
        Value::Object(members) => {
            let at = |key: &str| {
                members.get(key).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
            };
            at("x").zip(at("y")).or_else(|| at("col").zip(at("row"))).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn shown(value: &Value, format: Option<Format>) -> Part<'_> {
    let number = value.as_f64();
    match (format, number) {
        (Some(Format::Whole), Some(number)) => Part::plain(text::grouped(number, 0)),
        (Some(Format::Money), Some(number)) => Part::plain(text::grouped(number, 2)),
        (Some(Format::Signed), Some(number)) => {
            let role = if number < 0.0 { Role::Bad } else { Role::Good };
            Part::new(text::signed(number, 2), if number == 0.0 { Role::Dim } else { role })
        }
        (Some(Format::Percent), Some(number)) => {
            Part::plain(format!("{} %", text::decimal(number * 100.0, 1)))
        }
        (Some(Format::Mark), _) => {
            let yes = value.as_bool().unwrap_or(number.is_some_and(|number| number != 0.0));
            if yes { Part::plain("✓") } else { Part::new("·", Role::Dim) }
        }
        _ => inline(value, 30),
    }
}

/// Adds a value with the mark of its change, where there is something to compare with.
fn mark<'a>(part: Part<'a>, change: Option<Change>, words: &mut Words<'a>) {
    let Some(change) = change else { return words.push(part) };
    let role = if change == Change::Same { part.role } else { Role::Changed };
    words.push(Part { role, ..part });
    words.push(Part::new(change.glyph(), Role::Changed));
}

fn table<'a>(panel: &'a Panel, input: &SceneInput<'a>) -> Option<Body<'a>> {
    let rows = values(input.data, &format!("{}/*", panel.path.as_deref()?));
    if rows.is_empty() || panel.columns.is_empty() {
        return None;
    }
    let old: BTreeMap<String, &Value> = input
        .previous
        .into_iter()
        .flat_map(|old| values(old, &format!("{}/*", panel.path.as_deref().unwrap_or_default())))
        .collect();
    let row = |(name, value): &(String, &'a Value)| -> Words<'a> {
        let cell = |column: &'a super::file::Column| {
            if column.path == "@" {
                return Part::new(text::excerpt(name, 20).into_owned(), column.role.role());
            }
            let step = if column.path == "/" { "" } else { column.path.as_str() };
            let Some((_, found)) = values(value, step).into_iter().next() else {
                return Part::new("–", Role::Dim);
            };
            let mut part = shown(found, column.format);
            if part.role == Role::Text {
                part.role = column.role.role();
            }
            let then =
                |old: &&Value| values(old, step).first().map(|(_, value)| Change::of(found, Some(*value)));
            let change = old.get(name).map(|old| then(old).unwrap_or(Change::Other));
            let mut words = Vec::new();
            mark(part, change, &mut words);
            let role = words[0].role;
            Part::new(words.iter().map(|part| part.text.as_ref()).collect::<String>(), role)
        };
        panel.columns.iter().map(cell).collect()
    };
    let column = |column: &'a super::file::Column| {
        let right =
            column.align == Some(AlignName::Right) || column.align.is_none() && column.format.is_some();
        let bare = column.path.trim_start_matches('/');
        let title = column.title.as_deref().unwrap_or(bare);
        Column {
            title: Cow::Borrowed(if title.is_empty() { " " } else { title }),
            align: if right { Align::Right } else { Align::Left },
        }
    };
    let columns = panel.columns.iter().map(column).collect();
    Some(Body::Table(Table { columns, rows: Rows::Ready(rows.iter().take(MAX_ROWS).map(row).collect()) }))
}

fn facts<'a>(panel: &'a Panel, input: &SceneInput<'a>) -> Option<Body<'a>> {
    let mut facts = Vec::new();
    for path in panel.path.iter().chain(&panel.paths) {
        let old: BTreeMap<String, &Value> =
            input.previous.into_iter().flat_map(|old| values(old, path)).collect();
        for (name, value) in values(input.data, path).into_iter().take(MAX_ROWS) {
            let change = input.previous.is_some().then(|| Change::of(value, old.get(&name).copied()));
            let mut words = Vec::new();
            mark(shown(value, panel.format), change, &mut words);
            let full = path.replace('*', &name);
            let key = path.rsplit('/').find(|step| *step != "*").filter(|_| !path.contains('*'));
            let key = key.map_or(safe(&name).into_owned(), str::to_owned);
            facts.push(Fact { key: key.into(), value: words, trend: input.trail.trend(&full) });
        }
    }
    (!facts.is_empty()).then_some(Body::Facts(facts))
}

/// Numbers over time as the trail kept them; a list of numbers is a line by itself.
fn chart<'a>(panel: &'a Panel, input: &SceneInput<'a>) -> Option<Body<'a>> {
    let mut lines = Vec::new();
    for path in panel.path.iter().chain(&panel.paths) {
        for (name, value) in values(input.data, path).into_iter().take(8) {
            let points: Vec<(f64, f64)> = if let Value::Array(items) = value {
                let number = |(nth, item): (usize, &Value)| Some((nth as f64, item.as_f64()?));
                items.iter().enumerate().take(2_000).filter_map(number).collect()
            } else {
                let kept = input.trail.series(&path.replace('*', &name));
                kept.iter().map(|(tick, value)| (*tick as f64, *value)).collect()
            };
            if !points.is_empty() {
                let role = Role::Series(lines.len() as u8 % 8);
                lines.push(SeriesLine { name: Cow::Owned(safe(&name).into_owned()), role, points });
            }
        }
    }
    (!lines.is_empty()).then(|| Body::Series(Series { lines, marks: Vec::new() }))
}

fn gauge<'a>(panel: &'a Panel, input: &SceneInput<'a>) -> Option<Body<'a>> {
    let limit = panel.max.as_ref()?.of(input.data)?;
    let gauge = |(name, value): (String, &'a Value)| {
        let number = value.as_f64().filter(|number| number.is_finite())?;
        let words = shown(value, panel.format).text.into_owned();
        Some(Gauge {
            label: vec![Part::new(text::excerpt(&name, 14).into_owned(), Role::Dim)],
            value: number,
            limit,
            signed: panel.signed,
            text: format!("{words} / {}", text::decimal(limit, 2)).into(),
            role: if number.abs() <= limit.abs() / 4.0 && !panel.signed { Role::Warn } else { Role::Accent },
        })
    };
    let gauges: Vec<_> =
        values(input.data, panel.path.as_deref()?).into_iter().take(32).filter_map(gauge).collect();
    (!gauges.is_empty()).then_some(Body::Gauges(gauges))
}

fn text_of<'a>(panel: &'a Panel, input: &SceneInput<'a>) -> Option<Body<'a>> {
    match at(panel, input.data)? {
        Value::String(text) => Some(crate::ui::render::talk::paragraphs(text, at_before(panel, input))),
        other => Some(Body::Text(inline(other, 4_000).text.into_owned().into())),
    }
}

/// Short words side by side, each a card.
fn cards<'a>(panel: &'a Panel, input: &SceneInput<'a>) -> Option<Body<'a>> {
    let rows = values(input.data, panel.path.as_deref()?);
    let row = |(_, value): (String, &'a Value)| -> Words<'a> {
        let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        items.iter().take(60).flat_map(card).collect()
    };
    let rows: Vec<Words<'a>> =
        rows.into_iter().take(MAX_ROWS).map(row).filter(|row| !row.is_empty()).collect();
    (!rows.is_empty()).then_some(Body::Log(rows))
}

fn card(value: &Value) -> [Part<'_>; 2] {
    let word = inline(value, 12).text;
    let red = word.ends_with(['h', 'd', '♥', '♦']);
    let role = if red { Role::Bad } else { Role::Strong };
    [Part::new(format!("[{word}]"), role), Part::plain(" ")]
}

fn log<'a>(panel: &'a Panel, input: &SceneInput<'a>) -> Option<Body<'a>> {
    let value = at(panel, input.data)?;
    let items = value.as_array()?;
    let entry = |item: &'a Value| match item {
        Value::String(_) => vec![inline(item, 400)],
        other => crate::ui::render::describe(other, input.seat),
    };
    let lines: Vec<Words<'a>> = items.iter().rev().take(MAX_ROWS).map(entry).collect();
    (!lines.is_empty()).then_some(Body::Log(lines))
}
