//! One episode: a match, who plays which seat, and the result of its last step.
//!
//! ```text
//! reset, fork --> live --rules, horizon, all policy seats failed--> ended: its last result is kept for a while
//!                   |
//!                   +--closed by the client, by idleness, with its run--> gone
//! ```
//!
//! A step plays one tick with the policy's inputs, then the ticks of league seats until a policy seat is asked again.
//! Ticks on the wire count from the episode's own start: those of a fork begin at 0.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use axum::http::StatusCode;
use bytes::Bytes;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::Mutex;

use super::run::{Claim, Run};
use super::{Place, answer};
use crate::arena::engine::observation::{Number, round4};
use crate::arena::engine::seats::{Seat, SeatMap, SeatSet};
use crate::arena::engine::{EndReason, Game, Input, Play, Player, Probe, Timing};
use crate::arena::error::ArenaError;
use crate::arena::league::Wanted;

/// What is fixed when an episode starts, and the lock around the rest.
pub struct Episode {
    /// Its id, unique in its run.
    pub episode_id: String,
    /// What is played.
    pub game: &'static dyn Game,
    /// Seats in the match.
    pub player_count: u8,
    /// The seats that the client plays; never empty.
    pub policy: SeatSet,
    /// Who plays the others.
    pub opponents: SeatMap<Opponent>,
    /// Which league players were wanted; scoring keeps to it.
    pub wanted: Wanted,
    /// Decides all chance.
    pub seed: u64,
    /// How hard it is, if that was said.
    pub difficulty: Option<f64>,
    /// The match's tick that it starts from; above 0 in a fork.
    pub origin: u32,
    /// The match's horizon.
    pub horizon: u32,
    /// When it was last driven, in ms since 1970.
    pub(super) touched: AtomicI64,
    pub(super) live: Arc<Mutex<Live>>,
}

impl std::fmt::Debug for Episode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Episode").field("episode_id", &self.episode_id).finish_non_exhaustive()
    }
}

/// A league player on a seat, as it is told.
#[derive(Debug, Clone, Serialize)]
pub struct Opponent {
    /// Always `code`.
    pub player_type: &'static str,
    /// The submission.
    pub submission_id: &'static str,
    /// Its name.
    pub model: &'static str,
    /// Who made it.
    pub provider: &'static str,
    /// Its rating.
    pub elo_rating: Number,
}

impl Episode {
    /// The seat that plain members speak of.
    pub fn primary(&self) -> Seat {
        self.policy.iter().next().unwrap_or(Seat::new(0))
    }

    /// Ticks on the wire.
    pub fn ticks_of(&self, match_tick: u32) -> u32 {
        match_tick - self.origin
    }

    /// Ticks that it may play.
    pub fn ticks_at_most(&self) -> u32 {
        self.horizon - self.origin
    }

    /// Why and how the match is over for the policy. `is_natural` says that a tick was played to get here: an end
    /// without one comes from a failed seat.
    fn end(&self, probe: &Probe, is_natural: bool) -> Option<End> {
        let broken = probe.failed.without(probe.eliminated).intersection(self.policy);
        match probe.over {
            Some(reason) if is_natural || broken.is_empty() => Some(End { reason, is_scored: true }),
            None if broken.is_empty() || !self.policy.without(probe.failed).is_empty() => None,
            _ => Some(End { reason: EndReason::PolicyFailed, is_scored: broken != self.policy }),
        }
    }

