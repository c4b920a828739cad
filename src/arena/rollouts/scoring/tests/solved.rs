//! Late `connect_four` positions, judged by an exact solver: a best move must come first.

use std::collections::HashMap;

use super::*;
use crate::arena::engine::rng::Pcg;
use crate::arena::games::connect_four::Board;

/// Cells of the board.
const CELLS: usize = 42;

/// A position, and what each legal move is worth with best play: 1 wins, 0 draws, -1 loses.
struct Solved {
    play: Box<dyn Play>,
    values: Vec<(u8, i8)>,
}

/// Positions in which the choice matters, out of matches between players that slip. `plies` says how many of a match of
/// that length are played.
fn positions(count: usize, plies: impl Fn(u64, usize) -> Option<usize>) -> Vec<Solved> {
    let mut known = HashMap::new();
    let matters = |solved: &Solved| solved.values.iter().any(|(_, value)| *value != solved.values[0].1);
    (0..)
        .filter_map(|seed| {
            let columns = a_match(seed);
            let plies = plies(seed, columns.len()).filter(|plies| *plies < columns.len())?;
            Some(solve(&columns[..plies], &mut known))
        })
        .filter(matters)
        .take(count)
        .collect()
}

/// The columns that were played.
fn a_match(seed: u64) -> Vec<u8> {
    let mut board = Board::new(7, 6);
    let mut rng = Pcg::new(mix(&[seed, 0x50]));
    let mut columns = Vec::new();
    while board.winner().is_none() && !board.is_full() {
        let open: Vec<u8> = (0..7).filter(|&column| board.fits(column)).collect();
        let wins = |board: &Board, column: u8| {
            let mut next = *board;
            next.drop_in(column);
            next.winner().is_some()
        };
        let gives_a_win = |column: u8| {
            let mut next = board;
            next.drop_in(column);
            (0..7).any(|reply| next.fits(reply) && wins(&next, reply))
        };
        // Takes a win, gives none away if it can help it, else plays at random.
        let safe: Vec<u8> = open.iter().copied().filter(|&column| !gives_a_win(column)).collect();
        let winning = open.iter().copied().find(|&column| wins(&board, column));
        let choice = if safe.is_empty() { &open } else { &safe };
        let column = winning.unwrap_or_else(|| choice[rng.below(choice.len() as u64) as usize]);
        board.drop_in(column);
        columns.push(column);
    }
    columns
}

fn solve(columns: &[u8], known: &mut HashMap<Board, i8>) -> Solved {
    let mut play = start("connect_four");
    let mut board = Board::new(7, 6);
    for &column in columns {
        play.submit(&SeatMap::from_iter([(on_turn(play.as_ref()), Input::Act(drop(column)))]));
        board.drop_in(column);
    }
    let open = (0..7).filter(|&column| board.fits(column));
    let value = |column| {
        let mut next = board;
        next.drop_in(column);
        (column, -value(&next, known))
    };
    Solved { play, values: open.map(value).collect() }
}

/// For the player to move.
fn value(board: &Board, known: &mut HashMap<Board, i8>) -> i8 {
    if board.winner().is_some() {
        return -1;
    }
    if board.is_full() {
        return 0;
    }
    if let Some(&value) = known.get(board) {
        return value;
    }
    let mut best = -1;
    // The middle first: the best moves are there.
    for column in [3, 2, 4, 1, 5, 0, 6] {
        if best < 1 && board.fits(column) {
            let mut next = *board;
            next.drop_in(column);
            best = best.max(-value(&next, known));
        }
    }
    known.insert(*board, best);
    best
}

/// How often a move that the solver finds best comes first with 30 samples each and no band.
fn hits(positions: &[Solved]) -> usize {
    let hit = |solved: &&Solved| {
        let actions: Vec<Value> = solved.values.iter().map(|(column, _)| drop(*column)).collect();
        let play = solved.play.as_ref();
        let (rows, _) = scored(play, &trial("connect_four", play, 30), &actions);
        let first = ranking(rows.iter().map(|row| &row.summary))[0].0;
        let best = solved.values.iter().map(|(_, value)| *value).max().unwrap();
        solved.values[first].1 == best
    };
    positions.iter().filter(hit).count()
}

fn with_few_free_cells(count: usize) -> Vec<Solved> {
    positions(count, |seed, _| Some(CELLS - 4 - (seed % 5) as usize))
}

#[test]
fn a_best_move_of_a_late_position_comes_first() {
    let hits = hits(&with_few_free_cells(20));
    assert!(hits >= 19, "{hits} of 20");
}

#[test]
#[ignore = "slow without optimisation; run with `cargo test --release --lib -- --ignored solved`"]
fn with_four_to_eight_free_cells_a_best_move_comes_first() {
    let hits = hits(&with_few_free_cells(100));
    assert!(hits >= 95, "{hits} of 100");
}

/// The free cells may be up to twenty here: neither the players nor their opponents see the end of that.
#[test]
#[ignore = "slow without optimisation; run with `cargo test --release --lib -- --ignored solved`"]
fn four_to_eight_plies_before_the_end_of_a_match_a_best_move_comes_first() {
    let plies = |seed: u64, length: usize| length.checked_sub(4 + (seed % 5) as usize);
    let positions = positions(100, |seed, length| plies(seed, length).filter(|plies| CELLS - plies <= 20));
    let hits = hits(&positions);
    assert!(hits >= 95, "{hits} of 100");
}
