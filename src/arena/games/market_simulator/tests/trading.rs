//! Orders, cancels and limits.

use super::*;

#[test]
fn a_market_order_walks_up_the_houses_ladder() {
    let mut scene = Scene::at_par(2);
    scene.tick(&[(P0, json!([{"action": "buy", "symbol": "ORE", "qty": 25}]))]);
    let fills = scene.seen(P0, "fill");
    // 20 * 100.05 = 2001.00 and 5 * 100.08 = 500.40; one basis point of each, rounded up.
    let fill = |price: f64, qty: u32, fee: f64| json!({"fee": fee, "liquidity": "taker", "order_id": 1, "price": price, "qty": qty, "side": "buy", "symbol": "ORE"});
    assert_eq!(fills, [fill(100.05, 20, 0.21), fill(100.08, 5, 0.06)]);
    let account = scene.state.accounts.of(owner(P0));
    assert_eq!(
        (account.cash, account.shares, account.fees),
        (1_000_000 - 200_100 - 50_040 - 27, [25, 0], 27)
    );
    assert_eq!(scene.seen(P1, "fill"), Vec::<Value>::new(), "fills are their owner's business");
}

#[test]
fn market_orders_end_a_quarter_from_the_mark_for_seats_and_crowd() {
    // What this rule stops: buy all that the house offers, then sell at ten times the mark.
    for seed in 0..20 {
        let mut scene = Scene::new(2, seed);
        let squeeze = json!([
            {"action": "buy", "symbol": "ORE", "qty": 200},
            {"action": "sell", "symbol": "ORE", "qty": 200, "price": scene.price(ORE, 0) * 10.0},
        ]);
        let victim = json!([{"action": "buy", "symbol": "ORE", "qty": 200}]);
        scene.tick(&[(P0, squeeze), (P1, victim)]);
        // Whoever came first, the rival and the crowd rather went without.
        assert!(scene.seen(P0, "fill").iter().all(|fill| fill["liquidity"] == "taker"));
        assert_eq!(scene.shares(P0)[ORE] + scene.shares(P1)[ORE], 200);
        assert!(scene.state.equity(P1) > 980_000, "{}", scene.state.equity(P1));
    }
}

#[test]
fn a_market_order_that_finds_too_little_says_so() {
    let mut scene = Scene::at_par(3);
    let all = json!([{"action": "buy", "symbol": "ORE", "qty": 150}]);
    scene.tick(&[(P0, all.clone()), (P1, all)]);
    let cuts: Vec<Value> = [P0, P1].iter().flat_map(|seat| scene.seen(*seat, "order_cut")).collect();
    assert_eq!(cuts.len(), 1, "{cuts:?}");
    assert_eq!((&cuts[0]["qty"], &cuts[0]["reason"]), (&json!(50), &json!("no_liquidity")));
}

#[test]
fn a_limit_order_trades_what_it_can_and_rests_the_remainder() {
    let mut scene = Scene::at_par(2);
    scene.state.max_ticks = 1_000;
    scene.tick(&[(P0, json!([{"action": "buy", "symbol": "ORE", "qty": 60, "price": 100.06}]))]);
    assert_eq!(scene.seen(P0, "fill")[0]["qty"], 20);
    // The house meets the resting 40 where the new mark allows it to sell so low.
    let later: i64 = scene.seen(P0, "fill")[1..].iter().map(|fill| fill["qty"].as_i64().unwrap()).sum();
    let open = scene.state.stocks[ORE].book.open_qty(owner(P0), Side::Buy);
    assert_eq!(later + open, 40);
    assert_eq!(scene.shares(P0)[ORE], 20 + later);
}

