//! `automaton_identification`: find the finite automaton that labels strings.
//!
//! `automaton` draws, runs and compares them, `learn` finds one from examples.

mod automaton;
mod learn;

use serde_json::{Map, Value, json};

use self::automaton::Automaton;
use super::answer::{self, Fuel, Refusal};
use super::level::Level;
use super::prompt::{ONE_ACTION, POINTS, Section, UNREADABLE};
use super::{Instance, Kind, Score, Variant, VariantSpec, hard_enough};
use crate::arena::engine::rng::Pcg;

/// The variant.
pub(super) struct AutomatonIdentification;

static SPEC: VariantSpec = VariantSpec {
    name: "automaton_identification",
    kind: Kind::Identification,
    weight: 1.0,
    version: 1,
    title: "Automaton identification",
    is_exact: true,
    rules: &[
        Section {
            title: "Problem",
            sentences: &[
                [
                    "A finite automaton reads strings of `a` and `b`; `accepted` lists some that it accepts, `rejected` some that it does not.",
                    "There are strings of `a` and `b` in `accepted` and in `rejected`: those that a finite automaton accepts and those that it does not.",
                    "Some strings of `a` and `b` are listed, in `accepted` those that a finite automaton takes and in `rejected` the others.",
                ],
                [
                    "The empty text is a string as well.",
                    "A string may be empty.",
                    "One of the strings may be the empty one.",
                ],
                [
                    "No automaton with fewer than `states` states does the same.",
                    "It has `states` states and could not do with fewer.",
                    "The smallest automaton that does the same has `states` states.",
                ],
                [
                    "Find an automaton that labels all strings as it does.",
                    "State an automaton that agrees with it on every string.",
                    "Give an automaton which accepts just what it accepts.",
                ],
            ],
        },
        Section {
            title: "Answer",
            sentences: &[
                ONE_ACTION,
                [
                    "Its form is `{\"action\":\"submit\",\"start\":\"p\",\"accept\":[\"q\"],\"delta\":{\"p\":{\"a\":\"q\",\"b\":\"p\"},\"q\":{\"a\":\"q\",\"b\":\"p\"}}}`.",
                    "Send `{\"action\":\"submit\",\"start\":\"p\",\"accept\":[\"q\"],\"delta\":{\"p\":{\"a\":\"q\",\"b\":\"p\"},\"q\":{\"a\":\"q\",\"b\":\"p\"}}}`, with states of your own.",
                    "It looks like `{\"action\":\"submit\",\"start\":\"p\",\"accept\":[\"q\"],\"delta\":{\"p\":{\"a\":\"q\",\"b\":\"p\"},\"q\":{\"a\":\"q\",\"b\":\"p\"}}}`.",
                ],
                [
                    "For each state `delta` says where `a` and `b` lead; `accept` lists the accepting states.",
                    "`accept` names the states that accept, and `delta` has the next state of each for `a` and for `b`.",
                    "Where `a` and `b` lead from each state stands in `delta`, and which states accept in `accept`.",
                ],
                [
                    "There may be 64 states at most.",
                    "No more than 64 states are read.",
                    "Up to 64 states are allowed.",
                ],
            ],
        },
        Section {
            title: "Scoring",
            sentences: &[
                POINTS,
                [
                    "It counts how many of 500 hidden strings are labelled rightly, beyond the half that a guess would get.",
                    "Right labels for 500 hidden strings count, as far as they are more than the half that guessing gets.",
                    "With 500 hidden strings it is tried out, and right labels beyond half of them count.",
                ],
                UNREADABLE,
            ],
        },
    ],
};

/// Hidden strings, half of each label as far as they can be found.
const HIDDEN: usize = 500;
/// The most states that an answer may have.
const MOST_STATES: usize = 64;

/// A string; `true` is `b`.
type Word = Vec<bool>;

struct Language {
    automaton: Automaton,
    examples: Vec<(Word, bool)>,
    hidden: Vec<(Word, bool)>,
}

impl Variant for AutomatonIdentification {
    fn spec(&self) -> &'static VariantSpec {
        &SPEC
    }

    fn draw(&self, seed: u64, level: Level) -> Box<dyn Instance> {
        let mut rng = Pcg::new(seed);
        Box::new(hard_enough(level, || language(&mut rng, level)))
    }
}

