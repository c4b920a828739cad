//! What actions are worth when the caller's own policy plays on (protocol.md §5.9).
//!
//! [`plan`](self::plan) checks everything that can be checked before anything is claimed, [`drive`](self::drive)
//! plays the forks, [`rank`](self::rank) makes the table.

mod drive;
mod plan;
mod rank;

use self::drive::Drive;
use self::plan::Plan;
use super::fork::fork_batch;
use super::{BatchPolicy, Error};
use crate::api::Client;
use crate::api::endpoints::{ForkBatch, GetEpisode, ScoreActionsOnPolicy};
use crate::api::model::{ActionScores, Episode};

/// Compares candidate actions at the position of an episode, with the caller's policy playing on.
///
/// The episode is forked once for each distinct candidate and try; each fork gets its candidate as the first action
/// of the seat, then the policy plays all forks together, one batch of steps a tick. With `phase_ticks` code
/// players play the rest. The policy is asked once a tick for all seats of all forks; [`OneByOne`](super::OneByOne)
/// makes a batch policy of one that decides for one seat. It may be left out (`None::<NoPolicy>`) with
/// `phase_ticks` 0, where no other seat acts together with the scored one.
///
/// A try fails, and is left out of the numbers, when a seat of ours goes out for malformed output (a rejected
/// candidate among them), or when its fork is lost. A seat that the game puts out by its own rules is scored as
/// usual.
///
/// Each fork counts as one of the run's episodes; too few of them left use nothing up. All forks are closed
/// whichever way this ends, also when it is cancelled by dropping it (by a task of its own then, as well as
/// possible). The ends of `phase_ticks` are played one after the other and have about 10 minutes before idle forks
/// are closed.
///
/// # Errors
/// A wrong argument, an episode that is over, a seat that cannot act, all before anything is claimed. A failed
/// call, the policy's error, and forks that something else stepped.
pub async fn score_actions_on_policy<P: BatchPolicy>(
    client: &Client,
    request: &ScoreActionsOnPolicy,
    policy: Option<&mut P>,
) -> Result<ActionScores, Error> {
    let plan = Plan::new(request, policy.is_some()).map_err(Error::Refused)?;
    let probe = client.send(&GetEpisode::new(&request.run_id, &request.episode_id)).await?;
    let position = plan.position(&probe, policy.is_some()).map_err(Error::Refused)?;
    let forks = fork(client, request, &plan).await?;
    let mut drive = Drive::new(client, &plan, position, &forks);
    let outcome = drive.play(&forks, policy).await;
    drive.close().await;
    outcome?;
    Ok(drive.scores())
}

async fn fork(
    client: &Client,
    request: &ScoreActionsOnPolicy,
    plan: &Plan<'_>,
) -> Result<Vec<Episode>, Error> {
    let mut batch = ForkBatch::new(&request.run_id, &request.episode_id, plan.forks());
    batch.op_key.clone_from(&request.op_key);
    fork_batch(client, &batch).await.map_err(|error| {
        if error.code() != Some("RUN_EXHAUSTED") {
            return Error::Api(error);
        }
        let (actions, samples) = (plan.candidates.len(), plan.samples);
        let advice = format!(
            "{} are needed ({actions} distinct actions, {samples} tries each): extend the run or lower \
             `samples_per_action`; nothing was used up",
            plan.forks()
        );
        Error::Exhausted { advice, source: error }
    })
}

#[cfg(test)]
mod tests;
