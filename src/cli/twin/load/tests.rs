use super::*;

/// What is printed for these files, with the name of their folder left out.
fn printed(files: &[(&str, &str)], options: &Options) -> Result<String, Failure> {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = files
        .iter()
        .map(|(name, content)| {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            path
        })
        .collect();
    let mut out = Vec::new();
    run(&paths, options, &mut out)?;
    Ok(String::from_utf8(out).unwrap().replace(&format!("{}/", folder.path().display()), ""))
}

fn options(args: &[&str]) -> Options {
    let mut members = Extra::default();
    for pair in args.chunks(2) {
        let name = pair[0].trim_start_matches("--");
        let value = serde_json::Value::from(pair[1]).to_string();
        let text = match name {
            "head" => pair[1].to_owned(),
            "columns" => format!("[{value}]"),
            _ => value,
        };
        members.insert(name, Json::parse(&text).unwrap());
    }
    Options { width: Some(60), ..Options::of(&members, Output::People).unwrap() }
}

const EXPORT: &str = r#"{
  "schema_version": 4,
  "completeness": "{\"complete\":\u001b[31mtrue,\"and much more that is longer than a line\":1}",
  "submissions": [
    {"id": "s1", "score": 1.10, "note": "a,\"b\"\nc", "more": {"x":
      [1, 2]}, "flag": true},
    {"id": "s2\u001b[2J", "score": 12345678901234567890, "note": "=1+1", "more": null, "flag": false},
    {"id": "s3", "note": ""}
  ]
}"#;

#[test]
fn people_see_the_schema_what_the_file_says_and_the_first_rows() {
    let words = printed(&[("export.json", EXPORT)], &options(&["--head", "2"])).unwrap();
    insta::assert_snapshot!(words, @r#"
    export.json: JSON, 3 rows, 5 columns

    COLUMN  TYPE    NULL
    id      string
    score   number  yes
    note    string
    more    object  yes
    flag    bool    yes

    METADATA        VALUE
    schema_version  4
    completeness    {"complete":␛[31mtrue,"and much more that i…

    id                     score  note     more         flag
    s1                      1.10  a,"b"⏎c  {"x":[1,2]}  yes
    s2␛[2J  12345678901234567890  =1+1                  no

    2 of 3 rows; `--head 0` shows all
    "#);
}

#[test]
fn what_finds_no_room_is_counted_and_columns_can_be_chosen() {
    // Under the head line, the schema and the metadata.
    let rows = |options: &Options| {
        let words = printed(&[("export.json", EXPORT)], options).unwrap();
        words.splitn(4, "\n\n").last().unwrap().to_owned()
    };
    insta::assert_snapshot!(rows(&Options { width: Some(26), ..options(&["--head", "1"]) }), @r#"
    id  score  note
    s1   1.10  a,"b"⏎c

    3 of 5 columns; `--columns A,B` chooses
    1 of 3 rows; `--head 0` shows all
    "#);
    insta::assert_snapshot!(rows(&options(&["--columns", "score,id"])), @r"
                   score  id
                    1.10  s1
    12345678901234567890  s2␛[2J
                          s3
    ");
}

#[test]
fn csv_has_text_as_it_is_and_nested_values_as_json() {
    let csv = printed(&[("export.json", EXPORT)], &options(&["--to", "csv"])).unwrap();
    assert_eq!(
        csv,
        concat!(
            "id,score,note,more,flag\n",
            "s1,1.10,\"a,\"\"b\"\"\nc\",\"{\"\"x\"\":[1,2]}\",true\n",
            "s2\u{1b}[2J,12345678901234567890,=1+1,,false\n",
            "s3,,,,\n",
        )
    );
    let chosen = options(&["--to", "csv", "--columns", "flag,id", "--head", "1"]);
    assert_eq!(printed(&[("export.json", EXPORT)], &chosen).unwrap(), "flag,id\ntrue,s1\n");
    assert_eq!(printed(&[("export.json", "[]")], &options(&["--to", "csv"])).unwrap(), "");
}

#[test]
fn json_is_one_document_and_json_lines_are_lines() {
    let file = [("a.jsonl", "{\"a\": 1.10, \"b\": \"x\\n y\"}\n{\"a\": 2}")];
    assert_eq!(
        printed(&file, &options(&["--to", "json"])).unwrap(),
        "[{\"a\":1.10,\"b\":\"x\\n y\"},\n {\"a\":2}]\n"
    );
    assert_eq!(printed(&[("export.json", "[]")], &options(&["--to", "json"])).unwrap(), "[]\n");
    let lines =
        printed(&[("export.json", EXPORT)], &options(&["--to", "jsonl", "--columns", "more"])).unwrap();
    assert_eq!(lines, "{\"more\":{\"x\":[1,2]}}\n{\"more\":null}\n{}\n");
    // All rows, unless it is said how many.
    let many = "{}\n".repeat(25);
    let lines = |args: &[&str]| printed(&[("a.jsonl", &many)], &options(args)).unwrap().lines().count();
    assert_eq!(lines(&["--to", "jsonl"]), 25);
    assert_eq!(lines(&["--to", "jsonl", "--head", "3"]), 3);
}

#[test]
fn space_is_taken_out_between_words_only() {
    assert_eq!(without_breaks("{\n \"a \\\" b\" : [ 1,\r\n 2 ]}"), r#"{"a \" b":[1,2]}"#);
    assert_eq!(without_breaks("[\"\\\\\" , \" \"\n]"), "[\"\\\\\",\" \"]");
    assert!(matches!(without_breaks("[1, 2]"), Cow::Borrowed(_)));
}

#[test]
fn files_that_differ_and_columns_that_do_not_exist_are_refused_with_their_status() {
    let failure = printed(&[("a.json", "[{\"a\":1}]")], &options(&["--columns", "b"])).unwrap_err();
    assert_eq!(failure.status(), 2);
    let failure = printed(&[("a.json", "[]"), ("b.jsonl", "{}")], &options(&[])).unwrap_err();
    assert_eq!(failure.status(), 1);
    assert!(matches!(failure, Failure::Local(why) if why.contains("one is JSON lines, the other is JSON")));
    assert_eq!(printed(&[], &options(&[])).unwrap_err().status(), 2);
}

/// A reader that goes away.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_is_a_quiet_end_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("export.json");
    std::fs::write(&path, EXPORT).unwrap();
    for args in [&[][..], &["--to", "csv"], &["--to", "json"], &["--to", "jsonl"]] {
        let failure = run(std::slice::from_ref(&path), &options(args), &mut Closed).unwrap_err();
        assert!(matches!(failure, Failure::Pipe), "{args:?}");
    }
}
