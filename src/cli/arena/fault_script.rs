//! Reads the file of `gert arena --fault`.

use std::path::{Path, PathBuf};

use crate::arena::faults::script::Script;

/// Why it cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("cannot read the fault script `{}`", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("the fault script `{}` cannot be read", path.display())]
    Form { path: PathBuf, source: toml_edit::de::Error },
    #[error("the fault script `{}`: {problem}", path.display())]
    Sense { path: PathBuf, problem: String },
}

/// The script in a file.
pub(super) fn read(path: &Path) -> Result<Script, Error> {
    let path = path.to_owned();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(source) => return Err(Error::Read { path, source }),
    };
    let script: Script = match toml_edit::de::from_str(&text) {
        Ok(script) => script,
        Err(source) => return Err(Error::Form { path, source }),
    };
    match script.check() {
        Ok(()) => Ok(script),
        Err(problem) => Err(Error::Sense { path, problem }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_that_ships_is_a_script() {
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/faults.toml");
        let script = read(&sample).unwrap();
        assert!(!script.request.is_empty() && !script.socket.is_empty() && !script.session.is_empty());
    }

    #[test]
    fn a_fault_names_the_file_and_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.toml");
        std::fs::write(&path, "[[request]]\non = \"POST /play\"\nstatus = 503\ncoed = \"X\"\n").unwrap();
        let error = read(&path).unwrap_err();
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(error.to_string().contains("f.toml") && source.contains("coed"), "{error}: {source}");
    }
}
