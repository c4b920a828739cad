//! A session on a socket: what was heard of it, and how the link is doing. The same for watching and for playing.

use std::time::Duration;

use crate::client::{FeedEvent, FeedId};
use crate::tape::View;

pub use crate::tape::{LogLine, Outcome, Seen, Tone, words};

use super::event::Moment;

/// How the socket is doing.
#[derive(Debug, Clone, PartialEq)]
pub enum Link {
    /// Being opened, for the nth time in a row.
    Connecting(u32),
    /// Open.
    Open,
    /// Broken; the next try comes at this time since the start.
    Lost {
        /// What happened.
        why: String,
        /// When the next try comes, since the program started.
        retry_at: Duration,
    },
    /// There is none: this is a moment of a recording.
    Recorded,
    /// Closed for good.
    Ended {
        /// What happened.
        why: String,
        /// Whether that is how sessions end.
        orderly: bool,
    },
}

/// A session on a socket.
#[derive(Debug, Clone)]
pub struct Live {
    /// The socket.
    pub feed: FeedId,
    /// How the socket is doing.
    pub link: Link,
    /// What was heard.
    pub view: View,
    /// Observations that were replaced by newer ones before they could be shown; a recording has them.
    pub skipped: u64,
}

impl Live {
    /// A session whose socket is being opened.
    pub fn new(feed: FeedId, session_id: String, game: Option<String>) -> Self {
        Self { feed, link: Link::Connecting(1), view: View::new(session_id, game), skipped: 0 }
    }

    /// Takes what happened on the socket.
    pub fn take(&mut self, now: Moment, event: FeedEvent) {
        match event {
            FeedEvent::Connecting { attempt } => self.link = Link::Connecting(attempt),
            FeedEvent::Opened => {
                if matches!(self.link, Link::Connecting(n) if n > 1) {
                    self.view.note(Tone::Good, "connected again; what happened meanwhile is missing");
                }
                self.link = Link::Open;
            }
            FeedEvent::Lost { why, retry } => {
                self.view.note(Tone::Warn, &format!("connection lost: {why}"));
                self.link = Link::Lost { why, retry_at: now.since_start + retry };
            }
            FeedEvent::Ended { why, orderly } => {
                if !orderly {
                    self.view.note(Tone::Bad, &why);
                }
                self.link = Link::Ended { why, orderly };
                self.view.deadline = None;
            }
            FeedEvent::NotSent { why, .. } => {
                self.view.note(Tone::Bad, &format!("the action was not sent: {why}"));
            }
            FeedEvent::Skipped(observations) => self.skipped += observations,
            FeedEvent::Said(message) => self.view.hear(now.since_start, message),
        }
    }

    /// Whether it goes on.
    pub fn is_live(&self) -> bool {
        self.view.outcome.is_none() && !matches!(self.link, Link::Ended { .. } | Link::Recorded)
    }
}
