//! The program's own log while the dashboard has the terminal: files in the state folder, never more than [`FILES`] of
//! [`MOST`] bytes each, in which a warning that repeats is counted instead of written again. `gert doctor` says where.

mod repeats;

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use tracing_subscriber::EnvFilter;

use self::repeats::Repeats;

/// A file that would grow larger than this is set aside, and a new one begun.
pub(super) const MOST: u64 = 1 << 20;
/// The one that is written and those that were set aside; the oldest one goes.
pub(super) const FILES: usize = 4;
/// What is over this of one line is cut off.
const LONGEST: usize = 16 << 10;
/// What is logged unless `GERT_LOG` says otherwise.
const FILTER: &str = "warn,gert=info";

/// Writes the log to a file from now on. `GERT_LOG` filters it, e.g. `gert=debug`. Without a folder to write in there
/// is no log, and that is no reason not to start.
pub(super) fn to_file() {
    let Some(log) = path().and_then(|path| Log::open(path, MOST).ok()) else { return };
    let filter = EnvFilter::try_from_env("GERT_LOG").unwrap_or_else(|_| EnvFilter::new(FILTER));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(Mutex::new(log));
    // It fails only where a log was set up already.
    let _ = log.try_init();
}

/// The file that is written; nothing where there is no home for it.
pub(super) fn path() -> Option<PathBuf> {
    Some(state_folder()?.join("gert.log"))
}

/// The files that may be there, the newest first.
pub(super) fn files(path: &Path) -> impl Iterator<Item = PathBuf> {
    let path = path.to_owned();
    (0..FILES).map(move |nth| set_aside(&path, nth))
}

/// What is wrong with a filter, if anything is.
pub(super) fn filter_problem(filter: &str) -> Option<String> {
    EnvFilter::try_new(filter).err().map(|why| why.to_string())
}

/// Where state is kept, if there is a home for it.
pub(super) fn state_folder() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "gert")?;
    Some(folders.state_dir().unwrap_or_else(|| folders.data_local_dir()).to_owned())
}

/// The name of a file that was set aside `nth`-last; 0 is the one that is written.
fn set_aside(path: &Path, nth: usize) -> PathBuf {
    if nth == 0 { path.to_owned() } else { path.with_extension(format!("log.{nth}")) }
}

/// Takes one line a write.
struct Log {
    path: PathBuf,
    file: File,
    most: u64,
    repeats: Repeats,
}

impl Log {
    fn open(path: PathBuf, most: u64) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        Ok(Self { file: append_to(&path)?, path, most, repeats: Repeats::default() })
    }

    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        if !self.fits(line)? {
            // Another program may have set the file aside already.
            self.file = append_to(&self.path)?;
            if !self.fits(line)? {
                self.rotate()?;
            }
        }
        self.file.write_all(line)
    }

    fn fits(&self, line: &[u8]) -> io::Result<bool> {
        let size = self.file.metadata()?.len();
        Ok(size == 0 || size + line.len() as u64 <= self.most)
    }

    fn rotate(&mut self) -> io::Result<()> {
        for nth in (1..FILES).rev() {
            // One that is not there need not move.
            let _ = std::fs::rename(set_aside(&self.path, nth - 1), set_aside(&self.path, nth));
        }
        self.file = append_to(&self.path)?;
        Ok(())
    }
}

impl Write for Log {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        if let Some(text) = self.repeats.take(&shortened(&text), Instant::now()) {
            self.append(text.as_bytes())?;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn append_to(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

fn shortened(line: &str) -> String {
    if line.len() <= LONGEST {
        return line.to_owned();
    }
    format!("{}…\n", &line[..line.floor_char_boundary(LONGEST)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(path: &Path) -> Vec<u64> {
        files(path).map_while(|file| Some(file.metadata().ok()?.len())).collect()
    }

    #[test]
    fn all_files_together_stay_below_a_limit_and_the_newest_lines_are_kept() {
        // L-01
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state/gert.log");
        let mut log = Log::open(path.clone(), 100).unwrap();
        for n in 0..200 {
            log.write_all(format!("T  INFO gert: line {n:4}\n").as_bytes()).unwrap();
        }
        assert_eq!(sizes(&path), [96; FILES]);
        assert_eq!(std::fs::read_dir(folder.path().join("state")).unwrap().count(), FILES);
        assert!(std::fs::read_to_string(&path).unwrap().ends_with("line  199\n"));
    }

    #[test]
    fn two_programs_set_a_full_file_aside_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gert.log");
        let mut logs = [path.clone(), path.clone()].map(|path| Log::open(path, 40).unwrap());
        for nth in [0, 1, 0, 1] {
            logs[nth].write_all(b"T  INFO gert: nineteen\n").unwrap();
        }
        // Lines of 23 bytes: each file holds one.
        assert_eq!(sizes(&path), [23; 4]);
    }

    #[test]
    fn a_line_of_any_length_fits_and_the_files_are_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state/gert.log");
        let mut log = Log::open(path.clone(), MOST).unwrap();
        log.write_all(format!("T  WARN gert: {}\n", "é".repeat(1 << 20)).as_bytes()).unwrap();
        assert!(sizes(&path)[0] <= LONGEST as u64 + 4, "{:?}", sizes(&path));
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }

    #[test]
    fn a_filter_that_cannot_be_read_is_told() {
        assert_eq!(filter_problem(FILTER), None);
        assert!(filter_problem("gert=loud").is_some());
    }
}
