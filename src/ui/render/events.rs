//! Events in words where their shape is known, else as short text.

mod moves;

use serde_json::{Map, Value};

use super::SceneInput;
use super::scene::{Part, Words};
use super::values::{inline, number, word};
use crate::text;
use crate::ui::theme::{Role, seat_number};

/// Entries made: more are never in sight.
const MAX_ENTRIES: usize = 60;

/// The log of an observation and its trail, newest first.
pub(super) fn log<'a>(input: &SceneInput<'a>) -> Vec<Words<'a>> {
    let entry = |(tick, event): (u64, &'a Value)| {
        let mut words = vec![Part::new(format!("{tick} "), Role::Dim)];
        words.extend(describe(event, input.seat));
        words
    };
    input.events().into_iter().take(MAX_ENTRIES).map(entry).collect()
}

/// An event in words; `seat` is the one whose observation told it.
pub fn describe<'a>(event: &'a Value, seat: &str) -> Words<'a> {
    let Some(members) = event.as_object() else { return vec![inline(event, 80)] };
    let (kind, details) = named(members);
    let of = |value: &'a Value| word(value, "seat").or_else(|| word(value, "player_id"));
    let known = details.and_then(|details| match kind {
        "fill" => fill(details, of(details).unwrap_or(seat)),
        "news" => news(details),
        "order_cut" | "order_refused" | "refused" => {
            Some(refusal(kind, details, of(details).unwrap_or(seat)))
        }
        "eliminated" | "death" | "died" | "failed" => Some(out(kind, details)),
        _ => moves::describe(kind, details),
    });
    known.unwrap_or_else(|| plain(kind, details, members))
}

/// `{"fill": {…}}`, or `{"kind": "fill", …}`.
fn named(members: &Map<String, Value>) -> (&str, Option<&Value>) {
    if members.len() == 1
        && let Some((kind, details)) = members.iter().next()
    {
        return (kind, Some(details));
    }
    let kind = ["event", "kind", "type", "action"].iter().find_map(|key| members.get(*key)?.as_str());
    (kind.unwrap_or_default(), None)
}

fn seat_part<'a>(seat: &str) -> Part<'a> {
    Part::new(seat.to_owned(), seat_number(seat).map_or(Role::Strong, Role::Seat))
}

fn fill<'a>(details: &'a Value, seat: &str) -> Option<Words<'a>> {
    let (side, symbol) = (word(details, "side")?, word(details, "symbol")?);
    let (quantity, price) = (number(details, "qty")?, number(details, "price")?);
    let (verb, role) = if side == "buy" { (" buys ", Role::Good) } else { (" sells ", Role::Bad) };
    let mut words = vec![
        seat_part(seat),
        Part::new(verb, role),
        Part::plain(format!(
            "{} {} at {}",
            text::decimal(quantity, 2),
            text::excerpt(symbol, 12),
            text::grouped(price, 2)
        )),
    ];
    let fee =
        number(details, "fee").filter(|fee| *fee != 0.0).map(|fee| format!("fee {}", text::grouped(fee, 2)));
    let notes: Vec<String> = word(details, "liquidity")
        .map(|word| text::excerpt(word, 12).into_owned())
        .into_iter()
        .chain(fee)
        .collect();
    if !notes.is_empty() {
        words.push(Part::new(format!(" ({})", notes.join(", ")), Role::Dim));
    }
    Some(words)
}

fn news(details: &Value) -> Option<Words<'_>> {
    let symbol = word(details, "symbol")?;
    let estimate = number(details, "estimate")?;
    Some(vec![
        Part::new("news ", Role::Info),
        Part::plain(format!("{} about {}", text::excerpt(symbol, 12), text::grouped(estimate, 2))),
    ])
}

