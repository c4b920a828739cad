mod solve;

use super::*;
use crate::arena::engine::table::Table;
use crate::arena::engine::{Game, Input, MatchSetup, Play, Verdict};

fn table(config: &Value, seats: u8, seed: u64) -> Table<LiarsDice> {
    Table::start(&MatchSetup { config, seats, max_ticks: 300, seed }).unwrap()
}

fn on_turn(table: &Table<LiarsDice>) -> Seat {
    table.probe().turn.seats().iter().next().unwrap()
}

fn play(table: &mut Table<LiarsDice>, action: Value) {
    let seat = on_turn(table);
    let report = table.submit(&[(seat, Input::Act(action))].into_iter().collect());
    assert_eq!(report.seats.get(seat).unwrap().verdict, Some(Verdict::Applied));
}

fn bid(quantity: u8, face: u8) -> Value {
    json!({"action": "bid", "quantity": quantity, "face": face})
}

fn observation(table: &Table<LiarsDice>, seat: Seat) -> Value {
    let mut bytes = Vec::new();
    table.observe(seat, &[], &mut bytes);
    serde_json::from_slice(&bytes).unwrap()
}

#[test]
fn chances_of_unseen_dice_are_those_that_are_known() {
    for (n, k, known) in
        [(5, 2, 539_095), (10, 4, 440_736), (20, 7, 520_657), (20, 10, 91_896), (25, 9, 462_421)]
    {
        assert_eq!((at_least(n, k, 3) * 1e6).round() as u32, known, "{k} of {n}");
    }
    assert!((at_least(1, 1, 6) - 1.0 / 6.0).abs() < 1e-12);
    assert!((at_least(4, -1, 3) - 1.0).abs() < 1e-12 && at_least(2, 3, 3).abs() < 1e-12);
}

#[test]
fn a_bid_that_is_too_high_costs_the_bidder_a_die_and_a_true_one_the_challenger() {
    for quantity in [1, 10] {
        let mut table = table(&json!({}), 2, 3);
        let bidder = on_turn(&table);
        play(&mut table, bid(quantity, 6));
        let caller = on_turn(&table);
        play(&mut table, json!({"action": "challenge"}));
        let reveal = observation(&table, bidder)["last_reveal"].clone();
        let loser = if reveal["count"].as_u64().unwrap() >= u64::from(quantity) { caller } else { bidder };
        assert_eq!(reveal["loser"], loser.to_string());
        assert_eq!(observation(&table, bidder)["dice_counts"][loser.to_string()], 4);
        assert_eq!(table.probe().scores.get(loser).map(|score| *score as u32), Some(16));
        assert_eq!(on_turn(&table), loser, "the loser begins");
    }
}

#[test]
fn ones_count_as_every_face_unless_they_are_not_wild() {
    let hand = [2, 0, 1, 0, 2, 0];
    assert_eq!([matches(&hand, 3, true), matches(&hand, 5, true), matches(&hand, 2, true)], [3, 4, 2]);
    assert_eq!([matches(&hand, 3, false), matches(&hand, 1, false), matches(&hand, 1, true)], [1, 2, 2]);
}

#[test]
fn a_bid_must_beat_the_last_one() {
    let mut table = table(&json!({}), 2, 5);
    let first = on_turn(&table);
    assert!(table.judge(first, &json!({"action": "challenge"})).is_err(), "nothing to doubt yet");
    play(&mut table, bid(3, 5));
    let seat = on_turn(&table);
    assert_eq!(observation(&table, seat)["min_next_bids"], json!({"2": 4, "3": 4, "4": 4, "5": 4, "6": 3}));
    for bad in [bid(3, 4), bid(3, 5), bid(2, 6), bid(4, 1), bid(11, 6), json!({"action": "spot_on"})] {
        assert!(matches!(table.judge(seat, &bad), Err(Verdict::Rejected(_))), "{bad}");
    }
    for good in [bid(3, 6), bid(4, 2), bid(10, 6)] {
        assert_eq!(table.judge(seat, &good), Ok(()), "{good}");
    }
    play(&mut table, bid(10, 6));
    let choices = observation(&table, on_turn(&table))["_action_space"].clone();
    assert_eq!(choices, json!([{"action": {"action": "challenge"}, "weight": 1}]));
}

#[test]
fn who_lasts_longer_scores_higher() {
    let mut table = table(&json!({"dice": 1}), 4, 8);
    let mut out = Vec::new();
    while table.probe().over.is_none() {
        let before = table.probe().eliminated;
        let total = observation(&table, Seat::new(0))["total_dice"].as_u64().unwrap() as u8;
        play(&mut table, bid(total, 6));
        play(&mut table, json!({"action": "challenge"}));
        out.extend(table.probe().eliminated.without(before).iter());
    }
    let scores: Vec<u32> = out.iter().map(|&seat| *table.probe().scores.get(seat).unwrap() as u32).collect();
    assert_eq!(scores, [0, 20, 40]);
    let winner = SeatSet::first(4).without(out.iter().copied().collect()).iter().next().unwrap();
    assert_eq!(table.probe().scores.get(winner).map(|score| *score as u32), Some(64));
    assert_eq!(table.standings().get(winner).unwrap().outcome, "won");
}

#[test]
fn a_failure_voids_the_round_and_counts_as_out() {
    let mut table = table(&json!({}), 3, 9);
    play(&mut table, bid(15, 6));
    let seat = on_turn(&table);
    table.fail(seat, "left");
    let next = on_turn(&table);
    let seen = observation(&table, next);
    assert_ne!(next, seat);
    assert_eq!((&seen["current_bid"], &seen["total_dice"]), (&Value::Null, &json!(10)));
    assert_eq!((&seen["score"], observation(&table, seat)["score"].as_u64()), (&json!(40), Some(0)));
}

#[test]
fn spot_on_is_right_only_for_the_very_number() {
    let mut table = table(&json!({"spot_on": true, "dice": 1}), 2, 11);
    let hands = [0, 1].map(|seat| *table.state().cup.hand(Seat::new(seat)));
    let count: u8 = hands.iter().map(|hand| matches(hand, 6, true)).sum();
    let bidder = on_turn(&table);
    play(&mut table, bid(1, 6));
    let caller = on_turn(&table);
    play(&mut table, json!({"action": "spot_on"}));
    let loser = if count == 1 { bidder } else { caller };
    assert_eq!(table.probe().eliminated, SeatSet::one(loser));
}

#[test]
fn a_match_of_silent_seats_never_plays_differently() {
    let setup = MatchSetup { config: &json!({}), seats: 3, max_ticks: 8, seed: 7 };
    let mut play = LiarsDice.start(&setup).unwrap();
    let mut lines = Vec::new();
    while play.probe().over.is_none() {
        play.submit(&SeatMap::default());
        let mut bytes = Vec::new();
        play.observe(Seat::new(0), &[], &mut bytes);
        lines.push(String::from_utf8(bytes).unwrap());
    }
    insta::assert_snapshot!(lines.join("\n"));
}
