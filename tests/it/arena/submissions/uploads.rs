//! What is uploaded, checked, listed and deleted.

use serde_json::{Value, json};

use super::super::{code, text};
use super::{FIRST, LAST, a_built_in, server};

#[tokio::test]
async fn an_upload_is_there_at_once_and_ready_after_its_check() {
    let server = server().await;
    let body = json!({ "game": "connect_four", "language": "python", "code": FIRST, "provider": "lab", "model": "m1" });
    let (status, answer) = server.post("/submissions", body).await;
    assert_eq!((status, &answer["data"]["status"]), (201, &json!("pending")), "{answer}");
    let submission_id = text(&answer["data"]["submission_id"]);
    assert!(["pending", "ready"].contains(&text(&server.submission_record(submission_id).await["status"])));
    let job = server.job_ended(text(&answer["data"]["job_id"])).await;
    assert_eq!((&job["status"], &job["kind"]), (&json!("completed"), &json!("check")), "{job}");
    assert_eq!(job["result"], json!({ "submission_id": submission_id, "status": "ready" }));
    let kept = server.submission_record(submission_id).await;
    assert_eq!((&kept["status"], &kept["language"]), (&json!("ready"), &json!("python")));
    assert_eq!((&kept["provider"], &kept["model"]), (&json!("lab"), &json!("m1")));
    assert_eq!(kept["files"], json!({ "main.py": FIRST }));
    // Unknown attribution and ratings are absent (protocol.md §2.5).
    for absent in ["elo_rating", "branch_config", "provider_source", "failure"] {
        assert!(kept.get(absent).is_none(), "{absent}");
    }
    assert!((server.credits().await - 1000.0).abs() < 1e-9, "a check costs nothing");
}

#[tokio::test]
async fn files_make_a_program_and_a_command_any_other() {
    let server = server().await;
    let main = "from lib import choose\ndef act(observation, seat, info):\n    return choose(observation)\n";
    let lib = "def choose(observation):\n    return [{'action': 'drop', 'column': observation['legal_columns'][0]}]\n";
    let files = json!({ "main.py": main, "lib.py": lib });
    let shell = "read hello\nwhile read line; do case \"$line\" in *'\"observe\"'*) \
                 echo '[{\"action\":\"drop\",\"column\":3}]';; esac; done\n";
    for body in [
        json!({ "game": "connect_four", "language": "python", "files": files }),
        json!({ "game": "connect_four", "command": "run.sh", "files": { "run.sh": shell } }),
    ] {
        let (status, answer) = server.post("/submissions", body).await;
        assert_eq!(status, 201, "{answer}");
        server.job_ended(text(&answer["data"]["job_id"])).await;
        let kept = server.submission_record(text(&answer["data"]["submission_id"])).await;
        // The shell's one column fills up and then it strikes: it started, which is what is asked here.
        assert_ne!(kept["failure"]["code"], "startup_failed", "{kept}");
    }
}

#[tokio::test]
async fn what_is_broken_fails_early_and_says_why() {
    // arena.md §8 and §9.3.
    let server = server().await;
    for (program, failure, word) in [
        ("def act(:\n", "startup_failed", "SyntaxError"),
        (
            "import nothing_like_this\ndef act(observation, seat, info): return []\n",
            "startup_failed",
            "nothing_like_this",
        ),
        ("def act(observation, seat, info):\n    raise ValueError('oh no')\n", "crashed", "oh no"),
        ("def act(observation, seat, info):\n    return [{'action': 'jump'}]\n", "rejected_action", "jump"),
    ] {
        let submission_id = server.upload(program, "m").await;
        let job = server.job_ended(text(&server.submission_record(&submission_id).await["job_id"])).await;
        let error = text(&job["error"]);
        assert!(job["status"] == "failed" && error.starts_with(&format!("{failure}: ")), "{job}");
        let kept = server.submission_record(&submission_id).await;
        assert_eq!((&kept["status"], &kept["failure"]["code"]), (&json!("failed"), &json!(failure)));
        assert!(kept["failure"].to_string().contains(word), "{kept}");
        let refused = server.post(&format!("/submissions/{submission_id}/evaluate"), json!({})).await;
        assert_eq!((refused.0, code(&refused.1)), (409, "CONFLICT"));
        assert!(text(&refused.1["error"]["message"]).contains("failed its check"), "{}", refused.1);
    }
}

