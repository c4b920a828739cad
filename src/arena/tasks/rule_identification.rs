//! `rule_identification`: find the Boolean rule behind labelled bit strings.

use serde_json::{Value, json};

use super::answer::{self, Fuel, Refusal};
use super::level::Level;
use super::prompt::{ONE_ACTION, POINTS, Section, UNREADABLE};
use super::{Instance, Kind, Score, Variant, VariantSpec, hard_enough};
use crate::arena::engine::rng::Pcg;

/// The variant.
pub(super) struct RuleIdentification;

static SPEC: VariantSpec = VariantSpec {
    name: "rule_identification",
    kind: Kind::Identification,
    weight: 1.0,
    version: 1,
    title: "Rule identification",
    is_exact: true,
    rules: &[
        Section {
            title: "Problem",
            sentences: &[
                [
                    "Each entry of `examples` has a string of `bits` bits and the label, 0 or 1, that a hidden rule gives it.",
                    "A hidden rule labels strings of `bits` bits with 0 or 1; entries of `examples` are a string and its label.",
                    "In `examples` there are strings of `bits` bits, each with its label by a hidden rule, 0 or 1.",
                ],
                [
                    "The rule looks at no more than `relevant` of the bits.",
                    "At most `relevant` bits matter to the rule.",
                    "Not more than `relevant` of the bits decide.",
                ],
                [
                    "State a rule that gives the same labels to all strings.",
                    "Find a rule that agrees with it on every string.",
                    "Say a rule which labels any string as it does.",
                ],
            ],
        },
        Section {
            title: "Answer",
            sentences: &[
                ONE_ACTION,
                [
                    "Its form is `{\"action\":\"submit\",\"rule\":[\"or\",\"x0\",[\"and\",\"x3\",[\"not\",\"x4\"]]]}`.",
                    "Send `{\"action\":\"submit\",\"rule\":[\"or\",\"x0\",[\"and\",\"x3\",[\"not\",\"x4\"]]]}`, with a rule of your own.",
                    "It looks like `{\"action\":\"submit\",\"rule\":[\"or\",\"x0\",[\"and\",\"x3\",[\"not\",\"x4\"]]]}`.",
                ],
                [
                    "A rule is a bit, where `x0` is the first one from the left, or a list of `and`, `or` or `xor` and two or more rules, or of `not` and one rule.",
                    "Bits are rules, `x0` being the leftmost; so are lists of `not` and a rule, and lists that begin with `and`, `or` or `xor` and go on with two or more rules.",
                    "Use bits, from `x0` on the left; `not` before one rule, and `and`, `or` or `xor` before two or more rules, in lists.",
                ],
            ],
        },
        Section {
            title: "Scoring",
            sentences: &[
                POINTS,
                [
                    "It counts how many of all possible strings are labelled rightly, beyond the half that a guess would get.",
                    "Right labels count, over all possible strings, as far as they are more than the half that guessing gets.",
                    "All possible strings are tried, and right labels beyond half of them count.",
                ],
                UNREADABLE,
            ],
        },
    ],
};

struct Hidden {
    bits: usize,
    /// The bits that decide, ascending.
    relevant: Vec<usize>,
    /// The label for each setting of those bits, the first one's lowest.
    table: Vec<bool>,
    examples: Vec<(usize, bool)>,
}

impl Variant for RuleIdentification {
    fn spec(&self) -> &'static VariantSpec {
        &SPEC
    }

    fn draw(&self, seed: u64, level: Level) -> Box<dyn Instance> {
        let mut rng = Pcg::new(seed);
        Box::new(hard_enough(level, || hidden(&mut rng, level)))
    }
}

fn hidden(rng: &mut Pcg, level: Level) -> Hidden {
    let bits = level.between(8, 16) as usize;
    let count = level.between(2, 5) as usize;
    let mut relevant: Vec<usize> = (0..bits).collect();
    rng.shuffle(&mut relevant);
    relevant.truncate(count);
    relevant.sort_unstable();
    let table = loop {
        let table: Vec<bool> = (0..1 << count).map(|_| rng.one_in(2)).collect();
        let matters =
            |bit: usize| (0..table.len()).any(|setting| table[setting] != table[setting ^ (1 << bit)]);
        let ones = table.iter().filter(|label| **label).count() * 8;
        // Hard ones are close to half and half, so that one label for all is no answer.
        let is_even = !level.is_at_least(0.5) || (table.len() * 3..=table.len() * 5).contains(&ones);
        if is_even && (0..count).all(matters) {
            break table;
        }
    };
    let mut hidden = Hidden { bits, relevant, table, examples: Vec::new() };
    let count = level.length(12, 60).max(hidden.table.len());
    for _ in 0..20 {
        hidden.examples = examples(rng, &hidden, count);
        if hidden.fitting().is_some_and(|(bits, _)| bits == hidden.relevant) {
            break;
        }
    }
    hidden
}

