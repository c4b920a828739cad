//! Sessions: the list, how a past one ended, and the one that is watched.

use std::collections::BTreeSet;

use crate::api::model::{Listing, Logs, Session};
use crate::app::branching::families;
use crate::app::list::ListState;
use crate::app::live::Live;
use crate::app::remote::Remote;
use crate::app::wall::Wall;
use crate::app::watching::Signs;
use crate::client::FeedId;
use crate::tape::Recording;

/// Which sessions are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Facet {
    /// Those the server tells.
    #[default]
    All,
    /// Of those the ones that go on.
    Live,
    /// The recordings on this disk.
    Recorded,
}

/// State of the Sessions pane.
#[derive(Debug, Default)]
pub struct SessionsPane {
    /// All sessions, newest first.
    pub sessions: Remote<Listing<Session>>,
    /// Filter and selection.
    pub list: ListState,
    /// Which are listed.
    pub facet: Facet,
    /// Recordings on this disk, newest first.
    pub recordings: Remote<Vec<Recording>>,
    /// Filter and selection among the recordings.
    pub recorded: ListState,
    /// Sessions that are marked for the wall.
    pub marked: BTreeSet<String>,
    /// Several sessions at once.
    pub wall: Option<Wall>,
    /// How deep each session stands below what it branched off, by its place among all.
    pub depths: Vec<usize>,
    /// A session to select as soon as it is listed.
    pub choose: Option<String>,
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

/// A session that is watched, or a recording that is played.
#[derive(Debug)]
pub struct Watching {
    /// The session on its socket.
    pub live: Live,
    /// What may be wrong with it.
    pub signs: Signs,
    /// Whose view is drawn: a number among the seats, modulo their count.
    pub seat: usize,
    /// The observation itself instead of the drawing.
    pub raw: bool,
    /// Scroll offset of the drawing.
    pub scroll: usize,
}

impl Watching {
    /// A session of which nothing was heard yet.
    pub fn new(live: Live) -> Self {
        Self { live, signs: Signs::default(), seat: 0, raw: false, scroll: 0 }
    }
}

impl SessionsPane {
    /// Whether a list is on screen, and no session.
    pub fn is_listing(&self) -> bool {
        self.watching.is_none() && self.wall.is_none()
    }

    /// The list on screen.
    pub fn shown_list(&mut self) -> &mut ListState {
        if self.facet == Facet::Recorded { &mut self.recorded } else { &mut self.list }
    }

    /// The session that is watched on this feed, alone or on the wall.
    pub fn watched(&mut self, feed: FeedId) -> Option<&mut Watching> {
        let tiles = self.wall.iter_mut().flat_map(|wall| wall.tiles.iter_mut());
        self.watching.iter_mut().chain(tiles).find(|watching| watching.live.feed == feed)
    }

    /// The recordings that were found.
    pub fn tapes(&self) -> &[Recording] {
        self.recordings.value().map_or(&[], Vec::as_slice)
    }

    /// The selected recording.
    pub fn selected_tape(&self) -> Option<&Recording> {
        self.tapes().get(self.recorded.selected()?)
    }

    /// The newest recording of a session.
    pub fn tape_of(&self, session_id: &str) -> Option<&Recording> {
        self.tapes().iter().find(|tape| tape.header.session_id == session_id)
    }

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

    /// Filters again, after the items or the filter changed. Live sessions and their families come first.
    pub fn refresh(&mut self) {
        let items = self.sessions.value().map_or(&[][..], |listing| &listing.items);
        let live_only = self.facet == Facet::Live;
        let order = families(items, |session| !live_only || session.status.is_live());
        self.depths = vec![0; items.len()];
        for &(nth, depth) in &order {
            self.depths[nth] = depth;
        }
        self.marked.retain(|id| {
            items.iter().any(|session| session.session_id.as_str() == id && session.status.is_live())
        });
        self.list.refresh_some(order.into_iter().map(|(nth, _)| {
            let session = &items[nth];
            let seats: BTreeSet<&str> =
                session.seats.iter().filter_map(|seat| seat.name.as_deref()).collect();
            let seats: Vec<&str> = seats.into_iter().collect();
            let id = session.session_id.as_str();
            (nth, id, format!("{} {id} {} {}", session.game, session.status.as_str(), seats.join(" ")))
        }));
        if let Some(id) = &self.choose
            && self.list.select_id(id)
        {
            self.choose = None;
        }
    }

    /// Filters the recordings again.
    pub fn refresh_recorded(&mut self) {
        let tapes = self.recordings.value().map_or(&[][..], Vec::as_slice);
        let items = tapes.iter().map(|tape| {
            let name = tape.file.file_name().and_then(|name| name.to_str()).unwrap_or("");
            (
                name,
                format!(
                    "{} {} {}",
                    tape.totals.game.as_deref().unwrap_or(""),
                    tape.header.session_id,
                    tape.header.kind
                ),
            )
        });
        self.recorded.refresh(items);
    }
}
