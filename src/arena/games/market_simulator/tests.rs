//! What whole ticks do. Here what always holds; by subject: [`trading`], [`margin`], [`knowledge`], [`players`].

mod knowledge;
mod margin;
mod players;
mod trading;

use serde_json::json;

use super::actions::{Order, Step};
use super::book::{Owner, Side};
use super::market::Stock;
use super::process::{Behaviour, Process};
use super::*;
use crate::arena::engine::events::{Audience, NoEvents};

const P0: Seat = Seat::new(0);
const P1: Seat = Seat::new(1);
const ORE: usize = 0;

/// A market and what was reported in its last tick.
struct Scene {
    state: State,
    events: Vec<(Audience, Value)>,
}

impl Scene {
    fn new(seats: u8, seed: u64) -> Self {
        Self { state: State::new(seats, 600, seed), events: Vec::new() }
    }

    /// A market in which ORE is sluggish, ZAP is jittery, and both start at 100.00.
    fn at_par(seats: u8) -> Self {
        let mut scene = Self::new(seats, 1);
        for (stock, behaviour) in scene.state.stocks.iter_mut().zip([Behaviour::Sluggish, Behaviour::Jittery])
        {
            stock.process = Process::new(behaviour, 10_000);
        }
        scene.state.quote_house(&mut NoEvents);
        scene
    }

    /// Gives a seat shares, at the marks, and exactly this equity; the house has the other end.
    fn endow(&mut self, seat: Seat, equity: i64, shares: [i64; STOCKS]) {
        let marks = self.state.marks();
        let accounts = &mut self.state.accounts;
        for stock in 0..STOCKS {
            accounts.trade(Owner::HOUSE, owner(seat), stock, shares[stock], marks[stock]);
        }
        let excess = accounts.of(owner(seat)).equity(marks) - equity;
        accounts.trade(owner(seat), Owner::HOUSE, ORE, 1, -excess);
        accounts.trade(Owner::HOUSE, owner(seat), ORE, 1, 0);
        assert_eq!(self.state.equity(seat), equity);
    }

    /// Plays a tick with what these seats send.
    fn tick(&mut self, sent: &[(Seat, Value)]) {
        self.events.clear();
        let plans = sent.iter().map(|(seat, actions)| {
            let plan = Plan::decode(actions.as_array().unwrap()).unwrap();
            MarketSimulator::check(&self.state, *seat, &plan).unwrap();
            (*seat, plan)
        });
        let plans = plans.collect();
        self.state.play_tick(&plans, &mut self.events);
    }

    /// The bodies of this kind of event that a seat was shown.
    fn seen(&self, seat: Seat, kind: &str) -> Vec<Value> {
        let shown =
            self.events.iter().filter(|(to, _)| matches!(to, Audience::All) || *to == Audience::Only(seat));
        shown.filter_map(|(_, event)| event.get(kind).cloned()).collect()
    }

    fn shares(&self, seat: Seat) -> [i64; STOCKS] {
        self.state.accounts.of(owner(seat)).shares
    }

    /// Cents as the JSON shows them.
    fn price(&self, stock: usize, offset: i64) -> f64 {
        (self.state.stocks[stock].process.mark() + offset) as f64 / 100.0
    }
}

/// Everything that holds after every tick, whatever the seats do.
fn assert_sound(state: &State) {
    let accounts = state.accounts.all();
    let cash: i64 = accounts.iter().map(|account| account.cash).sum();
    assert_eq!(cash, i64::from(state.seats) * START_CASH, "cash was made or lost");
    let equity: i64 = accounts.iter().map(|account| account.equity(state.marks())).sum();
    assert_eq!(equity, i64::from(state.seats) * START_CASH, "equity was made or lost");
    for (stock, Stock { book, .. }) in state.stocks.iter().enumerate() {
        assert_eq!(
            accounts.iter().map(|account| account.shares[stock]).sum::<i64>(),
            0,
            "shares were made or lost"
        );
        if let (Some(bid), Some(ask)) = (book.best(Side::Buy), book.best(Side::Sell)) {
            assert!(bid < ask, "the book is crossed or locked: {bid} {ask}");
        }
        assert_eq!(book.open_count(Owner::CROWD), 0, "the crowd rests nothing");
        for side in Side::BOTH {
            assert!(book.side(side).all(|order| order.qty > 0 && order.price > 0));
            for seat in Seat::first(state.seats) {
                let at_most =
                    accounts[seat.index()].shares[stock] * side.sign() + book.open_qty(owner(seat), side);
                assert!(at_most <= POSITION_LIMIT, "{seat} could reach {at_most}");
            }
        }
    }
    for seat in Seat::first(state.seats) {
        let open: usize = state.stocks.iter().map(|stock| stock.book.open_count(owner(seat))).sum();
        assert!(open <= MAX_OPEN_ORDERS);
        let score = MarketSimulator::score(state, seat);
        assert!(score >= WORST_SCORE);
        if state.live.contains(seat) {
            assert!(score > WORST_SCORE, "{seat} is live with nothing left");
        } else {
            assert_eq!(
                (open, MarketSimulator::score(state, seat).total_cmp(&WORST_SCORE)),
                (0, std::cmp::Ordering::Equal)
            );
        }
    }
}

