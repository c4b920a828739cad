//! The built-in players, and the market that they make together.

use super::super::bots::BOTS;
use super::*;
use crate::arena::engine::rng::mix;

/// Plays a match of these players and shows the state after every tick.
fn play(names: &[&str], max_ticks: u32, seed: u64, mut look: impl FnMut(&State)) -> SeatMap<f64> {
    let mut state = State::new(names.len() as u8, max_ticks, seed);
    let make = |(n, name): (usize, &&str)| {
        let bot = BOTS.iter().find(|bot| bot.name == *name).unwrap();
        (bot.make)(mix(&[seed, n as u64]))
    };
    let mut players: Vec<_> = names.iter().enumerate().map(make).collect();
    while let Turn::All(live) = MarketSimulator::turn(&state) {
        let decide = |seat: Seat| (seat, players[seat.index()].act(&View::new(&state, seat)));
        let plans: SeatMap<Plan> = live.iter().map(decide).collect();
        MarketSimulator::apply(&mut state, &plans, &mut NoEvents);
        look(&state);
    }
    Seat::first(names.len() as u8).map(|seat| (seat, MarketSimulator::score(&state, seat))).collect()
}

#[test]
fn players_rank_as_their_knowledge_does() {
    /// Those whose means are far enough apart for so few matches.
    const ORDER: [&str; 6] = ["random", "idle", "maker", "news", "hybrid", "adaptive"];
    let names: Vec<&str> = BOTS.iter().map(|bot| bot.name).collect();
    let (mut sums, mut counts) = (vec![0.0; names.len()], vec![0.0; names.len()]);
    for seed in 0..60 {
        // Tables of four, every player as often as any other and in every seat.
        let nth = |n: usize| (seed as usize + 3 * n) % names.len();
        let table: Vec<&str> = (0..4).map(|n| names[nth(n)]).collect();
        for (seat, score) in play(&table, 600, seed, |_| {}).iter() {
            sums[nth(seat.index())] += score;
            counts[nth(seat.index())] += 1.0;
        }
    }
    let mean = |name: &str| {
        let nth = names.iter().position(|known| *known == name).unwrap();
        sums[nth] / counts[nth]
    };
    let means: Vec<f64> = names.iter().map(|name| mean(name)).collect();
    assert!(ORDER.windows(2).all(|pair| mean(pair[0]) < mean(pair[1])), "{names:?} {means:?}");
    assert!(mean("adaptive") - mean("idle") > 15.0, "{names:?} {means:?}");
    // Whoever knows anything does better than chance, and nobody loses much.
    assert!(means[1..].iter().all(|mean| *mean > means[0]) && means[0] > -20.0, "{names:?} {means:?}");
}

#[test]
fn random_traders_do_not_move_the_mark_away_from_the_fundamental() {
    // Either gap has a standard deviation of about 0.66: of the sluggish one from drift, noise and jumps that it
    // follows slowly, of the jittery one from its wander.
    for seed in 0..6 {
        play(&["random"; 4], 300, seed, |state| {
            for stock in &state.stocks {
                let gap = stock.process.mark() - stock.process.settlement();
                assert!(gap.abs() < 6 * 66, "{gap}");
            }
            assert_sound(state);
        });
    }
}

#[test]
fn players_that_join_late_or_go_back_in_time_play_on() {
    for bot in BOTS {
        let mut player = (bot.make)(1);
        let mut state = State::new(2, 600, 4);
        let early = state.clone();
        for _ in 0..100 {
            state.play_tick(&SeatMap::default(), &mut NoEvents);
        }
        for state in [&state, &early, &state] {
            let plan = player.act(&View::new(state, P0));
            assert_eq!(MarketSimulator::check(state, P0, &plan), Ok(()), "{}", bot.name);
        }
    }
}
