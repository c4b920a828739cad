//! A say over every request that may change something, asked in the one place that all of them pass.

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::{Call, Error, Micro, Quote};

/// Decides whether a request may be sent, and is told what came of it.
///
/// It is asked for everything but reads and dry runs, off the async threads, so it may take a file lock. A request
/// that the server answers with "nothing was started" and that is sent again is asked for once.
pub trait Guard: Send + Sync {
    /// True when the price matters. The price of what has a dry run is then asked from the API first, which is free.
    fn wants_price(&self) -> bool;

    /// Lets the request pass, with a mark of the guard's own for [`Guard::settle`], or refuses it.
    ///
    /// # Errors
    /// Why it is not sent.
    fn admit(&self, intent: &Intent) -> Result<Option<u64>, Refusal>;

    /// Told once for each admitted request.
    fn settle(&self, intent: &Intent, mark: Option<u64>, outcome: &Outcome);
}

/// What is about to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// What it does, for messages: `create session`.
    pub name: &'static str,
    /// The SDK's name of the operation, if it is a known one.
    pub operation: Option<&'static str>,
    /// Method and path: `POST /play`.
    pub target: String,
    /// What it costs at most; `None` when only the server knows.
    pub price: Option<Micro>,
}

/// Why a guard does not let a request pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Nothing may be changed.
    ReadOnly(String),
    /// It costs more than it may.
    Cap(String),
}

/// What became of a request.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// The server did it, and this is its answer.
    Answered(Box<RawValue>),
    /// It was not done.
    Refused,
    /// It may have been done.
    Unknown,
}

/// The guard of a client; by default there is none.
#[derive(Clone, Default)]
pub struct Guarded(Option<Arc<dyn Guard>>);

impl Guarded {
    /// Asks this guard.
    pub fn by(guard: impl Guard + 'static) -> Self {
        Self(Some(Arc::new(guard)))
    }

    pub(crate) fn of(&self, call: &Call) -> Option<Arc<dyn Guard>> {
        self.0.clone().filter(|_| !call.is_read() && !changes_nothing(call))
    }

    /// For what is no call: a socket that acts.
    pub(crate) fn any(&self) -> Option<Arc<dyn Guard>> {
        self.0.clone()
    }
}

/// The guard of what is no call: messages of one socket.
#[derive(Clone, Default)]
pub(crate) struct Gate {
    guard: Option<Arc<dyn Guard>>,
    target: String,
}

/// What a gate let pass.
pub(crate) struct Admitted(Option<(Arc<dyn Guard>, Intent, Option<u64>)>);

impl Gate {
    /// For a socket with this method and path.
    pub(crate) fn new(guarded: &Guarded, target: String) -> Self {
        Self { guard: guarded.any(), target }
    }

    /// Lets something pass, or says why not.
    pub(crate) async fn admit(&self, name: &'static str, price: Option<Micro>) -> Result<Admitted, String> {
        let Some(guard) = self.guard.clone() else { return Ok(Admitted(None)) };
        let intent = Intent { name, operation: None, target: self.target.clone(), price };
        match admit(&guard, &intent).await {
            Ok(mark) => Ok(Admitted(Some((guard, intent, mark)))),
            Err(Refusal::ReadOnly(why) | Refusal::Cap(why)) => Err(why),
        }
    }
}

impl Admitted {
    /// Tells what came of it.
    pub(crate) async fn settle(self, outcome: Outcome) {
        let Some((guard, intent, mark)) = self.0 else { return };
        // It fails only when the guard panicked, which has been reported.
        let _ = tokio::task::spawn_blocking(move || guard.settle(&intent, mark, &outcome)).await;
    }
}

/// Asks a guard off the async threads, since it may take a file lock.
pub(crate) async fn admit(guard: &Arc<dyn Guard>, intent: &Intent) -> Result<Option<u64>, Refusal> {
    let (guard, intent) = (Arc::clone(guard), intent.clone());
    let asked = tokio::task::spawn_blocking(move || guard.admit(&intent)).await;
    asked.unwrap_or_else(|_| Err(Refusal::Cap("the spending guard broke, so nothing is sent".into())))
}

impl fmt::Debug for Guarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Guarded(yes)" } else { "Guarded(no)" })
    }
}

impl Outcome {
    pub(crate) fn of(reply: &Result<Box<RawValue>, Error>) -> Self {
        match reply {
            Ok(answer) => Self::Answered(answer.clone()),
            Err(error) if error.outcome_unknown() => Self::Unknown,
            Err(_) => Self::Refused,
        }
    }
}

/// True for what the API itself calls a dry run.
fn changes_nothing(call: &Call) -> bool {
    let says = |name, value| call.sent_member(name) == Some(value);
    match call.operation() {
        // Deletes only with both (protocol.md §2.8).
        Some("submissions.bulk_delete") => !(says("dry_run", "false") && says("confirm", "true")),
        _ => call.quoted() == Quote::Free && says("dry_run", "true"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nobody;

    impl Guard for Nobody {
        fn wants_price(&self) -> bool {
            false
        }

        fn admit(&self, _: &Intent) -> Result<Option<u64>, Refusal> {
            Ok(None)
        }

        fn settle(&self, _: &Intent, _: Option<u64>, _: &Outcome) {}
    }

    #[test]
    fn reads_and_dry_runs_are_not_asked_about() {
        let guarded = Guarded::by(Nobody);
        let bulk = || Call::post("/submissions/bulk-delete").rule("submissions.bulk_delete");
        for (call, asked) in [
            (Call::get("/games"), false),
            (Call::post("/play"), true),
            (Call::delete("/sessions/s1"), true),
            (Call::post("/exports").member("dry_run", &true), false),
            (Call::post("/exports").member("dry_run", &false), true),
            // A price that the endpoint does not take for nothing is no dry run.
            (Call::post("/play").member("dry_run", &true).quote(Quote::Unknown), true),
            (bulk(), false),
            (bulk().member("dry_run", &false), false),
            (bulk().member("dry_run", &false).member("confirm", &true), true),
        ] {
            assert_eq!(guarded.of(&call).is_some(), asked, "{} {:?}", call.target(), call.body_text());
        }
    }
}
