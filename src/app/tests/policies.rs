//! A command in a seat: it plays, and when it cannot, the human does.

use serde_json::json;

use super::harness::*;
use crate::app::effect::{Effect, Tell};
use crate::app::overlay::Overlay;
use crate::app::panes::play::Driver;
use crate::client::{FeedEvent, FeedId};
use crate::policy::{Exit, PipeEnd, PolicyEventKind, Run};

/// Puts a command into the seat on screen.
fn drive(rig: &mut Rig) -> (Run, Vec<Effect>) {
    rig.press("c");
    let effects = rig.press("enter");
    let run = effects.iter().find_map(|effect| match effect {
        Effect::StartPolicy(run, _) => Some(*run),
        _ => None,
    });
    (run.expect("started"), effects)
}

fn driven(game: &str) -> (Rig, FeedId, Run, u64) {
    let (mut rig, feed) = Rig::on_turn(game);
    let (run, effects) = drive(&mut rig);
    let turn = turns(&effects)[0].0;
    (rig, feed, run, turn)
}

/// The turns a policy is asked for: id and tick.
fn turns(effects: &[Effect]) -> Vec<(u64, u64)> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::TellPolicy(_, Tell::Observe(turn)) => Some((turn.id, turn.tick)),
            _ => None,
        })
        .collect()
}

fn answers(id: u64) -> PolicyEventKind {
    PolicyEventKind::Answered {
        id,
        action: json!([{"action": "drop", "column": 2}]),
        note: Some("the middle".into()),
        latency: std::time::Duration::from_millis(7),
        late: false,
    }
}

#[test]
fn a_command_is_started_greeted_and_asked_in_this_order() {
    let (mut rig, _) = Rig::on_turn("connect_four");
    rig.press("c");
    let Some(Overlay::Command(prompt)) = &rig.app.overlay else { panic!("no prompt") };
    assert_eq!(prompt.input.text(), "python3 assets/policies/random.py");
    let effects = rig.press("enter");
    let [
        Effect::StartPolicy(run, spec),
        Effect::TellPolicy(greeted, Tell::Hello(hello)),
        Effect::TellPolicy(told, Tell::Observe(turn)),
    ] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert!(run == greeted && run == told);
    assert_eq!(spec.argv(), ["python3", "assets/policies/random.py"]);
    assert_eq!((hello.game.as_str(), hello.seat.as_str(), hello.player_count), ("connect_four", "p0", 2));
    assert!(hello.rules.contains("Two seats take turns"));
    assert_eq!(hello.game_version.as_deref(), Some("3"));
    assert_eq!(turn.tick, 1);
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&turn.observation).unwrap(),
        observation("connect_four")
    );
    assert_eq!(rig.seat().driver, Driver::Policy);
}

#[test]
fn a_command_that_cannot_be_read_starts_nothing() {
    let (mut rig, _) = Rig::on_turn("connect_four");
    rig.press("c '");
    assert_eq!(rig.press("enter"), []);
    let Some(Overlay::Command(prompt)) = &rig.app.overlay else { panic!("no prompt") };
    assert!(prompt.problem.is_some());
    rig.press("backspace");
    assert_eq!(rig.press("enter").len(), 3);
}

