//! Policies: what decides for a seat. Closures are policies, too: a plain one that gives an `async move` block, and
//! an `async` one that holds nothing of its own.
//!
//! ```
//! use gert::api::model::{Json, Seat};
//! use gert::rollout::{BoxError, Policy};
//!
//! fn check(_: impl Policy) {}
//! check(async |_observation: Json, _seat: Seat| Json::parse("[]"));
//!
//! struct Counter(u64);
//! impl Policy for Counter {
//!     type Error = BoxError;
//!     async fn act(&mut self, _observation: &Json, _seat: &Seat) -> Result<Json, BoxError> {
//!         self.0 += 1;
//!         Ok(Json::parse(&format!(r#"[{{"action":"count","to":{}}}]"#, self.0))?)
//!     }
//! }
//! check(Counter(0));
//! ```

use std::convert::Infallible;
use std::future::Future;

use super::{BoxError, Error};
use crate::api::model::{EpisodeId, Json, Seat};

/// Decides for one seat at a time.
pub trait Policy: Send {
    /// Why it could not.
    type Error: Into<BoxError>;

    /// The action for what a seat sees (null where the server showed nothing): a list of action objects, or one
    /// object.
    fn act(
        &mut self,
        observation: &Json,
        seat: &Seat,
    ) -> impl Future<Output = Result<Json, Self::Error>> + Send;
}

impl<F, Decision, E> Policy for F
where
    F: FnMut(Json, Seat) -> Decision + Send,
    Decision: Future<Output = Result<Json, E>> + Send,
    E: Into<BoxError>,
{
    type Error = E;

    fn act(&mut self, observation: &Json, seat: &Seat) -> impl Future<Output = Result<Json, E>> + Send {
        self(observation.clone(), seat.clone())
    }
}

/// One decision that is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// In which episode.
    pub episode_id: EpisodeId,
    /// For which seat.
    pub seat: Seat,
    /// What it sees; null where the server showed nothing.
    pub observation: Json,
}

/// Decides for many seats of many episodes together, as a model with a batch of inputs does.
pub trait BatchPolicy: Send {
    /// Why it could not.
    type Error: Into<BoxError>;

    /// One action for each turn, in the same order.
    fn act_all(&mut self, turns: Vec<Turn>) -> impl Future<Output = Result<Vec<Json>, Self::Error>> + Send;
}

impl<F, Decisions, E> BatchPolicy for F
where
    F: FnMut(Vec<Turn>) -> Decisions + Send,
    Decisions: Future<Output = Result<Vec<Json>, E>> + Send,
    E: Into<BoxError>,
{
    type Error = E;

    fn act_all(&mut self, turns: Vec<Turn>) -> impl Future<Output = Result<Vec<Json>, E>> + Send {
        self(turns)
    }
}

/// A policy that decides one by one, where many decisions are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct OneByOne<P>(pub P);

impl<P: Policy> BatchPolicy for OneByOne<P> {
    type Error = P::Error;

    async fn act_all(&mut self, turns: Vec<Turn>) -> Result<Vec<Json>, P::Error> {
        let mut actions = Vec::with_capacity(turns.len());
        for turn in turns {
            actions.push(self.0.act(&turn.observation, &turn.seat).await?);
        }
        Ok(actions)
    }
}

/// No policy: the type of `None::<NoPolicy>`, where a policy may be left out.
#[derive(Debug, Clone, Copy)]
pub enum NoPolicy {}

impl Policy for NoPolicy {
    type Error = Infallible;

    async fn act(&mut self, _observation: &Json, _seat: &Seat) -> Result<Json, Infallible> {
        match *self {}
    }
}

impl BatchPolicy for NoPolicy {
    type Error = Infallible;

    async fn act_all(&mut self, _turns: Vec<Turn>) -> Result<Vec<Json>, Infallible> {
        match *self {}
    }
}

/// Asks for one decision.
pub(super) async fn ask<P: Policy>(
    policy: &mut P,
    observation: Option<&Json>,
    seat: &Seat,
) -> Result<Json, Error> {
    let nothing = Json::default();
    policy.act(observation.unwrap_or(&nothing), seat).await.map_err(|error| Error::Policy(error.into()))
}

/// Asks for many decisions; there are as many as turns.
pub(super) async fn ask_all<P: BatchPolicy>(policy: &mut P, turns: Vec<Turn>) -> Result<Vec<Json>, Error> {
    let wanted = turns.len();
    let actions = policy.act_all(turns).await.map_err(|error| Error::Policy(error.into()))?;
    if actions.len() == wanted {
        return Ok(actions);
    }
    Err(Error::Policy(format!("it gave {} actions for {wanted} turns", actions.len()).into()))
}
