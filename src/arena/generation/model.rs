//! Who answers: the offline writer, or a model behind an endpoint like `OpenAI`'s.

use std::time::Duration;

use serde_json::{Value, json};

use super::line::{Answer, Line, tool_use};
use crate::arena::providers::writer::{self, Situation, Size};
use crate::policy::{Chat, ChatReply, Endpoint};
use crate::rollout::{Message, ModelRequest, Role};

/// How long one answer may take, with all repetitions.
const PATIENCE: Duration = Duration::from_mins(10);

/// A model.
#[derive(Debug, Clone)]
pub enum Model {
    /// The writer of programs that needs no network.
    Writer(Size),
    /// A model behind an endpoint.
    Endpoint(Chat),
}

impl Model {
    /// Makes ready to ask an endpoint.
    ///
    /// # Errors
    /// The key is not in its variable, or nothing can be connected at all.
    pub fn endpoint(endpoint: &Endpoint) -> Result<Self, String> {
        Chat::new(endpoint, PATIENCE).map(Self::Endpoint)
    }

    /// The next turn of a line. `stream` decides what the writer comes up with.
    ///
    /// # Errors
    /// There is no answer, and asking again will not help now.
    pub async fn answer(
        &self,
        request: &ModelRequest,
        line: &Line,
        game: &str,
        stream: u64,
    ) -> Result<Answer, String> {
        match self {
            Self::Writer(size) => {
                let situation = Situation { game, workspace: &line.workspace, stream };
                Ok(Answer { blocks: writer::answer(*size, &situation), stop_reason: "tool_use", by: None })
            }
            Self::Endpoint(chat) => {
                let asked = json!({ "messages": chat_messages(request)?, "tools": chat_tools(request)? });
                ask(chat, asked).await.map(|reply| answer(&reply))
            }
        }
    }

    /// A text in answer to one question.
    ///
    /// # Errors
    /// See [`Model::answer`].
    pub async fn text(&self, system: &str, user: &str, game: &str, stream: u64) -> Result<String, String> {
        match self {
            Self::Writer(size) => Ok(writer::one_shot(*size, game, stream)),
            Self::Endpoint(chat) => {
                let asked = json!({ "messages": [
                    { "role": "system", "content": system }, { "role": "user", "content": user },
                ] });
                ask(chat, asked).await.map(|reply| reply.text)
            }
        }
    }
}

async fn ask(chat: &Chat, asked: Value) -> Result<ChatReply, String> {
    let answered = tokio::time::timeout(PATIENCE, chat.ask(asked)).await;
    answered.unwrap_or_else(|_| Err(format!("the endpoint did not answer within {} s", PATIENCE.as_secs())))
}

fn answer(reply: &ChatReply) -> Answer {
    let mut blocks = Vec::new();
    if !reply.text.trim().is_empty() {
        blocks.push(json!({ "type": "text", "text": reply.text }));
    }
    for call in &reply.tool_calls {
        // Arguments that are no JSON object go through to the tool, which says what it misses.
        let arguments = serde_json::from_str(&call.arguments).ok().filter(Value::is_object);
        blocks.push(tool_use(&call.name, arguments.unwrap_or_else(|| json!({ "_unread": call.arguments }))));
    }
    let stop_reason = match (reply.is_cut, reply.tool_calls.is_empty()) {
        (true, _) => "max_tokens",
        (false, true) => "end_turn",
        (false, false) => "tool_use",
    };
    Answer { blocks, stop_reason, by: None }
}

/// The request in the words of chat completions: blocks become texts, calls and messages of tools.
pub fn chat_messages(request: &ModelRequest) -> Result<Vec<Value>, String> {
    let system: String = decode(request.system.get())?;
    let mut messages = vec![json!({ "role": "system", "content": system })];
    for message in &request.messages {
        let blocks: Vec<Value> =
            message.content.iter().map(|block| decode(block.get())).collect::<Result<_, _>>()?;
        chat_message(message, &blocks, &mut messages);
    }
    Ok(messages)
}

