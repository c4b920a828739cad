//! What follows from each poll, as tables: no clock, no chance, no server.

use super::*;

const SECOND: Duration = Duration::from_secs(1);

type Answer = Result<Job, Error>;

fn job(text: &str) -> Job {
    serde_json::from_str(text).expect("a job")
}

fn running() -> Job {
    job(r#"{"job_id":"j7","status":"running"}"#)
}

fn failure(kind: ErrorKind) -> Error {
    Error::sample(kind, false, "gone")
}

fn strict() -> Watch {
    Watch::new(&"j7".into(), WaitOptions::default())
}

fn patient() -> Watch {
    Watch::new(&"j7".into(), WaitOptions::patient())
}

/// The next step without chance.
fn next(watch: &mut Watch, answer: Answer, at: u64) -> Next {
    watch.step(answer, Duration::from_secs(at), None, 0.5)
}

fn over(next: Next) -> (ErrorKind, String) {
    match next {
        Next::Over(over) => (over.kind, over.why),
        other => panic!("{other:?}"),
    }
}

fn again(next: Next) -> Duration {
    match next {
        Next::Again { next, .. } => next,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_completed_job_is_returned_whatever_the_time() {
    let done = r#"{"job_id":"j7","status":"completed","result":{"ok":1}}"#;
    let Next::Done(job) = next(&mut strict(), Ok(job(done)), 9999) else { panic!("not done") };
    assert_eq!(job.result.map(|result| result.get().to_owned()).as_deref(), Some(r#"{"ok":1}"#));
}

#[test]
fn a_failed_job_says_so_in_the_sdks_words() {
    // SDK 3.4.0 resources.py `Jobs.wait`.
    for (text, why) in [
        (r#"{"status":"failed","error":"out of matches"}"#, "job j7 failed: out of matches"),
        (r#"{"status":"failed"}"#, "job j7 failed: no error detail"),
        (r#"{"status":"failed","error":""}"#, "job j7 failed: no error detail"),
        (r#"{"status":"cancelled","error":null}"#, "job j7 cancelled: no error detail"),
    ] {
        assert_eq!(over(next(&mut strict(), Ok(job(text)), 0)), (ErrorKind::JobFailed, why.to_owned()));
    }
}

#[test]
fn the_time_is_over_after_a_poll_and_never_before_one() {
    // SDK 3.4.0 tests/test_client.py test_wait_times_out: a total of 0 polls once.
    let mut watch = strict();
    assert_eq!(again(next(&mut watch, Ok(running()), 3599)), 2 * SECOND);
    let words = "job j7 did not complete within 3600s (status=running)".to_owned();
    assert_eq!(over(next(&mut watch, Ok(running()), 3600)), (ErrorKind::JobTimeout, words));
    let mut endless = Watch::new(&"j7".into(), WaitOptions { timeout: None, ..WaitOptions::default() });
    assert_eq!(again(next(&mut endless, Ok(running()), 1 << 40)), 2 * SECOND);
}

#[test]
fn without_patience_the_interval_is_fixed_and_the_first_failure_is_the_last() {
    let mut watch = strict();
    for chance in [0.0, 0.99] {
        assert_eq!(again(watch.step(Ok(running()), SECOND, None, chance)), 2 * SECOND);
    }
    assert!(matches!(next(&mut watch, Err(failure(ErrorKind::Timeout)), 2), Next::Broken(_)));
    // Unknown words are not an end, even with a time.
    let odd = r#"{"status":"archived","finished_at":"2026-01-01T00:00:00Z"}"#;
    assert_eq!(again(next(&mut strict(), Ok(job(odd)), 3)), 2 * SECOND);
}

#[test]
fn with_patience_a_failed_poll_slows_the_watch_down_and_is_told_with_its_age() {
    // P-01.
    let mut watch = patient();
    next(&mut watch, Ok(running()), 10);
    let waits: Vec<_> =
        (1..=7).map(|n| again(next(&mut watch, Err(failure(ErrorKind::Lost)), 10 + n))).collect();
    assert_eq!(waits, [4, 8, 16, 32, 60, 60, 60].map(Duration::from_secs));
    let Next::Again { failed: Some(failed), .. } = next(&mut watch, Err(failure(ErrorKind::Timeout)), 40)
    else {
        panic!("it goes on")
    };
    assert_eq!((failed.failures, failed.age), (8, Some(30 * SECOND)));
    // A good answer makes up for all.
    assert_eq!(again(next(&mut watch, Ok(running()), 50)), 2 * SECOND);
    assert_eq!(again(next(&mut watch, Err(failure(ErrorKind::Lost)), 51)), 4 * SECOND);
}

#[test]
fn a_watch_is_lost_after_a_number_or_a_time_and_the_job_did_not_fail() {
    // P-01.
    let mut watch = patient();
    for at in 0..9 {
        again(next(&mut watch, Err(failure(ErrorKind::Server)), at));
    }
    let (kind, why) = over(next(&mut watch, Err(failure(ErrorKind::Server)), 9));
    assert_eq!(kind, ErrorKind::WatchLost);
    assert_eq!(why, "watch lost: no good answer about job j7 for 9 s, 10 failed polls: gone");
    let mut watch = patient();
    next(&mut watch, Ok(running()), 100);
    again(next(&mut watch, Err(failure(ErrorKind::Lost)), 699));
    assert_eq!(over(next(&mut watch, Err(failure(ErrorKind::Lost)), 700)).0, ErrorKind::WatchLost);
}

#[test]
fn what_time_does_not_mend_ends_a_patient_watch_at_once() {
    for kind in [ErrorKind::NotFound, ErrorKind::Authentication, ErrorKind::Permission, ErrorKind::Argument] {
        assert!(matches!(next(&mut patient(), Err(failure(kind)), 0), Next::Broken(_)), "{kind:?}");
    }
    // A page instead of JSON: a wrong address at first, a gateway later.
    let mut watch = patient();
    assert!(matches!(next(&mut watch, Err(failure(ErrorKind::Decode)), 0), Next::Broken(_)));
    next(&mut watch, Ok(running()), 1);
    again(next(&mut watch, Err(failure(ErrorKind::Decode)), 2));
}

#[test]
fn a_patient_watch_ends_with_a_mark_of_the_end() {
    // P-02.
    let mut watch = patient();
    for text in [r#"{"status":"paused"}"#, r#"{"status":null}"#, "{}"] {
        again(next(&mut watch, Ok(job(text)), 1));
    }
    let odd = r#"{"status":"archived","completed_at":"2026-01-01T00:00:00Z"}"#;
    let (kind, why) = over(next(&mut watch, Ok(job(odd)), 2));
    assert_eq!(kind, ErrorKind::JobUnknown);
    assert_eq!(why, "job j7 ended, and its status `archived` is not known here");
}

#[test]
fn waits_are_spread_so_that_many_watches_do_not_ask_at_once() {
    // P-07.
    let wait = |chance| again(patient().step(Ok(running()), SECOND, None, chance)).as_secs_f64();
    assert!((wait(0.0) - 1.6).abs() < 1e-9 && (wait(0.75) - 2.2).abs() < 1e-9);
    let total: f64 = (0..100).map(|n| wait(f64::from(n) / 100.0)).sum();
    assert!((total / 100.0 - 2.0).abs() < 0.01, "{total}");
    // No option makes it panic.
    let patience = Some(Patience { jitter: f64::NAN, ..Patience::default() });
    let options = WaitOptions { interval: Duration::MAX, timeout: None, patience };
    let mut watch = Watch::new(&"j7".into(), options);
    assert_eq!(again(next(&mut watch, Ok(running()), 1)), Duration::MAX);
    assert_eq!(again(next(&mut watch, Err(failure(ErrorKind::Lost)), 2)), Duration::MAX);
}

#[test]
fn the_server_may_ask_for_a_longer_wait() {
    // H-01.
    let mut watch = patient();
    let next = watch.step(Err(failure(ErrorKind::RateLimit)), SECOND, Some(30 * SECOND), 0.5);
    assert_eq!(again(next), 30 * SECOND);
}

#[test]
fn clocks_that_step_back_make_no_negative_times() {
    // P-06.
    let mut watch = patient();
    next(&mut watch, Ok(running()), 100);
    let Next::Again { failed: Some(failed), .. } = next(&mut watch, Err(failure(ErrorKind::Lost)), 5) else {
        panic!("it goes on")
    };
    assert_eq!(failed.age, Some(Duration::ZERO));
    let (old, new) = (Timestamp::UNIX_EPOCH, Timestamp::from_second(90).expect("a time"));
    assert_eq!((age(old, new), age(new, old)), (90 * SECOND, Duration::ZERO));
    assert_eq!(age(Timestamp::MAX, Timestamp::MIN), Duration::ZERO);
}
