//! Draws any observation: the painter for games never seen before.
//!
//! Each member goes where its [`shape`] belongs: boards and charts in the middle, tables and short values beside
//! them, text below, and what is left into a tree. Members that every observation has, and that the screen around
//! the drawing shows already, are left out.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::SceneInput;
use super::boards::{self, Layer, numbered};
use super::scene::{
    Body, Column, Fact, Folds, GridCell, Part, Record, Rows, Scene, Series, SeriesLine, Slot, Table, Tree,
    Words,
};
use super::shape::{SHORT, Shape, is_blob, is_id, shape};
use super::talk;
use super::values::{Change, inline, is_scalar, pair, safe};
use crate::app::fields::{Choice, Form, GameView};
use crate::tape::item_name;
use crate::text;
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
/// What is nested deeper is a tree as a whole: its parts alone would have lost their place.
const MAX_NESTED: usize = 4;
/// Names whose `max_` or `_max` belongs to them.
const LIMITS: [&str; 2] = ["max_", "_max"];

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
        Value::Object(members) => page.members("", "", members, input.previous, 0),
        Value::Null => {}
        other => page.member("observation", "", other, input.previous, 0),
    }
    page.finish()
}

/// Whether the screen around the drawing shows a member already.
pub(super) fn is_envelope(path: &str) -> bool {
    path.strip_prefix('/').is_some_and(|key| ENVELOPE.contains(&key))
}

