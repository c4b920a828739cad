//! Turns an observation's JSON into a drawing.
//!
//! A painter is chosen by the *shape* of the observation, so that remote games of a known shape are drawn like our
//! own; all others go to the automatic painter (`auto`). Painters make a [`Scene`] of typed panels; [`draw_scene`]
//! lays it out for any area. Everything here is a pure function of its arguments: the same for live play, replay
//! and tiles. Start reading at [`scene()`].

mod auto;
mod boards;
mod changes;
mod connect_four;
mod declared;
mod dice;
mod draw;
mod events;
mod kolmogorov;
mod layout;
mod market;
mod minefield;
mod poker;
mod recall;
mod reversi;
mod scene;
mod serpents;
mod shape;
mod talk;
mod transmit;
mod tree;
mod values;

use serde_json::Value;

pub use self::changes::{Changed, changes, list_changes};
pub use self::declared::{MAX_BYTES as MAX_RENDERER, Problem, Renderers};
pub use self::events::describe;
pub use self::layout::{Drawn, draw_scene};
pub use self::scene::{
    Body, Column, DieLook, DiscLook, Face, Fact, Folds, Gauge, Grid, GridCell, GridKind, Hand, Ladder, Level,
    Panel, Part, Passage, Record, Rows, Scene, Series, SeriesLine, SeriesMark, Slot, Table, Tree, Words,
};
pub use self::tree::{TreeRow, tree_len, tree_line, tree_of, tree_rows};
use super::theme::Role;
use crate::app::fields::GameView;
pub use crate::tape::Trail;

/// Nothing was chosen.
static NO_CHOICES: GameView = GameView::EMPTY;

/// All that a drawing depends on.
#[derive(Debug, Clone, Copy)]
pub struct SceneInput<'a> {
    /// The game's slug, where it is known: only breaks ties between shapes.
    pub game: Option<&'a str>,
    /// Whose view is drawn.
    pub seat: &'a str,
    /// Whether that seat is the viewer's own, and not one that is watched.
    pub mine: bool,
    /// That seat's observation.
    pub data: &'a Value,
    /// What other seats see, when spectating.
    pub others: &'a [(String, &'a Value)],
    /// The seat's observation before, to mark what changed.
    pub previous: Option<&'a Value>,
    /// What the numbers were.
    pub trail: &'a Trail,
    /// The action about to be played.
    pub cursor: Option<&'a Value>,
    /// What is folded in trees.
    pub folds: &'a Folds,
    /// How the user wants this game's fields.
    pub view: &'a GameView,
    /// Renderers that are files.
    pub renderers: Option<&'a Renderers>,
    /// Only ASCII can be shown: signs that have a form of their own for that take it.
    pub ascii: bool,
}

impl<'a> SceneInput<'a> {
    /// A seat's observation, and nothing else known.
    pub fn new(seat: &'a str, data: &'a Value, trail: &'a Trail, folds: &'a Folds) -> Self {
        Self {
            game: None,
            seat,
            mine: true,
            data,
            others: &[],
            previous: None,
            trail,
            cursor: None,
            folds,
            view: &NO_CHOICES,
            renderers: None,
            ascii: false,
        }
    }

    /// The number of the seat whose view this is.
    fn seat_number(&self) -> u8 {
        super::theme::seat_number(self.seat).unwrap_or(0)
    }

    /// What a seat sees, if that is known.
    fn view_of(&self, seat: &str) -> Option<&'a Value> {
        if seat == self.seat {
            return Some(self.data);
        }
        self.others.iter().find(|(other, _)| other == seat).map(|(_, view)| *view)
    }

    /// The seat that is asked to act, as far as the views say.
    fn on_turn(&self) -> Option<&'a str> {
        if let Some(seat) = self.data.get("turn").and_then(Value::as_str) {
            return Some(seat);
        }
        let asked = |data: &Value| data.get("is_your_turn").and_then(Value::as_bool) == Some(true);
        if asked(self.data) {
            return Some(self.seat);
        }
        self.others.iter().find(|(_, view)| asked(view)).map(|(seat, _)| seat.as_str())
    }

    fn tick(&self) -> u64 {
        self.data.get("tick").and_then(Value::as_u64).unwrap_or(0)
    }

    /// Events newest first with their ticks: those of the trail, or else of this observation alone.
    fn events(&self) -> Vec<(u64, &'a Value)> {
        let kept: Vec<_> = self.trail.events().rev().filter(|(tick, _)| *tick <= self.tick()).collect();
        if !kept.is_empty() {
            return kept;
        }
        let now = self.data.get("events").and_then(Value::as_array);
        now.into_iter().flatten().rev().take(256).map(|event| (self.tick(), event)).collect()
    }
}

/// Makes the panels for an observation.
pub fn scene<'a>(input: &SceneInput<'a>) -> Scene<'a> {
    let files = input.renderers;
    let mut scene = files
        .and_then(|files| files.paint_by_user(input))
        .or_else(|| files.and_then(|files| files.paint_built_in(input)))
        .or_else(|| connect_four::paint(input))
        .or_else(|| serpents::paint(input))
        .or_else(|| market::paint(input))
        .or_else(|| poker::paint(input))
        .or_else(|| reversi::paint(input))
        .or_else(|| dice::paint(input))
        .or_else(|| minefield::paint(input))
        .or_else(|| recall::paint(input))
        .or_else(|| kolmogorov::paint(input))
        .or_else(|| transmit::paint(input))
        .map_or_else(|| auto::paint(input), |scene| auto::with_choices(scene, input));
    let entries = events::log(input);
    if !entries.is_empty() {
        scene.add(Slot::Foot, "events", Body::Log(entries));
    }
    if scene.panels.is_empty() {
        let note = "Nothing to show yet: the observation is empty.";
        scene.add(Slot::Main, "", Body::Text(note.into()));
    }
    scene
}

/// How a value would be drawn, in a word or two.
pub fn shape_name(value: &Value) -> &'static str {
    shape::shape(value).name()
}

/// A seat's glyph and name in its colour.
fn seat_words<'a>(seat: &str) -> Words<'a> {
    let Some(number) = super::theme::seat_number(seat) else { return vec![Part::plain(seat.to_owned())] };
    let glyph = super::theme::seat_glyph(number);
    vec![Part::new(format!("{glyph} {seat}"), Role::Seat(number))]
}

#[cfg(test)]
mod tests;
