//! The rules of a seat that a policy drives. No input or output, no clock.
//!
//! The owner feeds in what the socket and the policy say and carries out what comes back ([`Do`]).

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::api::{JsonSlice, Message, MessageKind};
use crate::client::FeedEvent;
use crate::policy::{Exit, FLUSH_HINT, PolicyEventKind, Turn};
use crate::text;

use super::ending::Ending;
use super::{Failure, FailureKind, OnFailure, SeatCounts};

/// Refusals in one tick after which a policy has failed.
const REFUSALS: u32 = 3;
/// How often a policy is started again in one session.
const RESTARTS: u64 = 10;
/// Longest reason kept, in columns.
const WHY: usize = 400;

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Do {
    /// Ask the policy.
    Ask(Turn),
    /// Tell the policy why its answer was not accepted.
    Reject { id: u64, reasons: Vec<String> },
    /// Send an action.
    Act { action_id: String, tick: u64, payload: Arc<str>, safe: bool },
    /// End the process, start another one and greet it.
    Restart,
    /// Give the seat up.
    Leave,
    /// The seat is out, or its session over.
    Finish,
    /// Worth telling somebody who looks for it.
    Note(String),
}

/// What holds for a seat from its beginning to its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    pub(super) on_failure: OnFailure,
    /// Doing nothing is a move.
    pub(super) may_pass: bool,
    /// An answer without an action is asked for again: free text may lack one.
    pub(super) answers_in_text: bool,
}

/// Where a seat is.
#[derive(Debug)]
pub(super) struct Desk {
    player_id: String,
    terms: Terms,
    tick: u64,
    on_turn: bool,
    observation: Option<JsonSlice>,
    /// Sent and not acknowledged.
    sent: Option<String>,
    /// The tick that an action was accepted for.
    acted: Option<u64>,
    /// The turn the policy was asked, and its tick.
    pending: Option<(u64, u64)>,
    /// The turn that the action under way answers.
    answered: u64,
    refusals: u32,
    n_actions: u64,
    next_turn: u64,
    /// The seat is out.
    out: bool,
    pub(super) ending: Option<Ending>,
    /// The socket will not come back.
    pub(super) lost: Option<String>,
    pub(super) counts: SeatCounts,
}

impl Desk {
    /// `last_turn` is the last number that the process was asked under.
    pub(super) fn new(player_id: &str, terms: Terms, last_turn: u64) -> Self {
        Self {
            player_id: player_id.to_owned(),
            terms,
            tick: 0,
            on_turn: false,
            observation: None,
            sent: None,
            acted: None,
            pending: None,
            answered: 0,
            refusals: 0,
            n_actions: 0,
            next_turn: last_turn + 1,
            out: false,
            ending: None,
            lost: None,
            counts: SeatCounts::default(),
        }
    }

    /// The last number that was given to a turn.
    pub(super) fn last_turn(&self) -> u64 {
        self.next_turn - 1
    }

    /// The seat plays no more: it is out, or its session is over.
    pub(super) fn is_out(&self) -> bool {
        self.out
    }

    /// Takes what the socket says.
    pub(super) fn fed(&mut self, event: FeedEvent) -> Vec<Do> {
        match event {
            FeedEvent::Said(message) => self.heard(&message),
            // Whether it arrived is not known: the observation after a reconnect says whether the seat is still asked.
            FeedEvent::NotSent { why, .. } => {
                self.sent = None;
                vec![self.note(&format!("an action was not sent: {why}"))]
            }
            FeedEvent::Lost { why, retry } => {
                self.sent = None;
                vec![self.note(&format!("connection lost ({why}), again in {:.1} s", retry.as_secs_f32()))]
            }
            FeedEvent::Ended { why, orderly } => {
                if self.ending.is_none() && !orderly {
                    self.lost = Some(text::excerpt(&why, WHY).into_owned());
                }
                self.out = true;
                vec![Do::Finish]
            }
            FeedEvent::Connecting { .. } | FeedEvent::Opened | FeedEvent::Skipped(_) => Vec::new(),
        }
    }

    fn heard(&mut self, message: &Message) -> Vec<Do> {
        // Every seat hears what becomes of the others.
        let mine = message.player_id.as_deref().is_none_or(|player| player == self.player_id);
        match message.kind {
            MessageKind::Observation => self.observed(message),
            MessageKind::ActionResult => self.acknowledged(message),
            MessageKind::PlayerFailed if mine => self.taken_out(message),
            MessageKind::PlayerEliminated if mine => {
                self.on_turn = false;
                vec![self.note("out of the game by its rules")]
            }
            MessageKind::GameCompleted => {
                self.ending = Some(Ending::of_message(message));
                self.on_turn = false;
                self.out = true;
                vec![Do::Finish]
            }
            MessageKind::Error => {
                let why = message.member::<String>("message").unwrap_or_default();
                vec![self.note(&format!("the server says: {why}"))]
            }
            _ => Vec::new(),
        }
    }

