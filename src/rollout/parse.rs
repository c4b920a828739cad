//! How a model's answer is read: the action in its text, found as the SDK finds it.
//!
//! Source: protocol.md section 5.4, `parse_action` in the SDK's `rollouts.py`. It is stricter than the platform's own
//! player on purpose: an answer without a well-formed action becomes a text, which the server scores as a failed turn,
//! so that a malformed answer costs the model something.
//!
//! Two things differ from the SDK. A number that is not finite (`NaN`, `Infinity`, `1e999`) makes a value no action:
//! the SDK returns it and then fails when it writes the request. So does nesting beyond 500 levels; Python raises
//! `RecursionError` at about 1000. Such a value is stepped over like a list of numbers, nothing inside it is an action.
//!
//! The search tries to read a value at every bracket, which is quadratic when taken literally. [`Scanner`] remembers
//! what became of each bracket that a failed attempt has passed, so that no bracket is tried twice. As a quote is
//! either the beginning or the end of a text, at most two attempts that disagree about that pass any one place: time
//! grows in proportion to the text, and memory by some hundred bytes a bracket.

use std::collections::HashMap;

use serde_json::value::to_raw_value;

use crate::api::model::Json;

use super::json::{Kind, MAX_DEPTH, name, scalar, skip_space};
use super::python::strip;

/// What a model's answer says.
#[derive(Debug, Clone, PartialEq)]
pub enum ParsedAction {
    /// An object, or a list of objects, exactly as the model wrote it.
    Action(Json),
    /// No action: the whole answer without the white space around it.
    Text(String),
}

impl ParsedAction {
    /// What is sent to the server. A text is sent as a JSON text: the server fails the turn, as it should.
    pub fn into_json(self) -> Json {
        match self {
            Self::Action(json) => json,
            Self::Text(text) => Json::from(to_raw_value(&text).expect("a text is JSON")),
        }
    }
}

/// Finds the action in a model's answer: an object or a list of objects, `[]` included.
///
/// The inside of the first fenced block if it is one action, else the whole text if it is, else the last one that
/// stands somewhere in the text.
pub fn parse_action(text: &str) -> ParsedAction {
    let mut scanner = Scanner::new(text);
    let found = fenced(text)
        .and_then(whole_action)
        .or_else(|| whole_action(strip(text)))
        .or_else(|| scanner.last_action());
    match found.and_then(|raw| Json::parse(raw).ok()) {
        Some(json) => ParsedAction::Action(json),
        None => ParsedAction::Text(strip(text).to_owned()),
    }
}

/// The inside of the first fenced block, trimmed: the SDK's pattern ```` ```(?:json)?\s*(.+?)``` ````. The pattern
/// wants a character inside and gives back white space or `json` for it; whatever it then finds is no JSON.
fn fenced(text: &str) -> Option<&str> {
    let (_, inside) = text.split_once("```")?;
    let (inside, _) = inside.strip_prefix("json").unwrap_or(inside).split_once("```")?;
    Some(strip(inside))
}

/// The text, if it is one action and nothing else.
fn whole_action(text: &str) -> Option<&str> {
    let closed = Scanner::new(text).container(0)?;
    (closed.end == text.len() && closed.is_action()).then_some(text)
}

/// Reads lists and objects at any place of a text.
struct Scanner<'a> {
    text: &'a str,
    /// What became of the brackets that were passed: `None` for one that begins no value.
    known: HashMap<usize, Option<Closed>>,
}

/// A list or an object that was read to its end.
#[derive(Debug, Clone, Copy)]
struct Closed {
    end: usize,
    is_object: bool,
    /// An object, or a list of nothing but objects.
    has_shape: bool,
    is_finite: bool,
    depth: usize,
}

impl Closed {
    fn is_action(self) -> bool {
        self.has_shape && self.is_finite && self.depth <= MAX_DEPTH
    }
}

/// A list or an object that is being read.
struct Open {
    start: usize,
    is_empty: bool,
    /// What is known so far, as if it ended here.
    so_far: Closed,
}

impl Open {
    fn new(start: usize, is_object: bool) -> Self {
        let so_far = Closed { end: start + 1, is_object, has_shape: true, is_finite: true, depth: 1 };
        Self { start, is_empty: true, so_far }
    }

