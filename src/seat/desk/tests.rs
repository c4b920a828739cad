use std::time::Duration;

use serde_json::json;

use super::*;

struct Rig {
    desk: Desk,
}

fn desk(on_failure: OnFailure, may_pass: bool, answers_in_text: bool) -> Desk {
    Desk::new("p0", Terms { on_failure, may_pass, answers_in_text }, 0)
}

fn rig(on_failure: OnFailure) -> Rig {
    Rig { desk: desk(on_failure, false, false) }
}

impl Rig {
    fn hear(&mut self, message: &Value) -> Vec<Do> {
        let todo = self.desk.fed(FeedEvent::Said(Message::parse(message.to_string().into())));
        todo.into_iter().filter(|what| !matches!(what, Do::Note(_))).collect()
    }

    fn see(&mut self, tick: u64, on_turn: bool) -> Vec<Do> {
        let data = json!({"tick": tick, "_action_space": [{"action": {"action": "drop", "column": 3}}]});
        self.hear(&json!({"type": "observation", "tick": tick, "player_id": "p0", "on_turn": on_turn, "data": data}))
    }

    fn answer(&mut self, id: u64) -> Vec<Do> {
        let latency = Duration::from_millis(2);
        let action = json!([{"action": "drop", "column": 1}]);
        self.desk.told(PolicyEventKind::Answered { id, action, note: None, latency, late: false })
    }

    fn acknowledge(&mut self, id: &str, accepted: bool) -> Vec<Do> {
        self.hear(
            &json!({"type": "action_result", "accepted": accepted, "action_id": id, "reasons": ["full"]}),
        )
    }

    fn crash(&mut self) -> Vec<Do> {
        let last_stderr = vec!["boom".to_owned()];
        self.desk.told(PolicyEventKind::Exited { how: Exit::Code(1), last_stderr, expected: false })
    }

    fn kinds(&self) -> Vec<FailureKind> {
        self.desk.counts.failures.iter().map(|failure| failure.kind).collect()
    }
}

fn asked(todo: &[Do]) -> Vec<(u64, u64)> {
    todo.iter()
        .filter_map(|what| if let Do::Ask(turn) = what { Some((turn.id, turn.tick)) } else { None })
        .collect()
}

fn acted(todo: &[Do]) -> Vec<(&str, bool)> {
    todo.iter()
        .filter_map(
            |what| if let Do::Act { payload, safe, .. } = what { Some((&**payload, *safe)) } else { None },
        )
        .collect()
}

