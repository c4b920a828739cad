//! Rollout runs: a lease for many episodes, and everything that is done with an episode.

use crate::api::model::{
    ActionScores, BatchEntry, BySeat, Completion, Episode, EpisodeClosed, EpisodeId, EpisodeProbe, GameSlug,
    Json, Run, RunClosed, RunId, RunOpened, Seat, StepEntry, StepResult,
};
use crate::api::request::request;
use crate::api::{Call, Endpoint, List, Micro, Quote};

/// The most entries of a batch of steps, and the most forks of a batch (protocol.md §4.8).
pub const MAX_BATCH: u32 = 128;

/// The ticks of an episode where the run does not say (protocol.md §4.8).
const TICKS_PER_EPISODE: u64 = 1000;

/// The playouts of `complete` where the request does not say (protocol.md §4.8).
const COMPLETE_SAMPLES: u32 = 30;

/// The tries of each action where the request does not say (protocol.md §5.9).
pub(crate) const TRIES: u32 = 5;

request! {
    /// Opens a run: a lease that holds credits for all its episodes. Closing it refunds what was not played.
    pub struct OpenRun {
        required {
            /// How many episodes it may start in all; resets and forks both count.
            max_episodes: u32,
        }
        optional {
            /// The longest an episode may be, in ticks; 1000 unless set. The credits held are `max_episodes` times
            /// this times 0.0004.
            max_ticks_per_episode: u64,
            /// Opponents follow the policy's own win rate, on resets that ask for opponents and set no band.
            auto_curriculum: bool,
            /// Half the width of that band of skill, above 0 up to 0.5; 0.15 unless set.
            curriculum_band_width: f64,
            /// How fast the win rate follows new results, above 0 up to 1; 0.1 unless set.
            curriculum_ewma_alpha: f64,
        }
    }
}

impl Endpoint for OpenRun {
    type Reply = RunOpened;
    const NAME: &'static str = "open run";
    const OPERATION: &'static str = "rollout_runs.open";

    fn call(&self) -> Call {
        let ticks = self.max_ticks_per_episode.unwrap_or(TICKS_PER_EPISODE);
        let hold = Micro::ticks(u64::from(self.max_episodes).saturating_mul(ticks));
        Call::post("/rollout-runs").fields(self).quote(Quote::UpTo(hold))
    }
}

request! {
    /// Lists runs, newest first; shows the runs that still hold credits.
    pub struct ListRuns {
        optional {
            /// Only runs that are `active`, `closing` or `closed`.
            status: String,
        }
    }
}

impl List for ListRuns {
    type Item = Run;
    const NAME: &'static str = "list runs";
    const OPERATION: &'static str = "rollout_runs.list";
    const COLLECTION: &'static str = "runs";

    fn call(&self) -> Call {
        Call::get("/rollout-runs").fields(self)
    }
}

request! {
    /// Starts an episode. Exactly one of `game` and `tags` is needed. Without `opponent_seats` every seat is yours.
    pub struct ResetEpisode {
        path {
            /// Which run.
            run_id: RunId,
        }
        optional {
            /// Which game, by its slug.
            game: GameSlug,
            /// What the game should be like; the platform picks one that has all of these tags, whatever the seed.
            tags: Vec<String>,
            /// Where chance comes from; with `game`, the same seed gives the same episode.
            seed: u64,
            /// How many seats there are.
            player_count: u32,
            /// How many seats are league opponents, from 0; at least one seat stays yours. Such an episode cannot
            /// be forked.
            opponent_seats: u32,
            /// How hard the game is, from 0 to the game's own maximum (1 unless it says otherwise); only for some
            /// games, with `game` and without opponents.
            difficulty: f64,
            /// The weakest opponents, from 0 to 1.
            min_percentile: f64,
            /// The strongest opponents, from 0 to 1.
            max_percentile: f64,
            /// The horizon in ticks; not above the run's own.
            max_ticks: u64,
            /// Whose submissions are opponents: `system`, `own` or `both`; `both` unless set.
            opponent_source: String,
            /// Only opponents written by these models.
            opponent_models: Vec<String>,
            /// Only opponents written by models of these providers.
            opponent_providers: Vec<String>,
            /// Only opponents made after this time (RFC 3339).
            opponent_created_after: String,
            /// Only opponents made before this time (RFC 3339).
            opponent_created_before: String,
        }
    }
}

