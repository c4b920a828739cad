//! What seats send and are shown.

use super::*;
use crate::arena::engine::table::Table;
use crate::arena::engine::{Input, MatchSetup, Play};

fn judge(action: &Value) -> Result<Plan, Reasons> {
    let state = Scene::at_par(2).state;
    let plan = MarketSimulator::decode(&state, P0, action.as_array().unwrap())?;
    MarketSimulator::check(&state, P0, &plan).map(|()| plan)
}

#[test]
fn what_can_never_be_meant_is_rejected() {
    let order =
        |qty: Value, price: Value| json!([{"action": "buy", "symbol": "ORE", "qty": qty, "price": price}]);
    for bad in [
        json!([{"action": "hold"}]),
        json!([{"symbol": "ORE", "qty": 1}]),
        json!([{"action": "buy", "symbol": "GOLD", "qty": 1}]),
        json!([{"action": "buy", "symbol": "ore", "qty": 1}]),
        json!([{"action": "buy", "qty": 1}]),
        json!([{"action": "buy", "symbol": "ORE"}]),
        json!([{"action": "cancel"}]),
        json!([{"action": "cancel", "order_id": "7"}]),
        json!([{"action": "cancel", "order_id": -1}]),
        json!([{"action": "cancel_all", "symbol": "GOLD"}]),
        order(json!(0), json!(null)),
        order(json!(-5), json!(null)),
        order(json!(1.5), json!(null)),
        order(json!("5"), json!(null)),
        order(json!(1), json!(0)),
        order(json!(1), json!(0.004)),
        order(json!(1), json!(-3)),
        order(json!(1), json!(1000.01)),
        order(json!(1), json!(1e300)),
        order(json!(1), json!("100")),
        Value::Array(vec![json!({"action": "cancel_all"}); 9]),
    ] {
        let reasons = judge(&bad).expect_err(&bad.to_string());
        assert!(reasons.iter().all(|reason| reason.len() < 120), "{reasons:?}");
    }
}

#[test]
fn every_fault_of_a_list_is_named_by_its_place() {
    let reasons =
        judge(&json!([{"action": "cancel_all"}, {"action": "x"}, {"action": "cancel"}])).unwrap_err();
    assert_eq!(
        reasons,
        [
            "action 2: unknown action \"x\": use buy, sell, cancel or cancel_all",
            "action 3: `order_id` is missing",
        ]
    );
    let reasons = judge(&json!([{"action": "buy", "symbol": "ORE", "qty": 1, "price": 1001}])).unwrap_err();
    assert_eq!(reasons, ["action 1: `price` 1001 is more than 10 times the mark 100"]);
}

#[test]
fn what_is_legal_reads_back_from_its_own_json() {
    for (sent, form) in [
        (
            json!([{"action": "buy", "symbol": "ORE", "qty": 5.0, "price": null, "note": "x"}]),
            json!({"action": "buy", "symbol": "ORE", "qty": 5}),
        ),
        (
            json!([{"action": "sell", "symbol": "ZAP", "qty": 999, "price": 99.999}]),
            json!({"action": "sell", "symbol": "ZAP", "qty": 999, "price": 100}),
        ),
        (
            json!([{"action": "cancel", "order_id": 3}, {"action": "cancel_all", "symbol": "ZAP"}]),
            json!([{"action": "cancel", "order_id": 3}, {"action": "cancel_all", "symbol": "ZAP"}]),
        ),
        (json!([{"action": "cancel_all"}]), json!({"action": "cancel_all"})),
    ] {
        let plan = judge(&sent).unwrap();
        assert_eq!(serde_json::to_value(&plan).unwrap(), form);
        let list = if form.is_array() { form } else { json!([form]) };
        assert_eq!(judge(&list), Ok(plan));
    }
    assert_eq!(serde_json::to_value(Plan::default()).unwrap(), json!([]));
}

