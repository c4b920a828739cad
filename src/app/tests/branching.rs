//! Branching a session: it costs credits, so it is priced before, cancels by default and is sent once.

use serde_json::{Value, json};

use super::harness::*;
use crate::api::ErrorKind;
use crate::app::Pane;
use crate::app::branching::BranchForm;
use crate::app::effect::Effect;
use crate::app::overlay::Overlay;
use crate::client::{Question, Request};

fn form(rig: &Rig) -> &BranchForm {
    match &rig.app.overlay {
        Some(Overlay::Branch(form)) => form,
        other => panic!("no form but {other:?}"),
    }
}

/// The list of sessions, the first of which is live.
fn listed() -> Rig {
    let mut rig = Rig::loaded();
    rig.press("2");
    rig.give("sessions", sessions());
    rig
}

fn branch_of(parent: &str, id: &str, seats: &[&str]) -> Value {
    let mut made = created("connect_four", seats);
    let mut session = session(id, "connect_four", "active");
    session["branch"] = json!({"parent_id": parent, "tick": 13, "kind": "single"});
    (made["session_id"], made["session"]) = (json!(id), session);
    made
}

#[test]
fn the_form_shows_the_price_of_the_ticks_left_and_its_default_is_to_cancel() {
    let mut rig = listed();
    assert_eq!(rig.press("b"), []);
    assert_eq!((form(&rig).session.as_str(), form(&rig).tick), ("s_live", None));
    assert!((form(&rig).price().unwrap() - 29.0 * 0.0004).abs() < 1e-9);
    assert_eq!(rig.press("enter"), []);
    assert!(rig.app.overlay.is_none());
    for key in ["ctrl-y", "alt-y", "alt-enter"] {
        rig.press("b right");
        assert_eq!(rig.press(key), [], "{key}");
        rig.press("esc");
    }
}

#[test]
fn yes_sends_one_request_and_the_branch_is_shown_below_its_session() {
    let mut rig = listed();
    rig.press("b tab left left");
    assert_eq!(form(&rig).tick, Some(12));
    let effects = rig.press("y");
    let [Effect::Send(Request::Ask(_, Question::Branch(priced)))] = &effects[..] else {
        panic!("{effects:?}")
    };
    let branch = &priced.branch;
    assert_eq!(priced.ticks_left, Some(30));
    assert_eq!((branch.session_id.as_str(), branch.count, &branch.explore), ("s_live", None, &None));
    assert_eq!(branch.extra.get("tick").map(crate::api::model::Json::get), Some("12"));
    assert_eq!(rig.press("y enter right enter y"), [], "it is under way");
    let mut made = branch_of("s_live", "s_branch", &[]);
    let child = made["session"].clone();
    made["session"] = json!(null);
    assert!(asked(&rig.give("branch", made)).contains(&"sessions"));
    assert!(rig.app.overlay.is_none());
    let mut all = sessions();
    all["sessions"].as_array_mut().unwrap().insert(0, child);
    rig.give("sessions", all);
    let pane = &rig.app.sessions;
    assert_eq!(pane.selected().unwrap().session_id.as_str(), "s_branch");
    let shown: Vec<(&str, usize)> = pane
        .list
        .shown()
        .iter()
        .map(|&nth| (pane.items()[nth].session_id.as_str(), pane.depths[nth]))
        .collect();
    assert_eq!(shown[..2], [("s_live", 0), ("s_branch", 1)]);
}

#[test]
fn seats_of_ones_own_in_a_branch_are_taken_at_once() {
    let mut rig = listed();
    rig.press("b y");
    let effects = rig.give("branch", branch_of("s_live", "s_branch", &["p0"]));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Send(Request::Sit(..)))), "{effects:?}");
    assert_eq!((rig.app.pane, rig.app.play.seats.len()), (Pane::Play, 1));
}

#[test]
fn an_answer_that_was_lost_is_told_and_not_asked_for_again() {
    let mut rig = listed();
    rig.press("b y");
    let effects = rig.fail("branch", ErrorKind::Timeout);
    assert!(form(&rig).problem.as_deref().unwrap().contains("may exist"), "{:?}", form(&rig).problem);
    assert!(!asked(&effects).contains(&"branch"));
    rig.fail("sessions", ErrorKind::Timeout);
    assert!(form(&rig).sent.is_none(), "one may try again, or not");
}

#[test]
fn a_past_session_begins_again_before_its_end_and_a_lobby_nowhere() {
    let mut rig = listed();
    rig.press("/ s _ p a s t enter b");
    assert_eq!((form(&rig).tick, form(&rig).last), (Some(12), 12));
    rig.press("esc esc / s _ w a i t enter");
    assert_eq!(rig.press("b"), []);
    assert!(rig.app.overlay.is_none());
}
