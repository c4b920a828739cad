//! The engine's random generator: a 128-bit multiplicative congruential generator with a 64-bit permuted output
//! (PCG XSL-RR 128/64 MCG, M. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms
//! for Random Number Generation", 2014). Ours, because its 16 bytes live in every state and its outputs, ranges and
//! shuffles must never change with a library's release: golden tests pin them.

/// Multiplier of the 128-bit MCG, from the PCG paper's reference parameters.
const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;

/// A generator; a copy goes on with the same numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pcg {
    state: u128,
}

impl Pcg {
    /// The generator of this seed.
    pub fn new(seed: u64) -> Self {
        let low = u128::from(split_mix(seed));
        let high = u128::from(split_mix(seed ^ 0x9E37_79B9_7F4A_7C15));
        // The state of an MCG must be odd.
        Self { state: (high << 64 | low) | 1 }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_mul(MULTIPLIER);
        let rotation = (self.state >> 122) as u32;
        (((self.state >> 64) as u64) ^ (self.state as u64)).rotate_right(rotation)
    }

    /// A uniform number below `n`, without bias (Lemire's multiply and reject).
    ///
    /// # Panics
    /// When `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "a range needs at least one value");
        loop {
            let product = u128::from(self.next_u64()) * u128::from(n);
            let low = product as u64;
            // What is rejected lies below a remainder of `n`: the slow division is needed next to never.
            if low >= n || low >= n.wrapping_neg() % n {
                return (product >> 64) as u64;
            }
        }
    }

    /// A uniform number from `low` to `high`, both included.
    ///
    /// # Panics
    /// When `high < low`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        assert!(low <= high, "a range needs at least one value");
        low + self.below((high - low) as u64 + 1) as i64
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// An integer close to normal: the sum of twelve bytes less 1530; mean 0, standard deviation about 256.
    pub fn normal(&mut self) -> i64 {
        let first = self.next_u64().to_le_bytes();
        let second = self.next_u64().to_le_bytes();
        first.iter().chain(&second[..4]).map(|&byte| i64::from(byte)).sum::<i64>() - 1530
    }

    /// Fisher–Yates from the top.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }

    /// One of the items, with probability in proportion to its weight. `None` when no weight is positive.
    pub fn weighted<'a, T>(&mut self, items: &'a [(T, f32)]) -> Option<&'a T> {
        // Weights are turned into integers, so that the draw does not depend on float summation.
        let scaled = |weight: f32| if weight > 0.0 { (weight * 1024.0).max(1.0) as i64 as u64 } else { 0 };
        let total: u64 = items.iter().map(|(_, weight)| scaled(*weight)).sum();
        if total == 0 {
            return None;
        }
        let mut left = self.below(total);
        for (item, weight) in items {
            match left.checked_sub(scaled(*weight)) {
                Some(rest) => left = rest,
                None => return Some(item),
            }
        }
        None
    }
}

/// The finaliser of `SplitMix64`: every input bit moves every output bit.
fn split_mix(value: u64) -> u64 {
    let z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A new seed from several numbers, for streams that must not meet.
pub fn mix(parts: &[u64]) -> u64 {
    parts.iter().fold(0, |seed, &part| split_mix(seed.rotate_left(17) ^ part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_never_change() {
        let first = |seed| {
            let mut rng = Pcg::new(seed);
            [rng.next_u64(), rng.next_u64(), rng.next_u64(), rng.next_u64()]
        };
        insta::assert_debug_snapshot!([first(0), first(1), first(42), first(mix(&[7, 1, 2]))]);
    }

    #[test]
    fn outputs_are_those_of_the_reference_implementation() {
        use rand_pcg::rand_core::Rng;

        for seed in 0..20 {
            let mut ours = Pcg::new(seed);
            let mut theirs = rand_pcg::Pcg64Mcg::new(ours.state);
            for _ in 0..100 {
                assert_eq!(ours.next_u64(), theirs.next_u64());
            }
        }
    }

    #[test]
    fn ranges_are_uniform_and_closed() {
        let mut rng = Pcg::new(3);
        let mut counts = [0u32; 5];
        for _ in 0..50_000 {
            counts[(rng.between(-2, 2) + 2) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
    }

    #[test]
    fn normal_has_its_mean_and_deviation() {
        let mut rng = Pcg::new(9);
        let draws: Vec<f64> = (0..20_000).map(|_| rng.normal() as f64).collect();
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 8.0, "{mean}");
        assert!((variance.sqrt() - 256.0).abs() < 6.0, "{}", variance.sqrt());
    }

    #[test]
    fn weighted_draws_follow_the_weights() {
        let mut rng = Pcg::new(5);
        let items = [('a', 1.0), ('b', 0.0), ('c', 3.0)];
        let mut counts = [0u32; 3];
        for _ in 0..8_000 {
            counts[(*rng.weighted(&items).unwrap() as u8 - b'a') as usize] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((1_800..2_200).contains(&counts[0]), "{counts:?}");
        assert_eq!(rng.weighted(&[('x', 0.0)]), None);
    }
}
