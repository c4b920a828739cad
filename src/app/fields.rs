//! How observations are looked at: the user's choices for a game's fields, what is folded, what is searched for, what
//! an observation is compared with.
//!
//! All but the choices belongs to the session on screen and is forgotten with it. The keys are in `looking.rs`.

mod charts;
mod find;
mod folds;
mod looking;
mod views;

use crate::client::FeedId;

use super::live::Seen;

pub use self::charts::Charts;
pub use self::find::{Find, value_at};
pub use self::folds::Folds;
pub use self::views::{Choice, Form, GameView, Views};

/// Fields listed in the overlay.
pub const MAX_LISTED: usize = 200;

/// The row of a tree that is chosen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Pick {
    /// The first.
    #[default]
    First,
    /// The last.
    Last,
    /// The one at this path.
    At(String),
}

/// What an observation is compared with.
#[derive(Debug, Clone)]
pub enum Against {
    /// The one before it.
    Previous,
    /// One of an earlier tick that is on its way.
    Asked {
        /// Of the order.
        ticket: u64,
        /// The tick.
        tick: u64,
    },
    /// One of an earlier tick.
    Tick(u64, Box<Seen>),
}

/// Everything about looking at observations.
#[derive(Debug, Default)]
pub struct Fields {
    /// The choices for all games.
    pub views: Views,
    /// What is folded in trees.
    pub folds: Folds,
    /// The chosen row of the tree.
    pub pick: Pick,
    /// What is searched for.
    pub find: Option<Find>,
    /// What is compared with, if changes are listed.
    pub against: Option<Against>,
    /// The charts, where they are on screen.
    pub charts: Option<Charts>,
    /// The choices are not kept yet.
    pub(super) changed: bool,
    /// The session that this is about.
    of: Option<FeedId>,
}

impl Fields {
    /// With the choices that were kept.
    pub fn new(views: Views) -> Self {
        Self { views, ..Self::default() }
    }

    /// Whether folds, search and comparison are about this session.
    pub fn is_about(&self, feed: FeedId) -> bool {
        self.of == Some(feed)
    }

    /// Turns to a session; what was about another one is forgotten.
    pub(super) fn turn_to(&mut self, feed: FeedId) {
        if !self.is_about(feed) {
            let views = std::mem::take(&mut self.views);
            *self = Self { views, changed: self.changed, of: Some(feed), ..Self::default() };
        }
    }
}

/// The fields of an observation in a list, to choose how each is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldsForm {
    /// The game they belong to.
    pub game: String,
    /// Paths, in the order they are drawn.
    pub paths: Vec<String>,
    /// The chosen row.
    pub at: usize,
}

impl FieldsForm {
    /// The members of an observation and the members of these, where there are few.
    pub fn new(game: String, data: &serde_json::Value, view: &GameView) -> Self {
        let mut paths = Vec::new();
        for (key, value) in data.as_object().into_iter().flatten() {
            let path = format!("/{key}");
            let inner = value
                .as_object()
                .filter(|inner| inner.len() <= 24 && inner.keys().all(|key| find::is_name(key)));
            paths.push(path.clone());
            paths.extend(inner.into_iter().flatten().map(|(key, _)| format!("{path}/{key}")));
        }
        paths.truncate(MAX_LISTED);
        paths.sort_by_key(|path| view.rank(path));
        Self { game, paths, at: 0 }
    }

    /// The chosen field.
    pub fn chosen(&self) -> Option<&str> {
        self.paths.get(self.at).map(String::as_str)
    }

    /// Chooses the row so many further down.
    pub fn step(&mut self, by: isize) {
        self.at = self.at.saturating_add_signed(by).min(self.paths.len().saturating_sub(1));
    }

    /// Moves the chosen field up or down, with those that are part of it.
    pub fn shift(&mut self, down: bool) {
        let other = if down { self.at + 1 } else { self.at.wrapping_sub(1) };
        if other < self.paths.len() {
            self.paths.swap(self.at, other);
            self.at = other;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_listed_with_their_parts_in_the_order_that_was_chosen() {
        let data = json!({"ship": {"hull": 3, "crew": 2}, "map": ["..", ".."], "log": []});
        let mut view = GameView::default();
        let form = FieldsForm::new("harbour".into(), &data, &view);
        assert_eq!(form.paths, ["/ship", "/ship/hull", "/ship/crew", "/map", "/log"]);
        view.order = vec!["/map".into(), "/gone".into()];
        let mut form = FieldsForm::new("harbour".into(), &data, &view);
        assert_eq!(form.paths[0], "/map");
        form.shift(true);
        assert_eq!((form.paths[1].as_str(), form.at), ("/map", 1));
        form.step(100);
        assert_eq!(form.chosen(), Some("/log"));
        form.shift(true);
        assert_eq!(form.chosen(), Some("/log"));
    }

    #[test]
    fn another_session_starts_with_the_choices_alone() {
        let mut fields = Fields::default();
        fields.turn_to(FeedId(1));
        fields.pick = Pick::Last;
        fields.turn_to(FeedId(1));
        assert_eq!(fields.pick, Pick::Last);
        fields.turn_to(FeedId(2));
        assert_eq!(fields.pick, Pick::First);
        assert!(fields.is_about(FeedId(2)));
    }
}
