//! Scores, rewards and latencies of a session over its moments: which part is shown, and where the cursor stands.

use crate::client::{FeedId, Request};
use crate::tape::{Chart, Order};

use crate::app::App;
use crate::app::effect::Effect;

/// Steps asked for: as many as a wide chart has dots.
const BUCKETS: usize = 240;
/// The fewest moments shown.
const LEAST: usize = 8;

/// The charts on screen.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Charts {
    /// The first moment shown.
    from: usize,
    /// The last; nothing for the newest there is.
    to: Option<usize>,
    /// The step under the cursor; nothing for the newest.
    cursor: Option<usize>,
    /// The order that is under way.
    asked: Option<u64>,
    /// What came last.
    pub chart: Option<Chart>,
}

impl Charts {
    /// Curves, all of them shown.
    pub fn of(chart: Chart) -> Self {
        Self { chart: Some(chart), ..Self::default() }
    }

    fn steps(&self) -> usize {
        self.chart.as_ref().map_or(0, |chart| chart.ticks.len())
    }

    /// The step that is inspected.
    pub fn at(&self) -> usize {
        let last = self.steps().saturating_sub(1);
        self.cursor.map_or(last, |at| at.min(last))
    }

    /// Its tick.
    pub fn tick(&self) -> Option<u64> {
        self.chart.as_ref()?.ticks.get(self.at()).copied()
    }

    /// Whether all of the session is shown.
    pub fn is_whole(&self) -> bool {
        self.from == 0 && self.to.is_none()
    }

    /// Moves the cursor. True when it left what is shown, which then moves along.
    fn step(&mut self, by: isize) -> bool {
        let wanted = self.at().saturating_add_signed(by);
        let Some(chart) = self.chart.as_ref().filter(|chart| !chart.ticks.is_empty()) else { return false };
        let (first, last) = (chart.from, chart.to);
        let span = last.saturating_sub(first);
        self.cursor = Some(wanted.min(self.steps() - 1));
        let slid = (span / 4).max(1);
        if by > 0 && wanted >= self.steps() {
            let Some(to) = self.to else { return false };
            (self.from, self.to) = (self.from + slid, Some(to + slid));
            return true;
        }
        if by < 0 && self.at() == 0 && self.from > 0 {
            let slid = slid.min(self.from);
            (self.from, self.to) = (self.from - slid, Some(last.saturating_sub(slid).max(LEAST)));
            return true;
        }
        false
    }

    /// Shows half as much around the cursor, or twice as much.
    fn zoom(&mut self, closer: bool) {
        let Some(chart) = &self.chart else { return };
        let span = (chart.to.saturating_sub(chart.from)).max(1);
        let middle = chart.from + span * self.at() / self.steps().max(1);
        let wide = if closer { (span / 2).max(LEAST) } else { span.saturating_mul(2) };
        let from = middle.saturating_sub(wide / 2);
        let everything =
            !closer && from == 0 && middle + wide / 2 >= chart.to && self.to.is_none_or(|to| to >= chart.to);
        (self.from, self.to) = if everything { (0, None) } else { (from, Some(from + wide)) };
        self.cursor = None;
        if !everything {
            self.cursor = Some(BUCKETS.min(wide) * (middle - from) / wide.max(1));
        }
    }
}

impl App {
    /// Opens the charts of the session on screen, or closes them.
    pub(in crate::app) fn toggle_charts(&mut self) -> Vec<Effect> {
        let Some(feed) = self.on_screen().map(|(live, _)| live.feed) else { return Vec::new() };
        self.fields.turn_to(feed);
        if self.fields.charts.take().is_some() {
            return Vec::new();
        }
        self.fields.charts = Some(Charts::default());
        self.ask_for_chart(feed)
    }

