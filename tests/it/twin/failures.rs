//! What the twin says and how it ends when something is wrong; stdout stays clean.

use std::process::Stdio;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};

use super::{Home, run};
use crate::api::canned::{Canned, Reply, answer, data, error};

fn failure(err: &str) -> Value {
    let document: Value = serde_json::from_str(err.trim()).unwrap_or_else(|why| panic!("{why}: {err}"));
    document["error"].clone()
}

#[tokio::test]
async fn refusals_have_their_status_and_one_document_on_stderr() {
    for (reply, status, kind) in [
        (error(404, "", "NOT_FOUND"), 3, "not_found"),
        (error(401, "", "UNAUTHORIZED"), 4, "authentication"),
        (error(403, "", "FORBIDDEN"), 4, "permission"),
        (error(402, "", "INSUFFICIENT_CREDITS"), 5, "insufficient_credits"),
        (error(429, "", "DAILY_LIMIT_EXCEEDED"), 5, "insufficient_credits"),
        (error(409, "", "CONFLICT"), 6, "conflict"),
        (error(429, "", "RATE_LIMIT_EXCEEDED"), 7, "rate_limit"),
        (error(400, "", "VALIDATION_ERROR"), 1, "validation"),
        (error(500, "", "INTERNAL_ERROR"), 1, "server"),
        (answer(502, "Content-Type: text/html\r\n", "<html><b>Bad Gateway</b></html>"), 1, "server"),
        (Reply::Cut, 10, "lost"),
    ] {
        let run = run(vec![reply.clone()], &["games", "get", "nope", "--json"]).await;
        let error = failure(&run.err);
        assert_eq!(
            (run.status, error["kind"].as_str(), run.out.as_str()),
            (status, Some(kind), ""),
            "{reply:?}"
        );
        for member in ["code", "status", "message", "request_id", "body", "billed", "retry"] {
            assert!(error.get(member).is_some(), "{member}: {error}");
        }
    }
}

#[tokio::test]
async fn a_gateways_page_is_named_and_not_dumped() {
    // H-06
    let page =
        format!("<html><title>502</title><script>x()</script><p>Bad Gateway</p>{}</html>", "x".repeat(5000));
    let run = run(vec![answer(502, "Content-Type: text/html\r\n", &page)], &["billing", "balance"]).await;
    assert!(
        run.err.contains("HTTP 502") && run.err.contains("127.0.0.1") && run.err.len() < 700,
        "{}",
        run.err
    );
    assert_eq!((run.status, run.out.as_str()), (1, ""));
}

#[tokio::test]
async fn a_build_that_is_in_the_way_is_named() {
    let body = r#"{"error":{"code":"CONFLICT","message":"one at a time"},"request_id":"r","existing_job_id":"job_7"}"#;
    let args = ["dataset-builds", "evaluate-code", "--game-slug", "g", "--custom-provider-id", "p"];
    let words = run(vec![answer(409, "", body)], &args).await;
    assert!(words.err.contains("job_7"), "{}", words.err);
    let json = run(vec![answer(409, "", body)], &[&args[..], &["--json"]].concat()).await;
    assert_eq!(failure(&json.err)["body"]["existing_job_id"], "job_7");
    assert_eq!((json.status, json.out.as_str()), (6, ""));
}

#[tokio::test]
async fn a_lost_answer_to_a_new_session_is_one_request_and_says_where_to_look() {
    // H-24
    let args = ["play", "create", "--game", "g", "--max-ticks", "10"];
    let run = run(vec![Reply::Cut, data("{}")], &args).await;
    assert_eq!((run.seen.len(), run.status, run.out.as_str()), (1, 10, ""));
    assert!(run.err.contains("sessions list"), "{}", run.err);
    assert!(run.err.contains("0.004 credits"), "{}", run.err);
}

#[tokio::test]
async fn without_a_key_or_a_server_it_says_so() {
    let home = Home::new();
    let mut command = home.command("http://127.0.0.1:9/api/v1", &["games", "list", "--json"]);
    let output = command.env_remove("GERT_API_KEY").output().await.unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).contains("GERT_API_KEY"));
    let output = home.command("http://127.0.0.1:9/api/v1", &["games", "list"]).output().await.unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(10), 0));
}

