//! A command in a seat: it plays, and when it cannot, the human does.

use serde_json::json;

use super::harness::*;
use crate::app::effect::{Effect, Tell};
use crate::app::overlay::Overlay;
use crate::app::panes::play::Driver;
use crate::client::{FeedEvent, FeedId, Request};
use crate::policy::{Exit, PipeEnd, PolicyEventKind, Run, Usage};
use crate::tape::LineKind;

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

/// In a seat that a command drives which was typed with flags.
fn driven_with(game: &str, flags: &str) -> (Rig, FeedId, Run, u64) {
    let (mut rig, feed) = Rig::on_turn(game);
    rig.press("c ctrl-u");
    rig.paste(&format!("{flags} bot"));
    let effects = rig.press("enter");
    let (run, turn) = (started(&effects)[0], turns(&effects)[0].0);
    (rig, feed, run, turn)
}

/// The runs that are started.
fn started(effects: &[Effect]) -> Vec<Run> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::StartPolicy(run, _) => Some(*run),
            _ => None,
        })
        .collect()
}

fn crash(words: &str) -> PolicyEventKind {
    PolicyEventKind::Exited { how: Exit::Code(1), last_stderr: vec![words.into()], expected: false }
}

fn garbage(id: u64) -> PolicyEventKind {
    PolicyEventKind::Garbage { id: Some(id), text: "I resign".into(), why: "not JSON".into(), count: 1 }
}

