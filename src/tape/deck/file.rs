//! A recording's file with its index, and the moment that was looked at last.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::tape::curves::Chart;
use crate::tape::line::{Header, Line, LineKind, Unread};
use crate::tape::scan::{self, Lines};
use crate::tape::view::{Tone, View};
use crate::tape::{notes, secret};

use super::index::Index;
use super::{Frame, Place, Plan};

/// Moments before the one asked for that are read for charts and the log.
const WINDOW: usize = 240;
/// Lines between the start and that window which are no observations, read for what they say of the seats.
const EARLIER: usize = 1000;
/// Room that is kept below the limit for the line that says so and for the last one.
const MARGIN: u64 = 16 << 10;

/// A file with its index.
pub(in crate::tape) struct Tape {
    path: PathBuf,
    pub(in crate::tape) header: Header,
    pub(super) writer: Option<Writer>,
    reader: File,
    pub(in crate::tape) index: Index,
    cursor: Option<Cursor>,
    /// What the user should be told of it.
    pub(super) notices: Vec<String>,
}

/// The end of a file that is ours alone: it is locked until it is dropped.
pub(super) struct Writer {
    pub(super) file: File,
    most: u64,
    secrets: Vec<String>,
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
    /// A new recording. It appears under its name with its header in it and locked, so that whoever tidies up never
    /// takes it for an old one.
    pub(super) fn create(plan: Plan) -> io::Result<Self> {
        let folder = plan.file.parent().unwrap_or(Path::new("."));
        make_folder(folder)?;
        // Made for its owner alone.
        let mut new = tempfile::Builder::new().prefix(".new-").suffix(".part").tempfile_in(folder)?;
        let mut first = serde_json::to_vec(&plan.header)?;
        first.push(b'\n');
        new.write_all(&first)?;
        // Nobody else knows it yet, so that this fails only where the system has no locks: whoever tidies up leaves
        // alone there what it cannot lock.
        let _ = new.as_file().try_lock();
        let file = new.persist_noclobber(&plan.file).map_err(|why| why.error)?;
        let writer = Writer { file, most: plan.most_bytes.saturating_sub(MARGIN), secrets: plan.secrets };
        Ok(Self {
            reader: File::open(&plan.file)?,
            path: plan.file,
            header: plan.header,
            writer: Some(writer),
            index: Index::new(first.len() as u64),
            cursor: None,
            notices: Vec::new(),
        })
    }

    /// A recording that was made before, or is being made by another program.
    pub(in crate::tape) fn open(path: &Path) -> io::Result<Self> {
        let source = scan::open(path)?;
        let mut index = Index::new(source.start);
        let mut lines = Lines::new(BufReader::with_capacity(256 << 10, &source.file), scan::MOST_LINE);
        let mut torn = 0;
        while let Some(found) = lines.next()? {
            let line = found.text.map_or(Err(Unread::Broken), Line::parse);
            if !found.is_whole && line.is_err() {
                torn = found.length;
            }
            index.add(found.length, line.as_ref().map_err(|why| *why));
        }
        drop(lines);
        let mut notices: Vec<String> = source.notice.into_iter().collect();
        if torn > 0 && is_being_written(path) {
            notices.push("it is being recorded by another program: what there is so far is shown".into());
        } else if torn > 0 {
            notices.push(format!("its end is torn off: {torn} bytes of an unfinished line were skipped"));
        }
        let others = index.skipped().lines - u64::from(torn > 0);
        if others > 0 {
            notices.push(format!("{others} lines could not be read and were skipped"));
        }
        if index.skipped().unknown > 0 {
            let unknown = index.skipped().unknown;
            notices.push(format!("{unknown} lines of a kind this program does not know were skipped"));
        }
        let path = path.to_owned();
        let (header, reader) = (source.header, source.file);
        let mut tape = Self { path, header, writer: None, reader, index, cursor: None, notices };
        tape.load_notes();
        Ok(tape)
    }

    pub(in crate::tape) fn notices(&self) -> &[String] {
        &self.notices
    }

    fn load_notes(&mut self) {
        match notes::read(&self.path) {
            Ok(notes) => notes.into_iter().for_each(|(nth, note)| self.index.bookmark(nth, Some(note))),
            Err(why) => self.notices.push(format!("its notes cannot be read: {why}")),
        }
    }

