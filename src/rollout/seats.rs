//! One trained seat in an episode where every seat is ours: a second policy plays the others, so that the trained
//! seat only ever sees positions where it acts (protocol.md §5.11).

use super::closing::Closing;
use super::policy::ask;
use super::step::step_with_retry;
use super::{Error, Policy};
use crate::api::Client;
use crate::api::endpoints::StepEpisode;
use crate::api::model::{BySeat, EpisodeId, Json, RunId, Seat, StepResult};

/// The reason of an episode that was ended since the trained seat went out for malformed output.
pub const POLICY_FAILED: &str = "policy_failed";

/// A trained seat of an episode. Nothing is closed here unless it says so: after an error the episode is still
/// live.
#[derive(Debug, Clone)]
pub struct TrainedSeat {
    client: Client,
    step: StepEpisode,
    seat: Seat,
}

impl TrainedSeat {
    /// The trained seat of a live episode.
    pub fn new(client: &Client, run_id: &RunId, episode_id: &EpisodeId, seat: &Seat) -> Self {
        Self { client: client.clone(), step: StepEpisode::new(run_id, episode_id), seat: seat.clone() }
    }

    /// Which seat it is.
    pub fn seat(&self) -> &Seat {
        &self.seat
    }

    /// Lets the opponents play until the trained seat is on turn or the episode is over; gives the last result and
    /// the trained seat's rewards on the way. Does nothing where it is on turn already.
    ///
    /// A trained seat that the game put out by its own rules is played for to the real end, where its score is
    /// decided. One that is out for malformed output is not: nobody is left to train.
    ///
    /// # Errors
    /// A failed call, the opponents' error, and [`Error::BrokenOpponents`].
    pub async fn drive_opponents<P: Policy>(
        &self,
        mut result: StepResult,
        opponents: &mut P,
    ) -> Result<(StepResult, f64), Error> {
        let mut reward = 0.0;
        while !result.done && self.is_waiting(&result) {
            let mut actions = BySeat::default();
            for seat in &result.on_turn_seats {
                actions.insert(seat.clone(), ask(opponents, result.observations.get(seat), seat).await?);
            }
            result = self.send_all(actions, &result).await?;
            reward += result.rewards.get(&self.seat).copied().unwrap_or(0.0);
        }
        Ok((result, reward))
    }

    /// Plays an action of the trained seat and what its opponents answer until it is on turn again; `last` is the
    /// last result. Gives the newest result and the trained seat's rewards of all ticks.
    ///
    /// Where the trained seat goes out for malformed output, the episode is closed and the result is one that is
    /// done, without a score and with the reason [`POLICY_FAILED`], as in an episode with one seat of ours.
    ///
    /// # Errors
    /// A failed call, the opponents' error, and [`Error::BrokenOpponents`], also when the trained seat failed in
    /// the same tick.
    pub async fn step<P: Policy>(
        &self,
        action: Json,
        last: &StepResult,
        opponents: &mut P,
    ) -> Result<(StepResult, f64), Error> {
        let mut actions: BySeat<Json> = [(self.seat.clone(), action)].into_iter().collect();
        for seat in last.on_turn_seats.iter().filter(|seat| **seat != self.seat) {
            actions.insert(seat.clone(), ask(opponents, last.observations.get(seat), seat).await?);
        }
        let result = self.send_all(actions, last).await?;
        let reward = result.reward_of(&self.seat);
        let (mut result, more) = self.drive_opponents(result, opponents).await?;
        if !result.done && result.has_malfunctioned(&self.seat) {
            self.close().await;
            result.done = true;
            result.completion_reason = Some(POLICY_FAILED.into());
        }
        Ok((result, reward + more))
    }

    /// Plays an action in an episode where no other seat is ours; `last` is the last result. Gives the newest
    /// result and the reward.
    ///
    /// # Errors
    /// A failed call.
    pub async fn step_alone(&self, action: Json, last: &StepResult) -> Result<(StepResult, f64), Error> {
        let step = StepEpisode { action: Some(action), ..self.step.clone() };
        let result = self.send(step, last).await?;
        let reward = result.reward.unwrap_or(0.0);
        Ok((result, reward))
    }

    /// True while only others act, and the trained seat may act again or its end is still to be decided.
    fn is_waiting(&self, result: &StepResult) -> bool {
        let on_turn = &result.on_turn_seats;
        !on_turn.is_empty() && !on_turn.contains(&self.seat) && !result.has_malfunctioned(&self.seat)
    }

    async fn send_all(&self, actions: BySeat<Json>, last: &StepResult) -> Result<StepResult, Error> {
        let result = self.send(StepEpisode { actions: Some(actions), ..self.step.clone() }, last).await?;
        self.check_opponents(&result)?;
        Ok(result)
    }

    async fn send(&self, step: StepEpisode, last: &StepResult) -> Result<StepResult, Error> {
        let step = StepEpisode { expected_tick: last.tick, ..step };
        let result = step_with_retry(&self.client, &step).await?;
        Ok(StepResult { tick: result.tick.or(last.tick), ..result })
    }

    /// The server names only our own seats, so every other one that malfunctioned is an opponent that we drive.
    fn check_opponents(&self, result: &StepResult) -> Result<(), Error> {
        let is_broken = |seat: &&Seat| **seat != self.seat && result.has_malfunctioned(seat);
        let broken: Vec<Seat> = result.failed_seats.iter().filter(is_broken).cloned().collect();
        if broken.is_empty() { Ok(()) } else { Err(Error::BrokenOpponents(broken)) }
    }

    /// Closes the episode as well as possible: one more try after a failure.
    async fn close(&self) {
        let id = &self.step.episode_id;
        let mut closing = Closing::new(&self.client, &self.step.run_id, vec![id.clone()]);
        if closing.close(id).await.is_err() {
            closing.close_all().await;
        }
    }
}
