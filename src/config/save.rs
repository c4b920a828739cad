//! Writes files so that a reader always sees the whole old one or the whole new one.
//!
//! A file is written under another name in the same folder and then takes the old one's place; a link stays a link and
//! what it points to is replaced. Changes to the settings are made to what the file says at that moment, under a lock
//! that other instances respect, and compared once more before they are written, for editors that do not.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use toml_edit::DocumentMut;

use super::file::{self, File};
use super::keys::is_absence;
use super::problem::ConfigError;

/// Who may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// As before; a new file is private.
    AsBefore,
    /// Its owner only.
    Private,
}

/// Settings could not be saved; the file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// What is there cannot be read as settings.
    #[error("nothing was changed, since the settings cannot be read")]
    Unreadable(#[source] ConfigError),
    /// The change is no good.
    #[error("nothing was changed: {0}")]
    Unsound(String),
    /// Somebody else changed the file meanwhile.
    #[error("nothing was changed: `{0}` was changed by somebody else meanwhile, try again")]
    Changed(PathBuf),
    /// The file or its folder cannot be used.
    #[error("nothing was changed: `{path}` cannot be written")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// Changes the settings in `path`, which need not exist. Returns whether anything changed.
///
/// # Errors
/// When what is there cannot be read, when the change brings a problem that was not there before, or when it cannot be
/// written. The file is then as it was.
pub(super) fn update(
    path: &Path,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), String>,
) -> Result<bool, SaveError> {
    let path = &follow(path);
    let fault = |source| SaveError::Io { path: path.clone(), source };
    make_folder(path).map_err(fault)?;
    let _lock = lock(path);
    let before = read(path).map_err(fault)?;
    let bytes = before.as_deref().unwrap_or_default();
    let after = changed(path, bytes, change)?;
    if after == bytes {
        return Ok(false);
    }
    put_in_place(path, before.as_deref(), &after)?;
    Ok(true)
}

/// Replaces the settings by a text that was checked already, unless they are not `expected` any more.
pub(super) fn replace(path: &Path, expected: Option<&[u8]>, bytes: &[u8]) -> Result<(), SaveError> {
    let path = &follow(path);
    make_folder(path).map_err(|source| SaveError::Io { path: path.clone(), source })?;
    let _lock = lock(path);
    put_in_place(path, expected, bytes)
}

fn put_in_place(path: &Path, expected: Option<&[u8]>, bytes: &[u8]) -> Result<(), SaveError> {
    let fault = |source| SaveError::Io { path: path.to_owned(), source };
    if read(path).map_err(fault)?.as_deref() != expected {
        return Err(SaveError::Changed(path.to_owned()));
    }
    write(path, bytes, Mode::AsBefore).map_err(fault)
}

/// The text after a change, with the byte order mark and the line ends that were there.
fn changed(
    path: &Path,
    bytes: &[u8],
    change: impl FnOnce(&mut DocumentMut) -> Result<(), String>,
) -> Result<Vec<u8>, SaveError> {
    let old = file::text(path, bytes).map_err(SaveError::Unreadable)?;
    let problems_before = match File::parse(path, bytes) {
        Ok(_) => Vec::new(),
        Err(error) => error.problems().iter().map(super::Problem::words).collect(),
    };
    let mut document: DocumentMut =
        match old.parse() {
            Ok(document) => document,
            Err(_) => {
                return Err(SaveError::Unreadable(File::parse(path, bytes).err().unwrap_or_else(|| {
                    super::Problem::file(path.to_owned(), None, "cannot be read").into()
                })));
            }
        };
    // Comments at the end stay where they are when something is added behind them.
    let tail = document.trailing().as_str().unwrap_or_default().to_owned();
    document.set_trailing("");
    let body = document.to_string();
    change(&mut document).map_err(SaveError::Unsound)?;
    let mut new = document.to_string();
    match new.strip_prefix(&body) {
        Some("") | None => new.push_str(&tail),
        Some(_) => {
            let line_end = if tail.is_empty() || tail.ends_with('\n') { "" } else { "\n" };
            new.insert_str(body.len(), &format!("{tail}{line_end}"));
        }
    }
    if old.contains("\r\n") {
        new = new.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    if bytes.starts_with("\u{feff}".as_bytes()) {
        new.insert(0, '\u{feff}');
    }
    if let Err(error) = File::parse(path, new.as_bytes()) {
        let fresh = error.problems().iter().map(super::Problem::words).find(|p| !problems_before.contains(p));
        if let Some(problem) = fresh {
            return Err(SaveError::Unsound(problem));
        }
    }
    Ok(new.into_bytes())
}

/// The bytes of a file, of a larger one than settings can be the beginning; nothing if there is none.
pub(super) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(file::MOST as u64 + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Writes a file whole or not at all, and its folders.
pub(super) fn write(path: &Path, bytes: &[u8], mode: Mode) -> io::Result<()> {
    let path = &follow(path);
    make_folder(path)?;
    let folder = folder(path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".gert-");
    // The temporary file is private from its first moment.
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    if mode == Mode::AsBefore
        && let Ok(meta) = fs::metadata(path)
    {
        temporary.as_file().set_permissions(meta.permissions())?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    // So that the new name survives a loss of power too; not every system can.
    if let Ok(folder) = fs::File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Where a link leads, also if nothing is there.
fn follow(path: &Path) -> PathBuf {
    /// As many links as systems follow.
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        match fs::read_link(&path) {
            Ok(target) => path = folder(&path).join(target),
            Err(_) => break,
        }
    }
    path
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder(path))
}

/// Keeps other instances from changing the file until it is dropped. The folder is what is locked, so that no lock file
/// is left behind; where a folder cannot be locked, only the comparison before writing is left.
fn lock(path: &Path) -> Option<fs::File> {
    let folder = fs::File::open(folder(path)).ok()?;
    folder.lock().ok()?;
    Some(folder)
}

/// Makes a file private that others can read; says so.
#[cfg(unix)]
pub(super) fn tighten(path: &Path) -> Option<String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).ok()?.permissions().mode() & 0o777;
    let for_others = mode & 0o077;
    if for_others == 0 {
        return None;
    }
    let name = crate::text::clean(&path.to_string_lossy()).into_owned();
    Some(match fs::set_permissions(path, fs::Permissions::from_mode(0o600)) {
        Ok(()) => format!(
            "`{name}` holds a secret and could be read by others (mode {mode:03o}): it is private now"
        ),
        Err(why) => format!(
            "`{name}` holds a secret and can be read by others (mode {mode:03o}): run `chmod 600` on it ({why})"
        ),
    })
}

#[cfg(not(unix))]
pub(super) fn tighten(_: &Path) -> Option<String> {
    None
}

#[cfg(test)]
mod tests;
