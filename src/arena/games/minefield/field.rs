//! The field: what is seen of it, and the mines below.

use std::fmt::Write as _;

use super::cells::{Cell, Cells, MAX_COLS, MAX_ROWS};
use crate::arena::engine::rng::Pcg;

/// Mines that may be hit before it is over.
pub const LIVES: u32 = 3;

/// What a player sees of a field, and nothing else: observations and built-in players get no more than this.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Seen {
    rows: u8,
    cols: u8,
    mines: u16,
    all: Cells,
    /// Safe cells that show their number.
    opened: Cells,
    /// Mines that were hit; they stay shown.
    hits: Cells,
    /// Hidden cells that the player marked.
    flags: Cells,
    /// Of opened cells: mines around; 0 elsewhere.
    numbers: [[u8; MAX_COLS]; MAX_ROWS],
}

impl Seen {
    fn new(rows: u8, cols: u8, mines: u16) -> Self {
        Self {
            rows,
            cols,
            mines,
            all: Cells::field(rows, cols),
            opened: Cells::EMPTY,
            hits: Cells::EMPTY,
            flags: Cells::EMPTY,
            numbers: [[0; MAX_COLS]; MAX_ROWS],
        }
    }

    /// Rows.
    pub fn rows(&self) -> u8 {
        self.rows
    }

    /// Columns.
    pub fn cols(&self) -> u8 {
        self.cols
    }

    /// Mines, those that were hit included.
    pub fn mines(&self) -> u16 {
        self.mines
    }

    /// Cells with a number.
    pub fn opened(&self) -> Cells {
        self.opened
    }

    /// Mines that were hit.
    pub fn hits(&self) -> Cells {
        self.hits
    }

    /// Cells that are marked.
    pub fn flags(&self) -> Cells {
        self.flags
    }

    /// Cells that may be revealed, marked ones included.
    pub fn hidden(&self) -> Cells {
        self.all.without(self.opened).without(self.hits)
    }

    /// Hidden cells beside a number.
    pub fn frontier(&self) -> Cells {
        self.opened.grown().and(self.hidden())
    }

    /// The mines around a cell, if it shows them.
    pub fn number(&self, cell: Cell) -> Option<u8> {
        self.opened.contains(cell).then(|| self.numbers[usize::from(cell.row)][usize::from(cell.col)])
    }

    /// Safe cells, seen or not.
    pub fn safe(&self) -> u32 {
        self.all.len() - u32::from(self.mines)
    }

    /// Safe cells that are still hidden.
    pub fn hidden_safe(&self) -> u32 {
        self.safe() - self.opened.len()
    }

    /// Hits that may still be survived, and one more.
    pub fn lives(&self) -> u32 {
        LIVES.saturating_sub(self.hits.len())
    }

    /// A row as text: `.` hidden, `F` flag, digits, `*` hit.
    pub fn line(&self, row: u8) -> String {
        (0..self.cols).fold(String::with_capacity(self.cols.into()), |mut line, col| {
            let cell = Cell { row, col };
            match self.number(cell) {
                Some(number) => _ = write!(line, "{number}"),
                None if self.hits.contains(cell) => line.push('*'),
                None if self.flags.contains(cell) => line.push('F'),
                None => line.push('.'),
            }
            line
        })
    }
}

/// A field with its mines.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    seen: Seen,
    /// Laid when the first cell is revealed.
    mines: Option<Cells>,
}

/// What a move did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Safe cells that it opened.
    pub opened: u32,
    /// The mine that it hit.
    pub hit: Option<Cell>,
}

impl Field {
    /// A field of at most `MAX_ROWS` by `MAX_COLS`, at least nine cells larger than the number of mines.
    pub fn new(rows: u8, cols: u8, mines: u16) -> Self {
        Self { seen: Seen::new(rows, cols, mines), mines: None }
    }

    /// What the player sees.
    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// Where the mines are, once they are laid.
    pub(super) fn mines(&self) -> Option<Cells> {
        self.mines
    }

