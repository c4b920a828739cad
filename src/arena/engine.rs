//! The game engine: what a game is, and what a host may do with one.
//!
//! Two layers. [`Rules`] is the hot one: concrete state and action types, no JSON, no allocation where it can be
//! helped; bots, searches and playouts use it. [`Game`] and [`Play`] are the cold one, object-safe and implemented
//! once for every `Rules` (in [`table`]); hosts use it. Start reading at [`Rules`].
//!
//! Determinism: all chance comes from the [`rng::Pcg`] inside a state, states hold no floats, and no clock, hash
//! map order or thread takes part. The same seed and the same inputs give the same match, on every machine.

pub mod decode;
pub mod difficulty;
pub mod digest;
pub mod events;
pub mod json;
pub mod observation;
mod player;
pub mod playout;
pub mod rng;
pub mod schema;
pub mod seats;
pub mod table;

use std::any::Any;
use std::hash::Hash;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use self::events::EventSink;
use self::observation::ObservationWriter;
pub use self::player::pure;
use self::playout::{Playout, PlayoutEnd, UnknownPlayer};
use self::rng::Pcg;
use self::seats::{Seat, SeatMap, SeatSet};

/// Why an action may not be played now, one sentence each, for the player to read.
pub type Reasons = Vec<String>;

/// What a game is called, how it is timed and what is said of it in the catalogue.
#[derive(Debug)]
pub struct GameSpec {
    /// The name in paths and requests, snake case.
    pub slug: &'static str,
    /// The name for people.
    pub name: &'static str,
    /// One sentence.
    pub description: &'static str,
    /// The rules as Markdown: Overview, Objectives, Mechanics, Examples; says "Arena edition" in its first line.
    pub prompt: &'static str,
    /// From the taxonomy in `games.rs`: exactly one interaction, one information and one timing tag.
    pub tags: &'static [&'static str],
    /// The seat counts a match may have, ascending.
    pub seats: &'static [u8],
    /// The seat count when nobody says.
    pub default_seats: u8,
    /// Who acts in a tick.
    pub timing: Timing,
    /// The horizon in ticks, 1 or more.
    pub canonical_ticks: u32,
    /// Raw scores compare only within one version.
    pub score_version: &'static str,
    /// Changes when the same log would play differently.
    pub game_version: &'static str,
    /// What `[]` means.
    pub noop: Noop,
    /// Past observations must not be shown again: players of any kind start every turn anew, built-in ones too.
    pub turn_isolated: bool,
    /// The hardest setting of the config's member `difficulty` (0 to this, 0.45 unless given); `None` when the game has
    /// no such member.
    pub max_difficulty: Option<f64>,
    /// How much of the legal actions `_action_space` lists.
    pub enumeration: Enumeration,
    /// A tick's deadline in a live session, in ms.
    pub tick_ms: u32,
    /// The first tick's deadline, in ms.
    pub first_tick_ms: u32,
    /// JSON Schema of one action object.
    pub action_schema: fn() -> Value,
    /// JSON Schema of an observation.
    pub observation_schema: fn() -> Value,
}

/// Who acts in a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// One seat a tick.
    TurnBased,
    /// All live seats, at once.
    Simultaneous,
}

/// What the empty action list means in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noop {
    /// A legal way to do nothing.
    Legal,
    /// The game's own default move.
    Default,
    /// Not allowed: a move is required.
    None,
}

/// How much of the legal actions is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enumeration {
    /// Every legal action.
    Full,
    /// A useful finite part.
    Menu,
    /// Nothing.
    Absent,
}

/// Whose decision a match waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// These seats decide, each for itself.
    All(SeatSet),
    /// This seat decides.
    One(Seat),
    /// Nobody: the match is over.
    Over,
}

impl Turn {
    /// The seats that are asked now.
    pub fn seats(self) -> SeatSet {
        match self {
            Self::All(seats) => seats,
            Self::One(seat) => SeatSet::one(seat),
            Self::Over => SeatSet::EMPTY,
        }
    }
}

/// Why a match ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// By its own rules.
    GameComplete,
    /// The horizon cut it short.
    MaxTicks,
    /// The last seat that was left failed.
    PolicyFailed,
}

impl EndReason {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::GameComplete => "game_complete",
            Self::MaxTicks => "max_ticks",
            Self::PolicyFailed => "policy_failed",
        }
    }
}

/// A match cannot start with these settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The seat count is not one of the game's.
    #[error("`{slug}` cannot be played with {seats} seats: allowed are {allowed:?}")]
    Seats {
        /// The game.
        slug: &'static str,
        /// What was asked for.
        seats: u8,
        /// What there is.
        allowed: &'static [u8],
    },
    /// A setting is unknown, of the wrong type or out of range.
    #[error("bad game config: {0}")]
    Config(String),
}

