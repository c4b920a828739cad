//! A conversation with the policy under test: what was said on both sides, and what was wrong with the answers.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::observations::Seen;
use super::report::Finding;
use crate::policy::{Exit, Hello, Limits, Policy, PolicyEvent, PolicyEventKind, PolicySpec, Run, Turn};

/// Events that may wait for us; the policy slows down when it is full.
const EVENTS: usize = 64;
/// How long beyond its limit an answer is waited for, so that late and never are told apart.
const GRACE: Duration = Duration::from_secs(4);
/// How long an answer is waited for after a line that is none.
const AFTER_GARBAGE: Duration = Duration::from_secs(2);

/// One process of the policy.
pub(super) struct Talk {
    /// None once it was told to end.
    policy: Option<Policy>,
    events: mpsc::Receiver<PolicyEvent>,
    limits: Limits,
    in_text: bool,
    /// What was sent, as the protocol's lines.
    pub(super) script: Vec<String>,
    /// Turns of the script whose answer was not waited for.
    pub(super) not_awaited: Vec<u64>,
    pub(super) name: Option<String>,
    pub(super) is_ready: bool,
    /// Lines that are no answer: the first with its fault, and how many.
    pub(super) garbage: Option<(String, String)>,
    pub(super) n_garbage: u64,
    pub(super) n_stale: u64,
    pub(super) stale_id: Option<u64>,
    pub(super) n_stderr: u64,
    pub(super) latencies: Vec<Duration>,
    pub(super) exit: Option<(Exit, Vec<String>)>,
    /// By which what it starts is known again.
    pub(super) mark: String,
    /// What went on after it in its group.
    pub(super) left_behind: Vec<String>,
    n_asked: u64,
}

/// What came before an answer, or instead of one.
enum Heard {
    Answer { id: u64, action: Value, latency: Duration },
    TooLong { limit: usize },
    Gone,
    Nothing,
    Noise,
}

impl Talk {
    /// Starts the policy with limits that leave the ending to us.
    pub(super) fn start(spec: &PolicySpec) -> Self {
        let (sender, events) = mpsc::channel(EVENTS);
        let limits = spec.limits.clone();
        let mut patient = spec.clone();
        patient.limits.hard_factor = 1000;
        let check = spec.mark.as_deref().unwrap_or("check");
        let mark = format!("{check}.{:08x}", rand::random::<u32>());
        patient.mark = Some(mark.clone());
        Self {
            policy: Some(Policy::start(patient, Run(0), sender)),
            events,
            limits,
            in_text: spec.answers_in_text(),
            script: Vec::new(),
            not_awaited: Vec::new(),
            name: None,
            is_ready: false,
            garbage: None,
            n_garbage: 0,
            n_stale: 0,
            stale_id: None,
            n_stderr: 0,
            latencies: Vec::new(),
            exit: None,
            mark,
            left_behind: Vec::new(),
            n_asked: 0,
        }
    }

    pub(super) fn hello(&mut self, hello: &Hello) {
        let line = json!({
            "type": "hello", "protocol": 1, "game": hello.game, "game_version": hello.game_version, "seat": hello.seat,
            "player_count": hello.player_count, "rules": hello.rules, "config": hello.config, "seed": hello.seed,
        });
        self.script.push(line.to_string());
        // That a process is gone is told by its last event.
        let _ = self.policy.as_ref().map(|policy| policy.hello(hello));
    }

    pub(super) fn reject(&mut self, id: u64, reason: &str) {
        self.script.push(json!({"type": "reject", "id": id, "reasons": [reason]}).to_string());
        let _ = self.policy.as_ref().map(|policy| policy.reject(id, &[reason.to_owned()]));
    }

    pub(super) fn end(&mut self) {
        let result = json!({"score": 100, "rank": 1, "outcome": "won", "reason": "game_complete"});
        self.script.push(json!({"type": "end", "result": result}).to_string());
        let _ = self.policy.as_ref().map(|policy| policy.end(&result));
    }

    /// Sends a turn whose answer is not waited for.
    pub(super) fn put(&mut self, id: u64, seen: &Seen) {
        self.send(id, seen);
        self.not_awaited.push(id);
    }

