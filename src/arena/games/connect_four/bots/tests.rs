use super::*;

fn bot(name: &str, stream: u64) -> Box<dyn Bot<ConnectFour>> {
    (ALL.iter().find(|spec| spec.name == name).unwrap().make)(stream)
}

/// Points of the first bot out of two a game; openings of two random plies, each played from both sides.
fn series(strong: &str, weak: &str, pairs: u64) -> u32 {
    let mut points = 0;
    for seed in 0..pairs {
        for strong_side in 0..2 {
            let mut rng = Pcg::new(seed);
            let mut board = Board::new(7, 6);
            board.place(any_of(board.drops(), &mut rng));
            board.place(any_of(board.drops(), &mut rng));
            let names = if strong_side == 0 { [strong, weak] } else { [weak, strong] };
            let mut players = names.map(|name| bot(name, seed));
            while board.winner().is_none() && !board.is_full() {
                let Action::Drop { column } = players[board.mover()].act(&View { board: &board });
                board.drop_in(column);
            }
            points += match board.winner() {
                Some(winner) if winner == strong_side => 2,
                Some(_) => 0,
                None => 1,
            };
        }
    }
    points
}

#[test]
fn each_rung_beats_the_one_two_below() {
    // Few games each, so that an unoptimised build does it in a second; the gaps are hundreds of Elo points.
    let pairs_of_games = [20, 2, 8, 2, 2];
    for (rungs, pairs) in ALL.windows(3).zip(pairs_of_games) {
        let (weak, strong) = (rungs[0].name, rungs[2].name);
        let points = series(strong, weak, pairs);
        assert!(f64::from(points) > 0.6 * (4 * pairs) as f64, "{strong} v {weak}: {points} of {}", 4 * pairs);
    }
}

#[test]
fn searches_take_a_win_and_stop_one() {
    for name in ["block", "uct500", "ab2", "ab4", "ab8"] {
        let mut board = Board::new(7, 6);
        // p0 has three in column 3, p1 three in column 5; p0 is to move.
        for column in [3, 5, 3, 5, 3, 5] {
            board.drop_in(column);
        }
        assert_eq!(bot(name, 1).act(&View { board: &board }), Action::Drop { column: 3 }, "{name} wins");
        let mut board = Board::new(7, 6);
        for column in [3, 5, 3, 5, 3] {
            board.drop_in(column);
        }
        assert_eq!(bot(name, 1).act(&View { board: &board }), Action::Drop { column: 3 }, "{name} blocks");
    }
}

#[test]
fn a_deeper_search_sees_a_double_threat() {
    // Two discs with room on both sides of the bottom row: one more and the row cannot be stopped.
    let mut board = Board::new(7, 6);
    for column in [2, 2, 3, 3] {
        board.drop_in(column);
    }
    let Action::Drop { column } = bot("ab4", 3).act(&View { board: &board });
    assert!([1, 4].contains(&column), "{column}");
}
