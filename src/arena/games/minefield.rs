//! `minefield`: reveal the safe cells of a field by the numbers beside the mines.
//!
//! A game for one, with hidden mines and a difficulty. What the player sees is a type of its own
//! ([`Seen`], in `field`): observations and built-in players get nothing else. What numbers prove is in `deduce`, how likely
//! a mine is in `odds`, sets of cells are in `cells`, the built-in players in `bots`.

mod bots;
mod cells;
mod deduce;
mod field;
mod odds;

use arrayvec::ArrayVec;
use serde::ser::SerializeSeq;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

pub use self::cells::{Cell, Cells};
use self::deduce::{Known, clues};
pub use self::field::{Field, LIVES, Outcome, Seen};
use self::odds::Doubt;
use crate::arena::engine::difficulty::Difficulty;
use crate::arena::engine::events::{Audience, EventSink};
use crate::arena::engine::observation::{List, ObservationWriter};
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::{Seat, SeatMap, SeatSet};
use crate::arena::engine::{
    BotSpec, ConfigError, EndReason, Enumeration, GameSpec, Noop, Reasons, Rules, Timing, Turn, decode,
    schema,
};

/// The rules of `minefield`.
#[derive(Debug, Clone, Copy)]
pub struct Minefield;

/// Options of a match.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Larger fields with more mines.
    pub difficulty: Difficulty,
}

/// A match.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    field: Field,
    rng: Pcg,
    tick: u32,
    max_ticks: u32,
    failed: bool,
}

/// One thing that a player does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Move {
    /// Reveals a hidden cell.
    Reveal(Cell),
    /// Marks a hidden cell, or takes the mark off.
    Flag(Cell),
    /// Reveals the unmarked cells around a number that has its marks.
    Chord(Cell),
}

impl Move {
    fn cell(self) -> Cell {
        let (Self::Reveal(cell) | Self::Flag(cell) | Self::Chord(cell)) = self;
        cell
    }
}

/// The most moves of a tick.
const MAX_MOVES: usize = 8;

/// What a seat does in a tick: moves in order, at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan(ArrayVec<Move, MAX_MOVES>);

impl Plan {
    /// Just this move.
    pub fn of(one: Move) -> Self {
        Self::from_iter([one])
    }
}

/// The first eight of the moves.
impl FromIterator<Move> for Plan {
    fn from_iter<I: IntoIterator<Item = Move>>(moves: I) -> Self {
        Self(moves.into_iter().take(MAX_MOVES).collect())
    }
}

impl Serialize for Plan {
    /// One move as an object, several as a list.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let [one] = self.0.as_slice() {
            return one.serialize(serializer);
        }
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        self.0.iter().try_for_each(|one| list.serialize_element(one))?;
        list.end()
    }
}

/// What a seat knows: what the observation shows.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The field as it is seen.
    pub seen: &'a Seen,
}

static SPEC: GameSpec = GameSpec {
    slug: "minefield",
    name: "Minefield",
    description: "Reveal every safe cell of a field; numbers tell how many mines lie around.",
    prompt: include_str!("minefield/prompt.md").trim_ascii_end(),
    tags: &[
        "puzzle",
        "grid",
        "probability",
        "planning",
        "hidden_information",
        "solo",
        "turn_based",
        "difficulty",
        "code",
    ],
    seats: &[1],
    default_seats: 1,
    timing: Timing::TurnBased,
    canonical_ticks: 200,
    score_version: "arena-1",
    game_version: "1",
    noop: Noop::None,
    turn_isolated: false,
    max_difficulty: Some(1.0),
    enumeration: Enumeration::Menu,
    tick_ms: 30_000,
    first_tick_ms: 60_000,
    action_schema,
    observation_schema,
};

/// How many cells `_action_space` lists.
const LISTED: u32 = 40;

/// The worst score there is: every life lost, and nothing revealed for it.
const FLOOR: f64 = -45.0;

impl Rules for Minefield {
    type State = State;
    type Action = Plan;
    type Config = Config;
    type View<'a> = View<'a>;

