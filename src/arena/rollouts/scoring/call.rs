//! The two calls: a copy of the episode is judged, and the run pays for what was played.
//!
//! ```text
//! copy the match -> choose seat, players, candidates -> claim the worst case -> play -> meter what was played,
//!                                                       (402 changes nothing)          give back the rest
//! ```
//!
//! The episode itself stays as it is, but counts as driven: it does not become idle. It costs no episode of the
//! run, unless the call is paid with episodes ([`PlayoutClaim`]).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use jiff::Timestamp;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::candidates::{Candidate, Candidates, Source};
use super::knobs::{ActionKnobs, Knobs};
use super::rank::{Summary, kept, ranking};
use super::roster::{self, Rosters};
use super::target::{self, Purpose};
use super::{Scored, Trial, score};
use crate::api::model::Json;
use crate::arena::engine::Play;
use crate::arena::engine::seats::Seat;
use crate::arena::error::ArenaError;
use crate::arena::league::Wanted;
use crate::arena::rollouts::Rollouts;
use crate::arena::rollouts::episode::{self, Episode};
use crate::arena::rollouts::run::{PlayoutClaim, Run};

/// The answer to `score-actions`.
#[derive(Serialize)]
struct ActionsAnswer<'a> {
    seat: Seat,
    total_actions_considered: usize,
    ticks_used: u64,
    actions: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    action: &'a Json,
    source: Source,
    action_rank: u32,
    #[serde(flatten)]
    summary: &'a Summary,
    /// Why it was not played.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<&'a str>,
}

/// The answer to `complete`.
#[derive(Serialize)]
struct PositionAnswer<'a> {
    seat: Seat,
    #[serde(flatten)]
    summary: &'a Summary,
    ticks_used: u64,
}

/// A position, and how it is to be played on.
struct Question {
    play: Box<dyn Play>,
    trial: Trial,
    /// Nothing to play on without a first action.
    candidates: Option<Candidates>,
}

impl Question {
    fn firsts(&self) -> Vec<Option<&Candidate>> {
        match &self.candidates {
            Some(candidates) => candidates.list().iter().map(Some).collect(),
            None => vec![None],
        }
    }
}

impl Rollouts {
    /// Ranks actions of a seat. Goes on to its end, so it belongs on a task of its own; `stop` ends it early, unbilled.
    ///
    /// # Errors
    /// `EPISODE_NOT_FOUND`, `EPISODE_COMPLETE`, `SEAT_FAILED`, `SEAT_OFF_TURN`, `LEAGUE_TOO_THIN`, `RUN_CLOSED`,
    /// `INSUFFICIENT_CREDITS`, or what [`ActionKnobs`] refuses.
    pub async fn score_actions(
        &self,
        run: &Arc<Run>,
        episode_id: &str,
        knobs: ActionKnobs,
        paid_with: PlayoutClaim,
        stop: CancellationToken,
    ) -> Result<Bytes, ArenaError> {
        let episode = run.episode(episode_id).ok_or_else(|| episode::not_found(episode_id))?;
        let play = snapshot(&episode).await?;
        let (top_n, top_percentile) = (knobs.top_n, knobs.top_percentile);
        let asked = Arc::clone(&episode);
        // Players that are asked for moves may think for a while.
        let asking = tokio::task::spawn_blocking(move || {
            let trial = trial(&asked, play.as_ref(), &knobs.common, Purpose::Action)?;
            let mut candidates = Candidates::of_user(&knobs.candidates)?;
            let advisers = trial.rosters.advisers(trial.seat);
            candidates.top_up(asked.game, play.as_ref(), trial.seat, advisers, knobs.max_actions);
            let claim = knobs.common.claim(candidates.list().len())?;
            Ok::<_, ArenaError>((Question { play, trial, candidates: Some(candidates) }, claim))
        });
        let (question, claim) = asking.await.map_err(ArenaError::internal)??;
        let (question, rows, ticks_used) =
            self.answer(run, &episode, question, claim, paid_with, stop).await?;
        let list = question.candidates.as_ref().map(Candidates::list).unwrap_or_default();
        let mut ranked = ranking(rows.iter().map(|row| &row.summary));
        ranked.truncate(kept(rows.len(), top_n, top_percentile));
        let row = |(nth, action_rank): (usize, u32)| Row {
            action: &list[nth].json,
            source: list[nth].source,
            action_rank,
            summary: &rows[nth].summary,
            refused: rows[nth].refused.as_deref(),
        };
        written(&ActionsAnswer {
            seat: question.trial.seat,
            total_actions_considered: rows.len(),
            ticks_used,
            actions: ranked.into_iter().map(row).collect(),
        })
    }

