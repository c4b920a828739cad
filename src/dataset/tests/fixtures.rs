//! Files that pyarrow wrote; `tests/data/exports/make.py` has the values.

use super::*;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/exports").join(name)
}

#[test]
fn a_submissions_export_has_columns_metadata_and_rows() {
    // Snappy, two row groups.
    let source = open(path("submissions.snappy.parquet")).unwrap();
    assert_eq!((source.format(), source.row_count()), (Format::Parquet, Some(3)));
    assert_eq!(
        schema(&source),
        [
            "submission_id: string?",
            "score: float64?",
            "score_ticks: int64?",
            "rated: bool?",
            "model: string?",
            "transcript: string?",
            "created_at: timestamp?",
        ]
    );
    let meta: Vec<(&str, &str)> =
        source.meta().iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(
        meta[..4],
        [
            ("score_context:chess", r#"{"canonical_ticks":600}"#),
            ("completeness", r#"{"complete":true}"#),
            ("schema_version", "4"),
            ("exported_at", "2026-11-29T10:00:00Z"),
        ]
    );
    assert_eq!(
        rows(&source, None).unwrap(),
        [
            r#"{"submission_id":"s1","score":12.5,"score_ticks":9007199254740993,"rated":true,"model":"m-ä","transcript":"[{\"role\":\"user\"}]","created_at":"2026-11-29T10:00:00.25Z"}"#,
            r#"{"submission_id":"s1","score":null,"score_ticks":600,"rated":false,"model":null,"transcript":null,"created_at":"2026-11-29T10:00:00.25Z"}"#,
            r#"{"submission_id":"s2","score":null,"score_ticks":null,"rated":null,"model":"m-2","transcript":null,"created_at":"2026-11-29T10:00:00.25Z"}"#,
        ]
    );
    assert_eq!(
        rows(&source, Some(&["rated", "submission_id"])).unwrap(),
        [
            r#"{"rated":true,"submission_id":"s1"}"#,
            r#"{"rated":false,"submission_id":"s1"}"#,
            r#"{"rated":null,"submission_id":"s2"}"#,
        ]
    );
    assert_eq!(rows(&source, Some(&[])).unwrap(), [""; 0]);
    let error = rows(&source, Some(&["scores"])).unwrap_err();
    assert_eq!(error.to_string(), "there is no column `scores`; there is `score`");
}

#[test]
fn every_kind_of_value_keeps_its_digits() {
    let source = open(path("kinds.zstd.parquet")).unwrap();
    let expected = [
        ("i8: int8?", "-128", "null"),
        ("i16: int16?", "-32768", "null"),
        ("i32: int32?", "-2147483648", "null"),
        ("u8: uint8?", "255", "null"),
        ("u16: uint16?", "65535", "null"),
        ("u32: uint32?", "4294967295", "null"),
        ("u64: uint64?", "18446744073709551615", "null"),
        ("f16: float16?", "0.5", "null"),
        // The second is minus infinity.
        ("f32: float32?", "0.1", "null"),
        ("f64: float64?", "0.1", "1e+300"),
        ("price: decimal(10,4)?", "-0.0400", "123456.7890"),
        ("huge: decimal(70,0)?", &"9".repeat(70), "-1"),
        ("day: date?", r#""1969-12-31""#, "null"),
        ("at_ms: time?", r#""23:59:59.999""#, "null"),
        ("at_us: time?", r#""10:30:00.000001""#, "null"),
        ("at_ns: time?", r#""10:00:00.000000001""#, "null"),
        ("when_ms: timestamp?", r#""1969-12-31T23:59:59.999Z""#, "null"),
        ("when_ns: timestamp?", r#""2025-11-29T10:00:00.123456789Z""#, "null"),
        ("local_us: timestamp?", r#""2026-11-29T10:00:00""#, "null"),
        ("bytes: binary?", r#""00ff""#, r#""""#),
        ("fixed: binary?", r#""616263""#, "null"),
        ("id: uuid?", r#""12345678-9abc-def0-1234-56789abcdef0""#, "null"),
        ("word: string?", r#""one""#, r#""one""#),
        ("nothing: null?", "null", "null"),
    ];
    assert_eq!(schema(&source), expected.map(|(column, ..)| column));
    let rows: Vec<Row> = source.rows(None).unwrap().collect::<Result<_, _>>().unwrap();
    let values = |row: &Row| row.iter().map(|(_, value)| value.get().to_owned()).collect::<Vec<_>>();
    assert_eq!(values(&rows[0]), expected.map(|(_, first, _)| first));
    assert_eq!(values(&rows[1]), expected.map(|(.., second)| second));
}

#[test]
fn nested_values_are_json_as_deep_as_they_are() {
    // Gzip, data pages of version 2.
    let source = open(path("nested.gzip.parquet")).unwrap();
    assert_eq!(
        schema(&source),
        [
            "candidates: list<object>?",
            "grid: list<list<int64>>?",
            "pruned: map<string, int64>?",
            "by_tick: map<int32, string>?",
            "config: object?",
        ]
    );
    assert_eq!(
        rows(&source, None).unwrap(),
        [
            r#"{"candidates":[{"name":"left","value":0.5},null],"grid":[[1,2],[]],"pruned":{"a":1,"b":null},"by_tick":[[1,"x"]],"config":{"mode":"measure","seats":["p0"],"deep":{"n":1}}}"#,
            r#"{"candidates":[],"grid":[null],"pruned":{},"by_tick":null,"config":{"mode":null,"seats":null,"deep":null}}"#,
            r#"{"candidates":null,"grid":[[3,null]],"pruned":null,"by_tick":[],"config":null}"#,
        ]
    );
}

#[test]
fn chunks_are_one_data_set_in_their_order_and_others_are_refused() {
    let chunk = path("submissions.snappy.parquet");
    let source = open_all(&[chunk.clone(), chunk.clone()]).unwrap();
    assert_eq!(source.row_count(), Some(6));
    let ids = rows(&source, Some(&["submission_id"])).unwrap();
    assert_eq!((ids.len(), &ids[..3]), (6, &ids[3..]));
    let error = open_all(&[chunk.clone(), path("nested.gzip.parquet")]).unwrap_err().to_string();
    assert!(error.ends_with("it has no column `submission_id`"), "{error}");
    let folder = Folder::new();
    let error = open_all(&[folder.file("a.jsonl", "{\"a\":1}"), chunk]).unwrap_err().to_string();
    assert!(error.ends_with("one is Parquet, the other is JSON lines"), "{error}");
}