    fn spec() -> &'static GameSpec {
        &SPEC
    }

    fn init(config: &Config, _seats: u8, max_ticks: u32, seed: u64) -> Result<State, ConfigError> {
        let (side, mines) = size(config.difficulty);
        Ok(State {
            field: Field::new(side, side, mines),
            rng: Pcg::new(seed),
            tick: 0,
            max_ticks,
            failed: false,
        })
    }

    fn turn(state: &State) -> Turn {
        let is_out = state.failed || Self::over(state).is_some();
        if is_out { Turn::Over } else { Turn::One(ALONE) }
    }

    fn tick(state: &State) -> u32 {
        state.tick
    }

    fn legal(state: &State, _seat: Seat, out: &mut Vec<(Plan, f32)>) {
        let cells = worth_a_try(state.field.seen());
        let (listed, all) = (cells.len().min(LISTED), cells.len());
        // Spread over the field where there are too many.
        let is_listed = |nth: u32| nth * listed / all != (nth + 1) * listed / all;
        let listed = cells.iter().zip(0..).filter(|(_, nth)| is_listed(*nth));
        out.extend(listed.map(|(cell, _)| (Plan::of(Move::Reveal(cell)), 1.0)));
    }

    fn decode(state: &State, _seat: Seat, actions: &[Value]) -> Result<Plan, Reasons> {
        if actions.len() > MAX_MOVES {
            return Err(vec![format!(
                "{} actions in a tick, at most {MAX_MOVES} are allowed",
                actions.len()
            )]);
        }
        let mut plan = ArrayVec::new();
        let mut reasons = Reasons::new();
        for (nth, action) in actions.iter().enumerate() {
            match decode_move(state.field.seen(), action) {
                Ok(one) => plan.push(one),
                Err(why) => reasons.extend(why.into_iter().map(|why| numbered(nth, actions.len(), &why))),
            }
        }
        if reasons.is_empty() { Ok(Plan(plan)) } else { Err(reasons) }
    }

    fn check(state: &State, _seat: Seat, Plan(moves): &Plan) -> Result<(), Reasons> {
        let seen = state.field.seen();
        let problem = |(nth, one): (usize, &Move)| {
            let why = check_move(seen, *one).err()?;
            Some(numbered(nth, moves.len(), &why))
        };
        let reasons: Reasons = moves.iter().enumerate().filter_map(problem).collect();
        if reasons.is_empty() { Ok(()) } else { Err(reasons) }
    }

    fn noop(_state: &State, _seat: Seat) -> Option<Plan> {
        None
    }

    fn apply(state: &mut State, actions: &SeatMap<Plan>, events: &mut impl EventSink) {
        let Some(Plan(moves)) = actions.get(ALONE) else { return };
        state.tick += 1;
        for &one in moves {
            if play(state, one, events).is_some() {
                break;
            }
        }
        let seen = state.field.seen();
        if seen.lives() == 0 {
            events.emit(Audience::All, || json!({"eliminated": {"seat": ALONE}}));
        } else if seen.hidden_safe() == 0 {
            events.emit(Audience::All, || json!({"cleared": {"hits": seen.hits().len()}}));
        }
    }

    fn fail(state: &mut State, seat: Seat, events: &mut impl EventSink) {
        state.failed = true;
        events.emit(Audience::All, || json!({"failed": {"seat": seat}}));
    }

    fn score(state: &State, _seat: Seat) -> f64 {
        let seen = state.field.seen();
        let opened = 100.0 * f64::from(seen.opened().len()) / f64::from(seen.safe());
        let cleared = if seen.hidden_safe() == 0 { 20.0 } else { 0.0 };
        let score = opened - 15.0 * f64::from(seen.hits().len()) + cleared;
        if state.failed { score.min(FLOOR) } else { score }
    }

    fn eliminated(state: &State) -> SeatSet {
        if state.field.seen().lives() == 0 { SeatSet::one(ALONE) } else { SeatSet::EMPTY }
    }

    fn over(state: &State) -> Option<EndReason> {
        let seen = state.field.seen();
        if seen.lives() == 0 || seen.hidden_safe() == 0 {
            Some(EndReason::GameComplete)
        } else {
            (state.tick >= state.max_ticks).then_some(EndReason::MaxTicks)
        }
    }

    fn floor(_state: &State, _seat: Seat) -> f64 {
        FLOOR
    }

    fn observe(state: &State, _seat: Seat, out: &mut ObservationWriter) {
        let seen = state.field.seen();
        out.field("cols", &seen.cols());
        out.field("grid", &List((0..seen.rows()).map(|row| seen.line(row))));
        out.field("hidden_safe", &seen.hidden_safe());
        out.field("lives", &seen.lives());
        out.field("mines", &seen.mines());
        out.field("rows", &seen.rows());
    }

    fn view(state: &State, _seat: Seat) -> View<'_> {
        View { seen: state.field.seen() }
    }

    fn reseed(state: &mut State, stream: u64) {
        state.rng = Pcg::new(stream);
    }

    /// All layouts that explain what is seen are alike, but where there are too many to count: then only the cells beside no
    /// number are laid anew.
    fn redeal(state: &mut State, _viewer: Seat, rng: &mut Pcg) {
        let Some(mines) = state.field.mines() else { return };
        let seen = state.field.seen();
        let mut known = Known::default();
        known.by_pairs(&mut clues(seen));
        let mines = if let Some(doubt) = Doubt::new(seen, &known) {
            doubt.draw(rng)
        } else {
            let rest = seen.hidden().without(seen.frontier());
            mines.without(rest).or(field::draw(rest, mines.and(rest).len(), rng))
        };
        // Mines that were hit are known, too.
        let mines = mines.or(seen.hits());
        state.field.lay_anew(mines);
    }

    fn bots() -> &'static [BotSpec<Self>] {
        bots::ALL
    }
}