#[test]
fn the_house_trades_with_an_order_that_the_mark_has_passed_at_the_orders_price() {
    let mut scene = Scene::at_par(2);
    scene.tick(&[(P0, json!([{"action": "sell", "symbol": "ORE", "qty": 30, "price": 100.15}]))]);
    let rested = scene.state.stocks[ORE].book.open_qty(owner(P0), Side::Sell);
    assert_eq!(rested, 30, "nobody pays so much yet");
    scene.events.clear();
    scene.state.stocks[ORE].process = scene.state.stocks[ORE].process.clone().with_mark(10_100);
    scene.state.quote_house(&mut scene.events);
    let fills = scene.seen(P0, "fill");
    assert_eq!(fills.iter().map(|fill| fill["qty"].as_i64().unwrap()).collect::<Vec<_>>(), [20, 10]);
    assert!(
        fills.iter().all(|fill| fill["price"] == 100.15 && fill["fee"] == 0 && fill["liquidity"] == "maker")
    );
    assert_sound(&scene.state);
}

#[test]
fn resting_orders_count_against_the_position_limit() {
    let mut scene = Scene::at_par(2);
    scene.tick(&[(
        P0,
        json!([
            {"action": "buy", "symbol": "ORE", "qty": 150, "price": 50},
            {"action": "buy", "symbol": "ORE", "qty": 120, "price": 51},
            {"action": "buy", "symbol": "ORE", "qty": 1, "price": 52},
            {"action": "sell", "symbol": "ORE", "qty": 250, "price": 500},
            {"action": "buy", "symbol": "ZAP", "qty": 1_000_000, "price": 52},
        ]),
    )]);
    let cut = |id: u32, asked: u32, qty: u32, side: &str, symbol: &str| json!({"asked": asked, "order_id": id, "qty": qty, "reason": "position_limit", "side": side, "symbol": symbol});
    assert_eq!(
        scene.seen(P0, "order_cut"),
        [
            cut(2, 120, 50, "buy", "ORE"),
            cut(4, 250, 200, "sell", "ORE"),
            cut(5, 1_000_000, 200, "buy", "ZAP")
        ]
    );
    let refused =
        json!({"asked": 1, "order_id": 3, "reason": "position_limit", "side": "buy", "symbol": "ORE"});
    assert_eq!(scene.seen(P0, "order_refused"), [refused]);
    assert_sound(&scene.state);
}

#[test]
fn a_twenty_first_order_does_not_rest() {
    let mut scene = Scene::at_par(2);
    let orders = |from: i64| -> Value {
        (0..7).map(|n| json!({"action": "buy", "symbol": "ORE", "qty": 1, "price": 40 + from + n})).collect()
    };
    for from in [0, 7, 14] {
        scene.tick(&[(P0, orders(from))]);
    }
    let refused = scene.seen(P0, "order_refused");
    assert_eq!(refused.len(), 1);
    assert_eq!((&refused[0]["order_id"], &refused[0]["reason"]), (&json!(21), &json!("open_orders")));
    assert_eq!(scene.state.stocks[ORE].book.open_count(owner(P0)), 20);
}

#[test]
fn cancels_come_before_all_orders() {
    let mut scene = Scene::at_par(2);
    let far = json!({"action": "buy", "symbol": "ORE", "qty": 200, "price": 99.98});
    scene.tick(&[(P0, json!([{"action": "buy", "symbol": "ORE", "qty": 200, "price": 50}]))]);
    // The cancel stands last in the list, and makes room for the order before it.
    scene.tick(&[(P0, json!([far, {"action": "cancel", "order_id": 1}])), (P1, json!([]))]);
    assert_eq!(scene.seen(P0, "order_refused"), Vec::<Value>::new());
    assert_eq!(scene.state.last_order, 2);
    for (wrong, seat) in [(1, P0), (2, P1), (77, P0)] {
        scene.tick(&[(seat, json!([{"action": "cancel", "order_id": wrong}]))]);
        assert_eq!(scene.seen(seat, "cancel_refused"), [json!({"order_id": wrong, "reason": "not_open"})]);
    }
}

#[test]
fn cancel_all_takes_one_stock_or_both() {
    for (symbol, left) in [(json!("ORE"), [0, 1]), (json!("ZAP"), [1, 0]), (json!(null), [0, 0])] {
        let mut scene = Scene::at_par(2);
        let order = |symbol| json!({"action": "buy", "symbol": symbol, "qty": 1, "price": 50});
        scene.tick(&[(P0, json!([order("ORE"), order("ZAP")]))]);
        scene.tick(&[(P0, json!([{"action": "cancel_all", "symbol": symbol}]))]);
        let open = [0, 1].map(|stock| scene.state.stocks[stock].book.open_count(owner(P0)));
        assert_eq!(open, left, "{symbol}");
    }
}

