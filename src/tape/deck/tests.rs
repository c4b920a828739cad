use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::mpsc as std_mpsc;

use serde_json::json;

use super::*;
use crate::api::Message;
use crate::tape::line::{Act, LineKind, VERSION};

fn plan(folder: &Path) -> Plan {
    let header = Header {
        gert_recording: VERSION,
        kind: "spectator".into(),
        session_id: "s_1".into(),
        host: "here".into(),
        started_at: jiff::Timestamp::UNIX_EPOCH,
    };
    Plan { file: folder.join("a.jsonl"), header, most_bytes: 64 << 20, secrets: vec!["sk_gert_1".into()] }
}

fn heard(at_ms: u64, message: &serde_json::Value) -> Line {
    Line { at_ms, what: LineKind::Heard(Message::parse(message.to_string().into())) }
}

fn observation(tick: u64) -> Line {
    let scores = json!({"p0": if tick < 300 { 0 } else { 50 }});
    heard(
        tick * 100,
        &json!({"type": "observation", "tick": tick, "player_id": "p0", "scores": scores,
            "actions": {"p0": {"latency_ms": 7}}, "data": {"tick": tick, "x": tick * 2}}),
    )
}

fn tape(ticks: u64) -> (tempfile::TempDir, Tape) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut tape = Tape::create(plan(folder.path())).expect("made");
    let lines: Vec<Line> = (1..=ticks).map(observation).collect();
    tape.append(&lines).expect("written");
    (folder, tape)
}

fn append(path: &Path, bytes: &[u8]) {
    fs::File::options().append(true).open(path).unwrap().write_all(bytes).unwrap();
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
        (Place::Percent(f64::NAN), 1),
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
fn a_torn_recording_opens_with_all_whole_lines_and_one_notice() {
    // L-02
    let (folder, mut tape) = tape(10);
    tape.close().unwrap();
    drop(tape);
    let path = folder.path().join("a.jsonl");
    append(&path, b"{\"t\":9,\"m\":{\"ty");
    let mut tape = Tape::open(&path).expect("opened");
    let summary = tape.index.summary();
    assert_eq!((summary.moments, summary.skipped), (10, Skipped { lines: 1, bytes: 15, unknown: 0 }));
    assert!(matches!(&tape.notices[..], [notice] if notice.contains("15 bytes")), "{:?}", tape.notices);
    assert_eq!(tape.show(Place::Last).unwrap().unwrap().view.tick, 10);
}

#[test]
fn junk_between_lines_is_skipped_and_counted() {
    let (folder, mut tape) = tape(3);
    tape.close().unwrap();
    drop(tape);
    let path = folder.path().join("a.jsonl");
    append(&path, b"\xff\xfe\x00junk\n\n{\"t\":1,\"hologram\":{}}\n[[[[\n");
    let mut more = Vec::new();
    observation(4).write(&mut more);
    append(&path, &more);
    let mut tape = Tape::open(&path).unwrap();
    let Skipped { lines, bytes, unknown } = tape.index.summary().skipped;
    assert_eq!((lines, bytes, unknown), (3, 14, 1));
    assert_eq!(tape.notices.len(), 2, "{:?}", tape.notices);
    assert_eq!(tape.show(Place::Last).unwrap().unwrap().view.tick, 4);
}

#[test]
fn files_that_are_no_recordings_are_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let long = [b"{\"gert_recording\":1,\"session_id\":\"".to_vec(), vec![b'x'; 1 << 20]].concat();
    for (bytes, why) in [
        (&b""[..], "empty"),
        (b"\x00\x01\x02\xff", "not a recording"),
        (b"{}\n", "not a recording"),
        (b"[1]\n{\"t\":1}\n", "not a recording"),
        (b"{\"gert_recording\":2}\n", "version 2"),
        (b"{\"gert_recording\":1}\n", "not a recording"),
        (b"\x1f\x8b", "empty"),
        (b"\x1f\x8bjunk", "empty"),
        (&long, "not a recording"),
    ] {
        fs::write(&path, bytes).unwrap();
        let refused = Tape::open(&path).err().expect("refused").to_string();
        assert!(refused.contains(why), "{refused}");
    }
    assert!(Tape::open(folder.path()).is_err());
}

