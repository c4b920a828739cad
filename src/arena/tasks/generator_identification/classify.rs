//! Tells generators apart: for each the error that is left when a row is explained by it, and the smallest wins.

/// The name among those offered that explains the row best.
pub(super) fn family<'a>(row: &[i64], names: &[&'a str], noise: i64) -> &'a str {
    let row: Vec<f64> = row.iter().map(|value| *value as f64).collect();
    let noise = noise as f64 / 2.0 + 3.0;
    let penalty = |name: &&str| penalty(name, &row, noise);
    names.iter().copied().min_by(|a, b| penalty(a).total_cmp(&penalty(b))).unwrap_or_default()
}

/// How badly a generator explains a row: bits a number, of what is left over and of the numbers it may choose freely.
fn penalty(name: &str, row: &[f64], noise: f64) -> f64 {
    let length = row.len() as f64;
    let bits = |errors: &[f64]| {
        let squares = errors.iter().map(|error| (error / noise).powi(2)).sum::<f64>();
        0.5 * squares / length * std::f64::consts::LOG2_E + (noise * 2.5066).log2()
    };
    let free = |count: f64| count * 10.0 / length;
    match name {
        "trend" => bits(&left_of_polynomial(row, 1)) + free(2.0),
        "bend" => bits(&left_of_polynomial(row, 2)) + free(3.0),
        "swing" => bits(&left_of_period(row, 2)) + free(2.0),
        "cycle" => {
            let best = (3..=5).map(|period| bits(&left_of_period(row, period)) + free(period as f64));
            best.fold(f64::INFINITY, f64::min)
        }
        "growth" => bits(&left_of_growth(row)) + free(2.0),
        "levels" => bits(&left_of_levels(row, noise)) + free(length / 7.0 * 1.3),
        "bursts" => {
            let (calm, loud): (Vec<f64>, Vec<f64>) = row.iter().partition(|value| **value < 250.0);
            bits(&calm) + loud.len() as f64 * 9.0 / length + 0.7
        }
        "walk" => {
            let wide = 52.0 + noise * 0.35;
            let steps = row.windows(2).map(|pair| (pair[1] - pair[0]) / wide);
            // Steps are uniform, so one far out cannot be.
            let surprise =
                steps.map(|step| if step.abs() > 2.4 { 8.0 * step.abs() } else { 0.0 }).sum::<f64>() / length;
            (90.0 * 2.0 + noise).log2() + surprise
        }
        "chaos" => {
            let next = |x: f64| (4.0 * x * (1_000.0 - x) / 1_000.0).floor();
            let off = row.windows(2).filter(|pair| (next(pair[0]) - pair[1]).abs() > 1.0).count() as f64;
            off * 14.0 / length
        }
        // Anything could have been drawn.
        _ => (1_000.0_f64 + noise).log2(),
    }
}

fn left_of_period(row: &[f64], period: usize) -> Vec<f64> {
    let mean = |phase: usize| {
        let values: Vec<f64> = row.iter().skip(phase).step_by(period).copied().collect();
        values.iter().sum::<f64>() / values.len().max(1) as f64
    };
    let means: Vec<f64> = (0..period).map(mean).collect();
    row.iter().enumerate().map(|(at, value)| value - means[at % period]).collect()
}

/// What is left of the best parabola, or line.
fn left_of_polynomial(row: &[f64], degree: usize) -> Vec<f64> {
    let length = row.len() as f64;
    let place = |at: usize| 2.0 * at as f64 / length - 1.0;
    let mut left = row.to_vec();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for power in 0..=degree {
        let mut direction: Vec<f64> = (0..row.len()).map(|at| place(at).powi(power as i32)).collect();
        for earlier in &basis {
            subtract(&mut direction, earlier);
        }
        subtract(&mut left, &direction);
        basis.push(direction);
    }
    left
}

/// Takes the part along `direction` away.
fn subtract(from: &mut [f64], direction: &[f64]) {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let share = dot(from, direction) / dot(direction, direction);
    from.iter_mut().zip(direction).for_each(|(value, direction)| *value -= share * direction);
}

fn left_of_growth(row: &[f64]) -> Vec<f64> {
    let length = row.len();
    let try_one = |share: f64| {
        let curve: Vec<f64> = (0..length).map(|at| (1.0 + share).powi(at as i32)).collect();
        let mut left = row.to_vec();
        subtract(&mut left, &curve);
        left
    };
    let size = |left: &[f64]| left.iter().map(|value| value * value).sum::<f64>();
    let shares = (20..=400).map(|thousandth| try_one(f64::from(thousandth) / 1_000.0));
    shares.min_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or_default()
}

/// Cuts the row where it jumps, and takes each part's mean away.
fn left_of_levels(row: &[f64], noise: f64) -> Vec<f64> {
    let is_jump = |a: &f64, b: &f64| (a - b).abs() > 120.0 + noise;
    let mut left = Vec::new();
    for part in row.chunk_by(|a, b| !is_jump(a, b)) {
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        // Levels last: a short part within the row is none.
        let weight = if part.len() < 3 { 6.0 } else { 1.0 };
        left.extend(
            part.iter().map(|value| (value - mean) * weight + if part.len() < 3 { 4.0 * noise } else { 0.0 }),
        );
    }
    left
}
