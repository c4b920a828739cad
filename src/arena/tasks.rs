//! Tasks: verifiable problems that are drawn by difficulty, answered with one JSON action and scored.
//!
//! A variant is a generator with a scorer; [`VARIANTS`] is the table of them, one file each. All of it is pure: a seed
//! and a [`Level`] give an instance, an instance and an action give a [`Score`]. So what is kept of a task is its seed and
//! its level, and nothing that a scorer does depends on a clock: its budget is [`Fuel`].
//!
//! Start at [`Wish::draw`] and [`grade`]. [`prompt`] words the rules, [`answer`] reads actions; [`desk`] is the one
//! part with a database and threads. Sources: protocol.md §2.13, arena.md §10.

pub mod answer;
mod automaton_identification;
mod automaton_prediction;
pub mod desk;
mod generator_identification;
pub mod grade;
mod grid_compression;
pub mod id;
pub mod level;
mod market_prediction;
mod player_identification;
pub mod prompt;
mod rule_identification;
mod sequence_compression;
mod sequence_prediction;
mod text_compression;

use serde_json::Value;

use self::answer::{Fuel, Refusal};
use self::level::{Difficulty, Level};
use self::prompt::Section;
use super::engine::rng::Pcg;

/// All variants, in the order in which they are listed.
pub static VARIANTS: &[&dyn Variant] = &[
    &text_compression::TextCompression,
    &sequence_compression::SequenceCompression,
    &grid_compression::GridCompression,
    &sequence_prediction::SequencePrediction,
    &automaton_prediction::AutomatonPrediction,
    &market_prediction::MarketPrediction,
    &automaton_identification::AutomatonIdentification,
    &generator_identification::GeneratorIdentification,
    &player_identification::PlayerIdentification,
    &rule_identification::RuleIdentification,
];

/// The variant of this name.
pub fn find(name: &str) -> Option<&'static dyn Variant> {
    VARIANTS.iter().copied().find(|variant| variant.spec().name == name)
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Say the same in less.
    Compression,
    /// Say what comes next.
    Prediction,
    /// Say what it was made by.
    Identification,
}

impl Kind {
    /// The words of the wire.
    pub const WORDS: [&str; 3] = ["compression", "prediction", "identification"];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        Self::WORDS[self as usize]
    }
}

/// What a variant is called and what is said of it.
#[derive(Debug)]
pub struct VariantSpec {
    /// The name on the wire, snake case.
    pub name: &'static str,
    /// What is asked for.
    pub kind: Kind,
    /// How often it is drawn, relative to the others.
    pub weight: f32,
    /// Changes when the same seed and level would give another instance, or the same answer another score. Tasks of
    /// another version cannot be scored any more.
    pub version: u32,
    /// The title of the prompt.
    pub title: &'static str,
    /// The rules, in three forms a sentence.
    pub rules: &'static [Section],
    /// Its reference solver finds a near-perfect answer up to a difficulty of 0.5.
    pub is_exact: bool,
}

/// A generator of problems.
pub trait Variant: Sync {
    /// What it is.
    fn spec(&self) -> &'static VariantSpec;
    /// Same seed and level, same instance.
    fn draw(&self, seed: u64, level: Level) -> Box<dyn Instance>;
}

/// A problem with its secret.
pub trait Instance {
    /// What the solver is shown, an object.
    fn observation(&self) -> Value;
    /// What an action is worth.
    ///
    /// # Errors
    /// The action is no answer to this problem, or scoring it took too long.
    fn score(&self, action: &Value, fuel: &mut Fuel) -> Result<Score, Refusal>;
    /// A good answer, found from what is shown: it proves that the problem can be solved.
    fn reference(&self) -> Value;
    /// The answer of somebody who does not try: it bounds what is given away.
    fn naive(&self) -> Value;
}

/// What an answer is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// 0 to 1.
    pub points: f64,
    /// Stricter than many points: each variant says when.
    pub solved: bool,
}

impl Score {
    /// What share of `most` was gained; 0 when there was nothing to gain.
    fn share(gained: f64, most: f64, solved: bool) -> Self {
        let points = if most > 0.0 { (gained / most).clamp(0.0, 1.0) } else { 0.0 };
        Self { points, solved }
    }

    /// A share of right answers, less what chance alone gives.
    fn above_chance(right: usize, of: usize, chance: f64) -> Self {
        let share = right as f64 / of.max(1) as f64;
        Self::share(share - chance, 1.0 - chance, right == of)
    }
}

/// What tasks are drawn from, and how.
pub struct Wish {
    /// How hard they are.
    pub difficulty: Difficulty,
    /// The variants with their weights; at least one is above 0.
    pub weights: Vec<(&'static dyn Variant, f32)>,
    /// Whether the wording is drawn, too.
    pub randomize_prompt: bool,
    /// The longest a prompt may be, in bytes.
    pub max_prompt_bytes: usize,
}

/// A task that was drawn.
pub struct Drawn {
    /// Its variant.
    pub variant: &'static dyn Variant,
    /// Decides the instance.
    pub seed: u64,
    /// How hard and how long it is.
    pub level: Level,
    /// The one message: rules and problem.
    pub prompt: String,
}

impl Wish {
    /// Draws a task; `None` when no variant has a weight.
    pub fn draw(&self, rng: &mut Pcg) -> Option<Drawn> {
        let variant = *rng.weighted(&self.weights)?;
        let (seed, wording) = (rng.next_u64(), rng.next_u64());
        let rules = prompt::rules(variant.spec(), self.randomize_prompt.then_some(wording));
        let mut level = Level::new(self.difficulty);
        loop {
            let prompt = prompt::with_problem(&rules, &variant.draw(seed, level).observation());
            match level.shorter() {
                Some(shorter) if prompt.len() > self.max_prompt_bytes => level = shorter,
                _ => return Some(Drawn { variant, seed, level, prompt }),
            }
        }
    }
}

/// Draws until the naive answer gets no more points than the level concedes; after some tries the hardest so far.
fn hard_enough<I: Instance>(level: Level, mut draw: impl FnMut() -> I) -> I {
    const TRIES: usize = 40;
    let points = |instance: &I| {
        let score = instance.score(&instance.naive(), &mut Fuel::default());
        score.map_or(0.0, |score| score.points)
    };
    let mut best = draw();
    let mut least = points(&best);
    for _ in 1..TRIES {
        if least <= level.conceded() {
            break;
        }
        let next = draw();
        let gained = points(&next);
        if gained < least {
            (best, least) = (next, gained);
        }
    }
    best
}

#[cfg(test)]
mod tests;
