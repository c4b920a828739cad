//! One stock's order book: price then time priority, self-trade prevention.
//!
//! It knows orders and nothing of money: who pays what is the market's business. Start at [`Book::take`].

use serde::Serialize;

/// The two sides of a trade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Wants shares.
    Buy,
    /// Gives shares.
    Sell,
}

impl Side {
    /// Both, in the order in which they are drawn and listed.
    pub const BOTH: [Self; 2] = [Self::Buy, Self::Sell];

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Buy => Self::Sell,
            Self::Sell => Self::Buy,
        }
    }

    /// `1` for a buy, `-1` for a sale: shares gained for one traded.
    pub const fn sign(self) -> i64 {
        match self {
            Self::Buy => 1,
            Self::Sell => -1,
        }
    }

    /// The verb on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Buy => "buy",
            Self::Sell => "sell",
        }
    }

    /// Whether an order of this side at `price` is better than one at `than`.
    const fn better(self, price: i64, than: i64) -> bool {
        match self {
            Self::Buy => price > than,
            Self::Sell => price < than,
        }
    }
}

/// Whose order or account it is: seats from 0, then the two that are nobody's seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Owner(u8);

impl Owner {
    /// How many owners there can be.
    pub const COUNT: usize = Self::CROWD.index() + 1;
    /// Quotes around the mark and takes all fees.
    pub const HOUSE: Self = Self(8);
    /// Sends market orders at random.
    pub const CROWD: Self = Self(9);

    /// The owner with this seat number.
    pub const fn seat(number: usize) -> Self {
        Self(number as u8)
    }

    /// Its place in a list of all owners.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An order in the book, or what one trade took of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Resting {
    /// Names it within the match; 0 for the house's.
    pub id: u32,
    /// Who placed it.
    pub owner: Owner,
    /// In cents.
    pub price: i64,
    /// Shares still wanted, 1 or more.
    pub qty: i64,
}

/// What an incoming order met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hit {
    /// It traded `qty` of this order at its price.
    Trade(Resting),
    /// This order had the same owner and was cancelled.
    SelfTrade(Resting),
}

/// The resting orders of one stock.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Book {
    // Worst first, so that the best is popped from the end; among equal prices the oldest is nearest to the end.
    bids: Vec<Resting>,
    asks: Vec<Resting>,
}

impl Book {
    /// The orders of one side, best and oldest first.
    pub fn side(&self, side: Side) -> impl Iterator<Item = &Resting> + Clone {
        self.orders(side).iter().rev()
    }

    /// The best price of one side.
    pub fn best(&self, side: Side) -> Option<i64> {
        self.orders(side).last().map(|order| order.price)
    }

    /// One side added up by price, best first, at most `depth` levels.
    pub fn levels(&self, side: Side, depth: usize) -> impl Iterator<Item = (i64, i64)> {
        self.orders(side)
            .chunk_by(|one, next| one.price == next.price)
            .rev()
            .take(depth)
            .map(|level| (level[0].price, level.iter().map(|order| order.qty).sum()))
    }

    /// Shares that `owner`'s orders on one side still want.
    pub fn open_qty(&self, owner: Owner, side: Side) -> i64 {
        self.orders(side).iter().filter(|order| order.owner == owner).map(|order| order.qty).sum()
    }

    /// How many orders of `owner` rest.
    pub fn open_count(&self, owner: Owner) -> usize {
        self.bids.iter().chain(&self.asks).filter(|order| order.owner == owner).count()
    }

    /// Matches an incoming order against the other side and returns the shares that found nobody.
    ///
    /// `limit` is the worst price to trade at. Orders of the same owner are cancelled on the way.
    pub fn take(
        &mut self,
        owner: Owner,
        side: Side,
        limit: i64,
        qty: i64,
        mut on_hit: impl FnMut(Hit),
    ) -> i64 {
        let mut left = qty;
        let resting = self.orders_mut(side.other());
        while left > 0
            && let Some(best) = resting.last_mut()
        {
            if side.better(best.price, limit) {
                break;
            }
            if best.owner == owner {
                on_hit(Hit::SelfTrade(*best));
                resting.pop();
                continue;
            }
            let traded = left.min(best.qty);
            left -= traded;
            best.qty -= traded;
            let whole = best.qty == 0;
            on_hit(Hit::Trade(Resting { qty: traded, ..*best }));
            if whole {
                resting.pop();
            }
        }
        left
    }

    /// Adds an order behind those of the same price. The caller has matched it: it must not cross.
    pub fn rest(&mut self, side: Side, order: Resting) {
        debug_assert!(order.qty > 0, "an empty order rests");
        debug_assert!(
            self.best(side.other()).is_none_or(|best| side.better(best, order.price)),
            "a resting order crosses the book"
        );
        let orders = self.orders_mut(side);
        let worse = orders.iter().rposition(|other| side.better(order.price, other.price));
        orders.insert(worse.map_or(0, |at| at + 1), order);
    }

    /// Takes one order out, if `owner` has it.
    pub fn cancel(&mut self, owner: Owner, id: u32) -> Option<Resting> {
        [&mut self.bids, &mut self.asks].into_iter().find_map(|orders| {
            let at = orders.iter().position(|order| order.id == id && order.owner == owner)?;
            Some(orders.remove(at))
        })
    }

    /// Takes all orders of `owner` out.
    pub fn cancel_all(&mut self, owner: Owner) {
        self.bids.retain(|order| order.owner != owner);
        self.asks.retain(|order| order.owner != owner);
    }

    fn orders(&self, side: Side) -> &Vec<Resting> {
        match side {
            Side::Buy => &self.bids,
            Side::Sell => &self.asks,
        }
    }

