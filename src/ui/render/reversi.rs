//! Discs that turn others: a `board` of seat numbers, -1 where it is empty, with the `legal` cells.

use serde_json::Value;

use super::scene::{
    Body, DiscLook, Fact, Gauge, Grid, GridCell, GridKind, Part, Scene, Series, SeriesLine, Slot, Words,
};
use super::values::{count, pair};
use super::{SceneInput, seat_words};
use crate::ui::theme::{Role, seat_number};

/// Larger boards are not of this kind.
const MAX_SIDE: usize = 26;
/// Seats beyond this many have no glyph of their own.
const MAX_SEATS: u8 = 8;

/// Row and column, from 0 at the top left.
type Place = (usize, usize);

/// A board as it is observed.
struct Board {
    columns: usize,
    /// Row by row from the top: the owner's seat.
    cells: Vec<Option<u8>>,
}

impl Board {
    fn read(value: &Value) -> Option<Self> {
        let rows = value.as_array()?;
        let columns = rows.first()?.as_array()?.len();
        if columns == 0 || columns > MAX_SIDE || rows.len() > MAX_SIDE {
            return None;
        }
        let mut cells = Vec::with_capacity(rows.len() * columns);
        for row in rows {
            for cell in row.as_array().filter(|row| row.len() == columns)? {
                cells.push(match cell.as_i64()? {
                    -1 => None,
                    seat => Some(u8::try_from(seat).ok().filter(|seat| *seat < MAX_SEATS)?),
                });
            }
        }
        Some(Self { columns, cells })
    }

    fn at(&self, (row, column): Place) -> Option<u8> {
        if column >= self.columns { None } else { *self.cells.get(row * self.columns + column)? }
    }

    fn discs(&self, seat: u8) -> usize {
        self.cells.iter().filter(|cell| **cell == Some(seat)).count()
    }

    /// Everybody who has a disc or is named.
    fn seats(&self, data: &Value) -> Vec<u8> {
        let named = data.get("discs").and_then(Value::as_object).into_iter().flatten();
        let mut seats: Vec<u8> = named
            .filter_map(|(name, _)| seat_number(name))
            .filter(|seat| *seat < MAX_SEATS)
            .chain(self.cells.iter().flatten().copied())
            .collect();
        seats.sort_unstable();
        seats.dedup();
        seats
    }
}

/// Paints the game, if the observation has its shape.
pub(super) fn paint<'a>(input: &SceneInput<'a>) -> Option<Scene<'a>> {
    let data = input.data;
    let board = Board::read(data.get("board")?)?;
    let legal: Vec<Place> =
        data.get("legal")?.as_array()?.iter().take(board.cells.len()).map(pair).collect::<Option<_>>()?;
    data.get("discs")?;
    let seats = board.seats(data);
    let last = data.get("last_move").and_then(pair);

    let mut scene = Scene::default();
    let body = Body::Grid(grid(input, &board, &legal, last));
    scene.push(Slot::Main, 0, status(input, &board, &seats, &legal), body);
    let shares = seats.iter().map(|seat| share(input, &board, *seat)).collect();
    scene.push(Slot::Side, 1, vec![Part::new("discs", Role::Heading)], Body::Gauges(shares));
    scene.push(Slot::Side, 2, Vec::new(), Body::Facts(facts(input, &board, &legal, last)));
    if let Some(chart) = chart(input, &seats) {
        scene.push(Slot::Far, 6, vec![Part::new("discs over time", Role::Heading)], chart);
    }
    Some(scene)
}

/// Whose turn it is, if the match goes on.
fn to_move(input: &SceneInput<'_>, seats: &[u8]) -> Option<u8> {
    if let Some(seat) = input.on_turn() {
        return seat_number(seat);
    }
    // Of two, it is the other.
    let told = input.data.get("turn").is_some() || seats.len() != 2;
    if told { None } else { seats.iter().copied().find(|seat| *seat != input.seat_number()) }
}

fn grid<'a>(input: &SceneInput<'_>, board: &Board, legal: &[Place], last: Option<Place>) -> Grid<'a> {
    let cursor = input.cursor.and_then(place_of);
    let turned = turned(input, last);
    let mover = input.on_turn().and_then(seat_number);
    let choosing = input.mine && mover == Some(input.seat_number());
    let empty = |place: Place| match legal.iter().position(|cell| *cell == place) {
        Some(_) if cursor == Some(place) => {
            GridCell::Disc { seat: input.seat_number(), look: DiscLook::Ghost }
        }
        // The number stands before the same move in the list of actions.
        Some(nth) if choosing => GridCell::Text((nth + 1).to_string().into(), Role::Key),
        Some(_) => GridCell::Text("∘".into(), mover.map_or(Role::Dim, Role::Seat)),
        None => GridCell::Empty,
    };
    let cell = |nth: usize| {
        let place = (nth / board.columns, nth % board.columns);
        let Some(seat) = board.cells[nth] else { return empty(place) };
        let look = if last == Some(place) {
            DiscLook::Last
        } else if turned.contains(&place) {
            DiscLook::Turned
        } else {
            DiscLook::Plain
        };
        GridCell::Disc { seat, look }
    };
    let head = |column: usize| {
        let role = if cursor.is_some_and(|(_, at)| at == column) { Role::Key } else { Role::Dim };
        vec![Part::new(column.to_string(), role)]
    };
    Grid {
        kind: GridKind::Discs,
        columns: board.columns,
        cells: (0..board.cells.len()).map(cell).collect(),
        head: (0..board.columns).map(head).collect(),
        foot: Vec::new(),
        number_rows: true,
        focus: cursor.or(last).map(|(row, column)| (column, row)),
    }
}

