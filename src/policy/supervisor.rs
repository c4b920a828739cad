//! The task that owns one process.
//!
//! Everything the task waits for is one arm of one `select!`, and every arm can be dropped half-way without loss.
//! So a child that does not read, does not answer, or writes without end delays nothing else; nor does a receiver
//! that does not take its events.

use std::io;
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::child::{Group, Pipes};
use super::dialogue::Dialogue;
use super::event::{Exit, PipeEnd, PolicyEvent, PolicyEventKind, Run};
use super::lines::LineBuffer;
use super::message::{Outgoing, TurnEffect};
use super::outbox::Outbox;
use super::spec::PolicySpec;
use super::stderr::StderrLog;

/// From SIGTERM to SIGKILL.
const TERM_TO_KILL: Duration = Duration::from_millis(200);
/// From SIGKILL to giving up on a process the system cannot end just now; it is reaped whenever that changes.
const KILL_TO_GIVE_UP: Duration = Duration::from_secs(2);
/// How long to read on after the end of a process. Its pipes are at their end at once, unless someone who left the
/// group holds them open.
const DRAIN: Duration = Duration::from_millis(200);
/// Bytes of standard error read at once.
const STDERR_READ: usize = 16 * 1024;
/// How long the last events of a process that was told to end may wait for room in the channel.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Runs a policy from its start to its reaping. `quit` asks it to end, `kill` does not ask.
pub(super) async fn supervise(
    spec: PolicySpec,
    run: Run,
    inbox: mpsc::Receiver<Outgoing>,
    events: mpsc::Sender<PolicyEvent>,
    quit: CancellationToken,
    kill: CancellationToken,
) {
    let caller = Caller { run, events, quit, kill };
    match Group::spawn(&spec) {
        Ok((group, pipes)) => Supervisor::new(spec, inbox, caller, group, pipes).run().await,
        Err(how) => {
            let last_stderr = Vec::new();
            caller.tell(PolicyEventKind::Exited { how, last_stderr, expected: false }).await;
        }
    }
}

/// Whoever started the policy.
struct Caller {
    run: Run,
    events: mpsc::Sender<PolicyEvent>,
    quit: CancellationToken,
    kill: CancellationToken,
}

impl Caller {
    /// Tells something when nothing else is left to do. False if there was no room for it, and there is no point
    /// in waiting for any.
    async fn tell(&self, what: PolicyEventKind) -> bool {
        let out_of_patience = async {
            self.quit.cancelled().await;
            tokio::time::sleep(LAST_WORDS).await;
        };
        tokio::select! {
            biased;
            // An error means that nobody listens any more.
            sent = self.events.send(PolicyEvent { run: self.run, what }) => sent.is_ok(),
            () = self.kill.cancelled() => false,
            () = out_of_patience => false,
        }
    }
}

struct Supervisor {
    spec: PolicySpec,
    inbox: mpsc::Receiver<Outgoing>,
    caller: Caller,
    group: Group,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    writing: Option<Writing>,
    lines: LineBuffer,
    stderr_bytes: BytesMut,
    log: StderrLog,
    dialogue: Dialogue,
    out: Outbox,
    state: State,
}

/// A message part of which is in the pipe.
struct Writing {
    message: Outgoing,
    n_written: usize,
    since: Instant,
}

/// How far the process is from its end. Only forward.
#[derive(Debug, Clone, Copy)]
enum State {
    Running,
    /// It closed a pipe, so it is about to leave by itself, or will be made to.
    Leaving {
        until: Instant,
        closed: PipeEnd,
    },
    /// It was asked to end: its input ends as soon as what is queued has been written.
    Closing {
        until: Instant,
    },
    Terminating {
        until: Instant,
    },
    Killed {
        until: Instant,
    },
}

/// What the task was woken by.
enum Woken {
    Kill,
    Quit,
    EventSent,
    Output(io::Result<usize>),
    Stderr(io::Result<usize>),
    Written(io::Result<usize>),
    Message(Option<Outgoing>),
    Exited(Exit),
    Timer,
}

impl Supervisor {
    fn new(
        spec: PolicySpec,
        inbox: mpsc::Receiver<Outgoing>,
        caller: Caller,
        group: Group,
        pipes: Pipes,
    ) -> Self {
        let mut out = Outbox::default();
        out.push(PolicyEventKind::Started { pid: group.pid(), argv: spec.argv() });
        Self {
            inbox,
            caller,
            group,
            stdin: Some(pipes.stdin),
            stdout: Some(pipes.stdout),
            stderr: Some(pipes.stderr),
            writing: None,
            lines: LineBuffer::new(spec.limits.line_bytes),
            stderr_bytes: BytesMut::with_capacity(STDERR_READ),
            log: StderrLog::default(),
            dialogue: Dialogue::new(spec.limits.clone()),
            out,
            state: State::Running,
            spec,
        }
    }

