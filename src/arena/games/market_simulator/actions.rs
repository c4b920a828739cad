//! What a seat can do in a tick: the types, their JSON, what is rejected, and the menu of useful choices.

use arrayvec::ArrayVec;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Map, Value, json};

use super::book::Side;
use super::observe::View;
use super::{MAX_ACTIONS, MAX_PRICE_TIMES_MARK, STOCKS, SYMBOLS};
use crate::arena::engine::Reasons;
use crate::arena::engine::decode::shortened;
use crate::arena::engine::observation::Cents;

/// One buy or sell order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// Buy or sell.
    pub side: Side,
    /// The stock's index.
    pub stock: usize,
    /// Shares, 1 or more.
    pub qty: i64,
    /// The worst price in cents; `None` makes it a market order.
    pub price: Option<i64>,
}

/// One action object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Buys or sells.
    Order(Order),
    /// Cancels one own order.
    Cancel {
        /// The order.
        id: u32,
    },
    /// Cancels all own orders, of one stock or of all.
    CancelAll {
        /// The stock's index.
        stock: Option<usize>,
    },
}

/// Everything a seat does in one tick; may be empty.
///
/// Most plans are an order or two: those allocate nothing, and menus of them are not mostly empty room to be copied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    first: ArrayVec<Step, 2>,
    /// What does not fit in there.
    more: Vec<Step>,
}

impl Plan {
    /// All of it, in the seat's order.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.first.iter().chain(&self.more)
    }

    fn len(&self) -> usize {
        self.first.len() + self.more.len()
    }

    /// The orders, in the seat's order.
    pub fn orders(&self) -> impl Iterator<Item = &Order> {
        self.steps().filter_map(|step| match step {
            Step::Order(order) => Some(order),
            _ => None,
        })
    }

    /// Adds a step, if there is room for one more.
    pub fn push(&mut self, step: Step) {
        // A player that plans more than fits does its first eight things.
        if self.len() < MAX_ACTIONS
            && let Err(full) = self.first.try_push(step)
        {
            self.more.push(full.element());
        }
    }

    /// Reads a list of action objects.
    pub(super) fn decode(actions: &[Value]) -> Result<Self, Reasons> {
        if actions.len() > MAX_ACTIONS {
            return Err(vec![format!(
                "{} actions in a tick, at most {MAX_ACTIONS} are allowed",
                actions.len()
            )]);
        }
        let mut plan = Self::default();
        let mut reasons = Reasons::new();
        for (nth, action) in actions.iter().enumerate() {
            match decode_step(action) {
                Ok(step) => plan.push(step),
                Err(reason) => reasons.push(format!("action {}: {reason}", nth + 1)),
            }
        }
        if reasons.is_empty() { Ok(plan) } else { Err(reasons) }
    }

    /// Whether all orders have shares and possible prices.
    pub(super) fn check(&self, marks: [i64; STOCKS]) -> Result<(), Reasons> {
        let reasons: Reasons = self
            .steps()
            .enumerate()
            .filter_map(|(nth, step)| {
                let Step::Order(order) = step else { return None };
                let reason = check_order(order, marks[order.stock]).err()?;
                Some(format!("action {}: {reason}", nth + 1))
            })
            .collect();
        if reasons.is_empty() { Ok(()) } else { Err(reasons) }
    }
}

impl FromIterator<Step> for Plan {
    fn from_iter<I: IntoIterator<Item = Step>>(steps: I) -> Self {
        let mut plan = Self::default();
        steps.into_iter().for_each(|step| plan.push(step));
        plan
    }
}

impl Serialize for Plan {
    /// One step as an object, none or several as a list.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let ([step], []) = (&*self.first, &*self.more) {
            return step.serialize(serializer);
        }
        let mut list = serializer.serialize_seq(Some(self.len()))?;
        for step in self.steps() {
            list.serialize_element(step)?;
        }
        list.end()
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match *self {
            Self::Order(Order { side, stock, qty, price }) => {
                map.serialize_entry("action", side.as_str())?;
                map.serialize_entry("symbol", SYMBOLS[stock])?;
                map.serialize_entry("qty", &qty)?;
                if let Some(price) = price {
                    map.serialize_entry("price", &Cents(price))?;
                }
            }
            Self::Cancel { id } => {
                map.serialize_entry("action", "cancel")?;
                map.serialize_entry("order_id", &id)?;
            }
            Self::CancelAll { stock } => {
                map.serialize_entry("action", "cancel_all")?;
                if let Some(stock) = stock {
                    map.serialize_entry("symbol", SYMBOLS[stock])?;
                }
            }
        }
        map.end()
    }
}

/// The menu of `_action_space`: eleven plans with weights, all legal now.
pub(super) fn menu(view: &View<'_>, out: &mut Vec<(Plan, f32)>) {
    for stock in 0..STOCKS {
        for side in Side::BOTH {
            for qty in [10, 50] {
                out.push((Plan::from_iter([Step::Order(Order { side, stock, qty, price: None })]), 1.0));
            }
        }
    }
    out.push((Plan::from_iter([Step::CancelAll { stock: None }]), 0.5));
    for stock in 0..STOCKS {
        let quotes = Side::BOTH.map(|side| {
            let price = view.best(stock, side).unwrap_or(view.mark(stock));
            let price = price.min(view.mark(stock) * MAX_PRICE_TIMES_MARK);
            Step::Order(Order { side, stock, qty: 15, price: Some(price) })
        });
        out.push((Plan::from_iter(quotes), 2.0));
    }
}

