//! Doing what a method says: one request, or a list in pages, once or again and again.

use std::pin::pin;
use std::sync::PoisonError;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt};

use super::failure::Failure;
use super::method::Method;
use super::{Context, output};
use crate::api::model::{Extra, Json};
use crate::api::{Call, Endpoint, List, Quote, Request};

/// Sends one request and prints its answer.
pub(super) fn one<'a, E: Endpoint + Request + Send + Sync>(
    context: &'a Context,
    method: &'a Method,
    members: Extra,
) -> BoxFuture<'a, Result<(), Failure>> {
    async move {
        let request = E::from_members(members).map_err(Failure::Usage)?;
        let call = request.request();
        context.say_price(&call);
        let answer = context.client()?.raw_member(call, E::MEMBER).await?;
        if matches!(method.operation, "play.create" | "play.join") {
            context.seats.remember(&answer);
        }
        if context.is_news(&answer) { context.output.answer(method.view, &answer) } else { Ok(()) }
    }
    .boxed()
}

/// A list whose rows are kept as they came.
struct Raw<L>(L);

impl<L: List> List for Raw<L> {
    type Item = Json;
    const NAME: &'static str = L::NAME;
    const OPERATION: &'static str = L::OPERATION;
    const COLLECTION: &'static str = L::COLLECTION;

    fn call(&self) -> Call {
        self.0.call()
    }
}

/// Prints a list as its pages come.
pub(super) fn list<'a, L: List + Request + Send + Sync>(
    context: &'a Context,
    method: &'a Method,
    members: Extra,
) -> BoxFuture<'a, Result<(), Failure>> {
    async move {
        let list = Raw(L::from_members(members).map_err(Failure::Usage)?);
        let mut rows = context.output.rows(method.view);
        let mut early = None;
        let mut stream = pin!(context.client()?.pages(&list, context.pages));
        while let Some(row) = stream.next().await {
            match row {
                Ok(row) => rows.push(row)?,
                Err(error) if error.is_notice() => early = Some(error),
                Err(error) => return Err(error.into()),
            }
        }
        rows.end()?;
        // The rows are good, but there may be more of them.
        early.map_or(Ok(()), |error| Err(error.into()))
    }
    .boxed()
}

impl Context {
    /// Runs a method, again and again if that was asked for.
    pub(super) async fn watched(&self, method: &Method, members: Extra) -> Result<(), Failure> {
        let Some(every) = self.watch else { return (method.run)(self, method, members).await };
        let mut failed = 0;
        loop {
            match (method.run)(self, method, members.clone()).await {
                Ok(()) if self.has_ended() => return Ok(()),
                Ok(()) => failed = 0,
                Err(Failure::Api(error)) if error.is_retryable() && failed < MOST_FAILURES => {
                    failed += 1;
                    output::say(&format!("{error}: {}; asking again", error.why()));
                }
                Err(failure) => return Err(failure),
            }
            tokio::time::sleep(spread(every, rand::random())).await;
        }
    }

    /// Keeps an answer; true if it differs from the one before, or nobody watches.
    fn is_news(&self, answer: &Json) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        self.watch.is_none() || last.replace(answer.clone()).as_ref() != Some(answer)
    }

    /// True when the last answer says that nothing more will happen.
    fn has_ended(&self) -> bool {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let status =
            last.as_ref().and_then(|answer| answer.decode::<Extra>().ok()?.decode::<String>("status"));
        status.is_some_and(|status| ENDED.contains(&status.as_str()))
    }

    /// Says what a call costs before it is sent, where people read along.
    pub(super) fn say_price(&self, call: &Call) {
        if self.output.is_json() {
            return;
        }
        match call.quoted() {
            Quote::UpTo(price) => output::say(&format!("this costs up to {price} credits")),
            Quote::Unknown => output::say("what this costs, only the server knows"),
            Quote::Free | Quote::DryRun => {}
        }
    }
}

/// Words for the end of jobs, sessions and runs.
const ENDED: [&str; 4] = ["completed", "failed", "cancelled", "closed"];

/// How often in a row a watched request may fail.
const MOST_FAILURES: u32 = 10;

/// The interval, up to a tenth longer, so that many watchers do not ask in step (P-07).
fn spread(every: Duration, luck: f64) -> Duration {
    every.mul_f64(1.0 + luck / 10.0)
}