    fn observed(&mut self, message: &Message) -> Vec<Do> {
        let tick = message.tick.unwrap_or(self.tick);
        if tick != self.tick || self.observation.is_none() {
            self.sent = None;
            self.refusals = 0;
            if self.pending.take().is_some() {
                self.counts.missed += 1;
            }
        }
        self.tick = tick;
        self.on_turn = on_turn(message);
        self.observation.clone_from(&message.data);
        self.ask()
    }

    /// Asks the policy, if the seat has to decide and it was not asked yet.
    fn ask(&mut self) -> Vec<Do> {
        let wants = self.on_turn && !self.out && self.sent.is_none() && self.acted != Some(self.tick);
        if !wants || self.pending.is_some() {
            return Vec::new();
        }
        let Some(observation) = &self.observation else { return Vec::new() };
        let observation = observation.get().to_owned();
        let id = self.next_turn;
        self.next_turn += 1;
        self.pending = Some((id, self.tick));
        vec![Do::Ask(Turn { id, tick: self.tick, observation })]
    }

    fn acknowledged(&mut self, message: &Message) -> Vec<Do> {
        let id = message.member::<String>("action_id");
        let accepted = message.member::<bool>("accepted").unwrap_or(false);
        if self.sent.take_if(|sent| id.is_none_or(|id| id == *sent)).is_none() {
            // What is said of an action of an earlier tick says nothing of this one, unless it came too late for its own
            // and counts for this.
            if accepted && message.tick == Some(self.tick) {
                self.acted = Some(self.tick);
            }
            return Vec::new();
        }
        if accepted {
            self.acted = Some(self.tick);
            self.counts.turns += 1;
            return Vec::new();
        }
        self.counts.refused += 1;
        self.refusals += 1;
        let reasons: Vec<String> = message
            .member::<Vec<String>>("reasons")
            .filter(|reasons| !reasons.is_empty())
            .unwrap_or_else(|| vec!["no reason given".into()])
            .iter()
            .map(|reason| text::clean(reason).into_owned())
            .collect();
        // A server may take the seat out at the last refusal, so what is harmless comes before it.
        let patience = if self.terms.on_failure == OnFailure::Safe { REFUSALS - 1 } else { REFUSALS };
        if self.refusals >= patience {
            let why = format!("its action was refused {} times: {}", self.refusals, reasons.join("; "));
            return self.fail(FailureKind::Refused, &why, true);
        }
        let mut todo = vec![Do::Reject { id: self.answered, reasons }];
        todo.extend(self.ask());
        todo
    }

    fn taken_out(&mut self, message: &Message) -> Vec<Do> {
        if self.out {
            return Vec::new(); // By our own wish.
        }
        let why = message.member::<String>("reason").unwrap_or_else(|| "no reason given".into());
        let kind = if self.refusals > 0 || self.sent.is_some() {
            FailureKind::Refused
        } else if self.pending.is_some() || self.counts.missed > 0 {
            FailureKind::TimeOut
        } else {
            FailureKind::TakenOut
        };
        self.note_failure(kind, &format!("the server took the seat out: {why}"));
        self.on_turn = false;
        self.out = true;
        vec![Do::Finish]
    }

    /// Takes what the policy says.
    pub(super) fn told(&mut self, event: PolicyEventKind) -> Vec<Do> {
        match event {
            PolicyEventKind::Answered { id, action, latency, late, .. } => {
                self.counts.latency_ms.push(latency);
                self.counts.late += u64::from(late);
                if self.pending.take_if(|(pending, _)| *pending == id).is_none() {
                    return Vec::new();
                }
                self.answered = id;
                self.act(action.to_string().into(), false)
            }
            PolicyEventKind::Counted { usage, .. } => {
                self.counts.use_tokens(&usage);
                Vec::new()
            }
            PolicyEventKind::Garbage { id, text, why, count } => {
                self.counts.garbage += count;
                if id.is_none() || self.pending.is_none() {
                    return vec![self.note(&format!("a line that is no answer ({why}): {text}"))];
                }
                self.refusals += u32::from(self.terms.answers_in_text);
                if self.terms.answers_in_text && self.refusals < REFUSALS {
                    self.pending = None;
                    let mut todo = vec![Do::Reject { id: id.unwrap_or_default(), reasons: vec![why] }];
                    todo.extend(self.ask());
                    return todo;
                }
                let why = format!("it answered something that is no action ({why}): {text}");
                self.fail(FailureKind::Garbage, &why, true)
            }
            PolicyEventKind::TimedOut { limit, unread, .. } => {
                let what = if unread { "it does not read its input" } else { "it did not answer in time" };
                self.fail(FailureKind::TimeOut, &format!("{what} (limit {} ms)", limit.as_millis()), false)
            }
            PolicyEventKind::LineTooLong { limit } => {
                self.fail(FailureKind::Garbage, &format!("it wrote a line of more than {limit} bytes"), false)
            }
            PolicyEventKind::Closed { .. } => self.fail(FailureKind::Crash, "it closed its pipes", false),
            PolicyEventKind::Exited { how, last_stderr, expected: false } => {
                let last = last_stderr.last().map(|line| format!("; its last words: {line}"));
                let why = format!("it {how}{}", last.unwrap_or_default());
                let kind = if matches!(how, Exit::NotStarted { .. }) {
                    FailureKind::NotStarted
                } else {
                    FailureKind::Crash
                };
                self.fail(kind, &why, false)
            }
            PolicyEventKind::Stderr { lines, .. } => lines.iter().map(|line| self.note(line)).collect(),
            PolicyEventKind::Silent { lines: 0, .. } => vec![self.note(FLUSH_HINT)],
            PolicyEventKind::LeftBehind { commands } => {
                vec![self.note(&format!("left processes behind, which were killed: {}", commands.join(", ")))]
            }
            PolicyEventKind::OverDue { waited, .. } => {
                vec![self.note(&format!("slow: no answer after {} ms", waited.as_millis()))]
            }
            _ => Vec::new(),
        }
    }

