use serde_json::json;

use super::*;
use crate::arena::tasks::level::Difficulty;

/// Accepts words with an even number of `b`.
fn even() -> Automaton {
    Automaton { start: 0, next: vec![[0, 1], [1, 0]], accepting: vec![true, false] }
}

fn score(action: &Value) -> Result<Score, Refusal> {
    let hidden = hidden(&mut Pcg::new(1), &even(), 2);
    Language { automaton: even(), examples: vec![], hidden }.score(action, &mut Fuel::default())
}

#[test]
fn an_equivalent_automaton_solves_it_however_it_is_written() {
    let larger = Automaton {
        start: 2,
        next: vec![[0, 1], [3, 2], [2, 3], [1, 0]],
        accepting: vec![true, false, true, false],
    };
    for automaton in [even(), larger] {
        assert_eq!(score(&Language::answer(&automaton)), Ok(Score { points: 1.0, solved: true }));
    }
    // A guess is right for half of the hidden strings.
    for accepting in [vec![true; 2], vec![false; 2]] {
        let guess = Automaton { accepting, ..even() };
        assert_eq!(score(&Language::answer(&guess)), Ok(Score { points: 0.0, solved: false }));
    }
}

#[test]
fn what_is_no_automaton_is_told() {
    let delta = json!({ "p": { "a": "p", "b": "p" } });
    let many: Map<String, Value> = (0..65).map(|n| (n.to_string(), json!({ "a": "0", "b": "0" }))).collect();
    for (action, problem) in [
        (json!({ "action": "submit", "start": "p", "accept": [] }), "`delta` must be an object"),
        (
            json!({ "action": "submit", "start": "q", "accept": [], "delta": delta }),
            "`start` must be a state",
        ),
        (json!({ "action": "submit", "start": "p", "accept": [1], "delta": delta }), "entry of `accept`"),
        (
            json!({ "action": "submit", "start": "p", "accept": {}, "delta": delta }),
            "`accept` must be a list",
        ),
        (
            json!({ "action": "submit", "start": "p", "accept": [], "delta": { "p": { "a": "p" } } }),
            "lead to",
        ),
        (json!({ "action": "submit", "start": "p", "accept": [], "delta": { "p": [] } }), "lead to"),
        (json!({ "action": "submit", "start": "0", "accept": [], "delta": many }), "65 states"),
        (json!({ "action": "submit", "start": "p", "accept": [], "delta": {} }), "`start` must be a state"),
    ] {
        match score(&action) {
            Err(Refusal::Answer(told)) => assert!(told.contains(problem), "{action}: {told}"),
            other => panic!("{action}: {other:?}"),
        }
    }
}

#[test]
fn hidden_strings_are_half_and_half() {
    for seed in 0..10 {
        let language = language(&mut Pcg::new(seed), Level::new(Difficulty::DEFAULT));
        assert_eq!(language.hidden.len(), HIDDEN);
        let accepted = language.hidden.iter().filter(|(_, label)| *label).count();
        assert_eq!(accepted, HIDDEN / 2);
    }
}
