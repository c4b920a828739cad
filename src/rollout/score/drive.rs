//! Plays all forks together, a tick at a time.

use super::plan::{Plan, Position, list, no_policy};
use super::rank::{Sample, rank};
use crate::api::Client;
use crate::api::endpoints::{CompleteEpisode, StepBatch};
use crate::api::model::{
    ActionScores, BatchEntry, BySeat, Completion, Episode, EpisodeId, Json, Seat, StepEntry, StepFailure,
    StepResult,
};
use crate::rollout::closing::Closing;
use crate::rollout::policy::ask_all;
use crate::rollout::step::step_batch_with_retry;
use crate::rollout::{BatchPolicy, Error, Turn};

/// The forks of one call.
pub(super) struct Drive<'a> {
    client: &'a Client,
    plan: &'a Plan<'a>,
    position: Position,
    closing: Closing,
    /// One for each fork, candidate by candidate; what has no outcome at the end has failed.
    samples: Vec<Sample>,
    ticks_used: u64,
}

/// A fork that is being played.
#[derive(Debug)]
struct Fork {
    id: EpisodeId,
    /// Its place among the samples.
    slot: usize,
    views: BySeat<Json>,
    on_turn: Vec<Seat>,
    tick: u64,
    /// The tick after the candidate was played.
    injected: Option<u64>,
}

/// What one result means for its fork.
#[derive(Debug, PartialEq)]
enum Verdict {
    /// The try failed; the fork may live on.
    Failed { is_gone: bool },
    /// It was played to its end.
    Over(Sample),
    /// The policy's part is played.
    Tail,
    /// It goes on.
    Next,
}

impl<'a> Drive<'a> {
    pub(super) fn new(client: &'a Client, plan: &'a Plan<'a>, position: Position, forks: &[Episode]) -> Self {
        let open = forks.iter().map(|fork| fork.episode_id.clone()).collect();
        Self {
            client,
            plan,
            position,
            closing: Closing::new(client, &plan.request.run_id, open),
            samples: vec![Sample::Failed; plan.candidates.len() * plan.samples],
            ticks_used: 0,
        }
    }

    pub(super) async fn play<P: BatchPolicy>(
        &mut self,
        forks: &[Episode],
        mut policy: Option<&mut P>,
    ) -> Result<(), Error> {
        self.check(forks)?;
        let mut pending: Vec<_> =
            forks.iter().enumerate().map(|(slot, fork)| Fork::new(fork, slot, &self.position)).collect();
        let mut tails = Vec::new();
        while !pending.is_empty() {
            let entries = self.entries(&pending, policy.as_deref_mut()).await?;
            let batch = StepBatch::new(&self.plan.request.run_id, entries);
            let results = step_batch_with_retry(self.client, &batch).await?;
            if results.len() != pending.len() {
                let (given, wanted) = (results.len(), pending.len());
                return Err(Error::Answer(format!("the server gave {given} results for {wanted} steps")));
            }
            for (mut fork, entry) in std::mem::take(&mut pending).into_iter().zip(results) {
                match self.take(&mut fork, entry).await? {
                    Verdict::Next => pending.push(fork),
                    Verdict::Tail => tails.push(fork),
                    Verdict::Failed { .. } | Verdict::Over(_) => {}
                }
            }
        }
        // A failure here is one of the whole call: counted as failed samples, it would rank the candidates by the
        // order in which their ends are played.
        for fork in tails {
            self.complete(&fork).await?;
        }
        Ok(())
    }

    pub(super) async fn close(&mut self) {
        self.closing.close_all().await;
    }

    pub(super) fn scores(&self) -> ActionScores {
        let rows = self.plan.candidates.iter().zip(self.samples.chunks(self.plan.samples));
        ActionScores {
            seat: Some(self.position.target.clone()),
            total_actions_considered: Some(self.plan.candidates.len() as u64),
            ticks_used: Some(self.ticks_used),
            actions: rank(rows),
            ..ActionScores::default()
        }
    }

    /// The position may have moved between the question and the forks; all forks are alike, so one is checked.
    fn check(&self, forks: &[Episode]) -> Result<(), Error> {
        let (made, wanted) = (forks.len(), self.plan.forks() as usize);
        if made != wanted {
            return Err(Error::Answer(format!("the server made {made} forks where {wanted} were asked for")));
        }
        let Some(first) = forks.first() else { return Ok(()) };
        let new: Vec<Seat> =
            first.failed_seats.iter().filter(|seat| !self.position.failed.contains(seat)).cloned().collect();
        if first.on_turn_seats.contains(&self.position.target) && new.is_empty() {
            return Ok(());
        }
        Err(Error::Refused(format!(
            "the episode was stepped between the question and the forks (on turn: {}, newly out: {}): nothing may step it \
             meanwhile",
            list(&first.on_turn_seats),
            list(&new)
        )))
    }

    /// One entry a fork: the candidate in the first round, else what the policy decides.
    async fn entries<P: BatchPolicy>(
        &self,
        forks: &[Fork],
        policy: Option<&mut P>,
    ) -> Result<Vec<StepEntry>, Error> {
        let target = &self.position.target;
        let turns: Vec<Turn> = forks.iter().flat_map(|fork| fork.turns(target)).collect();
        let mut decisions = match policy {
            _ if turns.is_empty() => Vec::new(),
            Some(policy) => ask_all(policy, turns).await?,
            None => return Err(Error::Refused(no_policy())),
        }
        .into_iter();
        let entry = |fork: &Fork| {
            let mut actions = BySeat::default();
            if fork.injected.is_none() {
                actions.insert(target.clone(), self.plan.candidates[fork.slot / self.plan.samples].clone());
            }
            actions.extend(fork.wanted(target).cloned().zip(&mut decisions));
            StepEntry::seats(fork.id.clone(), actions, Some(fork.tick))
        };
        Ok(forks.iter().map(entry).collect())
    }

