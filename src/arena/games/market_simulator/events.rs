//! What happens, as observations show it.

use serde::Serialize;

use super::book::Side;
use super::observe::BySymbol;
use crate::arena::engine::observation::Cents;
use crate::arena::engine::seats::Seat;

/// One thing that happened.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Event {
    /// Shares changed hands.
    Fill {
        fee: Cents,
        liquidity: &'static str,
        order_id: u32,
        price: Cents,
        qty: i64,
        side: Side,
        symbol: &'static str,
    },
    /// An own order met another own one.
    OrderCancelled {
        order_id: u32,
        reason: &'static str,
    },
    CancelRefused {
        order_id: u32,
        reason: &'static str,
    },
    /// Only `qty` of the shares asked for stand: traded at once, resting, or still on their way.
    OrderCut {
        asked: i64,
        order_id: u32,
        qty: i64,
        reason: &'static str,
        side: Side,
        symbol: &'static str,
    },
    /// None of the shares asked for does.
    OrderRefused {
        asked: i64,
        order_id: u32,
        reason: &'static str,
        side: Side,
        symbol: &'static str,
    },
    News {
        estimate: Cents,
        symbol: &'static str,
    },
    MarginCall {
        equity: Cents,
        exposure: Cents,
    },
    Eliminated {
        seat: Seat,
    },
    Failed {
        seat: Seat,
    },
    /// What a share of each stock paid at the end.
    Settlement(BySymbol<Cents>),
}
