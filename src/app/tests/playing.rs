//! Playing by hand.

use serde_json::json;

use super::harness::*;
use crate::app::Pane;
use crate::app::effect::Effect;
use crate::app::event::Event;
use crate::app::live::Link;
use crate::app::overlay::Overlay;
use crate::app::panes::play::Answered;
use crate::client::{FeedEvent, Question, Request};

fn accept(rig: &mut Rig, feed: crate::client::FeedId, accepted: bool, tick: u64) -> Vec<Effect> {
    let id = rig.seat().sent.as_ref().unwrap().action_id.clone();
    let reasons = if accepted { json!([]) } else { json!(["column 3 is full", "try another\u{1b}[2J"]) };
    rig.say(feed, &json!({"type": "action_result", "accepted": accepted, "tick": tick, "reasons": reasons, "action_id": id}))
}

#[test]
fn legal_actions_are_choices_and_the_heaviest_is_chosen_first() {
    let (rig, _) = Rig::on_turn("connect_four");
    let labels: Vec<&str> = rig.seat().choices.iter().map(|choice| choice.label.as_str()).collect();
    assert_eq!(labels.len(), 7, "doing nothing is no move here: {labels:?}");
    assert_eq!(rig.seat().chosen().unwrap().label, "drop column 3");
    let (rig, _) = Rig::on_turn("grid_serpents");
    assert_eq!(rig.seat().choices.last().unwrap().label, "do nothing");
}

#[test]
fn enter_plays_the_choice_once() {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    rig.press("down");
    let sent = acts(&rig.press("enter"));
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].1, r#"{"action":"drop","column":4}"#);
    assert_eq!(rig.press("enter enter"), [], "it is under way");
    assert!(rig.notice().contains("already played"));
    accept(&mut rig, feed, true, 1);
    assert_eq!(rig.seat().answered, Some(Answered::Accepted { tick: 1 }));
    assert_eq!(rig.press("enter"), [], "it was played");
    rig.observe(feed, 2, &observation("connect_four"));
    let again = acts(&rig.press("enter"));
    assert_eq!(again.len(), 1);
    assert_ne!(again[0].0, sent[0].0, "each action has an id of its own");
}

#[test]
fn arrows_go_from_cell_to_cell_and_enter_plays() {
    let (mut rig, feed) = Rig::seated("multi_reversi");
    let cells = [[2, 3], [3, 2], [4, 5], [5, 4]]
        .map(|[row, col]| json!({"action": {"action": "place", "row": row, "col": col}, "weight": 1}));
    rig.observe(feed, 1, &json!({"is_your_turn": true, "_action_space": cells}));
    let at = |rig: &Rig| rig.seat().chosen().unwrap().place.unwrap();
    rig.press("home");
    assert_eq!(at(&rig), (3, 2));
    rig.press("right");
    assert_eq!(at(&rig), (5, 4));
    rig.press("right right");
    assert_eq!(at(&rig), (5, 4), "nothing lies further to the right");
    rig.press("down");
    assert_eq!(at(&rig), (4, 5));
    rig.press("left");
    assert_eq!(at(&rig), (2, 3));
    rig.press("k");
    assert_eq!(at(&rig), (3, 2), "letters still go through the list");
    let sent: serde_json::Value = serde_json::from_str(&acts(&rig.press("enter"))[0].1).unwrap();
    assert_eq!(sent, json!({"action": "place", "row": 2, "col": 3}));
}

