//! What happened in a session, as a list of JSON texts: a text that stands here is never written anew, so that results
//! reach the model, the export and whoever rebuilds the model's input as the same bytes.
//!
//! An entry has a place, a step and a turn. Turn 0 of a step is the harness's look around, whole turns are the model's,
//! turns with a half are evaluations that the harness ran.

use serde_json::{Value, json};

/// The entries so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transcript(Vec<String>);

/// Where an entry stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot {
    /// From 1.
    pub step: u32,
    /// From 0, with halves.
    pub turn: f64,
}

impl Transcript {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing has happened.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, as one JSON list.
    pub fn text(&self) -> String {
        format!("[{}]", self.0.join(","))
    }

    /// Each, as JSON text.
    pub fn entries(&self) -> &[String] {
        &self.0
    }

    /// What the model wrote, with calls of tools.
    pub fn model_turn(&mut self, spot: Spot, blocks: &[Value], by: Option<(&str, &str)>) {
        let mut entry = at("model_turn", spot);
        // Only a turn that another model than the session's took says whose it is (protocol.md §2.8).
        if let Some((model, provider)) = by {
            entry["model"] = model.into();
            entry["provider"] = provider.into();
        }
        entry["raw_content"] = blocks.into();
        self.push(&entry);
    }

    /// What the model wrote without calling any tool.
    pub fn model(&mut self, spot: Spot, blocks: &[Value], stop_reason: &str, by: (&str, &str)) {
        let mut entry = at("model", spot);
        entry["model"] = by.0.into();
        entry["provider"] = by.1.into();
        entry["raw_content"] = blocks.into();
        entry["stop_reason"] = stop_reason.into();
        self.push(&entry);
    }

    /// What a tool answered.
    pub fn tool(&mut self, spot: Spot, call: &Call, result: &Value) {
        let mut entry = at("tool", spot);
        entry["tool"] = call.tool.as_str().into();
        entry["tool_call_id"] = call.id.as_str().into();
        entry["args"] = call.arguments.clone();
        entry["result"] = result.clone();
        self.push(&entry);
    }

    /// What the harness told the model.
    pub fn reminder(&mut self, spot: Spot, message: &str) {
        let mut entry = at("reminder", spot);
        entry["message"] = message.into();
        self.push(&entry);
    }

    /// What only readers of the transcript see.
    pub fn warning(&mut self, spot: Spot, message: &str) {
        let mut entry = at("warning", spot);
        entry["message"] = message.into();
        self.push(&entry);
    }

    fn push(&mut self, entry: &Value) {
        self.0.push(entry.to_string());
    }
}

fn at(kind: &str, spot: Spot) -> Value {
    // A whole turn is a whole number: readers compare it with 0.
    let turn = if spot.turn.fract() == 0.0 { json!(spot.turn as u64) } else { json!(spot.turn) };
    json!({ "kind": kind, "step": spot.step, "turn": turn })
}

/// A tool that is called.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Its id, unique in the session.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// An object, if the model wrote it well.
    pub arguments: Value,
}

impl Call {
    /// As a block of the model's.
    pub fn block(&self) -> Value {
        json!({ "type": "tool_use", "id": self.id, "name": self.tool, "input": self.arguments })
    }
}

/// The calls among the blocks of a model.
pub fn calls(blocks: &[Value]) -> Vec<Call> {
    let text = |block: &Value, name: &str| block.get(name).and_then(Value::as_str).map(str::to_owned);
    let calls = blocks.iter().filter(|block| block["type"] == "tool_use").filter_map(|block| {
        Some(Call {
            id: text(block, "id")?,
            tool: text(block, "name")?,
            arguments: block.get("input").cloned().unwrap_or_default(),
        })
    });
    calls.collect()
}
