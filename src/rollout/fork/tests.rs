use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::ready;

use super::*;
use crate::api::ErrorKind;

const SECOND: Duration = Duration::from_secs(1);

/// A try that the server answers after a while, or never: it lasts as long as it may.
#[derive(Clone, Copy)]
enum Reply {
    At(u64, Failure),
    Stall,
    Good,
}

use self::Failure::{Known, NotSent, Running, Shed, Unclear};

/// Sends on a clock that only waits and slow answers move. Gives the seconds of all sends with their limits, the
/// last second, and whether it went well.
fn play(max_sheds: u32, mut server: impl FnMut(usize) -> Reply) -> (Vec<(u64, u64)>, u64, bool) {
    let mut patience = Patience::new(max_sheds);
    let (mut now, mut sends) = (Duration::ZERO, Vec::new());
    loop {
        let (start, limit) = (now, patience.limit(now));
        sends.push((start.as_secs(), limit.as_secs()));
        let failure = match server(sends.len()) {
            Reply::Good => return (sends, now.as_secs(), true),
            Reply::At(after, failure) => {
                now += SECOND * u32::try_from(after).expect("a while");
                failure
            }
            Reply::Stall => {
                now += limit;
                Unclear
            }
        };
        let Some(wait) = patience.after(start, now, failure) else { return (sends, now.as_secs(), false) };
        now += wait;
        if !patience.woke(now) {
            return (sends, now.as_secs(), false);
        }
    }
}

fn seconds(sends: &[(u64, u64)]) -> Vec<u64> {
    sends.iter().map(|(at, _)| *at).collect()
}

#[test]
fn what_started_nothing_is_tried_a_few_times() {
    // protocol.md §5.7, first row; SDK 3.4.0 tests/test_rollouts.py
    // test_fork_batch_prework_sheds_never_consume_patience.
    for failure in [Shed, NotSent] {
        let (sends, end, good) = play(5, |_| Reply::At(0, failure));
        assert_eq!((seconds(&sends), end, good), (vec![0, 1, 3, 7, 15, 30], 30, false));
    }
    let (sends, _, good) = play(2, |attempt| if attempt < 3 { Reply::At(0, Shed) } else { Reply::Good });
    assert_eq!((sends.len(), good), (3, true));
    assert_eq!(play(1, |_| Reply::At(0, NotSent)).0.len(), 2);
    assert_eq!(play(0, |_| Reply::At(0, Shed)).0.len(), 1);
}

#[test]
fn an_unclear_outcome_is_asked_for_nine_minutes() {
    // Second and third row; test_fork_batch_read_timeout_tracks_remaining_budget.
    let (sends, end, good) = play(5, |_| Reply::At(0, Unclear));
    let mut expected = vec![0, 1, 3, 7, 15];
    expected.extend((30..=525).step_by(15));
    assert_eq!((seconds(&sends), end, good), (expected, 525, false));
    let limits: Vec<u64> = sends.iter().map(|(_, limit)| *limit).collect();
    assert!(limits[..34].iter().all(|limit| *limit == 90), "{limits:?}");
    assert_eq!(sends[34], (465, 75));
    assert_eq!(limits[36..], [45, 30, 15]);
}

#[test]
fn a_batch_that_is_being_made_renews_the_patience() {
    // Fourth row; test_fork_batch_waits_out_run_busy, test_fork_batch_run_busy_outlasts_the_patience_budget.
    let (sends, end, good) =
        play(0, |attempt| if attempt <= 60 { Reply::At(0, Running) } else { Reply::Good });
    assert_eq!((sends.len(), end, good), (61, 855, true));
    let (sends, end, good) = play(0, |attempt| match attempt {
        ..=40 => Reply::At(0, Running),
        41 => Reply::Stall,
        _ => Reply::Good,
    });
    assert_eq!((sends.len(), end, good), (42, 660, true));
    assert!(sends.iter().all(|(_, limit)| *limit == 90));
}

#[test]
fn stalled_reads_cost_an_edge_window_each() {
    // Fifth row; test_fork_batch_stalled_read_still_recovers.
    let (sends, end, good) = play(5, |_| Reply::Stall);
    assert_eq!((seconds(&sends), end, good), (vec![0, 91, 183, 277, 375, 480], 540, false));
    assert_eq!(sends[5].1, 60);
    let (sends, _, good) = play(0, |attempt| if attempt == 1 { Reply::Stall } else { Reply::Good });
    assert_eq!((sends.len(), good), (2, true));
}

#[test]
fn a_known_outcome_ends_it_at_once() {
    // Sixth row; test_fork_batch_stops_on_op_failed.
    assert_eq!(play(5, |_| Reply::At(0, Known)).0.len(), 1);
    let script = [Unclear, Running, Known];
    assert_eq!(play(0, |attempt| Reply::At(0, script[attempt - 1])).0.len(), 3);
}