    /// The policy's inputs of one tick.
    fn inputs(&self, given: Given, asked: SeatSet) -> Result<SeatMap<Input>, ArenaError> {
        let mut actions: SeatMap<Value> = match given {
            // Self-play, too: the SDK's README goes on so after it scored actions on policy.
            Given::One(action) if asked.len() == 1 => asked.iter().zip([action]).collect(),
            Given::One(_) => {
                let problem = format!("plays one seat, and {} are on turn: send `actions`", names(asked));
                return Err(ArenaError::invalid("action", problem));
            }
            Given::BySeat(actions) => actions.into_iter().collect(),
        };
        if let Some((seat, _)) = actions.iter().find(|(seat, _)| !self.policy.contains(*seat)) {
            let problem = format!("names `{seat}`, but the policy plays {}", names(self.policy));
            return Err(ArenaError::invalid("actions", problem));
        }
        let is_turn_based = self.game.spec().timing == Timing::TurnBased;
        if is_turn_based && !asked.iter().any(|seat| actions.get(seat).is_some()) {
            let problem = format!("names no seat that is on turn: act for {}", names(asked));
            return Err(ArenaError::invalid("actions", problem));
        }
        let input = |seat| match actions.remove(seat) {
            Some(action) => (seat, Input::Act(action)),
            None => (seat, Input::Fail("no action came".to_owned())),
        };
        Ok(asked.iter().map(input).collect())
    }
}

/// What a step brings.
#[derive(Debug)]
pub enum Given {
    /// For the only policy seat on turn.
    One(Value),
    /// By seat.
    BySeat(Vec<(Seat, Value)>),
}

impl Given {
    fn names_any(&self, seats: SeatSet) -> bool {
        match self {
            Self::One(_) => !seats.is_empty(),
            Self::BySeat(actions) => actions.iter().any(|(seat, _)| seats.contains(*seat)),
        }
    }
}

/// How an episode ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// Why.
    pub reason: EndReason,
    /// Not when every policy seat failed.
    pub is_scored: bool,
}

/// What changes.
pub struct Live {
    pub(super) play: Box<dyn Play>,
    /// League players, by seat.
    pub(super) players: SeatMap<Box<dyn Player>>,
    pub(super) end: Option<End>,
    /// What it may play. Nothing when it has ended or was closed: whoever waited for it comes too late.
    pub(super) lease: Option<Lease>,
    scores: SeatMap<f64>,
    last: Option<Applied>,
}

/// What a live episode has of its run and of the host.
#[derive(Debug)]
pub(super) struct Lease {
    pub(super) claim: Claim,
    pub(super) _place: Place,
}

/// The result of a step.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The tick that it was applied at.
    pub before: u32,
    /// The tick after it.
    pub tick: u32,
    /// What is answered, a JSON object.
    pub body: Bytes,
    /// Whether the episode ended with it.
    pub done: bool,
}

/// A step that was not refused.
#[derive(Debug)]
pub(super) enum Stepped {
    /// It was played now.
    Played(Applied),
    /// It was played before.
    Replayed(Bytes),
}

impl Live {
    pub(super) fn new(play: Box<dyn Play>, players: SeatMap<Box<dyn Player>>, lease: Option<Lease>) -> Self {
        let scores = play.probe().scores;
        Self { play, players, end: None, lease, scores, last: None }
    }

    /// Lets league players open the game.
    pub(super) fn begin(&mut self, episode: &Episode) {
        self.play_on(episode, None);
        self.scores = self.play.probe().scores;
    }

    /// Notes ticks that were played.
    pub(super) fn meter(&mut self, ticks: u32) {
        if let Some(lease) = &mut self.lease {
            lease.claim.meter(u64::from(ticks));
        }
    }

    /// Takes it out of play and gives back what it did not play; gives its ticks, or nothing when it was closed already.
    pub(super) fn close(&mut self, run: &Run, episode: &Episode) -> Option<u32> {
        self.lease.take()?;
        run.forget(&episode.episode_id);
        Some(self.tick(episode))
    }

    pub(super) fn score(&self, seat: Seat) -> Number {
        Number(self.scores.get(seat).copied().unwrap_or_default())
    }

