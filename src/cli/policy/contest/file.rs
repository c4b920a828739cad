//! The file of a contest: its settings, then a line for each finished pair.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::contest::{PairRow, Settings, row};
use crate::journal::Journal;

/// A file of results and what is in it.
pub(super) struct Kept {
    pub(super) settings: Settings,
    pub(super) rows: Vec<PairRow>,
    journal: Journal,
}

/// Where results are kept unless somebody says otherwise.
pub(super) fn default_place(name: &str) -> Result<PathBuf, String> {
    let folder = crate::cli::log::state_folder();
    let folder = folder.ok_or("there is no state folder for the results: say where with `--out FILE`")?;
    Ok(folder.join("matches").join(name))
}

/// Starts a file. One that holds results already is not touched.
pub(super) fn begin(path: &Path, settings: &Settings) -> Result<Kept, String> {
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
    Ok(Kept { settings: settings.clone(), rows: Vec::new(), journal })
}

/// Reads a file to go on with. A torn last line is a pair that is played again.
pub(super) fn read(path: &Path) -> Result<Kept, String> {
    let name = path.display();
    if !path.is_file() {
        return Err(format!("--resume: there is no file `{name}`"));
    }
    let journal = Journal::new(path);
    let lines = journal.read::<Value>().map_err(|why| format!("--resume: `{name}` cannot be read: {why}"))?;
    let mut lines = lines.rows.into_iter();
    let settings: Settings = lines
        .next()
        .and_then(|line| serde_json::from_value(line).ok())
        .ok_or_else(|| format!("--resume: `{name}` is no file of a match"))?;
    if settings.gert_match > row::VERSION {
        return Err(format!("--resume: `{name}` was written by a later version of gert"));
    }
    let rows = lines.filter_map(|line| serde_json::from_value(line).ok()).collect();
    Ok(Kept { settings, rows, journal })
}

impl Kept {
    /// Keeps a pair: all of it, or nothing.
    pub(super) fn append(&self, row: &PairRow) -> std::io::Result<()> {
        self.journal.lock()?.append(row)
    }
}
