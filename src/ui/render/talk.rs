//! Texts with who said them: transcripts, messages, options, paragraphs. What is new since a moment ago is marked.

use std::borrow::Cow;

use serde_json::Value;

use super::scene::{Body, Part, Passage, Words};
use super::shape::{said, said_text};
use super::values::{inline, is_scalar, safe};
use crate::text;
use crate::ui::theme::{Role, seat_number};

/// Passages shown of a list; the newest are.
const MAX_PASSAGES: usize = 200;
/// A transcript longer than this is read from its end.
const LONG: usize = 10;
/// Who said something.
const SPEAKERS: [&str; 9] =
    ["speaker", "role", "from", "author", "sender", "player", "player_id", "seat", "name"];

/// A list of texts, or of objects with a text. Tells when the newest stand first.
pub(super) fn passages<'a>(items: &'a [Value], before: Option<&'a Value>) -> (Body<'a>, Words<'a>) {
    let old = before.and_then(Value::as_array);
    let passage = |(nth, item): (usize, &'a Value)| Passage {
        lead: lead(item, nth),
        text: Cow::Borrowed(said_text(item).unwrap_or_default()),
        // Lists grow at either end, or their oldest entry goes.
        changed: old.is_some_and(|old| !old.iter().take(2 * MAX_PASSAGES).any(|old| old == item)),
    };
    let earlier = items.len().saturating_sub(MAX_PASSAGES);
    let mut all: Vec<_> = items.iter().enumerate().skip(earlier).map(passage).collect();
    let mut note = Vec::new();
    let spoken = items.first().is_some_and(|item| speaker(item).is_some());
    if spoken && all.len() > LONG {
        all.reverse();
        note.push(Part::new("  newest first", Role::Dim));
    }
    if earlier > 0 {
        note.push(Part::new(format!("  {earlier} earlier not shown"), Role::Dim));
    }
    (Body::Passages(all), note)
}

fn speaker(item: &Value) -> Option<&str> {
    SPEAKERS.iter().find_map(|key| item.get(*key)?.as_str())
}

/// Who says it; or else the other members, or its number.
fn lead(item: &Value, nth: usize) -> Words<'_> {
    if let Some(name) = speaker(item) {
        let role = seat_number(name).map_or(Role::Strong, Role::Seat);
        return vec![Part::new(text::excerpt(name, 12), role)];
    }
    let Some(members) = item.as_object() else { return vec![Part::new(nth.to_string(), Role::Dim)] };
    let text = said(item);
    let others = members.iter().filter(|(key, value)| Some(key.as_str()) != text && is_scalar(value));
    let mut words: Words<'_> = Vec::new();
    for (_, value) in others.take(3) {
        if !words.is_empty() {
            words.push(Part::plain(" "));
        }
        words.push(Part { role: Role::Dim, ..inline(value, 12) });
    }
    if words.is_empty() { vec![Part::new(nth.to_string(), Role::Dim)] } else { words }
}

/// A text by its paragraphs.
pub(super) fn paragraphs<'a>(text: &'a str, before: Option<&'a Value>) -> Body<'a> {
    let Some(before) = before.and_then(Value::as_str).filter(|before| *before != text) else {
        return Body::Text(Cow::Borrowed(text));
    };
    let old: Vec<&str> = before.lines().take(2_000).collect();
    let passage = |line: &'a str| Passage {
        lead: Vec::new(),
        text: Cow::Borrowed(line),
        changed: !line.is_empty() && !old.contains(&line),
    };
    let mut lines: Vec<_> = text.lines().take(MAX_PASSAGES).map(passage).collect();
    let left = text.lines().skip(MAX_PASSAGES).count();
    if left > 0 {
        lines.push(passage_of(format!("… and {left} lines more")));
    }
    Body::Passages(lines)
}

fn passage_of(text: String) -> Passage<'static> {
    Passage { lead: Vec::new(), text: Cow::Owned(text), changed: false }
}

/// Many short words, side by side over as many lines as they need; new ones are marked with a star.
pub(super) fn tokens(items: &[Value], before: Option<&Value>) -> Body<'static> {
    let old = before.and_then(Value::as_array);
    let mut line = String::new();
    for item in items.iter().take(2_000) {
        if !line.is_empty() {
            line.push_str("  ");
        }
        let word = inline(item, 40);
        // A breakable space would tear a word apart.
        line.push_str(&word.text.replace(' ', "\u{A0}"));
        if old.is_some_and(|old| !old.contains(item)) {
            line.push('•');
        }
    }
    if items.len() > 2_000 {
        line.push_str(&format!("  … {} more", items.len() - 2_000));
    }
    Body::Passages(vec![passage_of(safe(&line).into_owned())])
}
