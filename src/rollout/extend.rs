//! Resets that make the run larger when it has no episodes left.

use super::{Error, Run};
use crate::api;
use crate::api::endpoints::{ExtendRun, ResetEpisode};
use crate::api::model::Episode;

impl Run {
    /// Starts an episode. With `auto_extend` a run that is used up gets that many episodes more and the reset is
    /// tried again; without it the error says what can be done. Where many tasks share the run, one of them extends
    /// it and the others then find room: each first tries again under a lock.
    ///
    /// Extending holds more credits; closing the run gives back what was not played. `run_id` of the request is
    /// replaced by this run's.
    ///
    /// # Errors
    /// A closed run, an `auto_extend` of 0, a failed call, [`Error::Exhausted`].
    pub async fn reset(&self, request: &ResetEpisode, auto_extend: Option<u32>) -> Result<Episode, Error> {
        if self.is_closed() {
            return Err(Error::Refused("the run is closed: open another one".into()));
        }
        check_auto_extend(auto_extend)?;
        let request = ResetEpisode { run_id: self.id().clone(), ..request.clone() };
        loop {
            let exhausted = match self.try_reset(&request).await? {
                Ok(episode) => return Ok(episode),
                Err(exhausted) => exhausted,
            };
            let Some(more) = auto_extend else { return Err(advised(exhausted)) };
            let _extending = self.extending.lock().await;
            match self.try_reset(&request).await? {
                Ok(episode) => return Ok(episode),
                Err(_) => self.client().send(&ExtendRun::new(self.id(), more)).await?,
            };
        }
    }

    /// `Err` inside when the run is used up.
    async fn try_reset(&self, request: &ResetEpisode) -> Result<Result<Episode, api::Error>, Error> {
        match self.client().send(request).await {
            Ok(episode) => Ok(Ok(episode)),
            Err(error) if error.code() == Some("RUN_EXHAUSTED") => Ok(Err(error)),
            Err(error) => Err(error.into()),
        }
    }
}

/// Adding nothing would try for ever.
pub(super) fn check_auto_extend(auto_extend: Option<u32>) -> Result<(), Error> {
    if auto_extend == Some(0) {
        return Err(Error::Refused("`auto_extend` is at least 1: how many episodes to add".into()));
    }
    Ok(())
}

fn advised(source: api::Error) -> Error {
    let advice = "a training run needs tasks times rollouts of each times epochs: open it with a larger `max_episodes`, \
                  extend it, or let it extend itself";
    Error::Exhausted { advice: advice.into(), source }
}
