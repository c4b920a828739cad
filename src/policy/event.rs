//! What is heard from a policy: plain values, each with the number of its run.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

/// The number of one started process. A restart gets a new one, so what the replaced process said is told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Run(pub u64);

/// Something a policy did, or failed to do in time.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyEvent {
    /// Which process.
    pub run: Run,
    /// What happened.
    pub what: PolicyEventKind,
}

/// What happened. [`PolicyEventKind::Exited`] is the last of a run, whatever came before.
#[derive(Debug, Clone, PartialEq)]
pub enum PolicyEventKind {
    /// The process runs.
    Started {
        /// Its process id, which is also its process group.
        pid: Option<u32>,
        /// The command as it was run.
        argv: Vec<String>,
    },
    /// It said `ready`. Optional: a first answer counts as well.
    Ready {
        /// The name it gave itself, cleaned for display.
        name: Option<String>,
    },
    /// It answered the open turn.
    Answered {
        /// The turn.
        id: u64,
        /// A list of objects, or a single object as it came.
        action: Value,
        /// What it wants shown, cleaned for display.
        note: Option<String>,
        /// From the newline written to the newline read.
        latency: Duration,
        /// True beyond the soft limit.
        late: bool,
    },
    /// Part of an answer that is being written: the text so far grows by this. From what answers in free text only.
    Streamed {
        /// The turn.
        id: u64,
        /// The new piece, cleaned for display; line breaks stay.
        text: String,
    },
    /// What an answer of a language model took. Comes before `Answered`.
    Counted {
        /// The turn.
        id: u64,
        /// As the endpoint counts.
        usage: Usage,
    },
    /// The soft limit has passed, the turn stays open. Once a turn.
    OverDue {
        /// The turn.
        id: u64,
        /// How long it has been open.
        waited: Duration,
    },
    /// A hard limit has passed: the policy is ended, `Exited` follows.
    TimedOut {
        /// The turn that was open, or that it did not read; none if what it did not read was no turn.
        id: Option<u64>,
        /// The limit that passed.
        limit: Duration,
        /// True if it did not even read what was written to it.
        unread: bool,
    },
    /// Lines that are no answer. The turn, if one is open, stays open.
    Garbage {
        /// The open turn.
        id: Option<u64>,
        /// The first such line since the last event of this kind, shortened and cleaned for display.
        text: String,
        /// What is wrong with it.
        why: String,
        /// How many such lines there were since the last event of this kind.
        count: u64,
    },
    /// Answers to no open turn, dropped: for a turn given up, a second answer, or one that was not asked for.
    StaleAnswer {
        /// The last id given.
        id: Option<u64>,
        /// How many there were since the last event of this kind.
        count: u64,
    },
    /// The turn is open and no line has come for [`Limits::silence`](super::Limits::silence). Once a turn.
    /// If there never was a line, [`FLUSH_HINT`] is worth showing.
    Silent {
        /// The turn.
        id: u64,
        /// How long nothing has come.
        waited: Duration,
        /// How many lines the process has written so far.
        lines: u64,
        /// How many bytes it has written without ending the line.
        unfinished: usize,
    },
    /// What it wrote to its standard error, at most one event each 50 ms.
    Stderr {
        /// The newest lines, cleaned for display.
        lines: Vec<String>,
        /// How many lines before them did not fit.
        dropped: u64,
    },
    /// It wrote a line above [`Limits::line_bytes`](super::Limits::line_bytes): it is ended, `Exited` follows.
    LineTooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// It closed a pipe but did not leave: it is ended, `Exited` follows.
    Closed {
        /// Which of the two.
        end: PipeEnd,
    },
    /// It ended by itself, or at the end of its input, while processes of its group went on: they are killed.
    LeftBehind {
        /// Their commands, cleaned for display.
        commands: Vec<String>,
    },
    /// It is gone and reaped, or could not be started.
    Exited {
        /// How it ended.
        how: Exit,
        /// The last lines it wrote to its standard error, cleaned for display.
        last_stderr: Vec<String>,
        /// True if the runner ended it: it was asked to, or the event before says why. False is a crash, or a
        /// policy that left on its own.
        expected: bool,
    },
}

/// Tokens of one answer; absent where the endpoint does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Of the prompt.
    pub input_tokens: Option<u64>,
    /// Of the answer.
    pub output_tokens: Option<u64>,
}

/// What to tell the author of a policy that seems silent.
pub const FLUSH_HINT: &str =
    "no line from the policy yet: does it flush its output after each answer? (`python -u`, `flush=True`)";

/// One of the policy's two protocol pipes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipeEnd {
    /// Its standard input: it cannot be asked any more.
    Input,
    /// Its standard output: it cannot answer any more.
    Output,
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exit {
    /// With this code; 0 means success.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// It never ran.
    NotStarted {
        /// The command exactly as it was tried.
        argv: Vec<String>,
        /// The reason.
        why: String,
    },
    /// An endpoint does not answer, and asking again does not help.
    Refused {
        /// What it says and what to do, cleaned for display.
        why: String,
    },
    /// Its end could not be observed.
    Unknown {
        /// The reason.
        why: String,
    },
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exited with code {code}"),
            Self::Signal(signal) => match signal_name(*signal) {
                Some(name) => write!(f, "ended by {name}"),
                None => write!(f, "ended by signal {signal}"),
            },
            // Debug quotes each argument, so a path with blanks shows as the one argument it is.
            Self::NotStarted { argv, why } => write!(f, "cannot start {argv:?}: {why}"),
            Self::Refused { why } => f.write_str(why),
            Self::Unknown { why } => write!(f, "ended, but how is not known: {why}"),
        }
    }
}

/// The names of the signals a policy is likely to end by. Their numbers are the same on Linux and macOS.
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        _ => return None,
    })
}