impl ResetEpisode {
    /// An episode of a game.
    pub fn of(run_id: impl Into<RunId>, game: impl Into<GameSlug>) -> Self {
        Self { run_id: run_id.into(), game: Some(game.into()), ..Self::default() }
    }

    /// What is wrong with the choice of the game (SDK `_require_game_or_tags`).
    pub fn selector_fault(&self) -> Option<&'static str> {
        let game = self.game.as_ref().is_some_and(|game| !game.is_empty());
        let tags = self.tags.as_deref().unwrap_or_default();
        match (game, tags.is_empty()) {
            (false, true) => Some("an episode needs a game or tags"),
            (true, false) => Some("an episode takes a game or tags, not both"),
            _ if tags.iter().any(String::is_empty) => Some("a tag is empty"),
            _ => None,
        }
    }
}

impl Endpoint for ResetEpisode {
    type Reply = Episode;
    const NAME: &'static str = "reset episode";
    const OPERATION: &'static str = "rollout_runs.reset";

    fn call(&self) -> Call {
        let mut call = run(&self.run_id).then("/episodes").fields(self);
        if let Some(fault) = self.selector_fault() {
            call.fail(fault.into());
        }
        call
    }
}

request! {
    /// Shows where a live episode is, without observations; free. It does not keep the episode alive.
    pub struct GetEpisode {
        path {
            /// Which run.
            run_id: RunId,
            /// Which episode.
            episode_id: EpisodeId,
        }
    }
}

impl Endpoint for GetEpisode {
    type Reply = EpisodeProbe;
    const NAME: &'static str = "get episode";
    const OPERATION: &'static str = "rollout_runs.get_episode";

    fn call(&self) -> Call {
        let call = Call::get("/rollout-runs").id("run", self.run_id.as_str());
        call.then("/episodes").id("episode", self.episode_id.as_str()).fields(self)
    }
}

request! {
    /// Plays one step of an episode. Exactly one of `action` and `actions` is needed.
    pub struct StepEpisode {
        path {
            /// Which run.
            run_id: RunId,
            /// Which episode.
            episode_id: EpisodeId,
        }
        optional {
            /// What your only seat does: a list of action objects, or one object; `[]` does nothing.
            action: Json,
            /// What each seat on turn does: an object with an action for each of `on_turn_seats`.
            actions: BySeat<Json>,
            /// The tick of the last result. With it the step can be sent again without playing another tick.
            expected_tick: u64,
        }
    }
}

impl Endpoint for StepEpisode {
    type Reply = StepResult;
    const NAME: &'static str = "step episode";
    const OPERATION: &'static str = "rollout_runs.step";

    fn call(&self) -> Call {
        let mut call = episode(&self.run_id, &self.episode_id).then("/step").fields(self);
        if let Some(fault) = action_fault(self.action.as_ref(), self.actions.as_ref()) {
            call.fail(format!("a step {fault}"));
        }
        call
    }
}

request! {
    /// Plays one step of each of up to 128 episodes of a run, together. A failed entry does not touch the others.
    pub struct StepBatch {
        path {
            /// Which run.
            run_id: RunId,
        }
        required {
            /// From 1 to 128 objects with `episode_id`, one of `action` and `actions`, and `expected_tick`. With
            /// `expected_tick` in every entry the batch can be sent again without playing another tick.
            steps: Vec<StepEntry>,
        }
    }
}

impl Endpoint for StepBatch {
    type Reply = Vec<BatchEntry>;
    const NAME: &'static str = "step episodes";
    const OPERATION: &'static str = "rollout_runs.step_batch";
    const MEMBER: Option<&'static str> = Some("results");

    fn call(&self) -> Call {
        let mut call = run(&self.run_id).then("/steps").fields(self);
        let count = self.steps.len();
        if count == 0 || count > MAX_BATCH as usize {
            call.fail(format!("a batch has from 1 to {MAX_BATCH} steps, not {count}"));
        }
        for (index, entry) in self.steps.iter().enumerate() {
            if entry.episode_id.is_empty() {
                call.fail(format!("step {index} of the batch has no `episode_id`"));
            }
            if let Some(fault) = action_fault(entry.action.as_ref(), entry.actions.as_ref()) {
                call.fail(format!("step {index} of the batch {fault}"));
            }
        }
        call
    }
}

