//! What every request of a session holds besides what happened: the system text, the tools, a prompt for each step, and
//! the settings. Kept beside the transcript and exported as `request_context`.

use serde_json::{Map, Value, json};

use super::workspace::PROGRAM;
use crate::api::model::Json;
use crate::arena::engine::{GameSpec, Timing};
use crate::rollout::{Decision, ModelRequest, TranscriptError, reconstruct_messages};

use super::transcript::Transcript;

/// Groups of entries that a request holds, less two (protocol.md §5.14).
pub const WINDOW: u32 = 24;

/// The rules by which entries become messages.
const PROJECTION: u32 = 4;

/// A frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    system: String,
    tools: Value,
    step_prompts: Map<String, Value>,
    model: String,
    provider: String,
}

impl Frame {
    /// Of a session on this game.
    pub fn new(game: &GameSpec, model: &str, provider: &str) -> Self {
        Self {
            system: system(game),
            tools: tools(),
            step_prompts: Map::new(),
            model: model.to_owned(),
            provider: provider.to_owned(),
        }
    }

    /// Of one question that wants a whole program for an answer.
    pub fn one_shot(game: &GameSpec, model: &str, provider: &str) -> Self {
        let system = format!(
            "You write a program that plays a game against others. Answer with the whole program in one Python code \
             block.\n\n{}",
            contract(game)
        );
        Self { system, tools: json!([]), ..Self::new(game, model, provider) }
    }

    /// The system text.
    pub fn system(&self) -> &str {
        &self.system
    }

    /// Whose session it is: model and provider.
    pub fn by(&self) -> (&str, &str) {
        (&self.model, &self.provider)
    }

    /// Keeps the prompt of a step. One that is there stays.
    pub fn prompt(&mut self, step: u32, text: impl Into<String>) {
        self.step_prompts.entry(step.to_string()).or_insert_with(|| text.into().into());
    }

    /// As exports have it.
    pub fn json(&self) -> Value {
        json!({
            "system": self.system,
            "tools": self.tools,
            "step_prompts": self.step_prompts,
            "model": self.model,
            "provider": self.provider,
            "transcript_window": WINDOW,
            "projection_version": PROJECTION,
        })
    }

    /// The request at this point of a session: whoever has transcript, frame and verdicts gets the same one, since this
    /// is how they get it.
    ///
    /// # Errors
    /// The step has no prompt, or the transcript is none.
    pub fn request(
        &self,
        step: u32,
        transcript: &Transcript,
        verdicts: &Map<String, Value>,
    ) -> Result<ModelRequest, TranscriptError> {
        let json = |part, value: String| Json::parse(&value).map_err(|_| TranscriptError::Shape(part));
        let frame = json("request_context", self.json().to_string())?;
        let pruned = json("pruned", Value::Object(verdicts.clone()).to_string())?;
        reconstruct_messages(&Decision {
            transcript: &transcript.text(),
            request_context: &frame,
            index: step.into(),
            pruned: Some(&pruned),
            state_entry_count: Some(transcript.len()),
            windowed: true,
        })
    }
}

/// A step's prompt.
pub fn step_prompt(game: &GameSpec, step: u32, turns: (u32, u32)) -> String {
    let (left, of) = turns;
    format!(
        "{}\n\n## Step {step}\n\nYou have {left} of {of} turns left. Improve `{PROGRAM}`: what stands in it at the end is submitted.",
        overview(game)
    )
}

/// What a model is told of a game.
pub fn overview(game: &GameSpec) -> String {
    let schema = (game.action_schema)();
    format!("## Game Overview\n\n{}\n\n## Schema of one action\n\n```json\n{schema}\n```", game.prompt.trim())
}

fn system(game: &GameSpec) -> String {
    format!(
        "You write a program that plays a game against others. You work in a workspace with tools; use at least one in \
         every turn. `run_evaluation` plays real matches against players of the league.\n\n{}",
        contract(game)
    )
}

/// How a program plays (arena.md §9.1).
fn contract(game: &GameSpec) -> String {
    let when = match game.timing {
        Timing::TurnBased => "when its seat is on turn",
        Timing::Simultaneous => "at every tick",
    };
    format!(
        "The program is `{PROGRAM}`, a Python 3 module with nothing but the standard library. It defines\n\n```python\n\
         def act(observation, seat, info):  # required: a list of action objects\n    ...\n\
         def start(info):  # optional, once a match: game, rules, seat, player_count, config, seed\n    ...\n\
         def end(result):  # optional\n    ...\n```\n\n`act` is called {when} and has about 100 ms. An exception or an \
         action that is not allowed fails the seat. What it prints goes into the log. `observation[\"_action_space\"]`, \
         where there is one, lists actions as `{{\"action\": …, \"weight\": …}}`."
    )
}

/// The tools, in the form of the frame.
fn tools() -> Value {
    let tool = |name: &str, description: &str, properties: Value, required: Value| {
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        json!({ "name": name, "description": description, "input_schema": schema })
    };
    let text = json!({ "type": "string" });
    let number = json!({ "type": "integer", "minimum": 1 });
    json!([
        tool("list_workspace", "List the files and their sizes.", json!({}), json!([])),
        tool("read_logs", "Read what the last evaluation logged.", json!({}), json!([])),
        tool(
            "read_file",
            "Read a workspace file, or `limit` of its lines from line `offset` on.",
            json!({ "path": text, "offset": number, "limit": number }),
            json!(["path"]),
        ),
        tool(
            "write_workspace_file",
            "Create or overwrite a workspace file.",
            json!({ "path": text, "content": text }),
            json!(["path", "content"]),
        ),
        tool(
            "edit_file",
            "Replace a piece of text that is in a file exactly once.",
            json!({ "path": text, "old_string": text, "new_string": text }),
            json!(["path", "old_string", "new_string"]),
        ),
        tool("apply_patch", "Apply a unified diff.", json!({ "patch": text }), json!(["patch"])),
        tool(
            "run_evaluation",
            "Play matches of the program against players of the league; gives its mean score and what failed.",
            json!({ "match_count": number }),
            json!([]),
        ),
    ])
}