#[tokio::test]
async fn bad_arguments_send_nothing() {
    for args in [
        &["play", "create"][..],
        &["play", "create", "--seats", "many"],
        &["games", "get", "a/b"],
        &["rollout-runs", "step", "r1", "e1"],
        &["tasks", "create", "--n", "17"],
        &["play", "get", "s1"],
        &["games", "list", "--page-size", "101"],
        &["api", "PATCH", "/x"],
        &["api", "GET", "x"],
    ] {
        let run = run(vec![data("{}")], args).await;
        assert_eq!((run.status, run.seen.len(), run.out.as_str()), (2, 0, ""), "{args:?}: {}", run.err);
        assert!(!run.err.is_empty());
    }
}

#[tokio::test]
async fn a_closed_pipe_is_a_quiet_end() {
    // T-10
    let rows: Vec<String> = (0..20_000).map(|row| format!(r#"{{"slug":"game-{row}"}}"#)).collect();
    let server = Canned::start(vec![data(&format!(r#"{{"games":[{}]}}"#, rows.join(",")))]).await;
    let home = Home::new();
    let mut command = home.command(&server.base(), &["games", "list", "--jsonl"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).await.unwrap();
    let status = child.wait().await.unwrap();
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).await.unwrap();
    assert_eq!((first.as_str(), status.code(), err.as_str()), ("{\"slug\":\"game-0\"}\n", Some(0), ""));
}

#[tokio::test]
async fn a_repeated_cursor_keeps_the_rows_and_says_so() {
    // H-03
    let page = |slug: &str| data(&format!(r#"{{"games":[{{"slug":"{slug}"}}],"next_cursor":"c"}}"#));
    let run = run(vec![page("a"), page("b"), page("b")], &["games", "list", "--jsonl"]).await;
    assert_eq!(run.out, "{\"slug\":\"a\"}\n{\"slug\":\"b\"}\n");
    assert_eq!((run.status, run.seen.len()), (1, 2));
    assert!(run.err.contains("repeated a page"), "{}", run.err);
}

#[tokio::test]
async fn a_job_is_waited_for_with_its_own_statuses() {
    let job =
        |status: &str| data(&format!(r#"{{"job":{{"job_id":"j1","status":"{status}","error":"boom"}}}}"#));
    let wait = ["jobs", "wait", "j1", "--json", "--interval", "0"];
    let done = run(vec![job("running"), job("completed")], &wait).await;
    assert_eq!((done.status, done.seen.len()), (0, 2));
    assert!(done.out.contains(r#""status":"completed""#), "{}", done.out);
    let failed = run(vec![job("failed")], &wait).await;
    assert_eq!((failed.status, failure(&failed.err)["kind"].as_str()), (8, Some("job_failed")));
    let late = run(vec![job("running")], &["jobs", "wait", "j1", "--timeout", "0"]).await;
    assert_eq!((late.status, late.out.as_str()), (9, ""));
    // P-01: one failed poll is no end.
    let shaken = run(vec![error(500, "", "INTERNAL_ERROR"), job("completed")], &wait).await;
    assert_eq!(shaken.status, 0, "{}", shaken.err);
}

#[tokio::test]
async fn a_seat_that_was_taken_can_be_acted_for_and_its_token_is_not_shown() {
    let home = Home::new();
    let created = r#"{"session_id":"s1","session":{"game":"g","status":"active"},"seats":[{"player_id":"p0","player_token":"pt_secret"}]}"#;
    let server = Canned::start(vec![data(created), data(r#"{"accepted":true}"#)]).await;
    let create = home.command(&server.base(), &["play", "create", "--game", "g"]).output().await.unwrap();
    let out = String::from_utf8(create.stdout).unwrap();
    assert!(out.contains("s1") && !out.contains("pt_secret"), "{out}");
    let args = ["play", "act", "s1", "--payload", "[]"];
    let act = home.command(&server.base(), &args).output().await.unwrap();
    assert_eq!(act.status.code(), Some(0));
    assert!(server.seen()[1].contains("x-player-token: pt_secret"));
    // The seats of one host are nothing to another.
    let elsewhere = home.run(vec![data("{}")], &args).await;
    assert_eq!((elsewhere.status, elsewhere.seen.len()), (2, 0), "{}", elsewhere.err);
}

#[tokio::test]
async fn numbers_keep_their_digits() {
    // H-07
    let run = run(
        vec![data(r#"{"credits":12345678901234567890.10,"id":9007199254740993}"#)],
        &["billing", "balance", "--json"],
    )
    .await;
    assert_eq!(run.out, "{\"credits\":12345678901234567890.10,\"id\":9007199254740993}\n");
}
