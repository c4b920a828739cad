//! Rollouts: runs, episodes, steps, scored actions. Seats are `p0` to `p{N-1}`; what is said of each comes as a
//! map.
//!
//! What is absent stays absent: an episode with one player has no rank and no outcome, not a rank of zero.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::members::{Extra, Json, model, put, put_all};
use super::{BySeat, EpisodeId, GameSlug, RunId, Seat};
use crate::api::request::{Arg, FieldValue, Kind};

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum RunStatus {
    /// Episodes may be started, and credits are held.
    Active,
    /// It is being settled.
    Closing,
    /// It is settled.
    Closed,
    /// A word that this version does not know.
    Other(String),
    /// None came.
    #[default]
    Unknown,
}

impl RunStatus {
    /// The word on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Active => "active",
            Self::Closing => "closing",
            Self::Closed => "closed",
            Self::Other(word) => word,
            Self::Unknown => "",
        }
    }
}

impl FromStr for RunStatus {
    type Err = Infallible;

    fn from_str(word: &str) -> Result<Self, Infallible> {
        Ok(match word {
            "active" => Self::Active,
            "closing" => Self::Closing,
            "closed" => Self::Closed,
            "" => Self::Unknown,
            other => Self::Other(other.to_owned()),
        })
    }
}

impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for RunStatus {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Ok(word.parse().unwrap_or_default())
    }
}

impl Serialize for RunStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unknown => serializer.serialize_none(),
            known => serializer.serialize_str(known.as_str()),
        }
    }
}

model! {
    /// A run that was opened or extended.
    pub struct RunOpened {
        /// Its name.
        pub run_id: RunId,
        /// How many episodes it may start in all.
        pub max_episodes: Option<u64>,
        /// What it holds in all, in credits.
        pub estimated_credits: Option<f64>,
        /// When it settles by itself.
        pub expires_at: Option<String>,
    }
}

model! {
    /// A run, as it is listed.
    pub struct Run {
        /// Its name.
        pub run_id: RunId,
        /// How far it is.
        pub status: RunStatus,
        /// How many episodes it may start in all.
        pub max_episodes: Option<u64>,
        /// How many it started; closing an episode does not give it back.
        pub episodes_used: Option<u64>,
        /// Ticks played.
        pub ticks_used: Option<u64>,
        /// What it cost so far.
        pub credits_used: Option<f64>,
        /// The longest an episode may be, in ticks.
        pub ticks_per_episode: Option<u64>,
        /// Opponents follow the policy's win rate.
        pub auto_curriculum: Option<bool>,
        /// When it was opened.
        pub created_at: Option<String>,
        /// When it settles by itself.
        pub expires_at: Option<String>,
        /// When it was closed.
        pub closed_at: Option<String>,
    }
}

model! {
    /// A run that was closed.
    pub struct RunClosed {
        /// Its name.
        pub run_id: RunId,
        /// How far it is.
        pub status: RunStatus,
        /// Ticks played.
        pub ticks_used: Option<u64>,
        /// Episodes started.
        pub episodes_used: Option<u64>,
        /// What it cost.
        pub credits_used: Option<f64>,
    }
}

model! {
    /// An episode that was started or forked.
    pub struct Episode {
        /// Its name.
        pub episode_id: EpisodeId,
        /// What is played.
        pub game: GameSlug,
        /// What the primary seat sees, as it came.
        pub observation: Option<Json>,
        /// What each of our seats sees, as it came.
        pub observations: BySeat<Json>,
        /// Our primary seat.
        pub policy_seat: Option<Seat>,
        /// All seats that are ours, in order. May be left out: see [`Episode::seats`].
        pub policy_seats: Vec<Seat>,
        /// Act for exactly these next. May be left out: see [`Episode::acting`].
        pub on_turn_seats: Vec<Seat>,
        /// Those of ours that are out, for any reason.
        pub failed_seats: Vec<Seat>,
        /// Those of them that the game put out by its own rules: scored as usual.
        pub eliminated_seats: Vec<Seat>,
        /// Ticks played: the `expected_tick` of the first step.
        pub tick: Option<u64>,
        /// It is over already.
        pub done: bool,
        /// How many seats there are.
        pub player_count: Option<u32>,
        /// The horizon in ticks.
        pub max_ticks: Option<u64>,
        /// Where its chance comes from; any size.
        pub seed: Option<Json>,
        /// The difficulty, if it was set.
        pub difficulty: Option<f64>,
        /// Who sits on the seats that are not ours.
        pub opponents: BySeat<Json>,
        /// What the primary seat's first reward is measured from.
        pub initial_score: Option<f64>,
        /// What each seat's first reward is measured from.
        pub initial_scores: BySeat<f64>,
        /// The primary seat's score, once it is over.
        pub score: Option<f64>,
        /// The primary seat's rank, 1 is best; none with one player.
        pub rank: Option<u32>,
        /// How it went for the primary seat, such as `won`; none with one player.
        pub outcome: Option<String>,
        /// Why it is over.
        pub completion_reason: Option<String>,
        /// Scores by seat, once it is over.
        pub scores: BySeat<f64>,
        /// Ranks by seat, once it is over.
        pub ranks: BySeat<u32>,
        /// Outcomes by seat, once it is over.
        pub outcomes: BySeat<String>,
    }
}

