//! Draws any observation: the painter for games never seen before.
//!
//! Each member goes where its [`shape`] belongs: boards and charts in the middle, tables and short values beside
//! them, text below, and what is left into a tree. Members that every observation has, and that the screen around
//! the drawing shows already, are left out.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::SceneInput;
use super::scene::{
    Body, Column, Fact, Folds, Grid, GridCell, GridKind, Part, Record, Rows, Scene, Series, SeriesLine, Slot,
    Table, Tree, Words,
};
use super::shape::{SHORT, Shape, shape};
use super::values::{Change, inline, pair, safe};
use crate::tape::item_name;
use crate::ui::theme::Role;
use crate::ui::widgets::Align;

/// Members drawn; what is beyond them goes into the tree.
const MAX_PANELS: usize = 24;
/// Values in the block of short values.
const MAX_FACTS: usize = 200;
/// Rows of a table kept.
const MAX_ROWS: usize = 4_000;
/// Columns of a table.
const MAX_COLUMNS: usize = 12;
/// A table of so many columns fits beside the main thing.
const NARROW: usize = 4;
/// Objects inside objects that get panels of their own.
const MAX_DEPTH: usize = 2;

/// Every observation has these, and the frame around the drawing shows them.
const ENVELOPE: [&str; 9] = [
    "_action_space",
    "_rejection_feedback",
    "events",
    "is_your_turn",
    "max_ticks",
    "player_count",
    "score",
    "seat",
    "tick",
];

/// Paints any value.
pub(super) fn paint<'a>(input: &SceneInput<'a>) -> Scene<'a> {
    let mut page = Page { input, scene: Scene::default(), rest: Vec::new(), later: Vec::new() };
    match input.data {
        Value::Object(members) => {
            let own = members.iter().filter(|(key, _)| !ENVELOPE.contains(&key.as_str()));
            page.members("", "", own, input.previous, 0);
        }
        Value::Null => {}
        other => page.member("observation", "", other, input.previous, 0),
    }
    page.finish()
}

struct Page<'i, 'a> {
    input: &'i SceneInput<'a>,
    scene: Scene<'a>,
    /// For the tree.
    rest: Vec<(Cow<'a, str>, &'a Value, Option<&'a Value>)>,
    /// Long panels stand after the short ones.
    later: Vec<(Cow<'a, str>, Body<'a>)>,
}

impl<'a> Page<'_, 'a> {
    fn members(
        &mut self,
        title: &str,
        path: &str,
        members: impl Iterator<Item = (&'a String, &'a Value)>,
        before: Option<&'a Value>,
        depth: usize,
    ) {
        let mut facts = Vec::new();
        let mut others = Vec::new();
        for (key, value) in members {
            match shape(value) {
                Shape::Scalar | Shape::Inline if facts.len() < MAX_FACTS => {
                    facts.push(self.fact(
                        key,
                        &format!("{path}/{key}"),
                        value,
                        before.and_then(|before| before.get(key)),
                    ));
                }
                _ => others.push((key, value)),
            }
        }
        if !facts.is_empty() {
            self.scene.add(Slot::Side, title.to_owned(), Body::Facts(facts));
        }
        for (key, value) in others {
            let name =
                if title.is_empty() { safe(key).into_owned() } else { format!("{title} · {}", safe(key)) };
            self.member(
                &name,
                &format!("{path}/{key}"),
                value,
                before.and_then(|before| before.get(key)),
                depth,
            );
        }
    }