/// The only seat.
const ALONE: Seat = Seat::new(0);

/// The side of a field and its mines: sides of 8 to 16, a tenth to a fifth of the cells mined.
fn size(difficulty: Difficulty) -> (u8, u16) {
    let side = 8 + difficulty.share_of(8);
    // In millionths of a mine a cell: 0.10 + 0.11 d.
    let density = 100_000 + 110 * difficulty.per_mille();
    let mines = (side * side * density + 500_000) / 1_000_000;
    (side as u8, mines as u16)
}

/// Plays one move; gives the mine that it hit.
fn play(state: &mut State, one: Move, events: &mut impl EventSink) -> Option<Cell> {
    let cell = one.cell();
    let Cell { row, col } = cell;
    let is_hidden = state.field.seen().hidden().contains(cell);
    let outcome = match one {
        Move::Reveal(_) if is_hidden => Some(state.field.reveal(cell, &mut state.rng)),
        Move::Flag(_) if is_hidden => {
            let set = state.field.flag(cell);
            events.emit(Audience::All, || json!({"flag": {"col": col, "row": row, "set": set}}));
            return None;
        }
        Move::Chord(_) => state.field.chord(cell),
        // A move before it in the list has opened the cell.
        Move::Reveal(_) | Move::Flag(_) => None,
    };
    let Some(Outcome { opened, hit }) = outcome else {
        events.emit(Audience::All, || json!({"skipped": one}));
        return None;
    };
    if opened > 0 {
        events.emit(Audience::All, || json!({"opened": {"cells": opened, "col": col, "row": row}}));
    }
    if let Some(Cell { row, col }) = hit {
        let lives = state.field.seen().lives();
        events.emit(Audience::All, || json!({"hit": {"col": col, "lives": lives, "row": row}}));
    }
    hit
}

/// Hidden cells beside a number, or, where there are none, any; marked ones only if there are no others.
fn worth_a_try(seen: &Seen) -> Cells {
    let (hidden, flags) = (seen.hidden(), seen.flags());
    let choices = [seen.frontier().without(flags), hidden.without(flags), hidden];
    choices.into_iter().find(|cells| !cells.is_empty()).unwrap_or_default()
}

fn numbered(nth: usize, of: usize, why: &str) -> String {
    if of == 1 { why.to_owned() } else { format!("action {}: {why}", nth + 1) }
}

fn decode_move(seen: &Seen, action: &Value) -> Result<Move, Reasons> {
    let verb = decode::word(action, "action")?;
    let make = match verb {
        "reveal" => Move::Reveal,
        "flag" => Move::Flag,
        "chord" => Move::Chord,
        verb => {
            let verb = decode::shortened(verb);
            return Err(vec![format!("unknown action `{verb}`: one of `reveal`, `flag`, `chord`")]);
        }
    };
    let row = decode::whole(action, "row", 0..=i64::from(seen.rows()) - 1)? as u8;
    let col = decode::whole(action, "col", 0..=i64::from(seen.cols()) - 1)? as u8;
    Ok(make(Cell { row, col }))
}

fn check_move(seen: &Seen, one: Move) -> Result<(), String> {
    let cell = one.cell();
    let Cell { row, col } = cell;
    match one {
        Move::Reveal(_) | Move::Flag(_) if !seen.hidden().contains(cell) => {
            Err(format!("row {row}, column {col} is revealed already"))
        }
        Move::Chord(_) if seen.number(cell).is_none() => {
            Err(format!("row {row}, column {col} shows no number: only numbers are chorded"))
        }
        _ => Ok(()),
    }
}

fn action_schema() -> Value {
    let place = json!({"type": "integer", "minimum": 0, "maximum": 15});
    json!({
        "type": "object",
        "properties": {"action": {"enum": ["reveal", "flag", "chord"]}, "row": place, "col": place},
        "required": ["action", "row", "col"],
    })
}

fn observation_schema() -> Value {
    let side = json!({"type": "integer", "minimum": 8, "maximum": 16});
    let number = json!({"type": "integer", "minimum": 0, "maximum": 256});
    let line = json!({"type": "string", "pattern": "^[.F0-8*]{8,16}$"});
    let own = json!({
        "cols": side,
        "grid": {
            "description": "Rows from the top: `.` hidden, `F` hidden and marked, a digit for the mines around, `*` a mine that was hit.",
            "type": "array",
            "minItems": 8,
            "maxItems": 16,
            "items": line,
        },
        "hidden_safe": {"description": "Safe cells that are still hidden.", "allOf": [number]},
        "lives": {"description": "At 0 it is over.", "type": "integer", "minimum": 0, "maximum": LIVES},
        "mines": {"description": "Mines in the field, those that were hit included.", "allOf": [number]},
        "rows": side,
    });
    // What one action is, and, in `_action_space`, what a tick is.
    schema::observation(SPEC.timing, &action_schema(), own)
}

#[cfg(test)]
mod tests;