/// The rules of one game, fully concrete. One implementation a game.
pub trait Rules: Sized + Send + Sync + 'static {
    /// Everything that decides how a match goes on, chance included: a snapshot is a clone.
    type State: Clone + Send + Sync + Hash + 'static;
    /// One seat's whole decision for one tick. Serialises to the JSON object, or list of objects, that plays it.
    type Action: Clone + Send + PartialEq + std::fmt::Debug + Serialize;
    /// Options of a match; `{}` gives the defaults, unknown members are refused.
    type Config: Clone + Send + Default + DeserializeOwned;
    /// What a seat may know: bots are written against this and nothing else, so none can peek.
    type View<'a>;

    /// What the game is.
    fn spec() -> &'static GameSpec;

    /// Starts a match. `seats` is one of `spec().seats`, `max_ticks` is at least 1.
    ///
    /// # Errors
    /// When `config` holds a value out of range.
    fn init(config: &Self::Config, seats: u8, max_ticks: u32, seed: u64) -> Result<Self::State, ConfigError>;

    /// Whose decision the state waits for; never a seat that is failed or eliminated.
    fn turn(state: &Self::State) -> Turn;

    /// Ticks played so far.
    fn tick(state: &Self::State) -> u32;

    /// Appends the seat's legal actions with positive weights (a prior for random play). Where the spec's enumeration is
    /// absent this is a small menu all the same: what is played when a player slips.
    fn legal(state: &Self::State, seat: Seat, out: &mut Vec<(Self::Action, f32)>);

    /// Reads a non-empty list of action objects. All faults found here are rejections.
    ///
    /// # Errors
    /// Unknown verbs, missing or mistyped members, values that can never be legal.
    fn decode(state: &Self::State, seat: Seat, actions: &[Value]) -> Result<Self::Action, Reasons>;

    /// Whether the action may be played now.
    ///
    /// # Errors
    /// Why not.
    fn check(state: &Self::State, seat: Seat, action: &Self::Action) -> Result<(), Reasons>;

    /// What `[]` stands for, if anything.
    fn noop(state: &Self::State, seat: Seat) -> Option<Self::Action>;

    /// Plays one tick. Holds an action for each seat of `turn`; all were checked, so this cannot fail.
    fn apply(state: &mut Self::State, actions: &SeatMap<Self::Action>, events: &mut impl EventSink);

    /// Takes a seat out of the game for good (malformed output, time-outs, leaving). Its score becomes
    /// `min(score, floor)` at once.
    fn fail(state: &mut Self::State, seat: Seat, events: &mut impl EventSink);

    /// The seat's score, higher is better, rounded to four places, defined at every tick.
    fn score(state: &Self::State, seat: Seat) -> f64;

    /// Whether the seats, which play together, have reached their goal as things stand. `None` in games in which they
    /// are rivals: there places decide who won.
    fn goal(_state: &Self::State) -> Option<bool> {
        None
    }

    /// Seats that the rules themselves removed.
    fn eliminated(state: &Self::State) -> SeatSet;

    /// Why the match is over, by the rules or by `max_ticks`; [`Table`](table::Table) adds `PolicyFailed`.
    fn over(state: &Self::State) -> Option<EndReason>;

    /// The score a failed seat gets at most: no legal play scores below it.
    fn floor(state: &Self::State, seat: Seat) -> f64;

    /// Writes the game's own members of a seat's observation, in the order of their keys. The common ones (`tick`,
    /// `score`, `events`, `_action_space` …) are written by the table, which puts them in between.
    fn observe(state: &Self::State, seat: Seat, out: &mut ObservationWriter<'_>);

    /// What `seat` may know of the state.
    fn view(state: &Self::State, seat: Seat) -> Self::View<'_>;

    /// Replaces the generator: future chance only.
    fn reseed(state: &mut Self::State, stream: u64);

    /// Draws anew what `viewer` cannot see, future chance aside: every [`Rules::observe`] and [`Rules::view`] of that
    /// seat stays as it is. A game of perfect information has nothing to draw.
    fn redeal(_state: &mut Self::State, _viewer: Seat, _rng: &mut Pcg) {}

    /// The built-in players, weakest first.
    fn bots() -> &'static [BotSpec<Self>];
}

/// A built-in player of one game.
pub trait Bot<R: Rules>: Send {
    /// Decides for the seat whose view this is. Must be legal.
    fn act(&mut self, view: &R::View<'_>) -> R::Action;
}

/// How to make a built-in player.
pub struct BotSpec<R: Rules> {
    /// Short and unique within the game, e.g. `ab4`.
    pub name: &'static str,
    /// One line on how it plays.
    pub about: &'static str,
    /// Makes one; `stream` seeds its own randomness.
    pub make: fn(stream: u64) -> Box<dyn Bot<R>>,
}

/// What one seat sends for one tick, before any check.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// An action as it came over the wire. One that is malformed or rejected fails the seat: hosts that are
    /// milder ask [`Play::judge`] first.
    Act(Value),
    /// Nothing usable came: the game's no-op, or where there is none a legal action drawn by the state's seed.
    Pass,
    /// The seat is out.
    Fail(String),
}

