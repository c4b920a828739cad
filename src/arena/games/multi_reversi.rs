//! `multi_reversi`: enclose discs of others to turn them; two players on 8×8, four on 10×10.
//!
//! Bit sets and flips are in `board`, turns and passes in `position`, the built-in players in `bots`.

mod board;
mod bots;
mod position;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

pub use self::board::{Board, MAX_SIZE, bits};
pub use self::position::Position;
use crate::arena::engine::events::{Audience, EventSink};
use crate::arena::engine::observation::{Grid, ObservationWriter, round4};
use crate::arena::engine::seats::{Seat, SeatMap, SeatSet};
use crate::arena::engine::{
    BotSpec, ConfigError, EndReason, Enumeration, GameSpec, Noop, Reasons, Rules, Timing, Turn, decode,
    schema,
};

/// The rules of `multi_reversi`.
#[derive(Debug, Clone, Copy)]
pub struct MultiReversi;

/// Options of a match.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Rows and columns: 4, 6 or 8 for two players (8 if absent), 10 for four.
    pub size: Option<u8>,
}

/// A match.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    position: Position,
    last_move: Option<u128>,
    tick: u32,
    max_ticks: u32,
}

/// What a seat does in a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Places a disc.
    Place {
        /// From 0 at the top.
        row: u8,
        /// From 0 at the left.
        col: u8,
    },
}

/// What happens, as observations show it.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Event<'a> {
    Place { col: u8, flips: Cells<'a>, row: u8, seat: Seat },
    Pass { seat: Seat },
    Eliminated { seat: Seat },
    Failed { seat: Seat },
    End { discs: Discs<'a> },
}

/// What a seat knows: everything.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The discs and whose turn it is: that of the seat that is asked.
    pub position: &'a Position,
}

static SPEC: GameSpec = GameSpec {
    slug: "multi_reversi",
    name: "Multi Reversi",
    description: "Enclose discs of others to make them yours; most discs win, for two or four players.",
    prompt: include_str!("multi_reversi/prompt.md").trim_ascii_end(),
    tags: &[
        "board",
        "strategy",
        "spatial",
        "perfect_information",
        "competitive",
        "turn_based",
        "code",
        "forkable",
    ],
    seats: &[2, 4],
    default_seats: 2,
    timing: Timing::TurnBased,
    // The empty cells of the larger board; a match of two ends after 60 at the latest.
    canonical_ticks: 84,
    score_version: "arena-1",
    game_version: "1",
    noop: Noop::None,
    turn_isolated: false,
    max_difficulty: None,
    enumeration: Enumeration::Full,
    tick_ms: 30_000,
    first_tick_ms: 60_000,
    action_schema,
    observation_schema,
};

impl Rules for MultiReversi {
    type State = State;
    type Action = Action;
    type Config = Config;
    type View<'a> = View<'a>;

