//! Rated matches: what comes of them, what they cost, and what becomes of those that are cut short.

use std::collections::BTreeSet;
use std::path::Path;

use gert::arena::engine::MatchSetup;
use gert::arena::games;
use gert::arena::matches::ActionLog;
use gert::arena::store::matches;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::super::{PATIENCE, Server, code, text};
use super::{FIRST, HALF, LAST, on_disk, server};

/// The price of a tick (protocol.md §4.9).
const TICK: f64 = 0.0004;

fn list<'a>(json: &'a Value, member: &str) -> &'a Vec<Value> {
    json[member].as_array().unwrap_or_else(|| panic!("no {member} in {json}"))
}

fn number(json: &Value) -> f64 {
    json.as_f64().unwrap_or_else(|| panic!("{json} is no number"))
}

async fn matches_of(server: &Server, started: &Value) -> Vec<Value> {
    let (submission, run) = (text(&started["submission_id"]), text(&started["eval_run_id"]));
    let page = server.data(&format!("/submissions/{submission}/evaluations/{run}/matches")).await;
    list(&page, "matches").clone()
}

#[tokio::test]
async fn an_evaluation_gives_a_rating_with_its_error_and_costs_its_ticks() {
    let server = server().await;
    let submission_id = server.upload(FIRST, "m").await;
    // At once, before anybody knows whether it can play.
    let started = server.evaluate(&submission_id, json!({ "match_count": 8, "seed": 7 })).await;
    assert_eq!((&started["match_count"], &started["submission_id"]), (&json!(8), &json!(submission_id)));
    assert!((number(&started["estimated_credits"]) - 8.0 * 42.0 * TICK).abs() < 1e-9, "{started}");
    let job = server.job_ended(text(&started["job_id"])).await;
    assert_eq!((&job["status"], &job["progress"]), (&json!("completed"), &json!({ "done": 8, "total": 8 })));

    let page = server.data(&format!("/submissions/{submission_id}/evaluations")).await;
    let [evaluation] = &list(&page, "evaluations")[..] else { panic!("{page}") };
    assert_eq!((&evaluation["status"], &evaluation["matches_played"]), (&json!("completed"), &json!(8)));
    assert_eq!(evaluation["reward"], evaluation["elo_rating"], "the reward is the rating");
    let error = number(&evaluation["elo_error"]);
    assert!(error > 50.0 && error < 350.0, "less than the prior's: {evaluation}");
    assert_eq!((&evaluation["failure_rate"], &evaluation["unreliable"]), (&json!(0), &json!(false)));
    assert_eq!(evaluation["opponents"]["opponent_source"], "system");
    let submission = server.submission_record(&submission_id).await;
    for member in ["elo_rating", "elo_error", "percentile", "failure_rate"] {
        assert_eq!(submission[member], evaluation[member], "{member}");
        assert_eq!(job["result"][member], evaluation[member], "{member}");
    }
    assert_eq!((&submission["matches"], &submission["score_ticks"]), (&json!(8), &json!(42)));

    let played = matches_of(&server, &started).await;
    let scores: Vec<f64> = played
        .iter()
        .map(|one| {
            let seat: usize = text(&one["seat"])[1..].parse().unwrap();
            assert_eq!(one["seats"][seat]["submission_id"], submission_id.as_str());
            assert_eq!(one["seats"][1 - seat]["provider"], "arena");
            number(&one["seats"][seat]["score"])
        })
        .collect();
    let mean = scores.iter().sum::<f64>() / 8.0;
    assert!((number(&evaluation["score_stats"]["mean"]) - mean).abs() < 1e-9);
    // Pairs: the same luck and opponent from both seats (arena.md §5.3).
    for pair in played.chunks(2) {
        assert_eq!(pair[0]["seed"], pair[1]["seed"]);
        assert_eq!((&pair[0]["seat"], &pair[1]["seat"]), (&json!("p0"), &json!("p1")));
        assert_eq!(pair[0]["seats"][1]["model"], pair[1]["seats"][0]["model"]);
    }
    let models: BTreeSet<&str> = played.iter().map(|one| text(&one["seats"][1]["model"])).collect();
    assert!(models.contains("random") && models.contains("ab2"), "over the whole pool: {models:?}");

    let ticks: f64 = played.iter().map(|one| number(&one["ticks"])).sum();
    assert!((number(&job["credits_used"]) - ticks * TICK).abs() < 1e-9);
    let balance = server.data("/auth/balance").await;
    assert_eq!(balance["held"], 0);
    assert!((number(&balance["credits"]) - (1000.0 - ticks * TICK)).abs() < 1e-9);
    let usage = server.data("/auth/usage").await;
    assert_eq!(
        (&usage["entries"][0]["kind"], &usage["entries"][0]["job_id"]),
        (&json!("evaluation"), &job["job_id"])
    );

    // A kept log plays the match again.
    let replay_id = text(&played[0]["replay_id"]).to_owned();
    let kept = server
        .arena
        .store()
        .read(move |connection| matches::get(connection, &replay_id))
        .await
        .unwrap()
        .unwrap();
    let setup = MatchSetup { config: &kept.config, seats: 2, max_ticks: kept.max_ticks, seed: kept.seed };
    let game = games::find("connect_four").unwrap();
    let end = ActionLog::from_bytes(kept.log).replay(game, &setup, |_| {}).unwrap();
    assert_eq!(json!(end.probe().tick), played[0]["ticks"]);
    for (seat, score) in end.probe().scores.iter() {
        assert!((number(&played[0]["seats"][seat.index()]["score"]) - score).abs() < 1e-9);
    }
}

