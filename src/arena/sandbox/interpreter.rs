//! Finds Python. What `python3` names may be the script of a version manager, which lies and reads where no program of ours
//! may: so Python itself is asked where it is, once.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde::Deserialize;
use tokio::process::Command;
use tokio::time::timeout;

/// The names to try, in this order.
const NAMES: [&str; 2] = ["python3", "python"];
/// A version manager may take a second.
const PATIENCE: Duration = Duration::from_secs(10);
/// Asks for the version, the executable, and where it reads: the prefixes, and the library's folders should they lie elsewhere.
const QUESTION: &str = "import json, os, sys
print(json.dumps({
    'version': '.'.join(map(str, sys.version_info[:3])),
    'executable': sys.executable,
    'prefixes': [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix],
    'folders': [path for path in sys.path if path],
    'file': os.path.realpath(sys.executable),
}))";

/// A Python that can be executed as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Python {
    pub(super) version: String,
    pub(super) executable: String,
    /// What has to be readable for it: folders and files.
    pub(super) readable: Vec<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct Answer {
    version: String,
    executable: String,
    prefixes: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    file: PathBuf,
}

/// The first that answers.
pub(super) async fn find() -> Result<Python, String> {
    let mut whys = Vec::new();
    for name in NAMES {
        match ask(name).await {
            Ok(answer) => {
                let home = std::env::var_os("HOME").map(PathBuf::from);
                return Ok(python(answer, home.as_deref()));
            }
            Err(why) => whys.push(format!("`{name}`: {why}")),
        }
    }
    Err(format!("no Python 3 was found ({}): install it, or put it on the PATH", whys.join(", ")))
}

async fn ask(name: &str) -> Result<Answer, String> {
    let mut command = Command::new(name);
    // Nothing of the user's environment for Python, and none of his modules.
    command.args(["-I", "-c", QUESTION]).stdin(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let asked = timeout(PATIENCE, command.output()).await;
    let output = asked.map_err(|_| "it does not answer")?.map_err(|why| why.to_string())?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        let last = errors.trim().lines().next_back().unwrap_or_default();
        return Err(format!("{}: {}", output.status, crate::text::clean(last)));
    }
    serde_json::from_slice(&output.stdout).map_err(|why| format!("it answers something else: {why}"))
}

fn python(answer: Answer, home: Option<&Path>) -> Python {
    let Answer { version, executable, prefixes, folders, file } = answer;
    let mut readable: Vec<PathBuf> = prefixes.into_iter().chain(folders).collect();
    readable.retain(|folder| !is_too_much(folder, home));
    readable.push(file);
    readable.sort();
    readable.dedup();
    Python { version, executable, readable }
}

/// True for a folder that holds more than an interpreter, as the root or a home folder: a prefix like that opens nothing.
fn is_too_much(folder: &Path, home: Option<&Path>) -> bool {
    folder.parent().is_none() || !folder.is_absolute() || home.is_some_and(|home| home.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_opened_is_the_interpreter_and_never_a_home_folder() {
        let answer = |prefix: &str| Answer {
            version: "3.11.7".into(),
            executable: "/home/me/env/bin/python3".into(),
            prefixes: vec![prefix.into(), "/usr".into()],
            folders: vec!["/usr/lib/python3.11".into(), "here".into()],
            file: "/usr/bin/python3.11".into(),
        };
        let home = Some(Path::new("/home/me"));
        let readable = |prefix| -> Vec<String> {
            let paths = python(answer(prefix), home).readable;
            paths.iter().map(|path| path.to_str().unwrap().to_owned()).collect()
        };
        let of_system = ["/usr", "/usr/bin/python3.11", "/usr/lib/python3.11"];
        for too_much in ["/", "/home", "/home/me", "", "."] {
            assert_eq!(readable(too_much), of_system, "{too_much}");
        }
        assert_eq!(readable("/home/me/env")[0], "/home/me/env");
    }
}
