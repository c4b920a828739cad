//! Every command of the twin sends what the SDK's method sends.

use serde_json::Value;

use super::run;
use crate::api::canned::data;

/// What is typed, the request it makes, and its body (`""`: none at all).
const COMMANDS: &[(&str, &str, &str)] = &[
    ("games list --tag strategy --max-items 3", "GET /games?tag=strategy&limit=3", ""),
    ("games get chess", "GET /games/chess", ""),
    ("games tags --active", "GET /tags?active=true", ""),
    (
        "dataset-builds evaluate-code --game-tags strategy --custom-provider-id p1 --submission-count 20 --match-count 200 --export-type both --export-format parquet --dry-run",
        "POST /dataset-builds",
        r#"{"custom_provider_id":"p1","game_tags":["strategy"],"submission_count":20,"match_count":200,"export_type":"both","export_format":"parquet","dry_run":true,"mode":"code_evaluation"}"#,
    ),
    (
        "dataset-builds explore --game-slug chess --custom-provider-id p1 --parent-count 5 --samples-per-action 3",
        "POST /dataset-builds",
        r#"{"mode":"branch_exploration","custom_provider_id":"p1","game_slug":"chess","parent_count":5,"samples_per_action":3}"#,
    ),
    ("exports list --param status=\"done\"", "GET /exports?status=done&limit=100", ""),
    (
        "exports create --export-type submissions --min-percentile 0.90 --tags strategy --format parquet",
        "POST /exports",
        r#"{"export_type":"submissions","format":"parquet","tags":["strategy"],"min_percentile":0.90}"#,
    ),
    ("exports get j1", "GET /exports/j1", ""),
    ("exports download j1", "GET /exports/j1/download", ""),
    (
        "exports reset-tracking --param game_slug=\"chess\"",
        "POST /exports/reset-tracking?game_slug=chess",
        "",
    ),
    ("jobs get j1", "GET /jobs/j1", ""),
    ("jobs branch-scores j1", "GET /jobs/j1/branch-scores", ""),
    ("providers list", "GET /org/providers", ""),
    (
        "submissions list --game chess --mine --branch-mode none,measure",
        "GET /submissions?game=chess&mine=true&branch_mode=none%2Cmeasure&limit=100",
        "",
    ),
    ("submissions get sub1", "GET /submissions/sub1", ""),
    (
        "submissions create --game chess --language python --code pass",
        "POST /submissions",
        r#"{"game":"chess","language":"python","code":"pass"}"#,
    ),
    ("submissions delete sub1", "DELETE /submissions/sub1", ""),
    (
        "submissions bulk-delete --game-slug chess --dry-run=false --confirm --expected-count 3",
        "POST /submissions/bulk-delete",
        r#"{"game_slug":"chess","dry_run":false,"confirm":true,"expected_count":3}"#,
    ),
    (
        "submissions evaluate sub1 --match-count 500 --opponent-source both",
        "POST /submissions/sub1/evaluate",
        r#"{"match_count":500,"opponent_source":"both"}"#,
    ),
    ("submissions evaluate sub1", "POST /submissions/sub1/evaluate", "{}"),
    (
        "submissions batch-evaluate --param submission_ids=[\"a\",\"b\"]",
        "POST /submissions/evaluate",
        r#"{"submission_ids":["a","b"]}"#,
    ),
    ("submissions evaluations sub1", "GET /submissions/sub1/evaluations", ""),
    ("sessions list --param status=\"active\"", "GET /sessions?status=active&limit=100", ""),
    ("sessions get s1", "GET /sessions/s1", ""),
    ("sessions logs s1", "GET /sessions/s1/logs", ""),
    ("sessions branches s1", "GET /sessions/s1/branches", ""),
    ("sessions branch-scores s1", "GET /sessions/s1/branch-scores", ""),
    ("sessions delete s1", "DELETE /sessions/s1", ""),
    ("billing balance", "GET /auth/balance", ""),
    ("billing usage --page-size 10", "GET /auth/usage?limit=10", ""),
    (
        "play create --game chess --seats 1 --vs-ai --max-ticks 600",
        "POST /play",
        r#"{"game":"chess","seats":1,"vs_ai":true,"max_ticks":600}"#,
    ),
    ("play join s1", "POST /play/s1/join", ""),
    ("play branch s1 --count 8", "POST /play/s1/branch", r#"{"count":8}"#),
    ("play get s1 --player-token pt_1", "GET /play/s1", ""),
    (
        "play act s1 --player-token pt_1 --payload [{\"n\":1.50}]",
        "POST /play/s1/act",
        r#"{"payload":[{"n":1.50}]}"#,
    ),
    ("play leave s1 --player-token pt_1", "POST /play/s1/leave", ""),
    (
        "rollout-runs open --max-episodes 10 --max-ticks-per-episode 50",
        "POST /rollout-runs",
        r#"{"max_episodes":10,"max_ticks_per_episode":50}"#,
    ),
    ("rollout-runs list --status active", "GET /rollout-runs?status=active&limit=100", ""),
    (
        "rollout-runs reset r1 --game chess --seed 7 --opponent-seats 1 --min-percentile 0.4",
        "POST /rollout-runs/r1/episodes",
        r#"{"game":"chess","seed":7,"opponent_seats":1,"min_percentile":0.4}"#,
    ),
    ("rollout-runs get-episode r1 e1", "GET /rollout-runs/r1/episodes/e1", ""),
    (
        "rollout-runs step r1 e1 --action [] --expected-tick 3",
        "POST /rollout-runs/r1/episodes/e1/step",
        r#"{"action":[],"expected_tick":3}"#,
    ),
    (
        "rollout-runs step-batch r1 --steps [{\"episode_id\":\"e1\",\"action\":[],\"expected_tick\":3}]",
        "POST /rollout-runs/r1/steps",
        r#"{"steps":[{"episode_id":"e1","action":[],"expected_tick":3}]}"#,
    ),
    ("rollout-runs fork r1 e1", "POST /rollout-runs/r1/episodes/e1/fork", ""),
    (
        "rollout-runs fork-batch r1 e1 --count 4 --op-key k",
        "POST /rollout-runs/r1/episodes/e1/forks",
        r#"{"count":4,"op_key":"k"}"#,
    ),
    (
        "rollout-runs score-actions r1 e1 --candidate-actions [[],[{\"a\":1}]] --samples-per-action 3",
        "POST /rollout-runs/r1/episodes/e1/score-actions",
        r#"{"candidate_actions":[[],[{"a":1}]],"samples_per_action":3}"#,
    ),
    (
        "rollout-runs complete r1 e1 --samples 30",
        "POST /rollout-runs/r1/episodes/e1/complete",
        r#"{"samples":30}"#,
    ),
    ("rollout-runs close-episode r1 e1", "POST /rollout-runs/r1/episodes/e1/close", ""),
    (
        "rollout-runs extend r1 --additional-episodes 5",
        "POST /rollout-runs/r1/extend",
        r#"{"additional_episodes":5}"#,
    ),
    ("rollout-runs close r1", "POST /rollout-runs/r1/close", ""),
    (
        "tasks create --n 2 --difficulty 0.5 --kinds compression",
        "POST /tasks",
        r#"{"n":2,"difficulty":0.5,"kinds":["compression"]}"#,
    ),
    (
        "tasks score t1 --responses a --responses b",
        "POST /tasks/score",
        r#"{"task_id":"t1","responses":["a","b"]}"#,
    ),
    ("tasks info --difficulty 0.5", "GET /tasks/info?difficulty=0.5", ""),
    ("api GET /games --query limit=2", "GET /games?limit=2", ""),
    ("api POST /play --body {\"game\":\"g\"} --param seed=1", "POST /play", r#"{"game":"g","seed":1}"#),
    ("api DELETE /sessions/s1", "DELETE /sessions/s1", ""),
];

#[tokio::test]
async fn every_command_sends_what_the_sdks_method_sends() {
    // SDK 3.4.0 resources.py.
    // Members are compared as what they are: their order means nothing.
    let parsed = |text: &str| serde_json::from_str::<Value>(text).ok();
    for (line, request, body) in COMMANDS {
        let mut args: Vec<&str> = line.split(' ').collect();
        args.push("--json");
        let run = run(vec![data(r#"{"forks":[]}"#)], &args).await;
        let (method, path) = request.split_once(' ').unwrap();
        let [(seen, sent)] = &run.seen[..] else { panic!("{line}: {:?} {}", run.seen, run.err) };
        assert_eq!(*seen, format!("{method} /api/v1{path}"), "{line}");
        assert_eq!((parsed(sent), sent.is_empty()), (parsed(body), body.is_empty()), "{line}: {sent}");
        assert_eq!(run.status, 0, "{line}: {}", run.err);
    }
}

#[tokio::test]
async fn every_method_of_the_sdk_has_a_command_with_its_price_and_its_rule() {
    // The resource reference of the SDK's README, 3.4.0.
    for (resource, methods) in [
        ("games", "list get tags"),
        ("dataset-builds", "evaluate-code explore"),
        ("exports", "list create get download download-files load reset-tracking"),
        ("jobs", "get wait branch-scores"),
        ("providers", "list"),
        ("submissions", "list get create delete bulk-delete evaluate batch-evaluate evaluations"),
        ("sessions", "list get logs branches branch-scores delete"),
        ("billing", "balance usage"),
        ("play", "create join branch get act leave connect spectate"),
        (
            "rollout-runs",
            "open list reset get-episode step step-batch fork fork-batch score-actions complete close-episode extend close",
        ),
        ("tasks", "create score info"),
    ] {
        for method in methods.split(' ') {
            let help = run(vec![], &[resource, method, "--help"]).await;
            assert_eq!(help.status, 0, "{resource} {method}");
            for word in ["Price: ", "If the answer is lost: ", "Time-out: ", "--json"] {
                assert!(help.out.contains(word), "{resource} {method}: {}", help.out);
            }
        }
    }
}
