//! Exports: what is in them, what is left out the next time, what they cost, and who gets the files.

mod filled;

use std::time::Duration;

use gert::arena::ArenaSettings;
use gert::arena::engine::MatchSetup;
use gert::arena::games;
use gert::arena::store::Place;
use reqwest::Method;
use serde_json::{Value, json};

use super::{Server, both_seats, code, settings, text};

/// Files of a few rows.
fn small_files() -> ArenaSettings {
    let mut settings = settings();
    settings.limits.exports.chunk_records = 2;
    settings
}

fn all(export_type: &str) -> Value {
    json!({ "export_type": export_type })
}

fn ids(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| text(&row["submission_id"])).collect()
}

#[tokio::test]
async fn a_submission_is_a_row_with_its_rating_and_what_it_was_generated_with() {
    // protocol.md §2.5.
    let server = Server::start().await;
    let plain = server.submission("connect_four", "none", None).await;
    let branched = server.submission("connect_four", "measure", Some(0.9)).await;
    server.generated(&branched, 0).await;
    let job = server.export(all("submissions")).await;
    assert_eq!((&job["kind"], &job["result"]["record_count"]), (&json!("export"), &json!(2)));
    let [document] = &server.documents(&job).await[..] else { panic!("one file") };
    let [first, second] = &document["records"].as_array().unwrap()[..] else { panic!("two rows") };
    assert_eq!((text(&first["submission_id"]), text(&second["submission_id"])), (&*plain, &*branched));
    assert_eq!((&first["code"], &first["files"]["main.py"]), (&json!("print('né')\n"), &first["code"]));
    for unknown in
        ["provider", "provider_source", "model", "branch_config", "elo_rating", "percentile", "match_count"]
    {
        assert!(first.get(unknown).is_none(), "what is unknown is left out: {first}");
    }
    assert_eq!(
        (&second["provider"], &second["provider_source"], &second["model"]),
        (&json!("lab"), &json!("org:local"), &json!("m-1"))
    );
    assert_eq!((&second["elo_rating"], &second["elo_error"]), (&json!(1000.0), &json!(50.5)));
    assert_eq!((&second["percentile"], &second["match_count"]), (&json!(0.9), &json!(1)));
    assert_eq!(second["score_mean"], second["score_stats"]["mean"]);
    assert_eq!(second["branch_config"]["mode"], "measure");
    // Comparability: such a row pairs with the anchors.
    let context = &document["score_context"]["connect_four"];
    assert_eq!(
        (&second["score_version"], &second["score_ticks"]),
        (&context["score_version"], &context["canonical_ticks"])
    );
    assert_eq!(context["elo"]["players"][0]["model"], "random");
    assert_eq!(context["scores"]["count"], 1, "the league's seat in the only match");
    assert_eq!(document["transcripts"][&branched][0]["kind"], "model");
    assert_eq!(document["request_contexts"][&branched]["system"], "be good");
    assert_eq!(document["value_contexts"][&branched]["branch_config"]["ticks"], 42);
    assert!(document["transcripts"].get(&plain).is_none());
    assert_eq!(document["completeness"]["transcript"], json!({ "present": 1, "missing": 1 }));
    assert_eq!(document["completeness"]["elo_rating"], json!({ "present": 1, "missing": 1 }));
    assert_eq!(document["schema_version"], 4);
    assert!(text(&document["game_prompts"]["connect_four:1"]).contains("Arena edition"));
    assert!(text(&document["exported_at"]).ends_with('Z'));
}

