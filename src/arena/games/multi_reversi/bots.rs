//! The ladder of built-in players, for two seats and for four.

use super::board::{Board, bits};
use super::{MultiReversi, Position, View, action_at};
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::seats::Seat;
use crate::arena::engine::{Bot, BotSpec};

/// Weakest first.
pub(super) const ALL: &[BotSpec<MultiReversi>] = &[
    BotSpec { name: "random", about: "any legal cell", make: |stream| boxed(stream, Random) },
    BotSpec { name: "flips", about: "turns the most discs", make: |stream| boxed(stream, Flips) },
    BotSpec {
        name: "positional",
        about: "looks one move ahead: corners, edges, mobility",
        make: |stream| boxed(stream, Search { depth: 1, exact: 0 }),
    },
    BotSpec {
        name: "ab2",
        about: "alpha-beta search of 2 plies; with four seats all others are taken for enemies",
        make: |stream| boxed(stream, Search { depth: 2, exact: 0 }),
    },
    BotSpec {
        name: "ab3",
        about: "alpha-beta search of 3 plies",
        make: |stream| boxed(stream, Search { depth: 3, exact: 0 }),
    },
    BotSpec {
        name: "ab4",
        about: "alpha-beta search of 4 plies",
        make: |stream| boxed(stream, Search { depth: 4, exact: 0 }),
    },
    BotSpec {
        name: "ab4x10",
        about: "ab4, and to the end when ten cells are empty",
        make: |stream| boxed(stream, Search { depth: 4, exact: 10 }),
    },
    BotSpec {
        name: "ab5x10",
        about: "ab4x10 with 5 plies",
        make: |stream| boxed(stream, Search { depth: 5, exact: 10 }),
    },
];

/// Chooses one of the moves of a position, of which there is at least one.
trait Chooser: Send + 'static {
    fn choose(&self, position: &Position, rng: &mut Pcg) -> u128;
}

struct Seated<C> {
    chooser: C,
    rng: Pcg,
}

impl<C: Chooser> Bot<MultiReversi> for Seated<C> {
    fn act(&mut self, view: &View<'_>) -> super::Action {
        let cell = self.chooser.choose(view.position, &mut self.rng);
        action_at(view.position.board(), cell)
    }
}

fn boxed<C: Chooser>(stream: u64, chooser: C) -> Box<dyn Bot<MultiReversi>> {
    Box::new(Seated { chooser, rng: Pcg::new(stream) })
}

struct Random;

impl Chooser for Random {
    fn choose(&self, position: &Position, rng: &mut Pcg) -> u128 {
        let moves = position.moves();
        let nth = rng.below(u64::from(moves.count_ones())) as usize;
        bits(moves).nth(nth).expect("the draw is below the count")
    }
}

struct Flips;

impl Chooser for Flips {
    fn choose(&self, position: &Position, rng: &mut Pcg) -> u128 {
        let player = position.mover().map_or(0, Seat::index);
        best(position, rng, |cell, _| position.board().flips(player, cell).count_ones() as i32)
    }
}

/// Looks ahead as if all other seats played against this one together.
struct Search {
    /// Plies.
    depth: u32,
    /// Cells that may be empty for a search to the end.
    exact: u32,
}

/// More than any value of a position.
const INFINITE: i32 = 1 << 30;
/// What a disc is worth when the game is over: more than anything before.
const DISC: i32 = 10_000;

impl Chooser for Search {
    fn choose(&self, position: &Position, rng: &mut Pcg) -> u128 {
        let me = position.mover().map_or(0, Seat::index);
        let empty = position.board().empty().count_ones();
        let depth = if empty <= self.exact { empty } else { self.depth };
        best(position, rng, |cell, floor| {
            let mut next = *position;
            next.play(cell);
            value(&next, me, depth - 1, floor, INFINITE)
        })
    }
}

/// The move with the highest value; `value` is told the best so far. Equal ones are chosen between at random.
fn best(position: &Position, rng: &mut Pcg, mut value: impl FnMut(u128, i32) -> i32) -> u128 {
    let mut moves: Vec<u128> = bits(position.moves()).collect();
    rng.shuffle(&mut moves);
    let (mut best, mut highest) = (moves[0], -INFINITE);
    for cell in moves {
        let value = value(cell, highest);
        if value > highest {
            (best, highest) = (cell, value);
        }
    }
    best
}

/// The value of a position for `me`, exact within the window.
fn value(position: &Position, me: usize, depth: u32, mut alpha: i32, mut beta: i32) -> i32 {
    let Some(mover) = position.mover() else { return DISC * position.lead(me) };
    if depth == 0 {
        return estimate(position.board(), me);
    }
    let (board, moves) = (position.board(), position.moves());
    let mine = mover.index() == me;
    // Good moves first, bad ones last: that prunes most.
    let corners = moves & board.corners();
    let traps = moves & board.beside_diagonally(board.corners());
    for cell in bits(corners).chain(bits(moves & !corners & !traps)).chain(bits(traps)) {
        let mut next = *position;
        next.play(cell);
        let value = value(&next, me, depth - 1, alpha, beta);
        if mine {
            alpha = alpha.max(value);
        } else {
            beta = beta.min(value);
        }
        if alpha >= beta {
            break;
        }
    }
    if mine { alpha } else { beta }
}

/// What discs and freedom to move are worth, own less the others' mean, times the number of others.
fn estimate(board: &Board, me: usize) -> i32 {
    let players = usize::from(board.players());
    let open = board.corners() & board.empty();
    let masks = [
        (board.corners(), 30),
        (board.beside_diagonally(open), -12),
        (board.beside_on_edge(open), -6),
        (board.edges(), 2),
    ];
    let worth = |player: usize| {
        let discs = board.discs(player);
        let places: i32 =
            masks.iter().map(|(mask, weight)| (discs & mask).count_ones() as i32 * weight).sum();
        places + 4 * board.moves(player).count_ones() as i32
    };
    (0..players)
        .map(|player| if player == me { worth(me) * (players as i32 - 1) } else { -worth(player) })
        .sum()
}

#[cfg(test)]
mod tests;
