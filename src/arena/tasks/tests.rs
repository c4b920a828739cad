use std::collections::BTreeMap;
use std::hash::Hasher as _;

use serde_json::json;

use super::*;
use crate::arena::engine::digest::Fnv;

mod bounds;
mod prompts;

fn level(twentieths: u8) -> Level {
    Level::new(Difficulty::twentieths(twentieths))
}

fn points(instance: &dyn Instance, action: &Value) -> Score {
    instance.score(action, &mut Fuel::default()).unwrap_or_else(|refusal| panic!("{refusal:?}: {action}"))
}

fn wish(difficulty: Difficulty) -> Wish {
    let weights = VARIANTS.iter().map(|variant| (*variant, variant.spec().weight)).collect();
    Wish { difficulty, weights, randomize_prompt: false, max_prompt_bytes: 1 << 20 }
}

#[test]
fn there_are_ten_variants_of_three_kinds() {
    // arena.md §10.2.
    let mut kinds = BTreeMap::new();
    for variant in VARIANTS {
        let spec = variant.spec();
        *kinds.entry(spec.kind.as_str()).or_insert(0) += 1;
        assert!(spec.name.ends_with(spec.kind.as_str()), "{}", spec.name);
        assert_eq!(find(spec.name).map(|found| found.spec().name), Some(spec.name));
        let weight = if spec.name == "player_identification" { 0.5 } else { 1.0 };
        assert!((spec.weight - weight).abs() < 1e-9);
    }
    assert_eq!(kinds, BTreeMap::from([("compression", 3), ("identification", 4), ("prediction", 3)]));
}

#[test]
fn one_stream_draws_the_same_tasks_and_one_seed_the_same_instance() {
    let drawn = |seed| {
        let mut rng = Pcg::new(seed);
        let wish = wish(Difficulty::DEFAULT);
        let tasks = (0..6).map(|_| wish.draw(&mut rng).unwrap());
        tasks.map(|task| (task.variant.spec().name, task.prompt)).collect::<Vec<_>>()
    };
    assert_eq!(drawn(1), drawn(1));
    assert_ne!(drawn(1), drawn(2));
    for variant in VARIANTS {
        let draw = |seed| variant.draw(seed, level(9)).observation();
        assert_eq!(draw(1), draw(1), "{}", variant.spec().name);
        assert_ne!(draw(1), draw(2), "{}", variant.spec().name);
    }
}

#[test]
fn instances_change_only_together_with_their_version() {
    // Tasks are kept as seeds for seven days: what an update changes must not be scored as what was drawn before.
    let digests = VARIANTS.iter().map(|variant| {
        let spec = variant.spec();
        let instances =
            [0, 9, 20].map(|twentieths| variant.draw(7, level(twentieths)).observation().to_string());
        let mut digest = Fnv::default();
        for instance in &instances {
            digest.write(instance.as_bytes());
        }
        (spec.name, spec.version, format!("{:016x}", digest.finish()))
    });
    insta::assert_debug_snapshot!(digests.collect::<Vec<_>>());
}

#[test]
fn variants_are_drawn_by_weight() {
    let mut rng = Pcg::new(3);
    let some = [find("rule_identification").unwrap(), find("sequence_prediction").unwrap()];
    let wish = Wish { weights: vec![(some[0], 3.0), (some[1], 1.0)], ..wish(Difficulty::twentieths(0)) };
    let names = (0..200).map(|_| wish.draw(&mut rng).unwrap().variant.spec().name);
    let first = names.filter(|name| *name == "rule_identification").count();
    assert!((130..170).contains(&first), "{first}");
    let nothing = Wish { weights: vec![(some[0], 0.0)], ..wish };
    assert!(nothing.draw(&mut rng).is_none());
}

#[test]
fn a_prompt_that_is_too_long_gets_a_shorter_problem() {
    // arena.md §10.1: length first, and what is drawn is what is scored.
    let text = find("text_compression").unwrap();
    let wish = Wish { weights: vec![(text, 1.0)], max_prompt_bytes: 4_000, ..wish(Difficulty::MAX) };
    let drawn = wish.draw(&mut Pcg::new(5)).unwrap();
    assert!(drawn.prompt.len() <= 4_000 && drawn.level.percent < 100, "{}", drawn.prompt.len());
    assert_eq!(drawn.level.difficulty, Difficulty::MAX);
    let instance = drawn.variant.draw(drawn.seed, drawn.level);
    assert!(drawn.prompt.ends_with(&instance.observation().to_string()));
    // However little is allowed there is a problem.
    let shortest = Wish { max_prompt_bytes: 1, ..wish }.draw(&mut Pcg::new(5)).unwrap();
    assert!(shortest.level.shorter().is_none());
}

