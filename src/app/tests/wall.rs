//! Several sessions at once, and the way through their time.

use serde_json::json;

use super::harness::*;
use crate::app::effect::Effect;
use crate::app::wall::Grid;
use crate::client::{Answer, FeedEvent, FeedId, Request};
use crate::tape::{Frame, Header, Order, Place, Recording, State, Summary, TapeEvent, Totals, View};

fn feeds(effects: &[Effect]) -> Vec<FeedId> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Send(Request::Watch(feed, _)) => Some(*feed),
            _ => None,
        })
        .collect()
}

fn closed(effects: &[Effect]) -> Vec<FeedId> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Send(Request::Close(feed)) => Some(*feed),
            _ => None,
        })
        .collect()
}

fn six() -> serde_json::Value {
    let all: Vec<_> = (0..6).map(|nth| session(&format!("s_{nth}"), "connect_four", "active")).collect();
    json!({"sessions": all})
}

/// Six sessions on the wall.
pub(crate) fn wall() -> (Rig, Vec<FeedId>) {
    let mut rig = Rig::loaded();
    rig.press("2");
    rig.give("sessions", six());
    let feeds = feeds(&rig.press("W"));
    rig.app.screen.wall = Grid { columns: 3, rows: 1 };
    for feed in &feeds {
        rig.fed(*feed, FeedEvent::Opened);
        rig.say(*feed, &asks(5, &observation("connect_four")));
    }
    (rig, feeds)
}

fn shown(rig: &Rig) -> Vec<bool> {
    let wall = rig.app.sessions.wall.as_ref().unwrap();
    wall.tiles.iter().map(|tile| tile.live.view.seen.is_some()).collect()
}

#[test]
fn all_live_sessions_are_watched_at_once_and_closed_with_the_wall() {
    let (mut rig, feeds) = wall();
    assert_eq!(feeds.len(), 6);
    let effects = rig.press("esc");
    assert_eq!(closed(&effects), feeds);
    assert!(rig.app.sessions.wall.is_none());
}

#[test]
fn tiles_that_are_not_on_screen_are_not_parsed() {
    let (mut rig, _) = wall();
    rig.draw();
    assert_eq!(shown(&rig), [true, true, true, false, false, false]);
    rig.press("right right right");
    rig.draw();
    assert_eq!(shown(&rig), [true; 6]);
}

#[test]
fn the_chosen_tile_is_zoomed_and_goes_back_to_its_place() {
    let (mut rig, feeds) = wall();
    rig.press("right enter");
    assert_eq!(rig.app.sessions.watching.as_ref().unwrap().live.feed, feeds[1]);
    // The others are heard meanwhile.
    rig.say(feeds[4], &asks(9, &observation("connect_four")));
    assert_eq!(rig.press("esc"), []);
    let wall = rig.app.sessions.wall.as_ref().unwrap();
    assert_eq!(wall.tiles.iter().map(|tile| tile.live.feed).collect::<Vec<_>>(), feeds);
    assert_eq!((wall.at, wall.tiles[4].live.view.tick), (1, 9));
}

#[test]
fn marks_choose_what_is_on_the_wall() {
    let mut rig = Rig::loaded();
    rig.press("2");
    rig.give("sessions", six());
    rig.press("space down space");
    assert_eq!(feeds(&rig.press("W")).len(), 2);
}

#[test]
fn an_ended_tile_stays_until_new_sessions_are_asked_for() {
    let (mut rig, feeds) = wall();
    rig.say(feeds[2], &over());
    rig.wake_for(secs(3));
    let mut all = six();
    all["sessions"][2] = session("s_new", "grid_serpents", "active");
    rig.give("sessions", all);
    assert!(rig.app.sessions.wall.as_ref().unwrap().tiles[2].live.view.outcome.is_some());
    let effects = rig.press("n");
    assert_eq!(closed(&effects), [feeds[2]]);
    assert_eq!(rig.app.sessions.wall.as_ref().unwrap().tiles[2].live.view.session_id, "s_new");
    assert_eq!(rig.press("n"), []);
}

#[test]
fn a_tile_is_dropped_alone_and_the_last_one_takes_the_wall_along() {
    let (mut rig, feeds) = wall();
    assert_eq!(closed(&rig.press("x")), [feeds[0]]);
    rig.press("x x x x x");
    assert!(rig.app.sessions.wall.is_none());
}

#[test]
fn arrows_move_among_the_tiles() {
    let (mut rig, _) = wall();
    let at = |rig: &Rig| rig.app.sessions.wall.as_ref().unwrap().at;
    for (key, place) in
        [("down", 3), ("left", 2), ("up", 2), ("right", 3), ("end", 3), ("right", 4), ("down", 4)]
    {
        rig.press(key);
        assert_eq!(at(&rig), place, "{key}");
    }
}

fn order(effects: &[Effect]) -> Option<(u64, Place)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Send(Request::Tape(_, Order::Show { ticket, at })) => Some((*ticket, *at)),
        _ => None,
    })
}

fn show(rig: &mut Rig, feed: FeedId, ticket: u64, nth: usize) -> Vec<Effect> {
    let mut view = View::new("s_live".into(), Some("connect_four".into()));
    view.tick = nth as u64;
    let frame = Frame { nth, at: secs(nth as u64), lasted: Some(secs(1)), view: Box::new(view) };
    rig.taped(feed, TapeEvent::Shown { ticket, frame: Box::new(frame) })
}

