//! The market's state and what a tick does to it, phase by phase. Start at [`State::play_tick`].
//!
//! Margin calls, elimination and settlement are in [`super::margin`].

use arrayvec::ArrayVec;

use super::account::Accounts;
use super::actions::{Order, Plan, Step};
use super::book::{Book, Hit, Owner, Resting, Side};
use super::events::Event;
use super::process::{Behaviour, Process, crowd_orders};
use super::{
    HISTORY, LADDER, MARKET_REACH, MAX_ACTIONS, MAX_OPEN_ORDERS, NEWS_EVERY, NEWS_KEPT, POSITION_LIMIT,
    START_CASH, STOCKS, SYMBOLS,
};
use crate::arena::engine::events::{Audience, EventSink};
use crate::arena::engine::observation::Cents;
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::{MAX_SEATS, Seat, SeatMap, SeatSet};

/// A market in progress.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) rng: Pcg,
    pub(super) tick: u32,
    pub(super) max_ticks: u32,
    pub(super) seats: u8,
    pub(super) live: SeatSet,
    pub(super) eliminated: SeatSet,
    pub(super) last_order: u32,
    pub(super) stocks: [Stock; STOCKS],
    pub(super) accounts: Accounts,
    pub(super) news: ArrayVec<News, NEWS_KEPT>,
    /// What a share of each stock paid at the end, in cents.
    pub(super) settlement: Option<[i64; STOCKS]>,
}

/// One stock.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Stock {
    pub(super) process: Process,
    pub(super) book: Book,
    /// A ring: the mark after `n` ticks is at `n % HISTORY`.
    pub(super) marks: [i64; HISTORY],
    pub(super) tape: Tape,
}

/// What was traded in the last tick.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Tape {
    /// Shares bought by incoming orders.
    pub bought: i64,
    /// Shares sold by incoming orders.
    pub sold: i64,
    /// The price of the last trade of the match, in cents.
    pub last: Option<i64>,
}

/// A published estimate of a fundamental.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct News {
    /// The stock.
    pub stock: usize,
    /// In cents.
    pub estimate: i64,
    /// The first tick whose observation shows it.
    pub tick: u32,
}

/// An order on its way to the book.
#[derive(Debug, Clone, Copy)]
pub(super) struct Incoming {
    pub(super) id: u32,
    pub(super) owner: Owner,
    pub(super) stock: usize,
    pub(super) side: Side,
    /// The worst price in cents; `None` for a market order.
    pub(super) limit: Option<i64>,
    pub(super) qty: i64,
}

impl State {
    pub(super) fn new(seats: u8, max_ticks: u32, seed: u64) -> Self {
        let mut rng = Pcg::new(seed);
        let mut behaviours = [Behaviour::Sluggish, Behaviour::Jittery];
        rng.shuffle(&mut behaviours);
        let stocks = behaviours.map(|behaviour| {
            let price = rng.between(8_000, 11_999);
            Stock {
                process: Process::new(behaviour, price),
                book: Book::default(),
                marks: [price; HISTORY],
                tape: Tape::default(),
            }
        });
        let mut state = Self {
            rng,
            tick: 0,
            max_ticks,
            seats,
            live: SeatSet::first(seats),
            eliminated: SeatSet::EMPTY,
            last_order: 0,
            stocks,
            accounts: Accounts::new(seats, START_CASH),
            news: ArrayVec::new(),
            settlement: None,
        };
        // Nobody can have traded yet, so there is nothing to report.
        state.quote_house(&mut crate::arena::engine::events::NoEvents);
        state
    }

    /// Draws the hidden side of both stocks anew; marks stay.
    pub(super) fn redeal(&mut self, rng: &mut Pcg) {
        let mut behaviours = [Behaviour::Sluggish, Behaviour::Jittery];
        rng.shuffle(&mut behaviours);
        for (stock, behaviour) in self.stocks.iter_mut().zip(behaviours) {
            stock.process.redeal(behaviour, rng);
        }
    }