#[test]
fn the_menu_has_eleven_plans_made_for_the_book_as_it_is() {
    let mut scene = Scene::at_par(2);
    let menu = |scene: &Scene| {
        let mut menu = Vec::new();
        MarketSimulator::legal(&scene.state, P0, &mut menu);
        assert_eq!(menu.len(), 11);
        for (plan, weight) in &menu {
            assert!(*weight > 0.0);
            assert_eq!(MarketSimulator::check(&scene.state, P0, plan), Ok(()));
        }
        serde_json::to_value(menu).unwrap()
    };
    let quoted = menu(&scene);
    assert_eq!(quoted[0], json!([{"action": "buy", "symbol": "ORE", "qty": 10}, 1.0]));
    assert_eq!(quoted[8], json!([{"action": "cancel_all"}, 0.5]));
    assert_eq!(
        quoted[9],
        json!([[
            {"action": "buy", "symbol": "ORE", "qty": 15, "price": 99.95},
            {"action": "sell", "symbol": "ORE", "qty": 15, "price": 100.05},
        ], 2.0])
    );
    // Also when there is nobody to join, or only somebody far off.
    for stock in &mut scene.state.stocks {
        stock.book.cancel_all(Owner::HOUSE);
        let far = super::super::book::Resting { id: 1, owner: owner(P1), price: 100_500, qty: 5 };
        stock.book.rest(Side::Sell, far);
    }
    assert_ne!(menu(&scene)[9], quoted[9]);
}

#[test]
fn history_grows_to_forty_marks_and_ends_at_the_current_one() {
    let mut state = State::new(2, 100, 3);
    let mut marks = vec![state.marks()[ORE]];
    for _ in 0..90 {
        let view = View::new(&state, P0);
        let shown: Vec<i64> = view.history(ORE).collect();
        assert_eq!(shown, marks[marks.len().saturating_sub(HISTORY)..]);
        assert_eq!(shown.last(), Some(&view.mark(ORE)));
        state.play_tick(&SeatMap::default(), &mut NoEvents);
        marks.push(state.marks()[ORE]);
    }
}

#[test]
fn news_comes_every_tenth_tick_for_the_stocks_in_turn() {
    let mut scene = Scene::new(2, 3);
    let mut published = Vec::new();
    for tick in 1..=60 {
        scene.tick(&[]);
        for news in scene.seen(P1, "news") {
            published.push((tick, news["symbol"].as_str().unwrap().to_owned()));
            let last = View::new(&scene.state, P1).news().last().unwrap();
            assert_eq!((last.tick, news["symbol"].as_str()), (tick, Some(SYMBOLS[last.stock])));
        }
    }
    let expected = [(10, "ORE"), (20, "ZAP"), (30, "ORE"), (40, "ZAP"), (50, "ORE"), (60, "ZAP")];
    assert_eq!(published, expected.map(|(tick, symbol)| (tick, symbol.to_owned())));
    assert_eq!(View::new(&scene.state, P1).news().len(), NEWS_KEPT);
}

/// Plays a short match and writes down what the seats see and score.
#[test]
fn a_short_match_never_changes() {
    let setup = MatchSetup { config: &json!({}), seats: 2, max_ticks: 11, seed: 7 };
    let mut table = Table::<MarketSimulator>::start(&setup).unwrap();
    let mut shown = Vec::new();
    while table.probe().over.is_none() {
        let sent = match table.probe().tick {
            0 => {
                json!([{"action": "buy", "symbol": "ORE", "qty": 25}, {"action": "sell", "symbol": "ZAP", "qty": 300, "price": 70}])
            }
            1 => json!([{"action": "buy", "symbol": "ZAP", "qty": 20, "price": 70}]),
            _ => json!([]),
        };
        table.submit(&[(P0, Input::Act(sent))].into_iter().collect());
        if [1, 2, 11].contains(&table.probe().tick) {
            let mut bytes = Vec::new();
            table.observe(P0, &[], &mut bytes);
            shown.push(String::from_utf8(bytes).unwrap());
        }
    }
    insta::assert_snapshot!(shown.join("\n"));
}
