//! Facts that are told once, questions about them, and a notepad: `facts`, `query`, `notepad` with its `capacity`.

use serde_json::Value;

use super::scene::{
    Body, Column, Fact, Gauge, Grid, GridCell, GridKind, Part, Passage, Rows, Scene, Slot, Table, Words,
};
use super::values::{count, safe, word};
use super::{SceneInput, seat_words};
use crate::text;
use crate::ui::theme::Role;

/// Facts beyond this many are not of this kind of game.
const MAX_FACTS: usize = 32;
/// Names of keys and values that are shown.
const MAX_NAMES: usize = 64;
const KEYS_IN_A_ROW: usize = 8;

/// Paints the game, if the observation has its shape.
pub(super) fn paint<'a>(input: &SceneInput<'a>) -> Option<Scene<'a>> {
    let data = input.data;
    let (notepad, capacity) = (word(data, "notepad")?, count(data, "capacity")?);
    let facts = data.get("facts")?.as_array().filter(|facts| facts.len() <= MAX_FACTS)?;
    let query = data.get("query")?;
    if !(query.is_null() || query.is_string()) {
        return None;
    }

    let mut scene = Scene::default();
    scene.push(Slot::Main, 0, status(input, facts, query.as_str()), told(facts, query.as_str()));
    let title = vec![Part::new("notepad", Role::Heading)];
    scene.push(Slot::Main, 1, title, Body::Passages(vec![written(notepad)]));
    let mut gauges = vec![bytes("notepad", notepad, capacity)];
    if let Some(draft) = draft(input) {
        gauges.push(bytes("draft", draft, capacity));
        let title = vec![Part::new("to be written", Role::Heading)];
        scene.push(Slot::Main, 2, title, Body::Passages(vec![written(draft)]));
    }
    scene.push(Slot::Side, 1, vec![Part::new("bytes", Role::Heading)], Body::Gauges(gauges));
    scene.push(Slot::Side, 2, Vec::new(), Body::Facts(state(input)));
    let names = |key: &str| data.get(key).and_then(Value::as_array).filter(|names| !names.is_empty());
    if let Some(names) = names("keys") {
        let title = vec![Part::new("keys ", Role::Heading), Part::new("! told ? asked", Role::Dim)];
        scene.push(Slot::Main, 3, title, Body::Grid(keys(names, facts, query.as_str())));
    }
    if let Some(names) = names("values") {
        scene.push(Slot::Far, 5, vec![Part::new("values", Role::Heading)], Body::Text(list(names).into()));
    }
    Some(scene)
}

/// Whether this tick asks or tells.
fn status<'a>(input: &SceneInput<'_>, facts: &[Value], query: Option<&str>) -> Words<'a> {
    match query {
        Some(key) => {
            let mut words = vec![
                Part::new("? asked: ", Role::Warn),
                Part::new(text::excerpt(key, 16).into_owned(), Role::Strong),
            ];
            if let Some(answer) = answer(input) {
                words.push(Part::new(format!(" = {}", text::excerpt(answer, 16)), Role::Key));
            }
            words
        }
        None if facts.is_empty() => vec![Part::new("nothing is told", Role::Dim)],
        None => vec![Part::new("! told in this tick, and never again", Role::Info)],
    }
}

/// All keys; those that this tick is about have a sign behind them.
fn keys<'a>(names: &[Value], facts: &[Value], query: Option<&str>) -> Grid<'a> {
    let cell = |name: &Value| {
        let name = name.as_str().unwrap_or("–");
        let (sign, role) = if query == Some(name) {
            ("?", Role::Warn)
        } else if facts.iter().any(|fact| word(fact, "key") == Some(name)) {
            ("!", Role::Changed)
        } else {
            ("", Role::Dim)
        };
        GridCell::Text(format!("{}{sign}", text::excerpt(name, 2)).into(), role)
    };
    let mut cells: Vec<GridCell<'a>> = names.iter().take(MAX_NAMES).map(cell).collect();
    let columns = cells.len().clamp(1, KEYS_IN_A_ROW);
    cells.resize(cells.len().next_multiple_of(columns), GridCell::Outside);
    Grid {
        kind: GridKind::Text(3),
        columns,
        cells,
        head: Vec::new(),
        foot: Vec::new(),
        number_rows: false,
        focus: None,
    }
}