    fn spec() -> &'static GameSpec {
        &SPEC
    }

    fn init(config: &Config, seats: u8, max_ticks: u32, _seed: u64) -> Result<State, ConfigError> {
        let board = match (seats, config.size) {
            (2, None) => Board::of_two(8),
            (2, Some(size @ (4 | 6 | 8))) => Board::of_two(size),
            (4, None | Some(MAX_SIZE)) => Board::of_four(),
            (2, _) => return Err(ConfigError::Config("`size` must be 4, 6 or 8 with two seats".into())),
            _ => return Err(ConfigError::Config("`size` must be 10 with four seats".into())),
        };
        Ok(State { position: Position::new(board), last_move: None, tick: 0, max_ticks })
    }

    fn turn(state: &State) -> Turn {
        match state.position.mover() {
            Some(mover) if state.tick < state.max_ticks => Turn::One(mover),
            _ => Turn::Over,
        }
    }

    fn tick(state: &State) -> u32 {
        state.tick
    }

    fn legal(state: &State, _seat: Seat, out: &mut Vec<(Action, f32)>) {
        let board = state.position.board();
        let corners = board.corners();
        let traps = board.beside_diagonally(corners & board.empty());
        bits(state.position.moves()).for_each(|cell| {
            let weight = if cell & corners != 0 {
                4.0
            } else if cell & traps != 0 {
                0.25
            } else {
                1.0
            };
            out.push((action_at(board, cell), weight));
        });
    }

    fn decode(state: &State, _seat: Seat, actions: &[Value]) -> Result<Action, Reasons> {
        let action = decode::single(actions)?;
        decode::verb(action, "place")?;
        let size = state.position.board().size();
        if decode::member(action, "cell").is_none() {
            let last = i64::from(size) - 1;
            let row = decode::whole(action, "row", 0..=last)? as u8;
            let col = decode::whole(action, "col", 0..=last)? as u8;
            return Ok(Action::Place { row, col });
        }
        if ["row", "col"].iter().any(|key| decode::member(action, key).is_some()) {
            return Err(vec!["give `row` and `col`, or `cell`, not both".into()]);
        }
        let name = decode::word(action, "cell")?;
        match named_cell(name, size) {
            Some((row, col)) => Ok(Action::Place { row, col }),
            None => Err(vec![format!(
                "`{}` is no cell: a letter for the column and a number for the row, from a1 to {}{size}",
                decode::shortened(name),
                char::from(b'a' + size - 1)
            )]),
        }
    }

    fn check(state: &State, _seat: Seat, &Action::Place { row, col }: &Action) -> Result<(), Reasons> {
        let board = state.position.board();
        let cell = board.cell(row, col);
        if board.occupied() & cell != 0 {
            Err(vec![format!("row {row}, column {col} is taken")])
        } else if state.position.moves() & cell == 0 {
            Err(vec![format!(
                "a disc in row {row}, column {col} would turn no other: `legal` lists the moves"
            )])
        } else {
            Ok(())
        }
    }

    fn noop(_state: &State, _seat: Seat) -> Option<Action> {
        None
    }

    fn apply(state: &mut State, actions: &SeatMap<Action>, events: &mut impl EventSink) {
        let Some(seat) = state.position.mover() else { return };
        let Some(&Action::Place { row, col }) = actions.get(seat) else { return };
        let cell = state.position.board().cell(row, col);
        let before = state.position.wiped_out();
        let (flips, passes) = state.position.play(cell);
        state.tick += 1;
        state.last_move = Some(cell);
        let board = state.position.board();
        events.emit(Audience::All, || Event::Place { col, flips: Cells(board, flips), row, seat });
        for seat in state.position.wiped_out().without(before).iter() {
            events.emit(Audience::All, || Event::Eliminated { seat });
        }
        announce(state, passes, events);
    }

    fn fail(state: &mut State, seat: Seat, events: &mut impl EventSink) {
        events.emit(Audience::All, || Event::Failed { seat });
        let passes = state.position.fail(seat);
        announce(state, passes, events);
    }

    fn score(state: &State, seat: Seat) -> f64 {
        let position = &state.position;
        let others = position.board().players() - 1;
        if position.failed().contains(seat) {
            Self::floor(state, seat)
        } else if others == 1 && !position.failed().is_empty() {
            -Self::floor(state, seat)
        } else {
            round4(f64::from(position.lead(seat.index())) / f64::from(others))
        }
    }

    fn eliminated(state: &State) -> SeatSet {
        state.position.wiped_out()
    }

    fn over(state: &State) -> Option<EndReason> {
        match state.position.mover() {
            None => Some(EndReason::GameComplete),
            Some(_) => (state.tick >= state.max_ticks).then_some(EndReason::MaxTicks),
        }
    }

    fn floor(state: &State, _seat: Seat) -> f64 {
        let size = f64::from(state.position.board().size());
        -size * size
    }

    fn observe(state: &State, _seat: Seat, out: &mut ObservationWriter<'_>) {
        let board = state.position.board();
        let (turn, legal) = match Self::turn(state) {
            Turn::One(seat) => (Some(seat), state.position.moves()),
            _ => (None, 0),
        };
        out.field("board", &Grid((0..board.size()).map(|row| board.row(row))));
        out.field("discs", &Discs(board));
        out.field("last_move", &state.last_move.map(|cell| board.position(cell)));
        out.field("legal", &Cells(board, legal));
        out.field("size", &board.size());
        out.field("turn", &turn);
    }

    fn view(state: &State, _seat: Seat) -> View<'_> {
        View { position: &state.position }
    }

    fn reseed(_state: &mut State, _stream: u64) {}

    fn bots() -> &'static [BotSpec<Self>] {
        bots::ALL
    }
}

