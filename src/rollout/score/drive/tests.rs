use serde_json::{Value, json};

use super::*;

fn position() -> Position {
    let seats = |names: &[&str]| names.iter().map(|name| Seat::from(*name)).collect::<Vec<_>>();
    Position {
        target: "p0".into(),
        ours: seats(&["p0", "p1", "p2"]),
        on_turn: seats(&["p0", "p1"]),
        failed: seats(&["p2"]),
    }
}

fn fork() -> Fork {
    Fork::new(&Episode { episode_id: "fk-0".into(), tick: Some(3), ..Episode::default() }, 0, &position())
}

fn judge(fork: &mut Fork, result: &Value, phase_ticks: Option<u64>) -> Verdict {
    let result = serde_json::from_value(result.clone()).expect("a result");
    fork.judge(&result, &position(), phase_ticks)
}

#[test]
fn a_lost_fork_costs_what_the_server_says_or_what_we_know() {
    // SDK 3.4.0 tests/test_rollouts.py test_score_actions_on_policy_failed_entry_metered_ticks: a zero is a zero.
    for (ticks_used, ticks) in [(Some(7), 7), (None, 3), (Some(0), 0)] {
        let mut fork = fork();
        let failure =
            StepFailure { code: Some("INTERNAL_ERROR".into()), ticks_used, ..StepFailure::default() };
        assert_eq!(fork.lost(&failure).expect("a verdict"), Verdict::Failed { is_gone: true });
        assert_eq!(fork.tick, ticks);
    }
}

#[test]
fn only_new_malformed_output_fails_a_sample() {
    for (result, verdict) in [
        (json!({"failed_seats": ["p2"]}), Verdict::Next),
        (json!({"failed_seats": ["p2", "p1"], "eliminated_seats": ["p1"]}), Verdict::Next),
        (json!({"failed_seats": ["p2", "p1"]}), Verdict::Failed { is_gone: false }),
        (json!({"failed_seats": ["p0"], "done": true, "score": 5}), Verdict::Failed { is_gone: true }),
    ] {
        assert_eq!(judge(&mut fork(), &result, None), verdict, "{result}");
    }
}

#[test]
fn an_end_is_scored_by_the_target_and_its_rank() {
    let scored = |score, won| Verdict::Over(Sample::Scored { score, won, weight: 1.0 });
    for (result, verdict) in [
        (
            json!({"scores": {"p0": 1.5, "p1": 9}, "score": 7, "ranks": {"p0": 1}, "rank": 2}),
            scored(1.5, Some(1.0)),
        ),
        (json!({"score": 7, "rank": 2}), scored(7.0, Some(0.0))),
        (json!({"score": 7}), scored(7.0, None)),
        (json!({"rank": 1}), Verdict::Over(Sample::Failed)),
    ] {
        let mut done = result.clone();
        done["done"] = json!(true);
        assert_eq!(judge(&mut fork(), &done, Some(0)), verdict, "{result}");
    }
}

#[test]
fn a_phase_counts_from_the_tick_after_the_candidate() {
    let mut forked = fork();
    assert_eq!(judge(&mut forked, &json!({"tick": 5}), Some(2)), Verdict::Next);
    assert_eq!(judge(&mut forked, &json!({"tick": 6}), Some(2)), Verdict::Next);
    let out = json!({"tick": 8, "failed_seats": ["p0"], "eliminated_seats": ["p0"]});
    assert_eq!(judge(&mut forked, &out, Some(2)), Verdict::Tail);
    assert_eq!(judge(&mut fork(), &json!({"tick": 5}), Some(0)), Verdict::Tail);
}

#[test]
fn the_candidates_seat_is_not_asked_in_the_first_round() {
    let target = Seat::from("p0");
    let asked = |fork: &Fork| fork.turns(&target).map(|turn| turn.seat.to_string()).collect::<Vec<_>>();
    let mut forked = fork();
    assert_eq!(asked(&forked), ["p1"]);
    judge(&mut forked, &json!({"tick": 4, "failed_seats": ["p2"], "observation": {"v": 1}}), None);
    assert_eq!(asked(&forked), ["p0", "p1"], "all of ours that are not out, where nobody is named");
    let first = forked.turns(&target).next().expect("a turn");
    assert_eq!(first.observation.get(), r#"{"v":1}"#);
}

#[test]
fn a_played_end_without_a_score_fails_and_without_a_mean_is_no_answer() {
    let end = |more: Value| end_of(&serde_json::from_value(more).expect("a completion"));
    let scored = Sample::Scored { score: 4.5, won: Some(0.5), weight: 10.0 };
    assert_eq!(
        end(json!({"scored": 10, "win_rate": 0.5, "score": {"mean": 4.5}})).expect("a sample"),
        scored
    );
    assert_eq!(end(json!({"scored": 0, "score": {"mean": 0}})).expect("a sample"), Sample::Failed);
    assert!(matches!(end(json!({"scored": 3})), Err(Error::Answer(_))));
}
