//! Players that trade on an estimate of the fundamental.

use super::super::actions::{Order, Plan, Step};
use super::super::book::Side;
use super::super::observe::View;
use super::super::{MAX_PRICE_TIMES_MARK, MarketSimulator, STOCKS};
use super::filter::{Filter, Model};
use super::quotes::quote;
use super::{is_lively, on_offer, room};
use crate::arena::engine::Bot;

/// How an informed player estimates and trades.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// One model for all stocks, acts on small differences.
    Quick,
    /// The same model, waits for large differences and quotes meanwhile.
    Hybrid,
    /// A model for each behaviour, and quotes meanwhile.
    Adaptive,
}

impl Style {
    /// Cents that an order must gain by the estimate. A good opinion can afford to act on less; with a poor one,
    /// patience pays.
    const fn edge(self) -> f64 {
        match self {
            Self::Quick => 16.0,
            Self::Hybrid => 40.0,
            Self::Adaptive => 24.0,
        }
    }

    /// Its model of a stock, and the one of lively stocks where that is another.
    const fn models(self) -> (&'static Model, Option<&'static Model>) {
        match self {
            Self::Quick | Self::Hybrid => (&Model::PLAIN, None),
            Self::Adaptive => (&Model::SLUGGISH, Some(&Model::JITTERY)),
        }
    }
}

/// Buys below and sells above what it thinks a share is worth.
pub(super) struct Informed {
    style: Style,
    opinions: [Opinion; STOCKS],
}

/// What it thinks of one stock.
struct Opinion {
    filter: Filter,
    /// For the time when marks jump about, if that makes a difference to it.
    lively: Option<Filter>,
    /// The position that it wanted when it last took quotes: what its own quotes lean back to.
    target: i64,
}

impl Informed {
    pub(super) fn new(style: Style) -> Self {
        let (model, lively) = style.models();
        let opinions = std::array::from_fn(|_| Opinion {
            filter: Filter::new(model),
            lively: lively.map(Filter::new),
            target: 0,
        });
        Self { style, opinions }
    }
}

impl Opinion {
    /// What a share is worth, in cents.
    fn fair(&mut self, view: &View<'_>, stock: usize, is_lively: bool) -> f64 {
        self.filter.look(view, stock);
        match &mut self.lively {
            None => self.filter.fair(),
            Some(lively) => {
                lively.look(view, stock);
                if is_lively { lively.fair() } else { self.filter.fair() }
            }
        }
    }
}

impl Bot<MarketSimulator> for Informed {
    fn act(&mut self, view: &View<'_>) -> Plan {
        /// Cents by which a share held shifts its prices: the more it holds, the more it wants to gain.
        const LEAN: f64 = 0.02;
        /// Cents that a quote must gain by the estimate.
        const QUOTE_EDGE: f64 = 20.0;

        let mut plan = Plan::from_iter([Step::CancelAll { stock: None }]);
        for (stock, opinion) in self.opinions.iter_mut().enumerate() {
            let position = view.position(stock);
            let lively = is_lively(view, stock);
            let fair = opinion.fair(view, stock, lively == Some(true)) - LEAN * position as f64;
            if let Some(order) = bargain(view, stock, fair, self.style.edge()) {
                opinion.target = position + order.side.sign() * order.qty;
                plan.push(Step::Order(order));
            } else if self.style != Style::Quick && lively == Some(false) {
                let gains = |side: Side, price: i64| (fair - price as f64) * side.sign() as f64 > QUOTE_EDGE;
                quote(view, stock, (position - opinion.target) / 5, gains, &mut plan);
            }
        }
        plan
    }
}

/// The order for all that is on offer at `edge` cents or more from a fair price.
fn bargain(view: &View<'_>, stock: usize, fair: f64, edge: f64) -> Option<Order> {
    Side::BOTH.into_iter().find_map(|side| {
        let highest = view.mark(stock) * MAX_PRICE_TIMES_MARK;
        let limit = ((fair - edge * side.sign() as f64).round() as i64).clamp(1, highest);
        let qty = on_offer(view, stock, side, limit).min(room(view, stock, side));
        (qty > 0).then_some(Order { side, stock, qty, price: Some(limit) })
    })
}