#[test]
fn own_orders_never_trade_with_each_other() {
    let mut scene = Scene::at_par(2);
    let sell = json!({"action": "sell", "symbol": "ORE", "qty": 30, "price": 100.02});
    let buy = json!({"action": "buy", "symbol": "ORE", "qty": 10, "price": 100.05});
    scene.tick(&[(P0, json!([sell, buy]))]);
    assert_eq!(scene.seen(P0, "order_cancelled"), [json!({"order_id": 1, "reason": "self_trade"})]);
    let fills = scene.seen(P0, "fill");
    assert_eq!((fills.len(), &fills[0]["order_id"], &fills[0]["price"]), (1, &json!(2), &json!(100.05)));
}

#[test]
fn orders_are_taken_in_rounds_and_the_first_seat_is_drawn_fairly() {
    // Both want the 20 shares at the best price with their second order; the first is far away.
    let plan = json!([
        {"action": "buy", "symbol": "ZAP", "qty": 1, "price": 50},
        {"action": "buy", "symbol": "ORE", "qty": 20},
    ]);
    let mut first = [0, 0];
    for seed in 0..400 {
        let mut scene = Scene::new(2, seed);
        let best = scene.price(ORE, 5);
        scene.tick(&[(P0, plan.clone()), (P1, plan.clone())]);
        for (n, seat) in [P0, P1].into_iter().enumerate() {
            let fill = &scene.seen(seat, "fill")[0];
            // Ids tell the order of arrival: 1 and 2 are the first round, 3 and 4 the second.
            assert_eq!(fill["order_id"] == 3, fill["price"] == best);
            first[n] += u32::from(fill["order_id"] == 3);
        }
    }
    assert_eq!(first[0] + first[1], 400);
    // Six standard deviations are 60.
    assert!((140..=260).contains(&first[0]), "{first:?}");
}

#[test]
fn an_account_is_what_its_fill_events_say() {
    let mut scene = Scene::new(3, 17);
    let mut rng = Pcg::new(18);
    let (mut cash, mut shares, mut fees) = (START_CASH, [0, 0], 0);
    let cents = |value: &Value| (value.as_f64().unwrap() * 100.0).round() as i64;
    for _ in 0..80 {
        scene.events.clear();
        let state = &scene.state;
        let plans = Seat::first(3).map(|seat| (seat, wild_plan(&View::new(state, seat), &mut rng))).collect();
        scene.state.play_tick(&plans, &mut scene.events);
        for fill in scene.seen(P0, "fill") {
            let sign = if fill["side"] == "buy" { 1 } else { -1 };
            let qty = sign * fill["qty"].as_i64().unwrap();
            cash -= qty * cents(&fill["price"]) + cents(&fill["fee"]);
            fees += cents(&fill["fee"]);
            shares[usize::from(fill["symbol"] == "ZAP")] += qty;
        }
        let account = scene.state.accounts.of(owner(P0));
        assert_eq!((account.cash, account.shares, account.fees), (cash, shares, fees));
    }
    assert!(fees > 0);
}

#[test]
fn what_was_ordered_is_filled_open_cancelled_or_dropped_but_never_more() {
    let mut scene = Scene::new(2, 23);
    let mut filled = 0;
    for tick in 0..60 {
        let sent = if tick == 0 {
            json!([{"action": "buy", "symbol": "ORE", "qty": 180, "price": scene.price(ORE, 4)}])
        } else {
            json!([])
        };
        scene.tick(&[(P0, sent)]);
        filled += scene.seen(P0, "fill").iter().map(|fill| fill["qty"].as_i64().unwrap()).sum::<i64>();
        assert_eq!(filled + scene.state.stocks[ORE].book.open_qty(owner(P0), Side::Buy), 180);
    }
    assert!(filled > 20, "{filled}");
}