#[tokio::test]
async fn the_same_seed_gives_the_same_rating() {
    let server = server().await;
    let submission_id = server.upload(LAST, "m").await;
    let mut ratings = Vec::new();
    for seed in [3, 3, 4] {
        let started = server.evaluate(&submission_id, json!({ "match_count": 5, "seed": seed })).await;
        let job = server.job_ended(text(&started["job_id"])).await;
        let mut result = job["result"].clone();
        result["eval_run_id"] = Value::Null;
        ratings.push((
            result,
            matches_of(&server, &started).await.iter().map(|one| one["seed"].clone()).collect::<Vec<_>>(),
        ));
    }
    assert_eq!(ratings[0], ratings[1]);
    assert_ne!(ratings[0].1, ratings[2].1);
    let page = server.data(&format!("/submissions/{submission_id}/evaluations?limit=2")).await;
    assert_eq!(list(&page, "evaluations")[0]["seed"], 4, "newest first");
    assert!(page["next_cursor"].is_string());
}

#[tokio::test]
async fn own_submissions_are_opponents_once_they_are_rated() {
    let server = server().await;
    let subject = server.rated(FIRST, "subject").await;
    let path = format!("/submissions/{subject}/evaluate");
    let (status, answer) = server.post(&path, json!({ "opponent_source": "own" })).await;
    assert_eq!((status, code(&answer)), (409, "LEAGUE_TOO_THIN"));
    let rival = server.rated(LAST, "rival").await;
    let started = server.evaluate(&subject, json!({ "opponent_source": "own", "match_count": 2 })).await;
    let job = server.job_ended(text(&started["job_id"])).await;
    assert_eq!(job["status"], "completed", "{job}");
    let rating = server.submission_record(&rival).await["elo_rating"].clone();
    for one in matches_of(&server, &started).await {
        let other = &one["seats"][usize::from(one["seat"] == "p0")];
        assert_eq!((&other["submission_id"], &other["model"]), (&json!(rival), &json!("rival")));
        assert_eq!(other["elo_rating"], rating, "anchors keep their rating");
    }
    assert_eq!(server.submission_record(&rival).await["elo_rating"], rating, "and are not rated");
    for (filter, found) in [(json!(["rival", "random"]), 202), (json!(["nobody"]), 409)] {
        let body = json!({ "opponent_source": "both", "opponent_models": filter, "match_count": 1 });
        assert_eq!(server.post(&path, body).await.0, found);
    }
}

