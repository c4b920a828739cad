//! Where one is in a session: at its live head, or at a moment of its recording.
//!
//! One of these for each feed, live or opened from a file. It turns wishes (a tick back, 50 %, the next marker) into
//! orders for the recording's thread, one at a time: while one is on its way the newest wish is remembered, older ones
//! are forgotten. Playing asks for the next moment when its time has come; time comes in with events.

mod pace;
mod seek;

use std::time::Duration;

use crate::tape::{Frame, Header, Marker, MarkerKind, Order, Place, Summary, TapeEvent};

use super::live::{Link, Live};

pub use self::pace::Pace;
pub use self::seek::{Goal, read_goal};

/// Its tickets are apart from the numbers that others ask with.
const TICKETS: u64 = 1 << 40;

/// A moment of a recording that is on screen.
#[derive(Debug)]
pub struct Past {
    /// Its number.
    pub nth: usize,
    /// When it was, since the recording began.
    pub at: Duration,
    /// How long it lasted; unknown for the newest.
    pub lasted: Option<Duration>,
    /// The session as it was known then.
    pub live: Live,
}

/// The way through one recording.
#[derive(Debug, Default)]
pub struct Timeline {
    /// What there is.
    pub summary: Summary,
    /// Its first line, once it was opened.
    pub header: Option<Box<Header>>,
    /// Opened from a file: there is no live head to go back to.
    pub is_recorded: bool,
    /// The moment on screen; none at the live head.
    pub past: Option<Past>,
    /// Whether it goes on by itself.
    pub playing: bool,
    /// How fast.
    pub pace: Pace,
    /// Why the recording cannot go on.
    pub failed: Option<String>,
    /// The order that is on its way.
    pending: Option<u64>,
    /// What is to be shown after it.
    wish: Option<Place>,
    /// The moment that was asked for last, if it was asked for by number: steps count from it.
    target: Option<usize>,
    /// When the next moment is due.
    due: Option<Duration>,
    tickets: u64,
}

impl Timeline {
    /// Of a recording that is opened from a file; it plays from its beginning.
    pub fn recorded() -> Self {
        Self { is_recorded: true, playing: true, ..Self::default() }
    }

    /// The number of the newest moment.
    pub fn last(&self) -> Option<usize> {
        self.summary.moments.checked_sub(1)
    }

    /// The number of the moment on screen; at the live head the newest.
    pub fn nth(&self) -> Option<usize> {
        self.past.as_ref().map(|past| past.nth).or_else(|| self.last())
    }

    /// Moments between the one on screen and the newest.
    pub fn behind(&self) -> usize {
        self.past.as_ref().map_or(0, |past| self.last().unwrap_or(0).saturating_sub(past.nth))
    }

    /// Whether a moment of the past is on screen.
    pub fn looks_back(&self) -> bool {
        self.past.is_some()
    }

    /// How far into the recording the moment on screen is, from 0 to 100.
    pub fn percent(&self) -> f64 {
        let (nth, last) = (self.nth().unwrap_or(0) as f64, self.last().unwrap_or(0) as f64);
        if last > 0.0 { nth / last * 100.0 } else { 100.0 }
    }

    /// The marker at the moment on screen, or the nearest one to it.
    pub fn nearest(&self) -> Option<&Marker> {
        let nth = self.nth()?;
        // Of several at one moment the gravest, which sorts last.
        self.summary
            .markers
            .iter()
            .min_by_key(|marker| (marker.nth.abs_diff(nth), std::cmp::Reverse(marker.kind)))
    }

    /// The user's own mark at the moment on screen.
    pub fn bookmark(&self) -> Option<&Marker> {
        let nth = self.nth()?;
        let mine = |marker: &&Marker| marker.nth == nth && marker.kind == MarkerKind::Bookmark;
        self.summary.markers.iter().find(mine)
    }

    /// Goes so many moments on, or back. Beyond the newest one is the live head.
    pub fn step(&mut self, by: isize) -> Option<Order> {
        self.pause();
        let (last, from) = (self.last()?, self.target.or_else(|| self.nth())?);
        if by > 0 && !self.is_recorded && (self.past.is_none() || from.saturating_add_signed(by) > last) {
            self.go_live();
            return None;
        }
        self.show_nth(from.saturating_add_signed(by).min(last))
    }

    /// Goes to the next marker, or the one before.
    pub fn to_marker(&mut self, forward: bool) -> Option<Order> {
        self.pause();
        if forward && self.past.is_none() {
            return None;
        }
        let nth = self.nth()?;
        self.target = None;
        self.show(if forward { Place::MarkerAfter(nth) } else { Place::MarkerBefore(nth) })
    }

    /// Goes to where the user typed.
    pub fn seek(&mut self, goal: Goal) -> Option<Order> {
        match goal {
            Goal::By(by) => self.step(by),
            Goal::Tick(tick) => self.jump(Place::Tick(tick)),
            Goal::Percent(percent) => self.jump(Place::Percent(percent)),
        }
    }

    /// Goes to a place.
    pub fn jump(&mut self, place: Place) -> Option<Order> {
        self.pause();
        if let Place::Nth(nth) = place {
            return self.show_nth(nth);
        }
        self.target = None;
        self.show(place)
    }

