//! The thread that owns a recording: writes it, and brings any moment of it back.
//!
//! A *moment* is an observation of the recording; they are numbered from 0. [`record`] starts a new file, [`open`]
//! plays one. Both give a channel for [`Order`]s and a [`Deck`] to run on a thread that may block. Someone who is slow
//! to take what the deck tells slows the deck down, and with it the socket.

mod index;
mod marks;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::line::{Header, Line, LineKind};
use super::view::{Tone, View};

use self::index::Index;

/// Orders on their way. Lines come as fast as a socket gives them; when it is full the socket is read more slowly.
const ORDERS: usize = 1024;
/// Orders taken at once; their lines are one write.
const BATCH: usize = 256;
/// How often it is told that a recording grew.
const GREW_EVERY: Duration = Duration::from_millis(250);
/// Moments before the one asked for that are read for charts and the log.
const WINDOW: usize = 240;
/// Lines between the start and that window which are no observations, read for what they say of the seats.
const EARLIER: usize = 1000;

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

/// A recording and whoever works with it. [`Deck::run`] does the work.
pub struct Deck {
    path: PathBuf,
    header: Option<Header>,
    inbox: mpsc::Receiver<Order>,
    tell: Tell,
}

/// A new recording in a file that must not exist yet.
pub fn record(path: PathBuf, header: Header, tell: Tell) -> (mpsc::Sender<Order>, Deck) {
    let (orders, inbox) = mpsc::channel(ORDERS);
    (orders, Deck { path, header: Some(header), inbox, tell })
}

/// A recording that was made before.
pub fn open(path: PathBuf, tell: Tell) -> (mpsc::Sender<Order>, Deck) {
    let (orders, inbox) = mpsc::channel(ORDERS);
    (orders, Deck { path, header: None, inbox, tell })
}

impl Deck {
    /// Works until its orders end. Blocks: for a thread of its own, inside of a tokio runtime.
    pub fn run(mut self) {
        let opened = match &self.header {
            Some(header) => Tape::create(&self.path, header.clone()),
            None => Tape::open(&self.path),
        };
        let mut tape = match opened {
            Ok(tape) => tape,
            Err(why) => return self.fail(&why),
        };
        (self.tell)(TapeEvent::Opened { file: self.path.clone(), header: Box::new(tape.header.clone()) });
        (self.tell)(TapeEvent::Grew(tape.index.summary()));
        let mut told = Instant::now();
        let mut orders = Vec::new();
        let mut grew = false;
        while self.recv(&mut orders, grew.then(|| told + GREW_EVERY)) {
            match self.take(&mut tape, &mut orders) {
                Ok(changed) => grew |= changed,
                Err(why) => return self.fail(&why),
            }
            if grew && told.elapsed() >= GREW_EVERY {
                (self.tell)(TapeEvent::Grew(tape.index.summary()));
                (told, grew) = (Instant::now(), false);
            }
        }
    }

    /// Waits for orders, or until a time. False at their end.
    fn recv(&mut self, orders: &mut Vec<Order>, until: Option<Instant>) -> bool {
        tokio::runtime::Handle::current().block_on(async {
            let receiving = self.inbox.recv_many(orders, BATCH);
            match until {
                None => receiving.await > 0,
                Some(until) => {
                    tokio::time::timeout_at(until, receiving).await.is_ok_and(|n| n > 0)
                        || !self.inbox.is_closed()
                }
            }
        })
    }

    /// Carries orders out; true if the recording changed.
    fn take(&self, tape: &mut Tape, orders: &mut Vec<Order>) -> io::Result<bool> {
        let (mut lines, mut changed) = (Vec::new(), false);
        for order in orders.drain(..) {
            match order {
                Order::Write(line) => {
                    lines.push(line);
                    changed = true;
                }
                Order::Show { ticket, at } => {
                    tape.append(&std::mem::take(&mut lines))?;
                    if let Some(frame) = tape.show(at)? {
                        (self.tell)(TapeEvent::Shown { ticket, frame: Box::new(frame) });
                    }
                }
                Order::Bookmark { nth, note } => {
                    tape.index.bookmark(nth, note);
                    changed = true;
                }
            }
        }
        tape.append(&lines)?;
        Ok(changed)
    }

