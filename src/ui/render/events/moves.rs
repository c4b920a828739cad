//! Moves of board, card and dice games as sentences.

use serde_json::Value;

use super::super::poker::card_parts;
use super::super::scene::{Part, Words};
use super::super::values::{count, number, word};
use super::seat_part;
use crate::text;
use crate::ui::theme::Role;

/// A move in words, if it is one that is known.
pub(super) fn describe<'a>(kind: &'a str, details: &'a Value) -> Option<Words<'a>> {
    match kind {
        "bid" => {
            let (quantity, face) = (count(details, "quantity")?, count(details, "face")?);
            said(details, format!(" bids {quantity} × {face}"))
        }
        "reveal" => reveal(details),
        "round" => {
            let mut words = vec![Part::new("new round", Role::Info)];
            if let Some(first) = word(details, "first") {
                words.extend([Part::plain(": "), seat(first), Part::plain(" begins")]);
            }
            Some(words)
        }
        "place" => {
            let (row, column) = (count(details, "row")?, count(details, "col")?);
            let turned = details.get("flips").and_then(Value::as_array).map_or(0, Vec::len);
            said(details, format!(" takes row {row} col {column}, turns {turned}"))
        }
        "pass" => said(details, " has no move".to_owned()),
        "blind" => said(details, format!(" posts {}", chips(details, "amount")?)),
        "raise" | "bet" => {
            let all_in = details.get("all_in").and_then(Value::as_bool) == Some(true);
            let note = if all_in { ", all in" } else { "" };
            said(details, format!(" raises to {}{note}", chips(details, "to")?))
        }
        "call" => said(details, format!(" calls {}", chips(details, "amount")?)),
        "check" => said(details, " checks".to_owned()),
        "fold" => said(details, " folds".to_owned()),
        "hand" => {
            let mut words = vec![Part::new(format!("hand {}", count(details, "number")?), Role::Info)];
            if let Some(button) = word(details, "button") {
                words.extend([Part::plain(", button "), seat(button)]);
            }
            Some(words)
        }
        "street" => {
            let mut words = vec![Part::new(text::excerpt(word(details, "street")?, 12), Role::Info)];
            words.extend(card_parts(details.get("cards")?)?);
            Some(words)
        }
        "won" | "returned" => won(kind, details),
        "opened" => {
            let cells = count(details, "cells")?;
            let what = if cells == 1 { "opens" } else { "opens up" };
            Some(vec![
                Part::plain(format!("{what} {}", place(details)?)),
                Part::new(format!(": {cells}"), Role::Good),
            ])
        }
        "hit" => {
            let lives = count(details, "lives")?;
            Some(vec![
                Part::new("✗ hits a mine", Role::Bad),
                Part::plain(format!(" at {}, lives {lives}", place(details)?)),
            ])
        }
        "flag" => {
            let is_set = details.get("set")?.as_bool()?;
            let what = if is_set { "marks" } else { "takes the mark off" };
            Some(vec![Part::plain(format!("{what} {}", place(details)?))])
        }
        "skipped" => {
            let action = text::excerpt(word(details, "action")?, 12);
            Some(vec![Part::new(format!("skipped: {action} {}", place(details)?), Role::Dim)])
        }
        "cleared" => Some(vec![Part::new("✓ cleared", Role::Good)]),
        "answer" => Some(vec![match details.get("right")?.as_bool()? {
            true => Part::new("✓ right", Role::Good),
            false => Part::new("✗ wrong", Role::Bad),
        }]),
        _ => None,
    }
}

fn seat<'a>(seat: &str) -> Part<'a> {
    seat_part(&text::excerpt(seat, 8))
}

fn place(details: &Value) -> Option<String> {
    Some(format!("row {} col {}", count(details, "row")?, count(details, "col")?))
}

fn said<'a>(details: &Value, what: String) -> Option<Words<'a>> {
    Some(vec![seat(word(details, "seat")?), Part::plain(what)])
}

fn chips(details: &Value, key: &str) -> Option<String> {
    number(details, key).map(|amount| text::grouped(amount, 0))
}