    /// Puts the mines elsewhere; what is seen must stay true.
    pub(super) fn lay_anew(&mut self, mines: Cells) {
        debug_assert!(mines.len() == u32::from(self.seen.mines) && self.agrees_with(mines));
        self.mines = Some(mines);
    }

    /// Whether mines would explain what is seen.
    pub(super) fn agrees_with(&self, mines: Cells) -> bool {
        let seen = &self.seen;
        let fits = |cell: Cell| seen.number(cell) == Some(mines.count_in_block(cell));
        mines.and(seen.opened).is_empty()
            && seen.hits.without(mines).is_empty()
            && seen.opened.iter().all(fits)
    }

    /// Reveals a hidden cell, marked or not. A cell without mines around opens those around it as well.
    pub fn reveal(&mut self, cell: Cell, rng: &mut Pcg) -> Outcome {
        let seen = &self.seen;
        let mines = *self.mines.get_or_insert_with(|| lay(seen, cell, rng));
        self.open(cell, mines)
    }

    /// Marks a hidden cell, or takes the mark off. True if it is marked now.
    pub fn flag(&mut self, cell: Cell) -> bool {
        let flags = &mut self.seen.flags;
        if flags.contains(cell) {
            flags.remove(cell);
        } else {
            flags.insert(cell);
        }
        flags.contains(cell)
    }

    /// Reveals the unmarked cells around a number that has as many marks and hits around it as it says, row by row up
    /// to the first mine. `None` if it has more or fewer.
    pub fn chord(&mut self, cell: Cell) -> Option<Outcome> {
        let seen = &self.seen;
        let marked = seen.flags.or(seen.hits);
        if seen.number(cell)? != marked.count_in_block(cell) {
            return None;
        }
        let mines = self.mines?;
        let mut all = Outcome::default();
        for cell in Cells::block(cell).and(seen.hidden()).without(marked).iter() {
            // One before it may have opened it.
            if self.seen.opened.contains(cell) {
                continue;
            }
            let outcome = self.open(cell, mines);
            all.opened += outcome.opened;
            all.hit = outcome.hit;
            if all.hit.is_some() {
                break;
            }
        }
        Some(all)
    }

    fn open(&mut self, cell: Cell, mines: Cells) -> Outcome {
        let seen = &mut self.seen;
        if mines.contains(cell) {
            seen.hits.insert(cell);
            seen.flags.remove(cell);
            return Outcome { opened: 0, hit: Some(cell) };
        }
        let fresh = flood(cell, mines, seen.all).without(seen.opened);
        for cell in fresh.iter() {
            seen.numbers[usize::from(cell.row)][usize::from(cell.col)] = mines.count_in_block(cell);
        }
        seen.opened = seen.opened.or(fresh);
        seen.flags = seen.flags.without(fresh);
        Outcome { opened: fresh.len(), hit: None }
    }
}

/// All that a safe cell opens.
fn flood(cell: Cell, mines: Cells, all: Cells) -> Cells {
    let zeros = all.without(mines.grown());
    let mut open = Cells::one(cell);
    loop {
        let wider = open.and(zeros).grown().and(all).or(open);
        if wider == open {
            return open;
        }
        open = wider;
    }
}

/// Lays the mines anywhere but on and around the first cell.
fn lay(seen: &Seen, first: Cell, rng: &mut Pcg) -> Cells {
    let free = seen.all.without(Cells::block(first));
    draw(free, u32::from(seen.mines), rng)
}

