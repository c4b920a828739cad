use serde_json::{Value, json};

use super::*;
use crate::api::model::{EpisodeProbe, Json, Seat};

fn request(actions: &[&str]) -> ScoreActionsOnPolicy {
    let actions: Vec<Json> = actions.iter().map(|action| Json::parse(action).expect("JSON")).collect();
    ScoreActionsOnPolicy::new("run-1", "ep-1", actions)
}

fn good() -> ScoreActionsOnPolicy {
    request(&[r#"{"action":"a"}"#])
}

fn fault(request: &ScoreActionsOnPolicy, has_policy: bool) -> String {
    Plan::new(request, has_policy).expect_err("a fault")
}

#[test]
fn wrong_arguments_are_found_in_order() {
    // SDK 3.4.0 tests/test_rollouts.py test_score_actions_on_policy_validation,
    // test_score_actions_on_policy_tail_param_validation, test_score_actions_on_policy_cap.
    let phase = || good().phase_ticks(1u64);
    for (request, has_policy, words) in [
        (request(&[]).samples_per_action(0u32), false, "`candidate_actions` is empty"),
        (good().samples_per_action(0u32), false, "`samples_per_action`"),
        (good().tail_samples(5u32), false, "a policy is needed"),
        (good().phase_ticks(1u64), false, "a policy is needed"),
        (good().tail_samples(500u32), true, "`tail_samples` needs `phase_ticks`"),
        (good().min_percentile(0.5), true, "`min_percentile` needs `phase_ticks`"),
        (good().random_opponents(false), true, "`random_opponents` needs `phase_ticks`"),
        (phase().tail_samples(101u32), true, "`tail_samples` is from 0 to 100"),
        (phase().min_percentile(-0.1), true, "`min_percentile`"),
        (phase().max_percentile(1.1), true, "`max_percentile`"),
        (phase().min_percentile(0.8).max_percentile(0.2), true, "is above"),
        (phase().opponent_source("league"), true, "`opponent_source`"),
        (request(&["1", "2"]).samples_per_action(65u32), true, "up to 128"),
        (good().samples_per_action(u32::MAX), true, "up to 128"),
        (good().op_key(""), true, "`op_key`"),
        (good().param("phase", Json::default()), true, "no option `phase`"),
    ] {
        let why = fault(&request, has_policy);
        assert!(why.contains(words), "{why:?} does not say {words:?}");
    }
    let request = request(&["1", "[1]", "2"]).samples_per_action(64u32);
    let plan = Plan::new(&request, true).expect("a plan");
    assert_eq!((plan.candidates.len(), plan.forks()), (2, 128));
    assert!(Plan::new(&good().phase_ticks(0u64), false).is_ok());
    assert_eq!(Plan::new(&good(), true).map(|plan| plan.samples), Ok(5));
}

fn probe(more: &Value) -> EpisodeProbe {
    let mut probe = json!({"policy_seat": "p0", "policy_seats": ["p0", "p1"], "on_turn_seats": ["p0", "p1"]});
    probe.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    serde_json::from_value(probe).expect("a probe")
}

fn target(seat: Option<&str>, has_policy: bool, more: &Value) -> Result<String, String> {
    let request = ScoreActionsOnPolicy { seat: seat.map(Seat::from), phase_ticks: Some(0), ..good() };
    let plan = Plan::new(&request, has_policy)?;
    plan.position(&probe(more), has_policy).map(|position| position.target.as_str().to_owned())
}

#[test]
fn the_seat_is_the_one_that_the_server_would_choose() {
    // test_score_actions_on_policy_turn_based, test_score_actions_on_policy_no_silent_retarget,
    // test_score_actions_on_policy_born_done_parent.
    let turns = json!({"turn_based": true, "on_turn_seats": ["p1"]});
    assert_eq!(target(None, true, &json!({})).as_deref(), Ok("p0"));
    assert_eq!(target(None, false, &turns).as_deref(), Ok("p1"));
    assert_eq!(target(Some("p1"), true, &json!({})).as_deref(), Ok("p1"));
    assert_eq!(target(Some(""), true, &json!({"on_turn_seats": []})).as_deref(), Ok("p0"));
    for (seat, has_policy, more, words) in [
        (Some("p9"), true, json!({"done": true}), "is over"),
        (Some("p9"), true, json!({"failed_seats": ["p9"]}), "not a seat of ours"),
        (None, true, json!({"failed_seats": ["p0"], "on_turn_seats": ["p1"]}), "out already"),
        (Some("p0"), true, turns, "not on turn"),
        (None, false, json!({}), "a policy is needed"),
        (None, true, json!({"policy_seat": null, "policy_seats": [], "on_turn_seats": []}), "names no seat"),
    ] {
        let why = target(seat, has_policy, &more).expect_err("a refusal");
        assert!(why.contains(words), "{why:?} does not say {words:?}");
    }
}