/// JSON Schema of one action object.
pub(super) fn schema() -> Value {
    let symbol = json!({"enum": SYMBOLS});
    json!({
        "description": "One action; a tick takes a list of up to 8 of them, [] does nothing.",
        "oneOf": [
            {
                "type": "object",
                "description": "Order to buy or sell: a limit order with a price, a market order without.",
                "properties": {
                    "action": {"enum": ["buy", "sell"]},
                    "symbol": symbol,
                    "qty": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "Shares; more than the position limit leaves room for is cut to that room.",
                    },
                    "price": {
                        "type": ["number", "null"],
                        "exclusiveMinimum": 0,
                        "description": "Worst price, rounded to 0.01; at most 10 times the mark.",
                    },
                },
                "required": ["action", "symbol", "qty"],
            },
            {
                "type": "object",
                "description": "Cancels one of your resting orders.",
                "properties": {
                    "action": {"const": "cancel"},
                    "order_id": {"type": "integer", "minimum": 0},
                },
                "required": ["action", "order_id"],
            },
            {
                "type": "object",
                "description": "Cancels all your resting orders, of one symbol if given.",
                "properties": {
                    "action": {"const": "cancel_all"},
                    "symbol": {"enum": [SYMBOLS[0], SYMBOLS[1], null]},
                },
                "required": ["action"],
            },
        ],
    })
}

fn decode_step(action: &Value) -> Result<Step, String> {
    let Value::Object(members) = action else { return Err("not a JSON object".into()) };
    let verb = members.get("action").ok_or("`action` is missing")?;
    match verb.as_str() {
        Some("buy") => decode_order(Side::Buy, members).map(Step::Order),
        Some("sell") => decode_order(Side::Sell, members).map(Step::Order),
        Some("cancel") => {
            let id = members.get("order_id").ok_or("`order_id` is missing")?;
            let id = whole(id)
                .filter(|id| *id >= 0)
                .ok_or_else(|| format!("`order_id` {} is not an order's number", quoted(id)))?;
            // Numbers too large for an order become one that nobody has: refused by the market, not rejected.
            Ok(Step::Cancel { id: u32::try_from(id).unwrap_or(u32::MAX) })
        }
        Some("cancel_all") => match given(members, "symbol") {
            None => Ok(Step::CancelAll { stock: None }),
            Some(symbol) => decode_symbol(symbol).map(|stock| Step::CancelAll { stock: Some(stock) }),
        },
        _ => Err(format!("unknown action {}: use buy, sell, cancel or cancel_all", quoted(verb))),
    }
}

fn decode_order(side: Side, members: &Map<String, Value>) -> Result<Order, String> {
    let stock = decode_symbol(members.get("symbol").ok_or("`symbol` is missing")?)?;
    let qty = members.get("qty").ok_or("`qty` is missing")?;
    let qty = whole(qty)
        .filter(|qty| *qty >= 1)
        .ok_or_else(|| format!("`qty` {} is not a whole number of 1 or more", quoted(qty)))?;
    let price = match given(members, "price") {
        None => None,
        Some(price) => {
            let units = price.as_f64().ok_or_else(|| format!("`price` {} is not a number", quoted(price)))?;
            Some((units * 100.0).round() as i64)
        }
    };
    Ok(Order { side, stock, qty, price })
}

fn decode_symbol(symbol: &Value) -> Result<usize, String> {
    let known = symbol.as_str().and_then(|symbol| SYMBOLS.iter().position(|known| *known == symbol));
    known.ok_or_else(|| format!("unknown symbol {}: use {} or {}", quoted(symbol), SYMBOLS[0], SYMBOLS[1]))
}

/// A value as it was sent, cut to a bearable length.
fn quoted(value: &Value) -> String {
    shortened(&value.to_string())
}

/// An optional member; `null` counts as left out.
fn given<'a>(members: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    members.get(key).filter(|value| !value.is_null())
}

/// A whole number, also when written as `10.0`. Too large ones saturate.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let number = value.as_f64()?;
        (number.fract() == 0.0).then_some(number as i64)
    })
}

fn check_order(order: &Order, mark: i64) -> Result<(), String> {
    let highest = mark * MAX_PRICE_TIMES_MARK;
    if order.qty < 1 {
        return Err(format!("`qty` {} is not a whole number of 1 or more", order.qty));
    }
    match order.price {
        Some(price) if price < 1 => Err("`price` must be at least 0.01".into()),
        Some(price) if price > highest => Err(format!(
            "`price` {} is more than {MAX_PRICE_TIMES_MARK} times the mark {}",
            units(price),
            units(mark)
        )),
        _ => Ok(()),
    }
}

fn units(cents: i64) -> f64 {
    cents as f64 / 100.0
}
