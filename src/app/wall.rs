//! The wall: several sessions watched at once, each in a tile.
//!
//! Every tile is a session on a socket of its own. One is chosen; Enter puts it on the whole screen, where it is watched
//! as any other, and Esc puts it back. Leaving the wall closes the sockets; the sessions go on.

use std::collections::BTreeSet;

use crate::api::model::SessionId;
use crate::client::Request;

use super::App;
use super::effect::Effect;
use super::live::Tone;
use super::panes::sessions::{Facet, Watching};
use super::remote::Remote;

/// The most sessions at once.
pub const MOST: usize = 12;

/// Several sessions at once.
#[derive(Debug)]
pub struct Wall {
    /// The sessions, in the order of their tiles; the one on the whole screen is not among them.
    pub tiles: Vec<Watching>,
    /// The chosen tile.
    pub at: usize,
    /// The chosen one is on the whole screen.
    pub zoomed: bool,
}

/// Tiles beside and above each other that fit on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Grid {
    /// Beside each other.
    pub columns: usize,
    /// Above each other.
    pub rows: usize,
}

impl Grid {
    /// The tiles on screen when this one of so many is chosen.
    pub fn page(self, at: usize, tiles: usize) -> std::ops::Range<usize> {
        let size = (self.columns * self.rows).max(1);
        let start = at / size * size;
        start..(start + size).min(tiles).max(start)
    }
}

impl Wall {
    /// The chosen tile.
    pub fn chosen(&self) -> Option<&Watching> {
        self.tiles.get(self.at)
    }

    /// Chooses another tile: so many to the right, so many rows down.
    fn step(&mut self, right: isize, down: isize, grid: Grid) {
        let by = right + down * grid.columns.max(1) as isize;
        let to = self.at.checked_add_signed(by).filter(|to| *to < self.tiles.len());
        // Below the last whole row there may be only the end of the last one.
        let last = self.tiles.len().saturating_sub(1);
        self.at = to.unwrap_or(if down > 0 && self.at / grid.columns.max(1) < last / grid.columns.max(1) {
            last
        } else {
            self.at
        });
    }
}

impl App {
    /// Marks the selected session for the wall, or takes the mark away.
    pub(super) fn mark(&mut self) {
        let Some(session) = self.sessions.selected().filter(|_| self.sessions.facet != Facet::Recorded)
        else {
            return;
        };
        let id = session.session_id.as_str().to_owned();
        if !session.status.is_live() {
            return self.toast(Tone::Plain, "only live sessions can be marked for the wall");
        }
        if !self.sessions.marked.remove(&id) {
            if self.sessions.marked.len() == MOST {
                return self.toast(Tone::Warn, format!("the wall has room for {MOST}"));
            }
            self.sessions.marked.insert(id);
        }
        self.sessions.list.move_by(1);
    }

    /// Puts the marked sessions on the wall; without marks all live ones that are listed.
    pub(super) fn open_wall(&mut self) -> Vec<Effect> {
        let pane = &self.sessions;
        let marked = |id: &str| pane.marked.is_empty() || pane.marked.contains(id);
        let live: Vec<SessionId> = pane
            .list
            .shown()
            .iter()
            .filter_map(|nth| pane.items().get(*nth))
            .filter(|session| session.status.is_live() && marked(session.session_id.as_str()))
            .map(|session| session.session_id.clone())
            .collect();
        if live.is_empty() {
            self.toast(Tone::Plain, "no live session is listed; the wall shows live ones");
            return Vec::new();
        }
        if live.len() > MOST {
            self.toast(
                Tone::Plain,
                format!("the first {MOST} of {} live sessions; space marks some", live.len()),
            );
        }
        let mut effects = Vec::new();
        let tiles = live.iter().take(MOST).map(|id| self.open_tile(id, &mut effects)).collect();
        self.sessions.wall = Some(Wall { tiles, at: 0, zoomed: false });
        effects
    }

    fn open_tile(&mut self, id: &SessionId, effects: &mut Vec<Effect>) -> Watching {
        let (watching, effect) = self.open_feed(id);
        effects.push(effect);
        watching
    }

