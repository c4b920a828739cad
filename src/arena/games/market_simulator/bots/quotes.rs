//! Making a market: quotes inside the house's spread.

use super::super::actions::{Order, Plan, Step};
use super::super::book::Side;
use super::super::observe::View;
use super::super::{MarketSimulator, STOCKS};
use super::{is_lively, room};
use crate::arena::engine::Bot;

/// Cents from the middle of the quotes to each; the house is at 5.
const HALF_SPREAD: i64 = 4;
/// Shares a quote.
const QTY: i64 = 15;

/// Lives on the spread.
pub(super) struct Maker;

impl Bot<MarketSimulator> for Maker {
    fn act(&mut self, view: &View<'_>) -> Plan {
        let mut plan = Plan::from_iter([Step::CancelAll { stock: None }]);
        for stock in (0..STOCKS).filter(|&stock| is_lively(view, stock) == Some(false)) {
            quote(view, stock, view.position(stock) / 5, |_, _| true, &mut plan);
        }
        plan
    }
}

/// Plans a quote on each side, `lean` cents down, where `wanted` agrees to the price.
///
/// For calm stocks: quotes stand until the next turn, and where marks move further than the spread they are picked off.
pub(super) fn quote(
    view: &View<'_>,
    stock: usize,
    lean: i64,
    wanted: impl Fn(Side, i64) -> bool,
    plan: &mut Plan,
) {
    for side in Side::BOTH {
        let price = (view.mark(stock) - lean - side.sign() * HALF_SPREAD).max(1);
        let qty = room(view, stock, side).min(QTY);
        if qty > 0 && wanted(side, price) {
            plan.push(Step::Order(Order { side, stock, qty, price: Some(price) }));
        }
    }
}
