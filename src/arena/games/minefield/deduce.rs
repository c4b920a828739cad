//! What numbers say for sure: one by one, or two at a time.

use super::cells::Cells;
use super::field::Seen;

/// A number, cut down to what it says of hidden cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clue {
    /// Hidden cells around it, at least one.
    pub(super) cells: Cells,
    /// How many of them are mined.
    pub(super) mines: u32,
}

/// Hidden cells about which there is no doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Known {
    /// Without a mine.
    pub(super) safe: Cells,
    /// With one.
    pub(super) mined: Cells,
}

/// The clues of all numbers beside hidden cells. Flags count for nothing: they are notes, and may be wrong.
pub(super) fn clues(seen: &Seen) -> Vec<Clue> {
    let hidden = seen.hidden();
    let clue = |cell| {
        let mines = seen.number(cell)?.checked_sub(seen.hits().count_in_block(cell))?;
        Some(Clue { cells: Cells::block(cell).and(hidden), mines: mines.into() })
    };
    seen.opened().and(hidden.grown()).iter().filter_map(clue).collect()
}

impl Known {
    /// Cuts clues down to the cells that are still in doubt; those without any are dropped.
    pub(super) fn cut(&self, clues: &mut Vec<Clue>) {
        for clue in clues.iter_mut() {
            clue.mines = clue.mines.saturating_sub(clue.cells.and(self.mined).len());
            clue.cells = clue.cells.without(self.mined).without(self.safe);
        }
        clues.retain(|clue| !clue.cells.is_empty());
    }

    /// Takes each number for itself, until nothing new comes of it. Cuts the clues.
    pub(super) fn by_single_numbers(&mut self, clues: &mut Vec<Clue>) {
        loop {
            let before = *self;
            for clue in clues.iter() {
                if clue.mines == 0 {
                    self.safe = self.safe.or(clue.cells);
                } else if clue.mines == clue.cells.len() {
                    self.mined = self.mined.or(clue.cells);
                }
            }
            self.cut(clues);
            if *self == before {
                return;
            }
        }
    }

    /// Takes any two numbers together, until nothing new comes of it. Cuts the clues.
    pub(super) fn by_pairs(&mut self, clues: &mut Vec<Clue>) {
        loop {
            self.by_single_numbers(clues);
            let before = *self;
            for one in clues.iter() {
                for other in clues.iter().filter(|other| !one.cells.and(other.cells).is_empty()) {
                    self.compare(one, other);
                }
            }
            if *self == before {
                return;
            }
            self.cut(clues);
        }
    }

    /// If `other` has so many mines more than `one` as it has cells of its own, all of those are mined, and those that
    /// `one` has of its own are not.
    fn compare(&mut self, one: &Clue, other: &Clue) {
        let own = other.cells.without(one.cells);
        if other.mines.checked_sub(one.mines) == Some(own.len()) {
            self.mined = self.mined.or(own);
            self.safe = self.safe.or(one.cells.without(other.cells));
        }
    }
}