    fn ask_for_chart(&mut self, feed: FeedId) -> Vec<Effect> {
        let ticket = self.number();
        let Some(charts) = &mut self.fields.charts else { return Vec::new() };
        charts.asked = Some(ticket);
        let order =
            Order::Chart { ticket, from: charts.from, to: charts.to.unwrap_or(usize::MAX), buckets: BUCKETS };
        vec![Effect::Send(Request::Tape(feed, order))]
    }

    /// Whether charts are on screen, so that they have the keys.
    pub fn in_charts(&self) -> bool {
        self.fields.charts.is_some()
            && self.on_screen().is_some_and(|(live, _)| self.fields.is_about(live.feed))
    }

    /// Takes curves that were asked for.
    pub(in crate::app) fn take_chart(&mut self, ticket: u64, chart: Chart) {
        if let Some(charts) = self.fields.charts.as_mut().filter(|charts| charts.asked == Some(ticket)) {
            charts.asked = None;
            charts.chart = Some(chart);
        }
    }

    /// Asks for the curves again when there is more to see: one order at a time.
    pub(in crate::app) fn chart_again(&mut self, feed: FeedId) -> Vec<Effect> {
        let waits = self.fields.charts.as_ref().is_none_or(|charts| charts.asked.is_some());
        if waits || !self.fields.is_about(feed) { Vec::new() } else { self.ask_for_chart(feed) }
    }

    /// Moves the cursor of the charts.
    pub(in crate::app) fn step_in_charts(&mut self, by: isize) -> Vec<Effect> {
        let moved = self.fields.charts.as_mut().is_some_and(|charts| charts.step(by));
        if moved { self.charts_changed() } else { Vec::new() }
    }

    /// Shows less of the session at a time, or more.
    pub(in crate::app) fn zoom_charts(&mut self, closer: bool) -> Vec<Effect> {
        if let Some(charts) = &mut self.fields.charts {
            charts.zoom(closer);
        }
        self.charts_changed()
    }

    fn charts_changed(&mut self) -> Vec<Effect> {
        match self.on_screen().map(|(live, _)| live.feed) {
            Some(feed) => self.ask_for_chart(feed),
            None => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charts(from: usize, to: usize) -> Charts {
        let ticks = (from as u64..=to as u64).collect();
        Charts { chart: Some(Chart { from, to, ticks, curves: Vec::new() }), ..Charts::default() }
    }

    #[test]
    fn the_cursor_stands_at_the_end_until_it_is_moved() {
        let mut charts = charts(0, 99);
        assert_eq!(charts.tick(), Some(99));
        assert!(!charts.step(-10));
        assert_eq!(charts.tick(), Some(89));
        assert!(!charts.step(50));
        assert_eq!(charts.tick(), Some(99));
        assert!(!Charts::default().step(1));
    }

    #[test]
    fn zooming_in_keeps_the_cursor_in_the_middle_and_out_shows_all_again() {
        let mut charts = charts(0, 99);
        charts.step(-50);
        charts.zoom(true);
        assert!(!charts.is_whole());
        let (from, to) = (charts.from, charts.to.unwrap());
        assert!(from < 49 && to > 49 && to - from < 60, "{from} {to}");
        charts.chart =
            Some(Chart { from, to, ticks: (from as u64..=to as u64).collect(), curves: Vec::new() });
        assert!((47..=51).contains(&charts.tick().unwrap()), "{:?}", charts.tick());
        for _ in 0..8 {
            charts.zoom(false);
            let (from, to) = (charts.from, charts.to.unwrap_or(99).min(99));
            let ticks = (from as u64..=to as u64).collect();
            charts.chart = Some(Chart { from, to, ticks, curves: Vec::new() });
        }
        assert!(charts.is_whole());
    }

    #[test]
    fn a_cursor_at_the_edge_of_a_part_moves_the_part() {
        let mut charts = charts(40, 59);
        (charts.from, charts.to) = (40, Some(59));
        charts.step(-100);
        assert!(charts.step(-1));
        assert!(charts.from < 40);
    }
}
