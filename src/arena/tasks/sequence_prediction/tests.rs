use serde_json::json;

use super::*;

fn score(values: impl Into<Value>) -> Result<Score, Refusal> {
    let values: Value = values.into();
    let row = Row { terms: vec![1, 2, 3], next: vec![4, 5, 6, 7] };
    row.score(&json!({ "action": "predict", "values": values }), &mut Fuel::default())
}

#[test]
fn numbers_count_up_to_the_first_wrong_one() {
    // arena.md §10.2.
    assert_eq!(score(json!([4, 5, 6, 7])), Ok(Score { points: 1.0, solved: true }));
    assert_eq!(score(json!([4, 5, 0, 7])), Ok(Score { points: 0.5, solved: false }));
    assert_eq!(score(json!([0, 5, 6, 7])), Ok(Score { points: 0.0, solved: false }));
    assert_eq!(score(json!([4.0, 5, 6, 7.5])), Ok(Score { points: 0.75, solved: false }));
    for wrong in [json!([4]), json!([4, 5, 6, "7"]), json!(4), json!(null)] {
        assert!(matches!(score(wrong), Err(Refusal::Answer(_))));
    }
}

#[test]
fn rules_make_the_rows_that_they_say() {
    let linear = Rule::Linear { first: vec![1, 1], factors: vec![1, 1], constant: 0 };
    assert_eq!(linear.terms(8).unwrap(), [1, 1, 2, 3, 5, 8, 13, 21]);
    let digits = |how| Rule::Digits { first: 19, how, constant: 1 }.terms(3).unwrap();
    assert_eq!(digits(rule::Digits::AddSum), [19, 30, 34]);
    assert_eq!(digits(rule::Digits::AddSquares), [19, 102, 108]);
    assert_eq!(digits(rule::Digits::AddBackwards), [19, 111, 223]);
    assert_eq!(digits(rule::Digits::TripleSquares), [19, 247, 208]);
    let modular = Rule::Modular { first: vec![3], factors: vec![2], constant: 1, modulus: 5 };
    assert_eq!(modular.terms(4).unwrap(), [3, 2, 0, 1]);
    let turns = Rule::Turns(Box::new([linear, modular]));
    assert_eq!(turns.terms(7).unwrap(), [1, 3, 1, 2, 2, 0, 3]);
    let growing = Rule::Linear { first: vec![1], factors: vec![2], constant: 0 };
    assert_eq!((growing.terms(49).map(|terms| terms.len()), growing.terms(60)), (Some(49), None));
}