/// Every setting of what decides is shown once at least; the rest is chance.
fn examples(rng: &mut Pcg, hidden: &Hidden, count: usize) -> Vec<(usize, bool)> {
    let mut examples = Vec::with_capacity(count);
    for nth in 0..count {
        let mut input = rng.below(1 << hidden.bits) as usize;
        if nth < hidden.table.len() {
            for (place, bit) in hidden.relevant.iter().enumerate() {
                input = input & !(1 << bit) | (nth >> place & 1) << bit;
            }
        }
        examples.push((input, hidden.label(input)));
    }
    rng.shuffle(&mut examples);
    examples
}

/// The setting of some bits of an input, the first one's lowest.
fn setting(input: usize, bits: &[usize]) -> usize {
    bits.iter().enumerate().fold(0, |setting, (place, bit)| setting | (input >> bit & 1) << place)
}

impl Hidden {
    fn label(&self, input: usize) -> bool {
        self.table[setting(input, &self.relevant)]
    }

    fn answer(rule: impl Into<Value>) -> Value {
        let rule: Value = rule.into();
        json!({ "action": "submit", "rule": rule })
    }

    /// The fewest bits that explain the examples, no more than decide, with the labels of their settings.
    fn fitting(&self) -> Option<(Vec<usize>, Vec<Option<bool>>)> {
        let most = self.relevant.len() as u32;
        let mut sets: Vec<usize> =
            (0..1 << self.bits).filter(|set: &usize| set.count_ones() <= most).collect();
        sets.sort_by_key(|set| set.count_ones());
        sets.into_iter().find_map(|set| {
            let bits: Vec<usize> = (0..self.bits).filter(|bit| set >> bit & 1 == 1).collect();
            self.shown(&bits).map(|table| (bits, table))
        })
    }

    /// The labels that the examples show for each setting of these bits; nothing when they contradict each other.
    fn shown(&self, bits: &[usize]) -> Option<Vec<Option<bool>>> {
        let mut table = vec![None; 1 << bits.len()];
        for (input, label) in &self.examples {
            let seen = table[setting(*input, bits)].get_or_insert(*label);
            if seen != label {
                return None;
            }
        }
        Some(table)
    }
}

/// An input's bits, the first one on the left.
fn text(input: usize, bits: usize) -> String {
    (0..bits).map(|bit| if input >> bit & 1 == 1 { '1' } else { '0' }).collect()
}

impl Instance for Hidden {
    fn observation(&self) -> Value {
        let example = |(input, label): &(usize, bool)| json!([text(*input, self.bits), u8::from(*label)]);
        let examples: Vec<Value> = self.examples.iter().map(example).collect();
        json!({ "bits": self.bits, "examples": examples, "relevant": self.relevant.len() })
    }

    fn score(&self, action: &Value, fuel: &mut Fuel) -> Result<Score, Refusal> {
        let rule = answer::members(action, "submit")?.get("rule");
        let rule = rule.ok_or_else(|| Refusal::answer("`rule` is missing"))?;
        let all = 1usize << self.bits;
        let mut right = 0;
        // 64 inputs at a time, one a bit.
        for block in 0..all.div_ceil(64) {
            let found = evaluate(rule, self.bits, block, fuel)?;
            let wanted =
                (0..64).fold(0u64, |word, nth| word | u64::from(self.label(block * 64 + nth)) << nth);
            right += (!(found ^ wanted)).count_ones() as usize;
            fuel.spend(64)?;
        }
        Ok(Score::above_chance(right, all, 0.5))
    }

    fn reference(&self) -> Value {
        let Some((bits, table)) = self.fitting() else { return Self::answer(json!("x0")) };
        Self::answer(sum_of_products(&bits, &table))
    }

    /// The one bit, or its opposite, that fits most examples.
    fn naive(&self) -> Value {
        let fits = |bit: usize| {
            self.examples.iter().filter(|(input, label)| (input >> bit & 1 == 1) == *label).count()
        };
        let count = self.examples.len();
        let best = (0..self.bits).max_by_key(|&bit| fits(bit).max(count - fits(bit))).unwrap_or_default();
        let bit = json!(format!("x{best}"));
        Self::answer(if fits(best) * 2 >= count { bit } else { json!(["not", bit]) })
    }
}

/// The settings that are labelled 1, each as an `and`, under one `or`.
fn sum_of_products(bits: &[usize], table: &[Option<bool>]) -> Value {
    // `x0` is always there, so these two are never and always.
    let (never, always) = (json!(["and", "x0", ["not", "x0"]]), json!(["or", "x0", ["not", "x0"]]));
    let product = |setting: usize| {
        let literal = |(place, bit): (usize, &usize)| {
            let bit = json!(format!("x{bit}"));
            if setting >> place & 1 == 1 { bit } else { json!(["not", bit]) }
        };
        let literals = bits.iter().enumerate().map(literal);
        Value::Array([json!("and"), always.clone()].into_iter().chain(literals).collect())
    };
    let ones = (0..table.len()).filter(|&setting| table[setting] == Some(true));
    Value::Array([json!("or"), never.clone(), never.clone()].into_iter().chain(ones.map(product)).collect())
}

