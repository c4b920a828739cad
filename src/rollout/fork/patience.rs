//! When to send a batch of forks again: pure decisions, time comes in.

use std::time::Duration;

use crate::api::{Error, ErrorKind};

/// How long the outcome is asked for after the last try that may have started the batch. A batch is kept for about
/// 10 minutes, and a key that was forgotten would start another.
const PATIENCE: Duration = Duration::from_mins(9);

/// After this long the service's edge ends a request that has no answer.
const EDGE: Duration = Duration::from_secs(90);

/// The longest wait between two tries.
const MAX_DELAY: Duration = Duration::from_secs(15);

/// How a try failed, by what it says about the batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// No connection was made: nothing was sent.
    NotSent,
    /// The server had no room and started nothing.
    Shed,
    /// The batch is being made right now.
    Running,
    /// It may be being made.
    Unclear,
    /// The outcome is known, and bad.
    Known,
}

impl Failure {
    pub(super) fn of(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::Connect | ErrorKind::Tls => Self::NotSent,
            ErrorKind::Proxy if error.status().is_none() => Self::NotSent,
            ErrorKind::Timeout | ErrorKind::Lost => Self::Unclear,
            ErrorKind::Server | ErrorKind::RateLimit => Self::answered(error.status(), error.code()),
            _ => Self::Known,
        }
    }

    pub(super) fn answered(status: Option<u16>, code: Option<&str>) -> Self {
        match (status, code) {
            (Some(503), None)
            | (Some(429 | 503), Some("SERVER_BUSY" | "SERVER_DRAINING" | "HOST_AT_CAPACITY")) => Self::Shed,
            (Some(503), Some("RUN_BUSY")) => Self::Running,
            (Some(504), _) | (Some(429 | 503), Some("RUN_BUSY" | "OWNER_UNREACHABLE")) => Self::Unclear,
            _ => Self::Known,
        }
    }
}

/// What is left to try. All times count from the first try.
#[derive(Debug)]
pub(super) struct Patience {
    max_sheds: u32,
    sheds: u32,
    delay: Duration,
    /// Set from the first try on that may have started the batch.
    deadline: Option<Duration>,
}

impl Patience {
    pub(super) fn new(max_sheds: u32) -> Self {
        Self { max_sheds, sheds: 0, delay: Duration::from_secs(1), deadline: None }
    }

    /// How long the server may be silent in a try that starts now.
    pub(super) fn limit(&self, now: Duration) -> Duration {
        self.deadline
            .map_or(EDGE, |deadline| deadline.saturating_sub(now).clamp(Duration::from_secs(1), EDGE))
    }

    /// Takes a failure of the try from `start` to `now`; says how long to wait before the next, or `None` to give
    /// up.
    pub(super) fn after(&mut self, start: Duration, now: Duration, failure: Failure) -> Option<Duration> {
        if failure == Failure::Known {
            return None;
        }
        if self.deadline.is_none() && matches!(failure, Failure::NotSent | Failure::Shed) {
            self.sheds += 1;
            return (self.sheds <= self.max_sheds).then_some(self.delay);
        }
        if self.deadline.is_none() || failure == Failure::Running {
            // From the start of the try: a late answer says nothing about now.
            self.deadline = Some(start + PATIENCE);
        }
        self.deadline.is_some_and(|deadline| now + self.delay < deadline).then_some(self.delay)
    }

    /// After the wait: whether to send, since the program may have been stopped meanwhile.
    pub(super) fn woke(&mut self, now: Duration) -> bool {
        self.delay = (self.delay * 2).min(MAX_DELAY);
        self.deadline.is_none_or(|deadline| now < deadline)
    }
}
