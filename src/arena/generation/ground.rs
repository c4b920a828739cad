//! Where programs are tried: real matches against players of the league. All that a session plays is counted here.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::workspace::{PROGRAM, Workspace};
use crate::arena::Arena;
use crate::arena::engine::Game;
use crate::arena::engine::rng::{Pcg, mix};
use crate::arena::league::{self, Wanted};
use crate::arena::matches::{Failure, MatchError, Order, Player};
use crate::arena::sandbox::{Program, Refusal, Source};
use crate::arena::store::submissions::Code;
use crate::arena::submissions;

/// Lines of a program's stderr that a log has.
const LOG_LINES: usize = 10;

/// Where programs of one session play.
#[derive(Debug)]
pub struct Ground {
    arena: Arena,
    game: GameRef,
    stop: CancellationToken,
    ticks: AtomicU64,
}

/// A game, with a name for logs.
struct GameRef(&'static dyn Game);

impl std::fmt::Debug for GameRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.spec().slug)
    }
}

/// What came of some matches.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trial {
    /// The scores of the program, in the order of the matches.
    pub scores: Vec<f64>,
    /// Why it was taken out, each time that it was.
    pub failures: Vec<Failure>,
    /// Why it could not play at all.
    pub refused: Option<String>,
    /// Against whom, for the log.
    lines: Vec<String>,
}

/// There is no trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoTrial {
    /// It was called off.
    Stopped,
    /// The arena cannot.
    Host(String),
}

impl Ground {
    /// On a game; `stop` calls everything off.
    pub fn new(arena: Arena, game: &'static dyn Game, stop: CancellationToken) -> Self {
        Self { arena, game: GameRef(game), stop, ticks: AtomicU64::new(0) }
    }

    /// Ticks played so far.
    pub fn ticks(&self) -> u64 {
        self.ticks.load(Ordering::Relaxed)
    }

    /// Lets the program of a workspace play. The same `stream`, the same luck and opponents.
    ///
    /// # Errors
    /// Called off, or the arena cannot run programs.
    pub async fn trial(&self, workspace: &Workspace, n_matches: u32, stream: u64) -> Result<Trial, NoTrial> {
        let mut trial = Trial::default();
        let Some(source) = source(workspace) else {
            trial.refused = Some(format!("there is no {PROGRAM}"));
            return Ok(trial);
        };
        let program =
            match Program::prepare(self.arena.sandbox(), source, self.arena.program_limits().clone()).await {
                Ok(program) => program,
                Err(Refusal::Host(why)) => {
                    return Err(NoTrial::Host(format!("the arena cannot run programs: {why}")));
                }
                Err(refusal) => {
                    trial.refused = Some(refusal.to_string());
                    return Ok(trial);
                }
            };
        let mut series = self.arena.matches().series();
        let mut played = Ok(());
        for n in 0..n_matches {
            let (order, seat, who) = self.order(&program, n, stream)?;
            match series.play(&order, &self.stop).await {
                Ok(record) => {
                    self.ticks.fetch_add(u64::from(record.ticks), Ordering::Relaxed);
                    if let Some(seat) = record.seats.into_iter().nth(seat) {
                        trial.take(n, &who, seat.score, seat.outcome, seat.failure);
                    }
                }
                Err(MatchError::Cancelled) => played = Err(NoTrial::Stopped),
                Err(error) => played = Err(NoTrial::Host(error.to_string())),
            }
            if played.is_err() {
                break;
            }
        }
        series.close().await;
        played.map(|()| trial)
    }

    /// The `n`th match of a trial: the program's seat moves on from match to match.
    fn order(&self, program: &Program, n: u32, stream: u64) -> Result<(Order, usize, String), NoTrial> {
        let spec = self.game.0.spec();
        let mut rng = Pcg::new(mix(&[stream, u64::from(n), 0x60]));
        let seats = usize::from(spec.default_seats);
        let seat = n as usize % seats;
        let rivals = rivals(self.game.0, seats - 1, &mut rng)?;
        let mut players: Vec<Player> = rivals.iter().cloned().map(Player::BuiltIn).collect();
        players.insert(seat, Player::Program(program.clone()));
        Ok((Order::new(self.game.0, rng.next_u64() >> 1, players), seat, rivals.join(", ")))
    }
}

/// League players around the middle, or where a game has too small a league, its built-in ones.
fn rivals(game: &dyn Game, count: usize, rng: &mut Pcg) -> Result<Vec<String>, NoTrial> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if let Ok(drawn) = league::draw(game.spec().slug, &Wanted::any(), count, rng)
        && drawn.iter().all(|entry| game.player(&entry.player, 0).is_some())
    {
        return Ok(drawn.iter().map(|entry| entry.player.clone()).collect());
    }
    let bots = game.bots();
    if bots.is_empty() {
        return Err(NoTrial::Host(format!("`{}` has nobody to play against", game.spec().slug)));
    }
    Ok((0..count).map(|_| bots[rng.below(bots.len() as u64) as usize].name.to_owned()).collect())
}

/// The workspace as a program.
fn source(workspace: &Workspace) -> Option<Source> {
    workspace.program()?;
    Some(submissions::source(Code { files: workspace.submitted(), command: None, fresh: false }))
}

impl Trial {
    fn take(&mut self, n: u32, who: &str, score: f64, outcome: &str, failure: Option<Failure>) {
        let against = if who.is_empty() { String::new() } else { format!(" against {who}") };
        let failed =
            failure.as_ref().map_or(String::new(), |why| format!(", failed: {} ({})", why.code, why.detail));
        self.lines.push(format!("match {}{against}: score {score}, {outcome}{failed}", n + 1));
        self.scores.push(score);
        self.failures.extend(failure);
    }

    /// The mean score, if it has played.
    pub fn mean(&self) -> Option<f64> {
        let n = self.scores.len();
        (n > 0).then(|| self.scores.iter().sum::<f64>() / n as f64)
    }

    /// What `run_evaluation` answers.
    pub fn result(&self) -> Value {
        match (&self.refused, self.mean()) {
            (Some(why), _) => json!({ "error": format!("ERROR: the program cannot play: {why}") }),
            (None, None) => json!({ "error": "ERROR: no match was played" }),
            (None, Some(mean)) => json!({
                "mean_score": mean,
                "matches": self.scores.len(),
                "scores": self.scores,
                "failures": self.failures.iter().map(|failure| failure.code.as_str()).collect::<Vec<_>>(),
            }),
        }
    }

    /// What `read_logs` answers.
    pub fn log(&self) -> String {
        if let Some(why) = &self.refused {
            return format!("evaluation: the program cannot play: {why}");
        }
        let mut log =
            format!("evaluation: mean score {}\n{}", self.mean().unwrap_or_default(), self.lines.join("\n"));
        if let Some(failure) = self.failures.last() {
            let from = failure.stderr.len().saturating_sub(LOG_LINES);
            // A `String` takes everything.
            _ = write!(log, "\nstderr:\n{}", failure.stderr[from..].join("\n"));
        }
        log
    }

    /// Why the program counts as one that cannot play: it was refused, or failed in every match.
    pub fn failure(&self) -> Option<Value> {
        if let Some(why) = &self.refused {
            return Some(json!({ "code": "startup_failed", "detail": why, "stderr": [] }));
        }
        let always = !self.scores.is_empty() && self.failures.len() == self.scores.len();
        self.failures.last().filter(|_| always).map(|failure| json!(failure))
    }
}