impl Episode {
    /// All seats that are ours, also where only the primary one is named.
    pub fn seats(&self) -> Vec<Seat> {
        seats(&self.policy_seats, self.policy_seat.as_ref())
    }

    /// The seats to act for next.
    pub fn acting(&self) -> Vec<Seat> {
        acting(&self.on_turn_seats, &self.seats(), &self.failed_seats)
    }

    /// What each of our seats sees, also where only the primary one's view came.
    pub fn views(&self) -> BySeat<Json> {
        views(&self.observations, self.policy_seat.as_ref(), self.observation.as_ref())
    }
}

model! {
    /// What became of a step.
    pub struct StepResult {
        /// The primary seat's change of score.
        pub reward: Option<f64>,
        /// Each seat's change of score.
        pub rewards: BySeat<f64>,
        /// It is over, and closed itself.
        pub done: bool,
        /// Ticks played: the `expected_tick` of the next step.
        pub tick: Option<u64>,
        /// What the primary seat sees, as it came.
        pub observation: Option<Json>,
        /// What each of our seats sees, as it came.
        pub observations: BySeat<Json>,
        /// Act for exactly these next. May be left out: see [`StepResult::acting`].
        pub on_turn_seats: Vec<Seat>,
        /// Those of ours that are out, for any reason.
        pub failed_seats: Vec<Seat>,
        /// Those of them that the game put out by its own rules: scored as usual.
        pub eliminated_seats: Vec<Seat>,
        /// The primary seat's score, once it is over.
        pub score: Option<f64>,
        /// The primary seat's rank, 1 is best; none with one player.
        pub rank: Option<u32>,
        /// How it went for the primary seat, such as `won`; none with one player.
        pub outcome: Option<String>,
        /// Why it is over.
        pub completion_reason: Option<String>,
        /// Scores by seat, once it is over.
        pub scores: BySeat<f64>,
        /// Ranks by seat, once it is over.
        pub ranks: BySeat<u32>,
        /// Outcomes by seat, once it is over.
        pub outcomes: BySeat<String>,
    }
}

impl StepResult {
    /// The seats to act for next, in an episode where these seats are ours.
    pub fn acting(&self, ours: &[Seat]) -> Vec<Seat> {
        acting(&self.on_turn_seats, ours, &self.failed_seats)
    }

    /// What each of our seats sees, also where only the primary one's view came.
    pub fn views(&self, primary: Option<&Seat>) -> BySeat<Json> {
        views(&self.observations, primary, self.observation.as_ref())
    }

    /// What a seat sees, or else the primary one.
    pub fn view(&self, seat: &Seat) -> Option<&Json> {
        of_seat(&self.observations, seat, self.observation.as_ref())
    }

    /// A seat's reward, or else the primary one's.
    pub fn reward_of(&self, seat: &Seat) -> f64 {
        of_seat(&self.rewards, seat, self.reward.as_ref()).copied().unwrap_or(0.0)
    }

    /// A seat's score, or else the primary one's.
    pub fn score_of(&self, seat: &Seat) -> Option<f64> {
        of_seat(&self.scores, seat, self.score.as_ref()).copied()
    }

    /// A seat's rank, or else the primary one's.
    pub fn rank_of(&self, seat: &Seat) -> Option<u32> {
        of_seat(&self.ranks, seat, self.rank.as_ref()).copied()
    }

    /// A seat's outcome, or else the primary one's.
    pub fn outcome_of(&self, seat: &Seat) -> Option<&str> {
        of_seat(&self.outcomes, seat, self.outcome.as_ref()).map(String::as_str)
    }

    /// True when a seat is out, for any reason.
    pub fn has_failed(&self, seat: &Seat) -> bool {
        self.failed_seats.contains(seat)
    }

    /// True when the game put a seat out by its own rules.
    pub fn is_eliminated(&self, seat: &Seat) -> bool {
        self.eliminated_seats.contains(seat)
    }

