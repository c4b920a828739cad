//! This machine: terminal, Python, folders, files.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::fs::{Access, access, statvfs};
use tokio::process::Command;

use crate::cli::log as own_log;
use crate::config::{Env, Given, Places, Ui};
use crate::journal::Journal;
use crate::spend::Row;
use crate::ui::theme::{ColorDepth, Theme};

use super::super::facts::{Build, Folder, Ledger, Log, Python, Terminal};
use super::{shown, tilde};

/// How long Python may take to say its version.
const PYTHON_LIMIT: Duration = Duration::from_secs(4);
/// A line with its version, and one with that of the SDK.
const PYTHON: &str = "
import sys
print('%d.%d.%d' % sys.version_info[:3])
try:
    from importlib.metadata import version
    print(version('gertlabs'))
except Exception:
    pass
";

/// The terminal, as the environment describes it.
pub(super) fn terminal(env: Env<'_>, ui: Ui) -> Terminal {
    let get = |name| env(name).unwrap_or_default();
    let theme = Theme::detect(env);
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find(|name| !get(name).is_empty());
    let size = crate::runtime::terminal::size();
    Terminal {
        is_there: std::io::IsTerminal::is_terminal(&std::io::stdout()),
        term: get("TERM"),
        depth: theme.depth,
        depth_by: depth_by(env, theme.depth),
        is_utf8: !theme.ascii,
        locale: locale.map(|name| format!("{name}={}", get(name))).unwrap_or_default(),
        size: (size.width, size.height),
        inside: inside(env),
        mouse: ui.mouse,
    }
}

/// The variable that decided how many colours there are, in the order in which the theme asks.
fn depth_by(env: Env<'_>, depth: ColorDepth) -> String {
    let get = |name| env(name).unwrap_or_default();
    let shown = |name: &str| format!("{name}={}", env(name).unwrap_or_default());
    let promises = matches!(get("COLORTERM").as_str(), "truecolor" | "24bit");
    match depth {
        ColorDepth::None if !get("NO_COLOR").is_empty() => shown("NO_COLOR"),
        ColorDepth::True if promises => shown("COLORTERM"),
        ColorDepth::Ansi16 | ColorDepth::Ansi256 if promises => {
            format!("{}, which cannot do what COLORTERM promises", shown("TERM"))
        }
        _ => shown("TERM"),
    }
}

