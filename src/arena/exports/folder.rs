//! Where the files lie: in a folder beside the database, one below it for each export.
//!
//! Files are written into a folder that ends in `.part` and gets its name when all of them are whole.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};

use super::chunks::Made;
use crate::arena::store::exports::ExportFile;

/// The folder of all exports of a database.
pub fn of(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".exports");
    name.into()
}

/// Where a file of an export lies; nothing for a name that is none of ours.
pub fn file(folder: &Path, job_id: &str, name: &str) -> Option<PathBuf> {
    let is_plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
    };
    (is_plain(job_id) && is_plain(name)).then(|| folder.join(job_id).join(name))
}

/// Removes what belongs to none of these exports.
pub fn keep_only(folder: &Path, kept: &[String]) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_name().to_str().is_none_or(|name| !kept.iter().any(|kept| kept == name)) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Removes these exports.
pub fn remove(folder: &Path, job_ids: &[String]) -> io::Result<()> {
    job_ids.iter().try_for_each(|job_id| clear(&folder.join(job_id)))
}

/// The files of an export in the making. They are gone if it is dropped before it is finished.
pub(super) struct Making {
    part: PathBuf,
    whole: PathBuf,
}

impl Making {
    /// An empty folder, for this user only. What an earlier try left is removed.
    pub(super) fn new(folder: &Path, job_id: &str) -> io::Result<Self> {
        let making = Self { part: folder.join(format!("{job_id}.part")), whole: folder.join(job_id) };
        for old in [&making.part, &making.whole] {
            clear(old)?;
        }
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&making.part)?;
        Ok(making)
    }

    /// The next file.
    pub(super) fn file(&self, nth: usize) -> io::Result<(File, PathBuf)> {
        let path = self.part.join(nth.to_string());
        Ok((File::create_new(&path)?, path))
    }

    /// Gives the files their names, `stem.ending` or `stem_001.ending`, and the folder its own.
    pub(super) fn finish(self, stem: &str, ending: &str, made: Vec<Made>) -> io::Result<Vec<ExportFile>> {
        let is_one = made.len() == 1;
        let mut files = Vec::new();
        for (nth, made) in made.into_iter().enumerate() {
            let number = if is_one { String::new() } else { format!("_{:03}", nth + 1) };
            let name = format!("{stem}{number}.{ending}");
            let bytes = fs::metadata(&made.path)?.len();
            fs::rename(&made.path, self.part.join(&name))?;
            files.push(ExportFile { name, bytes, records: made.records });
        }
        if !files.is_empty() {
            fs::rename(&self.part, &self.whole)?;
        }
        Ok(files)
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        if let Err(error) = clear(&self.part) {
            tracing::warn!(path = %self.part.display(), %error, "files of an unfinished export stay until the next start");
        }
    }
}

fn clear(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_lead_to_a_file() {
        let folder = Path::new("/data/arena.db.exports");
        assert_eq!(file(folder, "j_1", "a_001.json"), Some(folder.join("j_1/a_001.json")));
        for (job_id, name) in
            [("..", "a"), ("j_1", ".."), ("j_1", "../../arena.db"), ("", "a"), ("j_1", "a/b"), ("j\\1", "a")]
        {
            assert_eq!(file(folder, job_id, name), None, "{job_id} {name}");
        }
    }

    #[test]
    fn what_is_not_finished_goes_and_what_is_kept_stays() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = of(&scratch.path().join("arena.db"));
        drop(Making::new(&folder, "j_broken").unwrap());
        for job_id in ["j_old", "j_new"] {
            let making = Making::new(&folder, job_id).unwrap();
            let (_, path) = making.file(0).unwrap();
            let made = making.finish("x", "json", vec![Made { path, records: 3 }]).unwrap();
            assert_eq!(made, [ExportFile { name: "x.json".to_owned(), bytes: 0, records: 3 }]);
        }
        let names = || -> Vec<String> {
            fs::read_dir(&folder)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect()
        };
        assert_eq!(names().len(), 2);
        keep_only(&folder, &["j_new".to_owned()]).unwrap();
        assert_eq!(names(), ["j_new"]);
        assert!(file(&folder, "j_new", "x.json").unwrap().exists());
    }
}
