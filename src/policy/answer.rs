//! Reads one line of a policy's output.

use serde_json::{Map, Value};

use super::clean::clean;

/// Longest name or note carried in an event, in characters.
const SHOWN: usize = 2000;

/// What a line is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Line {
    Blank,
    Ready { name: Option<String> },
    Answer { id: Option<u64>, action: Value, note: Option<String> },
    Garbage { why: String },
}

/// Reads a line as `ready`, as an answer (`{"id":…,"action":…,"note":…}`), or as a bare action (a list of objects,
/// or one object).
pub(super) fn read_line(line: &[u8]) -> Line {
    let text = match std::str::from_utf8(line) {
        Ok(text) => text.trim_start_matches('\u{feff}').trim(),
        Err(why) => return garbage(format!("not UTF-8 at byte {}", why.valid_up_to() + 1)),
    };
    if text.is_empty() {
        return Line::Blank;
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => read_object(object),
        Ok(action @ Value::Array(_)) if is_action(&action) => Line::Answer { id: None, action, note: None },
        Ok(Value::Array(_)) => garbage("a list of actions holds objects only"),
        Ok(_) => garbage("neither a list of actions nor an object"),
        Err(why) => garbage(format!("not JSON: {why}")),
    }
}

/// Reads a line where any JSON value is an answer: what [`read_line`] takes for no action is one that somebody else judges,
/// and an object without an `action` is the answer `null`.
pub(super) fn read_any(line: &[u8]) -> Line {
    let read = read_line(line);
    if !matches!(read, Line::Garbage { .. }) {
        return read;
    }
    match serde_json::from_slice(line.trim_ascii()) {
        Ok(Value::Object(mut object)) => match object.shift_remove("id") {
            Some(id) if !id.is_u64() => read,
            id => {
                let action = object.shift_remove("action").unwrap_or_default();
                Line::Answer { id: id.and_then(|id| id.as_u64()), action, note: None }
            }
        },
        Ok(action) => Line::Answer { id: None, action, note: None },
        Err(_) => read,
    }
}

fn read_object(mut object: Map<String, Value>) -> Line {
    if object.get("type").is_some_and(|kind| kind == "ready") && !object.contains_key("action") {
        return Line::Ready { name: text(object.get("name")) };
    }
    let id = match object.shift_remove("id") {
        None => None,
        Some(id) if id.is_u64() => id.as_u64(),
        Some(_) => return garbage("`id` is not a whole number"),
    };
    match object.get("action") {
        // The members of the action stand next to the id: `{"id":17,"action":"drop","column":3}`.
        Some(Value::String(_)) => {
            let note = object.shift_remove("note").and_then(|note| text(Some(&note)));
            Line::Answer { id, action: Value::Object(object), note }
        }
        Some(action) if is_action(action) => {
            let note = text(object.get("note"));
            Line::Answer { id, action: object.shift_remove("action").unwrap_or_default(), note }
        }
        Some(_) => garbage("`action` is neither a list of objects nor an object"),
        None if id.is_some() => garbage("an answer with an `id` needs an `action`"),
        None if object.contains_key("type") => garbage("a message of this type is not known"),
        None if object.is_empty() => garbage("an empty object is no action"),
        // A game may name its verbs otherwise. Whether it is an action is the game's to say.
        None => Line::Answer { id, action: Value::Object(object), note: None },
    }
}

fn is_action(value: &Value) -> bool {
    match value {
        Value::Array(actions) => actions.iter().all(Value::is_object),
        value => value.is_object(),
    }
}

fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(|text| clean(text.as_bytes(), SHOWN))
}

fn garbage(why: impl Into<String>) -> Line {
    Line::Garbage { why: why.into() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn where_somebody_judges_every_json_value_is_an_answer() {
        for (line, id, action) in [
            ("5", None, json!(5)),
            ("[5]", None, json!([5])),
            (r#"{"id":3,"action":"fold"}"#, Some(3), json!({"action": "fold"})),
            (r#"{"id":3,"action":7}"#, Some(3), json!(7)),
            (r#"{"id":3}"#, Some(3), json!(null)),
            (r#"{"type":"move"}"#, None, json!(null)),
        ] {
            assert_eq!(read_any(line.as_bytes()), Line::Answer { id, action, note: None }, "{line}");
        }
        for line in ["five", "[", r#"{"id":"3","action":[]}"#, "\u{ff}"] {
            assert!(matches!(read_any(line.as_bytes()), Line::Garbage { .. }), "{line}");
        }
        assert_eq!(read_any(b" "), Line::Blank);
    }

    #[test]
    fn all_accepted_shapes_of_an_answer_are_read() {
        let drop = json!([{"action": "drop", "column": 3}]);
        for (line, id, action, note) in [
            (r#"{"id":17,"action":[{"action":"drop","column":3}],"note":"hi"}"#, Some(17), &drop, Some("hi")),
            (r#"{"type":"action","id":17,"action":[{"action":"drop","column":3}]}"#, Some(17), &drop, None),
            (r#"{"action":[{"action":"drop","column":3}]}"#, None, &drop, None),
            (r#"[{"action":"drop","column":3}]"#, None, &drop, None),
            ("\u{feff} [{\"action\":\"drop\",\"column\":3}] \r", None, &drop, None),
            (r#"{"id":17,"action":{"action":"drop","column":3}}"#, Some(17), &drop[0], None),
            (r#"{"id":17,"action":"drop","column":3,"note":"x"}"#, Some(17), &drop[0], Some("x")),
            (r#"{"action":"drop","column":3}"#, None, &drop[0], None),
            (r#"{"move":3}"#, None, &json!({"move": 3}), None),
            ("[]", None, &json!([]), None),
            (r#"{"id":0,"action":[],"note":7}"#, Some(0), &json!([]), None),
        ] {
            let read = read_line(line.as_bytes());
            assert_eq!(
                read,
                Line::Answer { id, action: action.clone(), note: note.map(Into::into) },
                "{line}"
            );
        }
    }

    #[test]
    fn ready_and_blank_lines_are_told_apart_from_answers() {
        assert_eq!(read_line(br#"{"type":"ready","name":"my\u001b[31m-bot"}"#), ready(Some("my-bot")));
        assert_eq!(read_line(br#"{"type":"ready"}"#), ready(None));
        for blank in ["", "\r", " \t ", "\u{feff}"] {
            assert_eq!(read_line(blank.as_bytes()), Line::Blank, "{blank:?}");
        }
    }

    fn ready(name: Option<&str>) -> Line {
        Line::Ready { name: name.map(Into::into) }
    }

    #[test]
    fn everything_else_is_garbage_with_a_reason() {
        for (line, reason) in [
            (&b"thinking..."[..], "not JSON"),
            (b"{\"id\":17,\"action\":[", "not JSON"),
            (b"[1]", "objects only"),
            (b"null", "neither"),
            (b"\"drop\"", "neither"),
            (b"{}", "empty object"),
            (b"{\"id\":17}", "needs an `action`"),
            (b"{\"id\":\"17\",\"action\":[]}", "`id` is not"),
            (b"{\"id\":17,\"action\":null}", "`action` is neither"),
            (b"{\"type\":\"log\",\"text\":\"x\"}", "not known"),
            (b"[{\"action\":\"\xff\"}]", "not UTF-8 at byte 13"),
            (&[b'['; 10_000], "not JSON"),
        ] {
            let Line::Garbage { why } = read_line(line) else { panic!("{line:?} was accepted") };
            assert!(why.contains(reason), "{line:?}: {why}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(line in prop::collection::vec(any::<u8>(), 0..200)) {
            read_line(&line);
        }
    }
}
