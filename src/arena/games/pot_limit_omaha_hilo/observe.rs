//! What a seat may know: as [`View`] for built-in players, as JSON for everybody else. Both show the same things.

use arrayvec::ArrayVec;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::actions::{self, Action};
use super::cards::Card;
use super::evaluate::{self, Board, Hole};
use super::pots::Share;
use super::state::{Options, Showdown, State, Street};
use super::{MAX_CHIPS, MAX_HANDS, MAX_PLAYERS, SPEC};
use crate::arena::engine::observation::ObservationWriter;
use crate::arena::engine::schema as common;
use crate::arena::engine::seats::{Seat, SeatSet};

/// One seat's knowledge: its own cards, the open board, and everybody's chips.
#[derive(Clone, Copy)]
pub struct View<'a> {
    state: &'a State,
    seat: Seat,
}

impl<'a> View<'a> {
    pub(super) fn new(state: &'a State, seat: Seat) -> Self {
        Self { state, seat }
    }

    /// Whose view this is.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// The own cards.
    pub fn hole(&self) -> &'a Hole {
        &self.state.holes[self.seat.index()]
    }

    /// The open board cards.
    pub fn board(&self) -> &'a [Card] {
        &self.state.board[..self.state.street.open()]
    }

    /// How far the hand has come.
    pub fn street(&self) -> Street {
        self.state.street
    }

    /// Which hand is played, from 1.
    pub fn hand_number(&self) -> u32 {
        self.state.hand_number
    }

    /// Who has the button.
    pub fn button(&self) -> Seat {
        self.state.button
    }

    /// Chips in the middle.
    pub fn pot(&self) -> u32 {
        self.state.pot()
    }

    /// What the seat may do; nothing while another decides.
    pub fn options(&self) -> Options {
        if self.state.to_act == Some(self.seat) {
            self.state.options(self.seat)
        } else {
            Options { to_call: 0, raise: None }
        }
    }

    /// Chips that a seat has behind.
    pub fn stack(&self, seat: Seat) -> u32 {
        self.state.stacks[seat.index()]
    }

    /// Chips that a seat put in during this street.
    pub fn street_bet(&self, seat: Seat) -> u32 {
        self.state.street_bets[seat.index()]
    }

    /// Chips that a seat put in during this hand.
    pub fn paid(&self, seat: Seat) -> u32 {
        self.state.paid[seat.index()]
    }

    /// The seats that hold cards.
    pub fn in_hand(&self) -> SeatSet {
        self.state.in_hand
    }

    /// The others that hold cards.
    pub fn rivals(&self) -> SeatSet {
        self.state.in_hand.without(SeatSet::one(self.seat))
    }

    /// The street total of a raise of half the pot, whether it is allowed or not.
    pub fn half_pot(&self) -> u32 {
        self.state.half_pot(self.seat)
    }

    /// Suggestions with weights, as `_action_space` lists them.
    pub fn menu(&self) -> Vec<(Action, f32)> {
        let mut menu = Vec::new();
        actions::menu(self.state, self.seat, &mut menu);
        menu
    }
}

/// Writes the game's members of an observation.
pub(super) fn write(view: &View<'_>, out: &mut ObservationWriter<'_>) {
    let state = view.state;
    let options = view.options();
    let (least, most) = options.raise.unwrap_or_default();
    let seats: ArrayVec<Chips, MAX_PLAYERS> =
        Seat::first(state.seats).map(|seat| Chips::new(view, seat)).collect();
    out.field("board", view.board());
    out.field("button", &state.button);
    out.field("can_raise", &options.raise.is_some());
    out.field("hand", &Hand::new(view));
    out.field("hand_number", &state.hand_number);
    out.field("hands", &state.hands);
    out.field("last_showdown", &state.showdown.as_ref().map(Shown));
    out.field("pot", &view.pot());
    out.field("raise_max", &most);
    out.field("raise_min", &least);
    out.field("seats", seats.as_slice());
    out.field("street", state.street.as_str());
    out.field("to_call", &options.to_call);
}

/// A seat as everybody sees it.
#[derive(Serialize)]
struct Chips {
    in_hand: bool,
    seat: Seat,
    stack: u32,
    street_bet: u32,
}

impl Chips {
    fn new(view: &View<'_>, seat: Seat) -> Self {
        Self {
            in_hand: view.in_hand().contains(seat),
            seat,
            stack: view.stack(seat),
            street_bet: view.street_bet(seat),
        }
    }
}