fn language(rng: &mut Pcg, level: Level) -> Language {
    let states = level.between(3, 9) as usize;
    let automaton = automaton::draw(rng, states);
    let mut words: std::collections::BTreeSet<Word> =
        automaton::telling_words(&automaton).into_iter().collect();
    if level.is_at_least(0.55) {
        // A harder task does without some of the words that settle everything.
        let share = level.between(0, 30) as u64;
        words.retain(|_| rng.below(100) >= share);
    }
    let count = words.len() + level.length(30, 60);
    while words.len() < count {
        words.insert(word(rng, 2 + 2 * states));
    }
    let mut words: Vec<Word> = words.into_iter().collect();
    words.sort_by_key(Vec::len);
    let examples = words.into_iter().map(|word| (word.clone(), automaton.accepts(&word))).collect();
    Language { hidden: hidden(rng, &automaton, states), automaton, examples }
}

fn hidden(rng: &mut Pcg, automaton: &Automaton, states: usize) -> Vec<(Word, bool)> {
    let mut hidden = Vec::with_capacity(HIDDEN);
    let mut wanted = [HIDDEN / 2; 2];
    for drawn in 0.. {
        let word = word(rng, 4 + 3 * states);
        let label = automaton.accepts(&word);
        // Languages with few words of one label are filled up with the other one.
        if wanted[usize::from(label)] > 0 || drawn > 20 * HIDDEN {
            wanted[usize::from(label)] = wanted[usize::from(label)].saturating_sub(1);
            hidden.push((word, label));
        }
        if hidden.len() == HIDDEN {
            break;
        }
    }
    hidden
}

fn word(rng: &mut Pcg, longest: usize) -> Word {
    let length = rng.below(longest as u64 + 1);
    (0..length).map(|_| rng.one_in(2)).collect()
}

fn text(word: &Word) -> String {
    word.iter().map(|letter| if *letter { 'b' } else { 'a' }).collect()
}

impl Language {
    fn read(action: &Value) -> Result<Automaton, Refusal> {
        let members = answer::members(action, "submit")?;
        let delta = answer::object(members, "delta")?;
        if delta.len() > MOST_STATES {
            return Err(Refusal::Answer(format!(
                "there are {} states, {MOST_STATES} are allowed",
                delta.len()
            )));
        }
        let state = |name: Option<&Value>| {
            let name = name.and_then(Value::as_str);
            name.and_then(|name| delta.keys().position(|known| known == name))
        };
        let unknown = |what: &str| Refusal::Answer(format!("{what} must be a state that `delta` lists"));
        let start = state(members.get("start")).ok_or_else(|| unknown("`start`"))?;
        let mut accepting = vec![false; delta.len()];
        for name in answer::list(members, "accept")? {
            accepting[state(Some(name)).ok_or_else(|| unknown("each entry of `accept`"))?] = true;
        }
        let next = delta.values().map(|row| {
            let next = |letter| state(row.get(letter)).ok_or_else(|| unknown("what `a` and `b` lead to"));
            Ok([next("a")?, next("b")?])
        });
        Ok(Automaton { start, next: next.collect::<Result<_, _>>()?, accepting })
    }

    fn answer(automaton: &Automaton) -> Value {
        let name = |state: &usize| format!("q{state}");
        let accept: Vec<String> = (0..automaton.next.len())
            .filter(|&state| automaton.accepting[state])
            .map(|state| name(&state))
            .collect();
        let delta: Map<String, Value> = (automaton.next.iter().enumerate())
            .map(|(state, [a, b])| (name(&state), json!({ "a": name(a), "b": name(b) })))
            .collect();
        json!({ "action": "submit", "start": name(&automaton.start), "accept": accept, "delta": delta })
    }
}

impl Instance for Language {
    fn observation(&self) -> Value {
        let of = |label| -> Vec<String> {
            self.examples.iter().filter(|(_, is)| *is == label).map(|(word, _)| text(word)).collect()
        };
        json!({ "accepted": of(true), "rejected": of(false), "states": self.automaton.next.len() })
    }

    fn score(&self, action: &Value, _: &mut Fuel) -> Result<Score, Refusal> {
        let found = Self::read(action)?;
        let right = self.hidden.iter().filter(|(word, label)| found.accepts(word) == *label).count();
        let score = Score::above_chance(right, self.hidden.len(), 0.5);
        Ok(Score { solved: automaton::is_equivalent(&found, &self.automaton), ..score })
    }

    fn reference(&self) -> Value {
        Self::answer(&learn::automaton(&self.examples))
    }

    /// Looks at the last letter only.
    fn naive(&self) -> Value {
        let votes = |last: Option<bool>| {
            let of = self.examples.iter().filter(|(word, _)| word.last().copied() == last);
            of.map(|(_, label)| if *label { 1 } else { -1 }).sum::<i32>() > 0
        };
        let accepting = vec![votes(None), votes(Some(false)), votes(Some(true))];
        Self::answer(&Automaton { start: 0, next: vec![[1, 2]; 3], accepting })
    }
}

#[cfg(test)]
mod tests;