struct Page<'i, 'a> {
    input: &'i SceneInput<'a>,
    scene: Scene<'a>,
    /// For the tree.
    rest: Vec<(Cow<'a, str>, &'a Value, Option<&'a Value>)>,
    /// Long panels stand after the short ones.
    later: Vec<(Words<'a>, Body<'a>)>,
}

impl<'a> Page<'_, 'a> {
    fn view(&self) -> &'a GameView {
        self.input.view
    }

    fn members(
        &mut self,
        title: &str,
        path: &str,
        members: &'a Map<String, Value>,
        before: Option<&'a Value>,
        depth: usize,
    ) {
        let old = |key: &str| before.and_then(|before| before.get(key));
        let mut skipped = self.boards(title, members, before);
        let mut facts = Vec::new();
        let mut others = Vec::new();
        let mut order: Vec<(&'a String, &'a Value, String)> =
            members.iter().map(|(key, value)| (key, value, format!("{path}/{key}"))).collect();
        order.sort_by_key(|(.., path)| self.view().rank(path));
        for (key, value, path) in order {
            let Choice { form, pinned } = self.view().choice(&path);
            if form == Form::Hidden || (is_envelope(&path) && form == Form::Auto && !pinned) {
                continue;
            }
            if form == Form::Auto && skipped.contains(&key.as_str()) {
                continue;
            }
            let plain = matches!(shape(value), Shape::Scalar | Shape::Inline | Shape::Blob);
            if (plain && form == Form::Auto && !pinned || form == Form::Fact && !pinned)
                && facts.len() < MAX_FACTS
            {
                let limit = limit_of(key, members).filter(|(name, _)| !skipped.contains(name));
                if let Some((name, _)) = limit {
                    skipped.push(name);
                    facts.retain(|fact: &Fact<'_>| fact.key != name);
                }
                let mut fact = self.fact(key, &path, value, old(key));
                if let Some((_, most)) = limit {
                    fact.value.insert(1, Part::new(format!(" / {most}"), Role::Dim));
                }
                facts.push(fact);
            } else {
                others.push((key, value, path));
            }
        }
        if !facts.is_empty() {
            self.scene.add(Slot::Side, title.to_owned(), Body::Facts(facts));
        }
        for (key, value, path) in others {
            let name =
                if title.is_empty() { safe(key).into_owned() } else { format!("{title} · {}", safe(key)) };
            self.member(&name, &path, value, old(key), depth);
        }
    }

    /// Boards that several members make up together; gives the names of those that need nothing more.
    fn boards(
        &mut self,
        title: &str,
        members: &'a Map<String, Value>,
        before: Option<&'a Value>,
    ) -> Vec<&'a str> {
        let name = |own: &str| if title.is_empty() { own.to_owned() } else { title.to_owned() };
        let mut shown = Vec::new();
        if let Some((board, names)) = boards::layers(members, before) {
            shown.extend(names);
            self.board(&name("map"), board, 0);
        }
        let layers: Vec<(&'a str, Layer<'a>)> = members
            .iter()
            .filter(|(_, value)| shape(value) == Shape::Places)
            .filter_map(|(key, value)| {
                let before = before.map(|before| before.get(key).unwrap_or(&Value::Null));
                Some((key.as_str(), Layer { places: value.as_object()?, before }))
            })
            .collect();
        let (names, mut layers): (Vec<_>, Vec<_>) = layers.into_iter().unzip();
        layers.sort_by_key(|layer| std::cmp::Reverse(layer.places.len()));
        if let Some(board) = boards::places(&layers) {
            let plain = |name: &&str| {
                let places = members.get(*name).and_then(Value::as_object);
                places.is_some_and(|places| places.values().all(is_scalar))
            };
            self.board(&name(&names.join(" + ")), board, 0);
            shown.extend(names.into_iter().filter(plain));
        }
        shown
    }

    fn board(&mut self, name: &str, board: boards::Board<'a>, priority: u8) {
        let mut title = vec![Part::new(name.to_owned(), Role::Heading)];
        title.extend(board.note);
        self.scene.push(Slot::Main, priority, title, board.body);
        if !board.legend.is_empty() {
            self.scene.push(Slot::Main, priority, Vec::new(), Body::Facts(board.legend));
        }
    }

    fn member(&mut self, name: &str, path: &str, value: &'a Value, before: Option<&'a Value>, depth: usize) {
        if self.scene.panels.len() + self.later.len() >= MAX_PANELS {
            self.rest.push((Cow::Owned(name.to_owned()), value, before));
            return;
        }
        let choice = self.view().choice(path);
        let title = vec![Part::new(name.to_owned(), Role::Heading)];
        if choice != Choice::default()
            && let Some((note, body)) = self.chosen(choice.form, name, path, value, before)
        {
            let slot = match (choice.pinned, &body) {
                (false, Body::Facts(_)) => Slot::Side,
                _ => Slot::Main,
            };
            let title = if matches!(body, Body::Facts(_)) { Vec::new() } else { [title, note].concat() };
            return self.scene.push(slot, if choice.pinned { 0 } else { 5 }, title, body);
        }
        match (shape(value), value) {
            (Shape::Facts | Shape::Object, Value::Object(members))
                if depth < MAX_DEPTH && members.len() <= MAX_FACTS && nested(value) <= MAX_NESTED - depth =>
            {
                self.members(name, path, members, before, depth + 1);
            }
            (shape, _) => {
                let Some((note, body)) = self.body(shape, name, path, value, before) else {
                    return self.rest.push((Cow::Owned(name.to_owned()), value, before));
                };
                let title = [title, note].concat();
                match body {
                    Body::Grid(_) => self.scene.push(Slot::Main, 0, title, body),
                    Body::Series(_) => self.scene.push(Slot::Main, 9, title, body),
                    Body::Table(_) if matches!(value, Value::Object(_)) => {
                        self.scene.push(Slot::Side, 9, title, body);
                    }
                    Body::Facts(_) => self.scene.push(Slot::Side, 9, Vec::new(), body),
                    _ => self.later.push((title, body)),
                }
            }
        }
    }

    /// The form that the user chose, where the value can take it.
    fn chosen(
        &self,
        form: Form,
        name: &str,
        path: &str,
        value: &'a Value,
        before: Option<&'a Value>,
    ) -> Option<(Words<'a>, Body<'a>)> {
        let items = value.as_array();
        let body = match form {
            Form::Auto => {
                let plain = self.body(shape(value), name, path, value, before);
                return plain.or_else(|| Some((Vec::new(), self.tree(value, before))));
            }
            Form::Hidden => return None,
            Form::Fact => Body::Facts(vec![self.fact(name, path, value, before)]),
            Form::Text => match value {
                Value::String(text) => talk::paragraphs(text, before),
                other => Body::Text(Cow::Owned(inline(other, 4_000).text.into_owned())),
            },
            Form::Table => match value {
                Value::Array(items) if items.iter().all(Value::is_array) => tuples(name, items, before),
                Value::Array(items) => records(items, before),
                Value::Object(members) => named_records(members, before),
                _ => return None,
            },
            Form::Grid => {
                let rows = items.filter(|rows| rows.first().is_some_and(Value::is_array));
                match (rows, value) {
                    (Some(rows), _) => self.matrix(rows, 6, before),
                    (None, Value::String(_)) => characters(value, before),
                    (None, Value::Array(items)) if items.iter().all(Value::is_string) => {
                        characters(value, before)
                    }
                    (None, Value::Array(items)) => boards::tape(items, before, None),
                    (None, Value::Object(places)) => {
                        let board = boards::places(&[Layer { places, before }])?;
                        return Some((board.note, board.body));
                    }
                    _ => return None,
                }
            }
            Form::HeatMap => {
                let board = boards::heat(items?, before)?;
                return Some((board.note, board.body));
            }
            Form::Chart => match items {
                Some(items) => numbers(name, items),
                None => {
                    let points: Vec<(f64, f64)> = self
                        .input
                        .trail
                        .series(path)
                        .iter()
                        .map(|(tick, value)| (*tick as f64, *value))
                        .collect();
                    let line = SeriesLine { name: Cow::Owned(name.to_owned()), role: Role::Accent, points };
                    Body::Series(Series { lines: vec![line], marks: Vec::new() })
                }
            },
            Form::Tree => self.tree(value, before),
        };
        Some((Vec::new(), body))
    }

    fn tree(&self, value: &'a Value, before: Option<&'a Value>) -> Body<'a> {
        let folds: Cow<'a, Folds> = Cow::Borrowed(self.input.folds);
        let compare = self.input.previous.is_some();
        Body::Tree(Tree { folds, compare, ..super::tree_of(value, before, self.input.folds) })
    }

    /// What a shape is drawn as; nothing for what goes into the tree.
    fn body(
        &self,
        shape: Shape,
        name: &str,
        path: &str,
        value: &'a Value,
        before: Option<&'a Value>,
    ) -> Option<(Words<'a>, Body<'a>)> {
        let items = value.as_array().map_or(&[][..], Vec::as_slice);
        let body = match (shape, value) {
            (Shape::Characters, _) => characters(value, before),
            (Shape::Matrix(wide), Value::Array(rows)) => self.matrix(rows, wide, before),
            (Shape::Heat, Value::Array(rows)) => {
                return boards::heat(rows, before).map(|board| (board.note, board.body));
            }
            (Shape::Pixels, Value::Array(rows)) => {
                return boards::pixels(rows).map(|board| (board.note, board.body));
            }
            (Shape::Fen, Value::String(text)) => {
                let moved =
                    ["last_move", "last", "move"].iter().find_map(|key| self.input.data.get(*key)?.as_str());
                let board = boards::fen(text, before.and_then(Value::as_str), moved);
                return Some((board.note, board.body));
            }
            (Shape::Places, Value::Object(places)) => {
                let board = boards::places(&[Layer { places, before }])?;
                return Some((board.note, board.body));
            }
            (Shape::Cells, _) => boards::tape(items, before, self.head()),
            (Shape::Tuples, _) => tuples(name, items, before),
            (Shape::Talk, _) => {
                let (body, note) = talk::passages(items, before);
                return Some((note, body));
            }
            (Shape::Tokens, _) => talk::tokens(items, before),
            (Shape::Numbers, _) => numbers(name, items),
            (Shape::Records, _) => records(items, before),
            (Shape::NamedRecords, Value::Object(members)) => named_records(members, before),
            (Shape::Text, Value::String(text)) => talk::paragraphs(text, before),
            (Shape::Scalar | Shape::Inline | Shape::Blob, _) => {
                Body::Facts(vec![self.fact(name, path, value, before)])
            }
            _ => return None,
        };
        Some((Vec::new(), body))
    }

    /// What points into a list of signs.
    fn head(&self) -> Option<usize> {
        let keys = ["head", "position", "pos", "cursor", "pointer", "index"];
        let found = keys.iter().find_map(|key| self.input.data.get(*key)?.as_u64());
        found.and_then(|head| usize::try_from(head).ok())
    }

    fn fact(&self, key: &str, path: &str, value: &'a Value, before: Option<&'a Value>) -> Fact<'a> {
        let mut part = match value {
            Value::Bool(true) => Part::new("✓ yes", Role::Text),
            Value::Bool(false) => Part::new("· no", Role::Dim),
            Value::String(text) if is_blob(text) => {
                Part::new(format!("{}… {} characters", text::excerpt(&text[..10], 10), text.len()), Role::Dim)
            }
            Value::String(text) if is_id(text) => Part { role: Role::Dim, ..inline(value, SHORT) },
            other => inline(other, SHORT),
        };
        let unit = unit(key).filter(|_| value.is_number());
        let mut words: Words<'a> = Vec::new();
        if self.input.previous.is_some() {
            let change = Change::of(value, before);
            if change != Change::Same {
                part.role = Role::Changed;
            }
            words.push(part);
            words.extend(unit.map(|unit| Part::new(unit, Role::Dim)));
            words.push(Part::new(change.glyph(), Role::Changed));
        } else {
            words.push(part);
            words.extend(unit.map(|unit| Part::new(unit, Role::Dim)));
        }
        Fact { key: name_of(key), value: words, trend: self.input.trail.trend(path) }
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
        numbered(columns, cells, if seats { 1 } else { wide })
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
        if self.view().order.is_empty() {
            self.later.sort_by_key(|(_, body)| !matches!(body, Body::Table(_)));
        }
        let has_main = self.scene.panels.iter().any(|panel| panel.slot == Slot::Main);
        for (title, body) in self.later {
            let narrow = matches!(&body, Body::Table(table) if table.columns.len() <= NARROW);
            self.scene.push(if has_main && narrow { Slot::Side } else { Slot::Main }, 9, title, body);
        }
        if let [(name, value, before)] = self.rest.as_slice() {
            let tree = super::tree_of(value, *before, self.input.folds);
            let tree = Tree { compare: self.input.previous.is_some(), ..tree };
            self.scene.add(Slot::Main, name.clone(), Body::Tree(tree));
        } else if !self.rest.is_empty() {
            let folds: Cow<'a, Folds> = Cow::Borrowed(self.input.folds);
            let tree = Tree { roots: self.rest, folds, compare: self.input.previous.is_some() };
            self.scene.add(Slot::Main, "more", Body::Tree(tree));
        }
        self.scene
    }
}

