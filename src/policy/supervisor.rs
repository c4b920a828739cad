//! The task that owns one process, or one after the other where each turn gets a fresh one.
//!
//! Everything the task waits for is one arm of one `select!`, and every arm can be dropped half-way without loss.
//! So a child that does not read, does not answer, or writes without end delays nothing else; nor does a receiver
//! that does not take its events.

use std::io;
use std::time::Duration;

use bytes::BytesMut;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::dialogue::{Dialogue, TextTooLong};
use super::event::{Exit, PipeEnd, PolicyEvent, PolicyEventKind, Run};
use super::message::{Outgoing, TurnEffect};
use super::meter::Meter;
use super::outbox::Outbox;
use super::process::{KILL_TO_GIVE_UP, Process, TERM_TO_KILL, read, write};
use super::spec::PolicySpec;
use super::stderr::StderrLog;
use super::wording::{Wording, Words};

/// How long to read on after the end of a process. Its pipes are at their end at once, unless someone who left the
/// group holds them open.
const DRAIN: Duration = Duration::from_millis(200);
/// Bytes of standard error read at once.
const STDERR_READ: usize = 16 * 1024;
/// How long the last events of a process that was told to end may wait for room in the channel.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Runs a policy from its start to its reaping.
pub(super) async fn supervise(spec: PolicySpec, inbox: mpsc::Receiver<Outgoing>, caller: Caller) {
    match Process::spawn(&spec) {
        Ok(process) => Supervisor::new(spec, inbox, caller, process).run().await,
        Err(how) => {
            let last_stderr = Vec::new();
            caller.tell(PolicyEventKind::Exited { how, last_stderr, expected: false }).await;
        }
    }
}

/// Whoever started the policy.
pub(super) struct Caller {
    pub(super) run: Run,
    pub(super) events: mpsc::Sender<PolicyEvent>,
    /// Asks the policy to end.
    pub(super) quit: CancellationToken,
    /// Does not ask.
    pub(super) kill: CancellationToken,
    /// Told what the processes use.
    pub(super) cpu: Meter,
}

impl Caller {
    /// Tells something when nothing else is left to do. False if there was no room for it, and there is no point
    /// in waiting for any.
    pub(super) async fn tell(&self, what: PolicyEventKind) -> bool {
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
    wording: Wording,
    process: Process,
    /// Processes that have given their answer and are on their way out.
    retired: JoinSet<()>,
    /// Why the next process could not be started.
    not_started: Option<Exit>,
    writing: Option<Writing>,
    stderr_bytes: BytesMut,
    log: StderrLog,
    dialogue: Dialogue,
    out: Outbox,
    state: State,
}

/// A message part of which is in the pipe.
struct Writing {
    words: Words,
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
    fn new(spec: PolicySpec, inbox: mpsc::Receiver<Outgoing>, caller: Caller, process: Process) -> Self {
        let mut out = Outbox::default();
        out.push(PolicyEventKind::Started { pid: process.group.pid(), argv: spec.argv() });
        Self {
            inbox,
            caller,
            wording: Wording::new(&spec),
            process,
            retired: JoinSet::new(),
            not_started: None,
            writing: None,
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
                Woken::Exited(how) => {
                    self.drain().await;
                    if !self.gives_way() {
                        break how;
                    }
                    self.replace(Duration::ZERO);
                }
                Woken::Timer => {
                    if let Some(how) = self.check_clocks().await {
                        break how;
                    }
                }
                woken => {
                    self.handle(woken);
                    if self.gives_way() {
                        self.replace(self.spec.limits.shutdown);
                    }
                }
            }
            if let Some(how) = self.not_started.take() {
                break how;
            }
        };
        self.finish(how).await;
    }

    /// True for a process that has given its answer, where the next turn gets another one.
    fn gives_way(&self) -> bool {
        self.is_in_dialogue() && self.process.is_asked && self.dialogue.is_spent() && self.wording.is_fresh()
    }

    /// Starts the next process, which gets ready while nobody waits for it, and sends the old one on its way.
    fn replace(&mut self, patience: Duration) {
        match Process::spawn(&self.spec) {
            Ok(next) => {
                self.caller.cpu.next();
                let old = std::mem::replace(&mut self.process, next);
                while self.retired.try_join_next().is_some() {}
                self.retired.spawn(old.retire(patience));
                self.writing = None;
                self.dialogue.restarted();
                self.state = State::Running;
            }
            Err(how) => self.not_started = Some(how),
        }
    }