fn state<'a>(input: &SceneInput<'_>) -> Vec<Fact<'a>> {
    let fact = |key: &'static str, value: Words<'a>| Fact { key: key.into(), value, trend: Vec::new() };
    let seat = seat_words(&text::excerpt(input.seat, 8));
    let mut facts = vec![fact(if input.mine { "you" } else { "seat" }, seat)];
    if let (Some(tick), Some(all)) = (count(input.data, "tick"), count(input.data, "max_ticks")) {
        let of = Part::new(format!(" of {all}"), Role::Dim);
        facts.push(fact("tick", vec![Part::plain(tick.to_string()), of]));
    }
    facts
}

/// The facts, or the question as a fact with a gap.
fn told<'a>(facts: &'a [Value], query: Option<&'a str>) -> Body<'a> {
    let key = |key: &'a str| Part::new(text::excerpt(key, 16), Role::Strong);
    let value = |value: &'a str| Part::new(text::excerpt(value, 24), Role::Changed);
    let fact = |fact: &'a Value| {
        let name = word(fact, "key").unwrap_or("–");
        vec![key(name), value(word(fact, "value").unwrap_or("–"))]
    };
    let mut rows: Vec<Words<'a>> = facts.iter().map(fact).collect();
    rows.extend(query.map(|name| vec![key(name), Part::new("?", Role::Warn)]));
    Body::Table(Table { columns: vec![Column::left("key"), Column::left("value")], rows: Rows::Ready(rows) })
}

fn written(text: &str) -> Passage<'_> {
    let text = if text.is_empty() { "(empty)".into() } else { safe(text) };
    Passage { lead: Vec::new(), text, changed: false }
}

/// How full a text makes the notepad, in bytes: what counts, and not letters.
fn bytes<'a>(label: &'static str, text: &str, capacity: usize) -> Gauge<'a> {
    let (used, too_many) = (text.len(), text.len() > capacity);
    let role = match used.saturating_mul(10) / capacity.max(1) {
        _ if too_many => Role::Bad,
        9.. => Role::Warn,
        _ => Role::Good,
    };
    let note = if too_many { ", too long" } else { "" };
    Gauge {
        label: vec![Part::plain(label)],
        value: used as f64,
        limit: capacity as f64,
        signed: false,
        text: format!("{used} of {capacity}{note}").into(),
        role,
    }
}

/// A member of the action about to be played, or of one in its list.
fn chosen<'a>(input: &SceneInput<'a>, key: &str) -> Option<&'a str> {
    let action = input.cursor?;
    let list = action.as_array().map_or(std::slice::from_ref(action), Vec::as_slice);
    list.iter().take(MAX_FACTS).find_map(|action| word(action, key))
}

fn draft<'a>(input: &SceneInput<'a>) -> Option<&'a str> {
    chosen(input, "text")
}

fn answer<'a>(input: &SceneInput<'a>) -> Option<&'a str> {
    chosen(input, "value")
}

fn list(names: &[Value]) -> String {
    let names = names.iter().take(MAX_NAMES).filter_map(Value::as_str);
    names.map(|name| text::excerpt(name, 16)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meter_counts_bytes_and_says_when_there_are_too_many() {
        assert_eq!(bytes("notepad", "ää", 10).text, "4 of 10");
        let full = bytes("draft", "12345678901", 10);
        assert_eq!((full.text.as_ref(), full.role), ("11 of 10, too long", Role::Bad));
        assert_eq!(bytes("draft", "123456789", 10).role, Role::Warn);
        assert_eq!(bytes("draft", "", 0).role, Role::Good);
    }
}
