//! Many forks at once, surely: the same request is sent again until its outcome is known (protocol.md §5.7).

mod patience;

use std::time::Duration;

use tokio::time::{Instant, sleep};

use self::patience::{Failure, Patience};
use crate::api::endpoints::ForkBatch;
use crate::api::model::Episode;
use crate::api::{Call, Client, Endpoint, Error, Notice, Timeout};

/// Forks a live episode many times. The server finishes a batch whose answer was lost and gives the same forks
/// again for the same key, so this asks again under one key until the outcome is known, for 9 minutes after the
/// last try that may have started something and as long as the server says that the batch is being made.
///
/// The key is made up where the request has none. Give one of your own to get the forks back after this failed or
/// was cancelled: send the same request again within about 10 minutes.
///
/// # Errors
/// The last try's. `RUN_EXHAUSTED` and other refusals use nothing up.
pub async fn fork_batch(client: &Client, request: &ForkBatch) -> Result<Vec<Episode>, Error> {
    fork_batch_within(client, request, None).await
}

/// [`fork_batch`] with another limit for the silence of the server in each try.
///
/// # Errors
/// The last try's.
pub async fn fork_batch_within(
    client: &Client,
    request: &ForkBatch,
    silence: Option<Duration>,
) -> Result<Vec<Episode>, Error> {
    let mut request = request.clone();
    request.op_key.get_or_insert_with(|| format!("{:032x}", rand::random::<u128>()));
    let max_sheds = client.settings().max_retries;
    let request = &request;
    let send = |limit| async move { client.send(&Try { request, limit }).await };
    let tell = |sent, wait, error: &Error| {
        let why = error.why().to_owned();
        client.settings().observer.tell(|| Notice::Waiting { endpoint: ForkBatch::NAME, sent, wait, why });
    };
    until_known(max_sheds, silence, send, tell).await
}

/// One try.
struct Try<'a> {
    request: &'a ForkBatch,
    limit: Duration,
}

impl Endpoint for Try<'_> {
    type Reply = <ForkBatch as Endpoint>::Reply;
    const NAME: &'static str = ForkBatch::NAME;
    const OPERATION: &'static str = ForkBatch::OPERATION;
    const MEMBER: Option<&'static str> = ForkBatch::MEMBER;

    fn call(&self) -> Call {
        // With its rule applied first, so that the limit of this try is the one that counts.
        self.request.request().timeout(Timeout::Exact(self.limit))
    }
}

/// Sends until the outcome is known or there is no hope; tells of each wait.
async fn until_known<T, Answer: Future<Output = Result<T, Error>>>(
    max_sheds: u32,
    silence: Option<Duration>,
    mut send: impl FnMut(Duration) -> Answer,
    tell: impl Fn(u32, Duration, &Error),
) -> Result<T, Error> {
    let mut patience = Patience::new(max_sheds);
    let begin = Instant::now();
    let mut sent = 0;
    loop {
        let start = begin.elapsed();
        let limit = silence.unwrap_or_else(|| patience.limit(start));
        let error = match send(limit).await {
            Ok(reply) => return Ok(reply),
            Err(error) => error,
        };
        sent += 1;
        let error = error.after(sent);
        let Some(wait) = patience.after(start, begin.elapsed(), Failure::of(&error)) else {
            return Err(error);
        };
        tell(sent, wait, &error);
        sleep(wait).await;
        if !patience.woke(begin.elapsed()) {
            return Err(error);
        }
    }
}

#[cfg(test)]
mod tests;
