//! What a model saw when it wrote code: its messages at a decision point, rebuilt from an agentic export.
//!
//! Source: protocol.md section 5.14, `reconstruct_messages` in the SDK's `transcript.py`. Which results were pruned is
//! data of the export and is applied, never derived; notes on files that changed after they were read are derived
//! (projection version 4, [`notes`]). Results are cut out of the transcript's text, never written anew.
//!
//! Stricter than the SDK: the transcript must be JSON as a whole (the SDK does not look behind its last entry), and a
//! member of the wrong type is an error or counts as missing (the SDK's Python raises whatever it runs into).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::to_raw_value;

use crate::api::model::Json;

use super::json::{JsonError, Kind, Text, Value};

mod notes;

/// What a decision point's messages are made from. All parts come from one export.
#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    /// The submission's transcript, a JSON list, as text.
    pub transcript: &'a str,
    /// The submission's frame, out of `request_contexts`.
    pub request_context: &'a Json,
    /// The decision's step.
    pub index: i64,
    /// The decision's verdicts, by the id of the call; as an object, or as the text of one, as a Parquet column has it.
    /// Null or `None` if the export could not compute them.
    pub pruned: Option<&'a Json>,
    /// How many entries were there by then, if the export says so; else all of earlier steps and of turn 0.
    pub state_entry_count: Option<usize>,
    /// Keep only the last groups that the frame's `transcript_window` allows, as the platform did.
    pub windowed: bool,
}

/// The request that the model got. Serializes to the SDK's shape.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelRequest {
    /// The system text, as the frame has it; `""` without one.
    pub system: Json,
    /// The tools, as the frame has them; `[]` without any.
    pub tools: Json,
    /// The messages, the step's prompt first.
    pub messages: Vec<Message>,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Message {
    /// Whose it is.
    pub role: Role,
    /// Its blocks: what the model wrote is verbatim.
    pub content: Vec<Json>,
}

/// Whose message it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The harness: prompts, results of tools, reminders.
    User,
    /// The model.
    Assistant,
}

/// Why messages cannot be rebuilt exactly.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TranscriptError {
    /// The frame's `projection_version` is not one of 1 to 4.
    #[error("the frame's `projection_version` is not 1 to 4: look for a newer version of this program")]
    Version,
    /// The verdicts are null.
    #[error("the decision has no verdicts (`pruned` is null): it cannot be rebuilt exactly")]
    NoVerdicts,
    /// The frame has no prompt for the step.
    #[error("the frame's `step_prompts` has nothing for step `{0}`")]
    NoPrompt(i64),
    /// The export found no transcript: `state_entry_count` is 0.
    #[error("`state_entry_count` is 0: the export had no transcript")]
    NoTranscript,
    /// The frame has no positive `transcript_window`.
    #[error("the frame has no `transcript_window`: ask for the whole history")]
    NoWindow,
    /// A part of the export is not what it should be.
    #[error("`{0}` has another shape than expected")]
    Shape(&'static str),
    /// A part of the export cannot be read.
    #[error("cannot read `{part}`")]
    Json {
        /// Which.
        part: &'static str,
        /// Why.
        #[source]
        source: JsonError,
    },
}

/// Verdicts by the id of the call: what stands in place of its result.
type Verdicts<'a> = BTreeMap<Text<'a>, &'a Value<'a>>;