#[tokio::test]
async fn filters_choose_and_nonsense_is_refused() {
    let server = Server::start().await;
    let four = server.submission("connect_four", "none", Some(0.2)).await;
    let market = server.submission("market_simulator", "best_of_n", Some(0.95)).await;
    let dry = |more: Value| {
        let mut ask = json!({ "export_type": "submissions", "dry_run": true });
        ask.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ask
    };
    for (filter, count) in [
        (json!({}), 2),
        (json!({ "game_slug": "connect_four" }), 1),
        (json!({ "tags": ["board"] }), 1),
        (json!({ "tags": ["board", "no_such_tag"] }), 0),
        (json!({ "game_slug": "connect_four", "tags": ["market"] }), 0),
        (json!({ "min_percentile": 0.2 }), 2),
        (json!({ "min_percentile": 0.9 }), 1),
        (json!({ "max_records": 1 }), 1),
        (json!({ "branch_modes": ["none", "measure"] }), 1),
        (json!({ "branch_modes": ["best_of_n"] }), 1),
    ] {
        let (status, answer) = server.post("/exports", dry(filter.clone())).await;
        assert_eq!((status, &answer["data"]["record_count"]), (200, &json!(count)), "{filter}");
        assert_eq!(answer["data"]["estimated_credits"], json!(f64::from(count) * 0.0001).as_f64().unwrap());
    }
    let best = server.export(json!({ "export_type": "submissions", "min_percentile": 0.9 })).await;
    assert_eq!(ids(&server.records(&best).await), [&market]);
    let rest = server.export(all("submissions")).await;
    assert_eq!(ids(&server.records(&rest).await), [&four]);
    for (ask, status, field) in [
        (json!({}), 400, "export_type"),
        (json!({ "export_type": "scores" }), 400, "export_type"),
        (json!({ "export_type": "submissions", "format": "csv" }), 400, "format"),
        (json!({ "export_type": "submissions", "min_percentile": 1.5 }), 400, "min_percentile"),
        (json!({ "export_type": "submissions", "max_records": 0 }), 400, "max_records"),
        (json!({ "export_type": "submissions", "branch_modes": ["all"] }), 400, "branch_modes"),
        (json!({ "export_type": "replays", "branch_modes": ["none"] }), 400, "branch_modes"),
        (json!({ "export_type": "branch_exploration", "min_percentile": 0.5 }), 400, "min_percentile"),
        (json!({ "export_type": "submissions", "game_slug": "nope" }), 404, "nope"),
        (json!({ "export_type": "submissions", "games": [] }), 400, "games"),
    ] {
        let (found, answer) = server.post("/exports", ask.clone()).await;
        assert_eq!(found, status, "{ask}: {answer}");
        assert!(text(&answer["error"]["message"]).contains(&format!("`{field}`")), "{answer}");
    }
}

#[tokio::test]
async fn what_was_exported_is_left_out_until_it_is_reset_or_new() {
    let server = Server::start().await;
    let four = server.submission("connect_four", "none", Some(0.5)).await;
    let market = server.submission("market_simulator", "none", None).await;
    let before = server.credits().await;
    let job = server.export(all("submissions")).await;
    assert_eq!(job["credits_used"], 0.0002);
    assert!((before - server.credits().await - 0.0002).abs() < 1e-9);
    let usage = server.data("/auth/usage?limit=5").await;
    assert!(
        usage["entries"]
            .as_array()
            .unwrap()
            .iter()
            .any(|entry| entry["description"] == "export of 2 records of submissions")
    );

    let again = server.export(all("submissions")).await;
    let download = server.data(&format!("/exports/{}/download", text(&again["job_id"]))).await;
    assert_eq!(download["record_count"], 0);
    assert!(
        text(&download["message"]).contains("all 2 submissions that fit were exported before"),
        "{download}"
    );
    assert!(download.get("download_url").is_none() && download.get("chunked").is_none());
    // Another type has its own tracking.
    assert_eq!(server.export(all("replays")).await["result"]["export_type"], "replays");

    // A new rating makes it another one.
    server.rate("connect_four", &four, 0.6, 1).await;
    let rated = server.export(all("submissions")).await;
    assert_eq!(ids(&server.records(&rated).await), [&four]);

    for (query, count, left) in [
        ("?game_slug=market_simulator", 1, vec![&market]),
        ("?export_type=agentic_branches", 0, vec![]),
        ("?tags=board&export_type=submissions", 2, vec![&four]),
        ("", 3, vec![&four, &market]),
    ] {
        let (status, answer) = server.post_nothing(&format!("/exports/reset-tracking{query}")).await;
        // The last one also resets the replays and what was exported since.
        assert_eq!(status, 200, "{answer}");
        assert!(answer["data"]["reset_count"].as_u64().unwrap() >= count, "{query}: {answer}");
        let job = server.export(all("submissions")).await;
        assert_eq!(ids(&server.records(&job).await), left, "{query}");
    }
    let (status, answer) = server.post_nothing("/exports/reset-tracking?game=connect_four").await;
    assert_eq!((status, code(&answer)), (400, "VALIDATION_ERROR"));
}

