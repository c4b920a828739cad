//! A field of hidden mines: `grid` of digits, dots and marks, with `hidden_safe` cells and `lives`.

use serde_json::Value;

use super::scene::{Body, Fact, Gauge, Grid, GridCell, GridKind, Part, Scene, Slot, Words};
use super::values::count;
use super::{SceneInput, seat_words};
use crate::text;
use crate::ui::theme::Role;

/// Larger fields are not of this kind.
const MAX_SIDE: usize = 64;
/// The lives of a match, where nobody lost more.
const USUAL_LIVES: usize = 3;

/// A field as it is observed.
struct Field {
    columns: usize,
    /// Row by row from the top.
    cells: Vec<Look>,
}

/// What a cell shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Hidden,
    Flag,
    Number(u8),
    Hit,
}

impl Field {
    fn read(value: &Value) -> Option<Self> {
        let rows = value.as_array()?;
        let columns = rows.first()?.as_str()?.len();
        if columns == 0 || columns > MAX_SIDE || rows.len() > MAX_SIDE {
            return None;
        }
        let mut cells = Vec::with_capacity(rows.len() * columns);
        for row in rows {
            let row = row.as_str().filter(|row| row.len() == columns)?;
            for byte in row.bytes() {
                cells.push(match byte {
                    b'.' => Look::Hidden,
                    b'F' => Look::Flag,
                    b'*' => Look::Hit,
                    b'0'..=b'8' => Look::Number(byte - b'0'),
                    _ => return None,
                });
            }
        }
        Some(Self { columns, cells })
    }

    fn count(&self, look: Look) -> usize {
        self.cells.iter().filter(|cell| **cell == look).count()
    }
}

/// Paints the game, if the observation has its shape.
pub(super) fn paint<'a>(input: &SceneInput<'a>) -> Option<Scene<'a>> {
    let data = input.data;
    let (lives, hidden_safe) = (count(data, "lives")?, count(data, "hidden_safe")?);
    let mines = count(data, "mines")?;
    let field = Field::read(data.get("grid")?)?;

    let mut scene = Scene::default();
    let body = Body::Grid(grid(input, &field));
    scene.push(Slot::Main, 0, status(input, &field, lives, hidden_safe), body);
    let gauges = vec![lives_gauge(&field, lives), revealed(&field, hidden_safe)];
    scene.push(Slot::Side, 1, Vec::new(), Body::Gauges(gauges));
    scene.push(Slot::Side, 2, Vec::new(), Body::Facts(facts(input, &field, mines)));
    Some(scene)
}

/// What it is, or how it ended.
fn status<'a>(input: &SceneInput<'_>, field: &Field, lives: usize, hidden_safe: usize) -> Words<'a> {
    if hidden_safe == 0 {
        return vec![Part::new("✓ cleared", Role::Good)];
    }
    if lives == 0 {
        return vec![Part::new("† out of lives", Role::Bad)];
    }
    let rows = field.cells.len() / field.columns;
    let mut words = vec![
        Part::new("field ", Role::Heading),
        Part::new(format!("{rows} by {}", field.columns), Role::Dim),
    ];
    if field.count(Look::Hidden) == field.cells.len() && input.mine {
        words.push(Part::plain(": reveal any cell, the first is safe"));
    }
    words
}

fn grid<'a>(input: &SceneInput<'_>, field: &Field) -> Grid<'a> {
    let cursor = input
        .cursor
        .and_then(target)
        .filter(|(row, column)| *column < field.columns && *row < field.cells.len() / field.columns);
    let cell = |place: usize| {
        if cursor == Some((place / field.columns, place % field.columns)) {
            return GridCell::Text("◌".into(), Role::Key);
        }
        match field.cells[place] {
            Look::Hidden => GridCell::Text("░".into(), Role::Dim),
            Look::Flag => GridCell::Text("F".into(), Role::Warn),
            Look::Hit => GridCell::Text("✗".into(), Role::Bad),
            Look::Number(0) => GridCell::Text(" ".into(), Role::Text),
            Look::Number(number) => GridCell::Text(number.to_string().into(), Role::Series(number - 1)),
        }
    };
    // Two digits would run into each other.
    let head = |column: usize| vec![Part::new((column % 10).to_string(), Role::Dim)];
    Grid {
        kind: GridKind::Text(1),
        columns: field.columns,
        cells: (0..field.cells.len()).map(cell).collect(),
        head: (0..field.columns).map(head).collect(),
        foot: Vec::new(),
        number_rows: true,
        focus: cursor.map(|(row, column)| (column, row)).or_else(|| last(input)),
    }
}

