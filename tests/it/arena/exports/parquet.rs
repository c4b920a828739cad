//! Parquet and JSON hold the same, and our own reader reads both.

use gert::dataset::{self, Source};
use serde_json::{Map, Value, json};

use super::super::{Server, text};
use super::{all, both_seats, small_files};

/// What only one of the formats has in its rows.
const PAYLOADS: [&str; 4] = ["transcript", "request_context", "value_context", "match"];

/// The rows of a data set, without what is null.
fn rows(source: &Source) -> Vec<Map<String, Value>> {
    let row = |row| {
        let Value::Object(mut row) = serde_json::to_value(row).unwrap() else { panic!("rows are objects") };
        row.retain(|_, value| !value.is_null());
        row
    };
    source.rows(None).unwrap().map(|found| row(found.unwrap())).collect()
}

/// JSON as Parquet has it: what is nested is text.
fn flat(mut row: Map<String, Value>) -> Map<String, Value> {
    for value in row.values_mut().filter(|value| value.is_object() || value.is_array()) {
        *value = value.to_string().into();
    }
    row
}

#[tokio::test]
async fn both_formats_hold_the_same_in_all_types() {
    let server = Server::with(small_files()).await;
    let branched = server.submission("connect_four", "best_of_n", Some(0.9)).await;
    server.generated(&branched, 3).await;
    server.submission("market_simulator", "none", None).await;
    let parent = server.create(both_seats()).await;
    let explore = json!({ "explore": { "max_actions": 3, "model": "random" } });
    let (_, answer) = server.post(&format!("/play/{}/branch", text(&parent["session_id"])), explore).await;
    for branch in answer["data"]["branches"].as_array().unwrap() {
        server.until(text(&branch["session_id"]), "status", "completed").await;
    }
    for (export_type, files) in
        [("submissions", 1), ("replays", 2), ("agentic_branches", 2), ("branch_exploration", 2)]
    {
        let scratch = tempfile::tempdir().unwrap();
        let mut sources = Vec::new();
        for format in ["json", "parquet"] {
            let job = server.export(json!({ "export_type": export_type, "format": format })).await;
            let mut paths = Vec::new();
            for address in server.addresses(&job).await {
                let (name, content) = server.fetch(&address).await;
                assert!(name.ends_with(format));
                paths.push(scratch.path().join(name));
                std::fs::write(paths.last().unwrap(), content).unwrap();
            }
            assert!(paths.len() >= files, "{export_type}: {paths:?}");
            let source = dataset::open_all(&paths).unwrap();
            assert_eq!(source.row_count(), job["result"]["record_count"].as_u64());
            sources.push(source);
            assert_eq!(server.post_nothing("/exports/reset-tracking").await.0, 200);
        }
        let [json, parquet] = &sources[..] else { panic!("two formats") };
        let (mut json_rows, mut parquet_rows) = (rows(json), rows(parquet));
        for row in &mut parquet_rows {
            row.retain(|name, _| !PAYLOADS.contains(&name.as_str()));
        }
        json_rows = json_rows.into_iter().map(flat).collect();
        assert_eq!(json_rows, parquet_rows, "{export_type}");
        let meta = |source: &Source, name: &str| {
            source.meta().iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        };
        for name in ["score_context:connect_four", "schema_version", "completeness", "export_type"] {
            assert!(meta(json, name).is_some(), "{export_type} {name}");
            assert_eq!(meta(json, name), meta(parquet, name), "{export_type} {name}");
        }
        assert!(meta(parquet, "exported_at").is_some());
        assert!(meta(parquet, "game_prompt:connect_four:1").unwrap().contains("Arena edition"));
    }
}

#[tokio::test]
async fn payloads_stand_on_the_first_row_of_each_file() {
    let server = Server::with(small_files()).await;
    let id = server.submission("connect_four", "best_of_n", None).await;
    server.generated(&id, 3).await;
    let mut ask = all("agentic_branches");
    ask["format"] = "parquet".into();
    let job = server.export(ask).await;
    let scratch = tempfile::tempdir().unwrap();
    let mut has_transcript = Vec::new();
    for address in server.addresses(&job).await {
        let (name, content) = server.fetch(&address).await;
        let path = scratch.path().join(name);
        std::fs::write(&path, content).unwrap();
        for row in rows(&dataset::open(&path).unwrap()) {
            // The transcript is the text that was kept, byte for byte.
            has_transcript
                .push(row.get("transcript").map(|text| text.as_str().unwrap().contains("\"step\":0, ")));
        }
    }
    assert_eq!(has_transcript, [Some(true), None, Some(true)]);
}