#[test]
fn a_recording_with_a_header_alone_is_one_of_no_moments() {
    let (folder, mut tape) = tape(0);
    tape.close().unwrap();
    drop(tape);
    let mut tape = Tape::open(&folder.path().join("a.jsonl")).unwrap();
    assert!(tape.show(Place::Last).unwrap().is_none() && tape.notices.is_empty());
    assert_eq!(tape.chart(0, 9, 10), Chart::default());
}

#[test]
fn a_recording_stops_at_its_limit_and_says_so_in_it() {
    // L-01
    let folder = tempfile::tempdir().unwrap();
    let mut tape = Tape::create(Plan { most_bytes: 64 << 10, ..plan(folder.path()) }).unwrap();
    let lines: Vec<Line> = (1..2000).map(observation).collect();
    for lines in lines.chunks(100) {
        tape.append(lines).expect("being full is no failure");
    }
    assert!(matches!(&tape.notices[..], [notice] if notice.contains("limit")), "{:?}", tape.notices);
    tape.close().unwrap();
    drop(tape);
    let path = folder.path().join("a.jsonl");
    assert!(path.metadata().unwrap().len() <= 64 << 10);
    let text = fs::read_to_string(&path).unwrap();
    let last: Vec<&str> = text.lines().rev().take(2).collect();
    assert!(last[0].contains("\"closed\":") && last[1].contains("\"stop\":"), "{last:?}");
    let markers = Tape::open(&path).unwrap().index.summary().markers;
    assert!(markers.iter().any(|marker| marker.kind == MarkerKind::Gap && marker.text.contains("limit")));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_once_and_what_was_recorded_is_still_shown() {
    let (_folder, mut tape) = tape(10);
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    tape.writer.as_mut().unwrap().file = full;
    assert_eq!(tape.append(&[observation(11)]).unwrap_err().kind(), io::ErrorKind::StorageFull);
    tape.append(&[observation(12)]).expect("nothing more is tried");
    tape.close().expect("nothing to close");
    assert_eq!(tape.show(Place::Last).unwrap().unwrap().view.tick, 10);
}

#[test]
fn no_secret_gets_into_the_file() {
    let (folder, mut tape) = tape(0);
    let act = Act {
        player_id: "p0".into(),
        tick: 1,
        by: "policy sk_gert_1".into(),
        payload: Some("[{\"say\":\"sk_gert_1\"}]".into()),
        shadow: false,
        agrees: None,
    };
    let lines = [
        heard(0, &json!({"type": "connected", "player_token": "pt_1", "note": "sk_gert_1"})),
        heard(0, &json!({"type": "observation", "tick": 1, "data": {"n": ["sk_gert_1"], "api_key": "sk_2"}})),
        Line { at_ms: 1, what: LineKind::Acted(act) },
        Line { at_ms: 1, what: LineKind::Heard(Message::parse("no JSON: sk_gert_1".into())) },
        Line { at_ms: 1, what: LineKind::Linked { up: false, why: Some("bad key sk_gert_1".into()) } },
    ];
    tape.append(&lines).unwrap();
    assert_eq!(tape.show(Place::Last).unwrap().unwrap().view.tick, 1);
    let text = fs::read_to_string(folder.path().join("a.jsonl")).unwrap();
    assert!(!text.contains("sk_") && !text.contains("pt_1"), "{text}");
    assert_eq!(
        Tape::open(&folder.path().join("a.jsonl")).unwrap().index.summary().skipped,
        Skipped::default()
    );
}

#[cfg(unix)]
#[test]
fn recordings_are_for_their_owner_alone_and_never_replace_one() {
    // C-04, C-07
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("recordings");
    let tape = Tape::create(plan(&inner)).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&inner.join("a.jsonl")), mode(&inner)), (0o600, 0o700));
    assert!(Tape::create(plan(&inner)).is_err());
    drop(tape);
    assert_eq!(fs::read_dir(&inner).unwrap().count(), 1, "nothing half made is left");
}

