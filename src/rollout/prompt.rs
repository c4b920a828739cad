//! What a model is shown: the platform's own prompts, byte for byte.
//!
//! The platform scores a model on these prompts. A model trained or measured here on any other bytes would be scored
//! on prompts it has not seen. Sources: protocol.md sections 5.2 and 5.3, `format_observation` and `system_prompt` in
//! the SDK's `rollouts.py`.

use crate::api::model::Json;

use super::encode::PLATFORM;
use super::json::{JsonError, Kind, Text, Value};

/// What the system message ends with, since version 3.4.0 of the SDK.
pub const DECISION_INSTRUCTIONS: &str = "## Instructions\nYour goal is to maximize your performance on the stated \
    objectives and scoring. Each time you receive an observation, respond with a JSON list of action objects, or [] \
    for no action. Respond with JSON only.";

/// What every user message ends with, since version 3.4.0 of the SDK.
pub const PROMPT_SUFFIX: &str = "\n\n## Instructions\nYour goal is to maximize your performance on the stated \
    objectives and scoring. Submit your action(s) as a JSON list of action objects, or [] for no action. Respond \
    with JSON only.";

/// [`DECISION_INSTRUCTIONS`] of versions 3.0.0 to 3.3.0, to recognise older recordings by.
pub const DECISION_INSTRUCTIONS_3_0: &str = "## Instructions\nYour goal is to maximize performance in this game and \
    achieve the best possible score or win condition. On each tick you receive a game observation and must respond \
    with a JSON list of action objects, or [] for no action. Respond with JSON only.";

/// [`PROMPT_SUFFIX`] of versions 3.0.0 to 3.3.0, to recognise older recordings by.
pub const PROMPT_SUFFIX_3_0: &str = "\n\n## Instructions\nYour goal is to achieve the best possible result in the \
    environment. Submit your action(s) as a JSON list of action objects, or [] for no action. Respond with JSON only.";

const ACTION_SPACE: &str = "_action_space";
const REJECTION: &str = "_rejection_feedback";