/// A name as it is shown; an empty one is shown as such.
fn name_of(key: &str) -> Cow<'static, str> {
    if key.trim().is_empty() { Cow::Borrowed("\"\"") } else { Cow::Owned(safe(key).into_owned()) }
}

/// How deep a value goes, as far as it matters.
fn nested(value: &Value) -> usize {
    fn walk(value: &Value, left: usize) -> usize {
        let deepest = |members: &mut dyn Iterator<Item = &Value>| {
            members.take(64).map(|member| walk(member, left - 1)).max().unwrap_or(0)
        };
        match value {
            _ if left == 0 => 0,
            Value::Object(members) => 1 + deepest(&mut members.values()),
            Value::Array(items) => 1 + deepest(&mut items.iter()),
            _ => 0,
        }
    }
    walk(value, MAX_NESTED + 2)
}

/// The limit of a number that another member tells: `hp` and `max_hp`.
fn limit_of<'a>(key: &str, members: &'a Map<String, Value>) -> Option<(&'a str, &'a Value)> {
    let names = [format!("{}{key}", LIMITS[0]), format!("{key}{}", LIMITS[1])];
    names.iter().find_map(|name| {
        let (name, value) = members.get_key_value(name)?;
        (value.is_number() && members.get(key)?.is_number()).then_some((name.as_str(), value))
    })
}