    /// Goes back to the live head, or to the end of what was recorded.
    pub fn to_newest(&mut self) -> Option<Order> {
        if self.is_recorded {
            return self.jump(Place::Last);
        }
        self.go_live();
        None
    }

    fn go_live(&mut self) {
        (self.past, self.pending, self.wish, self.target, self.due) = (None, None, None, None, None);
        self.playing = false;
    }

    /// Plays on, or stands still. At the live head it stops at the newest moment.
    pub fn toggle(&mut self, now: Duration) -> Option<Order> {
        if self.past.is_none() {
            return self.jump(Place::Last);
        }
        if self.playing {
            self.pause();
            return None;
        }
        self.playing = true;
        if self.is_recorded && self.behind() == 0 {
            return self.show_nth(0);
        }
        self.due = Some(self.due_after(now));
        None
    }

    fn pause(&mut self) {
        (self.playing, self.due) = (false, None);
    }

    /// Plays faster or slower.
    pub fn change_speed(&mut self, faster: bool, now: Duration) {
        self.pace.change(faster);
        if self.due.is_some() {
            self.due = Some(self.due_after(now));
        }
    }

    /// Waits no longer than a second between two moments, or as long as it took.
    pub fn toggle_idle(&mut self, now: Duration) {
        self.pace.whole_waits = !self.pace.whole_waits;
        if self.due.is_some() {
            self.due = Some(self.due_after(now));
        }
    }

    fn due_after(&self, from: Duration) -> Duration {
        let lasted = self.past.as_ref().and_then(|past| past.lasted).unwrap_or_default();
        from + self.pace.wait(lasted).0
    }

    /// When the next moment is to be shown.
    pub fn next_wake(&self) -> Option<Duration> {
        self.due.filter(|_| self.playing && self.pending.is_none())
    }

    /// The time of the next moment may have come.
    pub fn woke(&mut self, now: Duration) -> Option<Order> {
        self.next_wake().filter(|due| *due <= now)?;
        let past = self.past.as_ref()?;
        let moments = self.pace.wait(past.lasted.unwrap_or_default()).1;
        let next = past.nth + moments;
        if past.nth >= self.last()? {
            self.at_end();
            return None;
        }
        self.show_nth(next.min(self.last()?))
    }

    /// Playing reached the newest moment.
    fn at_end(&mut self) {
        if self.is_recorded { self.pause() } else { self.go_live() }
    }

    fn show_nth(&mut self, nth: usize) -> Option<Order> {
        self.target = Some(nth);
        self.show(Place::Nth(nth))
    }

    fn show(&mut self, at: Place) -> Option<Order> {
        self.due = None;
        self.last()?; // Of an empty recording nothing can be shown.
        if self.pending.is_some() {
            self.wish = Some(at);
            return None;
        }
        self.tickets += 1;
        let ticket = TICKETS + self.tickets;
        self.pending = Some(ticket);
        Some(Order::Show { ticket, at })
    }

    /// Marks the moment on screen, or takes the mark away.
    pub fn toggle_bookmark(&self) -> Option<Order> {
        let note = self.bookmark().is_none().then(String::new);
        Some(Order::Bookmark { nth: self.nth()?, note })
    }

    /// An order was not delivered: what was asked for will not come.
    pub fn undelivered(&mut self) {
        (self.pending, self.wish, self.target) = (None, None, None);
    }

    /// Takes what the recording's thread tells. May give the next order.
    pub fn take(&mut self, now: Duration, live: &mut Live, event: TapeEvent) -> Option<Order> {
        match event {
            TapeEvent::Opened { header, .. } => {
                if self.is_recorded {
                    live.view.session_id.clone_from(&header.session_id);
                }
                self.header = Some(header);
                None
            }
            TapeEvent::Grew(summary) => {
                self.summary = summary;
                let waits = self.is_recorded && self.past.is_none() && self.summary.moments > 0;
                if waits { self.show_nth(0) } else { None }
            }
            TapeEvent::Shown { ticket, frame } => self.shown(now, live, ticket, *frame),
            TapeEvent::Charted { .. } | TapeEvent::Noticed(_) => None,
            TapeEvent::Failed(why) => {
                self.undelivered();
                if self.is_recorded && self.past.is_none() {
                    live.link = Link::Ended { why: why.clone(), orderly: false };
                }
                self.failed = Some(why);
                None
            }
        }
    }

    fn shown(&mut self, now: Duration, live: &Live, ticket: u64, frame: Frame) -> Option<Order> {
        // An answer to a wish that was given up says nothing.
        self.pending.take_if(|pending| *pending == ticket)?;
        let Frame { nth, at, lasted, view } = frame;
        let mut then = Live::new(live.feed, live.view.session_id.clone(), live.view.game.clone());
        (then.link, then.skipped, then.view) = (Link::Recorded, live.skipped, *view);
        if then.view.session.is_none() {
            then.view.session.clone_from(&live.view.session);
        }
        self.past = Some(Past { nth, at, lasted, live: then });
        if let Some(wish) = self.wish.take() {
            return self.show(wish);
        }
        self.target = None;
        if self.playing {
            if nth >= self.last().unwrap_or(0) {
                self.at_end();
            } else {
                self.due = Some(self.due_after(now));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
