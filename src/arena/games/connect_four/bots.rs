//! The ladder of built-in players.

mod solver;

use self::solver::Solver;
use super::{Action, Board, ConnectFour, View, centre_weight};
use crate::arena::engine::rng::Pcg;
use crate::arena::engine::{Bot, BotSpec};

/// Weakest first.
pub(super) const ALL: &[BotSpec<ConnectFour>] = &[
    BotSpec { name: "random", about: "any column with room", make: |stream| boxed(stream, Random) },
    BotSpec { name: "centre", about: "random, but prefers the centre", make: |stream| boxed(stream, Centre) },
    BotSpec {
        name: "block",
        about: "wins if it can, else blocks, else plays at random",
        make: |stream| boxed(stream, Block),
    },
    BotSpec {
        name: "uct50",
        about: "Monte Carlo tree search, 50 random games a move",
        make: |stream| boxed(stream, Uct { games: 50 }),
    },
    BotSpec {
        name: "uct500",
        about: "Monte Carlo tree search, 500 random games a move",
        make: |stream| boxed(stream, Uct { games: 500 }),
    },
    BotSpec {
        name: "ab2",
        about: "alpha-beta search of 2 plies, counts open lines",
        make: |stream| boxed(stream, AlphaBeta { depth: 2 }),
    },
    BotSpec {
        name: "ab4",
        about: "alpha-beta search of 4 plies, counts open lines",
        make: |stream| boxed(stream, AlphaBeta { depth: 4 }),
    },
    BotSpec {
        name: "ab8",
        about: "alpha-beta search of 8 plies, counts open lines",
        make: |stream| boxed(stream, AlphaBeta { depth: 8 }),
    },
    BotSpec {
        name: "solver",
        about: "alpha-beta search of 10 plies that remembers positions, and of all when 22 cells are left",
        make: |stream| boxed(stream, Solver::new(10)),
    },
];

/// Chooses the cell of the next disc. At least one disc fits.
trait Chooser: Send + 'static {
    fn choose(&mut self, board: &Board, rng: &mut Pcg) -> u64;
}

struct Seated<C> {
    chooser: C,
    rng: Pcg,
}

impl<C: Chooser> Bot<ConnectFour> for Seated<C> {
    fn act(&mut self, view: &View<'_>) -> Action {
        let cell = self.chooser.choose(view.board, &mut self.rng);
        Action::Drop { column: view.board.position(cell).0 }
    }
}

fn boxed<C: Chooser>(stream: u64, chooser: C) -> Box<dyn Bot<ConnectFour>> {
    Box::new(Seated { chooser, rng: Pcg::new(stream) })
}

struct Random;

impl Chooser for Random {
    fn choose(&mut self, board: &Board, rng: &mut Pcg) -> u64 {
        any_of(board.drops(), rng)
    }
}

struct Centre;

impl Chooser for Centre {
    fn choose(&mut self, board: &Board, rng: &mut Pcg) -> u64 {
        let weighted: Vec<(u64, f32)> = bits(board.drops())
            .map(|cell| (cell, centre_weight(board.width(), board.position(cell).0)))
            .collect();
        *rng.weighted(&weighted).expect("a bot is asked only while there is a column with room")
    }
}

struct Block;

impl Chooser for Block {
    fn choose(&mut self, board: &Board, rng: &mut Pcg) -> u64 {
        let drops = board.drops();
        let wins = drops & board.threats(board.mover());
        let blocks = drops & board.threats(board.mover() ^ 1);
        let best = [wins, blocks, drops].into_iter().find(|&cells| cells != 0);
        any_of(best.unwrap_or(drops), rng)
    }
}

struct AlphaBeta {
    depth: u32,
}

/// More than any count of lines; a win later is worth less.
const WIN: i32 = 1_000_000;

impl Chooser for AlphaBeta {
    fn choose(&mut self, board: &Board, rng: &mut Pcg) -> u64 {
        let mut drops: Vec<u64> = bits(board.drops()).collect();
        // Equal moves are chosen at random: the first of them wins.
        rng.shuffle(&mut drops);
        let (mut best, mut best_value) = (drops[0], -WIN);
        for &cell in &drops {
            let mut next = *board;
            next.place(cell);
            let value = match next.winner() {
                Some(_) => WIN,
                None => -negamax(&next, self.depth - 1, -WIN, -best_value),
            };
            if value > best_value {
                (best, best_value) = (cell, value);
            }
        }
        best
    }
}

