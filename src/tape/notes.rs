//! Bookmarks and notes: JSON lines beside the recording, which is never changed itself.
//!
//! `X.notes.jsonl` belongs to `X.jsonl` and to `X.jsonl.gz`. A later line about a moment replaces an earlier one; a
//! line without words takes the note away.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::journal::Journal;

/// A file larger than this was not made by hand.
const MOST_BYTES: u64 = 8 << 20;
/// The longest note in bytes.
const LONGEST: usize = 4096;
/// What a file with notes ends with.
pub(super) const SUFFIX: &str = ".notes.jsonl";

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Note {
    /// The moment.
    nth: usize,
    /// The words; none takes the note away.
    #[serde(default)]
    note: Option<String>,
    /// When it was written.
    #[serde(default)]
    at: Option<jiff::Timestamp>,
}

/// What the files of a recording are called by: its name without `.jsonl` or `.jsonl.gz`.
pub(super) fn stem(recording: &Path) -> String {
    let name = recording.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.strip_suffix(".gz").unwrap_or(&name);
    stem.strip_suffix(".jsonl").unwrap_or(stem).to_owned()
}

/// Where the notes of a recording are.
pub(super) fn file(recording: &Path) -> PathBuf {
    recording.with_file_name(format!("{}{SUFFIX}", stem(recording)))
}

/// The notes of a recording by moment.
///
/// # Errors
/// When there are some that cannot be read.
pub(super) fn read(recording: &Path) -> io::Result<BTreeMap<usize, String>> {
    let path = file(recording);
    match path.metadata() {
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(why) => return Err(why),
        Ok(about) if about.len() > MOST_BYTES || !about.is_file() => {
            return Err(io::Error::other("it is no file of notes: larger than any"));
        }
        Ok(_) => {}
    }
    let mut notes = BTreeMap::new();
    for Note { nth, note, .. } in Journal::new(path).read::<Note>()?.rows {
        match note {
            Some(words) => drop(notes.insert(nth, words)),
            None => drop(notes.remove(&nth)),
        }
    }
    Ok(notes)
}

/// Writes a note down, or that it is gone.
///
/// # Errors
/// When it cannot be written.
pub(super) fn keep(recording: &Path, nth: usize, note: Option<&str>) -> io::Result<()> {
    let note = note.map(|words| words[..words.floor_char_boundary(LONGEST)].to_owned());
    let row = Note { nth, note, at: Some(jiff::Timestamp::now()) };
    Journal::new(file(recording)).lock()?.append(&row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_come_back_for_the_plain_and_for_the_compressed_recording() {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("a.b.jsonl");
        assert_eq!(read(&plain).unwrap(), BTreeMap::new());
        keep(&plain, 3, Some("look")).unwrap();
        keep(&plain, 9, Some("")).unwrap();
        keep(&plain, 3, Some("look again")).unwrap();
        keep(&plain, 5, Some("gone")).unwrap();
        keep(&plain, 5, None).unwrap();
        let expected = BTreeMap::from([(3, "look again".to_owned()), (9, String::new())]);
        assert_eq!(read(&plain).unwrap(), expected);
        assert_eq!(read(&folder.path().join("a.b.jsonl.gz")).unwrap(), expected);
    }

    #[test]
    fn junk_between_notes_is_skipped_and_a_long_note_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("a.jsonl");
        std::fs::write(file(&plain), b"\xff\xfe\n{\"nth\":\"x\"}\n{\"nth\":1,\"note\":\"a\"}\n{\"nt")
            .unwrap();
        keep(&plain, 2, Some(&"é".repeat(10_000))).unwrap();
        let notes = read(&plain).unwrap();
        assert_eq!(notes[&1], "a");
        assert_eq!(notes[&2].len(), LONGEST);
    }
}