#[test]
fn left_and_right_size_a_raise() {
    let (mut rig, feed) = Rig::seated("pot_limit_omaha_hilo");
    rig.observe(
        feed,
        1,
        &json!({"is_your_turn": true, "raise_min": 20, "raise_max": 35, "_action_space": [
        {"action": {"action": "call"}, "weight": 3}, {"action": {"action": "raise", "to": 20}, "weight": 1},
        {"action": {"action": "raise", "to": 35}, "weight": 1}]}),
    );
    assert_eq!(rig.seat().chosen().unwrap().label, "call");
    rig.press("right");
    assert_eq!(
        rig.seat().chosen().unwrap().label,
        "raise to 20",
        "a call has no size: the key goes to the list"
    );
    rig.press("right right left");
    assert_eq!(rig.seat().chosen().unwrap().label, "raise to 21");
    assert_eq!(acts(&rig.press("enter"))[0].1, r#"{"action":"raise","to":21}"#);
}

#[test]
fn an_action_that_came_too_late_for_its_tick_counts_for_the_next() {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    rig.press("enter");
    let id = rig.seat().sent.as_ref().unwrap().action_id.clone();
    rig.observe(
        feed,
        2,
        &json!({"is_your_turn": true, "_action_space": [{"action": {"action": "drop", "column": 3}}]}),
    );
    assert!(rig.seat().wants_decision());
    rig.say(feed, &json!({"type": "action_result", "accepted": true, "tick": 2, "action_id": id}));
    assert!(!rig.seat().wants_decision());
    assert_eq!(acts(&rig.press("enter")), []);
}

#[test]
fn a_refusal_shows_its_reasons_and_one_may_try_again() {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    rig.press("enter");
    assert_eq!(accept(&mut rig, feed, false, 1), []);
    let Some(Answered::Refused { reasons }) = &rig.seat().answered else { panic!() };
    assert_eq!(reasons, &["column 3 is full", "try another␛[2J"]);
    assert_eq!(acts(&rig.press("down enter")).len(), 1);
}

#[test]
fn an_acknowledgement_that_comes_late_says_nothing_of_the_next_tick() {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    rig.press("enter");
    let old = rig.seat().sent.as_ref().unwrap().action_id.clone();
    rig.observe(feed, 2, &observation("connect_four"));
    let late = json!({"type": "action_result", "accepted": true, "tick": 1, "action_id": old});
    rig.say(feed, &late);
    assert!(rig.seat().wants_decision(), "tick 2 is still to be played");
    assert_eq!(acts(&rig.press("enter")).len(), 1);
    let late = json!({"type": "action_result", "accepted": false, "tick": 1, "action_id": old});
    rig.say(feed, &late);
    assert!(rig.seat().sent.is_some(), "the action for tick 2 is still under way");
}

#[test]
fn a_server_that_names_no_action_is_understood_too() {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    rig.press("enter");
    rig.say(feed, &json!({"type": "action_result", "accepted": true}));
    assert_eq!(rig.seat().answered, Some(Answered::Accepted { tick: 1 }));
}

#[test]
fn nothing_is_sent_when_it_is_not_ones_turn() {
    let (mut rig, feed) = Rig::seated("connect_four");
    assert_eq!(rig.press("enter"), [], "nothing was seen yet");
    let mut message = asks(1, &observation("connect_four"));
    message["on_turn"] = json!(false);
    rig.say(feed, &message);
    rig.draw();
    assert_eq!(rig.press("enter"), []);
    assert_eq!(rig.notice(), "not your turn");
}

#[test]
fn whose_turn_it_is_may_stand_in_the_observation() {
    let (mut rig, feed) = Rig::seated("connect_four");
    let mut data = observation("connect_four");
    data["is_your_turn"] = json!(false);
    rig.say(feed, &json!({"type": "observation", "tick": 1, "data": data}));
    assert!(!rig.seat().on_turn);
    rig.say(feed, &json!({"type": "observation", "tick": 2, "data": observation("unknown")}));
    assert!(rig.seat().on_turn, "where nobody says, every observation asks");
}

#[test]
fn arrow_keys_steer_where_actions_name_directions() {
    let (mut rig, feed) = Rig::on_turn("grid_serpents");
    let sent = acts(&rig.press("left"));
    assert_eq!(sent[0].1, r#"{"action":"move","direction":"left"}"#);
    assert_eq!(acts(&rig.press("up left up")), [], "once a tick");
    rig.observe(feed, 2, &observation("grid_serpents"));
    assert_eq!(acts(&rig.press("down")), [], "not among the legal ones");
    assert_eq!(acts(&rig.press("ctrl-b j k")), []);
    assert_eq!(acts(&rig.press("up")).len(), 1);
}

#[test]
fn a_search_narrows_the_choices_and_enter_plays() {
    let (mut rig, _) = Rig::on_turn("connect_four");
    rig.press("/");
    rig.type_in("column 5");
    let sent = acts(&rig.press("enter"));
    assert_eq!(sent[0].1, r#"{"action":"drop","column":5}"#);
}

#[test]
fn a_written_action_is_checked_sent_and_then_forgotten() {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    rig.press("e");
    assert_eq!(
        rig.seat().draft.as_ref().unwrap().editor.text(),
        "{\n  \"action\": \"drop\",\n  \"column\": 3\n}"
    );
    rig.press("backspace");
    assert_eq!(rig.press("enter"), []);
    assert!(rig.notice().starts_with("not sent: not finished"), "{}", rig.notice());
    rig.press("}");
    assert_eq!(acts(&rig.press("enter")).len(), 1);
    accept(&mut rig, feed, true, 1);
    assert!(rig.seat().draft.is_none());
}

#[test]
fn a_refused_action_is_still_there_to_be_mended() {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    rig.press("e enter");
    accept(&mut rig, feed, false, 1);
    rig.press("e");
    assert_eq!(
        rig.seat().draft.as_ref().unwrap().editor.text(),
        "{\n  \"action\": \"drop\",\n  \"column\": 3\n}"
    );
    assert_eq!(acts(&rig.press("enter")).len(), 1);
}

#[test]
fn what_is_written_stays_over_ticks_and_needs_a_second_enter() {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    rig.press("e space");
    rig.observe(feed, 5, &observation("connect_four"));
    assert_eq!(rig.press("enter"), []);
    assert!(rig.notice().contains("from tick 1 to 5"), "{}", rig.notice());
    assert!(rig.seat().draft.as_ref().unwrap().open);
    assert_eq!(acts(&rig.press("enter")).len(), 1);
}

#[test]
fn escape_closes_the_editor_keeps_the_text_and_never_leaves() {
    let (mut rig, _) = Rig::on_turn("connect_four");
    rig.press("e space");
    assert_eq!(rig.press("esc"), []);
    assert!(!rig.seat().draft.as_ref().unwrap().open);
    assert_eq!(rig.press("esc esc esc"), []);
    assert_eq!(rig.app.pane, Pane::Games, "it only looks away");
    assert_eq!(rig.app.play.live().count(), 1);
    rig.press("3 e");
    assert!(rig.seat().draft.as_ref().unwrap().editor.text().ends_with("} "));
}

#[test]
fn leaving_asks_and_its_default_is_to_stay() {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    assert_eq!(rig.press("x"), []);
    let Some(Overlay::Confirm(confirm)) = &rig.app.overlay else { panic!("not asked") };
    assert!(!confirm.agree);
    assert_eq!(rig.press("enter"), []);
    assert_eq!(rig.press("x esc"), []);
    let effects = rig.press("x y");
    assert!(
        matches!(&effects[..], [Effect::Send(Request::Ask(_, Question::Leave(id, _)))] if id.as_str() == "s_mine")
    );
    assert!(rig.seat().live.is_live(), "not before the answer");
    let effects = rig.give("leave", json!(null));
    assert_eq!(effects[0], Effect::Send(Request::Close(feed)));
    assert!(rig.app.play.seats.is_empty());
}

#[test]
fn a_seat_that_could_not_be_left_stays() {
    let (mut rig, _) = Rig::on_turn("connect_four");
    rig.press("x y");
    rig.fail("leave", crate::api::ErrorKind::Timeout);
    assert!(rig.told().contains("not left"), "{}", rig.told());
    assert_eq!(rig.app.play.seats.len(), 1);
    rig.press("x y");
    rig.fail("leave", crate::api::ErrorKind::NotFound);
    assert!(rig.app.play.seats.is_empty(), "what is gone was left");
}

#[test]
fn a_balance_asked_for_before_the_end_is_asked_for_again_after_it() {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    rig.wake_for(secs(10)); // A poll is under way.
    assert!(rig.pending().contains(&"balance"));
    let effects = rig.say(feed, &over());
    assert!(!asked(&effects).contains(&"balance"), "one at a time");
    assert_eq!(asked(&rig.give("balance", balance())), ["balance"]);
    assert_eq!(asked(&rig.give("balance", balance())), [""; 0]);
}

#[test]
fn a_match_that_is_over_is_closed_without_a_question() {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    rig.forget_questions();
    let effects = rig.say(feed, &over());
    assert_eq!(asked(&effects), ["session", "sessions", "balance", "usage"]);
    assert_eq!(rig.seat().live.view.outcome.as_ref().unwrap().scores["p0"].to_bits(), 100f64.to_bits());
    assert_eq!(acts(&rig.press("enter")), []);
    assert_eq!(rig.press("x"), [Effect::Send(Request::Close(feed))]);
    assert!(rig.app.play.seats.is_empty());
}

#[test]
fn that_another_seat_is_out_is_no_news_of_ones_own() {
    let (mut rig, feed) = Rig::on_turn("grid_serpents");
    rig.say(feed, &json!({"type": "player_eliminated", "player_id": "p1", "tick": 1, "score": 0}));
    rig.say(feed, &json!({"type": "player_failed", "player_id": "p1", "tick": 1, "reason": "silent"}));
    assert_eq!(rig.notice(), "");
    assert_eq!(acts(&rig.press("left")).len(), 1);
    rig.say(feed, &json!({"type": "player_eliminated", "player_id": "p0", "tick": 1, "score": 0}));
    assert!(rig.notice().contains("out of the game"));
    assert!(!rig.seat().on_turn);
}

#[test]
fn a_failure_of_ones_own_seat_is_told() {
    let (mut rig, feed) = Rig::on_turn("grid_serpents");
    rig.say(feed, &json!({"type": "player_failed", "player_id": "p0", "tick": 1, "reason": "too slow"}));
    assert!(rig.notice().contains("too slow"));
    assert_eq!(acts(&rig.press("left")), []);
}

#[test]
fn what_was_under_way_when_the_link_broke_can_be_played_again() {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    rig.press("enter");
    rig.fed(feed, FeedEvent::Lost { why: "reset".into(), retry: secs(1) });
    rig.fed(feed, FeedEvent::Connecting { attempt: 2 });
    rig.fed(feed, FeedEvent::Opened);
    rig.observe(feed, 1, &observation("connect_four"));
    assert!(rig.seat().wants_decision());
    assert_eq!(acts(&rig.press("enter")).len(), 1);
}

#[test]
fn an_action_that_could_not_be_sent_can_be_sent_again() {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    let effects = rig.press("enter");
    let (id, _) = acts(&effects)[0].clone();
    rig.fed(feed, FeedEvent::NotSent { action_id: id, why: "the connection is down".into() });
    let effects = rig.press("enter");
    let [Effect::Send(request)] = &effects[..] else { panic!("{effects:?}") };
    rig.update(Event::Refused(Box::new(request.clone())));
    assert!(rig.notice().contains("not sent"));
    assert_eq!(acts(&rig.press("enter")).len(), 1);
}

#[test]
fn a_lost_link_of_a_seat_is_tried_at_once_by_a_key() {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    rig.fed(feed, FeedEvent::Lost { why: "reset".into(), retry: secs(8) });
    assert!(matches!(rig.seat().live.link, Link::Lost { .. }));
    assert_eq!(rig.press("R"), [Effect::Send(Request::Reconnect(feed))]);
}

#[test]
fn the_seat_that_has_to_decide_comes_on_screen() {
    let (mut rig, feeds) = Rig::seated_at("connect_four", &["p0", "p1"]);
    let mut waits = asks(1, &observation("connect_four"));
    waits["on_turn"] = json!(false);
    rig.say(feeds[0], &waits);
    rig.say(feeds[1], &asks(1, &observation("connect_four")));
    rig.draw();
    assert_eq!(rig.seat().player_id, "p1");
    rig.press("s");
    rig.draw();
    assert_eq!(rig.seat().player_id, "p0", "one may look at the other until something happens");
}

#[test]
fn the_screen_stays_where_something_is_written_and_leaves_policies_alone() {
    let (mut rig, feeds) = Rig::seated_at("connect_four", &["p0", "p1"]);
    let mut waits = asks(2, &observation("connect_four"));
    waits["on_turn"] = json!(false);
    rig.press("e");
    rig.say(feeds[0], &waits);
    rig.say(feeds[1], &asks(2, &observation("connect_four")));
    assert_eq!(rig.seat().player_id, "p0", "the editor is open");
    rig.press("esc s c");
    rig.paste("bot");
    rig.press("enter s");
    rig.say(feeds[1], &asks(4, &observation("connect_four")));
    assert_eq!(rig.seat().player_id, "p0", "a policy decides for the other seat");
}

#[test]
fn opening_ones_own_session_leads_to_its_seat() {
    let (mut rig, _) = Rig::seated("connect_four");
    rig.press("2");
    rig.give("sessions", json!({"sessions": [session("s_mine", "connect_four", "active")]}));
    assert_eq!(rig.press("enter"), []);
    assert_eq!(rig.app.pane, Pane::Play);
}

#[test]
fn what_does_not_fit_the_schema_is_told_and_sent_by_a_second_enter() {
    let (mut rig, _) = Rig::on_turn("connect_four");
    rig.press("e ctrl-a ctrl-k");
    rig.app.play.seats[0].draft.as_mut().unwrap().editor.set(r#"{"action":"fall"}"#);
    assert_eq!(rig.press("enter"), []);
    assert!(rig.notice().starts_with("schema: action must be \"drop\""), "{}", rig.notice());
    rig.press("space backspace");
    assert_eq!(acts(&rig.press("enter"))[0].1, r#"{"action":"fall"}"#, "the schema may be wrong");
}

#[test]
fn tab_completes_from_the_schema_the_rules_and_what_was_played() {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    rig.press("enter");
    accept(&mut rig, feed, true, 1);
    rig.observe(feed, 2, &observation("connect_four"));
    rig.press("e");
    let text = |rig: &Rig| rig.seat().draft.as_ref().unwrap().editor.text();
    rig.app.play.seats[0].draft.as_mut().unwrap().editor.set("{\"ac");
    rig.press("tab");
    assert_eq!(text(&rig), r#"{"action": "drop""#);
    rig.app.play.seats[0].draft.as_mut().unwrap().editor.set("");
    rig.press("a backspace tab");
    assert_eq!(text(&rig), r#"{"action":"drop","column":3}"#);
    rig.press("tab");
    assert_eq!(text(&rig), r#"{"action":"drop","column":0}"#, "then the legal ones");
}

#[test]
fn what_was_played_is_recalled_in_the_editor_also_in_the_next_session() {
    let (mut rig, _) = Rig::on_turn("connect_four");
    rig.press("down enter e ctrl-p");
    let text = |rig: &Rig| rig.seat().draft.as_ref().unwrap().editor.text();
    assert_eq!(text(&rig), r#"{"action":"drop","column":4}"#);
    rig.press("ctrl-n");
    assert!(text(&rig).contains('\n'), "and what was written comes back: {}", text(&rig));
}

#[test]
fn every_action_is_tagged_with_who_decided_and_told_in_the_log() {
    let (mut rig, _) = Rig::on_turn("connect_four");
    let effects = rig.press("enter");
    assert!(matches!(&effects[..], [Effect::Send(Request::Act { by, tick: 1, .. })] if &**by == "human"));
    let line = rig.seat().live.view.log.back().unwrap();
    assert_eq!((line.tick, line.text.as_str()), (1, "p0  drop column 3  (human)"));
    assert_eq!(rig.seat().last.as_ref().unwrap().words, "drop column 3");
}

#[test]
fn a_draft_of_each_seat_is_kept_over_refreshes() {
    // T-36
    let (mut rig, feeds) = Rig::seated_at("connect_four", &["p0", "p1"]);
    rig.say(feeds[0], &asks(1, &observation("connect_four")));
    rig.draw();
    rig.press("e z z esc R s e y esc s");
    rig.say(feeds[0], &asks(2, &observation("connect_four")));
    rig.draw();
    let texts: Vec<String> =
        rig.app.play.seats.iter().map(|seat| seat.draft.as_ref().unwrap().editor.text()).collect();
    assert!(texts[0].ends_with("zz") && texts[1].ends_with('y'), "{texts:?}");
}

#[test]
fn the_prompt_is_the_platforms_byte_for_byte_and_can_be_copied() {
    let (mut rig, _) = Rig::on_turn("connect_four");
    rig.press("P");
    let Some(Overlay::Prompt(view)) = &rig.app.overlay else { panic!("no prompt") };
    let raw = observation("connect_four").to_string();
    let user = crate::rollout::format_observation(crate::rollout::Observation::Text(&raw)).unwrap();
    let rules = detail("connect_four")["prompt"].as_str().unwrap().to_owned();
    let system = crate::rollout::system_prompt(Some(&rules));
    assert_eq!((&view.user, &view.system), (&Ok(user.clone()), &Ok(system.clone())));
    assert_eq!(rig.press("y"), [Effect::Copy(user)]);
    assert_eq!(rig.press("tab y"), [Effect::Copy(system)]);
    assert!(rig.told().contains("bytes"), "{}", rig.told());
    rig.press("esc");
    assert!(rig.app.overlay.is_none());
    let (mut rig, _) = Rig::seated("connect_four");
    assert_eq!(rig.press("P y"), [], "nothing was observed yet");
}