#[tokio::test]
async fn one_that_fails_often_is_rated_and_called_unreliable() {
    // arena.md §9.3: more than 20 % of the matches.
    let server = server().await;
    let submission_id = server.upload(HALF, "m").await;
    let started = server.evaluate(&submission_id, json!({ "match_count": 4 })).await;
    let job = server.job_ended(text(&started["job_id"])).await;
    assert_eq!((&job["result"]["unreliable"], &job["result"]["failure_rate"]), (&json!(true), &json!(0.5)));
    assert_eq!(job["result"]["failures"], json!({ "crashed": 2 }));
    let failed = matches_of(&server, &started).await.into_iter().find(|one| one["seat"] == "p1").unwrap();
    assert_eq!(failed["seats"][1]["failure"]["code"], "crashed");
    assert!(failed["seats"][1]["failure"]["stderr"].to_string().contains("KeyError"), "{failed}");
    // Nobody is measured by it.
    let other = server.rated(FIRST, "other").await;
    let own = json!({ "opponent_source": "own" });
    assert_eq!(server.post(&format!("/submissions/{other}/evaluate"), own).await.0, 409);
}

#[tokio::test]
async fn what_cannot_be_paid_or_makes_no_sense_is_not_started() {
    let server = server().await;
    let body = json!({ "game": "market_simulator", "code": "def act(observation, seat, info): return []" });
    let (_, answer) = server.post("/submissions", body).await;
    let submission_id = text(&answer["data"]["submission_id"]).to_owned();
    let path = format!("/submissions/{submission_id}/evaluate");
    for (body, status, word) in [
        // 10,000 matches of 600 ticks are 2,400 credits.
        (json!({ "match_count": 10_000 }), 402, "2400"),
        (json!({ "match_count": 0 }), 400, "`match_count`"),
        (json!({ "match_count": 10_001 }), 400, "`match_count`"),
        (json!({ "opponent_source": "league" }), 400, "`opponent_source`"),
        (json!({ "opponent_created_after": "soon" }), 400, "RFC 3339"),
        (json!({ "opponent_models": ["ab2"] }), 409, "3 different opponents are needed and 0"),
        (json!({ "callback_url": "http://example.org/" }), 400, "`callback_url`"),
        (json!({ "matches": 5 }), 400, "`matches` is not a field"),
    ] {
        let (found, answer) = server.post(&path, body.clone()).await;
        assert!(found == status && text(&answer["error"]["message"]).contains(word), "{body}: {answer}");
    }
    let page = server.data(&format!("/submissions/{submission_id}/evaluations")).await;
    assert_eq!(page, json!({ "evaluations": [] }));
    assert_eq!(server.data("/auth/balance").await["held"], 0);
    assert_eq!(server.post("/submissions/sub_nobody/evaluate", json!({})).await.0, 404);
}

#[tokio::test]
async fn a_batch_starts_what_it_can_and_says_why_not() {
    let server = server().await;
    let (first, second) = (server.upload(FIRST, "a").await, server.upload(LAST, "b").await);
    let ids = json!([first, "sub_nobody", second]);
    let body = json!({ "submission_ids": ids, "match_count": 1, "opponent_models": ["random"], "seed": 5 });
    let (status, answer) = server.post("/submissions/evaluate", body).await;
    assert_eq!(status, 202, "{answer}");
    let entries = list(&answer["data"], "evaluations");
    assert_eq!(entries[1]["error"]["code"], "NOT_FOUND");
    for (entry, id) in [(&entries[0], first), (&entries[2], second)] {
        assert_eq!(entry["submission_id"], id.as_str());
        assert_eq!(server.job_ended(text(&entry["job_id"])).await["status"], "completed");
    }
    for body in [json!({}), json!({ "submission_ids": [] }), json!({ "submission_ids": vec!["x"; 101] })] {
        assert_eq!(server.post("/submissions/evaluate", body).await.0, 400);
    }
}

