//! Discs dropped into columns: `board` of small numbers with `legal_columns`.

use serde_json::Value;

use super::scene::{Body, DiscLook, Fact, Grid, GridCell, GridKind, Part, Scene, Slot, Words};
use super::values::{count, pair};
use super::{SceneInput, seat_words};
use crate::ui::theme::Role;

/// Larger boards are not of this kind.
const MAX_SIDE: usize = 24;

/// A board as it is observed: 0 empty, else seat number + 1, rows from the top.
struct Board {
    columns: usize,
    cells: Vec<u8>,
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
            let row = row.as_array().filter(|row| row.len() == columns)?;
            for cell in row {
                cells.push(u8::try_from(cell.as_u64()?).ok().filter(|cell| *cell <= 8)?);
            }
        }
        Some(Self { columns, cells })
    }

    fn rows(&self) -> usize {
        self.cells.len() / self.columns
    }

    fn at(&self, column: usize, row: usize) -> u8 {
        self.cells[row * self.columns + column]
    }

    /// Where a disc dropped into the column comes to rest.
    fn landing(&self, column: usize) -> Option<usize> {
        (column < self.columns).then(|| (0..self.rows()).rev().find(|row| self.at(column, *row) == 0))?
    }

    /// The topmost disc of a column.
    fn top(&self, column: usize) -> Option<usize> {
        (column < self.columns).then(|| (0..self.rows()).find(|row| self.at(column, *row) != 0))?
    }

    /// The cells of all lines of `length` or more of one seat.
    fn winning(&self, length: usize) -> Vec<(usize, usize)> {
        let mut won = Vec::new();
        for row in 0..self.rows() {
            for column in 0..self.columns {
                for (across, down) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
                    let line: Vec<_> = (0..length as isize)
                        .map_while(|step| self.step(column, row, across * step, down * step))
                        .collect();
                    let seat = self.at(column, row);
                    if seat != 0 && line.len() == length && line.iter().all(|(c, r)| self.at(*c, *r) == seat)
                    {
                        won.extend(line);
                    }
                }
            }
        }
        won
    }

    fn step(&self, column: usize, row: usize, across: isize, down: isize) -> Option<(usize, usize)> {
        let (column, row) = (column.checked_add_signed(across)?, row.checked_add_signed(down)?);
        (column < self.columns && row < self.rows()).then_some((column, row))
    }
}

/// Paints the game, if the observation has its shape.
pub(super) fn paint<'a>(input: &SceneInput<'a>) -> Option<Scene<'a>> {
    let data = input.data;
    let legal: Vec<usize> = data.get("legal_columns")?.as_array()?.iter().filter_map(small).collect();
    let board = Board::read(data.get("board")?)?;
    let connect = count(data, "connect").filter(|length| (2..=MAX_SIDE).contains(length)).unwrap_or(4);
    let winning = board.winning(connect);
    let last = last_column(data, &board);
    let me = count(data, "you_are")
        .and_then(|you| you.checked_sub(1))
        .map_or(input.seat_number(), |you| you as u8);

    let mut scene = Scene::default();
    let grid = grid(input, &board, &winning, last, me);
    scene.push(Slot::Main, 0, status(input, &board, &winning, me), Body::Grid(grid));
    scene.add(Slot::Side, "game", Body::Facts(facts(input, &legal, last, me)));
    Some(scene)
}

fn grid<'a>(
    input: &SceneInput<'_>,
    board: &Board,
    winning: &[(usize, usize)],
    last: Option<usize>,
    me: u8,
) -> Grid<'a> {
    let cursor = input.cursor.and_then(|action| count(action, "column").or_else(|| count(action, "col")));
    let cursor = cursor.filter(|column| *column < board.columns && winning.is_empty());
    let ghost = cursor.and_then(|column| board.landing(column).map(|row| (column, row)));
    let cell = |place: usize| {
        let at = (place % board.columns, place / board.columns);
        match board.cells[place] {
            0 if ghost == Some(at) => GridCell::Disc { seat: me, look: DiscLook::Ghost },
            0 => GridCell::Empty,
            seat => {
                let look = match winning {
                    [] => DiscLook::Plain,
                    won if won.contains(&at) => DiscLook::Winner,
                    _ => DiscLook::Quiet,
                };
                GridCell::Disc { seat: seat - 1, look }
            }
        }
    };
    let head = |column: usize| {
        if cursor == Some(column) {
            vec![Part::new(format!("▼{column}"), Role::Key)]
        } else {
            vec![Part::new(column.to_string(), Role::Dim)]
        }
    };
    let foot = |column: usize| match last {
        Some(at) if at == column => {
            let seat = board.top(column).map_or(0, |row| board.at(column, row)).saturating_sub(1);
            vec![Part::new("▲", Role::Seat(seat))]
        }
        _ => Vec::new(),
    };
    Grid {
        kind: GridKind::Discs,
        columns: board.columns,
        cells: (0..board.cells.len()).map(cell).collect(),
        head: (0..board.columns).map(head).collect(),
        foot: (0..board.columns).map(foot).collect(),
        number_rows: false,
        // Discs lie at the bottom: that is the part to see where not all fits.
        focus: cursor.map(|column| (column, 0)).or_else(|| {
            let column = last.unwrap_or(board.columns / 2);
            Some((column, board.top(column).unwrap_or(board.rows() - 1)))
        }),
    }
}