    fn send(&mut self, id: u64, seen: &Seen) {
        let text = seen.text.replace(['\n', '\r'], " ");
        let tick = seen.tick;
        self.script.push(format!(r#"{{"type":"observe","id":{id},"tick":{tick},"observation":{text}}}"#));
        let turn = Turn { id, tick, observation: seen.text.clone() };
        let _ = self.policy.as_ref().map(|policy| policy.observe(&turn));
        self.n_asked += 1;
    }

    /// Sends a turn and waits for its answer.
    pub(super) async fn ask(&mut self, id: u64, seen: &Seen) -> Result<Value, Finding> {
        let is_first = self.n_asked == 0;
        self.send(id, seen);
        let soft = if is_first && !self.is_ready {
            self.limits.first.saturating_add(self.limits.start)
        } else {
            self.limits.first.max(self.limits.turn)
        };
        let started = Instant::now();
        let mut deadline = started + soft.saturating_add(GRACE).min(Duration::from_hours(1));
        let garbage_before = self.n_garbage;
        loop {
            match self.hear(deadline).await {
                Heard::Answer { id: of, action, latency } if of == id => {
                    self.latencies.push(latency);
                    if latency > soft {
                        return Err(late(latency, soft));
                    }
                    return Ok(action);
                }
                Heard::TooLong { limit } => return Err(too_long(limit)),
                Heard::Gone => return Err(self.gone()),
                Heard::Nothing => return Err(self.no_answer(soft).await),
                Heard::Noise if self.in_text && self.n_garbage > garbage_before => {
                    return Err(self.bad_line());
                }
                // Perhaps it is debugging output; then the answer is not far.
                Heard::Noise if self.n_garbage > garbage_before => {
                    deadline = deadline.min(Instant::now() + AFTER_GARBAGE);
                }
                Heard::Answer { .. } | Heard::Noise => {}
            }
        }
    }

    /// Takes what comes within a time, when no answer is due.
    pub(super) async fn settle(&mut self, time: Duration) {
        let deadline = Instant::now() + time;
        while !matches!(self.hear(deadline).await, Heard::Nothing | Heard::Gone) {}
    }

    async fn hear(&mut self, deadline: Instant) -> Heard {
        let Ok(event) = timeout_at(deadline, self.events.recv()).await else { return Heard::Nothing };
        let Some(event) = event else { return Heard::Gone };
        match event.what {
            PolicyEventKind::Answered { id, action, latency, .. } => {
                return Heard::Answer { id, action, latency };
            }
            PolicyEventKind::Ready { name } => {
                (self.is_ready, self.name) = (true, name);
            }
            PolicyEventKind::Garbage { text, why, count, .. } => {
                self.n_garbage += count;
                self.garbage.get_or_insert((text, why));
            }
            PolicyEventKind::StaleAnswer { id, count } => {
                self.n_stale += count;
                self.stale_id = id.or(self.stale_id);
            }
            PolicyEventKind::Stderr { lines, dropped } => self.n_stderr += lines.len() as u64 + dropped,
            PolicyEventKind::LeftBehind { commands } => self.left_behind = commands,
            PolicyEventKind::LineTooLong { limit } => return Heard::TooLong { limit },
            PolicyEventKind::Exited { how, last_stderr, .. } => {
                self.exit = Some((how, last_stderr));
                return Heard::Gone;
            }
            _ => {}
        }
        Heard::Noise
    }

    /// Waits for `ready`; false if something else, or nothing, came first.
    pub(super) async fn wait_ready(&mut self) -> bool {
        let deadline = Instant::now() + self.limits.start.min(Duration::from_hours(1));
        while !self.is_ready {
            match self.hear(deadline).await {
                Heard::Noise => {}
                Heard::Answer { .. } | Heard::TooLong { .. } | Heard::Gone | Heard::Nothing => return false,
            }
        }
        true
    }

    /// Ends the input and waits for the end; says how it went.
    pub(super) async fn leave(mut self) -> Self {
        self.end_input().await;
        self
    }

    /// Gives the answer that only the end of the input brings out, if there is one.
    async fn end_input(&mut self) -> bool {
        let Some(policy) = self.policy.take() else { return false };
        let mut answered = false;
        let ending = tokio::spawn(policy.shutdown());
        loop {
            match self.hear(Instant::now() + Duration::from_secs(10)).await {
                Heard::Answer { .. } => answered = true,
                Heard::Gone | Heard::Nothing => break,
                Heard::TooLong { .. } | Heard::Noise => {}
            }
        }
        // It ends with its process, which is gone.
        let _ = ending.await;
        answered
    }

    /// A turn stayed open: finds out why.
    async fn no_answer(&mut self, soft: Duration) -> Finding {
        if let Some(id) = self.stale_id {
            return Finding::new(format!("answers with the id {id}, which is not the id of the open turn"))
                .hint("repeat the `id` of the `observe` message in the answer, or leave it out")
                .fatal();
        }
        if self.n_garbage > 0 {
            return self.bad_line();
        }
        let limit = soft.as_millis();
        if self.end_input().await {
            return Finding::new("answers only when its input ends: the answer stays in a buffer")
                .hint("flush after each line: `print(..., flush=True)`, `python -u`, `fflush(stdout)`")
                .fatal();
        }
        Finding::new(format!("gives no answer: its limit of {limit} ms is long over"))
            .hint("every `observe` needs one line on standard output, `[]` at least, flushed")
            .fatal()
    }

    /// It wrote what is no answer, and nothing else.
    fn bad_line(&self) -> Finding {
        let (line, why) = self.garbage.clone().unwrap_or_default();
        Finding::new(format!("answers what cannot be read: {why}"))
            .line(line)
            .hint("an answer is one line: {\"id\":…,\"action\":[{…}]}, or the list alone")
            .fatal()
    }

    /// It is gone although nobody sent it away.
    pub(super) fn gone(&self) -> Finding {
        let (how, last) = self.exit.clone().unwrap_or((Exit::Code(0), Vec::new()));
        if matches!(how, Exit::NotStarted { .. } | Exit::Refused { .. }) {
            return Finding::new(how.to_string())
                .hint("is it there, and can it be used from this folder?")
                .fatal();
        }
        let finding = Finding::new(format!("is gone: {how}"));
        match last.iter().rev().find(|line| !line.trim().is_empty()) {
            Some(line) => {
                finding.line(line.clone()).hint("the line is the last that it wrote to standard error")
            }
            None => finding.hint("it wrote nothing to standard error; does it read its input in a loop?"),
        }
        .fatal()
    }
}

fn late(latency: Duration, soft: Duration) -> Finding {
    let (latency, soft) = (latency.as_millis(), soft.as_millis());
    Finding::new(format!("answers after {latency} ms; its limit is {soft} ms"))
        .hint("think less, or give it longer: `--turn-ms N` before the command")
        .fatal()
}

fn too_long(limit: usize) -> Finding {
    Finding::new(format!("writes a line longer than {limit} bytes"))
        .hint("an answer is short; write a newline after each, and debugging output to standard error")
        .fatal()
}
