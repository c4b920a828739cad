//! Feeds that are watched, live or recorded: opened, closed, and looked back into.

use std::path::Path;

use crate::api::model::SessionId;
use crate::client::{FeedEvent, FeedId, Request};
use crate::tape::{Order, TapeEvent};

use super::action::Action;
use super::editor::Editor;
use super::effect::Effect;
use super::live::{Link, Live, Tone};
use super::overlay::{LinePrompt, Overlay, Wanted};
use super::panes::sessions::{Facet, Watching};
use super::remote::Remote;
use super::timeline::{Timeline, read_goal};
use super::{App, Pane};

impl App {
    /// Opens a spectator's socket.
    pub(super) fn open_feed(&mut self, id: &SessionId) -> (Watching, Effect) {
        let feed = self.new_feed();
        let known = self.sessions.items().iter().find(|session| session.session_id == *id).cloned();
        let mut live = Live::new(feed, id.as_str().to_owned(), None);
        if let Some(session) = known {
            live.view.know(session);
        }
        self.timelines.insert(feed, Timeline::default());
        (Watching::new(live), Effect::Send(Request::Watch(feed, id.clone())))
    }

    /// Closes a socket or a recording, and forgets the way through it.
    pub(super) fn close_feed(&mut self, feed: FeedId) -> Effect {
        self.timelines.remove(&feed);
        Effect::Send(Request::Close(feed))
    }

    /// Opens a spectator's socket and shows it.
    pub(super) fn watch(&mut self, id: &SessionId) -> Vec<Effect> {
        let mut effects = self.leave_watched();
        let (watching, effect) = self.open_feed(id);
        self.sessions.watching = Some(watching);
        self.pane = Pane::Sessions;
        effects.push(effect);
        effects
    }

    /// Closes what is watched, and the wall.
    fn leave_watched(&mut self) -> Vec<Effect> {
        let watched = self.sessions.watching.take().map(|old| old.live.feed);
        let tiles = self.sessions.wall.take().map(|wall| wall.tiles).unwrap_or_default();
        let feeds: Vec<FeedId> = watched.into_iter().chain(tiles.iter().map(|tile| tile.live.feed)).collect();
        feeds.into_iter().map(|feed| self.close_feed(feed)).collect()
    }

    /// Plays the selected recording.
    pub(super) fn open_recording(&mut self) -> Vec<Effect> {
        match self.sessions.selected_tape().cloned() {
            Some(tape) => self.play_back(&tape),
            None => Vec::new(),
        }
    }

    /// Plays a recording.
    pub(super) fn play_back(&mut self, tape: &crate::tape::Recording) -> Vec<Effect> {
        self.play_file(&tape.file, tape.header.session_id.clone(), tape.totals.game.clone())
    }

    /// Plays a file, of which it may not be known yet what it holds.
    pub(super) fn play_file(&mut self, file: &Path, session: String, game: Option<String>) -> Vec<Effect> {
        let mut effects = self.leave_watched();
        let feed = self.new_feed();
        let mut live = Live::new(feed, session, game);
        live.link = Link::Recorded;
        self.timelines.insert(feed, Timeline::recorded());
        self.sessions.watching = Some(Watching::new(live));
        effects.push(Effect::Send(Request::Replay(feed, file.to_owned())));
        effects
    }

    /// Lists the other sessions: all, live, recorded.
    pub(super) fn next_facet(&mut self) -> Vec<Effect> {
        self.sessions.facet = match self.sessions.facet {
            Facet::All => Facet::Live,
            Facet::Live => Facet::Recorded,
            Facet::Recorded => Facet::All,
        };
        self.sessions.opened = false;
        self.sessions.refresh();
        self.sessions.refresh_recorded();
        if self.sessions.facet == Facet::Recorded { self.load_recordings() } else { Vec::new() }
    }

    /// Asks what was recorded.
    pub(super) fn load_recordings(&mut self) -> Vec<Effect> {
        if self.sessions.recordings.is_loading() {
            return Vec::new();
        }
        let (ticket, effect) = self.ask(crate::client::Question::Recordings);
        self.sessions.recordings.ask(ticket);
        vec![effect]
    }

    /// Goes from what is watched back to where it was chosen.
    pub(super) fn leave_session(&mut self) -> Option<Vec<Effect>> {
        if self.unzoom() {
            return Some(Vec::new());
        }
        if let Some(watching) = self.sessions.watching.take() {
            let mut effects = vec![self.close_feed(watching.live.feed)];
            if self.sessions.facet == Facet::Recorded {
                effects.extend(self.load_recordings());
            } else {
                self.sessions.recordings = Remote::Idle; // There is one more now.
                effects.extend(self.load_sessions());
            }
            return Some(effects);
        }
        self.sessions.wall.is_some().then(|| self.close_wall())
    }

    /// The way through a feed's recording.
    pub fn timeline(&self, feed: FeedId) -> Option<&Timeline> {
        self.timelines.get(&feed)
    }

    /// What is on screen of a session: a moment of its past, or its newest.
    pub fn shown<'a>(&'a self, live: &'a Live) -> &'a Live {
        self.timeline(live.feed).and_then(|time| time.past.as_ref()).map_or(live, |past| &past.live)
    }

    /// Whether a moment of the past is on screen.
    pub fn looks_back(&self) -> bool {
        self.visible_live().and_then(|live| self.timeline(live.feed)).is_some_and(Timeline::looks_back)
    }

    /// The way through the session on screen.
    pub(super) fn visible_timeline(&mut self) -> Option<(FeedId, &mut Timeline)> {
        let feed = self.visible_live()?.feed;
        // Own seats have theirs from when they are looked at first.
        Some((feed, self.timelines.entry(feed).or_default()))
    }