#[tokio::test]
async fn a_replay_is_what_the_seats_saw_and_played() {
    // arena.md §9.3: only the action log is kept, so the match is played again.
    let server = Server::start().await;
    let id = server.submission("connect_four", "none", Some(0.5)).await;
    let solo = server.submission("market_simulator", "measure", Some(0.5)).await;
    // The word of SDKs before 3.2.0 is known, too.
    let ask = json!({ "export_type": "game_replays", "game_slug": "connect_four" });
    let job = server.export(ask).await;
    let [document] = &server.documents(&job).await[..] else { panic!("one file") };
    let rows = document["records"].as_array().unwrap();
    let [facts] = &document["matches"].as_object().unwrap().values().collect::<Vec<_>>()[..] else {
        panic!("one match")
    };
    assert_eq!(rows.len() as u64, facts["ticks"].as_u64().unwrap(), "one seat plays a tick");
    let (config, seed) = (facts["config"].clone(), facts["seed"].as_u64().unwrap());
    let setup = MatchSetup {
        config: &config,
        seats: 2,
        max_ticks: facts["max_ticks"].as_u64().unwrap() as u32,
        seed,
    };
    let mut play = games::find("connect_four").unwrap().start(&setup).unwrap();
    for (tick, row) in rows.iter().enumerate() {
        assert_eq!((&row["tick"], text(&row["player_id"])), (&json!(tick), ["p0", "p1"][tick % 2]));
        assert_eq!(row["is_submission"], tick % 2 == 0);
        let seat = text(&row["player_id"]).parse().unwrap();
        let mut seen = Vec::new();
        play.observe(seat, &[], &mut seen);
        assert_eq!(row["observation"], serde_json::from_slice::<Value>(&seen).unwrap());
        assert_eq!(row["verdict"], "applied");
        let input = gert::arena::engine::Input::Act(row["action"].clone());
        play.submit(&[(seat, input)].into_iter().collect());
        assert_eq!(row["score"].as_f64(), play.probe().scores.get(seat).copied());
    }
    assert!(play.probe().over.is_some());
    let last = rows.last().unwrap();
    assert_eq!(last["done"], true);
    assert_eq!(last["score"], last["final_score"]);
    assert!(rows[..rows.len() - 1].iter().all(|row| row["done"] == false));
    // Attribution: of the league's seat, and none of an upload without labels.
    assert_eq!(
        (&rows[1]["provider"], &rows[1]["provider_source"], &rows[1]["model"]),
        (&json!("arena"), &json!("arena"), &json!("random"))
    );
    assert!(rows[0].get("provider").is_none() && rows[0]["submission_id"] == id);
    assert_eq!(document["completeness"]["groups"], json!({ "present": 1, "missing": 0 }));

    // All seats of a simultaneous game play a tick; the submission's own seat has its labels.
    let job = server.export(json!({ "export_type": "replays", "max_records": 1 })).await;
    let rows = server.records(&job).await;
    let seats = games::find("market_simulator").unwrap().spec().default_seats;
    assert!(rows.len() > usize::from(seats), "of replays whole matches are given, and one at least");
    assert_eq!((rows[0]["submission_id"].as_str(), &rows[0]["model"]), (Some(&*solo), &json!("m-1")));
    let sums: f64 =
        rows.iter().filter(|row| row["player_id"] == "p0").filter_map(|row| row["reward"].as_f64()).sum();
    let first = rows[0]["observation"]["score"].as_f64().unwrap();
    assert!(
        (first + sums - rows[0]["final_score"].as_f64().unwrap()).abs() < 1e-3,
        "rewards add up to the score"
    );
}

#[tokio::test]
async fn a_match_of_other_rules_is_counted_as_missing_and_not_paid() {
    let server = Server::start().await;
    server.submission("connect_four", "none", Some(0.5)).await;
    server.sql(|connection| Ok(connection.execute_batch("UPDATE matches SET game_version = '0'")?)).await;
    let job = server.export(all("replays")).await;
    assert_eq!((&job["result"]["record_count"], &job["credits_used"]), (&json!(0), &json!(0)));
    assert!(server.addresses(&job).await.is_empty());
}