#[test]
fn one_goes_back_and_the_session_goes_on_meanwhile() {
    let (mut rig, feed) = Rig::watching("connect_four");
    rig.taped(feed, TapeEvent::Grew(Summary { moments: 100, ..Summary::default() }));
    let (ticket, at) = order(&rig.press("page-up")).unwrap();
    assert_eq!(at, Place::Nth(49));
    show(&mut rig, feed, ticket, 49);
    let tick = |rig: &Rig| rig.app.shown(&rig.app.sessions.watching.as_ref().unwrap().live).view.tick;
    assert_eq!(tick(&rig), 49);
    rig.say(feed, &asks(77, &observation("connect_four")));
    assert_eq!(tick(&rig), 49);
    let marked = Order::Bookmark { nth: 49, note: Some(String::new()) };
    assert_eq!(rig.press("b"), [Effect::Send(Request::Tape(feed, marked))]);
    rig.press("l");
    assert_eq!(tick(&rig), 77);
}

#[test]
fn a_place_is_typed_and_a_note_is_written() {
    let (mut rig, feed) = Rig::watching("connect_four");
    rig.taped(feed, TapeEvent::Grew(Summary { moments: 100, ..Summary::default() }));
    rig.press("t");
    rig.type_in("half");
    assert_eq!(rig.press("enter"), []);
    assert!(rig.app.overlay.is_some(), "it says what may be typed");
    rig.press("ctrl-u");
    rig.type_in("50%");
    let (_, at) = order(&rig.press("enter")).unwrap();
    assert_eq!(at, Place::Percent(50.0));
    rig.press("B");
    rig.type_in("look");
    let note = Order::Bookmark { nth: 99, note: Some("look".into()) };
    assert_eq!(rig.press("enter"), [Effect::Send(Request::Tape(feed, note))]);
}

#[test]
fn looking_back_from_a_seat_does_not_keep_one_from_acting() {
    let (mut rig, feed) = Rig::on_turn("grid_serpents");
    rig.taped(feed, TapeEvent::Grew(Summary { moments: 30, ..Summary::default() }));
    let (ticket, _) = order(&rig.press("[")).unwrap();
    show(&mut rig, feed, ticket, 3);
    assert!(rig.app.looks_back());
    // Arrows go through time now; they play nothing.
    let effects = rig.press("left");
    assert!(acts(&effects).is_empty() && order(&effects).is_some(), "{effects:?}");
    let effects = rig.press("enter");
    assert_eq!(acts(&effects).len(), 1);
    assert!(!rig.app.looks_back());
}

/// A recording of a session.
pub(crate) fn tape(id: &str) -> Recording {
    Recording {
        file: format!("/tmp/{id}.jsonl").into(),
        id: id.into(),
        header: Header {
            gert_recording: 1,
            kind: "spectator".into(),
            session_id: id.into(),
            host: "https://gertlabs.example/api".into(),
            started_at: "2026-03-01T11:00:00Z".parse().unwrap(),
        },
        totals: Totals { game: Some("connect_four".into()), ..Totals::default() },
        bytes: 123_456,
        notes: 0,
        state: State::Closed,
    }
}

#[test]
fn a_recording_is_opened_played_and_closed() {
    let mut rig = Rig::loaded();
    rig.press("2 a a");
    rig.give("sessions", past_sessions());
    rig.answer("recordings", Ok(Answer::Recordings(vec![tape("s_past")])));
    let effects = rig.press("enter");
    let feed = match &effects[0] {
        Effect::Send(Request::Replay(feed, file)) if file.ends_with("s_past.jsonl") => *feed,
        other => panic!("{other:?}"),
    };
    let summary = Summary { moments: 9, ..Summary::default() };
    let (ticket, at) = order(&rig.taped(feed, TapeEvent::Grew(summary))).unwrap();
    assert_eq!(at, Place::Nth(0));
    show(&mut rig, feed, ticket, 0);
    let (ticket, at) = order(&rig.wake()).unwrap();
    assert_eq!(at, Place::Nth(1));
    show(&mut rig, feed, ticket, 1);
    rig.press("space");
    assert_eq!(rig.app.next_wake(), None);
    assert_eq!(closed(&rig.press("esc")), [feed]);
}

#[test]
fn a_past_session_that_was_recorded_plays_and_its_log_has_a_key_of_its_own() {
    let mut rig = Rig::loaded();
    rig.press("2");
    rig.answer("recordings", Ok(Answer::Recordings(vec![tape("s_past")])));
    rig.press("down down");
    assert_eq!(asked(&rig.press("L")), ["logs"]);
    rig.press("esc");
    assert!(matches!(rig.press("enter")[..], [Effect::Send(Request::Replay(..))]));
}

#[test]
fn a_recording_that_cannot_be_read_is_told_and_left() {
    let mut rig = Rig::loaded();
    rig.press("2 a a");
    rig.answer("recordings", Ok(Answer::Recordings(vec![tape("s_past")])));
    rig.press("enter");
    let feed = rig.app.sessions.watching.as_ref().unwrap().live.feed;
    rig.taped(feed, TapeEvent::Failed("no such file".into()));
    assert!(rig.told().contains("cannot be read: no such file"));
    rig.press("esc");
    assert!(rig.app.sessions.watching.is_none());
}
