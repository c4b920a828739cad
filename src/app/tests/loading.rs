//! What is asked of the platform, when, and what becomes of the answers.

use std::sync::Arc;

use serde_json::json;

use super::harness::*;
use crate::api::ErrorKind;
use crate::app::Health;
use crate::app::effect::{Effect, Secret};
use crate::app::event::Event;
use crate::app::gate::Why;
use crate::client::{ClientEvent, Question, Request, Ticket};

#[test]
fn without_a_key_the_gate_asks_and_nothing_is_sent() {
    let (mut rig, effects) = Rig::start(false);
    assert_eq!(effects, []);
    assert_eq!(rig.app.gate.as_ref().unwrap().why, Why::NoKey);
    assert_eq!(rig.draw(), []);
    assert_eq!(rig.app.next_wake(), None);
}

#[test]
fn a_typed_key_is_used_and_then_everything_is_asked_once() {
    let (mut rig, _) = Rig::start(false);
    rig.press("p");
    rig.type_in("sk_1");
    assert_eq!(rig.press("enter"), [Effect::UseKey(Secret("sk_1".into()))]);
    assert_eq!(rig.press("enter"), [], "a second Enter while it is checked");
    let effects = rig.update(Event::KeyTaken(Ok(Ok("the key is kept".into()))));
    assert_eq!(asked(&effects), ALL);
    assert!(rig.app.gate.is_none());
    assert_eq!(rig.app.toasts.back().unwrap().text, "the key is kept");
}

#[test]
fn a_key_that_is_not_accepted_can_be_corrected() {
    let (mut rig, _) = Rig::start(false);
    rig.press("p x enter");
    rig.update(Event::KeyTaken(Err("a key begins with sk_".into())));
    let gate = rig.app.gate.as_ref().unwrap();
    assert_eq!(gate.problem.as_deref(), Some("a key begins with sk_"));
    assert!(!gate.busy && gate.typing.as_ref().unwrap().text() == "x");
}

#[test]
fn the_arena_is_opened_from_the_gate_and_its_failure_is_told() {
    let (mut rig, _) = Rig::start(false);
    assert_eq!(rig.press("a"), [Effect::OpenArena]);
    rig.update(Event::ArenaStarted(Err("no room on the disk".into())));
    assert_eq!(rig.app.gate.as_ref().unwrap().problem.as_deref(), Some("no room on the disk"));
    assert_eq!(rig.press("a"), [Effect::OpenArena]);
    assert_eq!(asked(&rig.update(Event::ArenaStarted(Ok(())))), ALL);
}

#[test]
fn with_a_key_everything_is_asked_once() {
    let (mut rig, effects) = Rig::start(true);
    assert_eq!(asked(&effects), ALL);
    assert_eq!(rig.press("R"), [], "all are pending");
    assert_eq!(rig.press("f5"), []);
    rig.give("games", games());
    assert_eq!(asked(&rig.press("R")), ["games"]);
}

#[test]
fn an_answer_to_no_question_and_a_second_answer_change_nothing() {
    let mut rig = Rig::loaded();
    let effects = rig.press("R");
    let [Effect::Send(Request::Ask(ticket, Question::Games)), ..] = effects[..] else {
        panic!("{effects:?}")
    };
    rig.give("games", json!({"games": [game("other", "Other", 5, &[], (2, 2))]}));
    for ticket in [ticket, Ticket(9999)] {
        let late = Ok(crate::client::Answer::Games(crate::api::model::Listing::default()));
        assert_eq!(rig.update(Event::Client(ClientEvent::Answered(ticket, late))), []);
    }
    assert_eq!(rig.app.games.items()[0].slug.as_str(), "other");
}

#[test]
fn old_values_stay_while_they_are_asked_for_again_and_when_that_fails() {
    let mut rig = Rig::loaded();
    rig.press("R");
    assert_eq!(rig.app.games.items().len(), 3);
    rig.fail("games", ErrorKind::Server);
    assert_eq!(rig.app.games.items().len(), 3);
    assert!(rig.app.games.games.failure().is_some());
}

/// Answers all that is pending with a failure; counts the questions.
fn fail_all(rig: &mut Rig, why: ErrorKind) -> usize {
    let pending = rig.pending();
    for kind in &pending {
        rig.fail(kind, why);
    }
    pending.len()
}

#[test]
fn a_platform_that_is_down_is_asked_again_with_growing_waits_until_it_answers() {
    let (mut rig, _) = Rig::start(true);
    for (round, wait) in [2, 4, 8, 15, 30, 30].into_iter().enumerate() {
        assert_eq!(fail_all(&mut rig, ErrorKind::Connect), ALL.len());
        let retry_at = rig.clock + secs(wait);
        assert_eq!(rig.app.health, Health::Down { tries: round as u32 + 1, retry_at });
        // It counts down once a second and asks nothing before its time.
        assert_eq!(rig.app.next_wake(), Some(rig.clock + secs(1)));
        assert_eq!(rig.wake_for(secs(wait - 1)), []);
        assert_eq!(asked(&rig.wake_for(secs(1))), ALL);
        assert_eq!(rig.wake_for(secs(20)), [], "one round at a time, however long it takes");
    }
    for (kind, json) in [("games", games()), ("tags", json!({})), ("sessions", past_sessions())] {
        rig.give(kind, json);
    }
    rig.give("balance", balance());
    rig.give("usage", usage());
    assert_eq!(rig.app.health, Health::Up);
    assert!(rig.told().contains("answers again"));
    rig.draw();
    rig.give("game", detail("connect_four"));
    assert_eq!(rig.wake_for(secs(60)), []);
    assert_eq!(rig.app.next_wake(), None);
}