/// The labels of the 64 inputs of a block. JSON is nested 128 deep at most, so this may call itself.
fn evaluate(rule: &Value, bits: usize, block: usize, fuel: &mut Fuel) -> Result<u64, Refusal> {
    fuel.spend(4)?;
    match rule {
        Value::String(name) => {
            let bit = name.strip_prefix('x').and_then(|number| number.parse::<usize>().ok());
            let bit = bit.filter(|bit| *bit < bits).ok_or_else(|| bad_rule(bits))?;
            Ok(variable(bit, block))
        }
        Value::Array(parts) => {
            let (verb, parts) = parts.split_first().ok_or_else(|| bad_rule(bits))?;
            let mut values = parts.iter().map(|part| evaluate(part, bits, block, fuel));
            let with: fn(u64, u64) -> u64 = match (verb.as_str(), parts.len()) {
                (Some("not"), 1) => {
                    return values.next().unwrap_or_else(|| Err(bad_rule(bits))).map(|value| !value);
                }
                (Some("and"), 2..) => |a, b| a & b,
                (Some("or"), 2..) => |a, b| a | b,
                (Some("xor"), 2..) => |a, b| a ^ b,
                _ => return Err(bad_rule(bits)),
            };
            let first = values.next().unwrap_or_else(|| Err(bad_rule(bits)))?;
            values.try_fold(first, |all, value| Ok(with(all, value?)))
        }
        _ => Err(bad_rule(bits)),
    }
}

/// A bit of 64 inputs in a row.
fn variable(bit: usize, block: usize) -> u64 {
    const LOW: [u64; 6] = [
        0xAAAA_AAAA_AAAA_AAAA,
        0xCCCC_CCCC_CCCC_CCCC,
        0xF0F0_F0F0_F0F0_F0F0,
        0xFF00_FF00_FF00_FF00,
        0xFFFF_0000_FFFF_0000,
        0xFFFF_FFFF_0000_0000,
    ];
    match LOW.get(bit) {
        Some(pattern) => *pattern,
        None if block >> (bit - 6) & 1 == 1 => u64::MAX,
        None => 0,
    }
}

fn bad_rule(bits: usize) -> Refusal {
    let last = bits.saturating_sub(1);
    Refusal::Answer(format!(
        "`rule` must be made of `x0` to `x{last}`, `and`, `or` and `xor` with two or more parts, and `not` with one"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x1` and not `x7`, of eight bits.
    fn simple() -> Hidden {
        Hidden { bits: 8, relevant: vec![1, 7], table: vec![false, true, false, false], examples: vec![] }
    }

    fn score(rule: Value) -> Result<Score, Refusal> {
        simple().score(&Hidden::answer(rule), &mut Fuel::default())
    }

    #[test]
    fn a_rule_is_tried_on_all_strings() {
        assert_eq!(score(json!(["and", "x1", ["not", "x7"]])), Ok(Score { points: 1.0, solved: true }));
        assert_eq!(score(json!(["xor", "x1", ["and", "x1", "x7"]])), Ok(Score { points: 1.0, solved: true }));
        // Wrong for a quarter of all strings: half of what is more than chance.
        assert_eq!(score(json!("x1")), Ok(Score { points: 0.5, solved: false }));
        assert_eq!(score(json!(["or", "x0", ["not", "x0"]])), Ok(Score { points: 0.0, solved: false }));
    }

    #[test]
    fn blocks_of_inputs_agree_with_single_ones() {
        for bit in 0..10 {
            for input in 0..1024usize {
                assert_eq!(variable(bit, input / 64) >> (input % 64) & 1 == 1, input >> bit & 1 == 1);
            }
        }
    }

    #[test]
    fn what_is_no_rule_is_told_and_what_is_endless_is_stopped() {
        for wrong in [
            json!(null),
            json!("x8"),
            json!("y1"),
            json!("x-1"),
            json!([]),
            json!(["not"]),
            json!(["not", "x0", "x1"]),
            json!(["and", "x0"]),
            json!(["nand", "x0", "x1"]),
            json!([1, "x0", "x1"]),
        ] {
            assert!(matches!(score(wrong.clone()), Err(Refusal::Answer(_))), "{wrong}");
        }
        let wide: Vec<Value> =
            std::iter::once(json!("and")).chain((0..400_000).map(|_| json!("x0"))).collect();
        let large = Hidden { bits: 16, ..simple() };
        assert_eq!(large.score(&Hidden::answer(json!(wide)), &mut Fuel::default()), Err(Refusal::Time));
    }
}
