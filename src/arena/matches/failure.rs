//! Why a seat was taken out of a match: the codes of arena.md §8, and how the end of a process is read.

use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::policy::Exit;

/// What a seat failed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureCode {
    /// Too many answers that are no action lists.
    MalformedAction,
    /// Too many actions that the game refused.
    RejectedAction,
    /// Too many late answers, or none at all.
    Timeout,
    /// The process ended.
    Crashed,
    /// The process ended, or let the time for it pass, before its first word.
    StartupFailed,
    /// It wrote what is no JSON, an answer to something else, or a line that is too long.
    ProtocolError,
    /// It wanted more memory.
    MemoryExceeded,
    /// It used its processor time up.
    CpuExceeded,
    /// It wrote too much into files.
    OutputExceeded,
    /// It made a system call that ends a process.
    ForbiddenSyscall,
    /// Not its fault.
    HostError,
}

impl FailureCode {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::MalformedAction,
        Self::RejectedAction,
        Self::Timeout,
        Self::Crashed,
        Self::StartupFailed,
        Self::ProtocolError,
        Self::MemoryExceeded,
        Self::CpuExceeded,
        Self::OutputExceeded,
        Self::ForbiddenSyscall,
        Self::HostError,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MalformedAction => "malformed_action",
            Self::RejectedAction => "rejected_action",
            Self::Timeout => "timeout",
            Self::Crashed => "crashed",
            Self::StartupFailed => "startup_failed",
            Self::ProtocolError => "protocol_error",
            Self::MemoryExceeded => "memory_exceeded",
            Self::CpuExceeded => "cpu_exceeded",
            Self::OutputExceeded => "output_exceeded",
            Self::ForbiddenSyscall => "forbidden_syscall",
            Self::HostError => "host_error",
        }
    }

    /// Reads the word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == word)
    }
}

impl fmt::Display for FailureCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for FailureCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Why a seat was taken out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// What it failed by.
    pub code: FailureCode,
    /// In one sentence, for the author.
    pub detail: String,
    /// The last lines that it wrote to stderr, 20 at most.
    pub stderr: Vec<String>,
}

impl Failure {
    pub(super) fn new(code: FailureCode, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), stderr: Vec::new() }
    }
}

/// What is known of a process that has ended by itself.
#[derive(Debug)]
pub(super) struct Ending<'a> {
    pub(super) how: &'a Exit,
    pub(super) stderr: &'a [String],
    /// It has said `ready`, or answered.
    pub(super) is_up: bool,
    /// It is run by the shim, whose exit statuses mean something.
    pub(super) is_function: bool,
    /// What it has used, and might.
    pub(super) cpu: Duration,
    pub(super) most_cpu: Duration,
}

/// What the shim ends with (`assets/shim/shim.py`).
const SHIM_STARTUP_FAILED: i32 = 101;
const SHIM_OUT_OF_MEMORY: i32 = 102;
const SHIM_WROTE_TOO_MUCH: i32 = 103;

/// The signals that limits and filters end a process with; by their numbers on x86 and ARM.
const SIGKILL: i32 = 9;
const SIGXCPU: i32 = 24;
const SIGXFSZ: i32 = 25;
const SIGSYS: i32 = 31;

/// How interpreters and libraries say that they got no memory.
const NO_MEMORY: [&str; 6] = [
    "MemoryError",
    "std::bad_alloc",
    "memory allocation of",
    "out of memory",
    "Cannot allocate memory",
    "Out of memory",
];