#[test]
fn a_seat_is_asked_once_a_tick_and_only_on_its_turn() {
    let mut rig = rig(OnFailure::Stop);
    assert_eq!(rig.see(0, false), []);
    assert_eq!(asked(&rig.see(1, true)), [(1, 1)]);
    assert_eq!(rig.see(1, true), [], "it is thinking");
    assert_eq!(acted(&rig.answer(1)), [(r#"[{"action":"drop","column":1}]"#, false)]);
    assert_eq!(rig.see(1, true), [], "the action is under way");
    assert_eq!(rig.acknowledge("a1", true), []);
    assert_eq!(rig.see(1, true), [], "it acted");
    assert_eq!(asked(&rig.see(2, true)), [(2, 2)]);
    assert_eq!(rig.desk.counts.turns, 1);
}

#[test]
fn an_answer_to_a_turn_that_went_by_is_not_played() {
    // B-12
    let mut rig = rig(OnFailure::Stop);
    rig.see(1, true);
    assert_eq!(asked(&rig.see(2, true)), [(2, 2)]);
    assert_eq!(rig.answer(1), []);
    assert_eq!(acted(&rig.answer(2)).len(), 1);
    assert_eq!(rig.desk.counts.missed, 1);
}

#[test]
fn an_action_that_came_too_late_for_its_tick_counts_for_the_next() {
    let mut rig = rig(OnFailure::Stop);
    rig.see(1, true);
    rig.answer(1);
    // The deadline of tick 1 had passed: the server took it for tick 2.
    rig.see(2, false);
    rig.hear(&json!({"type": "action_result", "accepted": true, "action_id": "a1", "tick": 2}));
    assert_eq!(rig.see(2, true), [], "it has acted");
    assert_eq!(asked(&rig.see(3, true)), [(2, 3)]);
}

#[test]
fn a_refused_action_is_asked_for_again_until_the_third() {
    // B-14
    let mut rig = rig(OnFailure::Stop);
    rig.see(1, true);
    rig.answer(1);
    let todo = rig.acknowledge("a1", false);
    assert!(matches!(&todo[0], Do::Reject { id: 1, reasons } if reasons == &["full"]), "{todo:?}");
    assert_eq!(asked(&todo), [(2, 1)]);
    rig.answer(2);
    assert_eq!(asked(&rig.acknowledge("a2", false)), [(3, 1)]);
    rig.answer(3);
    assert_eq!(rig.acknowledge("a3", false), [Do::Leave]);
    assert_eq!((rig.kinds(), rig.desk.counts.refused), (vec![FailureKind::Refused], 3));
}

#[test]
fn a_server_that_takes_the_seat_at_the_last_refusal_is_told_as_refused() {
    let mut rig = rig(OnFailure::Stop);
    rig.see(1, true);
    rig.answer(1);
    let failed =
        json!({"type": "player_failed", "player_id": "p0", "reason": "3 refused actions in one tick"});
    assert_eq!(rig.hear(&failed), [Do::Finish]);
    assert_eq!(rig.kinds(), [FailureKind::Refused]);
    let others = json!({"type": "player_failed", "player_id": "p1", "reason": "left"});
    assert_eq!(rig.hear(&others), []);
}

#[test]
fn each_way_to_fail_is_a_failure_of_its_own_kind() {
    // B-01, B-02, B-14
    let events = || {
        [
            (
                FailureKind::TimeOut,
                PolicyEventKind::TimedOut { id: Some(1), limit: Duration::ZERO, unread: false },
            ),
            (
                FailureKind::Garbage,
                PolicyEventKind::Garbage { id: Some(1), text: "hm".into(), why: "not JSON".into(), count: 1 },
            ),
            (FailureKind::Garbage, PolicyEventKind::LineTooLong { limit: 10 }),
            (
                FailureKind::Crash,
                PolicyEventKind::Exited { how: Exit::Signal(9), last_stderr: Vec::new(), expected: false },
            ),
        ]
    };
    for (kind, event) in events() {
        let mut rig = rig(OnFailure::Stop);
        rig.see(1, true);
        assert_eq!(rig.desk.told(event), [Do::Leave], "{kind:?}");
        assert_eq!(rig.kinds(), [kind]);
        assert_eq!(rig.see(2, true), [], "a seat that was given up is not played");
    }
}

#[test]
fn a_policy_is_started_again_and_asked_the_same_but_not_for_ever() {
    let mut rig = rig(OnFailure::Restart);
    rig.see(1, true);
    for nth in 1..=RESTARTS {
        let todo = rig.crash();
        assert_eq!(todo[0], Do::Restart);
        assert_eq!(asked(&todo), [(nth + 1, 1)]);
    }
    assert_eq!(rig.crash(), [Do::Leave]);
    assert_eq!(rig.desk.counts.restarts, RESTARTS);
}

#[test]
fn a_safe_action_is_a_listed_one_where_nothing_is_no_move() {
    let mut rig = rig(OnFailure::Safe);
    rig.see(1, true);
    let todo = rig.crash();
    assert_eq!(todo[0], Do::Restart);
    assert_eq!(acted(&todo), [(r#"[{"action":"drop","column":3}]"#, true)]);
    rig.acknowledge("a1", true);
    assert_eq!(asked(&rig.see(2, true)), [(2, 2)]);
    let mut other = Rig { desk: desk(OnFailure::Safe, true, false) };
    other.see(1, true);
    assert_eq!(acted(&other.crash()), [("[]", true)]);
}

#[test]
fn before_a_last_refusal_the_safe_action_is_played() {
    let mut rig = rig(OnFailure::Safe);
    rig.see(1, true);
    rig.answer(1);
    rig.acknowledge("a1", false);
    rig.answer(2);
    let todo = rig.acknowledge("a2", false);
    assert_eq!(acted(&todo).len(), 1, "{todo:?}");
    assert!(!todo.contains(&Do::Restart), "its process is well");
}

#[test]
fn a_command_that_cannot_run_is_not_tried_again() {
    let mut rig = rig(OnFailure::Restart);
    let how = Exit::NotStarted { argv: vec!["nobot".into()], why: "no such file".into() };
    let todo = rig.desk.told(PolicyEventKind::Exited { how, last_stderr: Vec::new(), expected: false });
    assert_eq!(todo, [Do::Leave]);
    assert_eq!(rig.kinds(), [FailureKind::NotStarted]);
}

#[test]
fn after_a_lost_link_the_observation_decides() {
    let mut rig = rig(OnFailure::Stop);
    rig.see(1, true);
    rig.answer(1);
    let lost = FeedEvent::Lost { why: "reset".into(), retry: Duration::from_secs(1) };
    assert_eq!(asked(&rig.desk.fed(lost)), []);
    assert_eq!(asked(&rig.see(1, true)), [(2, 1)], "the action did not arrive");
    rig.answer(2);
    rig.acknowledge("a2", true);
    rig.desk.fed(FeedEvent::Lost { why: "reset".into(), retry: Duration::from_secs(1) });
    assert_eq!(rig.see(1, true), [], "it did arrive");
}

#[test]
fn the_end_is_told_to_the_policy() {
    let mut rig = rig(OnFailure::Stop);
    let end = json!({"type": "game_completed", "scores": {"p0": 100}, "ranks": {"p0": 1},
        "outcomes": {"p0": "won"}, "completion_reason": "game_complete", "ticks": 9});
    assert_eq!(rig.hear(&end), [Do::Finish]);
    let result = json!({"score": 100.0, "rank": 1, "outcome": "won", "reason": "game_complete"});
    assert_eq!(rig.desk.result(), result);
}

#[test]
fn a_line_between_turns_is_counted_and_fails_nothing() {
    let mut rig = rig(OnFailure::Stop);
    let line = PolicyEventKind::Garbage { id: None, text: "hello".into(), why: "not JSON".into(), count: 2 };
    assert!(matches!(&rig.desk.told(line)[..], [Do::Note(_)]));
    assert_eq!((rig.desk.counts.garbage, rig.desk.counts.failed), (2, 0));
}

#[test]
fn free_text_without_an_action_is_asked_for_again() {
    let mut rig = Rig { desk: desk(OnFailure::Stop, false, true) };
    rig.see(1, true);
    let garbage =
        |id| PolicyEventKind::Garbage { id: Some(id), text: "hm".into(), why: "no action".into(), count: 1 };
    for id in 1..REFUSALS.into() {
        assert_eq!(asked(&rig.desk.told(garbage(id))), [(id + 1, 1)]);
    }
    assert_eq!(rig.desk.told(garbage(REFUSALS.into())), [Do::Leave]);
    assert_eq!(rig.kinds(), [FailureKind::Garbage]);
}
