//! `text_compression`: write a text as a small straight-line grammar.
//!
//! `words` makes the text, `grammar` reads, checks and prices answers, `repair` is the measure of a good one.

mod grammar;
mod repair;
mod words;

use serde_json::{Value, json};

use self::grammar::Grammar;
use super::answer::{Fuel, Refusal};
use super::level::Level;
use super::prompt::{ONE_ACTION, POINTS, Section, UNREADABLE};
use super::{Instance, Kind, Score, Variant, VariantSpec, hard_enough};
use crate::arena::engine::rng::Pcg;

/// The variant.
pub(super) struct TextCompression;

static SPEC: VariantSpec = VariantSpec {
    name: "text_compression",
    kind: Kind::Compression,
    weight: 1.0,
    version: 1,
    title: "Text compression",
    is_exact: true,
    rules: &[
        Section {
            title: "Problem",
            sentences: &[
                [
                    "`text` holds phrases that come again and again, with a few stray words between.",
                    "The phrases in `text` repeat, and stray words may stand between them.",
                    "In `text` the same phrases return, here and there with stray words in between.",
                ],
                [
                    "Write it as a grammar that is as small as you can make it.",
                    "Find a grammar for it with as low a cost as possible.",
                    "State it as a grammar, the smaller the better.",
                ],
            ],
        },
        Section {
            title: "Answer",
            sentences: &[
                ONE_ACTION,
                [
                    "Its form is `{\"action\":\"submit\",\"start\":\"S\",\"rules\":{\"S\":[\"a \",{\"r\":\"A\"}],\"A\":[\"b\"]}}`.",
                    "Send `{\"action\":\"submit\",\"start\":\"S\",\"rules\":{\"S\":[\"a \",{\"r\":\"A\"}],\"A\":[\"b\"]}}`, with rules of your own.",
                    "It looks like `{\"action\":\"submit\",\"start\":\"S\",\"rules\":{\"S\":[\"a \",{\"r\":\"A\"}],\"A\":[\"b\"]}}`.",
                ],
                [
                    "A rule is a list of literal texts and of references to other rules.",
                    "Each rule lists its parts: literal texts, and references to other rules.",
                    "What a rule lists are literal texts and references to other rules.",
                ],
                [
                    "The rule named by `start`, with every reference replaced by what its rule stands for, must be the text exactly.",
                    "Replacing all references, beginning with the rule that `start` names, must give the text to the letter.",
                    "When references are replaced by their rules, the one in `start` must become exactly the text.",
                ],
                [
                    "No rule may refer to itself, not even through others.",
                    "Rules must not go in circles.",
                    "A rule that leads back to itself is refused.",
                ],
            ],
        },
        Section {
            title: "Scoring",
            sentences: &[
                [
                    "The cost is the number of bytes of all literals, and 2 for each reference and 2 for each rule, used or not.",
                    "Literals cost their bytes, each reference 2, and every rule, used or not, 2 more.",
                    "You pay 2 for every rule, even an unused one, 2 for every reference, and for each literal its bytes.",
                ],
                POINTS,
                [
                    "The text as one literal gets 0, the cost of a good grammar 1, and what lies between a share.",
                    "One literal with the whole text is worth 0, a good grammar 1, with shares between.",
                    "Between the whole text as a literal, for 0, and a good grammar, for 1, they grow with what is saved.",
                ],
                UNREADABLE,
            ],
        },
    ],
};

struct Text {
    text: String,
    best: usize,
}

impl Variant for TextCompression {
    fn spec(&self) -> &'static VariantSpec {
        &SPEC
    }

    fn draw(&self, seed: u64, level: Level) -> Box<dyn Instance> {
        let mut rng = Pcg::new(seed);
        Box::new(hard_enough(level, || {
            let text = words::text(&mut rng, level);
            let best = repair::grammar(&text).cost();
            Text { text, best }
        }))
    }
}

impl Text {
    /// The cost of the whole text as one literal.
    fn base(&self) -> usize {
        self.text.len() + grammar::RULE_COST
    }
}

impl Instance for Text {
    fn observation(&self) -> Value {
        json!({ "bytes": self.text.len(), "text": self.text })
    }

    fn score(&self, action: &Value, fuel: &mut Fuel) -> Result<Score, Refusal> {
        let grammar = Grammar::read(action)?;
        grammar.check(&self.text, fuel)?;
        let gained = self.base() as f64 - grammar.cost() as f64;
        let score = Score::share(gained, self.base() as f64 - self.best as f64, false);
        Ok(Score { solved: score.points >= 0.9, ..score })
    }

    fn reference(&self) -> Value {
        repair::grammar(&self.text).answer()
    }

    fn naive(&self) -> Value {
        repair::one_rule(&self.text).answer()
    }
}

#[cfg(test)]
mod tests;
