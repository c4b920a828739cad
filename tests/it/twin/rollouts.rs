//! The SDK's algorithms from a shell: pure ones without a key, episodes with a command as the policy.

use serde_json::{Value, json};

use super::Home;
use crate::rollout::fake::{Server, World};

/// Adds three each turn; a line of JSON is answered by one.
const POLICY: &str = r#"python3 -c "
import sys, json
for line in sys.stdin:
    m = json.loads(line)
    if m['type'] == 'observe':
        print(json.dumps({'id': m['id'], 'action': [{'add': 3}]}), flush=True)
""#;

async fn local(args: &[&str]) -> (i32, String, String) {
    let mut command = Home::new().command("http://127.0.0.1:9/api/v1", args);
    let output = command.env_remove("GERT_API_KEY").output().await.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

async fn against(server: &Server, args: &[&str]) -> (i32, String, String) {
    let home = Home::new();
    let output = home.command(&server.base(), args).output().await.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[tokio::test]
async fn prompts_and_actions_need_no_key() {
    let (status, out, err) =
        local(&["rollouts", "format-observation", "--observation", r#"{"b":1,"a":2.50}"#]).await;
    assert_eq!(status, 0, "{err}");
    // protocol.md §5.2: only an observation with a reserved member is sorted.
    assert!(out.starts_with("Last observation:\n```json\n{\"b\":1,\"a\":2.5}\n```\n"), "{out}");
    let (status, out, _) = local(&["rollouts", "parse-action", "--text", "Go: {\"m\":1.0} now"]).await;
    assert_eq!((status, out.as_str()), (0, "{\"m\":1.0}\n"));
    let (status, out, _) = local(&["rollouts", "system-prompt", "--rules", "# R", "--json"]).await;
    assert!(status == 0 && out.starts_with(r##""# R\n\n## Instructions\n"##), "{out}");
    let (status, _, err) = local(&["rollouts", "parse-action"]).await;
    assert!(status == 2 && err.contains("--text is needed"), "{err}");
}

#[tokio::test]
async fn what_a_model_saw_is_rebuilt() {
    let frame = r#"{"projection_version":4,"transcript_window":5,"step_prompts":{"1":"go"},"system":"s"}"#;
    let args = [
        "transcript",
        "reconstruct-messages",
        "--transcript",
        "[]",
        "--request-context",
        frame,
        "--decision-index",
        "1",
        "--pruned",
        "{}",
        "--json",
    ];
    let (status, out, err) = local(&args).await;
    assert_eq!(status, 0, "{err}");
    let request: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(request["system"], "s");
    assert_eq!(request["messages"], json!([{"role": "user", "content": [{"type": "text", "text": "go"}]}]));
}

#[tokio::test]
async fn a_command_plays_the_episodes_of_a_run() {
    let server = World { seats: 2, ..World::default() }.start().await;
    let args = [
        "rollouts",
        "run-episode",
        "run-1",
        "--game",
        "g",
        "--seed",
        "5",
        "--episodes",
        "2",
        "--policy",
        POLICY,
    ];
    let (status, out, err) = against(&server, &[&args[..], &["--jsonl"]].concat()).await;
    assert_eq!(status, 0, "{err}");
    let rows: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 2);
    assert!(
        rows.iter().all(|row| row["total_reward"] == 9.0 && row["completion_reason"] == "game_complete"),
        "{out}"
    );
    let seeds: Vec<Value> = server.bodies("/episodes").iter().map(|body| body["seed"].clone()).collect();
    assert_eq!(seeds, [5, 6]);
}

#[tokio::test]
async fn an_episode_whose_policy_ends_is_closed_and_told() {
    let server = World::default().start().await;
    let args = ["rollouts", "run-episode", "run-1", "--game", "g", "--policy", "false"];
    let (status, out, err) = against(&server, &args).await;
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.contains("the policy of seat p0 has ended"), "{err}");
    assert_eq!(server.closes().len(), 1);
}

#[tokio::test]
async fn actions_are_compared_with_the_commands_policy() {
    let server = World { seats: 1, ..World::default() }.start().await;
    let (_, out, _) = against(&server, &["rollout-runs", "reset", "run-1", "--game", "g", "--json"]).await;
    let episode: Value = serde_json::from_str(&out).unwrap();
    let args = [
        "rollouts",
        "score-actions-on-policy",
        "run-1",
        episode["episode_id"].as_str().unwrap(),
        "--candidate-actions",
        r#"[{"add":1}]"#,
        "--candidate-actions",
        r#"[{"add":5}]"#,
        "--samples-per-action",
        "2",
        "--policy",
        POLICY,
        "--json",
    ];
    let (status, out, err) = against(&server, &args).await;
    assert_eq!(status, 0, "{err}");
    let scores: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(scores["actions"][0]["action"], json!({"add": 5}), "{out}");
    assert_eq!(scores["actions"][0]["action_rank"], 1);
}

#[cfg(unix)]
#[tokio::test]
async fn an_interrupted_episode_is_closed() {
    let server = World { length: 1_000_000, ..World::default() }.start().await;
    let home = Home::new();
    let args = ["rollouts", "run-episode", "run-1", "--game", "g", "--policy", POLICY];
    let mut child = home.command(&server.base(), &args).spawn().unwrap();
    crate::rollout::until("a step", || server.count("/step") > 3).await;
    let pid = child.id().unwrap().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(child.wait().await.unwrap().code(), Some(130));
    assert_eq!(server.closes().len(), 1);
}