/// The value of a board for the player to move, exact within the window.
fn negamax(board: &Board, depth: u32, mut alpha: i32, beta: i32) -> i32 {
    let mut drops = board.drops();
    if drops == 0 {
        return 0;
    }
    let ply = i32::from(board.ply());
    if drops & board.threats(board.mover()) != 0 {
        return WIN - ply - 1;
    }
    let blocks = drops & board.threats(board.mover() ^ 1);
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
    for cell in solver::from_the_centre(board, drops) {
        let mut next = *board;
        next.place(cell);
        alpha = alpha.max(-negamax(&next, depth - 1, -beta, -alpha));
        if alpha >= beta {
            break;
        }
    }
    alpha
}

fn lines(board: &Board, player: usize) -> i32 {
    let [ones, twos, threes] = board.open_lines(player);
    (ones + 4 * twos + 16 * threes) as i32
}

struct Uct {
    games: u32,
}

/// A board that the search has seen. Values are for the player who moved into it.
struct Node {
    board: Board,
    cell: u64,
    children: std::ops::Range<usize>,
    visits: u32,
    /// Two for a win, one for a draw.
    points: u32,
}

impl Node {
    fn new(board: Board, cell: u64) -> Self {
        Self { board, cell, children: 0..0, visits: 0, points: 0 }
    }

    /// Mean value plus what is unknown of it. No logarithm: square roots are the same on every machine.
    fn promise(&self, parent_visits: u32) -> f64 {
        let mean = if self.visits == 0 { 0.5 } else { f64::from(self.points) / f64::from(2 * self.visits) };
        mean + 0.7 * f64::from(parent_visits).sqrt() / f64::from(1 + self.visits)
    }
}

impl Chooser for Uct {
    fn choose(&mut self, board: &Board, rng: &mut Pcg) -> u64 {
        let mut nodes = vec![Node::new(*board, 0)];
        let mut path = Vec::new();
        for _ in 0..self.games {
            descend(&mut nodes, &mut path);
            let winner = play_out(nodes[path[path.len() - 1]].board, rng);
            for &at in &path {
                let node = &mut nodes[at];
                node.visits += 1;
                node.points += match winner {
                    None => 1,
                    Some(winner) if winner != node.board.mover() => 2,
                    Some(_) => 0,
                };
            }
        }
        let favourite = nodes[0].children.clone().max_by_key(|&child| nodes[child].visits);
        favourite.map_or_else(|| any_of(board.drops(), rng), |child| nodes[child].cell)
    }
}

/// Walks down to a board that was not visited yet, or is final, and opens one that was visited once.
fn descend(nodes: &mut Vec<Node>, path: &mut Vec<usize>) {
    path.clear();
    let mut at = 0;
    loop {
        path.push(at);
        if nodes[at].children.is_empty() && nodes[at].visits > 0 && nodes[at].board.winner().is_none() {
            let (board, first) = (nodes[at].board, nodes.len());
            for cell in bits(board.drops()) {
                let mut next = board;
                next.place(cell);
                nodes.push(Node::new(next, cell));
            }
            nodes[at].children = first..nodes.len();
        }
        let visits = nodes[at].visits;
        let promise = |&child: &usize| nodes[child].promise(visits);
        match nodes[at].children.clone().max_by(|a, b| promise(a).total_cmp(&promise(b))) {
            Some(child) => at = child,
            None => return,
        }
    }
}

/// Plays at random to the end.
fn play_out(mut board: Board, rng: &mut Pcg) -> Option<usize> {
    loop {
        if let Some(winner) = board.winner() {
            return Some(winner);
        }
        if board.is_full() {
            return None;
        }
        board.place(any_of(board.drops(), rng));
    }
}

/// The single bits of a set.
fn bits(mut set: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = set & set.wrapping_neg();
        set ^= bit;
        (bit != 0).then_some(bit)
    })
}

/// One bit of a set that has some, each as likely.
fn any_of(set: u64, rng: &mut Pcg) -> u64 {
    let nth = rng.below(u64::from(set.count_ones())) as usize;
    bits(set).nth(nth).expect("the draw is below the count")
}

#[cfg(test)]
mod tests;
