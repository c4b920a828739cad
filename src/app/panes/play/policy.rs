//! A policy at work for a seat: what it says, what it takes, how it fails. It may drive the seat or only look on.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::app::seats::reactions::{Failure, Reactions};
use crate::policy::{Exit, FLUSH_HINT, PolicyEventKind, PolicySpec, Run, Usage};

/// Log lines kept.
const POLICY_LINES: usize = 500;
/// Latencies kept for the statistics.
const LATENCIES: usize = 200;
/// Bytes of an answer that is being written which are kept; a model may write for minutes.
const STREAMED: usize = 2000;

/// A policy at work.
#[derive(Debug, Clone)]
pub struct PolicySeat {
    /// Its run; events of other runs are ignored.
    pub run: Run,
    /// The command, as typed.
    pub command: String,
    /// What is run, to start it again.
    pub spec: PolicySpec,
    /// What is done when it fails.
    pub reactions: Reactions,
    /// What it calls itself.
    pub name: Option<String>,
    /// The turn it thinks about: id and tick.
    pub pending: Option<(u64, u64)>,
    /// The turn it answered last.
    pub answered: u64,
    /// Turns answered.
    pub turns: u64,
    /// Newest last.
    pub latencies: VecDeque<Duration>,
    /// What it writes to stderr and what we say of it; newest last.
    pub lines: VecDeque<String>,
    /// Lines that were dropped.
    pub dropped: u64,
    /// What it said of its last action.
    pub note: Option<String>,
    /// The answer it is writing, its newest part.
    pub streamed: String,
    /// Tokens of all turns, and of the last one.
    pub tokens: (Usage, Usage),
    /// How often a reaction to a failure was tried, since the last good turns.
    pub tried: BTreeMap<Failure, u32>,
    /// How often it was started again.
    pub restarts: u32,
    /// It starts again at this time since the program started.
    pub restart_at: Option<Duration>,
    /// It was stopped and the seat waits for the human.
    pub stopped: bool,
    /// Good turns since the last failure.
    good: u64,
}

/// What an event of a policy means for its seat.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// Nothing.
    Nothing,
    /// An answer to the open turn.
    Answer {
        /// The action.
        action: Arc<str>,
    },
    /// It failed.
    Failed(Failure, String),
}

impl PolicySeat {
    /// A policy that is being started.
    pub fn new(run: Run, command: String, spec: PolicySpec, reactions: Reactions) -> Self {
        Self {
            run,
            command,
            spec,
            reactions,
            name: None,
            pending: None,
            answered: 0,
            turns: 0,
            latencies: VecDeque::new(),
            lines: VecDeque::new(),
            dropped: 0,
            note: None,
            streamed: String::new(),
            tokens: (Usage::default(), Usage::default()),
            tried: BTreeMap::new(),
            restarts: 0,
            restart_at: None,
            stopped: false,
            good: 0,
        }
    }

    /// The name it gave itself, or that of what is run.
    pub fn title(&self) -> String {
        let title = self.name.clone().unwrap_or_else(|| self.spec.name());
        crate::text::clean(&title).into_owned()
    }

    /// Adds a line to its log.
    pub fn log(&mut self, line: &str) {
        if self.lines.len() == POLICY_LINES {
            self.lines.pop_front();
            self.dropped += 1;
        }
        self.lines.push_back(crate::text::clean(line).into_owned());
    }

    /// Takes what its runner says; tells what that means.
    pub fn hear(&mut self, what: PolicyEventKind) -> Heard {
        match what {
            PolicyEventKind::Started { pid, .. } => {
                let process = pid.map(|pid| format!(", process {pid}")).unwrap_or_default();
                self.log(&format!("started{process}"));
            }
            PolicyEventKind::Ready { name } => self.name = name,
            PolicyEventKind::Answered { id, action, note, latency, late } => {
                return self.answer(id, &action, note, latency, late);
            }
            PolicyEventKind::Streamed { id, text } => self.stream(id, &text),
            PolicyEventKind::Counted { usage, .. } => self.count(usage),
            PolicyEventKind::OverDue { id, waited } => {
                self.log(&format!("slow: no answer after {} ms", waited.as_millis()));
                if self.pending.is_some_and(|(pending, _)| pending == id) {
                    return Heard::Failed(
                        Failure::Late,
                        format!("no answer after {} ms", waited.as_millis()),
                    );
                }
            }
            PolicyEventKind::Silent { lines, .. } => {
                self.log(if lines == 0 { FLUSH_HINT } else { "no line for a while" });
            }
            PolicyEventKind::StaleAnswer { count, .. } => {
                self.log(&format!("{count} answer(s) came for another turn and were dropped"));
            }
            PolicyEventKind::Stderr { lines, dropped } => {
                self.dropped += dropped;
                for line in &lines {
                    self.log(line);
                }
            }
            // Before it is asked it may greet.
            PolicyEventKind::Garbage { id: None, text, .. } => self.log(&format!("said: {text}")),
            PolicyEventKind::Garbage { text, why, .. } => {
                let why = format!("it answered something that is no action ({why}): {text}");
                return Heard::Failed(Failure::Garbage, why);
            }
            PolicyEventKind::TimedOut { limit, unread, .. } => {
                let what = if unread { "it does not read its input" } else { "it did not answer in time" };
                let why = format!("{what} (limit {} ms)", limit.as_millis());
                return Heard::Failed(Failure::TimeOut, why);
            }
            PolicyEventKind::LineTooLong { limit } => {
                return Heard::Failed(Failure::Crash, format!("it wrote a line of more than {limit} bytes"));
            }
            PolicyEventKind::Closed { .. } => {
                return Heard::Failed(Failure::End, "it closed its pipes".into());
            }
            PolicyEventKind::LeftBehind { commands } => {
                self.log(&format!("it left processes behind, which were killed: {}", commands.join(", ")));
            }
            PolicyEventKind::Exited { how, last_stderr, expected } => {
                return self.exit(&how, &last_stderr, expected);
            }
        }
        Heard::Nothing
    }

