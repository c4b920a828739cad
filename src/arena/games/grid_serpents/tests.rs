use super::*;
use crate::arena::engine::{Input, MatchSetup, Play, table::Table};

fn table(seats: u8, max_ticks: u32, seed: u64) -> Table<GridSerpents> {
    Table::start(&MatchSetup { config: &json!({}), seats, max_ticks, seed }).unwrap()
}

/// In whole points.
fn score(table: &Table<GridSerpents>, seat: u8) -> i64 {
    table.probe().scores.get(Seat::new(seat)).unwrap().round() as i64
}

fn fail(seat: u8) -> (Seat, Input) {
    (Seat::new(seat), Input::Fail("gone".into()))
}

#[test]
fn the_last_one_alive_gets_fifty_points() {
    let mut table = table(2, 300, 1);
    let report = table.submit(&[fail(1)].into_iter().collect());
    assert_eq!(report.over, Some(EndReason::GameComplete));
    assert_eq!((score(&table, 0), score(&table, 1)), (50, 0));
    assert_eq!(table.standings().get(Seat::new(0)).unwrap().outcome, "won");
}

#[test]
fn alone_there_is_no_survivor_to_reward() {
    let mut table = table(1, 300, 1);
    let mut ticks = 0;
    while table.probe().over.is_none() {
        table.submit(&SeatMap::default());
        ticks += 1;
    }
    // Straight up from the start into the wall: the last tick is not survived.
    let ate = score(&table, 0) / 10 * 10;
    assert_eq!(score(&table, 0) - ate, ticks - 1);
    assert_eq!(table.probe().over, Some(EndReason::GameComplete));
    assert_eq!(table.probe().eliminated, SeatSet::first(1));
}

#[test]
fn a_horizon_with_live_serpents_is_no_end_by_the_rules() {
    let mut table = table(4, 1, 3);
    let report = table.submit(&SeatMap::default());
    assert_eq!(report.over, Some(EndReason::MaxTicks));
    assert_eq!(table.probe().failed, SeatSet::EMPTY);
}

#[test]
fn failed_seats_come_last_the_later_failure_ahead() {
    let mut table = table(4, 300, 7);
    table.submit(&[fail(2)].into_iter().collect());
    table.submit(&[fail(0)].into_iter().collect());
    let rank = |seat| table.standings().get(Seat::new(seat)).unwrap().rank;
    assert_eq!((rank(0), rank(2)), (3, 4));
    assert_eq!((score(&table, 0), score(&table, 2)), (0, 0));
    assert_eq!(table.probe().eliminated, SeatSet::EMPTY, "a failure is no elimination");
}

#[test]
fn a_match_that_completes_by_play_keeps_that_reason_whoever_failed_before() {
    let mut table = table(4, 300, 7);
    table.submit(&[fail(2)].into_iter().collect());
    while table.probe().over.is_none() {
        table.submit(&SeatMap::default());
    }
    assert_eq!(table.probe().over, Some(EndReason::GameComplete));
}

#[test]
fn other_words_are_rejected() {
    let table = table(1, 300, 1);
    for bad in [
        json!({"action": "move", "direction": "north"}),
        json!({"action": "move"}),
        json!({"action": "turn", "direction": "up"}),
        json!([{"action": "move", "direction": "up"}, {"action": "move", "direction": "up"}]),
    ] {
        assert!(table.judge(Seat::new(0), &bad).is_err(), "{bad}");
    }
}

#[test]
fn no_wish_turns_a_serpent_back_and_all_other_ways_are_listed() {
    let mut table = table(1, 300, 1);
    let n_ways = |table: &Table<GridSerpents>| {
        let mut legal = Vec::new();
        GridSerpents::legal(table.state(), Seat::new(0), &mut legal);
        legal.len()
    };
    assert_eq!(n_ways(&table), 4);
    table.submit(&SeatMap::default());
    assert_eq!(n_ways(&table), 3);
}

#[test]
fn deadly_steps_have_little_weight() {
    let state = State {
        position: position::tests::position(&[&[(0, 0), (0, 1), (0, 2)]], &[]),
        rng: Pcg::new(0),
        tick: 3,
        max_ticks: 300,
    };
    let mut legal = Vec::new();
    GridSerpents::legal(&state, Seat::new(0), &mut legal);
    let weights: Vec<_> = legal
        .iter()
        .map(|&(Action::Move { direction }, weight)| (direction, (weight * 100.0).round() as u32))
        .collect();
    assert_eq!(weights, [(Direction::Up, 5), (Direction::Left, 5), (Direction::Right, 100)]);
}

#[test]
fn an_observation_never_changes_its_form() {
    let mut table = table(2, 300, 4);
    for direction in ["left", "down", "right"] {
        let action = Input::Act(json!({"action": "move", "direction": direction}));
        table.submit(&[(Seat::new(0), action.clone()), (Seat::new(1), action)].into_iter().collect());
    }
    let mut bytes = Vec::new();
    table.observe(Seat::new(1), &[], &mut bytes);
    let text = String::from_utf8(bytes).unwrap();
    // One member a line, to be read by people.
    insta::assert_snapshot!(text.replace(",\"", ",\n\""));
}

#[test]
fn a_known_match_never_plays_differently() {
    // If this changes, `game_version` has to.
    let mut table = table(4, 300, 9);
    let mut rng = Pcg::new(10);
    let mut story = Vec::new();
    while table.probe().over.is_none() {
        let draw = |seat| {
            let mut legal = Vec::new();
            GridSerpents::legal(table.state(), seat, &mut legal);
            let action = rng.weighted(&legal).unwrap();
            (seat, Input::Act(serde_json::to_value(action).unwrap()))
        };
        let inputs = table.probe().turn.seats().iter().map(draw).collect();
        let report = table.submit(&inputs);
        if report.tick.is_multiple_of(20) || report.over.is_some() {
            let scores: Vec<i64> = (0..4).map(|seat| score(&table, seat)).collect();
            let grid = picture(&table.state().position).join("\n");
            story.push(format!("tick {}, scores {scores:?}\n{grid}", report.tick));
        }
    }
    insta::assert_snapshot!(story.join("\n\n"));
}
