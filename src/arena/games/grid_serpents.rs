//! `grid_serpents`: serpents on a grid eat, grow and try to be the last alive.
//!
//! All seats move at once. What happens in a tick is in `position`, in the order of the rules; the cells are in
//! `grid`, the built-in players in `bots`.

mod bots;
mod grid;
mod position;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use self::grid::{Cell, Direction, Grid};
use self::position::{FULL_HEALTH, START_LENGTH};
pub use self::position::{Position, Serpent};
use crate::arena::engine::events::EventSink;
use crate::arena::engine::observation::ObservationWriter;
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::{Seat, SeatMap, SeatSet};
use crate::arena::engine::{
    BotSpec, ConfigError, EndReason, Enumeration, GameSpec, Noop, Reasons, Rules, Timing, Turn, decode,
    schema,
};

/// The rules of `grid_serpents`.
#[derive(Debug, Clone, Copy)]
pub struct GridSerpents;

/// Options of a match: none yet.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {}

/// A match.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    position: Position,
    rng: Pcg,
    tick: u32,
    max_ticks: u32,
}

/// What a seat does in a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Goes one cell.
    Move {
        /// Where to.
        direction: Direction,
    },
}

/// What a seat knows: everything but where food will come up next.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Serpents and food.
    pub position: &'a Position,
    /// The own seat's number.
    pub me: usize,
}

static SPEC: GameSpec = GameSpec {
    slug: "grid_serpents",
    name: "Grid Serpents",
    description: "Serpents eat, grow and block each other; the last one alive wins.",
    prompt: include_str!("grid_serpents/prompt.md").trim_ascii_end(),
    tags: &[
        "grid",
        "spatial",
        "planning",
        "perfect_information",
        "competitive",
        "simultaneous",
        "code",
        "forkable",
    ],
    seats: &[1, 2, 4, 6, 8],
    default_seats: 4,
    timing: Timing::Simultaneous,
    canonical_ticks: 300,
    score_version: "arena-1",
    game_version: "1",
    noop: Noop::Legal,
    turn_isolated: false,
    max_difficulty: None,
    enumeration: Enumeration::Full,
    tick_ms: 1_000,
    first_tick_ms: 5_000,
    action_schema,
    observation_schema,
};

impl Rules for GridSerpents {
    type State = State;
    type Action = Action;
    type Config = Config;
    type View<'a> = View<'a>;

    fn spec() -> &'static GameSpec {
        &SPEC
    }

    fn init(_config: &Config, seats: u8, max_ticks: u32, seed: u64) -> Result<State, ConfigError> {
        let (width, height) = if seats <= 4 { (15, 11) } else { (19, 15) };
        let mut rng = Pcg::new(seed);
        let mut position = Position::new(width, height, seats, &mut rng);
        for _ in 0..seats {
            position.spawn_food(&mut rng);
        }
        Ok(State { position, rng, tick: 0, max_ticks })
    }

    fn turn(state: &State) -> Turn {
        match Self::over(state) {
            Some(_) => Turn::Over,
            None => Turn::All(state.position.alive()),
        }
    }

    fn tick(state: &State) -> u32 {
        state.tick
    }

    fn legal(state: &State, seat: Seat, out: &mut Vec<(Action, f32)>) {
        let serpent = &state.position.serpents()[seat.index()];
        // Turning back is allowed, but it is straight on by another name.
        for direction in Direction::ALL.into_iter().filter(|&wish| serpent.course(wish) == wish) {
            let weight = if state.position.is_deadly(seat.index(), direction) { 0.05 } else { 1.0 };
            out.push((Action::Move { direction }, weight));
        }
    }

    fn decode(_state: &State, _seat: Seat, actions: &[Value]) -> Result<Action, Reasons> {
        let action = decode::single(actions)?;
        decode::verb(action, "move")?;
        let word = decode::word(action, "direction")?;
        match Direction::ALL.into_iter().find(|direction| direction.as_str() == word) {
            Some(direction) => Ok(Action::Move { direction }),
            None => Err(vec![format!(
                "unknown direction `{}`: one of `up`, `down`, `left`, `right`",
                decode::shortened(word)
            )]),
        }
    }

    fn check(_state: &State, _seat: Seat, _action: &Action) -> Result<(), Reasons> {
        Ok(())
    }

    fn noop(state: &State, seat: Seat) -> Option<Action> {
        Some(Action::Move { direction: state.position.serpents()[seat.index()].straight_on() })
    }

    fn apply(state: &mut State, actions: &SeatMap<Action>, events: &mut impl EventSink) {
        state.tick += 1;
        state.position.advance(|seat| actions.get(seat).map(|&Action::Move { direction }| direction), events);
        state.position.reward_survivor(events);
        state.position.grow_food(&mut state.rng);
    }

    fn fail(state: &mut State, seat: Seat, events: &mut impl EventSink) {
        if state.position.alive().contains(seat) {
            state.position.remove_failed(seat, events);
            state.position.reward_survivor(events);
        }
    }

    fn score(state: &State, seat: Seat) -> f64 {
        f64::from(state.position.serpents()[seat.index()].score())
    }

    fn eliminated(state: &State) -> SeatSet {
        state.position.dead()
    }

    fn over(state: &State) -> Option<EndReason> {
        let enough = usize::from(state.position.serpents().len() > 1);
        if state.position.alive().len() <= enough {
            Some(EndReason::GameComplete)
        } else {
            (state.tick >= state.max_ticks).then_some(EndReason::MaxTicks)
        }
    }

    fn floor(_state: &State, _seat: Seat) -> f64 {
        0.0
    }

    fn observe(state: &State, seat: Seat, out: &mut ObservationWriter<'_>) {
        let position = &state.position;
        let grid = position.grid();
        let food: Vec<(u8, u8)> = grid.food().map(|cell| grid.position(cell)).collect();
        let serpents: Vec<Shown> =
            Seat::first(position.serpents().len() as u8).map(|seat| Shown::new(position, seat)).collect();
        out.field("food", &food);
        out.field("grid", &picture(position));
        out.field("height", &grid.height());
        out.field("serpents", &serpents);
        out.field("width", &grid.width());
        out.field("you", &Own::new(position, seat));
    }

    fn view(state: &State, seat: Seat) -> View<'_> {
        View { position: &state.position, me: seat.index() }
    }

    fn reseed(state: &mut State, stream: u64) {
        state.rng = Pcg::new(stream);
    }

    fn bots() -> &'static [BotSpec<Self>] {
        bots::ALL
    }
}