#[test]
fn what_was_left_before_anything_was_seen_is_not_kept() {
    let (folder, mut tape) = tape(0);
    tape.append(&[heard(1, &json!({"type": "waiting", "tick": 0, "waiting_for": ["p1"]}))]).unwrap();
    tape.close().unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_folder_that_cannot_be_written_is_a_failure_that_is_told() {
    // C-05
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let plan = plan(&folder.path().join("file/recordings"));
    let told = run(|tell| record(plan, tell), vec![Order::Write(observation(1))]);
    assert!(matches!(&told[..], [TapeEvent::Failed(why)] if why.contains("file/recordings")), "{told:?}");
}

#[test]
fn a_recording_being_written_is_locked_until_it_is_closed() {
    // C-08
    let (folder, mut tape) = tape(1);
    let path = folder.path().join("a.jsonl");
    assert!(file::is_being_written(&path));
    append(&path, b"{\"t\":1,\"m\":{\"ty");
    let seen = Tape::open(&path).unwrap();
    assert!(
        matches!(&seen.notices[..], [notice] if notice.contains("another program")),
        "{:?}",
        seen.notices
    );
    tape.close().unwrap();
    assert!(!file::is_being_written(&path));
}

#[test]
fn notes_are_there_again_when_the_recording_is_opened() {
    let (folder, mut tape) = tape(10);
    tape.bookmark(3, Some("look".into()));
    tape.bookmark(4, Some("not this".into()));
    tape.bookmark(4, None);
    drop(tape);
    let summary = Tape::open(&folder.path().join("a.jsonl")).unwrap().index.summary();
    let notes: Vec<_> = summary.markers.iter().filter(|marker| marker.kind == MarkerKind::Bookmark).collect();
    assert_eq!(summary.notes, 1);
    assert!(matches!(&notes[..], [Marker { nth: 3, tick: 4, text, .. }] if text == "look"), "{notes:?}");
}

#[test]
fn a_deck_answers_orders_and_closes_with_what_it_came_to() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(folder.path());
    let mut orders: Vec<Order> = (1..=400).map(|tick| Order::Write(observation(tick))).collect();
    orders.push(Order::Show { ticket: 7, at: Place::Tick(20) });
    orders.push(Order::Chart { ticket: 8, from: 0, to: usize::MAX, buckets: 4 });
    orders.push(Order::Write(heard(50_000, &json!({"type": "game_completed", "scores": {"p0": 60}}))));
    let told = run(|tell| record(plan, tell), orders);
    let shown = told.iter().find_map(|event| match event {
        TapeEvent::Shown { ticket: 7, frame } => Some(frame.view.tick),
        _ => None,
    });
    assert_eq!(shown, Some(20));
    let chart = told.iter().find_map(|event| match event {
        TapeEvent::Charted { ticket: 8, chart } => Some(chart),
        _ => None,
    });
    let chart = chart.expect("charted");
    assert_eq!(chart.ticks, [1, 101, 201, 301]);
    assert_eq!(chart.curves[0].scores[2].map(|span| (span.min, span.max)), Some((0.0, 50.0)));
    assert_eq!(chart.curves[0].latencies[3].map(|span| span.last), Some(7.0));
    let text = fs::read_to_string(folder.path().join("a.jsonl")).unwrap();
    let LineKind::Closed(totals) = Line::read(text.lines().last().unwrap().as_bytes()).unwrap().what else {
        panic!("it ends with what it came to")
    };
    assert_eq!((totals.moments, totals.tick, totals.scores["p0"], totals.ended), (400, 400, 60.0, true));
}

/// Runs a deck on orders until they end; gives what it told.
fn run(make: impl FnOnce(Tell) -> (mpsc::Sender<Order>, Deck), orders: Vec<Order>) -> Vec<TapeEvent> {
    let (tell, told) = std_mpsc::sync_channel(10_000);
    let (sender, deck) = make(Box::new(move |event| drop(tell.send(event))));
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap();
    let working = runtime.spawn_blocking(move || deck.run());
    for order in orders {
        // A deck that failed takes no more.
        let _ = sender.blocking_send(order);
    }
    drop(sender);
    runtime.block_on(working).unwrap();
    told.try_iter().collect()
}
