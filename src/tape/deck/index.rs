//! Where in a recording each line and each moment is, and what is worth going to.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::api::{Message, MessageKind};
use crate::tape::curves::{Chart, Curves};
use crate::tape::line::{Line, LineKind, Totals, Unread};
use crate::tape::numbers;

use super::marks::Marks;
use super::spill::Spill;
use super::{Place, Skipped, Summary};

/// Lines known of one recording: 24 bytes each on disk, with the moment. What comes after is in the file and cannot be gone to.
const MOST_LINES: usize = 4 << 20;
/// Seats known of one recording.
const MOST_SEATS: usize = 64;

/// Knows a file without holding it. Lines that cannot be read are in it no more than as a count.
#[derive(Debug, Default)]
pub(in crate::tape) struct Index {
    lines: Spill<5>,
    /// The line of each moment.
    moments: Spill<1>,
    bytes: u64,
    tick: u64,
    at_ms: u64,
    skipped: Skipped,
    marks: Marks,
    curves: Curves,
    game: Option<String>,
    player_id: Option<String>,
    seats: BTreeSet<String>,
}

/// Where a line is and when it was.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    offset: u64,
    length: u32,
    tick: u32,
    /// Milliseconds since the beginning.
    time: u32,
}

impl Entry {
    fn packed(self) -> [u32; 5] {
        [self.offset as u32, (self.offset >> 32) as u32, self.length, self.tick, self.time]
    }

    fn unpacked([low, high, length, tick, time]: [u32; 5]) -> Self {
        Self { offset: u64::from(high) << 32 | u64::from(low), length, tick, time }
    }
}

impl Index {
    /// Of a file that holds nothing but a header of so many bytes.
    pub(in crate::tape) fn new(bytes: u64) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// Adds the next line of the file, of so many bytes.
    pub(in crate::tape) fn add(&mut self, length: u64, line: Result<&Line, Unread>) {
        let offset = self.bytes;
        self.bytes += length;
        let line = match line {
            Ok(line) if self.lines.len() < MOST_LINES => line,
            Err(Unread::Unknown) => {
                self.skipped.unknown += 1;
                return;
            }
            Ok(_) | Err(Unread::Broken) => {
                self.skipped.lines += 1;
                self.skipped.bytes += length;
                return;
            }
        };
        let heard = if let LineKind::Heard(message) = &line.what { Some(message) } else { None };
        self.at_ms = self.at_ms.max(line.at_ms);
        // Going to a tick needs them in order.
        self.tick = self.tick.max(heard.and_then(|message| message.tick).unwrap_or(0));
        if heard.is_some_and(|message| message.kind == MessageKind::Observation) {
            self.moments.push([self.lines.len() as u32]);
        }
        let short = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let entry = Entry { offset, length: short(length), tick: short(self.tick), time: short(self.at_ms) };
        self.lines.push(entry.packed());
        self.learn(line);
    }

    /// Learns what the line says of the session.
    fn learn(&mut self, line: &Line) {
        let nth = self.moments.len().saturating_sub(1);
        match &line.what {
            LineKind::Heard(message) if message.kind == MessageKind::Observation => {
                self.observe(nth, message);
            }
            LineKind::Heard(message) if message.kind == MessageKind::GameCompleted => {
                let scores = numbers::scores(message);
                self.marks.score(nth, self.tick, &scores);
                self.curves.score(nth, &scores);
            }
            LineKind::Heard(message) if message.kind == MessageKind::Session && self.game.is_none() => {
                let session = message.member::<crate::api::model::Session>("session");
                self.game =
                    session.map(|session| session.game.as_str().to_owned()).filter(|game| !game.is_empty());
            }
            LineKind::About(about) => {
                self.game = self.game.take().or_else(|| about.game.clone());
                self.player_id = self.player_id.take().or_else(|| about.player_id.clone());
            }
            LineKind::Acted(act) if !act.shadow && self.moments.len() > 0 => {
                let ms = line.at_ms.saturating_sub(self.time_of(nth).0.as_millis() as u64);
                self.curves.took(nth, &act.player_id, ms as f64);
            }
            _ => {}
        }
        self.marks.look(nth, self.tick, &line.what);
    }

    fn observe(&mut self, nth: usize, message: &Message) {
        let numbers = numbers::of(message);
        self.marks.score(nth, self.tick, &numbers.scores);
        self.curves.score(nth, &numbers.scores);
        self.curves.reward(nth, &numbers.rewards);
        for (player, ms) in &numbers.latencies {
            self.curves.took(nth, player, *ms);
        }
        for seat in numbers.seats {
            if self.seats.len() < MOST_SEATS && !self.seats.contains(&seat) {
                self.seats.insert(seat);
            }
        }
    }

