//! How a seat loses its shares other than by trading: margin calls, elimination, failure, settlement.

use super::book::{Owner, Side};
use super::events::Event;
use super::market::{Incoming, State, owner, report};
use super::observe::BySymbol;
use super::{MARGIN_PERCENT, STOCKS};
use crate::arena::engine::events::{Audience, EventSink};
use crate::arena::engine::observation::Cents;
use crate::arena::engine::seats::{Seat, SeatSet};

impl State {
    /// Brings every live seat back above its margin, or out of the game, in the order of the queue.
    ///
    /// Repeats until a round changes nothing, since one seat's forced trade may fill another's order. This ends: a
    /// called seat has no orders left, so its position only shrinks.
    pub(super) fn call_margins(&mut self, queue: &[Seat], events: &mut impl EventSink) {
        let mut called = SeatSet::EMPTY;
        loop {
            let mut changed = false;
            for &seat in queue {
                if self.live.contains(seat) {
                    changed |= self.call_margin(seat, &mut called, events);
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// Turns everybody's shares into cash at the fundamentals.
    pub(super) fn settle(&mut self, queue: &[Seat], events: &mut impl EventSink) {
        let prices: [i64; STOCKS] = std::array::from_fn(|stock| self.stocks[stock].process.settlement());
        self.settlement = Some(prices);
        events.emit(Audience::All, || Event::Settlement(BySymbol(prices.map(Cents))));
        for seat in Seat::first(self.seats) {
            self.cancel_all(seat);
            self.accounts.close(owner(seat), prices);
        }
        self.accounts.close(Owner::CROWD, prices);
        for &seat in queue {
            if self.live.contains(seat) && self.equity(seat) <= 0 {
                self.eliminate(seat, events);
            }
        }
    }

    /// Closes a seat's position at the marks and takes it out; it keeps what it has, its score does not.
    pub(super) fn remove_failed(&mut self, seat: Seat, events: &mut impl EventSink) {
        if self.live.contains(seat) {
            self.cancel_all(seat);
            self.accounts.close(owner(seat), self.marks());
            self.live.remove(seat);
            events.emit(Audience::All, || Event::Failed { seat });
        }
    }

    /// Returns whether anything changed.
    fn call_margin(&mut self, seat: Seat, called: &mut SeatSet, events: &mut impl EventSink) -> bool {
        let marks = self.marks();
        let account = self.accounts.of(owner(seat));
        let (equity, exposure) = (account.equity(marks), account.exposure(marks));
        if equity <= 0 {
            self.eliminate(seat, events);
            return true;
        }
        if !account.is_short_of_margin(marks) {
            return false;
        }
        if !called.contains(seat) {
            called.insert(seat);
            let call = || Event::MarginCall { equity: Cents(equity), exposure: Cents(exposure) };
            report(events, owner(seat), call);
        }
        let cancelled = self.cancel_all(seat);
        let traded = self.liquidate(seat, events);
        cancelled > 0 || traded > 0
    }

    /// Sells or buys back, the largest position first, until the margin holds or nobody takes the other side.
    /// Returns the shares traded.
    fn liquidate(&mut self, seat: Seat, events: &mut impl EventSink) -> i64 {
        let marks = self.marks();
        let mut dry = [false; STOCKS];
        let mut traded = 0;
        loop {
            let account = self.accounts.of(owner(seat));
            let worth = |stock: usize| account.shares[stock].abs() * marks[stock];
            let open = (0..STOCKS).rev().filter(|&stock| !dry[stock] && worth(stock) > 0);
            let Some(stock) = open.max_by_key(|&stock| worth(stock)) else { break };
            if !account.is_short_of_margin(marks) {
                break;
            }
            // Enough if all of it traded at the mark; the next turn makes up for the spread and the fee.
            let excess = account.exposure(marks) - account.equity(marks) * 100 / MARGIN_PERCENT;
            let shares = account.shares[stock];
            let qty = (excess / marks[stock] + 1).clamp(1, shares.abs());
            let side = if shares > 0 { Side::Sell } else { Side::Buy };
            let id = self.next_order_id();
            let order = Incoming { id, owner: owner(seat), stock, side, limit: None, qty };
            let left = self.execute(order, events);
            traded += qty - left;
            dry[stock] = left > 0;
        }
        traded
    }

    fn eliminate(&mut self, seat: Seat, events: &mut impl EventSink) {
        self.cancel_all(seat);
        self.accounts.seize(owner(seat));
        self.live.remove(seat);
        self.eliminated.insert(seat);
        events.emit(Audience::All, || Event::Eliminated { seat });
    }
}