#[tokio::test]
async fn the_league_is_listed_after_the_callers_own_and_pages_add_up() {
    let server = server().await;
    let first = server.upload(FIRST, "m1").await;
    let second = server.upload(LAST, "m2").await;
    let whole = server.data("/submissions?limit=100").await;
    let rows = whole["submissions"].as_array().unwrap();
    let ids = |rows: &[Value]| -> Vec<String> {
        rows.iter().map(|row| text(&row["submission_id"]).to_owned()).collect()
    };
    assert_eq!(ids(&rows[..2]), [second.clone(), first.clone()], "newest first");
    assert!(rows[2..].iter().all(|row| row["provider_source"] == "arena" && row["elo_rating"].is_number()));
    assert!(rows.iter().all(|row| row.get("files").is_none()), "lists are without code");
    for size in [1, 2, 7] {
        let (mut seen, mut path) = (Vec::new(), format!("/submissions?game=connect_four&limit={size}"));
        loop {
            let page = server.data(&path).await;
            seen.extend(ids(page["submissions"].as_array().unwrap()));
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            path = format!("/submissions?game=connect_four&limit={size}&cursor={cursor}");
        }
        let of_game = rows.iter().filter(|row| row["game"] == "connect_four").cloned().collect::<Vec<_>>();
        assert_eq!(seen, ids(&of_game), "pages of {size}");
    }
    let mine = server.data("/submissions?mine=true").await;
    assert_eq!(ids(mine["submissions"].as_array().unwrap()), [second, first]);
    let branched = server.data("/submissions?branch_mode=measure,best_of_n").await;
    assert_eq!(branched["submissions"], json!([]));
    let plain = server.data("/submissions?branch_mode=none,measure&limit=3").await;
    assert_eq!(plain["submissions"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn nobody_touches_the_league_and_what_is_deleted_is_gone() {
    let server = server().await;
    let built_in = a_built_in(&server).await;
    assert_eq!(server.submission_record(&built_in).await["provider"], "arena");
    assert_eq!(
        server.data(&format!("/submissions/{built_in}/evaluations")).await,
        json!({ "evaluations": [] })
    );
    let refused = [
        server.delete_submission(&built_in).await,
        server.post(&format!("/submissions/{built_in}/evaluate"), json!({})).await,
    ];
    for (status, body) in &refused {
        assert_eq!((*status, code(body)), (403, "FORBIDDEN"));
        assert!(text(&body["error"]["message"]).contains("built-in player"), "{body}");
    }
    let submission_id = server.upload(FIRST, "m").await;
    assert_eq!(server.delete_submission(&submission_id).await, (204, Value::Null));
    let path = format!("/submissions/{submission_id}");
    assert_eq!(server.get(&path).await.0, 404);
    assert_eq!(server.delete_submission(&submission_id).await.0, 404);
    assert_eq!(server.get(&format!("{path}/evaluations")).await.0, 404);
    assert_eq!(server.data("/submissions?mine=true").await, json!({ "submissions": [] }));
}

#[tokio::test]
async fn requests_that_make_no_sense_are_told_so() {
    let server = server().await;
    let refused = async |body: Value| {
        let (status, answer) = server.post("/submissions", body).await;
        (status, text(&answer["error"]["message"]).to_owned())
    };
    let ask = |change: Value| {
        let mut body = json!({ "game": "connect_four", "language": "python", "code": FIRST });
        for (key, value) in change.as_object().unwrap() {
            body[key] = value.clone();
        }
        body
    };
    for (change, status, word) in [
        (json!({ "game": "chess" }), 404, "`chess`"),
        (json!({ "game": null }), 400, "`game`"),
        (json!({ "language": "cobol" }), 400, "`python`, `process`"),
        (json!({ "code": "" }), 400, "`code`"),
        (json!({ "code": null }), 400, "`code` is required"),
        (json!({ "files": { "main.py": FIRST } }), 400, "beside `code`"),
        (json!({ "model": "two\nlines" }), 400, "`model`"),
        (json!({ "max_turns": 7 }), 400, "`max_turns` is not a field"),
        (json!({ "command": "python main.py" }), 400, "`command`"),
    ] {
        let (found, message) = refused(ask(change.clone())).await;
        assert!(found == status && message.contains(word), "{change}: {found} {message}");
    }
    let large = ask(json!({ "code": "x".repeat(1024 * 1024 + 1) }));
    assert!(refused(large).await.1.contains("1048576"));
    assert_eq!(refused(ask(json!({ "code": "x".repeat(5 * 1024 * 1024) }))).await.0, 413);
    for path in [
        "/submissions?mine=perhaps",
        "/submissions?branch_mode=some",
        "/submissions?cursor=x",
        "/submissions?x=1",
    ] {
        assert_eq!(server.get(path).await.0, 400, "{path}");
    }
}