/// The own cards, and what they are worth so far.
#[derive(Serialize)]
struct Hand<'a> {
    high: Option<String>,
    hole: &'a [Card],
    low: Option<String>,
}

impl<'a> Hand<'a> {
    fn new(view: &View<'a>) -> Self {
        // Seats that left the match before this hand were dealt nothing.
        if !view.state.dealt.contains(view.seat) {
            return Self { high: None, hole: &[], low: None };
        }
        let (hole, board) = (view.hole(), view.board());
        let high = (!board.is_empty()).then(|| Board::new(board).high(*hole).words());
        Self { high, hole, low: Some(low_words(*hole, board)) }
    }
}

fn low_words(hole: Hole, board: &[Card]) -> String {
    let (own, shared) = (evaluate::low_ranks(&hole), evaluate::low_ranks(board));
    match evaluate::best_low(shared, own) {
        Some(low) => low.words(),
        None if evaluate::low_is_possible(shared, own, 5 - board.len() as u32) => {
            "5-card low possible".into()
        }
        None => "no low".into(),
    }
}

/// The last show-down as everybody saw it.
struct Shown<'a>(&'a Showdown);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(showdown) = self;
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("board", &showdown.board)?;
        let pots: ArrayVec<Pot, { 2 * MAX_PLAYERS }> =
            showdown.shares.iter().copied().map(Pot::new).collect();
        map.serialize_entry("pots", pots.as_slice())?;
        map.serialize_entry("shown", &Hands(showdown))?;
        map.end()
    }
}

/// One share of a pot.
#[derive(Serialize)]
struct Pot {
    amount: u32,
    half: &'static str,
    winners: SeatSet,
}

impl Pot {
    fn new(share: Share) -> Self {
        Self { amount: share.amount, half: share.half.as_str(), winners: share.winners }
    }
}

struct Hands<'a>(&'a Showdown);

impl Serialize for Hands<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.shown.iter().map(|(seat, hole)| (*seat, *hole)))
    }
}

/// JSON Schema of an observation.
pub(super) fn schema() -> Value {
    let seat = json!({"type": "string", "pattern": "^p[0-5]$"});
    let card = json!({"type": "string", "pattern": "^[2-9TJQKA][cdhs]$"});
    let cards = |most: u8| json!({"type": "array", "items": card, "maxItems": most});
    let words = json!({"type": ["string", "null"]});
    let chips = json!({"type": "integer", "minimum": 0, "maximum": MAX_CHIPS});
    let object = |properties: Value| {
        let required: Vec<String> =
            properties.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    };
    let pot = object(json!({
        "amount": chips,
        "half": {"enum": ["high", "low", "returned"]},
        "winners": {"type": "array", "items": seat, "minItems": 1},
    }));
    let shown = json!({
        "type": "object",
        "patternProperties": {"^p[0-5]$": cards(4)},
        "additionalProperties": false,
    });
    let showdown =
        object(json!({"board": cards(5), "pots": {"type": "array", "items": pot}, "shown": shown}));
    let hand = object(json!({"high": words, "hole": cards(4), "low": words}));
    let player =
        object(json!({"in_hand": {"type": "boolean"}, "seat": seat, "stack": chips, "street_bet": chips}));
    let own = json!({
        "board": cards(5),
        "button": seat,
        "can_raise": {"description": "Whether you may raise now.", "type": "boolean"},
        "hand": hand,
        "hand_number": {"type": "integer", "minimum": 1, "maximum": MAX_HANDS},
        "hands": {"description": "Hands of the match at most.", "type": "integer", "minimum": 1, "maximum": MAX_HANDS},
        "last_showdown": {"oneOf": [showdown, {"type": "null"}]},
        "pot": chips,
        "raise_max": {"description": "The greatest street total you may raise to; 0 if you may not.", "allOf": [chips]},
        "raise_min": {"description": "The least street total you may raise to; 0 if you may not.", "allOf": [chips]},
        "seats": {"type": "array", "items": player, "minItems": 2, "maxItems": MAX_PLAYERS},
        "street": {"enum": ["preflop", "flop", "turn", "river"]},
        "to_call": {"description": "Chips that a call costs you now.", "allOf": [chips]},
    });
    common::observation(SPEC.timing, &actions::schema(), own)
}
