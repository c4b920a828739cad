use std::io::Write as _;

use serde_json::json;

use super::*;
use crate::tape::line::VERSION;
use crate::tape::moments::{Moments, Told};

fn text(session: &str, started: &str, ticks: u64, is_closed: bool) -> Vec<u8> {
    let header = json!({"gert_recording": VERSION, "kind": "spectator", "session_id": session, "host": "h",
        "started_at": started});
    let mut out = format!("{header}\n{}\n", json!({"t": 0, "about": {"game": "chess"}})).into_bytes();
    for tick in 1..=ticks {
        let message = json!({"type": "observation", "tick": tick, "player_id": "p0", "data": {},
            "others": {"p1": {}}, "scores": {"p0": tick, "p1": 2}});
        writeln!(out, "{}", json!({"t": tick * 10, "m": message})).unwrap();
    }
    if is_closed {
        let mut index = Index::new(0);
        for line in out.split(|byte| *byte == b'\n').filter_map(Line::read) {
            index.add(1, Ok(&line));
        }
        Line { at_ms: ticks * 10, what: LineKind::Closed(Box::new(index.totals())) }.write(&mut out);
    }
    out
}

fn put(folder: &Path, name: &str, started: &str, is_closed: bool) -> PathBuf {
    let path = folder.join(format!("{name}.jsonl"));
    fs::write(&path, text(&format!("s_{name}"), started, 40, is_closed)).unwrap();
    path
}

fn never() -> bool {
    false
}

fn ids(folder: &Path) -> Vec<String> {
    list(folder).unwrap().into_iter().map(|recording| recording.id).collect()
}

#[test]
fn a_list_tells_what_each_came_to_and_passes_junk_over() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    put(folder, "old", "2026-01-01T00:00:00Z", true);
    let torn = put(folder, "torn", "2026-01-03T00:00:00Z", false);
    let live = put(folder, "live", "2026-01-02T00:00:00Z", false);
    let lock = File::open(&live).unwrap();
    lock.try_lock().unwrap();
    notes::keep(&torn, 3, Some("a")).unwrap();
    for (name, bytes) in
        [("junk.jsonl", &b"\xff\x00"[..]), ("empty.jsonl", b""), ("x.jsonl.gz", b"\x1f\x8bx"), ("y.txt", b"")]
    {
        fs::write(folder.join(name), bytes).unwrap();
    }
    fs::create_dir(folder.join("folder.jsonl")).unwrap();
    let all = list(folder).unwrap();
    let states: Vec<_> =
        all.iter().map(|recording| (recording.id.as_str(), recording.state, recording.notes)).collect();
    assert_eq!(states, [("torn", State::Torn, 1), ("live", State::Live, 0), ("old", State::Closed, 0)]);
    for recording in &all {
        let totals = &recording.totals;
        assert_eq!((totals.game.as_deref(), totals.moments, totals.tick), (Some("chess"), 40, 40));
        assert_eq!((totals.scores["p0"], totals.length_ms, totals.seats.len()), (40.0, 400, 2));
    }
    assert!(list(&folder.join("nowhere")).unwrap().is_empty());
}

#[test]
fn what_was_closed_is_compressed_and_says_the_same() {
    // C-07
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let plain = put(folder, "a", "2026-01-01T00:00:00Z", true);
    let torn = put(folder, "b", "2026-01-02T00:00:00Z", false);
    let whole = fs::read(&plain).unwrap();
    let mut file = File::options().append(true).open(&torn).unwrap();
    file.write_all(b"{\"t\":9").unwrap();
    notes::keep(&plain, 3, Some("a")).unwrap();
    let before: Vec<_> =
        list(folder).unwrap().into_iter().map(|recording| (recording.totals, recording.notes)).collect();
    let keep = Keep::new(folder.to_owned());
    maintain(&keep, &never);
    assert!(!plain.exists() && !torn.exists());
    let after = list(folder).unwrap();
    assert!(
        after
            .iter()
            .all(|recording| recording.state == State::Closed && recording.bytes < whole.len() as u64)
    );
    let totals: Vec<_> = after.into_iter().map(|recording| (recording.totals, recording.notes)).collect();
    assert_eq!(totals, before);
    let packed = folder.join("a.jsonl.gz");
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(File::open(&packed).unwrap()).read_to_end(&mut unpacked).unwrap();
    assert!(unpacked == whole);
    let moments = Moments::open(&packed).unwrap().filter(|told| matches!(told, Ok(Told::Moment(_)))).count();
    assert_eq!(moments, 40);
    let torn = look(&folder.join("b.jsonl.gz")).unwrap();
    assert_eq!((torn.totals.moments, torn.skipped.lines), (40, 1));
}

