//! The rules of protocol.md §2.8.

use serde_json::{Value, json};

use super::super::{Server, code, text};
use super::{FIRST, LAST, a_built_in, server};

async fn bulk(server: &Server, body: Value) -> Value {
    let (status, answer) = server.post("/submissions/bulk-delete", body).await;
    assert_eq!(status, 200, "{answer}");
    answer["data"].clone()
}

async fn left(server: &Server) -> usize {
    server.data("/submissions?mine=true").await["submissions"].as_array().unwrap().len()
}

#[tokio::test]
async fn nothing_is_deleted_unless_it_is_said_twice() {
    let server = server().await;
    let first = server.upload(FIRST, "m1").await;
    server.upload(LAST, "m2").await;
    for flags in [
        json!({}),
        json!({ "dry_run": false }),
        json!({ "confirm": true }),
        json!({ "dry_run": true, "confirm": true }),
    ] {
        let mut body = flags.clone();
        body["models"] = json!(["m1"]);
        let answer = bulk(&server, body).await;
        assert_eq!((&answer["matched"], &answer["dry_run"]), (&json!(1), &json!(true)), "{flags}");
        assert_eq!(answer["sample"][0]["submission_id"], first.as_str());
        assert!(answer.get("deleted").is_none());
        assert_eq!(left(&server).await, 2, "{flags}");
    }
    let answer = bulk(&server, json!({ "models": ["m1"], "dry_run": false, "confirm": true })).await;
    assert_eq!((&answer["matched"], &answer["deleted"]), (&json!(1), &json!(1)));
    assert_eq!(left(&server).await, 1);
}

#[tokio::test]
async fn another_count_than_expected_deletes_nothing() {
    let server = server().await;
    for model in ["m1", "m1", "m2"] {
        server.upload(FIRST, model).await;
    }
    let ask =
        |count: u64| json!({ "models": ["m1"], "dry_run": false, "confirm": true, "expected_count": count });
    for wrong in [0, 1, 3] {
        let (status, answer) = server.post("/submissions/bulk-delete", ask(wrong)).await;
        assert_eq!((status, code(&answer)), (409, "CONFLICT"));
        assert!(text(&answer["error"]["message"]).contains("2 match: nothing was deleted"), "{answer}");
    }
    assert_eq!(left(&server).await, 3);
    assert_eq!(bulk(&server, ask(2)).await["deleted"], 2);
    assert_eq!(left(&server).await, 1);
    // Without a count, whatever matches now.
    assert_eq!(bulk(&server, json!({ "dry_run": false, "confirm": true })).await["deleted"], 1);
}

#[tokio::test]
async fn only_own_submissions_are_reached_and_an_empty_list_is_refused() {
    let server = server().await;
    let own = server.upload(FIRST, "m").await;
    let built_in = a_built_in(&server).await;
    let ids = bulk(&server, json!({ "submission_ids": [built_in, own, "sub_nobody"] })).await;
    assert_eq!(ids["matched"], 1);
    for (body, status, word) in [
        (json!({ "scope": "org" }), 403, "organisation"),
        (json!({ "submission_ids": [] }), 400, "`submission_ids` must not be empty"),
        (json!({ "models": [] }), 400, "`models` must not be empty"),
        (json!({ "branch_modes": ["some"] }), 400, "`branch_modes`"),
        (json!({ "created_after": "yesterday" }), 400, "RFC 3339"),
        (json!({ "game": "connect_four" }), 400, "`game` is not a field"),
    ] {
        let (found, answer) = server.post("/submissions/bulk-delete", body.clone()).await;
        assert!(found == status && text(&answer["error"]["message"]).contains(word), "{body}: {answer}");
    }
    let long_ago = json!({ "created_before": "2001-01-01T00:00:00Z" });
    assert_eq!(bulk(&server, long_ago).await["matched"], 0);
    assert_eq!(
        bulk(&server, json!({ "game_slug": "connect_four", "branch_modes": ["none"] })).await["matched"],
        1
    );
}
