//! `market_simulator`: two stocks with hidden fundamentals, an order book each, and two to eight traders.
//!
//! A house quotes around a mark that follows the hidden fundamental, each stock in its own way; a crowd trades at
//! random; seats trade with all of them and with each other. The rules for players are in `prompt.md`. Everything is
//! integer cents; the JSON speaks in units of 100 cents.
//!
//! Start at [`State`] and its `play_tick` in `market`; the mathematics of the hidden part are in `process`, matching is
//! in [`book`], what players send and see in [`actions`] and [`observe`].

mod account;
pub mod actions;
pub mod book;
pub(in crate::arena) mod bots;
mod events;
mod margin;
mod market;
pub mod observe;
mod process;
#[cfg(test)]
mod tests;

use serde::Deserialize;
use serde_json::Value;

use self::actions::Plan;
use self::market::owner;
pub use self::market::{News, State, Tape};
use self::observe::View;
use crate::arena::engine::events::EventSink;
use crate::arena::engine::observation::{ObservationWriter, round4};
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::{Seat, SeatMap, SeatSet};
use crate::arena::engine::{
    BotSpec, ConfigError, EndReason, Enumeration, GameSpec, Noop, Reasons, Rules, Timing, Turn,
};

/// How many stocks there are.
pub const STOCKS: usize = 2;
/// What they are called.
pub const SYMBOLS: [&str; STOCKS] = ["ORE", "ZAP"];

/// Cash a seat starts with, in cents.
const START_CASH: i64 = 1_000_000;
/// Most shares a seat may hold or owe per stock, resting orders counted as if they had traded.
const POSITION_LIMIT: i64 = 200;
/// Most actions in a tick.
const MAX_ACTIONS: usize = 8;
/// Most resting orders of a seat.
const MAX_OPEN_ORDERS: usize = 20;
/// Limit prices go up to this many times the mark.
const MAX_PRICE_TIMES_MARK: i64 = 10;
/// Equity must be this share of the exposure.
const MARGIN_PERCENT: i64 = 15;
/// Market orders trade up to this many cents from the mark, beyond the house's last quote. Without an end, a seat that
/// bought all that the house offers could sell to the crowd, or to a rival's margin call, at ten times the mark.
const MARKET_REACH: i64 = 25;
/// The house's quotes on each side: cents away from the mark, shares.
const LADDER: [(i64, i64); 5] = [(5, 20), (8, 30), (11, 40), (14, 50), (17, 60)];
/// Every how many ticks an estimate is published.
const NEWS_EVERY: u32 = 10;
/// How many estimates an observation repeats.
const NEWS_KEPT: usize = 4;
/// How many marks an observation shows.
const HISTORY: usize = 40;
/// How many price levels an observation shows.
const BOOK_DEPTH: usize = 5;
/// No score is lower.
const WORST_SCORE: f64 = -100.0;

/// The rules of `market_simulator`.
#[derive(Debug, Clone, Copy)]
pub struct MarketSimulator;

/// The game has no options.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {}

static SPEC: GameSpec = GameSpec {
    slug: "market_simulator",
    name: "Market Simulator",
    description: "Trade two stocks with hidden fundamentals against a house, a crowd and each other.",
    prompt: include_str!("market_simulator/prompt.md").trim_ascii_end(),
    tags: &["market", "strategy", "economics", "competitive", "hidden_information", "simultaneous", "code"],
    seats: &[2, 3, 4, 5, 6, 7, 8],
    default_seats: 4,
    timing: Timing::Simultaneous,
    canonical_ticks: 600,
    score_version: "arena-1",
    game_version: "1",
    noop: Noop::Legal,
    turn_isolated: false,
    max_difficulty: None,
    enumeration: Enumeration::Menu,
    tick_ms: 1_000,
    first_tick_ms: 10_000,
    action_schema: actions::schema,
    observation_schema: observe::schema,
};

impl Rules for MarketSimulator {
    type State = State;
    type Action = Plan;
    type Config = Config;
    type View<'a> = View<'a>;

    fn spec() -> &'static GameSpec {
        &SPEC
    }

    fn init(_: &Config, seats: u8, max_ticks: u32, seed: u64) -> Result<State, ConfigError> {
        Ok(State::new(seats, max_ticks, seed))
    }

    fn turn(state: &State) -> Turn {
        if Self::over(state).is_some() || state.live.is_empty() { Turn::Over } else { Turn::All(state.live) }
    }

    fn tick(state: &State) -> u32 {
        state.tick
    }

    fn legal(state: &State, seat: Seat, out: &mut Vec<(Plan, f32)>) {
        if Self::turn(state).seats().contains(seat) {
            actions::menu(&View::new(state, seat), out);
        }
    }

    fn decode(_: &State, _: Seat, actions: &[Value]) -> Result<Plan, Reasons> {
        Plan::decode(actions)
    }

    fn check(state: &State, seat: Seat, plan: &Plan) -> Result<(), Reasons> {
        if !Self::turn(state).seats().contains(seat) {
            return Err(vec!["the seat is not in the game any more".into()]);
        }
        plan.check(state.marks())
    }

    fn noop(_: &State, _: Seat) -> Option<Plan> {
        Some(Plan::default())
    }

    fn apply(state: &mut State, plans: &SeatMap<Plan>, events: &mut impl EventSink) {
        state.play_tick(plans, events);
    }

    fn fail(state: &mut State, seat: Seat, events: &mut impl EventSink) {
        state.remove_failed(seat, events);
    }

    fn score(state: &State, seat: Seat) -> f64 {
        if !state.live.contains(seat) {
            return WORST_SCORE;
        }
        // A cent of the 1,000,000 is 0.0001, so the quotient is exact to the last of its four places.
        let gain = state.accounts.of(owner(seat)).equity(state.marks()) - START_CASH;
        round4(gain as f64 / (START_CASH / 100) as f64).max(WORST_SCORE)
    }

    fn eliminated(state: &State) -> SeatSet {
        state.eliminated
    }

    fn over(state: &State) -> Option<EndReason> {
        let all_eliminated = state.eliminated.len() == usize::from(state.seats);
        (state.tick >= state.max_ticks || all_eliminated).then_some(EndReason::GameComplete)
    }

    fn floor(_: &State, _: Seat) -> f64 {
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

    fn redeal(state: &mut State, _: Seat, rng: &mut Pcg) {
        state.redeal(rng);
    }

    fn bots() -> &'static [BotSpec<Self>] {
        bots::BOTS
    }
}