    /// Plays one tick. Plans of seats that are out are ignored.
    pub(super) fn play_tick(&mut self, plans: &SeatMap<Plan>, events: &mut impl EventSink) {
        let mut queue: ArrayVec<Seat, MAX_SEATS> = Seat::first(self.seats).collect();
        // Seats that are out are shuffled too: so the draws that follow do not depend on who is in.
        self.rng.shuffle(&mut queue);
        queue.retain(|seat| self.live.contains(*seat));
        for stock in &mut self.stocks {
            stock.tape = Tape { last: stock.tape.last, ..Tape::default() };
        }
        self.take_cancels(plans, events);
        self.take_orders(plans, &queue, events);
        self.send_crowd(events);
        self.move_fundamentals(events);
        self.quote_house(events);
        self.call_margins(&queue, events);
        self.tick += 1;
        for stock in &mut self.stocks {
            stock.marks[self.tick as usize % HISTORY] = stock.process.mark();
        }
        if self.tick >= self.max_ticks {
            self.settle(&queue, events);
        }
    }

    /// The marks of all stocks, in cents.
    pub(super) fn marks(&self) -> [i64; STOCKS] {
        std::array::from_fn(|stock| self.stocks[stock].process.mark())
    }

    /// What a seat owns, in cents, at the marks.
    pub(super) fn equity(&self, seat: Seat) -> i64 {
        self.accounts.of(owner(seat)).equity(self.marks())
    }

    /// Cancels every order of a seat and returns how many there were.
    pub(super) fn cancel_all(&mut self, seat: Seat) -> usize {
        let owner = owner(seat);
        let count = self.stocks.iter().map(|stock| stock.book.open_count(owner)).sum();
        for stock in &mut self.stocks {
            stock.book.cancel_all(owner);
        }
        count
    }

    /// Matches an order, moves cash and shares, and returns the shares that found nobody.
    pub(super) fn execute(&mut self, order: Incoming, events: &mut impl EventSink) -> i64 {
        let Incoming { owner, stock, side, limit, qty, .. } = order;
        let Stock { book, tape, process, .. } = &mut self.stocks[stock];
        let limit = limit.unwrap_or(process.mark() + side.sign() * MARKET_REACH);
        let accounts = &mut self.accounts;
        book.take(owner, side, limit, qty, |hit| match hit {
            Hit::SelfTrade(own) => {
                let cancelled = || Event::OrderCancelled { order_id: own.id, reason: "self_trade" };
                report(events, own.owner, cancelled);
            }
            Hit::Trade(maker) => {
                let (from, to) = match side {
                    Side::Buy => (maker.owner, owner),
                    Side::Sell => (owner, maker.owner),
                };
                let fee = taker_fee(owner, maker.qty * maker.price);
                accounts.trade(from, to, stock, maker.qty, maker.price);
                accounts.pay_fee(owner, fee);
                match side {
                    Side::Buy => tape.bought += maker.qty,
                    Side::Sell => tape.sold += maker.qty,
                }
                tape.last = Some(maker.price);
                let taker = Resting { id: order.id, owner, ..maker };
                report(events, owner, || fill(&taker, stock, side, "taker", fee));
                report(events, maker.owner, || fill(&maker, stock, side.other(), "maker", 0));
            }
        })
    }

    pub(super) fn next_order_id(&mut self) -> u32 {
        self.last_order += 1;
        self.last_order
    }

    fn take_cancels(&mut self, plans: &SeatMap<Plan>, events: &mut impl EventSink) {
        for (seat, plan) in plans.iter().filter(|(seat, _)| self.live.contains(*seat)) {
            let owner = owner(seat);
            for step in plan.steps() {
                match *step {
                    Step::Cancel { id } => {
                        let gone = self.stocks.iter_mut().any(|stock| stock.book.cancel(owner, id).is_some());
                        if !gone {
                            let refused = || Event::CancelRefused { order_id: id, reason: "not_open" };
                            report(events, owner, refused);
                        }
                    }
                    Step::CancelAll { stock: Some(stock) } => self.stocks[stock].book.cancel_all(owner),
                    Step::CancelAll { stock: None } => {
                        for stock in &mut self.stocks {
                            stock.book.cancel_all(owner);
                        }
                    }
                    Step::Order(_) => {}
                }
            }
        }
    }

    /// Takes the first order of each seat in the queue, then the second of each, and so on.
    fn take_orders(&mut self, plans: &SeatMap<Plan>, queue: &[Seat], events: &mut impl EventSink) {
        for round in 0..MAX_ACTIONS {
            let mut any = false;
            for &seat in queue {
                if let Some(&order) = plans.get(seat).and_then(|plan| plan.orders().nth(round)) {
                    any = true;
                    self.take_order(seat, order, events);
                }
            }
            if !any {
                break;
            }
        }
    }

