//! What a seat may know: as [`View`] for built-in players, as JSON for everybody else. Both show the same things.

use std::fmt::Debug;

use arrayvec::ArrayVec;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Value, json};

use super::actions::{self, Plan};
use super::book::{Resting, Side};
use super::market::{News, State, Tape, owner};
use super::{BOOK_DEPTH, HISTORY, MAX_ACTIONS, MAX_OPEN_ORDERS, NEWS_KEPT, POSITION_LIMIT, STOCKS, SYMBOLS};
use crate::arena::engine::observation::{Cents, ObservationWriter};
use crate::arena::engine::seats::Seat;
use crate::arena::engine::{Timing, schema};

/// One seat's knowledge: books, marks, news, everybody's equity, its own account and orders.
#[derive(Clone, Copy)]
pub struct View<'a> {
    state: &'a State,
    seat: Seat,
}

impl<'a> View<'a> {
    pub(super) fn new(state: &'a State, seat: Seat) -> Self {
        Self { state, seat }
    }

    /// Ticks played.
    pub fn tick(&self) -> u32 {
        self.state.tick
    }

    /// The tick at which everything is settled.
    pub fn max_ticks(&self) -> u32 {
        self.state.max_ticks
    }

    /// The last mark, in cents.
    pub fn mark(&self, stock: usize) -> i64 {
        self.state.stocks[stock].process.mark()
    }

    /// The first tick whose mark is still shown.
    pub fn oldest(&self) -> u32 {
        (self.state.tick + 1).saturating_sub(HISTORY as u32)
    }

    /// The mark after so many ticks, from [`View::oldest`] to [`View::tick`], in cents.
    pub fn past_mark(&self, stock: usize, tick: u32) -> i64 {
        self.state.stocks[stock].marks[tick as usize % HISTORY]
    }

    /// All marks that are shown, oldest first, in cents.
    pub fn history(&self, stock: usize) -> impl DoubleEndedIterator<Item = i64> + 'a {
        let view = *self;
        (self.oldest()..=self.tick()).map(move |tick| view.past_mark(stock, tick))
    }

    /// The best price on one side of the book, in cents.
    pub fn best(&self, stock: usize, side: Side) -> Option<i64> {
        self.state.stocks[stock].book.best(side)
    }

    /// The best five levels of one side of the book: cents and shares.
    pub fn levels(&self, stock: usize, side: Side) -> impl Iterator<Item = (i64, i64)> + 'a {
        self.state.stocks[stock].book.levels(side, BOOK_DEPTH)
    }

    /// What was traded in the last tick.
    pub fn tape(&self, stock: usize) -> Tape {
        self.state.stocks[stock].tape
    }

    /// The last published estimates, oldest first.
    pub fn news(&self) -> &'a [News] {
        &self.state.news
    }

    /// Own cash, in cents.
    pub fn cash(&self) -> i64 {
        self.state.accounts.of(owner(self.seat)).cash
    }

    /// Own equity at the marks, in cents.
    pub fn equity(&self) -> i64 {
        self.state.equity(self.seat)
    }

    /// Own fees so far, in cents.
    pub fn fees(&self) -> i64 {
        self.state.accounts.of(owner(self.seat)).fees
    }

    /// Own shares.
    pub fn position(&self, stock: usize) -> i64 {
        self.state.accounts.of(owner(self.seat)).shares[stock]
    }

    /// Own resting orders of one stock, by side, best first.
    pub fn open_orders(&self, stock: usize) -> impl Iterator<Item = (Side, &'a Resting)> + 'a {
        let owner = owner(self.seat);
        let book = &self.state.stocks[stock].book;
        Side::BOTH.into_iter().flat_map(move |side| {
            book.side(side).filter(move |order| order.owner == owner).map(move |order| (side, order))
        })
    }

    /// The other seats' equity, in cents.
    pub fn rivals(&self) -> impl Iterator<Item = (Seat, i64)> + 'a {
        let Self { state, seat } = *self;
        Seat::first(state.seats).filter(move |other| *other != seat).map(|other| (other, state.equity(other)))
    }

    /// What a share paid at the end, in cents.
    pub fn settlement(&self) -> Option<[i64; STOCKS]> {
        self.state.settlement
    }

    /// The plans of `_action_space` with their weights.
    pub fn menu(&self) -> Vec<(Plan, f32)> {
        let mut plans = Vec::new();
        actions::menu(self, &mut plans);
        plans
    }
}

impl Debug for View<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("View").field("seat", &self.seat).field("tick", &self.tick()).finish_non_exhaustive()
    }
}

/// Writes the game's own members.
pub(super) fn write(view: &View<'_>, out: &mut ObservationWriter) {
    out.field("account", &AccountMember(view));
    out.field("books", &BySymbol(|stock| BookMember { view, stock }));
    out.field("history", &BySymbol(|stock| List(move || view.history(stock).map(Cents))));
    out.field("news", &List(|| view.news().iter().map(NewsMember)));
    out.field(
        "open_orders",
        &List(|| {
            (0..STOCKS).flat_map(|stock| {
                view.open_orders(stock).map(move |(side, order)| OrderMember { stock, side, order })
            })
        }),
    );
    out.field("rivals", &Rivals(view));
    out.field(
        "settlement",
        &view.settlement().map(|prices| BySymbol(move |stock: usize| Cents(prices[stock]))),
    );
    out.field("tape", &BySymbol(|stock| TapeMember(view.tape(stock))));
}

