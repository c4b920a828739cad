//! `connect_four`: drop discs, four in a row wins.
//!
//! A solved game of perfect information, so it is the yardstick for searches and for judging moves. The board is in
//! `board`, the built-in players in `bots`.

mod board;
mod bots;

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use self::board::{Board, MAX_WIDTH};
use crate::arena::engine::events::{Audience, EventSink};
use crate::arena::engine::observation::{Grid, List, ObservationWriter, round4};
use crate::arena::engine::seats::{Seat, SeatMap, SeatSet};
use crate::arena::engine::{
    BotSpec, ConfigError, EndReason, Enumeration, GameSpec, Noop, Reasons, Rules, Timing, Turn, decode,
    schema,
};

/// The rules of `connect_four`.
#[derive(Debug, Clone, Copy)]
pub struct ConnectFour;

/// Options of a match.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Columns, 4 to 8.
    pub width: u8,
    /// Rows, 4 to 7.
    pub height: u8,
    /// Discs in a row that win; only 4 for now.
    pub connect: u8,
    /// Scores move a little with open threes while the match lasts.
    pub shaped: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { width: 7, height: 6, connect: 4, shaped: false }
    }
}

/// A match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    board: Board,
    /// Who has four in a row: found when the last disc fell, asked for several times a tick.
    winner: Option<Seat>,
    last_column: Option<u8>,
    failed: SeatSet,
    max_ticks: u32,
    shaped: bool,
}

impl Hash for State {
    /// Of what the winner follows from, and not of it.
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.board, self.last_column, self.failed, self.max_ticks, self.shaped).hash(hasher);
    }
}

/// What a seat does in a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Drops a disc.
    Drop {
        /// From 0 at the left.
        column: u8,
    },
}

/// What happens, as observations show it.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Event {
    Drop { column: u8, row: u8, seat: Seat },
    Win { cells: Vec<(u8, u8)>, seat: Seat },
    Draw {},
    Failed { seat: Seat },
}

/// What a seat knows: everything.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The discs; the seat that is asked is the one to move.
    pub board: &'a Board,
}

static SPEC: GameSpec = GameSpec {
    slug: "connect_four",
    name: "Connect Four",
    description: "Drop discs into columns; the first to line up four wins.",
    prompt: include_str!("connect_four/prompt.md").trim_ascii_end(),
    tags: &["board", "strategy", "perfect_information", "competitive", "turn_based", "code", "forkable"],
    seats: &[2],
    default_seats: 2,
    timing: Timing::TurnBased,
    canonical_ticks: 42,
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

impl Rules for ConnectFour {
    type State = State;
    type Action = Action;
    type Config = Config;
    type View<'a> = View<'a>;

    fn spec() -> &'static GameSpec {
        &SPEC
    }

    fn init(config: &Config, _seats: u8, max_ticks: u32, _seed: u64) -> Result<State, ConfigError> {
        let bad = |text: &str| Err(ConfigError::Config(text.into()));
        if !(4..=MAX_WIDTH).contains(&config.width) {
            return bad("`width` must be from 4 to 8");
        }
        if !(4..=7).contains(&config.height) {
            return bad("`height` must be from 4 to 7");
        }
        if config.connect != 4 {
            return bad("`connect` must be 4");
        }
        Ok(State {
            board: Board::new(config.width, config.height),
            winner: None,
            last_column: None,
            failed: SeatSet::EMPTY,
            max_ticks,
            shaped: config.shaped,
        })
    }

    fn turn(state: &State) -> Turn {
        match Self::over(state) {
            Some(_) => Turn::Over,
            None => Turn::One(seat_of(state.board.mover())),
        }
    }

    fn tick(state: &State) -> u32 {
        u32::from(state.board.ply())
    }

    fn legal(state: &State, _seat: Seat, out: &mut Vec<(Action, f32)>) {
        let board = &state.board;
        let drops = board.drops();
        let open = (0..board.width()).filter(|&column| drops & board.column(column) != 0);
        // One by one: `extend` would look for a length before each that a filter cannot tell.
        open.for_each(|column| out.push((Action::Drop { column }, centre_weight(board.width(), column))));
    }

    fn decode(state: &State, _seat: Seat, actions: &[Value]) -> Result<Action, Reasons> {
        let action = decode::single(actions)?;
        decode::verb(action, "drop")?;
        let column = decode::whole(action, "column", 0..=i64::from(state.board.width()) - 1)?;
        Ok(Action::Drop { column: column as u8 })
    }

    fn check(state: &State, _seat: Seat, &Action::Drop { column }: &Action) -> Result<(), Reasons> {
        if state.board.fits(column) { Ok(()) } else { Err(vec![format!("column {column} is full")]) }
    }

    fn noop(_state: &State, _seat: Seat) -> Option<Action> {
        None
    }

    fn apply(state: &mut State, actions: &SeatMap<Action>, events: &mut impl EventSink) {
        let seat = seat_of(state.board.mover());
        let Some(&Action::Drop { column }) = actions.get(seat) else { return };
        state.board.drop_in(column);
        state.winner = state.board.winner().map(seat_of);
        state.last_column = Some(column);
        let row = || state.board.discs_in(column) - 1;
        events.emit(Audience::All, || Event::Drop { column, row: row(), seat });
        if let Some(winner) = state.winner {
            let cells = || winning_cells(&state.board, winner.index());
            events.emit(Audience::All, || Event::Win { cells: cells(), seat });
        } else if state.board.is_full() {
            events.emit(Audience::All, || Event::Draw {});
        }
    }

    fn fail(state: &mut State, seat: Seat, events: &mut impl EventSink) {
        state.failed.insert(seat);
        events.emit(Audience::All, || Event::Failed { seat });
    }

    fn score(state: &State, seat: Seat) -> f64 {
        if state.failed.contains(seat) {
            return 0.0;
        }
        match state.winner {
            Some(winner) if winner == seat => 100.0,
            Some(_) => 0.0,
            None if !state.failed.is_empty() => 100.0,
            None if state.shaped && !state.board.is_full() => {
                let threes = |player| i64::from(state.board.open_lines(player)[2]);
                let lead = threes(seat.index()) - threes(seat.index() ^ 1);
                // A tenth of a point each, at most five points.
                round4(50.0 + lead.clamp(-50, 50) as f64 / 10.0)
            }
            None => 50.0,
        }
    }

    fn eliminated(_state: &State) -> SeatSet {
        SeatSet::EMPTY
    }

    fn over(state: &State) -> Option<EndReason> {
        if !state.failed.is_empty() || state.board.is_full() || state.winner.is_some() {
            Some(EndReason::GameComplete)
        } else {
            (Self::tick(state) >= state.max_ticks).then_some(EndReason::MaxTicks)
        }
    }

    fn floor(_state: &State, _seat: Seat) -> f64 {
        0.0
    }

    fn observe(state: &State, seat: Seat, out: &mut ObservationWriter<'_>) {
        let board = &state.board;
        let row = |row| (0..board.width()).map(move |column| board.disc(column, row) as i8);
        let drops = if Self::over(state).is_some() { 0 } else { board.drops() };
        let open = (0..board.width()).filter(|&column| drops & board.column(column) != 0);
        out.field("board", &Grid((0..board.height()).rev().map(row)));
        out.field("column_heights", &List((0..board.width()).map(|column| board.discs_in(column))));
        out.field("last_move", &state.last_column);
        out.field("legal_columns", &List(open));
        out.field("ply", &board.ply());
        out.field("you_are", &(seat.index() + 1));
    }

    fn view(state: &State, _seat: Seat) -> View<'_> {
        View { board: &state.board }
    }

    fn reseed(_state: &mut State, _stream: u64) {}

    fn bots() -> &'static [BotSpec<Self>] {
        bots::ALL
    }
}

