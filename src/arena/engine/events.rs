//! What happens in a match besides scores: small JSON objects that players see in `events`.

use serde_json::Value;

use super::seats::Seat;

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