    fn fail(&self, why: &io::Error) {
        tracing::warn!(%why, "a recording stopped");
        let text = format!("`{}`: {why}", self.path.display());
        (self.tell)(TapeEvent::Failed(crate::text::clean(&text).into_owned()));
    }
}

/// A file with its index, and the moment that was looked at last.
struct Tape {
    header: Header,
    writer: Option<File>,
    reader: File,
    index: Index,
    cursor: Option<Cursor>,
}

/// A moment and how far lines were read for it.
#[derive(Clone)]
struct Cursor {
    nth: usize,
    /// The first line that was not heard yet.
    next: usize,
    view: View,
}

impl Tape {
    fn create(path: &Path, header: Header) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut options = File::options();
        options.create_new(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut writer = options.open(path)?;
        let mut first = serde_json::to_vec(&header)?;
        first.push(b'\n');
        writer.write_all(&first)?;
        let index = Index::new(first.len() as u64);
        Ok(Self { header, writer: Some(writer), reader: File::open(path)?, index, cursor: None })
    }

    fn open(path: &Path) -> io::Result<Self> {
        let mut reader = File::open(path)?;
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes)?;
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let first = lines.next().unwrap_or_default();
        let header: Header = serde_json::from_slice(first)
            .map_err(|why| io::Error::other(format!("not a recording of gert: {why}")))?;
        let mut index = Index::new(first.len() as u64);
        for line in lines {
            index.add(line.len(), Line::read(line).as_ref());
        }
        Ok(Self { header, writer: None, reader, index, cursor: None })
    }

    fn append(&mut self, lines: &[Line]) -> io::Result<()> {
        let Some(writer) = self.writer.as_mut().filter(|_| !lines.is_empty()) else { return Ok(()) };
        let mut bytes = Vec::new();
        for line in lines {
            let before = bytes.len();
            line.write(&mut bytes);
            self.index.add(bytes.len() - before, Some(line));
        }
        writer.write_all(&bytes)
    }

    fn show(&mut self, at: Place) -> io::Result<Option<Frame>> {
        let Some(nth) = self.index.resolve(at) else { return Ok(None) };
        let start = nth.saturating_sub(WINDOW);
        let near = self.cursor.take().filter(|cursor| (start..=nth).contains(&cursor.nth));
        let mut cursor = match near {
            Some(cursor) => cursor,
            None => self.rewind(start)?,
        };
        let end = self.index.end_of(nth);
        while cursor.next < end {
            self.hear(&mut cursor, true)?;
        }
        cursor.nth = nth;
        cursor.view.deadline = None;
        let view = Box::new(cursor.view.clone());
        self.cursor = Some(cursor);
        let (at, lasted) = self.index.time_of(nth);
        Ok(Some(Frame { nth, at, lasted, view }))
    }

    /// What was known of the session right before a moment.
    fn rewind(&mut self, start: usize) -> io::Result<Cursor> {
        let view = View::new(self.header.session_id.clone(), None);
        let mut cursor = Cursor { nth: start, next: 0, view };
        let until = self.index.line_of(start);
        for line in self.index.earlier(until, EARLIER) {
            cursor.next = line;
            self.hear(&mut cursor, false)?;
        }
        cursor.next = until;
        Ok(cursor)
    }

    /// Reads the next line into the view.
    fn hear(&mut self, cursor: &mut Cursor, settle: bool) -> io::Result<()> {
        let (offset, length) = self.index.bytes_of(cursor.next);
        cursor.next += 1;
        let mut bytes = vec![0; length];
        self.reader.seek(SeekFrom::Start(offset))?;
        self.reader.read_exact(&mut bytes)?;
        let Some(line) = Line::read(&bytes) else { return Ok(()) };
        let at = Duration::from_millis(line.at_ms);
        match line.what {
            LineKind::Heard(message) => cursor.view.hear(at, message),
            LineKind::About(about) => cursor.view.game = cursor.view.game.take().or(about.game),
            LineKind::Acted(act) => cursor.view.acted(&act),
            LineKind::Linked { up: false, why } => {
                let why = why.as_deref().unwrap_or("no reason given");
                cursor.view.note(Tone::Warn, &format!("connection lost: {why}"));
            }
            LineKind::Linked { up: true, .. } => cursor.view.note(Tone::Good, "connected"),
        }
        if settle {
            cursor.view.settle();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