    async fn run(mut self) {
        let how = loop {
            match self.wait().await {
                Woken::Exited(how) => break how,
                Woken::Timer => {
                    if let Some(how) = self.check_clocks().await {
                        break how;
                    }
                }
                woken => self.handle(woken),
            }
        };
        self.finish(how).await;
    }

    /// Waits for the next thing to happen.
    async fn wait(&mut self) -> Woken {
        let wake = self.wake(Instant::now());
        let is_running = matches!(self.state, State::Running | State::Leaving { .. });
        let is_killed = matches!(self.state, State::Killed { .. });
        let takes_messages = self.stdin.is_some() && self.writing.is_none() && !self.out.is_full();
        let Self { caller, out, .. } = self;
        tokio::select! {
            () = caller.kill.cancelled(), if !is_killed => Woken::Kill,
            () = caller.quit.cancelled(), if is_running => Woken::Quit,
            permit = caller.events.reserve(), if !out.is_empty() => match permit {
                Ok(permit) => {
                    if let Some(what) = out.pop() {
                        permit.send(PolicyEvent { run: caller.run, what });
                    }
                    Woken::EventSent
                }
                // Nobody listens: the policy plays for no one.
                Err(_) if !is_killed => Woken::Kill,
                Err(_) => { out.clear(); Woken::EventSent }
            },
            read = read(&mut self.stdout, self.lines.space()), if !out.is_flooded() => Woken::Output(read),
            read = read(&mut self.stderr, &mut self.stderr_bytes) => Woken::Stderr(read),
            written = write(&mut self.stdin, self.writing.as_ref()) => Woken::Written(written),
            message = self.inbox.recv(), if takes_messages => Woken::Message(message),
            how = self.group.wait() => Woken::Exited(how),
            () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => Woken::Timer,
        }
    }

    fn wake(&self, now: Instant) -> Option<Instant> {
        let state = match self.state {
            State::Running => None,
            State::Leaving { until, .. }
            | State::Closing { until }
            | State::Terminating { until }
            | State::Killed { until } => Some(until),
        };
        let dialogue = self.is_in_dialogue().then(|| self.dialogue.wake()).flatten();
        let writing = self.writing.as_ref().filter(|_| self.is_in_dialogue());
        let writing = writing.and_then(|writing| writing.since.checked_add(self.spec.limits.write));
        let log = if self.out.is_full() { None } else { self.log.wake(now) };
        [state, dialogue, writing, log, self.out.wake()].into_iter().flatten().min()
    }

    /// True while its limits matter, false once it is being ended.
    fn is_in_dialogue(&self) -> bool {
        matches!(self.state, State::Running | State::Leaving { .. })
    }

    fn handle(&mut self, woken: Woken) {
        match woken {
            Woken::Kill => self.kill(),
            Woken::Quit => {
                self.inbox.close();
                self.state = State::Closing { until: after(self.spec.limits.shutdown) };
            }
            Woken::EventSent | Woken::Timer | Woken::Exited(_) => {}
            Woken::Output(read) => self.take_output(&read),
            Woken::Stderr(read) => self.take_stderr(&read),
            Woken::Written(written) => self.take_written(&written),
            Woken::Message(Some(message)) => {
                self.writing = Some(Writing { message, n_written: 0, since: Instant::now() });
            }
            // Closed and empty: all is written, so its input may end.
            Woken::Message(None) => self.stdin = None,
        }
    }

    fn take_output(&mut self, read: &io::Result<usize>) {
        let now = Instant::now();
        if matches!(read, Ok(1..)) {
            self.take_lines(now);
            return;
        }
        // The end of its output, or an error that means the same to us.
        self.stdout = None;
        let rest = self.lines.rest();
        self.dialogue.line(&rest, now, &mut self.out);
        self.closed(PipeEnd::Output);
    }

    fn take_lines(&mut self, now: Instant) {
        while let Some(line) = self.lines.next() {
            if let Ok(line) = line {
                self.dialogue.line(&line, now, &mut self.out);
                continue;
            }
            // What follows cannot be told from the rest of this line: nothing more is read.
            self.stdout = None;
            self.lines.rest();
            if self.is_in_dialogue() {
                self.out.push(PolicyEventKind::LineTooLong { limit: self.spec.limits.line_bytes });
                self.terminate();
            }
        }
    }

    fn take_stderr(&mut self, read: &io::Result<usize>) {
        self.log.push(&self.stderr_bytes);
        self.stderr_bytes.clear();
        if !matches!(read, Ok(1..)) {
            self.stderr = None;
        }
    }

