//! `liars_dice`: bid on everybody's hidden dice, or doubt the last bid.
//!
//! Dice and rounds are in `cup`, the built-in players in `bots`.

mod bots;
mod cup;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

pub use self::cup::{Bid, Cup, Hand, MAX_DICE, MAX_PLAYERS, Reveal, at_least, faces, matches};
use crate::arena::engine::events::{Audience, EventSink};
use crate::arena::engine::observation::{Members, ObservationWriter};
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::{Seat, SeatMap, SeatSet};
use crate::arena::engine::{
    BotSpec, ConfigError, EndReason, Enumeration, GameSpec, Noop, Reasons, Rules, Timing, Turn, decode,
    schema,
};

/// The rules of `liars_dice`.
#[derive(Debug, Clone, Copy)]
pub struct LiarsDice;

/// Options of a match.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Dice of each seat at the start, 1 to 6.
    pub dice: u8,
    /// Ones count as every face and cannot be bid.
    pub wild_ones: bool,
    /// The last bid may also be called exact.
    pub spot_on: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { dice: 5, wild_ones: true, spot_on: false }
    }
}

/// A match.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    cup: Cup,
    last_reveal: Option<Reveal>,
    failed: SeatSet,
    spot_on: bool,
    seats: u8,
    tick: u32,
    max_ticks: u32,
    rng: Pcg,
}

/// What a seat does in a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Says that at least so many dice show a face.
    Bid {
        /// Dice.
        quantity: u8,
        /// From 1 to 6.
        face: u8,
    },
    /// Says that the last bid is too high.
    Challenge,
    /// Says that the last bid is exact.
    SpotOn,
}

/// What happens, as observations show it.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Event<'a> {
    Bid { face: u8, quantity: u8, seat: Seat },
    Reveal(Shown<'a>),
    Eliminated { seat: Seat },
    Round { first: Seat },
    Failed { seat: Seat },
}

/// What a seat knows: its own dice and what was said.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    cup: &'a Cup,
    me: Seat,
}

impl View<'_> {
    /// The own dice.
    pub fn hand(&self) -> &Hand {
        self.cup.hand(self.me)
    }

    /// All dice less the own ones.
    pub fn unseen(&self) -> u8 {
        self.cup.total() - self.cup.dice(self.me)
    }
}

static SPEC: GameSpec = GameSpec {
    slug: "liars_dice",
    name: "Liar's Dice",
    description: "Bid on everybody's hidden dice or call the bluff; the last seat with dice wins.",
    prompt: include_str!("liars_dice/prompt.md").trim_ascii_end(),
    tags: &[
        "dice",
        "bluffing",
        "probability",
        "theory_of_mind",
        "hidden_information",
        "competitive",
        "turn_based",
        "code",
    ],
    seats: &[2, 3, 4, 5, 6],
    default_seats: 4,
    timing: Timing::TurnBased,
    canonical_ticks: 300,
    score_version: "arena-1",
    game_version: "1",
    noop: Noop::None,
    turn_isolated: false,
    max_difficulty: None,
    enumeration: Enumeration::Menu,
    tick_ms: 30_000,
    first_tick_ms: 60_000,
    action_schema,
    observation_schema,
};

/// How many bids `_action_space` lists.
const LISTED: usize = 30;

impl Rules for LiarsDice {
    type State = State;
    type Action = Action;
    type Config = Config;
    type View<'a> = View<'a>;