fn timed_out(id: u64) -> PolicyEventKind {
    PolicyEventKind::TimedOut { id: Some(id), limit: secs(15), unread: false }
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
        (policy.note.as_deref(), policy.latency(50)),
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

// B-01
#[test]
fn a_crash_is_told_with_its_last_words_and_the_policy_is_started_again_once() {
    let (mut rig, _, run, _) = driven("connect_four");
    assert_eq!(rig.policy(run, crash("ZeroDivisionError")), [Effect::StopPolicy(run)]);
    assert!(
        rig.notice().contains("code 1") && rig.notice().contains("ZeroDivisionError"),
        "{}",
        rig.notice()
    );
    assert_eq!(rig.seat().driver, Driver::Policy);
    let effects = rig.wake_for(secs(1));
    let [again] = started(&effects)[..] else { panic!("{effects:?}") };
    assert_eq!(turns(&effects)[0].1, 1, "it is asked the same tick");
    assert_eq!(rig.policy(run, crash("late")), [], "of the old run");
    assert_eq!(rig.policy(again, crash("TypeError")), [Effect::StopPolicy(again)]);
    assert_eq!(rig.seat().driver, Driver::Human);
    assert!(
        rig.notice().contains("the seat is yours") && rig.notice().contains("TypeError"),
        "{}",
        rig.notice()
    );
    assert_eq!(acts(&rig.press("enter")).len(), 1, "the game view is alive");
}

#[test]
fn a_crash_of_a_seat_that_is_not_on_screen_is_told_in_the_corner() {
    let (mut rig, _, run, _) = driven_with("connect_four", "--on-crash hand");
    rig.press("1");
    rig.policy(run, crash("ZeroDivisionError"));
    assert!(rig.told().contains("p0") && rig.told().contains("ZeroDivisionError"), "{}", rig.told());
}

#[test]
fn good_turns_make_a_crash_forgotten_but_not_without_end() {
    let (mut rig, feed, mut run, mut turn) = driven("connect_four");
    let mut tick = 1;
    for life in 1..=5 {
        for _ in 0..20 {
            let sent = acts(&rig.policy(run, answers(turn)))[0].0.clone();
            rig.say(
                feed,
                &json!({"type": "action_result", "accepted": true, "tick": tick, "action_id": sent}),
            );
            tick += 1;
            turn = turns(&rig.observe(feed, tick, &observation("connect_four")))[0].0;
        }
        rig.policy(run, crash("again"));
        let due = rig.app.next_wake().unwrap();
        assert!(due > rig.clock, "it waits a moment");
        let effects = rig.wake_for(secs(20));
        (run, turn) = (started(&effects)[0], turns(&effects)[0].0);
        assert_eq!(rig.seat().policy.as_ref().unwrap().restarts, life);
    }
    for _ in 0..20 {
        rig.policy(run, answers(turn));
    }
    rig.policy(run, crash("again"));
    assert_eq!(rig.seat().driver, Driver::Human, "five times are enough");
}

#[test]
fn a_command_that_cannot_be_started_is_not_tried_again() {
    let (mut rig, _, run, _) = driven("connect_four");
    let how = Exit::NotStarted { argv: vec!["nope".into()], why: "not found".into() };
    rig.policy(run, PolicyEventKind::Exited { how, last_stderr: Vec::new(), expected: false });
    assert!(rig.notice().contains("cannot start") && rig.notice().contains("the seat is yours"));
}

// B-02
#[test]
fn a_policy_that_does_not_answer_is_replaced_by_a_safe_action_once_then_by_the_human() {
    let (mut rig, feed, run, turn) = driven("connect_four");
    let effects = rig.policy(run, timed_out(turn));
    assert_eq!(effects[0], Effect::StopPolicy(run));
    let sent = acts(&effects);
    assert_eq!(sent[0].1, r#"{"action":"drop","column":3}"#, "the heaviest: doing nothing is no move here");
    assert!(
        matches!(&effects[1], Effect::Send(Request::Act { by, .. }) if &**by == "policy random.py (safe action)")
    );
    assert!(rig.notice().contains("did not answer in time"), "a stall is no crash: {}", rig.notice());
    let end = PolicyEventKind::Exited { how: Exit::Signal(9), last_stderr: Vec::new(), expected: true };
    assert_eq!(rig.policy(run, end), [], "that it is gone is no second failure");
    rig.say(feed, &json!({"type": "action_result", "accepted": true, "tick": 1, "action_id": sent[0].0}));
    rig.observe(feed, 2, &observation("connect_four"));
    let effects = rig.wake_for(secs(1));
    let (again, turn) = (started(&effects)[0], turns(&effects)[0].0);
    let effects = rig.policy(again, timed_out(turn));
    assert_eq!(effects, [Effect::StopPolicy(again)], "the fallback is applied once");
    assert_eq!(rig.seat().driver, Driver::Human);
}

#[test]
fn where_a_game_lets_one_do_nothing_that_is_the_safe_action() {
    let (mut rig, _, run, turn) = driven("grid_serpents");
    assert_eq!(acts(&rig.policy(run, timed_out(turn)))[0].1, "[]");
}

// B-12
#[test]
fn an_answer_that_comes_after_a_safe_action_is_dropped() {
    let (mut rig, _, run, turn) = driven_with("grid_serpents", "--on-late safe");
    let late = PolicyEventKind::OverDue { id: turn, waited: secs(5) };
    assert_eq!(acts(&rig.policy(run, late)).len(), 1);
    assert_eq!(rig.policy(run, answers(turn)), [], "the turn is over");
    assert!(rig.seat().policy.as_ref().unwrap().lines.back().unwrap().contains("drop"), "and it is told");
}

#[test]
fn lateness_alone_changes_nothing() {
    let (mut rig, _, run, turn) = driven("connect_four");
    assert_eq!(rig.policy(run, PolicyEventKind::OverDue { id: turn, waited: secs(5) }), []);
    assert_eq!(acts(&rig.policy(run, answers(turn))).len(), 1);
}

// B-14
#[test]
fn garbage_is_asked_again_once_and_then_the_human_plays() {
    let (mut rig, _, run, turn) = driven("connect_four");
    let effects = rig.policy(run, garbage(turn));
    assert!(matches!(&effects[0], Effect::TellPolicy(_, Tell::Reject { id, reasons })
        if *id == turn && reasons[0].contains("I resign")));
    let next = turns(&effects)[0].0;
    assert_eq!(rig.policy(run, garbage(next)), [Effect::StopPolicy(run)], "nothing illegal was sent");
    assert!(rig.notice().contains("no action") && rig.notice().contains("I resign"), "{}", rig.notice());
    assert_eq!(acts(&rig.press("enter")).len(), 1);
}

#[test]
fn what_a_policy_says_before_it_is_asked_is_only_logged() {
    let (mut rig, _, run, turn) = driven("connect_four");
    rig.policy(run, PolicyEventKind::Garbage { id: None, text: "hello".into(), why: "no".into(), count: 1 });
    assert_eq!(acts(&rig.policy(run, answers(turn))).len(), 1);
}

#[test]
fn a_policy_that_is_to_stop_leaves_the_seat_to_wait() {
    let (mut rig, feed, run, _) = driven_with("connect_four", "--on-crash stop");
    assert_eq!(rig.policy(run, crash("x")), [Effect::StopPolicy(run)]);
    assert!(rig.notice().contains("the seat waits"), "{}", rig.notice());
    assert_eq!(acts(&rig.press("enter")), []);
    assert_eq!(turns(&rig.observe(feed, 2, &observation("connect_four"))), []);
    rig.press("h");
    assert_eq!(acts(&rig.press("enter")).len(), 1);
}

#[test]
fn lines_too_long_and_closed_pipes_are_failures_with_a_reaction() {
    for (what, words) in [
        (PolicyEventKind::LineTooLong { limit: 1 << 20 }, "1048576 bytes"),
        (PolicyEventKind::Closed { end: PipeEnd::Output }, "closed its pipes"),
    ] {
        let (mut rig, _, run, turn) = driven_with("connect_four", "--on-crash hand --on-end hand");
        assert_eq!(rig.policy(run, what), [Effect::StopPolicy(run)], "{words}");
        assert!(rig.notice().contains(words), "{}", rig.notice());
        assert_eq!(rig.policy(run, answers(turn)), [], "what it says now is not played");
        let exit = PolicyEventKind::Exited { how: Exit::Signal(15), last_stderr: Vec::new(), expected: true };
        assert_eq!(rig.policy(run, exit), []);
        assert!(rig.notice().contains(words), "the reason stays: {}", rig.notice());
    }
}

#[test]
fn a_reaction_that_does_not_exist_starts_nothing() {
    let (mut rig, _) = Rig::on_turn("connect_four");
    rig.press("c ctrl-u");
    rig.paste("--on-crash explode bot");
    assert_eq!(rig.press("enter"), []);
    let Some(Overlay::Command(prompt)) = &rig.app.overlay else { panic!("no prompt") };
    assert!(prompt.problem.as_ref().unwrap().contains("one of stop, restart"));
}

// B-20
#[test]
fn leaving_while_a_policy_thinks_is_no_failure_of_the_policy() {
    let (mut rig, _, run, _) = driven("connect_four");
    assert_eq!(rig.press("ctrl-c"), [], "first it asks");
    assert_eq!(rig.press("ctrl-c"), [Effect::Exit], "a second press leaves at once");
    let exit = PolicyEventKind::Exited { how: Exit::Signal(2), last_stderr: Vec::new(), expected: true };
    assert_eq!(rig.policy(run, exit), []);
    assert_eq!(rig.notice(), "", "nothing is told as a crash");
}

// B-22
#[test]
fn what_a_policy_writes_to_stderr_goes_to_its_log_and_nowhere_else() {
    let (mut rig, _, run, _) = driven("connect_four");
    let told = rig.told();
    rig.policy(run, PolicyEventKind::Stderr { lines: vec!["\u{1b}[2Jboo".into()], dropped: 0 });
    assert_eq!((rig.notice(), rig.told()), ("", told));
    assert_eq!(rig.seat().policy.as_ref().unwrap().lines.back().unwrap(), "␛[2Jboo");
    assert_eq!(rig.press("ctrl-l"), [Effect::Redraw]);
}

#[test]
fn an_answer_that_is_being_written_is_shown_and_tokens_are_added_up() {
    let (mut rig, feed, run, turn) = driven("connect_four");
    rig.policy(run, PolicyEventKind::Streamed { id: turn, text: "I think ".into() });
    rig.policy(run, PolicyEventKind::Streamed { id: turn, text: "é".repeat(5000) });
    rig.policy(run, PolicyEventKind::Streamed { id: turn + 99, text: "of another turn".into() });
    let streamed = &rig.seat().policy.as_ref().unwrap().streamed;
    assert!(streamed.len() <= 2000 && streamed.ends_with('é'));
    let usage = Usage { input_tokens: Some(100), output_tokens: Some(7) };
    rig.policy(run, PolicyEventKind::Counted { id: turn, usage });
    rig.policy(run, answers(turn));
    assert_eq!(rig.seat().policy.as_ref().unwrap().streamed, "");
    let next = turns(&rig.observe(feed, 2, &observation("connect_four")))[0].0;
    rig.policy(run, PolicyEventKind::Counted { id: next, usage });
    let told = rig.seat().policy.as_ref().unwrap().tokens_told();
    assert_eq!(told.as_deref(), Some("tokens 200 in, 14 out   last 100 in, 7 out"));
}

/// A shadow beside the human: its run and turn.
fn shadowed(game: &str) -> (Rig, FeedId, Run, u64) {
    let (mut rig, feed) = Rig::on_turn(game);
    let effects = rig.press("S enter");
    let (run, turn) = (started(&effects)[0], turns(&effects)[0].0);
    (rig, feed, run, turn)
}

fn accepted(rig: &mut Rig, feed: FeedId, tick: u64) -> Vec<Effect> {
    let id = rig.seat().sent.as_ref().unwrap().action_id.clone();
    rig.say(feed, &json!({"type": "action_result", "accepted": true, "tick": tick, "action_id": id}))
}

/// What shadows are noted to think.
fn noted(effects: &[Effect]) -> Vec<(u64, Option<bool>, String)> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Send(Request::Jot(_, LineKind::Acted(act))) if act.shadow => {
                Some((act.tick, act.agrees, act.by.clone()))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn a_shadow_answers_every_turn_plays_none_and_is_compared_with_what_was_played() {
    let (mut rig, feed, run, turn) = shadowed("connect_four");
    assert_eq!(rig.seat().driver, Driver::Human);
    let of_two = json!([{"column": 3, "action": "drop"}]);
    let would =
        |id, action| PolicyEventKind::Answered { id, action, note: None, latency: secs(0), late: false };
    assert_eq!(rig.policy(run, would(turn, of_two)), [], "nothing is sent");
    rig.press("enter");
    assert_eq!(
        noted(&accepted(&mut rig, feed, 1)),
        [(1, Some(true), "policy random.py".into())],
        "a list of one in another order is the same action"
    );
    let effects = rig.observe(feed, 2, &observation("connect_four"));
    rig.press("down enter");
    assert_eq!(noted(&accepted(&mut rig, feed, 2)), [], "it has not said yet");
    let late = rig.policy(run, would(turns(&effects)[0].0, json!({"action": "drop", "column": 3})));
    assert_eq!(noted(&late)[0].1, Some(false));
    let shadow = rig.seat().shadow.as_ref().unwrap();
    assert_eq!((shadow.agrees, shadow.compared), (1, 2));
}

#[test]
fn a_shadow_looks_on_whoever_drives_and_its_end_changes_nothing_else() {
    let (mut rig, feed, shadow, turn) = shadowed("connect_four");
    let (driver, effects) = drive(&mut rig);
    let asked = turns(&effects)[0].0;
    rig.policy(shadow, answers(turn));
    assert_eq!(acts(&rig.policy(driver, answers(asked))).len(), 1);
    assert_eq!(noted(&accepted(&mut rig, feed, 1))[0].1, Some(true));
    assert_eq!(rig.policy(shadow, crash("oh")), [Effect::StopPolicy(shadow)]);
    assert!(rig.seat().shadow.is_none() && rig.notice().contains("the shadow is stopped"));
    assert_eq!(rig.seat().driver, Driver::Policy);
}

#[test]
fn a_shadow_is_ended_by_an_empty_command_and_with_the_seat() {
    let (mut rig, _, run, _) = shadowed("connect_four");
    assert_eq!(rig.press("S ctrl-u enter"), [Effect::StopPolicy(run)]);
    let (mut rig, feed, run, _) = shadowed("connect_four");
    assert!(rig.say(feed, &over()).contains(&Effect::StopPolicy(run)));
}
