//! What the launcher is told: one JSON argument, written by the server and read by the process that becomes the program.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A launcher that fails before it has become the program ends with this status, and says [`complaint`] on stderr.
pub const FAILED: i32 = 125;

/// All that the launcher has to know.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cage {
    /// The process whose end is to be the program's.
    pub parent: u32,
    /// Stands before what the launcher has to say on stderr. The program never sees it, so it cannot say the same.
    pub token: String,
    /// What is executed, and its arguments; without any, the launcher tells what holds ([`Found`]).
    pub argv: Vec<String>,
    /// The folder whose files are copied into the scratch folder.
    pub files: PathBuf,
    /// The scratch folder, which is the program's working folder. Where it can be, it is a file system in memory of its own;
    /// else it is emptied first.
    pub scratch: PathBuf,
    /// What may be read and executed besides the system's libraries.
    pub readable: Vec<PathBuf>,
    /// The program must leave nothing for the next one: a scratch folder that would outlive it may not be written to.
    pub isolated: bool,
    /// Address space in MiB.
    pub memory_mb: u64,
    /// Processor time in seconds, all threads together.
    pub cpu_s: u64,
    /// The largest file in KiB.
    pub file_kb: u64,
    /// The scratch folder in MiB, where it is in memory.
    pub scratch_mb: u64,
}

/// What the launcher found to hold, having tried it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "layers hold or do not, each for itself")]
pub struct Found {
    /// Resource limits are set.
    pub limits: bool,
    /// Namespaces of its own: no network, not even loopback.
    pub namespaces: bool,
    /// The scratch folder is in memory, limited and gone with the process.
    pub scratch: bool,
    /// A file outside cannot be read.
    pub landlock: bool,
    /// A socket cannot be made and no process started.
    pub seccomp: bool,
    /// Why what does not hold does not.
    pub why: Vec<String>,
}

/// What a failed launcher says.
pub fn complaint(token: &str, why: &str) -> String {
    format!("launcher {token}: {why}")
}
