//! Whether to send again, and when: pure decisions. Clock and chance come in as arguments, the waiting is done
//! elsewhere.

use std::time::Duration;

use http::StatusCode;
use jiff::Timestamp;

use super::error::{Error, ErrorKind};
use super::rules::Resend;

/// Codes that the server sends before it does any work, so that every request may be sent again.
const GENERIC: [&str; 7] = [
    "SERVER_BUSY",
    "SERVER_DRAINING",
    "HOST_AT_CAPACITY",
    "RUN_BUSY",
    "SETTLE_FAILED",
    "SERVICE_BUSY",
    "AUTH_UNAVAILABLE",
];

/// The longest wait that a server can ask for.
const MAX_ASKED: Duration = Duration::from_mins(1);

/// The longest wait of our own back-off.
const MAX_BACKOFF: f64 = 30.0;

/// True when a refusal says that nothing was started: one of the codes, or a 503 of the infrastructure.
pub(crate) fn is_generic(status: Option<StatusCode>, code: Option<&str>) -> bool {
    let unavailable = status == Some(StatusCode::SERVICE_UNAVAILABLE);
    if !unavailable && status != Some(StatusCode::TOO_MANY_REQUESTS) {
        return false;
    }
    code.map_or(unavailable, |code| GENERIC.contains(&code))
}

/// What a `Retry-After` asks for, 0 to 60 s: a number of seconds or an HTTP date. Nonsense asks for nothing.
pub(crate) fn asked_wait(header: &str, now: Timestamp) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return (!seconds.is_nan())
            .then(|| Duration::from_secs_f64(seconds.clamp(0.0, MAX_ASKED.as_secs_f64())));
    }
    let date = jiff::fmt::rfc2822::parse(header).ok()?.timestamp();
    let ahead = date.duration_since(now);
    Some(Duration::try_from(ahead).unwrap_or_default().min(MAX_ASKED))
}

/// The wait before retry number `retry`, from 0: what the server asks for, else full jitter over a doubling
/// span. `jitter` is from 0 up to 1.
pub(crate) fn wait(header: Option<&str>, retry: u32, now: Timestamp, jitter: f64) -> Duration {
    let asked = header.and_then(|header| asked_wait(header, now));
    asked.unwrap_or_else(|| {
        let span = (0.5 * 2f64.powi(retry.min(16).cast_signed())).min(MAX_BACKOFF);
        Duration::from_secs_f64(span * jitter.clamp(0.0, 1.0))
    })
}

/// What is left to try for one call.
#[derive(Debug)]
pub(crate) struct Plan {
    resend: Resend,
    max_retries: u32,
    retries: u32,
    resent: bool,
    sent: u32,
}

impl Plan {
    pub(crate) fn new(resend: Resend, max_retries: u32) -> Self {
        Self { resend, max_retries, retries: 0, resent: false, sent: 0 }
    }

    /// How often the call was sent and failed.
    pub(crate) fn sent(&self) -> u32 {
        self.sent
    }

    /// Takes a failure; says how long to wait before the next send, or `None` to give up.
    pub(crate) fn after(&mut self, error: &Error, now: Timestamp, jitter: f64) -> Option<Duration> {
        self.sent += 1;
        if is_generic(error.raw_status(), error.code()) {
            if self.retries < self.max_retries {
                self.retries += 1;
                return Some(wait(error.raw_retry_after(), self.retries - 1, now, jitter));
            }
            return None;
        }
        let (allowed, pause) = match self.resend {
            Resend::Generic => (false, Duration::ZERO),
            Resend::OnceAfterLost => (is_lost(error), Duration::ZERO),
            Resend::OnceAfterLostDelayed(pause) => {
                let unreachable =
                    error.kind() == ErrorKind::Server && error.code() == Some("OWNER_UNREACHABLE");
                (is_lost(error) || unreachable, pause)
            }
        };
        if !allowed || self.resent {
            return None;
        }
        // The second send is a call of its own, with its own generic retries.
        self.resent = true;
        self.retries = 0;
        Some(pause)
    }
}

