//! Messages through a noisy channel: a `role`, a `budget` and `noise`, and a `message` or what was `received`.

use serde_json::Value;

use super::kolmogorov::strip;
use super::scene::{Body, Fact, Gauge, Part, Scene, Slot, Words};
use super::values::{count, number, word};
use super::{SceneInput, seat_words};
use crate::text;
use crate::ui::theme::Role;

/// Letters of a message where nobody says otherwise.
const MESSAGE: usize = 8;
/// Words are not longer.
const MAX_WORD: usize = 256;

/// Paints the game, if the observation has its shape.
pub(super) fn paint<'a>(input: &SceneInput<'a>) -> Option<Scene<'a>> {
    let data = input.data;
    let role = data.get("role")?;
    let (budget, noise) = (count(data, "budget")?.min(MAX_WORD), number(data, "noise")?);
    let par = number(data, "par")?;
    let mut scene = Scene::default();
    // Whoever watches sees the side that is on turn.
    let view = input.on_turn().and_then(|seat| input.view_of(seat)).unwrap_or(data);
    let drafted = |key: &str| word(input.cursor?, key);
    if let Some(message) = word(view, "message") {
        scene.push(Slot::Main, 0, title("message", None), Body::Grid(strip(message, MESSAGE, MESSAGE)));
        let sent = drafted("word").unwrap_or_default();
        let by = drafted("scheme");
        let columns = columns(by, sent.chars().count());
        let used = format!("{} of {budget} letters", sent.chars().count());
        scene.push(Slot::Main, 1, title("word", Some((by, used))), Body::Grid(strip(sent, budget, columns)));
    } else if let Some(received) = word(view, "received") {
        let (by, n) = (word(view, "scheme"), received.chars().count());
        let shown = Body::Grid(strip(received, n, columns(by, n)));
        scene.push(Slot::Main, 0, title("received", Some((by, format!("{n} letters")))), shown);
        let guess = drafted("text").unwrap_or_default();
        scene.push(Slot::Main, 1, title("guess", None), Body::Grid(strip(guess, MESSAGE, MESSAGE)));
    } else {
        let why = if role.is_null() { "the match is over" } else { "the other seat is on turn" };
        scene.push(Slot::Main, 0, title(why, None), Body::Grid(strip("", MESSAGE, MESSAGE)));
    }
    scene.add(Slot::Side, "game", Body::Facts(facts(input, role, budget, noise)));
    scene.add(Slot::Side, "score", Body::Gauges(vec![to_par(number(data, "score").unwrap_or(0.0), par)]));
    Some(scene)
}

/// A heading, with a scheme and a number of letters.
fn title(name: &'static str, word: Option<(Option<&str>, String)>) -> Words<'static> {
    let mut words = vec![Part::new(name, Role::Heading)];
    if let Some((scheme, letters)) = word {
        let scheme = scheme.map(|scheme| format!("  {}", text::excerpt(scheme, 12)));
        words.extend(scheme.map(|scheme| Part::new(scheme, Role::Strong)));
        words.push(Part::new(format!("  {letters}"), Role::Dim));
    }
    words
}

/// So many letters in a row that the scheme shows: copies stand together, blocks and halves below each other.
fn columns(scheme: Option<&str>, letters: usize) -> usize {
    match scheme {
        Some("rep3") => 12,
        Some("hamming") => 14,
        Some("custom") => letters.div_ceil(2).clamp(MESSAGE, 32),
        _ => MESSAGE,
    }
}

fn facts<'a>(input: &SceneInput<'_>, role: &'a Value, budget: usize, noise: f64) -> Vec<Fact<'a>> {
    let fact = |key: &'static str, value: Words<'a>| Fact { key: key.into(), value, trend: Vec::new() };
    let plain = |text: String| vec![Part::plain(text)];
    let mut facts = Vec::new();
    if let Some(role) = role.as_str() {
        facts.push(fact(if input.mine { "you" } else { "seat" }, seat_words(&text::excerpt(input.seat, 8))));
        facts.push(fact("role", plain(text::excerpt(role, 12).into_owned())));
    }
    if let Some(seat) = input.on_turn() {
        facts.push(fact("to move", seat_words(&text::excerpt(seat, 8))));
    }
    if let (Some(round), Some(rounds)) = (count(input.data, "round"), count(input.data, "rounds")) {
        facts.push(fact("round", plain(format!("{round} of {rounds}"))));
    }
    facts.push(fact("noise", plain(format!("{} %", text::decimal(noise * 100.0, 2)))));
    facts.push(fact("budget", plain(format!("{budget} letters"))));
    facts
}

/// The score on its way to what has to be reached.
fn to_par<'a>(score: f64, par: f64) -> Gauge<'a> {
    let reached = score >= par;
    Gauge {
        label: vec![Part::plain("to par")],
        value: score.max(0.0),
        limit: par.max(1.0),
        signed: false,
        text: format!(
            "{} of {}{}",
            text::decimal(score, 2),
            text::decimal(par, 1),
            if reached { ", reached" } else { "" }
        )
        .into(),
        role: if reached { Role::Good } else { Role::Accent },
    }
}
