//! A command as the policy of a rollout: one process for each seat, which lives from the first turn to the last.

use std::collections::HashMap;

use tokio::sync::mpsc;

use super::super::failure::Failure;
use super::super::output;
use crate::api::model::{GameSlug, Json, Seat};
use crate::policy::{self, FLUSH_HINT, Hello, PolicyEvent, PolicyEventKind, PolicySpec, Run, SendError};
use crate::rollout::{BoxError, Policy, Trajectory};

/// Events that may wait for us; the process slows down when it is full.
const EVENTS: usize = 64;
/// How often a turn is asked of what answers in free text, before it is given up.
const ATTEMPTS: u32 = 3;

/// The processes of one command.
pub(super) struct CommandPolicy {
    spec: PolicySpec,
    game: Option<GameSlug>,
    seats: HashMap<Seat, Process>,
}

/// One seat's process.
struct Process {
    policy: policy::Policy,
    events: mpsc::Receiver<PolicyEvent>,
    turns: u64,
    /// A match is open.
    greeted: bool,
    /// It answers in free text.
    in_text: bool,
}

impl CommandPolicy {
    /// Nothing is started before the first turn.
    pub(super) fn new(command: &str, game: Option<GameSlug>) -> Result<Self, Failure> {
        let spec =
            PolicySpec::parse(command).map_err(|error| Failure::Usage(format!("--policy: {error}")))?;
        Ok(Self { spec, game, seats: HashMap::new() })
    }

    /// Tells every seat that its match is over, and how it went.
    pub(super) fn end(&mut self, played: Option<&Trajectory>) {
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

    fn process(&mut self, seat: &Seat) -> &mut Process {
        let run = Run(self.seats.len() as u64);
        let spec = &self.spec;
        self.seats.entry(seat.clone()).or_insert_with(|| {
            let (sender, events) = mpsc::channel(EVENTS);
            let policy = policy::Policy::start(spec.clone(), run, sender);
            Process { policy, events, turns: 0, greeted: false, in_text: spec.answers_in_text() }
        })
    }
}

impl Policy for CommandPolicy {
    type Error = BoxError;

    async fn act(&mut self, observation: &Json, seat: &Seat) -> Result<Json, BoxError> {
        let game = self.game.as_ref().map(|game| game.as_str().to_owned()).unwrap_or_default();
        let process = self.process(seat);
        if !process.greeted {
            process.greeted = true;
            let hello = Hello { game, seat: seat.as_str().to_owned(), ..Hello::default() };
            unless_ended(process.policy.hello(&hello))?;
        }
        process.turns += 1;
        let turn = policy::Turn {
            id: process.turns,
            tick: observation.decode::<Tick>().map_or(0, |seen| seen.tick),
            observation: observation.get().to_owned(),
        };
        unless_ended(process.policy.observe(&turn))?;
        process.answer(&turn, seat).await
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
    /// Waits for the answer of a turn. The runner's limits end a process that does not give one.
    async fn answer(&mut self, turn: &policy::Turn, seat: &Seat) -> Result<Json, BoxError> {
        let mut n_asked = 1;
        while let Some(event) = self.events.recv().await {
            match event.what {
                PolicyEventKind::Answered { id, action, .. } if id == turn.id => {
                    return Ok(Json::parse(&action.to_string())?);
                }
                PolicyEventKind::Exited { how, last_stderr, .. } => {
                    let words = last_stderr.join("\n  ");
                    return Err(format!("the policy of seat {seat} has ended: {how}\n  {words}")
                        .trim()
                        .into());
                }
                PolicyEventKind::Garbage { text, why, .. } => {
                    output::say(&format!("{seat}: no answer of the policy ({why}): {text}"));
                    // A text without an action was the whole answer; of a program's lines the next may be one.
                    if self.in_text && n_asked == ATTEMPTS {
                        return Err(format!(
                            "the policy of seat {seat} gave no action in {ATTEMPTS} answers"
                        )
                        .into());
                    }
                    if self.in_text {
                        n_asked += 1;
                        unless_ended(self.policy.observe(turn))?;
                    }
                }
                PolicyEventKind::Silent { lines: 0, .. } => output::say(&format!("{seat}: {FLUSH_HINT}")),
                PolicyEventKind::TimedOut { limit, .. } => {
                    output::say(&format!(
                        "{seat}: the policy gave no answer within {} s",
                        limit.as_secs_f32()
                    ));
                }
                PolicyEventKind::Stderr { lines, .. } => {
                    for line in lines {
                        output::say(&format!("{seat}: {line}"));
                    }
                }
                _ => {}
            }
        }
        Err(format!("the policy of seat {seat} has ended").into())
    }
}
