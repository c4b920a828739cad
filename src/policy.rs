//! Runs any command as a player, over JSON lines.
//!
//! A policy is a child process. It is told what its seat sees, one JSON object a line on its standard input, and
//! answers with actions on its standard output; `assets/policies/README.md` is the protocol as its author sees it.
//! Nothing here knows a game, the network or the screen: turns go in through a [`Policy`],
//! events come out of a channel, and what to do about a crash, a late answer or nonsense is the receiver's choice.
//!
//! ```text
//! Policy::start ── Started ── hello ─▶ (Ready) ── observe ─▶ Answered ─┬─▶ observe … end ─▶ hello …
//!        │                                   │                         └─▶ reject, then the same observe again
//!        │                                   ├─ Silent, Garbage, StaleAnswer, OverDue: told, the turn stays open
//!        │                                   └─ TimedOut, LineTooLong, Closed: told, then the process is ended
//!        └── NotStarted ─────────────────────────────────────────────────▶ Exited, always last
//! ```
//!
//! One task owns one process. It never blocks on the child (which may not read), on its output (which may not
//! come, or never stop), or on the receiver of its events (which may be slow): see `policy/supervisor.rs`.
//!
//! However a run ends, the child's whole process group is killed and the child is reaped. If *this* program is
//! killed outright, the child's standard input reaches its end at once, so a policy that reads its input ends too.
//! Out of reach are only processes that leave the group on purpose (`setsid`); [`end_marked`] finds them where it can.
//!
//! Start reading at [`Policy`], then `policy/dialogue.rs`.

mod answer;
mod child;
mod clean;
mod command_line;
mod dialogue;
mod event;
mod family;
mod flags;
mod free_text;
mod lines;
mod message;
mod meter;
mod openai;
mod outbox;
mod process;
mod spec;
mod stderr;
mod supervisor;
mod wording;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

pub use self::command_line::{CommandLine, CommandLineError, parse_command_line};
pub use self::event::{Exit, FLUSH_HINT, PipeEnd, PolicyEvent, PolicyEventKind, Run, Usage};
pub use self::family::{MARK, end_marked};
pub use self::flags::{FLAGS, SpecError};
pub use self::message::{Hello, SendError, Turn};
pub use self::openai::{Chat, ChatReply, ToolCall};
pub use self::spec::{Endpoint, Format, Limits, PolicySpec, Source};

use self::message::Outgoing;
use self::meter::Meter;
use self::supervisor::{Caller, supervise};

/// Messages on their way to the child. A match keeps one or two here (`end`, then the next `hello` and `observe`);
/// when it is full the policy does not read, and the caller is told [`SendError::Busy`].
const QUEUE: usize = 16;

/// A running policy. Dropping it kills the whole process group; [`Policy::shutdown`] asks first.
#[derive(Debug)]
pub struct Policy {
    run: Run,
    messages: mpsc::Sender<Outgoing>,
    quit: CancellationToken,
    task: JoinHandle<()>,
    cpu: Meter,
    _kill: DropGuard,
}

impl Policy {
    /// Starts the command and the task that looks after it. Returns at once: whether the command could be started
    /// is told by the first event, [`PolicyEventKind::Started`] or [`PolicyEventKind::Exited`].
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub fn start(spec: PolicySpec, run: Run, events: mpsc::Sender<PolicyEvent>) -> Self {
        let (messages, inbox) = mpsc::channel(QUEUE);
        let (quit, kill) = (CancellationToken::new(), CancellationToken::new());
        let cpu = Meter::default();
        let caller = Caller { run, events, quit: quit.clone(), kill: kill.clone(), cpu: cpu.clone() };
        let task = match spec.source.clone() {
            Source::Command(_) => tokio::spawn(supervise(spec, inbox, caller)),
            Source::Endpoint(endpoint) => tokio::spawn(openai::play(spec, endpoint, inbox, caller)),
        };
        Self { run, messages, quit, task, cpu, _kill: kill.drop_guard() }
    }

    /// The number all events of this process carry.
    pub fn run(&self) -> Run {
        self.run
    }

    /// Opens a match. A turn still open is given up.
    pub fn hello(&self, hello: &Hello) -> Result<(), SendError> {
        self.send(Outgoing::Hello(Box::new(hello.clone())))
    }

    /// Asks for an action. A turn still open is given up: its answer, should it come, is dropped as stale.
    pub fn observe(&self, turn: &Turn) -> Result<(), SendError> {
        self.send(Outgoing::observe(turn)?)
    }

    /// Says why an answer was not accepted. To ask again, send the same turn with [`Policy::observe`].
    pub fn reject(&self, id: u64, reasons: &[String]) -> Result<(), SendError> {
        self.send(Outgoing::Reject { id, reasons: reasons.to_vec() })
    }

    /// Closes a match with its result (`score`, `rank`, `outcome`, `reason`). A turn still open is given up.
    pub fn end(&self, result: &Value) -> Result<(), SendError> {
        self.send(Outgoing::End(result.clone()))
    }

    /// Ends the process politely and waits until it is gone: what is queued is written, then its input ends; after
    /// [`Limits::shutdown`] SIGTERM to the group, 200 ms later SIGKILL. To cut it short, drop the future.
    ///
    /// Events that do not fit into a full channel while it ends are dropped.
    pub async fn shutdown(mut self) {
        self.quit.cancel();
        // It can only fail if the task panicked or the runtime is going down, and then the child is gone as well.
        let _ = (&mut self.task).await;
    }

    /// The processor time of its process, or of all where each turn gets its own, as of its last output or its end. Zero
    /// where the system does not tell.
    pub fn cpu(&self) -> Duration {
        self.cpu.total()
    }

    /// True once the process is gone and nothing more will be heard of it.
    pub fn is_over(&self) -> bool {
        self.task.is_finished()
    }

    fn send(&self, message: Outgoing) -> Result<(), SendError> {
        self.messages.try_send(message).map_err(|why| match why {
            mpsc::error::TrySendError::Full(_) => SendError::Busy,
            mpsc::error::TrySendError::Closed(_) => SendError::Ended,
        })
    }
}

/// `Duration` in whole milliseconds, as the protocol writes it.
fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