request! {
    /// Copies a live episode without league opponents: a new episode at the same position, with the ticks that are
    /// left. It counts as one of the run's episodes.
    pub struct ForkEpisode {
        path {
            /// Which run.
            run_id: RunId,
            /// Which episode.
            episode_id: EpisodeId,
        }
    }
}

impl Endpoint for ForkEpisode {
    type Reply = Episode;
    const NAME: &'static str = "fork episode";
    const OPERATION: &'static str = "rollout_runs.fork";

    fn call(&self) -> Call {
        episode(&self.run_id, &self.episode_id).then("/fork").fields_if_any(self)
    }
}

request! {
    /// Copies a live episode without league opponents many times, all from one position, all or none.
    pub struct ForkBatch {
        path {
            /// Which run.
            run_id: RunId,
            /// Which episode.
            episode_id: EpisodeId,
        }
        required {
            /// How many copies, from 1 to 128; each counts as one of the run's episodes.
            count: u32,
        }
        optional {
            /// A name for this batch, up to 128 bytes; the same name gives the same copies again for about 10
            /// minutes. Made up unless set.
            op_key: String,
        }
    }
}

impl ForkBatch {
    /// What is wrong with a name for a batch.
    pub fn key_fault(op_key: &str) -> Option<String> {
        (op_key.is_empty() || op_key.len() > 128)
            .then(|| format!("`op_key` has from 1 to 128 bytes, not {}", op_key.len()))
    }
}

// One try. `rollout::fork_batch` makes a key where there is none and sends the same again until the outcome is
// known.
impl Endpoint for ForkBatch {
    type Reply = Vec<Episode>;
    const NAME: &'static str = "fork episodes";
    const OPERATION: &'static str = "rollout_runs.fork_batch";
    const MEMBER: Option<&'static str> = Some("forks");

    fn call(&self) -> Call {
        let mut call = episode(&self.run_id, &self.episode_id).then("/forks").fields(self);
        if !(1..=MAX_BATCH).contains(&self.count) {
            call.fail(format!("`count` is from 1 to {MAX_BATCH}, not {}", self.count));
        }
        if let Some(fault) = self.op_key.as_deref().and_then(Self::key_fault) {
            call.fail(fault);
        }
        call
    }
}

request! {
    /// Scores candidate actions at the position of an episode: code players play each to the end, the episode
    /// itself is not touched. At least one of `candidate_actions` and `max_actions` is needed.
    pub struct ScoreActions {
        path {
            /// Which run.
            run_id: RunId,
            /// Which episode.
            episode_id: EpisodeId,
        }
        optional {
            /// The actions to compare: each a list of action objects, or one object.
            candidate_actions: Vec<Json>,
            /// Whose actions; the first seat on turn unless set, in a game without turns the primary seat.
            seat: Seat,
            /// Fill the candidates up to this many, with legal actions and what strong submissions would do.
            max_actions: u32,
            /// How often each action is tried.
            samples_per_action: u32,
            /// How far each try is played, in ticks.
            max_ticks: u64,
            /// The weakest players, from 0 to 1; as at the reset unless set.
            min_percentile: f64,
            /// The strongest players, from 0 to 1; as at the reset unless set.
            max_percentile: f64,
            /// Whose submissions play: `system`, `own` or `both`; as at the reset unless set.
            opponent_source: String,
            /// Draw other players for every try; else all actions meet the same ones, which compares better.
            random_opponents: bool,
            /// Answer with the best few only.
            top_n: u32,
            /// Answer with the best share only, from 0 to 1.
            top_percentile: f64,
        }
    }
}

impl Endpoint for ScoreActions {
    type Reply = ActionScores;
    const NAME: &'static str = "score actions";
    const OPERATION: &'static str = "rollout_runs.score_actions";

