//! Steps a second of random play, for `run.py` beside it: a JSON line for each game and way.
//!
//! Whole matches with the default options, two seats in turn; every decision is drawn uniformly from the legal actions
//! while the clock runs. Two ways: `rules` is the bare engine (list the legal actions, draw, apply), what a Rust program
//! on the concrete types pays. `table` is what every host pays: the observation of the seat on turn written as JSON, the
//! action sent as JSON, judged, decoded and applied. One thread.

use std::hint::black_box;
use std::time::{Duration, Instant};

use gert::arena::engine::events::NoEvents;
use gert::arena::engine::rng::Pcg;
use gert::arena::engine::seats::{Seat, SeatMap};
use gert::arena::engine::table::Table;
use gert::arena::engine::{Input, MatchSetup, Play as _, Rules};
use gert::arena::games::connect_four::ConnectFour;
use gert::arena::games::liars_dice::LiarsDice;
use gert::arena::games::multi_reversi::MultiReversi;
use serde_json::json;

const SEATS: u8 = 2;

fn main() {
    // `cargo bench` passes flags of its own.
    let seconds = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(2.0);
    let time = Duration::from_secs_f64(seconds);
    measure::<ConnectFour>(time);
    measure::<MultiReversi>(time);
    measure::<LiarsDice>(time);
}

fn measure<R: Rules>(time: Duration) {
    for (way, play) in [("rules", rules_match::<R> as fn(u64) -> u32), ("table", table_match::<R>)] {
        // The first matches warm caches and the allocator.
        (0..10).for_each(|seed| _ = play(seed));
        let (mut steps, mut seed) = (0_u64, 10);
        let began = Instant::now();
        while began.elapsed() < time {
            steps += u64::from(play(seed));
            seed += 1;
        }
        let steps_per_second = steps as f64 / began.elapsed().as_secs_f64();
        println!("{}", json!({ "game": R::spec().slug, "way": way, "steps_per_second": steps_per_second }));
    }
}

/// Plays a match on the concrete types; gives its ticks.
fn rules_match<R: Rules>(seed: u64) -> u32 {
    let config = R::Config::default();
    let mut state =
        R::init(&config, SEATS, R::spec().canonical_ticks, seed).expect("two seats and the defaults");
    let mut rng = Pcg::new(seed);
    let mut legal = Vec::new();
    while R::over(&state).is_none() {
        let mut actions = SeatMap::default();
        for seat in R::turn(&state).seats().iter() {
            actions.insert(seat, draw::<R>(&state, seat, &mut legal, &mut rng));
        }
        R::apply(&mut state, &actions, &mut NoEvents);
    }
    R::tick(black_box(&state))
}

/// Plays a match as hosts do; gives its ticks.
fn table_match<R: Rules>(seed: u64) -> u32 {
    let (config, max_ticks) = (json!({}), R::spec().canonical_ticks);
    let setup = MatchSetup { config: &config, seats: SEATS, max_ticks, seed };
    let mut table = Table::<R>::start(&setup).expect("two seats and the defaults");
    let mut rng = Pcg::new(seed);
    let (mut legal, mut observation) = (Vec::new(), Vec::new());
    loop {
        let turn = R::turn(table.state()).seats();
        let mut inputs = SeatMap::default();
        for seat in turn.iter() {
            observation.clear();
            table.observe(seat, &[], &mut observation);
            black_box(&observation);
            let action = draw::<R>(table.state(), seat, &mut legal, &mut rng);
            inputs.insert(seat, Input::Act(serde_json::to_value(action).expect("actions are plain JSON")));
        }
        let report = table.submit(&inputs);
        if report.over.is_some() {
            return report.tick;
        }
    }
}

fn draw<R: Rules>(
    state: &R::State,
    seat: Seat,
    legal: &mut Vec<(R::Action, f32)>,
    rng: &mut Pcg,
) -> R::Action {
    legal.clear();
    R::legal(state, seat, legal);
    let nth = rng.below(legal.len() as u64) as usize;
    legal.swap_remove(nth).0
}
