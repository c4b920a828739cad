//! Started for a recording.

use std::path::PathBuf;

use super::harness::*;
use crate::app::App;
use crate::app::effect::Effect;
use crate::app::event::Boot;
use crate::client::Request;

#[test]
fn a_recording_is_played_without_a_key_and_without_asking_the_platform() {
    let file = PathBuf::from("a.jsonl");
    let mut app = App::new(moment(secs(0)), Boot { replay: Some(file.clone()), ..boot(false) });
    assert!(app.gate.is_none());
    let effects = app.begin();
    let feed = app.sessions.watching.as_ref().expect("a replay").live.feed;
    assert_eq!(effects, [Effect::Send(Request::Replay(feed, file))]);
}
