//! The board as two bit sets, one bit a cell.
//!
//! Column-major, `height + 1` bits a column; the extra bit on top stays empty, so that a line never runs from one
//! column into the next (the layout is described by J. Tromp, tromp.github.io/c4/c4.html).

/// The most columns.
pub const MAX_WIDTH: u8 = 8;

/// Discs on a board of any allowed size. Player 0 moves first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    discs: [u64; 2],
    width: u8,
    height: u8,
    ply: u8,
}

impl Board {
    /// An empty board: at most 8 columns and 7 rows, so that 64 bits hold it.
    pub fn new(width: u8, height: u8) -> Self {
        Self { discs: [0; 2], width, height, ply: 0 }
    }

    /// Columns.
    pub fn width(&self) -> u8 {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> u8 {
        self.height
    }

    /// Discs on the board.
    pub fn ply(&self) -> u8 {
        self.ply
    }

    /// Whose turn it is.
    pub fn mover(&self) -> usize {
        usize::from(self.ply & 1)
    }

    /// A player's discs.
    pub fn discs(&self, player: usize) -> u64 {
        self.discs[player]
    }

    /// The cells in which a disc can come to rest now, at most one a column.
    pub fn drops(&self) -> u64 {
        // A full column carries into its extra bit, which is no cell.
        (self.occupied() + self.bottoms()) & self.cells()
    }

    /// A number that no other position of boards of this size has.
    pub fn key(&self) -> u64 {
        // The mover's discs, and above them in each column a one that says where it ends.
        self.discs[self.mover()] + self.occupied() + self.bottoms()
    }

    /// The cells of a column.
    pub fn column(&self, column: u8) -> u64 {
        ((1 << self.height) - 1) << (column * (self.height + 1))
    }

    /// Whether a disc fits into the column.
    pub fn fits(&self, column: u8) -> bool {
        column < self.width && self.drops() & self.column(column) != 0
    }

    /// Drops the mover's disc into a column that has room.
    pub fn drop_in(&mut self, column: u8) {
        self.place(self.drops() & self.column(column));
    }

    /// Puts the mover's disc into one of the [`Self::drops`].
    pub fn place(&mut self, cell: u64) {
        debug_assert!(cell.is_power_of_two() && cell & self.drops() != 0, "a disc rests on others");
        self.discs[self.mover()] |= cell;
        self.ply += 1;
    }

    /// The player whose last disc made a line of four. Only the last one to move can have.
    pub fn winner(&self) -> Option<usize> {
        let last = self.mover() ^ 1;
        (self.fours(self.discs[last]) != 0).then_some(last)
    }

    /// Whether every cell is taken.
    pub fn is_full(&self) -> bool {
        self.ply == self.width * self.height
    }

    /// How many discs lie in the column.
    pub fn discs_in(&self, column: u8) -> u8 {
        (self.occupied() & self.column(column)).count_ones() as u8
    }

    /// What lies in the cell, row 0 at the bottom: nothing (0) or a disc of the first (1) or second player (2).
    pub fn disc(&self, column: u8, row: u8) -> u8 {
        let bit = column * (self.height + 1) + row;
        let (first, second) = (self.discs[0] >> bit & 1, self.discs[1] >> bit & 1);
        (first + 2 * second) as u8
    }

    /// The column and row of a cell.
    pub fn position(&self, cell: u64) -> (u8, u8) {
        let bit = cell.trailing_zeros() as u8;
        (bit / (self.height + 1), bit % (self.height + 1))
    }

    /// The cells of all finished lines of four of a player.
    pub fn winning_cells(&self, player: usize) -> u64 {
        self.steps().into_iter().fold(0, |cells, step| {
            let start = line(self.discs[player], step);
            cells | start | start << step | start << (2 * step) | start << (3 * step)
        })
    }

    /// The empty cells that would complete a line of four, whether or not a disc can rest there now.
    pub fn threats(&self, player: usize) -> u64 {
        let own = self.discs[player];
        let cells = self.steps().into_iter().fold(0, |cells, step| {
            let two_below = own << step & own << (2 * step);
            let two_above = own >> step & own >> (2 * step);
            cells
                | two_below & (own << (3 * step) | own >> step)
                | two_above & (own >> (3 * step) | own << step)
        });
        cells & self.cells() & !self.occupied()
    }

    /// How many lines of four cells hold exactly one, two and three discs of the player and none of the other's.
    pub fn open_lines(&self, player: usize) -> [u32; 3] {
        let own = self.discs[player];
        let free = self.cells() & !self.discs[player ^ 1];
        self.steps().into_iter().fold([0; 3], |mut counts, step| {
            let open = line(free, step);
            let [a, b, c, d] = [own, own >> step, own >> (2 * step), own >> (3 * step)];
            // Adds the four bits of each line at once: `low + 2 * high`, lines of four discs aside.
            let (ab, cd) = (a ^ b, c ^ d);
            let low = ab ^ cd;
            let high = (a & b) ^ (c & d) ^ (ab & cd);
            counts[0] += (open & low & !high).count_ones();
            counts[1] += (open & !low & high).count_ones();
            counts[2] += (open & low & high).count_ones();
            counts
        })
    }

    fn fours(&self, own: u64) -> u64 {
        self.steps().into_iter().fold(0, |lines, step| lines | line(own, step))
    }

    /// Bit distances of neighbours: up, right, right and down, right and up.
    fn steps(&self) -> [u32; 4] {
        let height = u32::from(self.height);
        [1, height + 1, height, height + 2]
    }

    fn occupied(&self) -> u64 {
        self.discs[0] | self.discs[1]
    }

    fn bottoms(&self) -> u64 {
        // A wider board has more of them; what is beyond the last column is cut off.
        BOTTOMS[usize::from(self.height)] & ((1 << (self.width * (self.height + 1) - 1)) - 1)
    }

    fn cells(&self) -> u64 {
        self.bottoms() * ((1 << self.height) - 1)
    }
}

/// The lowest cells of [`MAX_WIDTH`] columns, by the board's height.
static BOTTOMS: [u64; 8] = {
    let mut all = [0; 8];
    let mut height = 1;
    while height < all.len() {
        let mut column = 0;
        while column < MAX_WIDTH as usize {
            all[height] |= 1 << (column * (height + 1));
            column += 1;
        }
        height += 1;
    }
    all
};

/// The first cell of every line of four within the set.
fn line(set: u64, step: u32) -> u64 {
    let pairs = set & set >> step;
    pairs & pairs >> (2 * step)
}

#[cfg(test)]
mod tests;