    fn member(&mut self, name: &str, path: &str, value: &'a Value, before: Option<&'a Value>, depth: usize) {
        if self.scene.panels.len() + self.later.len() >= MAX_PANELS {
            self.rest.push((Cow::Owned(name.to_owned()), value, before));
            return;
        }
        let body = match (shape(value), value) {
            (Shape::Characters, _) => Some((Slot::Main, characters(value, before))),
            (Shape::Matrix(wide), Value::Array(rows)) => Some((Slot::Main, self.matrix(rows, wide, before))),
            (Shape::Numbers, Value::Array(items)) => Some((Slot::Main, numbers(name, items))),
            (Shape::Records, Value::Array(items)) => {
                self.later.push((Cow::Owned(name.to_owned()), records(items, before)));
                None
            }
            (Shape::NamedRecords, Value::Object(members)) => {
                Some((Slot::Side, named_records(members, before)))
            }
            (Shape::Text, Value::String(text)) => {
                self.later.push((Cow::Owned(name.to_owned()), Body::Text(Cow::Borrowed(text))));
                None
            }
            (Shape::Scalar | Shape::Inline, _) => {
                let fact = self.fact(name, path, value, before);
                Some((Slot::Side, Body::Facts(vec![fact])))
            }
            (Shape::Facts | Shape::Object, Value::Object(members))
                if depth < MAX_DEPTH && members.len() <= MAX_FACTS =>
            {
                self.members(name, path, members.iter(), before, depth + 1);
                None
            }
            _ => {
                self.rest.push((Cow::Owned(name.to_owned()), value, before));
                None
            }
        };
        if let Some((slot, body)) = body {
            let title = vec![Part::new(name.to_owned(), Role::Heading)];
            let priority = if matches!(body, Body::Grid(_)) { 0 } else { 9 };
            self.scene.push(slot, priority, title, body);
        }
    }

    fn fact(&self, key: &str, path: &str, value: &'a Value, before: Option<&'a Value>) -> Fact<'a> {
        let mut part = inline(value, SHORT);
        let mut words: Words<'a> = Vec::new();
        if self.input.previous.is_some() {
            let change = Change::of(value, before);
            if change != Change::Same {
                part.role = Role::Changed;
            }
            words.push(part);
            words.push(Part::new(change.glyph(), Role::Changed));
        } else {
            words.push(part);
        }
        Fact { key: Cow::Owned(safe(key).into_owned()), value: words, trend: self.input.trail.trend(path) }
    }

    fn matrix(&self, rows: &'a [Value], wide: usize, before: Option<&'a Value>) -> Body<'a> {
        let columns = rows[0].as_array().map_or(0, Vec::len);
        let legal = self.legal_cells();
        // A board of seat numbers marks what is empty with a number below them.
        let all = || rows.iter().filter_map(Value::as_array).flatten().map(Value::as_i64);
        let seats = all().any(|cell| cell == Some(-1))
            && all().all(|cell| cell.is_some_and(|cell| (-1..8).contains(&cell)));
        let mut cells = Vec::with_capacity(rows.len() * columns);
        for (y, row) in rows.iter().enumerate() {
            for (x, cell) in row.as_array().into_iter().flatten().enumerate() {
                let old = before.and_then(|before| before.get(y)?.get(x));
                let changed = before.is_some() && Change::of(cell, old) != Change::Same;
                cells.push(match cell.as_i64() {
                    Some(-1) if seats && legal.contains(&(y, x)) => GridCell::Thing('∘', Role::Key),
                    Some(-1) if seats => GridCell::Empty,
                    Some(seat) if seats => {
                        let look = if changed { super::DiscLook::Winner } else { super::DiscLook::Plain };
                        GridCell::Disc { seat: seat as u8, look }
                    }
                    _ => GridCell::Value(cell, changed),
                });
            }
        }
        grid(columns, cells, if seats { 1 } else { wide })
    }

    /// Cells that may be played, as `[row, column]`.
    fn legal_cells(&self) -> Vec<(usize, usize)> {
        let list = ["legal", "legal_moves", "legal_cells"]
            .iter()
            .find_map(|key| self.input.data.get(*key)?.as_array());
        list.into_iter().flatten().take(1_000).filter_map(pair).collect()
    }

    fn finish(mut self) -> Scene<'a> {
        // Tables before texts: they are what a player looks at again and again.
        self.later.sort_by_key(|(_, body)| matches!(body, Body::Text(_)));
        let has_main = self.scene.panels.iter().any(|panel| panel.slot == Slot::Main);
        for (title, body) in self.later {
            let narrow = matches!(&body, Body::Table(table) if table.columns.len() <= NARROW);
            self.scene.add(if has_main && narrow { Slot::Side } else { Slot::Main }, title, body);
        }
        if !self.rest.is_empty() {
            let folds: Cow<'a, Folds> = Cow::Borrowed(self.input.folds);
            let tree = Tree { roots: self.rest, folds, compare: self.input.previous.is_some() };
            self.scene.add(Slot::Main, "more", Body::Tree(tree));
        }
        self.scene
    }
}