    fn spec() -> &'static GameSpec {
        &SPEC
    }

    fn init(config: &Config, seats: u8, max_ticks: u32, seed: u64) -> Result<State, ConfigError> {
        if !(1..=MAX_DICE).contains(&config.dice) {
            return Err(ConfigError::Config("`dice` must be from 1 to 6".into()));
        }
        let mut rng = Pcg::new(seed);
        let cup = Cup::new(seats, config.dice, config.wild_ones, &mut rng);
        let spot_on = config.spot_on;
        Ok(State { cup, last_reveal: None, failed: SeatSet::EMPTY, spot_on, seats, tick: 0, max_ticks, rng })
    }

    fn turn(state: &State) -> Turn {
        match state.cup.mover() {
            Some(mover) if state.tick < state.max_ticks => Turn::One(mover),
            _ => Turn::Over,
        }
    }

    fn tick(state: &State) -> u32 {
        state.tick
    }

    fn legal(state: &State, seat: Seat, out: &mut Vec<(Action, f32)>) {
        let cup = &state.cup;
        if !cup.bids().is_empty() {
            out.push((Action::Challenge, 1.0));
            if state.spot_on {
                out.push((Action::SpotOn, 0.25));
            }
        }
        let (total, hand) = (cup.total(), cup.hand(seat));
        let unseen = total - cup.dice(seat);
        let mut expected = [0; 7];
        for face in 1..=6 {
            expected[usize::from(face)] = matches(hand, face, cup.wild_ones()) + unseen / one_in(cup, face);
        }
        // A bid beats another with more dice, or with as many of a higher face.
        let (mut quantity, mut face) = cup.bids().last().map_or((1, 0), |bid| (bid.quantity, bid.face));
        for _ in 0..LISTED {
            (quantity, face) = if face < 6 { (quantity, face + 1) } else { (quantity + 1, 1) };
            face = face.max(cup.lowest_face());
            if quantity > total {
                break;
            }
            out.push((Action::Bid { quantity, face }, weight(quantity, expected[usize::from(face)])));
        }
    }

    fn decode(state: &State, _seat: Seat, actions: &[Value]) -> Result<Action, Reasons> {
        let action = decode::single(actions)?;
        match decode::word(action, "action")? {
            "challenge" => Ok(Action::Challenge),
            "spot_on" if state.spot_on => Ok(Action::SpotOn),
            "bid" => Ok(Action::Bid {
                quantity: decode::whole(action, "quantity", 1..=i64::from(state.cup.total()))? as u8,
                face: decode::whole(action, "face", i64::from(state.cup.lowest_face())..=6)? as u8,
            }),
            verb => {
                let verb = decode::shortened(verb);
                Err(vec![format!("unknown action `{verb}`: one of `bid`, `challenge`")])
            }
        }
    }

    fn check(state: &State, _seat: Seat, action: &Action) -> Result<(), Reasons> {
        let Action::Bid { quantity, face } = *action else {
            let said_nothing = state.cup.bids().is_empty();
            return if said_nothing { Err(vec!["there is no bid yet: bid first".into()]) } else { Ok(()) };
        };
        match state.cup.cheapest(face) {
            Some(least) if quantity >= least => Ok(()),
            Some(least) => {
                Err(vec![format!("too low: at least {least} dice of face {face} beat the last bid")])
            }
            None => Err(vec![format!("no bid of face {face} beats the last one: there are too few dice")]),
        }
    }

    fn noop(_state: &State, _seat: Seat) -> Option<Action> {
        None
    }

    fn apply(state: &mut State, actions: &SeatMap<Action>, events: &mut impl EventSink) {
        let Some(seat) = state.cup.mover() else { return };
        let Some(&action) = actions.get(seat) else { return };
        state.tick += 1;
        if let Action::Bid { quantity, face } = action {
            state.cup.bid(quantity, face);
            events.emit(Audience::All, || Event::Bid { face, quantity, seat });
            return;
        }
        let Some(reveal) = state.cup.doubt(action == Action::SpotOn, &mut state.rng) else { return };
        let loser = reveal.loser;
        events.emit(Audience::All, || Event::Reveal(Shown::new(&reveal, state.seats)));
        if state.cup.dice(loser) == 0 {
            events.emit(Audience::All, || Event::Eliminated { seat: loser });
        }
        state.last_reveal = Some(reveal);
        announce(state, events);
    }

    fn fail(state: &mut State, seat: Seat, events: &mut impl EventSink) {
        state.failed.insert(seat);
        events.emit(Audience::All, || Event::Failed { seat });
        state.cup.fail(seat, &mut state.rng);
        announce(state, events);
    }

    fn score(state: &State, seat: Seat) -> f64 {
        if state.failed.contains(seat) {
            return 0.0;
        }
        f64::from(4 * u16::from(state.cup.dice(seat)) + 20 * u16::from(state.cup.outlived(seat)))
    }

    fn eliminated(state: &State) -> SeatSet {
        SeatSet::first(state.seats).without(state.cup.live()).without(state.failed)
    }

    fn over(state: &State) -> Option<EndReason> {
        match state.cup.mover() {
            None => Some(EndReason::GameComplete),
            Some(_) => (state.tick >= state.max_ticks).then_some(EndReason::MaxTicks),
        }
    }

    fn floor(_state: &State, _seat: Seat) -> f64 {
        0.0
    }

    fn observe(state: &State, seat: Seat, out: &mut ObservationWriter<'_>) {
        let cup = &state.cup;
        let counts = Seat::first(state.seats).map(|seat| (seat, cup.dice(seat)));
        let cheapest = (cup.lowest_face()..=6).filter_map(|face| Some((face, cup.cheapest(face)?)));
        let last: Option<&Bid> = cup.bids().last();
        out.field("bids", cup.bids());
        out.field("current_bid", &last);
        out.field("dice_counts", &Members(counts));
        out.field("last_reveal", &state.last_reveal.as_ref().map(|reveal| Shown::new(reveal, state.seats)));
        out.field("min_next_bids", &Members(cheapest));
        out.field("total_dice", &cup.total());
        out.field("your_dice", &Faces(cup.hand(seat)));
    }

    fn view(state: &State, seat: Seat) -> View<'_> {
        View { cup: &state.cup, me: seat }
    }

    fn reseed(state: &mut State, stream: u64) {
        state.rng = Pcg::new(stream);
    }

    fn redeal(state: &mut State, viewer: Seat, rng: &mut Pcg) {
        state.cup.redeal(viewer, rng);
    }

    fn bots() -> &'static [BotSpec<Self>] {
        bots::ALL
    }
}

