//! How a command of the twin fails: in words or as JSON on stderr, and with which exit status.

use serde_json::{Value, json};

use super::output;
use crate::api::{Error, ErrorKind};

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub(in crate::cli) enum Failure {
    /// The platform, or the way to it.
    Api(Error),
    /// What was typed; nothing was sent.
    Usage(String),
    /// There is no key; why, and what to do.
    NoKey(String),
    /// Something on this machine, such as a file.
    Local(String),
    /// The reader of stdout went away: there is nobody to tell.
    Pipe,
    /// The user pressed ctrl-c.
    Interrupted,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Api(error)
    }
}

impl Failure {
    /// The exit status: design.md §2.
    pub(super) fn status(&self) -> i32 {
        match self {
            Self::Api(error) => status_of(error),
            Self::Usage(_) => 2,
            Self::NoKey(_) => 4,
            Self::Local(_) => 1,
            Self::Pipe => 0,
            Self::Interrupted => 130,
        }
    }

    /// Says it on stderr.
    pub(super) fn tell(&self, as_json: bool) {
        if matches!(self, Self::Pipe) {
            return;
        }
        if as_json {
            output::say_raw(&self.document().to_string());
        } else {
            output::say(&self.words());
        }
    }

    /// What went wrong, and what to do.
    pub(in crate::cli) fn words(&self) -> String {
        match self {
            Self::Api(error) => {
                let mut words = format!("{error}: {}", error.why());
                if let Some(job) = existing_job(error) {
                    words.extend(["\n  the one that is running: ", &job]);
                }
                if let Some(advice) = error.advice() {
                    words.extend(["\n  ", advice]);
                }
                words
            }
            Self::Usage(why) | Self::Local(why) | Self::NoKey(why) => why.clone(),
            Self::Interrupted => "interrupted".into(),
            Self::Pipe => String::new(),
        }
    }

    fn document(&self) -> Value {
        let error = match self {
            Self::Api(error) => {
                return json!({"error": {
                    "kind": kind_word(error.kind()),
                    "code": error.code(),
                    "status": error.status(),
                    "message": error.message().unwrap_or(error.why()),
                    "request_id": error.request_id(),
                    "body": error.body(),
                    // What was not answered well may have been carried out, and billed.
                    "billed": if error.outcome_unknown() { "unknown" } else { "no" },
                    "retry": error.is_retryable(),
                    "endpoint": error.endpoint(),
                    "advice": error.advice(),
                }});
            }
            Self::Usage(_) => "usage",
            Self::NoKey(_) => "authentication",
            Self::Local(_) => "local",
            Self::Interrupted => "interrupted",
            Self::Pipe => "pipe",
        };
        let billed = if matches!(self, Self::Interrupted) { "unknown" } else { "no" };
        json!({"error": {
            "kind": error, "code": null, "status": null, "message": self.words(), "request_id": null,
            "body": null, "billed": billed, "retry": false,
        }})
    }
}

/// The build that is in the way.
fn existing_job(error: &Error) -> Option<String> {
    let id = error.body()?.get("existing_job_id")?.as_str()?;
    Some(crate::text::excerpt(id, 120).into_owned())
}

/// The exit status of an error of the platform, or of the way to it.
pub(in crate::cli) fn status_of(error: &Error) -> i32 {
    match error.kind() {
        ErrorKind::Argument => 2,
        ErrorKind::NotFound => 3,
        ErrorKind::Authentication | ErrorKind::Permission | ErrorKind::ReadOnly => 4,
        ErrorKind::InsufficientCredits | ErrorKind::Cap => 5,
        ErrorKind::Conflict => 6,
        ErrorKind::RateLimit => 7,
        // Capacity has its own codes at 503.
        ErrorKind::Server if error.status() == Some(503) => 7,
        ErrorKind::JobFailed => 8,
        ErrorKind::Timeout | ErrorKind::JobTimeout => 9,
        ErrorKind::Connect | ErrorKind::Lost | ErrorKind::Tls | ErrorKind::Proxy | ErrorKind::WatchLost => 10,
        _ => 1,
    }
}

fn kind_word(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Validation => "validation",
        ErrorKind::Authentication => "authentication",
        ErrorKind::InsufficientCredits => "insufficient_credits",
        ErrorKind::Permission => "permission",
        ErrorKind::NotFound => "not_found",
        ErrorKind::Conflict => "conflict",
        ErrorKind::RateLimit => "rate_limit",
        ErrorKind::Server => "server",
        ErrorKind::Api => "api",
        ErrorKind::Connect => "connect",
        ErrorKind::Timeout => "timeout",
        ErrorKind::Lost => "lost",
        ErrorKind::Tls => "tls",
        ErrorKind::Proxy => "proxy",
        ErrorKind::Decode => "decode",
        ErrorKind::TooLarge => "too_large",
        ErrorKind::Redirect => "redirect",
        ErrorKind::Argument => "argument",
        ErrorKind::ReadOnly => "read_only",
        ErrorKind::Cap => "cap",
        ErrorKind::Partial => "partial",
        ErrorKind::JobFailed => "job_failed",
        ErrorKind::JobUnknown => "job_unknown",
        ErrorKind::JobTimeout => "job_timeout",
        ErrorKind::WatchLost => "watch_lost",
        ErrorKind::File => "file",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_failure_has_its_status() {
        // design.md §2.
        for (kind, status) in [
            (ErrorKind::Argument, 2),
            (ErrorKind::Validation, 1),
            (ErrorKind::NotFound, 3),
            (ErrorKind::Authentication, 4),
            (ErrorKind::Permission, 4),
            (ErrorKind::ReadOnly, 4),
            (ErrorKind::InsufficientCredits, 5),
            (ErrorKind::Cap, 5),
            (ErrorKind::Conflict, 6),
            (ErrorKind::RateLimit, 7),
            (ErrorKind::Server, 1),
            (ErrorKind::Timeout, 9),
            (ErrorKind::Connect, 10),
            (ErrorKind::Lost, 10),
            (ErrorKind::Decode, 1),
            (ErrorKind::JobFailed, 8),
            (ErrorKind::JobTimeout, 9),
            (ErrorKind::WatchLost, 10),
            (ErrorKind::JobUnknown, 1),
        ] {
            assert_eq!(Failure::Api(Error::sample(kind, false, "why")).status(), status, "{kind:?}");
        }
        assert_eq!(
            (Failure::NoKey(String::new()).status(), Failure::Interrupted.status(), Failure::Pipe.status()),
            (4, 130, 0)
        );
    }

    #[test]
    fn a_failure_is_one_json_document_with_what_a_script_needs() {
        let lost = Failure::Api(Error::sample(ErrorKind::Lost, true, "the connection broke"));
        let error = &lost.document()["error"];
        assert_eq!(
            (&error["kind"], &error["billed"], &error["retry"]),
            (&json!("lost"), &json!("unknown"), &json!(false))
        );
        for member in ["code", "status", "message", "request_id", "body"] {
            assert!(error.get(member).is_some(), "{member}");
        }
        assert_eq!(Failure::NoKey("none".into()).document()["error"]["kind"], "authentication");
    }
}