    fn call(&self) -> Call {
        let given = self.candidate_actions.as_ref().map_or(0, Vec::len) as u64;
        let candidates = given.saturating_add(u64::from(self.max_actions.unwrap_or(0)));
        let quote = playouts(candidates, self.samples_per_action, self.max_ticks);
        let mut call =
            episode(&self.run_id, &self.episode_id).then("/score-actions").fields(self).quote(quote);
        if candidates == 0 {
            call.fail("scoring needs `candidate_actions` or `max_actions`".into());
        }
        call
    }
}

request! {
    /// Estimates what an episode's position is worth: code players play it to the end, the episode itself is not
    /// touched and stays open. Games with fewer than 10 rated submissions cannot do it.
    pub struct CompleteEpisode {
        path {
            /// Which run.
            run_id: RunId,
            /// Which episode.
            episode_id: EpisodeId,
        }
        optional {
            /// Whose view; the primary seat unless set.
            seat: Seat,
            /// How often it is played, up to 100; 30 unless set, and for 0.
            samples: u32,
            /// How far each is played, in ticks; the run's cap unless set, and for 0.
            max_ticks: u64,
            /// The weakest players, from 0 to 1; as at the reset unless set.
            min_percentile: f64,
            /// The strongest players, from 0 to 1; as at the reset unless set.
            max_percentile: f64,
            /// Whose submissions play: `system`, `own` or `both`; as at the reset unless set.
            opponent_source: String,
            /// Draw other players for every playout.
            random_opponents: bool,
        }
    }
}

impl CompleteEpisode {
    /// What the server would refuse (SDK `_validate_complete_params`); `prefix` goes before `samples` and
    /// `max_ticks` where they have longer names.
    pub fn playout_fault(&self, prefix: &str) -> Option<String> {
        if let Some(samples) = self.samples.filter(|samples| *samples > 100) {
            return Some(format!("`{prefix}samples` is from 0 to 100, not {samples}"));
        }
        let band = [("min_percentile", self.min_percentile), ("max_percentile", self.max_percentile)];
        for (name, share) in band {
            if let Some(share) = share.filter(|share| !(0.0..=1.0).contains(share)) {
                return Some(format!("`{name}` is from 0 to 1, not {share}"));
            }
        }
        if let (Some(min), Some(max)) = (self.min_percentile, self.max_percentile)
            && min > max
        {
            return Some(format!("`min_percentile` {min} is above `max_percentile` {max}"));
        }
        match self.opponent_source.as_deref() {
            None | Some("" | "system" | "own" | "both") => None,
            Some(_) => Some("`opponent_source` is `system`, `own` or `both`".into()),
        }
    }
}

impl Endpoint for CompleteEpisode {
    type Reply = Completion;
    const NAME: &'static str = "complete episode";
    const OPERATION: &'static str = "rollout_runs.complete";

    fn call(&self) -> Call {
        let samples = self.samples.filter(|samples| *samples > 0).unwrap_or(COMPLETE_SAMPLES);
        let quote = playouts(1, Some(samples), self.max_ticks);
        let mut call = episode(&self.run_id, &self.episode_id).then("/complete").fields(self).quote(quote);
        if let Some(fault) = self.playout_fault("") {
            call.fail(fault);
        }
        call
    }
}

request! {
    /// Closes a live episode: bills its ticks now instead of after about 10 idle minutes. It stays counted. An
    /// episode that is over has closed itself and is not found.
    pub struct CloseEpisode {
        path {
            /// Which run.
            run_id: RunId,
            /// Which episode.
            episode_id: EpisodeId,
        }
    }
}

impl Endpoint for CloseEpisode {
    type Reply = EpisodeClosed;
    const NAME: &'static str = "close episode";
    const OPERATION: &'static str = "rollout_runs.close_episode";

    fn call(&self) -> Call {
        episode(&self.run_id, &self.episode_id).then("/close").fields_if_any(self)
    }
}

request! {
    /// Lets a run start more episodes, and holds more credits for them.
    pub struct ExtendRun {
        path {
            /// Which run.
            run_id: RunId,
        }
        required {
            /// How many more, from 1; each holds the run's price of an episode.
            additional_episodes: u32,
        }
    }
}

impl Endpoint for ExtendRun {
    type Reply = RunOpened;
    const NAME: &'static str = "extend run";
    const OPERATION: &'static str = "rollout_runs.extend";