    /// What a position is worth to a seat. Goes on to its end, so it belongs on a task of its own; `stop` ends it early,
    /// unbilled.
    ///
    /// # Errors
    /// As [`score_actions`](Self::score_actions), but a seat may be off turn and eliminated.
    pub async fn complete(
        &self,
        run: &Arc<Run>,
        episode_id: &str,
        knobs: Knobs,
        paid_with: PlayoutClaim,
        stop: CancellationToken,
    ) -> Result<Bytes, ArenaError> {
        let episode = run.episode(episode_id).ok_or_else(|| episode::not_found(episode_id))?;
        roster::check_rated(episode.game.spec().slug)?;
        let play = snapshot(&episode).await?;
        let trial = trial(&episode, play.as_ref(), &knobs, Purpose::Position)?;
        let question = Question { play, trial, candidates: None };
        let claim = knobs.claim(1)?;
        let (question, rows, ticks_used) =
            self.answer(run, &episode, question, claim, paid_with, stop).await?;
        let summary = &rows.first().ok_or_else(|| ArenaError::internal("a position without a row"))?.summary;
        written(&PositionAnswer { seat: question.trial.seat, summary, ticks_used })
    }

    /// Plays a question at the run's expense.
    async fn answer(
        &self,
        run: &Arc<Run>,
        episode: &Episode,
        question: Question,
        claim: u64,
        paid_with: PlayoutClaim,
        stop: CancellationToken,
    ) -> Result<(Question, Vec<Scored>, u64), ArenaError> {
        let mut claim = run.claim_playouts(&self.0.store, paid_with, claim).await?;
        touch(episode);
        // The semaphore is never closed; without a permit it would only be less fair.
        let permit = Arc::clone(&self.0.scorers).acquire_owned().await.ok();
        let playing = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let outcome = score(question.play.as_ref(), &question.trial, &question.firsts(), &stop);
            outcome.map(|(rows, ticks)| (question, rows, ticks))
        });
        let outcome = playing.await.map_err(ArenaError::internal).flatten();
        touch(episode);
        if let Ok((.., ticks)) = &outcome {
            claim.meter(*ticks);
        }
        outcome
    }
}

/// A copy of the match as it stands.
async fn snapshot(episode: &Episode) -> Result<Box<dyn Play>, ArenaError> {
    let live = episode.live.lock().await;
    if live.lease.is_none() { Err(episode::not_found(&episode.episode_id)) } else { Ok(live.play.fork()) }
}

fn trial(episode: &Episode, play: &dyn Play, knobs: &Knobs, purpose: Purpose) -> Result<Trial, ArenaError> {
    let (probe, spec) = (play.probe(), episode.game.spec());
    let named = knobs.seat.as_deref();
    let seat = target::choose(&probe, spec.timing, episode.policy, episode.primary(), named, purpose)?;
    let wanted = Wanted { band: knobs.band(episode.wanted.band)?, ..episode.wanted.clone() };
    Ok(Trial {
        seat,
        policy: episode.policy,
        samples: knobs.samples,
        max_ticks: knobs.max_ticks,
        rosters: Rosters::new(spec, &probe, episode.policy, &wanted)?,
        random_opponents: knobs.random_opponents,
    })
}

fn touch(episode: &Episode) {
    episode.touched.store(episode::millis(Timestamp::now()), Ordering::Release);
}

fn written(answer: &impl Serialize) -> Result<Bytes, ArenaError> {
    serde_json::to_vec(answer).map(Bytes::from).map_err(ArenaError::internal)
}
