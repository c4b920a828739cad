use serde::de::DeserializeOwned;

use super::*;

fn read<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).expect("a model")
}

/// What is written holds every member that was read, with its digits and in its order.
fn keeps<T: DeserializeOwned + Serialize>(text: &str) -> T {
    let model: T = read(text);
    let written = serde_json::to_value(&model).expect("JSON");
    let expected: serde_json::Map<String, serde_json::Value> = read(text);
    for (name, value) in expected {
        assert_eq!(written[&name], value, "`{name}` of {text}");
    }
    model
}

fn names(seats: &[Seat]) -> Vec<&str> {
    seats.iter().map(Seat::as_str).collect()
}

#[test]
fn a_single_seat_reset_is_read() {
    // The shape of SDK 3.4.0 tests/test_rollouts.py `rollout_handler`, values of our own.
    let episode: Episode = keeps(
        r#"{"episode_id":"ep-7","observation":{"board":[3],"is_your_turn":true},"policy_seat":"p0",
            "player_count":2,"max_ticks":40,"seed":9007199254740993,"done":false,
            "opponents":{"p1":{"player_type":"code"}}}"#,
    );
    assert_eq!(names(&episode.seats()), ["p0"]);
    assert_eq!(names(&episode.acting()), ["p0"]);
    assert_eq!(
        episode.views().get(&"p0".into()).map(Json::get),
        Some(r#"{"board":[3],"is_your_turn":true}"#)
    );
    assert_eq!(episode.seed.as_ref().map(Json::get), Some("9007199254740993"));
    assert_eq!((episode.tick, episode.rank, episode.game.as_str()), (None, None, ""));
}

#[test]
fn a_self_play_reset_says_who_acts() {
    // tests/test_rollouts.py test_run_episode_drives_all_policy_seats.
    let episode: Episode = keeps(
        r#"{"episode_id":"ep-1","game":"g","observation":{"seat":"p0"},"policy_seat":"p0",
            "policy_seats":["p0","p1","p2"],"observations":{"p0":{"seat":"p0"},"p1":{"seat":"p1"}},
            "on_turn_seats":["p0","p1"],"failed_seats":["p1"],"eliminated_seats":["p1"],"done":false,"tick":4,
            "difficulty":0.25,"initial_score":10.5,"initial_scores":{"p0":10.5,"p1":-1.25}}"#,
    );
    assert_eq!(names(&episode.acting()), ["p0"]);
    assert_eq!(episode.views().len(), 2);
    let result = StepResult::from(&episode);
    assert_eq!((result.tick, result.reward), (Some(4), None));
    assert!(result.is_eliminated(&"p1".into()) && !result.has_malfunctioned(&"p1".into()));
}