/// The unit that a name ends in.
fn unit(key: &str) -> Option<&'static str> {
    const UNITS: [(&str, &str); 14] = [
        ("_ms", " ms"),
        ("_s", " s"),
        ("_secs", " s"),
        ("_seconds", " s"),
        ("_pct", " %"),
        ("_percent", " %"),
        ("_km", " km"),
        ("_kg", " kg"),
        ("_kwh", " kWh"),
        ("_mw", " MW"),
        ("_kw", " kW"),
        ("_usd", " USD"),
        ("_bytes", " B"),
        ("_deg", " deg"),
    ];
    UNITS.iter().find(|(end, _)| key.ends_with(end)).map(|(_, unit)| *unit)
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
    let columns = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0).min(400);
    let mut cells = Vec::new();
    for (y, line) in lines.iter().enumerate() {
        let mut then = old.as_ref().and_then(|old| old.get(y)).map(|line| line.chars());
        for letter in line.chars().take(columns) {
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
        let short = columns.saturating_sub(line.chars().count());
        cells.extend(std::iter::repeat_n(GridCell::Outside, short));
    }
    numbered(columns, cells, 1)
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

/// Lists of one length, a column for each place; edges of a graph are named as such.
fn tuples<'a>(name: &str, items: &'a [Value], before: Option<&'a Value>) -> Body<'a> {
    let wide =
        items.iter().take(32).filter_map(Value::as_array).map(Vec::len).max().unwrap_or(0).min(MAX_COLUMNS);
    let name = name.to_ascii_lowercase();
    let edges = ["edge", "link", "path", "road", "route", "arc", "connection", "tunnel"]
        .iter()
        .any(|word| name.contains(word));
    let title = |nth: usize| match nth {
        0 if edges => "from".to_owned(),
        1 if edges => "to".to_owned(),
        2 if edges => "weight".to_owned(),
        other => other.to_string(),
    };
    let first = items.first();
    let column = |nth: usize| {
        let number = first.and_then(|first| first.get(nth)).is_some_and(Value::is_number);
        if number { Column::right(title(nth)) } else { Column::left(title(nth)) }
    };
    let old = before.and_then(Value::as_array);
    let row = |item: &'a Value| {
        let new = old.is_some_and(|old| !old.iter().take(MAX_ROWS).any(|old| old == item));
        let cell = |nth: usize| {
            let part = item.get(nth).map_or(Part::plain(""), |cell| inline(cell, 30));
            if new { Part::new(part.text, Role::Changed) } else { part }
        };
        let mut words: Words<'a> = (0..wide).map(cell).collect();
        if let Some(last) = words.last_mut().filter(|_| new) {
            last.text = format!("{}•", last.text).into();
        }
        words
    };
    let rows = items.iter().take(500).map(row).collect();
    Body::Table(Table { columns: (0..wide).map(column).collect(), rows: Rows::Ready(rows) })
}
