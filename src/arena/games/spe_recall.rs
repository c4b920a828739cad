//! `spe_recall`: facts come and go, and all that stays is a notepad.
//!
//! A game for one, in which every tick stands alone: what was shown is not shown again, so a player knows what the
//! observation says and nothing else. That is what a [`View`] holds, and why built-in players (in `bots`) are functions
//! of it without a memory. The world behind it is in `world`.

mod bots;
mod world;

use arrayvec::{ArrayString, ArrayVec};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use self::world::World;
pub use self::world::{Fact, Key, MAX_KEYS, WORDS};
use crate::arena::engine::difficulty::Difficulty;
use crate::arena::engine::events::{Audience, EventSink};
use crate::arena::engine::observation::{List, ObservationWriter};
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::{Seat, SeatMap, SeatSet};
use crate::arena::engine::{
    BotSpec, ConfigError, EndReason, Enumeration, GameSpec, Noop, Reasons, Rules, Timing, Turn, decode,
    schema,
};

/// The rules of `spe_recall`.
#[derive(Debug, Clone, Copy)]
pub struct SpeRecall;

/// Options of a match.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// More keys; the notepad grows more slowly than what there is to note.
    pub difficulty: Difficulty,
}

/// Bytes that the largest notepad holds.
const MAX_CAPACITY: usize = capacity(MAX_KEYS);

/// A player's own text.
pub type Notepad = ArrayString<MAX_CAPACITY>;

/// A match.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    world: World,
    notepad: Notepad,
    right: u16,
    wrong: u16,
    tick: u32,
    max_ticks: u32,
    failed: bool,
}

/// What a seat does in a tick: one, both or nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Action {
    /// Replaces the notepad.
    pub write: Option<Notepad>,
    /// Answers the question: the number of a word.
    pub answer: Option<u8>,
}

#[derive(Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
enum Part<'a> {
    Answer { value: &'static str },
    Write { text: &'a str },
}

impl Serialize for Action {
    /// One part as an object, none or both as a list.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let answer = self.answer.map(|word| Part::Answer { value: WORDS[usize::from(word)] });
        let write = self.write.as_ref().map(|text| Part::Write { text });
        let parts: ArrayVec<Part<'_>, 2> = answer.into_iter().chain(write).collect();
        if let [part] = parts.as_slice() {
            return part.serialize(serializer);
        }
        let mut list = serializer.serialize_seq(Some(parts.len()))?;
        parts.iter().try_for_each(|part| list.serialize_element(part))?;
        list.end()
    }
}

/// What a seat knows: what the observation shows.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Ticks played.
    pub tick: u32,
    /// Bytes that the notepad holds.
    pub capacity: usize,
    /// All keys; facts and questions name them by their place here.
    pub keys: &'a [Key],
    /// What is told in this tick.
    pub facts: &'a [Fact],
    /// The key that is asked for.
    pub query: Option<u8>,
    /// What the player wrote last.
    pub notepad: &'a str,
}

static SPEC: GameSpec = GameSpec {
    slug: "spe_recall",
    name: "Recall",
    description: "Facts come and go, only a small notepad stays: answer what is asked later.",
    prompt: include_str!("spe_recall/prompt.md").trim_ascii_end(),
    tags: &[
        "puzzle",
        "memory",
        "hidden_information",
        "solo",
        "turn_based",
        "difficulty",
        "turn_isolated",
        "code",
    ],
    seats: &[1],
    default_seats: 1,
    timing: Timing::TurnBased,
    canonical_ticks: TICKS,
    score_version: "arena-1",
    game_version: "1",
    noop: Noop::Legal,
    turn_isolated: true,
    max_difficulty: Some(1.0),
    enumeration: Enumeration::Menu,
    tick_ms: 30_000,
    first_tick_ms: 60_000,
    action_schema,
    observation_schema,
};

/// The length of a match.
const TICKS: u32 = 60;

/// Points of a right answer.
const RIGHT: i32 = 5;