/// Rebuilds the messages of a decision.
///
/// # Errors
/// When that cannot be done exactly.
pub fn reconstruct_messages(decision: &Decision<'_>) -> Result<ModelRequest, TranscriptError> {
    let frame = read("request_context", decision.request_context.get())?;
    let version = frame.get("projection_version").and_then(Value::number);
    if !version.is_some_and(|version| [1.0, 2.0, 3.0, 4.0].contains(&version)) {
        return Err(TranscriptError::Version);
    }
    let pruned = verdict_text(decision.pruned)?;
    let pruned = read("pruned", &pruned)?;
    let verdicts = verdicts(&pruned)?;
    let prompts = frame.get("step_prompts");
    let prompt = prompts
        .and_then(|prompts| prompts.get(&decision.index.to_string()))
        .filter(|prompt| !prompt.is_null());
    let prompt = prompt.ok_or(TranscriptError::NoPrompt(decision.index))?;
    if decision.state_entry_count == Some(0) {
        return Err(TranscriptError::NoTranscript);
    }

    let transcript = read("transcript", decision.transcript)?;
    let Kind::List(entries) = &transcript.kind else { return Err(TranscriptError::Shape("transcript")) };
    let mut groups = groups(&state(entries, decision)?)?;
    if decision.windowed {
        let window = frame.get("transcript_window").and_then(Value::number).map_or(0.0, f64::trunc);
        if window <= 0.0 {
            return Err(TranscriptError::NoWindow);
        }
        groups.drain(..groups.len().saturating_sub((window as usize).saturating_add(2)));
    }

    let notes = if version >= Some(4.0) {
        notes::stale_reads(groups.iter().flatten(), &verdicts)
    } else {
        BTreeMap::new()
    };
    let mut messages = vec![text_message(prompt.raw)?];
    for group in &groups {
        messages.extend(model_message(group, &verdicts)?);
        messages.extend(results_message(group, &verdicts, &notes)?);
        for reminder in group.iter().filter(|entry| entry.is("reminder")) {
            messages.push(text_message(reminder.0.get("message").map_or("\"\"", |message| message.raw))?);
        }
    }
    Ok(ModelRequest {
        system: json(frame.get("system").map_or("\"\"", |system| system.raw))?,
        tools: json(frame.get("tools").filter(|tools| tools.is_truthy()).map_or("[]", |tools| tools.raw))?,
        messages,
    })
}

/// One entry of a transcript.
#[derive(Debug, Clone, Copy)]
struct Entry<'a>(&'a Value<'a>);

impl<'a> Entry<'a> {
    fn is(self, kind: &str) -> bool {
        self.text("kind").is_some_and(|text| text.is(kind))
    }

    fn is_model(self) -> bool {
        self.is("model_turn") || self.is("model")
    }

    fn text(self, name: &str) -> Option<Text<'a>> {
        self.0.get(name)?.text()
    }

    /// The id of its call, unless that is empty.
    fn call_id(self) -> Option<&'a Value<'a>> {
        self.0.get("tool_call_id").filter(|id| id.is_truthy())
    }

    /// A number that is 0 when missing; `None` if it is something else.
    fn number(self, name: &str) -> Option<f64> {
        self.0.get(name).map_or(Some(0.0), Value::number)
    }

    /// Its place: step and turn, which may have a fraction.
    fn place(self) -> Option<(f64, f64)> {
        Some((self.number("step")?, self.number("turn")?))
    }
}

/// The entries that were there when the decision was made.
fn state<'a>(entries: &'a [Value<'a>], decision: &Decision<'_>) -> Result<Vec<Entry<'a>>, TranscriptError> {
    if let Some(count) = decision.state_entry_count {
        return Ok(entries.iter().take(count).map(Entry).collect());
    }
    let mut state = Vec::new();
    for entry in entries.iter().map(Entry) {
        let step = entry.number("step").ok_or(TranscriptError::Shape("step"))?;
        let is_there = match step.partial_cmp(&(decision.index as f64)) {
            Some(Ordering::Less) => true,
            Some(Ordering::Equal) => entry.number("turn") == Some(0.0),
            _ => false,
        };
        if is_there {
            state.push(entry);
        }
    }
    Ok(state)
}

/// The entries that become messages, by step and turn in ascending order.
fn groups<'a>(state: &[Entry<'a>]) -> Result<Vec<Vec<Entry<'a>>>, TranscriptError> {
    let mut placed = Vec::new();
    for entry in state.iter().copied() {
        if entry.is_model() || entry.is("tool") || entry.is("reminder") {
            placed.push((entry.place().ok_or(TranscriptError::Shape("step, turn"))?, entry));
        }
    }
    placed.sort_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    let groups = placed.chunk_by(|(a, _), (b, _)| a == b);
    Ok(groups.map(|group| group.iter().map(|(_, entry)| *entry).collect()).collect())
}

