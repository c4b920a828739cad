//! JSON-lines files that are only ever appended to, safely: by several programs at once, through crashes.
//!
//! A line is whole or it is not there: an append is one write under a lock, after a torn end (a crash in the middle of
//! a line) was closed off. Reading skips what does not parse and counts it. Everything blocks; call it off the async
//! threads.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// One file of JSON lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Journal {
    path: PathBuf,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows<T> {
    /// The rows that could be read, oldest first.
    pub rows: Vec<T>,
    /// How many lines could not.
    pub skipped: usize,
}

/// A journal that nobody else writes until this is dropped.
#[derive(Debug)]
pub struct Locked {
    path: PathBuf,
    file: File,
    /// A file of its own, since the journal's may be replaced by another one.
    _lock: File,
}

impl Journal {
    /// The journal in a file, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the file, making it (0600) and its folder (0700) if needed, and waits until no other program has it.
    ///
    /// # Errors
    /// When it cannot be made, opened or locked.
    pub fn lock(&self) -> io::Result<Locked> {
        if let Some(folder) = self.path.parent() {
            make_folder(folder)?;
        }
        let lock = private(&self.path.with_extension("lock"))?;
        lock.lock()?;
        Ok(Locked { path: self.path.clone(), file: private(&self.path)?, _lock: lock })
    }

    /// Reads all rows; a file that is not there has none.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read<T: DeserializeOwned>(&self) -> io::Result<Rows<T>> {
        match File::open(&self.path) {
            Ok(file) => rows(&file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Rows { rows: Vec::new(), skipped: 0 })
            }
            Err(error) => Err(error),
        }
    }
}

impl Locked {
    /// Reads all rows.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read<T: DeserializeOwned>(&mut self) -> io::Result<Rows<T>> {
        self.file.seek(SeekFrom::Start(0))?;
        rows(&self.file)
    }

    /// Appends one row.
    ///
    /// # Errors
    /// When it cannot be written; nothing of it counts then.
    pub fn append(&mut self, row: &impl Serialize) -> io::Result<()> {
        let mut line = Vec::new();
        if self.is_torn()? {
            // The next row must not be glued to what a crash left.
            line.push(b'\n');
        }
        serde_json::to_writer(&mut line, row)?;
        line.push(b'\n');
        self.file.write_all(&line)?;
        self.file.flush()
    }

    /// How long the file is in bytes.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn size(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Replaces everything by these rows at once, for a file that has grown too long.
    ///
    /// # Errors
    /// When it cannot be written; the old rows stay then.
    pub fn replace<T: Serialize>(&mut self, rows: &[T]) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let mut new = tempfile::NamedTempFile::new_in(folder)?;
        for row in rows {
            serde_json::to_writer(&mut new, row)?;
            new.write_all(b"\n")?;
        }
        new.as_file().sync_all()?;
        new.persist(&self.path).map_err(|error| error.error)?;
        self.file = private(&self.path)?;
        Ok(())
    }

    fn is_torn(&mut self) -> io::Result<bool> {
        if self.file.seek(SeekFrom::End(0))? == 0 {
            return Ok(false);
        }
        self.file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        self.file.read_exact(&mut last)?;
        Ok(last[0] != b'\n')
    }
}

fn rows<T: DeserializeOwned>(mut file: &File) -> io::Result<Rows<T>> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let mut all = Rows { rows: Vec::new(), skipped: 0 };
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        match serde_json::from_slice(line) {
            Ok(row) => all.rows.push(row),
            Err(_) => all.skipped += 1,
        }
    }
    Ok(all)
}

/// Opens a file for reading and appending, making it for its owner alone.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).read(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal() -> (tempfile::TempDir, Journal) {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = Journal::new(folder.path().join("state/rows.jsonl"));
        (folder, journal)
    }

    #[test]
    fn rows_come_back_in_their_order() {
        let (_folder, journal) = journal();
        assert_eq!(journal.read::<u32>().expect("none yet"), Rows { rows: vec![], skipped: 0 });
        for number in 1..=3 {
            journal.lock().expect("locked").append(&number).expect("written");
        }
        assert_eq!(journal.read::<u32>().expect("rows").rows, [1, 2, 3]);
    }

    #[test]
    fn a_torn_last_line_is_skipped_and_the_next_row_starts_afresh() {
        // L-02
        let (_folder, journal) = journal();
        journal.lock().expect("locked").append(&1).expect("written");
        let mut file = OpenOptions::new().append(true).open(journal.path()).expect("the file");
        file.write_all(b"{\"half\": ").expect("written");
        assert_eq!(journal.read::<u32>().expect("rows"), Rows { rows: vec![1], skipped: 1 });
        journal.lock().expect("locked").append(&2).expect("written");
        assert_eq!(journal.read::<u32>().expect("rows"), Rows { rows: vec![1, 2], skipped: 1 });
    }

    #[test]
    fn replacing_leaves_the_new_rows_alone() {
        let (_folder, journal) = journal();
        let mut locked = journal.lock().expect("locked");
        locked.append(&1).expect("written");
        locked.replace(&[7, 8]).expect("written");
        locked.append(&9).expect("written");
        assert_eq!(locked.read::<u32>().expect("rows").rows, [7, 8, 9]);
    }

    #[test]
    fn writers_at_the_same_time_lose_nothing() {
        // C-08
        let (_folder, journal) = journal();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let journal = &journal;
                scope.spawn(move || {
                    for row in 0..50 {
                        journal.lock().expect("locked").append(&(writer * 100 + row)).expect("written");
                    }
                });
            }
        });
        let rows = journal.read::<u32>().expect("rows");
        assert_eq!((rows.rows.len(), rows.skipped), (200, 0));
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_for_its_owner_alone() {
        // C-04
        use std::os::unix::fs::PermissionsExt as _;
        let (_folder, journal) = journal();
        journal.lock().expect("locked").append(&1).expect("written");
        let mode = |path: &Path| path.metadata().expect("it is there").permissions().mode() & 0o777;
        assert_eq!(mode(journal.path()), 0o600);
        assert_eq!(mode(journal.path().parent().expect("a folder")), 0o700);
    }
}