    fn answer(
        &mut self,
        id: u64,
        action: &Value,
        note: Option<String>,
        latency: Duration,
        late: bool,
    ) -> Heard {
        self.timed(latency);
        let mark = if late { "  late" } else { "" };
        self.log(&format!("→ {action}  {} ms{mark}", latency.as_millis()));
        self.note = note;
        self.streamed.clear();
        if self.pending.is_none_or(|(pending, _)| pending != id) {
            return Heard::Nothing;
        }
        self.pending = None;
        self.answered = id;
        Heard::Answer { action: action.to_string().into() }
    }

    fn exit(&mut self, how: &Exit, last_stderr: &[String], expected: bool) -> Heard {
        self.log(&format!("the policy {how}"));
        if expected {
            return Heard::Nothing;
        }
        let last = last_stderr.last().map(|line| format!("; its last words: {line}")).unwrap_or_default();
        let failure = match how {
            Exit::Code(0) => Failure::End,
            Exit::NotStarted { .. } => Failure::NotStarted,
            _ => Failure::Crash,
        };
        Heard::Failed(failure, format!("it {how}{last}"))
    }

    fn stream(&mut self, id: u64, text: &str) {
        if self.pending.is_none_or(|(pending, _)| pending != id) {
            return;
        }
        self.streamed.push_str(&crate::text::clean_lines(text));
        let excess = self.streamed.len().saturating_sub(STREAMED);
        if excess > 0 {
            let from = (excess..=self.streamed.len())
                .find(|&at| self.streamed.is_char_boundary(at))
                .unwrap_or(excess);
            self.streamed.drain(..from);
        }
    }

    fn count(&mut self, usage: Usage) {
        let add = |total: Option<u64>, more: Option<u64>| match (total, more) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
        };
        let (all, last) = &mut self.tokens;
        all.input_tokens = add(all.input_tokens, usage.input_tokens);
        all.output_tokens = add(all.output_tokens, usage.output_tokens);
        *last = usage;
    }

    /// The tokens it took, in all and for its last turn, where its endpoint counts them.
    pub fn tokens_told(&self) -> Option<String> {
        let (all, last) = self.tokens;
        let count = |n: Option<u64>| n.map_or_else(|| "?".to_owned(), |n| n.to_string());
        let pair =
            |usage: Usage| format!("{} in, {} out", count(usage.input_tokens), count(usage.output_tokens));
        (all != Usage::default()).then(|| format!("tokens {}   last {}", pair(all), pair(last)))
    }

    /// Notes how long a turn took.
    fn timed(&mut self, latency: Duration) {
        if self.latencies.len() == LATENCIES {
            self.latencies.pop_front();
        }
        self.latencies.push_back(latency);
        self.turns += 1;
        self.good += 1;
        if self.good >= Reactions::FORGOTTEN_AFTER {
            self.tried.clear();
        }
    }

    /// Notes a failure; how often a reaction to it was tried before, without good turns enough since.
    pub fn fail(&mut self, failure: Failure) -> u32 {
        self.good = 0;
        let tried = self.tried.entry(failure).or_default();
        let before = *tried;
        *tried += 1;
        before
    }

    /// A latency of the last turns: the middle one for 50 per cent.
    pub fn latency(&self, percent: usize) -> Option<Duration> {
        let mut sorted: Vec<Duration> = self.latencies.iter().copied().collect();
        sorted.sort_unstable();
        let last = sorted.len().checked_sub(1)?;
        sorted.get((sorted.len() * percent / 100).min(last)).copied()
    }

    /// Waits for a moment before it is started again, longer each time.
    pub fn restart_after(&mut self) -> Duration {
        self.restarts += 1;
        Duration::from_millis(500) * (1 << (self.restarts - 1).min(5))
    }
}