#[tokio::test]
async fn decision_points_carry_their_submissions_payload_once_a_file() {
    // protocol.md §2.5: on the submission's first row of each chunk.
    let server = Server::with(small_files()).await;
    let first = server.submission("connect_four", "best_of_n", None).await;
    server.generated(&first, 3).await;
    let second = server.submission("connect_four", "best_of_n", None).await;
    server.generated(&second, 1).await;
    let job = server.export(all("agentic_branches")).await;
    assert!(job.get("credits_used").is_none_or(|used| *used == 0), "one's own generated data is free: {job}");
    let documents = server.documents(&job).await;
    assert_eq!(documents.len(), 2, "two rows a file");
    let keys =
        |document: &Value| document["transcripts"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&documents[0]), [&*first]);
    assert_eq!(keys(&documents[1]), [&*first, &*second], "a submission that spans files is in each");
    let row = &documents[0]["records"][0];
    assert!(row.get("pruned").is_some_and(Value::is_null), "not computed is said: {row}");
    assert_eq!(documents[0]["records"][1]["pruned"], json!({ "call_1": "(Stale)" }));
    assert_eq!((&row["decision_index"], &row["state_entry_count"]), (&json!(0), &json!(1)));
    assert_eq!((&row["actions"][0]["value"]["mean"], &row["adopt_percentile"]), (&json!(0.5), &json!(0.75)));
    assert_eq!((&row["code"]["main.py"], &row["extra"]["note"]), (&json!("pass"), &json!("kept")));
    assert_eq!(documents[0]["completeness"]["pruned"], json!({ "present": 1, "missing": 1 }));
    let names: Vec<String> = futures_util::future::join_all(
        server.addresses(&job).await.iter().map(|address| async { server.fetch(address).await.0 }),
    )
    .await;
    let id = text(&job["job_id"]);
    assert_eq!(names, [format!("agentic_branches_{id}_001.json"), format!("agentic_branches_{id}_002.json")]);
    let export = server.data(&format!("/exports/{id}")).await["export"].clone();
    assert_eq!((&export["record_count"], &export["chunk_count"]), (&json!(4), &json!(2)));
}

#[tokio::test]
async fn an_explored_branch_is_a_row_with_what_was_seen_and_tried() {
    let server = Server::start().await;
    let parent = server.create(both_seats()).await;
    let body = json!({ "explore": { "max_actions": 2, "samples": 2, "model": "random" } });
    let (status, answer) = server.post(&format!("/play/{}/branch", text(&parent["session_id"])), body).await;
    assert_eq!(status, 201, "{answer}");
    for branch in answer["data"]["branches"].as_array().unwrap() {
        server.until(text(&branch["session_id"]), "status", "completed").await;
    }
    let job = server.export(all("branch_exploration")).await;
    let rows = server.records(&job).await;
    assert_eq!(rows.len(), 4);
    for row in &rows {
        assert_eq!((&row["parent_session_id"], &row["tick"]), (&parent["session_id"], &json!(0)));
        assert_eq!(
            (&row["observation"]["tick"], &row["observation"]["seat"]),
            (&json!(0), &row["player_id"])
        );
        assert!(row["action"]["action"] == "drop" || row["action"][0]["action"] == "drop", "{row}");
        let session = server.data(&format!("/sessions/{}", text(&row["session_id"]))).await;
        assert_eq!(row["score"].as_f64(), session["scores"][text(&row["player_id"])].as_f64());
        assert_eq!((&row["status"], &row["ticks"]), (&session["status"], &session["tick"]));
    }
    assert_eq!(rows.iter().map(|row| row["sample"].as_u64().unwrap()).sum::<u64>(), 2);
}

