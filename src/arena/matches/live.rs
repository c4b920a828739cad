//! A program at a seat: its process, what is asked of it and how its answer, or its end, is read.

use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::failure::{Ending, Failure, FailureCode, read_end};
use crate::arena::sandbox::{Process, Program};
use crate::policy::{Exit, Hello, PipeEnd, Policy, PolicyEvent, PolicyEventKind, Run, SendError, Turn};

/// Events of one process on their way; when it is full the runner waits, and the process with it.
const EVENTS: usize = 64;
/// The hard limit of a turn is its soft limit times this (arena.md §9.1).
const HARD: u32 = 3;

/// A running program.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "facts of a process that do not depend on each other")]
pub(super) struct Live {
    program: Program,
    /// Gone once the process is to end.
    policy: Option<Policy>,
    events: mpsc::Receiver<PolicyEvent>,
    process: Process,
    isolated: bool,
    /// The process has said `ready`, or answered.
    is_up: bool,
    /// It has said something in this match.
    is_heard: bool,
    is_first_turn: bool,
    n_matches: u32,
    next_id: u64,
    cpu_before: Duration,
    /// Of a process that is gone.
    cpu_at_end: Duration,
}

/// A program's answer, which nobody has judged.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) action: Value,
    /// Beyond the soft limit.
    pub(super) late: bool,
    pub(super) latency: Duration,
}

/// There is no answer, and the process is gone.
#[derive(Debug)]
pub(super) enum Fault {
    /// The program's own.
    Seat(Failure),
    /// It left in good order after an earlier match; another process may play this one.
    Left,
    /// Ours.
    Host(String),
}

impl Live {
    /// Starts a process. `isolated`: one for every turn.
    ///
    /// # Errors
    /// Why the arena cannot.
    pub(super) fn start(program: &Program, isolated: bool) -> Result<Self, String> {
        let process = program.process(isolated).map_err(|why| format!("no scratch folder: {why}"))?;
        let (sender, events) = mpsc::channel(EVENTS);
        let policy = Policy::start(process.spec.clone(), Run(program.id()), sender);
        let isolated = process.spec.fresh;
        Ok(Self {
            program: program.clone(),
            policy: Some(policy),
            events,
            process,
            isolated,
            is_up: false,
            is_heard: false,
            is_first_turn: true,
            n_matches: 0,
            next_id: 1,
            cpu_before: Duration::ZERO,
            cpu_at_end: Duration::ZERO,
        })
    }

    /// Starts another process of the same program.
    ///
    /// # Errors
    /// Why the arena cannot.
    pub(super) fn again(&self) -> Result<Self, String> {
        Self::start(&self.program, self.isolated)
    }

    /// Whether it may play another match of this program.
    pub(super) fn serves(&self, program: &Program, isolated: bool) -> bool {
        self.program.id() == program.id() && self.isolated == (isolated || program.is_fresh())
    }

    /// Whether it is there and has processor time left for a match.
    pub(super) fn is_fit(&self) -> bool {
        let is_there = self.policy.as_ref().is_some_and(|policy| !policy.is_over());
        // With a process for every turn each has its own limit.
        is_there && (self.isolated || self.total_cpu() < self.program.limits().cpu / 2)
    }

    /// A match begins.
    pub(super) fn open(&mut self, hello: &Hello) {
        (self.is_heard, self.is_first_turn) = (false, true);
        self.n_matches += 1;
        self.cpu_before = self.total_cpu();
        // One that has ended, or does not read, is found out when it is asked.
        let _ = self.policy.as_ref().map(|policy| policy.hello(hello));
    }

    /// A match ends, and it is still there.
    pub(super) fn close(&mut self, result: &Value) {
        let _ = self.policy.as_ref().map(|policy| policy.end(result));
    }

    /// Its processor time in this match.
    pub(super) fn cpu(&self) -> Duration {
        self.total_cpu().saturating_sub(self.cpu_before)
    }

    fn total_cpu(&self) -> Duration {
        self.policy.as_ref().map_or(self.cpu_at_end, Policy::cpu)
    }

