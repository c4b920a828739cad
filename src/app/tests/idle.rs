//! When the state wants to be woken: an idle screen costs nothing.

use serde_json::json;

use super::harness::*;
use crate::client::FeedEvent;

#[test]
fn an_idle_screen_is_never_woken() {
    let mut rig = Rig::with_rules();
    rig.press("2");
    rig.give("sessions", past_sessions());
    rig.draw();
    for pane in ["1", "2", "3", "9"] {
        rig.press(pane);
        for kind in rig.pending() {
            rig.give(
                kind,
                match kind {
                    "sessions" => past_sessions(),
                    "balance" => balance(),
                    "usage" => usage(),
                    _ => detail("connect_four"),
                },
            );
        }
        rig.draw();
        assert_eq!(rig.app.next_wake(), None, "pane {pane}");
    }
}

#[test]
fn a_message_in_the_corner_goes_by_itself() {
    let mut rig = Rig::with_rules();
    rig.press("f2");
    assert_eq!(rig.app.toasts.len(), 1);
    rig.wake_for(secs(30));
    assert_eq!(rig.app.toasts.len(), 0);
    assert_eq!(rig.app.next_wake(), None);
}

#[test]
fn sessions_are_polled_while_they_are_on_screen_and_one_is_live() {
    let mut rig = Rig::with_rules();
    assert_eq!(rig.wake_for(secs(30)), [], "another pane is on screen");
    assert_eq!(asked(&rig.press("2")), ["sessions"]);
    rig.give("sessions", sessions());
    for _ in 0..3 {
        assert_eq!(asked(&rig.wake_for(secs(3))), ["sessions"]);
        rig.give("sessions", sessions());
    }
    rig.press("1");
    assert_eq!(rig.wake_for(secs(30)), []);
    rig.press("2");
    rig.give("sessions", past_sessions());
    assert_eq!(rig.wake_for(secs(30)), [], "none is live any more");
}

#[test]
fn a_slow_answer_is_waited_for_once_a_second_and_not_without_rest() {
    let mut rig = Rig::with_rules();
    rig.press("2");
    rig.give("sessions", sessions());
    assert_eq!(asked(&rig.wake_for(secs(3))), ["sessions"]);
    let start = rig.clock;
    for nth in 1..=10 {
        assert_eq!(rig.wake(), []);
        assert_eq!(rig.clock, start + secs(nth));
    }
}

#[test]
fn the_balance_is_polled_while_one_plays() {
    let (mut rig, feed) = Rig::seated("connect_four");
    assert_eq!(asked(&rig.wake_for(secs(10))), ["balance"]);
    let start = rig.clock;
    rig.wake();
    assert_eq!(rig.clock, start + secs(1), "a slow answer is no reason to spin");
    rig.give("balance", balance());
    rig.say(feed, &over());
    for kind in ["session", "balance", "usage", "sessions"] {
        rig.give(
            kind,
            match kind {
                "session" => session("s_mine", "connect_four", "completed"),
                "balance" => balance(),
                "usage" => usage(),
                _ => past_sessions(),
            },
        );
    }
    rig.fed(feed, FeedEvent::Ended { why: "over".into(), orderly: true });
    assert_eq!(rig.wake_for(secs(60)), []);
    assert_eq!(rig.app.next_wake(), None);
}

#[test]
fn the_age_of_what_is_watched_moves_by_seconds_and_then_by_minutes() {
    let (mut rig, _) = Rig::watching("connect_four");
    for kind in rig.pending() {
        rig.give(kind, if kind == "sessions" { past_sessions() } else { detail("connect_four") });
    }
    let start = rig.clock;
    let mut wakes = Vec::new();
    while rig.clock < start + secs(200) {
        rig.wake();
        wakes.push(rig.clock.saturating_sub(start).as_secs());
    }
    assert_eq!(wakes[..3], [1, 2, 3]);
    assert_eq!(wakes[57..], [58, 59, 60, 120, 180, 240]);
}

#[test]
fn a_countdown_is_drawn_once_a_second() {
    let (mut rig, feed) = Rig::seated("connect_four");
    let mut message = asks(1, &observation("connect_four"));
    message["deadline_ms"] = json!(2_500);
    rig.say(feed, &message);
    let mut wakes = 0;
    while rig.clock < secs(4) && rig.app.next_wake().is_some_and(|at| at <= secs(4)) {
        rig.wake();
        wakes += 1;
    }
    assert_eq!(wakes, 4);
}
