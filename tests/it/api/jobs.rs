//! Waiting for a job, with tokio's time paused: the clock jumps to the next timer as soon as nobody has anything to do.

use std::time::Duration;

use gert::api::endpoints::{CreateTasks, GetJob, ListProviders};
use gert::api::{ErrorKind, Patience, WaitEvent, WaitOptions};
use tokio::time::Instant;

use super::canned::{Canned, Reply, answer, data, error};
use super::client;

fn running() -> Reply {
    data(r#"{"job":{"job_id":"j7","status":"running"}}"#)
}

fn completed() -> Reply {
    data(r#"{"job":{"job_id":"j7","status":"completed","result":{"rows":9007199254740993}}}"#)
}

/// Waits for the job of a script; gives the outcome's kind, the seconds it took, and how often the job was asked for.
async fn wait(script: Vec<Reply>, options: WaitOptions) -> (Result<(), ErrorKind>, u64, usize) {
    let server = Canned::start(script).await;
    let started = Instant::now();
    let waited = client(&server.base()).wait_job(&"j7".into(), options, |_| {}).await;
    (waited.map(drop).map_err(|error| error.kind()), started.elapsed().as_secs(), server.seen().len())
}

#[tokio::test(start_paused = true)]
async fn a_job_is_asked_for_at_once_and_then_every_two_seconds() {
    // SDK 3.4.0 tests/test_client.py test_wait_polls_until_terminal.
    let options = WaitOptions::default();
    assert_eq!(wait(vec![completed()], options).await, (Ok(()), 0, 1));
    assert_eq!(wait(vec![running(), running(), completed()], options).await, (Ok(()), 4, 3));
    let none = WaitOptions { timeout: Some(Duration::ZERO), ..options };
    assert_eq!(wait(vec![running()], none).await, (Err(ErrorKind::JobTimeout), 0, 1));
    assert_eq!(wait(vec![completed()], none).await, (Ok(()), 0, 1));
    let brief = WaitOptions { timeout: Some(Duration::from_secs(3)), ..options };
    assert_eq!(wait(vec![running(); 9], brief).await, (Err(ErrorKind::JobTimeout), 4, 3));
    let broken = vec![running(), error(500, "", "INTERNAL_ERROR"), completed()];
    assert_eq!(wait(broken, options).await, (Err(ErrorKind::Server), 2, 2));
}

#[tokio::test]
async fn a_failed_job_is_an_error_with_the_job_in_it() {
    // SDK 3.4.0 tests/test_client.py test_wait_raises_on_failure; exceptions.py `JobFailed`.
    let failed = data(r#"{"job":{"job_id":"j7","status":"failed","error":"out of matches","rows":17}}"#);
    let server = Canned::start(vec![failed]).await;
    let error = client(&server.base())
        .wait_job(&"j7".into(), WaitOptions::default(), |_| {})
        .await
        .expect_err("it failed");
    assert_eq!((error.kind(), error.why()), (ErrorKind::JobFailed, "job j7 failed: out of matches"));
    assert_eq!((error.code(), error.status()), (Some("out of matches"), None));
    let body = error.body().expect("the job");
    assert_eq!((&body["status"], &body["rows"]), (&"failed".into(), &17.into()));
}

#[tokio::test(start_paused = true)]
async fn a_patient_watch_outlives_failed_polls_and_tells_of_them() {
    // P-01.
    let script = vec![
        running(),
        Reply::Cut,
        answer(502, "Content-Type: text/html\r\n", "<html><title>502 Bad Gateway</title></html>"),
        running(),
        completed(),
    ];
    let server = Canned::start(script).await;
    let mut told = Vec::new();
    let job = client(&server.base())
        .wait_job(&"j7".into(), WaitOptions::patient(), |event| {
            told.push(match event {
                WaitEvent::Answered { job } => job.status.to_string(),
                WaitEvent::Failed { error, failures, age, next } => {
                    assert!(age.is_some() && next > Duration::from_secs(2));
                    format!("{failures} {:?}", error.kind())
                }
            });
        })
        .await
        .expect("it completed");
    assert_eq!(told, ["running", "1 Lost", "2 Server", "running", "completed"]);
    // H-07.
    assert_eq!(
        job.result.map(|result| result.get().to_owned()).as_deref(),
        Some(r#"{"rows":9007199254740993}"#)
    );
}

#[tokio::test(start_paused = true)]
async fn a_lost_watch_is_not_a_failed_job() {
    // P-01.
    let patience = Patience { failures: 3, ..Patience::default() };
    let options = WaitOptions { patience: Some(patience), ..WaitOptions::default() };
    let script = vec![running(), Reply::Cut, Reply::Cut, Reply::Cut];
    let server = Canned::start(script).await;
    let error = client(&server.base()).wait_job(&"j7".into(), options, |_| {}).await.expect_err("nobody");
    assert_eq!((error.kind(), server.seen().len()), (ErrorKind::WatchLost, 4));
    assert!(error.why().starts_with("watch lost: ") && error.body().is_none(), "{}", error.why());
    assert!(error.advice().is_some_and(|advice| advice.contains("may go on")));
}

#[tokio::test(start_paused = true)]
async fn a_status_we_do_not_know_ends_a_patient_watch_with_its_time() {
    // P-02.
    let script = vec![
        data(r#"{"job":{"status":"paused"}}"#),
        data(r#"{"job":{"status":"archived","finished_at":"2026-01-01T00:00:00Z"}}"#),
    ];
    let (outcome, _, polls) = wait(script, WaitOptions::patient()).await;
    assert_eq!((outcome, polls), (Err(ErrorKind::JobUnknown), 2));
}

#[tokio::test(start_paused = true)]
async fn after_a_long_sleep_the_job_is_asked_for_once() {
    // P-04.
    let server = Canned::start(vec![running(), running(), running(), completed()]).await;
    let client = client(&server.base());
    let (asleep, mut sleeping) = tokio::sync::mpsc::channel(1);
    let polls = tokio::spawn(async move {
        let mut polls = Vec::new();
        let options = WaitOptions { timeout: None, ..WaitOptions::default() };
        let job = "j7".into();
        let waited = client.wait_job(&job, options, |_| {
            polls.push(Instant::now());
            let _ = asleep.try_send(());
        });
        waited.await.expect("it completed");
        polls
    });
    sleeping.recv().await.expect("the first poll");
    tokio::time::advance(Duration::from_hours(1)).await;
    let polls = polls.await.expect("no panic");
    let pauses: Vec<_> = polls.windows(2).map(|pair| (pair[1] - pair[0]).as_secs()).collect();
    assert_eq!(pauses, [3600, 2, 2]);
}

#[tokio::test]
async fn answers_are_found_where_the_api_wraps_them() {
    // protocol.md §1.5.
    let server = Canned::start(vec![running(), data(r#"[{"provider_id":"p7","name":"mine"},7]"#)]).await;
    let client = client(&server.base());
    assert_eq!(client.send(&GetJob::new("j7")).await.expect("a job").status.as_str(), "running");
    let providers = client.send(&ListProviders::new()).await.expect("providers");
    assert_eq!((providers.items[0].name.as_deref(), providers.bad[0].index), (Some("mine"), 1));
}

#[tokio::test]
async fn a_task_is_drawn_and_its_reply_scored() {
    // SDK 3.4.0 tests/test_tasks.py test_gert_returns_one_task_or_a_list, test_score_one_reply_or_a_list.
    let server = Canned::start(vec![
        error(503, "Retry-After: 0\r\n", "SERVER_BUSY"),
        data(
            r#"{"tasks":[{"task_id":"t1.b.s","messages":[{"role":"user","content":"rules"}],"price":0.01}]}"#,
        ),
        data(r#"{"results":[{"points":3.5,"solved":true}],"price":0.002}"#),
        data(r#"{"results":[{"points":1}]}"#),
        data(r#"{"tasks":[]}"#),
        error(410, "", "TASK_EXPIRED"),
    ])
    .await;
    let client = client(&server.base());
    let task = client.draw_task(CreateTasks::new().n(5u32).difficulty(0.6)).await.expect("a task");
    assert_eq!(task.prompt(), "rules");
    assert!(server.seen()[1].ends_with(r#"{"difficulty":0.6}"#), "{}", server.seen()[1]);
    let result = client.score_reply(&task.task_id, "right").await.expect("a result");
    assert_eq!((result.points, result.solved), (Some(3.5), Some(true)));
    let error = client.score_replies(&task.task_id, &["a", "b"]).await.expect_err("one result for two");
    assert_eq!((error.kind(), error.outcome_unknown()), (ErrorKind::Decode, true));
    let error = client.draw_task(CreateTasks::new()).await.expect_err("no task");
    assert_eq!(error.kind(), ErrorKind::Decode);
    let error = client.score_reply(&task.task_id, "late").await.expect_err("too late");
    assert_eq!(
        (error.kind(), error.code(), error.status()),
        (ErrorKind::Api, Some("TASK_EXPIRED"), Some(410))
    );
}
