//! What happens in a match besides scores: small JSON objects that players see in `events`.

use std::collections::VecDeque;

use serde::Serialize;
use serde_json::Value;

use super::json;
use super::observation::Json;
use super::seats::{Seat, SeatMap};

/// Who may see an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Everybody.
    All,
    /// One seat.
    Only(Seat),
}

/// Takes events as a match goes on.
pub trait EventSink {
    /// Reports an event; `event` is called only if somebody wants it, so playouts pay nothing.
    fn emit<E: Serialize>(&mut self, audience: Audience, event: impl FnOnce() -> E);
}

/// Drops every event: for playouts and searches.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEvents;

impl EventSink for NoEvents {
    fn emit<E: Serialize>(&mut self, _: Audience, _: impl FnOnce() -> E) {}
}

/// Keeps every event: for tests and hosts.
impl EventSink for Vec<(Audience, Value)> {
    fn emit<E: Serialize>(&mut self, audience: Audience, event: impl FnOnce() -> E) {
        self.push((audience, serde_json::to_value(event()).expect("events are plain data")));
    }
}

/// How many events a seat is shown at most.
const KEPT: usize = 64;

/// What each seat has not seen yet: the newest events since its last own action.
#[derive(Debug, Clone)]
pub struct EventLog {
    waiting: SeatMap<Waiting>,
    /// Where an event is written before it is handed out. Empty in between, so that a fork copies nothing of it.
    written: Vec<u8>,
}

/// The events of one seat as text, ready to be shown: an observation copies it as a whole.
#[derive(Debug, Clone, Default)]
struct Waiting {
    /// One after the other, each with a comma behind it.
    text: Vec<u8>,
    /// The length of each, comma included.
    lengths: VecDeque<usize>,
}

impl Waiting {
    fn push(&mut self, event: &[u8]) {
        if self.lengths.len() == KEPT
            && let Some(oldest) = self.lengths.pop_front()
        {
            self.text.drain(..oldest);
        }
        self.text.extend_from_slice(event);
        self.lengths.push_back(event.len());
    }

    fn clear(&mut self) {
        self.text.clear();
        self.lengths.clear();
    }
}

impl EventLog {
    /// An empty one.
    pub fn new(seats: u8) -> Self {
        let waiting = Seat::first(seats).map(|seat| (seat, Waiting::default())).collect();
        Self { waiting, written: Vec::new() }
    }

    /// Forgets what the seat was shown.
    pub fn clear(&mut self, seat: Seat) {
        if let Some(waiting) = self.waiting.get_mut(seat) {
            waiting.clear();
        }
    }

    /// What the seat is shown, oldest first: a list.
    pub(super) fn of(&self, seat: Seat) -> impl Json {
        SeatEvents(self.waiting.get(seat).map_or(&[], |waiting| &waiting.text))
    }
}

impl EventSink for EventLog {
    fn emit<E: Serialize>(&mut self, audience: Audience, event: impl FnOnce() -> E) {
        let Self { waiting, written } = self;
        json::write(written, &event());
        written.push(b',');
        match audience {
            Audience::All => waiting.iter_mut().for_each(|(_, waiting)| waiting.push(written)),
            Audience::Only(seat) => _ = waiting.get_mut(seat).map(|waiting| waiting.push(written)),
        }
        written.clear();
    }
}

/// Events, each with a comma behind it.
struct SeatEvents<'a>(&'a [u8]);

impl Json for SeatEvents<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        out.extend_from_slice(self.0.strip_suffix(b",").unwrap_or_default());
        out.push(b']');
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn seen(log: &EventLog, seat: Seat) -> Value {
        let mut text = Vec::new();
        log.of(seat).write(&mut text);
        serde_json::from_slice(&text).unwrap()
    }

    #[test]
    fn a_seat_sees_its_own_and_common_events_newest_sixty_four() {
        let mut log = EventLog::new(2);
        let [first, second] = [Seat::new(0), Seat::new(1)];
        for n in 0..70 {
            log.emit(Audience::Only(first), || json!({ "n": n }));
        }
        log.emit(Audience::All, || json!({"n": "all"}));
        let events = seen(&log, first);
        assert_eq!(events.as_array().unwrap().len(), KEPT);
        assert_eq!((&events[0], &events[63]), (&json!({"n": 7}), &json!({"n": "all"})));
        assert_eq!(seen(&log, second), json!([{"n": "all"}]));
        log.clear(second);
        assert_eq!(seen(&log, second), json!([]));
    }
}
