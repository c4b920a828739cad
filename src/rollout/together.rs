//! Many episodes of a run, each with a policy of its own, stepped together: a call a tick instead of one an episode.

use futures_util::future::join_all;

use super::closing::Closing;
use super::episode::{Playing, Trajectory};
use super::step::step_batch_with_retry;
use super::{Error, Policy};
use crate::api::Client;
use crate::api::endpoints::{MAX_BATCH, StepBatch};
use crate::api::model::{BySeat, Episode, Json, RunId, StepEntry, StepFailure, StepResult};

/// Live episodes of one run with the policies that play them. What differs from
/// [`BatchStepper`](super::BatchStepper): one policy that fails ends its own episode only, and each episode becomes a
/// [`Trajectory`].
///
/// Episodes that are left when it is dropped are closed by a task of its own, as well as possible.
#[derive(Debug)]
pub struct Together<P> {
    client: Client,
    run_id: RunId,
    live: Vec<(Playing, P)>,
    closing: Closing,
}

/// An episode that is over, or could not be played on.
#[derive(Debug)]
pub struct Ended<P> {
    /// Its policy, for the next episode.
    pub policy: P,
    /// What was played, or why it was not played to its end.
    pub outcome: Result<Trajectory, Error>,
}

impl<P: Policy> Together<P> {
    /// Nothing yet.
    pub fn new(client: &Client, run_id: &RunId) -> Self {
        let closing = Closing::new(client, run_id, Vec::new());
        Self { client: client.clone(), run_id: run_id.clone(), live: Vec::new(), closing }
    }

    /// How many episodes are played.
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// True when none is played.
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// Adds an episode that was just started, with its policy; one that is over already comes out of the next step.
    ///
    /// # Errors
    /// There are as many as a batch may step already: then the policy comes back, and the episode is still live.
    pub fn add(&mut self, episode: &Episode, policy: P) -> Result<(), P> {
        if self.live.len() >= MAX_BATCH as usize {
            return Err(policy);
        }
        self.closing.add(&episode.episode_id);
        self.live.push((Playing::new(episode), policy));
        Ok(())
    }

    /// Asks all policies at once and plays a step of every episode; gives the episodes that ended. A lost answer is asked
    /// for once more; a call that fails as a whole ends all episodes that it was for.
    pub async fn step(&mut self) -> Vec<Ended<P>> {
        let asked = join_all(self.live.iter_mut().map(|(playing, policy)| playing.ask(policy))).await;
        let (mut acts, mut leaving) = (Vec::new(), Vec::new());
        for (slot, asked) in std::mem::take(&mut self.live).into_iter().zip(asked) {
            match asked {
                Ok(actions) if !actions.is_empty() => {
                    acts.push(actions);
                    self.live.push(slot);
                }
                other => leaving.push((slot, other.map(drop))),
            }
        }
        if !acts.is_empty() {
            let results = self.send(&acts).await;
            let live = std::mem::take(&mut self.live).into_iter().zip(acts).zip(results);
            for (((mut playing, policy), actions), result) in live {
                match result {
                    Ok(result) => {
                        playing.take(actions, result);
                        if playing.last.done {
                            leaving.push(((playing, policy), Ok(())));
                        } else {
                            self.live.push((playing, policy));
                        }
                    }
                    Err(why) => leaving.push(((playing, policy), Err(why))),
                }
            }
        }
        let mut ended = Vec::with_capacity(leaving.len());
        for ((playing, policy), outcome) in leaving {
            ended.push(self.end(playing, policy, outcome).await);
        }
        ended
    }

    /// Sends a step of every episode; gives as many results.
    async fn send(&self, acts: &[BySeat<Json>]) -> Vec<Result<StepResult, Error>> {
        let entries: Vec<StepEntry> =
            self.live.iter().zip(acts).map(|((playing, _), actions)| playing.entry(actions)).collect();
        let wanted = entries.len();
        let batch = StepBatch::new(&self.run_id, entries);
        match step_batch_with_retry(&self.client, &batch).await {
            Ok(results) if results.len() == wanted => {
                let outcomes = results.into_iter().map(|entry| entry.outcome).zip(&self.live);
                outcomes
                    .map(|(outcome, (playing, _))| outcome.map_err(|failure| failed(playing, &failure)))
                    .collect()
            }
            Ok(results) => {
                let why = format!("the server gave {} results for {wanted} steps", results.len());
                (0..wanted).map(|_| Err(Error::Answer(why.clone()))).collect()
            }
            Err(why) => (0..wanted).map(|_| Err(why.clone().into())).collect(),
        }
    }

    /// An episode that is not over is closed.
    async fn end(&mut self, playing: Playing, policy: P, outcome: Result<(), Error>) -> Ended<P> {
        if playing.last.done {
            self.closing.is_over(playing.id());
        } else {
            // Where that fails it is tried again at the end.
            let _ = self.closing.close(playing.id()).await;
        }
        Ended { policy, outcome: outcome.map(|()| playing.trajectory()) }
    }

    /// Closes the episodes that are left, as well as possible; gives their policies.
    pub async fn close(mut self) -> Vec<P> {
        self.closing.close_all().await;
        std::mem::take(&mut self.live).into_iter().map(|(_, policy)| policy).collect()
    }
}

/// What the failure of one entry means.
fn failed(playing: &Playing, failure: &StepFailure) -> Error {
    match (failure.code.as_deref(), playing.last.tick) {
        (Some("STEP_CONFLICT"), Some(tick)) => Error::Conflict { episode_id: playing.id().clone(), tick },
        (code, _) => {
            let message = failure.message.as_deref().unwrap_or("no reason given");
            let code = code.map(|code| format!(" ({code})")).unwrap_or_default();
            Error::Answer(format!("the step failed: {message}{code}"))
        }
    }
}
