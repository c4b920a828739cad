//! Margin calls, elimination, failure, settlement.

use super::*;

/// Calls margins at par and returns the seat's shares.
fn called(scene: &mut Scene) -> [i64; STOCKS] {
    let queue: Vec<Seat> = Seat::first(scene.state.seats).collect();
    scene.state.call_margins(&queue, &mut scene.events);
    assert_sound(&scene.state);
    scene.shares(P0)
}

#[test]
fn a_call_sells_just_enough_of_the_largest_position() {
    // 200 shares at 100.00 need 3000.00. Each share sold frees 15.00 and costs some cents.
    for (equity, held, left) in [
        (300_000, [200, 0], [200, 0]),
        (299_999, [200, 0], [199, 0]),
        (150_000, [200, 0], [99, 0]),
        (150_000, [0, -200], [0, -99]),
        (450_000, [150, -200], [150, -149]),
        (450_000, [-200, 150], [-149, 150]),
        (1_000_000, [200, 200], [200, 200]),
    ] {
        let mut scene = Scene::at_par(2);
        scene.endow(P0, equity, held);
        assert_eq!(called(&mut scene), left, "{equity} {held:?}");
        let account = scene.state.accounts.of(owner(P0));
        assert!(!account.is_short_of_margin(scene.state.marks()));
        let calls = scene.seen(P0, "margin_call");
        assert_eq!(calls.len(), usize::from(held != left), "{calls:?}");
        assert_eq!(scene.seen(P1, "margin_call"), Vec::<Value>::new());
    }
}

#[test]
fn a_call_cancels_the_seats_orders() {
    let mut scene = Scene::at_par(2);
    scene.tick(&[(P0, json!([{"action": "buy", "symbol": "ZAP", "qty": 9, "price": 50}]))]);
    let mut scene = Scene { events: Vec::new(), ..scene };
    scene.endow(P0, 100_000, [150, 0]);
    called(&mut scene);
    assert_eq!(scene.state.stocks[1].book.open_count(owner(P0)), 0);
}

#[test]
fn without_a_buyer_the_position_stays() {
    let mut scene = Scene::at_par(2);
    scene.endow(P0, 150_000, [200, 0]);
    for stock in &mut scene.state.stocks {
        stock.book.cancel_all(Owner::HOUSE);
    }
    assert_eq!(called(&mut scene), [200, 0]);
    assert!(scene.state.live.contains(P0));
    assert_eq!(scene.seen(P0, "margin_call").len(), 1, "told once a tick");
}

#[test]
fn seats_that_push_each_other_over_are_all_called() {
    // p1's bids are the only ones: it buys what p0 must sell, and then is short of margin itself.
    let mut scene = Scene::at_par(2);
    for stock in &mut scene.state.stocks {
        stock.book.cancel_all(Owner::HOUSE);
    }
    scene.endow(P0, 150_000, [200, 0]);
    scene.endow(P1, 20_000, [0, 0]);
    let bid = super::super::book::Resting { id: 1, owner: owner(P1), price: 9_990, qty: 50 };
    scene.state.stocks[ORE].book.rest(Side::Buy, bid);
    called(&mut scene);
    assert_eq!([scene.shares(P0)[ORE], scene.shares(P1)[ORE]], [150, 50]);
    assert_eq!(scene.seen(P1, "margin_call").len(), 1);
}

#[test]
fn who_has_nothing_left_is_out_and_the_house_gets_the_rest() {
    for (equity, held) in [(0, [200, -100]), (-5_000, [50, 0]), (0, [0, 0]), (1, [200, 200])] {
        let mut scene = Scene::at_par(3);
        scene.endow(P0, equity, held);
        called(&mut scene);
        let account = scene.state.accounts.of(owner(P0));
        assert_eq!((account.cash, account.shares), (0, [0, 0]), "{equity} {held:?}");
        assert_eq!(MarketSimulator::eliminated(&scene.state), SeatSet::one(P0));
        assert_eq!(scene.seen(P1, "eliminated"), [json!({"seat": "p0"})]);
        let Turn::All(live) = MarketSimulator::turn(&scene.state) else { panic!("the others go on") };
        assert_eq!(live, SeatSet::first(3).without(SeatSet::one(P0)));
        let mut menu = Vec::new();
        MarketSimulator::legal(&scene.state, P0, &mut menu);
        assert!(menu.is_empty() && MarketSimulator::check(&scene.state, P0, &Plan::default()).is_err());
    }
}

#[test]
fn a_match_without_live_seats_is_over() {
    let mut scene = Scene::at_par(2);
    scene.endow(P0, 0, [10, 0]);
    scene.endow(P1, 0, [0, 10]);
    called(&mut scene);
    assert_eq!(MarketSimulator::over(&scene.state), Some(EndReason::GameComplete));
}

#[test]
fn a_failed_seat_is_closed_at_the_marks_and_keeps_the_worst_score() {
    let mut scene = Scene::at_par(3);
    scene.tick(&[(
        P0,
        json!([
            {"action": "buy", "symbol": "ORE", "qty": 70},
            {"action": "sell", "symbol": "ZAP", "qty": 5, "price": 500},
        ]),
    )]);
    let equity = scene.state.equity(P0);
    MarketSimulator::fail(&mut scene.state, P0, &mut scene.events);
    let account = scene.state.accounts.of(owner(P0));
    assert_eq!((account.cash, account.shares), (equity, [0, 0]));
    assert_eq!(MarketSimulator::eliminated(&scene.state), SeatSet::EMPTY);
    assert_eq!(scene.seen(P1, "failed"), [json!({"seat": "p0"})]);
    assert_sound(&scene.state);
}

#[test]
fn settlement_pays_the_fundamental_and_not_the_mark() {
    let mut scene = Scene::at_par(2);
    scene.state.max_ticks = 1;
    scene.endow(P0, 1_000_000, [100, -30]);
    scene.tick(&[]);
    let prices = scene.state.settlement.unwrap();
    let marks = [0, 1].map(|stock| scene.state.stocks[stock].process.settlement());
    assert_eq!(prices, marks);
    let expected = 1_000_000 + 100 * (prices[0] - 10_000) - 30 * (prices[1] - 10_000);
    let account = scene.state.accounts.of(owner(P0));
    assert_eq!((account.cash, account.shares), (expected, [0, 0]));
    assert_eq!(scene.state.accounts.of(Owner::HOUSE).shares, [0, 0], "nobody holds anything any more");
    let score = MarketSimulator::score(&scene.state, P0);
    assert_eq!((score * 10_000.0).round() as i64, expected - 1_000_000);
    assert_eq!(scene.seen(P1, "settlement").len(), 1);
    assert_sound(&scene.state);
}

#[test]
fn who_settles_at_nothing_is_out_like_anybody_else() {
    let mut scene = Scene::at_par(2);
    scene.state.max_ticks = 1;
    for stock in &mut scene.state.stocks {
        stock.process = stock.process.clone().with_value(5_000);
    }
    // Enough margin at the mark, nothing at the fundamental.
    scene.endow(P0, 500_000, [0, 200]);
    scene.state.settle(&[P0, P1], &mut scene.events);
    assert_eq!(MarketSimulator::eliminated(&scene.state), SeatSet::one(P0));
    assert_eq!(scene.state.accounts.of(owner(P0)).cash, 0);
    assert_sound(&scene.state);
}
