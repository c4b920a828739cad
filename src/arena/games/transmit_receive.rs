//! `transmit_receive`: two players carry messages through a noisy channel.
//!
//! They play together, and neither remembers a turn: all that the receiver knows is what arrives and the name of a scheme.
//! Schemes are in `codes`, the built-in players in `bots`.

mod bots;
mod codes;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use self::codes::{Message, SYMBOLS, Scheme, Word};
use crate::arena::engine::difficulty::Difficulty;
use crate::arena::engine::events::{Audience, EventSink};
use crate::arena::engine::observation::{Number, ObservationWriter};
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::{Seat, SeatMap, SeatSet};
use crate::arena::engine::{
    BotSpec, ConfigError, EndReason, Enumeration, GameSpec, Noop, Reasons, Rules, Timing, Turn, decode,
    schema,
};

/// The rules of `transmit_receive`.
#[derive(Debug, Clone, Copy)]
pub struct TransmitReceive;

/// Messages of a match.
const ROUNDS: u32 = 16;

/// Symbols of a message.
pub const MESSAGE: usize = 8;

/// Symbols of the longest word, when difficulty is 0.
pub const LONGEST: usize = 32;

/// Scores are counted in these, so that no state holds a float.
const PER_POINT: i64 = 1000;
/// A right symbol: an eighth of five points.
const RIGHT: i64 = 625;
/// A message without a wrong symbol.
const EXACT: i64 = 1250;
/// A symbol that is sent.
const SENT: i64 = 20;

/// What a match is worth when a seat fails. Sending the longest word in vain costs less than 11 points.
const FLOOR: f64 = -12.0;

/// Options of a match.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// More noise, shorter words.
    pub difficulty: Difficulty,
}

/// A match.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    channel: Channel,
    message: Message,
    /// What has arrived and waits for a guess.
    arrived: Option<(Scheme, Word)>,
    /// In parts of [`PER_POINT`].
    points: i64,
    failed: SeatSet,
    tick: u32,
    max_ticks: u32,
    rng: Pcg,
}

/// What words go through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Channel {
    /// How many symbols of a million become another.
    noise: u32,
    /// Symbols of a word at most.
    budget: u8,
}

impl Channel {
    fn new(difficulty: Difficulty) -> Self {
        Self {
            // A thousandth of 23 % more with each step.
            noise: 20_000 + 230 * difficulty.per_mille(),
            budget: (LONGEST as u32 - difficulty.share_of(12)) as u8,
        }
    }

    /// Each symbol by itself stays, or becomes any other with the same chance.
    fn carry(self, word: &[u8], rng: &mut Pcg) -> Word {
        let carry = |&symbol: &u8| {
            if rng.below(1_000_000) < self.noise.into() {
                (symbol + 1 + rng.below(u64::from(SYMBOLS) - 1) as u8) % SYMBOLS
            } else {
                symbol
            }
        };
        word.iter().map(carry).collect()
    }

    /// The average score of a round in which every symbol is sent so many times, once or three times.
    fn expected(self, copies: u8) -> f64 {
        let wrong = f64::from(self.noise) / 1e6;
        let kept = 1.0 - wrong;
        let right = match copies {
            1 => kept,
            // Three alike, two alike, or one right of three that differ, which is taken in a third of the cases.
            _ => kept * kept * kept + 3.0 * kept * kept * wrong + kept * wrong * wrong * 6.0 / 7.0,
        };
        let exact = (0..MESSAGE).fold(1.0, |all, _| all * right);
        let sent = f64::from(copies) * MESSAGE as f64;
        (MESSAGE as f64 * RIGHT as f64 * right + EXACT as f64 * exact - SENT as f64 * sent) / PER_POINT as f64
    }

    /// What is to be reached in so many rounds, to a tenth: 97 % of what three copies of each symbol do on average.
    fn par(self, rounds: u32) -> f64 {
        (0.97 * f64::from(rounds) * self.expected(3) * 10.0).round() / 10.0
    }
}

impl State {
    /// Rounds that there is time for.
    fn rounds(&self) -> u32 {
        ROUNDS.min(self.max_ticks / 2)
    }