#[test]
fn nobody_named_on_turn_means_all_that_are_not_out() {
    let result: StepResult = read(r#"{"failed_seats":["p1"]}"#);
    let ours = ["p0".into(), "p1".into(), "p2".into()];
    assert_eq!(names(&result.acting(&ours)), ["p0", "p2"]);
    let out: StepResult = read(r#"{"on_turn_seats":["p0"],"failed_seats":["p0","p1","p2"]}"#);
    assert!(out.acting(&ours).is_empty());
}

#[test]
fn a_seat_that_is_named_wins_over_the_primary_one() {
    let result: StepResult = keeps(
        r#"{"reward":1.25,"rewards":{"p0":1.25,"p1":-0.5},"done":true,"tick":9,"score":4.5,
            "scores":{"p0":4.5,"p1":null},"rank":1,"ranks":{"p0":1,"p1":2},"outcome":"won",
            "outcomes":{"p0":"won","p1":"lost"},"completion_reason":"game_complete"}"#,
    );
    let (p1, p7) = ("p1".into(), "p7".into());
    assert_eq!((result.reward_of(&p1).to_bits(), result.rank_of(&p1)), ((-0.5_f64).to_bits(), Some(2)));
    assert_eq!((result.score_of(&p1), result.outcome_of(&p1)), (None, Some("lost")));
    assert_eq!((result.score_of(&p7), result.outcome_of(&p7)), (Some(4.5), Some("won")));
}

#[test]
fn one_player_has_no_rank_and_no_outcome() {
    // tests/test_rollouts.py test_run_episode_solo_rank_outcome_none.
    let result: StepResult =
        keeps(r#"{"reward":2.5,"done":true,"tick":1,"score":2.5,"completion_reason":"max_ticks"}"#);
    assert_eq!((result.rank, result.outcome.as_deref(), result.scores.is_empty()), (None, None, true));
    let written = serde_json::to_string(&result).expect("JSON");
    assert!(!written.contains("rank\"") && !written.contains("outcome\""), "{written}");
}

#[test]
fn an_entry_of_a_batch_is_a_step_or_says_why_not() {
    // tests/test_rollouts.py test_step_batch_shape_and_validation, on_policy_world.
    let good: BatchEntry = keeps(r#"{"episode_id":"ep-1","ok":true,"reward":1.5,"done":false,"tick":2}"#);
    assert_eq!(good.episode_id.as_str(), "ep-1");
    let step = good.outcome.expect("a step");
    assert_eq!((step.tick, step.extra.is_empty()), (Some(2), true));
    let bad: BatchEntry = keeps(
        r#"{"episode_id":"ep-2","ok":false,"error":{"code":"INTERNAL_ERROR","message":"boom","ticks_used":0}}"#,
    );
    let failure = bad.outcome.expect_err("a failure");
    assert_eq!((failure.code.as_deref(), failure.ticks_used), (Some("INTERNAL_ERROR"), Some(0)));
    let bare: BatchEntry = read(r#"{"episode_id":"ep-3"}"#);
    assert_eq!(bare.outcome, Err(StepFailure::default()));
}

#[test]
fn an_entry_to_send_leaves_out_what_is_not_set() {
    let single = StepEntry::single("ep-1".into(), Json::parse("[]").expect("JSON"), Some(1));
    let written = serde_json::to_string(&single).expect("JSON");
    assert_eq!(written, r#"{"episode_id":"ep-1","action":[],"expected_tick":1}"#);
    let seats: StepEntry = read(r#"{"episode_id":"ep-2","actions":{},"expected_tick":"soon"}"#);
    assert_eq!((seats.actions.map(|map| map.len()), seats.expected_tick), (Some(0), None));
    assert!(seats.extra.get("expected_tick").is_some());
}

#[test]
fn probes_scores_and_closes_are_read() {
    // tests/test_rollouts.py on_policy_world, test_rollout_resource_score_actions, test_complete_request_shape,
    // test_close_episode_hits_endpoint, rollout_handler.
    let probe: EpisodeProbe = keeps(
        r#"{"episode_id":"ep-1","game":"g","tick":3,"done":false,"policy_seat":"p0",
            "policy_seats":["p0","p1"],"on_turn_seats":["p1"],"failed_seats":["p0"],"player_count":2,
            "turn_based":true,"max_ticks":100,"seed":7}"#,
    );
    assert_eq!(names(&probe.on_turn()), ["p1"]);
    assert_eq!(names(&EpisodeProbe { on_turn_seats: Vec::new(), ..probe }.on_turn()), ["p0", "p1"]);
    let scores: ActionScores =
        keeps(r#"{"seat":"p0","total_actions_considered":2,"ticks_used":120,"actions":[]}"#);
    assert_eq!(scores.total_actions_considered, Some(2));
    let ranked: RankedAction = read(
        r#"{"action":[{"action":"a"},{"b":1.0}],"action_rank":1,"score":{"mean":5.5,"percentiles":{"p10":1}},
            "failure_rate":0.0}"#,
    );
    assert_eq!(ranked.action.get(), r#"[{"action":"a"},{"b":1.0}]"#);
    assert_eq!((ranked.score.mean, ranked.score.min, ranked.win_rate), (Some(5.5), None, None));
    let complete: Completion = read(r#"{"seat":"p0","samples":5,"scored":5,"failed":0,"win_rate":0.6}"#);
    assert_eq!((complete.scored, complete.score.mean), (Some(5), None));
    let closed: EpisodeClosed = keeps(r#"{"episode_id":"ep-1","ticks_used":12}"#);
    assert_eq!(closed.ticks_used, Some(12));
    let opened: RunOpened = keeps(
        r#"{"run_id":"run-1","max_episodes":10,"estimated_credits":4.5,"expires_at":"2026-01-01T00:00:00Z"}"#,
    );
    assert_eq!(opened.estimated_credits, Some(4.5));
    let run: Run =
        keeps(r#"{"run_id":"run-1","status":"closing","episodes_used":3,"ticks_per_episode":1000}"#);
    assert_eq!(run.status, RunStatus::Closing);
    let closed: RunClosed =
        keeps(r#"{"run_id":"run-1","status":"settled?","ticks_used":3,"episodes_used":1}"#);
    assert_eq!(closed.status, RunStatus::Other("settled?".into()));
}