    fn act(&mut self, payload: Arc<str>, safe: bool) -> Vec<Do> {
        self.n_actions += 1;
        let action_id = format!("a{}", self.n_actions);
        self.sent = Some(action_id.clone());
        vec![Do::Act { action_id, tick: self.tick, payload, safe }]
    }

    /// The policy failed; `lives` tells whether its process goes on.
    fn fail(&mut self, kind: FailureKind, why: &str, lives: bool) -> Vec<Do> {
        if self.out {
            return Vec::new();
        }
        self.note_failure(kind, why);
        let was_asked = self.pending.take().is_some() || kind == FailureKind::Refused;
        let restarts = !lives || self.terms.on_failure == OnFailure::Restart;
        let may_go_on = kind != FailureKind::NotStarted && !(restarts && self.counts.restarts >= RESTARTS);
        if self.terms.on_failure == OnFailure::Stop || !may_go_on {
            self.on_turn = false;
            self.out = true;
            return vec![Do::Leave];
        }
        let mut todo = Vec::new();
        if restarts {
            self.counts.restarts += 1;
            // A new process counts its turns from one.
            todo.push(Do::Restart);
        }
        if self.terms.on_failure == OnFailure::Safe && was_asked {
            self.counts.safe += 1;
            let payload = self.safe_action();
            todo.extend(self.act(payload, true));
        } else {
            todo.extend(self.ask());
        }
        todo
    }

    fn note_failure(&mut self, kind: FailureKind, why: &str) {
        let why = text::excerpt(why, WHY).into_owned();
        self.counts.fail(Failure { kind, tick: self.tick, why });
    }

    /// Nothing, where that is a move; else the first action that the observation lists.
    fn safe_action(&self) -> Arc<str> {
        #[derive(Deserialize)]
        struct Seen<'a> {
            #[serde(borrow, default, rename = "_action_space")]
            space: Vec<Listed<'a>>,
        }
        #[derive(Deserialize)]
        struct Listed<'a> {
            #[serde(borrow)]
            action: &'a RawValue,
        }
        if self.terms.may_pass {
            return "[]".into();
        }
        let seen = self.observation.as_ref().and_then(|data| data.decode::<Seen<'_>>().ok());
        match seen.as_ref().and_then(|seen| seen.space.first()) {
            Some(Listed { action }) if action.get().starts_with('[') => action.get().into(),
            Some(Listed { action }) => format!("[{}]", action.get()).into(),
            None => "[]".into(),
        }
    }

    fn note(&self, words: &str) -> Do {
        Do::Note(format!("{}: {}", self.player_id, text::clean(words)))
    }

    /// The seat is given up by somebody else's wish.
    pub(super) fn stop(&mut self) {
        self.on_turn = false;
        self.out = true;
    }

    /// What the policy is told of the end.
    pub(super) fn result(&self) -> Value {
        let ending = self.ending.clone().unwrap_or_else(|| {
            let failed = self.counts.failures.last().map(|_| "policy_failed".to_owned());
            Ending { reason: failed.or_else(|| Some("stopped".into())), ..Ending::default() }
        });
        ending.result_of(&self.player_id)
    }
}

/// Whether the seat that gets this observation is asked now. Servers say so beside the observation or in it; where
/// neither does, every observation asks.
fn on_turn(message: &Message) -> bool {
    #[derive(Deserialize)]
    struct Seen {
        #[serde(default)]
        is_your_turn: Option<bool>,
    }
    message
        .member::<bool>("on_turn")
        .or_else(|| message.data.as_ref()?.decode::<Seen>().ok()?.is_your_turn)
        .unwrap_or(true)
}

#[cfg(test)]
mod tests;
