//! JSON and JSON lines, in the shapes of protocol.md §2.5 and some that nobody should write.

use super::*;

fn read(name: &str, content: &str) -> Source {
    open(Folder::new().file(name, content)).unwrap()
}

fn fault(name: &str, content: &str) -> String {
    let folder = Folder::new();
    let path = folder.file(name, content);
    words(&open(&path).unwrap_err(), &path)
}

const ENVELOPE: &str = r#"{
  "schema_version": 4,
  "exported_at": "2026-11-29T10:00:00Z",
  "completeness": {"complete": true},
  "score_context": {"chess": {"canonical_ticks": 600}, "go": null},
  "anchors": [{"a": 1}, {"a": 2}, {"a": 3}],
  "submissions": [
    {"submission_id": "s1", "seed": 12345678901234567890123, "price": 1.10, "model": null, "tags": ["a"]},
    {"submission_id": "s2", "seed": 1.0, "price": 2, "provider": "x", "tags": {"b": 1}}
  ],
  "transcripts": {"s1": [{"role": "user"}], "s2": []}
}"#;

#[test]
fn an_envelope_has_rows_and_says_things_about_them() {
    let source = read("export.json", ENVELOPE);
    assert_eq!((source.format(), source.row_count()), (Format::Json, Some(2)));
    assert_eq!(
        schema(&source),
        [
            "submission_id: string",
            "seed: number",
            "price: number",
            "model: null?",
            "tags: mixed",
            "provider: string?",
        ]
    );
    let meta: Vec<String> = source.meta().iter().map(|(name, value)| format!("{name} = {value}")).collect();
    assert_eq!(
        meta,
        [
            "schema_version = 4",
            "exported_at = 2026-11-29T10:00:00Z",
            r#"completeness = {"complete": true}"#,
            r#"score_context:chess = {"canonical_ticks": 600}"#,
            "score_context:go = null",
            r#"anchors = [{"a": 1}, {"a": 2}, {"a": 3}]"#,
            "transcripts = 2 entries, 36 bytes",
        ]
    );
    assert_eq!(
        rows(&source, None).unwrap(),
        [
            r#"{"submission_id":"s1","seed":12345678901234567890123,"price":1.10,"model":null,"tags":["a"]}"#,
            r#"{"submission_id":"s2","seed":1.0,"price":2,"provider":"x","tags":{"b": 1}}"#,
        ]
    );
    // What a row leaves out is not made null.
    assert_eq!(
        rows(&source, Some(&["provider", "price"])).unwrap(),
        [r#"{"price":1.10}"#, r#"{"provider":"x","price":2}"#]
    );
    assert_eq!(
        rows(&source, Some(&["sed"])).unwrap_err().to_string(),
        "there is no column `sed`; there is `seed`"
    );
}

#[test]
fn the_rows_are_found_wherever_they_are() {
    for (name, content, format, expected) in [
        ("a", r#"[{"a":1},{"a":2}]"#, Format::Json, 2),
        ("a", "\u{FEFF} [ ] ", Format::Json, 0),
        ("a", r#"{"few":[{"a":1}],"many":[{"a":1},{"a":2}],"words":["x","y","z"]}"#, Format::Json, 2),
        ("a", r#"{"many":[{"a":1},{"a":2}],"rows":[]}"#, Format::Json, 0),
        ("a", "{\"a\":1}\n\n {\"a\":2}\r\n{\"a\":3}", Format::JsonLines, 3),
        // One object without rows is a row; with rows the name decides.
        ("a", r#"{"record_count":0,"message":"nothing"}"#, Format::JsonLines, 1),
        ("a.jsonl", r#"{"candidates":[{"a":1},{"a":2}]}"#, Format::JsonLines, 1),
        ("a.json", r#"{"candidates":[{"a":1},{"a":2}]}"#, Format::Json, 2),
    ] {
        let source = read(name, content);
        assert_eq!((source.format(), source.row_count()), (format, Some(expected)), "{content}");
        assert_eq!(rows(&source, None).unwrap().len() as u64, expected, "{content}");
    }
}

#[test]
fn a_name_that_comes_twice_counts_once_and_the_last_value_holds() {
    let source = read("a", r#"[{"a":1,"a":"x"},{"a":2}]"#);
    assert_eq!(schema(&source), ["a: mixed"]);
    assert_eq!(rows(&source, Some(&["a"])).unwrap(), [r#"{"a":"x"}"#, r#"{"a":2}"#]);
    let row = source.rows(None).unwrap().next().unwrap().unwrap();
    assert_eq!(row.get("a").map(Json::get), Some(r#""x""#));
}

#[test]
fn damage_is_said_with_its_place() {
    for (name, content, expected) in [
        ("a", r#"{"a":1"#, "EOF while parsing an object at line 1 column 6"),
        ("a", "[{\"a\":1},\n 2]", "row 2 is not an object"),
        ("a", "[{}] x", "trailing characters at line 1 column 6"),
        (
            "a",
            "{\"a\":1}\n{\"a\":",
            "line 2 is not a JSON object: EOF while parsing a value at line 1 column 5",
        ),
        ("a", "{\"a\":1}\n[2]", "line 2 is not a JSON object"),
        (
            "a.jsonl",
            "{\"a\":\n1}",
            "line 1 is not a JSON object: EOF while parsing a value at line 1 column 5",
        ),
    ] {
        let words = fault(name, content);
        assert!(words.starts_with("FILE is damaged: ") && words.contains(expected), "{content}: {words}");
    }
}

#[test]
fn deep_and_wide_json_takes_neither_the_stack_nor_the_memory() {
    let deep = format!("[{{\"a\":{}{}}}]", "[".repeat(1_000_000), "]".repeat(1_000_000));
    assert_eq!(rows(&read("a", &deep), None).unwrap()[0].len(), 2_000_006);
    assert!(fault("a", &"[".repeat(1_000_000)).contains("EOF"));
    let members = |from: usize, to: usize| {
        let members: Vec<String> = (from..to).map(|index| format!("\"{index}\":0")).collect();
        format!("{{{}}}", members.join(","))
    };
    let wide = format!("[{}]", members(0, 10_001));
    assert!(fault("a", &wide).contains("row 1: an object with more than 10000 members"));
    let wide = format!("[{},{}]", members(0, 10_000), members(9_999, 10_001));
    assert_eq!(fault("a", &wide), "FILE has rows with more than 10000 different members");
    // A map of many submissions is no row.
    let source = read("a", &format!("{{\"transcripts\":{},\"rows\":[]}}", members(0, 20_000)));
    assert_eq!(source.meta()[0].1, "more than 10000 entries, 188891 bytes");
}

#[test]
fn chunks_bring_their_columns_together() {
    let folder = Folder::new();
    let first = folder.file("1.json", r#"{"rows":[{"a":1,"b":null}],"exported_at":"1"}"#);
    let empty = folder.file("2.json", r#"{"rows":[]}"#);
    let last = folder.file("3.json", r#"{"rows":[{"a":0.5,"c":"x"}],"exported_at":"2","more":true}"#);
    let source = open_all(&[empty.clone(), first, empty, last]).unwrap();
    assert_eq!(schema(&source), ["a: number", "b: null?", "c: string?"]);
    let meta: Vec<_> = source.meta().iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!((source.row_count(), meta.as_slice()), (Some(2), &["1", "true"][..]));
    assert_eq!(rows(&source, None).unwrap(), [r#"{"a":1,"b":null}"#, r#"{"a":0.5,"c":"x"}"#]);
}
