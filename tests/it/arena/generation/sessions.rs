//! What the offline writer makes, in one answer and in a session with tools and branches.

use super::*;

#[tokio::test]
async fn the_offline_writer_makes_a_program_that_plays() {
    let server = server().await;
    let before = server.credits().await;
    let made = generate(&server, json!({})).await;
    let result = result_of(&server, &made["job_id"]).await;
    assert_eq!((&result["submission_id"], &result["status"]), (&made["submission_id"], &json!("ready")));
    let submission = server.data(&format!("/submissions/{}", text(&made["submission_id"]))).await;
    assert_eq!(submission["provider"], "program-writer (offline, templates)");
    assert_eq!(submission["model"], "templates-large");
    assert!(text(&submission["files"]["main.py"]).contains("def act(observation, seat, info)"));
    // The match in which it was tried is paid for, nothing else.
    let job = server.data(&format!("/jobs/{}", text(&made["job_id"]))).await["job"].clone();
    let paid = job["credits_used"].as_f64().unwrap();
    assert!(paid > 0.0 && paid <= 42.0 * 0.0004, "{job}");
    assert!((before - server.credits().await - paid).abs() < 1e-9);
    let again = generate(&server, json!({})).await;
    result_of(&server, &again["job_id"]).await;
    let other = server.data(&format!("/submissions/{}", text(&again["submission_id"]))).await;
    assert_eq!(other["files"], submission["files"], "the same seed, the same program");
}

#[tokio::test]
async fn a_branched_session_has_scored_decisions_and_adopts_the_best() {
    let server = server().await;
    let order = json!({
        "pipeline": "agentic", "max_turns": 4, "branch": true, "branch_interval": 2, "max_actions": 2,
        "samples_per_action": 2, "adopt_percentile": 1.0,
    });
    let made = generate(&server, order).await;
    let result = result_of(&server, &made["job_id"]).await;
    assert_eq!((&result["turns"], &result["decision_points"]), (&json!(4), &json!(2)));
    let scores = server.data(&format!("/jobs/{}/branch-scores", text(&made["job_id"]))).await;
    assert_eq!((&scores["branch_mode"], &scores["adopt_percentile"]), (&json!("best_of_n"), &json!(1.0)));
    let points = scores["decision_points"].as_array().unwrap();
    let indices: Vec<&Value> = points.iter().map(|point| &point["decision_index"]).collect();
    assert_eq!(indices, [&json!(1), &json!(2)]);
    for point in points {
        let actions = point["actions"].as_array().unwrap();
        assert!((1..=2).contains(&actions.len()), "{point}");
        assert_eq!(actions.iter().filter(|action| action["adopted"] == true).count(), 1, "{point}");
        let best = |action: &Value| action["value"]["max"].as_f64().unwrap();
        let adopted = actions.iter().find(|action| action["adopted"] == true).unwrap();
        // At 1.0 the best single rollout decides.
        assert!(actions.iter().all(|action| best(action) <= best(adopted)), "{point}");
        for action in actions {
            assert_eq!(action["sample_scores"].as_array().unwrap().len(), 2);
            assert_eq!(action["sample_turns"], json!([1, 1]));
            assert_eq!(action["action"][0]["type"], "reasoning");
            assert!(action.get("code").is_none(), "programs are for exports");
        }
    }
    let submission = server.data(&format!("/submissions/{}", text(&made["submission_id"]))).await;
    let config = &submission["branch_config"];
    assert_eq!((&config["mode"], &config["branch_interval"]), (&json!("best_of_n"), &json!(2)));
    assert_eq!((&config["ticks"], &config["opponent_source"]), (&json!(42), &json!("system")));
}

#[tokio::test]
async fn what_cannot_be_generated_is_refused_or_fails_with_a_reason() {
    let server = server().await;
    for (body, why) in [
        (json!({ "game": "connect_four", "custom_provider_id": "arena" }), "writes no programs"),
        (json!({ "game": "connect_four", "custom_provider_id": "nobody" }), "`program-writer`"),
        (json!({ "game": "connect_four", "pipeline": "agentic" }), "`custom_provider_id`"),
        (json!({ "game": "connect_four", "custom_provider_id": "program-writer", "model": "x" }), "`model`"),
    ] {
        let (status, answer) = server.post("/submissions", body.clone()).await;
        assert_eq!((status, code(&answer)), (400, "VALIDATION_ERROR"), "{body}: {answer}");
        assert!(text(&answer["error"]["message"]).contains(why), "{answer}");
    }
    let (status, answer) =
        server.post("/submissions", json!({ "game": "chess", "custom_provider_id": "program-writer" })).await;
    assert_eq!(status, 404, "{answer}");
    let (status, _) = server.get("/jobs/j_none/branch-scores").await;
    assert_eq!(status, 404);
}
