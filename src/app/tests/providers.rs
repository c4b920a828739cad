//! A provider in a seat: it decides on the server, and when it cannot, the human does.

use serde_json::{Value, json};

use super::harness::*;
use crate::app::effect::Effect;
use crate::app::event::Event;
use crate::app::overlay::Overlay;
use crate::app::panes::play::Driver;
use crate::client::{FeedEvent, FeedId, Request};

fn providers() -> Value {
    json!([{"provider_id": "p7", "name": "mine", "allowed_models": ["m-1", "m-2"]}, {"provider_id": "p8", "name": "other"}])
}

/// The turns that providers are asked for: by whom, tick, provider, model.
fn delegated(effects: &[Effect]) -> Vec<(String, u64, String, Option<String>)> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Send(Request::Delegate { by, tick, provider, model, .. }) => {
                Some((by.to_string(), *tick, provider.to_string(), model.clone()))
            }
            _ => None,
        })
        .collect()
}

/// A seat that a provider drives and decides for.
fn driven() -> (Rig, FeedId) {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    rig.press("v");
    rig.give("providers", providers());
    rig.press("down enter y");
    assert_eq!(rig.seat().driver, Driver::Provider);
    (rig, feed)
}

#[test]
fn a_provider_is_chosen_agreed_to_once_and_then_asked_for_every_turn() {
    let (mut rig, feed) = Rig::on_turn("connect_four");
    assert_eq!(asked(&rig.press("v")), ["providers"]);
    assert_eq!(rig.press("enter"), [], "nothing to choose yet");
    rig.give("providers", providers());
    assert_eq!(rig.press("down enter"), [], "first it asks");
    let Some(Overlay::Confirm(confirm)) = &rig.app.overlay else { panic!("not asked") };
    assert!(!confirm.agree && confirm.detail.iter().any(|line| line.contains("not known before")));
    assert_eq!(rig.press("enter"), [], "no is chosen");
    rig.press("v");
    let effects = rig.press("down enter y");
    assert_eq!(delegated(&effects), [("provider p7/m-2".into(), 1, "p7".into(), Some("m-2".into()))]);
    assert_eq!(acts(&rig.press("enter down")), [], "the hand is off");
    rig.say(feed, &json!({"type": "action_result", "accepted": true, "tick": 1}));
    assert_eq!(delegated(&rig.observe(feed, 2, &observation("connect_four")))[0].1, 2);
    assert_eq!(rig.observe(feed, 2, &observation("connect_four")), [], "one request a turn");
    rig.press("h");
    assert_eq!(rig.seat().driver, Driver::Human);
    assert_eq!(acts(&rig.press("enter")).len(), 1);
    rig.press("v");
    rig.press("down enter");
    assert_eq!(rig.seat().driver, Driver::Provider, "it was agreed to");
}

#[test]
fn a_model_can_be_named_that_is_not_listed() {
    let (mut rig, _) = Rig::on_turn("connect_four");
    rig.press("v");
    rig.give("providers", providers());
    rig.press("down down");
    rig.type_in("m-9");
    assert_eq!(delegated(&rig.press("enter y"))[0].0, "provider p8/m-9");
    let (mut rig, _) = Rig::on_turn("connect_four");
    rig.press("v");
    rig.give("providers", providers());
    assert_eq!(delegated(&rig.press("down down enter y"))[0].3, None);
}

#[test]
fn a_server_that_takes_turns_without_a_word_is_understood() {
    let (mut rig, feed) = driven();
    assert_eq!(delegated(&rig.observe(feed, 2, &observation("connect_four"))).len(), 1);
}

#[test]
fn a_provider_that_has_decided_is_not_given_up_while_others_think() {
    let (mut rig, feed) = driven();
    let mut waits = asks(1, &observation("connect_four"));
    waits["on_turn"] = json!(false);
    rig.say(feed, &waits);
    rig.forget_questions();
    rig.wake_for(secs(400));
    assert_eq!(rig.seat().driver, Driver::Provider);
}

