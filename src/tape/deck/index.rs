//! Where in a recording each line and each moment is, and what is worth going to.

use std::time::Duration;

use crate::api::MessageKind;
use crate::tape::line::{Line, LineKind};

use super::marks::Marks;
use super::{Place, Summary};

/// Knows a file without holding it.
#[derive(Debug)]
pub(super) struct Index {
    lines: Vec<Entry>,
    /// The line of each moment.
    moments: Vec<u32>,
    bytes: u64,
    tick: u64,
    marks: Marks,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    offset: u64,
    length: u32,
    tick: u64,
    at_ms: u64,
    is_moment: bool,
}

impl Index {
    /// Of a file that holds nothing but a header of so many bytes.
    pub(super) fn new(bytes: u64) -> Self {
        Self { lines: Vec::new(), moments: Vec::new(), bytes, tick: 0, marks: Marks::default() }
    }

    /// Adds the next line of the file; one that cannot be read is skipped later.
    pub(super) fn add(&mut self, length: usize, line: Option<&Line>) {
        let is_moment = matches!(line.map(|line| &line.what),
            Some(LineKind::Heard(message)) if message.kind == MessageKind::Observation);
        if let Some(LineKind::Heard(message)) = line.map(|line| &line.what) {
            self.tick = message.tick.unwrap_or(self.tick);
        }
        let at_ms = line.map_or_else(|| self.lines.last().map_or(0, |entry| entry.at_ms), |line| line.at_ms);
        if is_moment {
            self.moments.push(self.lines.len() as u32);
        }
        self.lines.push(Entry {
            offset: self.bytes,
            length: length as u32,
            tick: self.tick,
            at_ms,
            is_moment,
        });
        self.bytes += length as u64;
        if let Some(line) = line {
            self.marks.look(self.moments.len().saturating_sub(1), self.tick, &line.what);
        }
    }

    pub(super) fn bookmark(&mut self, nth: usize, note: Option<String>) {
        let tick = self.moments.get(nth).map_or(0, |line| self.lines[*line as usize].tick);
        self.marks.bookmark(nth, tick, note);
    }

    pub(super) fn summary(&self) -> Summary {
        Summary {
            moments: self.moments.len(),
            tick: self.tick,
            length: Duration::from_millis(self.lines.last().map_or(0, |entry| entry.at_ms)),
            bytes: self.bytes,
            markers: self.marks.all(),
        }
    }

    /// The moment at a place; none while there is no moment at all.
    pub(super) fn resolve(&self, at: Place) -> Option<usize> {
        let last = self.moments.len().checked_sub(1)?;
        let nth = match at {
            Place::Nth(nth) => nth,
            Place::Tick(tick) => self.moments.partition_point(|line| self.lines[*line as usize].tick < tick),
            Place::Percent(percent) => (percent.clamp(0.0, 100.0) / 100.0 * last as f64).round() as usize,
            Place::MarkerAfter(nth) => self.marks.after(nth).unwrap_or(last),
            Place::MarkerBefore(nth) => self.marks.before(nth).unwrap_or(0),
            Place::Last => last,
        };
        Some(nth.min(last))
    }

    /// The line a moment begins with.
    pub(super) fn line_of(&self, nth: usize) -> usize {
        self.moments.get(nth).map_or(self.lines.len(), |line| *line as usize)
    }

    /// The line after a moment: for the newest one, after all that came since.
    pub(super) fn end_of(&self, nth: usize) -> usize {
        if nth + 1 < self.moments.len() { self.line_of(nth) + 1 } else { self.lines.len() }
    }

    /// When a moment was, and how long it lasted.
    pub(super) fn time_of(&self, nth: usize) -> (Duration, Option<Duration>) {
        let at = |nth: usize| {
            self.moments.get(nth).map(|line| Duration::from_millis(self.lines[*line as usize].at_ms))
        };
        let start = at(nth).unwrap_or_default();
        (start, at(nth + 1).map(|next| next.saturating_sub(start)))
    }

    pub(super) fn bytes_of(&self, line: usize) -> (u64, usize) {
        self.lines.get(line).map_or((0, 0), |entry| (entry.offset, entry.length as usize))
    }

    /// The lines before this one that are no observations, the newest of them, oldest first.
    pub(super) fn earlier(&self, until: usize, most: usize) -> Vec<usize> {
        let mut lines: Vec<usize> =
            (0..until).rev().filter(|line| !self.lines[*line].is_moment).take(most).collect();
        lines.reverse();
        lines
    }
}
