//! The generators of series: whole numbers from about -1000 to 2000.

use crate::arena::engine::rng::Pcg;

/// A generator.
pub(super) struct Family {
    pub(super) name: &'static str,
    /// One line on what it does.
    pub(super) about: &'static str,
    /// A row of this length, with noise of about this size.
    pub(super) make: fn(&mut Pcg, usize, i64) -> Vec<i64>,
}

/// All of them.
pub(super) static FAMILIES: &[Family] = &[
    Family { name: "trend", about: "a straight line, steep enough to see", make: trend },
    Family { name: "bend", about: "a parabola: falls and rises, or rises and falls", make: bend },
    Family { name: "cycle", about: "a pattern of 3 to 5 numbers, repeated", make: cycle },
    Family { name: "swing", about: "high and low in turn", make: swing },
    Family { name: "noise", about: "independent numbers from 0 to 1000, any as likely", make: noise },
    Family { name: "walk", about: "each number is the last and a step of -90 to 90", make: walk },
    Family {
        name: "levels",
        about: "stays on a level for 5 to 9 numbers, then jumps to another",
        make: levels,
    },
    Family {
        name: "bursts",
        about: "near 0, but for a number of 500 to 1000 about every fifth time",
        make: bursts,
    },
    Family { name: "growth", about: "grows by a fixed share, from about 20 to about 1500", make: growth },
    Family { name: "chaos", about: "x becomes 4x(1000-x)/1000, with no noise", make: chaos },
];

fn shaken(rng: &mut Pcg, values: impl Iterator<Item = i64>, noise: i64) -> Vec<i64> {
    values.map(|value| value + rng.normal() * noise / 512).collect()
}

fn trend(rng: &mut Pcg, length: usize, noise: i64) -> Vec<i64> {
    let (from, rise) = (rng.between(0, 1_000), rng.between(700, 1_200) * if rng.one_in(2) { 1 } else { -1 });
    shaken(rng, (0..length as i64).map(|at| from + rise * at / length as i64), noise)
}

fn bend(rng: &mut Pcg, length: usize, noise: i64) -> Vec<i64> {
    let height = rng.between(800, 1_200) * if rng.one_in(2) { 1 } else { -1 };
    let (half, from) = (length as i64 / 2, rng.between(0, 800));
    let middle = half + rng.between(-half / 4, half / 4);
    shaken(
        rng,
        (0..length as i64).map(|at| from + height * (at - middle) * (at - middle) / (half * half)),
        noise,
    )
}

fn cycle(rng: &mut Pcg, length: usize, noise: i64) -> Vec<i64> {
    let mut pattern: Vec<i64> = (0..rng.between(3, 5)).map(|nth| nth * 250 + rng.between(0, 150)).collect();
    rng.shuffle(&mut pattern);
    shaken(rng, pattern.into_iter().cycle().take(length), noise)
}

fn swing(rng: &mut Pcg, length: usize, noise: i64) -> Vec<i64> {
    let (low, high) = (rng.between(0, 300), rng.between(600, 1_000));
    shaken(rng, [low, high].into_iter().cycle().take(length), noise)
}

fn noise(rng: &mut Pcg, length: usize, noise: i64) -> Vec<i64> {
    let values: Vec<i64> = (0..length).map(|_| rng.between(0, 1_000)).collect();
    shaken(rng, values.into_iter(), noise)
}

fn walk(rng: &mut Pcg, length: usize, noise: i64) -> Vec<i64> {
    let mut value = rng.between(300, 700);
    let values: Vec<i64> = (0..length)
        .map(|_| {
            value += rng.between(-90, 90);
            value
        })
        .collect();
    shaken(rng, values.into_iter(), noise / 4)
}

fn levels(rng: &mut Pcg, length: usize, noise: i64) -> Vec<i64> {
    let mut values = Vec::new();
    let mut level = rng.between(0, 1_000);
    while values.len() < length {
        let stay = rng.between(5, 9);
        values.extend((0..stay).map(|_| level));
        let jump = rng.between(250, 700);
        level += if level > 500 { -jump } else { jump };
    }
    shaken(rng, values.into_iter().take(length), noise)
}

fn bursts(rng: &mut Pcg, length: usize, noise: i64) -> Vec<i64> {
    let values: Vec<i64> = (0..length)
        .map(|at| if at % 9 == 4 || rng.one_in(8) { rng.between(500, 1_000) } else { 0 })
        .collect();
    shaken(rng, values.into_iter(), noise)
}

fn growth(rng: &mut Pcg, length: usize, noise: i64) -> Vec<i64> {
    let mut value = rng.between(15_000, 25_000);
    // The share of a step in thousands, so that the whole is some 75-fold.
    let share = 4_400 / length as i64 + rng.between(-4, 4);
    let values: Vec<i64> = (0..length)
        .map(|_| {
            value += value * share / 1_000;
            value / 1_000
        })
        .collect();
    shaken(rng, values.into_iter(), noise)
}

fn chaos(rng: &mut Pcg, length: usize, _: i64) -> Vec<i64> {
    let mut value = rng.between(101, 449);
    (0..length)
        .map(|_| {
            // Whole numbers fall into short loops: a new start when one ends at 0.
            value = if value <= 0 || value >= 1_000 || value == 750 || value == 500 {
                rng.between(101, 449)
            } else {
                4 * value * (1_000 - value) / 1_000
            };
            value
        })
        .collect()
}
