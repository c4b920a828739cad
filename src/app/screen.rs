//! What drawing learns about the screen and the state needs to know: what lies where, and how much fits.

use super::Pane;
use super::action::Action;

/// A rectangle of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Area {
    /// First column.
    pub x: u16,
    /// First row.
    pub y: u16,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

impl Area {
    /// Whether the cell lies in it.
    pub fn contains(self, column: u16, row: u16) -> bool {
        (self.x..self.x.saturating_add(self.width)).contains(&column)
            && (self.y..self.y.saturating_add(self.height)).contains(&row)
    }
}

/// What a click on an area means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hit {
    /// Go to this pane.
    Pane(Pane),
    /// Select this row of the list; a click on the selected row opens it.
    Row(usize),
    /// The same as this action.
    Action(Action),
    /// Go to this moment of the recording on screen.
    Seek(usize),
    /// Choose this tile of the wall; a click on the chosen one puts it on the whole screen.
    Tile(usize),
    /// A button of the open dialogue: true agrees, false declines.
    Button(bool),
}

/// What drawing learned.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drawn {
    /// Clickable areas; later ones lie on top.
    pub hits: Vec<(Area, Hit)>,
    /// Rows of the list that fit.
    pub list_rows: usize,
    /// Rows of the scrollable text that fit.
    pub text_rows: usize,
    /// Rows of the scrollable text that there are.
    pub text_lines: usize,
    /// Tiles of the wall that fit.
    pub wall: super::wall::Grid,
    /// The screen is too small for anything but a note.
    pub tiny: bool,
    /// The list and what is selected in it are side by side.
    pub wide: bool,
    /// The tree around the chosen row.
    pub tree: TreeRows,
}

/// Rows of a tree that are in sight, and a page before and after them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeRows {
    /// Path, and whether its members are shown; `None` where there are none.
    pub rows: Vec<(String, Option<bool>)>,
    /// The chosen one among them.
    pub chosen: usize,
}

impl Drawn {
    /// What lies at a cell.
    pub fn at(&self, column: u16, row: u16) -> Option<Hit> {
        self.hits.iter().rev().find(|(area, _)| area.contains(column, row)).map(|(_, hit)| *hit)
    }

    /// The furthest the text can be scrolled.
    pub fn max_scroll(&self) -> usize {
        self.text_lines.saturating_sub(self.text_rows)
    }
}
