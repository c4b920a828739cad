//! Who is to move, and what a move does: all rules but scores and words.

use std::hash::{Hash, Hasher};

use super::board::Board;
use crate::arena::engine::seats::{Seat, SeatSet};

/// A board with a player to move. Small enough that a search copies it at every node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    board: Board,
    /// Nobody when nobody can move: the game is over.
    mover: Option<Seat>,
    failed: SeatSet,
    /// Where the mover can place a disc: found when the turn was given, asked for several times until it moves.
    moves: u128,
}

impl Hash for Position {
    /// Of what the moves follow from, and not of them.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.board.hash(state);
        self.mover.hash(state);
        self.failed.hash(state);
    }
}

impl Position {
    /// The first player is to move.
    pub fn new(board: Board) -> Self {
        let mut position = Self { board, mover: None, failed: SeatSet::EMPTY, moves: 0 };
        position.pass_on(Seat::new(board.players() - 1));
        position
    }

    /// The discs.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Who is to move; nobody when the game is over.
    pub fn mover(&self) -> Option<Seat> {
        self.mover
    }

    /// Players that gave up. Their discs stay and can be turned.
    pub fn failed(&self) -> SeatSet {
        self.failed
    }

    /// Players without a disc: they can never move again.
    pub fn wiped_out(&self) -> SeatSet {
        Seat::first(self.board.players()).filter(|seat| self.board.count(seat.index()) == 0).collect()
    }

    /// The cells of the player to move, at least one unless the game is over.
    pub fn moves(&self) -> u128 {
        self.moves
    }

    /// Plays one of the [`Self::moves`]. Returns the turned discs and who has to pass now.
    pub fn play(&mut self, cell: u128) -> (u128, SeatSet) {
        let Some(mover) = self.mover else { return (0, SeatSet::EMPTY) };
        let flips = self.board.place(mover.index(), cell);
        (flips, self.pass_on(mover))
    }

    /// Takes a player out. Returns who has to pass now.
    pub fn fail(&mut self, seat: Seat) -> SeatSet {
        self.failed.insert(seat);
        let active = SeatSet::first(self.board.players()).without(self.failed).without(self.wiped_out());
        if active.len() <= 1 {
            (self.mover, self.moves) = (None, 0);
        } else if self.mover == Some(seat) {
            return self.pass_on(seat);
        }
        SeatSet::EMPTY
    }

    /// Gives the turn to the next player that can move, the last one included. Returns those it skips.
    fn pass_on(&mut self, last: Seat) -> SeatSet {
        let players = self.board.players();
        let order = (1..=players).map(|step| Seat::new((last.index() as u8 + step) % players));
        let mut passes = SeatSet::EMPTY;
        for seat in order.filter(|&seat| !self.failed.contains(seat)) {
            let moves = self.board.moves(seat.index());
            if moves != 0 {
                (self.mover, self.moves) = (Some(seat), moves);
                return passes;
            }
            if self.board.count(seat.index()) > 0 {
                passes.insert(seat);
            }
        }
        // Nobody can move: that is the end and not a pass.
        (self.mover, self.moves) = (None, 0);
        SeatSet::EMPTY
    }

    /// Own discs less the others' mean, times the number of others, so that it stays whole. When the game of two
    /// is over, the empty cells belong to the winner.
    pub fn lead(&self, player: usize) -> i32 {
        let (board, others) = (&self.board, i32::from(self.board.players()) - 1);
        let own = board.count(player) as i32;
        let lead = own * others - (board.occupied().count_ones() as i32 - own);
        if self.mover.is_none() && others == 1 {
            lead + lead.signum() * board.empty().count_ones() as i32
        } else {
            lead
        }
    }
}