    fn orders_mut(&mut self, side: Side) -> &mut Vec<Resting> {
        match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ME: Owner = Owner::seat(0);
    const YOU: Owner = Owner::seat(1);

    fn order(id: u32, owner: Owner, price: i64, qty: i64) -> Resting {
        Resting { id, owner, price, qty }
    }

    fn asks(orders: &[Resting]) -> Book {
        let mut book = Book::default();
        for order in orders {
            book.rest(Side::Sell, *order);
        }
        book
    }

    fn buy(book: &mut Book, owner: Owner, limit: i64, qty: i64) -> (Vec<Hit>, i64) {
        let mut hits = Vec::new();
        let left = book.take(owner, Side::Buy, limit, qty, |hit| hits.push(hit));
        (hits, left)
    }

    #[test]
    fn better_prices_go_first_then_older_orders() {
        let mut book = asks(&[
            order(1, YOU, 105, 5),
            order(2, YOU, 103, 5),
            order(3, YOU, 103, 5),
            order(4, YOU, 104, 5),
        ]);
        let (hits, left) = buy(&mut book, ME, 104, 18);
        let ids: Vec<u32> =
            hits.iter().map(|hit| if let Hit::Trade(maker) = hit { maker.id } else { 0 }).collect();
        assert_eq!((ids, left), (vec![2, 3, 4], 3));
        assert_eq!(book.best(Side::Sell), Some(105));
    }

    #[test]
    fn a_part_fill_keeps_its_place_in_the_queue() {
        let mut book = asks(&[order(1, YOU, 103, 5), order(2, YOU, 103, 5)]);
        buy(&mut book, ME, 103, 2);
        book.rest(Side::Sell, order(3, YOU, 103, 9));
        let (hits, _) = buy(&mut book, ME, 103, 4);
        assert_eq!(hits, [Hit::Trade(order(1, YOU, 103, 3)), Hit::Trade(order(2, YOU, 103, 1))]);
    }

    #[test]
    fn meeting_oneself_cancels_the_resting_order_and_goes_on() {
        let mut book = asks(&[order(1, ME, 103, 5), order(2, YOU, 103, 5)]);
        let (hits, left) = buy(&mut book, ME, 103, 5);
        assert_eq!(hits, [Hit::SelfTrade(order(1, ME, 103, 5)), Hit::Trade(order(2, YOU, 103, 5))]);
        assert_eq!((left, book), (0, Book::default()));
    }

    #[test]
    fn an_order_is_cancelled_by_its_owner_only() {
        let mut book = asks(&[order(1, YOU, 103, 5)]);
        assert_eq!(book.cancel(ME, 1), None);
        assert_eq!(book.cancel(YOU, 1), Some(order(1, YOU, 103, 5)));
        assert_eq!(book.cancel(YOU, 1), None);
    }

    #[test]
    fn levels_add_up_orders_of_one_price() {
        let book = asks(&[
            order(1, YOU, 105, 5),
            order(2, YOU, 103, 5),
            order(3, ME, 103, 7),
            order(4, YOU, 104, 1),
        ]);
        assert_eq!(book.levels(Side::Sell, 2).collect::<Vec<_>>(), [(103, 12), (104, 1)]);
        assert_eq!((book.open_qty(YOU, Side::Sell), book.open_count(ME)), (11, 1));
    }

    /// The rules said as simply as possible: an unsorted list that is searched for the best and oldest every time.
    #[derive(Default)]
    struct Plain(Vec<(Side, Resting)>);

    impl Plain {
        fn place(&mut self, side: Side, mut incoming: Resting) -> Vec<Hit> {
            let mut hits = Vec::new();
            while incoming.qty > 0 {
                let sign = side.sign();
                let fits = |price: i64| (incoming.price - price) * sign >= 0;
                let candidates = self.0.iter().enumerate();
                let candidates = candidates.filter(|(_, (at, order))| *at != side && fits(order.price));
                let Some((nth, _)) = candidates.min_by_key(|(_, (_, order))| (order.price * sign, order.id))
                else {
                    break;
                };
                let maker = &mut self.0[nth].1;
                if maker.owner == incoming.owner {
                    hits.push(Hit::SelfTrade(*maker));
                    self.0.remove(nth);
                    continue;
                }
                let qty = maker.qty.min(incoming.qty);
                hits.push(Hit::Trade(Resting { qty, ..*maker }));
                incoming.qty -= qty;
                maker.qty -= qty;
                if maker.qty == 0 {
                    self.0.remove(nth);
                }
            }
            if incoming.qty > 0 {
                self.0.push((side, incoming));
            }
            hits
        }
    }

    proptest! {
        #[test]
        fn it_trades_as_the_plainest_book_would(
            orders in prop::collection::vec((any::<bool>(), 0usize..3, 95i64..105, 1i64..20), 1..60)
        ) {
            let (mut book, mut plain) = (Book::default(), Plain::default());
            for (id, (buys, owner, price, qty)) in (1..).zip(orders) {
                let side = if buys { Side::Buy } else { Side::Sell };
                let incoming = order(id, Owner::seat(owner), price, qty);
                let mut hits = Vec::new();
                let left = book.take(incoming.owner, side, price, qty, |hit| hits.push(hit));
                if left > 0 {
                    book.rest(side, Resting { qty: left, ..incoming });
                }
                prop_assert_eq!(hits, plain.place(side, incoming));
                for side in Side::BOTH {
                    let mut expected: Vec<Resting> =
                        plain.0.iter().filter(|(at, _)| *at == side).map(|(_, order)| *order).collect();
                    expected.sort_by_key(|order| (-order.price * side.sign(), order.id));
                    prop_assert_eq!(book.side(side).copied().collect::<Vec<_>>(), expected);
                }
            }
        }
    }
}
