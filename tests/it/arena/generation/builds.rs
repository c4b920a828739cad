//! Dataset builds in both modes: estimated, one at a time, linked to their children, and never left running.

use super::*;

/// A code evaluation of one game.
fn code_evaluation() -> Value {
    json!({
        "mode": "code_evaluation", "game_slug": "liars_dice", "custom_provider_id": "program-writer",
        "submission_count": 2, "match_count": 2, "export_type": "both", "seed": 3,
    })
}

async fn build(server: &Server, body: Value) -> String {
    let (status, answer) = server.post("/dataset-builds", body).await;
    assert_eq!(status, 202, "{answer}");
    text(&answer["data"]["job_id"]).to_owned()
}

#[tokio::test]
async fn a_code_evaluation_is_estimated_done_and_exported() {
    let server = server().await;
    let dry = |mut body: Value| {
        body["dry_run"] = true.into();
        body
    };
    let (status, estimate) = server.post("/dataset-builds", dry(code_evaluation())).await;
    assert_eq!(status, 200, "{estimate}");
    let estimated = estimate["data"]["estimated_credits"].as_f64().unwrap();
    let job_id = build(&server, code_evaluation()).await;
    let (status, conflict) = server.post("/dataset-builds", code_evaluation()).await;
    assert_eq!((status, code(&conflict)), (409, "CONFLICT"));
    assert_eq!(conflict["existing_job_id"], job_id.as_str(), "top-level (protocol.md §2.4)");
    let result = result_of(&server, &json!(job_id)).await;
    assert_eq!(result["failed_count"], 0, "{result}");
    assert_eq!(result["submission_ids"].as_array().unwrap().len(), 2);
    let types: Vec<Value> = {
        let mut types = Vec::new();
        for export_id in result["export_job_ids"].as_array().unwrap() {
            end_of(&server, text(export_id)).await;
            let export = server.data(&format!("/exports/{}", text(export_id))).await["export"].clone();
            assert_eq!(export["status"], "completed", "{export}");
            let job = server.data(&format!("/jobs/{}", text(export_id))).await["job"].clone();
            assert_eq!(job["parent_job_id"], job_id.as_str());
            assert!(job["result"]["record_count"].as_u64().unwrap() >= 2, "{job}");
            types.push(export["export_type"].clone());
        }
        types
    };
    assert_eq!(types, ["submissions", "replays"]);
    let spent: f64 = server.data("/auth/usage").await["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| matches!(text(&entry["kind"]), "generation" | "evaluation"))
        .map(|entry| entry["credits"].as_f64().unwrap())
        .sum();
    assert!(spent > 0.0 && spent <= estimated, "{spent} of {estimated}");
    // The place is free again.
    build(&server, code_evaluation()).await;
}

#[tokio::test]
async fn a_build_that_was_interrupted_goes_on_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    let place = || Place::File(folder.path().join("arena.db"));
    let mut server = Server::with(with_programs(place())).await;
    let job_id = build(&server, code_evaluation()).await;
    // In the middle: the first child is there.
    let children = async {
        loop {
            let jobs = server.data("/submissions?mine=true").await["submissions"].clone();
            if !jobs.as_array().unwrap().is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, children).await.expect("a child in time");
    server.stop().await;
    drop(server);
    let server = Server::with(with_programs(place())).await;
    let job = end_of(&server, &job_id).await;
    assert_eq!(job["status"], "completed", "{job}");
    // Nothing was made twice.
    assert_eq!(job["result"]["submission_ids"].as_array().unwrap().len(), 2, "{job}");
    let all = server.data("/submissions?mine=true").await["submissions"].clone();
    assert_eq!(all.as_array().unwrap().len(), 2, "{all}");
}

#[tokio::test]
async fn an_exploration_plays_parents_and_branches_and_exports_them() {
    let server = server().await;
    let body = json!({
        "mode": "branch_exploration", "game_slug": "grid_serpents", "custom_provider_id": "program-writer",
        "parent_count": 1, "max_actions": 2, "samples_per_action": 1, "explore_interval": 10, "seed": 3,
    });
    let job_id = build(&server, body).await;
    let result = result_of(&server, &json!(job_id)).await;
    let parent = text(&result["session_ids"][0]).to_owned();
    let scores = server.data(&format!("/sessions/{parent}/branch-scores")).await;
    let branches = scores["branches"].as_array().unwrap();
    assert!(branches.len() >= 2, "{scores}");
    assert!(branches.iter().all(|branch| branch["kind"] == "explore"));
    let export = end_of(&server, text(&result["export_job_id"])).await;
    assert_eq!(export["status"], "completed", "{export}");
    assert_eq!(export["result"]["record_count"].as_u64().unwrap() as usize, branches.len(), "{export}");
}

#[tokio::test]
async fn a_build_that_cannot_be_paid_or_done_is_refused() {
    let server = server().await;
    let mut dear = code_evaluation();
    (dear["submission_count"], dear["match_count"]) = (200.into(), 2000.into());
    let (status, answer) = server.post("/dataset-builds", dear).await;
    assert_eq!((status, code(&answer)), (402, "INSUFFICIENT_CREDITS"), "{answer}");
    for (member, value) in
        [("mode", json!("x")), ("custom_provider_id", json!("arena")), ("parent_count", json!(2))]
    {
        let mut body = code_evaluation();
        body[member] = value;
        let (status, answer) = server.post("/dataset-builds", body).await;
        assert_eq!((status, code(&answer)), (400, "VALIDATION_ERROR"), "{member}: {answer}");
        assert!(text(&answer["error"]["message"]).contains(member), "{answer}");
    }
}
