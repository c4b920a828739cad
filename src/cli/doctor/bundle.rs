//! A report for a bug report: one text file with all that helps, and nothing that is secret or tells who the user is.

use std::fmt::Write as _;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::cli::config::{origin, plain};
use crate::cli::log;
use crate::config::Config;

use super::collect::Collected;
use super::redact::{self, Redactor};
use super::report::{self, Look};
use super::{Findings, env};

/// How much of the log's end.
const LOG: u64 = 64 << 10;
/// A file with keys or tokens that is longer is not ours.
const MOST: u64 = 1 << 20;
/// Variables that something depends on, beside those that begin with `GERT_` or `LC_`.
const VARIABLES: [&str; 25] = [
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "COLUMNS",
    "LINES",
    "LANG",
    "TMUX",
    "STY",
    "SSH_CONNECTION",
    "SSH_TTY",
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "PATH",
];
/// A variable with one of these in its name holds a secret.
const SECRET: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASS", "AUTH", "CREDENTIAL"];

/// Writes the bundle, for the user's eyes only; an old file is kept unless `force`.
///
/// # Errors
/// When it cannot be written, or the file is there.
pub(super) fn write(file: &Path, force: bool, collected: &Collected, findings: &Findings) -> io::Result<()> {
    let text = redactor(collected.config.as_ref()).redact(&text(collected, findings));
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Such a file is 0600 from its first moment.
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(text.as_bytes())?;
    let kept = if force { new.persist(file) } else { new.persist_noclobber(file) };
    kept.map(drop).map_err(|why| why.error)
}

fn text(collected: &Collected, findings: &Findings) -> String {
    let build = &collected.facts.build;
    let (version, os, arch) = (build.version, build.os, build.arch);
    let now = Timestamp::now();
    let look = Look { width: 100, ascii: false, coloured: false };
    let checks = report::text(findings, look);
    let (settings, variables, log) = (settings(collected), variables(), log_end());
    crate::text::clean_lines(&format!(
        "gert {version} on {os} {arch}, {now}\n\n\
         == checks ==\n\n{checks}\n\
         == settings in force ==\n\n{settings}\n\
         == environment ==\n\n{variables}\n\
         == the end of the log ==\n\n{log}"
    ))
    .into_owned()
}

/// Every value and where it came from, or all that is wrong with the file.
fn settings(collected: &Collected) -> String {
    let Some(config) = &collected.config else {
        let problems = collected.facts.settings.problems.iter();
        return problems.flat_map(|problem| [problem.to_string(), "\n".to_owned()]).collect();
    };
    let file = config.places.file.as_deref();
    config.values.iter().fold(String::new(), |mut text, value| {
        // Writing into a string does not fail.
        let _ = writeln!(text, "{}  {}  {}", value.name, plain(&value.value), origin(&value.origin, file));
        text
    })
}

fn variables() -> String {
    let all =
        std::env::vars_os().map(|(name, value)| [name, value].map(|os| os.to_string_lossy().into_owned()));
    let is_ours =
        |name: &str| VARIABLES.contains(&name) || name.starts_with("GERT_") || name.starts_with("LC_");
    let mut lines: Vec<String> = all
        .filter(|[name, _]| is_ours(name))
        .map(|[name, value]| {
            let shown = if is_secret(&name) { "(set)".to_owned() } else { redact::url(&value) };
            // Not `NAME=value`: what looks like a secret would be taken out.
            format!("{name}  {shown}\n")
        })
        .collect();
    lines.sort();
    lines.concat()
}

fn is_secret(name: &str) -> bool {
    let upper = name.to_uppercase();
    SECRET.iter().any(|word| upper.contains(word))
}

/// The last whole lines of the newest file that has any.
fn log_end() -> String {
    let files = log::path().into_iter().flat_map(|path| log::files(&path).collect::<Vec<_>>());
    let ends = files.filter_map(|file| end(&file).ok()).find(|end| !end.is_empty());
    ends.unwrap_or_else(|| "(empty)\n".to_owned())
}

fn end(path: &Path) -> io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let start = file.metadata()?.len().saturating_sub(LOG);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(LOG).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    // The first line was cut.
    Ok(if start == 0 { text } else { text.split_once('\n').unwrap_or_default().1.to_owned() })
}

/// Knows every secret that this user has here.
fn redactor(config: Option<&Config>) -> Redactor {
    let variables =
        std::env::vars_os().map(|(name, value)| [name, value].map(|os| os.to_string_lossy().into_owned()));
    let variables = variables.flat_map(|[name, value]| match name.to_uppercase() {
        upper if upper.ends_with("_PROXY") => redact::passwords(&value),
        _ if is_secret(&name) => vec![value],
        _ => Vec::new(),
    });
    let key = config.and_then(|config| config.key.as_ref()).map(|key| key.expose().to_owned());
    let files = secret_files(config).into_iter().filter_map(|path| small(&path));
    let words = files.flat_map(|text| words(&text));
    let user = ["USER", "LOGNAME"].into_iter().find_map(env);
    Redactor::new(variables.chain(key).chain(words), std::env::home_dir().as_deref(), user)
}

/// Files that hold keys, tokens or passwords: the stored keys, the seats that were taken, the settings.
fn secret_files(config: Option<&Config>) -> Vec<PathBuf> {
    let settings = config.and_then(|config| config.places.file.clone());
    let keys = settings.as_ref().and_then(|file| std::fs::read_dir(file.with_file_name("keys")).ok());
    let keys = keys.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let seats = log::state_folder().map(|folder| folder.join("seats.jsonl"));
    keys.chain(seats).chain(settings.clone()).collect()
}

fn small(path: &Path) -> Option<String> {
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(MOST).read_to_string(&mut text).ok()?;
    Some(text)
}

/// What in such a file is a secret: a whole line that is one word, a token, the password of an address.
fn words(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.contains(char::is_whitespace) && !line.starts_with(['{', '[', '#']));
    let quoted = text.split('"').collect::<Vec<_>>();
    let tokens =
        quoted.windows(3).filter(|parts| parts[0] == "player_token").map(|parts| parts[2].to_owned());
    let passwords = quoted.iter().flat_map(|part| redact::passwords(part));
    lines.map(str::to_owned).chain(tokens).chain(passwords).collect()
}
