//! One episode from reset to end, played by a policy (protocol.md §5.6).

use serde::Serialize;

use super::closing::Closing;
use super::policy::ask;
use super::step::step_with_retry;
use super::{Error, Policy};
use crate::api::Client;
use crate::api::endpoints::{ResetEpisode, StepEpisode};
use crate::api::model::{BySeat, Episode, EpisodeId, GameSlug, Json, Seat, StepEntry, StepResult};

/// An episode that was played to its end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trajectory {
    /// Its name.
    pub episode_id: EpisodeId,
    /// What was played: the resolved game where tags were given.
    pub game: GameSlug,
    /// The primary seat.
    pub policy_seat: Option<Seat>,
    /// Its steps.
    pub steps: Vec<Step>,
    /// The sum of the primary seat's rewards.
    pub total_reward: f64,
    /// The primary seat's score.
    pub score: Option<f64>,
    /// The primary seat's rank, 1 is best; none with one player.
    pub rank: Option<u32>,
    /// How it went for the primary seat, such as `won`; none with one player.
    pub outcome: Option<String>,
    /// Why it is over; none if it is not, since no seat of ours can act any more.
    pub completion_reason: Option<String>,
    /// The seats that went out, for any reason.
    pub failed_seats: Vec<Seat>,
    /// Those of them that the game put out by its own rules: scored as usual. Only the others make their part of
    /// the trajectory worthless.
    pub eliminated_seats: Vec<Seat>,
    /// With several seats of ours: all of them, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub policy_seats: Vec<Seat>,
    /// With several seats of ours: scores by seat.
    #[serde(skip_serializing_if = "BySeat::is_empty")]
    pub scores: BySeat<f64>,
    /// With several seats of ours: ranks by seat.
    #[serde(skip_serializing_if = "BySeat::is_empty")]
    pub ranks: BySeat<u32>,
    /// With several seats of ours: outcomes by seat.
    #[serde(skip_serializing_if = "BySeat::is_empty")]
    pub outcomes: BySeat<String>,
}

/// One step of a trajectory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// What the primary seat saw before.
    pub observation: Option<Json>,
    /// What it did; none when it was not its turn.
    pub action: Option<Json>,
    /// Its change of score.
    pub reward: f64,
    /// The episode is over.
    pub done: bool,
    /// The seats that are out after the step. Their later steps say nothing about them.
    pub failed_seats: Vec<Seat>,
    /// Those of them that the game put out by its own rules.
    pub eliminated_seats: Vec<Seat>,
    /// With several seats of ours: what those that acted saw before.
    #[serde(skip_serializing_if = "BySeat::is_empty")]
    pub observations: BySeat<Json>,
    /// With several seats of ours: what they did.
    #[serde(skip_serializing_if = "BySeat::is_empty")]
    pub actions: BySeat<Json>,
    /// With several seats of ours: changes of score by seat.
    #[serde(skip_serializing_if = "BySeat::is_empty")]
    pub rewards: BySeat<f64>,
}

/// Plays one episode to its end: the policy is asked once a turn for each of our seats that acts.
///
/// A step whose answer was lost is asked for once more. After an error the live episode is closed, as well as
/// possible, and the error is returned. The same when this is cancelled by dropping it: a task of its own closes
/// the episode, for up to half a minute and only while the runtime lives. A reset that is cancelled before its
/// answer came leaves an episode that the server closes after about 10 idle minutes. However it ends, it counts as
/// one of the run's.
///
/// # Errors
/// A failed call, or the policy's error.
pub async fn run_episode<P: Policy>(
    client: &Client,
    reset: &ResetEpisode,
    policy: &mut P,
) -> Result<Trajectory, Error> {
    let episode = client.send(reset).await?;
    play_episode(client, reset, &episode, policy).await
}

/// Plays an episode that was just started, as [`run_episode`] does; `reset` is what started it.
///
/// # Errors
/// A failed call, or the policy's error.
pub async fn play_episode<P: Policy>(
    client: &Client,
    reset: &ResetEpisode,
    episode: &Episode,
    policy: &mut P,
) -> Result<Trajectory, Error> {
    let mut closing = Closing::new(client, &reset.run_id, vec![episode.episode_id.clone()]);
    let mut playing = Playing::new(episode);
    let played = playing.play(client, StepEpisode::new(&reset.run_id, &episode.episode_id), policy).await;
    if playing.last.done {
        closing.is_over(&episode.episode_id);
    } else {
        closing.close_all().await;
    }
    played?;
    Ok(playing.trajectory())
}

