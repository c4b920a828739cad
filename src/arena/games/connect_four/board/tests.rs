use std::collections::HashSet;

use super::*;
use crate::arena::engine::rng::Pcg;

fn children(board: &Board) -> impl Iterator<Item = Board> {
    (0..board.width()).filter(|&column| board.fits(column)).map(|column| {
        let mut next = *board;
        next.drop_in(column);
        next
    })
}

fn is_final(board: &Board) -> bool {
    board.winner().is_some() || board.is_full()
}

#[test]
fn distinct_positions_by_ply_are_those_of_the_literature() {
    // OEIS A212693, number of legal 7 X 6 Connect-Four positions after n plies.
    let expected = [1, 7, 49, 238, 1120, 4263, 16_422];
    let mut boards = HashSet::from([Board::new(7, 6)]);
    for (ply, expected) in expected.into_iter().enumerate() {
        assert_eq!(boards.len(), expected, "ply {ply}");
        boards = boards.iter().filter(|board| !is_final(board)).flat_map(children).collect();
    }
}

#[test]
fn lines_of_play_by_depth_are_those_that_were_measured() {
    fn leaves(board: &Board, depth: u32) -> u64 {
        match depth {
            0 => 1,
            _ if is_final(board) => 0,
            _ => children(board).map(|next| leaves(&next, depth - 1)).sum(),
        }
    }
    // Our own earlier measurement with an array board; finished games count only at full depth.
    for (depth, expected) in [(1, 7), (2, 49), (3, 343), (4, 2401), (5, 16_807), (6, 117_649)] {
        assert_eq!(leaves(&Board::new(7, 6), depth), expected, "depth {depth}");
    }
}

#[test]
fn random_games_have_the_known_statistics() {
    // Our own measurement over 2.8 million games: first 0.555, second 0.442, draw 0.0026, mean 21.3 plies.
    const GAMES: u32 = 3000;
    let mut rng = Pcg::new(7);
    let (mut wins, mut plies) = ([0u32; 2], 0u32);
    for _ in 0..GAMES {
        let mut board = Board::new(7, 6);
        while !is_final(&board) {
            let open: Vec<u8> = (0..7).filter(|&column| board.fits(column)).collect();
            board.drop_in(open[rng.below(open.len() as u64) as usize]);
        }
        plies += u32::from(board.ply());
        if let Some(winner) = board.winner() {
            wins[winner] += 1;
        }
    }
    // Four standard errors of a share are 0.036, of the mean length about 0.6.
    let share = |count: u32| f64::from(count) / f64::from(GAMES);
    assert!((share(wins[0]) - 0.555).abs() < 0.036, "{wins:?}");
    assert!((share(wins[1]) - 0.442).abs() < 0.036, "{wins:?}");
    assert!((share(plies) - 21.3).abs() < 0.6, "{plies}");
}

/// Looks at every cell, one by one, along every direction.
fn slow_lines(board: &Board, player: usize) -> [u32; 5] {
    let owner = |column: i32, row: i32| {
        let inside =
            (0..i32::from(board.width())).contains(&column) && (0..i32::from(board.height())).contains(&row);
        inside.then(|| usize::from(board.disc(column as u8, row as u8)).checked_sub(1))
    };
    let mut counts = [0; 5];
    for column in 0..8 {
        for row in 0..7 {
            for (right, up) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let line: Option<Vec<_>> = (0..4).map(|n| owner(column + n * right, row + n * up)).collect();
                let Some(line) = line else { continue };
                if !line.contains(&Some(player ^ 1)) {
                    counts[line.iter().filter(|disc| disc.is_some()).count()] += 1;
                }
            }
        }
    }
    counts
}

#[test]
fn bit_tricks_agree_with_looking_at_every_cell() {
    let mut rng = Pcg::new(1);
    for (width, height) in [(7, 6), (4, 4), (8, 7), (5, 4), (4, 7)] {
        for _ in 0..8 {
            let mut board = Board::new(width, height);
            while !is_final(&board) {
                for player in 0..2 {
                    let [_, ones, twos, threes, _] = slow_lines(&board, player);
                    assert_eq!(board.open_lines(player), [ones, twos, threes]);
                }
                let (mover, before) = (board.mover(), board);
                let open: Vec<u8> = (0..width).filter(|&column| board.fits(column)).collect();
                let column = open[rng.below(open.len() as u64) as usize];
                let cell = board.drops() & board.column(column);
                board.drop_in(column);
                assert_eq!(board.winner().is_some(), slow_lines(&board, mover)[4] > 0, "{board:?}");
                assert_eq!(board.winner().is_some(), before.threats(mover) & cell != 0, "{before:?}");
            }
        }
    }
}
