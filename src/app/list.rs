//! The state of a list: filter, selection and scrolling. Items live elsewhere; this holds indices into them.
//!
//! The selection follows its item by id when the list is loaded again, and is clamped when the item is gone.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::editor::Editor;
use super::key::{Key, KeyCode};

/// Filter, selection and scroll offset of one list.
#[derive(Debug, Clone)]
pub struct ListState {
    filter: Editor,
    typing: bool,
    shown: Vec<usize>,
    ids: Vec<String>,
    at: usize,
    top: usize,
    /// The user chose the selected item; until then the first one is selected, whichever that is.
    chosen: bool,
}

impl Default for ListState {
    fn default() -> Self {
        Self {
            filter: Editor::line(""),
            typing: false,
            shown: Vec::new(),
            ids: Vec::new(),
            at: 0,
            top: 0,
            chosen: false,
        }
    }
}

impl ListState {
    /// Takes over all items: their ids and the text each is searched by. Keeps the selected item selected.
    pub fn refresh<'a>(&mut self, items: impl Iterator<Item = (&'a str, String)>) {
        self.refresh_some(items.enumerate().map(|(nth, (id, text))| (nth, id, text)));
    }

    /// Takes over some of the items, in the order they shall have: index, id and the text each is searched by.
    pub fn refresh_some<'a>(&mut self, items: impl Iterator<Item = (usize, &'a str, String)>) {
        let selected = self.ids.get(self.at).filter(|_| self.chosen).cloned();
        let items: Vec<(usize, &str, String)> = items.collect();
        let order = ranked(&self.filter.text(), items.iter().map(|(_, _, text)| text.as_str()));
        self.shown = order.iter().map(|&nth| items[nth].0).collect();
        self.ids = order.iter().map(|&nth| items[nth].1.to_owned()).collect();
        let found = selected.and_then(|id| self.ids.iter().position(|other| *other == id));
        self.at =
            found.unwrap_or(if self.chosen { self.at } else { 0 }).min(self.shown.len().saturating_sub(1));
    }

    /// Index of the selected item among all items.
    pub fn selected(&self) -> Option<usize> {
        self.shown.get(self.at).copied()
    }

    /// Row of the selected item among those shown.
    pub fn row(&self) -> usize {
        self.at
    }

    /// Indices of the items that pass the filter, best match first, in the order they are shown.
    pub fn shown(&self) -> &[usize] {
        &self.shown
    }

    /// The first row on screen.
    pub fn top(&self) -> usize {
        self.top
    }

    /// Selects the item with this id, if it is shown. Tells whether it is.
    pub fn select_id(&mut self, id: &str) -> bool {
        let row = self.ids.iter().position(|other| other == id);
        if let Some(row) = row {
            self.at = row;
            self.chosen = true;
        }
        row.is_some()
    }

    /// Selects a row; past the end means the last one.
    pub fn select_row(&mut self, row: usize) {
        self.at = row.min(self.shown.len().saturating_sub(1));
        self.chosen = true;
    }

    /// Moves the selection; stops at the ends.
    pub fn move_by(&mut self, rows: isize) {
        self.select_row(self.at.saturating_add_signed(rows));
    }

    /// Scrolls as little as needed to have the selection among `rows` rows on screen.
    pub fn keep_in_view(&mut self, rows: usize) {
        let last_top = self.shown.len().saturating_sub(rows.max(1));
        self.top = self.top.min(last_top).clamp((self.at + 1).saturating_sub(rows.max(1)), self.at);
    }

    /// The filter's editor.
    pub fn filter(&self) -> &Editor {
        &self.filter
    }

    /// Whether keys go to the filter.
    pub fn typing(&self) -> bool {
        self.typing
    }

    /// Lets keys go to the filter from now on.
    pub fn start_typing(&mut self) {
        self.typing = true;
        self.filter.to_end();
    }

    /// Forgets the filter. True if there was one.
    pub fn clear_filter(&mut self) -> bool {
        self.typing = false;
        let had = !self.filter.is_empty();
        // What was found by the filter stays selected.
        self.chosen |= had;
        self.filter.set("");
        had
    }

    /// Gives the filter a key while it is being typed.
    pub fn input(&mut self, key: Key) -> Typed {
        match key.code {
            KeyCode::Enter => {
                self.typing = false;
                Typed::Done
            }
            KeyCode::Esc => {
                self.clear_filter();
                Typed::Changed
            }
            KeyCode::Down => {
                self.move_by(1);
                Typed::Moved
            }
            KeyCode::Up => {
                self.move_by(-1);
                Typed::Moved
            }
            _ if self.filter.input(key) => {
                self.at = 0;
                Typed::Changed
            }
            _ => Typed::Ignored,
        }
    }

    /// Pastes into the filter, if it is being typed.
    pub fn paste(&mut self, text: &str) -> bool {
        if self.typing {
            self.filter.insert(text);
            self.at = 0;
        }
        self.typing
    }
}