    /// How it ended for the primary seat; `lost` when every policy seat failed.
    pub(super) fn outcome(&self, episode: &Episode) -> Option<&'static str> {
        let end = self.end?;
        let standing = self.play.standings().get(episode.primary()).copied().filter(|_| end.is_scored);
        Some(standing.map_or("lost", |standing| standing.outcome))
    }

    /// Ticks on the wire.
    pub(super) fn tick(&self, episode: &Episode) -> u32 {
        episode.ticks_of(self.play.probe().tick)
    }

    /// Plays a step, or finds that it was played already (protocol.md §2.12.3).
    pub(super) fn step(
        &mut self,
        episode: &Episode,
        given: Given,
        expected_tick: Option<u32>,
    ) -> Result<Stepped, ArenaError> {
        let probe = self.play.probe();
        let tick = episode.ticks_of(probe.tick);
        let on_turn = if self.lease.is_none() { SeatSet::EMPTY } else { probe.turn.seats() };
        let asked = on_turn.intersection(episode.policy);
        if let Some(last) = self.last.as_ref().filter(|last| expected_tick == Some(last.before))
            // A seat that fails alone costs no tick: then only what is named tells a repetition from the next step.
            && (last.before != tick || !given.names_any(asked))
        {
            return Ok(Stepped::Replayed(last.body.clone()));
        }
        if self.lease.is_none() {
            return Err(not_found(&episode.episode_id));
        }
        if let Some(expected) = expected_tick.filter(|expected| *expected != tick) {
            return Err(step_conflict(expected, tick));
        }
        let inputs = episode.inputs(given, asked)?;
        self.play_on(episode, Some(inputs));
        let after = self.play.probe();
        let reward = |(seat, after): (Seat, &f64)| {
            (seat, round4(after - self.scores.get(seat).copied().unwrap_or_default()))
        };
        let rewards: SeatMap<f64> = after.scores.iter().map(reward).collect();
        self.scores = after.scores;
        let body = answer::stepped(episode, self, &rewards);
        let after = episode.ticks_of(after.tick);
        let applied = Applied { before: tick, tick: after, body, done: self.end.is_some() };
        self.last = Some(applied.clone());
        Ok(Stepped::Played(applied))
    }

    /// Plays until the policy is asked or the episode is over: first with its inputs, if there are any.
    fn play_on(&mut self, episode: &Episode, mut inputs: Option<SeatMap<Input>>) {
        let mut is_natural = true;
        loop {
            let probe = self.play.probe();
            self.end = episode.end(&probe, is_natural);
            if self.end.is_some() {
                return;
            }
            let on_turn = probe.turn.seats();
            let mut tick = match inputs.take() {
                Some(inputs) => inputs,
                None if on_turn.is_empty() || !on_turn.intersection(episode.policy).is_empty() => return,
                None => SeatMap::default(),
            };
            for seat in on_turn.without(episode.policy).iter() {
                let input = self.decide(episode, seat);
                tick.insert(seat, input);
            }
            is_natural = self.play.submit(&tick).tick > probe.tick;
        }
    }

    fn decide(&mut self, episode: &Episode, seat: Seat) -> Input {
        let Some(player) = self.players.get_mut(seat) else { return Input::Pass };
        let action = player.act(self.play.as_ref(), seat);
        match self.play.judge(seat, &action) {
            Ok(()) => Input::Act(action),
            Err(verdict) => {
                let game = episode.game.spec().slug;
                tracing::error!(game, %seat, %action, ?verdict, "a league player may not do that");
                Input::Pass
            }
        }
    }
}

/// A new episode's id.
pub(super) fn new_id() -> String {
    format!("ep_{:016x}", rand::random::<u64>())
}

pub(super) fn not_found(episode_id: &str) -> ArenaError {
    ArenaError::new(
        StatusCode::NOT_FOUND,
        "EPISODE_NOT_FOUND",
        format!("this run has no live episode `{episode_id}`: it has ended, was closed, or never was"),
    )
}

fn step_conflict(expected: u32, tick: u32) -> ArenaError {
    ArenaError::new(
        StatusCode::CONFLICT,
        "STEP_CONFLICT",
        format!("the episode is at tick {tick} and its last step was not applied at tick {expected}"),
    )
}

fn names(seats: SeatSet) -> String {
    let names: Vec<String> = seats.iter().map(|seat| format!("`{seat}`")).collect();
    names.join(", ")
}

/// A moment as episodes keep it.
pub(super) fn millis(at: Timestamp) -> i64 {
    at.as_millisecond()
}
