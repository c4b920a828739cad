//! A command as the policy of a rollout: one process for each seat, which lives from the first turn to the last.

use std::collections::HashMap;

use tokio::sync::mpsc;

use super::super::failure::Failure;
use super::super::output;
use crate::api::model::{GameSlug, Json, Seat};
use crate::policy::{
    self, Exit, FLUSH_HINT, Hello, PolicyEvent, PolicyEventKind, PolicySpec, Run, SendError,
};
use crate::rollout::{BoxError, Policy, Trajectory};
use crate::seat::{FailureKind, GameFacts};

/// Events that may wait for us; the process slows down when it is full.
const EVENTS: usize = 64;

/// Answers without an action that are asked for again, in one turn.
const TRIES: u32 = 3;

/// The processes of one command.
pub(in crate::cli) struct CommandPolicy {
    spec: PolicySpec,
    /// What every seat is told first, but for its name.
    hello: Hello,
    seats: HashMap<Seat, Process>,
    started: u64,
    /// What goes on in its processes is written to standard error.
    tells: bool,
}

/// One seat's process.
struct Process {
    policy: policy::Policy,
    events: mpsc::Receiver<PolicyEvent>,
    turns: u64,
    /// A match is open.
    greeted: bool,
    /// An answer without an action has to be asked for again.
    answers_in_text: bool,
    tells: bool,
}

/// A seat's policy failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the policy of seat {seat} has ended: {why}")]
pub(in crate::cli) struct PolicyBroke {
    pub(in crate::cli) seat: Seat,
    pub(in crate::cli) kind: FailureKind,
    pub(in crate::cli) why: String,
}

impl CommandPolicy {
    /// Nothing is started before the first turn.
    pub(super) fn new(command: &str, game: Option<&GameSlug>) -> Result<Self, Failure> {
        let spec =
            PolicySpec::parse(command).map_err(|error| Failure::Usage(format!("--policy: {error}")))?;
        let game = game.map(|game| game.as_str().to_owned()).unwrap_or_default();
        Ok(Self {
            spec,
            hello: Hello { game, ..Hello::default() },
            seats: HashMap::new(),
            started: 0,
            tells: true,
        })
    }

    /// For a game of which more is known than its name.
    pub(in crate::cli) fn in_game(spec: PolicySpec, game: &GameFacts) -> Self {
        let hello = Hello {
            game: game.slug.clone(),
            game_version: game.version.clone(),
            rules: game.rules.clone(),
            config: game.config.clone(),
            ..Hello::default()
        };
        Self { spec, hello, seats: HashMap::new(), started: 0, tells: true }
    }

    /// Nothing of what goes on in its processes is written to standard error.
    pub(in crate::cli) fn quietly(self) -> Self {
        Self { tells: false, ..self }
    }

    /// What the next match's seats are told: how many there are, and what they may seed their choices with.
    pub(in crate::cli) fn next_match(&mut self, player_count: u32, seed: Option<u64>) {
        self.hello.player_count = player_count;
        self.hello.seed = seed;
    }

    /// Tells every seat that its match is over, and how it went.
    pub(in crate::cli) fn end(&mut self, played: Option<&Trajectory>) {
        let result = serde_json::json!({
            "score": played.and_then(|played| played.score),
            "rank": played.and_then(|played| played.rank),
            "outcome": played.and_then(|played| played.outcome.as_deref()),
            "reason": played.and_then(|played| played.completion_reason.as_deref()),
        });
        for process in self.seats.values_mut().filter(|process| process.greeted) {
            process.greeted = false;
            // A process that is gone says so at its next turn.
            let _ = process.policy.end(&result);
        }
    }

    /// Ends all processes politely.
    pub(in crate::cli) async fn shutdown(self) {
        for process in self.seats.into_values() {
            process.policy.shutdown().await;
        }
    }

