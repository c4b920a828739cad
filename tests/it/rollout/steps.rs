//! Steps that survive a lost answer, and batches of them.

use gert::api::ErrorKind;
use gert::api::endpoints::{ForkEpisode, ResetEpisode, StepBatch, StepEpisode};
use gert::api::model::{Episode, Json, StepEntry, StepFailure};
use gert::rollout::{BatchStepper, Error, OneByOne, Stepped, step_batch_with_retry, step_with_retry};
use serde_json::json as value;

use super::fake::{Fault, Server, World, run_1};
use super::{adds, json, names};

async fn reset(server: &Server) -> Episode {
    server.client().send(&ResetEpisode::of("run-1", "g")).await.expect("an episode")
}

fn step(tick: Option<u64>) -> StepEpisode {
    let step = StepEpisode::new("run-1", "ep-0").action(json(r#"{"add":2}"#));
    StepEpisode { expected_tick: tick, ..step }
}

#[tokio::test]
async fn a_lost_reset_or_fork_is_not_sent_again() {
    // H-24.
    let server = World::default().start().await;
    server.fault(0, "/episodes", Fault::Lose);
    let client = server.client();
    let error = client.send(&ResetEpisode::of("run-1", "g")).await.expect_err("no answer");
    assert!(error.kind() == ErrorKind::Lost && error.outcome_unknown() && !error.is_retryable());
    assert_eq!(server.count("/episodes"), 1);
    server.fault(0, "/fork", Fault::Lose);
    client.send(&ForkEpisode::new("run-1", "ep-0")).await.expect_err("no answer");
    assert_eq!(server.count("/fork"), 1);
}

#[tokio::test]
async fn a_lost_step_is_sent_again_once_and_played_once() {
    // SDK 3.4.0 tests/test_rollouts.py test_step_with_retry_retries_transport_once.
    for fault in [Fault::Lose, Fault::Cut] {
        let server = World::default().start().await;
        reset(&server).await;
        server.fault(0, "/step", fault);
        let result = step_with_retry(&server.client(), &step(Some(0))).await.expect("a step");
        assert_eq!((result.tick, result.reward), (Some(1), Some(2.0)));
        let bodies = server.bodies("/step");
        assert!(bodies.len() == 2 && bodies[0] == bodies[1], "{bodies:?}");
    }
    let server = World::default().start().await;
    reset(&server).await;
    server.fault(0, "/step", Fault::Cut);
    server.fault(0, "/step", Fault::Cut);
    let error = step_with_retry(&server.client(), &step(Some(0))).await.expect_err("nothing came");
    assert_eq!((error.kind(), server.count("/step")), (ErrorKind::Lost, 2));
}

#[tokio::test]
async fn a_step_without_its_tick_or_with_a_refusal_is_sent_once() {
    let server = World::default().start().await;
    reset(&server).await;
    server.fault(0, "/step", Fault::Lose);
    step_with_retry(&server.client(), &step(None)).await.expect_err("no answer");
    assert_eq!(server.count("/step"), 1);
    let error = step_with_retry(&server.client(), &step(Some(7))).await.expect_err("a conflict");
    assert_eq!((error.code(), server.count("/step")), (Some("STEP_CONFLICT"), 2));
    server.fault(0, "/steps", Fault::Lose);
    let entry = StepEntry::single("ep-0".into(), json("[]"), None);
    step_batch_with_retry(&server.client(), &StepBatch::new("run-1", vec![entry]))
        .await
        .expect_err("no answer");
    assert_eq!(server.count("/steps"), 1);
}

/// What became of the episodes: their names with the tick, or with the code of the failure.
fn shown(stepped: &[Stepped]) -> Vec<String> {
    let outcome = |outcome: &Result<_, StepFailure>| match outcome {
        Ok(gert::api::model::StepResult { tick, done, .. }) => {
            format!("{}{}", tick.expect("a tick"), if *done { " done" } else { "" })
        }
        Err(failure) => failure.code.clone().expect("a code"),
    };
    stepped.iter().map(|step| format!("{} {}", step.episode_id, outcome(&step.outcome))).collect()
}

fn actions(stepper: &BatchStepper) -> Vec<Json> {
    stepper.turns().iter().map(|_| json(r#"{"add":1}"#)).collect()
}

#[tokio::test]
async fn episodes_are_stepped_together_and_leave_when_they_are_over() {
    // protocol.md §5.5.
    let server = World { seats: 2, length: 2, ..World::default() }.start().await;
    let episodes = [reset(&server).await, reset(&server).await];
    let mut stepper = BatchStepper::new(&server.client(), &run_1(), &episodes).expect("a stepper");
    let turns = stepper.turns();
    let asked: Vec<_> = turns.iter().map(|turn| format!("{} {}", turn.episode_id, turn.seat)).collect();
    assert_eq!(asked, ["ep-0 p0", "ep-0 p1", "ep-1 p0", "ep-1 p1"]);
    assert_eq!(turns[1].observation.get(), r#"{"seat":"p1","tick":0,"score":0.0}"#);
    assert!(matches!(stepper.step(vec![json("[]")]).await, Err(Error::Refused(_))));
    let moves = ["1", "2", "3", "4"].map(|n| json(&format!(r#"{{"add":{n}}}"#)));
    assert_eq!(shown(&stepper.step(moves.into()).await.expect("steps")), ["ep-0 1", "ep-1 1"]);
    let sent = &server.bodies("/steps")[0]["steps"][1];
    assert_eq!(
        *sent,
        value!({"episode_id": "ep-1", "actions": {"p0": {"add": 3}, "p1": {"add": 4}}, "expected_tick": 0})
    );
    let stepped = stepper.step_with(&mut OneByOne(adds(1))).await.expect("steps");
    assert_eq!(shown(&stepped), ["ep-0 2 done", "ep-1 2 done"]);
    assert!(stepper.is_empty() && stepper.step(Vec::new()).await.expect("no steps").is_empty());
    drop(stepper);
    assert!(server.closes().is_empty(), "episodes that are over close themselves");
}

#[tokio::test]
async fn a_lost_batch_is_sent_again_with_the_same_bytes() {
    // tests/test_rollouts.py test_score_actions_on_policy_transport_retry.
    let server = World::default().start().await;
    let episodes = [reset(&server).await, reset(&server).await];
    let mut stepper = BatchStepper::new(&server.client(), &run_1(), &episodes).expect("a stepper");
    server.fault(0, "/steps", Fault::Lose);
    let stepped = stepper.step(actions(&stepper)).await.expect("steps");
    assert_eq!(shown(&stepped), ["ep-0 1", "ep-1 1"]);
    let bodies = server.bodies("/steps");
    assert!(bodies.len() == 2 && bodies[0] == bodies[1], "{bodies:?}");
    // After a failure of the call nothing has moved, and the same may be tried again.
    server.fault(0, "/steps", Fault::Lose);
    server.fault(0, "/steps", Fault::Lose);
    stepper.step(actions(&stepper)).await.expect_err("nothing came");
    assert_eq!(shown(&stepper.step(actions(&stepper)).await.expect("steps")), ["ep-0 2", "ep-1 2"]);
}

#[tokio::test]
async fn a_failed_entry_and_a_seat_that_is_out_leave_the_batch() {
    let server = World::default().start().await;
    let episodes = [reset(&server).await, reset(&server).await, reset(&server).await];
    let client = server.client();
    let mut stepper = BatchStepper::new(&client, &run_1(), &episodes).expect("a stepper");
    for _ in 0..2 {
        let step = StepEpisode::new("run-1", "ep-1").action(json("[]"));
        client.send(&step).await.expect("somebody else's step");
    }
    let good = json(r#"[{"add":1}]"#);
    let stepped = stepper.step(vec![json("\"nonsense\""), good.clone(), good]).await.expect("steps");
    assert_eq!(shown(&stepped), ["ep-0 1 done", "ep-1 STEP_CONFLICT", "ep-2 1"]);
    let failed = stepped[0].outcome.as_ref().expect("a step");
    assert_eq!(failed.completion_reason.as_deref(), Some("policy_failed"));
    assert_eq!((names(&failed.failed_seats), stepper.len()), (vec!["p0"], 1));
    stepper.close().await;
    assert_eq!(server.closes(), ["ep-2"]);
}

#[tokio::test]
async fn an_episode_of_which_nobody_can_act_is_closed() {
    let server = World { seats: 2, length: 9, ..World::default() }.start().await;
    let client = server.client();
    let league = client.send(&ResetEpisode::of("run-1", "g").opponent_seats(1u32)).await.expect("an episode");
    let out = Episode { failed_seats: league.policy_seats.clone(), on_turn_seats: Vec::new(), ..league };
    let mut stepper = BatchStepper::new(&client, &run_1(), &[out]).expect("a stepper");
    assert!(stepper.turns().is_empty());
    assert!(stepper.step(Vec::new()).await.expect("no steps").is_empty() && stepper.is_empty());
    assert_eq!((server.closes(), server.count("/steps")), (vec!["ep-0".to_owned()], 0));
}

#[tokio::test]
async fn more_than_a_batch_is_refused_and_not_taken_over() {
    let server = World::default().start().await;
    let one = reset(&server).await;
    let many = vec![one; 129];
    assert!(matches!(BatchStepper::new(&server.client(), &run_1(), &many), Err(Error::Refused(_))));
    tokio::task::yield_now().await;
    assert!(server.closes().is_empty());
}
