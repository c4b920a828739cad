//! Who gets a key or a paste, and how one gets out.

use super::harness::*;
use crate::app::Pane;
use crate::app::effect::Effect;
use crate::app::overlay::Overlay;

#[test]
fn control_c_closes_what_is_open_and_twice_it_leaves() {
    for keys in ["?", ":", "p", "/"] {
        let mut rig = Rig::with_rules();
        rig.press(keys);
        assert_eq!(rig.press("ctrl-c"), [], "{keys}");
        assert!(rig.app.overlay.is_none() && !rig.app.games.list.typing());
        assert_eq!(rig.press("ctrl-c"), [Effect::Exit]);
    }
}

#[test]
fn control_c_asks_before_it_leaves_live_seats_and_twice_it_does_not() {
    let (mut rig, _) = Rig::seated("connect_four");
    assert_eq!(rig.press("ctrl-c"), []);
    assert!(matches!(rig.app.overlay, Some(Overlay::Confirm(_))));
    rig.pass(secs(3));
    assert_eq!(rig.press("ctrl-c"), [], "it closes the question");
    assert!(rig.app.overlay.is_none());
    assert_eq!(rig.press("ctrl-c"), [Effect::Exit]);
}

#[test]
fn control_c_at_the_gate_leaves() {
    let (mut rig, _) = Rig::start(false);
    rig.press("p");
    assert_eq!(rig.press("ctrl-c"), []);
    rig.pass(secs(3));
    assert_eq!(rig.press("ctrl-c"), [Effect::Exit]);
}

#[test]
fn quitting_asks_only_while_a_seat_is_live() {
    let mut rig = Rig::with_rules();
    assert_eq!(rig.press("q"), [Effect::Exit]);

    let (mut rig, feed) = Rig::seated("connect_four");
    assert_eq!(rig.press("q"), []);
    let Some(Overlay::Confirm(confirm)) = &rig.app.overlay else { panic!("not asked") };
    assert!(!confirm.agree && confirm.detail[0].contains("s_mine"));
    assert_eq!(rig.press("enter"), [], "the default is to stay");
    assert_eq!(rig.press("q n"), []);
    assert_eq!(rig.press("q ctrl-y alt-y"), [], "only a plain y agrees");
    rig.press("esc");
    assert_eq!(rig.press("q y"), [Effect::Exit]);
    rig.say(feed, &over());
    assert_eq!(rig.press("q"), [Effect::Exit]);
}

#[test]
fn some_keys_work_whatever_is_open() {
    for keys in ["1", "p", ":", "/", "?"] {
        let mut rig = Rig::with_rules();
        rig.press(keys);
        assert_eq!(rig.press("ctrl-l ctrl-z"), [Effect::Redraw, Effect::Suspend], "{keys}");
    }
    let (mut rig, _) = Rig::start(false);
    assert_eq!(rig.press("ctrl-z"), [Effect::Suspend]);
}

#[test]
fn keys_stop_at_what_lies_on_top() {
    let mut rig = Rig::with_rules();
    rig.press("p 2 3 q");
    assert_eq!(rig.app.pane, Pane::Games);
    assert!(rig.app.overlay.is_none(), "q closed the form, not the program");
    rig.press(": 2");
    assert_eq!(rig.app.pane, Pane::Games);
}

#[test]
fn the_palette_finds_a_command_by_its_name() {
    let mut rig = Rig::with_rules();
    rig.press(":");
    rig.type_in("credits");
    assert_eq!(asked(&rig.press("enter")), ["balance", "usage"]);
    assert_eq!(rig.app.pane, Pane::Credits);
    rig.press(":");
    rig.type_in("zzzz");
    assert_eq!(rig.press("enter down up enter"), []);
}

#[test]
fn help_scrolls_and_any_other_key_closes_it() {
    let mut rig = Rig::with_rules();
    rig.press("?");
    rig.app.learn(crate::app::screen::Drawn { text_rows: 10, text_lines: 30, ..Default::default() });
    rig.press("down page-down");
    assert!(matches!(rig.app.overlay, Some(Overlay::Help { scroll: 11 })));
    rig.press("G");
    assert!(matches!(rig.app.overlay, Some(Overlay::Help { scroll: 20 })));
    rig.press("x");
    assert!(rig.app.overlay.is_none());
}

#[test]
fn a_paste_sends_and_answers_nothing() {
    // T-20. Every letter of it is a key somewhere, and Enter is in it.
    const PASTE: &str = "y\ny\r\npq\nx1\n23 y\u{3}";
    let cases: [(&str, &str); 7] = [
        ("games", "1"),
        ("sessions", "2"),
        ("credits", "9"),
        ("form", "p"),
        ("help", "?"),
        ("palette", ":"),
        ("filter", "/"),
    ];
    for (what, keys) in cases {
        let mut rig = Rig::with_rules();
        rig.press(keys);
        rig.forget_questions();
        let (pane, overlay) = (rig.app.pane, rig.app.overlay.is_some());
        assert_eq!(rig.paste(PASTE), [], "{what}");
        assert_eq!((rig.app.pane, rig.app.overlay.is_some()), (pane, overlay), "{what}");
        assert_eq!(rig.pending(), [""; 0], "{what}");
    }
    for keys in ["h", "x", "q", "e", "c", "/"] {
        let (mut rig, _) = Rig::on_turn("connect_four");
        rig.press(keys);
        let overlay = rig.app.overlay.is_some();
        assert_eq!(rig.paste(PASTE), [], "{keys}");
        assert_eq!((rig.app.pane, rig.app.overlay.is_some()), (Pane::Play, overlay), "{keys}");
        assert!(rig.seat().sent.is_none() && rig.seat().live.is_live());
    }
    for keys in ["up", "p"] {
        let (mut rig, _) = Rig::start(false);
        rig.press(keys);
        assert_eq!(rig.paste(PASTE), []);
        assert!(rig.app.gate.is_some());
    }
}

#[test]
fn a_paste_lands_where_text_is_typed() {
    let mut rig = Rig::loaded();
    rig.paste("serpents");
    assert_eq!(rig.app.games.list.shown().len(), 3, "no text is being typed");
    rig.press("/");
    rig.paste("serpents\n");
    assert_eq!(rig.app.games.list.shown(), [1]);
    let (mut rig, _) = Rig::start(false);
    rig.press("p");
    rig.paste("  sk_1\n");
    assert_eq!(rig.app.gate.unwrap().typing.unwrap().text(), "sk_1");
}

#[test]
fn a_paste_that_is_too_long_is_told() {
    let mut rig = Rig::loaded();
    rig.update(crate::app::event::Event::PasteTooLong);
    assert!(rig.told().contains("too long"));
}
