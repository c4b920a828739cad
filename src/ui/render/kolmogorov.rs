//! Sequences to describe and to rebuild: `payload` or `note`, a `length`, and what plain packing takes.

use serde_json::Value;

use super::scene::{Body, Fact, Gauge, Grid, GridCell, GridKind, Part, Passage, Scene, Slot, Words};
use super::values::{count, safe, word};
use super::{SceneInput, seat_words};
use crate::text;
use crate::ui::theme::Role;

/// Letters beside each other.
const COLUMNS: usize = 32;
/// Letters drawn.
const MAX_LETTERS: usize = 2_000;
/// Characters of a note drawn.
const MAX_NOTE: usize = 2_000;

/// Paints the game, if the observation has its shape.
pub(super) fn paint<'a>(input: &SceneInput<'a>) -> Option<Scene<'a>> {
    let data = input.data;
    let phase = word(data, "phase")?;
    let (length, plain) = (count(data, "length")?.min(MAX_LETTERS), count(data, "plain_bytes")?);
    let drafted = |action: &str| {
        let cursor = input.cursor.filter(|cursor| word(cursor, "action") == Some(action))?;
        word(cursor, "text")
    };
    let mut scene = Scene::default();
    let (title, shown) = match phase {
        "encode" => ("payload", word(data, "payload")),
        "decode" => ("answer", drafted("emit")),
        _ => ("all rounds are played", None),
    };
    let heading = heading(input, title, shown.filter(|_| phase == "decode"), length);
    scene.push(Slot::Main, 0, heading, Body::Grid(strip(shown.unwrap_or_default(), length, COLUMNS)));
    let note = match phase {
        "encode" => drafted("note"),
        _ => word(data, "note"),
    };
    if phase == "encode" || note.is_some() {
        let gauges = vec![bytes(note.map_or(0, str::len), plain)];
        scene.push(Slot::Main, 1, title_of("note"), Body::Gauges(gauges));
        scene.push(Slot::Main, 1, Vec::new(), Body::Passages(vec![written(note)]));
    }
    scene.add(Slot::Side, "game", Body::Facts(facts(input, phase, plain)));
    Some(scene)
}

fn title_of(title: &'static str) -> Words<'static> {
    vec![Part::new(title, Role::Heading)]
}

/// What the strip is, of which round, and whether an answer has the right length.
fn heading(
    input: &SceneInput<'_>,
    title: &'static str,
    answer: Option<&str>,
    length: usize,
) -> Words<'static> {
    let mut words = title_of(title);
    if let (Some(round), Some(rounds)) = (count(input.data, "round"), count(input.data, "rounds")) {
        words.push(Part::new(format!("  round {round} of {rounds}"), Role::Dim));
    }
    let wanted = Part::new(format!("  {length} letters"), Role::Dim);
    match answer.map(|answer| answer.chars().count()) {
        Some(given) if given != length => {
            words.push(Part::new(format!("  {given} of {length} letters: earns nothing"), Role::Bad));
        }
        _ => words.push(wanted),
    }
    words
}

/// Letters in rows; places without one are empty, those beyond the length and what is no letter stand out.
pub(super) fn strip<'a>(letters: &str, length: usize, columns: usize) -> Grid<'a> {
    let mut cells: Vec<GridCell<'a>> = letters
        .chars()
        .take(MAX_LETTERS)
        .enumerate()
        .map(|(nth, letter)| cell(letter, nth < length))
        .collect();
    let rows = cells.len().max(length).max(1).div_ceil(columns);
    cells.resize(cells.len().max(length), GridCell::Empty);
    cells.resize(rows * columns, GridCell::Outside);
    Grid {
        kind: GridKind::Text(1),
        columns,
        cells,
        head: Vec::new(),
        foot: Vec::new(),
        number_rows: false,
        focus: None,
    }
}

fn cell<'a>(letter: char, is_within: bool) -> GridCell<'a> {
    match letter {
        'A'..='H' if is_within => {
            GridCell::Text(letter.to_string().into(), Role::Series(letter as u8 - b'A'))
        }
        'A'..='H' => GridCell::Text(letter.to_ascii_lowercase().to_string().into(), Role::Bad),
        _ => GridCell::Text("!".into(), Role::Bad),
    }
}

/// How much of what plain packing takes a note uses up.
fn bytes<'a>(used: usize, plain: usize) -> Gauge<'a> {
    let saved = plain.saturating_sub(used) * 100 / plain.max(1);
    Gauge {
        label: vec![Part::plain("bytes")],
        value: used as f64,
        limit: plain as f64,
        signed: false,
        text: format!("{used} of {plain}, saves {saved} %").into(),
        role: if used < plain { Role::Accent } else { Role::Bad },
    }
}

fn written(note: Option<&str>) -> Passage<'_> {
    let text = match note {
        Some("") => "(empty)".into(),
        Some(note) if note.len() <= MAX_NOTE => safe(note),
        Some(note) => text::excerpt(note, MAX_NOTE).into_owned().into(),
        None => "(not written yet)".into(),
    };
    Passage { lead: Vec::new(), text, changed: false }
}

fn facts<'a>(input: &SceneInput<'_>, phase: &str, plain: usize) -> Vec<Fact<'a>> {
    let fact = |key: &'static str, value: String| Fact {
        key: key.into(),
        value: vec![Part::plain(value)],
        trend: Vec::new(),
    };
    let seat = Fact {
        key: if input.mine { "you" } else { "seat" }.into(),
        value: seat_words(&text::excerpt(input.seat, 8)),
        trend: Vec::new(),
    };
    let mut facts = vec![seat, fact("phase", text::excerpt(phase, 12).into_owned())];
    if let Some(score) = input.data.get("score").and_then(Value::as_f64) {
        facts.push(fact("score", text::decimal(score, 2)));
    }
    facts.push(fact("plain", format!("{plain} bytes")));
    if let Some(bonus) = count(input.data, "bonus_below") {
        facts.push(fact("bonus", format!("below {bonus} bytes")));
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_too_much_or_no_letter_has_a_sign_of_its_own() {
        let text = |letters: &str| -> String {
            let sign = |cell: &GridCell<'_>| match cell {
                GridCell::Text(text, _) => text.to_string(),
                GridCell::Empty => ".".to_owned(),
                _ => "#".to_owned(),
            };
            strip(letters, 5, 4).cells.iter().map(sign).collect()
        };
        assert_eq!(["AB", "ABCDEFG", "a1ü"].map(text), ["AB...###", "ABCDEfg#", "!!!..###"]);
    }
}
