use serde_json::json;

use super::*;
use crate::arena::engine::seats::{Seat, SeatMap};
use crate::arena::engine::{Game, Input, MatchSetup};

/// How many of the matches the first of two players wins, seats changing.
fn wins(names: [&str; 2], matches: u64) -> usize {
    let won = |&nth: &u64| {
        let setup = MatchSetup { config: &json!({}), seats: 2, max_ticks: 300, seed: nth };
        let mut play = LiarsDice.start(&setup).unwrap();
        let first = (nth % 2) as usize;
        let mut players = [0, 1].map(|seat| LiarsDice.player(names[seat ^ first], nth).unwrap());
        while play.probe().over.is_none() {
            let seat = play.probe().turn.seats().iter().next().unwrap();
            let action = players[seat.index()].act(&*play, seat);
            play.submit(&[(seat, Input::Act(action))].into_iter().collect::<SeatMap<_>>());
        }
        play.standings().get(Seat::new(first as u8)).unwrap().outcome == "won"
    };
    (0..matches).filter(won).count()
}

#[test]
fn players_rank_as_their_knowledge_does() {
    assert!(wins(["count", "random"], 40) >= 28);
    assert!(wins(["prob", "count"], 40) >= 25);
    assert!(wins(["infer", "prob"], 60) >= 34);
}