    /// Takes one result into account.
    async fn take(&mut self, fork: &mut Fork, entry: BatchEntry) -> Result<Verdict, Error> {
        let verdict = match entry.outcome {
            Ok(result) => fork.judge(&result, &self.position, self.plan.request.phase_ticks),
            Err(failure) => fork.lost(&failure)?,
        };
        match &verdict {
            Verdict::Failed { is_gone } => {
                self.ticks_used += fork.tick;
                if *is_gone {
                    self.closing.is_over(&fork.id);
                } else {
                    // If that fails, the last round of closing tries again.
                    let _ = self.closing.close(&fork.id).await;
                }
            }
            Verdict::Over(sample) => {
                self.ticks_used += fork.tick;
                self.samples[fork.slot] = *sample;
                self.closing.is_over(&fork.id);
            }
            Verdict::Tail | Verdict::Next => {}
        }
        Ok(verdict)
    }

    /// Lets code players play a fork to its end, and closes it.
    async fn complete(&mut self, fork: &Fork) -> Result<(), Error> {
        let request = CompleteEpisode {
            run_id: self.plan.request.run_id.clone(),
            episode_id: fork.id.clone(),
            seat: Some(self.position.target.clone()),
            ..self.plan.tail.clone()
        };
        let completion = self.client.send(&request).await?;
        self.ticks_used += completion.ticks_used.unwrap_or(0);
        self.samples[fork.slot] = end_of(&completion)?;
        let closed = self.closing.close(&fork.id).await.ok().flatten();
        self.ticks_used += closed.and_then(|closed| closed.ticks_used).unwrap_or(fork.tick);
        Ok(())
    }
}

/// The sample that a played end gives.
fn end_of(completion: &Completion) -> Result<Sample, Error> {
    let scored = completion.scored.unwrap_or(0);
    if scored == 0 {
        return Ok(Sample::Failed);
    }
    let no_mean = || Error::Answer("the server scored a playout but gave no mean".into());
    let score = completion.score.mean.ok_or_else(no_mean)?;
    Ok(Sample::Scored { score, won: completion.win_rate, weight: scored as f64 })
}

impl Fork {
    fn new(fork: &Episode, slot: usize, position: &Position) -> Self {
        let on_turn = if fork.on_turn_seats.is_empty() { &position.on_turn } else { &fork.on_turn_seats };
        Self {
            id: fork.episode_id.clone(),
            slot,
            views: fork.views(),
            on_turn: on_turn.clone(),
            tick: fork.tick.unwrap_or(0),
            injected: None,
        }
    }

    /// The seats that the policy decides for: all on turn, but for the one that plays the candidate.
    fn wanted(&self, target: &Seat) -> impl Iterator<Item = &Seat> {
        self.on_turn.iter().filter(move |seat| self.injected.is_some() || *seat != target)
    }

    fn turns(&self, target: &Seat) -> impl Iterator<Item = Turn> {
        self.wanted(target).map(|seat| Turn {
            episode_id: self.id.clone(),
            seat: seat.clone(),
            observation: self.views.get(seat).cloned().unwrap_or_default(),
        })
    }

    /// What a result means; moves the fork on.
    fn judge(&mut self, result: &StepResult, position: &Position, phase_ticks: Option<u64>) -> Verdict {
        self.tick = result.tick.unwrap_or(self.tick);
        let injected = *self.injected.get_or_insert(self.tick);
        let is_new = |seat: &Seat| !position.failed.contains(seat) && result.has_malfunctioned(seat);
        if result.failed_seats.iter().any(is_new) {
            return Verdict::Failed { is_gone: result.done };
        }
        if result.done {
            let Some(score) = result.score_of(&position.target) else { return Verdict::Over(Sample::Failed) };
            let won = result.rank_of(&position.target).map(|rank| if rank == 1 { 1.0 } else { 0.0 });
            return Verdict::Over(Sample::Scored { score, won, weight: 1.0 });
        }
        if phase_ticks.is_some_and(|ticks| self.tick.saturating_sub(injected) >= ticks) {
            return Verdict::Tail;
        }
        self.on_turn = if result.on_turn_seats.is_empty() {
            position.ours.iter().filter(|seat| !result.has_failed(seat)).cloned().collect()
        } else {
            result.on_turn_seats.clone()
        };
        self.views = result.views(Some(&position.target));
        Verdict::Next
    }

    /// What a failed entry means: the fork is gone, with the ticks that the server says or else those we know.
    fn lost(&mut self, failure: &StepFailure) -> Result<Verdict, Error> {
        if failure.code.as_deref() == Some("STEP_CONFLICT") {
            return Err(Error::Conflict { episode_id: self.id.clone(), tick: self.tick });
        }
        self.tick = failure.ticks_used.unwrap_or(self.tick);
        Ok(Verdict::Failed { is_gone: true })
    }
}

#[cfg(test)]
mod tests;