fn inside(env: Env<'_>) -> Vec<&'static str> {
    let is_set = |name| env(name).is_some_and(|value| !value.is_empty());
    let found = [
        ("in tmux", is_set("TMUX")),
        ("in screen", is_set("STY")),
        ("over ssh", is_set("SSH_CONNECTION") || is_set("SSH_TTY")),
    ];
    found.into_iter().filter_map(|(name, is_so)| is_so.then_some(name)).collect()
}

/// Asks `python3` for its version.
pub(super) async fn python() -> Python {
    let mut command = Command::new("python3");
    command.args(["-c", PYTHON]).stdin(Stdio::null()).kill_on_drop(true);
    // Elsewhere a file of the user's might be taken for a module.
    command.current_dir("/").env_remove("GERT_API_KEY").env_remove("GERT_PLAYER_TOKEN");
    match tokio::time::timeout(PYTHON_LIMIT, command.output()).await {
        Err(_) => Python::Broken(format!("it did not start within {} s", PYTHON_LIMIT.as_secs())),
        Ok(Err(why)) if why.kind() == std::io::ErrorKind::NotFound => Python::Missing,
        Ok(Err(why)) => Python::Broken(why.to_string()),
        Ok(Ok(output)) => {
            let said = String::from_utf8_lossy(&output.stdout);
            let errors = String::from_utf8_lossy(&output.stderr);
            version(&said).unwrap_or_else(|| {
                let last = errors.lines().last().unwrap_or("it says nothing");
                Python::Broken(tilde(&crate::text::excerpt(last, 120)))
            })
        }
    }
}

fn version(said: &str) -> Option<Python> {
    let mut lines = said.lines();
    let words = lines.next()?;
    let mut numbers = words.split('.').map(str::parse);
    let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else { return None };
    let sdk = lines.next().map(|sdk| crate::text::excerpt(sdk, 20).into_owned());
    Some(Python::Runs { version: (major, minor), words: words.to_owned(), sdk })
}

/// The folders for settings, data and state.
pub(super) fn folders(given: &Given) -> Vec<Folder> {
    let settings = Places::find(given, &super::super::env).file;
    let data = directories::ProjectDirs::from("", "", "gert").map(|folders| folders.data_dir().to_owned());
    [
        ("settings", settings.as_deref().and_then(Path::parent)),
        ("data", data.as_deref()),
        ("state", own_log::state_folder().as_deref()),
    ]
    .map(|(name, path)| folder(name, path))
    .into()
}

fn folder(name: &'static str, path: Option<&Path>) -> Folder {
    // One that is not there can be made if the nearest one above it can be written.
    let nearest = path.and_then(|path| path.ancestors().find(|folder| folder.symlink_metadata().is_ok()));
    let nearest = nearest.map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let can_write =
        |folder: &Path| folder.is_dir() && access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok();
    let free = |folder| statvfs(folder).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    Folder {
        name,
        path: path.map(shown),
        is_writable: nearest.is_some_and(can_write),
        free: nearest.and_then(free),
    }
}

/// The log's files.
pub(super) fn log(path: Option<&Path>) -> Log {
    let sizes: Vec<u64> = path
        .into_iter()
        .flat_map(own_log::files)
        .filter_map(|file| Some(file.metadata().ok()?.len()))
        .collect();
    let filter = super::super::env("GERT_LOG");
    Log {
        path: path.map(shown),
        files: sizes.len(),
        bytes: sizes.iter().sum(),
        filter_problem: filter.and_then(|filter| own_log::filter_problem(&filter)).map(|why| tilde(&why)),
    }
}

/// The ledger's rows.
pub(super) fn ledger() -> Option<Ledger> {
    let path = own_log::state_folder()?.join("spend.jsonl");
    let rows = match Journal::new(&path).read::<Row>() {
        Ok(read) => Ok((read.rows.len(), read.skipped)),
        // Where its folder cannot be made; that is told where the folders are.
        Err(why) if why.kind() == std::io::ErrorKind::NotADirectory => Ok((0, 0)),
        Err(why) => Err(why.to_string()),
    };
    Some(Ledger { path: shown(&path), rows })
}

/// This program.
pub(super) fn build() -> Build {
    let features = [
        ("arena", cfg!(feature = "arena")),
        ("parquet", cfg!(feature = "parquet")),
        ("keyring", cfg!(feature = "keyring")),
        ("debug", cfg!(debug_assertions)),
    ];
    Build {
        version: env!("CARGO_PKG_VERSION"),
        os: std::env::consts::OS,
        arch: std::env::consts::ARCH,
        features: features.into_iter().filter_map(|(name, is_on)| is_on.then_some(name)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_that_decided_the_colours_is_named() {
        for (env, by) in [
            (&[("TERM", "xterm-256color")][..], "TERM=xterm-256color"),
            (&[("TERM", "xterm-256color"), ("NO_COLOR", "1")], "NO_COLOR=1"),
            (&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], "COLORTERM=truecolor"),
            (
                &[("TERM", "screen-256color"), ("COLORTERM", "truecolor")],
                "TERM=screen-256color, which cannot do what COLORTERM promises",
            ),
            (&[("TERM", "dumb"), ("COLORTERM", "truecolor")], "TERM=dumb"),
            (&[("TERM", "xterm-kitty")], "TERM=xterm-kitty"),
            (&[], "TERM="),
        ] {
            let lookup =
                |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
            assert_eq!(depth_by(&lookup, ColorDepth::detect(lookup)), by);
        }
    }

    #[test]
    fn what_python_says_is_read() {
        let sdk_of = |said| match version(said) {
            Some(Python::Runs { version, sdk, .. }) => Some((version, sdk)),
            _ => None,
        };
        assert_eq!(sdk_of("3.12.1\n3.4.0\n"), Some(((3, 12), Some("3.4.0".to_owned()))));
        assert_eq!(sdk_of("3.9.0rc1\n"), Some(((3, 9), None)));
        assert_eq!(sdk_of("Python was not found\n"), None);
        assert_eq!(sdk_of(""), None);
    }
}