fn refusal<'a>(kind: &str, details: &'a Value, seat: &str) -> Words<'a> {
    let verb = if kind == "order_cut" { "'s order was cut" } else { "'s order was refused" };
    let mut words = vec![seat_part(seat), Part::new(verb, Role::Warn)];
    if let Some(quantity) = number(details, "qty") {
        words.push(Part::plain(format!(" to {}", text::decimal(quantity, 2))));
    }
    if let Some(reason) = word(details, "reason") {
        words.push(Part::new(format!(": {}", text::excerpt(reason, 60)), Role::Dim));
    }
    words
}

fn out<'a>(kind: &str, details: &'a Value) -> Words<'a> {
    let seat = details.as_str().or_else(|| word(details, "seat")).or_else(|| word(details, "player_id"));
    let (mark, verb, role) =
        if kind == "failed" { ("✗ ", " failed", Role::Bad) } else { ("† ", " is out", Role::Warn) };
    let mut words = vec![Part::new(mark, role), seat_part(seat.unwrap_or("a seat")), Part::new(verb, role)];
    if let Some(reason) = word(details, "reason").or_else(|| word(details, "cause")) {
        words.push(Part::new(format!(": {}", text::excerpt(reason, 60)), Role::Dim));
    }
    words
}

/// `p1 raise to 30`: seat, kind, then what else there is.
fn plain<'a>(kind: &'a str, details: Option<&'a Value>, members: &'a Map<String, Value>) -> Words<'a> {
    let inner = details.and_then(Value::as_object);
    let all = inner.or(details.is_none().then_some(members));
    let mut words = Vec::new();
    let seat =
        all.and_then(|all| ["seat", "player_id", "player"].iter().find_map(|key| all.get(*key)?.as_str()));
    if let Some(seat) = seat {
        words.push(seat_part(&text::excerpt(seat, 16)));
        words.push(Part::plain(" "));
    }
    if !kind.is_empty() {
        words.push(Part::new(text::excerpt(kind, 24).replace('_', " "), Role::Strong));
    }
    let told = ["seat", "player_id", "player", "event", "kind", "type", "tick"];
    for (key, value) in all.into_iter().flatten().filter(|(key, _)| !told.contains(&key.as_str())).take(8) {
        if value.as_str() == Some(kind) {
            continue;
        }
        words.push(Part::new(format!(" {} ", text::excerpt(key, 16)), Role::Dim));
        words.push(inline(value, 32));
    }
    if let (None, Some(details)) = (all, details) {
        words.push(Part::plain(" "));
        words.push(inline(details, 60));
    }
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(event: &Value) -> String {
        describe(event, "p0").iter().map(|part| part.text.as_ref()).collect()
    }

    #[test]
    fn known_events_read_as_sentences() {
        let cases = [
            (
                json!({"fill": {"fee": 0.25, "liquidity": "taker", "order_id": 17, "price": 101.25, "qty": 25, "side": "buy", "symbol": "ORE"}}),
                "p0 buys 25 ORE at 101.25 (taker, fee 0.25)",
            ),
            (json!({"news": {"estimate": 102.4, "symbol": "ORE"}}), "news ORE about 102.40"),
            (
                json!({"order_cut": {"seat": "p2", "qty": 40, "reason": "position limit"}}),
                "p2's order was cut to 40: position limit",
            ),
            (json!({"eliminated": {"seat": "p3", "reason": "bankrupt"}}), "† p3 is out: bankrupt"),
            (json!({"failed": {"seat": "p3"}}), "✗ p3 failed"),
            (json!({"eliminated": "p3"}), "† p3 is out"),
        ];
        for (event, sentence) in cases {
            assert_eq!(told(&event), sentence);
        }
    }

    #[test]
    fn unknown_events_still_say_what_they_hold() {
        assert_eq!(told(&json!({"action": "raise", "seat": "p1", "to": 30})), "p1 raise to 30");
        assert_eq!(told(&json!({"yield": {"seat": "p1"}})), "p1 yield");
        assert_eq!(told(&json!({"wind": [3, 1]})), "wind 3 1");
        assert_eq!(told(&json!({"hp": 3, "at": [1, 2]})), " hp 3 at 1 2");
        assert_eq!(told(&json!("storm\u{1b}")), "storm␛");
    }
}
