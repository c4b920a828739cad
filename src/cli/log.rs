//! The program's own log while the dashboard has the terminal: a file in the state folder, bounded.

use std::fs::{File, OpenOptions};
use std::path::PathBuf;

use tracing_subscriber::EnvFilter;

/// A log larger than this is started afresh; the one before is kept beside it.
const MOST: u64 = 1 << 20;

/// Writes the log to a file from now on. `GERT_LOG` filters it, e.g. `gert=debug`. Without a folder to write in there
/// is no log, and that is no reason not to start.
pub(super) fn to_file() {
    let Some(file) = open() else { return };
    let filter = EnvFilter::try_from_env("GERT_LOG").unwrap_or_else(|_| EnvFilter::new("warn,gert=info"));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(std::sync::Mutex::new(file));
    // It fails only where a log was set up already.
    let _ = log.try_init();
}

fn open() -> Option<File> {
    let path = path()?;
    std::fs::create_dir_all(path.parent()?).ok()?;
    if path.metadata().is_ok_and(|meta| meta.len() > MOST) {
        std::fs::rename(&path, path.with_extension("log.1")).ok()?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).ok()
}

fn path() -> Option<PathBuf> {
    Some(state_folder()?.join("gert.log"))
}

/// Where state is kept, if there is a home for it.
pub(super) fn state_folder() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "gert")?;
    Some(folders.state_dir().unwrap_or_else(|| folders.data_local_dir()).to_owned())
}