fn is_lost(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Connect | ErrorKind::Timeout | ErrorKind::Lost | ErrorKind::Proxy)
        || (error.kind() == ErrorKind::Server && error.raw_status() == Some(StatusCode::GATEWAY_TIMEOUT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::error::Step;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn refused(status: u16, code: &str) -> Error {
        let step = Step { endpoint: "x", host: "h", mutating: true, secrets: &[] };
        let body =
            if code.is_empty() { String::new() } else { format!(r#"{{"error":{{"code":"{code}"}}}}"#) };
        step.refused(StatusCode::from_u16(status).expect("a status"), None, body.as_bytes())
    }

    fn lost(kind: ErrorKind) -> Error {
        Step { endpoint: "x", host: "h", mutating: true, secrets: &[] }.error(kind, "gone")
    }

    fn sends(resend: Resend, max: u32, errors: impl IntoIterator<Item = Error>) -> Vec<Option<u64>> {
        let mut plan = Plan::new(resend, max);
        let mut next = |error: Error| plan.after(&error, NOW, 1.0).map(|wait| wait.as_millis() as u64);
        errors.into_iter().map(&mut next).collect()
    }

    #[test]
    fn a_number_of_seconds_is_clamped() {
        // SDK 3.4.0 tests/test_client.py test_retry_after_header_honored.
        for (header, seconds) in
            [("7", 7.0), ("999", 60.0), ("-1", 0.0), (" 1.5 ", 1.5), ("inf", 60.0), ("1e400", 60.0)]
        {
            assert_eq!(wait(Some(header), 0, NOW, 0.5), Duration::from_secs_f64(seconds), "{header}");
        }
    }

    #[test]
    fn a_date_is_honoured_and_nonsense_is_not() {
        let now: Timestamp = "1994-11-06T08:49:30Z".parse().expect("a time");
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(asked_wait(date, now), Some(Duration::from_secs(7)));
        assert_eq!(asked_wait(date, NOW), Some(MAX_ASKED));
        assert_eq!(asked_wait(date, "2000-01-01T00:00:00Z".parse().expect("a time")), Some(Duration::ZERO));
        for nonsense in ["soon", "", "NaN", "Sun, 99 Nov", "\u{0}"] {
            assert_eq!(asked_wait(nonsense, now), None, "{nonsense:?}");
        }
        assert_eq!(wait(Some("soon"), 3, now, 0.5), Duration::from_secs(2));
    }

    #[test]
    fn the_back_off_doubles_up_to_half_a_minute() {
        let full: Vec<_> = (0..9).map(|retry| wait(None, retry, NOW, 1.0).as_secs_f64()).collect();
        assert_eq!(full, [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]);
        assert_eq!(wait(None, u32::MAX, NOW, 1.0), Duration::from_secs(30));
        assert_eq!(wait(None, 4, NOW, 0.0), Duration::ZERO);
    }

    #[test]
    fn only_what_started_nothing_is_generic() {
        // SDK 3.4.0 tests/test_client.py, the retry section.
        for (status, code, retried) in [
            (503, "SERVER_BUSY", true),
            (429, "HOST_AT_CAPACITY", true),
            (503, "AUTH_UNAVAILABLE", true),
            (503, "", true),
            (429, "", false),
            (503, "OWNER_UNREACHABLE", false),
            (500, "INTERNAL", false),
            (500, "SERVER_BUSY", false),
            (409, "CONFLICT", false),
            (429, "RATE_LIMIT_EXCEEDED", false),
            (429, "SESSION_LIMIT_EXCEEDED", false),
            (429, "QUOTA_EXCEEDED", false),
            (429, "GAME_AT_CAPACITY", false),
            (503, "SERVICE_UNAVAILABLE", false),
            (504, "GATEWAY_TIMEOUT", false),
        ] {
            assert_eq!(
                sends(Resend::Generic, 5, [refused(status, code)])[0].is_some(),
                retried,
                "{status} {code}"
            );
        }
    }

    #[test]
    fn retries_are_counted() {
        // SDK 3.4.0 tests/test_client.py test_retry_exhausts_then_raises, test_request_retries_override.
        let busy = || refused(503, "SERVER_BUSY");
        assert_eq!(sends(Resend::Generic, 2, [busy(), busy(), busy()]), [Some(500), Some(1000), None]);
        assert_eq!(sends(Resend::Generic, 0, [busy()]), [None]);
    }

    #[test]
    fn transport_errors_are_never_generic() {
        for kind in
            [ErrorKind::Connect, ErrorKind::Timeout, ErrorKind::Lost, ErrorKind::Tls, ErrorKind::Decode]
        {
            assert_eq!(sends(Resend::Generic, 5, [lost(kind)]), [None]);
        }
    }

    #[test]
    fn a_join_is_resent_once_after_a_lost_answer() {
        // SDK 3.4.0 tests/test_client.py test_play_join_resends_transport_drop.
        for first in [lost(ErrorKind::Connect), lost(ErrorKind::Lost), refused(504, "GATEWAY_TIMEOUT")] {
            assert_eq!(sends(Resend::OnceAfterLost, 5, [first, lost(ErrorKind::Lost)]), [Some(0), None]);
        }
        assert_eq!(sends(Resend::OnceAfterLost, 5, [refused(500, "INTERNAL_ERROR")]), [None]);
        assert_eq!(sends(Resend::OnceAfterLost, 5, [refused(503, "OWNER_UNREACHABLE")]), [None]);
        // The code says what it is, whatever the status: not a lost answer.
        assert_eq!(sends(Resend::OnceAfterLost, 5, [refused(504, "INSUFFICIENT_CREDITS")]), [None]);
        let mixed = [refused(503, "SERVER_BUSY"), lost(ErrorKind::Lost), refused(503, "SERVER_BUSY")];
        assert_eq!(sends(Resend::OnceAfterLost, 1, mixed), [Some(500), Some(0), Some(500)]);
    }

    #[test]
    fn closing_a_run_waits_a_second_and_is_resent_once() {
        let rule = Resend::OnceAfterLostDelayed(Duration::from_secs(1));
        let owner = || refused(503, "OWNER_UNREACHABLE");
        assert_eq!(sends(rule, 5, [owner(), owner()]), [Some(1000), None]);
        assert_eq!(sends(rule, 5, [refused(504, ""), refused(504, "")]), [Some(1000), None]);
        assert_eq!(sends(rule, 5, [refused(429, "OWNER_UNREACHABLE")]), [None]);
    }
}
