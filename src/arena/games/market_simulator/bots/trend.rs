//! Players that look at nothing but past marks.

use super::super::actions::Plan;
use super::super::observe::View;
use super::super::{MarketSimulator, STOCKS};
use super::{chase, is_lively};
use crate::arena::engine::Bot;

/// Which stocks a player trades.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    /// All.
    Anywhere,
    /// Those whose marks move smoothly.
    Calm,
    /// Those whose marks jump about.
    Lively,
}

impl Where {
    /// Shares that it holds at most: less where it cannot know that its idea fits.
    fn stake(self, view: &View<'_>, stock: usize) -> Option<i64> {
        match self {
            Self::Anywhere => Some(40),
            Self::Calm => (!is_lively(view, stock)?).then_some(100),
            Self::Lively => is_lively(view, stock)?.then_some(100),
        }
    }
}

/// Holds what has risen and owes what has fallen.
pub(super) struct Momentum(pub(super) Where);

impl Bot<MarketSimulator> for Momentum {
    fn act(&mut self, view: &View<'_>) -> Plan {
        let steps = (0..STOCKS).filter_map(|stock| {
            let stake = self.0.stake(view, stock)?;
            let trend = mean(view, stock, 5)? - mean(view, stock, 20)?;
            // Between the two it keeps what it has: crossings within the spread cost more than they tell.
            (trend.abs() >= 5.0).then(|| chase(view, stock, stake * trend.signum() as i64))?
        });
        steps.collect()
    }
}

/// Holds what is cheap against its past and owes what is dear.
pub(super) struct Reversion(pub(super) Where);

impl Bot<MarketSimulator> for Reversion {
    fn act(&mut self, view: &View<'_>) -> Plan {
        let steps = (0..STOCKS).filter_map(|stock| {
            let stake = self.0.stake(view, stock)?;
            let gap = mean(view, stock, 40)? - view.mark(stock) as f64;
            (gap.abs() >= 40.0).then(|| chase(view, stock, stake * gap.signum() as i64))?
        });
        steps.collect()
    }
}

/// The mean of the last `n` marks, if there are as many.
fn mean(view: &View<'_>, stock: usize, n: usize) -> Option<f64> {
    let enough = view.tick() + 1 >= view.oldest() + n as u32;
    enough.then(|| view.history(stock).rev().take(n).sum::<i64>() as f64 / n as f64)
}
