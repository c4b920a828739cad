//! A search that remembers positions, and sees the end when few cells are left.

use super::super::Board;
use super::{Chooser, WIN, bits, lines};
use crate::arena::engine::rng::Pcg;

/// Cells that may be empty for a search to the end.
const SOLVED_FROM: u32 = 22;
/// Places in the table: a power of two. With 16 bytes each, 2 MiB.
const TABLE: usize = 1 << 17;

/// Searches so many plies, and to the end when few cells are left.
pub(super) struct Solver {
    depth: u32,
    table: Vec<Known>,
}

/// What is known of a position.
#[derive(Debug, Clone, Copy)]
struct Known {
    key: u64,
    value: i32,
    depth: u8,
    bound: Bound,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

impl Solver {
    pub(super) fn new(depth: u32) -> Self {
        Self { depth, table: Vec::new() }
    }

    /// Makes the table when it is first needed: many players are made that never play.
    fn prepare(&mut self) {
        self.table.resize(TABLE, Known { key: 0, value: 0, depth: 0, bound: Bound::AtMost });
    }

    /// The value of a board for the player to move: exact within the window, else a bound of it.
    fn search(&mut self, board: &Board, depth: u32, mut alpha: i32, mut beta: i32) -> i32 {
        let mut drops = board.drops();
        if drops == 0 {
            return 0;
        }
        let ply = i32::from(board.ply());
        if drops & board.threats(board.mover()) != 0 {
            return WIN - ply - 1;
        }
        let threats = board.threats(board.mover() ^ 1);
        let blocks = drops & threats;
        if blocks != 0 {
            // Two threats cannot both be blocked.
            if !blocks.is_power_of_two() {
                return ply + 2 - WIN;
            }
            drops = blocks;
        }
        if depth == 0 {
            return lines(board, board.mover()) - lines(board, board.mover() ^ 1);
        }
        let key = board.key();
        let place = place_of(key);
        let known = self.table[place];
        if known.key == key && u32::from(known.depth) >= depth {
            match known.bound {
                Bound::Exact => return known.value,
                Bound::AtLeast => alpha = alpha.max(known.value),
                Bound::AtMost => beta = beta.min(known.value),
            }
            if alpha >= beta {
                return known.value;
            }
        }
        let (mut best, floor) = (-WIN, alpha);
        for cell in from_the_centre(board, drops) {
            // Under a cell that the other needs: it takes that next.
            if cell << 1 & threats != 0 {
                best = best.max(ply + 2 - WIN);
                continue;
            }
            let mut next = *board;
            next.place(cell);
            best = best.max(-self.search(&next, depth - 1, -beta, -alpha.max(best)));
            if best >= beta {
                break;
            }
        }
        let bound = if best >= beta {
            Bound::AtLeast
        } else if best > floor {
            Bound::Exact
        } else {
            Bound::AtMost
        };
        self.table[place] = Known { key, value: best, depth: depth as u8, bound };
        best
    }
}

impl Chooser for Solver {
    fn choose(&mut self, board: &Board, rng: &mut Pcg) -> u64 {
        self.prepare();
        let empty = u32::from(board.width() * board.height() - board.ply());
        let depth = if empty <= SOLVED_FROM { empty } else { self.depth };
        let mut drops: Vec<u64> = bits(board.drops()).collect();
        rng.shuffle(&mut drops);
        let (mut best, mut best_value) = (drops[0], -WIN);
        for &cell in &drops {
            let mut next = *board;
            next.place(cell);
            let value = match next.winner() {
                Some(_) => WIN,
                None => -self.search(&next, depth - 1, -WIN, -best_value),
            };
            if value > best_value {
                (best, best_value) = (cell, value);
            }
        }
        best
    }
}

/// Where a position is remembered.
fn place_of(key: u64) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - TABLE.ilog2())) as usize
}

/// The cells of a set from the centre outwards: the best moves are there, and finding them first prunes most.
pub(super) fn from_the_centre(board: &Board, cells: u64) -> impl Iterator<Item = u64> {
    let board = *board;
    let middle = board.width() / 2;
    (0..=2 * middle).filter_map(move |nth| {
        let column = if nth % 2 == 0 { middle + nth / 2 } else { middle.wrapping_sub(nth / 2 + 1) };
        let cell = if column < board.width() { cells & board.column(column) } else { 0 };
        (cell != 0).then_some(cell)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wins 1, draws 0, losses -1, for the first player.
    fn solved(width: u8, height: u8) -> i32 {
        let mut solver = Solver::new(0);
        solver.prepare();
        solver.search(&Board::new(width, height), u32::from(width * height), -1, 1).signum()
    }

    #[test]
    fn small_boards_have_the_values_that_are_known() {
        // J. Tromp's table of solved sizes (tromp.github.io/c4/c4.html).
        for (width, height, value) in [(4, 4, 0), (5, 4, 0), (4, 5, 0), (6, 4, -1)] {
            assert_eq!(solved(width, height), value, "{width}x{height}");
        }
    }

    #[test]
    #[ignore = "minutes without optimisation"]
    fn larger_boards_have_the_values_that_are_known() {
        for (width, height) in [(5, 5), (7, 4), (6, 5)] {
            assert_eq!(solved(width, height), 0, "{width}x{height}");
        }
    }

    #[test]
    fn what_it_remembers_changes_no_value() {
        let mut rng = Pcg::new(3);
        for _ in 0..12 {
            let mut board = Board::new(5, 5);
            while board.ply() < 13 {
                let drops: Vec<u64> = bits(board.drops()).collect();
                board.place(drops[rng.below(drops.len() as u64) as usize]);
            }
            if board.winner().is_some() {
                continue;
            }
            let mut solver = Solver::new(0);
            solver.prepare();
            let depth = 25 - u32::from(board.ply());
            let plain = super::super::negamax(&board, depth, -WIN, WIN);
            assert_eq!(solver.search(&board, depth, -WIN, WIN), plain, "{board:?}");
        }
    }
}