#[test]
fn what_may_have_started_makes_later_refusals_part_of_the_wait() {
    // test_fork_batch_outer_loop_paces_and_deadlines, test_fork_batch_patience_stays_inside_the_replay_window.
    let (sends, end, _) = play(0, |attempt| Reply::At(0, if attempt == 1 { Running } else { NotSent }));
    assert!(sends.len() > 5 && end <= 540, "{sends:?}");
    let (sends, ..) = play(0, |attempt| Reply::At(0, if attempt == 1 { Running } else { Unclear }));
    assert!(sends.last().is_some_and(|(at, _)| *at < 600));
}

#[test]
fn a_late_answer_or_a_long_sleep_never_sends_past_the_deadline() {
    // test_fork_batch_late_run_busy_renews_from_the_send, test_fork_batch_never_resends_past_the_deadline.
    let (sends, ..) = play(0, |attempt| if attempt == 1 { Reply::At(960, Running) } else { Reply::Good });
    assert_eq!(seconds(&sends), [0]);
    for failure in [Running, Unclear] {
        let mut patience = Patience::new(0);
        assert_eq!(patience.after(Duration::ZERO, Duration::ZERO, failure), Some(SECOND));
        assert!(!patience.woke(SECOND * 960));
    }
}

#[test]
fn failures_are_told_apart_by_what_they_say_about_the_batch() {
    let refused =
        |status, code: &str| Failure::answered(Some(status), Some(code).filter(|code| !code.is_empty()));
    for (status, code, failure) in [
        (503, "SERVER_BUSY", Shed),
        (503, "SERVER_DRAINING", Shed),
        (429, "HOST_AT_CAPACITY", Shed),
        (503, "", Shed),
        (503, "RUN_BUSY", Running),
        (429, "RUN_BUSY", Unclear),
        (503, "OWNER_UNREACHABLE", Unclear),
        (504, "GATEWAY_TIMEOUT", Unclear),
        (504, "", Unclear),
        (429, "", Known),
        (500, "INTERNAL_ERROR", Known),
        (500, "SERVER_BUSY", Known),
        (502, "", Known),
        (429, "RATE_LIMIT_EXCEEDED", Known),
        (503, "AUTH_UNAVAILABLE", Known),
        (503, "SETTLE_FAILED", Known),
    ] {
        assert_eq!(refused(status, code), failure, "{status} {code}");
    }
    for (kind, failure) in [
        (ErrorKind::Connect, NotSent),
        (ErrorKind::Tls, NotSent),
        (ErrorKind::Proxy, NotSent),
        (ErrorKind::Timeout, Unclear),
        (ErrorKind::Lost, Unclear),
        (ErrorKind::Decode, Known),
        (ErrorKind::Conflict, Known),
        (ErrorKind::InsufficientCredits, Known),
        (ErrorKind::NotFound, Known),
        (ErrorKind::Argument, Known),
    ] {
        assert_eq!(Failure::of(&Error::sample(kind, true, "boom")), failure, "{kind:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_loop_waits_sends_and_ends_as_decided() {
    // test_fork_batch_retry_same_op_key, test_fork_batch_resends_after_a_transport_drop.
    let begin = Instant::now();
    let mut script: VecDeque<_> = [Some(ErrorKind::Lost), Some(ErrorKind::Connect), None].into();
    let (mut sends, told) = (Vec::new(), RefCell::new(Vec::new()));
    let send = |limit: Duration| {
        sends.push((begin.elapsed().as_secs(), limit.as_secs()));
        let next = script.pop_front().expect("no more sends");
        ready(next.map_or(Ok("forks"), |kind| Err(Error::sample(kind, true, "boom"))))
    };
    let tell = |sent, wait: Duration, _: &Error| told.borrow_mut().push((sent, wait.as_secs()));
    assert_eq!(until_known(0, None, send, tell).await, Ok("forks"));
    assert_eq!(sends, [(0, 90), (1, 90), (3, 90)]);
    assert_eq!(told.into_inner(), [(1, 1), (2, 2)]);
    let send = |limit| {
        assert_eq!(limit, SECOND * 5);
        ready(Err::<(), _>(Error::sample(ErrorKind::Conflict, true, "boom")))
    };
    let error = until_known(5, Some(SECOND * 5), send, |_, _, _| {}).await.expect_err("a refusal");
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Conflict, 1));
}

#[test]
fn a_try_has_its_own_limit_and_no_other_retries() {
    // test_reset_rides_the_warmup_timeout (the batch), test_fork_batch_resource.
    let request = ForkBatch::new("run-1", "ep-1", 2u32).op_key("mykey");
    let call = Try { request: &request, limit: SECOND }.request();
    assert_eq!(call.body_text().as_deref(), Some(r#"{"count":2,"op_key":"mykey"}"#));
    assert_eq!(call.operation(), Some("rollout_runs.fork_batch"));
    let shown = format!("{call:?}");
    assert!(shown.contains("timeout: Exact(1s)") && shown.contains("retries: Some(0)"), "{shown}");
}