/// `p0 doubts 7 × 3 of p3: 11 counted, p0 loses a die`.
fn reveal<'a>(details: &Value) -> Option<Words<'a>> {
    let bid = details.get("bid")?;
    let mut words = vec![seat(word(details, "caller")?)];
    words.push(Part::plain(format!(" doubts {} × {}", count(bid, "quantity")?, count(bid, "face")?)));
    if let Some(bidder) = word(bid, "seat") {
        words.extend([Part::plain(" of "), seat(bidder)]);
    }
    words.push(Part::plain(format!(": {} counted", count(details, "count")?)));
    if let Some(loser) = word(details, "loser") {
        words.extend([Part::plain(", "), seat(loser), Part::new(" loses a die", Role::Bad)]);
    }
    Some(words)
}

/// `p1 and p2 win 60 low`.
fn won<'a>(kind: &str, details: &Value) -> Option<Words<'a>> {
    let winners: Vec<&str> =
        details.get("seats")?.as_array()?.iter().take(8).filter_map(Value::as_str).collect();
    let mut words = Vec::new();
    for (nth, winner) in winners.iter().enumerate() {
        if nth > 0 {
            words.push(Part::plain(" and "));
        }
        words.push(seat(winner));
    }
    let verb = match (kind, winners.len()) {
        ("won", 1) => "wins",
        ("won", _) => "win",
        (_, 1) => "takes back",
        _ => "take back",
    };
    words.push(Part::new(format!(" {verb} {}", chips(details, "amount")?), Role::Good));
    if let Some(half) = word(details, "half") {
        words.push(Part::new(format!(" {}", text::excerpt(half, 8)), Role::Dim));
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn moves_read_as_sentences() {
        let cases = [
            ("bid", json!({"face": 6, "quantity": 3, "seat": "p2"}), "p2 bids 3 × 6"),
            (
                "reveal",
                json!({"bid": {"quantity": 7, "face": 3, "seat": "p3"}, "caller": "p0", "count": 11, "dice": {}, "loser": "p0"}),
                "p0 doubts 7 × 3 of p3: 11 counted, p0 loses a die",
            ),
            ("round", json!({"first": "p1"}), "new round: p1 begins"),
            (
                "place",
                json!({"row": 2, "col": 3, "flips": [[3, 3]], "seat": "p0"}),
                "p0 takes row 2 col 3, turns 1",
            ),
            ("pass", json!({"seat": "p1"}), "p1 has no move"),
            ("raise", json!({"all_in": true, "seat": "p1", "to": 1035}), "p1 raises to 1 035, all in"),
            ("call", json!({"amount": 10, "seat": "p3"}), "p3 calls 10"),
            ("street", json!({"cards": ["Ac", "Ah", "6s"], "street": "flop"}), "flop A♣ A♥ 6♠"),
            ("won", json!({"amount": 60, "half": "low", "seats": ["p1", "p2"]}), "p1 and p2 win 60 low"),
            ("returned", json!({"amount": 780, "seats": ["p2"]}), "p2 takes back 780"),
            ("hand", json!({"button": "p2", "number": 2}), "hand 2, button p2"),
            ("opened", json!({"cells": 16, "col": 11, "row": 2}), "opens up row 2 col 11: 16"),
            ("hit", json!({"col": 1, "lives": 2, "row": 0}), "✗ hits a mine at row 0 col 1, lives 2"),
            ("flag", json!({"col": 1, "row": 0, "set": true}), "marks row 0 col 1"),
            ("skipped", json!({"action": "chord", "col": 1, "row": 0}), "skipped: chord row 0 col 1"),
            ("answer", json!({"right": false}), "✗ wrong"),
        ];
        for (kind, details, sentence) in &cases {
            let words = describe(kind, details).unwrap();
            let told: String = words.iter().map(|part| part.text.as_ref()).collect();
            assert_eq!(told, *sentence);
        }
        for (kind, details) in
            [("bid", json!({"seat": "p0"})), ("street", json!({"cards": ["x"]})), ("wind", json!(3))]
        {
            assert_eq!(describe(kind, &details), None);
        }
    }
}