    fn take_written(&mut self, written: &io::Result<usize>) {
        let Some(writing) = &mut self.writing else { return };
        let Ok(n @ 1..) = written else {
            // It closed its input, most likely by ending.
            self.stdin = None;
            self.writing = None;
            self.closed(PipeEnd::Input);
            return;
        };
        writing.n_written += n;
        if writing.n_written == writing.message.line.len() {
            self.dialogue.written(writing.message.effect, Instant::now());
            self.writing = None;
        }
    }

    /// A policy that closes a pipe usually ends, and then its exit says more: wait a little for it.
    fn closed(&mut self, closed: PipeEnd) {
        if matches!(self.state, State::Running) {
            self.state = State::Leaving { until: after(self.spec.limits.shutdown), closed };
        }
    }

    /// Does what is due. Gives the exit only when a killed process does not go.
    async fn check_clocks(&mut self) -> Option<Exit> {
        let now = Instant::now();
        match self.state {
            State::Leaving { until, closed } if now >= until => {
                self.out.push(PolicyEventKind::Closed { end: closed });
                self.terminate();
            }
            State::Closing { until } if now >= until => self.terminate(),
            State::Terminating { until } if now >= until => self.kill(),
            State::Killed { until } if now >= until => {
                return Some(Exit::Unknown { why: "it does not go although it was killed".into() });
            }
            _ => {}
        }
        if self.is_in_dialogue() {
            self.check_limits(now).await;
        }
        self.out.tell_noise_if_due(now);
        if !self.out.is_full()
            && let Some((lines, dropped)) = self.log.take_due(now)
        {
            self.out.push(PolicyEventKind::Stderr { lines, dropped });
        }
        None
    }

    async fn check_limits(&mut self, now: Instant) {
        let limit = self.spec.limits.write;
        if let Some(writing) = self.writing.take_if(|writing| now.duration_since(writing.since) >= limit) {
            let id = match writing.message.effect {
                TurnEffect::Asks(id) => Some(id),
                _ => self.dialogue.open_id(),
            };
            self.out.push(PolicyEventKind::TimedOut { id, limit, unread: true });
            self.terminate();
            return;
        }
        if self.dialogue.is_time_up(now) {
            // An answer already in the pipe must not be lost because we were slow.
            let last_look = timeout(Duration::ZERO, read(&mut self.stdout, self.lines.space())).await;
            if let Ok(read) = last_look {
                self.take_output(&read);
            }
        }
        let unfinished = self.lines.unfinished();
        if self.dialogue.check(now, unfinished, &mut self.out).is_err() {
            self.terminate();
        }
    }

    fn terminate(&mut self) {
        self.inbox.close();
        self.stdin = None;
        self.writing = None;
        self.group.terminate();
        self.state = State::Terminating { until: after(TERM_TO_KILL) };
    }

    fn kill(&mut self) {
        self.inbox.close();
        self.stdin = None;
        self.writing = None;
        self.group.kill();
        self.state = State::Killed { until: after(KILL_TO_GIVE_UP) };
    }

    /// The process is gone: reads what is left in its pipes, tells the rest.
    async fn finish(mut self, how: Exit) {
        let expected = !self.is_in_dialogue();
        self.inbox.close();
        let deadline = after(DRAIN);
        while self.stdout.is_some() || self.stderr.is_some() {
            let drained = async {
                tokio::select! {
                    read = read(&mut self.stdout, self.lines.space()) => Woken::Output(read),
                    read = read(&mut self.stderr, &mut self.stderr_bytes) => Woken::Stderr(read),
                }
            };
            match timeout_at(deadline, drained).await {
                Ok(woken) => self.handle(woken),
                Err(_) => break,
            }
        }
        if let Some((lines, dropped)) = self.log.take_rest(Instant::now()) {
            self.out.push(PolicyEventKind::Stderr { lines, dropped });
        }
        self.out.push(PolicyEventKind::Exited { how, last_stderr: self.log.tail(), expected });
        while let Some(what) = self.out.pop() {
            if !self.caller.tell(what).await {
                break;
            }
        }
    }
}

/// This long from now; a year if the clock cannot count that far.
fn after(duration: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(duration).unwrap_or(now + Duration::from_hours(24 * 365))
}

/// Reads from a pipe that may be closed already; then never.
async fn read(pipe: &mut Option<impl AsyncRead + Unpin>, bytes: &mut BytesMut) -> io::Result<usize> {
    match pipe {
        Some(pipe) => pipe.read_buf(bytes).await,
        None => std::future::pending().await,
    }
}

/// Writes on with the message under way; without one, never.
async fn write(stdin: &mut Option<ChildStdin>, writing: Option<&Writing>) -> io::Result<usize> {
    match (stdin, writing) {
        (Some(stdin), Some(writing)) => stdin.write(&writing.message.line[writing.n_written..]).await,
        _ => std::future::pending().await,
    }
}
