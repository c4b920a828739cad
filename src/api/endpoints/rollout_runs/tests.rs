use super::*;
use crate::api::{Request, Resend, Timeout};

fn json(text: &str) -> Json {
    Json::parse(text).expect("JSON")
}

/// Where a call goes and what it holds.
fn sent(call: &Call) -> (String, Option<String>) {
    assert_eq!(call.fault(), None);
    (call.target(), call.body_text())
}

fn fault(call: &Call) -> &str {
    call.fault().expect("a fault")
}

#[test]
fn a_run_is_opened_listed_extended_and_closed() {
    // SDK 3.4.0 resources.py `RolloutRuns`; tests/test_rollouts.py test_rollout_open_curriculum_knobs.
    let open = OpenRun::new(5u32).auto_curriculum(true).curriculum_band_width(0.2);
    let body = r#"{"max_episodes":5,"auto_curriculum":true,"curriculum_band_width":0.2}"#;
    assert_eq!(sent(&open.request()), ("/rollout-runs".into(), Some(body.into())));
    assert_eq!(ListRuns::new().status("active").call().target(), "/rollout-runs?status=active");
    let extend = ExtendRun::new("run-1", 5u32).request();
    let body = r#"{"additional_episodes":5}"#;
    assert_eq!(sent(&extend), ("/rollout-runs/run-1/extend".into(), Some(body.into())));
    let close = CloseRun::new("run-1").request();
    assert_eq!(sent(&close), ("/rollout-runs/run-1/close".into(), None));
    assert!(matches!(close.resend, Resend::OnceAfterLostDelayed(_)));
}

#[test]
fn a_reset_sends_what_is_set_and_nothing_else() {
    // tests/test_rollouts.py test_reset_threads_tags_and_opponent_source, test_rollout_reset_sends_opponent_filter,
    // test_reset_sends_opponent_seats_and_difficulty.
    let tags =
        ResetEpisode::new("run-1").tags(["card", "strategy"]).opponent_source("own").min_percentile(0.4);
    let body = r#"{"tags":["card","strategy"],"min_percentile":0.4,"opponent_source":"own"}"#;
    assert_eq!(sent(&tags.request()), ("/rollout-runs/run-1/episodes".into(), Some(body.into())));
    let game = ResetEpisode::of("run-1", "g")
        .opponent_seats(2u32)
        .difficulty(0.5)
        .opponent_models(["m"])
        .opponent_created_after("2026-06-01T00:00:00Z");
    assert_eq!(
        game.call().body_text().as_deref(),
        Some(
            r#"{"game":"g","opponent_seats":2,"difficulty":0.5,"opponent_models":["m"],"opponent_created_after":"2026-06-01T00:00:00Z"}"#
        )
    );
}

#[test]
fn a_reset_and_a_fork_wait_long_and_are_never_sent_twice() {
    // H-24. tests/test_rollouts.py test_reset_rides_the_warmup_timeout, test_fork_primitive_hits_endpoint.
    let reset = ResetEpisode::of("run-1", "g").request();
    let fork = ForkEpisode::new("run-1", "ep-1").request();
    for call in [&reset, &fork] {
        assert_eq!((call.resend, call.timeout), (Resend::Generic, Timeout::Warmup));
    }
    assert_eq!(sent(&fork), ("/rollout-runs/run-1/episodes/ep-1/fork".into(), None));
    let probe = GetEpisode::new("run-1", "ep-1").request();
    assert_eq!(sent(&probe), ("/rollout-runs/run-1/episodes/ep-1".into(), None));
    assert!(probe.is_read() && probe.timeout == Timeout::Default);
}

#[test]
fn a_reset_needs_exactly_one_of_game_and_tags() {
    // tests/test_rollouts.py test_reset_requires_exactly_one_of_game_tags, test_reset_rejects_empty_game,
    // test_reset_rejects_malformed_tags.
    let bare = ResetEpisode::new("run-1");
    for wrong in [
        bare.clone(),
        bare.clone().game(""),
        bare.clone().tags(Vec::new()),
        bare.clone().tags(["a", ""]),
        bare.clone().game("g").tags(["t"]),
    ] {
        fault(&wrong.call());
    }
    assert_eq!(bare.game("g").tags(Vec::new()).call().fault(), None);
}

