//! Why an export file cannot be read.

use std::io;
use std::path::{Path, PathBuf};

/// The longest text that a library or a file adds to a message, in characters.
const MAX_WHY: usize = 300;

/// Why an export file, or a column of it, cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system does not let us.
    #[error("`{}` cannot be read", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        why: io::Error,
    },
    /// It is not what we can read, is damaged or too large.
    #[error("`{}` {what}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// It does not go together with the first file.
    #[error("`{}` does not belong to `{}`: {how}", path.display(), first.display())]
    Differs {
        /// The file.
        path: PathBuf,
        /// The first file.
        first: PathBuf,
        /// What is different.
        how: String,
    },
    /// There is no such column.
    #[error("there is no column `{name}`{}", advice(near))]
    Column {
        /// What was asked for.
        name: String,
        /// Names that are like it, or some of those there are.
        near: Vec<String>,
    },
    /// No file was given.
    #[error("there is no file to read")]
    NoFiles,
}

impl Error {
    pub(super) fn io(path: &Path, why: io::Error) -> Self {
        Self::Io { path: path.to_owned(), why }
    }

    pub(super) fn content(path: &Path, what: impl Into<String>) -> Self {
        Self::Content { path: path.to_owned(), what: what.into() }
    }

    /// The file breaks its format's rules. `why` may quote from it.
    pub(super) fn damaged(path: &Path, why: &str) -> Self {
        let why = why.char_indices().nth(MAX_WHY).map_or(why, |(end, _)| &why[..end]);
        Self::content(path, format!("is damaged: {why}"))
    }
}

fn advice(near: &[String]) -> String {
    if near.is_empty() {
        return String::new();
    }
    format!("; there is `{}`", near.join("`, `"))
}
