//! Starting a session: it costs credits, so nothing starts by accident and nothing is sent twice.

use super::harness::*;
use crate::api::ErrorKind;
use crate::app::Pane;
use crate::app::effect::Effect;
use crate::app::overlay::{CreateForm, Field, Overlay};
use crate::client::{Question, Request};

fn form(rig: &Rig) -> &CreateForm {
    match &rig.app.overlay {
        Some(Overlay::Create(form)) => form,
        other => panic!("no form but {other:?}"),
    }
}

#[test]
fn the_form_shows_the_price_and_its_default_is_to_cancel() {
    let mut rig = Rig::with_rules();
    assert_eq!(rig.press("p"), []);
    assert_eq!((form(&rig).ticks, form(&rig).mine), (42, 1));
    assert!((form(&rig).price() - 0.0168).abs() < 1e-9);
    assert_eq!(rig.press("enter"), []);
    assert!(rig.app.overlay.is_none());
}

#[test]
fn yes_sends_exactly_one_request() {
    let mut rig = Rig::with_rules();
    rig.press("p");
    let effects = rig.press("y");
    let [Effect::Send(Request::Ask(_, Question::Create(create)))] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(create.game.as_ref().unwrap().as_str(), "connect_four");
    assert_eq!((create.seats, create.player_count, create.vs_ai), (Some(1), Some(2), Some(true)));
    assert_eq!((create.max_ticks, create.autostart), (Some(42), None));
    assert_eq!(rig.press("y enter right enter y"), [], "it is under way");
    assert_eq!(rig.pending(), ["create"]);
}

#[test]
fn keys_with_control_or_alt_start_nothing() {
    // Esc and then y, quickly, reach us as alt-y.
    for key in ["ctrl-y", "alt-y", "alt-enter", "ctrl-enter"] {
        let mut rig = Rig::with_rules();
        rig.press("p right");
        assert_eq!(rig.press(key), [], "{key}");
    }
}

#[test]
fn the_form_is_filled_by_keys() {
    let mut rig = Rig::loaded();
    rig.press("down p");
    assert_eq!(
        form(&rig).fields(),
        [Field::Players, Field::Mine, Field::Others, Field::Ticks, Field::Buttons]
    );
    rig.press("down right right"); // The buttons come round to the players.
    assert_eq!((form(&rig).field, form(&rig).players), (Field::Players, 4));
    rig.press("down left"); // None of mine: I watch.
    assert_eq!((form(&rig).field, form(&rig).mine), (Field::Mine, 0));
    rig.press("down left");
    assert!(form(&rig).ai, "nobody would start it");
    rig.press("down 5 0");
    assert_eq!(form(&rig).ticks, 50, "the first digit starts a new number");
}

#[test]
fn ticks_stay_in_their_bounds() {
    let mut rig = Rig::with_rules();
    rig.press("p up");
    assert_eq!(form(&rig).field, Field::Ticks);
    for _ in 0..30 {
        rig.press("right");
    }
    assert_eq!(form(&rig).ticks, CreateForm::MOST_TICKS);
    for _ in 0..30 {
        rig.press("backspace");
    }
    assert_eq!(form(&rig).ticks, 1);
    rig.press("left left");
    assert_eq!(form(&rig).ticks, 1);
}

#[test]
fn a_lost_answer_is_told_and_never_sent_again() {
    for why in [ErrorKind::Timeout, ErrorKind::Lost] {
        let mut rig = Rig::with_rules();
        rig.press("p y");
        let effects = rig.fail("create", why);
        assert_eq!(asked(&effects), ["sessions", "balance"]);
        let problem = form(&rig).problem.as_deref().unwrap();
        assert!(problem.contains("may exist and cost credits"), "{problem}");
        assert!(!form(&rig).start && form(&rig).sent.is_none());
        let later = rig.wake_for(secs(120));
        assert!(!asked(&later).contains(&"create"), "{later:?}");
        assert_eq!(rig.press("enter"), [], "the default is to cancel");
    }
}

#[test]
fn a_lost_answer_is_told_even_if_the_form_was_closed() {
    let mut rig = Rig::with_rules();
    rig.press("p y esc");
    rig.fail("create", ErrorKind::Timeout);
    assert!(rig.told().contains("may exist and cost credits"), "{}", rig.told());
}

#[test]
fn a_refusal_is_shown_in_the_form_with_its_reason() {
    let mut rig = Rig::with_rules();
    rig.press("p y");
    rig.fail("create", ErrorKind::InsufficientCredits);
    let problem = form(&rig).problem.as_deref().unwrap();
    assert!(problem.contains("the reason given") && problem.contains("add credits"), "{problem}");
    assert_eq!(asked(&rig.press("y")), ["create"], "one may try again");
}

#[test]
fn each_seat_of_ours_is_sat_down_in_and_the_pane_opens() {
    let mut rig = Rig::with_rules();
    rig.press("p y");
    let effects = rig.give("create", created("connect_four", &["p0", "p1"]));
    let feeds = sat(&effects);
    assert_eq!(feeds.len(), 2);
    assert_ne!(feeds[0], feeds[1]);
    assert_eq!(rig.app.pane, Pane::Play);
    assert!(rig.app.overlay.is_none());
    let players: Vec<&str> = rig.app.play.seats.iter().map(|seat| seat.player_id.as_str()).collect();
    assert_eq!(players, ["p0", "p1"]);
}

#[test]
fn a_session_without_a_seat_of_ours_is_watched() {
    let mut rig = Rig::with_rules();
    rig.press("p y");
    let effects = rig.give("create", created("connect_four", &[]));
    watched(&effects);
    assert_eq!(rig.app.pane, Pane::Sessions);
    assert_eq!(rig.app.sessions.watching.as_ref().unwrap().live.view.session_id, "s_mine");
}

#[test]
fn after_a_match_the_same_game_is_played_again() {
    let (mut rig, feed) = Rig::on_turn("grid_serpents");
    rig.say(feed, &over());
    rig.draw();
    rig.press("n");
    assert_eq!(form(&rig).slug, "grid_serpents");
}

#[test]
fn without_a_game_there_is_nothing_to_start() {
    let (mut rig, _) = Rig::start(true);
    assert_eq!(rig.press("p"), []);
    assert!(rig.app.overlay.is_none());
    assert!(rig.told().contains("choose a game"));
}