    /// An action that goes through time.
    pub(super) fn travel(&mut self, action: Action) -> Vec<Effect> {
        let now = self.now.since_start;
        let Some((feed, time)) = self.visible_timeline() else { return Vec::new() };
        let order = match action {
            Action::TickBack => time.step(-1),
            Action::TickForward => time.step(1),
            Action::TenBack => time.step(-10),
            Action::TenForward => time.step(10),
            Action::FiftyBack => time.step(-50),
            Action::FiftyForward => time.step(50),
            Action::MarkerBack => time.to_marker(false),
            Action::MarkerForward => time.to_marker(true),
            Action::ToStart => time.jump(crate::tape::Place::Nth(0)),
            Action::ToLive => time.to_newest(),
            Action::Pause => time.toggle(now),
            Action::Bookmark => time.toggle_bookmark(),
            Action::Faster | Action::Slower => {
                time.change_speed(action == Action::Faster, now);
                None
            }
            Action::IdleTime => {
                time.toggle_idle(now);
                None
            }
            _ => None,
        };
        send(feed, order)
    }

    /// Goes to a tick.
    pub(super) fn seek_tick(&mut self, tick: u64) -> Vec<Effect> {
        let Some((feed, time)) = self.visible_timeline() else { return Vec::new() };
        let order = time.jump(crate::tape::Place::Tick(tick));
        send(feed, order)
    }

    /// A place on the bar was clicked.
    pub(super) fn seek_to(&mut self, nth: usize) -> Vec<Effect> {
        let Some((feed, time)) = self.visible_timeline() else { return Vec::new() };
        let order = if nth >= time.last().unwrap_or(0) && !time.is_recorded {
            time.to_newest()
        } else {
            time.jump(crate::tape::Place::Nth(nth))
        };
        send(feed, order)
    }

    /// Asks where to go, or for the words of a note.
    pub(super) fn open_prompt(&mut self, wanted: Wanted) {
        let Some((_, time)) = self.visible_timeline() else { return };
        let (Some(nth), text) = (time.nth(), time.bookmark().map_or("", |marker| marker.text.as_str()))
        else {
            return;
        };
        let input = Editor::line(if wanted == Wanted::Note { text } else { "" });
        self.overlay = Some(Overlay::Line(LinePrompt { wanted, input, nth, problem: None }));
    }

    /// Does what was typed.
    pub(super) fn prompted(&mut self, mut prompt: LinePrompt) -> Vec<Effect> {
        let Some((feed, time)) = self.visible_timeline() else { return Vec::new() };
        let text = prompt.input.text();
        let order = match prompt.wanted {
            Wanted::Note => Some(Order::Bookmark { nth: prompt.nth, note: Some(text) }),
            Wanted::Place => match read_goal(&text) {
                Ok(goal) => time.seek(goal),
                Err(why) => {
                    prompt.problem = Some(why.to_owned());
                    self.overlay = Some(Overlay::Line(prompt));
                    return Vec::new();
                }
            },
        };
        send(feed, order)
    }

    /// Shows the live head of the session on screen, for what is done there.
    pub(super) fn look_ahead(&mut self) {
        if let Some((_, time)) = self.visible_timeline() {
            time.to_newest();
        }
    }

    /// Something about a recording.
    pub(super) fn taped(&mut self, feed: FeedId, event: TapeEvent) -> Vec<Effect> {
        let now = self.now.since_start;
        let mut effects = Vec::new();
        match event {
            TapeEvent::Shown { ticket, frame } if self.take_moment(ticket, &frame) => return effects,
            TapeEvent::Charted { ticket, chart } => {
                self.take_chart(ticket, *chart);
                return effects;
            }
            TapeEvent::Noticed(what) => {
                self.toast(Tone::Warn, what);
                return effects;
            }
            TapeEvent::Grew(_) => effects.extend(self.chart_again(feed)),
            _ => {}
        }
        if let TapeEvent::Failed(why) = &event {
            let recorded = self.timeline(feed).is_some_and(|time| time.is_recorded);
            let what = if recorded { "the recording cannot be read" } else { "not recorded" };
            self.toast(Tone::Bad, format!("{what}: {why}"));
        }
        let live = match self.sessions.watched(feed) {
            Some(watching) => &mut watching.live,
            None => match self.play.seats.iter_mut().find(|seat| seat.live.feed == feed) {
                Some(seat) => &mut seat.live,
                None => return effects,
            },
        };
        let order = self.timelines.entry(feed).or_default().take(now, live, event);
        effects.extend(send(feed, order));
        effects
    }

    /// Something happened on the socket of a session that is watched. False if it is not one.
    pub(super) fn spectated(&mut self, feed: FeedId, event: &FeedEvent) -> bool {
        let now = self.now;
        let Some(watching) = self.sessions.watched(feed) else { return false };
        watching.live.take(now, event.clone());
        match event {
            FeedEvent::Said(message) => {
                watching.signs.hear(now.since_start, message, &watching.live.view.scores);
            }
            FeedEvent::Opened => watching.signs.reopened(),
            _ => {}
        }
        true
    }

    /// What plays on the screen goes on.
    pub(super) fn woke_timeline(&mut self) -> Vec<Effect> {
        let now = self.now.since_start;
        let Some((feed, time)) = self.visible_timeline() else { return Vec::new() };
        let order = time.woke(now);
        send(feed, order)
    }
}

fn send(feed: FeedId, order: Option<Order>) -> Vec<Effect> {
    order.map(|order| Effect::Send(Request::Tape(feed, order))).into_iter().collect()
}
