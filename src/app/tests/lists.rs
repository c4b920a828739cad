//! Lists: selection, filter, tags.

use serde_json::json;

use super::harness::*;
use crate::app::Pane;

fn selected(rig: &Rig) -> &str {
    rig.app.games.selected().map_or("", |game| game.slug.as_str())
}

#[test]
fn the_selection_follows_its_game_when_the_list_is_loaded_again() {
    let mut rig = Rig::loaded();
    rig.press("down down");
    assert_eq!(selected(&rig), "market_simulator");
    rig.press("R");
    let new = game("aaa", "A new one", 5, &[], (2, 2));
    let old = game("market_simulator", "Market Simulator", 600, &["economic"], (2, 8));
    rig.give("games", json!({"games": [new, old]}));
    assert_eq!(selected(&rig), "market_simulator");
    rig.press("R");
    rig.give("games", json!({"games": []}));
    assert_eq!(selected(&rig), "");
    rig.press("down up page-down end enter p w t");
}

#[test]
fn keys_move_the_selection_and_stop_at_the_ends() {
    let mut rig = Rig::loaded();
    for (keys, slug) in [
        ("up", "connect_four"),
        ("j", "grid_serpents"),
        ("G", "market_simulator"),
        ("down", "market_simulator"),
        ("k", "grid_serpents"),
        ("g", "connect_four"),
        ("end", "market_simulator"),
        ("home", "connect_four"),
    ] {
        rig.press(keys);
        assert_eq!(selected(&rig), slug, "{keys}");
    }
}

#[test]
fn a_filter_takes_letters_and_escape_forgets_it() {
    let mut rig = Rig::loaded();
    rig.press("/");
    assert_eq!(rig.type_in("pserp"), [], "p opens no form while the filter is typed");
    assert!(rig.app.overlay.is_none());
    assert_eq!(rig.app.games.list.shown(), [1]);
    rig.press("enter");
    assert_eq!(rig.app.games.list.filter().text(), "pserp", "it stands");
    rig.press("esc");
    assert_eq!(rig.app.games.list.shown().len(), 3);
    assert_eq!(selected(&rig), "grid_serpents");
}

#[test]
fn tags_go_round() {
    let mut rig = Rig::loaded();
    let mut seen = Vec::new();
    for _ in 0..6 {
        rig.press("t");
        seen.push((rig.app.games.tag.clone().unwrap_or_default(), rig.app.games.list.shown().len()));
    }
    let seen: Vec<(&str, usize)> = seen.iter().map(|(tag, count)| (tag.as_str(), *count)).collect();
    assert_eq!(
        seen,
        [("strategy", 2), ("board", 1), ("economic", 1), ("spatial", 1), ("", 3), ("strategy", 2)]
    );
    rig.press("esc");
    assert_eq!(rig.app.games.tag, None);
}

#[test]
fn live_sessions_come_first_and_can_be_shown_alone() {
    let mut rig = Rig::loaded();
    rig.press("2");
    let shown = |rig: &Rig| {
        let items = rig.app.sessions.items();
        rig.app.sessions.list.shown().iter().map(|&nth| items[nth].session_id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(shown(&rig), ["s_live", "s_wait", "s_past", "s_fail"]);
    rig.press("a");
    assert_eq!(shown(&rig), ["s_live", "s_wait"]);
    rig.press("a a /");
    rig.type_in("fail");
    assert_eq!(shown(&rig), ["s_fail"]);
}

#[test]
fn a_past_session_shows_its_log_and_escape_goes_back() {
    let mut rig = Rig::loaded();
    rig.press("2 down down");
    assert_eq!(asked(&rig.press("enter")), ["logs"]);
    assert!(rig.app.sessions.opened);
    rig.give("logs", logs());
    assert_eq!(rig.app.sessions.logs.value().unwrap().entries.len(), 3);
    rig.press("esc");
    assert!(!rig.app.sessions.opened);
}

#[test]
fn logs_of_a_session_that_was_left_are_dropped() {
    let mut rig = Rig::loaded();
    rig.press("2 down down enter");
    rig.press("esc down enter");
    rig.give("logs", json!({"logs": [{"text": "of the first"}]}));
    assert!(rig.app.sessions.logs.value().is_none());
    rig.give("logs", json!({"logs": [{"text": "of the second"}]}));
    assert_eq!(rig.app.sessions.logs.value().unwrap().entries[0].text.as_deref(), Some("of the second"));
    assert_eq!(rig.app.sessions.logs_of.as_deref(), Some("s_fail"));
}

#[test]
fn panes_are_reached_by_number_and_by_tab() {
    let mut rig = Rig::loaded();
    for (key, pane) in [
        ("2", Pane::Sessions),
        ("3", Pane::Play),
        ("9", Pane::Credits),
        ("tab", Pane::Games),
        ("back-tab", Pane::Credits),
        ("1", Pane::Games),
    ] {
        rig.press(key);
        assert_eq!(rig.app.pane, pane, "{key}");
    }
}