/// A serpent as observations show it.
#[derive(Serialize)]
struct Shown {
    alive: bool,
    /// Head first; empty for the dead.
    body: Vec<(u8, u8)>,
    health: u8,
    length: u16,
    seat: Seat,
}

/// The own serpent in short.
#[derive(Serialize)]
struct Own {
    alive: bool,
    head: (u8, u8),
    heading: Option<Direction>,
    health: u8,
    length: u16,
}

impl Own {
    fn new(position: &Position, seat: Seat) -> Self {
        let serpent = &position.serpents()[seat.index()];
        Self {
            alive: serpent.is_alive(),
            head: position.grid().position(serpent.head),
            heading: serpent.heading,
            health: serpent.health,
            length: serpent.length,
        }
    }
}

impl Shown {
    fn new(position: &Position, seat: Seat) -> Self {
        let serpent = &position.serpents()[seat.index()];
        let body = position.body(seat.index());
        Self {
            alive: serpent.is_alive(),
            body: body.into_iter().map(|cell| position.grid().position(cell)).collect(),
            health: serpent.health,
            length: serpent.length,
            seat,
        }
    }
}

/// The grid as text, a line a row: `.` free, `*` food, `A` the head and `a` the body of `p0`, `B` `b` of `p1` …
fn picture(position: &Position) -> Vec<String> {
    let grid = position.grid();
    let glyph = |cell| match grid.owner(cell) {
        Some(owner) if position.serpents()[owner].head == cell => char::from(b'A' + owner as u8),
        Some(owner) => char::from(b'a' + owner as u8),
        None if grid.is_food(cell) => '*',
        None => '.',
    };
    let row = |y| (0..grid.width()).map(|x| glyph(grid.at(x, y))).collect();
    (0..grid.height()).map(row).collect()
}

fn action_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"action": {"const": "move"}, "direction": {"enum": Direction::ALL}},
        "required": ["action", "direction"],
    })
}

fn observation_schema() -> Value {
    let cell = json!({
        "description": "Column from the left and row from the top, from 0.",
        "type": "array",
        "items": {"type": "integer", "minimum": 0, "maximum": 18},
        "minItems": 2,
        "maxItems": 2,
    });
    let health = json!({"type": "integer", "minimum": 0, "maximum": FULL_HEALTH});
    let length = json!({"type": "integer", "minimum": START_LENGTH});
    let own = json!({
        "food": {"type": "array", "items": cell},
        "grid": {
            "description": "A line a row: . free, * food, A head and a body of p0, B and b of p1, and so on.",
            "type": "array",
            "items": {"type": "string", "pattern": "^[.*A-Ha-h]+$"},
        },
        "height": {"enum": [11, 15]},
        "serpents": {
            "description": "All serpents by seat; bodies head first, the dead have none.",
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "alive": {"type": "boolean"},
                    "body": {"type": "array", "items": cell},
                    "health": health,
                    "length": length,
                    "seat": {"type": "string", "pattern": "^p[0-7]$"},
                },
                "required": ["alive", "body", "health", "length", "seat"],
                "additionalProperties": false,
            },
        },
        "width": {"enum": [15, 19]},
        "you": {
            "description": "Your own serpent in short; heading is null before the first tick.",
            "type": "object",
            "properties": {
                "alive": {"type": "boolean"},
                "head": cell,
                "heading": {"enum": ["up", "down", "left", "right", null]},
                "health": health,
                "length": length,
            },
            "required": ["alive", "head", "heading", "health", "length"],
            "additionalProperties": false,
        },
    });
    schema::observation(SPEC.timing, &action_schema(), own)
}

#[cfg(test)]
mod tests;
