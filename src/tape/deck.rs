//! The thread that owns a recording: writes it, and brings any moment of it back.
//!
//! A *moment* is an observation of the recording; they are numbered from 0. [`record`] starts a new file, [`open`]
//! plays one. Both give a channel for [`Order`]s and a [`Deck`] to run on a thread that may block. Someone who is slow
//! to take what the deck tells slows the deck down, and with it the socket.
//!
//! A file that cannot be written any more (the disk is full, or its limit is reached) is told once; what is in it can
//! still be looked at, and lines that come later are dropped, so that the session itself goes on.

pub(super) mod file;
pub(super) mod index;
mod marks;
mod spill;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::curves::Chart;
use super::line::{Header, Line};
use super::view::View;

use self::file::Tape;

/// Orders on their way. Lines come as fast as a socket gives them; when it is full the socket is read more slowly.
const ORDERS: usize = 1024;
/// Orders taken at once; their lines are one write.
const BATCH: usize = 256;
/// How often it is told that a recording grew.
const GREW_EVERY: Duration = Duration::from_millis(250);

/// What a deck is told. The end of the orders closes the recording.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// Append a line.
    Write(Line),
    /// Bring a moment back.
    Show {
        /// Comes back in the answer.
        ticket: u64,
        /// Which.
        at: Place,
    },
    /// Draw scores, rewards and latencies over moments.
    Chart {
        /// Comes back in the answer.
        ticket: u64,
        /// The first moment.
        from: usize,
        /// The last moment; one beyond the end means the end.
        to: usize,
        /// The most steps it may have.
        buckets: usize,
    },
    /// Keep a note at a moment; without words, take it away.
    Bookmark {
        /// The moment.
        nth: usize,
        /// The words; may be empty.
        note: Option<String>,
    },
}

/// A place in a recording. One beyond its ends means the end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Place {
    /// The moment with this number.
    Nth(usize),
    /// The first moment of this tick, or of the one after it.
    Tick(u64),
    /// So far into it, from 0 to 100.
    Percent(f64),
    /// The first marker after this moment.
    MarkerAfter(usize),
    /// The last marker before this moment.
    MarkerBefore(usize),
    /// The newest moment.
    Last,
}

/// What a deck tells.
#[derive(Debug, Clone)]
pub enum TapeEvent {
    /// The file was opened.
    Opened {
        /// Where it is.
        file: PathBuf,
        /// Its first line.
        header: Box<Header>,
    },
    /// There is more of it.
    Grew(Summary),
    /// A moment, as asked for.
    Shown {
        /// Of the order.
        ticket: u64,
        /// The moment.
        frame: Box<Frame>,
    },
    /// Curves, as asked for.
    Charted {
        /// Of the order.
        ticket: u64,
        /// The curves.
        chart: Box<Chart>,
    },
    /// Something that the user should know of it, in words: its end is torn, it is full, a note was not kept.
    Noticed(String),
    /// The recording cannot go on; what is in the file stays.
    Failed(String),
}

/// What there is in a recording so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary {
    /// Moments.
    pub moments: usize,
    /// The newest tick.
    pub tick: u64,
    /// From its beginning to its newest line.
    pub length: Duration,
    /// Bytes in the file.
    pub bytes: u64,
    /// In the order of their moments.
    pub markers: Arc<[Marker]>,
    /// What of the file could not be used.
    pub skipped: Skipped,
    /// Bookmarks and notes.
    pub notes: usize,
    /// The players that have a curve.
    pub players: Vec<String>,
}

/// What of a file could not be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Skipped {
    /// Lines that could not be read, a torn one at the end included.
    pub lines: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Lines of a kind that this version does not know.
    pub unknown: u64,
}

/// A moment worth going to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// The moment.
    pub nth: usize,
    /// Its tick.
    pub tick: u64,
    /// What is there.
    pub kind: MarkerKind,
    /// In words, cleaned.
    pub text: String,
}

/// What is at a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkerKind {
    /// A score rose by much more than usual.
    Rise,
    /// A score fell by much more than usual.
    Fall,
    /// An action was refused.
    Rejected,
    /// A shadow policy would have played something else.
    Disagreed,
    /// A seat is out by the game's rules.
    Eliminated,
    /// A seat failed.
    Failed,
    /// The link was down; something may be missing.
    Gap,
    /// The match ended.
    Ended,
    /// The user's own.
    Bookmark,
}

/// A moment brought back.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Its number.
    pub nth: usize,
    /// When it was, since the beginning of the recording.
    pub at: Duration,
    /// How long it lasted until the next one; unknown for the newest.
    pub lasted: Option<Duration>,
    /// The session as it was known then.
    pub view: Box<View>,
}

/// Takes what a deck tells; may block.
pub type Tell = Box<dyn Fn(TapeEvent) + Send>;

/// A recording to be made.
pub struct Plan {
    /// Where; there must be nothing yet.
    pub file: PathBuf,
    /// Its first line.
    pub header: Header,
    /// The size it stops at.
    pub most_bytes: u64,
    /// What must not get into it wherever it turns up: the key, the player's token.
    pub secrets: Vec<String>,
}

