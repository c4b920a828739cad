//! `pot_limit_omaha_hilo`: poker with four cards a hand, a high and a low half, and raises of the pot at most.
//!
//! All chips are integers. A match is in `state`: start at `State::play`. Who gets what at the end of a hand is in
//! [`pots`], how strong hands are in [`evaluate`]; what players send and see is in [`actions`] and [`observe`].

pub mod actions;
mod bots;
pub mod cards;
pub mod evaluate;
mod events;
pub mod observe;
pub mod pots;
mod state;

use serde::Deserialize;
use serde_json::Value;

pub use self::actions::Action;
pub use self::observe::View;
pub use self::state::{Options, Showdown, State, Street};
use crate::arena::engine::events::EventSink;
use crate::arena::engine::observation::{ObservationWriter, round4};
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::{Seat, SeatMap, SeatSet};
use crate::arena::engine::{
    BotSpec, ConfigError, EndReason, Enumeration, GameSpec, Noop, Reasons, Rules, Timing, Turn,
};

/// Most seats at a table.
pub const MAX_PLAYERS: usize = 6;
/// Chips a seat starts with.
const START_STACK: u32 = 1000;
/// All chips of the fullest table.
const MAX_CHIPS: u32 = START_STACK * MAX_PLAYERS as u32;
const SMALL_BLIND: u32 = 5;
const BIG_BLIND: u32 = 10;
/// Most hands that a match can be set to.
const MAX_HANDS: u32 = 200;
/// No score is lower: every chip is lost.
const WORST_SCORE: f64 = -100.0;

/// The rules of `pot_limit_omaha_hilo`.
#[derive(Debug, Clone, Copy)]
pub struct PotLimitOmahaHilo;

/// Options of a match.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Hands at most, 1 to 200.
    pub hands: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self { hands: 40 }
    }
}

static SPEC: GameSpec = GameSpec {
    slug: "pot_limit_omaha_hilo",
    name: "Pot-Limit Omaha Hi-Lo",
    description: "Poker with four cards each: the best high and the best low hand share the pot.",
    prompt: include_str!("pot_limit_omaha_hilo/prompt.md").trim_ascii_end(),
    tags: &[
        "card",
        "strategy",
        "probability",
        "bluffing",
        "hidden_information",
        "competitive",
        "turn_based",
        "code",
    ],
    seats: &[2, 3, 4, 5, 6],
    default_seats: 2,
    timing: Timing::TurnBased,
    canonical_ticks: 600,
    score_version: "arena-1",
    game_version: "1",
    noop: Noop::Default,
    turn_isolated: false,
    max_difficulty: None,
    enumeration: Enumeration::Menu,
    tick_ms: 30_000,
    first_tick_ms: 60_000,
    action_schema: actions::schema,
    observation_schema: observe::schema,
};

impl Rules for PotLimitOmahaHilo {
    type State = State;
    type Action = Action;
    type Config = Config;
    type View<'a> = View<'a>;

    fn spec() -> &'static GameSpec {
        &SPEC
    }

    fn init(config: &Config, seats: u8, max_ticks: u32, seed: u64) -> Result<State, ConfigError> {
        if !(1..=MAX_HANDS).contains(&config.hands) {
            return Err(ConfigError::Config(format!("`hands` must be from 1 to {MAX_HANDS}")));
        }
        Ok(State::new(seats, max_ticks, config.hands, seed))
    }

    fn turn(state: &State) -> Turn {
        state.to_act.map_or(Turn::Over, Turn::One)
    }

    fn tick(state: &State) -> u32 {
        state.tick
    }

    fn legal(state: &State, seat: Seat, out: &mut Vec<(Action, f32)>) {
        actions::menu(state, seat, out);
    }

    fn decode(state: &State, seat: Seat, actions: &[Value]) -> Result<Action, Reasons> {
        actions::decode(state.options(seat), actions)
    }

    fn check(state: &State, seat: Seat, action: &Action) -> Result<(), Reasons> {
        actions::check(state.options(seat), *action)
    }

    fn noop(state: &State, seat: Seat) -> Option<Action> {
        Some(actions::noop(state.options(seat)))
    }

    fn apply(state: &mut State, actions: &SeatMap<Action>, events: &mut impl EventSink) {
        if let Some(&action) = state.to_act.and_then(|seat| actions.get(seat)) {
            state.play(action, events);
        }
    }

    fn fail(state: &mut State, seat: Seat, events: &mut impl EventSink) {
        state.remove_failed(seat, events);
    }

    fn score(state: &State, seat: Seat) -> f64 {
        if !state.live.contains(seat) {
            return WORST_SCORE;
        }
        let chips = state.stacks[seat.index()]
            + if state.in_hand.contains(seat) { state.paid[seat.index()] } else { 0 };
        round4(f64::from(chips as i32 - START_STACK as i32) / f64::from(BIG_BLIND))
    }

    fn eliminated(state: &State) -> SeatSet {
        state.eliminated
    }

    fn over(state: &State) -> Option<EndReason> {
        if state.is_complete() {
            Some(EndReason::GameComplete)
        } else {
            (state.tick >= state.max_ticks).then_some(EndReason::MaxTicks)
        }
    }

    fn floor(_state: &State, _seat: Seat) -> f64 {
        WORST_SCORE
    }

    fn observe(state: &State, seat: Seat, out: &mut ObservationWriter<'_>) {
        observe::write(&View::new(state, seat), out);
    }

    fn view(state: &State, seat: Seat) -> View<'_> {
        View::new(state, seat)
    }

    fn reseed(state: &mut State, stream: u64) {
        state.rng = Pcg::new(stream);
    }

    fn redeal(state: &mut State, viewer: Seat, rng: &mut Pcg) {
        state.redeal(viewer, rng);
    }

    fn bots() -> &'static [BotSpec<Self>] {
        bots::ALL
    }
}

#[cfg(test)]
mod tests;