    fn process(&mut self, seat: &Seat) -> &mut Process {
        let (spec, run, tells) = (&self.spec, Run(self.started), self.tells);
        let started = &mut self.started;
        self.seats.entry(seat.clone()).or_insert_with(|| {
            *started += 1;
            let (sender, events) = mpsc::channel(EVENTS);
            let answers_in_text = spec.answers_in_text();
            let policy = policy::Policy::start(spec.clone(), run, sender);
            Process { policy, events, turns: 0, greeted: false, answers_in_text, tells }
        })
    }
}

impl Policy for CommandPolicy {
    type Error = BoxError;

    async fn act(&mut self, observation: &Json, seat: &Seat) -> Result<Json, BoxError> {
        let hello = Hello { seat: seat.as_str().to_owned(), ..self.hello.clone() };
        let process = self.process(seat);
        let answer = process.ask(&hello, observation, seat).await;
        if answer.is_err() {
            // The next match gets a fresh process.
            self.seats.remove(seat);
        }
        answer
    }
}

/// That a process has ended is told by its last event, which says why.
fn unless_ended(sent: Result<(), SendError>) -> Result<(), SendError> {
    sent.or_else(|error| if error == SendError::Ended { Ok(()) } else { Err(error) })
}

/// The tick, where the observation says it.
#[derive(serde::Deserialize)]
struct Tick {
    #[serde(default)]
    tick: u64,
}

impl Process {
    fn say(&self, words: &str) {
        if self.tells {
            output::say(words);
        }
    }

    async fn ask(&mut self, hello: &Hello, observation: &Json, seat: &Seat) -> Result<Json, BoxError> {
        if !std::mem::replace(&mut self.greeted, true) {
            unless_ended(self.policy.hello(hello))?;
        }
        let turn = self.observe(observation)?;
        self.answer(turn, observation, seat).await
    }

    fn observe(&mut self, observation: &Json) -> Result<u64, BoxError> {
        self.turns += 1;
        let turn = policy::Turn {
            id: self.turns,
            tick: observation.decode::<Tick>().map_or(0, |seen| seen.tick),
            observation: observation.get().to_owned(),
        };
        unless_ended(self.policy.observe(&turn))?;
        Ok(turn.id)
    }

    /// Waits for the answer of a turn. The runner's limits end a process that does not give one.
    async fn answer(&mut self, mut turn: u64, observation: &Json, seat: &Seat) -> Result<Json, BoxError> {
        let (mut tries, mut kind) = (1, FailureKind::Crash);
        while let Some(event) = self.events.recv().await {
            match event.what {
                PolicyEventKind::Answered { id, action, .. } if id == turn => {
                    return Ok(Json::parse(&action.to_string())?);
                }
                PolicyEventKind::Exited { how, last_stderr, .. } => {
                    if matches!(how, Exit::NotStarted { .. }) {
                        kind = FailureKind::NotStarted;
                    }
                    let why = format!("{how}\n  {}", last_stderr.join("\n  ")).trim().to_owned();
                    return Err(PolicyBroke { seat: seat.clone(), kind, why }.into());
                }
                PolicyEventKind::Garbage { text, why, .. } => {
                    self.say(&format!("{seat}: a line of the policy is no answer ({why}): {text}"));
                    kind = FailureKind::Garbage;
                    if self.answers_in_text {
                        if tries >= TRIES {
                            return Err(PolicyBroke { seat: seat.clone(), kind, why }.into());
                        }
                        tries += 1;
                        unless_ended(self.policy.reject(turn, &[why]))?;
                        turn = self.observe(observation)?;
                    }
                }
                PolicyEventKind::Silent { lines: 0, .. } => self.say(&format!("{seat}: {FLUSH_HINT}")),
                PolicyEventKind::TimedOut { limit, .. } => {
                    if kind == FailureKind::Crash {
                        kind = FailureKind::TimeOut;
                    }
                    self.say(&format!("{seat}: the policy gave no answer within {} s", limit.as_secs_f32()));
                }
                PolicyEventKind::Stderr { lines, .. } => {
                    for line in lines {
                        self.say(&format!("{seat}: {line}"));
                    }
                }
                _ => {}
            }
        }
        let why = "nothing more is heard of it".to_owned();
        Err(PolicyBroke { seat: seat.clone(), kind, why }.into())
    }
}
