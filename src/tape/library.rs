//! All recordings of a folder: which there are, which one is meant, and what is done about those that pile up.
//!
//! A list is made from the ends of the files, so that hundreds take milliseconds: one that was closed in order ends
//! with what it came to, and a compressed one has the same in its head. Whoever writes a recording has it locked; such
//! a one is left alone. Everything here blocks.

mod upkeep;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;

use super::deck::Skipped;
use super::deck::file::{Tape, is_being_written};
use super::deck::index::Index;
use super::line::{Header, Line, LineKind, Totals};
use super::scan::{self, Lines};
use super::{Marker, notes};

pub use self::upkeep::{Pruned, maintain, prune};

/// Files of a folder that are looked at.
const MOST: usize = 20_000;
/// Bytes read at the beginning and at the end of a file that is listed.
const END: u64 = 64 << 10;
/// Names suggested instead of one that is not there.
const NEAR: usize = 5;

/// How recordings are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keep {
    /// Where.
    pub folder: PathBuf,
    /// Whether sessions are recorded at all.
    pub enabled: bool,
    /// The size at which a recording stops.
    pub most_bytes: u64,
    /// What all together may take; the oldest go first.
    pub total_bytes: u64,
    /// Whether those that were closed are compressed.
    pub compress: bool,
    /// Whether whoever records here tidies up, too: compresses what was closed and drops the oldest. Of several that
    /// record at the same time one is enough.
    pub tidies: bool,
}

impl Keep {
    /// In a folder, with the limits of the settings' defaults.
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            enabled: true,
            most_bytes: 256 << 20,
            total_bytes: 4 << 30,
            compress: true,
            tidies: false,
        }
    }
}

/// One recording of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// Where it is.
    pub file: PathBuf,
    /// Its name without folder and ending.
    pub id: String,
    /// Its first line.
    pub header: Header,
    /// What it came to; of one that was not closed only what its end says.
    pub totals: Totals,
    /// Its size on the disk.
    pub bytes: u64,
    /// Bookmarks and notes.
    pub notes: usize,
    /// How it is doing.
    pub state: State,
}

/// How a recording is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is being written, by this program or another one.
    Live,
    /// It was closed in order.
    Closed,
    /// It was not: the program or the machine stopped.
    Torn,
}

impl State {
    /// In a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Closed => "closed",
            Self::Torn => "torn",
        }
    }
}

/// Everything about one recording, read as a whole.
#[derive(Debug, Clone)]
pub struct Look {
    /// Its first line.
    pub header: Header,
    /// What it came to.
    pub totals: Totals,
    /// In the order of their moments, notes among them.
    pub markers: Vec<Marker>,
    /// What could not be used.
    pub skipped: Skipped,
    /// What should be known of it.
    pub notices: Vec<String>,
}

/// Which recording a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant {
    /// This file.
    File(PathBuf),
    /// One of these.
    Several(Vec<String>),
    /// None; these are named alike.
    None(Vec<String>),
}

/// The recordings in a folder, newest first; none if it is not there. What is no recording is passed over.
///
/// # Errors
/// When the folder cannot be read.
pub fn list(folder: &Path) -> io::Result<Vec<Recording>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(why) => return Err(why),
    };
    let paths = entries.flatten().map(|entry| entry.path()).filter(|path| is_recording(path)).take(MOST);
    // A crash while one was compressed leaves both forms.
    let mut by_stem: BTreeMap<String, PathBuf> = BTreeMap::new();
    for path in paths {
        let is_plain = path.extension().is_some_and(|extension| extension == "jsonl");
        let stem = notes::stem(&path);
        if is_plain || !by_stem.contains_key(&stem) {
            by_stem.insert(stem, path);
        }
    }
    let mut all: Vec<Recording> = by_stem.into_values().filter_map(|path| peek(&path).ok()).collect();
    all.sort_by(|a, b| (b.header.started_at, &b.id).cmp(&(a.header.started_at, &a.id)));
    Ok(all)
}

fn is_recording(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let is_ours = name.ends_with(".jsonl") || name.ends_with(".jsonl.gz");
    is_ours && !name.ends_with(notes::SUFFIX) && !name.starts_with('.')
}

/// Reads a recording's ends.
///
/// # Errors
/// When it is none.
pub fn peek(path: &Path) -> io::Result<Recording> {
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let (header, totals, state) =
        if scan::is_gzip(&mut file)? { peek_compressed(file)? } else { peek_plain(&mut file, bytes, path)? };
    let notes = notes::read(path).map_or(0, |notes| notes.len());
    Ok(Recording { file: path.to_owned(), id: notes::stem(path), header, totals, bytes, notes, state })
}

