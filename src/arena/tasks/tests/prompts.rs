//! Prompts: what stays, and what may vary.

use super::*;

/// The numbers and the names in backticks of a text, sorted.
fn facts(text: &str) -> Vec<String> {
    let quoted = text.split('`').skip(1).step_by(2).map(|name| format!("`{name}`"));
    let plain: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let numbers: Vec<String> = plain
        .split(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .map(|number| number.trim_matches('.').to_owned())
        .filter(|number| !number.is_empty())
        .collect();
    let mut facts: Vec<String> = quoted.chain(numbers).collect();
    facts.sort();
    facts
}

#[test]
fn all_forms_of_a_sentence_state_the_same_facts() {
    // arena.md §10.1: numbers and field names are the same multiset.
    for variant in VARIANTS {
        for forms in variant.spec().rules.iter().flat_map(|section| section.sentences) {
            let [first, second, third] = forms.map(facts);
            assert!(first == second && first == third, "{}: {forms:#?}", variant.spec().name);
            assert!(forms[0] != forms[1] && forms[1] != forms[2] && forms[0] != forms[2]);
            assert!(forms.iter().all(|form| form.matches('`').count() % 2 == 0), "{forms:?}");
        }
    }
}

#[test]
fn wordings_vary_and_facts_do_not() {
    for variant in VARIANTS {
        let plain = prompt::rules(variant.spec(), None);
        let worded: std::collections::BTreeSet<String> =
            (0..20).map(|seed| prompt::rules(variant.spec(), Some(seed))).collect();
        assert!(worded.len() > 15, "{}", variant.spec().name);
        for rules in worded {
            assert_eq!(facts(&rules), facts(&plain), "{rules}");
        }
    }
}

#[test]
fn everything_before_the_problem_is_the_same_for_all_tasks_of_a_variant() {
    // protocol.md §2.13, §6.3: rules, then `\n\n## Observation\n`, then the problem.
    let mut rng = Pcg::new(1);
    for variant in VARIANTS {
        let mut before = std::collections::BTreeSet::new();
        for (difficulty, randomize_prompt) in [(0, false), (9, false), (13, false), (9, true)] {
            let difficulty = Difficulty::twentieths(difficulty);
            let wish = Wish { weights: vec![(*variant, 1.0)], randomize_prompt, ..wish(difficulty) };
            let drawn = wish.draw(&mut rng).unwrap();
            let (rules, problem) = drawn.prompt.split_once("\n\n## Observation\n").unwrap();
            let problem: Value = serde_json::from_str(problem).unwrap();
            assert_eq!(problem, variant.draw(drawn.seed, drawn.level).observation());
            before.insert((randomize_prompt, rules.to_owned()));
        }
        assert_eq!(before.len(), 2, "{}", variant.spec().name);
    }
}

#[test]
fn rules_read_well() {
    let all: Vec<String> = VARIANTS.iter().map(|variant| prompt::rules(variant.spec(), None)).collect();
    insta::assert_snapshot!(all.join("\n\n---\n\n"));
}