/// What became of a seat's input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It was played.
    Applied,
    /// Something was played in its place.
    Passed,
    /// Neither an object nor a list of objects.
    Malformed(String),
    /// Well-formed, but not allowed now.
    Rejected(Reasons),
    /// The host took the seat out.
    Failed(String),
}

/// What one tick did to one seat.
#[derive(Debug, Clone, PartialEq)]
pub struct SeatReport {
    /// What became of its input; `None` for a seat that was not asked.
    pub verdict: Option<Verdict>,
    /// Change of the reported score.
    pub reward: f64,
}

/// What one tick did.
#[derive(Debug, Clone, PartialEq)]
pub struct StepReport {
    /// Ticks played after it.
    pub tick: u32,
    /// Per seat, all seats of the match.
    pub seats: SeatMap<SeatReport>,
    /// Set when the match is over now.
    pub over: Option<EndReason>,
}

/// The state of a match that every host needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// Ticks played.
    pub tick: u32,
    /// The horizon.
    pub max_ticks: u32,
    /// Seats in the match.
    pub player_count: u8,
    /// Whose decision it waits for.
    pub turn: Turn,
    /// Seats that are out for any reason.
    pub failed: SeatSet,
    /// Those of them that the rules removed.
    pub eliminated: SeatSet,
    /// Scores of all seats.
    pub scores: SeatMap<f64>,
    /// Set when it is over.
    pub over: Option<EndReason>,
}

/// A seat's place at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// 1 is best; ties share it ("1, 1, 3"). Failed seats come last, the later failure ahead.
    pub rank: u32,
    /// `won`, `draw` or `lost`. By the place, or where seats play together by [`Rules::goal`]; the failed have lost.
    pub outcome: &'static str,
}

/// How a match is set up.
#[derive(Debug, Clone)]
pub struct MatchSetup<'a> {
    /// Game options, an object; `{}` for the defaults.
    pub config: &'a Value,
    /// Seats, one of the game's.
    pub seats: u8,
    /// The horizon, 1 or more.
    pub max_ticks: u32,
    /// Decides all chance.
    pub seed: u64,
}

/// One row of the ladder of built-in players.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BotInfo {
    /// See [`BotSpec::name`].
    pub name: &'static str,
    /// See [`BotSpec::about`].
    pub about: &'static str,
}

/// A game as hosts see it.
pub trait Game: Send + Sync {
    /// What it is.
    fn spec(&self) -> &'static GameSpec;
    /// Starts a match.
    ///
    /// # Errors
    /// When the seats or the config are not the game's.
    fn start(&self, setup: &MatchSetup<'_>) -> Result<Box<dyn Play>, ConfigError>;
    /// The built-in players, weakest first.
    fn bots(&self) -> Vec<BotInfo>;
    /// Makes a built-in player by name; `NAME+eps0.25` plays a random legal action a quarter of the time.
    fn player(&self, name: &str, stream: u64) -> Option<Box<dyn Player>>;
}

/// A match as hosts see it.
pub trait Play: Send + Sync {
    /// Where it stands.
    fn probe(&self) -> Probe;
    /// Appends the seat's observation as JSON bytes, top-level keys sorted. `feedback` becomes
    /// `_rejection_feedback`.
    fn observe(&self, seat: Seat, feedback: &[String], out: &mut Vec<u8>);
    /// What would become of an action, without playing it.
    ///
    /// # Errors
    /// [`Verdict::Malformed`] or [`Verdict::Rejected`].
    fn judge(&self, seat: Seat, action: &Value) -> Result<(), Verdict>;
    /// Plays one tick. Inputs of seats that are not on turn are ignored, a seat on turn without one passes.
    fn submit(&mut self, inputs: &SeatMap<Input>) -> StepReport;
    /// Takes seats out between ticks (somebody left). Costs no tick.
    fn fail(&mut self, seat: Seat, why: &str);
    /// Places of all seats, by the scores as they stand.
    fn standings(&self) -> SeatMap<Standing>;
    /// A second match that goes on from here with the same luck.
    fn fork(&self) -> Box<dyn Play>;
    /// Draws future chance from another stream.
    fn reseed(&mut self, stream: u64);
    /// Lets built-in players finish a copy of the match.
    ///
    /// # Errors
    /// A player that the game does not have.
    fn playout(&self, order: &Playout<'_>) -> Result<PlayoutEnd, UnknownPlayer>;
    /// Another match that `viewer` could be in for all it can see: what is hidden from it and all chance to come are
    /// drawn anew.
    fn redeal(&self, viewer: Seat, stream: u64) -> Box<dyn Play>;
    /// A digest of the state: equal states, equal digests, in every build and on every machine (see [`digest::Fnv`]).
    fn digest(&self) -> u64;
    /// For players of the same game.
    fn as_any(&self) -> &dyn Any;
}

/// A built-in player as hosts see it.
pub trait Player: Send {
    /// The action it would play, as it would come over the wire.
    fn act(&mut self, play: &dyn Play, seat: Seat) -> Value;
}