    fn take_order(&mut self, seat: Seat, order: Order, events: &mut impl EventSink) {
        let Order { side, stock, price, qty: asked } = order;
        let id = self.next_order_id();
        let owner = owner(seat);
        let room = self.room(seat, stock, side);
        let qty = asked.min(room);
        if qty < asked {
            report(events, owner, || shortened(id, &order, qty, "position_limit"));
        }
        if qty <= 0 {
            return;
        }
        let left = self.execute(Incoming { id, owner, stock, side, limit: price, qty }, events);
        if left == 0 {
            return;
        }
        let Some(price) = price else {
            report(events, owner, || shortened(id, &order, qty - left, "no_liquidity"));
            return;
        };
        if self.stocks.iter().map(|stock| stock.book.open_count(owner)).sum::<usize>() < MAX_OPEN_ORDERS {
            self.stocks[stock].book.rest(side, Resting { id, owner, price, qty: left });
        } else {
            report(events, owner, || shortened(id, &order, qty - left, "open_orders"));
        }
    }

    /// Shares a seat may still order on one side: resting orders there count as if they had traded.
    pub(super) fn room(&self, seat: Seat, stock: usize, side: Side) -> i64 {
        let held = self.accounts.of(owner(seat)).shares[stock] * side.sign();
        (POSITION_LIMIT - held - self.stocks[stock].book.open_qty(owner(seat), side)).max(0)
    }

    fn send_crowd(&mut self, events: &mut impl EventSink) {
        for stock in 0..STOCKS {
            for (side, qty) in crowd_orders(&mut self.rng) {
                self.execute(Incoming { id: 0, owner: Owner::CROWD, stock, side, limit: None, qty }, events);
            }
        }
    }

    fn move_fundamentals(&mut self, events: &mut impl EventSink) {
        for stock in &mut self.stocks {
            stock.process.step(&mut self.rng);
        }
        if self.tick % NEWS_EVERY == NEWS_EVERY - 1 {
            let stock = (self.tick / NEWS_EVERY) as usize % STOCKS;
            let estimate = self.stocks[stock].process.estimate(&mut self.rng);
            if self.news.is_full() {
                self.news.remove(0);
            }
            self.news.push(News { stock, estimate, tick: self.tick + 1 });
            let news = || Event::News { estimate: Cents(estimate), symbol: SYMBOLS[stock] };
            events.emit(Audience::All, news);
        }
    }

    /// Replaces the house's orders by its ladder around the mark. They trade with seats' orders that they meet.
    pub(super) fn quote_house(&mut self, events: &mut impl EventSink) {
        for stock in 0..STOCKS {
            self.stocks[stock].book.cancel_all(Owner::HOUSE);
            let mark = self.stocks[stock].process.mark();
            for side in Side::BOTH {
                for (offset, qty) in LADDER {
                    let price = mark - side.sign() * offset;
                    let order = Incoming { id: 0, owner: Owner::HOUSE, stock, side, limit: Some(price), qty };
                    let left = self.execute(order, events);
                    if left > 0 {
                        let resting = Resting { id: 0, owner: Owner::HOUSE, price, qty: left };
                        self.stocks[stock].book.rest(side, resting);
                    }
                }
            }
        }
    }
}

/// The owner that a seat is in the books.
pub(super) const fn owner(seat: Seat) -> Owner {
    Owner::seat(seat.index())
}

/// Reports an event to an owner who has a seat.
pub(super) fn report(events: &mut impl EventSink, owner: Owner, event: impl FnOnce() -> Event) {
    if owner.index() < MAX_SEATS {
        events.emit(Audience::Only(Seat::new(owner.index() as u8)), event);
    }
}

/// One basis point, rounded up. The house does not pay itself.
fn taker_fee(taker: Owner, value: i64) -> i64 {
    if taker == Owner::HOUSE { 0 } else { (value + 9_999) / 10_000 }
}

fn fill(order: &Resting, stock: usize, side: Side, liquidity: &'static str, fee: i64) -> Event {
    Event::Fill {
        fee: Cents(fee),
        liquidity,
        order_id: order.id,
        price: Cents(order.price),
        qty: order.qty,
        side,
        symbol: SYMBOLS[stock],
    }
}

/// Says that only `qty` of the shares asked for stand.
fn shortened(order_id: u32, order: &Order, qty: i64, reason: &'static str) -> Event {
    let (side, symbol, asked) = (order.side, SYMBOLS[order.stock], order.qty);
    if qty > 0 {
        Event::OrderCut { asked, order_id, qty, reason, side, symbol }
    } else {
        Event::OrderRefused { asked, order_id, reason, side, symbol }
    }
}