#[test]
fn the_user_need_not_wait_for_the_next_try() {
    let (mut rig, _) = Rig::start(true);
    fail_all(&mut rig, ErrorKind::Timeout);
    assert_eq!(asked(&rig.press("R")), ALL);
}

#[test]
fn one_answer_that_cannot_be_read_does_not_make_the_platform_down() {
    let mut rig = Rig::loaded();
    rig.press("R");
    rig.give("games", games());
    for kind in ["tags", "usage"] {
        rig.fail(kind, ErrorKind::Decode);
    }
    assert_eq!(rig.app.health, Health::Up);
    rig.give("sessions", past_sessions());
    rig.give("balance", balance());
    assert_eq!(asked(&rig.wake_for(secs(60))), [""; 0]);
    assert_eq!(rig.told(), "");
}

#[test]
fn a_refused_key_leads_to_the_gate_with_the_reason() {
    let (mut rig, _) = Rig::start(true);
    rig.fail("games", ErrorKind::Authentication);
    let Why::Refused(words) = &rig.app.gate.as_ref().unwrap().why else { panic!() };
    assert!(words.contains("the reason given"), "{words}");
    fail_all(&mut rig, ErrorKind::Authentication);
    assert_eq!(rig.wake_for(secs(60)), []);
}

#[test]
fn behind_the_gate_nothing_is_asked() {
    let mut rig = Rig::loaded();
    rig.press("2");
    rig.fail("sessions", ErrorKind::Authentication);
    assert!(rig.app.gate.is_some() && rig.app.sessions.live_count() > 0);
    assert_eq!(rig.wake_for(secs(60)), []);
    assert_eq!(rig.app.next_wake(), None);
}

#[test]
fn questions_to_the_old_server_do_not_block_those_to_the_new_one() {
    let (mut rig, _) = Rig::start(true);
    rig.fail("games", ErrorKind::Authentication);
    // The others are never answered: the client that asked them is gone.
    rig.forget_questions();
    rig.press("p x enter");
    assert_eq!(asked(&rig.update(Event::KeyTaken(Ok(Ok("the key is kept".into()))))), ALL);
    rig.pass(secs(5));
    for (kind, json) in [("games", games()), ("tags", json!({})), ("sessions", past_sessions())] {
        rig.give(kind, json);
    }
    rig.give("balance", balance());
    rig.give("usage", usage());
    assert_eq!(rig.app.waiting_for(), None);
}

#[test]
fn what_found_no_room_is_not_waited_for() {
    let (mut rig, effects) = Rig::start(true);
    for effect in effects {
        let Effect::Send(request) = effect else { panic!("{effect:?}") };
        rig.update(Event::Refused(Box::new(request)));
    }
    assert_eq!(rig.app.waiting_for(), None);
    assert!(rig.told().contains("busy"));
    assert_eq!(asked(&rig.press("R")), ALL, "all can be asked again");
}

#[test]
fn a_session_that_found_no_room_blocks_no_later_question() {
    let mut rig = Rig::with_rules();
    let effects = rig.press("p y");
    let [Effect::Send(request)] = &effects[..] else { panic!("{effects:?}") };
    let after = rig.update(Event::Refused(Box::new(request.clone())));
    // Whatever is pending now was also sent.
    assert_eq!(asked(&after).len(), rig.app.pending.len());
}

#[test]
fn rules_are_asked_for_once_and_again_only_by_the_user() {
    let mut rig = Rig::loaded();
    assert_eq!(asked(&rig.draw()), ["game"]);
    assert_eq!(rig.draw(), []);
    rig.press("down");
    assert_eq!(rig.draw(), [], "one set of rules at a time");
    rig.fail("game", ErrorKind::Server);
    assert_eq!(asked(&rig.draw()), ["game"], "those of the game selected now");
    rig.give("game", detail("grid_serpents"));
    rig.press("up");
    assert_eq!(rig.draw(), [], "what failed is not asked for by itself");
    rig.press("R");
    assert_eq!(asked(&rig.draw()), ["game"]);
}

#[test]
fn an_answer_of_another_kind_is_a_failure_and_no_panic() {
    let (mut rig, _) = Rig::start(true);
    rig.answer("games", Ok(crate::client::Answer::Left));
    assert!(rig.app.games.games.failure().is_some());
}

#[test]
fn a_typed_key_is_never_printed() {
    let (mut rig, _) = Rig::start(false);
    rig.press("p");
    rig.type_in("sk_secret");
    let effects = rig.press("enter");
    assert!(!format!("{effects:?}").contains("sk_secret"));
    let why: Arc<str> = "no".into();
    assert!(!format!("{:?}", Event::KeyTaken(Err(why))).contains("sk_secret"));
}