    fn transmitter(&self) -> Seat {
        Seat::new((self.tick / 2 % 2) as u8)
    }

    fn par(&self) -> f64 {
        self.channel.par(self.rounds())
    }
}

/// What a seat does in a tick.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Sends a word.
    Send {
        /// Arrives as it is.
        scheme: Scheme,
        /// Letters, of which some become others.
        word: String,
    },
    /// Says what the message was.
    Guess {
        /// Its letters.
        text: String,
    },
}

/// What a seat knows.
#[derive(Debug, Clone, Copy)]
pub enum View<'a> {
    /// A message to send.
    Send {
        /// Its symbols.
        message: &'a Message,
        /// Symbols that may be sent.
        budget: u8,
        /// How many of a million become another.
        noise: u32,
    },
    /// A word that arrived.
    Receive {
        /// What it says about itself.
        scheme: Scheme,
        /// Its symbols.
        received: &'a [u8],
    },
    /// The other seat is on turn, or nobody.
    Wait,
}

static SPEC: GameSpec = GameSpec {
    slug: "transmit_receive",
    name: "Transmit & Receive",
    description: "Two players carry messages through a noisy channel, in few symbols and without wrong ones.",
    prompt: include_str!("transmit_receive/prompt.md").trim_ascii_end(),
    tags: &[
        "signal",
        "compression",
        "cooperation",
        "theory_of_mind",
        "hidden_information",
        "coop",
        "turn_based",
        "difficulty",
        "turn_isolated",
        "code",
    ],
    seats: &[2],
    default_seats: 2,
    timing: Timing::TurnBased,
    canonical_ticks: 2 * ROUNDS,
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

impl Rules for TransmitReceive {
    type State = State;
    type Action = Action;
    type Config = Config;
    type View<'a> = View<'a>;

    fn spec() -> &'static GameSpec {
        &SPEC
    }

    fn init(config: &Config, _seats: u8, max_ticks: u32, seed: u64) -> Result<State, ConfigError> {
        let mut rng = Pcg::new(seed);
        Ok(State {
            channel: Channel::new(config.difficulty),
            message: draw(&mut rng),
            arrived: None,
            points: 0,
            failed: SeatSet::EMPTY,
            tick: 0,
            max_ticks,
            rng,
        })
    }

    fn turn(state: &State) -> Turn {
        let receiver = other(state.transmitter());
        match (Self::over(state), &state.arrived) {
            (Some(_), _) => Turn::Over,
            (None, None) => Turn::One(state.transmitter()),
            (None, Some(_)) => Turn::One(receiver),
        }
    }

    fn tick(state: &State) -> u32 {
        state.tick
    }

    fn legal(state: &State, seat: Seat, out: &mut Vec<(Action, f32)>) {
        match Self::view(state, seat) {
            View::Send { message, .. } => {
                let raw = |symbols: &[u8]| Action::Send { scheme: Scheme::Raw, word: text(symbols) };
                out.extend([(raw(&[]), 1.0), (raw(message), 1.0)]);
            }
            View::Receive { received, .. } => {
                let guess = |symbols: &[u8]| Action::Guess { text: text(symbols) };
                out.extend([(guess(&[]), 1.0), (guess(&codes::first_symbols(received)), 1.0)]);
            }
            View::Wait => (),
        }
    }

    fn decode(_state: &State, _seat: Seat, actions: &[Value]) -> Result<Action, Reasons> {
        let action = decode::single(actions)?;
        match decode::word(action, "action")? {
            "send" => {
                let name = decode::word(action, "scheme")?;
                let scheme = Scheme::named(name).ok_or_else(|| {
                    let names = Scheme::ALL.map(Scheme::name).join("`, `");
                    vec![format!("unknown scheme `{}`: one of `{names}`", decode::shortened(name))]
                })?;
                Ok(Action::Send { scheme, word: letters(action, "word", LONGEST)? })
            }
            "guess" => Ok(Action::Guess { text: letters(action, "text", MESSAGE)? }),
            verb => {
                let verb = decode::shortened(verb);
                Err(vec![format!("unknown action `{verb}`: one of `send`, `guess`")])
            }
        }
    }

    fn check(state: &State, _seat: Seat, action: &Action) -> Result<(), Reasons> {
        let budget = usize::from(state.channel.budget);
        match (&state.arrived, action) {
            (None, Action::Send { word, .. }) if word.len() > budget => {
                Err(vec![format!("the word has {} symbols, the budget is {budget}", word.len())])
            }
            (None, Action::Send { .. }) | (Some(_), Action::Guess { .. }) => Ok(()),
            (None, Action::Guess { .. }) => Err(vec!["you are the transmitter: `send` a word".into()]),
            (Some(_), Action::Send { .. }) => Err(vec!["you are the receiver: `guess` the message".into()]),
        }
    }

    fn noop(state: &State, _seat: Seat) -> Option<Action> {
        Some(match state.arrived {
            None => Action::Send { scheme: Scheme::Raw, word: String::new() },
            Some(_) => Action::Guess { text: String::new() },
        })
    }

    fn apply(state: &mut State, actions: &SeatMap<Action>, _events: &mut impl EventSink) {
        let Some(seat) = Self::turn(state).seats().iter().next() else { return };
        match actions.get(seat) {
            Some(Action::Send { scheme, word }) => {
                let word = symbols(word);
                state.points -= SENT * word.len() as i64;
                state.arrived = Some((*scheme, state.channel.carry(&word, &mut state.rng)));
            }
            Some(Action::Guess { text }) => {
                let right =
                    symbols(text).iter().zip(&state.message).filter(|(one, other)| one == other).count();
                state.points += RIGHT * right as i64 + if right == MESSAGE { EXACT } else { 0 };
                state.arrived = None;
                state.message = draw(&mut state.rng);
            }
            None => return,
        }
        state.tick += 1;
    }

    fn fail(state: &mut State, seat: Seat, events: &mut impl EventSink) {
        state.failed.insert(seat);
        events.emit(Audience::All, || json!({"failed": {"seat": seat}}));
    }

    fn score(state: &State, _seat: Seat) -> f64 {
        let score = state.points as f64 / PER_POINT as f64;
        if state.failed.is_empty() { score } else { score.min(FLOOR) }
    }

    fn goal(state: &State) -> Option<bool> {
        Some(Self::score(state, Seat::new(0)) >= state.par())
    }

    fn eliminated(_state: &State) -> SeatSet {
        SeatSet::EMPTY
    }

    fn over(state: &State) -> Option<EndReason> {
        if !state.failed.is_empty() || state.tick >= 2 * ROUNDS {
            Some(EndReason::GameComplete)
        } else {
            (state.tick >= state.max_ticks).then_some(EndReason::MaxTicks)
        }
    }

    fn floor(_state: &State, _seat: Seat) -> f64 {
        FLOOR
    }

    fn observe(state: &State, seat: Seat, out: &mut ObservationWriter) {
        let is_over = Self::over(state).is_some();
        let role = if seat == state.transmitter() { "transmitter" } else { "receiver" };
        let view = Self::view(state, seat);
        out.field("budget", &state.channel.budget);
        if let View::Send { message, .. } = view {
            out.field("message", &text(message));
        }
        out.field("noise", &Number(f64::from(state.channel.noise) / 1e6));
        out.field("par", &Number(state.par()));
        if let View::Receive { received, .. } = view {
            out.field("received", &text(received));
        }
        out.field("role", &(!is_over).then_some(role));
        out.field("round", &(!is_over).then_some(state.tick / 2 + 1));
        out.field("rounds", &state.rounds());
        if let View::Receive { scheme, .. } = view {
            out.field("scheme", &scheme);
        }
    }

    fn view(state: &State, seat: Seat) -> View<'_> {
        if !Self::turn(state).seats().contains(seat) {
            return View::Wait;
        }
        match &state.arrived {
            None => View::Send {
                message: &state.message,
                budget: state.channel.budget,
                noise: state.channel.noise,
            },
            Some((scheme, received)) => View::Receive { scheme: *scheme, received },
        }
    }

    fn reseed(state: &mut State, stream: u64) {
        state.rng = Pcg::new(stream);
    }

    fn redeal(state: &mut State, viewer: Seat, rng: &mut Pcg) {
        match Self::view(state, viewer) {
            View::Send { .. } => (),
            // A message that may well have led to what arrived.
            View::Receive { scheme, received } => {
                let likely = codes::read(scheme, received);
                state.message = codes::first_symbols(&state.channel.carry(&likely, rng));
            }
            View::Wait => {
                state.message = draw(rng);
                if let Some((_, word)) = &mut state.arrived {
                    word.iter_mut().for_each(|symbol| *symbol = rng.below(SYMBOLS.into()) as u8);
                }
            }
        }
    }

    fn bots() -> &'static [BotSpec<Self>] {
        bots::ALL
    }
}

