//! What a seat may know: as [`View`] for built-in players, as JSON for everybody else. Both show the same things.

use std::fmt::Debug;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::actions::{self, Plan};
use super::book::{Resting, Side};
use super::market::{News, State, Tape, owner};
use super::{BOOK_DEPTH, HISTORY, MAX_ACTIONS, MAX_OPEN_ORDERS, NEWS_KEPT, POSITION_LIMIT, STOCKS, SYMBOLS};
use crate::arena::engine::observation::{Cents, List, Members, ObservationWriter};
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
    pub fn history(&self, stock: usize) -> impl DoubleEndedIterator<Item = i64> + Clone + 'a {
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
    pub fn open_orders(&self, stock: usize) -> impl Iterator<Item = (Side, &'a Resting)> + Clone + 'a {
        let owner = owner(self.seat);
        let book = &self.state.stocks[stock].book;
        Side::BOTH.into_iter().flat_map(move |side| {
            book.side(side).filter(move |order| order.owner == owner).map(move |order| (side, order))
        })
    }

    /// The other seats' equity, in cents.
    pub fn rivals(&self) -> impl Iterator<Item = (Seat, i64)> + Clone + 'a {
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
pub(super) fn write(view: &View<'_>, out: &mut ObservationWriter<'_>) {
    let orders = (0..STOCKS).flat_map(|stock| {
        view.open_orders(stock).map(move |(side, order)| ShownOrder::new(stock, side, order))
    });
    out.field("account", &ShownAccount::new(view));
    out.field("books", &by_symbol(|stock| ShownBook::new(view, stock)));
    out.field("history", &by_symbol(|stock| List(view.history(stock).map(Cents))));
    out.field("news", &List(view.news().iter().map(ShownNews::new)));
    out.field("open_orders", &List(orders));
    out.field("rivals", &Members(view.rivals().map(|(seat, equity)| (seat, Cents(equity)))));
    out.field("settlement", &view.settlement().map(|prices| BySymbol(prices.map(Cents))));
    out.field("tape", &by_symbol(|stock| ShownTape::new(view.tape(stock))));
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

/// One value a stock.
pub(super) struct BySymbol<T>(pub [T; STOCKS]);

impl<T: Serialize> Serialize for BySymbol<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(SYMBOLS.iter().zip(&self.0))
    }
}

fn by_symbol<T>(of: impl Fn(usize) -> T) -> BySymbol<T> {
    BySymbol(std::array::from_fn(of))
}

#[derive(Serialize)]
struct ShownAccount {
    cash: Cents,
    equity: Cents,
    fees: Cents,
    positions: BySymbol<i64>,
}

impl ShownAccount {
    fn new(view: &View<'_>) -> Self {
        Self {
            cash: Cents(view.cash()),
            equity: Cents(view.equity()),
            fees: Cents(view.fees()),
            positions: by_symbol(|stock| view.position(stock)),
        }
    }
}

#[derive(Serialize)]
struct ShownBook<'a> {
    asks: Levels<'a>,
    bids: Levels<'a>,
}

impl<'a> ShownBook<'a> {
    fn new(view: &'a View<'a>, stock: usize) -> Self {
        let [bids, asks] = Side::BOTH.map(|side| Levels { view, stock, side });
        Self { asks, bids }
    }
}

/// One side of a book.
struct Levels<'a> {
    view: &'a View<'a>,
    stock: usize,
    side: Side,
}

impl Serialize for Levels<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let levels = self.view.levels(self.stock, self.side);
        serializer.collect_seq(levels.map(|(price, qty)| (Cents(price), qty)))
    }
}

#[derive(Serialize)]
struct ShownNews {
    estimate: Cents,
    symbol: &'static str,
    tick: u32,
}

impl ShownNews {
    fn new(news: &News) -> Self {
        Self { estimate: Cents(news.estimate), symbol: SYMBOLS[news.stock], tick: news.tick }
    }
}

#[derive(Serialize)]
struct ShownOrder {
    id: u32,
    price: Cents,
    qty: i64,
    side: Side,
    symbol: &'static str,
}

impl ShownOrder {
    fn new(stock: usize, side: Side, order: &Resting) -> Self {
        Self { id: order.id, price: Cents(order.price), qty: order.qty, side, symbol: SYMBOLS[stock] }
    }
}

#[derive(Serialize)]
struct ShownTape {
    bought: i64,
    last: Option<Cents>,
    sold: i64,
}

impl ShownTape {
    fn new(tape: Tape) -> Self {
        Self { bought: tape.bought, last: tape.last.map(Cents), sold: tape.sold }
    }
}
