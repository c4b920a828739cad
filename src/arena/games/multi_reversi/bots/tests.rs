use serde_json::json;

use super::*;
use crate::arena::engine::seats::SeatMap;
use crate::arena::engine::{Game, Input, MatchSetup};

/// How many of the matches the first of two players wins, seats changing.
fn wins(names: [&str; 2], matches: u64) -> u64 {
    (0..matches)
        .filter(|&nth| {
            let setup = MatchSetup { config: &json!({}), seats: 2, max_ticks: 84, seed: nth };
            let mut play = MultiReversi.start(&setup).unwrap();
            let first = (nth % 2) as usize;
            let mut players = [0, 1].map(|seat| MultiReversi.player(names[seat ^ first], nth).unwrap());
            while play.probe().over.is_none() {
                let seat = play.probe().turn.seats().iter().next().unwrap();
                let action = players[seat.index()].act(&*play, seat);
                play.submit(&[(seat, Input::Act(action))].into_iter().collect::<SeatMap<_>>());
            }
            play.standings().get(Seat::new(first as u8)).unwrap().outcome == "won"
        })
        .count() as u64
}

#[test]
fn a_better_player_beats_a_weaker_one() {
    assert!(wins(["positional", "random"], 20) >= 15);
    assert!(wins(["ab2", "flips"], 12) >= 9);
}

#[test]
fn a_search_takes_a_corner_that_is_free() {
    let board = Board::drawn(&[
        "........", ".1......", "..0.....", "...01...", "...10...", "........", "........", "........",
    ]);
    let position = Position::new(board);
    let cell = Search { depth: 3, exact: 0 }.choose(&position, &mut Pcg::new(1));
    assert_eq!(board.position(cell), (0, 0));
}
