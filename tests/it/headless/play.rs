//! Sessions played by a policy.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Home, finish, interrupt, processes, sample, until};

#[tokio::test]
async fn a_policy_plays_without_a_key_and_every_session_is_recorded() {
    let home = Home::new();
    let policy = sample("centre.py", "p-play");
    let words =
        ["play", "--game", "connect_four", "--policy", &policy, "--sessions", "3", "-j", "2", "--jsonl"];
    let run = home.run(&words).await;
    assert_eq!(run.status, 0, "{}", run.err);
    assert!(run.err.contains("no API key") && run.err.contains("an arena in this process"), "{}", run.err);
    let lines = run.lines();
    assert_eq!(lines.len(), 3);
    for line in &lines {
        let seat = &line["seats"][0];
        assert_eq!(
            (&line["completion_reason"], &seat["end"]),
            (&"game_complete".into(), &"over".into()),
            "{line}"
        );
        assert!(seat["turns"].as_u64() > Some(0) && seat["latency_ms"]["p99"].as_f64() > Some(0.0), "{line}");
        let text = std::fs::read_to_string(seat["recording"].as_str().unwrap()).unwrap();
        assert!(text.ends_with('\n') && accepted_once(&text), "{text}");
        assert!(text.contains(r#""by":"policy centre.py""#), "{text}");
    }
    assert_eq!((home.recordings().len(), processes("p-play")), (3, 0));
}

/// Every line is whole, and no tick has two accepted actions.
fn accepted_once(recording: &str) -> bool {
    let mut accepted: BTreeMap<u64, u32> = BTreeMap::new();
    for line in recording.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        if line["m"]["type"] == "action_result" && line["m"]["accepted"] == true {
            *accepted.entry(line["m"]["tick"].as_u64().unwrap()).or_default() += 1;
        }
    }
    !accepted.is_empty() && accepted.values().all(|count| *count == 1)
}

#[tokio::test]
async fn a_failing_policy_is_told_by_kind_and_may_be_replaced_by_something_safe() {
    // B-01, B-14
    let home = Home::new();
    let usual =
        ["play", "--arena", "--game", "connect_four", "--no-record", "--seed", "4", "--jsonl", "--policy"];
    let crash = sample("crash.py", "p-fail");
    let run = home.run(&[&usual[..], &[&crash]].concat()).await;
    let seat = run.lines()[0]["seats"][0].clone();
    assert_eq!((run.status, &seat["failures"][0]["kind"]), (1, &"crash".into()), "{seat}");
    assert!(seat["failures"][0]["why"].as_str().unwrap().contains("gives up after three turns"), "{seat}");
    let run = home.run(&[&usual[..], &[&crash, "--on-failure", "safe", "--ai", "random"]].concat()).await;
    let (line, seat) = (run.lines()[0].clone(), run.lines()[0]["seats"][0].clone());
    assert_eq!(line["completion_reason"], "game_complete", "{line}");
    assert_eq!(seat["safe"], seat["failed"], "{seat}");
    let garbage = sample("garbage.py", "p-fail");
    let run = home.run(&[&usual[..], &[&garbage]].concat()).await;
    assert_eq!(run.lines()[0]["seats"][0]["failures"][0]["kind"], "garbage");
    assert_eq!((home.recordings().len(), processes("p-fail")), (0, 0));
}

#[tokio::test]
async fn two_own_seats_are_played_by_two_policies() {
    let home = Home::new();
    let (one, two) = (sample("centre.py", "p-two"), sample("random.py", "p-two"));
    let words = ["play", "--arena", "--game", "connect_four", "--policy", &one, "--policy2", &two, "--jsonl"];
    let run = home.run(&words).await;
    assert_eq!(run.status, 0, "{}", run.err);
    let seats = run.lines()[0]["seats"].clone();
    assert_eq!((&seats[0]["policy"], &seats[1]["policy"]), (&"centre.py".into(), &"random.py".into()));
    assert_ne!(seats[0]["outcome"], Value::Null);
}

#[tokio::test]
async fn an_interrupt_leaves_the_session_and_ends_the_policy() {
    // B-20
    let home = Home::new();
    let policy = sample("random.py", "p-int");
    let words =
        ["play", "--arena", "--game", "market_simulator", "--policy", &policy, "--pace", "50", "--jsonl"];
    let child = home.command(&words).spawn().unwrap();
    let heard = || {
        let files = home.recordings();
        files
            .first()
            .is_some_and(|file| std::fs::read_to_string(file).unwrap().contains(r#""accepted":true"#))
    };
    until("an action", heard).await;
    interrupt(&child);
    let run = finish(child).await;
    assert_eq!(run.status, 130, "{}", run.err);
    assert!(run.err.contains("stopped by you"), "{}", run.err);
    assert_eq!(run.lines()[0]["seats"][0]["end"], "left", "{}", run.out);
    assert_eq!(processes("p-int"), 0);
}

#[tokio::test]
async fn a_second_interrupt_ends_at_once() {
    // B-20
    let home = Home::new();
    // Ignores the end of its input and every polite signal.
    let policy = "sh -c 'trap \"\" TERM; cat >/dev/null; sleep 100 & wait'";
    let words = ["play", "--arena", "--game", "market_simulator", "--policy", policy];
    let child = home.command(&words).spawn().unwrap();
    until("a recording", || !home.recordings().is_empty()).await;
    interrupt(&child);
    interrupt(&child);
    let run = finish(child).await;
    assert_eq!(run.status, 130, "{}", run.err);
}