    pub(super) fn bookmark(&mut self, nth: usize, note: Option<String>) {
        self.marks.bookmark(nth, self.tick_of(nth), note);
    }

    pub(in crate::tape) fn summary(&self) -> Summary {
        Summary {
            moments: self.moments.len(),
            tick: self.tick,
            length: Duration::from_millis(self.at_ms),
            bytes: self.bytes,
            markers: self.marks.all(),
            skipped: self.skipped,
            notes: self.marks.notes(),
            players: self.curves.players().cloned().collect(),
        }
    }

    /// What it came to so far.
    pub(in crate::tape) fn totals(&self) -> Totals {
        let players = self.curves.players().cloned();
        let seats: BTreeSet<String> = players.chain(self.seats.iter().cloned()).collect();
        Totals {
            game: self.game.clone(),
            player_id: self.player_id.clone(),
            seats: seats.into_iter().collect(),
            moments: self.moments.len(),
            tick: self.tick,
            scores: self.curves.scores(),
            ended: self.marks.has_ended(),
            length_ms: self.at_ms,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn skipped(&self) -> Skipped {
        self.skipped
    }

    pub(super) fn chart(&self, from: usize, to: usize, buckets: usize) -> Chart {
        let Some(last) = self.moments.len().checked_sub(1) else { return Chart::default() };
        let (from, to) = (from.min(last), to.min(last));
        self.curves.chart(from.min(to), to.max(from), buckets, |nth| self.tick_of(nth))
    }

    /// The moment at a place; none while there is no moment at all.
    pub(super) fn resolve(&self, at: Place) -> Option<usize> {
        let last = self.moments.len().checked_sub(1)?;
        let nth = match at {
            Place::Nth(nth) => nth,
            Place::Tick(tick) => {
                self.moments.partition_point(|[line]| u64::from(self.entry(line as usize).tick) < tick)
            }
            Place::Percent(percent) => (percent.clamp(0.0, 100.0) / 100.0 * last as f64).round() as usize,
            Place::MarkerAfter(nth) => self.marks.after(nth).unwrap_or(last),
            Place::MarkerBefore(nth) => self.marks.before(nth).unwrap_or(0),
            Place::Last => last,
        };
        Some(nth.min(last))
    }

    fn tick_of(&self, nth: usize) -> u64 {
        self.moment(nth).map_or(0, |line| u64::from(self.entry(line).tick))
    }

    /// The line a moment begins with.
    pub(super) fn line_of(&self, nth: usize) -> usize {
        self.moment(nth).unwrap_or(self.lines.len())
    }

    fn moment(&self, nth: usize) -> Option<usize> {
        self.moments.get(nth).map(|[line]| line as usize)
    }

    fn entry(&self, line: usize) -> Entry {
        self.lines.get(line).map(Entry::unpacked).unwrap_or_default()
    }

    /// The line after a moment: for the newest one, after all that came since.
    pub(super) fn end_of(&self, nth: usize) -> usize {
        if nth + 1 < self.moments.len() { self.line_of(nth) + 1 } else { self.lines.len() }
    }

    /// When a moment was, and how long it lasted.
    pub(super) fn time_of(&self, nth: usize) -> (Duration, Option<Duration>) {
        let at = |nth| self.moment(nth).map(|line| Duration::from_millis(u64::from(self.entry(line).time)));
        let start = at(nth).unwrap_or_default();
        (start, at(nth + 1).map(|next| next.saturating_sub(start)))
    }

    pub(super) fn bytes_of(&self, line: usize) -> (u64, usize) {
        let Entry { offset, length, .. } = self.entry(line);
        (offset, length as usize)
    }

    /// The lines before this one that are no observations, the newest of them, oldest first.
    pub(super) fn earlier(&self, until: usize, most: usize) -> Vec<usize> {
        let mut before = self.moments.partition_point(|[line]| (line as usize) < until);
        let mut lines = Vec::new();
        for line in (0..until.min(self.lines.len())).rev() {
            if before > 0 && self.moment(before - 1) == Some(line) {
                before -= 1;
            } else {
                lines.push(line);
                if lines.len() == most {
                    break;
                }
            }
        }
        lines.reverse();
        lines
    }
}
