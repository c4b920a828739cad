//! Sets of cells: a bit a column, a word a row.

use serde::Serialize;

/// The most rows a field may have.
pub(super) const MAX_ROWS: usize = 16;

/// The most columns a field may have.
pub(super) const MAX_COLS: usize = 32;

/// A place on the field, from 0 at the top left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Cell {
    /// From the top.
    pub row: u8,
    /// From the left.
    pub col: u8,
}

/// Any number of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Cells([u32; MAX_ROWS]);

impl Cells {
    /// None.
    pub const EMPTY: Self = Self([0; MAX_ROWS]);

    /// All of a field.
    pub fn field(rows: u8, cols: u8) -> Self {
        let row = ((1u64 << cols) - 1) as u32;
        Self(std::array::from_fn(|nth| if nth < usize::from(rows) { row } else { 0 }))
    }

    /// Just this one.
    pub fn one(cell: Cell) -> Self {
        let mut cells = Self::EMPTY;
        cells.insert(cell);
        cells
    }

    /// The cell and those around it, beyond the edges as well: to be cut with a set of the field.
    pub fn block(cell: Cell) -> Self {
        let (row, mask) = (usize::from(cell.row), window(cell.col));
        Self(std::array::from_fn(|nth| if nth.abs_diff(row) <= 1 { mask } else { 0 }))
    }

    /// Whether the cell is in it.
    pub fn contains(&self, cell: Cell) -> bool {
        self.0[usize::from(cell.row)] & (1 << cell.col) != 0
    }

    /// Adds a cell.
    pub fn insert(&mut self, cell: Cell) {
        self.0[usize::from(cell.row)] |= 1 << cell.col;
    }

    /// Takes a cell out.
    pub fn remove(&mut self, cell: Cell) {
        self.0[usize::from(cell.row)] &= !(1 << cell.col);
    }

    /// Cells in either.
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(row, other)| *row |= other);
        self
    }

    /// Cells in both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(row, other)| *row &= other);
        self
    }

    /// Cells in this one only.
    #[must_use]
    pub fn without(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(row, other)| *row &= !other);
        self
    }

    /// All of these and their neighbours, beyond the edges as well.
    #[must_use]
    pub fn grown(self) -> Self {
        let wide = self.0.map(|row| row | row << 1 | row >> 1);
        let at = |nth: usize| wide.get(nth).copied().unwrap_or(0);
        Self(std::array::from_fn(|nth| wide[nth] | at(nth + 1) | at(nth.wrapping_sub(1))))
    }

    /// How many.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|row| row.count_ones()).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|row| *row == 0)
    }

    /// How many of them are in the [`block`](Self::block) of a cell.
    pub fn count_in_block(&self, cell: Cell) -> u8 {
        let (row, mask) = (usize::from(cell.row), window(cell.col));
        let rows = &self.0[row.saturating_sub(1)..MAX_ROWS.min(row + 2)];
        rows.iter().map(|row| (row & mask).count_ones() as u8).sum()
    }

    /// Row by row from the top, from left to right.
    pub fn iter(self) -> impl Iterator<Item = Cell> {
        self.0.into_iter().zip(0u8..).flat_map(|(mut bits, row)| {
            std::iter::from_fn(move || {
                let col = (bits != 0).then(|| bits.trailing_zeros() as u8)?;
                bits &= bits - 1;
                Some(Cell { row, col })
            })
        })
    }
}

impl FromIterator<Cell> for Cells {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Self {
        let mut set = Self::EMPTY;
        cells.into_iter().for_each(|cell| set.insert(cell));
        set
    }
}

/// A column and its neighbours.
fn window(col: u8) -> u32 {
    ((0b111u64 << col) >> 1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_know_their_neighbours_up_to_the_edges() {
        for (rows, cols) in [(8, 8), (16, 32), (16, 16)] {
            let field = Cells::field(rows, cols);
            assert_eq!(field.len(), u32::from(rows) * u32::from(cols));
            for cell in field.iter() {
                let near =
                    |other: &Cell| other.row.abs_diff(cell.row) <= 1 && other.col.abs_diff(cell.col) <= 1;
                let block: Cells = field.iter().filter(near).collect();
                assert_eq!(Cells::block(cell).and(field), block);
                assert_eq!(Cells::one(cell).grown().and(field), block);
                assert_eq!(u32::from(field.count_in_block(cell)), block.len());
            }
        }
    }

    #[test]
    fn cells_come_in_order_and_go_out_again() {
        let cells = [Cell { row: 0, col: 31 }, Cell { row: 2, col: 0 }, Cell { row: 15, col: 7 }];
        let mut set: Cells = cells.iter().rev().copied().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), cells);
        set.remove(cells[1]);
        assert!(!set.contains(cells[1]) && set.contains(cells[2]) && set.len() == 2);
        assert!(set.without(set).is_empty() && set.and(Cells::one(cells[0])) == Cells::one(cells[0]));
    }
}