    fn call(&self) -> Call {
        run(&self.run_id).then("/extend").fields(self).quote(Quote::Unknown)
    }
}

request! {
    /// Closes a run: bills what was played and gives back what is still held. Closing twice is closing once.
    pub struct CloseRun {
        path {
            /// Which run.
            run_id: RunId,
        }
    }
}

impl Endpoint for CloseRun {
    type Reply = RunClosed;
    const NAME: &'static str = "close run";
    const OPERATION: &'static str = "rollout_runs.close";

    fn call(&self) -> Call {
        run(&self.run_id).then("/close").fields_if_any(self)
    }
}

// No endpoint: many calls, made by `rollout::score_actions_on_policy`.
request! {
    /// Scores candidate actions at the position of an episode with your own policy playing on: every action is
    /// tried on copies of the episode, and the policy plays the copies. The episode itself is not touched and must
    /// not be stepped meanwhile. Only for episodes without league opponents.
    pub struct ScoreActionsOnPolicy {
        path {
            /// Which run.
            run_id: RunId,
            /// Which episode.
            episode_id: EpisodeId,
        }
        required {
            /// The actions to compare: each a list of action objects, or one object. Equal ones count once.
            candidate_actions: Vec<Json>,
        }
        optional {
            /// How often each action is tried, from 1; 5 unless set. Distinct actions times tries are up to 128
            /// episodes of the run.
            samples_per_action: u32,
            /// Whose actions; the first seat on turn unless set, in a game without turns the primary seat.
            seat: Seat,
            /// Let the policy play only this many ticks after the action, then code players to the end; to the end
            /// unless set. With 0 no policy is asked.
            phase_ticks: u64,
            /// With `phase_ticks`: how often each end is played, up to 100; 30 unless set.
            tail_samples: u32,
            /// With `phase_ticks`: how far each end is played, in ticks; the run's cap unless set.
            tail_max_ticks: u64,
            /// With `phase_ticks`: the weakest players, from 0 to 1.
            min_percentile: f64,
            /// With `phase_ticks`: the strongest players, from 0 to 1.
            max_percentile: f64,
            /// With `phase_ticks`: whose submissions play, `system`, `own` or `both`.
            opponent_source: String,
            /// With `phase_ticks`: draw other players for every playout.
            random_opponents: bool,
            /// A name for the copies, up to 128 bytes. Use it again only if making them failed.
            op_key: String,
        }
    }
}

impl ScoreActionsOnPolicy {
    /// What it claims on top of what the run holds, which pays for the forks: the playouts of the ends.
    pub fn quote(&self) -> Quote {
        if self.phase_ticks.is_none() {
            return Quote::Free;
        }
        let tries = u64::from(self.samples_per_action.unwrap_or(TRIES));
        let forks = tries.saturating_mul(self.candidate_actions.len() as u64);
        let samples = self.tail_samples.filter(|samples| *samples > 0).unwrap_or(COMPLETE_SAMPLES);
        playouts(forks, Some(samples), self.tail_max_ticks)
    }
}

fn run(run_id: &RunId) -> Call {
    Call::post("/rollout-runs").id("run", run_id.as_str())
}

fn episode(run_id: &RunId, episode_id: &EpisodeId) -> Call {
    run(run_id).then("/episodes").id("episode", episode_id.as_str())
}

/// A step without an action is not a step that does nothing.
fn action_fault(action: Option<&Json>, actions: Option<&BySeat<Json>>) -> Option<&'static str> {
    match (action.filter(|action| action.get() != "null"), actions) {
        (None, None) => Some("needs `action` or `actions`: `[]` does nothing"),
        (Some(_), Some(_)) => Some("takes `action` or `actions`, not both"),
        _ => None,
    }
}

/// What playouts cost at most; unknown where the server chooses how many or how long.
fn playouts(branches: u64, samples: Option<u32>, max_ticks: Option<u64>) -> Quote {
    match (samples, max_ticks) {
        (Some(samples @ 1..), Some(ticks @ 1..)) => {
            Quote::UpTo(Micro::ticks(branches.saturating_mul(u64::from(samples)).saturating_mul(ticks)))
        }
        _ => Quote::Unknown,
    }
}

#[cfg(test)]
mod tests;