#[test]
fn an_answer_is_played_and_the_next_tick_asked() {
    let (mut rig, feed, run, turn) = driven("connect_four");
    let sent = acts(&rig.policy(run, answers(turn)));
    assert_eq!(sent[0].1, r#"[{"action":"drop","column":2}]"#);
    assert_eq!(rig.policy(run, answers(turn)), [], "a second answer");
    rig.say(feed, &json!({"type": "action_result", "accepted": true, "tick": 1, "action_id": sent[0].0}));
    let effects = rig.observe(feed, 2, &observation("connect_four"));
    assert_eq!(turns(&effects)[0].1, 2);
    assert_eq!(rig.observe(feed, 2, &observation("connect_four")), [], "one question a tick");
    let policy = rig.seat().policy.as_ref().unwrap();
    assert_eq!(
        (policy.note.as_deref(), policy.median_latency()),
        (Some("the middle"), Some(std::time::Duration::from_millis(7)))
    );
}

#[test]
fn the_hand_is_off_while_a_policy_drives() {
    let (mut rig, ..) = driven("grid_serpents");
    assert_eq!(acts(&rig.press("enter left")), []);
    assert!(rig.notice().contains("h takes it back"), "{}", rig.notice());
}

#[test]
fn an_answer_to_a_tick_that_is_gone_is_not_played() {
    let (mut rig, feed, run, turn) = driven("connect_four");
    let next = turns(&rig.observe(feed, 2, &observation("connect_four")))[0].0;
    assert_eq!(rig.policy(run, answers(turn)), []);
    assert_eq!(acts(&rig.policy(run, answers(next))).len(), 1);
}

#[test]
fn a_policy_that_is_refused_three_times_in_a_tick_loses_the_seat() {
    let (mut rig, feed, run, mut turn) = driven("connect_four");
    let refuse = |rig: &mut Rig, id: &str| {
        rig.say(feed, &json!({"type": "action_result", "accepted": false, "tick": 1, "reasons": ["full"], "action_id": id}))
    };
    for _ in 0..2 {
        let id = acts(&rig.policy(run, answers(turn)))[0].0.clone();
        let effects = refuse(&mut rig, &id);
        assert_eq!(
            effects[0],
            Effect::TellPolicy(run, Tell::Reject { id: turn, reasons: vec!["full".into()] })
        );
        turn = turns(&effects)[0].0;
    }
    let id = acts(&rig.policy(run, answers(turn)))[0].0.clone();
    assert_eq!(refuse(&mut rig, &id), [Effect::StopPolicy(run)]);
    assert_eq!(rig.seat().driver, Driver::Human);
    assert!(rig.notice().contains("refused 3 times") && rig.notice().contains("full"), "{}", rig.notice());
    assert_eq!(acts(&rig.press("enter")).len(), 1, "the human plays the same tick");
}

#[test]
fn refusals_of_different_ticks_do_not_add_up() {
    let (mut rig, feed, run, mut turn) = driven("connect_four");
    for tick in 2..8 {
        let id = acts(&rig.policy(run, answers(turn)))[0].0.clone();
        rig.say(
            feed,
            &json!({"type": "action_result", "accepted": false, "reasons": ["full"], "action_id": id}),
        );
        turn = turns(&rig.observe(feed, tick, &observation("connect_four")))[0].0;
    }
    assert_eq!(rig.seat().driver, Driver::Policy);
}

#[test]
fn a_policy_that_breaks_loses_the_seat_and_the_human_can_act() {
    let whats: [(&str, PolicyEventKind); 6] = [
        (
            "exited with code 1",
            PolicyEventKind::Exited {
                how: Exit::Code(1),
                last_stderr: vec!["ZeroDivisionError".into()],
                expected: false,
            },
        ),
        (
            "cannot start",
            PolicyEventKind::Exited {
                how: Exit::NotStarted { argv: vec!["nope".into()], why: "not found".into() },
                last_stderr: Vec::new(),
                expected: false,
            },
        ),
        ("did not answer in time", PolicyEventKind::TimedOut { id: Some(1), limit: secs(15), unread: false }),
        (
            "no action",
            PolicyEventKind::Garbage { id: Some(1), text: "hello".into(), why: "not JSON".into(), count: 1 },
        ),
        ("1048576 bytes", PolicyEventKind::LineTooLong { limit: 1 << 20 }),
        ("closed its pipes", PolicyEventKind::Closed { end: PipeEnd::Output }),
    ];
    for (words, what) in whats {
        let (mut rig, _, run, turn) = driven("connect_four");
        assert_eq!(rig.policy(run, what), [Effect::StopPolicy(run)], "{words}");
        assert!(rig.notice().contains(words), "{}", rig.notice());
        assert_eq!(rig.seat().driver, Driver::Human);
        assert_eq!(rig.policy(run, answers(turn)), [], "what it says now is not played");
        let exit = PolicyEventKind::Exited { how: Exit::Signal(15), last_stderr: Vec::new(), expected: true };
        assert_eq!(rig.policy(run, exit), []);
        assert!(rig.notice().contains(words), "the reason stays: {}", rig.notice());
        assert_eq!(acts(&rig.press("enter")).len(), 1);
    }
}

#[test]
fn the_last_words_of_a_crash_are_told() {
    let (mut rig, _, run, _) = driven("connect_four");
    rig.press("1");
    let last_stderr = vec!["Traceback".into(), "ZeroDivisionError".into()];
    rig.policy(run, PolicyEventKind::Exited { how: Exit::Code(1), last_stderr, expected: false });
    assert!(rig.told().contains("p0") && rig.told().contains("ZeroDivisionError"), "{}", rig.told());
}

#[test]
fn what_a_replaced_policy_says_is_ignored() {
    let (mut rig, _, old, turn) = driven("connect_four");
    let (new, effects) = drive(&mut rig);
    assert_eq!(effects[0], Effect::StopPolicy(old));
    assert_ne!(new, old);
    assert_eq!(rig.policy(old, answers(turn)), []);
    assert_eq!(rig.policy(old, PolicyEventKind::TimedOut { id: None, limit: secs(1), unread: false }), []);
    assert_eq!(rig.seat().driver, Driver::Policy);
    let next = turns(&effects)[0].0;
    assert_eq!(acts(&rig.policy(new, answers(next))).len(), 1);
}

#[test]
fn the_seat_is_taken_back_and_given_again_at_any_tick() {
    let (mut rig, feed, run, turn) = driven("connect_four");
    assert_eq!(rig.press("h"), [Effect::StopPolicy(run)]);
    assert_eq!(rig.press("h"), []);
    assert_eq!(rig.policy(run, answers(turn)), [], "its answer comes too late");
    assert_eq!(acts(&rig.press("enter")).len(), 1);
    rig.observe(feed, 2, &observation("connect_four"));
    let (new, effects) = drive(&mut rig);
    assert_eq!(turns(&effects)[0].1, 2);
    assert_ne!(new, run);
}

#[test]
fn a_policy_is_told_how_the_match_ended_and_then_stopped() {
    let (mut rig, feed, run, _) = driven("connect_four");
    rig.forget_questions();
    let effects = rig.say(feed, &over());
    let result = json!({"score": 100.0, "rank": 1, "outcome": "won", "reason": "game_complete"});
    assert_eq!(effects[..2], [Effect::TellPolicy(run, Tell::End(result)), Effect::StopPolicy(run)]);
    assert_eq!(asked(&effects), ["session", "sessions", "balance", "usage"]);
    let exit = PolicyEventKind::Exited { how: Exit::Code(0), last_stderr: Vec::new(), expected: true };
    assert_eq!(rig.policy(run, exit), []);
    assert_eq!(rig.notice(), "");
}

#[test]
fn a_policy_of_a_seat_that_is_left_is_stopped() {
    let (mut rig, _, run, _) = driven("connect_four");
    rig.press("x y");
    assert!(rig.give("leave", json!(null)).contains(&Effect::StopPolicy(run)));
}

#[test]
fn a_policy_is_asked_again_after_the_link_came_back() {
    let (mut rig, feed, run, turn) = driven("connect_four");
    rig.policy(run, answers(turn));
    rig.fed(feed, FeedEvent::Lost { why: "reset".into(), retry: secs(1) });
    rig.fed(feed, FeedEvent::Opened);
    assert_eq!(turns(&rig.observe(feed, 1, &observation("connect_four"))).len(), 1);
}

#[test]
fn its_log_is_kept_cleaned_and_bounded() {
    let (mut rig, _, run, _) = driven("connect_four");
    rig.policy(run, PolicyEventKind::Started { pid: Some(7), argv: vec!["x".into()] });
    rig.policy(run, PolicyEventKind::Ready { name: Some("ab2".into()) });
    for _ in 0..600 {
        rig.policy(run, PolicyEventKind::Stderr { lines: vec!["\u{1b}[31mred".into()], dropped: 1 });
    }
    let policy = rig.seat().policy.as_ref().unwrap();
    assert_eq!(policy.name.as_deref(), Some("ab2"));
    assert_eq!((policy.lines.len(), policy.lines.back().unwrap().as_str()), (500, "␛[31mred"));
    assert!(policy.dropped > 600);
}

#[test]
fn a_thinking_policy_is_drawn_once_a_second() {
    let (rig, ..) = driven("connect_four");
    assert_eq!(rig.app.next_wake(), Some(secs(rig.clock.as_secs() + 1)));
}
