//! `sequence_prediction`: say how a row of whole numbers goes on.

mod rule;
mod solve;

use serde_json::{Value, json};

use self::rule::Rule;
use super::answer::{self, Fuel, Refusal};
use super::level::Level;
use super::prompt::{ONE_ACTION, POINTS, Section, UNREADABLE};
use super::{Instance, Kind, Score, Variant, VariantSpec, hard_enough};
use crate::arena::engine::rng::Pcg;

/// The variant.
pub(super) struct SequencePrediction;

static SPEC: VariantSpec = VariantSpec {
    name: "sequence_prediction",
    kind: Kind::Prediction,
    weight: 1.0,
    version: 1,
    title: "Sequence prediction",
    is_exact: true,
    rules: &[
        Section {
            title: "Problem",
            sentences: &[
                [
                    "`terms` begins a row of whole numbers that follows one rule without exceptions.",
                    "One rule, without exceptions, makes the whole numbers in `terms` and those after them.",
                    "The whole numbers in `terms` are the first of a row with one rule that always holds.",
                ],
                [
                    "A number may follow from up to 4 before it, perhaps modulo something, or from the digits of the one before it.",
                    "The rule may look at up to 4 numbers back, may calculate modulo something, or look at digits of the last number.",
                    "Up to 4 earlier numbers, a modulus, or the digits of the last number may decide the next.",
                ],
                [
                    "Two rows with rules of their own may also take turns.",
                    "It may also be two rows, each with its rule, that take turns.",
                    "There may be two rows that alternate, each by its own rule.",
                ],
                [
                    "Say which numbers come next, as many as `asked`.",
                    "Give the numbers that follow; `asked` says how many.",
                    "Predict the next numbers, in the count of `asked`.",
                ],
            ],
        },
        Section {
            title: "Answer",
            sentences: &[
                ONE_ACTION,
                [
                    "Its form is `{\"action\":\"predict\",\"values\":[1,2,3]}`, with the next number first.",
                    "Send `{\"action\":\"predict\",\"values\":[1,2,3]}`, in the order of the row.",
                    "It looks like `{\"action\":\"predict\",\"values\":[1,2,3]}`, the nearest number first.",
                ],
            ],
        },
        Section {
            title: "Scoring",
            sentences: &[
                POINTS,
                [
                    "They are the share of numbers that are right before the first wrong one.",
                    "Right numbers count up to the first wrong one, as a share of all.",
                    "What counts is the share of numbers up to the first mistake.",
                ],
                UNREADABLE,
            ],
        },
    ],
};

struct Row {
    terms: Vec<i64>,
    next: Vec<i64>,
}

impl Variant for SequencePrediction {
    fn spec(&self) -> &'static VariantSpec {
        &SPEC
    }

    fn draw(&self, seed: u64, level: Level) -> Box<dyn Instance> {
        let mut rng = Pcg::new(seed);
        let (shown, asked) = (level.length(12, 40).max(12), level.between(3, 8) as usize);
        Box::new(hard_enough(level, || row(&mut rng, level, shown, asked)))
    }
}

/// A row that is no trifle: its numbers stay small enough to be read, and it does not stand still.
fn row(rng: &mut Pcg, level: Level, shown: usize, asked: usize) -> Row {
    loop {
        let Some(mut terms) = Rule::draw(rng, level).terms(shown + asked) else { continue };
        let next = terms.split_off(shown);
        let is_still =
            terms[shown / 2..].windows(3).all(|terms| terms[0] == terms[1] && terms[1] == terms[2]);
        if !is_still {
            return Row { terms, next };
        }
    }
}

impl Row {
    fn answer(values: &[i64]) -> Value {
        json!({ "action": "predict", "values": values })
    }
}

impl Instance for Row {
    fn observation(&self) -> Value {
        json!({ "asked": self.next.len(), "terms": self.terms })
    }

    fn score(&self, action: &Value, _: &mut Fuel) -> Result<Score, Refusal> {
        let values = answer::list(answer::members(action, "predict")?, "values")?;
        let asked = self.next.len();
        if values.len() != asked {
            return Err(Refusal::Answer(format!(
                "`values` has {} numbers, {asked} are asked for",
                values.len()
            )));
        }
        if let Some(at) = values.iter().position(|value| !value.is_number()) {
            return Err(Refusal::Answer(format!("entry {at} of `values` is no number")));
        }
        let right = self.next.iter().zip(values).take_while(|(next, value)| is_equal(value, **next)).count();
        Ok(Score { points: right as f64 / asked as f64, solved: right == asked })
    }

    fn reference(&self) -> Value {
        Self::answer(&solve::next(&self.terms, self.next.len()))
    }

    /// The last step again and again.
    fn naive(&self) -> Value {
        let [.., before, last] = self.terms[..] else { return Self::answer(&[]) };
        let step = last.wrapping_sub(before);
        let values: Vec<i64> =
            (1..=self.next.len() as i64).map(|n| last.wrapping_add(step.wrapping_mul(n))).collect();
        Self::answer(&values)
    }
}

/// `7.0` is 7 as well.
fn is_equal(value: &Value, number: i64) -> bool {
    value.as_i64() == Some(number) || (value.is_f64() && value.as_f64() == Some(number as f64))
}

#[cfg(test)]
mod tests;