    /// True when a seat is out for malformed output.
    pub fn has_malfunctioned(&self, seat: &Seat) -> bool {
        self.has_failed(seat) && !self.is_eliminated(seat)
    }
}

impl From<&Episode> for StepResult {
    /// The state after no step at all.
    fn from(episode: &Episode) -> Self {
        let episode = episode.clone();
        Self {
            done: episode.done,
            tick: episode.tick,
            observation: episode.observation,
            observations: episode.observations,
            on_turn_seats: episode.on_turn_seats,
            failed_seats: episode.failed_seats,
            eliminated_seats: episode.eliminated_seats,
            score: episode.score,
            rank: episode.rank,
            outcome: episode.outcome,
            completion_reason: episode.completion_reason,
            scores: episode.scores,
            ranks: episode.ranks,
            outcomes: episode.outcomes,
            ..Self::default()
        }
    }
}

fn seats(all: &[Seat], primary: Option<&Seat>) -> Vec<Seat> {
    if all.is_empty() { primary.cloned().into_iter().collect() } else { all.to_vec() }
}

/// Those on turn, or else all of ours, without those that are out.
fn acting(on_turn: &[Seat], ours: &[Seat], failed: &[Seat]) -> Vec<Seat> {
    let live = |seats: &[Seat]| -> Vec<Seat> {
        seats.iter().filter(|seat| !failed.contains(seat)).cloned().collect()
    };
    let acting = live(on_turn);
    if acting.is_empty() { live(ours) } else { acting }
}

fn views(all: &BySeat<Json>, primary: Option<&Seat>, view: Option<&Json>) -> BySeat<Json> {
    if !all.is_empty() {
        return all.clone();
    }
    primary.cloned().zip(view.cloned()).into_iter().collect()
}

/// What is said of a seat; of the primary one if the seat is not named at all.
fn of_seat<'a, T>(all: &'a BySeat<T>, seat: &Seat, primary: Option<&'a T>) -> Option<&'a T> {
    all.entry(seat).map_or(primary, Option::as_ref)
}

/// What became of one entry of a batch of steps.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchEntry {
    /// Which episode.
    pub episode_id: EpisodeId,
    /// The step, or why there was none.
    pub outcome: Result<StepResult, StepFailure>,
}

model! {
    /// Why an entry of a batch failed. The other entries are not touched by it.
    pub struct StepFailure {
        /// The API's code: `EPISODE_NOT_FOUND`, `STEP_CONFLICT`, `INTERNAL_ERROR` (the episode was closed), or
        /// another.
        pub code: Option<String>,
        /// For people.
        pub message: Option<String>,
        /// The ticks that were billed when the failure closed the episode.
        pub ticks_used: Option<u64>,
    }
}

impl<'de> Deserialize<'de> for BatchEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut step = StepResult::deserialize(deserializer)?;
        let mut take = |name| step.extra.remove(name);
        let id = take("episode_id").and_then(|id| id.decode().ok()).unwrap_or_default();
        let ok = take("ok").and_then(|ok| ok.decode().ok()).unwrap_or(false);
        let failure = take("error").and_then(|error| error.decode().ok());
        let outcome = if ok { Ok(step) } else { Err(failure.unwrap_or_default()) };
        Ok(Self { episode_id: id, outcome })
    }
}

impl Serialize for BatchEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        put(&mut map, "episode_id", &self.episode_id)?;
        put(&mut map, "ok", &self.outcome.is_ok())?;
        match &self.outcome {
            Ok(step) => put_all(&mut map, &members(step)?)?,
            Err(failure) => put(&mut map, "error", failure)?,
        }
        map.end()
    }
}

/// A model's members, to be written among others.
fn members<E: serde::ser::Error>(model: &impl Serialize) -> Result<Extra, E> {
    let text = serde_json::to_string(model).map_err(E::custom)?;
    serde_json::from_str(&text).map_err(E::custom)
}

model! {
    /// One entry of a batch of steps: exactly one of `action` and `actions`.
    pub struct StepEntry {
        /// Which episode.
        pub episode_id: EpisodeId,
        /// What our only seat does.
        pub action: Option<Json>,
        /// What each of our seats on turn does.
        pub actions: Option<BySeat<Json>>,
        /// The tick of the last result; makes the entry safe to send again.
        pub expected_tick: Option<u64>,
    }
}

impl StepEntry {
    /// An entry for an episode with one seat of ours.
    pub fn single(episode_id: EpisodeId, action: Json, expected_tick: Option<u64>) -> Self {
        Self { episode_id, action: Some(action), expected_tick, ..Self::default() }
    }

