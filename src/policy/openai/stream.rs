//! Reads the body of an answer, streamed or not, in whatever pieces it comes.

use serde_json::Value;

use super::super::event::Usage;
use super::super::lines::LineBuffer;

/// The longest event of a stream, and the longest body that is no stream.
const MAX_EVENT: usize = 4 * 1024 * 1024;

/// Calls of tools in one answer; further ones are dropped.
const MAX_CALLS: usize = 32;

/// A tool that a model wants to be called.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolCall {
    /// The endpoint's name for the call; may be empty.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments: JSON, if the model wrote them well.
    pub arguments: String,
}

/// What was read so far.
#[derive(Debug)]
pub(super) struct Body {
    lines: LineBuffer,
    /// Data of an event that is no JSON yet.
    data: String,
    kind: Kind,
    pub(super) text: String,
    pub(super) usage: Option<Usage>,
    pub(super) tool_calls: Vec<ToolCall>,
    pub(super) is_cut: bool,
    /// The last event has come.
    pub(super) is_done: bool,
    /// What the endpoint says went wrong.
    pub(super) error: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Unknown,
    Events,
    Document,
}

/// More came than is read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Body {
    pub(super) fn new() -> Self {
        Self {
            lines: LineBuffer::new(MAX_EVENT),
            data: String::new(),
            kind: Kind::Unknown,
            text: String::new(),
            usage: None,
            tool_calls: Vec::new(),
            is_cut: false,
            is_done: false,
            error: None,
        }
    }

    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.kind == Kind::Unknown
            && let Some(first) = bytes.iter().find(|byte| !byte.is_ascii_whitespace())
        {
            // Some servers answer one document although a stream was asked for.
            self.kind = if *first == b'{' { Kind::Document } else { Kind::Events };
        }
        self.lines.space().extend_from_slice(bytes);
        if self.kind != Kind::Events {
            return if self.lines.unfinished() > MAX_EVENT { Err(TooLong) } else { Ok(()) };
        }
        while let Some(line) = self.lines.next() {
            let line = line.map_err(|_| TooLong)?;
            self.line(&String::from_utf8_lossy(&line));
        }
        Ok(())
    }

    /// The body has ended.
    pub(super) fn end(&mut self) {
        let rest = String::from_utf8_lossy(&self.lines.rest()).into_owned();
        if self.kind == Kind::Events {
            self.line(&rest);
        } else if let Ok(document) = serde_json::from_str(&rest) {
            self.event(&document);
            self.is_done = true;
        }
    }

    /// A line of a stream: data, a comment, the name of an event, or the blank line after it.
    fn line(&mut self, line: &str) {
        let line = line.trim_end_matches('\r');
        if line.is_empty() {
            self.data.clear();
        }
        let Some(data) = line.strip_prefix("data:") else { return };
        if data.trim() == "[DONE]" {
            self.is_done = true;
            return;
        }
        self.data.push_str(data);
        // An event may take several lines; it is complete as soon as it is JSON.
        if let Ok(event) = serde_json::from_str(&self.data) {
            self.event(&event);
            self.data.clear();
        }
    }

    fn event(&mut self, event: &Value) {
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            self.error = Some(said(error).unwrap_or_else(|| error.to_string()));
        }
        if let Some(usage) = event.get("usage").filter(|usage| usage.is_object()) {
            let count = |name: &str| usage.get(name).and_then(Value::as_u64);
            self.usage = Some(Usage {
                input_tokens: count("prompt_tokens").or_else(|| count("input_tokens")),
                output_tokens: count("completion_tokens").or_else(|| count("output_tokens")),
            });
        }
        let Some(choice) = event.pointer("/choices/0") else { return };
        let content =
            ["/delta/content", "/message/content", "/text"].iter().find_map(|at| choice.pointer(at));
        match content {
            Some(Value::String(piece)) => self.text.push_str(piece),
            Some(Value::Array(parts)) => {
                let pieces = parts.iter().filter_map(|part| part.get("text")?.as_str());
                self.text.extend(pieces);
            }
            _ => {}
        }
        let calls = ["/delta/tool_calls", "/message/tool_calls"].iter().find_map(|at| choice.pointer(at));
        for (nth, call) in calls.and_then(Value::as_array).into_iter().flatten().enumerate() {
            self.tool_call(nth, call);
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.is_cut = reason == "length";
            self.is_done = true;
        }
    }
}