#[test]
fn an_error_gives_the_seat_to_the_human_with_the_reason() {
    let (mut rig, feed) = driven();
    rig.say(feed, &json!({"type": "error", "code": "NOT_SUPPORTED", "message": "no credits\u{1b}[2J"}));
    assert_eq!(rig.seat().driver, Driver::Human);
    assert!(rig.notice().contains("p7/m-2 failed: no credits␛[2J"), "{}", rig.notice());
    assert_eq!(acts(&rig.press("enter")).len(), 1);
}

#[test]
fn a_refused_turn_of_a_provider_is_the_humans_to_mend() {
    let (mut rig, feed) = driven();
    rig.say(feed, &json!({"type": "action_result", "accepted": false, "tick": 1, "reasons": ["full"]}));
    assert_eq!(rig.seat().driver, Driver::Human);
    assert!(rig.notice().contains("refused: full"), "{}", rig.notice());
}

#[test]
fn a_provider_that_says_nothing_is_given_up() {
    let (mut rig, _) = driven();
    rig.forget_questions();
    rig.wake_for(secs(179));
    assert_eq!(rig.seat().driver, Driver::Provider);
    rig.wake_for(secs(3));
    assert_eq!(rig.seat().driver, Driver::Human);
    assert!(rig.notice().contains("said nothing for 180 s"), "{}", rig.notice());
}

#[test]
fn a_turn_that_was_cut_off_is_not_asked_for_again_by_itself() {
    let (mut rig, feed) = driven();
    rig.fed(feed, FeedEvent::Lost { why: "reset".into(), retry: secs(1) });
    rig.fed(feed, FeedEvent::Opened);
    assert_eq!(delegated(&rig.observe(feed, 1, &observation("connect_four"))), []);
    assert!(rig.notice().contains("may still be played and billed"), "{}", rig.notice());
    assert_eq!(rig.seat().driver, Driver::Human);
}

#[test]
fn a_request_that_found_no_room_gives_the_seat_back() {
    let (mut rig, _) = Rig::on_turn("connect_four");
    rig.press("v");
    rig.give("providers", providers());
    let effects = rig.press("enter y");
    let [Effect::Send(request)] = &effects[..] else { panic!("{effects:?}") };
    rig.update(Event::Refused(Box::new(request.clone())));
    assert_eq!(rig.seat().driver, Driver::Human);
}

#[test]
fn a_server_without_providers_says_so_and_the_seat_stays() {
    let (mut rig, _) = Rig::on_turn("connect_four");
    rig.press("v");
    rig.fail("providers", crate::api::ErrorKind::NotFound);
    assert!(rig.app.play.providers.failure().is_some());
    rig.press("enter esc");
    assert_eq!(acts(&rig.press("enter")).len(), 1);
}

#[test]
fn each_own_seat_has_a_driver_of_its_own() {
    let (mut rig, feeds) = Rig::seated_at("grid_serpents", &["p0", "p1", "p2"]);
    rig.press("s c");
    let effects = rig.press("enter");
    assert!(matches!(effects[0], Effect::StartPolicy(..)));
    rig.press("s v");
    rig.give("providers", providers());
    rig.press("enter y");
    let drivers: Vec<Driver> = rig.app.play.seats.iter().map(|seat| seat.driver).collect();
    assert_eq!(drivers, [Driver::Human, Driver::Policy, Driver::Provider]);
    let told: Vec<usize> =
        feeds.iter().map(|feed| rig.observe(*feed, 1, &observation("grid_serpents")).len()).collect();
    assert_eq!(told, [0, 1, 1]);
    assert_eq!(rig.seat().player_id, "p0", "the one who has to decide by hand comes on screen");
}

#[test]
fn only_the_models_of_the_game_are_offered_where_a_provider_tells() {
    let (mut rig, _) = Rig::on_turn("connect_four");
    rig.press("v");
    rig.give(
        "providers",
        json!([{"provider_id": "arena", "allowed_models": ["ab4", "greedy"],
                "models_by_game": {"connect_four": ["ab4"], "grid_serpents": ["greedy"]}}]),
    );
    rig.press("down down enter");
    let Some(Overlay::Confirm(confirm)) = &rig.app.overlay else { panic!("not asked") };
    assert!(confirm.question.contains("arena/ab4"), "{}", confirm.question);
}
