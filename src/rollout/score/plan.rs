//! What is checked before anything is claimed.

use crate::api::endpoints::{CompleteEpisode, ForkBatch, MAX_BATCH, ScoreActionsOnPolicy, TRIES};
use crate::api::model::{EpisodeProbe, Json, Seat};
use crate::rollout::keys::distinct_actions;

/// A request that was found good.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) request: &'a ScoreActionsOnPolicy,
    /// Distinct, in the order they were first seen.
    pub(super) candidates: Vec<Json>,
    /// Tries of each.
    pub(super) samples: usize,
    /// How the ends are played in phase mode, but for the episode and the seat.
    pub(super) tail: CompleteEpisode,
}

/// The position that is scored.
#[derive(Debug, PartialEq)]
pub(super) struct Position {
    /// Whose actions.
    pub(super) target: Seat,
    /// All seats of ours.
    pub(super) ours: Vec<Seat>,
    /// Those on turn.
    pub(super) on_turn: Vec<Seat>,
    /// Those that are out already.
    pub(super) failed: Vec<Seat>,
}

const NO_POLICY: &str = "a policy is needed: other seats act together with the one that is scored";

impl<'a> Plan<'a> {
    /// Checks what can be checked without asking, in the SDK's order.
    pub(super) fn new(request: &'a ScoreActionsOnPolicy, has_policy: bool) -> Result<Self, String> {
        if request.candidate_actions.is_empty() {
            return Err("`candidate_actions` is empty: give at least one action".into());
        }
        let samples = request.samples_per_action.unwrap_or(TRIES);
        if samples == 0 {
            return Err("`samples_per_action` is at least 1".into());
        }
        if !has_policy && request.phase_ticks != Some(0) {
            return Err("a policy is needed, unless `phase_ticks` is 0".into());
        }
        let tail = CompleteEpisode {
            samples: request.tail_samples,
            max_ticks: request.tail_max_ticks,
            min_percentile: request.min_percentile,
            max_percentile: request.max_percentile,
            opponent_source: request.opponent_source.clone(),
            random_opponents: request.random_opponents,
            ..CompleteEpisode::default()
        };
        if request.phase_ticks.is_none()
            && let Some(name) = first_tail_option(request)
        {
            return Err(format!("`{name}` needs `phase_ticks`: without it nothing is completed"));
        }
        if let Some(fault) = tail.playout_fault("tail_") {
            return Err(fault);
        }
        let candidates = distinct_actions(&request.candidate_actions)
            .map_err(|error| format!("{error}: {}", error.source))?;
        let forks = candidates.len().saturating_mul(samples as usize);
        if forks > MAX_BATCH as usize {
            return Err(format!(
                "{} distinct actions with {samples} tries each are {forks} forks, but a batch has up to {MAX_BATCH}: \
                 lower `samples_per_action`, or split the actions",
                candidates.len()
            ));
        }
        if let Some(fault) = request.op_key.as_deref().and_then(ForkBatch::key_fault) {
            return Err(fault);
        }
        if let Some((name, _)) = request.extra.iter().next() {
            return Err(format!("there is no option `{name}`"));
        }
        Ok(Self { request, candidates, samples: samples as usize, tail })
    }

    /// How many forks are needed; up to 128.
    pub(super) fn forks(&self) -> u32 {
        u32::try_from(self.candidates.len() * self.samples).unwrap_or(u32::MAX)
    }

    /// Finds the seat to score and checks that it can act, in the SDK's order.
    pub(super) fn position(&self, probe: &EpisodeProbe, has_policy: bool) -> Result<Position, String> {
        if probe.done {
            return Err("the episode is over: there is nothing to score".into());
        }
        let (ours, on_turn) = (probe.seats(), probe.on_turn());
        // Never the next best seat: the server would not choose another one either.
        let usual = if probe.turn_based { on_turn.first() } else { None }.or(probe.policy_seat.as_ref());
        let wanted = self.request.seat.as_ref().filter(|seat| !seat.is_empty());
        let Some(target) = wanted.or(usual).cloned() else {
            return Err("the server names no seat of ours in this episode".into());
        };
        if !ours.contains(&target) {
            return Err(format!("`{target}` is not a seat of ours (ours: {})", list(&ours)));
        }
        if probe.failed_seats.contains(&target) {
            return Err(format!("`{target}` is out already, so that its actions count for nothing"));
        }
        if !on_turn.contains(&target) {
            let others = list(&on_turn);
            return Err(format!(
                "`{target}` is not on turn (on turn: {others}): its action would be skipped"
            ));
        }
        if !has_policy && on_turn.iter().any(|seat| *seat != target) {
            return Err(NO_POLICY.into());
        }
        Ok(Position { target, ours, on_turn, failed: probe.failed_seats.clone() })
    }
}

pub(super) fn no_policy() -> String {
    NO_POLICY.into()
}

pub(super) fn list(seats: &[Seat]) -> String {
    let names: Vec<_> = seats.iter().map(|seat| format!("`{seat}`")).collect();
    if names.is_empty() { "nobody".into() } else { names.join(", ") }
}

fn first_tail_option(request: &ScoreActionsOnPolicy) -> Option<&'static str> {
    [
        ("tail_samples", request.tail_samples.is_some()),
        ("tail_max_ticks", request.tail_max_ticks.is_some()),
        ("min_percentile", request.min_percentile.is_some()),
        ("max_percentile", request.max_percentile.is_some()),
        ("opponent_source", request.opponent_source.is_some()),
        ("random_opponents", request.random_opponents.is_some()),
    ]
    .into_iter()
    .find_map(|(name, is_set)| is_set.then_some(name))
}
