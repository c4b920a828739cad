//! Events on their way out of a policy's task: a short queue that a babbling policy cannot make grow.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::clean::clean_lines;
use super::event::PolicyEventKind;

/// Above this many events no more turns are taken, and stderr and noise wait. Much more than one turn produces.
const FULL: usize = 16;
/// Lines of noise taken together before the policy's output is left unread for a while.
const FLOOD: u64 = 64;
/// Least time between two reports of noise.
const PAUSE: Duration = Duration::from_millis(50);

/// The queue, and the lines that were no answer to anything: the first of them is told at once, those that follow
/// quickly are counted and told together.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    events: VecDeque<PolicyEventKind>,
    garbage: Option<Garbage>,
    stale: Option<Stale>,
    told: Option<Instant>,
}

#[derive(Debug)]
struct Garbage {
    id: Option<u64>,
    text: String,
    why: String,
    count: u64,
}

#[derive(Debug)]
struct Stale {
    id: Option<u64>,
    count: u64,
}

impl Outbox {
    /// Queues an event, after the noise that came before it.
    pub(super) fn push(&mut self, event: PolicyEventKind) {
        self.tell_noise();
        self.events.push_back(event);
    }

    /// Queues a piece of an answer; one that nobody has taken yet grows.
    pub(super) fn streamed(&mut self, id: u64, piece: &str) {
        let piece = clean_lines(piece);
        if let Some(PolicyEventKind::Streamed { id: of, text }) = self.events.back_mut()
            && *of == id
        {
            text.push_str(&piece);
        } else if !piece.is_empty() {
            self.push(PolicyEventKind::Streamed { id, text: piece });
        }
    }

    /// Counts a line that is no answer. `text` is only called for if it will be shown.
    pub(super) fn garbage(
        &mut self,
        id: Option<u64>,
        why: String,
        text: impl FnOnce() -> String,
        at: Instant,
    ) {
        if self.garbage.as_ref().is_some_and(|garbage| garbage.id != id) {
            self.tell_noise();
        }
        let garbage = self.garbage.get_or_insert_with(|| Garbage { id, text: text(), why, count: 0 });
        garbage.count += 1;
        self.tell_noise_if_due(at);
    }

    /// Counts an answer to no open turn.
    pub(super) fn stale(&mut self, id: Option<u64>, at: Instant) {
        let stale = self.stale.get_or_insert(Stale { id, count: 0 });
        stale.id = id;
        stale.count += 1;
        self.tell_noise_if_due(at);
    }

    /// When noise that waits is to be told.
    pub(super) fn wake(&self) -> Option<Instant> {
        let waits = self.garbage.is_some() || self.stale.is_some();
        self.told.filter(|_| waits && !self.is_full()).map(|told| told + PAUSE)
    }

    /// Tells noise whose time has come.
    pub(super) fn tell_noise_if_due(&mut self, now: Instant) {
        if !self.is_full() && self.told.is_none_or(|told| now >= told + PAUSE) {
            self.told = Some(now);
            self.tell_noise();
        }
    }

    fn tell_noise(&mut self) {
        if let Some(Stale { id, count }) = self.stale.take() {
            self.events.push_back(PolicyEventKind::StaleAnswer { id, count });
        }
        if let Some(Garbage { id, text, why, count }) = self.garbage.take() {
            self.events.push_back(PolicyEventKind::Garbage { id, text, why, count });
        }
    }

    pub(super) fn pop(&mut self) -> Option<PolicyEventKind> {
        self.events.pop_front()
    }

    /// Drops everything: nobody listens.
    pub(super) fn clear(&mut self) {
        self.events.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.events.len() >= FULL
    }

    /// True while the policy says more than anyone can read.
    pub(super) fn is_flooded(&self) -> bool {
        let noise = self.garbage.as_ref().map_or(0, |g| g.count) + self.stale.as_ref().map_or(0, |s| s.count);
        self.is_full() || noise > FLOOD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(outbox: &mut Outbox) -> Vec<PolicyEventKind> {
        std::iter::from_fn(|| outbox.pop()).collect()
    }

    fn garbage(id: u64, text: &str, count: u64) -> PolicyEventKind {
        PolicyEventKind::Garbage { id: Some(id), text: text.into(), why: "not JSON".into(), count }
    }

    #[test]
    fn a_flood_of_noise_becomes_two_events_and_the_first_is_at_once() {
        let now = Instant::now();
        let mut outbox = Outbox::default();
        for n in 0..10_000 {
            outbox.garbage(Some(1), "not JSON".into(), || format!("line {n}"), now);
        }
        assert!(outbox.is_flooded());
        assert_eq!(drain(&mut outbox), [garbage(1, "line 0", 1)]);
        assert_eq!(outbox.wake(), Some(now + PAUSE));
        outbox.tell_noise_if_due(now + PAUSE);
        assert_eq!(drain(&mut outbox), [garbage(1, "line 1", 9_999)]);
        assert!(!outbox.is_flooded());
        assert_eq!(outbox.wake(), None);
    }

    #[test]
    fn noise_is_told_before_what_came_after_it() {
        let now = Instant::now();
        let mut outbox = Outbox::default();
        for text in ["a", "b"] {
            outbox.garbage(Some(1), "not JSON".into(), || text.into(), now);
        }
        outbox.push(PolicyEventKind::Ready { name: None });
        assert_eq!(
            drain(&mut outbox),
            [garbage(1, "a", 1), garbage(1, "b", 1), PolicyEventKind::Ready { name: None }]
        );
    }

    #[test]
    fn noise_waits_while_nobody_takes_the_events() {
        let mut now = Instant::now();
        let mut outbox = Outbox::default();
        for id in 0..10_000 {
            now += PAUSE;
            outbox.stale(Some(id), now);
        }
        assert_eq!(outbox.wake(), None);
        assert_eq!(drain(&mut outbox).len(), FULL);
        outbox.tell_noise_if_due(now + PAUSE);
        assert_eq!(drain(&mut outbox), [PolicyEventKind::StaleAnswer { id: Some(9_999), count: 9_984 }]);
    }
}