/// The cell of an action, or of the first of a list, as row and column.
fn target(action: &Value) -> Option<(usize, usize)> {
    let first = action.as_array().map_or(Some(action), |list| list.first())?;
    Some((count(first, "row")?, count(first, "col")?))
}

/// Where something happened last, as column and row.
fn last(input: &SceneInput<'_>) -> Option<(usize, usize)> {
    let events = input.data.get("events")?.as_array()?;
    let place = |event: &Value| {
        let details = event.as_object()?.values().next()?;
        Some((count(details, "col")?, count(details, "row")?))
    };
    events.iter().rev().find_map(place)
}

fn lives_gauge<'a>(field: &Field, lives: usize) -> Gauge<'a> {
    let all = lives.saturating_add(field.count(Look::Hit)).max(USUAL_LIVES);
    let role = if lives < 2 { Role::Bad } else { Role::Good };
    gauge("lives", lives, all, role)
}

fn revealed<'a>(field: &Field, hidden_safe: usize) -> Gauge<'a> {
    let hidden = field.count(Look::Hidden) + field.count(Look::Flag);
    let open = field.cells.len().saturating_sub(hidden + field.count(Look::Hit));
    gauge("safe cells", open, open.saturating_add(hidden_safe), Role::Accent)
}

fn gauge<'a>(label: &'static str, value: usize, limit: usize, role: Role) -> Gauge<'a> {
    Gauge {
        label: vec![Part::plain(label)],
        value: value as f64,
        limit: limit as f64,
        signed: false,
        text: format!("{value} of {limit}").into(),
        role,
    }
}

fn facts<'a>(input: &SceneInput<'_>, field: &Field, mines: usize) -> Vec<Fact<'a>> {
    let fact = |key: &'static str, value: Words<'a>| Fact { key: key.into(), value, trend: Vec::new() };
    let (flags, hits) = (field.count(Look::Flag), field.count(Look::Hit));
    let marked = flags + hits;
    let left = match mines.checked_sub(marked) {
        Some(left) => Part::new(left.to_string(), Role::Strong),
        // More marks than mines: some are wrong.
        None => Part::new(format!("−{}", marked - mines), Role::Bad),
    };
    let of = Part::new(format!(" of {mines}"), Role::Dim);
    let mut facts = vec![fact("mines left", vec![left, of])];
    facts.push(fact("F marked", vec![Part::new(flags.to_string(), Role::Warn)]));
    facts.push(fact(
        "✗ hit",
        vec![Part::new(hits.to_string(), if hits > 0 { Role::Bad } else { Role::Text })],
    ));
    facts.push(fact(if input.mine { "you" } else { "seat" }, seat_words(&text::excerpt(input.seat, 8))));
    facts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_is_read_cell_by_cell() {
        let field = Field::read(&json!(["0.", "F*"])).unwrap();
        assert_eq!(field.cells, [Look::Number(0), Look::Hidden, Look::Flag, Look::Hit]);
        for other in
            [json!([]), json!([""]), json!(["..", "."]), json!(["9."]), json!(["ä."]), json!([3]), json!(".")]
        {
            assert!(Field::read(&other).is_none(), "{other}");
        }
    }

    #[test]
    fn more_marks_than_mines_are_told() {
        let (data, trail, folds) =
            (json!({}), super::super::Trail::default(), super::super::Folds::default());
        let input = SceneInput::new("p0", &data, &trail, &folds);
        let field = Field::read(&json!(["FF", "F*"])).unwrap();
        assert_eq!(facts(&input, &field, 3)[0].value[0], Part::new("−1", Role::Bad));
    }
}