#[tokio::test]
async fn an_address_opens_its_file_without_a_key_and_nothing_else_does() {
    let server = Server::start().await;
    server.submission("connect_four", "none", None).await;
    let job = server.export(all("submissions")).await;
    let [address] = &server.addresses(&job).await[..] else { panic!("one file") };
    let url = text(&address["download_url"]);
    assert!(url.starts_with(&format!("{}/exports/files/", server.base())), "{url}");
    let (name, _) = server.fetch(address).await;
    assert_eq!(name, format!("submissions_{}.json", text(&job["job_id"])));
    let path = url.strip_prefix(&server.base()).unwrap();
    let (file, query) = path.split_once('?').unwrap();
    let long_ago = "expires=1000&signature=00";
    for (path, words) in [
        (file.to_owned(), "signature"),
        (format!("{file}?{long_ago}"), "signature"),
        (path.replace(".json", ".parquet"), "signature"),
        (path.replace("expires=", "expires=1"), "signature"),
        (format!("{}0", &path[..path.len() - 1]).replace("00", "01"), "signature"),
    ] {
        let (status, answer) = server.call(Method::GET, &path, None, &[]).await;
        assert_eq!((status, code(&answer)), (403, "FORBIDDEN"), "{path}");
        assert!(text(&answer["error"]["message"]).contains(words), "{answer}");
    }
    assert!(!query.is_empty());
    // Others see nothing of it, with or without a key.
    let (_, key) = server.arena.bootstrap_key("other@example.org").await.unwrap();
    for path in ["", "/download"] {
        let path = format!("/exports/{}{path}", text(&job["job_id"]));
        assert_eq!(server.call(Method::GET, &path, None, &[("x-api-key", &key)]).await.0, 404);
        assert_eq!(server.call(Method::GET, &path, None, &[]).await.0, 401);
    }
    // On the path of SDK 1.3.0 the addresses are there, too.
    let old = server.base().replace("/api/v1", gert::arena::legacy::BASE_PATH);
    let download = format!("{old}/exports/{}/download", text(&job["job_id"]));
    let answer = server.client.get(download).header("x-api-key", &server.key).send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    assert!(text(&answer["data"]["download_url"]).starts_with(&format!("{old}/exports/files/")));
    server.fetch(&answer["data"]).await;
}

#[tokio::test]
async fn addresses_and_files_expire() {
    let mut settings = settings();
    settings.limits.exports.address_life = Duration::ZERO;
    let server = Server::with(settings.clone()).await;
    server.submission("connect_four", "none", None).await;
    let job = server.export(all("submissions")).await;
    let [address] = &server.addresses(&job).await[..] else { panic!("one file") };
    let path = text(&address["download_url"]).strip_prefix(&server.base()).unwrap().to_owned();
    let (status, answer) = server.call(Method::GET, &path, None, &[]).await;
    assert_eq!(status, 403);
    assert_eq!(answer["error"]["message"], "this address has expired: ask for the download again");

    settings.limits.exports.life = Duration::ZERO;
    let server = Server::with(settings).await;
    server.submission("connect_four", "none", None).await;
    let job = server.export(all("submissions")).await;
    let (status, answer) = server.get(&format!("/exports/{}/download", text(&job["job_id"]))).await;
    assert_eq!((status, code(&answer)), (410, "EXPORT_EXPIRED"));
    // The next export takes the files away.
    let folder = gert::arena::exports::folder::of(server.arena.store().path());
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    server.export(all("submissions")).await;
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[tokio::test]
async fn files_outlive_a_restart_and_what_broke_off_is_done_again_or_swept() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("arena.db");
    let settings = || ArenaSettings { store: Place::File(path.clone()), ..settings() };
    let mut server = Server::with(settings()).await;
    server.submission("connect_four", "none", None).await;
    let kept = server.export(all("submissions")).await;
    server.submission("connect_four", "none", None).await;
    let broken = server.export(all("submissions")).await;
    // As if the arena had gone in the middle of the second one.
    let id = text(&broken["job_id"]).to_owned();
    server
        .sql(move |connection| {
            connection
                .execute("UPDATE jobs SET status = 'running', result = NULL WHERE job_id = ?1", [&id])?;
            connection.execute("DELETE FROM export_files WHERE job_id = ?1", [&id])?;
            Ok(())
        })
        .await;
    let folder = gert::arena::exports::folder::of(&path);
    std::fs::create_dir(folder.join("j_lost.part")).unwrap();
    server.stop().await;
    let server = Server::with(settings()).await;
    let id = text(&broken["job_id"]).to_owned();
    server.arena.jobs().ended(&id).await;
    for job in [&kept, &broken] {
        assert_eq!(server.records(job).await.len(), 1);
    }
    assert!(!folder.join("j_lost.part").exists());
}

#[cfg(feature = "parquet")]
mod parquet;