/// A recording and whoever works with it. [`Deck::run`] does the work.
pub struct Deck {
    what: What,
    inbox: mpsc::Receiver<Order>,
    tell: Tell,
}

enum What {
    Record(Plan),
    Open(PathBuf),
}

/// A new recording.
pub fn record(plan: Plan, tell: Tell) -> (mpsc::Sender<Order>, Deck) {
    let (orders, inbox) = mpsc::channel(ORDERS);
    (orders, Deck { what: What::Record(plan), inbox, tell })
}

/// A recording that was made before.
pub fn open(path: PathBuf, tell: Tell) -> (mpsc::Sender<Order>, Deck) {
    let (orders, inbox) = mpsc::channel(ORDERS);
    (orders, Deck { what: What::Open(path), inbox, tell })
}

impl Deck {
    /// Works until its orders end. Blocks: for a thread of its own, inside of a tokio runtime.
    pub fn run(self) {
        let Self { what, inbox, tell } = self;
        let path = match &what {
            What::Record(plan) => plan.file.clone(),
            What::Open(path) => path.clone(),
        };
        let opened = match what {
            What::Record(plan) => Tape::create(plan),
            What::Open(path) => Tape::open(&path),
        };
        let desk = Desk { path, tell };
        match opened {
            Ok(tape) => desk.run(tape, inbox),
            Err(why) => desk.fail(&why),
        }
    }
}

/// What a running deck works with.
struct Desk {
    path: PathBuf,
    tell: Tell,
}

impl Desk {
    fn run(&self, mut tape: Tape, mut inbox: mpsc::Receiver<Order>) {
        (self.tell)(TapeEvent::Opened { file: self.path.clone(), header: Box::new(tape.header.clone()) });
        (self.tell)(TapeEvent::Grew(tape.index.summary()));
        self.notice(&mut tape);
        let mut told = Instant::now();
        let mut orders = Vec::new();
        let mut grew = false;
        while recv(&mut inbox, &mut orders, grew.then(|| told + GREW_EVERY)) {
            grew |= self.take(&mut tape, &mut orders);
            self.notice(&mut tape);
            if grew && told.elapsed() >= GREW_EVERY {
                (self.tell)(TapeEvent::Grew(tape.index.summary()));
                (told, grew) = (Instant::now(), false);
            }
        }
        if let Err(why) = tape.close() {
            self.fail(&why);
        }
    }

    /// Carries orders out; true if the recording changed.
    fn take(&self, tape: &mut Tape, orders: &mut Vec<Order>) -> bool {
        let (mut lines, mut changed) = (Vec::new(), false);
        for order in orders.drain(..) {
            if let Order::Write(line) = order {
                lines.push(line);
                continue;
            }
            changed |= self.append(tape, &mut lines);
            match order {
                Order::Write(_) => {}
                Order::Show { ticket, at } => match tape.show(at) {
                    Ok(Some(frame)) => (self.tell)(TapeEvent::Shown { ticket, frame: Box::new(frame) }),
                    Ok(None) => {}
                    Err(why) => self.fail(&why),
                },
                Order::Chart { ticket, from, to, buckets } => {
                    let chart = Box::new(tape.chart(from, to, buckets));
                    (self.tell)(TapeEvent::Charted { ticket, chart });
                }
                Order::Bookmark { nth, note } => {
                    tape.bookmark(nth, note);
                    changed = true;
                }
            }
        }
        self.append(tape, &mut lines) || changed
    }

    /// Appends what was collected; true if the recording changed.
    fn append(&self, tape: &mut Tape, lines: &mut Vec<Line>) -> bool {
        let lines = std::mem::take(lines);
        if let Err(why) = tape.append(&lines) {
            self.fail(&why);
        }
        !lines.is_empty()
    }

    fn notice(&self, tape: &mut Tape) {
        for notice in tape.notices.drain(..) {
            (self.tell)(TapeEvent::Noticed(crate::text::clean(&notice).into_owned()));
        }
    }

    fn fail(&self, why: &io::Error) {
        tracing::warn!(%why, "a recording failed");
        let text = format!("`{}`: {why}", self.path.display());
        (self.tell)(TapeEvent::Failed(crate::text::clean(&text).into_owned()));
    }
}

/// Waits for orders, or until a time. False at their end.
fn recv(inbox: &mut mpsc::Receiver<Order>, orders: &mut Vec<Order>, until: Option<Instant>) -> bool {
    tokio::runtime::Handle::current().block_on(async {
        let receiving = inbox.recv_many(orders, BATCH);
        match until {
            None => receiving.await > 0,
            // Time is up, which is no end.
            Some(until) => {
                tokio::time::timeout_at(until, receiving).await.is_ok_and(|n| n > 0) || !inbox.is_closed()
            }
        }
    })
}

#[cfg(test)]
mod tests;
