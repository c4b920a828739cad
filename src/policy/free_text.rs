//! Reads answers in free text: what a language model, or a program around one, writes.
//!
//! A JSON line is a whole answer: a string, an object that holds the text (`{"text":…}`, `{"content":…}`, the answer
//! of an endpoint like `OpenAI`'s or Ollama's), or the action itself. Other lines are collected up to one that holds
//! only `---`, or to the end of the output. The action is found in the text as the platform does it.

use serde_json::Value;

use super::answer::{Line, read_line};
use crate::rollout::{ParsedAction, parse_action};

/// A line of a policy that answers in free text.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    /// A whole answer, or `ready`.
    Whole(Line),
    /// A piece of text.
    Piece(String),
    /// The text is complete.
    Mark,
}

/// Reads a line. `inside` is true when text has been collected: then JSON is part of it.
pub(super) fn read_said(line: &[u8], inside: bool) -> Said {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_start_matches('\u{feff}').trim_end();
    match text.trim() {
        "---" => Said::Mark,
        "" if !inside => Said::Whole(Line::Blank),
        json if !inside && json.starts_with(['{', '[', '"']) => {
            read_json(json).map_or_else(|| Said::Piece(text.to_owned()), Said::Whole)
        }
        _ => Said::Piece(text.to_owned()),
    }
}

/// Reads a whole answer: JSON around a text, or the text.
pub(super) fn read_whole(text: &str) -> Line {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Line::Blank;
    }
    read_json(text).unwrap_or_else(|| action_in(None, text))
}

/// Reads JSON as an answer; `None` for what is no JSON.
fn read_json(text: &str) -> Option<Line> {
    let value: Value = serde_json::from_str(text).ok()?;
    let id = value.get("id").and_then(Value::as_u64);
    match text_in(&value) {
        Some(inner) => Some(action_in(id, inner)),
        None => Some(read_line(text.as_bytes())),
    }
}

/// The text in the answer of a model, as common programs and endpoints wrap it.
fn text_in(value: &Value) -> Option<&str> {
    if let Value::String(text) = value {
        return Some(text);
    }
    if value.get("action").is_some() || value.get("type").is_some_and(|kind| kind == "ready") {
        return None;
    }
    let message = value.pointer("/choices/0/message").or_else(|| value.get("message")).unwrap_or(value);
    let piece = |name: &str| message.get(name).and_then(Value::as_str);
    ["content", "text", "response", "output"]
        .iter()
        .find_map(|name| piece(name))
        .or_else(|| message.pointer("/content/0/text")?.as_str())
        .or_else(|| value.pointer("/choices/0/text")?.as_str())
}

/// The action in a text, found as the platform finds it.
pub(super) fn action_in(id: Option<u64>, text: &str) -> Line {
    match parse_action(text) {
        ParsedAction::Action(json) => match serde_json::from_str(json.get()) {
            Ok(action) => Line::Answer { id, action, note: None },
            Err(why) => Line::Garbage { why: format!("the action in the text cannot be read: {why}") },
        },
        ParsedAction::Text(_) => Line::Garbage {
            why: "no action in the text: it needs a JSON list of action objects, or []".into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn drop(id: Option<u64>) -> Line {
        Line::Answer { id, action: json!([{"action": "drop", "column": 3}]), note: None }
    }

    #[test]
    fn one_json_line_is_a_whole_answer_however_the_text_is_wrapped() {
        let inner = r#"I take ```json\n[{\"action\":\"drop\",\"column\":3}]\n```"#;
        for (line, id) in [
            (format!("\"{inner}\""), None),
            (format!("{{\"text\":\"{inner}\"}}"), None),
            (format!("{{\"id\":7,\"content\":\"{inner}\"}}\r"), Some(7)),
            (
                format!(
                    "{{\"id\":\"chatcmpl-1\",\"choices\":[{{\"message\":{{\"content\":\"{inner}\"}}}}]}}"
                ),
                None,
            ),
            (format!("{{\"choices\":[{{\"text\":\"{inner}\"}}]}}"), None),
            (format!("{{\"message\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{inner}\"}}]}}}}"), None),
            (format!("{{\"model\":\"m\",\"response\":\"{inner}\"}}"), None),
            (r#"[{"action":"drop","column":3}]"#.into(), None),
            (r#"{"id":7,"action":[{"action":"drop","column":3}]}"#.into(), Some(7)),
        ] {
            assert_eq!(read_said(line.as_bytes(), false), Said::Whole(drop(id)), "{line}");
            assert_eq!(read_whole(&line), drop(id), "{line}");
        }
        let say = r#"{"action":"say","text":"[]"}"#;
        let said = Line::Answer { id: None, action: json!({"action": "say", "text": "[]"}), note: None };
        assert_eq!(read_said(say.as_bytes(), false), Said::Whole(said), "a text in an action is no answer");
    }

    #[test]
    fn other_lines_are_collected_up_to_a_mark() {
        assert_eq!(read_said(b"I think", false), Said::Piece("I think".into()));
        assert_eq!(read_said(b"[1, 2", false), Said::Piece("[1, 2".into()));
        assert_eq!(read_said(b"[]", true), Said::Piece("[]".into()));
        assert_eq!(read_said(b"--- \r", true), Said::Mark);
        assert_eq!(read_said(b"", false), Said::Whole(Line::Blank));
        assert_eq!(read_said(b"", true), Said::Piece(String::new()));
    }

    #[test]
    fn a_text_without_an_action_says_what_is_missing() {
        for text in ["I would rather not.", "\"no\"", "{\"text\":\"no\"}", "[1]"] {
            let Line::Garbage { why } = read_whole(text) else { panic!("{text} was accepted") };
            assert!(why.contains("list of action"), "{why}");
        }
        assert_eq!(read_whole(" \n"), Line::Blank);
    }
}
