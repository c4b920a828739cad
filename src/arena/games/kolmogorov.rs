//! `kolmogorov`: describe a sequence in few bytes, and rebuild it later from nothing but the description.
//!
//! A game whose turns are kept apart: when a sequence is to be rebuilt, only the note about it is shown. What is drawn
//! is in `payload`, the built-in players in `bots`.

mod bots;
mod payload;

use std::sync::Arc;

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use self::payload::{LETTERS, Pattern, plain_bytes, zlib_bytes};
use crate::arena::engine::difficulty::Difficulty;
use crate::arena::engine::events::EventSink;
use crate::arena::engine::observation::ObservationWriter;
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::{Seat, SeatMap, SeatSet};
use crate::arena::engine::{
    BotSpec, ConfigError, EndReason, Enumeration, GameSpec, Noop, Reasons, Rules, Timing, Turn, decode,
    schema,
};

/// The rules of `kolmogorov`.
#[derive(Debug, Clone, Copy)]
pub struct Kolmogorov;

/// Sequences of a match.
const ROUNDS: usize = 8;

/// Scores are counted in these, so that no state holds a float.
const PER_POINT: u64 = 10_000;

/// Options of a match.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Longer sequences with less simple rules.
    pub difficulty: Difficulty,
    /// Each note is read back before the next sequence is shown.
    pub interleave: bool,
}

/// A match.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    length: u16,
    difficulty: Difficulty,
    interleave: bool,
    /// Those that were drawn, the newest last.
    rounds: ArrayVec<Round, ROUNDS>,
    phase: Phase,
    /// In parts of [`PER_POINT`].
    points: u64,
    failed: bool,
    tick: u32,
    max_ticks: u32,
    rng: Pcg,
}

/// A sequence and what was noted of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Round {
    payload: Payload,
    note: Option<Arc<str>>,
    is_decoded: bool,
}

/// A sequence.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Payload {
    text: Arc<str>,
    /// The least of what zlib and three bits a symbol take, in bytes.
    packed: u16,
    is_random: bool,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Phase {
    /// A note on the newest round.
    Encode,
    /// The sequence of this round.
    Decode(u8),
    /// Nothing more.
    Over,
}

/// What a seat does in a tick.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Keeps a text for later.
    Note {
        /// The text.
        text: String,
    },
    /// Says what the sequence was.
    Emit {
        /// Its letters.
        text: String,
    },
}

/// What a seat knows.
#[derive(Debug, Clone, Copy)]
pub enum View<'a> {
    /// A sequence, to be described.
    Encode {
        /// Its letters.
        payload: &'a str,
    },
    /// A description, to be read.
    Decode {
        /// What was noted.
        note: &'a str,
        /// Letters of the sequence.
        length: usize,
    },
    /// Nothing: the match is over.
    Nothing,
}