/// The cell that an action names.
fn place_of(action: &Value) -> Option<Place> {
    Some((count(action, "row")?, count(action, "col").or_else(|| count(action, "column"))?))
}

/// What the last move turned, as its event tells.
fn turned(input: &SceneInput<'_>, last: Option<Place>) -> Vec<Place> {
    let about = |(_, event): &(u64, &Value)| last.is_some() && event.get("place").and_then(place_of) == last;
    let Some((_, event)) = input.events().into_iter().find(about) else { return Vec::new() };
    let flips = event.get("place").and_then(|place| place.get("flips")?.as_array());
    flips.into_iter().flatten().filter_map(pair).collect()
}

/// Who won, or whose turn it is.
fn status<'a>(input: &SceneInput<'_>, board: &Board, seats: &[u8], legal: &[Place]) -> Words<'a> {
    let name = |seat: u8| {
        let mut words = seat_words(&format!("p{seat}"));
        if seat == input.seat_number() && input.mine {
            words.push(Part::plain(" (you)"));
        }
        words
    };
    if let Some(seat) = to_move(input, seats) {
        let mut words = name(seat);
        words.push(Part::new(format!(" to move, {} legal", legal.len()), Role::Dim));
        return words;
    }
    if !legal.is_empty() {
        return vec![Part::new("board", Role::Heading)];
    }
    let most = seats.iter().map(|seat| board.discs(*seat)).max().unwrap_or(0);
    let mut first = seats.iter().filter(|seat| board.discs(**seat) == most);
    match (first.next(), first.next()) {
        (Some(seat), None) => {
            let mut words = name(*seat);
            words.push(Part::new(format!(" has the most discs, {most}"), Role::Strong));
            words
        }
        _ => vec![Part::new("over: nobody has more than the others", Role::Strong)],
    }
}

fn share<'a>(input: &SceneInput<'_>, board: &Board, seat: u8) -> Gauge<'a> {
    let mut label = seat_words(&format!("p{seat}"));
    if seat == input.seat_number() && input.mine {
        label.push(Part::plain(" you"));
    }
    let discs = board.discs(seat);
    Gauge {
        label,
        value: discs as f64,
        limit: board.cells.len() as f64,
        signed: false,
        text: discs.to_string().into(),
        role: Role::Seat(seat),
    }
}

fn facts<'a>(input: &SceneInput<'_>, board: &Board, legal: &[Place], last: Option<Place>) -> Vec<Fact<'a>> {
    let fact = |key: &'static str, value: Words<'a>| Fact { key: key.into(), value, trend: Vec::new() };
    let mut facts = Vec::new();
    if let Some(last) = last {
        let mut words: Words<'a> =
            board.at(last).map_or_else(Vec::new, |seat| seat_words(&format!("p{seat}")));
        words.push(Part::plain(format!(" row {} col {}", last.0, last.1)));
        facts.push(fact("last ◂", words));
        let turned = turned(input, Some(last)).len();
        if turned > 0 {
            facts.push(fact("turned •", vec![Part::plain(turned.to_string())]));
        }
    }
    let empty = board.cells.iter().filter(|cell| cell.is_none()).count();
    facts.push(fact("empty", vec![Part::plain(empty.to_string())]));
    facts.push(fact("legal", vec![Part::plain(legal.len().to_string())]));
    facts
}

/// Everybody's discs, as far as they are known.
fn chart<'a>(input: &SceneInput<'_>, seats: &[u8]) -> Option<Body<'a>> {
    let line = |seat: &u8| {
        let kept = input.trail.series(&format!("/discs/p{seat}"));
        let points: Vec<_> = kept.iter().map(|(tick, discs)| (*tick as f64, *discs)).collect();
        (points.len() > 1).then(|| SeriesLine {
            name: format!("p{seat}").into(),
            role: Role::Seat(*seat),
            points,
        })
    };
    let lines: Vec<_> = seats.iter().filter_map(line).collect();
    (!lines.is_empty()).then(|| Body::Series(Series { lines, marks: Vec::new() }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn boards_of_another_shape_are_refused() {
        for board in
            [json!([]), json!([[]]), json!([[0], [0, 1]]), json!([[-2]]), json!([["x"]]), json!([[8]])]
        {
            assert!(Board::read(&board).is_none(), "{board}");
        }
        assert_eq!(Board::read(&json!([[-1, 0], [3, -1]])).unwrap().at((1, 0)), Some(3));
    }
}