    /// Asks for an action and waits for it as long as the limits have it.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) async fn ask(&mut self, tick: u32, observation: String) -> Result<Answer, Fault> {
        let id = self.next_id;
        self.next_id += 1;
        let limits = self.program.limits();
        let soft = if std::mem::take(&mut self.is_first_turn) { limits.first } else { limits.turn };
        // Every one of them has to start.
        self.is_up &= !self.isolated;
        // The runner knows one limit for start and turn together; here a process that is not up has to be soon, and when
        // it is the turn's own clock begins.
        let (start, hard) = (limits.start, soft * HARD);
        let mut by = (!self.is_up).then(|| Instant::now() + start + hard);
        let turn = Turn { id, tick: u64::from(tick), observation };
        if let Some(Err(SendError::Observation(why))) =
            self.policy.as_ref().map(|policy| policy.observe(&turn))
        {
            return Err(Fault::Host(format!("an observation is no JSON: {why}")));
        }
        let mut noted = None;
        loop {
            let heard = match by {
                Some(by) => timeout_at(by, self.events.recv()).await,
                None => Ok(self.events.recv().await),
            };
            let Ok(event) = heard else {
                let (code, detail) = if self.is_up {
                    (FailureCode::Timeout, no_answer(hard))
                } else {
                    let patience = (start + hard).as_millis();
                    (FailureCode::StartupFailed, format!("no `ready` and no answer within {patience} ms"))
                };
                return Err(self.take_out(code, detail).await);
            };
            let Some(PolicyEvent { what, .. }) = event else {
                return Err(Fault::Host("a process ended without a word".into()));
            };
            self.is_heard |= !matches!(what, PolicyEventKind::Exited { .. } | PolicyEventKind::Stderr { .. });
            match what {
                PolicyEventKind::Ready { .. } => {
                    self.is_up = true;
                    by = by.map(|_| Instant::now() + hard);
                }
                PolicyEventKind::Answered { id: of, action, latency, late, .. } if of == id => {
                    self.is_up = true;
                    return Ok(Answer { action, late, latency });
                }
                PolicyEventKind::Garbage { text, why, .. } => {
                    return Err(self.take_out(FailureCode::ProtocolError, format!("{why}: `{text}`")).await);
                }
                PolicyEventKind::StaleAnswer { id: of, .. } => {
                    return Err(self.take_out(FailureCode::ProtocolError, stale(of, id)).await);
                }
                PolicyEventKind::Exited { how, last_stderr, .. } => {
                    return Err(self.ended(&how, last_stderr, noted));
                }
                other => noted = self.note(&other).or(noted),
            }
        }
    }

    /// What an event says of the end that follows it.
    fn note(&self, event: &PolicyEventKind) -> Option<Failure> {
        let (code, detail) = match event {
            PolicyEventKind::TimedOut { limit, unread: false, .. } => {
                (FailureCode::Timeout, no_answer(*limit))
            }
            PolicyEventKind::TimedOut { limit, .. } => {
                (FailureCode::Timeout, format!("it did not read its input for {} ms", limit.as_millis()))
            }
            PolicyEventKind::LineTooLong { limit } => {
                (FailureCode::ProtocolError, format!("it wrote a line of more than {} KiB", limit / 1024))
            }
            PolicyEventKind::Closed { end: PipeEnd::Input } => {
                (FailureCode::Crashed, "it closed its standard input".into())
            }
            PolicyEventKind::Closed { end: PipeEnd::Output } => {
                (FailureCode::Crashed, "it closed its standard output".into())
            }
            _ => return None,
        };
        let too_early = !self.is_up && matches!(code, FailureCode::Timeout | FailureCode::Crashed);
        Some(Failure::new(if too_early { FailureCode::StartupFailed } else { code }, detail))
    }

    /// The process has ended, by itself or for what was noted.
    fn ended(&mut self, how: &Exit, stderr: Vec<String>, noted: Option<Failure>) -> Fault {
        let cpu = self.total_cpu();
        (self.policy, self.cpu_at_end) = (None, cpu);
        if let Exit::NotStarted { why, .. } | Exit::Unknown { why } = how {
            return Fault::Host(format!("a process could not be run: {why}"));
        }
        if let Exit::Code(code) = how
            && let Some(why) = self.process.launcher_failed(*code, &stderr)
        {
            return Fault::Host(format!("the launcher failed: {why}"));
        }
        if let Some(noted) = noted {
            return Fault::Seat(Failure { stderr, ..noted });
        }
        if *how == Exit::Code(0) && self.n_matches > 1 && !self.is_heard {
            return Fault::Left;
        }
        Fault::Seat(read_end(&Ending {
            how,
            stderr: &stderr,
            is_up: self.is_up,
            is_function: self.program.is_function(),
            cpu,
            most_cpu: self.program.limits().cpu,
        }))
    }

    /// Ends the process for what it did.
    async fn take_out(&mut self, code: FailureCode, detail: String) -> Fault {
        let stderr = self.end().await;
        Fault::Seat(Failure { code, detail, stderr })
    }

    /// Ends the process, waits until it is gone and gives its last words on stderr.
    pub(super) async fn end(&mut self) -> Vec<String> {
        let mut last = Vec::new();
        self.cpu_at_end = self.total_cpu();
        if let Some(policy) = self.policy.take() {
            let hear = async {
                while let Some(event) = self.events.recv().await {
                    if let PolicyEventKind::Exited { last_stderr, .. } = event.what {
                        last = last_stderr;
                    }
                }
            };
            tokio::join!(policy.shutdown(), hear);
        }
        last
    }
}

fn no_answer(limit: Duration) -> String {
    format!("no answer within {} ms", limit.as_millis())
}

fn stale(id: Option<u64>, open: u64) -> String {
    match id {
        Some(id) if id < open => format!("it answered turn {id} a second time"),
        Some(id) => format!("it answered turn {id}, the open one is {open}"),
        None => "it answered more often than it was asked".into(),
    }
}