    /// An entry with an action for each seat on turn.
    pub fn seats(episode_id: EpisodeId, actions: BySeat<Json>, expected_tick: Option<u64>) -> Self {
        Self { episode_id, actions: Some(actions), expected_tick, ..Self::default() }
    }
}

impl FieldValue for Vec<StepEntry> {
    const KIND: Kind = Kind::Jsons;
}

impl Arg<Self> for Vec<StepEntry> {
    fn arg(self) -> Self {
        self
    }
}

model! {
    /// Where a live episode is; free to ask. It keeps nothing alive and shows no observation.
    pub struct EpisodeProbe {
        /// Its name.
        pub episode_id: EpisodeId,
        /// What is played.
        pub game: GameSlug,
        /// Ticks played.
        pub tick: Option<u64>,
        /// It is over.
        pub done: bool,
        /// Our primary seat.
        pub policy_seat: Option<Seat>,
        /// All seats that are ours, in order. May be left out: see [`EpisodeProbe::seats`].
        pub policy_seats: Vec<Seat>,
        /// Act for exactly these next. May be left out: see [`EpisodeProbe::on_turn`].
        pub on_turn_seats: Vec<Seat>,
        /// Those of ours that are out, for any reason.
        pub failed_seats: Vec<Seat>,
        /// Those of them that the game put out by its own rules.
        pub eliminated_seats: Vec<Seat>,
        /// Only the seats on turn act; else all live ones do.
        pub turn_based: bool,
        /// How many seats there are.
        pub player_count: Option<u32>,
        /// The horizon in ticks.
        pub max_ticks: Option<u64>,
        /// Where its chance comes from; any size.
        pub seed: Option<Json>,
    }
}

impl EpisodeProbe {
    /// All seats that are ours, also where only the primary one is named.
    pub fn seats(&self) -> Vec<Seat> {
        seats(&self.policy_seats, self.policy_seat.as_ref())
    }

    /// The seats on turn, or all of ours where none are named.
    pub fn on_turn(&self) -> Vec<Seat> {
        if self.on_turn_seats.is_empty() { self.seats() } else { self.on_turn_seats.clone() }
    }
}

model! {
    /// Candidate actions with what they are worth, best first.
    pub struct ActionScores {
        /// Whose actions.
        pub seat: Option<Seat>,
        /// How many distinct candidates there were.
        pub total_actions_considered: Option<u64>,
        /// Ticks played for it.
        pub ticks_used: Option<u64>,
        /// The candidates.
        pub actions: Vec<RankedAction>,
    }
}

model! {
    /// A candidate action with what it is worth.
    pub struct RankedAction {
        /// The action; a list of one is unwrapped.
        pub action: Json,
        /// Where it comes from: `user` for one that was sent along.
        pub source: Option<String>,
        /// From 1 for the best; 0 where no sample could be scored.
        pub action_rank: Option<u32>,
        /// How often it was tried.
        pub samples: Option<u64>,
        /// How often that gave a score.
        pub scored: Option<u64>,
        /// How often it did not.
        pub failed: Option<u64>,
        /// The share that failed, from 0 to 1.
        pub failure_rate: Option<f64>,
        /// The share of first places, from 0 to 1; none with one player.
        pub win_rate: Option<f64>,
        /// The scores.
        pub score: ScoreStats,
    }
}

model! {
    /// Scores in numbers.
    pub struct ScoreStats {
        /// The lowest.
        pub min: Option<f64>,
        /// The highest.
        pub max: Option<f64>,
        /// The mean: the value to compare by.
        pub mean: Option<f64>,
        /// The median.
        pub median: Option<f64>,
        /// The sample's standard deviation.
        pub std_dev: Option<f64>,
        /// `p10` to `p90`; empty where nothing was scored.
        pub percentiles: BTreeMap<String, f64>,
    }
}

model! {
    /// What an episode's position is worth when code players play it to its end.
    pub struct Completion {
        /// Whose view.
        pub seat: Option<Seat>,
        /// How often it was played.
        pub samples: Option<u64>,
        /// How often that gave a score.
        pub scored: Option<u64>,
        /// How often it did not.
        pub failed: Option<u64>,
        /// The share that failed, from 0 to 1.
        pub failure_rate: Option<f64>,
        /// The share of first places, from 0 to 1; none with one player.
        pub win_rate: Option<f64>,
        /// The scores.
        pub score: ScoreStats,
        /// Ticks played for it.
        pub ticks_used: Option<u64>,
    }
}

model! {
    /// An episode that was closed.
    pub struct EpisodeClosed {
        /// Its name.
        pub episode_id: EpisodeId,
        /// The ticks that this very close billed.
        pub ticks_used: Option<u64>,
    }
}

#[cfg(test)]
mod tests;
