//! The world: keys with values that change, and what a tick tells or asks of them.

use arrayvec::ArrayVec;

use crate::arena::engine::rng::Pcg;

/// The most keys.
pub const MAX_KEYS: usize = 24;

/// The most facts of a tick.
pub(super) const MAX_FACTS: usize = 3;

/// What a key may stand for.
pub const WORDS: [&str; 16] = [
    "amber", "birch", "coral", "delta", "ember", "frost", "grove", "haven", "ivory", "lemon", "maple",
    "north", "ocean", "pearl", "river", "stone",
];

/// Ticks at the beginning in which nothing is asked.
const QUIET: u32 = 4;

/// From then on there is one question in so many ticks.
const ROUND: u32 = 3;

/// How much likelier a busy key comes up than another.
const BUSY: u64 = 3;

/// Two small letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key([u8; 2]);

impl Key {
    fn new(nth: u64) -> Self {
        Self([b'a' + (nth / 26) as u8, b'a' + (nth % 26) as u8])
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        // Letters are what it is made of.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// A key has a value from now on. Both by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fact {
    /// Among the world's keys.
    pub key: u8,
    /// Among [`WORDS`].
    pub word: u8,
}

/// Keys, their values, and the tick there is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct World {
    /// In order.
    keys: ArrayVec<Key, MAX_KEYS>,
    /// By key; what was never told counts for nothing.
    values: [u8; MAX_KEYS],
    /// A bit for each key that comes up more often.
    busy: u32,
    /// A bit for each key that was told.
    told: u32,
    facts: ArrayVec<Fact, MAX_FACTS>,
    query: Option<u8>,
    /// Which tick of this round asks.
    asks_at: u32,
    rng: Pcg,
}

impl World {
    /// A world of so many keys, 3 to [`MAX_KEYS`], with what its first tick tells.
    pub(super) fn new(keys: usize, seed: u64) -> Self {
        let mut rng = Pcg::new(seed);
        let mut world = Self {
            keys: draw_keys(keys, &mut rng),
            values: [0; MAX_KEYS],
            busy: draw_busy(keys, &mut rng),
            told: 0,
            facts: ArrayVec::new(),
            query: None,
            asks_at: 0,
            rng,
        };
        world.go_on(0);
        world
    }

    /// All keys, in order.
    pub(super) fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// What this tick tells.
    pub(super) fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// The key that this tick asks for.
    pub(super) fn query(&self) -> Option<u8> {
        self.query
    }

    /// What it stands for.
    pub(super) fn answer(&self) -> Option<u8> {
        self.query.map(|key| self.values[usize::from(key)])
    }

    /// Goes on to the tick with this number.
    pub(super) fn go_on(&mut self, tick: u32) {
        self.fall_silent();
        if let Some(since) = tick.checked_sub(QUIET) {
            if since % ROUND == 0 {
                self.asks_at = self.rng.below(ROUND.into()) as u32;
            }
            if since % ROUND == self.asks_at {
                self.query = Some(self.draw(self.told));
                return;
            }
        }
        let count = 1 + self.rng.below(MAX_FACTS as u64);
        let mut free = self.all();
        for _ in 0..count {
            let key = self.draw(free);
            free &= !(1 << key);
            self.tell(key);
        }
    }

    /// Tells and asks nothing.
    pub(super) fn fall_silent(&mut self) {
        self.facts.clear();
        self.query = None;
    }

    /// Replaces what decides all that is to come.
    pub(super) fn reseed(&mut self, stream: u64) {
        self.rng = Pcg::new(stream);
    }

    /// Draws anew what this tick does not tell.
    pub(super) fn redeal(&mut self, rng: &mut Pcg) {
        for key in 0..self.keys.len() {
            if self.facts.iter().all(|fact| usize::from(fact.key) != key) {
                self.values[key] = rng.below(WORDS.len() as u64) as u8;
            }
        }
        self.busy = draw_busy(self.keys.len(), rng);
    }

    /// Gives a key another value.
    fn tell(&mut self, key: u8) {
        let value = &mut self.values[usize::from(key)];
        let other = 1 + self.rng.below(WORDS.len() as u64 - 1) as u8;
        *value = (*value + other) % WORDS.len() as u8;
        self.facts.push(Fact { key, word: *value });
        self.told |= 1 << key;
    }