static SPEC: GameSpec = GameSpec {
    slug: "kolmogorov",
    name: "Kolmogorov",
    description: "Describe sequences in as few bytes as you can; later rebuild them from your notes alone.",
    prompt: include_str!("kolmogorov/prompt.md").trim_ascii_end(),
    tags: &[
        "puzzle",
        "compression",
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
    canonical_ticks: 2 * ROUNDS as u32,
    score_version: "arena-1",
    game_version: "1",
    noop: Noop::Legal,
    turn_isolated: true,
    max_difficulty: Some(1.0),
    enumeration: Enumeration::Absent,
    tick_ms: 30_000,
    first_tick_ms: 60_000,
    action_schema,
    observation_schema,
};

impl Rules for Kolmogorov {
    type State = State;
    type Action = Action;
    type Config = Config;
    type View<'a> = View<'a>;

    fn spec() -> &'static GameSpec {
        &SPEC
    }

    fn init(config: &Config, _seats: u8, max_ticks: u32, seed: u64) -> Result<State, ConfigError> {
        let mut state = State {
            length: 64 + config.difficulty.share_of(448) as u16,
            difficulty: config.difficulty,
            interleave: config.interleave,
            rounds: ArrayVec::new(),
            phase: Phase::Encode,
            points: 0,
            failed: false,
            tick: 0,
            max_ticks,
            rng: Pcg::new(seed),
        };
        state.draw_next();
        Ok(state)
    }

    fn turn(state: &State) -> Turn {
        if Self::over(state).is_some() { Turn::Over } else { Turn::One(Seat::new(0)) }
    }

    fn tick(state: &State) -> u32 {
        state.tick
    }

    fn legal(state: &State, seat: Seat, out: &mut Vec<(Action, f32)>) {
        match Self::view(state, seat) {
            View::Encode { payload } => {
                let note = |text: &str| Action::Note { text: text.to_owned() };
                out.extend([(note(""), 1.0), (note(payload), 1.0)]);
            }
            View::Decode { note, length } => {
                let emit = |text: String| Action::Emit { text };
                out.extend([(emit("A".repeat(length)), 1.0), (emit(note.to_owned()), 1.0)]);
            }
            View::Nothing => (),
        }
    }

    fn decode(_state: &State, _seat: Seat, actions: &[Value]) -> Result<Action, Reasons> {
        let action = decode::single(actions)?;
        let text = || decode::word(action, "text").map(ToOwned::to_owned);
        match decode::word(action, "action")? {
            "note" => Ok(Action::Note { text: text()? }),
            "emit" => Ok(Action::Emit { text: text()? }),
            verb => {
                let verb = decode::shortened(verb);
                Err(vec![format!("unknown action `{verb}`: one of `note`, `emit`")])
            }
        }
    }

    fn check(state: &State, _seat: Seat, action: &Action) -> Result<(), Reasons> {
        let most = usize::from(state.length);
        match (state.phase, action) {
            (Phase::Encode, Action::Note { text }) if text.len() > most => {
                Err(vec![format!("the note has {} bytes, at most {most} are kept", text.len())])
            }
            (Phase::Encode, Action::Note { .. }) | (Phase::Decode(_), Action::Emit { .. }) => Ok(()),
            (Phase::Encode, _) => Err(vec!["this is the phase `encode`: send a `note`".into()]),
            (Phase::Decode(_), _) => Err(vec!["this is the phase `decode`: `emit` the payload".into()]),
            (Phase::Over, _) => Err(vec!["all rounds are played".into()]),
        }
    }

    fn noop(state: &State, _seat: Seat) -> Option<Action> {
        match state.phase {
            Phase::Encode => Some(Action::Note { text: String::new() }),
            Phase::Decode(_) => Some(Action::Emit { text: String::new() }),
            Phase::Over => None,
        }
    }

    fn apply(state: &mut State, actions: &SeatMap<Action>, _events: &mut impl EventSink) {
        match actions.get(Seat::new(0)) {
            Some(Action::Note { text }) => state.take_note(text),
            Some(Action::Emit { text }) => state.take_answer(text),
            None => return,
        }
        state.tick += 1;
    }

    fn fail(state: &mut State, _seat: Seat, _events: &mut impl EventSink) {
        state.failed = true;
    }

    fn score(state: &State, _seat: Seat) -> f64 {
        if state.failed { 0.0 } else { state.points as f64 / PER_POINT as f64 }
    }

    fn eliminated(_state: &State) -> SeatSet {
        SeatSet::EMPTY
    }

    fn over(state: &State) -> Option<EndReason> {
        if state.failed || state.phase == Phase::Over {
            Some(EndReason::GameComplete)
        } else {
            (state.tick >= state.max_ticks).then_some(EndReason::MaxTicks)
        }
    }

    fn floor(_state: &State, _seat: Seat) -> f64 {
        0.0
    }

    fn observe(state: &State, seat: Seat, out: &mut ObservationWriter) {
        let length = usize::from(state.length);
        let view = Self::view(state, seat);
        if let View::Encode { .. } = view {
            let packed = state.rounds.last().map_or(0, |round| round.payload.packed);
            out.field("bonus_below", &packed.div_ceil(2));
        }
        out.field("length", &length);
        match view {
            View::Encode { payload } => out.field("payload", payload),
            View::Decode { note, .. } => out.field("note", note),
            View::Nothing => (),
        }
        let (phase, round) = match (Self::over(state), state.phase) {
            (None, Phase::Encode) => ("encode", Some(state.rounds.len())),
            (None, Phase::Decode(nth)) => ("decode", Some(usize::from(nth) + 1)),
            _ => ("over", None),
        };
        out.field("phase", phase);
        out.field("plain_bytes", &plain_bytes(length));
        out.field("round", &round);
        out.field("rounds", &ROUNDS);
    }

    fn view(state: &State, _seat: Seat) -> View<'_> {
        if Self::over(state).is_some() {
            return View::Nothing;
        }
        match state.phase {
            Phase::Encode => state
                .rounds
                .last()
                .map_or(View::Nothing, |round| View::Encode { payload: &round.payload.text }),
            Phase::Decode(nth) => View::Decode {
                note: state.rounds[usize::from(nth)].note.as_deref().unwrap_or_default(),
                length: usize::from(state.length),
            },
            Phase::Over => View::Nothing,
        }
    }

    fn reseed(state: &mut State, stream: u64) {
        state.rng = Pcg::new(stream);
    }

    fn redeal(state: &mut State, _viewer: Seat, rng: &mut Pcg) {
        let (length, difficulty) = (state.length, state.difficulty);
        // What was described once is not shown any more. One that is not random may not become so: that is rare.
        for round in state.rounds.iter_mut().filter(|round| round.note.is_some()) {
            round.payload = Payload::draw(rng, length, difficulty, round.payload.is_random);
        }
    }

    fn bots() -> &'static [BotSpec<Self>] {
        bots::ALL
    }
}

