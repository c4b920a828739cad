//! Looking at an observation: fields, search, tree, comparison, charts.

use std::time::Duration;

use serde_json::json;

use super::harness::*;
use crate::api::Message;
use crate::app::effect::Effect;
use crate::app::fields::{Against, Form, Pick, Views};
use crate::app::overlay::Overlay;
use crate::app::screen::TreeRows;
use crate::client::{ClientEvent, FeedId, Request};
use crate::tape::{Chart, Frame, Order, Place, TapeEvent, View};

fn moment_at(tick: u64) -> Frame {
    let mut view = View::new("s_live".into(), None);
    let message = json!({"type": "observation", "tick": tick, "player_id": "p0", "data": {"board": [tick]}});
    view.hear(Duration::ZERO, Message::parse(message.to_string().into()));
    Frame { nth: 3, at: Duration::ZERO, lasted: None, view: Box::new(view) }
}

fn order(effects: &[Effect], feed: FeedId) -> &Order {
    match effects {
        [Effect::Send(Request::Tape(to, order))] if *to == feed => order,
        other => panic!("no order for the tape: {other:?}"),
    }
}

fn taped(rig: &mut Rig, feed: FeedId, event: TapeEvent) -> Vec<Effect> {
    rig.update(crate::app::event::Event::Client(ClientEvent::Taped(feed, event)))
}

#[test]
fn a_choice_for_a_field_is_kept_once_the_list_is_closed() {
    let (mut rig, _) = Rig::watching("connect_four");
    rig.press("f");
    let Some(Overlay::Fields(form)) = &rig.app.overlay else { panic!("the list is not open") };
    let path = form.chosen().unwrap().to_owned();
    rig.press("right p");
    assert_eq!(rig.draw(), [], "nothing is kept while the list is open");
    rig.press("esc");
    let kept = rig.draw();
    let [Effect::KeepViews(text)] = kept.as_slice() else { panic!("not kept: {kept:?}") };
    let views = Views::read(text).unwrap();
    let choice = views.of("connect_four").choice(&path);
    assert!(choice.pinned && choice.form == Form::Hidden);
    assert_eq!(rig.draw(), [], "and only once");
    rig.press("f R enter");
    assert_eq!(rig.draw(), [Effect::KeepViews("{}".into())]);
}

#[test]
fn a_search_opens_the_tree_at_what_was_found_and_goes_on_from_there() {
    let (mut rig, _) = Rig::watching("connect_four");
    rig.press("/");
    rig.type_in("column");
    rig.press("enter");
    let find = rig.app.fields.find.clone().unwrap();
    assert!(find.hits.len() > 1, "{find:?}");
    assert!(rig.app.sessions.watching.as_ref().unwrap().raw);
    assert_eq!(rig.app.fields.pick, Pick::At(find.hits[0].clone()));
    rig.press("n");
    assert_eq!(rig.app.fields.pick, Pick::At(find.hits[1].clone()));
    rig.press("N");
    assert_eq!(rig.app.fields.pick, Pick::At(find.hits[0].clone()));
    rig.press("/");
    rig.type_in("no such thing");
    rig.press("enter");
    assert!(rig.told().contains("is not in this observation"), "{}", rig.told());
}

#[test]
fn rows_of_the_tree_are_chosen_and_folded() {
    let (mut rig, _) = Rig::watching("connect_four");
    rig.press("r");
    let rows = vec![("/board".to_owned(), Some(true)), ("/board/0".into(), None), ("/seat".into(), None)];
    let mut screen = rig.app.screen().clone();
    screen.tree = TreeRows { rows, chosen: 0 };
    rig.app.learn(screen.clone());
    rig.press("down");
    assert_eq!(rig.app.fields.pick, Pick::At("/board/0".into()));
    rig.press("enter");
    assert!(!rig.app.fields.folds.is_open("/board", 0));
    screen.tree.chosen = 1;
    rig.app.learn(screen);
    rig.press("left");
    assert_eq!(rig.app.fields.pick, Pick::At("/board".into()));
    rig.press("G");
    assert_eq!(rig.app.fields.pick, Pick::Last);
}

#[test]
fn an_earlier_tick_is_brought_from_the_recording_to_compare_with() {
    let (mut rig, feed) = Rig::watching("connect_four");
    rig.press("d");
    rig.type_in("soon");
    rig.press("enter");
    assert!(rig.told().contains("number of a tick"));
    rig.press("esc d");
    let effects = [rig.type_in("7"), rig.press("enter")].concat();
    let Order::Show { ticket, at: Place::Tick(7) } = *order(&effects, feed) else { panic!("{effects:?}") };
    taped(&mut rig, feed, TapeEvent::Shown { ticket: ticket + 1, frame: Box::new(moment_at(7)) });
    assert!(matches!(rig.app.fields.against, Some(Against::Asked { .. })), "another's moment is not ours");
    taped(&mut rig, feed, TapeEvent::Shown { ticket, frame: Box::new(moment_at(7)) });
    assert!(
        matches!(&rig.app.fields.against, Some(Against::Tick(7, seen)) if seen.data == json!({"board": [7]}))
    );
    rig.press("d");
    assert!(rig.app.fields.against.is_none());
    rig.press("d enter");
    assert!(matches!(rig.app.fields.against, Some(Against::Previous)));
}

#[test]
fn charts_are_asked_of_the_recording_one_order_at_a_time() {
    let (mut rig, feed) = Rig::watching("connect_four");
    let effects = rig.press("c");
    let Order::Chart { ticket, from: 0, .. } = *order(&effects, feed) else { panic!("{effects:?}") };
    assert_eq!(taped(&mut rig, feed, TapeEvent::Grew(crate::tape::Summary::default())), []);
    let chart = Chart { from: 0, to: 9, ticks: (0..10).collect(), curves: Vec::new() };
    taped(&mut rig, feed, TapeEvent::Charted { ticket, chart: Box::new(chart) });
    assert_eq!(rig.app.fields.charts.as_ref().unwrap().tick(), Some(9));
    let again = taped(
        &mut rig,
        feed,
        TapeEvent::Grew(crate::tape::Summary { moments: 10, ..crate::tape::Summary::default() }),
    );
    assert!(matches!(order(&again, feed), Order::Chart { .. }));
    rig.press("left left");
    let gone = rig.press("enter");
    assert!(matches!(order(&gone, feed), Order::Show { at: Place::Tick(7), .. }));
    assert!(rig.app.fields.charts.is_none());
}

#[test]
fn what_is_wrong_with_a_renderer_file_is_told() {
    let (mut rig, _) = Rig::watching("connect_four");
    assert!(rig.press("f5").contains(&Effect::ReadRenderers));
    rig.update(crate::app::event::Event::RenderersRead(vec!["mine.toml:3: no such kind".into()]));
    assert!(rig.told().contains("mine.toml:3"));
}

#[test]
fn a_value_and_its_path_are_copied_from_the_tree() {
    let (mut rig, _) = Rig::watching("connect_four");
    rig.press("r");
    let rows = vec![("/ply".to_owned(), None)];
    rig.app.screen.tree = TreeRows { rows, chosen: 0 };
    let ply = observation("connect_four")["ply"].to_string();
    assert_eq!(rig.press("y"), [Effect::Copy(ply)]);
    assert_eq!(rig.press("Y"), [Effect::Copy("/ply".into())]);
}
