use serde_json::json;

use super::*;
use crate::api::Message;

fn header() -> Header {
    Header {
        gert_recording: crate::tape::line::VERSION,
        kind: "spectator".into(),
        session_id: "s_1".into(),
        host: "here".into(),
        started_at: jiff::Timestamp::UNIX_EPOCH,
    }
}

fn observation(tick: u64) -> Line {
    let scores = json!({"p0": if tick < 300 { 0 } else { 50 }});
    let text = json!({"type": "observation", "tick": tick, "player_id": "p0", "scores": scores,
        "data": {"tick": tick, "x": tick * 2}});
    Line { at_ms: tick * 100, what: LineKind::Heard(Message::parse(text.to_string().into())) }
}

fn tape(ticks: u64) -> (tempfile::TempDir, Tape) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut tape = Tape::create(&folder.path().join("a.jsonl"), header()).expect("made");
    let lines: Vec<Line> = (1..=ticks).map(observation).collect();
    tape.append(&lines).expect("written");
    (folder, tape)
}

#[test]
fn any_moment_comes_back_as_it_was() {
    let (_folder, mut tape) = tape(500);
    for (place, tick) in [
        (Place::Last, 500),
        (Place::Nth(0), 1),
        (Place::Tick(250), 250),
        (Place::Percent(0.0), 1),
        (Place::Percent(100.0), 500),
        (Place::Nth(99_999), 500),
        (Place::MarkerAfter(0), 300),
        (Place::MarkerBefore(499), 300),
        (Place::Tick(249), 249),
    ] {
        let frame = tape.show(place).expect("read").expect("a moment");
        assert_eq!(frame.view.tick, tick, "{place:?}");
        let seen = frame.view.seen.as_ref().expect("parsed");
        assert_eq!(seen.data["x"], tick * 2);
        let kept = frame.view.trail.series("/x");
        assert_eq!(kept.last(), Some(&(tick, tick as f64 * 2.0)));
        assert_eq!(kept.len(), usize::try_from(tick.min(240)).unwrap(), "{place:?}");
    }
}

#[test]
fn a_recording_that_was_torn_opens_with_all_whole_lines() {
    // L-02
    let (folder, tape) = tape(10);
    drop(tape);
    let path = folder.path().join("a.jsonl");
    File::options().append(true).open(&path).unwrap().write_all(b"{\"t\":9,\"m\":{\"ty").unwrap();
    let mut tape = Tape::open(&path).expect("opened");
    assert_eq!(tape.index.summary().moments, 10);
    assert_eq!(tape.show(Place::Last).unwrap().unwrap().view.tick, 10);
}