fn chat_message(message: &Message, blocks: &[Value], out: &mut Vec<Value>) {
    let text = |block: &Value, name: &str| block[name].as_str().unwrap_or_default().to_owned();
    let texts = blocks.iter().filter(|block| block["type"] == "text").map(|block| text(block, "text"));
    let said = texts.collect::<Vec<_>>().join("\n");
    if message.role == Role::Assistant {
        let calls = blocks.iter().filter(|block| block["type"] == "tool_use").map(|block| {
            let function = json!({ "name": block["name"], "arguments": block["input"].to_string() });
            json!({ "id": block["id"], "type": "function", "function": function })
        });
        let calls: Vec<Value> = calls.collect();
        let mut message = json!({ "role": "assistant", "content": said });
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        out.push(message);
        return;
    }
    for block in blocks.iter().filter(|block| block["type"] == "tool_result") {
        let content = text(block, "content");
        out.push(json!({ "role": "tool", "tool_call_id": block["tool_use_id"], "content": content }));
    }
    if !said.is_empty() {
        out.push(json!({ "role": "user", "content": said }));
    }
}

fn chat_tools(request: &ModelRequest) -> Result<Vec<Value>, String> {
    let tools: Vec<Value> = decode(request.tools.get())?;
    let tools = tools.into_iter().map(|tool| {
        let function =
            json!({ "name": tool["name"], "description": tool["description"], "parameters": tool["input_schema"] });
        json!({ "type": "function", "function": function })
    });
    Ok(tools.collect())
}

fn decode<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("the request cannot be put into messages: {error}"))
}

/// The program in a text: its last block of code, or all of it if that is one.
pub fn program_in(text: &str) -> Option<String> {
    let mut blocks = Vec::new();
    let mut open: Option<Vec<&str>> = None;
    for line in text.lines() {
        match (&mut open, line.trim_start().starts_with("```")) {
            (Some(_), true) => blocks.extend(open.take()),
            (None, true) => open = Some(Vec::new()),
            (Some(block), false) => block.push(line),
            (None, false) => {}
        }
    }
    // An answer that was cut has no end of its block; what there is of it may do.
    blocks.extend(open);
    let is_program = |text: &str| text.contains("def act") || text.contains("def decide");
    let last = blocks.iter().rev().map(|block| block.join("\n") + "\n").find(|block| is_program(block));
    last.or_else(|| is_program(text).then(|| text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::ToolCall;

    #[test]
    fn the_program_is_the_last_block_that_has_one() {
        let text = "First:\n```python\ndef act(a, b, c):\n    return 1\n```\nBetter:\n```\ndef act(o, s, i):\n    return []\n```\nRun it:\n```sh\nrun\n```";
        assert_eq!(program_in(text).unwrap(), "def act(o, s, i):\n    return []\n");
        assert_eq!(program_in("def act(o, s, i): return []").unwrap(), "def act(o, s, i): return []");
        assert_eq!(
            program_in("```python\ndef act(o, s, i):\n    re").unwrap(),
            "def act(o, s, i):\n    re\n"
        );
        assert_eq!(program_in("I cannot."), None);
        assert_eq!(program_in(""), None);
    }

    #[test]
    fn an_answer_becomes_blocks_and_bad_arguments_reach_the_tool() {
        let call = |arguments: &str| ToolCall {
            id: "x".into(),
            name: "read_file".into(),
            arguments: arguments.into(),
        };
        let reply = ChatReply {
            text: "look".into(),
            tool_calls: vec![call(r#"{"path":"a"}"#), call("{"), call("[]")],
            is_cut: false,
        };
        let answer = answer(&reply);
        assert_eq!(answer.stop_reason, "tool_use");
        let inputs: Vec<&Value> = answer.blocks[1..].iter().map(|block| &block["input"]).collect();
        assert_eq!(
            inputs,
            [&json!({ "path": "a" }), &json!({ "_unread": "{" }), &json!({ "_unread": "[]" })]
        );
    }
}
