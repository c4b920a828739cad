use super::*;
use crate::arena::engine::Verdict;
use crate::arena::engine::{Input, MatchSetup, Play, table::Table};

fn table(config: &Value, max_ticks: u32) -> Table<ConnectFour> {
    Table::start(&MatchSetup { config, seats: 2, max_ticks, seed: 1 }).unwrap()
}

fn drop_all(table: &mut Table<ConnectFour>, columns: &[u8]) {
    for column in columns {
        let Turn::One(seat) = table.probe().turn else { panic!("the match is over before {column}") };
        let action = Input::Act(json!({"action": "drop", "column": column}));
        let report = table.submit(&[(seat, action)].into_iter().collect());
        assert_eq!(report.seats.get(seat).unwrap().verdict, Some(Verdict::Applied));
    }
}

/// In tenths of a point.
fn scores(table: &Table<ConnectFour>) -> [i64; 2] {
    [0, 1].map(|n| (table.probe().scores.get(Seat::new(n)).unwrap() * 10.0).round() as i64)
}

#[test]
fn four_in_a_row_wins_everything() {
    for columns in [
        &[0, 0, 1, 1, 2, 2, 3][..],         // a row
        &[0, 1, 0, 1, 0, 1, 0],             // a column
        &[0, 1, 1, 2, 3, 2, 2, 3, 4, 3, 3], // a rising diagonal
        &[6, 5, 5, 4, 3, 4, 4, 3, 2, 3, 3], // a falling diagonal
    ] {
        let mut table = table(&json!({}), 42);
        drop_all(&mut table, columns);
        assert_eq!(table.probe().over, Some(EndReason::GameComplete), "{columns:?}");
        assert_eq!(scores(&table), [1000, 0]);
        assert_eq!(table.standings().get(Seat::new(0)).unwrap().outcome, "won");
        assert_eq!(table.standings().get(Seat::new(1)).unwrap().rank, 2);
    }
}

#[test]
fn a_full_board_is_a_draw() {
    let mut table = table(&json!({"width": 4, "height": 4}), 42);
    drop_all(&mut table, &[0, 1, 0, 1, 1, 0, 1, 0, 2, 3, 2, 3, 3, 2, 3, 2]);
    assert_eq!(table.probe().over, Some(EndReason::GameComplete));
    assert_eq!(scores(&table), [500, 500]);
    assert_eq!(table.standings().get(Seat::new(1)).unwrap().outcome, "draw");
}

#[test]
fn full_and_unknown_columns_are_rejected() {
    let mut table = table(&json!({}), 42);
    drop_all(&mut table, &[3, 3, 3, 3, 3, 3]);
    for column in [json!(3), json!(7), json!(-1), json!(1.5), json!("1")] {
        let verdict = table.judge(Seat::new(0), &json!({"action": "drop", "column": column}));
        assert!(matches!(verdict, Err(Verdict::Rejected(_))), "{column}");
    }
    let two = json!([{"action": "drop", "column": 0}, {"action": "drop", "column": 1}]);
    assert!(matches!(table.judge(Seat::new(0), &two), Err(Verdict::Rejected(_))));
}

#[test]
fn a_failed_seat_loses_and_the_other_wins() {
    let mut table = table(&json!({}), 42);
    drop_all(&mut table, &[0]);
    table.fail(Seat::new(0), "left");
    assert_eq!(scores(&table), [0, 1000]);
    assert_eq!(table.probe().over, Some(EndReason::GameComplete));
    assert_eq!(table.standings().get(Seat::new(1)).unwrap().outcome, "won");
}

#[test]
fn the_horizon_leaves_scores_as_they_are() {
    let mut table = table(&json!({"shaped": true}), 5);
    drop_all(&mut table, &[1, 1, 2, 2, 3]);
    assert_eq!(table.probe().over, Some(EndReason::MaxTicks));
    // Columns 0 to 3 and 1 to 4 of the bottom row.
    assert_eq!(scores(&table), [502, 498]);
}

#[test]
fn weights_prefer_the_centre() {
    let weights = |width| (0..width).map(|column| centre_weight(width, column)).collect::<Vec<_>>();
    assert_eq!(weights(7), [1.0, 1.0, 2.0, 4.0, 2.0, 1.0, 1.0]);
    assert_eq!(weights(4), [2.0, 4.0, 4.0, 2.0]);
    assert_eq!(weights(8), [1.0, 1.0, 2.0, 4.0, 4.0, 2.0, 1.0, 1.0]);
}

#[test]
fn sizes_out_of_range_are_refused() {
    for bad in [
        json!({"width": 9}),
        json!({"width": 3}),
        json!({"height": 8}),
        json!({"connect": 5}),
        json!({"width": -1}),
    ] {
        let setup = MatchSetup { config: &bad, seats: 2, max_ticks: 42, seed: 0 };
        assert!(Table::<ConnectFour>::start(&setup).is_err(), "{bad}");
    }
}

#[test]
fn the_example_of_the_prompt_is_won_as_it_says() {
    let mut table = table(&json!({}), 42);
    drop_all(&mut table, &[3, 4, 1, 3, 2, 3]);
    let board: Value = {
        let mut bytes = Vec::new();
        table.observe(Seat::new(0), &[], &mut bytes);
        serde_json::from_slice::<Value>(&bytes).unwrap()["board"].clone()
    };
    let shown = SPEC.prompt.split("```json").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert_eq!(serde_json::from_str::<Value>(shown).unwrap(), board);
    drop_all(&mut table, &[0]);
    assert_eq!(scores(&table), [1000, 0]);
}

#[test]
fn an_observation_never_changes_its_form() {
    let mut table = table(&json!({}), 42);
    drop_all(&mut table, &[3, 3, 2]);
    let mut bytes = Vec::new();
    table.observe(Seat::new(1), &[], &mut bytes);
    insta::assert_snapshot!(String::from_utf8(bytes).unwrap());
}

#[test]
fn a_match_of_silent_seats_never_plays_differently() {
    // If this changes, `game_version` has to.
    let mut table = table(&json!({}), 42);
    let mut columns = String::new();
    while table.probe().over.is_none() {
        table.submit(&SeatMap::default());
        columns.extend(table.state().last_column.map(|column| char::from(b'0' + column)));
    }
    insta::assert_snapshot!(format!("{columns} {:?}", scores(&table)));
}