    /// Chooses another tile.
    pub(super) fn step_tile(&mut self, right: isize, down: isize) {
        let grid = self.screen.wall;
        if let Some(wall) = &mut self.sessions.wall {
            wall.step(right, down, grid);
        }
    }

    /// Puts the chosen tile on the whole screen.
    pub(super) fn zoom(&mut self) {
        let Some(wall) = &mut self.sessions.wall else { return };
        if !wall.zoomed && wall.at < wall.tiles.len() {
            wall.zoomed = true;
            self.sessions.watching = Some(wall.tiles.remove(wall.at));
        }
    }

    /// Puts the session on the whole screen back on the wall. False if it is from somewhere else.
    pub(super) fn unzoom(&mut self) -> bool {
        let Some(wall) = self.sessions.wall.as_mut().filter(|wall| wall.zoomed) else { return false };
        let Some(watching) = self.sessions.watching.take() else { return false };
        wall.zoomed = false;
        wall.at = wall.at.min(wall.tiles.len());
        wall.tiles.insert(wall.at, watching);
        true
    }

    /// Takes the chosen tile off the wall.
    pub(super) fn drop_tile(&mut self) -> Vec<Effect> {
        let Some(wall) = &mut self.sessions.wall else { return Vec::new() };
        if wall.at >= wall.tiles.len() {
            return Vec::new();
        }
        let gone = wall.tiles.remove(wall.at);
        wall.at = wall.at.min(wall.tiles.len().saturating_sub(1));
        let mut effects = vec![self.close_feed(gone.live.feed)];
        if self.sessions.wall.as_ref().is_some_and(|wall| wall.tiles.is_empty()) {
            effects.extend(self.close_wall());
        }
        effects
    }

    /// Puts sessions that are not on the wall in the place of those that ended, and in free places.
    pub(super) fn refill_wall(&mut self) -> Vec<Effect> {
        let Some(mut wall) = self.sessions.wall.take() else { return Vec::new() };
        let shown: BTreeSet<String> =
            wall.tiles.iter().map(|tile| tile.live.view.session_id.clone()).collect();
        let fresh: Vec<SessionId> = self
            .sessions
            .items()
            .iter()
            .filter(|session| session.status.is_live() && !shown.contains(session.session_id.as_str()))
            .map(|session| session.session_id.clone())
            .collect();
        let (mut effects, mut fresh) = (Vec::new(), fresh.into_iter());
        for place in 0..MOST {
            if wall.tiles.get(place).is_some_and(|tile| tile.live.is_live()) {
                continue;
            }
            let Some(id) = fresh.next() else { break };
            let tile = self.open_tile(&id, &mut effects);
            if place < wall.tiles.len() {
                let old = std::mem::replace(&mut wall.tiles[place], tile);
                effects.push(self.close_feed(old.live.feed));
            } else {
                wall.tiles.push(tile);
            }
        }
        self.sessions.wall = Some(wall);
        if effects.is_empty() {
            self.toast(Tone::Plain, "no other live session, or no tile whose session ended");
        }
        effects
    }

    /// Leaves the wall; its sessions go on.
    pub(super) fn close_wall(&mut self) -> Vec<Effect> {
        let Some(wall) = self.sessions.wall.take() else { return Vec::new() };
        let mut effects: Vec<Effect> =
            wall.tiles.iter().map(|tile| self.close_feed(tile.live.feed)).collect();
        effects.extend(self.load_sessions());
        self.sessions.recordings = Remote::Idle; // There are more of them now.
        effects
    }

    /// Asks again for a lost session of the chosen tile.
    pub(super) fn retry_tile(&self) -> Option<Effect> {
        let live = &self.sessions.wall.as_ref().filter(|wall| !wall.zoomed)?.chosen()?.live;
        let lost = live.is_live() && live.link != super::live::Link::Open;
        lost.then(|| Effect::Send(Request::Reconnect(live.feed)))
    }
}
