//! Steps that survive one lost answer, and many episodes stepped together.

mod batch;

pub use self::batch::{BatchStepper, Stepped};

use crate::api::endpoints::{StepBatch, StepEpisode};
use crate::api::model::{BatchEntry, StepResult};
use crate::api::{Client, Endpoint, Error, ErrorKind};

/// Plays a step; where the answer was lost, sends the same step again once. That is safe with `expected_tick`: a
/// step that was played gives its result again. Without it the step is sent once.
///
/// # Errors
/// See [`ErrorKind`]; a refusal is never sent again here.
pub async fn step_with_retry(client: &Client, step: &StepEpisode) -> Result<StepResult, Error> {
    send_twice(client, step, step.expected_tick.is_some()).await
}

/// Plays a batch of steps; where the answer was lost, sends the same batch again once, if every entry has its
/// `expected_tick`.
///
/// # Errors
/// See [`ErrorKind`].
pub async fn step_batch_with_retry(client: &Client, batch: &StepBatch) -> Result<Vec<BatchEntry>, Error> {
    send_twice(client, batch, batch.steps.iter().all(|entry| entry.expected_tick.is_some())).await
}

async fn send_twice<E: Endpoint>(client: &Client, endpoint: &E, is_safe: bool) -> Result<E::Reply, Error> {
    match client.send(endpoint).await {
        Err(lost) if is_safe && is_transport(&lost) => client.send(endpoint).await.map_err(|error| {
            let sent = lost.attempts() + error.attempts();
            error.after(sent)
        }),
        outcome => outcome,
    }
}

/// True when there was no whole answer.
fn is_transport(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::Connect | ErrorKind::Timeout | ErrorKind::Lost | ErrorKind::Tls => true,
        ErrorKind::Proxy => error.status().is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_lost_on_the_way_is_sent_again() {
        let is_lost = |kind| is_transport(&Error::sample(kind, true, "boom"));
        assert!([ErrorKind::Connect, ErrorKind::Timeout, ErrorKind::Lost].into_iter().all(is_lost));
        let known = [ErrorKind::Server, ErrorKind::Conflict, ErrorKind::Decode, ErrorKind::Argument];
        assert!(!known.into_iter().any(is_lost));
    }
}