fn other(seat: Seat) -> Seat {
    Seat::new(1 - seat.index() as u8)
}

fn draw(rng: &mut Pcg) -> Message {
    std::array::from_fn(|_| rng.below(SYMBOLS.into()) as u8)
}

/// Symbols as letters.
fn text(symbols: &[u8]) -> String {
    symbols.iter().map(|symbol| char::from(b'A' + symbol)).collect()
}

/// What [`text`] wrote.
fn symbols(text: &str) -> Word {
    text.bytes().take(LONGEST).map(|letter| letter.wrapping_sub(b'A') % SYMBOLS).collect()
}

/// A member that is a string of the letters of symbols.
fn letters(action: &Value, key: &str, most: usize) -> Result<String, Reasons> {
    let text = decode::word(action, key)?;
    if !text.bytes().all(|letter| (b'A'..b'A' + SYMBOLS).contains(&letter)) {
        return Err(vec![format!("`{key}` must be made of the letters `A` to `H`")]);
    }
    if text.len() > most {
        return Err(vec![format!("`{key}` has {} symbols, at most {most} are allowed", text.len())]);
    }
    Ok(text.to_owned())
}

fn action_schema() -> Value {
    let needs = |verb: &str, members: &[&str]| json!({"if": {"properties": {"action": {"const": verb}}}, "then": {"required": members}});
    json!({
        "type": "object",
        "properties": {
            "action": {"enum": ["send", "guess"]},
            "scheme": {"enum": Scheme::ALL},
            "word": {"type": "string", "pattern": "^[A-H]{0,32}$"},
            "text": {"type": "string", "pattern": "^[A-H]{0,8}$"},
        },
        "required": ["action"],
        "allOf": [needs("send", &["scheme", "word"]), needs("guess", &["text"])],
    })
}