/// Who won, or whose turn it is.
fn status<'a>(input: &SceneInput<'_>, board: &Board, winning: &[(usize, usize)], me: u8) -> Words<'a> {
    let name = |seat: u8| {
        let mut words = seat_words(&format!("p{seat}"));
        if seat == me && input.mine {
            words.push(Part::plain(" (you)"));
        }
        words
    };
    if let Some((column, row)) = winning.first() {
        let mut words = name(board.at(*column, *row).saturating_sub(1));
        words.push(Part::new(" wins", Role::Strong));
        return words;
    }
    if board.cells.iter().all(|cell| *cell != 0) {
        return vec![Part::new("draw: the board is full", Role::Strong)];
    }
    let mine = input.data.get("is_your_turn").and_then(Value::as_bool);
    let to_move = match mine {
        Some(true) => me,
        Some(false) if me < 2 => 1 - me,
        _ => (board.cells.iter().filter(|cell| **cell != 0).count() % 2) as u8,
    };
    let mut words = name(to_move);
    words.push(Part::new(" to move", Role::Dim));
    words
}

fn facts<'a>(input: &SceneInput<'_>, legal: &[usize], last: Option<usize>, me: u8) -> Vec<Fact<'a>> {
    let data = input.data;
    let fact = |key: &'static str, value: Words<'a>| Fact { key: key.into(), value, trend: Vec::new() };
    let mut facts = vec![fact(if input.mine { "you" } else { "seat" }, seat_words(&format!("p{me}")))];
    if let Some(ply) = count(data, "ply").or_else(|| count(data, "tick")) {
        let all = count(data, "max_ticks").map_or(String::new(), |all| format!(" of {all}"));
        facts.push(fact("ply", vec![Part::plain(ply.to_string()), Part::new(all, Role::Dim)]));
    }
    if let Some(last) = last {
        facts.push(fact("last", vec![Part::plain(format!("column {last}"))]));
    }
    let columns: Vec<String> = legal.iter().take(MAX_SIDE).map(ToString::to_string).collect();
    let open = if columns.is_empty() { "none".to_owned() } else { columns.join(" ") };
    facts.push(fact("open", vec![Part::plain(open)]));
    facts
}

/// The last move's column: a number, `{column}` or `[column, row]`.
fn last_column(data: &Value, board: &Board) -> Option<usize> {
    let last = data.get("last_move")?;
    let column = small(last)
        .or_else(|| count(last, "column").or_else(|| count(last, "col")))
        .or_else(|| pair(last).map(|(column, _)| column))?;
    (column < board.columns).then_some(column)
}

fn small(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_are_found_in_all_four_directions() {
        let win = |board: Value| Board::read(&board).unwrap().winning(3).len();
        assert_eq!(win(json!([[0, 0, 0], [2, 0, 0], [1, 1, 1]])), 3);
        assert_eq!(win(json!([[1, 0, 0], [1, 0, 0], [1, 2, 2]])), 3);
        assert_eq!(win(json!([[1, 0, 0], [2, 1, 0], [2, 2, 1]])), 3);
        assert_eq!(win(json!([[0, 0, 1], [0, 1, 2], [1, 2, 2]])), 3);
        assert_eq!(win(json!([[0, 0, 0], [0, 1, 2], [1, 2, 2]])), 0);
    }

    #[test]
    fn boards_of_another_shape_are_refused() {
        for board in
            [json!([]), json!([[]]), json!([[0], [0, 1]]), json!([[-1]]), json!([["x"]]), json!([[9]])]
        {
            assert!(Board::read(&board).is_none(), "{board}");
        }
    }
}
