use super::super::State;
use super::super::cards::Card;
use super::super::evaluate::Hole;
use super::rules::{Made, made, points};
use super::*;
use crate::arena::engine::Rules;
use crate::arena::engine::events::NoEvents;
use crate::arena::engine::seats::Seat;

fn bot(name: &str, stream: u64) -> Box<dyn Bot<PotLimitOmahaHilo>> {
    (ALL.iter().find(|spec| spec.name == name).unwrap().make)(stream)
}

/// Mean score of the first bot, in tenths of a big blind; each match is played from both sides with the same cards.
fn series(one: &str, other: &str, pairs: u64, hands: u32) -> i64 {
    let mut sum = 0;
    for seed in 0..pairs {
        for side in 0..2 {
            let names = if side == 0 { [one, other] } else { [other, one] };
            let mut players = names.map(|name| bot(name, seed));
            let mut state = State::new(2, 600, hands, seed);
            while let Some(seat) = state.to_act {
                let action = players[seat.index()].act(&View::new(&state, seat));
                assert_eq!(PotLimitOmahaHilo::check(&state, seat, &action), Ok(()));
                state.play(action, &mut NoEvents);
            }
            sum += (PotLimitOmahaHilo::score(&state, Seat::new(side)) * 10.0).round() as i64;
        }
    }
    sum / (2 * pairs as i64)
}

fn cards(text: &str) -> Vec<Card> {
    (0..text.len() / 2).map(|n| text[2 * n..2 * n + 2].parse().unwrap()).collect()
}

fn hole(text: &str) -> Hole {
    cards(text).try_into().unwrap()
}

#[test]
fn points_order_starting_hands_as_players_do() {
    let hands = ["AsAh2s3h", "AsAdKsKd", "AsKs2h3d", "As2dKcQh", "JsTh9d8c", "9s7h5d5c", "2c7d9hJs"];
    let points: Vec<i32> = hands.iter().map(|hand| points(hole(hand))).collect();
    assert!(points.is_sorted_by(|a, b| a > b), "{points:?}");
}

#[test]
fn what_is_made_depends_on_the_board() {
    for (hand, board, expected) in [
        ("As2sKdKh", "3c4d8h", Made::Good),
        ("AsAhKdQc", "Ad7s2c", Made::Good),
        ("AsAhKdQc", "AdKs2cKc", Made::Strong),
        ("AsQsKdTc", "2s7s9s", Made::Strong),
        ("JsTdKdQc", "9s8s2s", Made::Little),
        ("AsKh9dTc", "Ad4s4c", Made::Little),
        ("AsKh9dTc", "AdKs4c", Made::Something),
    ] {
        assert_eq!(made(hole(hand), &cards(board)), expected, "{hand} on {board}");
    }
}

#[test]
fn knowledge_pays() {
    // Few hands each, so that an unoptimised build does it in a second; the gaps are about a big blind a hand.
    for (strong, weak) in [("loose", "station"), ("equity50", "station"), ("ranges200", "random")] {
        let mean = series(strong, weak, 5, 12);
        assert!(mean > 0, "{strong} v {weak}: {mean}");
    }
}
