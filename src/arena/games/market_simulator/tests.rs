use super::*;
use crate::arena::engine::Bot;
use crate::arena::engine::events::NoEvents;

fn play(names: &[&str], ticks: u32, seed: u64) -> Vec<f64> {
    let seats = names.len() as u8;
    let mut state = State::new(seats, ticks, seed);
    let mut players: Vec<Box<dyn Bot<MarketSimulator>>> = names
        .iter()
        .enumerate()
        .map(|(n, name)| {
            let spec = MarketSimulator::bots().iter().find(|bot| bot.name == *name).unwrap();
            (spec.make)(seed * 8 + n as u64)
        })
        .collect();
    while let Turn::All(live) = MarketSimulator::turn(&state) {
        let plans: SeatMap<Plan> =
            live.iter().map(|seat| (seat, players[seat.index()].act(&View::new(&state, seat)))).collect();
        for (seat, plan) in plans.iter() {
            MarketSimulator::check(&state, seat, plan).unwrap();
        }
        MarketSimulator::apply(&mut state, &plans, &mut NoEvents);
    }
    Seat::first(seats).map(|seat| MarketSimulator::score(&state, seat)).collect()
}

#[test]
fn lab() {
    let names: Vec<&str> = MarketSimulator::bots().iter().map(|bot| bot.name).collect();
    let n: u64 = std::env::var("LAB").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    let mut all = vec![vec![]; names.len()];
    let mut rng = Pcg::new(1);
    for seed in 0..n {
        let mut who: Vec<usize> = (0..names.len()).collect();
        rng.shuffle(&mut who);
        if let Ok(w) = std::env::var("WHO") {
            who = w.split(',').map(|w| names.iter().position(|n| *n == w).unwrap()).collect();
            who.rotate_left(seed as usize % 4);
        }
        let scores = play(&who[..4].iter().map(|n| names[*n]).collect::<Vec<_>>(), 600, seed);
        for (who, score) in who.iter().zip(scores) {
            all[*who].push(score);
        }
    }
    for (name, scores) in names.iter().zip(&all) {
        let n = scores.len() as f64;
        let mean = scores.iter().sum::<f64>() / n;
        let sd = (scores.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / n).sqrt();
        println!("{name:12} {mean:8.2} sd {sd:6.2} se {:6.2} n {n}", sd / n.sqrt());
    }
}
