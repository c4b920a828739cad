//! How the user wants a game's observation drawn: a form for each field, what is pinned, in which order.
//!
//! Kept by game as JSON, so that the next session of a game looks like the last one. A choice for a field that an
//! observation does not have does no harm.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Games remembered; the first by name stay.
const MAX_GAMES: usize = 500;
/// Fields remembered of a game.
const MAX_FIELDS: usize = 200;

/// How a field is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// As its shape suggests.
    #[default]
    Auto,
    /// Not at all.
    Hidden,
    /// Beside its name, on one line.
    Fact,
    /// Wrapped.
    Text,
    /// Rows with a header.
    Table,
    /// Cells in rows and columns.
    Grid,
    /// Lines over time, or over a list.
    Chart,
    /// Numbers as colours.
    HeatMap,
    /// Foldable JSON.
    Tree,
}

impl Form {
    /// All of them, in the order they are offered.
    pub const ALL: [Self; 9] = [
        Self::Auto,
        Self::Hidden,
        Self::Fact,
        Self::Text,
        Self::Table,
        Self::Grid,
        Self::Chart,
        Self::HeatMap,
        Self::Tree,
    ];

    /// Its name on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Hidden => "hidden",
            Self::Fact => "fact",
            Self::Text => "text",
            Self::Table => "table",
            Self::Grid => "grid",
            Self::Chart => "chart",
            Self::HeatMap => "heat map",
            Self::Tree => "tree",
        }
    }

    /// The next one, or the one before.
    #[must_use]
    pub fn step(self, forward: bool) -> Self {
        let at = Self::ALL.iter().position(|form| *form == self).unwrap_or(0);
        let by = if forward { 1 } else { Self::ALL.len() - 1 };
        Self::ALL[(at + by) % Self::ALL.len()]
    }
}

/// What was chosen for one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Choice {
    /// How it is drawn.
    pub form: Form,
    /// It stands before all others.
    pub pinned: bool,
}

/// What was chosen for a game. Fields go by their path, a JSON pointer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GameView {
    /// Fields that were moved, in the order they are drawn; others follow as the server sends them.
    pub order: Vec<String>,
    /// Choices by path.
    pub fields: BTreeMap<String, Choice>,
}

impl GameView {
    /// Nothing chosen.
    pub const EMPTY: Self = Self { order: Vec::new(), fields: BTreeMap::new() };

    /// What was chosen for a field.
    pub fn choice(&self, path: &str) -> Choice {
        self.fields.get(path).copied().unwrap_or_default()
    }

    /// Keeps a choice, or forgets one that is no choice.
    pub fn choose(&mut self, path: &str, choice: Choice) {
        if choice == Choice::default() {
            self.fields.remove(path);
        } else if self.fields.len() < MAX_FIELDS || self.fields.contains_key(path) {
            self.fields.insert(path.to_owned(), choice);
        }
    }

    /// Where a field was moved to; fields that were not come after those that were.
    pub fn rank(&self, path: &str) -> usize {
        self.order.iter().position(|moved| moved == path).unwrap_or(usize::MAX)
    }

    /// Nothing was chosen.
    pub fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }
}

/// The choices for all games.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Views(BTreeMap<String, GameView>);

impl Views {
    /// Reads what [`Self::text`] wrote.
    ///
    /// # Errors
    /// When it is not that.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The text to keep.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The choices for a game.
    pub fn of(&self, game: &str) -> &GameView {
        const EMPTY: &GameView = &GameView::EMPTY;
        self.0.get(game).unwrap_or(EMPTY)
    }

    /// Changes the choices for a game.
    pub fn change(&mut self, game: &str, change: impl FnOnce(&mut GameView)) {
        let mut view = self.of(game).clone();
        change(&mut view);
        if view.is_empty() {
            self.0.remove(game);
        } else if self.0.len() < MAX_GAMES || self.0.contains_key(game) {
            self.0.insert(game.to_owned(), view);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_kept_by_game_and_read_back() {
        let mut views = Views::default();
        let choice = Choice { form: Form::HeatMap, pinned: true };
        views.change("maze", |view| view.choose("/terrain", choice));
        views.change("maze", |view| view.order = vec!["/terrain".into(), "/score".into()]);
        let again = Views::read(&views.text()).unwrap();
        assert_eq!(again, views);
        assert_eq!(again.of("maze").choice("/terrain"), choice);
        assert_eq!(again.of("maze").rank("/score"), 1);
        assert!(again.of("other").is_empty());
    }

    #[test]
    fn what_is_no_choice_is_not_kept() {
        let mut views = Views::default();
        views.change("maze", |view| view.choose("/a", Choice { form: Form::Text, pinned: false }));
        views.change("maze", |view| view.choose("/a", Choice::default()));
        assert_eq!(views.text(), "{}");
    }

    #[test]
    fn a_file_of_a_later_version_is_an_error_and_not_a_loss() {
        assert!(Views::read(r#"{"maze": {"fields": {"/a": {"form": "hologram"}}}}"#).is_err());
        assert!(Views::read(r#"{"maze": {"fields": {"/a": {"later": 1}}}}"#).is_ok());
    }

    #[test]
    fn forms_come_round() {
        let mut form = Form::Auto;
        for _ in Form::ALL {
            form = form.step(true);
        }
        assert_eq!(form, Form::Auto);
        assert_eq!(Form::Auto.step(false), Form::Tree);
    }
}