/// An episode that is being played: where it is, and what it was.
#[derive(Debug)]
pub(super) struct Playing {
    id: EpisodeId,
    game: GameSlug,
    primary: Option<Seat>,
    ours: Vec<Seat>,
    pub(super) last: StepResult,
    steps: Vec<Step>,
}

impl Playing {
    /// One that was just started.
    pub(super) fn new(episode: &Episode) -> Self {
        Self {
            id: episode.episode_id.clone(),
            game: episode.game.clone(),
            primary: episode.policy_seat.clone(),
            ours: episode.seats(),
            last: StepResult { tick: episode.tick.or(Some(0)), ..episode.into() },
            steps: Vec::new(),
        }
    }

    pub(super) fn id(&self) -> &EpisodeId {
        &self.id
    }

    /// Asks for all seats that act; none are left when the episode is over, or when none of ours can act any more.
    pub(super) async fn ask<P: Policy>(&self, policy: &mut P) -> Result<BySeat<Json>, Error> {
        let mut actions = BySeat::default();
        if self.last.done {
            return Ok(actions);
        }
        let views = self.last.views(self.primary.as_ref());
        for seat in self.last.acting(&self.ours) {
            let action = ask(policy, views.get(&seat), &seat).await?;
            actions.insert(seat, action);
        }
        Ok(actions)
    }

    /// The next step as an entry of a batch.
    pub(super) fn entry(&self, actions: &BySeat<Json>) -> StepEntry {
        if self.is_multi() {
            return StepEntry::seats(self.id.clone(), actions.clone(), self.last.tick);
        }
        let action = actions.iter().next().and_then(|(_, action)| action.cloned());
        StepEntry::single(self.id.clone(), action.unwrap_or_default(), self.last.tick)
    }

    /// Takes the result of a step.
    pub(super) fn take(&mut self, actions: BySeat<Json>, result: StepResult) {
        let views = self.last.views(self.primary.as_ref());
        self.last = StepResult { tick: result.tick.or(self.last.tick), ..result };
        let step = self.record(&views, actions);
        self.steps.push(step);
    }

    /// Plays alone until it is over or none of our seats can act.
    async fn play<P: Policy>(
        &mut self,
        client: &Client,
        step: StepEpisode,
        policy: &mut P,
    ) -> Result<(), Error> {
        loop {
            let actions = self.ask(policy).await?;
            if actions.is_empty() {
                return Ok(());
            }
            let mut step = StepEpisode { expected_tick: self.last.tick, ..step.clone() };
            if self.is_multi() {
                step.actions = Some(actions.clone());
            } else {
                step.action = actions.iter().next().and_then(|(_, action)| action.cloned());
            }
            let result = step_with_retry(client, &step).await?;
            self.take(actions, result);
        }
    }

    fn is_multi(&self) -> bool {
        self.ours.len() > 1
    }

    /// The step that led to the last result.
    fn record(&self, views: &BySeat<Json>, actions: BySeat<Json>) -> Step {
        let of_primary = |map: &BySeat<Json>| self.primary.as_ref().and_then(|seat| map.get(seat)).cloned();
        let mut step = Step {
            observation: of_primary(views),
            action: of_primary(&actions),
            reward: self.last.reward.unwrap_or(0.0),
            done: self.last.done,
            failed_seats: self.last.failed_seats.clone(),
            eliminated_seats: self.last.eliminated_seats.clone(),
            observations: BySeat::default(),
            actions: BySeat::default(),
            rewards: BySeat::default(),
        };
        if self.is_multi() {
            let seen = |(seat, _): (&Seat, _)| Some((seat.clone(), views.get(seat)?.clone()));
            step.observations = actions.iter().filter_map(seen).collect();
            step.actions = actions;
            step.rewards = self.last.rewards.clone();
        }
        step
    }

    /// What was played.
    pub(super) fn trajectory(self) -> Trajectory {
        let is_multi = self.is_multi();
        let (last, steps) = (self.last, self.steps);
        let mut trajectory = Trajectory {
            episode_id: self.id,
            game: self.game,
            policy_seat: self.primary,
            total_reward: steps.iter().fold(0.0, |sum, step| sum + step.reward),
            steps,
            score: last.score,
            rank: last.rank,
            outcome: last.outcome,
            completion_reason: last.completion_reason,
            failed_seats: last.failed_seats,
            eliminated_seats: last.eliminated_seats,
            policy_seats: Vec::new(),
            scores: BySeat::default(),
            ranks: BySeat::default(),
            outcomes: BySeat::default(),
        };
        if is_multi {
            trajectory.policy_seats = self.ours;
            trajectory.scores = last.scores;
            trajectory.ranks = last.ranks;
            trajectory.outcomes = last.outcomes;
        }
        trajectory
    }
}
