//! The one message of a task: rules in words, then the problem as JSON.
//!
//! Every sentence has three forms that state the same facts. Without a seed the first forms are taken in the order of the
//! table, so that everything before the problem is the same for all tasks of a variant; with one, sections are shuffled
//! and forms drawn. The problem always stays last.

use serde_json::Value;

use super::VariantSpec;
use crate::arena::engine::rng::Pcg;

/// A part of the rules.
#[derive(Debug)]
pub struct Section {
    /// Its heading.
    pub title: &'static str,
    /// Its sentences; the forms of one name the same numbers and the same members.
    pub sentences: &'static [[&'static str; 3]],
}

/// What stands before the problem.
const PROBLEM: &str = "\n\n## Observation\n";

/// The rules; worded by the seed if there is one.
pub fn rules(spec: &VariantSpec, wording: Option<u64>) -> String {
    let mut sections: Vec<&Section> = spec.rules.iter().collect();
    let mut rng = wording.map(Pcg::new);
    if let Some(rng) = &mut rng {
        rng.shuffle(&mut sections);
    }
    let mut text = format!("# {}", spec.title);
    for section in sections {
        let forms = section.sentences.iter().map(|forms| match &mut rng {
            Some(rng) => forms[rng.below(forms.len() as u64) as usize],
            None => forms[0],
        });
        let sentences: Vec<&str> = forms.collect();
        text += &["\n\n## ", section.title, "\n", &sentences.join(" ")].concat();
    }
    text
}

/// The whole message.
pub fn with_problem(rules: &str, observation: &Value) -> String {
    format!("{rules}{PROBLEM}{observation}")
}

/// How every variant asks for its reply.
pub(super) const ONE_ACTION: [&str; 3] = [
    "Reply with one JSON action; text around it is ignored.",
    "Your reply must hold one JSON action, and other text in it does not count.",
    "Give one action as JSON: whatever else the reply says is not read.",
];

/// What every variant says of its points.
pub(super) const POINTS: [&str; 3] =
    ["Points go from 0 to 1.", "The points are a number from 0 to 1.", "You get between 0 and 1 points."];

/// What every variant says of answers that it cannot read.
pub(super) const UNREADABLE: [&str; 3] = [
    "An action of another shape gets 0 points.",
    "There are 0 points for an action that is not of this shape.",
    "Any other shape is worth 0 points.",
];