    fn all(&self) -> u32 {
        (1 << self.keys.len()) - 1
    }

    /// One of the keys, busy ones more likely.
    fn draw(&mut self, among: u32) -> u8 {
        let weight = |busy: u32, key: u8| if busy & (1 << key) == 0 { 1 } else { BUSY };
        let keys: ArrayVec<(u8, u64), MAX_KEYS> = (0..self.keys.len() as u8)
            .filter(|key| among & (1 << key) != 0)
            .map(|key| (key, weight(self.busy, key)))
            .collect();
        let total: u64 = keys.iter().map(|(_, weight)| weight).sum();
        let mut left = self.rng.below(total.max(1));
        for (key, weight) in &keys {
            match left.checked_sub(*weight) {
                Some(rest) => left = rest,
                None => return *key,
            }
        }
        0
    }
}

fn draw_keys(count: usize, rng: &mut Pcg) -> ArrayVec<Key, MAX_KEYS> {
    let mut keys: ArrayVec<Key, MAX_KEYS> = ArrayVec::new();
    while keys.len() < count {
        let key = Key::new(rng.below(26 * 26));
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.sort_unstable();
    keys
}

/// A third of the keys.
fn draw_busy(count: usize, rng: &mut Pcg) -> u32 {
    let mut keys: ArrayVec<u8, MAX_KEYS> = (0..count as u8).collect();
    rng.shuffle(&mut keys);
    keys.iter().take(count / 3).fold(0, |busy, key| busy | 1 << key)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ticks of a match: what is told, and what is asked.
    fn ticks(keys: usize, seed: u64) -> Vec<World> {
        let mut world = World::new(keys, seed);
        let mut ticks = vec![world.clone()];
        for tick in 1..60 {
            world.go_on(tick);
            ticks.push(world.clone());
        }
        ticks
    }

    #[test]
    fn a_question_comes_about_every_third_tick_and_never_before_the_fifth() {
        // arena.md §3.10.
        for seed in 0..100 {
            let ticks = ticks(14, seed);
            let asked: Vec<usize> = (0..60).filter(|tick| ticks[*tick].query.is_some()).collect();
            assert!(asked[0] >= 4, "{asked:?}");
            assert!((18..=19).contains(&asked.len()), "{asked:?}");
            assert!(asked.windows(2).all(|pair| (1..=5).contains(&(pair[1] - pair[0]))), "{asked:?}");
            for world in &ticks {
                assert_eq!(world.facts.is_empty(), world.query.is_some(), "a tick tells or asks");
                assert!(world.facts.len() <= MAX_FACTS);
            }
        }
    }

    #[test]
    fn what_is_asked_was_told_and_the_last_word_counts() {
        for (keys, seed) in [(6, 1), (14, 2), (24, 3)] {
            let mut last = [None; MAX_KEYS];
            for world in ticks(keys, seed) {
                for fact in &world.facts {
                    assert_ne!(last[usize::from(fact.key)], Some(fact.word), "a fact is news");
                    last[usize::from(fact.key)] = Some(fact.word);
                }
                if let Some(key) = world.query {
                    assert_eq!(world.answer(), last[usize::from(key)]);
                    assert!(world.answer().is_some());
                }
            }
        }
    }

    #[test]
    fn busy_keys_come_up_three_times_as_often() {
        let (mut busy, mut others) = (0u32, 0u32);
        for seed in 0..300 {
            for world in ticks(12, seed) {
                if let Some(key) = world.query {
                    *(if world.busy & (1 << key) == 0 { &mut others } else { &mut busy }) += 1;
                }
            }
        }
        // Four busy keys of twelve: 12 of 20, a little more while few keys were told.
        let share = f64::from(busy) / f64::from(busy + others);
        assert!((0.58..0.72).contains(&share), "{share}");
    }

    #[test]
    fn a_redeal_keeps_what_the_tick_tells() {
        let world = World::new(14, 9);
        let mut other = world.clone();
        other.redeal(&mut Pcg::new(1));
        assert_eq!((&other.facts, other.query, &other.keys), (&world.facts, world.query, &world.keys));
        assert!(other.facts.iter().all(|fact| other.values[usize::from(fact.key)] == fact.word));
        assert_ne!(other.values, world.values);
    }
}