#[test]
fn a_step_needs_exactly_one_of_action_and_actions() {
    // tests/test_rollouts.py test_step_requires_action, test_step_rejects_both_action_and_actions,
    // test_step_includes_expected_tick.
    let bare = StepEpisode::new("run-1", "ep-1");
    fault(&bare.call());
    fault(&bare.clone().action(json("null")).call());
    let seats = [("p1", json("[]")), ("p0", json("1.0"))];
    fault(&bare.clone().action(json("[]")).actions(seats.clone()).call());
    let step = bare.clone().action(json(r#"[{"action":"x"}]"#)).expected_tick(4u64).request();
    let body = r#"{"action":[{"action":"x"}],"expected_tick":4}"#;
    assert_eq!(sent(&step), ("/rollout-runs/run-1/episodes/ep-1/step".into(), Some(body.into())));
    let seats = bare.actions(seats).call();
    assert_eq!(seats.body_text().as_deref(), Some(r#"{"actions":{"p1":[],"p0":1.0}}"#));
}

#[test]
fn a_batch_of_steps_is_checked_entry_by_entry() {
    // tests/test_rollouts.py test_step_batch_shape_and_validation.
    let batch =
        |text: &str| StepBatch::new("run-1", serde_json::from_str::<Vec<StepEntry>>(text).expect("entries"));
    let good = batch(
        r#"[{"episode_id":"ep-1","action":[],"expected_tick":1},{"episode_id":"ep-2","action":[{"action":"go"}]}]"#,
    );
    let body = r#"{"steps":[{"episode_id":"ep-1","action":[],"expected_tick":1},{"episode_id":"ep-2","action":[{"action":"go"}]}]}"#;
    assert_eq!(sent(&good.request()), ("/rollout-runs/run-1/steps".into(), Some(body.into())));
    for wrong in [
        "[]",
        r#"[{"action":[]}]"#,
        r#"[{"episode_id":"ep-1"}]"#,
        r#"[{"episode_id":"ep-1","action":[],"actions":{}}]"#,
    ] {
        fault(&batch(wrong).call());
    }
    let entry = StepEntry::single("ep-1".into(), json("[]"), None);
    assert_eq!(StepBatch::new("r", vec![entry.clone(); 128]).call().fault(), None);
    fault(&StepBatch::new("r", vec![entry; 129]).call());
}

#[test]
fn a_batch_of_forks_has_a_count_and_a_key() {
    // tests/test_rollouts.py test_fork_batch_resource, test_fork_batch_retry_same_op_key.
    let batch = ForkBatch::new("run-1", "ep-1", 2u32).op_key("mykey").request();
    let body = r#"{"count":2,"op_key":"mykey"}"#;
    assert_eq!(sent(&batch), ("/rollout-runs/run-1/episodes/ep-1/forks".into(), Some(body.into())));
    assert_eq!(batch.retries, Some(0));
    for count in [0u32, 129] {
        fault(&ForkBatch::new("run-1", "ep-1", count).call());
    }
    let long = ["k".repeat(129), "é".repeat(65)];
    for key in ["", &long[0], &long[1]] {
        fault(&ForkBatch::new("run-1", "ep-1", 2u32).op_key(key).call());
    }
    assert_eq!(ForkBatch::key_fault(&"é".repeat(64)), None);
}

#[test]
fn scoring_needs_something_to_score() {
    // tests/test_rollouts.py test_rollout_resource_score_actions, test_rollout_resource_score_actions_requires_input.
    let bare = ScoreActions::new("run-1", "ep-1");
    let candidates = vec![json(r#"[{"action":"a"}]"#), json(r#"{"action":"b"}"#)];
    let call =
        bare.clone().candidate_actions(candidates).samples_per_action(10u32).random_opponents(true).request();
    let body = r#"{"candidate_actions":[[{"action":"a"}],{"action":"b"}],"samples_per_action":10,"random_opponents":true}"#;
    assert_eq!(sent(&call), ("/rollout-runs/run-1/episodes/ep-1/score-actions".into(), Some(body.into())));
    fault(&bare.call());
    fault(&bare.clone().candidate_actions(Vec::new()).max_actions(0u32).call());
    assert_eq!(bare.max_actions(4u32).call().fault(), None);
}

#[test]
fn a_completion_is_checked_as_the_server_would() {
    // tests/test_rollouts.py test_complete_request_shape, test_score_actions_on_policy_tail_param_validation.
    let bare = CompleteEpisode::new("run-1", "ep-1");
    let call = bare.clone().samples(5u32).max_ticks(40u64).request();
    let body = r#"{"samples":5,"max_ticks":40}"#;
    assert_eq!(sent(&call), ("/rollout-runs/run-1/episodes/ep-1/complete".into(), Some(body.into())));
    let seat = bare.clone().seat("p1").opponent_source("system").min_percentile(0.5).random_opponents(true);
    assert_eq!(
        seat.call().body_text().as_deref(),
        Some(r#"{"seat":"p1","min_percentile":0.5,"opponent_source":"system","random_opponents":true}"#)
    );
    for wrong in [
        bare.clone().samples(101u32),
        bare.clone().min_percentile(-0.1),
        bare.clone().max_percentile(1.1),
        bare.clone().max_percentile(f64::NAN),
        bare.clone().min_percentile(0.8).max_percentile(0.2),
        bare.clone().opponent_source("league"),
    ] {
        fault(&wrong.call());
    }
    assert_eq!(bare.clone().samples(0u32).max_ticks(0u64).opponent_source("").call().fault(), None);
    assert!(bare.samples(101u32).playout_fault("tail_").is_some_and(|why| why.contains("`tail_samples`")));
}

#[test]
fn an_episode_is_closed_without_a_body() {
    // tests/test_rollouts.py test_close_episode_hits_endpoint.
    let call = CloseEpisode::new("run-1", "ep-1").request();
    assert_eq!(sent(&call), ("/rollout-runs/run-1/episodes/ep-1/close".into(), None));
    fault(&CloseEpisode::new("run-1", "../x").call());
    fault(&CloseRun::new("").call());
}

#[test]
fn what_can_be_reckoned_is_quoted() {
    // protocol.md §4.9.
    let quote = |call: Call| call.quoted();
    assert_eq!(quote(OpenRun::new(10u32).call()), Quote::UpTo(Micro(4_000_000)));
    assert_eq!(quote(OpenRun::new(3u32).max_ticks_per_episode(50u64).call()), Quote::UpTo(Micro(60_000)));
    assert_eq!(
        quote(OpenRun::new(u32::MAX).max_ticks_per_episode(u64::MAX).call()),
        Quote::UpTo(Micro(u64::MAX))
    );
    let score =
        ScoreActions::new("r", "e").candidate_actions(vec![json("1"), json("2")]).samples_per_action(10u32);
    assert_eq!(quote(score.call()), Quote::Unknown);
    assert_eq!(quote(score.clone().max_ticks(100u64).call()), Quote::UpTo(Micro::ticks(2000)));
    assert_eq!(quote(score.max_ticks(100u64).max_actions(3u32).call()), Quote::UpTo(Micro::ticks(5000)));
    let complete = CompleteEpisode::new("r", "e");
    assert_eq!(quote(complete.call()), Quote::Unknown);
    assert_eq!(quote(complete.clone().max_ticks(10u64).call()), Quote::UpTo(Micro::ticks(300)));
    assert_eq!(quote(complete.max_ticks(10u64).samples(2u32).call()), Quote::UpTo(Micro::ticks(20)));
    let on_policy = ScoreActionsOnPolicy::new("r", "e", vec![json("1"), json("2")]);
    assert_eq!(on_policy.quote(), Quote::Free);
    assert_eq!(on_policy.clone().phase_ticks(3u64).quote(), Quote::Unknown);
    let tails = on_policy.phase_ticks(3u64).tail_samples(4u32).tail_max_ticks(10u64);
    assert_eq!(tails.quote(), Quote::UpTo(Micro::ticks(2 * 5 * 4 * 10)));
    assert_eq!(quote(ExtendRun::new("r", 1u32).call()), Quote::Unknown);
    assert_eq!(quote(ResetEpisode::of("r", "g").call()), Quote::Free);
    assert_eq!(quote(ForkEpisode::new("r", "e").call()), Quote::Free);
}

#[test]
fn members_make_a_step_with_actions_for_seats() {
    let text = r#"{"run_id":"r","episode_id":"e","actions":{"p1":{"n":1.50}},"expected_tick":3}"#;
    let step = StepEpisode::from_members(serde_json::from_str(text).expect("an object"));
    let body = r#"{"actions":{"p1":{"n":1.50}},"expected_tick":3}"#;
    assert_eq!(step.expect("a step").call().body_text().as_deref(), Some(body));
}
