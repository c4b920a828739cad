//! What happens in a match besides scores: small JSON objects that players see in `events`.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

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
    fn emit(&mut self, audience: Audience, event: impl FnOnce() -> Value);
}

/// Drops every event: for playouts and searches.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEvents;

impl EventSink for NoEvents {
    fn emit(&mut self, _: Audience, _: impl FnOnce() -> Value) {}
}

/// Keeps every event: for tests and hosts.
impl EventSink for Vec<(Audience, Value)> {
    fn emit(&mut self, audience: Audience, event: impl FnOnce() -> Value) {
        self.push((audience, event()));
    }
}

/// How many events a seat is shown at most.
const KEPT: usize = 64;

/// What each seat has not seen yet: the newest events since its last own action.
#[derive(Debug, Clone)]
pub struct EventLog {
    seats: u8,
    // Shared, because an event for all would otherwise be kept once a seat, and once more a fork.
    waiting: SeatMap<VecDeque<Arc<RawValue>>>,
}

impl EventLog {
    /// An empty one.
    pub fn new(seats: u8) -> Self {
        Self { seats, waiting: Seat::first(seats).map(|seat| (seat, VecDeque::new())).collect() }
    }

    /// Forgets what the seat was shown.
    pub fn clear(&mut self, seat: Seat) {
        if let Some(waiting) = self.waiting.get_mut(seat) {
            waiting.clear();
        }
    }

    /// What the seat is shown, oldest first.
    pub fn of(&self, seat: Seat) -> impl Serialize {
        SeatEvents(self.waiting.get(seat))
    }
}

impl EventSink for EventLog {
    fn emit(&mut self, audience: Audience, event: impl FnOnce() -> Value) {
        let event = serde_json::value::to_raw_value(&event()).expect("JSON values serialise");
        let event: Arc<RawValue> = event.into();
        for seat in Seat::first(self.seats) {
            if audience != Audience::All && audience != Audience::Only(seat) {
                continue;
            }
            let Some(waiting) = self.waiting.get_mut(seat) else { continue };
            if waiting.len() == KEPT {
                waiting.pop_front();
            }
            waiting.push_back(Arc::clone(&event));
        }
    }
}

struct SeatEvents<'a>(Option<&'a VecDeque<Arc<RawValue>>>);

impl Serialize for SeatEvents<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.into_iter().flatten().map(AsRef::<RawValue>::as_ref))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_seat_sees_its_own_and_common_events_newest_sixty_four() {
        let mut log = EventLog::new(2);
        let [first, second] = [Seat::new(0), Seat::new(1)];
        for n in 0..70 {
            log.emit(Audience::Only(first), || json!({ "n": n }));
        }
        log.emit(Audience::All, || json!({"n": "all"}));
        let seen = serde_json::to_value(log.of(first)).unwrap();
        assert_eq!(seen.as_array().unwrap().len(), KEPT);
        assert_eq!((&seen[0], &seen[63]), (&json!({"n": 7}), &json!({"n": "all"})));
        assert_eq!(serde_json::to_value(log.of(second)).unwrap(), json!([{"n": "all"}]));
        log.clear(second);
        assert_eq!(serde_json::to_value(log.of(second)).unwrap(), json!([]));
    }
}
