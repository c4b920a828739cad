//! The board as bit sets, one a player, one bit a cell.
//!
//! Row-major with one column more than the board has; the extra column stays empty, so that a line never runs from
//! one row into the next. Ten rows of eleven bits are the largest.

/// The largest board.
pub const MAX_SIZE: u8 = 10;
/// The most players.
const MAX_PLAYERS: usize = 4;

/// All [`Board::steps`] are less: with this mask the compiler knows it, and shifts in half the instructions.
const SHORT: u8 = 15;

/// Discs on a board of 4, 6, 8 or 10 rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    discs: [u128; MAX_PLAYERS],
    size: u8,
    players: u8,
}

/// The cells of a board, by its size.
static CELLS: [u128; MAX_SIZE as usize + 1] = {
    let mut all = [0; MAX_SIZE as usize + 1];
    let mut size = 1;
    while size <= MAX_SIZE {
        let mut row = 0;
        while row < size {
            all[size as usize] |= ((1 << size) - 1) << (row * (size + 1));
            row += 1;
        }
        size += 1;
    }
    all
};

impl Board {
    /// The first position of two players, on 4, 6 or 8 rows.
    pub fn of_two(size: u8) -> Self {
        let mut board = Self { discs: [0; MAX_PLAYERS], size, players: 2 };
        let (low, high) = (size / 2 - 1, size / 2);
        board.discs[0] = board.cell(high, low) | board.cell(low, high);
        board.discs[1] = board.cell(low, low) | board.cell(high, high);
        board
    }

    /// The first position of four players, on ten rows.
    pub fn of_four() -> Self {
        let mut board = Self { discs: [0; MAX_PLAYERS], size: MAX_SIZE, players: 4 };
        for (row, col) in (0..16).map(|nth| (nth / 4, nth % 4)) {
            board.discs[usize::from((row + col) % 4)] |= board.cell(row + 3, col + 3);
        }
        board
    }

    /// A position of two players as a diagram, rows from the top: `0` and `1` are their discs.
    #[cfg(test)]
    pub fn drawn(rows: &[&str]) -> Self {
        let mut board = Self { discs: [0; MAX_PLAYERS], size: rows.len() as u8, players: 2 };
        for (row, line) in rows.iter().enumerate() {
            for (col, glyph) in line.chars().enumerate() {
                if let Some(player) = glyph.to_digit(10) {
                    board.discs[player as usize] |= board.cell(row as u8, col as u8);
                }
            }
        }
        board
    }

    /// Rows, and columns.
    pub fn size(&self) -> u8 {
        self.size
    }

    /// How many players there are.
    pub fn players(&self) -> u8 {
        self.players
    }

    /// All cells.
    pub fn cells(&self) -> u128 {
        CELLS[usize::from(self.size)]
    }

    /// The bit of a cell.
    pub fn cell(&self, row: u8, col: u8) -> u128 {
        1 << (row * (self.size + 1) + col)
    }

    /// The row and column of a cell.
    pub fn position(&self, cell: u128) -> (u8, u8) {
        let bit = cell.trailing_zeros() as u8;
        (bit / (self.size + 1), bit % (self.size + 1))
    }

    /// A player's discs.
    pub fn discs(&self, player: usize) -> u128 {
        self.discs[player]
    }

    /// How many discs a player has.
    pub fn count(&self, player: usize) -> u32 {
        self.discs[player].count_ones()
    }

    /// All discs.
    pub fn occupied(&self) -> u128 {
        self.discs[0] | self.discs[1] | self.discs[2] | self.discs[3]
    }

    /// The cells without a disc.
    pub fn empty(&self) -> u128 {
        self.cells() & !self.occupied()
    }