/// No match asks more questions than this, and a wrong answer costs one point.
const FLOOR: f64 = -20.0;

impl Rules for SpeRecall {
    type State = State;
    type Action = Action;
    type Config = Config;
    type View<'a> = View<'a>;

    fn spec() -> &'static GameSpec {
        &SPEC
    }

    fn init(config: &Config, _seats: u8, max_ticks: u32, seed: u64) -> Result<State, ConfigError> {
        let keys = 6 + config.difficulty.share_of(18) as usize;
        Ok(State {
            world: World::new(keys, seed),
            notepad: Notepad::new(),
            right: 0,
            wrong: 0,
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

    fn legal(state: &State, seat: Seat, out: &mut Vec<(Action, f32)>) {
        let view = Self::view(state, seat);
        if view.query.is_some() {
            let words = 0..WORDS.len() as u8;
            out.extend(words.map(|word| (Action { answer: Some(word), write: None }, 1.0)));
            return;
        }
        let write = |text| Action { write: Some(text), answer: None };
        out.push((write(state.notepad), 1.0));
        let facts: String = view.facts.iter().map(|fact| bots::plain(view.keys, *fact)).collect();
        out.push((write(bots::newest(view.notepad, &facts, view.capacity)), 1.0));
    }

    fn decode(state: &State, _seat: Seat, actions: &[Value]) -> Result<Action, Reasons> {
        let mut all = Action::default();
        for action in actions {
            let is_repeated = match decode::word(action, "action")? {
                "write" => all.write.replace(decode_text(state, action)?).is_some(),
                "answer" => all.answer.replace(decode_word(action)?).is_some(),
                verb => {
                    let verb = decode::shortened(verb);
                    return Err(vec![format!("unknown action `{verb}`: one of `write`, `answer`")]);
                }
            };
            if is_repeated {
                return Err(vec!["at most one `write` and one `answer` a tick are allowed".into()]);
            }
        }
        Ok(all)
    }

    fn check(state: &State, _seat: Seat, action: &Action) -> Result<(), Reasons> {
        if action.answer.is_some() && state.world.query().is_none() {
            return Err(vec!["nothing is asked in this tick: `query` is null".into()]);
        }
        Ok(())
    }

    fn noop(_state: &State, _seat: Seat) -> Option<Action> {
        Some(Action::default())
    }

    fn apply(state: &mut State, actions: &SeatMap<Action>, events: &mut impl EventSink) {
        let Some(&Action { write, answer }) = actions.get(ALONE) else { return };
        if let Some((answer, truth)) = answer.zip(state.world.answer()) {
            let is_right = answer == truth;
            *(if is_right { &mut state.right } else { &mut state.wrong }) += 1;
            // What was right is hidden, and stays it.
            events.emit(Audience::All, || json!({"answer": {"right": is_right}}));
        }
        if let Some(text) = write {
            state.notepad = text;
        }
        state.tick += 1;
        if state.tick < TICKS {
            state.world.go_on(state.tick);
        } else {
            state.world.fall_silent();
        }
    }

    fn fail(state: &mut State, seat: Seat, events: &mut impl EventSink) {
        state.failed = true;
        events.emit(Audience::All, || json!({"failed": {"seat": seat}}));
    }

    fn score(state: &State, _seat: Seat) -> f64 {
        let score = f64::from(RIGHT * i32::from(state.right) - i32::from(state.wrong));
        if state.failed { score.min(FLOOR) } else { score }
    }

    fn eliminated(_state: &State) -> SeatSet {
        SeatSet::EMPTY
    }

    fn over(state: &State) -> Option<EndReason> {
        if state.tick >= TICKS {
            Some(EndReason::GameComplete)
        } else {
            (state.tick >= state.max_ticks).then_some(EndReason::MaxTicks)
        }
    }

    fn floor(_state: &State, _seat: Seat) -> f64 {
        FLOOR
    }

    fn observe(state: &State, seat: Seat, out: &mut ObservationWriter) {
        let view = Self::view(state, seat);
        let name = |key: u8| view.keys[usize::from(key)].as_str();
        let fact = |fact: &Fact| Shown { key: name(fact.key), value: WORDS[usize::from(fact.word)] };
        out.field("capacity", &view.capacity);
        out.field("facts", &List(view.facts.iter().map(fact)));
        out.field("keys", &List(view.keys.iter().map(Key::as_str)));
        out.field("notepad", view.notepad);
        out.field("query", &view.query.map(name));
        out.field("values", &WORDS);
    }

    fn view(state: &State, _seat: Seat) -> View<'_> {
        View {
            tick: state.tick,
            capacity: capacity(state.world.keys().len()),
            keys: state.world.keys(),
            facts: state.world.facts(),
            query: state.world.query(),
            notepad: &state.notepad,
        }
    }

    fn reseed(state: &mut State, stream: u64) {
        state.world.reseed(stream);
    }

    /// All but what this tick tells: the value that is asked for as well, for what the notepad says of it is the player's
    /// word.
    fn redeal(state: &mut State, _viewer: Seat, rng: &mut Pcg) {
        state.world.redeal(rng);
    }

    fn bots() -> &'static [BotSpec<Self>] {
        bots::ALL
    }
}