    /// Keeps a note, or takes it away.
    pub(super) fn bookmark(&mut self, nth: usize, note: Option<String>) {
        if let Err(why) = notes::keep(&self.path, nth, note.as_deref()) {
            self.notices.push(format!("the note is not kept: {why}"));
        }
        self.index.bookmark(nth, note);
    }

    /// Appends lines while there is room. After an error nothing more is written, and what is there is whole.
    pub(super) fn append(&mut self, lines: &[Line]) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let Some(mut writer) = self.writer.take() else { return Ok(()) };
        let mut bytes = Vec::new();
        let mut lengths = Vec::new();
        let mut full = false;
        for line in lines {
            let before = bytes.len();
            line.write(&mut bytes);
            secret::values(&mut bytes, before, &writer.secrets);
            full = self.index.bytes() + bytes.len() as u64 > writer.most;
            if full {
                bytes.truncate(before);
                break;
            }
            lengths.push((bytes.len() - before) as u64);
        }
        if let Err(why) = writer.file.write_all(&bytes) {
            // A part of a line would stay behind.
            let _ = writer.file.set_len(self.index.bytes());
            return Err(why);
        }
        for (line, length) in lines.iter().zip(&lengths) {
            self.index.add(*length, Ok(line));
        }
        if full {
            return self.stop(writer, lines[lengths.len()].at_ms);
        }
        self.writer = Some(writer);
        Ok(())
    }

    /// The recording is full.
    fn stop(&mut self, writer: Writer, at_ms: u64) -> io::Result<()> {
        let mib = (writer.most + MARGIN) >> 20;
        let why = format!("the recording has reached its limit of {mib} MiB; what follows is not recorded");
        self.notices.push(format!("{why} (`recordings.max_mib` in the settings)"));
        self.end(writer, &Line { at_ms, what: LineKind::Stopped(why) })
    }

    /// Writes the last line. A recording of a session that was left before anything was seen is not kept.
    pub(super) fn close(&mut self) -> io::Result<()> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let totals = self.index.totals();
        if totals.moments == 0 {
            // While it is still locked, so that nobody takes it for an old one.
            return fs::remove_file(&self.path);
        }
        self.end(writer, &Line { at_ms: totals.length_ms, what: LineKind::Closed(Box::new(totals)) })
    }

    /// Writes a line, and after one that says why it stopped also what it came to.
    fn end(&mut self, mut writer: Writer, line: &Line) -> io::Result<()> {
        let mut bytes = Vec::new();
        line.write(&mut bytes);
        self.index.add(bytes.len() as u64, Ok(line));
        if !matches!(line.what, LineKind::Closed(_)) {
            let before = bytes.len();
            let closed = Line { at_ms: line.at_ms, what: LineKind::Closed(Box::new(self.index.totals())) };
            closed.write(&mut bytes);
            self.index.add((bytes.len() - before) as u64, Ok(&closed));
        }
        writer.file.write_all(&bytes)
    }

    pub(super) fn chart(&self, from: usize, to: usize, buckets: usize) -> Chart {
        self.index.chart(from, to, buckets)
    }

    /// Brings a moment back.
    pub(super) fn show(&mut self, at: Place) -> io::Result<Option<Frame>> {
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
        apply(&mut cursor.view, line);
        if settle {
            cursor.view.settle();
        }
        Ok(())
    }
}

/// Takes a line of a recording into a view of its session.
pub(in crate::tape) fn apply(view: &mut View, line: Line) {
    let at = Duration::from_millis(line.at_ms);
    match line.what {
        LineKind::Heard(message) => view.hear(at, message),
        LineKind::About(about) => view.game = view.game.take().or(about.game),
        LineKind::Acted(act) => view.acted(&act),
        LineKind::Linked { up: false, why } => {
            let why = why.as_deref().unwrap_or("no reason given");
            view.note(Tone::Warn, &format!("connection lost: {why}"));
        }
        LineKind::Linked { up: true, .. } => view.note(Tone::Good, "connected"),
        LineKind::Stopped(why) => view.note(Tone::Warn, &why),
        LineKind::Closed(_) => {}
    }
}

/// Whether another program has it locked.
pub(in crate::tape) fn is_being_written(path: &Path) -> bool {
    let locked = File::open(path).map(|file| file.try_lock_shared());
    matches!(locked, Ok(Err(std::fs::TryLockError::WouldBlock)))
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