/// What a process that ended by itself failed by.
pub(super) fn read_end(ending: &Ending<'_>) -> Failure {
    use FailureCode::{
        CpuExceeded, Crashed, ForbiddenSyscall, MemoryExceeded, OutputExceeded, StartupFailed,
    };
    let how = ending.how;
    let used_up = ending.cpu + Duration::from_millis(500) >= ending.most_cpu;
    let said = |words: &str| ending.stderr.iter().any(|line| line.contains(words));
    let (code, detail) = match how {
        Exit::Signal(SIGXCPU) => (CpuExceeded, "it used its processor time up".to_owned()),
        Exit::Signal(SIGKILL) if used_up => (CpuExceeded, "it used its processor time up".to_owned()),
        Exit::Signal(SIGKILL) => {
            (MemoryExceeded, "the system killed it, most likely for the memory it took".to_owned())
        }
        Exit::Signal(SIGXFSZ) => (OutputExceeded, "it wrote a file that is too large".to_owned()),
        Exit::Signal(SIGSYS) => (ForbiddenSyscall, "it made a system call that is not allowed".to_owned()),
        Exit::Code(SHIM_OUT_OF_MEMORY) if ending.is_function => (MemoryExceeded, how.to_string()),
        Exit::Code(SHIM_WROTE_TOO_MUCH) if ending.is_function => {
            (OutputExceeded, "it wrote more into files than it may".to_owned())
        }
        _ if NO_MEMORY.into_iter().any(said) => (MemoryExceeded, how.to_string()),
        Exit::Code(SHIM_STARTUP_FAILED) if ending.is_function && !ending.is_up => {
            let last = ending.stderr.iter().rfind(|line| !line.trim().is_empty());
            (StartupFailed, last.cloned().unwrap_or_else(|| how.to_string()))
        }
        _ if !ending.is_up => (StartupFailed, format!("{how} before it was ready or answered")),
        _ => (Crashed, how.to_string()),
    };
    let detail = if code == MemoryExceeded && !matches!(how, Exit::Signal(SIGKILL)) {
        format!("it wanted more memory than it may have, and {detail}")
    } else {
        detail
    };
    Failure { code, detail, stderr: ending.stderr.to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back() {
        for code in FailureCode::ALL {
            assert_eq!(FailureCode::from_word(code.as_str()), Some(code));
        }
        assert_eq!(FailureCode::from_word("bad luck"), None);
    }

    #[test]
    fn the_end_of_a_process_has_one_code() {
        // arena.md §8: decided from the exit status, the signal and our counters.
        use FailureCode::{
            CpuExceeded, Crashed, ForbiddenSyscall, MemoryExceeded, OutputExceeded, StartupFailed,
        };
        let code = |how: Exit, line: &str, is_up, is_function, cpu| {
            let stderr = [line.to_owned()];
            let (cpu, most_cpu) = (Duration::from_secs(cpu), Duration::from_mins(1));
            read_end(&Ending { how: &how, stderr: &stderr, is_up, is_function, cpu, most_cpu }).code
        };
        for (how, line, is_up, is_function, cpu, expected) in [
            (Exit::Code(1), "ValueError: x", true, true, 0, Crashed),
            (Exit::Code(0), "", true, false, 0, Crashed),
            (Exit::Signal(11), "", true, false, 0, Crashed),
            (Exit::Code(1), "SyntaxError: x", false, true, 0, StartupFailed),
            (Exit::Code(101), "no module named x", false, true, 0, StartupFailed),
            (Exit::Code(101), "", true, false, 0, Crashed),
            (Exit::Code(102), "", true, true, 0, MemoryExceeded),
            (Exit::Code(102), "", true, false, 0, Crashed),
            (Exit::Code(103), "", true, true, 0, OutputExceeded),
            (Exit::Code(1), "MemoryError", true, false, 0, MemoryExceeded),
            (
                Exit::Signal(6),
                "terminate called after throwing 'std::bad_alloc'",
                false,
                false,
                0,
                MemoryExceeded,
            ),
            (Exit::Signal(9), "", true, false, 0, MemoryExceeded),
            (Exit::Signal(9), "", true, false, 60, CpuExceeded),
            (Exit::Signal(24), "", true, true, 60, CpuExceeded),
            (Exit::Signal(25), "", true, false, 0, OutputExceeded),
            (Exit::Signal(31), "", true, false, 0, ForbiddenSyscall),
        ] {
            assert_eq!(code(how.clone(), line, is_up, is_function, cpu), expected, "{how} {line}");
        }
    }

    #[test]
    fn the_shim_ends_with_the_statuses_that_are_read_here() {
        let line = format!(
            "STARTUP_FAILED, OUT_OF_MEMORY, WROTE_TOO_MUCH = {SHIM_STARTUP_FAILED}, {SHIM_OUT_OF_MEMORY}, {SHIM_WROTE_TOO_MUCH}\n"
        );
        assert!(include_str!("../../../assets/shim/shim.py").contains(&line));
    }
}