/// Tells who was skipped, or that the game is over.
fn announce(state: &State, passes: SeatSet, events: &mut impl EventSink) {
    for seat in passes.iter() {
        events.emit(Audience::All, || Event::Pass { seat });
    }
    if state.position.mover().is_none() {
        events.emit(Audience::All, || Event::End { discs: Discs(state.position.board()) });
    }
}

fn action_at(board: &Board, cell: u128) -> Action {
    let (row, col) = board.position(cell);
    Action::Place { row, col }
}

/// A set of cells, as rows and columns.
struct Cells<'a>(&'a Board, u128);

impl Serialize for Cells<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(bits(self.1).map(|cell| self.0.position(cell)))
    }
}

/// How many discs each seat has.
struct Discs<'a>(&'a Board);

impl Serialize for Discs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(board) = self;
        serializer.collect_map(Seat::first(board.players()).map(|seat| (seat, board.count(seat.index()))))
    }
}

/// The row and column of a cell written as on paper: `a1` is at the top left.
fn named_cell(name: &str, size: u8) -> Option<(u8, u8)> {
    let (letter, number) = name.split_at_checked(1)?;
    let col = letter.as_bytes()[0].to_ascii_lowercase().checked_sub(b'a')?;
    // No sign and no leading zero, which `parse` would take.
    let row: u8 =
        number.starts_with(|digit: char| ('1'..='9').contains(&digit)).then(|| number.parse().ok())??;
    (col < size && row <= size).then(|| (row - 1, col))
}

fn action_schema() -> Value {
    let index = json!({"type": "integer", "minimum": 0, "maximum": MAX_SIZE - 1});
    json!({
        "type": "object",
        "properties": {
            "action": {"const": "place"},
            "row": index,
            "col": index,
            "cell": {"type": "string", "pattern": "^[a-jA-J]([1-9]|10)$"},
        },
        "required": ["action"],
        "oneOf": [{"required": ["row", "col"]}, {"required": ["cell"]}],
    })
}

fn observation_schema() -> Value {
    let index = json!({"type": "integer", "minimum": 0, "maximum": MAX_SIZE - 1});
    let cell = json!({
        "description": "Row from the top and column from the left, from 0.",
        "type": "array",
        "items": index,
        "minItems": 2,
        "maxItems": 2,
    });
    let seat = json!({"type": "string", "pattern": "^p[0-3]$"});
    let own = json!({
        "board": {
            "description": "Rows from top to bottom: -1 is empty, else the number of the seat whose disc it is.",
            "type": "array",
            "minItems": 4,
            "maxItems": MAX_SIZE,
            "items": {"type": "array", "minItems": 4, "maxItems": MAX_SIZE, "items": {"enum": [-1, 0, 1, 2, 3]}},
        },
        "discs": {
            "description": "Discs on the board, by seat.",
            "type": "object",
            "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 100},
        },
        "last_move": {"description": "The cell played last.", "oneOf": [cell, {"type": "null"}]},
        "legal": {
            "description": "The cells in which the seat on turn may place, none when the match is over.",
            "type": "array",
            "items": cell,
        },
        "size": {"enum": [4, 6, 8, 10]},
        "turn": {"description": "The seat on turn.", "oneOf": [seat, {"type": "null"}]},
    });
    schema::observation(SPEC.timing, &action_schema(), own)
}

#[cfg(test)]
mod tests;