/// What a key did to a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    /// The text changed: filter again.
    Changed,
    /// The selection moved.
    Moved,
    /// The filter stands; keys go to the list again.
    Done,
    /// The key means nothing here.
    Ignored,
}

/// Indices of the texts that match, the best first; all in their order when the pattern is empty.
pub fn ranked<'a>(pattern: &str, texts: impl Iterator<Item = &'a str>) -> Vec<usize> {
    // The scores of a very long pattern do not fit the matcher's numbers.
    const LONGEST: usize = 256;
    let end = pattern.char_indices().nth(LONGEST).map_or(pattern.len(), |(at, _)| at);
    let pattern = Pattern::parse(&pattern[..end], CaseMatching::Ignore, Normalization::Smart);
    if pattern.atoms.is_empty() {
        return (0..texts.count()).collect();
    }
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut scored: Vec<(u32, usize)> = texts
        .enumerate()
        .filter_map(|(nth, text)| Some((pattern.score(Utf32Str::new(text, &mut buffer), &mut matcher)?, nth)))
        .collect();
    scored.sort_by_key(|&(score, nth)| (std::cmp::Reverse(score), nth));
    scored.into_iter().map(|(_, nth)| nth).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(ids: &[&str]) -> ListState {
        let mut list = ListState::default();
        fill(&mut list, ids);
        list
    }

    fn fill(list: &mut ListState, ids: &[&str]) {
        list.refresh(ids.iter().map(|id| (*id, (*id).to_owned())));
    }

    #[test]
    fn the_selection_follows_its_item_and_is_clamped_when_the_item_goes() {
        let mut list = list(&["a", "b", "c"]);
        list.move_by(2);
        fill(&mut list, &["x", "c", "y"]);
        assert_eq!(list.selected(), Some(1));
        fill(&mut list, &["x"]);
        assert_eq!(list.selected(), Some(0));
        fill(&mut list, &[]);
        assert_eq!(list.selected(), None);
        list.move_by(1);
        list.move_by(-5);
        assert_eq!(list.selected(), None);
    }

    #[test]
    fn the_first_item_stays_selected_until_the_user_chooses_one() {
        let mut list = list(&["a", "b"]);
        fill(&mut list, &["new", "a", "b"]);
        assert_eq!(list.row(), 0);
    }

    #[test]
    fn a_filter_ranks_and_escape_forgets_it() {
        let mut list = list(&["market", "connect_four", "kolmogorov"]);
        list.start_typing();
        for c in "cfo".chars() {
            assert_eq!(list.input(Key::plain(KeyCode::Char(c))), Typed::Changed);
        }
        fill(&mut list, &["market", "connect_four", "kolmogorov"]);
        assert_eq!(list.shown(), [1]);
        list.input(Key::plain(KeyCode::Esc));
        fill(&mut list, &["market", "connect_four", "kolmogorov"]);
        assert_eq!(list.shown(), [0, 1, 2]);
        assert!(!list.typing());
    }

    #[test]
    fn a_very_long_pattern_matches_nothing_and_breaks_nothing() {
        for long in ["x".repeat(100_000), "漢字".repeat(50_000)] {
            assert_eq!(ranked(&long, ["x", &long, ""].into_iter()), [1]);
        }
    }

    #[test]
    fn scrolling_moves_as_little_as_it_can() {
        let ids: Vec<String> = (0..20).map(|n| n.to_string()).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let mut list = list(&ids);
        let mut tops = Vec::new();
        for step in [4, 1, -3, -3, 30] {
            list.move_by(step);
            list.keep_in_view(5);
            tops.push(list.top());
        }
        assert_eq!(tops, [0, 1, 1, 0, 15]);
        list.keep_in_view(0);
    }
}