#[tokio::test]
async fn deleting_ends_the_evaluation_which_costs_what_was_played() {
    let server = server().await;
    let submission_id = server.upload(FIRST, "m").await;
    let started = server.evaluate(&submission_id, json!({ "match_count": 5_000 })).await;
    let job_id = text(&started["job_id"]);
    server.job_when(job_id, |job| job["progress"]["done"].as_u64() > Some(0)).await;
    let page = server.data(&format!("/submissions/{submission_id}/evaluations")).await;
    let running = &list(&page, "evaluations")[0];
    assert!(running["elo_rating"].is_number() && running.get("reward").is_none(), "so far: {running}");
    assert!(number(&server.data("/auth/balance").await["held"]) > 80.0);
    assert_eq!(server.delete_submission(&submission_id).await.0, 204);
    let job = server.job_ended(job_id).await;
    assert_eq!(job["status"], "cancelled");
    let spent = number(&job["credits_used"]);
    assert!(spent > 0.0 && spent < 84.0, "{job}");
    let balance = server.data("/auth/balance").await;
    assert!(
        (number(&balance["credits"]) - (1000.0 - spent)).abs() < 1e-9 && balance["held"] == 0,
        "{balance}"
    );
}

/// Copies what a kill would leave behind.
fn leave_behind(path: &Path, copy: &Path) {
    for suffix in ["", "-wal"] {
        let name = |base: &Path| format!("{}{suffix}", base.display());
        std::fs::copy(name(path), name(copy)).unwrap();
    }
}

#[tokio::test]
async fn after_a_kill_it_goes_on_with_what_is_missing_and_gives_the_same_rating() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("arena.db"), folder.path().join("left.db"));
    let server = Server::with(on_disk(&path)).await;
    let submission_id = server.upload(FIRST, "m").await;
    let started = server.evaluate(&submission_id, json!({ "match_count": 40, "seed": 11 })).await;
    let job_id = text(&started["job_id"]);
    server.job_when(job_id, |job| job["progress"]["done"].as_u64() > Some(2)).await;
    leave_behind(&path, &copy);
    let before = matches_of(&server, &started).await;
    let whole = server.job_ended(job_id).await;
    assert_eq!(whole["status"], "completed", "{whole}");

    let mut revived = Server::with(on_disk(&copy)).await;
    revived.key.clone_from(&server.key);
    let job = revived.job_ended(job_id).await;
    assert_eq!(job["status"], "completed", "{job}");
    assert_eq!(job["result"], whole["result"]);
    assert_eq!(job["credits_used"], whole["credits_used"]);
    let after = matches_of(&revived, &started).await;
    assert_eq!(after.len(), 40);
    let kept =
        |matches: &[Value]| matches.iter().map(|one| text(&one["replay_id"]).to_owned()).collect::<Vec<_>>();
    // The copy may be older than what was listed after it, but its first matches are those.
    assert_eq!(kept(&after)[..2], kept(&before)[..2], "what was played was not played again");
    let others = kept(&matches_of(&server, &started).await);
    assert_ne!(kept(&after)[39], others[39], "and what was missing was");
}

#[tokio::test]
async fn stopping_the_arena_puts_it_off_until_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arena.db");
    let mut server = Server::with(on_disk(&path)).await;
    let submission_id = server.upload(FIRST, "m").await;
    let started = server.evaluate(&submission_id, json!({ "match_count": 30 })).await;
    let job_id = text(&started["job_id"]);
    server.job_when(job_id, |job| job["progress"]["done"].as_u64() > Some(0)).await;
    let key = server.key.clone();
    server.stop().await;
    let mut again = Server::with(on_disk(&path)).await;
    again.key = key;
    let job = again.job_ended(job_id).await;
    assert_eq!((&job["status"], &job["result"]["match_count"]), (&json!("completed"), &json!(30)), "{job}");
}

#[tokio::test]
async fn a_call_back_is_told_of_the_end() {
    let server = server().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/done", listener.local_addr().unwrap());
    let submission_id = server.upload(FIRST, "m").await;
    let started = server.evaluate(&submission_id, json!({ "match_count": 1, "callback_url": url })).await;
    let told = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut bytes = Vec::new();
        while !String::from_utf8_lossy(&bytes).contains("\"reward\"") {
            assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "{}", String::from_utf8_lossy(&bytes));
        }
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let told = tokio::time::timeout(3 * PATIENCE, told).await.expect("a call in time");
    assert!(told.starts_with("POST /done") && told.contains(text(&started["job_id"])), "{told}");
}
