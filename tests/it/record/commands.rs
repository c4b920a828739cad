use std::fs;
use std::num::NonZero;

use serde_json::Value;

use super::Home;

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_list_is_a_table_for_people_and_json_for_programs() {
    let home = Home::new();
    let none = home.run(&["record", "ls"]);
    assert_eq!((none.status, none.out.as_str()), (0, ""));
    home.watched("a", 5);
    home.played("b");
    fs::write(home.folder().join("junk.jsonl"), b"\xff\x00\n").unwrap();
    let people = home.run(&["record", "ls"]);
    let lines: Vec<&str> = people.out.lines().collect();
    assert_eq!(lines.len(), 3, "{}", people.out);
    assert!(
        lines[0].starts_with("ID") && lines[1].contains("player") && lines[2].contains("p0 12"),
        "{}",
        people.out
    );
    let json: Value = serde_json::from_str(&home.run(&["record", "ls", "--json"]).out).unwrap();
    assert_eq!((json[1]["id"].as_str(), json[1]["moments"].as_u64()), (Some("a"), Some(10)));
    assert_eq!(rows(&home.run(&["record", "ls", "--jsonl"]).out), *json.as_array().unwrap());
}

#[test]
fn one_is_shown_with_its_notes_and_markers() {
    let home = Home::new();
    home.watched("a", 5);
    fs::write(home.folder().join("a.notes.jsonl"), "{\"nth\":6,\"note\":\"look \\u001b[31mhere\"}\n")
        .unwrap();
    let shown = home.run(&["record", "show", "s_a"]);
    assert_eq!(shown.status, 0, "{}", shown.err);
    for words in ["grid_game", "notes", "here", "rise", "p0 +11.00", "ended", "p0 12"] {
        assert!(shown.out.contains(words), "{words}: {}", shown.out);
    }
    assert!(!shown.out.contains('\u{1b}'));
    let json: Value = serde_json::from_str(&home.run(&["record", "show", "a", "--json"]).out).unwrap();
    let kinds: Vec<_> =
        json["markers"].as_array().unwrap().iter().map(|marker| marker["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["rise", "note", "rise", "ended"]);
}

#[test]
fn a_name_that_means_nothing_is_not_found_and_names_like_it_are_told() {
    let home = Home::new();
    home.watched("20260101-a", 5);
    home.watched("20260102-b", 5);
    for (args, status, words) in [
        (&["record", "show", "20260101-x"][..], 3, "20260101-a"),
        (&["replay", "20260101-x"], 3, "20260101-a"),
        (&["record", "show", "2026"], 2, "several"),
        (&["record", "export", "20260101", "--speed", "0"], 2, "--speed"),
        (&["record", "compare", "20260101", "zzzzzzzz"], 3, "zzzzzzzz"),
    ] {
        let ran = home.run(args);
        assert_eq!((ran.status, ran.out.as_str()), (status, ""), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(words), "{args:?}: {}", ran.err);
    }
    let ran = home.run(&["record", "show", "nothing-like-it", "--json"]);
    let error: Value = serde_json::from_str(&ran.err).unwrap();
    assert_eq!(error["error"]["kind"], "not_found");
}

#[test]
fn what_is_no_recording_is_told_and_not_played() {
    // L-02
    let home = Home::new();
    for (name, bytes, words) in [
        ("empty", &b""[..], "empty"),
        ("junk", b"\x00\x01\x02", "not a recording"),
        ("newer", b"{\"gert_recording\":9}\n", "version 9"),
        ("gz", b"\x1f\x8b\x08broken", ""),
    ] {
        let path = home.folder().join(name);
        fs::write(&path, bytes).unwrap();
        let path = path.to_str().unwrap();
        for args in [
            &["record", "show", path][..],
            &["record", "export", path],
            &["replay", path],
            &["record", "compare", path, path],
        ] {
            let ran = home.run(args);
            assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{args:?}: {}", ran.err);
            assert!(name == "empty" || ran.err.contains(words), "{args:?}: {}", ran.err);
        }
    }
}

#[test]
fn json_lines_have_a_moment_each_whoever_recorded_it() {
    let home = Home::new();
    home.watched("a", 5);
    home.played("b");
    let watched = rows(&home.run(&["record", "export", "a"]).out);
    assert_eq!(watched.len(), 11);
    assert_eq!(watched[4]["actions"]["p0"]["latency_ms"], 12.0);
    assert_eq!(watched[4]["observations"]["p1"]["tick"], 5);
    assert_eq!(watched[10]["outcome"]["outcomes"]["p0"], "won");
    let played = rows(&home.run(&["record", "export", "b", "--format", "jsonl"]).out);
    assert_eq!(played.len(), 4);
    assert_eq!(played[0]["actions"], serde_json::json!({}));
    assert_eq!(played[3]["actions"]["p1"]["driver"], "policy bot");
    assert_eq!(played[3]["actions"]["p1"]["latency_ms"], 40.0);
    assert_eq!((&played[3]["scores"]["p1"], &played[3]["t_ms"]), (&8.0.into(), &4000.into()));
}

#[test]
fn scores_are_a_table_with_a_column_a_seat() {
    let home = Home::new();
    home.watched("a", 5);
    let csv = home.run(&["record", "export", "a", "--format", "csv"]).out;
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!((lines[0], lines[5], lines.len()), ("tick,t_ms,p0,p1", "5,5000,11,3", 11));
}

#[test]
fn a_film_plays_in_a_terminal_and_ends_at_the_last_moment() {
    let home = Home::new();
    home.watched("a", 5);
    let args = [
        "record",
        "export",
        "a",
        "--format",
        "asciicast",
        "--width",
        "60",
        "--height",
        "16",
        "--idle-limit",
        "0.5",
    ];
    let film = rows(&home.run(&args).out);
    assert_eq!(
        (&film[0]["version"], &film[0]["width"], &film[0]["height"]),
        (&2.into(), &60.into(), &16.into())
    );
    let [rows_high, columns] = [16, 60].map(|size| NonZero::new(size).unwrap());
    let mut screen = vt100::Parser::new(rows_high, columns, 0);
    let mut before = 0.0;
    for event in &film[1..film.len() - 1] {
        let time = event[0].as_f64().unwrap();
        assert!(time >= before && time - before <= 0.5, "{time} after {before}");
        before = time;
        screen.process(event[2].as_str().unwrap().as_bytes());
    }
    let text = screen.screen().contents();
    assert!(
        text.contains("grid_game") && text.contains("tick 10") && text.contains("the match is over"),
        "{text}"
    );
    assert!(text.contains("p0 12"), "{text}");
    assert_eq!(film.len(), 1 + 11 + 1);
}

#[test]
fn an_export_into_a_file_is_whole_and_never_over_the_recording() {
    // C-07
    let home = Home::new();
    let recording = home.watched("a", 5);
    let before = fs::read(&recording).unwrap();
    let out = home.0.path().join("out.csv");
    fs::write(&out, "older").unwrap();
    let ran = home.run(&["record", "export", "a", "--format", "csv", "-o", "out.csv"]);
    assert_eq!((ran.status, ran.out.as_str()), (0, ""), "{}", ran.err);
    assert!(fs::read_to_string(&out).unwrap().starts_with("tick,"));
    assert_eq!(home.run(&["record", "export", "a", "-o", recording.to_str().unwrap()]).status, 2);
    assert_eq!(fs::read(&recording).unwrap(), before);
    assert_eq!(home.run(&["record", "export", "a", "-o", "no/such/folder.csv"]).status, 1);
}

#[test]
fn two_recordings_are_compared() {
    let home = Home::new();
    home.watched("a", 5);
    home.watched("b", 7);
    let ran = home.run(&["record", "compare", "a", "b"]);
    for words in [
        "p0 first saw something else at tick 5: /board/0/1",
        "p0 first did something else at tick 6: /0/go",
        "10 ticks",
    ] {
        assert!(ran.out.contains(words), "{words}: {}", ran.out);
    }
    let json: Value =
        serde_json::from_str(&home.run(&["record", "compare", "a", "b", "--json"]).out).unwrap();
    assert_eq!((json["first"].as_u64(), json["observations"]["p0"]["a"].as_str()), (Some(5), Some("11")));
    let same: Value =
        serde_json::from_str(&home.run(&["record", "compare", "a", "a", "--json"]).out).unwrap();
    assert_eq!(same["first"], Value::Null);
}

#[test]
fn pruning_takes_the_oldest_and_can_only_say_so() {
    // L-01
    let home = Home::new();
    let path = home.watched("a", 5);
    let dry = home.run(&["record", "prune", "--total-mib", "0", "--dry-run", "--json"]);
    let json: Value = serde_json::from_str(&dry.out).unwrap();
    assert_eq!((json["removed"][0]["id"].as_str(), json["dry_run"].as_bool()), (Some("a"), Some(true)));
    assert!(path.exists());
    assert_eq!(home.run(&["record", "prune"]).out, "", "the settings' limit is far");
    assert!(home.run(&["record", "prune", "--total-mib", "0"]).out.starts_with('a'));
    assert!(!path.exists());
}

#[test]
fn settings_of_recordings_are_checked() {
    let home = Home::new();
    let config = home.0.path().join("gert/config.toml");
    fs::write(&config, "[recordings]\nmax_mib = 0\ntotal = 1\n").unwrap();
    let ran = home.run(&["record", "prune"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("recordings.max_mib") && ran.err.contains("recordings.total"), "{}", ran.err);
}
