//! The grid: which serpent lies on each cell and where food is.
//!
//! A body is a chain in the grid: each of its cells points to the next one towards the head, so a step writes two
//! cells however long the serpent is, and a copy of the whole is a few hundred bytes.

/// Cells of the largest grid.
pub(super) const MAX_CELLS: usize = 19 * 15;

/// A way to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Towards row 0.
    Up,
    /// Away from row 0.
    Down,
    /// Towards column 0.
    Left,
    /// Away from column 0.
    Right,
}

impl Direction {
    /// All four, in the order of their words on the wire.
    pub const ALL: [Self; 4] = [Self::Up, Self::Down, Self::Left, Self::Right];

    /// The other way.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

/// A cell by its number, row by row from the top left.
pub type Cell = u16;

/// What lies where.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Grid {
    width: u8,
    height: u8,
    n_food: u8,
    /// 0 free, [`FOOD`], or [`BODY`] with the owner and the direction of the next segment.
    cells: [u8; MAX_CELLS],
}

const FOOD: u8 = 0x40;
const BODY: u8 = 0x80;

impl Grid {
    /// A free grid of at most 285 cells.
    pub fn new(width: u8, height: u8) -> Self {
        debug_assert!(usize::from(width) * usize::from(height) <= MAX_CELLS, "the grid is too large");
        Self { width, height, n_food: 0, cells: [0; MAX_CELLS] }
    }

    /// Columns.
    pub fn width(&self) -> u8 {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> u8 {
        self.height
    }

    /// How many cells there are.
    pub fn n_cells(&self) -> u16 {
        u16::from(self.width) * u16::from(self.height)
    }

    /// The cell in this column and row.
    pub fn at(&self, x: u8, y: u8) -> Cell {
        u16::from(y) * u16::from(self.width) + u16::from(x)
    }

    /// Column and row of a cell.
    pub fn position(&self, cell: Cell) -> (u8, u8) {
        ((cell % u16::from(self.width)) as u8, (cell / u16::from(self.width)) as u8)
    }

    /// The neighbouring cell, `None` outside.
    pub fn step(&self, cell: Cell, direction: Direction) -> Option<Cell> {
        let width = u16::from(self.width);
        match direction {
            Direction::Up => cell.checked_sub(width),
            Direction::Down => Some(cell + width).filter(|&cell| cell < self.n_cells()),
            Direction::Left => (!cell.is_multiple_of(width)).then(|| cell - 1),
            Direction::Right => (cell % width != width - 1).then(|| cell + 1),
        }
    }

    /// How far two cells are apart, in steps.
    pub fn distance(&self, one: Cell, other: Cell) -> u16 {
        let ((x1, y1), (x2, y2)) = (self.position(one), self.position(other));
        u16::from(x1.abs_diff(x2)) + u16::from(y1.abs_diff(y2))
    }

    /// Whether neither a body nor food is there.
    pub fn is_free(&self, cell: Cell) -> bool {
        self.cells[usize::from(cell)] == 0
    }

    /// Whether food is there.
    pub fn is_food(&self, cell: Cell) -> bool {
        self.cells[usize::from(cell)] == FOOD
    }

    /// The number of the serpent whose body is there.
    pub fn owner(&self, cell: Cell) -> Option<usize> {
        let value = self.cells[usize::from(cell)];
        (value & BODY != 0).then_some(usize::from(value >> 2 & 7))
    }

    /// Whether a body is there.
    pub fn is_body(&self, cell: Cell) -> bool {
        self.cells[usize::from(cell)] & BODY != 0
    }

    /// From a cell of a body to the next one towards the head.
    pub fn towards_head(&self, cell: Cell) -> Option<Cell> {
        let next = Direction::ALL[usize::from(self.cells[usize::from(cell)] & 3)];
        self.step(cell, next)
    }

    /// Cells with food.
    pub fn n_food(&self) -> u8 {
        self.n_food
    }

    /// The cells with food, in order.
    pub fn food(&self) -> impl Iterator<Item = Cell> {
        (0..self.n_cells()).filter(|&cell| self.is_food(cell))
    }

    /// Puts food on a free cell.
    pub fn put_food(&mut self, cell: Cell) {
        debug_assert!(self.is_free(cell), "food lies on free cells");
        self.cells[usize::from(cell)] = FOOD;
        self.n_food += 1;
    }

    /// Takes the food away, if there is some.
    pub fn take_food(&mut self, cell: Cell) {
        if self.is_food(cell) {
            self.cells[usize::from(cell)] = 0;
            self.n_food -= 1;
        }
    }

    /// Puts a head on a cell.
    pub fn put_head(&mut self, cell: Cell, owner: usize) {
        self.cells[usize::from(cell)] = BODY | (owner as u8) << 2;
    }

    /// Says where the next segment of a body is.
    pub fn point(&mut self, cell: Cell, direction: Direction) {
        let value = &mut self.cells[usize::from(cell)];
        *value = *value & !3 | direction as u8;
    }

    /// Takes a piece of a body away.
    pub fn clear(&mut self, cell: Cell) {
        self.cells[usize::from(cell)] = 0;
    }
}
