//! A file of results: its settings, then a line for each finished unit of what is played.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::journal::Journal;

/// The first line of a file of results.
pub(super) trait Head: Clone + Serialize + DeserializeOwned {
    /// What the file is of, for people: `match`.
    const OF: &'static str;
    /// The latest version that is understood.
    const VERSION: u32;

    /// The version of who wrote it.
    fn version(&self) -> u32;
}

/// A file of results and what is in it.
pub(super) struct Kept<H, R> {
    pub(super) settings: H,
    pub(super) rows: Vec<R>,
    journal: Journal,
}

/// Where results are kept unless somebody says otherwise.
pub(super) fn default_place(folder: &str, name: &str) -> Result<PathBuf, String> {
    let state = crate::cli::log::state_folder();
    let state = state.ok_or("there is no state folder for the results: say where with `--out FILE`")?;
    Ok(state.join(folder).join(name))
}

impl<H: Head, R: Serialize + DeserializeOwned> Kept<H, R> {
    /// Starts a file. One that holds results already is not touched.
    pub(super) fn begin(path: &Path, settings: &H) -> Result<Self, String> {
        let name = path.display();
        let journal = Journal::new(path);
        let wrong = |why: std::io::Error| format!("the results cannot be kept in `{name}`: {why}");
        let mut locked = journal.lock().map_err(wrong)?;
        if locked.size().map_err(wrong)? > 0 {
            return Err(format!(
                "`{name}` holds results already: go on with them by `--resume {name}`, or take another `--seed` or `--out`"
            ));
        }
        locked.append(settings).map_err(wrong)?;
        drop(locked);
        Ok(Self { settings: settings.clone(), rows: Vec::new(), journal })
    }

    /// Reads a file to go on with. What a torn last line was about is played again.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let name = path.display();
        if !path.is_file() {
            return Err(format!("--resume: there is no file `{name}`"));
        }
        let journal = Journal::new(path);
        let lines =
            journal.read::<Value>().map_err(|why| format!("--resume: `{name}` cannot be read: {why}"))?;
        let mut lines = lines.rows.into_iter();
        let settings: H = lines
            .next()
            .and_then(|line| serde_json::from_value(line).ok())
            .ok_or_else(|| format!("--resume: `{name}` is no file of a {}", H::OF))?;
        if settings.version() > H::VERSION {
            return Err(format!("--resume: `{name}` was written by a later version of gert"));
        }
        let rows = lines.filter_map(|line| serde_json::from_value(line).ok()).collect();
        Ok(Self { settings, rows, journal })
    }

    /// Keeps a row: all of it, or nothing.
    pub(super) fn append(&self, row: &R) -> Result<(), String> {
        let kept = self.journal.lock().and_then(|mut locked| locked.append(row));
        let name = self.journal.path().display();
        kept.map_err(|why| format!("the results cannot be kept in `{name}`: {why}"))
    }
}