/// JSON Schema of an observation. Money is in units of 100 cents, with two decimals at most.
pub(super) fn schema() -> Value {
    let object = |members: Value| {
        let required: Vec<String> = members.as_object().into_iter().flat_map(|m| m.keys().cloned()).collect();
        json!({"type": "object", "properties": members, "required": required, "additionalProperties": false})
    };
    let per_symbol = |of: Value| object(json!({SYMBOLS[0]: of, SYMBOLS[1]: of}));
    let money = json!({"type": "number"});
    let symbol = json!({"enum": SYMBOLS});
    let shares = json!({"type": "integer", "minimum": 0});
    let levels = json!({
        "description": "Best first: price, shares.",
        "type": "array",
        "maxItems": BOOK_DEPTH,
        "items": {
            "type": "array",
            "prefixItems": [money, {"type": "integer", "minimum": 1}],
            "minItems": 2,
            "maxItems": 2,
        },
    });
    let marks = json!({
        "description": "Marks, oldest first; the last is the current one.",
        "type": "array",
        "items": money,
        "minItems": 1,
        "maxItems": HISTORY,
    });
    let step = actions::schema();
    let action = json!({"anyOf": [step, {"type": "array", "items": step, "maxItems": MAX_ACTIONS}]});
    let own = json!({
        "account": object(json!({
            "cash": money,
            "equity": money,
            "fees": {"description": "Paid so far, already out of cash.", "type": "number", "minimum": 0},
            "positions": per_symbol(json!({
                "type": "integer", "minimum": -POSITION_LIMIT, "maximum": POSITION_LIMIT,
            })),
        })),
        "books": per_symbol(object(json!({"asks": levels, "bids": levels}))),
        "history": per_symbol(marks),
        "news": {
            "description": "The newest estimates of fundamentals, oldest first.",
            "type": "array",
            "maxItems": NEWS_KEPT,
            "items": object(json!({
                "estimate": money,
                "symbol": symbol,
                "tick": {"description": "The tick whose observation showed it first.", "type": "integer"},
            })),
        },
        "open_orders": {
            "type": "array",
            "maxItems": MAX_OPEN_ORDERS,
            "items": object(json!({
                "id": {"type": "integer", "minimum": 1},
                "price": money,
                "qty": {"type": "integer", "minimum": 1},
                "side": {"enum": ["buy", "sell"]},
                "symbol": symbol,
            })),
        },
        "rivals": {
            "description": "Equity of the other seats.",
            "type": "object",
            "patternProperties": {"^p[0-7]$": money},
            "additionalProperties": false,
        },
        "settlement": {
            "description": "What a share paid at the end; null before.",
            "anyOf": [{"type": "null"}, per_symbol(money)],
        },
        "tape": per_symbol(object(json!({
            "bought": shares,
            "last": {"description": "Price of the last trade of the match.", "type": ["number", "null"]},
            "sold": shares,
        }))),
    });
    schema::observation(Timing::Simultaneous, &action, own)
}

/// One value a stock, made when it is written.
struct BySymbol<F>(F);

impl<T: Serialize, F: Fn(usize) -> T> Serialize for BySymbol<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(STOCKS))?;
        for (stock, symbol) in SYMBOLS.iter().enumerate() {
            map.serialize_entry(symbol, &(self.0)(stock))?;
        }
        map.end()
    }
}

/// A list made when it is written.
struct List<F>(F);

impl<T: Serialize, I: Iterator<Item = T>, F: Fn() -> I> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for item in (self.0)() {
            list.serialize_element(&item)?;
        }
        list.end()
    }
}

struct AccountMember<'a>(&'a View<'a>);

impl Serialize for AccountMember<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("cash", &Cents(self.0.cash()))?;
        map.serialize_entry("equity", &Cents(self.0.equity()))?;
        map.serialize_entry("fees", &Cents(self.0.fees()))?;
        map.serialize_entry("positions", &BySymbol(|stock| self.0.position(stock)))?;
        map.end()
    }
}

struct BookMember<'a> {
    view: &'a View<'a>,
    stock: usize,
}

impl Serialize for BookMember<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let levels = |side| -> ArrayVec<(Cents, i64), BOOK_DEPTH> {
            self.view.levels(self.stock, side).map(|(price, qty)| (Cents(price), qty)).collect()
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("asks", &*levels(Side::Sell))?;
        map.serialize_entry("bids", &*levels(Side::Buy))?;
        map.end()
    }
}

struct NewsMember<'a>(&'a News);

impl Serialize for NewsMember<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("estimate", &Cents(self.0.estimate))?;
        map.serialize_entry("symbol", SYMBOLS[self.0.stock])?;
        map.serialize_entry("tick", &self.0.tick)?;
        map.end()
    }
}

struct OrderMember<'a> {
    stock: usize,
    side: Side,
    order: &'a Resting,
}

impl Serialize for OrderMember<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.order.id)?;
        map.serialize_entry("price", &Cents(self.order.price))?;
        map.serialize_entry("qty", &self.order.qty)?;
        map.serialize_entry("side", self.side.as_str())?;
        map.serialize_entry("symbol", SYMBOLS[self.stock])?;
        map.end()
    }
}

struct Rivals<'a>(&'a View<'a>);

impl Serialize for Rivals<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.rivals().map(|(seat, equity)| (seat, Cents(equity))))
    }
}

struct TapeMember(Tape);

impl Serialize for TapeMember {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("bought", &self.0.bought)?;
        map.serialize_entry("last", &self.0.last.map(Cents))?;
        map.serialize_entry("sold", &self.0.sold)?;
        map.end()
    }
}