fn observation_schema() -> Value {
    let own = json!({
        "budget": {"description": "Symbols of a word at most.", "type": "integer", "minimum": 20, "maximum": LONGEST},
        "noise": {"description": "The share of symbols that become others.", "type": "number", "minimum": 0.02, "maximum": 0.25},
        "par": {"description": "The score to reach.", "type": "number"},
        "role": {"description": "What this seat does in this round; null when the match is over.", "enum": ["transmitter", "receiver", null]},
        "round": {"oneOf": [{"type": "integer", "minimum": 1, "maximum": ROUNDS}, {"type": "null"}]},
        "rounds": {"type": "integer", "minimum": 0, "maximum": ROUNDS},
    });
    let mut schema = schema::observation(SPEC.timing, &action_schema(), own);
    schema["properties"]["message"] =
        json!({"description": "What the receiver is to know.", "type": "string", "pattern": "^[A-H]{8}$"});
    schema["properties"]["received"] =
        json!({"description": "What arrived.", "type": "string", "pattern": "^[A-H]{0,32}$"});
    schema["properties"]["scheme"] =
        json!({"description": "What the transmitter says it is.", "enum": Scheme::ALL});
    // The one is shown to the transmitter on turn, the other two to the receiver on turn.
    schema["dependentRequired"] = json!({"received": ["scheme"], "scheme": ["received"]});
    schema["not"] = json!({"required": ["message", "received"]});
    schema
}

#[cfg(test)]
mod tests;