/// Of how many unseen dice one counts for the face.
fn one_in(cup: &Cup, face: u8) -> u8 {
    if cup.wild_ones() && face != 1 { 3 } else { 6 }
}

/// Two to the power of what is expected less what is said, within bounds. Exact, so that no draw depends on rounding.
fn weight(quantity: u8, expected: u8) -> f32 {
    let power = (i32::from(expected) - i32::from(quantity)).clamp(-9, 9);
    // The exponent is what stands in these bits, more by 127.
    f32::from_bits(((127 + power) as u32) << 23)
}

/// Tells that all dice were rolled anew.
fn announce(state: &State, events: &mut impl EventSink) {
    if let Some(first) = state.cup.mover() {
        events.emit(Audience::All, || Event::Round { first });
    }
}

/// A reveal as observations and events show it.
#[derive(Serialize)]
struct Shown<'a> {
    bid: Bid,
    caller: Seat,
    count: u8,
    dice: Hands<'a>,
    loser: Seat,
}

impl<'a> Shown<'a> {
    fn new(reveal: &'a Reveal, seats: u8) -> Self {
        let &Reveal { bid, caller, count, loser, ref hands } = reveal;
        Self { bid, caller, count, dice: Hands(&hands[..usize::from(seats)]), loser }
    }
}

/// Everybody's dice, by seat.
struct Hands<'a>(&'a [Hand]);

impl Serialize for Hands<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let seats = Seat::first(self.0.len() as u8);
        serializer.collect_map(seats.zip(self.0).map(|(seat, hand)| (seat, Faces(hand))))
    }
}

/// Dice one by one.
struct Faces<'a>(&'a Hand);

impl Serialize for Faces<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(faces(self.0))
    }
}

fn action_schema() -> Value {
    let quantity = json!({"type": "integer", "minimum": 1, "maximum": usize::from(MAX_DICE) * MAX_PLAYERS});
    json!({
        "type": "object",
        "properties": {
            "action": {"enum": ["bid", "challenge", "spot_on"]},
            "quantity": quantity,
            "face": {"type": "integer", "minimum": 1, "maximum": 6},
        },
        "required": ["action"],
        "if": {"properties": {"action": {"const": "bid"}}},
        "then": {"required": ["quantity", "face"]},
    })
}

fn observation_schema() -> Value {
    let number = json!({"type": "integer", "minimum": 0, "maximum": 36});
    let seat = json!({"type": "string", "pattern": "^p[0-5]$"});
    let face = json!({"type": "integer", "minimum": 1, "maximum": 6});
    let hand = json!({"type": "array", "items": face, "maxItems": 6});
    let bid = json!({
        "type": "object",
        "properties": {"quantity": number, "face": face, "seat": seat},
        "required": ["quantity", "face", "seat"],
        "additionalProperties": false,
    });
    let reveal = json!({
        "type": "object",
        "properties": {
            "bid": bid,
            "caller": seat,
            "count": number,
            "dice": {"type": "object", "additionalProperties": hand},
            "loser": seat,
        },
        "required": ["bid", "caller", "count", "dice", "loser"],
        "additionalProperties": false,
    });
    let own = json!({
        "bids": {"description": "The bids of this round, oldest first.", "type": "array", "items": bid},
        "current_bid": {"description": "The last bid.", "oneOf": [bid, {"type": "null"}]},
        "dice_counts": {"description": "Dice left, by seat.", "type": "object", "additionalProperties": number},
        "last_reveal": {
            "description": "How the round before ended: all its dice, and who lost one.",
            "oneOf": [reveal, {"type": "null"}],
        },
        "min_next_bids": {
            "description": "The least quantity that may be bid, by face.",
            "type": "object",
            "additionalProperties": number,
        },
        "total_dice": number,
        "your_dice": {"description": "Your dice, ascending.", "type": "array", "items": face, "maxItems": 6},
    });
    schema::observation(SPEC.timing, &action_schema(), own)
}

#[cfg(test)]
mod tests;