    fn closing(&self) -> u8 {
        if self.so_far.is_object { b'}' } else { b']' }
    }

    fn add_scalar(&mut self, kind: &Kind<'_>) {
        self.so_far.has_shape &= self.so_far.is_object;
        self.so_far.is_finite &= !matches!(kind, Kind::Float(x) if !x.is_finite());
    }

    fn add(&mut self, inner: Closed) {
        self.so_far.has_shape &= self.so_far.is_object || inner.is_object;
        self.so_far.is_finite &= inner.is_finite;
        self.so_far.depth = self.so_far.depth.max(inner.depth + 1);
    }
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, known: HashMap::new() }
    }

    /// The last action in the text. A value that is none is stepped over as a whole, what is no value is entered.
    fn last_action(&mut self) -> Option<&'a str> {
        let mut found = None;
        let mut at = 0;
        while let Some(skipped) = self.text[at..].find(['[', '{']) {
            let start = at + skipped;
            let closed = self.container(start);
            at = closed.map_or(start + 1, |closed| closed.end);
            if closed.is_some_and(Closed::is_action) {
                found = Some(&self.text[start..at]);
            }
        }
        found
    }

    /// The list or object that begins at `start`.
    fn container(&mut self, start: usize) -> Option<Closed> {
        if let Some(&known) = self.known.get(&start) {
            return known;
        }
        let mut open = Vec::new();
        let closed = self.read(start, &mut open);
        // An attempt that fails here fails from each of these brackets on.
        self.known.extend(open.iter().map(|open| (open.start, None)));
        closed
    }

    /// Reads the container at `start` and all in it; what is still open is left in `open` when that fails.
    fn read(&mut self, start: usize, open: &mut Vec<Open>) -> Option<Closed> {
        open.push(Open::new(start, self.byte(start).filter(|byte| matches!(byte, b'[' | b'{'))? == b'{'));
        let mut at = skip_space(self.text, start + 1);
        loop {
            let top = open.last_mut()?;
            let is_end = top.is_empty && self.byte(at) == Some(top.closing());
            if !is_end {
                top.is_empty = false;
                if top.so_far.is_object {
                    at = name(self.text, at)?.1;
                }
                let byte = self.byte(at)?;
                if !matches!(byte, b'[' | b'{') {
                    let (kind, end) = scalar(self.text, at)?;
                    top.add_scalar(&kind);
                    at = end;
                } else if let Some(&known) = self.known.get(&at) {
                    let inner = known?;
                    top.add(inner);
                    at = inner.end;
                } else {
                    open.push(Open::new(at, byte == b'{'));
                    at = skip_space(self.text, at + 1);
                    continue;
                }
            }
            at = skip_space(self.text, at);
            while self.byte(at) == Some(open.last()?.closing()) {
                let top = open.pop()?;
                let closed = Closed { end: at + 1, ..top.so_far };
                self.known.insert(top.start, Some(closed));
                let Some(outer) = open.last_mut() else { return Some(closed) };
                outer.add(closed);
                at = skip_space(self.text, at + 1);
            }
            if self.byte(at)? != b',' {
                return None;
            }
            at = skip_space(self.text, at + 1);
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, action: Option<&str>) {
        let expected = match action {
            Some(raw) => ParsedAction::Action(Json::parse(raw).unwrap()),
            None => ParsedAction::Text(text.trim().to_owned()),
        };
        assert_eq!(parse_action(text), expected, "{text}");
    }

    fn fence(text: &str) -> String {
        format!("```json\n{text}\n```")
    }

    /// The table of protocol.md section 5.4.
    #[test]
    fn actions_are_found_where_the_sdk_finds_them() {
        let x = r#"[{"action":"x"}]"#;
        for (text, action) in [
            (r#"sure, I will do {"action":"z"} now"#, r#"{"action":"z"}"#),
            (r#"scores were [1,2,3]. Final: [{"action":"x"}]"#, x),
            (r#"Options [A/B]. Go: {"m":1}"#, r#"{"m":1}"#),
            (r#"first {"a":1} then [{"action":"go"}]"#, r#"[{"action":"go"}]"#),
            (r#"[{"action":"a"}] then citation [2,3]"#, r#"[{"action":"a"}]"#),
            ("[]", "[]"),
            ("[] then [1]", "[]"),
            ("\"[]\"", "[]"),
            (r#"x [ {"a":1}"#, r#"{"a":1}"#),
            (r#"{"a":[{"b":1}]"#, r#"[{"b":1}]"#),
        ] {
            check(text, Some(action));
        }
        check(&fence(x), Some(x));
        check(&format!("noise [9] {} more [8]", fence(x)), Some(x));
        check(&format!(r#"{} {{"b":2}}"#, fence(r#"{"a":1}"#)), Some(r#"{"a":1}"#));
        check(&format!(r#"{} [{{"q":1}}]"#, fence("[1]")), Some(r#"[{"q":1}]"#));
        for text in [
            r#"[1,{"a":1}]"#,
            r#"[[{"a":1}]]"#,
            "null",
            "answer: [1]",
            "the score is 42",
            "no json here at all",
            " \n",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn an_action_keeps_the_text_it_was_written_in() {
        check(
            r#"go {"bid": 1.10, "id": 12345678901234567890, "s":"\ud83d"}!"#,
            Some(r#"{"bid": 1.10, "id": 12345678901234567890, "s":"\ud83d"}"#),
        );
        assert_eq!(parse_action(" \u{1f}say \"no\"\u{1c}\n").into_json().get(), r#""say \"no\"""#);
        assert_eq!(parse_action(" [ ] ").into_json().get(), "[ ]");
    }

    #[test]
    fn only_the_first_fence_counts_and_only_lower_case_json_is_its_name() {
        for (text, action) in [
            ("```{\"a\":1}```{\"b\":2}", r#"{"a":1}"#),
            ("```json{\"a\":1}``` [{}]", r#"{"a":1}"#),
            ("```JSON\n{\"a\":1}\n``` [{}]", "[{}]"),
            ("```py\nx\n```\n```json\n{\"a\":1}\n``` [{}]", "[{}]"),
            ("```json\n{\"a\":1} [{}]", "[{}]"),
            ("````json\n{\"a\":1}\n```` {\"b\":2}", r#"{"b":2}"#),
            ("```\u{1e}\u{2003}{\"a\":1}\u{85}``` {\"b\":2}", r#"{"a":1}"#),
            ("`````` {\"b\":2} ```", r#"{"b":2}"#),
            ("``` ``` {\"b\":2}", r#"{"b":2}"#),
        ] {
            check(text, Some(action));
        }
    }

    #[test]
    fn what_no_request_can_carry_is_no_action_and_neither_is_what_is_in_it() {
        for text in [r#"{"bid":NaN,"items":[]}"#, "[{\"a\":-Infinity}]", r#"{"a":[1e999,{}]}"#] {
            check(text, None);
            check(&format!("{{\"b\":1}} {text}"), Some("{\"b\":1}"));
        }
        let deep = |depth: usize| "{\"a\":".repeat(depth) + "{}" + &"}".repeat(depth);
        check(&deep(MAX_DEPTH), None);
        check(&deep(MAX_DEPTH - 1), Some(&deep(MAX_DEPTH - 1)));
    }

    /// The search as the SDK writes it, with a reader that starts anew at every bracket.
    fn literally(text: &str) -> Option<&str> {
        let (mut at, mut found) = (0, None);
        while at < text.len() {
            match Scanner::new(text).container(at) {
                Some(closed) => {
                    if closed.is_action() {
                        found = Some(&text[at..closed.end]);
                    }
                    at = closed.end;
                }
                None => at += 1,
            }
        }
        found
    }

    proptest! {
        #[test]
        fn what_is_remembered_does_not_change_what_is_found(text in r#"([\[\]{}"]|\[\{|\}\]|"a":|,| |\\"|1|é){0,40}"#) {
            prop_assert_eq!(Scanner::new(&text).last_action(), literally(&text));
        }
    }

    #[test]
    fn a_long_answer_of_any_brackets_takes_time_in_proportion() {
        let started = Instant::now();
        for part in
            ["[", "{\"a\":", "[\"", "[[\"\\\"", "{\"[\":[", "[{},", "``` ", "[\"[\",", "\"[", "[1,", "[\\\"["]
        {
            parse_action(&part.repeat((1 << 18) / part.len()));
        }
        // A second or two; quadratic would be hours.
        assert!(started.elapsed() < Duration::from_mins(1), "{:?}", started.elapsed());
    }
}
