//! The file that keeps how the user wants games drawn: `views.json` in the folder for state.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::app::fields::Views;

/// A larger file is none of ours.
const MAX_BYTES: u64 = 4 << 20;

/// Where it is; `None` where there is no home folder.
pub fn place() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "gert")?;
    Some(folders.state_dir().unwrap_or_else(|| folders.data_dir()).join("views.json"))
}

/// Reads it. One that cannot be read is put aside, so that nothing in it is lost, and said to be.
pub fn load(file: &Path) -> (Views, Option<String>) {
    let why = match read(file) {
        Ok(views) => return (views, None),
        Err(why) if why.kind() == io::ErrorKind::NotFound => return (Views::default(), None),
        Err(why) => why,
    };
    let aside = file.with_extension("json.unread");
    let moved = fs::rename(file, &aside).is_ok();
    let place = if moved { aside.as_path() } else { file };
    (
        Views::default(),
        Some(format!("your choices of how games are drawn cannot be read: {why}; see {}", place.display())),
    )
}

fn read(file: &Path) -> io::Result<Views> {
    if fs::metadata(file)?.len() > MAX_BYTES {
        return Err(io::Error::other("it is too large"));
    }
    Views::read(&fs::read_to_string(file)?).map_err(io::Error::other)
}

/// Writes the newest text, whichever of several wishes comes first.
#[derive(Clone)]
pub(super) struct ViewsFile {
    file: Option<PathBuf>,
    wanted: Arc<Mutex<Option<String>>>,
}

impl ViewsFile {
    pub(super) fn new(file: Option<PathBuf>) -> Self {
        Self { file, wanted: Arc::default() }
    }

    /// Notes what the file should hold.
    pub(super) fn want(&self, text: String) {
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    }

    /// Writes what was noted last, if it was not yet. Blocks.
    pub(super) fn write(&self) {
        // The lock is held while writing: two writers would otherwise end in any order.
        let mut wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(text), Some(file)) = (wanted.take(), &self.file)
            && let Err(why) = replace(file, &text)
        {
            tracing::warn!(%why, file = %file.display(), "the choices of how games are drawn are not kept");
        }
    }
}

/// Replaces the file as a whole, so that a crash leaves the old one or the new one.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    let folder = file.parent().ok_or_else(|| io::Error::other("no folder"))?;
    fs::create_dir_all(folder)?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(text.as_bytes())?;
    new.as_file().sync_all()?;
    new.persist(file).map_err(|why| why.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::fields::{Choice, Form};

    #[test]
    fn choices_come_back_and_a_broken_file_is_put_aside() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state/views.json");
        assert_eq!(load(&file), (Views::default(), None));
        let mut views = Views::default();
        views.change("maze", |view| view.choose("/a", Choice { form: Form::Tree, pinned: true }));
        let kept = ViewsFile::new(Some(file.clone()));
        kept.want("{}".into());
        kept.want(views.text());
        kept.write();
        kept.write();
        assert_eq!(load(&file), (views, None));
        fs::write(&file, "{\"maze\": 3").unwrap();
        let (read, trouble) = load(&file);
        assert_eq!(read, Views::default());
        assert!(trouble.unwrap().contains("views.json.unread"));
        assert_eq!(fs::read_to_string(file.with_extension("json.unread")).unwrap(), "{\"maze\": 3");
    }
}