/// Whatever a seat might send, sensible or not, but legal.
fn wild_plan(view: &View<'_>, rng: &mut Pcg) -> Plan {
    let count = rng.below(MAX_ACTIONS as u64 + 1);
    (0..count)
        .map(|_| {
            let stock = rng.below(2) as usize;
            match rng.below(8) {
                0 => Step::Cancel { id: rng.below(400) as u32 },
                1 => Step::CancelAll { stock: rng.one_in(2).then_some(stock) },
                kind => {
                    let side = if rng.one_in(2) { Side::Buy } else { Side::Sell };
                    let limit = (view.mark(stock) + rng.between(-40, 40)).max(1);
                    Step::Order(Order {
                        side,
                        stock,
                        qty: rng.between(1, 250),
                        price: (kind > 3).then_some(limit),
                    })
                }
            }
        })
        .collect()
}

/// Plays a match of wild seats and shows the state after every tick.
fn play_wildly(mut state: State, stream: u64, mut look: impl FnMut(&State)) {
    let mut rng = Pcg::new(stream);
    while let Turn::All(live) = MarketSimulator::turn(&state) {
        let plans = live.iter().map(|seat| (seat, wild_plan(&View::new(&state, seat), &mut rng))).collect();
        MarketSimulator::apply(&mut state, &plans, &mut NoEvents);
        look(&state);
    }
}

#[test]
fn cash_shares_and_limits_hold_after_every_tick_of_wild_play() {
    for seed in 0..12 {
        let mut n_ticks = 0;
        play_wildly(State::new(2 + seed as u8 % 7, 60, seed), seed, |state| {
            assert_sound(state);
            n_ticks += 1;
        });
        assert_eq!(n_ticks, 60);
    }
}

#[test]
fn they_hold_as_well_while_poor_seats_are_called_and_eliminated() {
    let mut n_out = 0;
    for seed in 0..12 {
        let mut scene = Scene::new(6, seed);
        for seat in Seat::first(6) {
            scene.endow(seat, 15_000 + 40_000 * seat.index() as i64, [0, 0]);
        }
        scene.state.max_ticks = 60;
        let mut eliminated = SeatSet::EMPTY;
        play_wildly(scene.state, seed, |state| {
            assert_sound(state);
            eliminated = state.eliminated;
        });
        n_out += eliminated.len();
    }
    assert!((6..66).contains(&n_out), "{n_out} of 72 seats: the test should see both fates");
}

#[test]
fn equal_seeds_and_plans_give_equal_states_and_a_later_change_leaves_the_past_alone() {
    let play = |changed_at: u32| {
        let mut state = State::new(4, 40, 5);
        let mut rng = Pcg::new(6);
        let mut states = Vec::new();
        while let Turn::All(live) = MarketSimulator::turn(&state) {
            let mut plans: SeatMap<Plan> =
                live.iter().map(|seat| (seat, wild_plan(&View::new(&state, seat), &mut rng))).collect();
            if state.tick == changed_at {
                plans.insert(P1, Plan::default());
            }
            MarketSimulator::apply(&mut state, &plans, &mut NoEvents);
            states.push(state.clone());
        }
        states
    };
    let (one, same, other) = (play(u32::MAX), play(u32::MAX), play(20));
    assert!(one == same);
    assert!(one[..20] == other[..20]);
    assert!(one[20] != other[20]);
}

#[test]
fn the_seed_alone_decides_marks_and_news() {
    let path = |stream: Option<u64>| {
        let mut path = Vec::new();
        let mut look = |state: &State| path.push((state.marks(), state.news.clone()));
        let mut state = State::new(4, 50, 8);
        if let Some(stream) = stream {
            play_wildly(state, stream, &mut look);
        } else {
            MarketSimulator::fail(&mut state, P1, &mut NoEvents);
            while state.tick < 50 {
                state.play_tick(&SeatMap::default(), &mut NoEvents);
                look(&state);
            }
        }
        path
    };
    let quiet = path(None);
    assert_eq!(path(Some(1)), quiet);
    assert_eq!(path(Some(2)), quiet);
}

#[test]
fn reseeding_changes_the_future_only() {
    let mut state = State::new(2, 50, 8);
    state.play_tick(&SeatMap::default(), &mut NoEvents);
    let mut other = state.clone();
    MarketSimulator::reseed(&mut other, 99);
    assert_eq!((state.marks(), state.tick), (other.marks(), other.tick));
    state.play_tick(&SeatMap::default(), &mut NoEvents);
    other.play_tick(&SeatMap::default(), &mut NoEvents);
    assert_ne!(state.marks(), other.marks());
}

#[test]
fn a_match_is_complete_at_its_last_tick_however_short() {
    for max_ticks in [1, 10] {
        let mut state = State::new(2, max_ticks, 4);
        for tick in 0..max_ticks {
            assert_eq!((MarketSimulator::tick(&state), MarketSimulator::over(&state)), (tick, None));
            state.play_tick(&SeatMap::default(), &mut NoEvents);
        }
        assert_eq!(MarketSimulator::over(&state), Some(EndReason::GameComplete));
        assert_eq!(MarketSimulator::turn(&state), Turn::Over);
        assert!(state.settlement.is_some());
    }
}