/// What the model wrote, unless that is empty: verbatim, but for the input of calls whose results are gone.
fn model_message(group: &[Entry<'_>], verdicts: &Verdicts<'_>) -> Result<Option<Message>, TranscriptError> {
    let entry = group.iter().find(|entry| entry.is_model());
    let Some(raw_content) = entry.and_then(|entry| entry.0.get("raw_content")).filter(|raw| raw.is_truthy())
    else {
        return Ok(None);
    };
    let Kind::List(blocks) = &raw_content.kind else { return Err(TranscriptError::Shape("raw_content")) };
    let content = blocks.iter().map(|block| model_block(block, verdicts)).collect::<Result<_, _>>()?;
    Ok(Some(Message { role: Role::Assistant, content }))
}

fn model_block(block: &Value<'_>, verdicts: &Verdicts<'_>) -> Result<Json, TranscriptError> {
    let is_call = block.get("type").and_then(Value::text).is_some_and(|kind| kind.is("tool_use"));
    let id = block.get("id").and_then(Value::text);
    let is_pruned = is_call && id.is_some_and(|id| !id.is("") && verdicts.contains_key(&id));
    let Kind::Object(members) = &block.kind else { return json(block.raw) };
    if !is_pruned {
        return json(block.raw);
    }
    let mut written: Vec<_> = members
        .iter()
        .map(|(name, value)| {
            format!("{}:{}", name.to_json(), if name.is("input") { PRUNED_INPUT } else { value.raw })
        })
        .collect();
    if block.get("input").is_none() {
        written.push(format!("\"input\":{PRUNED_INPUT}"));
    }
    json(&format!("{{{}}}", written.join(",")))
}

/// What stands in place of the input of a call whose result was pruned.
const PRUNED_INPUT: &str = "{\"_pruned\":true}";

#[derive(Serialize)]
struct ToolResult<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_use_id: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a Json>,
}

/// The results of a group's calls, if there are any.
fn results_message(
    group: &[Entry<'_>],
    verdicts: &Verdicts<'_>,
    notes: &BTreeMap<Text<'_>, String>,
) -> Result<Option<Message>, TranscriptError> {
    let mut content = Vec::new();
    for entry in group.iter().filter(|entry| entry.is("tool")) {
        let id = entry.call_id();
        let name = id.and_then(Value::text);
        let text = if let Some(verdict) = name.and_then(|name| verdicts.get(&name)) {
            verdict.is_truthy().then(|| json(verdict.raw)).transpose()?
        } else {
            let note = name.and_then(|name| notes.get(&name)).map_or("", String::as_str);
            let result =
                entry.0.get("result").filter(|result| !result.is_null()).map_or("", |result| result.raw);
            let text = [note, result].concat();
            (!text.is_empty()).then(|| block(&text)).transpose()?
        };
        let tool_use_id = id.map(|id| json(id.raw)).transpose()?;
        content.push(block(&ToolResult { r#type: "tool_result", tool_use_id, content: text.as_ref() })?);
    }
    Ok((!content.is_empty()).then_some(Message { role: Role::User, content }))
}

/// A message of the user's with one text, given as JSON.
fn text_message(text: &str) -> Result<Message, TranscriptError> {
    #[derive(Serialize)]
    struct TextBlock {
        r#type: &'static str,
        text: Json,
    }
    let block = block(&TextBlock { r#type: "text", text: json(text)? })?;
    Ok(Message { role: Role::User, content: vec![block] })
}

fn block(value: &impl Serialize) -> Result<Json, TranscriptError> {
    to_raw_value(value).map(Json::from).map_err(|_| TranscriptError::Shape("result"))
}

/// The verdicts' own text: a column of text holds them one level deeper.
fn verdict_text(pruned: Option<&Json>) -> Result<String, TranscriptError> {
    let pruned = pruned.filter(|pruned| pruned.get() != "null").ok_or(TranscriptError::NoVerdicts)?;
    let value = read("pruned", pruned.get())?;
    Ok(value.text().map_or_else(|| pruned.get().to_owned(), |text| text.to_str().into_owned()))
}

fn verdicts<'a>(pruned: &'a Value<'a>) -> Result<Verdicts<'a>, TranscriptError> {
    let Kind::Object(members) = &pruned.kind else { return Err(TranscriptError::Shape("pruned")) };
    Ok(members.iter().map(|(id, verdict)| (*id, verdict)).collect())
}

fn read<'a>(part: &'static str, text: &'a str) -> Result<Value<'a>, TranscriptError> {
    Value::read(text).map_err(|source| TranscriptError::Json { part, source })
}

/// A part of the export that is passed on as it is. It was read before, so only `NaN` and its like are refused here.
fn json(raw: &str) -> Result<Json, TranscriptError> {
    Json::parse(raw).map_err(|_| TranscriptError::Json { part: "transcript", source: JsonError::NotFinite })
}

#[cfg(test)]
mod tests;