/// The only seat.
const ALONE: Seat = Seat::new(0);

/// Bytes that a notepad holds in a world of so many keys.
const fn capacity(keys: usize) -> usize {
    40 + 4 * keys
}

/// A fact as observations show it.
#[derive(Serialize)]
struct Shown<'a> {
    key: &'a str,
    value: &'static str,
}

fn decode_text(state: &State, action: &Value) -> Result<Notepad, Reasons> {
    let text = decode::word(action, "text")?;
    let capacity = capacity(state.world.keys().len());
    let fitting = Some(text).filter(|text| text.len() <= capacity).and_then(|text| Notepad::from(text).ok());
    fitting
        .ok_or_else(|| vec![format!("the notepad holds {capacity} bytes, and the text has {}", text.len())])
}

fn decode_word(action: &Value) -> Result<u8, Reasons> {
    let value = decode::word(action, "value")?;
    let place = WORDS.iter().position(|word| *word == value).map(|nth| nth as u8);
    place.ok_or_else(|| {
        let value = decode::shortened(value);
        vec![format!("`{value}` is no value: one of `{}`", WORDS.join("`, `"))]
    })
}

fn action_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "action": {"enum": ["write", "answer"]},
            "text": {"description": "At most `capacity` bytes.", "type": "string", "maxLength": MAX_CAPACITY},
            "value": {"enum": WORDS},
        },
        "required": ["action"],
        "if": {"properties": {"action": {"const": "write"}}},
        "then": {"required": ["text"]},
        "else": {"required": ["value"]},
    })
}

fn observation_schema() -> Value {
    let key = json!({"type": "string", "pattern": "^[a-z]{2}$"});
    let fact = json!({
        "type": "object",
        "properties": {"key": key, "value": {"enum": WORDS}},
        "required": ["key", "value"],
        "additionalProperties": false,
    });
    let own = json!({
        "capacity": {"description": "Bytes that the notepad holds.", "type": "integer", "minimum": 64, "maximum": MAX_CAPACITY},
        "facts": {
            "description": "What is told in this tick, and never again: these keys have these values from now on.",
            "type": "array",
            "maxItems": world::MAX_FACTS,
            "items": fact,
        },
        "keys": {"description": "All keys there are.", "type": "array", "minItems": 6, "maxItems": MAX_KEYS, "items": key},
        "notepad": {"description": "What you wrote last.", "type": "string", "maxLength": MAX_CAPACITY},
        "query": {"description": "The key whose value is asked for in this tick.", "oneOf": [key, {"type": "null"}]},
        "values": {"description": "All values there are.", "const": WORDS},
    });
    schema::observation(SPEC.timing, &action_schema(), own)
}

#[cfg(test)]
mod tests;
