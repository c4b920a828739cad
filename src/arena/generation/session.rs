//! A session: a line led from step to step by a model, over real tools and real matches.

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::frame::{self, Frame};
use super::ground::{Ground, NoTrial, Trial};
use super::line::{Answer, Line};
use super::model::Model;
use super::plan::{AUTO_EVAL_MATCHES, Agentic, STEP_MATCHES};
use super::transcript::Call;
use crate::arena::engine::GameSpec;
use crate::arena::engine::rng::mix;

/// What a session works with. It changes nothing in it, so several lines may be led at once.
#[derive(Debug)]
pub struct Session<'a> {
    /// The game.
    pub game: &'static GameSpec,
    /// Who writes.
    pub model: Model,
    /// Who writes the continuations of decisions, and its name.
    pub rollout: Option<(Model, String)>,
    /// How long it goes.
    pub agentic: Agentic,
    /// Decides all that is drawn.
    pub seed: u64,
    /// Where programs play.
    pub ground: &'a Ground,
    /// Calls everything off.
    pub stop: CancellationToken,
}

/// A session broke off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Broke {
    /// It was called off.
    Stopped,
    /// Why it cannot go on.
    Failed(String),
}

impl From<NoTrial> for Broke {
    fn from(why: NoTrial) -> Self {
        match why {
            NoTrial::Stopped => Self::Stopped,
            NoTrial::Host(why) => Self::Failed(why),
        }
    }
}

/// Which branch of a session a line is, for what is drawn in it: 0 and 0 for the one that was adopted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Branch {
    /// The candidate, from 1.
    pub candidate: u32,
    /// The continuation, from 1.
    pub sample: u32,
}

impl Session<'_> {
    /// Whether a line has turns left.
    pub fn goes_on(&self, line: &Line) -> bool {
        line.turns < self.agentic.max_turns
    }

    /// Begins the next step of a line.
    pub fn open_step(&self, line: &mut Line, frame: &mut Frame) {
        let left = self.agentic.max_turns - line.turns;
        frame.prompt(
            line.step + 1,
            frame::step_prompt(self.game, line.step + 1, (left, self.agentic.max_turns)),
        );
        line.open_step();
    }

    /// The session model's answer at this point; which one it is, `branch` decides.
    pub async fn ask(&self, line: &Line, frame: &Frame, branch: Branch) -> Result<Answer, Broke> {
        self.ask_model(&self.model, line, frame, branch).await
    }

    async fn ask_model(
        &self,
        model: &Model,
        line: &Line,
        frame: &Frame,
        branch: Branch,
    ) -> Result<Answer, Broke> {
        let request = line.request(frame).map_err(|why| Broke::Failed(why.to_string()))?;
        let place = [line.step, line.turn, branch.candidate, branch.sample].map(u64::from);
        let stream = mix(&[self.seed, place[0], place[1], place[2], place[3]]);
        let answer = model.answer(&request, line, self.game.slug, stream);
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(Broke::Stopped),
            answer = answer => answer.map_err(Broke::Failed),
        }
    }

    /// Takes a turn: what the model wrote is carried out. False when the step is over.
    pub async fn take_turn(&self, line: &mut Line, frame: &Frame, mut answer: Answer) -> Result<bool, Broke> {
        let mut matches_left = STEP_MATCHES.saturating_sub(line.step_matches);
        for call in line.heard(&mut answer, frame) {
            let result = match line.look(&call) {
                Some(result) => result,
                None => self.evaluate(line, &call, &mut matches_left).await?,
            };
            line.ran(&call, &result);
        }
        line.step_matches = STEP_MATCHES - matches_left;
        Ok(line.end_turn() && line.turn < self.agentic.interval && self.goes_on(line))
    }

    async fn evaluate(&self, line: &mut Line, call: &Call, matches_left: &mut u32) -> Result<Value, Broke> {
        let wanted = call.arguments.get("match_count").and_then(Value::as_u64).unwrap_or(1).max(1);
        let n = wanted.min((*matches_left).into()) as u32;
        if n == 0 {
            let why = format!(
                "ERROR: {STEP_MATCHES} matches may be played in a step and were; the program is evaluated again at its end"
            );
            return Ok(json!({ "error": why }));
        }
        *matches_left -= n;
        let trial = self.trial(line, n).await?;
        line.evaluated(trial.log());
        Ok(trial.result())
    }

    /// The program of a line plays. All lines of a step meet the same opponents with the same luck.
    pub async fn trial(&self, line: &Line, n_matches: u32) -> Result<Trial, Broke> {
        let stream = mix(&[self.seed, line.step.into(), 0x7A1]);
        Ok(self.ground.trial(&line.workspace, n_matches, stream).await?)
    }

    /// Leads a line, whose step is not over, through the rest of it and gives how its program does at the end. In a continuation the rollout
    /// model takes over after its first turns.
    pub async fn finish_step(
        &self,
        line: &mut Line,
        frame: &Frame,
        branch: Branch,
    ) -> Result<Option<Trial>, Broke> {
        let first = line.turn;
        loop {
            let stays = self.agentic.branch.as_ref().map_or(0, |branching| branching.rollout_model_after);
            let rollout = self.rollout.as_ref().filter(|_| branch.sample > 0 && line.turn - first >= stays);
            let answer = match rollout {
                Some((model, name)) => {
                    let mut answer = self.ask_model(model, line, frame, branch).await?;
                    answer.by = Some((name.clone(), frame.by().1.to_owned()));
                    answer
                }
                None => self.ask(line, frame, branch).await?,
            };
            if !self.take_turn(line, frame, answer).await? {
                break;
            }
        }
        self.end_step(line, branch).await
    }

    /// The evaluation at the end of a step. A continuation is always scored, since its score is its value.
    pub async fn end_step(&self, line: &mut Line, branch: Branch) -> Result<Option<Trial>, Broke> {
        let call = line.auto_evaluation(AUTO_EVAL_MATCHES);
        if line.workspace.program().is_none() || (call.is_none() && branch.sample == 0) {
            return Ok(None);
        }
        let trial = self.trial(line, AUTO_EVAL_MATCHES).await?;
        if let Some(call) = call {
            line.auto_evaluated(&call, &trial.result());
            line.evaluated(trial.log());
        }
        Ok(Some(trial))
    }
}
