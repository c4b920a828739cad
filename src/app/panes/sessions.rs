//! Sessions: the list, how a past one ended, and the one that is watched.

use std::collections::BTreeSet;

use crate::api::model::{Listing, Logs, Session};
use crate::app::list::ListState;
use crate::app::live::Live;
use crate::app::remote::Remote;

/// State of the Sessions pane.
#[derive(Debug, Default)]
pub struct SessionsPane {
    /// All sessions, newest first.
    pub sessions: Remote<Listing<Session>>,
    /// Filter and selection.
    pub list: ListState,
    /// Live ones only.
    pub live_only: bool,
    /// What happened in the session that is opened.
    pub logs: Remote<Logs>,
    /// The session whose logs those are.
    pub logs_of: Option<String>,
    /// The past session is open over the list (narrow screens).
    pub opened: bool,
    /// First line of the log on screen.
    pub scroll: usize,
    /// What is watched now.
    pub watching: Option<Watching>,
}

/// A session that is watched.
#[derive(Debug)]
pub struct Watching {
    /// The session on its socket.
    pub live: Live,
    /// Whose view is drawn: a number among the seats, modulo their count.
    pub seat: usize,
    /// The observation itself instead of the drawing.
    pub raw: bool,
    /// Scroll offset of the drawing.
    pub scroll: usize,
}

impl SessionsPane {
    /// All sessions that were loaded.
    pub fn items(&self) -> &[Session] {
        self.sessions.value().map_or(&[], |listing| &listing.items)
    }

    /// The selected session.
    pub fn selected(&self) -> Option<&Session> {
        self.items().get(self.list.selected()?)
    }

    /// How many go on.
    pub fn live_count(&self) -> usize {
        self.items().iter().filter(|session| session.status.is_live()).count()
    }

    /// The newest live session of a game.
    pub fn live_of(&self, game: &str) -> Option<&Session> {
        self.items().iter().find(|session| session.game.as_str() == game && session.status.is_live())
    }

    /// Filters again, after the items or the filter changed. Live sessions come first.
    pub fn refresh(&mut self) {
        let items = self.sessions.value().map_or(&[][..], |listing| &listing.items);
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by_key(|&nth| !items[nth].status.is_live());
        self.list.refresh_some(
            order.into_iter().filter(|&nth| !self.live_only || items[nth].status.is_live()).map(|nth| {
                let session = &items[nth];
                let seats: BTreeSet<&str> =
                    session.seats.iter().filter_map(|seat| seat.name.as_deref()).collect();
                let seats: Vec<&str> = seats.into_iter().collect();
                let id = session.session_id.as_str();
                (nth, id, format!("{} {id} {} {}", session.game, session.status.as_str(), seats.join(" ")))
            }),
        );
    }
}
