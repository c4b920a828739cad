//! One line of a session: what has happened in it and where its files stand. A clone is a branch of it.
//!
//! ```text
//! open_step ─▶ request ─▶ heard ─▶ (calls) ─▶ ran … ─▶ end_turn ─┬─▶ request …
//!     ▲                                                          └─▶ auto_evaluation ─▶ ran ─┐
//!     └──────────────────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Pure: who answers requests and who plays matches is in `session`.

use serde_json::{Map, Value, json};

use super::frame::Frame;
use super::prune;
use super::transcript::{Call, Spot, Transcript, calls};
use super::workspace::Workspace;
use crate::rollout::{ModelRequest, TranscriptError};

/// What a model that called no tool is told.
const REMINDER: &str = "You made no tool calls. Continue working with the tools.";

/// Calls in one turn that are carried out.
const MAX_CALLS: usize = 8;

/// The log of a session without an evaluation.
const NO_LOG: &str = "no evaluations yet";

/// A line of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What has happened.
    pub transcript: Transcript,
    /// The files.
    pub workspace: Workspace,
    /// From 1; 0 before the first step.
    pub step: u32,
    /// The model's turns in this step.
    pub turn: u32,
    /// The model's turns in all steps.
    pub turns: u32,
    /// Matches that the model has asked for in this step.
    pub step_matches: u32,
    /// The log of the last evaluation.
    pub log: String,
    /// The program that the last evaluation played, if it is still that one.
    evaluated: Option<String>,
    /// Answers without a call in this step.
    idle: u32,
    /// Ids given so far.
    n_ids: u32,
}

impl Default for Line {
    fn default() -> Self {
        let (transcript, workspace) = (Transcript::default(), Workspace::default());
        let (step, turn, turns, step_matches, idle, n_ids) = (0, 0, 0, 0, 0, 0);
        let (log, evaluated) = (NO_LOG.to_owned(), None);
        Self { transcript, workspace, step, turn, turns, step_matches, log, evaluated, idle, n_ids }
    }
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Blocks: `text`, `reasoning`, `tool_use` (see [`tool_use`]).
    pub blocks: Vec<Value>,
    /// Why it ended, in the platform's words.
    pub stop_reason: &'static str,
    /// Model and provider, where they are not the session's.
    pub by: Option<(String, String)>,
}

/// A block that calls a tool; its id comes when a line hears it.
pub fn tool_use(tool: &str, arguments: Value) -> Value {
    let mut block = json!({ "type": "tool_use", "id": "", "name": tool });
    block["input"] = arguments;
    block
}

impl Line {
    /// Begins a step with a look around, which the harness takes in the model's name. This is where lines branch.
    pub fn open_step(&mut self) {
        (self.step, self.turn, self.step_matches, self.idle) = (self.step + 1, 0, 0, 0);
        let calls = ["list_workspace", "read_logs"].map(|tool| self.call("synthetic", tool, json!({})));
        let blocks: Vec<Value> = calls.iter().map(Call::block).collect();
        self.transcript.model_turn(self.spot(), &blocks, None);
        for call in &calls {
            let result = self.look(call).unwrap_or_default();
            self.ran(call, &result);
        }
    }

    /// What the model is asked now.
    ///
    /// # Errors
    /// The frame has no prompt for the step.
    pub fn request(&self, frame: &Frame) -> Result<ModelRequest, TranscriptError> {
        frame.request(self.step, &self.transcript, &self.verdicts())
    }

    /// Which results are replaced by a few words in the next request.
    pub fn verdicts(&self) -> Map<String, Value> {
        prune::verdicts(self.transcript.entries())
    }

    /// Takes the model's next turn, whose calls get their ids here, and gives the calls that are to be carried out, in
    /// their order.
    pub fn heard(&mut self, answer: &mut Answer, frame: &Frame) -> Vec<Call> {
        (self.turn, self.turns) = (self.turn + 1, self.turns + 1);
        for block in answer.blocks.iter_mut().filter(|block| block["type"] == "tool_use") {
            self.n_ids += 1;
            block["id"] = format!("call_{:06x}", self.n_ids).into();
        }
        let mut calls = calls(&answer.blocks);
        let by = answer.by.as_ref().map(|(model, provider)| (model.as_str(), provider.as_str()));
        if calls.is_empty() {
            self.transcript.model(self.spot(), &answer.blocks, answer.stop_reason, by.unwrap_or(frame.by()));
            self.idle += 1;
        } else {
            self.transcript.model_turn(self.spot(), &answer.blocks, by);
            self.idle = 0;
        }
        if answer.stop_reason == "max_tokens" {
            self.transcript.warning(self.spot(), "max_tokens truncated");
        }
        let too_many = calls.split_off(calls.len().min(MAX_CALLS));
        for call in &too_many {
            let why = format!("ERROR: only {MAX_CALLS} calls are carried out in a turn");
            self.ran(call, &json!({ "error": why }));
        }
        calls
    }

    /// What a call gives that needs nobody but the line itself; nothing for an evaluation.
    pub fn look(&mut self, call: &Call) -> Option<Value> {
        match call.tool.as_str() {
            "run_evaluation" => None,
            "read_logs" => Some(self.log.clone().into()),
            "run_bash_command" | "run_script" => {
                let why = "ERROR: this arena runs no commands: use the file tools and run_evaluation";
                Some(json!({ "error": why }))
            }
            tool => Some(
                self.workspace
                    .call(tool, &call.arguments)
                    .unwrap_or_else(|| json!({ "error": format!("ERROR: there is no tool {tool}") })),
            ),
        }
    }

    /// Keeps what a call gave.
    pub fn ran(&mut self, call: &Call, result: &Value) {
        self.transcript.tool(self.spot(), call, result);
    }

    /// Keeps an evaluation of the program as it stands.
    pub fn evaluated(&mut self, log: String) {
        self.log = log;
        self.evaluated = self.workspace.program().map(str::to_owned);
    }

    /// Ends a turn; false when the model says for the second time in a row that it is done with the step.
    pub fn end_turn(&mut self) -> bool {
        if self.idle == 1 {
            self.transcript.reminder(self.spot(), REMINDER);
        }
        self.idle < 2
    }

    /// The evaluation with which the harness ends a step, in a turn of its own; none if the program is as it was at the
    /// last one, or is not there.
    pub fn auto_evaluation(&mut self, match_count: u32) -> Option<Call> {
        let program = self.workspace.program()?;
        if self.evaluated.as_deref() == Some(program) {
            return None;
        }
        let call = self.call("auto_eval", "run_evaluation", json!({ "match_count": match_count }));
        self.transcript.model_turn(self.half_spot(), &[call.block()], None);
        Some(call)
    }

    /// Keeps what [`Line::auto_evaluation`] gave.
    pub fn auto_evaluated(&mut self, call: &Call, result: &Value) {
        self.transcript.tool(self.half_spot(), call, result);
    }

    /// A new call, with an id of this line.
    pub fn call(&mut self, prefix: &str, tool: &str, arguments: Value) -> Call {
        self.n_ids += 1;
        Call { id: format!("{prefix}_{:06x}", self.n_ids), tool: tool.to_owned(), arguments }
    }

    fn spot(&self) -> Spot {
        Spot { step: self.step, turn: self.turn.into() }
    }

    fn half_spot(&self) -> Spot {
        Spot { step: self.step, turn: f64::from(self.turn) + 0.5 }
    }
}

#[cfg(test)]
mod tests;
