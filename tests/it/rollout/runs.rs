//! Runs from opening to settlement, and resets that extend them.

use std::sync::Arc;

use gert::api::endpoints::{CloseEpisode, CloseRun, ListRuns, OpenRun, ResetEpisode, StepEpisode};
use gert::api::model::{GameSlug, Json, RunStatus};
use gert::api::{ErrorKind, PageOptions};
use gert::rollout::{Error, Run};
use serde_json::json as value;

use super::fake::{Asked, Fault, Reply, Server, World, run_1};
use super::{json, until};

async fn open(server: &Server) -> Run {
    Run::open(&server.client(), &OpenRun::new(10u32)).await.expect("a run")
}

fn game() -> ResetEpisode {
    ResetEpisode::default().game("g")
}

#[tokio::test]
async fn a_run_is_opened_played_and_closed() {
    // SDK 3.4.0 tests/test_rollouts.py test_rollout_resource_open_reset_step_close.
    let server = World::default().start().await;
    let client = server.client();
    let opened = client.send(&OpenRun::new(10u32)).await.expect("a run");
    assert_eq!((opened.run_id.as_str(), opened.max_episodes), ("run-1", Some(10)));
    let episode = client.send(&ResetEpisode::of("run-1", "g").seed(7u64)).await.expect("an episode");
    assert_eq!((episode.episode_id.as_str(), episode.seed.as_ref().map(Json::get)), ("ep-0", Some("7")));
    let step = StepEpisode::new("run-1", "ep-0").action(json(r#"[{"add":1}]"#));
    assert_eq!(client.send(&step).await.expect("a step").reward, Some(1.0));
    let closed = client.send(&CloseEpisode::new("run-1", "ep-0")).await.expect("closed");
    assert_eq!(closed.ticks_used, Some(1));
    let gone = client.send(&CloseEpisode::new("run-1", "ep-0")).await.expect_err("it is gone");
    assert_eq!((gone.kind(), gone.code()), (ErrorKind::NotFound, Some("EPISODE_NOT_FOUND")));
    let closed = client.send(&CloseRun::new("run-1")).await.expect("closed");
    assert_eq!(
        (closed.status, closed.ticks_used, closed.episodes_used),
        (RunStatus::Closed, Some(1), Some(1))
    );
}

#[tokio::test]
async fn runs_are_listed_page_by_page() {
    // test_rollout_list_paginates.
    let server = Server::start(|asked: &Asked| -> Reply {
        Ok(match asked.path.as_str() {
            "/rollout-runs?status=active&limit=2" => {
                value!({"runs": [{"run_id": "r1"}, {"run_id": "r2"}], "next_cursor": "r2"})
            }
            "/rollout-runs?status=active&limit=2&cursor=r2" => value!({"runs": [{"run_id": "r3"}]}),
            path => panic!("nobody asks for {path}"),
        })
    })
    .await;
    let options = PageOptions { page_size: 2, max_items: None };
    let runs = server.client().all(&ListRuns::new().status("active"), options).await.expect("runs");
    let names: Vec<_> = runs.items.iter().map(|run| run.run_id.as_str()).collect();
    assert_eq!(names, ["r1", "r2", "r3"]);
}

#[tokio::test]
async fn a_run_is_closed_once_and_only_when_that_went_well() {
    // tests/test_openenv_env.py test_close_retries_after_settle_failure, test_double_close_is_noop.
    let server = World::default().start().await;
    let run = open(&server).await;
    server.fault(0, "run-1/close", Fault::Refuse(500, "INTERNAL_ERROR"));
    assert_eq!(run.close().await.expect_err("a failure").code(), Some("INTERNAL_ERROR"));
    assert!(!run.is_closed());
    let first = run.close().await.expect("closed");
    assert!(run.is_closed() && run.close().await.expect("the same") == first);
    assert!(matches!(run.reset(&game(), None).await, Err(Error::Refused(_))));
    drop(run);
    tokio::task::yield_now().await;
    assert_eq!((server.count("run-1/close"), server.count("/episodes")), (2, 0));
}

#[tokio::test]
async fn a_dropped_run_is_settled() {
    let server = World::default().start().await;
    drop(open(&server).await);
    until("settling", || server.count("run-1/close") == 1).await;
    drop(Run::adopt(&server.client(), &run_1()));
    until("settling", || server.count("run-1/close") == 2).await;
    assert_eq!(open(&server).await.keep_open(), run_1());
    tokio::task::yield_now().await;
    assert_eq!(server.count("run-1/close"), 2);
}

#[tokio::test]
async fn an_aborted_run_starts_nothing_and_is_settled_later_if_that_failed() {
    let server = World::default().start().await;
    let run = open(&server).await;
    server.fault(0, "run-1/close", Fault::Refuse(500, "INTERNAL_ERROR"));
    run.abort().await;
    assert!(run.is_closed() && matches!(run.reset(&game(), None).await, Err(Error::Refused(_))));
    drop(run);
    until("settling", || server.count("run-1/close") == 2).await;
}

#[tokio::test]
async fn rules_are_fetched_once_a_game_and_a_failure_is_an_error() {
    // tests/test_rollouts.py test_openenv_tags_fetches_rules_per_resolved_game;
    // tests/test_openenv_env.py test_reset_ok_when_game_has_no_rules.
    let server = World::default().start().await;
    let run = open(&server).await;
    for slug in ["a", "b", "a"] {
        let rules = run.rules(&GameSlug::from(slug)).await.expect("rules");
        assert_eq!(rules, Some(format!("RULES {slug}")));
    }
    assert_eq!((server.count("/games/a"), server.count("/games/b")), (1, 1));
    server.fault(0, "/games/c", Fault::Refuse(404, "NOT_FOUND"));
    assert_eq!(run.rules(&"c".into()).await.expect_err("a failure").kind(), ErrorKind::NotFound);
    assert!(run.rules(&"c".into()).await.expect("rules").is_some());
    let bare = Server::start(|_| Ok(value!({"run_id": "run-1"}))).await;
    assert_eq!(open(&bare).await.rules(&"a".into()).await.expect("an answer"), None);
}

#[tokio::test]
async fn a_reset_says_what_to_do_when_the_run_is_used_up() {
    // test_reset_with_extend.
    let server = World { budget: 0, ..World::default() }.start().await;
    let run = open(&server).await;
    let error = run.reset(&game(), None).await.expect_err("used up");
    assert!(error.to_string().contains("extend"), "{error}");
    assert_eq!((error.code(), server.count("/extend")), (Some("RUN_EXHAUSTED"), 0));
    assert!(matches!(run.reset(&game(), Some(0)).await, Err(Error::Refused(_))));
}

#[tokio::test]
async fn a_reset_extends_the_run_only_when_it_must() {
    // test_reset_with_extend.
    let server = World { budget: 1, ..World::default() }.start().await;
    let run = open(&server).await;
    run.reset(&game(), Some(5)).await.expect("there is room");
    assert_eq!(server.count("/extend"), 0);
    let episode = run.reset(&game().seed(7u64), Some(5)).await.expect("room was made");
    assert_eq!(episode.episode_id.as_str(), "ep-1");
    assert_eq!(server.bodies("/extend"), [value!({"additional_episodes": 5})]);
    assert_eq!(server.bodies("/episodes").last(), Some(&value!({"game": "g", "seed": 7})));
    server.fault(0, "/episodes", Fault::Refuse(400, "VALIDATION_ERROR"));
    let error = run.reset(&game(), Some(5)).await.expect_err("a refusal");
    assert_eq!((error.code(), server.count("/extend")), (Some("VALIDATION_ERROR"), 1));
}

#[tokio::test]
async fn many_resets_at_once_extend_the_run_one_after_the_other() {
    let server = World { budget: 0, ..World::default() }.start().await;
    let run = Arc::new(open(&server).await);
    let resets: Vec<_> = (0..6)
        .map(|_| {
            let run = run.clone();
            tokio::spawn(async move { run.reset(&game(), Some(3)).await.map(|episode| episode.episode_id) })
        })
        .collect();
    for reset in resets {
        reset.await.expect("no panic").expect("an episode");
    }
    assert_eq!(server.count("/extend"), 2);
}
