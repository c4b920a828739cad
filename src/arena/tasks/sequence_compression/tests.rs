use serde_json::json;

use super::*;
use crate::arena::tasks::level::Difficulty;

fn made_by(program: impl Into<Value>) -> Result<String, Refusal> {
    let program: Value = program.into();
    let program = Program::read(&json!({ "action": "submit", "program": program }))?;
    program.run(8, &mut Fuel::default()).map(|symbols| machine::letters(&symbols))
}

#[test]
fn every_operation_does_what_the_rules_say() {
    for (program, made) in [
        (json!(["ABC"]), "ABCABCAB"),
        (json!([10]), "CCCCCCCC"),
        (json!([-1]), "HHHHHHHH"),
        (json!(["index"]), "ABCDEFGH"),
        (json!(["index", 3, "add"]), "DEFGHABC"),
        (json!(["index", 3, "mul"]), "ADGBEHCF"),
        (json!(["index", 3, "mod"]), "ABCABCAB"),
        (json!(["index", 1, "xor"]), "BADCFEHG"),
        (json!(["index", 1, "shift"]), "AABBCCDD"),
        (json!(["AB", "C", "concat"]), "ABCABCAB"),
        (json!(["AB", 2, "repeat", "H", "concat"]), "ABABHABA"),
        (json!(["CDE", "index", 2, "mul", "pick"]), "CEDCEDCE"),
        (json!(["AB", "CDE", "index", 2, "mod", "if"]), "CBEBDBCB"),
        (json!(["AB", "ABC", "add"]), "ACCBBDAC"),
    ] {
        assert_eq!(made_by(program.clone()).unwrap(), made, "{program}");
    }
}

#[test]
fn what_is_no_program_is_told() {
    for (program, problem) in [
        (json!([]), "leaves nothing"),
        (json!(["add"]), "token 0: the stack is empty"),
        (json!(["Z"]), "token 0 is no operation"),
        (json!([""]), "token 0 is no operation"),
        (json!([1.5]), "token 0 is no operation"),
        (json!([1, 0, "mod"]), "token 2: a number is divided by 0"),
        (json!([1, 64, "shift"]), "shifted too far"),
        (json!(["A", -1, "repeat"]), "the count is below 0"),
        (json!(["A", 65, "repeat"]), "the list is too long"),
        (json!(["A", 9_000_000_000_000_000_000_i64, "repeat"]), "the list is too long"),
        (json!(["A", 0, "repeat"]), "leaves nothing"),
        (json!(["A", 0, "repeat", 1, "add"]), "a list is empty"),
        (json!(vec![1; 300]), "the stack too high"),
    ] {
        match made_by(program.clone()) {
            Err(Refusal::Answer(told)) => assert!(told.contains(problem), "{program}: {told}"),
            other => panic!("{program}: {other:?}"),
        }
    }
}

#[test]
fn a_program_that_works_for_too_long_is_stopped() {
    let mut tokens = vec![json!("index"), json!(8), json!("repeat")];
    for _ in 0..30_000 {
        tokens.extend([json!(1), json!("add")]);
    }
    let program = Program::read(&json!({ "action": "submit", "program": tokens })).unwrap();
    assert_eq!(program.run(512, &mut Fuel::default()), Err(Refusal::Time));
}

#[test]
fn the_program_that_made_it_solves_it() {
    for seed in 0..10 {
        for twentieths in [0, 9, 16, 20] {
            let level = Level::new(Difficulty::twentieths(twentieths));
            let program = made(&mut Pcg::new(seed), level);
            let symbols = program.run(300, &mut Fuel::default()).unwrap();
            let sequence = Sequence { symbols, made_for: program.cost() };
            let score = sequence.score(&program.answer(), &mut Fuel::default()).unwrap();
            assert_eq!(score, Score { points: 1.0, solved: true }, "{program:?}");
        }
    }
}
