use serde_json::json;

use super::*;
use crate::arena::tasks::level::Difficulty;

fn instance(seed: u64, twentieths: u8) -> Text {
    let text = words::text(&mut Pcg::new(seed), Level::new(Difficulty::twentieths(twentieths)));
    let best = repair::grammar(&text).cost();
    Text { text, best }
}

fn refusal(instance: &Text, action: &Value) -> String {
    match instance.score(action, &mut Fuel::default()) {
        Err(Refusal::Answer(problem)) => problem,
        other => panic!("not refused: {other:?}"),
    }
}

fn grammar(rules: impl Into<Value>) -> Value {
    let rules: Value = rules.into();
    json!({ "action": "submit", "start": "S", "rules": rules })
}

#[test]
fn one_literal_costs_the_text_and_two_and_gets_nothing() {
    // arena.md §10.2, exactness notes.
    for seed in 0..5 {
        let instance = instance(seed, 9);
        let answer = grammar(json!({ "S": [instance.text] }));
        assert_eq!(Grammar::read(&answer).unwrap().cost(), instance.text.len() + 2);
        let score = instance.score(&answer, &mut Fuel::default()).unwrap();
        assert_eq!(score, Score { points: 0.0, solved: false });
    }
}

#[test]
fn re_pairs_own_answer_gets_everything() {
    // arena.md §10.2, exactness notes.
    for seed in 0..5 {
        for twentieths in [0, 10, 20] {
            let instance = instance(seed, twentieths);
            let score = instance.score(&instance.reference(), &mut Fuel::default()).unwrap();
            assert_eq!(score, Score { points: 1.0, solved: true });
            assert!(instance.best < instance.text.len(), "there is something to save");
        }
    }
}

#[test]
fn putting_a_rule_that_is_used_once_in_its_place_never_costs_more() {
    // arena.md §10.2, exactness notes: what is saved are the reference and the rule.
    let kept = grammar(json!({ "S": ["ab", { "r": "A" }], "A": ["cd"] }));
    let inlined = grammar(json!({ "S": ["ab", "cd"] }));
    let cost = |answer| Grammar::read(&answer).unwrap().cost();
    assert_eq!(cost(kept) - cost(inlined), 4);
    // And Re-Pair keeps none.
    let best = repair::grammar(&instance(1, 20).text);
    for rule in (0..best.rules.len()).filter(|rule| *rule != best.start) {
        let is_it = |item: &&grammar::Item| **item == grammar::Item::Reference(rule);
        assert!(best.rules.iter().flatten().filter(is_it).count() > 1, "rule {rule}");
    }
}

#[test]
fn a_grammar_that_doubles_itself_is_refused_without_being_expanded() {
    let mut rules = serde_json::Map::new();
    for n in 0..200 {
        let next = json!({ "r": format!("{}", n + 1) });
        rules.insert(n.to_string(), json!([next, next]));
    }
    for end in ["a", ""] {
        rules.insert("200".to_owned(), json!([end]));
        let answer = json!({ "action": "submit", "start": "0", "rules": rules });
        let instance = instance(1, 0);
        let mut fuel = Fuel::default();
        assert!(matches!(instance.score(&answer, &mut fuel), Err(Refusal::Answer(_))), "{end}");
    }
    // Nothing, doubled, beside the text: right, and not walked through.
    let instance = instance(1, 0);
    rules.insert("S".to_owned(), json!([{ "r": "0" }, instance.text]));
    let answer = grammar(Value::Object(rules));
    assert!(instance.score(&answer, &mut Fuel::default()).is_ok());
}

#[test]
fn long_chains_of_rules_run_out_of_time_instead_of_stack() {
    let mut rules = serde_json::Map::new();
    for n in 0..20_000 {
        rules.insert(n.to_string(), json!([{ "r": (n + 1).to_string() }]));
    }
    rules.insert("20000".to_owned(), json!(["a"]));
    rules.insert("S".to_owned(), Value::Array(vec![json!({ "r": "0" }); 3_000]));
    let instance = Text { text: "a".repeat(3_000), best: 100 };
    let outcome = instance.score(&grammar(Value::Object(rules)), &mut Fuel::default());
    assert_eq!(outcome, Err(Refusal::Time));
}

#[test]
fn what_is_no_grammar_of_the_text_is_told() {
    let instance = Text { text: "abab".to_owned(), best: 1 };
    for (answer, problem) in [
        (json!({ "action": "predict" }), "`\"action\":\"submit\"`"),
        (json!({ "action": "submit", "start": "S" }), "`rules` must be an object"),
        (json!({ "action": "submit", "rules": {}, "start": "S" }), "there is no rule `S`"),
        (grammar(json!({ "S": "abab" })), "rule `S` must be a list"),
        (grammar(json!({ "S": ["abab", 1] })), "rule `S` must be a list"),
        (grammar(json!({ "S": [{ "r": "B" }] })), "there is no rule `B`"),
        (grammar(json!({ "S": [{ "r": "A" }], "A": [{ "r": "S" }] })), "refer to themselves"),
        (grammar(json!({ "S": ["abab"], "A": [{ "r": "A" }] })), "refer to themselves"),
        (grammar(json!({ "S": ["aba"] })), "gives 3 bytes and the text has 4"),
        (grammar(json!({ "S": ["ab", "aa"] })), "another from byte 2 on"),
    ] {
        let told = refusal(&instance, &answer);
        assert!(told.contains(problem), "{answer}: {told}");
    }
}

#[test]
fn unused_rules_cost() {
    let cost = |rules| Grammar::read(&grammar(rules)).unwrap().cost();
    assert_eq!(cost(json!({ "S": ["abab"], "U": ["xyz"] })), cost(json!({ "S": ["abab"] })) + 5);
}
