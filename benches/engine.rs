//! Ticks per second of every game: the goals of arena.md §7.4.
//!
//! Whole matches of random legal play at the default seats. `rules` is the bare engine: concrete types, no events,
//! no JSON. `table` is one `submit` of the host's interface, its actions ready as JSON values; `observed` also writes
//! the observation of one seat as JSON, of the one on turn. All count ticks, whatever the number of seats that act in
//! one.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gert::arena::engine::events::NoEvents;
use gert::arena::engine::rng::Pcg;
use gert::arena::engine::seats::{Seat, SeatMap};
use gert::arena::engine::{Input, MatchSetup, Play, Rules};
use gert::arena::games::connect_four::ConnectFour;
use gert::arena::games::grid_serpents::GridSerpents;
use gert::arena::games::liars_dice::LiarsDice;
use gert::arena::games::market_simulator::MarketSimulator;
use gert::arena::games::multi_reversi::MultiReversi;
use gert::arena::games::pot_limit_omaha_hilo::PotLimitOmahaHilo;
use gert::arena::games::{GAMES, find};
use serde_json::{Value, json};

/// Plays a match on the concrete types; gives the ticks.
fn rules_match<R: Rules>(seed: u64) -> u32 {
    let spec = R::spec();
    let config = R::Config::default();
    let mut state = R::init(&config, spec.default_seats, spec.canonical_ticks, seed)
        .expect("every game starts with its defaults");
    let mut rng = Pcg::new(seed);
    let mut legal = Vec::new();
    while R::over(&state).is_none() {
        let mut actions = SeatMap::default();
        for seat in R::turn(&state).seats().iter() {
            legal.clear();
            R::legal(&state, seat, &mut legal);
            if let Some(action) = rng.weighted(&legal) {
                actions.insert(seat, action.clone());
            }
        }
        R::apply(&mut state, &actions, &mut NoEvents);
    }
    R::tick(black_box(&state))
}

/// Inputs and their number for a match, so that choosing them is not measured.
fn recorded_match(slug: &str, seed: u64) -> Vec<SeatMap<Input>> {
    let mut play = start(slug, seed);
    let mut rng = Pcg::new(seed);
    let mut log = Vec::new();
    while play.probe().over.is_none() {
        let turn = play.probe().turn.seats();
        let inputs = turn.iter().map(|seat| (seat, choose(&*play, seat, &mut rng))).collect();
        play.submit(&inputs);
        log.push(inputs);
    }
    log
}

fn choose(play: &dyn Play, seat: Seat, rng: &mut Pcg) -> Input {
    let mut bytes = Vec::new();
    play.observe(seat, &[], &mut bytes);
    let observation: Value = serde_json::from_slice(&bytes).expect("observations are JSON");
    let entries = observation["_action_space"].as_array().map_or(&[][..], Vec::as_slice);
    let weight = |entry: &Value| entry["weight"].as_f64().unwrap_or(1.0) as f32;
    let choices: Vec<(&Value, f32)> = entries.iter().map(|entry| (&entry["action"], weight(entry))).collect();
    rng.weighted(&choices).map_or(Input::Pass, |&action| Input::Act(action.clone()))
}

fn start(slug: &str, seed: u64) -> Box<dyn Play> {
    let game = find(slug).expect("the game is listed");
    let spec = game.spec();
    let setup =
        MatchSetup { config: &json!({}), seats: spec.default_seats, max_ticks: spec.canonical_ticks, seed };
    game.start(&setup).expect("every game starts with its defaults")
}

/// Plays a recorded match through the host's interface.
fn table_match(slug: &str, seed: u64, log: &[SeatMap<Input>], is_observed: bool) -> usize {
    let mut play = start(slug, seed);
    let mut bytes = Vec::new();
    for inputs in log {
        if let Some((seat, _)) = inputs.iter().next().filter(|_| is_observed) {
            bytes.clear();
            play.observe(seat, &[], &mut bytes);
            black_box(&bytes);
        }
        play.submit(inputs);
    }
    log.len()
}

fn rules(criterion: &mut Criterion) {
    bare::<ConnectFour>(criterion);
    bare::<GridSerpents>(criterion);
    bare::<LiarsDice>(criterion);
    bare::<MarketSimulator>(criterion);
    bare::<MultiReversi>(criterion);
    bare::<PotLimitOmahaHilo>(criterion);
}

fn bare<R: Rules>(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rules");
    group.throughput(Throughput::Elements(u64::from(rules_match::<R>(1))));
    group.bench_function(BenchmarkId::from_parameter(R::spec().slug), |bench| {
        bench.iter(|| rules_match::<R>(1));
    });
    group.finish();
}

fn tables(criterion: &mut Criterion) {
    for (name, is_observed) in [("table", false), ("observed", true)] {
        let mut group = criterion.benchmark_group(name);
        for game in GAMES {
            let slug = game.spec().slug;
            let log = recorded_match(slug, 1);
            group.throughput(Throughput::Elements(log.len() as u64));
            group.bench_function(BenchmarkId::from_parameter(slug), |bench| {
                bench.iter(|| table_match(slug, 1, &log, is_observed));
            });
        }
        group.finish();
    }
}

fn copies(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fork");
    for game in GAMES {
        let play = start(game.spec().slug, 1);
        group.bench_function(BenchmarkId::from_parameter(game.spec().slug), |bench| {
            bench.iter(|| play.fork());
        });
    }
    group.finish();
}

/// Each built-in player's first decision: ladders must stay far below a tick's deadline.
fn bots(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("bot");
    for game in GAMES {
        let play = start(game.spec().slug, 1);
        for bot in game.bots() {
            let mut player = game.player(bot.name, 1).expect("the bot is listed");
            group.bench_function(BenchmarkId::new(game.spec().slug, bot.name), |bench| {
                bench.iter(|| player.act(&*play, Seat::new(0)));
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800));
    targets = rules, tables, copies, bots
}
criterion_main!(benches);
