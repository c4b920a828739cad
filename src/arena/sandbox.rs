//! Keeps submitted programs in their place.
//!
//! A program is started by a launcher: this very binary, executed again with [`launch::WORD`] as its first argument. The
//! launcher is alone in its process, so it may restrict itself as a server with threads could not; then it becomes the
//! program. What holds on this machine is found out once, by a launcher that tries what it must not be able to do.
//!
//! ```text
//! Program::prepare ── files checked, interpreter found, syntax checked ──▶ Program
//! Program::process ── a scratch folder, a command line ──▶ policy::Policy::start ──▶ launcher ── exec ──▶ program
//! ```
//!
//! The launcher does, each as far as the system can: a clean environment, no open files but the three streams, a user, mount,
//! network and IPC namespace with a small file system in memory as the working folder, resource limits, the parent's death
//! as its own, no new privileges, Landlock, seccomp. See [`cage`] for what it is told and [`launch`] for what it does.
//! Nothing here knows a game or a match; the process itself is run by [`policy`](crate::policy).

pub mod cage;
mod interpreter;
pub mod launch;
#[cfg(target_os = "linux")]
mod linux;
mod probe;
mod program;
mod scratch;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tokio::sync::OnceCell;

pub use self::probe::{Layer, Probed};
pub use self::program::{Entry, File, Limits, MAX_BYTES, MAX_FILES, Process, Program, Refusal, Source};

use self::interpreter::Python;
use self::scratch::Root;

/// The means to start programs. Copies are the same.
#[derive(Debug, Clone)]
pub struct Sandbox(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    launcher: PathBuf,
    probed: OnceCell<Probed>,
    python: OnceCell<Result<Python, String>>,
    root: OnceLock<Result<Root, String>>,
}

impl Sandbox {
    /// `launcher` is the `gert` binary, or one that calls [`launch::asked`] first. Touches nothing until it is needed.
    pub fn new(launcher: PathBuf) -> Self {
        let (probed, python, root) = (OnceCell::new(), OnceCell::new(), OnceLock::new());
        Self(Arc::new(Inner { launcher, probed, python, root }))
    }

    /// How well programs are kept in their place here. The first call tries it, which takes some milliseconds.
    pub async fn level(&self) -> Level {
        self.probed().await.level
    }

    /// The same with every layer.
    pub async fn probed(&self) -> &Probed {
        self.0.probed.get_or_init(|| probe::probe(self)).await
    }

    /// The Python that programs run on: its version, or why there is none.
    pub async fn python(&self) -> Result<String, String> {
        self.interpreter().await.as_ref().map(|python| python.version.clone()).map_err(Clone::clone)
    }

    /// The folder with all programs and scratch folders, once there is one.
    pub fn folder(&self) -> Option<&Path> {
        Some(self.0.root.get()?.as_ref().ok()?.path())
    }

    async fn interpreter(&self) -> &Result<Python, String> {
        self.0.python.get_or_init(interpreter::find).await
    }

    fn launcher(&self) -> &Path {
        &self.0.launcher
    }

    /// The folder that all others are in.
    fn root(&self) -> Result<&Root, String> {
        let root = self.0.root.get_or_init(|| Root::new().map_err(|why| why.to_string()));
        root.as_ref().map_err(Clone::clone)
    }
}

/// How well programs are kept in their place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Not at all.
    None,
    /// Resource limits, a clean environment and the end of the whole group.
    LimitsOnly,
    /// Landlock or seccomp, not both.
    Partial,
    /// Landlock and seccomp.
    Strong,
}

impl Level {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::LimitsOnly => "limits only",
            Self::Partial => "partial",
            Self::Strong => "strong",
        }
    }

    /// What it means for whoever lets others submit code, in one sentence.
    pub fn about(self) -> &'static str {
        match self {
            Self::None => "submitted programs run as you do: accept your own code only",
            Self::LimitsOnly => {
                "submitted programs have limits of memory, time and file size, but read your files and use the network: \
                 accept your own code only"
            }
            Self::Partial => {
                "submitted programs are restricted by only one of Landlock and seccomp: accept code you have read"
            }
            Self::Strong => {
                "submitted programs see their own folder and the system's libraries, and have no network, no other \
                 processes and limited memory, time and files"
            }
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
