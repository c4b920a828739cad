//! Data that lives elsewhere: what we have of it and how its loading goes.

use std::sync::Arc;

use crate::api::Error as ApiError;
use crate::client::Ticket;

/// Remote data with its state; the last good value stays while it reloads or fails.
#[derive(Debug, Clone, Default)]
pub enum Remote<T> {
    /// Never asked for.
    #[default]
    Idle,
    /// Asked for; `last` is what we had before.
    Loading {
        /// The question whose answer counts.
        ticket: Ticket,
        /// What we had before.
        last: Option<T>,
        /// Why the question before failed, if it did: shown until there is an answer.
        failed: Option<Arc<ApiError>>,
    },
    /// Here.
    Ready(T),
    /// The last question failed; `last` is what we had before.
    Failed {
        /// Why.
        why: Arc<ApiError>,
        /// What we had before.
        last: Option<T>,
    },
}

impl<T> Remote<T> {
    /// The newest good value.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Ready(value) => Some(value),
            Self::Loading { last, .. } | Self::Failed { last, .. } => last.as_ref(),
            Self::Idle => None,
        }
    }

    /// The newest good value, to change.
    pub fn value_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Ready(value) => Some(value),
            Self::Loading { last, .. } | Self::Failed { last, .. } => last.as_mut(),
            Self::Idle => None,
        }
    }

    /// Whether an answer is awaited.
    pub fn is_loading(&self) -> bool {
        matches!(self, Self::Loading { .. })
    }

    /// Why the last question that was answered failed, if it did.
    pub fn failure(&self) -> Option<&Arc<ApiError>> {
        match self {
            Self::Failed { why, .. } => Some(why),
            Self::Loading { failed, .. } => failed.as_ref(),
            _ => None,
        }
    }

    /// Notes that the question was asked. The value so far stays visible, and so does a failure.
    pub fn ask(&mut self, ticket: Ticket) {
        let failed = self.failure().cloned();
        *self = Self::Loading { ticket, last: std::mem::take(self).into_value(), failed };
    }

    /// Stores a reply, unless a newer question has replaced the one it answers. True if it was stored.
    pub fn settle(&mut self, ticket: Ticket, reply: Result<T, Arc<ApiError>>) -> bool {
        match self {
            Self::Loading { ticket: wanted, .. } if *wanted == ticket => {}
            _ => return false, // Stale: the user moved on.
        }
        *self = match reply {
            Ok(value) => Self::Ready(value),
            Err(why) => Self::Failed { why, last: std::mem::take(self).into_value() },
        };
        true
    }

    fn into_value(self) -> Option<T> {
        match self {
            Self::Ready(value) => Some(value),
            Self::Loading { last, .. } | Self::Failed { last, .. } => last,
            Self::Idle => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_shown_until_there_is_an_answer() {
        let mut remote: Remote<i32> = Remote::Idle;
        remote.ask(Ticket(1));
        assert!(remote.failure().is_none());
        remote.settle(Ticket(1), Err(Arc::new(ApiError::local("ask", "no"))));
        remote.ask(Ticket(2));
        assert!(remote.is_loading() && remote.failure().is_some());
        remote.settle(Ticket(2), Ok(5));
        assert!(remote.failure().is_none());
    }

    #[test]
    fn a_stale_answer_is_dropped_and_the_old_value_stays_while_loading() {
        let mut remote = Remote::Ready(1);
        remote.ask(Ticket(7));
        remote.ask(Ticket(8));
        assert_eq!(remote.value(), Some(&1));
        assert!(!remote.settle(Ticket(7), Ok(2)));
        assert!(remote.is_loading());
        assert!(remote.settle(Ticket(8), Ok(3)));
        assert_eq!(remote.value(), Some(&3));
        assert!(!remote.settle(Ticket(8), Ok(4)));
        assert_eq!(remote.value(), Some(&3));
    }
}
