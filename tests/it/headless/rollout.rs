//! Episodes into a file, against a small service with a real game.

use std::path::Path;

use serde_json::{Value, json};

use super::{Home, Run, finish, processes, sample};
use crate::rollout::fake::{Fault, Server, World};

/// Adds three each turn.
pub(super) const POLICY: &str = r#"python3 -c "
import sys, json
for line in sys.stdin:
    m = json.loads(line)
    if m['type'] == 'observe':
        print(json.dumps({'id': m['id'], 'action': [{'add': 3}]}), flush=True)
""#;

async fn rollout(home: &Home, server: &Server, file: &Path, more: &[&str]) -> Run {
    let name = file.display().to_string();
    let words = [&["rollout", "--game", "g", "-o", &name, "--json"], more].concat();
    let mut command = home.command(&words);
    command.env("GERT_API_KEY", "sk_gert_rollout").env("GERT_BASE_URL", server.base());
    finish(command.spawn().unwrap()).await
}

fn rows(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[tokio::test]
async fn episodes_are_kept_with_their_label_and_only_missing_ones_are_played() {
    // L-02
    let server = World { seats: 2, ..World::default() }.start().await;
    let (home, usual) = (Home::new(), ["--policy", POLICY, "--seed", "10"]);
    let file = home.path().join("episodes.jsonl");
    let run = rollout(&home, &server, &file, &[&usual[..], &["--episodes", "3"]].concat()).await;
    assert_eq!(run.status, 0, "{}", run.err);
    assert_eq!(run.json()["labels"], json!({"valid": 3}), "{}", run.out);
    let first = rows(&file);
    assert!(first.iter().all(|row| row["label"] == "valid" && row["steps"].as_array().unwrap().len() == 3));
    let mut seeds: Vec<u64> = first.iter().map(|row| row["seed"].as_u64().unwrap()).collect();
    seeds.sort_unstable();
    assert_eq!(seeds, [10, 11, 12]);
    let mut text = std::fs::read_to_string(&file).unwrap();
    let last = text.trim_end().rfind('\n').unwrap();
    text.truncate(last + 10);
    std::fs::write(&file, text).unwrap();
    let run = rollout(&home, &server, &file, &[&usual[..], &["--episodes", "4"]].concat()).await;
    assert_eq!(run.json()["labels"], json!({"valid": 4}), "{}", run.err);
    let mut episodes: Vec<u64> = rows(&file).iter().map(|row| row["episode"].as_u64().unwrap()).collect();
    episodes.sort_unstable();
    assert_eq!(episodes, [0, 1, 2, 3]);
    assert_eq!(server.count("/rollout-runs/run-1/close"), 2);
    let other = rollout(&home, &server, &file, &["--policy", "other", "--episodes", "9"]).await;
    assert!(other.status == 1 && other.err.contains("another policy"), "{}", other.err);
}

#[tokio::test]
async fn many_episodes_are_stepped_together_and_each_is_played_as_if_alone() {
    let (home, words) = (Home::new(), ["--policy", POLICY, "--episodes", "5", "--seed", "3"]);
    let mut files = Vec::new();
    for (j, calls) in [("1", (15, 0)), ("3", (0, 6))] {
        let server = World { seats: 2, ..World::default() }.start().await;
        let file = home.path().join(format!("j{j}.jsonl"));
        let run = rollout(&home, &server, &file, &[&words[..], &["-j", j]].concat()).await;
        assert_eq!(run.json()["labels"], json!({"valid": 5}), "{}", run.err);
        assert_eq!((server.count("/step"), server.count("/steps")), calls, "-j {j}");
        let mut rows = rows(&file);
        rows.sort_by_key(|row| row["episode"].as_u64());
        // Only the names of episodes depend on the order in which they were started.
        for row in &mut rows {
            row["episode_id"] = Value::Null;
        }
        files.push(rows);
    }
    assert_eq!(files[0], files[1]);
}

#[tokio::test]
async fn one_policy_that_breaks_ends_its_own_episode_only() {
    let server = World::default().start().await;
    let (home, mark) = (Home::new(), "r-break");
    let file = home.path().join("e.jsonl");
    // The first process to come by takes the folder and breaks.
    let lock = home.path().join("taken").display().to_string();
    let policy = format!(
        r#"python3 -c "
import json, os, sys
for line in sys.stdin:
    m = json.loads(line)
    if m['type'] == 'observe':
        try:
            os.mkdir('{lock}')
        except FileExistsError:
            print(json.dumps({{'id': m['id'], 'action': [{{'add': 3}}]}}), flush=True)
        else:
            sys.exit(3)
" {mark}"#
    );
    let run = rollout(&home, &server, &file, &["--policy", &policy, "--episodes", "4", "-j", "4"]).await;
    assert_eq!(run.json()["labels"], json!({"infrastructure": 1, "valid": 3}), "{}", run.err);
    assert_eq!(server.closes().len(), 1, "the episode of the broken one");
    assert_eq!(processes(mark), 0);
    // The same command plays what is missing.
    let run = rollout(&home, &server, &file, &["--policy", &policy, "--episodes", "4", "-j", "4"]).await;
    assert_eq!(run.json()["labels"], json!({"valid": 4}), "{}", run.err);
}

#[tokio::test]
async fn what_spoils_an_episode_is_its_label() {
    let home = Home::new();
    let foul = POLICY.replace("{'add': 3}", "{'foul': True}");
    let resigns = POLICY.replace("{'add': 3}", "{'resign': True}");
    for (nth, (policy, is_cut, label)) in [
        (POLICY, false, "valid"),
        (POLICY, true, "truncated"),
        (&*foul, false, "rejected"),
        (&*resigns, false, "valid"),
    ]
    .into_iter()
    .enumerate()
    {
        for j in ["1", "2"] {
            let server = World { is_cut, ..World::default() }.start().await;
            let file = home.path().join(format!("{nth}-{j}.jsonl"));
            let run = rollout(&home, &server, &file, &["--policy", policy, "--episodes", "2", "-j", j]).await;
            assert_eq!(run.json()["labels"], json!({label: 2}), "{policy} -j {j}: {}", run.err);
        }
    }
}

#[tokio::test]
async fn a_run_that_is_used_up_is_made_larger_only_when_that_was_asked_for() {
    let home = Home::new();
    let server = World { budget: 2, ..World::default() }.start().await;
    let file = home.path().join("e.jsonl");
    let usual = ["--policy", POLICY, "--episodes", "4", "-j", "1"];
    let run = rollout(&home, &server, &file, &usual).await;
    assert!(run.status == 1 && run.err.contains("too few episodes left"), "{}", run.err);
    assert_eq!((run.json()["labels"]["valid"].clone(), server.count("/extend")), (json!(2), 0));
    let run = rollout(&home, &server, &file, &[&usual[..], &["--auto-extend", "1"]].concat()).await;
    assert_eq!(run.json()["labels"], json!({"valid": 4}), "{}", run.err);
    assert_eq!(server.count("/extend"), 2);
}

#[tokio::test]
async fn a_policy_that_ends_and_a_service_that_fails_are_no_episodes_of_the_game() {
    let home = Home::new();
    let server = World::default().start().await;
    let file = home.path().join("e.jsonl");
    let run = rollout(&home, &server, &file, &["--policy", "false", "--episodes", "9", "-j", "1"]).await;
    assert_eq!((run.status, run.json()["labels"].clone()), (1, json!({"infrastructure": 3})), "{}", run.err);
    assert_eq!(rows(&file)[0]["failed"], json!([{"seat": "p0", "how": "crash"}]));
    let file = home.path().join("f.jsonl");
    server.fault(1, "/step", Fault::Refuse(500, "INTERNAL_ERROR"));
    let run = rollout(&home, &server, &file, &["--policy", POLICY, "--episodes", "2", "-j", "1"]).await;
    assert_eq!(run.json()["labels"], json!({"infrastructure": 1, "valid": 1}), "{}", run.err);
}

/// Answers every turn with this.
fn always(action: &str) -> String {
    format!(
        r#"python3 -c "
import sys, json
for line in sys.stdin:
    m = json.loads(line)
    if m['type'] == 'observe':
        print(json.dumps({{'id': m['id'], 'action': {action}}}), flush=True)
""#
    )
}

#[tokio::test]
async fn episodes_of_a_real_arena_get_the_label_that_they_deserve() {
    let (home, server) = (Home::new(), crate::arena::Server::start().await);
    let random = sample("random.py", "r-arena");
    let (full, wrong) =
        (always("[{'action': 'drop', 'column': 0}]"), always("[{'action': 'juggle', 'balls': 3}]"));
    for (nth, (policy, more, label)) in [
        (&random, &[][..], "valid"),
        (&random, &["--opponent-seats", "1"], "valid"),
        (&random, &["--max-ticks", "3"], "truncated"),
        // Three of each side fill a column of six; the seventh is refused.
        (&full, &[], "rejected"),
        (&wrong, &["--opponent-seats", "1"], "rejected"),
    ]
    .into_iter()
    .enumerate()
    {
        for j in ["1", "2"] {
            let name = home.path().join(format!("{nth}-{j}.jsonl")).display().to_string();
            let words = ["rollout", "--game", "connect_four", "-o", &name, "--json", "--policy", policy];
            let usual = ["--episodes", "2", "--seed", "4", "-j", j];
            let mut command = home.command(&[&words[..], &usual, more].concat());
            command.env("GERT_API_KEY", &server.key).env("GERT_BASE_URL", server.base());
            let run = finish(command.spawn().unwrap()).await;
            assert_eq!(run.json()["labels"], json!({label: 2}), "{policy} {more:?} -j {j}: {}", run.err);
        }
    }
    let runs = server.data("/rollout-runs").await;
    assert!(runs["runs"].as_array().unwrap().iter().all(|run| run["status"] == "closed"), "{runs}");
    assert_eq!(processes("r-arena"), 0);
}
