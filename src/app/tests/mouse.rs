//! Clicks go by what drawing learned.

use super::harness::*;
use crate::app::Pane;
use crate::app::action::Action;
use crate::app::effect::Effect;
use crate::app::event::{Event, Mouse, MouseWhat};
use crate::app::overlay::Overlay;
use crate::app::screen::{Area, Drawn, Hit};

/// One row each, from the top.
fn show(rig: &mut Rig, hits: &[Hit]) {
    let area = |y: usize| Area { x: 0, y: y as u16, width: 10, height: 1 };
    let hits = hits.iter().enumerate().map(|(y, hit)| (area(y), *hit)).collect();
    rig.app.learn(Drawn {
        hits,
        list_rows: 10,
        text_rows: 9,
        text_lines: 100,
        wide: true,
        ..Drawn::default()
    });
}

fn click(rig: &mut Rig, row: u16) -> Vec<Effect> {
    rig.update(Event::Moused(Mouse { column: 3, row, what: MouseWhat::Click }))
}

fn wheel(rig: &mut Rig, what: MouseWhat) -> Vec<Effect> {
    rig.update(Event::Moused(Mouse { column: 3, row: 3, what }))
}

#[test]
fn tabs_rows_and_footer_can_be_clicked() {
    let mut rig = Rig::loaded();
    show(&mut rig, &[Hit::Pane(Pane::Credits), Hit::Row(2), Hit::Action(Action::Help)]);
    click(&mut rig, 1);
    assert_eq!(rig.app.games.list.row(), 2);
    assert!(!rig.app.games.reading, "the first click selects");
    click(&mut rig, 1);
    assert!(rig.app.games.reading, "the second opens");
    assert_eq!(asked(&click(&mut rig, 0)), ["balance", "usage"]);
    assert_eq!(rig.app.pane, Pane::Credits);
    click(&mut rig, 2);
    assert!(matches!(rig.app.overlay, Some(Overlay::Help { .. })));
    assert_eq!(click(&mut rig, 9), [], "nothing lies there");
}

#[test]
fn what_lies_on_top_takes_the_click() {
    let mut rig = Rig::loaded();
    rig.press("p");
    show(&mut rig, &[Hit::Pane(Pane::Credits), Hit::Row(1), Hit::Action(Action::Quit)]);
    for row in 0..3 {
        assert_eq!(click(&mut rig, row), []);
    }
    assert!(rig.app.overlay.is_some() && rig.app.pane == Pane::Games && rig.app.games.list.row() == 0);
}

#[test]
fn buttons_can_be_clicked() {
    let mut rig = Rig::loaded();
    rig.press("p");
    show(&mut rig, &[Hit::Button(false), Hit::Button(true)]);
    assert_eq!(asked(&click(&mut rig, 1)), ["create"]);
    assert_eq!(click(&mut rig, 1), [], "it is under way");
    rig.press("esc p");
    assert_eq!(click(&mut rig, 0), []);
    assert!(rig.app.overlay.is_none());
    assert_eq!(click(&mut rig, 1), [], "no dialogue is open");
}

#[test]
fn the_wheel_moves_and_scrolls_and_never_plays() {
    let mut rig = Rig::loaded();
    show(&mut rig, &[]);
    wheel(&mut rig, MouseWhat::WheelDown);
    assert_eq!(rig.app.games.list.row(), 2);
    rig.press("enter");
    wheel(&mut rig, MouseWhat::WheelDown);
    assert_eq!((rig.app.games.list.row(), rig.app.games.scroll), (2, 9));
    wheel(&mut rig, MouseWhat::WheelUp);
    assert_eq!(rig.app.games.scroll, 0);

    let (mut rig, _) = Rig::on_turn("grid_serpents");
    assert_eq!(wheel(&mut rig, MouseWhat::WheelUp), []);
    rig.press("x");
    assert_eq!(wheel(&mut rig, MouseWhat::WheelDown), []);
    assert!(rig.app.overlay.is_some());
}

#[test]
fn the_mouse_is_switched_by_a_key() {
    let mut rig = Rig::loaded();
    assert_eq!(rig.press("f2"), [Effect::SetMouse(true)]);
    assert_eq!(rig.press("f2"), [Effect::SetMouse(false)]);
}

#[test]
fn a_frame_that_was_laid_out_on_other_assumptions_is_drawn_again() {
    let mut rig = Rig::loaded();
    let drawn = Drawn { list_rows: 5, ..Drawn::default() };
    assert!(rig.app.learn(drawn.clone()));
    assert!(!rig.app.learn(drawn));
}