impl Body {
    /// A call, or in a stream a piece of one: `index` says of which.
    fn tool_call(&mut self, nth: usize, call: &Value) {
        let index = call.get("index").and_then(Value::as_u64).map_or(nth, |index| index as usize);
        if index >= MAX_CALLS {
            return;
        }
        if self.tool_calls.len() <= index {
            self.tool_calls.resize_with(index + 1, ToolCall::default);
        }
        let text = |at: &str| call.pointer(at).and_then(Value::as_str).unwrap_or_default();
        let kept = &mut self.tool_calls[index];
        kept.id.push_str(text("/id"));
        kept.name.push_str(text("/function/name"));
        match call.pointer("/function/arguments") {
            // Some servers send an object where the text of one is due.
            Some(arguments @ Value::Object(_)) => kept.arguments = arguments.to_string(),
            _ => kept.arguments.push_str(text("/function/arguments")),
        }
    }
}

/// What the body of a refusal says, in the shapes that servers use.
pub(super) fn refusal(body: &str) -> String {
    let value = serde_json::from_str::<Value>(body).ok();
    let words = value.as_ref().and_then(|value| {
        let error = value.get("error").unwrap_or(value);
        said(error).or_else(|| said(value))
    });
    words.unwrap_or_else(|| body.trim().to_owned())
}

fn said(error: &Value) -> Option<String> {
    let text = error.as_str().or_else(|| {
        ["message", "detail", "error"].iter().find_map(|name| error.get(name).and_then(Value::as_str))
    });
    text.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = ": hello\r\n\r\nevent: x\r\ndata: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\r\n\r\n\
        data:{\"choices\":[{\"delta\":{\"content\":\"I sä\"}}]}\r\n\r\n\
        data: {\"choices\":[{\"delta\":{\"content\":\"y []\"},\r\ndata: \"finish_reason\":\"stop\"}]}\r\n\r\n\
        data: {\"choices\":[],\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":4}}\n\ndata: [DONE]\n\n";

    #[test]
    fn a_stream_is_read_however_it_is_cut() {
        for size in [1, 2, 3, 7, 50, 1000] {
            let mut body = Body::new();
            for chunk in STREAM.as_bytes().chunks(size) {
                body.push(chunk).unwrap();
            }
            body.end();
            assert_eq!(body.text, "I säy []", "{size}");
            let usage = Usage { input_tokens: Some(11), output_tokens: Some(4) };
            assert_eq!((body.usage, body.is_done, body.is_cut), (Some(usage), true, false));
        }
    }

    #[test]
    fn one_document_does_as_well_and_an_error_in_a_stream_is_seen() {
        let mut body = Body::new();
        body.push(b" {\"choices\":[{\"message\":{\"content\":\"[]\"},\n\"finish_reason\":\"length\"}]}")
            .unwrap();
        body.end();
        assert_eq!((body.text.as_str(), body.is_done, body.is_cut, body.usage), ("[]", true, true, None));

        let mut body = Body::new();
        body.push(b"data: {\"error\":{\"message\":\"overloaded\"}}\n").unwrap();
        body.end();
        assert_eq!((body.error.as_deref(), body.is_done), (Some("overloaded"), false));
    }

    #[test]
    fn calls_of_tools_are_put_together_from_their_pieces() {
        let call = |id: &str, name: &str, arguments: &str| ToolCall {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
        };
        let stream = concat!(
            r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"list","arguments":""}}]}}]}"#,
            "\n\n",
            r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}},{"index":1,"id":"c2","function":{"name":"read","arguments":"{}"}}]}}]}"#,
            "\n\n",
            r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}},{"index":99,"id":"x"}]},"finish_reason":"tool_calls"}]}"#,
            "\n\n",
        );
        let mut body = Body::new();
        body.push(stream.as_bytes()).unwrap();
        body.end();
        assert_eq!(body.tool_calls, [call("c1", "list", r#"{"a":1}"#), call("c2", "read", "{}")]);

        let mut body = Body::new();
        let document = r#"{"choices":[{"message":{"content":null,"tool_calls":[{"id":"c","function":{"name":"list","arguments":{}}}]}}]}"#;
        body.push(document.as_bytes()).unwrap();
        body.end();
        assert_eq!(body.tool_calls, [call("c", "list", "{}")]);
    }

    #[test]
    fn a_line_or_a_document_without_end_is_refused() {
        for first in ["data: ", "{"] {
            let mut body = Body::new();
            body.push(first.as_bytes()).unwrap();
            let chunk = vec![b'x'; 1 << 20];
            assert_eq!((0..5).find_map(|_| body.push(&chunk).err()), Some(TooLong));
        }
    }

    #[test]
    fn a_refusal_is_found_in_the_shapes_that_servers_use() {
        for body in [
            r#"{"error":{"message":"no"}}"#,
            r#"{"error":"no"}"#,
            r#"{"message":"no"}"#,
            r#"{"detail":"no"}"#,
            " no\n",
        ] {
            assert_eq!(refusal(body), "no", "{body}");
        }
    }
}
