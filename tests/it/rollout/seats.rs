//! One trained seat among seats that another policy plays.

use std::collections::VecDeque;

use gert::api::model::{Json, Seat, StepResult};
use gert::rollout::{Error, POLICY_FAILED, TrainedSeat};
use serde_json::{Value, json as value};

use super::fake::{Asked, Fault, Reply, Server, run_1};
use super::{adds, json, names};

/// Steps answered from a script, closes answered well; the trained seat is `p1`.
async fn scripted(steps: impl IntoIterator<Item = Value>) -> (Server, TrainedSeat) {
    let mut steps: VecDeque<Value> = steps.into_iter().collect();
    let server = Server::start(move |asked: &Asked| -> Reply {
        match asked.path.as_str() {
            "/rollout-runs/run-1/episodes/ep-1/step" => Ok(steps.pop_front().expect("no more steps")),
            "/rollout-runs/run-1/episodes/ep-1/close" => Ok(value!({"episode_id": "ep-1"})),
            path => panic!("nobody asks for {path}"),
        }
    })
    .await;
    let trained = TrainedSeat::new(&server.client(), &run_1(), &"ep-1".into(), &"p1".into());
    (server, trained)
}

fn state(text: &Value) -> StepResult {
    serde_json::from_value(text.clone()).expect("a state")
}

fn both_on_turn() -> StepResult {
    state(&value!({"tick": 0, "on_turn_seats": ["p0", "p1"], "observations": {"p0": {}, "p1": {}}}))
}

/// A result of one tick in which some seats went out.
fn out(failed: &Value, eliminated: &Value, on_turn: &Value) -> Value {
    value!({"done": false, "tick": 1, "rewards": {"p0": 0.5, "p1": 1.0}, "observations": {"p0": {}, "p1": {}},
        "on_turn_seats": on_turn, "failed_seats": failed, "eliminated_seats": eliminated})
}

#[tokio::test]
async fn opponents_play_until_the_trained_seat_acts() {
    // SDK 3.4.0 tests/test_openenv_env.py test_opponent_fn_turn_based_auto_advance.
    let (server, trained) = scripted([
        value!({"tick": 1, "rewards": {"p0": 0.0, "p1": 0.25}, "on_turn_seats": ["p2", "p0"],
            "observations": {"p0": {"v": 1}, "p2": {"v": 2}}}),
        value!({"tick": 2, "rewards": {"p1": 0.5}, "on_turn_seats": ["p1"]}),
    ])
    .await;
    let start = state(&value!({"tick": 0, "on_turn_seats": ["p0"], "observations": {"p0": {"v": 0}}}));
    let mut seen = Vec::new();
    let mut opponents = |view: Json, seat: Seat| {
        seen.push(format!("{seat} {}", view.get()));
        async { Json::parse("[]") }
    };
    let (result, reward) = trained.drive_opponents(start, &mut opponents).await.expect("a position");
    assert_eq!((result.tick, reward), (Some(2), 0.75));
    assert_eq!(seen, [r#"p0 {"v":0}"#, r#"p2 {"v":2}"#, r#"p0 {"v":1}"#]);
    let sent: Vec<_> = server.bodies("/step");
    assert_eq!(sent[1], value!({"actions": {"p2": [], "p0": []}, "expected_tick": 1}));
}

#[tokio::test]
async fn nothing_is_played_where_the_trained_seat_is_on_turn_or_nobody_is() {
    let (server, trained) = scripted([]).await;
    for start in
        [both_on_turn(), state(&value!({"tick": 3})), state(&value!({"done": true, "on_turn_seats": ["p0"]}))]
    {
        let (result, reward) =
            trained.drive_opponents(start.clone(), &mut adds(1)).await.expect("a position");
        assert_eq!((result, reward.to_bits()), (start, 0));
    }
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn a_trained_seat_that_failed_ends_the_episode() {
    // tests/test_rollouts.py test_step_for_seat_trained_failure_ends_policy_failed,
    // test_step_for_seat_retries_a_failed_close.
    let failed = value!({"done": false, "tick": 1, "rewards": {"p0": 0.0, "p1": -1.0},
        "observations": {"p0": {"v": 1}}, "on_turn_seats": ["p0"], "failed_seats": ["p1"]});
    let (server, trained) = scripted([failed]).await;
    server.fault(0, "/close", Fault::Refuse(500, "INTERNAL_ERROR"));
    let (result, reward) = trained.step(json("1"), &both_on_turn(), &mut adds(0)).await.expect("an end");
    assert!(result.done && result.score.is_none() && result.has_malfunctioned(&"p1".into()));
    assert_eq!((result.completion_reason.as_deref(), reward), (Some(POLICY_FAILED), -1.0));
    assert_eq!((server.count("/step"), server.count("/close")), (1, 2));
}

#[tokio::test]
async fn an_eliminated_trained_seat_is_played_to_the_real_end() {
    // tests/test_rollouts.py test_step_for_seat_elimination_plays_the_tail_out.
    let (server, trained) = scripted([
        value!({"tick": 1, "rewards": {"p0": 0.0, "p1": 0.25}, "on_turn_seats": ["p0"], "observations": {"p0": {}},
            "failed_seats": ["p1"], "eliminated_seats": ["p1"]}),
        value!({"done": true, "tick": 2, "rewards": {"p1": 0.5}, "scores": {"p0": 9.0, "p1": 4.0},
            "failed_seats": ["p1"], "eliminated_seats": ["p1"], "completion_reason": "game_complete"}),
    ])
    .await;
    let (result, reward) = trained.step(json("[]"), &both_on_turn(), &mut adds(0)).await.expect("an end");
    assert_eq!((result.score_of(&"p1".into()), reward), (Some(4.0), 0.75));
    assert_eq!(result.completion_reason.as_deref(), Some("game_complete"));
    assert_eq!((server.count("/step"), server.count("/close")), (2, 0));
}

#[tokio::test]
async fn a_broken_opponent_is_an_error_before_anything_else() {
    // tests/test_rollouts.py test_step_for_seat_rejects_broken_opponent,
    // test_drive_opponents_rejects_broken_opponent, test_broken_opponent_wins_over_trained_seat_failure.
    for failed in [value!(["p0"]), value!(["p0", "p1"])] {
        let (server, trained) = scripted([out(&failed, &value!([]), &value!(["p1"]))]).await;
        let error = trained.step(json("[]"), &both_on_turn(), &mut adds(0)).await.expect_err("a defect");
        let Error::BrokenOpponents(seats) = &error else { panic!("{error}") };
        assert_eq!((names(seats), server.count("/step")), (vec!["p0"], 1));
        assert!(error.to_string().contains("`p0`"), "{error}");
    }
    let (_server, trained) = scripted([out(&value!(["p0"]), &value!([]), &value!([]))]).await;
    let start = state(&value!({"tick": 0, "on_turn_seats": ["p0"]}));
    let error = trained.drive_opponents(start, &mut adds(0)).await.expect_err("a defect");
    assert!(matches!(error, Error::BrokenOpponents(_)));
}

#[tokio::test]
async fn an_eliminated_opponent_is_normal_play() {
    // tests/test_rollouts.py test_opponent_elimination_does_not_raise.
    let (server, trained) = scripted([out(&value!(["p0"]), &value!(["p0"]), &value!(["p1"]))]).await;
    let (result, reward) = trained.step(json("[]"), &both_on_turn(), &mut adds(0)).await.expect("a position");
    assert_eq!((result.done, names(&result.on_turn_seats), reward), (false, vec!["p1"], 1.0));
    assert_eq!((server.count("/step"), server.count("/close")), (1, 0));
}
