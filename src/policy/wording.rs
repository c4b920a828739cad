//! What is written to a command for each message, by its format.

use super::dialogue::Reading;
use super::message::{Hello, Outgoing, Turn, TurnEffect, end_line, hello_line, observe_line, reject_line};
use super::spec::{Format, Limits, PolicySpec};
use crate::rollout::{Observation, format_observation, system_prompt};

/// The format, and what of the match so far has to be said again to a process that did not hear it.
#[derive(Debug)]
pub(super) struct Wording {
    format: Format,
    always_fresh: bool,
    judged: bool,
    limits: Limits,
    hello: Option<Box<Hello>>,
    /// Why the last answer was refused, and of which turn.
    refused: Option<(u64, Vec<String>)>,
}

/// A message as it is written, and what it means.
#[derive(Debug)]
pub(super) struct Words {
    /// Empty if the process is told nothing.
    pub(super) bytes: Vec<u8>,
    pub(super) effect: TurnEffect,
    /// The input ends after it.
    pub(super) is_last: bool,
}

impl Wording {
    pub(super) fn new(spec: &PolicySpec) -> Self {
        Self {
            format: spec.format,
            always_fresh: spec.fresh || spec.format == Format::Text,
            judged: spec.judged,
            limits: spec.limits.clone(),
            hello: None,
            refused: None,
        }
    }

    /// True if every turn gets a process of its own: on request, or in a game that keeps its turns apart.
    pub(super) fn is_fresh(&self) -> bool {
        let isolated = |hello: &Hello| hello.config.get("turn_isolated").and_then(serde_json::Value::as_bool);
        self.always_fresh || self.hello.as_deref().and_then(isolated) == Some(true)
    }

    /// How the answers come.
    pub(super) fn reading(&self) -> Reading {
        match (self.format, self.is_fresh()) {
            (Format::Lines, _) if self.judged => Reading::Json,
            (Format::Lines, _) => Reading::Lines,
            (Format::Prompt, false) => Reading::Text,
            (Format::Prompt, true) | (Format::Text, _) => Reading::Whole,
        }
    }

    /// Puts a message into words.
    ///
    /// # Errors
    /// Why an observation cannot be shown to a model.
    pub(super) fn put(&mut self, message: Outgoing) -> Result<Words, String> {
        let effect = message.effect();
        let tells_all = self.format == Format::Lines && !self.is_fresh();
        let (bytes, is_last) = match message {
            Outgoing::Hello(hello) => {
                self.refused = None;
                let hello = self.hello.insert(hello);
                // Whether the turns of this match are isolated is known from now on.
                let line = hello_line(hello, &self.limits);
                let is_told = self.format == Format::Lines && !self.is_fresh();
                (if is_told { line } else { Vec::new() }, false)
            }
            Outgoing::Observe(turn) => self.ask(&turn)?,
            Outgoing::Reject { id, reasons } => {
                let line = if tells_all { reject_line(id, &reasons) } else { Vec::new() };
                self.refused = Some((id, reasons));
                (line, false)
            }
            Outgoing::End(result) => (if tells_all { end_line(&result) } else { Vec::new() }, false),
        };
        Ok(Words { bytes, effect, is_last })
    }

    fn ask(&mut self, turn: &Turn) -> Result<(Vec<u8>, bool), String> {
        let refused = self.refused.take().filter(|(id, _)| *id == turn.id);
        if self.format == Format::Lines {
            let mut bytes = Vec::new();
            if self.is_fresh() {
                bytes.extend(self.hello.iter().flat_map(|hello| hello_line(hello, &self.limits)));
                bytes.extend(refused.iter().flat_map(|(id, reasons)| reject_line(*id, reasons)));
                bytes.append(&mut observe_line(turn));
                return Ok((bytes, false));
            }
            return Ok((observe_line(turn), false));
        }
        let Prompt { system, user } = prompt(self.hello.as_deref(), turn, refused.map(|(_, why)| why))?;
        if self.format == Format::Text {
            return Ok((format!("{system}\n\n{user}\n").into_bytes(), true));
        }
        let line = serde_json::json!({"system": system, "user": user, "id": turn.id});
        Ok((format!("{line}\n").into_bytes(), self.is_fresh()))
    }
}

/// The platform's two messages for a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Prompt {
    pub(super) system: String,
    pub(super) user: String,
}