fn grid(columns: usize, cells: Vec<GridCell<'_>>, wide: usize) -> Body<'_> {
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

fn lines_of(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => text.lines().collect(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// A map of characters: floor quiet, letters and digits apart, changes marked.
fn characters(value: &Value, before: Option<&Value>) -> Body<'static> {
    let lines = lines_of(value);
    let old = before.map(lines_of);
    let mut cells = Vec::new();
    for (y, line) in lines.iter().enumerate() {
        let mut then = old.as_ref().and_then(|old| old.get(y)).map(|line| line.chars());
        for letter in line.chars() {
            let changed = then.as_mut().is_some_and(|then| then.next() != Some(letter));
            let role = match letter {
                _ if changed => Role::Changed,
                '1'..='8' => Role::Series(letter as u8 - b'1'),
                'A'..='Z' | 'a'..='z' => Role::Strong,
                '*' | '@' | '$' | '!' | '?' => Role::Accent,
                _ => Role::Dim,
            };
            let shown = if letter == '.' && !changed { '·' } else { letter };
            cells.push(if letter == ' ' {
                GridCell::Text(" ".into(), role)
            } else {
                GridCell::Thing(shown, role)
            });
        }
    }
    grid(lines.first().map_or(0, |line| line.chars().count()), cells, 1)
}

fn numbers<'a>(name: &str, items: &[Value]) -> Body<'a> {
    let points = items
        .iter()
        .enumerate()
        .take(2_000)
        .filter_map(|(nth, value)| Some((nth as f64, value.as_f64()?)))
        .collect();
    let line = SeriesLine { name: Cow::Owned(name.to_owned()), role: Role::Accent, points };
    Body::Series(Series { lines: vec![line], marks: Vec::new() })
}

/// The members that most rows have, in the order they come.
fn columns<'a>(rows: &[Record<'a>]) -> Vec<Column<'a>> {
    let mut columns: Vec<Column<'a>> = Vec::new();
    for row in rows.iter().take(32) {
        for (key, value) in row.now.as_object().into_iter().flatten() {
            if columns.len() >= MAX_COLUMNS
                || key.is_empty()
                || columns.iter().any(|column| column.title == *key)
            {
                continue;
            }
            let align = if value.is_number() { Align::Right } else { Align::Left };
            columns.push(Column { title: Cow::Borrowed(key.as_str()), align });
        }
    }
    // What names a row comes first.
    if let Some(name) =
        columns.iter().position(|column| matches!(column.title.as_ref(), "seat" | "name" | "id"))
    {
        let name = columns.remove(name);
        columns.insert(0, name);
    }
    columns
}

fn records<'a>(items: &'a [Value], before: Option<&'a Value>) -> Body<'a> {
    let old: &'a [Value] = before.and_then(Value::as_array).map_or(&[], Vec::as_slice);
    let row = |(nth, now): (usize, &'a Value)| {
        // Rows keep their names when others come and go.
        let same = |old: &&Value| item_name(old).is_some() && item_name(old) == item_name(now);
        let then = match item_name(now) {
            Some(_) if items.len().max(old.len()) <= 256 => old.iter().find(same),
            _ => old.get(nth),
        };
        Record { name: None, now, before: then }
    };
    let rows: Vec<Record<'a>> = items.iter().take(MAX_ROWS).enumerate().map(row).collect();
    Body::Table(Table { columns: columns(&rows), rows: Rows::Objects(rows) })
}

fn named_records<'a>(members: &'a Map<String, Value>, before: Option<&'a Value>) -> Body<'a> {
    let row = |(name, now): (&'a String, &'a Value)| Record {
        name: Some(name),
        now,
        before: before.and_then(|before| before.get(name)),
    };
    let rows: Vec<Record<'a>> = members.iter().take(MAX_ROWS).map(row).collect();
    let mut columns = columns(&rows);
    columns.insert(0, Column::left(""));
    Body::Table(Table { columns, rows: Rows::Objects(rows) })
}
