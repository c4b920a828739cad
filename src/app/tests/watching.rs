//! Looking on.

use serde_json::json;

use super::harness::*;
use crate::app::effect::Effect;
use crate::app::live::{Link, Live};
use crate::client::{FeedEvent, FeedId, Request};

fn live(rig: &Rig) -> &Live {
    &rig.app.sessions.watching.as_ref().expect("a session is watched").live
}

#[test]
fn a_live_session_is_watched_and_left_without_ending_it() {
    let (mut rig, feed) = Rig::watching("connect_four");
    assert_eq!(live(&rig).view.tick, 13);
    assert!(live(&rig).view.seen.is_some());
    let effects = rig.press("esc");
    assert_eq!(effects[0], Effect::Send(Request::Close(feed)));
    assert_eq!(asked(&effects), ["sessions"]);
    assert!(rig.app.sessions.watching.is_none());
}

#[test]
fn what_another_socket_says_is_ignored() {
    let (mut rig, _) = Rig::watching("connect_four");
    let stranger = FeedId(9999);
    rig.say(stranger, &asks(40, &json!({})));
    rig.fed(stranger, FeedEvent::Ended { why: "x".into(), orderly: false });
    assert_eq!((live(&rig).view.tick, &live(&rig).link), (13, &Link::Open));
}

#[test]
fn late_words_of_a_session_that_was_left_are_ignored() {
    let (mut rig, feed) = Rig::watching("connect_four");
    rig.press("esc");
    assert_eq!(rig.say(feed, &over()), []);
    assert!(rig.app.sessions.watching.is_none());
}

#[test]
fn another_session_replaces_the_one_that_is_watched() {
    let (mut rig, feed) = Rig::watching("connect_four");
    rig.press("1");
    let effects = rig.press("w");
    assert_eq!(effects[0], Effect::Send(Request::Close(feed)));
    assert_ne!(watched(&effects), feed);
}

#[test]
fn a_lost_link_counts_down_and_can_be_tried_at_once() {
    let (mut rig, feed) = Rig::watching("connect_four");
    rig.fed(feed, FeedEvent::Lost { why: "reset by peer".into(), retry: secs(8) });
    assert_eq!(live(&rig).link, Link::Lost { why: "reset by peer".into(), retry_at: rig.clock + secs(8) });
    assert!(live(&rig).view.log.back().unwrap().text.contains("reset by peer"));
    assert_eq!(rig.app.next_wake(), Some(rig.clock + secs(1)));
    for key in ["R", "f5"] {
        assert_eq!(rig.press(key), [Effect::Send(Request::Reconnect(feed))], "{key}");
    }
    rig.fed(feed, FeedEvent::Connecting { attempt: 2 });
    rig.fed(feed, FeedEvent::Opened);
    assert_eq!(live(&rig).link, Link::Open);
    assert!(live(&rig).view.log.back().unwrap().text.contains("connected again"));
}

#[test]
fn a_message_of_an_unknown_type_is_shown_and_is_not_fatal() {
    let (mut rig, feed) = Rig::watching("connect_four");
    rig.say(feed, &json!({"type": "confetti", "colour": "\u{1b}[31mred"}));
    let line = &live(&rig).view.log.back().unwrap().text;
    assert!(line.contains("confetti") && line.contains("red") && !line.contains('\u{1b}'), "{line}");
    for junk in
        ["null", "[1]", "{\"type\":\"observation\"}", "{\"type\":\"game_completed\",\"scores\":3}", "x"]
    {
        rig.fed(feed, FeedEvent::Said(crate::api::Message::parse(junk.into())));
        rig.draw();
    }
    assert_eq!(live(&rig).link, Link::Open);
}

#[test]
fn what_was_played_is_in_the_log() {
    let (rig, _) = Rig::watching("connect_four");
    let line = &live(&rig).view.log.back().unwrap().text;
    assert!(line.starts_with("p0") && line.contains("drop") && line.contains("12 ms"), "{line}");
}

#[test]
fn the_log_is_bounded() {
    let (mut rig, feed) = Rig::watching("connect_four");
    for tick in 0..2000 {
        rig.say(feed, &json!({"type": "player_failed", "tick": tick, "player_id": "p1", "reason": "silent"}));
    }
    assert_eq!(live(&rig).view.log.len(), 500);
}

#[test]
fn keys_change_the_view() {
    let (mut rig, _) = Rig::watching("connect_four");
    rig.press("s");
    assert_eq!(rig.app.sessions.watching.as_ref().unwrap().seat, 1);
    rig.press("s r");
    let watching = rig.app.sessions.watching.as_ref().unwrap();
    assert_eq!((watching.seat, watching.raw), (0, true));
    rig.press("i");
    assert!(
        matches!(&rig.app.overlay, Some(crate::app::overlay::Overlay::Rules { slug, .. }) if slug == "connect_four")
    );
}

#[test]
fn a_session_that_is_over_needs_no_wake() {
    let (mut rig, feed) = Rig::watching("connect_four");
    rig.say(feed, &over());
    rig.fed(feed, FeedEvent::Ended { why: "over".into(), orderly: true });
    assert_eq!(live(&rig).view.outcome.as_ref().unwrap().ranks["p1"], 2);
    assert_eq!(rig.app.next_wake(), None);
    assert_eq!(rig.wake_for(secs(60)), []);
}

#[test]
fn the_age_of_what_is_shown_is_always_in_sight() {
    // W-01
    let (rig, _) = Rig::watching("connect_four");
    assert_eq!(rig.app.next_wake(), Some(rig.clock + secs(1)));
}

#[test]
fn a_socket_that_found_no_room_is_opened_or_closed_a_little_later() {
    let mut rig = Rig::loaded();
    rig.press("2");
    rig.give("sessions", sessions());
    let mut effects = rig.press("enter");
    effects.extend(rig.press("esc"));
    for effect in &effects {
        let Effect::Send(request @ (Request::Watch(..) | Request::Close(_))) = effect else { continue };
        rig.update(crate::app::event::Event::Refused(Box::new(request.clone())));
    }
    rig.give("sessions", past_sessions());
    assert_eq!(rig.wake(), effects[..2]);
    assert_eq!(rig.wake_for(secs(60)), []);
}

#[test]
fn the_newest_live_session_of_a_game_is_watched_from_the_games() {
    let mut rig = Rig::loaded();
    watched(&rig.press("w"));
    rig.press("1 down");
    assert_eq!(rig.press("w"), []);
    assert!(rig.told().contains("no live session of grid_serpents"));
}