#[test]
fn what_is_being_written_or_was_stopped_is_not_compressed() {
    // C-08
    let folder = tempfile::tempdir().unwrap();
    let live = put(folder.path(), "live", "2026-01-02T00:00:00Z", true);
    let lock = File::open(&live).unwrap();
    lock.try_lock().unwrap();
    assert!(!upkeep::compress(&live, &never).unwrap());
    drop(lock);
    assert!(!upkeep::compress(&live, &|| true).unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(upkeep::compress(&live, &never).unwrap());
}

#[test]
fn a_damaged_compressed_recording_shows_its_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    fs::write(&path, text("s_a", "2026-01-01T00:00:00Z", 5000, true)).unwrap();
    upkeep::compress(&path, &never).unwrap();
    let packed = folder.path().join("a.jsonl.gz");
    let bytes = fs::read(&packed).unwrap();
    fs::write(&packed, &bytes[..bytes.len() / 2]).unwrap();
    let seen = look(&packed).unwrap();
    assert!((100..5000).contains(&seen.totals.moments), "{}", seen.totals.moments);
    assert!(seen.notices.iter().any(|notice| notice.contains("damaged")), "{:?}", seen.notices);
}

#[test]
fn the_oldest_go_first_those_with_notes_last_and_a_live_one_never() {
    // L-01
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let noted = put(folder, "noted", "2026-01-01T00:00:00Z", true);
    notes::keep(&noted, 1, Some("a")).unwrap();
    let live = put(folder, "live", "2026-01-01T00:00:00Z", false);
    let lock = File::open(&live).unwrap();
    lock.try_lock().unwrap();
    put(folder, "second", "2026-01-02T00:00:00Z", true);
    put(folder, "third", "2026-01-03T00:00:00Z", false);
    let size = list(folder).unwrap().iter().map(|recording| recording.bytes).max().unwrap();
    let gone = |pruned: Vec<Pruned>| pruned.into_iter().map(|pruned| pruned.id).collect::<Vec<_>>();
    assert_eq!(gone(prune(folder, 3 * size, true).unwrap()), ["second"]);
    assert_eq!(ids(folder).len(), 4, "a dry run removes nothing");
    assert_eq!(gone(prune(folder, 3 * size, false).unwrap()), ["second"]);
    assert_eq!(gone(prune(folder, 2 * size, false).unwrap()), ["third"]);
    assert_eq!(gone(prune(folder, 0, false).unwrap()), ["noted"]);
    assert_eq!(ids(folder), ["live"]);
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1, "notes go with their recording");
}

#[test]
fn a_recording_is_found_by_file_session_or_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let a = put(folder, "20260101-aa", "2026-01-01T00:00:00Z", true);
    let b = put(folder, "20260102-bb", "2026-01-02T00:00:00Z", true);
    let find = |name: &str| find(Some(folder), name).unwrap();
    assert_eq!(find(a.to_str().unwrap()), Meant::File(a.clone()));
    assert_eq!(find("s_20260101-aa"), Meant::File(a.clone()));
    assert_eq!(find("20260101"), Meant::File(a));
    assert_eq!(find("s_20260102"), Meant::File(b));
    assert_eq!(find("2026"), Meant::Several(vec!["20260102-bb".into(), "20260101-aa".into()]));
    assert!(
        matches!(find("20260102-bc"), Meant::None(near) if near.first().is_some_and(|id| id == "20260102-bb"))
    );
    assert_eq!(find(""), Meant::None(vec![]));
}