/// Some of the cells, all choices alike; all if there are fewer.
pub(super) fn draw(from: Cells, count: u32, rng: &mut Pcg) -> Cells {
    let mut cells: Vec<Cell> = from.iter().collect();
    let count = cells.len().min(count as usize);
    for nth in 0..count {
        let other = nth + rng.below((cells.len() - nth) as u64) as usize;
        cells.swap(nth, other);
    }
    cells.into_iter().take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(row: u8, col: u8) -> Cell {
        Cell { row, col }
    }

    fn text(field: &Field) -> Vec<String> {
        (0..field.seen.rows).map(|row| field.seen.line(row)).collect()
    }

    /// A field of five by five with these mines, nothing revealed.
    fn five(mines: &[(u8, u8)]) -> Field {
        let mut field = Field::new(5, 5, mines.len() as u16);
        field.mines = Some(mines.iter().map(|&(row, col)| cell(row, col)).collect());
        field
    }

    #[test]
    fn the_first_cell_is_never_beside_a_mine() {
        for seed in 0..200 {
            let (mut field, mut rng) = (Field::new(9, 9, 10), Pcg::new(seed));
            let first = cell((seed % 9) as u8, (seed / 9 % 9) as u8);
            let outcome = field.reveal(first, &mut rng);
            assert_eq!(field.seen.number(first), Some(0), "seed {seed}");
            assert!(outcome.hit.is_none() && outcome.opened >= 4);
            assert_eq!(field.mines.unwrap().len(), 10);
        }
    }

    #[test]
    fn a_zero_opens_up_to_the_numbers_around_it() {
        let mut field = five(&[(0, 3), (4, 4)]);
        let outcome = field.reveal(cell(4, 0), &mut Pcg::new(1));
        assert_eq!(text(&field), ["001..", "00111", "00000", "00011", "0001."]);
        assert_eq!((outcome, field.seen.hidden_safe()), (Outcome { opened: 22, hit: None }, 1));
    }

    #[test]
    fn a_mine_costs_a_life_and_stays_shown() {
        let mut field = five(&[(2, 2), (0, 0)]);
        field.flag(cell(2, 2));
        let outcome = field.reveal(cell(2, 2), &mut Pcg::new(1));
        assert_eq!((outcome.hit, field.seen.lives()), (Some(cell(2, 2)), 2));
        assert_eq!(text(&field)[2], "..*..");
        assert!(field.seen.flags.is_empty() && !field.seen.hidden().contains(cell(2, 2)));
    }

    #[test]
    fn a_chord_needs_its_marks_and_trusts_them() {
        let mut field = five(&[(0, 0), (4, 4)]);
        field.reveal(cell(1, 1), &mut Pcg::new(1));
        assert_eq!(field.chord(cell(1, 1)), None, "nothing is marked");
        assert!(field.flag(cell(0, 0)));
        // It opens (0,1), (1,0) and, through zeros, all the rest but the other mine.
        assert_eq!(field.chord(cell(1, 1)), Some(Outcome { opened: 22, hit: None }));
        assert_eq!(text(&field), ["F1000", "11000", "00000", "00011", "0001."]);
        assert_eq!(field.chord(cell(1, 1)), Some(Outcome::default()), "nothing is left to open");
        // A wrong mark: it hits the mine, and the cells behind it stay hidden.
        let mut field = five(&[(0, 0), (4, 4)]);
        field.reveal(cell(1, 1), &mut Pcg::new(1));
        field.flag(cell(2, 2));
        assert_eq!(field.chord(cell(1, 1)), Some(Outcome { opened: 0, hit: Some(cell(0, 0)) }));
        assert_eq!(text(&field)[..3], ["*....", ".1...", "..F.."].map(str::to_owned)[..]);
    }

    #[test]
    fn marks_go_on_and_off_and_fall_when_their_cell_opens() {
        let mut field = five(&[(4, 4)]);
        assert!(field.flag(cell(0, 0)) && !field.flag(cell(0, 0)) && field.flag(cell(0, 0)));
        assert_eq!(text(&field)[0], "F....");
        field.reveal(cell(0, 4), &mut Pcg::new(1));
        assert_eq!(text(&field)[0], "00000");
        assert!(field.seen.flags.is_empty());
    }

    #[test]
    fn draws_are_uniform() {
        let (from, mut rng) = (Cells::field(2, 3), Pcg::new(5));
        let mut counts = [0u32; 6];
        for _ in 0..6000 {
            draw(from, 2, &mut rng).iter().for_each(|cell| {
                counts[usize::from(cell.row * 3 + cell.col)] += 1;
            });
        }
        assert!(counts.iter().all(|count| (1850..2150).contains(count)), "{counts:?}");
        assert_eq!(draw(from, 9, &mut rng), from);
    }
}
