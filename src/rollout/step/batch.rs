//! Up to 128 episodes of a run, one step at a time for all of them.

use super::step_batch_with_retry;
use crate::api::Client;
use crate::api::endpoints::{MAX_BATCH, StepBatch};
use crate::api::model::{Episode, EpisodeId, Json, RunId, Seat, StepEntry, StepFailure, StepResult};
use crate::rollout::closing::Closing;
use crate::rollout::policy::ask_all;
use crate::rollout::{BatchPolicy, Error, Turn};

/// Steps many episodes together: what a model with a batch of inputs wants.
///
/// An episode leaves when it is over, when its entry failed, or when none of its seats can act any more. Those that
/// are left when this is dropped are closed by a task of its own, as well as possible; see [`BatchStepper::close`].
///
/// ```no_run
/// # use gert::api::{Client, model::{Episode, Json, RunId}};
/// # use gert::rollout::{BatchStepper, Error, Turn};
/// # async fn example(client: Client, run: RunId, episodes: Vec<Episode>, model: fn(&[Turn]) -> Vec<Json>) -> Result<(), Error> {
/// let mut stepper = BatchStepper::new(&client, &run, &episodes)?;
/// while !stepper.is_empty() {
///     let actions = model(&stepper.turns());
///     for stepped in stepper.step(actions).await? {
///         println!("{}: {:?}", stepped.episode_id, stepped.outcome.map(|result| result.reward));
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct BatchStepper {
    client: Client,
    run_id: RunId,
    live: Vec<Live>,
    closing: Closing,
}

/// What became of an episode in one step of all.
#[derive(Debug, Clone, PartialEq)]
pub struct Stepped {
    /// Which episode.
    pub episode_id: EpisodeId,
    /// The step, or why there was none.
    pub outcome: Result<StepResult, StepFailure>,
}

#[derive(Debug)]
struct Live {
    id: EpisodeId,
    primary: Option<Seat>,
    ours: Vec<Seat>,
    /// The last result; its tick is always the newest known.
    last: StepResult,
}

impl Live {
    fn acting(&self) -> Vec<Seat> {
        self.last.acting(&self.ours)
    }

    fn turns(&self) -> Vec<Turn> {
        let views = self.last.views(self.primary.as_ref());
        let turn = |seat: Seat| {
            let observation = views.get(&seat).cloned().unwrap_or_default();
            Turn { episode_id: self.id.clone(), seat, observation }
        };
        self.acting().into_iter().map(turn).collect()
    }

    /// Takes as many actions as there are seats to act for.
    fn entry(&self, actions: &mut impl Iterator<Item = Json>) -> StepEntry {
        let mut acts = self.acting().into_iter().zip(actions);
        let (id, tick) = (self.id.clone(), self.last.tick);
        if self.ours.len() > 1 {
            return StepEntry::seats(id, acts.collect(), tick);
        }
        StepEntry::single(id, acts.next().map(|(_, action)| action).unwrap_or_default(), tick)
    }
}

impl BatchStepper {
    /// Takes over live episodes of one run; those that are over already are left out.
    ///
    /// # Errors
    /// More than 128 of them: then none is taken over.
    pub fn new(client: &Client, run_id: &RunId, episodes: &[Episode]) -> Result<Self, Error> {
        let live: Vec<Live> = episodes
            .iter()
            .filter(|episode| !episode.done)
            .map(|episode| Live {
                id: episode.episode_id.clone(),
                primary: episode.policy_seat.clone(),
                ours: episode.seats(),
                last: StepResult { tick: episode.tick.or(Some(0)), ..episode.into() },
            })
            .collect();
        if live.len() > MAX_BATCH as usize {
            return Err(Error::Refused(format!(
                "a batch steps up to {MAX_BATCH} episodes, not {}: use more than one",
                live.len()
            )));
        }
        let open = live.iter().map(|live| live.id.clone()).collect();
        let closing = Closing::new(client, run_id, open);
        Ok(Self { client: client.clone(), run_id: run_id.clone(), live, closing })
    }

    /// The decisions that are wanted for the next step, in the order of the episodes and of their seats.
    pub fn turns(&self) -> Vec<Turn> {
        self.live.iter().flat_map(Live::turns).collect()
    }

    /// True when no episode is left.
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// How many episodes are left.
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// Plays a step of every episode, with one action for each of [`turns`](Self::turns) in their order. A lost
    /// answer is asked for once more. After an error nothing has moved here: the same step with the same actions
    /// may be tried again at once, since a step that was played gives its result again.
    ///
    /// # Errors
    /// Another number of actions, or a failure of the call as a whole. One failed entry is no error.
    pub async fn step(&mut self, actions: Vec<Json>) -> Result<Vec<Stepped>, Error> {
        let wanted: usize = self.live.iter().map(|live| live.acting().len()).sum();
        if actions.len() != wanted {
            let given = actions.len();
            return Err(Error::Refused(format!("{given} actions were given for {wanted} turns")));
        }
        self.leave(Vec::new()).await;
        if self.live.is_empty() {
            return Ok(Vec::new());
        }
        let mut actions = actions.into_iter();
        let entries = self.live.iter().map(|live| live.entry(&mut actions)).collect::<Vec<_>>();
        let results = step_batch_with_retry(&self.client, &StepBatch::new(&self.run_id, entries)).await?;
        if results.len() != self.live.len() {
            let (given, wanted) = (results.len(), self.live.len());
            return Err(Error::Answer(format!("the server gave {given} results for {wanted} steps")));
        }
        let (mut stepped, mut leaving) = (Vec::with_capacity(results.len()), Vec::new());
        for (mut live, entry) in std::mem::take(&mut self.live).into_iter().zip(results) {
            stepped.push(Stepped { episode_id: live.id.clone(), outcome: entry.outcome.clone() });
            match entry.outcome {
                Ok(result) if !result.done => {
                    let tick = result.tick.or(live.last.tick);
                    live.last = StepResult { tick, ..result };
                    self.live.push(live);
                }
                Ok(_) => self.closing.is_over(&live.id),
                Err(failure) if is_left_alone(&failure) => self.closing.is_over(&live.id),
                Err(_) => leaving.push(live.id),
            }
        }
        self.leave(leaving).await;
        Ok(stepped)
    }

    /// Asks a policy for the actions and plays a step of every episode.
    ///
    /// # Errors
    /// The policy's, and those of [`step`](Self::step).
    pub async fn step_with<P: BatchPolicy>(&mut self, policy: &mut P) -> Result<Vec<Stepped>, Error> {
        let actions = ask_all(policy, self.turns()).await?;
        self.step(actions).await
    }

    /// Closes the episodes that are left, as well as possible.
    pub async fn close(mut self) {
        self.closing.close_all().await;
    }

    /// Closes these episodes, and those of which no seat can act any more: another step would do nothing.
    async fn leave(&mut self, mut leaving: Vec<EpisodeId>) {
        let (live, idle): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.live).into_iter().partition(|live| !live.acting().is_empty());
        self.live = live;
        leaving.extend(idle.into_iter().map(|live| live.id));
        for episode_id in leaving {
            // Where that fails, it is tried again at the end.
            let _ = self.closing.close(&episode_id).await;
        }
    }
}

/// Whether the episode is gone, or somebody else drives it.
fn is_left_alone(failure: &StepFailure) -> bool {
    matches!(failure.code.as_deref(), Some("EPISODE_NOT_FOUND" | "INTERNAL_ERROR" | "STEP_CONFLICT"))
}
