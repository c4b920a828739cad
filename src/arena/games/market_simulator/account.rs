//! Cash and shares of everybody in the market. Moves between accounts keep both totals.

use super::book::Owner;
use super::{MARGIN_PERCENT, STOCKS};

/// One owner's cash and shares.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Account {
    /// In cents; below zero when shares were bought on credit.
    pub cash: i64,
    /// Per stock; below zero when sold short.
    pub shares: [i64; STOCKS],
    /// Fees paid so far, in cents; they have left `cash` already.
    pub fees: i64,
}

impl Account {
    /// Cash and the worth of all shares at these prices.
    pub(super) fn equity(&self, prices: [i64; STOCKS]) -> i64 {
        self.cash + self.shares.iter().zip(prices).map(|(shares, price)| shares * price).sum::<i64>()
    }

    /// The worth of all shares, long and short added up.
    pub(super) fn exposure(&self, prices: [i64; STOCKS]) -> i64 {
        self.shares.iter().zip(prices).map(|(shares, price)| shares.abs() * price).sum()
    }

    /// Whether equity is less than the margin that the exposure needs.
    pub(super) fn is_short_of_margin(&self, prices: [i64; STOCKS]) -> bool {
        self.equity(prices) * 100 < self.exposure(prices) * MARGIN_PERCENT
    }
}

/// All accounts of a match.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Accounts([Account; Owner::COUNT]);

impl Accounts {
    /// `seats` accounts with `cash` each; the house and the crowd start with nothing and may owe.
    pub(super) fn new(seats: u8, cash: i64) -> Self {
        let mut accounts: [Account; Owner::COUNT] = Default::default();
        for account in &mut accounts[..usize::from(seats)] {
            account.cash = cash;
        }
        Self(accounts)
    }

    /// One owner's account.
    pub(super) fn of(&self, owner: Owner) -> &Account {
        &self.0[owner.index()]
    }

    /// Every account.
    #[cfg(test)]
    pub(super) fn all(&self) -> &[Account] {
        &self.0
    }

    /// Moves shares from one account to another at `price` cents each, cash the other way. Below zero: reversed.
    pub(super) fn trade(&mut self, from: Owner, to: Owner, stock: usize, qty: i64, price: i64) {
        self.0[from.index()].shares[stock] -= qty;
        self.0[to.index()].shares[stock] += qty;
        self.0[to.index()].cash -= qty * price;
        self.0[from.index()].cash += qty * price;
    }

    /// Pays a fee to the house.
    pub(super) fn pay_fee(&mut self, by: Owner, fee: i64) {
        self.0[by.index()].cash -= fee;
        self.0[by.index()].fees += fee;
        self.0[Owner::HOUSE.index()].cash += fee;
    }

    /// Moves everything `from` has, and owes, to the house.
    pub(super) fn seize(&mut self, from: Owner) {
        let taken = std::mem::take(&mut self.0[from.index()]);
        self.0[from.index()].fees = taken.fees;
        let house = &mut self.0[Owner::HOUSE.index()];
        house.cash += taken.cash;
        for (own, shares) in house.shares.iter_mut().zip(taken.shares) {
            *own += shares;
        }
    }

    /// Turns one owner's shares into cash at these prices, against the house.
    pub(super) fn close(&mut self, owner: Owner, prices: [i64; STOCKS]) {
        for (stock, price) in prices.into_iter().enumerate() {
            self.trade(owner, Owner::HOUSE, stock, self.of(owner).shares[stock], price);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ME: Owner = Owner::seat(0);

    #[test]
    fn every_move_keeps_cash_and_shares() {
        let mut accounts = Accounts::new(2, 500);
        accounts.trade(ME, Owner::HOUSE, 0, 7, 30);
        accounts.trade(Owner::seat(1), ME, 1, -3, 40);
        accounts.pay_fee(ME, 5);
        assert_eq!(accounts.of(ME), &Account { cash: 500 + 210 + 120 - 5, shares: [-7, -3], fees: 5 });
        accounts.close(ME, [10, 20]);
        assert_eq!(accounts.of(ME), &Account { cash: 825 - 70 - 60, shares: [0, 0], fees: 5 });
        accounts.seize(Owner::seat(1));
        assert_eq!(accounts.of(Owner::seat(1)), &Account::default());
        assert_eq!(accounts.all().iter().map(|account| account.cash).sum::<i64>(), 1_000);
        for stock in 0..STOCKS {
            assert_eq!(accounts.all().iter().map(|account| account.shares[stock]).sum::<i64>(), 0);
        }
    }

    #[test]
    fn margin_is_fifteen_percent_of_long_and_short_together() {
        let prices = [10_000, 10_000];
        // 300 shares at 100.00 need 450,000 cents.
        let with_equity = |equity: i64| Account { cash: equity - 1_000_000, shares: [200, -100], fees: 0 };
        for (equity, short) in [(449_999, true), (450_000, false), (-1, true), (2_000_000, false)] {
            assert_eq!(with_equity(equity).equity(prices), equity);
            assert_eq!(with_equity(equity).is_short_of_margin(prices), short, "{equity}");
        }
        assert!(!Account::default().is_short_of_margin(prices), "nothing needs no margin");
    }
}