#[test]
fn every_variant_draws_at_every_level_and_length() {
    for variant in VARIANTS {
        for twentieths in [0, 10, 20] {
            let shortest =
                std::iter::successors(Some(level(twentieths)), |level| level.shorter()).last().unwrap();
            let instance = variant.draw(1, shortest);
            let name = variant.spec().name;
            assert!(instance.observation().is_object(), "{name}");
            for action in [instance.reference(), instance.naive()] {
                assert!((0.0..=1.0).contains(&points(&*instance, &action).points), "{name}");
            }
        }
    }
}

#[test]
fn answers_of_any_shape_are_refused_with_words() {
    for variant in VARIANTS {
        let instance = variant.draw(1, level(4));
        let Value::Object(right) = instance.reference() else { panic!("an object is asked for") };
        let mut wrong =
            vec![json!({}), json!([]), json!([{}, {}]), json!({ "action": "x" }), json!({ "action": 1 })];
        for name in right.keys() {
            for junk in [json!(null), json!(-1), json!(""), json!([[]]), json!({ "": {} }), json!("action")] {
                let mut action = right.clone();
                action.insert(name.clone(), junk);
                wrong.push(Value::Object(action));
            }
            let mut without = right.clone();
            without.shift_remove(name);
            wrong.push(Value::Object(without));
        }
        for action in wrong {
            match instance.score(&action, &mut Fuel::default()) {
                Err(Refusal::Answer(problem)) => assert!(!problem.is_empty()),
                // A number may be any number.
                Ok(score) if action["value"] == json!(-1) => assert!(score.points < 1e-9),
                other => panic!("{}: {action}: {other:?}", variant.spec().name),
            }
        }
    }
}

#[test]
fn equal_actions_are_scored_and_charged_once() {
    // SDK 3.4.0 resources.py `Tasks.score`; arena.md §10.1.
    let instance = find("rule_identification").unwrap().draw(1, level(0));
    let right = instance.reference().to_string();
    let replies = [
        "no action here".to_owned(),
        "[]".to_owned(),
        "I think [] is best".to_owned(),
        right.clone(),
        format!("```json\n[{right}]\n```"),
        r#"{"rule": "x0", "action": "submit"}"#.to_owned(),
        r#"{"action":"submit","rule":"x0"}"#.to_owned(),
        r#"{"action":"submit","rule":"nothing"}"#.to_owned(),
        r#"{"action":"\ud800"}"#.to_owned(),
        "[".repeat(3_000),
    ];
    let grades = grade::grade(&*instance, &replies);
    let error = |nth: usize| grades.outcomes[nth].error.clone().unwrap_or_default();
    assert!(error(0).starts_with("format:") && error(9).starts_with("format:"), "{grades:?}");
    assert!(error(7).starts_with("answer:") && error(8).starts_with("answer:"), "{grades:?}");
    assert_eq!(grades.outcomes[1], grades.outcomes[2]);
    assert_eq!((grades.outcomes[1].points, grades.outcomes[1].solved, error(1)), (0.0, false, String::new()));
    assert_eq!(grades.outcomes[3], grades.outcomes[4]);
    assert!(grades.outcomes[3].solved);
    assert_eq!(grades.outcomes[5], grades.outcomes[6]);
    // `[]`, the right one, `x0`, and two that were refused.
    assert_eq!(grades.scored, 5);
}

#[test]
fn what_takes_too_long_is_not_charged() {
    let instance = find("rule_identification").unwrap().draw(1, level(20));
    let wide: Vec<Value> = std::iter::once(json!("and")).chain((0..100_000).map(|_| json!("x0"))).collect();
    let reply = json!({ "action": "submit", "rule": wide }).to_string();
    let grades = grade::grade(&*instance, &[reply]);
    assert!(
        grades.outcomes[0].error.as_deref().is_some_and(|error| error.starts_with("time:")),
        "{grades:?}"
    );
    assert_eq!(grades.scored, 0);
}
