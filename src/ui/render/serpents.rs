//! Serpents on a field: `serpents` with bodies, `food`, `width`, `height`.

use std::borrow::Cow;

use serde_json::Value;

use super::scene::{Body, Column, Gauge, Grid, GridCell, GridKind, Part, Rows, Scene, Slot, Table, Words};
use super::values::{count, number, pair, safe, word};
use super::{SceneInput, seat_words};
use crate::ui::theme::{Role, seat_number};

/// Larger fields are not of this kind.
const MAX_SIDE: usize = 200;
/// Serpents beyond this many are not drawn.
const MAX_SERPENTS: usize = 32;
const FULL_HEALTH: f64 = 100.0;

struct Serpent<'a> {
    name: Cow<'a, str>,
    seat: u8,
    alive: bool,
    health: f64,
    length: usize,
    /// From the head.
    body: Vec<(usize, usize)>,
}

/// Paints the game, if the observation has its shape.
pub(super) fn paint<'a>(input: &SceneInput<'a>) -> Option<Scene<'a>> {
    let data = input.data;
    let side = |key| count(data, key).filter(|side| (1..=MAX_SIDE).contains(side));
    let (width, height) = (side("width")?, side("height")?);
    let food = data.get("food")?.as_array()?;
    let serpents: Vec<Serpent<'a>> = data
        .get("serpents")?
        .as_array()?
        .iter()
        .take(MAX_SERPENTS)
        .enumerate()
        .map(|(nth, serpent)| read(serpent, nth, width * height))
        .collect();

    let mut scene = Scene::default();
    let mut cells = vec![GridCell::Empty; width * height];
    let inside = |(x, y): (usize, usize)| (x < width && y < height).then(|| y * width + x);
    for at in food.iter().take(width * height).filter_map(pair).filter_map(inside) {
        cells[at] = GridCell::Thing('♦', Role::Food);
    }
    for serpent in serpents.iter().rev() {
        draw_serpent(serpent, &mut cells, &inside);
    }
    let me = word(data, "you").unwrap_or(input.seat);
    let focus =
        serpents.iter().find(|serpent| serpent.name == me).and_then(|serpent| serpent.body.first().copied());
    let grid = Grid {
        kind: GridKind::Map,
        columns: width,
        cells,
        head: Vec::new(),
        foot: Vec::new(),
        number_rows: false,
        focus,
    };
    scene.add(Slot::Main, "field", Body::Grid(grid));
    scene.add(Slot::Side, "serpents", Body::Table(table(input, &serpents, me)));
    scene.add(
        Slot::Side,
        "health",
        Body::Gauges(serpents.iter().filter(|serpent| serpent.alive).map(health).collect()),
    );
    Some(scene)
}

fn read(serpent: &Value, nth: usize, most: usize) -> Serpent<'_> {
    let name = word(serpent, "seat").map_or_else(|| Cow::Owned(format!("p{nth}")), safe);
    let body: Vec<_> = serpent
        .get("body")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .take(most)
        .filter_map(pair)
        .collect();
    Serpent {
        seat: seat_number(&name).unwrap_or(nth as u8),
        alive: serpent.get("alive").and_then(Value::as_bool).unwrap_or(true),
        health: number(serpent, "health").unwrap_or(0.0),
        length: count(serpent, "length").unwrap_or(body.len()),
        name,
        body,
    }
}

