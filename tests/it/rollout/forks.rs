//! Batches of forks on the wire; when they are sent again is decided in `rollout::fork`, with its tests.

use gert::api::ErrorKind;
use gert::api::endpoints::{ForkBatch, ResetEpisode};
use gert::rollout::fork_batch;

use super::fake::{Fault, Server, World};

async fn started(world: World) -> Server {
    let server = world.start().await;
    server.client().send(&ResetEpisode::of("run-1", "g")).await.expect("an episode");
    server
}

fn batch(count: u32) -> ForkBatch {
    ForkBatch::new("run-1", "ep-0", count)
}

#[tokio::test]
async fn a_key_is_made_where_there_is_none() {
    // SDK 3.4.0 tests/test_rollouts.py test_fork_batch_resource.
    let server = started(World::default()).await;
    let forks = fork_batch(&server.client(), &batch(2)).await.expect("forks");
    let names: Vec<_> = forks.iter().map(|fork| fork.episode_id.as_str()).collect();
    assert_eq!(names, ["fk-0", "fk-1"]);
    let body = &server.bodies("/forks")[0];
    let key = body["op_key"].as_str().expect("a key");
    assert!(key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");
    fork_batch(&server.client(), &batch(2)).await.expect("other forks");
    assert_ne!(server.bodies("/forks")[1]["op_key"], *key);
}

#[tokio::test]
async fn the_same_key_gives_the_same_forks() {
    let server = started(World::default()).await;
    let request = batch(2).op_key("mine");
    let first = fork_batch(&server.client(), &request).await.expect("forks");
    assert_eq!(fork_batch(&server.client(), &request).await.expect("the same"), first);
    assert_eq!(server.bodies("/forks")[0], serde_json::json!({"count": 2, "op_key": "mine"}));
}

#[tokio::test]
async fn a_verdict_is_final_and_the_generic_retry_is_off() {
    // test_fork_batch_stops_on_op_failed, test_fork_batch_waits_out_run_busy (the hard failure).
    let server = started(World { budget: 2, ..World::default() }).await;
    let error = fork_batch(&server.client(), &batch(2)).await.expect_err("too many");
    assert_eq!((error.code(), error.kind()), (Some("RUN_EXHAUSTED"), ErrorKind::Conflict));
    for (status, code) in [(409, "OP_FAILED"), (500, "INTERNAL_ERROR"), (503, "SETTLE_FAILED")] {
        server.fault(0, "/forks", Fault::Refuse(status, code));
        let before = server.count("/forks");
        let error = fork_batch(&server.client(), &batch(1)).await.expect_err("a verdict");
        assert_eq!((error.code(), server.count("/forks") - before), (Some(code), 1));
    }
}

#[tokio::test]
async fn wrong_counts_and_keys_send_nothing() {
    let server = started(World::default()).await;
    for request in [batch(0), batch(129), batch(1).op_key(""), batch(1).op_key("k".repeat(129))] {
        let error = fork_batch(&server.client(), &request).await.expect_err("a local refusal");
        assert_eq!(error.kind(), ErrorKind::Argument);
    }
    assert_eq!(server.count("/forks"), 0);
}