/// An observation, in one of the two forms that the SDK tells apart.
///
/// They give different prompts: text is shown untouched unless a reserved member must be removed from it, a value is
/// always written anew, with `&` escaped and numbers in the platform's notation. Who has the bytes of the wire uses
/// `Text`, as the platform does.
#[derive(Debug, Clone, Copy)]
pub enum Observation<'a> {
    /// The text as it came; it need not even be JSON.
    Text(&'a str),
    /// A value, as the SDK's callers have it after parsing an answer. One that is a text in itself is taken as
    /// [`Observation::Text`], as the SDK does.
    Json(&'a Json),
}

/// The user message for an observation.
///
/// Removes the members `_action_space` and `_rejection_feedback` of an object and says the second in prose. An object
/// that had one of them is written with its own members sorted, nested ones in their order.
///
/// # Errors
/// When the observation has to be written anew but is nested too deep or has a number that is not finite. Text that
/// is nested too deep is refused too, since what is reserved in it cannot be found.
pub fn format_observation(observation: Observation<'_>) -> Result<String, JsonError> {
    let (text, untouched) = match observation {
        Observation::Text(text) => (text, true),
        Observation::Json(json) => (json.get(), false),
    };
    let value = match Value::read(text) {
        Err(JsonError::NotJson) if untouched => return Ok(message(text, "")),
        value => value?,
    };
    let mut shown = String::new();
    let mut rejection = String::new();
    match &value.kind {
        Kind::Text(text) if !untouched => return format_observation(Observation::Text(&text.to_str())),
        Kind::Object(members) if members.iter().any(|(name, _)| is_reserved(*name)) => {
            let mut kept: Vec<_> = members.iter().filter(|(name, _)| !is_reserved(*name)).collect();
            kept.sort_by_key(|(name, _)| *name);
            PLATFORM.write_members(&mut shown, &kept)?;
            rejection = value.get(REJECTION).and_then(prose).unwrap_or_default();
        }
        _ if untouched => shown.push_str(text),
        _ => PLATFORM.write_value(&mut shown, &value)?,
    }
    Ok(message(&shown, &rejection))
}

/// The system message for a game's rules, which are its `prompt`: the rules as they are, a blank line and the
/// instructions; without rules the instructions alone.
pub fn system_prompt(rules: Option<&str>) -> String {
    match rules.unwrap_or_default() {
        "" => DECISION_INSTRUCTIONS.to_owned(),
        rules => format!("{rules}\n\n{DECISION_INSTRUCTIONS}"),
    }
}

fn message(shown: &str, rejection: &str) -> String {
    format!("Last observation:\n```json\n{shown}\n```\n{rejection}{PROMPT_SUFFIX}")
}

fn is_reserved(name: Text<'_>) -> bool {
    name.is(ACTION_SPACE) || name.is(REJECTION)
}

/// Why the last action was rejected, in the platform's words: for a text and for a list of nothing but texts.
fn prose(feedback: &Value<'_>) -> Option<String> {
    if !feedback.is_truthy() {
        return None;
    }
    if let Kind::List(items) = &feedback.kind {
        let reasons: Option<Vec<_>> = items.iter().map(Value::text).collect();
        let lines: Vec<_> = reasons?.iter().map(|reason| format!("- {}\n", reason.to_str())).collect();
        let lines = lines.concat();
        return Some(format!(
            "\nYour previous action was REJECTED for the following reasons:\n{lines}Fix the issues above and try again.\n"
        ));
    }
    let reason = feedback.text()?.to_str();
    Some(format!("\nYour previous action was rejected: {reason}\nPlease try a different action.\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_json(text: &str) -> String {
        format_observation(Observation::Json(&Json::parse(text).unwrap())).unwrap()
    }

    fn from_text(text: &str) -> String {
        format_observation(Observation::Text(text)).unwrap()
    }

    fn expected(shown: &str, rejection: &str) -> String {
        format!("Last observation:\n```json\n{shown}\n```\n{rejection}{PROMPT_SUFFIX}")
    }

    /// Lengths and digests of protocol.md sections 5.2 and 5.3.
    #[cfg(feature = "arena")]
    #[test]
    fn the_constants_are_those_of_the_platform() {
        use sha2::{Digest as _, Sha256};
        for (constant, length, digest) in [
            (PROMPT_SUFFIX, 198, [0x58, 0x61, 0xdb, 0x75, 0xc4, 0xbb, 0xf2, 0x04]),
            (PROMPT_SUFFIX_3_0, 187, [0x27, 0x7e, 0xe5, 0xc5, 0xb9, 0x35, 0x48, 0xec]),
            (DECISION_INSTRUCTIONS, 222, [0x1b, 0x0e, 0xf6, 0x09, 0x93, 0xe4, 0x26, 0xaa]),
            (DECISION_INSTRUCTIONS_3_0, 261, [0x7d, 0x03, 0x4d, 0x58, 0x77, 0xe1, 0xc6, 0x61]),
        ] {
            assert_eq!((constant.len(), &Sha256::digest(constant)[..8]), (length, &digest[..]), "{constant}");
        }
    }

    #[test]
    fn reserved_members_are_removed_and_the_others_sorted_at_the_top_only() {
        let text =
            r#"{"row":2.50,"Zoo":"a&b","_action_space":[{"action":{},"weight":1}],"deep":{"z":1,"a":1e-7}}"#;
        let shown = r#"{"Zoo":"a\u0026b","deep":{"z":1,"a":1e-7},"row":2.5}"#;
        assert_eq!(from_json(text), expected(shown, ""));
        assert_eq!(from_text(text), expected(shown, ""));
        // Escaped, it is the same name; deeper it is nobody's.
        assert_eq!(from_text(r#"{"\u005faction_space":1,"a":[1.0]}"#), expected(r#"{"a":[1]}"#, ""));
        let nested = r#"{"a":{"_action_space":[]}}"#;
        assert_eq!(from_text(nested), expected(nested, ""));
        assert_eq!(from_text(r#"{"_action_space":null}"#), expected("{}", ""));
    }

    #[test]
    fn text_is_shown_untouched_and_a_value_is_written_anew() {
        let text = " {\"b\": 7.30, \"a\": \"<é>\"} ";
        assert_eq!(from_text(text), expected(text, ""));
        assert_eq!(from_json(text), expected(r#"{"b":7.3,"a":"\u003cé\u003e"}"#, ""));
        assert_eq!(from_json(r#"[{"k":"v"}, -0]"#), expected(r#"[{"k":"v"},0]"#, ""));
        assert_eq!(from_json(r#""{\"_action_space\":1,\"a\":2.0}""#), expected(r#"{"a":2}"#, ""));
        assert_eq!(from_json(r#""a\u0026 \"b\"""#), expected("a& \"b\"", ""));
        for text in ["", "not JSON & \u{2028}", "{\"_action_space\":", "[\"_action_space\"]", "NaN"] {
            assert_eq!(from_text(text), expected(text, ""));
        }
    }

    #[test]
    fn a_rejection_is_told_in_prose() {
        let list = "\nYour previous action was REJECTED for the following reasons:\n- too far\n- <late>\n\
            Fix the issues above and try again.\n";
        let one = "\nYour previous action was rejected: it's \"taken\"\nPlease try a different action.\n";
        for (feedback, prose) in [
            (r#"["too far","<late>"]"#, list),
            (r#""it's \"taken\"""#, one),
            (
                r#""\ud800""#,
                "\nYour previous action was rejected: \u{fffd}\nPlease try a different action.\n",
            ),
            ("[]", ""),
            ("\"\"", ""),
            ("[\"a\",1]", ""),
            ("{\"a\":\"b\"}", ""),
            ("null", ""),
            ("5", ""),
        ] {
            assert_eq!(
                from_text(&format!(r#"{{"_rejection_feedback":{feedback},"s":1}}"#)),
                expected(r#"{"s":1}"#, prose)
            );
        }
        // The last one counts.
        let twice = r#"{"_rejection_feedback":"it's \"taken\"","_rejection_feedback":[]}"#;
        assert_eq!(from_json(twice), expected("{}", ""));
    }

    #[test]
    fn what_cannot_be_written_is_an_error_rather_than_shown_with_its_reserved_members() {
        let error = |text: &str| format_observation(Observation::Text(text)).unwrap_err();
        assert_eq!(error(r#"{"_action_space":[],"x":NaN}"#), JsonError::NotFinite);
        assert_eq!(error(r#"{"_action_space":[],"x":-1e999}"#), JsonError::NotFinite);
        assert_eq!(error(&"[".repeat(1 << 20)), JsonError::TooDeep);
        assert_eq!(from_text("[1e999]"), expected("[1e999]", ""));
    }

    #[test]
    fn the_system_prompt_is_the_rules_and_the_instructions() {
        assert_eq!(system_prompt(None), DECISION_INSTRUCTIONS);
        assert_eq!(system_prompt(Some("")), DECISION_INSTRUCTIONS);
        assert_eq!(system_prompt(Some("Win. \n")), format!("Win. \n\n\n{DECISION_INSTRUCTIONS}"));
    }
}