fn peek_plain(file: &mut File, bytes: u64, path: &Path) -> io::Result<(Header, Totals, State)> {
    let mut lines = Lines::new(BufReader::new((&*file).take(END)), END as usize);
    let header = Header::read(lines.next()?.and_then(|found| found.text).unwrap_or_default())?;
    let mut index = Index::new(0);
    while let Some(found) = lines.next()? {
        if let Some(Ok(line)) = found.text.map(Line::parse) {
            index.add(found.length, Ok(&line));
        }
    }
    let head = index.totals();
    let start = bytes.saturating_sub(END);
    file.seek(SeekFrom::Start(start))?;
    let mut lines = Lines::new(BufReader::new((&*file).take(END)), END as usize);
    let (mut closed, mut index) = (None, Index::new(0));
    while let Some(found) = lines.next()? {
        let Some(Ok(line)) = found.text.map(Line::parse) else { continue };
        index.add(found.length, Ok(&line));
        closed = if let LineKind::Closed(totals) = line.what { Some(*totals) } else { None };
    }
    if let Some(totals) = closed {
        return Ok((header, totals, State::Closed));
    }
    let tail = index.totals();
    let state = if is_being_written(path) { State::Live } else { State::Torn };
    let scores = if tail.scores.is_empty() { head.scores } else { tail.scores };
    let totals = Totals {
        game: head.game,
        player_id: head.player_id,
        seats: if tail.seats.is_empty() { head.seats } else { tail.seats },
        // What lies between the ends was not counted.
        moments: if bytes <= END { head.moments } else { 0 },
        tick: tail.tick.max(head.tick),
        scores,
        ended: tail.ended,
        length_ms: tail.length_ms.max(head.length_ms),
    };
    Ok((header, totals, state))
}

fn peek_compressed(file: File) -> io::Result<(Header, Totals, State)> {
    let mut text = BufReader::new(GzDecoder::new(BufReader::new(file)));
    let mut first = Vec::new();
    (&mut text).take(END).read_until(b'\n', &mut first)?;
    let header = Header::read(&first)?;
    let extra = text.get_ref().header().and_then(|header| header.extra()).unwrap_or_default();
    let totals = upkeep::totals_in(extra).unwrap_or_default();
    Ok((header, totals, State::Closed))
}

/// Reads all of a recording.
///
/// # Errors
/// When it is none, or cannot be read.
pub fn look(path: &Path) -> io::Result<Look> {
    let tape = Tape::open(path)?;
    let summary = tape.index.summary();
    Ok(Look {
        totals: tape.index.totals(),
        markers: summary.markers.to_vec(),
        skipped: summary.skipped,
        notices: tape.notices().to_vec(),
        header: tape.header,
    })
}

/// Finds the recording that a file name, a session's id or the beginning of either means.
///
/// # Errors
/// When the folder cannot be read.
pub fn find(folder: Option<&Path>, name: &str) -> io::Result<Meant> {
    let path = Path::new(name);
    if path.is_file() {
        return Ok(Meant::File(path.to_owned()));
    }
    let all = folder.map(list).transpose()?.unwrap_or_default();
    Ok(meant(&all, name))
}

/// The newest recording of a session of exactly this id, or the only one whose name or session begins so.
fn meant(all: &[Recording], name: &str) -> Meant {
    let exact = |recording: &&Recording| recording.id == name || recording.header.session_id == name;
    if let Some(recording) = all.iter().find(exact) {
        return Meant::File(recording.file.clone());
    }
    let begins = |recording: &&Recording| {
        !name.is_empty() && (recording.id.starts_with(name) || recording.header.session_id.starts_with(name))
    };
    let found: Vec<&Recording> = all.iter().filter(begins).collect();
    match found.as_slice() {
        [one] => Meant::File(one.file.clone()),
        [] => Meant::None(near(all, name)),
        several => Meant::Several(several.iter().take(NEAR).map(|recording| recording.id.clone()).collect()),
    }
}

fn near(all: &[Recording], name: &str) -> Vec<String> {
    let alike = |recording: &Recording| {
        let names = [recording.id.as_str(), recording.header.session_id.as_str()];
        names.into_iter().map(|known| strsim::normalized_damerau_levenshtein(known, name)).fold(0.0, f64::max)
    };
    let mut rated: Vec<(f64, &Recording)> =
        all.iter().take(1000).map(|recording| (alike(recording), recording)).collect();
    rated.sort_by(|a, b| b.0.total_cmp(&a.0));
    rated
        .into_iter()
        .filter(|(alike, _)| *alike > 0.3)
        .take(NEAR)
        .map(|(_, recording)| recording.id.clone())
        .collect()
}

#[cfg(test)]
mod tests;
