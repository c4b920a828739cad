//! The user's renderer files: `renderers/*.toml` beside the settings.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::ui::render::{MAX_RENDERER, Renderers};

/// Files read; more are not looked at.
const MAX_FILES: usize = 200;

/// Reads all of them, in the order of their names, with what is wrong in words. A folder that is not there is empty.
pub fn read(folder: Option<&Path>) -> (Arc<Renderers>, Vec<String>) {
    let mut troubles = Vec::new();
    let mut files = Vec::new();
    let entries = folder.and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).filter(|path| is_renderer(path)).collect();
    paths.sort();
    for path in paths.into_iter().take(MAX_FILES) {
        let size = fs::metadata(&path).map_or(0, |about| about.len());
        let text = if size > MAX_RENDERER as u64 {
            Err("it is too large".to_owned())
        } else {
            fs::read_to_string(&path).map_err(|why| why.to_string())
        };
        match text {
            Ok(text) => files.push((path.display().to_string(), text)),
            Err(why) => troubles.push(format!("{}: {why}", path.display())),
        }
    }
    let (renderers, problems) = Renderers::read(&files);
    troubles.extend(problems.iter().map(ToString::to_string));
    (renderers, troubles)
}

fn is_renderer(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml") && path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_file_is_told_and_a_missing_folder_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.toml"), "[when]\ngame = 3").unwrap();
        fs::write(
            folder.path().join("b.toml"),
            "[when]\ngame = \"g\"\n[[panel]]\nkind = \"text\"\npath = \"/a\"",
        )
        .unwrap();
        fs::write(folder.path().join("notes.txt"), "no renderer").unwrap();
        let (renderers, troubles) = read(Some(folder.path()));
        assert_eq!(troubles.len(), 1);
        assert!(troubles[0].contains("a.toml:2: "), "{troubles:?}");
        assert_ne!(*renderers, *read(None).0);
        assert_eq!(read(Some(&folder.path().join("none"))).1, Vec::<String>::new());
    }
}