    /// Who has each cell of a row: the player's number, or -1.
    pub fn row(&self, row: u8) -> impl Iterator<Item = i8> {
        let lines = self.discs.map(|discs| (discs >> (row * (self.size + 1))) as u16);
        (0..self.size).map(move |col| {
            let disc = |(line, number): (&u16, i8)| (line >> col & 1) as i8 * number;
            // No two players have one cell.
            lines.iter().zip(1..).map(disc).sum::<i8>() - 1
        })
    }

    /// The cells in which a player may place a disc.
    pub fn moves(&self, player: usize) -> u128 {
        let own = self.discs[player];
        let theirs = self.occupied() & !own;
        let longest = self.size - 2;
        let mut found = 0;
        for step in self.steps() {
            found |= beyond(own, theirs, longest, |bits| bits << (step & SHORT));
            found |= beyond(own, theirs, longest, |bits| bits >> (step & SHORT));
        }
        found & self.empty()
    }

    /// The discs that turn when the player places one in an empty cell; none when that is no legal move.
    pub fn flips(&self, player: usize, cell: u128) -> u128 {
        let own = self.discs[player];
        let theirs = self.occupied() & !own;
        self.steps().into_iter().fold(0, |flips, step| {
            flips
                | enclosed(cell, own, theirs, |bits| bits << (step & SHORT))
                | enclosed(cell, own, theirs, |bits| bits >> (step & SHORT))
        })
    }

    /// Places a disc in one of the [`Self::moves`] and returns what it turned.
    pub fn place(&mut self, player: usize, cell: u128) -> u128 {
        let flips = self.flips(player, cell);
        debug_assert!(flips != 0 && cell & self.occupied() == 0, "a move turns discs");
        for discs in &mut self.discs {
            *discs &= !flips;
        }
        self.discs[player] |= flips | cell;
        flips
    }

    /// The four corners.
    pub fn corners(&self) -> u128 {
        let last = self.size - 1;
        self.cell(0, 0) | self.cell(0, last) | self.cell(last, 0) | self.cell(last, last)
    }

    /// The cells next to a set of corners along a diagonal: who plays there gives the corner away.
    pub fn beside_diagonally(&self, corners: u128) -> u128 {
        let [_, _, falling, rising] = self.steps();
        (corners << falling | corners >> falling | corners << rising | corners >> rising) & self.cells()
    }

    /// The cells next to a set of corners along the edges.
    pub fn beside_on_edge(&self, corners: u128) -> u128 {
        let [across, down, ..] = self.steps();
        (corners << across | corners >> across | corners << down | corners >> down) & self.cells()
    }

    /// The outermost rows and columns.
    pub fn edges(&self) -> u128 {
        let inner = CELLS[usize::from(self.size)];
        let [across, down, ..] = self.steps();
        // A cell is inside when all four neighbours are cells.
        inner & !(inner << across & inner >> across & inner << down & inner >> down)
    }

    /// Distances of neighbours: along a row, a column, a falling and a rising diagonal.
    fn steps(&self) -> [u8; 4] {
        let row = self.size + 1;
        [1, row, row + 1, row - 1]
    }
}

/// The cells behind unbroken runs of `theirs` that begin next to a disc of `own`.
fn beyond(own: u128, theirs: u128, longest: u8, shift: impl Fn(u128) -> u128) -> u128 {
    let mut run = shift(own) & theirs;
    for _ in 1..longest {
        run |= shift(run) & theirs;
    }
    shift(run)
}

/// The run of `theirs` next to a cell, if a disc of `own` is behind it.
fn enclosed(cell: u128, own: u128, theirs: u128, shift: impl Fn(u128) -> u128) -> u128 {
    let mut run = 0;
    let mut next = shift(cell);
    while next & theirs != 0 {
        run |= next;
        next = shift(next);
    }
    if next & own == 0 { 0 } else { run }
}

/// The single cells of a set.
pub fn bits(mut set: u128) -> impl Iterator<Item = u128> + Clone {
    std::iter::from_fn(move || {
        let bit = set & set.wrapping_neg();
        set ^= bit;
        (bit != 0).then_some(bit)
    })
}
