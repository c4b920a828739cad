//! What is known about this machine, the settings and the platform: plain data, nothing judged. Paths are as they are
//! shown, with `~` for the home folder; nothing here holds a key or a password.

use std::time::Duration;

use jiff::Timestamp;

use crate::api;
use crate::config::{KeySource, Problem};
use crate::ui::theme::ColorDepth;

use super::certificate::Certificate;
use super::head::Head;

/// All of it.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    pub settings: Settings,
    /// Nothing if the settings cannot be read.
    pub profile: Option<Profile>,
    /// Nothing if the settings cannot be read.
    pub key: Option<Key>,
    /// Or why there is none.
    pub keyring: Result<(), String>,
    pub proxy: Proxy,
    pub authorities: Vec<Authorities>,
    /// Or why nothing was asked.
    pub network: Result<Network, String>,
    pub terminal: Terminal,
    pub python: Python,
    pub folders: Vec<Folder>,
    pub log: Log,
    /// Nothing where there is no home.
    pub ledger: Option<Ledger>,
    pub build: Build,
}

/// The settings file.
#[derive(Debug, Clone, Default)]
pub(super) struct Settings {
    /// Nothing where there is no home.
    pub path: Option<String>,
    pub exists: bool,
    /// Its permission bits, before anything of ours looked at it.
    pub mode: Option<u32>,
    /// What keeps them from being used.
    pub problems: Vec<Problem>,
    pub warnings: Vec<String>,
}

/// The profile in force; each origin is a word or two: `default`, `GERT_PROFILE`, `config.toml:3`.
#[derive(Debug, Clone)]
pub(super) struct Profile {
    pub name: String,
    pub origin: String,
    pub base_url: String,
    pub base_url_origin: String,
    pub read_only: bool,
    /// The key travels in clear.
    pub is_clear: bool,
}

/// The key in force.
#[derive(Debug, Clone)]
pub(super) struct Key {
    pub source: KeySource,
    /// `source` in words, with `~`.
    pub from: String,
    /// Its fingerprint.
    pub shown: Option<String>,
    /// Why one that is configured cannot be used.
    pub problem: Option<String>,
    /// What fetching it changed.
    pub warnings: Vec<String>,
    /// A variable goes before a key that the profile keeps.
    pub hides_another: bool,
}

/// How the host is reached.
#[derive(Debug, Clone, Default)]
pub(super) struct Proxy {
    /// Variables that are set, without user names and passwords.
    pub variables: Vec<(&'static str, String)>,
    /// Host and port of the proxy in force.
    pub in_force: Option<String>,
    /// What decided that: a variable, `config.toml:7`, or why there is none.
    pub by: String,
    /// Why no client can be made.
    pub problem: Option<String>,
}

/// A place with certificate authorities.
#[derive(Debug, Clone)]
pub(super) struct Authorities {
    /// `SSL_CERT_FILE`, or where the settings name it.
    pub by: String,
    pub path: String,
    /// How many certificates it holds, where they can be counted, or why it is no use.
    pub holds: Result<Option<usize>, String>,
}

/// What the platform said.
#[derive(Debug, Clone)]
pub(super) struct Network {
    pub host: Host,
    /// The balance; `Err(None)` if it was not asked for.
    pub account: Result<Account, Option<api::Error>>,
    /// The answer to an upgrade, or why none came.
    pub websocket: Result<Head, String>,
}

/// How far the way to the host went.
#[derive(Debug, Clone)]
pub(super) struct Host {
    /// With its port.
    pub name: String,
    pub is_secure: bool,
    /// How long each step took.
    pub took: Vec<(Step, Duration)>,
    pub certificate: Option<Certificate>,
    pub end: Result<Answer, Stop>,
}

/// The steps to an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Name,
    Connect,
    Tls,
    Answer,
}

/// The way ended early.
#[derive(Debug, Clone)]
pub(super) struct Stop {
    pub at: Step,
    pub why: String,
}

/// The host's answer.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub head: Head,
    /// When it came, by our clock.
    pub at: Timestamp,
}

/// What the key is good for.
#[derive(Debug, Clone)]
pub(super) struct Account {
    pub credits: f64,
    pub tier: Option<String>,
}

/// Where we draw.
#[derive(Debug, Clone)]
pub(super) struct Terminal {
    /// Standard output is one.
    pub is_there: bool,
    pub term: String,
    pub depth: ColorDepth,
    /// Which variable decided the depth.
    pub depth_by: String,
    /// The locale is UTF-8.
    pub is_utf8: bool,
    /// Which variable said so: `LANG=C.UTF-8`; empty if none did.
    pub locale: String,
    /// Columns and rows.
    pub size: (u16, u16),
    /// `in tmux`, `in screen`, `over ssh`.
    pub inside: Vec<&'static str>,
    /// Taken from the start.
    pub mouse: bool,
}

/// What runs code submissions.
#[derive(Debug, Clone)]
pub(super) enum Python {
    /// There is no `python3`.
    Missing,
    /// It does not run as it should.
    Broken(String),
    /// Its version, and that of the SDK if it is installed.
    Runs { version: (u32, u32), words: String, sdk: Option<String> },
}

/// A folder of ours.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    pub name: &'static str,
    /// Nothing where there is no home.
    pub path: Option<String>,
    /// It can be written, or made.
    pub is_writable: bool,
    /// Bytes that are free there.
    pub free: Option<u64>,
}

/// The program's log.
#[derive(Debug, Clone, Default)]
pub(super) struct Log {
    /// Nothing where there is no home.
    pub path: Option<String>,
    pub files: usize,
    pub bytes: u64,
    /// What is wrong with `GERT_LOG`.
    pub filter_problem: Option<String>,
}

/// The ledger of what was started.
#[derive(Debug, Clone)]
pub(super) struct Ledger {
    pub path: String,
    /// Whole rows and lines that are none, or why it cannot be read.
    pub rows: Result<(usize, usize), String>,
}

/// This program.
#[derive(Debug, Clone)]
pub(super) struct Build {
    pub version: &'static str,
    pub os: &'static str,
    pub arch: &'static str,
    pub features: Vec<&'static str>,
}
