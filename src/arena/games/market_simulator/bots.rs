//! The built-in players, each written against [`View`] alone.
//!
//! [`filter`] estimates fundamentals, [`trend`] looks at past marks only, [`quotes`] earns spreads, [`informed`] trades
//! on estimates. Players keep floats and memory of their own; the market's state has neither.

pub(in crate::arena) mod filter;
mod informed;
mod quotes;
mod trend;

use self::informed::{Informed, Style};
use self::quotes::Maker;
use self::trend::{Momentum, Reversion, Where};
use super::actions::{Order, Plan, Step};
use super::book::Side;
use super::observe::View;
use super::{MarketSimulator, POSITION_LIMIT, STOCKS};
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::{Bot, BotSpec};

/// Weakest first, by mean final score over 600 ticks at tables of four drawn from this list.
///
/// Measured over 3000 matches, standard errors up to 0.4: random -3.6, momentum -1.7, reversion -1.4, idle 0, maker 0.7,
/// reversion-lively 3.6, momentum-calm 9.4, news 16.4, hybrid 21.9, adaptive 34.0 (with slips: 0.25 31.1, 0.6 26.6).
/// `players_rank_as_their_knowledge_does` checks the order.
pub(super) const BOTS: &[BotSpec<MarketSimulator>] = &[
    BotSpec {
        name: "random",
        about: "sends small market orders at random",
        make: |stream| Box::new(Random(Pcg::new(stream))),
    },
    BotSpec {
        name: "momentum",
        about: "follows the 5-tick average of marks against the 20-tick one",
        make: |_| Box::new(Momentum(Where::Anywhere)),
    },
    BotSpec {
        name: "reversion",
        about: "trades towards the 40-tick average of marks",
        make: |_| Box::new(Reversion(Where::Anywhere)),
    },
    BotSpec { name: "idle", about: "does nothing", make: |_| Box::new(Idle) },
    BotSpec {
        name: "maker",
        about: "quotes 4 cents around the mark of calm stocks, leaning against its position",
        make: |_| Box::new(Maker),
    },
    BotSpec {
        name: "reversion-lively",
        about: "reversion, for stocks whose marks jump about",
        make: |_| Box::new(Reversion(Where::Lively)),
    },
    BotSpec {
        name: "momentum-calm",
        about: "momentum, for stocks whose marks move smoothly",
        make: |_| Box::new(Momentum(Where::Calm)),
    },
    BotSpec {
        name: "news",
        about: "takes quotes that are 16 cents off its filtered estimate of the fundamental",
        make: |_| Box::new(Informed::new(Style::Quick)),
    },
    BotSpec {
        name: "hybrid",
        about: "waits for quotes that are 40 cents off the same estimate, and makes a market meanwhile",
        make: |_| Box::new(Informed::new(Style::Hybrid)),
    },
    BotSpec {
        name: "adaptive",
        about: "finds out how each stock behaves and filters its marks and news accordingly",
        make: |_| Box::new(Informed::new(Style::Adaptive)),
    },
];

/// Does nothing.
struct Idle;

impl Bot<MarketSimulator> for Idle {
    fn act(&mut self, _: &View<'_>) -> Plan {
        Plan::default()
    }
}

/// Sends small market orders at random.
struct Random(Pcg);

impl Bot<MarketSimulator> for Random {
    fn act(&mut self, _: &View<'_>) -> Plan {
        let Self(rng) = self;
        let side = if rng.one_in(2) { Side::Buy } else { Side::Sell };
        let stock = rng.below(STOCKS as u64) as usize;
        Plan::from_iter([Step::Order(Order { side, stock, qty: rng.between(1, 20), price: None })])
    }
}

/// The market order that brings a position to `target`; nothing for a difference not worth the spread.
fn chase(view: &View<'_>, stock: usize, target: i64) -> Option<Step> {
    const LEAST: i64 = 10;
    let gap = target - view.position(stock);
    let side = if gap > 0 { Side::Buy } else { Side::Sell };
    (gap.abs() >= LEAST).then_some(Step::Order(Order { side, stock, qty: gap.abs(), price: None }))
}

/// Shares that the position limit leaves to an order of this side, open orders not counted.
fn room(view: &View<'_>, stock: usize, side: Side) -> i64 {
    POSITION_LIMIT - view.position(stock) * side.sign()
}

/// The shares on offer to an order of this side at `limit` cents or better, as far as the book is shown.
fn on_offer(view: &View<'_>, stock: usize, side: Side, limit: i64) -> i64 {
    let good = |price: i64| (limit - price) * side.sign() >= 0;
    view.levels(stock, side.other()).take_while(|(price, _)| good(*price)).map(|(_, qty)| qty).sum()
}

/// Whether a stock's marks jump about; `None` until there are enough of them.
///
/// A sluggish mark moves about 5 cents in a tick, a jittery one about 20.
pub(in crate::arena) fn is_lively(view: &View<'_>, stock: usize) -> Option<bool> {
    let mark = |tick| view.past_mark(stock, tick);
    let moves = i64::from(view.tick() - view.oldest());
    let total: i64 = (view.oldest()..view.tick()).map(|tick| (mark(tick + 1) - mark(tick)).abs()).sum();
    (moves >= 3).then_some(total > 10 * moves)
}