    /// Waits for the next thing to happen.
    async fn wait(&mut self) -> Woken {
        let wake = self.wake(Instant::now());
        let is_running = matches!(self.state, State::Running | State::Leaving { .. });
        let is_killed = matches!(self.state, State::Killed { .. });
        let takes_messages = self.process.stdin.is_some() && self.writing.is_none() && !self.out.is_full();
        let Self { caller, out, process, .. } = self;
        let left = self.writing.as_ref().map(|writing| &writing.words.bytes[writing.n_written..]);
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
            read = read(&mut process.stdout, process.lines.space()), if !out.is_flooded() => Woken::Output(read),
            read = read(&mut process.stderr, &mut self.stderr_bytes) => Woken::Stderr(read),
            written = write(&mut process.stdin, left) => Woken::Written(written),
            message = self.inbox.recv(), if takes_messages => Woken::Message(message),
            how = process.group.wait() => Woken::Exited(how),
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
            Woken::Message(Some(message)) => self.take_message(message),
            // Closed and empty: all is written, so its input may end.
            Woken::Message(None) => self.process.stdin = None,
        }
    }

    fn take_message(&mut self, message: Outgoing) {
        let now = Instant::now();
        let effect = message.effect();
        let words = match self.wording.put(message) {
            Ok(words) => words,
            Err(why) => {
                self.dialogue.written(effect, now);
                let why = format!("the observation cannot be shown to a model: {why}");
                self.out.garbage(self.dialogue.open_id(), why, String::new, now);
                return;
            }
        };
        // An old process would answer an old turn, or has no input any more.
        let asks = matches!(words.effect, TurnEffect::Asks(_));
        if asks && self.process.is_asked && self.wording.is_fresh() && self.is_in_dialogue() {
            self.replace(Duration::ZERO);
        }
        self.dialogue.read_as(self.wording.reading());
        if words.bytes.is_empty() {
            self.dialogue.written(words.effect, now);
        } else {
            self.process.is_asked |= asks;
            self.writing = Some(Writing { words, n_written: 0, since: now });
        }
    }

    fn take_output(&mut self, read: &io::Result<usize>) {
        let now = Instant::now();
        if matches!(read, Ok(1..)) {
            self.caller.cpu.read(self.process.group.pid());
            self.take_lines(now);
            return;
        }
        // The end of its output, or an error that means the same to us.
        self.process.stdout = None;
        let rest = self.process.lines.rest();
        let taken = self.dialogue.output_ended(&rest, now, &mut self.out);
        self.check_length(&taken);
        self.closed(PipeEnd::Output);
    }

    fn check_length(&mut self, taken: &Result<(), TextTooLong>) {
        if taken.is_err() && self.is_in_dialogue() {
            self.process.stdout = None;
            self.out.push(PolicyEventKind::LineTooLong { limit: self.spec.limits.line_bytes });
            self.terminate();
        }
    }

    fn take_lines(&mut self, now: Instant) {
        while let Some(line) = self.process.lines.next() {
            if let Ok(line) = line {
                let taken = self.dialogue.line(&line, now, &mut self.out);
                self.check_length(&taken);
                continue;
            }
            // What follows cannot be told from the rest of this line: nothing more is read.
            self.process.stdout = None;
            self.process.lines.rest();
            self.check_length(&Err(TextTooLong));
        }
    }

    fn take_stderr(&mut self, read: &io::Result<usize>) {
        self.log.push(&self.stderr_bytes);
        self.stderr_bytes.clear();
        if !matches!(read, Ok(1..)) {
            self.process.stderr = None;
        }
    }

    fn take_written(&mut self, written: &io::Result<usize>) {
        let Some(writing) = &mut self.writing else { return };
        let Ok(n @ 1..) = written else {
            // It closed its input, most likely by ending.
            self.process.stdin = None;
            self.writing = None;
            self.closed(PipeEnd::Input);
            return;
        };
        writing.n_written += n;
        if writing.n_written == writing.words.bytes.len() {
            self.dialogue.written(writing.words.effect, Instant::now());
            if writing.words.is_last {
                self.process.stdin = None;
            }
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
            let id = match writing.words.effect {
                TurnEffect::Asks(id) => Some(id),
                _ => self.dialogue.open_id(),
            };
            self.out.push(PolicyEventKind::TimedOut { id, limit, unread: true });
            self.terminate();
            return;
        }
        if self.dialogue.is_time_up(now) {
            // An answer already in the pipe must not be lost because we were slow.
            let last_look =
                timeout(Duration::ZERO, read(&mut self.process.stdout, self.process.lines.space())).await;
            if let Ok(read) = last_look {
                self.take_output(&read);
            }
        }
        let unfinished = self.process.lines.unfinished();
        if self.dialogue.check(now, unfinished, &mut self.out).is_err() {
            self.terminate();
        }
    }

    fn terminate(&mut self) {
        self.caller.cpu.read(self.process.group.pid());
        self.inbox.close();
        self.process.stdin = None;
        self.writing = None;
        self.process.group.terminate();
        self.state = State::Terminating { until: after(TERM_TO_KILL) };
    }

    fn kill(&mut self) {
        self.caller.cpu.read(self.process.group.pid());
        self.inbox.close();
        self.process.stdin = None;
        self.writing = None;
        self.process.group.kill();
        self.retired.abort_all();
        self.state = State::Killed { until: after(KILL_TO_GIVE_UP) };
    }

    /// The process is gone: reads what is left in its pipes.
    async fn drain(&mut self) {
        let deadline = after(DRAIN);
        while self.process.stdout.is_some() || self.process.stderr.is_some() {
            let process = &mut self.process;
            let drained = async {
                tokio::select! {
                    read = read(&mut process.stdout, process.lines.space()) => Woken::Output(read),
                    read = read(&mut process.stderr, &mut self.stderr_bytes) => Woken::Stderr(read),
                }
            };
            match timeout_at(deadline, drained).await {
                Ok(woken) => self.handle(woken),
                Err(_) => break,
            }
        }
    }

    /// Tells the rest, and waits for the last of the others.
    async fn finish(mut self, how: Exit) {
        let expected = !self.is_in_dialogue();
        self.inbox.close();
        if let Some((lines, dropped)) = self.log.take_rest(Instant::now()) {
            self.out.push(PolicyEventKind::Stderr { lines, dropped });
        }
        let commands = std::mem::take(&mut self.process.group.left_behind);
        // What was signalled had no time to end what it started.
        if !commands.is_empty() && !matches!(self.state, State::Terminating { .. } | State::Killed { .. }) {
            self.out.push(PolicyEventKind::LeftBehind { commands });
        }
        tokio::select! {
            () = self.caller.kill.cancelled() => self.retired.shutdown().await,
            () = async { while self.retired.join_next().await.is_some() {} } => {}
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
