use serde_json::json;

use super::*;

fn cross() -> Drawing {
    let mut picture = Picture::empty(6);
    picture.draw(Op::Rect { x: 0, y: 2, width: 6, height: 2, colour: 1 });
    picture.draw(Op::Rect { x: 2, y: 0, width: 2, height: 6, colour: 2 });
    let runs = picture.runs().len();
    Drawing { picture, made_with: 2, runs }
}

fn score(ops: impl Into<Value>) -> Result<Score, Refusal> {
    let ops: Value = ops.into();
    cross().score(&json!({ "action": "draw", "ops": ops }), &mut Fuel::default())
}

#[test]
fn later_operations_cover_earlier_ones_and_every_run_can_be_saved() {
    // Four rows with one run, two with three.
    assert_eq!(cross().runs, 10);
    let ops = json!([["rect", 0, 2, 6, 2, 1], ["rect", 2, 0, 2, 6, 2]]);
    assert_eq!(score(ops), Ok(Score { points: 1.0, solved: true }));
    let three = json!([["rect", 0, 2, 6, 2, 1], ["line", 2, 0, 0, 1, 6, 2], ["line", 3, 5, 0, -1, 6, 2]]);
    assert_eq!(score(three), Ok(Score { points: 7.0 / 8.0, solved: false }));
    let run_by_run: Vec<Value> = cross().picture.runs().into_iter().map(Op::json).collect();
    assert_eq!(score(json!(run_by_run)), Ok(Score { points: 0.0, solved: false }));
}

#[test]
fn what_does_not_draw_the_picture_is_told() {
    for (ops, problem) in [
        (json!("x"), "`ops` must be a list"),
        (json!([["rect", 0, 2, 6, 2, 1]]), "another one at x 2, y 0"),
        (json!([["rect", 0, 2, 7, 2, 1]]), "operation 0"),
        (json!([["rect", 0, 2, 6, 0, 1]]), "operation 0"),
        (json!([["rect", 0, 2, i64::MAX, 2, 1]]), "operation 0"),
        (json!([["rect", 0, 2, i64::MIN, 2, 1]]), "operation 0"),
        (json!([["line", 0, 0, 1, -1, 2, 1]]), "operation 0"),
        (json!([["line", 0, 0, 2, 0, 2, 1]]), "operation 0"),
        (json!([["line", 0, 0, 1, 0, i64::MAX, 1]]), "operation 0"),
        (json!([["circle", 0, 0, 1]]), "operation 0"),
        (json!(vec![0; 2_001]), "2001 operations"),
    ] {
        match score(ops.clone()) {
            Err(Refusal::Answer(told)) => assert!(told.contains(problem), "{ops}: {told}"),
            other => panic!("{ops}: {other:?}"),
        }
    }
}
