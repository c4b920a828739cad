//! Actions scored with the caller's own policy playing on.

use gert::api::ErrorKind;
use gert::api::endpoints::{CloseEpisode, ResetEpisode, ScoreActionsOnPolicy, StepEpisode};
use gert::api::model::{ActionScores, Json, RankedAction, Seat};
use gert::rollout::{BatchPolicy, BoxError, Error, NoPolicy, OneByOne, Turn, score_actions_on_policy};
use serde_json::{Value, json as value};

use super::fake::{Fault, Server, World};
use super::{adds, json, until};

/// A service with a live episode.
async fn started(world: World) -> Server {
    let server = world.start().await;
    reset(&server).await;
    server
}

async fn reset(server: &Server) {
    server.client().send(&ResetEpisode::of("run-1", "g")).await.expect("an episode");
}

fn candidates(actions: &[&str]) -> ScoreActionsOnPolicy {
    let actions: Vec<Json> = actions.iter().map(|action| json(action)).collect();
    ScoreActionsOnPolicy::new("run-1", "ep-0", actions)
}

const FIVE: &str = r#"{"add":5}"#;
const ONE: &str = r#"{"add":1}"#;

async fn score(server: &Server, request: &ScoreActionsOnPolicy) -> Result<ActionScores, Error> {
    score_with(server, request, &mut OneByOne(adds(2))).await
}

async fn score_with(
    server: &Server,
    request: &ScoreActionsOnPolicy,
    policy: &mut impl BatchPolicy,
) -> Result<ActionScores, Error> {
    score_actions_on_policy(&server.client(), request, Some(policy)).await
}

/// Samples, those scored and those failed.
fn counts(row: &RankedAction) -> (u64, u64, u64) {
    (row.samples.unwrap(), row.scored.unwrap(), row.failed.unwrap())
}

/// A member of every entry of one batch of steps.
fn entries(server: &Server, round: usize, member: &str) -> Vec<Value> {
    let body = &server.bodies("/steps")[round];
    body["steps"].as_array().unwrap().iter().map(|entry| entry[member].clone()).collect()
}

fn forks(count: usize) -> Vec<String> {
    (0..count).map(|fork| format!("fk-{fork}")).collect()
}

fn refusal(outcome: Result<ActionScores, Error>) -> String {
    match outcome {
        Err(Error::Refused(why)) => why,
        other => panic!("it is not refused: {other:?}"),
    }
}

#[test]
fn scoring_can_be_spawned() {
    fn is_send<T: Send>(_: impl Fn() -> T) {}
    is_send(|| async {
        let server = World::default().start().await;
        score(&server, &candidates(&[ONE])).await.map(|_| ())
    });
}

#[tokio::test]
async fn candidates_are_played_to_the_end_and_ranked() {
    // SDK 3.4.0 tests/test_rollouts.py test_score_actions_on_policy_to_terminal.
    let server = started(World { seats: 2, length: 2, ..World::default() }).await;
    let request = candidates(&[ONE, FIVE]).samples_per_action(2u32).op_key("resume-me");
    let scores = score(&server, &request).await.expect("scores");
    assert_eq!(scores.seat.as_ref().map(Seat::as_str), Some("p0"));
    assert_eq!((scores.total_actions_considered, scores.ticks_used), (Some(2), Some(8)));
    let [best, worst] = scores.actions.as_slice() else { panic!("two rows") };
    assert_eq!((best.action.get(), best.action_rank, best.source.as_deref()), (FIVE, Some(1), Some("user")));
    assert_eq!((counts(best), best.failure_rate, best.win_rate), ((2, 2, 0), Some(0.0), Some(1.0)));
    assert_eq!((best.score.mean, best.score.std_dev), (Some(7.0), Some(0.0)));
    assert_eq!((worst.action.get(), worst.action_rank, worst.win_rate), (ONE, Some(2), Some(0.0)));
    // One batch of forks under the caller's key (test_score_actions_on_policy_op_key_passthrough); the candidate
    // goes first, then the policy plays on; forks that are over close themselves.
    assert_eq!(server.bodies("/forks"), [value!({"count": 4, "op_key": "resume-me"})]);
    let firsts: Vec<_> = entries(&server, 0, "actions").iter().map(|actions| actions["p0"].clone()).collect();
    assert_eq!(firsts, [value!({"add": 1}), value!({"add": 1}), value!({"add": 5}), value!({"add": 5})]);
    assert_eq!(entries(&server, 0, "expected_tick"), [0, 0, 0, 0]);
    assert_eq!(entries(&server, 1, "expected_tick"), [1, 1, 1, 1]);
    assert_eq!(entries(&server, 1, "actions")[0], value!({"p0": [{"add": 2}], "p1": [{"add": 2}]}));
    assert_eq!((server.count("/steps"), server.closes().len()), (2, 0));
}