fn seat_of(player: usize) -> Seat {
    Seat::new(player as u8)
}

/// How likely a random player chooses a column: 1, 1, 2, 4, 2, 1, 1 on seven columns.
fn centre_weight(width: u8, column: u8) -> f32 {
    const BY_DISTANCE: [f32; 4] = [4.0, 2.0, 1.0, 1.0];
    let distance = (2 * column).abs_diff(width - 1) / 2;
    BY_DISTANCE[usize::from(distance)]
}

fn winning_cells(board: &Board, player: usize) -> Vec<(u8, u8)> {
    let mut cells = board.winning_cells(player);
    let mut positions = Vec::new();
    while cells != 0 {
        positions.push(board.position(cells & cells.wrapping_neg()));
        cells &= cells - 1;
    }
    positions
}

fn action_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "action": {"const": "drop"},
            "column": {"type": "integer", "minimum": 0, "maximum": MAX_WIDTH - 1},
        },
        "required": ["action", "column"],
    })
}

fn observation_schema() -> Value {
    let column = json!({"type": "integer", "minimum": 0, "maximum": MAX_WIDTH - 1});
    let own = json!({
        "board": {
            "description": "Rows from top to bottom: 0 is empty, 1 a disc of p0, 2 a disc of p1.",
            "type": "array",
            "minItems": 4,
            "maxItems": 7,
            "items": {"type": "array", "minItems": 4, "maxItems": 8, "items": {"enum": [0, 1, 2]}},
        },
        "column_heights": {
            "description": "Discs in each column.",
            "type": "array",
            "items": {"type": "integer", "minimum": 0, "maximum": 7},
        },
        "last_move": {"description": "The column played last.", "oneOf": [column, {"type": "null"}]},
        "legal_columns": {"description": "Columns with room, none when the match is over.", "type": "array", "items": column},
        "ply": {"description": "Discs on the board.", "type": "integer", "minimum": 0, "maximum": 56},
        "you_are": {"description": "The number of your discs on the board.", "enum": [1, 2]},
    });
    schema::observation(SPEC.timing, &action_schema(), own)
}

#[cfg(test)]
mod tests;
