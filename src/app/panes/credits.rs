//! Credits: what is left, what was spent on what, what burns now.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::api::model::{Balance, Listing, UsageEntry};
use crate::app::remote::Remote;

/// State of the Credits pane.
#[derive(Debug, Default)]
pub struct CreditsPane {
    /// The balance.
    pub balance: Remote<Balance>,
    /// When it was told.
    pub balance_at: Option<Timestamp>,
    /// The newest usage entries.
    pub usage: Remote<Listing<UsageEntry>>,
    /// First entry on screen.
    pub scroll: usize,
}

impl CreditsPane {
    /// All entries that were loaded, newest first.
    pub fn entries(&self) -> &[UsageEntry] {
        self.usage.value().map_or(&[], |listing| &listing.items)
    }

    /// Credits spent on each of the last `days` days (UTC), oldest first.
    pub fn by_day(&self, now: Timestamp, days: usize) -> Vec<(Date, f64)> {
        let today = now.to_zoned_datetime(TimeZone::UTC).date();
        let mut spent: BTreeMap<Date, f64> = BTreeMap::new();
        for entry in self.spending() {
            if let Some(at) = when(entry.created_at.as_deref()) {
                *spent.entry(at.to_zoned_datetime(TimeZone::UTC).date()).or_default() += spent_on(entry);
            }
        }
        let day = |back: usize| today.saturating_sub(jiff::Span::new().days(back as i64));
        (0..days).rev().map(day).map(|date| (date, spent.get(&date).copied().unwrap_or_default())).collect()
    }

    /// Credits spent by kind, the most expensive first.
    pub fn by_kind(&self) -> Vec<(&str, f64)> {
        let mut spent: BTreeMap<&str, f64> = BTreeMap::new();
        for entry in self.spending() {
            *spent.entry(entry.kind.as_deref().unwrap_or("other")).or_default() += spent_on(entry);
        }
        let mut kinds: Vec<_> = spent.into_iter().collect();
        kinds.sort_by(|a, b| b.1.total_cmp(&a.1));
        kinds
    }

    /// Credits spent in the hour before `now`.
    pub fn burn_per_hour(&self, now: Timestamp) -> f64 {
        let recent = |at: Timestamp| now.as_second() - at.as_second() <= 3600;
        self.spending()
            .filter(|entry| when(entry.created_at.as_deref()).is_some_and(recent))
            .map(spent_on)
            .sum()
    }

    fn spending(&self) -> impl Iterator<Item = &UsageEntry> {
        self.entries().iter().filter(|entry| spent_on(entry) > 0.0)
    }
}

/// Credits an entry took; negative for what it gave.
pub fn spent_on(entry: &UsageEntry) -> f64 {
    entry.credits.filter(|credits| credits.is_finite()).unwrap_or_default()
}

/// A time of the API, if it can be read.
pub fn when(text: Option<&str>) -> Option<Timestamp> {
    text?.parse().ok()
}