fn draw_serpent(
    serpent: &Serpent<'_>,
    cells: &mut [GridCell<'_>],
    inside: &impl Fn((usize, usize)) -> Option<usize>,
) {
    // From the tail, so that the head ends on top of a stacked start.
    for (nth, at) in serpent.body.iter().enumerate().rev() {
        let Some(place) = inside(*at) else { continue };
        if !serpent.alive {
            cells[place] = GridCell::Thing('✗', Role::Seat(serpent.seat));
            continue;
        }
        let next = serpent.body[nth + 1..].iter().find(|other| *other != at);
        let glyphs = if nth == 0 {
            [head(*at, next.copied()), char::from_digit(u32::from(serpent.seat) % 10, 10).unwrap_or(' ')]
        } else {
            let before = serpent.body[..nth].iter().rev().find(|other| *other != at);
            joint(*at, before.copied(), next.copied())
        };
        cells[place] = GridCell::Body { seat: serpent.seat, glyphs };
    }
}

/// An arrow away from the neck.
fn head((x, y): (usize, usize), neck: Option<(usize, usize)>) -> char {
    match neck {
        Some((nx, ny)) if nx == x && ny < y => '▼',
        Some((nx, ny)) if ny == y && nx < x => '▶',
        Some((nx, ny)) if ny == y && nx > x => '◀',
        _ => '▲',
    }
}

/// The two columns of a body cell that joins its neighbours.
fn joint((x, y): (usize, usize), one: Option<(usize, usize)>, two: Option<(usize, usize)>) -> [char; 2] {
    let near = |across: isize, down: isize| {
        let at = x.checked_add_signed(across).zip(y.checked_add_signed(down));
        at.is_some() && (at == one || at == two)
    };
    let (left, right, up, down) = (near(-1, 0), near(1, 0), near(0, -1), near(0, 1));
    let first = match (left, right, up, down) {
        (_, _, true, true) => '┃',
        (true, _, true, _) => '┛',
        (true, _, _, true) => '┓',
        (_, true, true, _) => '┗',
        (_, true, _, true) => '┏',
        (true, true, ..) => '━',
        (true, ..) => '╸',
        (_, true, ..) => '╺',
        (_, _, true, _) => '╹',
        (_, _, _, true) => '╻',
        _ => '▪',
    };
    [first, if right { '━' } else { ' ' }]
}

fn table<'a>(input: &SceneInput<'_>, serpents: &[Serpent<'a>], me: &str) -> Table<'a> {
    let row = |serpent: &Serpent<'a>| -> Words<'a> {
        let mut name = seat_words(&serpent.name);
        if serpent.name == me && input.mine {
            name[0].text = format!("{} you", name[0].text).into();
        }
        let score = input
            .others
            .iter()
            .find(|(seat, _)| *seat == serpent.name)
            .map(|(_, other)| *other)
            .or((serpent.name == input.seat).then_some(input.data))
            .and_then(|data| number(data, "score"));
        let (state, role) = if serpent.alive { ("alive", Role::Good) } else { ("† out", Role::Warn) };
        vec![
            name.remove(0),
            Part::plain(serpent.length.to_string()),
            Part::plain(if serpent.alive {
                crate::text::decimal(serpent.health, 0)
            } else {
                "–".to_owned()
            }),
            Part::plain(score.map_or("–".to_owned(), |score| crate::text::decimal(score, 1))),
            Part::new(state, role),
        ]
    };
    let columns = vec![
        Column::left(""),
        Column::right("len"),
        Column::right("health"),
        Column::right("score"),
        Column::left("state"),
    ];
    Table { columns, rows: Rows::Ready(serpents.iter().map(row).collect()) }
}

fn health<'a>(serpent: &Serpent<'a>) -> Gauge<'a> {
    let role = if serpent.health <= 20.0 { Role::Bad } else { Role::Seat(serpent.seat) };
    let low = if serpent.health <= 20.0 { "!" } else { "" };
    Gauge {
        label: seat_words(&serpent.name),
        value: serpent.health,
        limit: FULL_HEALTH,
        signed: false,
        text: format!("{low}{}", crate::text::decimal(serpent.health, 0)).into(),
        role,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_join_their_neighbours() {
        assert_eq!(joint((1, 1), Some((0, 1)), Some((2, 1))), ['━', '━']);
        assert_eq!(joint((1, 1), Some((1, 0)), Some((2, 1))), ['┗', '━']);
        assert_eq!(joint((1, 1), Some((1, 0)), Some((0, 1))), ['┛', ' ']);
        assert_eq!(joint((1, 1), None, Some((1, 2))), ['╻', ' ']);
    }

    #[test]
    fn heads_point_away_from_the_neck() {
        let heads = [(1, 2), (0, 1), (2, 1), (1, 0)].map(|neck| head((1, 1), Some(neck)));
        assert_eq!(heads, ['▲', '▶', '◀', '▼']);
    }
}