/// What the platform would show a model for this turn. The reasons of a refusal stand in the observation, where the
/// platform has them, unless it has some already.
pub(super) fn prompt(
    hello: Option<&Hello>,
    turn: &Turn,
    refused: Option<Vec<String>>,
) -> Result<Prompt, String> {
    let observation = match refused {
        Some(reasons) => with_feedback(&turn.observation, &reasons),
        None => turn.observation.clone(),
    };
    let user = format_observation(Observation::Text(&observation)).map_err(|why| why.to_string())?;
    Ok(Prompt { system: system_prompt(hello.map(|hello| hello.rules.as_str())), user })
}

fn with_feedback(observation: &str, reasons: &[String]) -> String {
    let trimmed = observation.trim_start();
    let Some(inside) = trimmed.strip_prefix('{') else { return observation.to_owned() };
    let object = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(trimmed);
    if object.is_ok_and(|members| members.contains_key("_rejection_feedback")) {
        return observation.to_owned();
    }
    let comma = if inside.trim_start().starts_with('}') { "" } else { "," };
    format!("{{\"_rejection_feedback\":{}{comma}{inside}", serde_json::json!(reasons))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::rollout::{DECISION_INSTRUCTIONS, PROMPT_SUFFIX};

    fn turn(observation: &str) -> Turn {
        Turn { id: 7, tick: 1, observation: observation.into() }
    }

    fn hello(config: Value) -> Outgoing {
        Outgoing::Hello(Box::new(Hello { rules: "Win.".into(), config, ..Hello::default() }))
    }

    fn wording(text: &str) -> Wording {
        Wording::new(&PolicySpec::parse(text).unwrap())
    }

    fn put(wording: &mut Wording, message: Outgoing) -> String {
        String::from_utf8(wording.put(message).unwrap().bytes).unwrap()
    }

    #[test]
    fn a_prompt_is_the_platforms_two_messages_byte_for_byte() {
        let mut wording = wording("--format prompt x");
        assert_eq!(put(&mut wording, hello(json!({}))), "");
        let line: Value =
            serde_json::from_str(&put(&mut wording, Outgoing::Observe(turn("{\"b\": 1.50,\n\"a\":2}"))))
                .unwrap();
        assert_eq!(line["system"], format!("Win.\n\n{DECISION_INSTRUCTIONS}"));
        assert_eq!(
            line["user"],
            format!("Last observation:\n```json\n{{\"b\": 1.50,\n\"a\":2}}\n```\n{PROMPT_SUFFIX}")
        );
        assert_eq!(line["id"], 7);
        assert_eq!(wording.reading(), Reading::Text);
    }

    #[test]
    fn plain_text_is_the_messages_with_a_blank_line_between_and_then_the_end() {
        let mut wording = wording("--stdin text x");
        put(&mut wording, hello(json!({})));
        let words = wording.put(Outgoing::Observe(turn("[1]"))).unwrap();
        let text = String::from_utf8(words.bytes).unwrap();
        assert!(text.starts_with("Win.\n\n## Instructions"), "{text}");
        assert!(text.contains("\n\nLast observation:\n```json\n[1]\n```\n"), "{text}");
        assert!(words.is_last);
    }

    #[test]
    fn a_refusal_is_told_to_a_model_in_the_next_prompt_of_that_turn() {
        for (observation, expected) in [("{}", "{}"), ("{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}"), ("[]", "")]
        {
            let mut wording = wording("--format prompt x");
            put(&mut wording, Outgoing::Reject { id: 7, reasons: vec!["column 3 is full".into()] });
            let line = put(&mut wording, Outgoing::Observe(turn(observation)));
            let user = serde_json::from_str::<Value>(&line).unwrap()["user"].as_str().unwrap().to_owned();
            if expected.is_empty() {
                assert!(!user.contains("REJECTED"), "there is no place for it: {user}");
            } else {
                assert!(user.contains("REJECTED for the following reasons:\n- column 3 is full\n"), "{user}");
                assert!(user.contains(&format!("\n{expected}\n")), "{user}");
            }
            assert!(!put(&mut wording, Outgoing::Observe(turn("{}"))).contains("REJECTED"), "once");
        }
    }

    #[test]
    fn a_fresh_process_is_told_the_match_and_the_turn_at_once() {
        let mut wording = wording("bot");
        assert!(put(&mut wording, hello(json!({}))).starts_with("{\"type\":\"hello\""));
        assert!(!wording.is_fresh());
        assert_eq!(put(&mut wording, hello(json!({"turn_isolated": true}))), "");
        assert!(wording.is_fresh());
        put(&mut wording, Outgoing::Reject { id: 7, reasons: vec!["no".into()] });
        let lines = put(&mut wording, Outgoing::Observe(turn("{}")));
        let kinds: Vec<_> = lines.lines().map(|line| line.split('"').nth(3).unwrap()).collect();
        assert_eq!(kinds, ["hello", "reject", "observe"]);
    }
}