impl State {
    fn draw_next(&mut self) {
        // At most one of the eight rounds.
        let may_be_random = !self.rounds.iter().any(|round| round.payload.is_random);
        let payload = Payload::draw(&mut self.rng, self.length, self.difficulty, may_be_random);
        self.rounds.push(Round { payload, note: None, is_decoded: false });
    }

    fn take_note(&mut self, text: &str) {
        let newest = self.rounds.len() - 1;
        self.rounds[newest].note = Some(text.into());
        if self.interleave {
            self.phase = Phase::Decode(newest as u8);
        } else {
            self.go_on();
        }
    }

    fn take_answer(&mut self, text: &str) {
        let Phase::Decode(nth) = self.phase else { return };
        let round = &mut self.rounds[usize::from(nth)];
        round.is_decoded = true;
        self.points += earned(&round.payload, round.note.as_deref().unwrap_or_default(), text);
        self.go_on();
    }

    /// The next sequence, or one of the notes that were not read yet.
    fn go_on(&mut self) {
        if self.rounds.len() < ROUNDS {
            self.draw_next();
            self.phase = Phase::Encode;
            return;
        }
        let open: ArrayVec<u8, ROUNDS> =
            (0..ROUNDS as u8).filter(|&nth| !self.rounds[usize::from(nth)].is_decoded).collect();
        self.phase = match open.len() {
            0 => Phase::Over,
            n => Phase::Decode(open[self.rng.below(n as u64) as usize]),
        };
    }
}

impl Payload {
    fn draw(rng: &mut Pcg, length: u16, difficulty: Difficulty, may_be_random: bool) -> Self {
        let drawn = payload::draw(rng, length.into(), difficulty, may_be_random);
        let text = payload::text(&drawn.symbols);
        let packed = zlib_bytes(&text).min(plain_bytes(text.len())) as u16;
        Self { text: text.into(), packed, is_random: drawn.is_random }
    }
}

/// What a round earns, in parts of [`PER_POINT`]: 12.5 points times the share of right symbols times what the note
/// saves, and one more if all are right and the note is under half of the payload packed.
fn earned(payload: &Payload, note: &str, answer: &str) -> u64 {
    let right = right(&payload.text, answer);
    let points = worth(right, note.len(), payload.text.len());
    let is_exact = right == payload.text.len();
    let bonus = is_exact && 2 * note.len() < usize::from(payload.packed);
    points + if bonus { PER_POINT } else { 0 }
}

/// The part that counts without the bonus.
fn worth(right: usize, note: usize, length: usize) -> u64 {
    let plain = plain_bytes(length);
    let saved = plain.saturating_sub(note);
    let (numerator, denominator) = (25 * PER_POINT * (right * saved) as u64, 2 * (length * plain) as u64);
    (numerator + denominator / 2) / denominator
}

/// Places at which both have the same letter; none when one is longer.
fn right(payload: &str, answer: &str) -> usize {
    if payload.len() != answer.len() {
        return 0;
    }
    payload.bytes().zip(answer.bytes()).filter(|(one, other)| one == other).count()
}

fn action_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"action": {"enum": ["note", "emit"]}, "text": {"type": "string"}},
        "required": ["action", "text"],
    })
}

fn observation_schema() -> Value {
    let bytes = json!({"type": "integer", "minimum": 0, "maximum": 512});
    let own = json!({
        "length": {"description": "Letters of a payload; a note has at most as many bytes.", "type": "integer", "minimum": 64, "maximum": 512},
        "phase": {"description": "What is asked for.", "enum": ["encode", "decode", "over"]},
        "plain_bytes": {"description": "Bytes that three bits a letter take: a note that long earns nothing.", "type": "integer"},
        "round": {"description": "Which payload this is about.", "oneOf": [{"type": "integer", "minimum": 1, "maximum": ROUNDS}, {"type": "null"}]},
        "rounds": {"const": ROUNDS},
    });
    let mut schema = schema::observation(SPEC.timing, &action_schema(), own);
    schema["properties"]["payload"] =
        json!({"description": "The sequence to describe.", "type": "string", "pattern": "^[A-H]{64,512}$"});
    schema["properties"]["bonus_below"] =
        json!({"description": "A shorter note, in bytes, can earn the bonus.", "allOf": [bytes]});
    schema["properties"]["note"] =
        json!({"description": "What you noted of the sequence.", "type": "string"});
    let phase = |name: &str| json!({"properties": {"phase": {"const": name}}});
    let shows = |shown: &[&str], hidden: &[&str]| {
        let hidden: Vec<Value> = hidden.iter().map(|member| json!({"required": [member]})).collect();
        json!({"required": shown, "not": {"anyOf": hidden}})
    };
    schema["allOf"] = json!([
        {"if": phase("encode"), "then": shows(&["payload", "bonus_below"], &["note"])},
        {"if": phase("decode"), "then": shows(&["note"], &["payload", "bonus_below"])},
        {"if": phase("over"), "then": shows(&[], &["note", "payload", "bonus_below"])},
    ]);
    schema
}

#[cfg(test)]
mod tests;