#[tokio::test]
async fn equal_candidates_count_once_and_one_player_has_no_win_rate() {
    // test_score_actions_on_policy_dedup.
    let server = started(World { length: 1, ..World::default() }).await;
    let request = candidates(&[FIVE, r#"[{"add":5}]"#, ONE]).samples_per_action(2u32);
    let scores = score(&server, &request).await.expect("scores");
    assert_eq!(
        (scores.total_actions_considered, server.bodies("/forks")[0]["count"].as_u64()),
        (Some(2), Some(4))
    );
    let best = &scores.actions[0];
    assert_eq!((best.action.get(), best.score.mean, best.win_rate), (FIVE, Some(5.0), None));
}

#[tokio::test]
async fn the_policy_is_asked_once_a_tick_for_all_forks() {
    // test_score_actions_on_policy_act_batch_fn.
    let server = started(World { seats: 2, length: 2, ..World::default() }).await;
    let mut asked = Vec::new();
    let mut policy = |turns: Vec<Turn>| {
        asked.push(turns.iter().map(|turn| format!("{} {}", turn.episode_id, turn.seat)).collect::<Vec<_>>());
        async move {
            (0..turns.len()).map(|n| Json::parse(&format!(r#"{{"add":{n}}}"#))).collect::<Result<_, _>>()
        }
    };
    let request = candidates(&[FIVE]).samples_per_action(2u32);
    let scores = score_with(&server, &request, &mut policy).await.expect("scores");
    assert_eq!(asked[0], ["fk-0 p1", "fk-1 p1"]);
    assert_eq!(asked[1], ["fk-0 p0", "fk-0 p1", "fk-1 p0", "fk-1 p1"]);
    let first = entries(&server, 0, "actions");
    assert_eq!(first[1], value!({"p0": {"add": 5}, "p1": {"add": 1}}));
    // Of the scored seat, not of the other one: 5 + 0 and 5 + 2.
    assert_eq!((scores.actions[0].score.mean, scores.actions[0].score.min), (Some(6.0), Some(5.0)));
}

#[tokio::test]
async fn in_a_game_with_turns_the_seat_on_turn_is_scored() {
    // test_score_actions_on_policy_turn_based.
    let server = started(World { seats: 2, turn_based: true, length: 4, ..World::default() }).await;
    let step = StepEpisode::new("run-1", "ep-0").actions([("p0", json("[]"))]);
    server.client().send(&step).await.expect("a step");
    let request = candidates(&[FIVE]).samples_per_action(2u32);
    let scores = score(&server, &request).await.expect("scores");
    assert_eq!(scores.seat.as_ref().map(Seat::as_str), Some("p1"));
    let turn = |seat: &str, add: u64| value!({seat: [{"add": add}]});
    assert_eq!(entries(&server, 0, "actions")[0], value!({"p1": {"add": 5}}));
    assert_eq!(entries(&server, 1, "actions"), [turn("p0", 2), turn("p0", 2)]);
    assert_eq!(entries(&server, 2, "actions"), [turn("p1", 2), turn("p1", 2)]);
    let why = refusal(score(&server, &request.seat("p0")).await);
    assert!(why.contains("not on turn") && server.count("/forks") == 1, "{why}");
}

#[tokio::test]
async fn a_phase_is_played_by_the_policy_and_the_rest_by_code() {
    // test_score_actions_on_policy_phase_ticks.
    let server = started(World { seats: 2, length: 100, ..World::default() }).await;
    let request = candidates(&[FIVE])
        .samples_per_action(2u32)
        .phase_ticks(1u64)
        .tail_samples(5u32)
        .tail_max_ticks(30u64)
        .min_percentile(0.5);
    let scores = score(&server, &request).await.expect("scores");
    let tail = value!({"seat": "p0", "samples": 5, "max_ticks": 30, "min_percentile": 0.5});
    assert_eq!(server.bodies("/complete"), [tail.clone(), tail]);
    let row = &scores.actions[0];
    assert_eq!((counts(row), row.score.mean, row.win_rate), ((2, 2, 0), Some(17.0), Some(0.5)));
    assert_eq!(
        (scores.ticks_used, server.closes(), server.count("/steps")),
        (Some(2 * 7 + 2 * 2), forks(2), 2)
    );
}

#[tokio::test]
async fn a_phase_of_nothing_needs_no_policy_where_no_other_seat_acts() {
    // test_score_actions_on_policy_phase_zero_single_seat_needs_no_act_fn,
    // test_score_actions_on_policy_act_fn_precheck.
    let request = candidates(&[FIVE]).samples_per_action(1u32).phase_ticks(0u64);
    let server = started(World { length: 100, ..World::default() }).await;
    let scores =
        score_actions_on_policy(&server.client(), &request, None::<&mut NoPolicy>).await.expect("scores");
    assert_eq!((server.count("/steps"), scores.actions[0].score.mean), (1, Some(15.0)));
    assert_eq!(server.closes(), ["fk-0"]);
    let server = started(World { seats: 2, length: 100, ..World::default() }).await;
    let why = refusal(score_actions_on_policy(&server.client(), &request, None::<&mut NoPolicy>).await);
    assert!(why.contains("policy") && server.count("/forks") == 0, "{why}");
}

#[tokio::test]
async fn a_failed_completion_ends_it_all_and_closes_every_fork() {
    // test_score_actions_on_policy_complete_failure_propagates.
    let server = started(World { length: 100, ..World::default() }).await;
    server.fault(0, "/complete", Fault::Refuse(402, "INSUFFICIENT_CREDITS"));
    let request = candidates(&[FIVE, ONE]).samples_per_action(2u32).phase_ticks(1u64);
    let error = score(&server, &request).await.expect_err("a refusal");
    assert_eq!((error.code(), server.closes()), (Some("INSUFFICIENT_CREDITS"), forks(4)));
}

#[tokio::test]
async fn a_run_with_too_few_episodes_says_what_to_do() {
    // test_score_actions_on_policy_run_exhausted_atomic.
    let server = started(World { budget: 4, ..World::default() }).await;
    let error = score(&server, &candidates(&[FIVE])).await.expect_err("too few");
    assert!(matches!(error, Error::Exhausted { .. }) && error.to_string().contains("extend"), "{error}");
    assert_eq!((error.code(), server.closes().len(), server.count("/steps")), (Some("RUN_EXHAUSTED"), 0, 0));
}

#[tokio::test]
async fn a_league_episode_cannot_be_scored() {
    let server = World { seats: 2, ..World::default() }.start().await;
    let reset = ResetEpisode::of("run-1", "g").opponent_seats(1u32);
    server.client().send(&reset).await.expect("an episode");
    let error = score(&server, &candidates(&[FIVE])).await.expect_err("a refusal");
    assert_eq!(error.code(), Some("FORK_UNSUPPORTED"));
}

#[tokio::test]
async fn a_fork_that_is_gone_is_a_failed_sample() {
    // test_score_actions_on_policy_failed_entry, test_score_actions_on_policy_failed_entry_metered_ticks.
    let server = started(World::default()).await;
    let client = server.client();
    let mut policy = async |turns: Vec<Turn>| {
        // Somebody closes a fork in the middle.
        let _ = client.send(&CloseEpisode::new("run-1", "fk-1")).await;
        Ok::<_, BoxError>(turns.iter().map(|_| json(ONE)).collect())
    };
    let request = candidates(&[FIVE]).samples_per_action(2u32);
    let scores = score_with(&server, &request, &mut policy).await.expect("scores");
    let row = &scores.actions[0];
    assert_eq!((counts(row), row.failure_rate, row.score.mean), ((2, 1, 1), Some(0.5), Some(7.0)));
    assert_eq!(scores.ticks_used, Some(3 + 1));
    assert!(server.closes().iter().all(|fork| fork == "fk-1"), "only by somebody else");
}

#[tokio::test]
async fn malformed_output_of_any_seat_is_a_failed_sample() {
    // test_score_actions_on_policy_seat_failure_fails_sample,
    // test_score_actions_on_policy_still_rejects_malformed_failure.
    let server = started(World { length: 1, ..World::default() }).await;
    let request = candidates(&["\"nonsense\"", FIVE]).samples_per_action(2u32);
    let scores = score(&server, &request).await.expect("scores");
    let [best, worst] = scores.actions.as_slice() else { panic!("two rows") };
    assert_eq!((best.action.get(), best.action_rank), (FIVE, Some(1)));
    assert_eq!((worst.action_rank, counts(worst), worst.failure_rate), (Some(0), (2, 0, 2), Some(1.0)));
    assert!(worst.score.percentiles.is_empty() && server.closes().is_empty());

    let server = started(World { seats: 2, length: 5, ..World::default() }).await;
    let mut policy = OneByOne(async |seen: Json, seat: Seat| {
        let fails = seat.as_str() == "p1" && seen.get().contains(r#""tick":1"#);
        Json::parse(if fails { "\"nonsense\"" } else { ONE })
    });
    let request = candidates(&[FIVE]).samples_per_action(2u32);
    let scores = score_with(&server, &request, &mut policy).await.expect("scores");
    assert_eq!((counts(&scores.actions[0]), scores.ticks_used), ((2, 0, 2), Some(4)));
    assert_eq!((server.closes(), server.count("/steps")), (forks(2), 2));
}

#[tokio::test]
async fn an_elimination_is_normal_play() {
    // test_score_actions_on_policy_scores_eliminated_branches,
    // test_score_actions_on_policy_phase_tails_eliminated_target.
    let server = started(World { seats: 2, ..World::default() }).await;
    let request = candidates(&[r#"{"add":4,"resign":true}"#]).samples_per_action(2u32);
    let scores = score(&server, &request).await.expect("scores");
    assert_eq!((counts(&scores.actions[0]), scores.actions[0].score.mean), ((2, 2, 0), Some(4.0)));
    assert_eq!(entries(&server, 1, "actions")[0], value!({"p1": [{"add": 2}]}), "it is out");
    let scores = score(&server, &request.phase_ticks(1u64)).await.expect("scores");
    assert_eq!(server.bodies("/complete")[0], value!({"seat": "p0"}));
    assert_eq!((counts(&scores.actions[0]), scores.actions[0].score.mean), ((2, 2, 0), Some(14.0)));
}

#[tokio::test]
async fn a_seat_that_is_out_is_never_replaced_by_another() {
    // test_score_actions_on_policy_target_prefailed, test_score_actions_on_policy_no_silent_retarget,
    // test_score_actions_on_policy_validation (the seat).
    let server = started(World { seats: 2, length: 9, ..World::default() }).await;
    let actions = [("p0", json("1")), ("p1", json("[]"))];
    server.client().send(&StepEpisode::new("run-1", "ep-0").actions(actions)).await.expect("a step");
    for request in [candidates(&[FIVE]), candidates(&[FIVE]).seat("p0")] {
        let why = refusal(score(&server, &request).await);
        assert!(why.contains("out already"), "{why}");
    }
    let why = refusal(score(&server, &candidates(&[FIVE]).seat("px")).await);
    assert!(why.contains("not a seat of ours") && server.count("/forks") == 0, "{why}");
    // What failed before the forks does not count against them.
    let scores = score(&server, &candidates(&[FIVE]).seat("p1")).await.expect("scores");
    assert_eq!(counts(&scores.actions[0]), (5, 5, 0));
}

#[tokio::test]
async fn a_policys_failure_closes_every_fork() {
    // test_score_actions_on_policy_act_fn_exception_closes_forks.
    let server = started(World::default()).await;
    let request = candidates(&[FIVE]).samples_per_action(2u32);
    let mut broken = async |_turns: Vec<Turn>| Err::<Vec<Json>, _>(BoxError::from("the model is down"));
    let error = score_with(&server, &request, &mut broken).await.expect_err("a failure");
    assert!(matches!(&error, Error::Policy(why) if why.to_string() == "the model is down"), "{error}");
    assert_eq!(server.closes(), forks(2));
    let server = started(World::default()).await;
    let mut short = async |_turns: Vec<Turn>| Ok::<_, BoxError>(Vec::new());
    let error = score_with(&server, &request, &mut short).await.expect_err("a failure");
    assert!(
        matches!(&error, Error::Policy(why) if why.to_string().contains("0 actions for 2 turns")),
        "{error}"
    );
    assert_eq!(server.closes(), forks(2));
}

#[tokio::test]
async fn a_lost_batch_is_sent_again_once() {
    // test_score_actions_on_policy_transport_retry.
    let request = candidates(&[FIVE]).samples_per_action(1u32);
    for fault in [Fault::Cut, Fault::Lose] {
        let server = started(World { length: 1, ..World::default() }).await;
        server.fault(0, "/steps", fault);
        let scores = score(&server, &request).await.expect("scores");
        let bodies = server.bodies("/steps");
        assert!(bodies.len() == 2 && bodies[0] == bodies[1], "{bodies:?}");
        assert_eq!(scores.actions[0].score.mean, Some(5.0));
    }
    let server = started(World::default()).await;
    server.fault(0, "/steps", Fault::Cut);
    server.fault(0, "/steps", Fault::Cut);
    let error = score(&server, &request).await.expect_err("nothing came");
    assert!(matches!(&error, Error::Api(error) if error.kind() == ErrorKind::Lost), "{error}");
    assert_eq!((server.count("/steps"), server.closes()), (2, forks(1)));
}

#[tokio::test]
async fn an_episode_that_was_stepped_meanwhile_is_not_scored() {
    // test_score_actions_on_policy_snapshot_mismatch.
    let world = World { seats: 2, turn_based: true, ..World::default() };
    let server = world
        .start_with(|service, asked| {
            if asked.path.ends_with("/forks") {
                service.step_aside("ep-0", &value!({"p0": []}));
            }
        })
        .await;
    reset(&server).await;
    let why = refusal(score(&server, &candidates(&[FIVE]).samples_per_action(2u32)).await);
    assert!(why.contains("stepped between"), "{why}");
    assert_eq!((server.closes(), server.count("/steps")), (forks(2), 0));
}

#[tokio::test]
async fn forks_that_somebody_else_steps_end_it_all() {
    // test_score_actions_on_policy_step_conflict_propagates.
    let mut rounds = 0;
    let world = World { length: 9, ..World::default() };
    let server = world
        .start_with(move |service, asked| {
            rounds += usize::from(asked.path.ends_with("/steps"));
            if rounds == 2 {
                rounds += 1;
                service.step_aside("fk-1", &value!({"p0": []}));
                service.step_aside("fk-1", &value!({"p0": []}));
            }
        })
        .await;
    reset(&server).await;
    let error = score(&server, &candidates(&[FIVE]).samples_per_action(2u32)).await.expect_err("a conflict");
    assert!(matches!(&error, Error::Conflict { tick: 1, .. }), "{error}");
    assert_eq!(error.code(), Some("STEP_CONFLICT"));
    assert_eq!(server.closes(), forks(2));
}

#[tokio::test]
async fn a_close_that_failed_is_tried_again_at_the_end() {
    // test_score_actions_on_policy_close_retry.
    let server = started(World::default()).await;
    server.fault(0, "fk-0/close", Fault::Refuse(500, "INTERNAL_ERROR"));
    let request = candidates(&[FIVE]).samples_per_action(1u32).phase_ticks(1u64);
    let scores = score(&server, &request).await.expect("scores");
    assert_eq!((counts(&scores.actions[0]), server.closes()), ((1, 1, 0), vec!["fk-0".to_owned(); 2]));
    assert_eq!(scores.ticks_used, Some(7 + 2), "the fork's own tick where its close did not say");
}

#[tokio::test]
async fn a_cancelled_scoring_closes_its_forks_in_the_background() {
    let server = started(World { length: 9, ..World::default() }).await;
    server.fault(1, "/steps", Fault::Hang);
    let client = server.client();
    let scoring = tokio::spawn(async move {
        let request = candidates(&[FIVE]).samples_per_action(3u32);
        score_actions_on_policy(&client, &request, Some(&mut OneByOne(adds(1)))).await.map(|_| ())
    });
    until("the second round", || server.count("/steps") == 2).await;
    scoring.abort();
    until("closing", || server.closes() == forks(3)).await;
}

#[tokio::test]
async fn wrong_arguments_send_nothing() {
    // test_score_actions_on_policy_validation, test_score_actions_on_policy_cap; the table is in `rollout::score`.
    let server = World::default().start().await;
    for wrong in [
        candidates(&[]),
        candidates(&[FIVE]).tail_samples(5u32),
        candidates(&[FIVE, ONE]).samples_per_action(65u32),
    ] {
        refusal(score(&server, &wrong).await);
    }
    refusal(score_actions_on_policy(&server.client(), &candidates(&[FIVE]), None::<&mut NoPolicy>).await);
    assert!(server.asked().is_empty());
}
