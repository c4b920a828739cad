//! Caps and read-only mode below the command line, and the ledger.

use std::fs;

use super::Home;
use crate::api::canned::{Canned, data};

/// A home whose settings are these.
fn home(settings: &str) -> Home {
    let home = Home::new();
    let folder = home.path().join(".config/gert");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), settings).unwrap();
    home
}

fn ledger(home: &Home) -> String {
    fs::read_to_string(home.path().join(".local/state/gert/spend.jsonl")).unwrap_or_default()
}

const PLAY: [&str; 6] = ["play", "create", "--game", "g", "--max-ticks", "1000"];
const BUILD: [&str; 6] = ["dataset-builds", "evaluate-code", "--game-slug", "g", "--custom-provider-id", "p"];

#[tokio::test]
async fn a_read_only_profile_sends_reads_alone() {
    let home = home("[profiles.default]\nread_only = true\n");
    let write = home.run(vec![data("{}")], &PLAY).await;
    assert_eq!((write.status, write.seen.len()), (4, 0), "{}", write.err);
    assert!(write.err.contains("read-only") && write.err.contains("`read_only`"), "{}", write.err);
    let read = home.run(vec![data(r#"{"games":[]}"#)], &["games", "list"]).await;
    assert_eq!((read.status, read.seen.len()), (0, 1), "{}", read.err);
    // A dry run changes nothing.
    let dry =
        home.run(vec![data(r#"{"estimated_credits":3}"#)], &[&BUILD[..], &["--dry-run"]].concat()).await;
    assert_eq!((dry.status, dry.seen.len()), (0, 1), "{}", dry.err);
    let raw = home.run(vec![data("{}")], &["api", "POST", "/play"]).await;
    assert_eq!((raw.status, raw.seen.len()), (4, 0), "{}", raw.err);
}

#[tokio::test]
async fn a_cap_refuses_before_the_server_would() {
    let home = home("[spend]\nper_action = 0.3\n");
    let run = home.run(vec![data("{}")], &PLAY).await;
    assert_eq!((run.status, run.seen.len()), (5, 0), "{}", run.err);
    assert!(run.err.contains("up to 0.4 credits") && run.err.contains("0.3"), "{}", run.err);
    let json = home.run(vec![data("{}")], &[&PLAY[..], &["--json"]].concat()).await;
    assert!(json.err.contains(r#""kind":"cap""#) && json.out.is_empty(), "{}", json.err);
    // What nobody knows the price of needs a word from the user.
    let unknown = home.run(vec![data("{}")], &["submissions", "evaluate", "s1"]).await;
    assert_eq!((unknown.status, unknown.seen.len()), (5, 0), "{}", unknown.err);
    assert!(unknown.err.contains("unknown_price"), "{}", unknown.err);
}

#[tokio::test]
async fn a_price_that_the_api_can_say_is_asked_first() {
    let home = home("[spend]\nper_action = 10\n");
    let dear = home.run(vec![data(r#"{"estimated_credits":10.5}"#), data("{}")], &BUILD).await;
    assert_eq!((dear.status, dear.seen.len()), (5, 1), "{}", dear.err);
    assert!(dear.seen[0].1.contains(r#""dry_run":true"#), "{:?}", dear.seen);
    let cheap =
        home.run(vec![data(r#"{"estimated_credits":9.5}"#), data(r#"{"job_id":"j1"}"#)], &BUILD).await;
    assert_eq!((cheap.status, cheap.seen.len()), (0, 2), "{}", cheap.err);
    assert!(!cheap.seen[1].1.contains("dry_run"), "{:?}", cheap.seen);
    assert!(ledger(&home).contains(r#""job_id":"j1""#), "{}", ledger(&home));
}

#[tokio::test]
async fn what_one_program_started_counts_for_the_next() {
    let home = home("[spend]\nper_day = 0.7\n");
    let created = r#"{"session_id":"s1","player_id":"p0","player_token":"pt_secret"}"#;
    let server = Canned::start(vec![data(created), data(created)]).await;
    let first = home.command(&server.base(), &PLAY).output().await.unwrap();
    let second = home.command(&server.base(), &PLAY).output().await.unwrap();
    assert_eq!((first.status.code(), second.status.code(), server.seen().len()), (Some(0), Some(5), 1));
    let err = String::from_utf8(second.stderr).unwrap();
    assert!(err.contains("0.4 are spent or reserved"), "{err}");
    let ledger = ledger(&home);
    assert!(ledger.contains(r#""session_id":"s1""#) && !ledger.contains("pt_secret"), "{ledger}");
}
