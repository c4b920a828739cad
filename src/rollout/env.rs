//! An environment with `reset`, `step` and `close`, for one trained seat (protocol.md §5.12).

use serde::Serialize;

use super::closing::Closing;
use super::extend::check_auto_extend;
use super::seats::TrainedSeat;
use super::{Error, NoPolicy, Policy, Run};
use crate::api::Client;
use crate::api::endpoints::{OpenRun, ResetEpisode};
use crate::api::model::{Episode, GameSlug, Json, RunClosed, Seat, StepResult};

/// What an environment is made from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EnvOptions {
    /// The run that pays for all its episodes.
    pub open: OpenRun,
    /// What each episode is; `run_id` is not read, and `seed` may be replaced at each reset.
    pub reset: ResetEpisode,
    /// Adds this many episodes, from 1, whenever the run is used up, and holds credits for them.
    pub auto_extend: Option<u32>,
    /// The trained seat; the primary one unless set. Another one needs opponents that play the rest.
    pub seat: Option<Seat>,
    /// The rules to show instead of each game's own, which are not fetched then.
    pub rules: Option<String>,
}

/// What the trained seat is told by `reset` and `step`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EnvStep {
    /// What it sees, as it came.
    pub observation: Option<Json>,
    /// The episode is over.
    pub done: bool,
    /// The change of its score. None after a reset, unless the episode ended before it could act.
    pub reward: Option<f64>,
    /// How it ended, when it did.
    pub end: Option<End>,
}

/// How an episode ended for the trained seat.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct End {
    /// Its score; none where it went out for malformed output.
    pub score: Option<f64>,
    /// Its rank, 1 is best; none with one player.
    pub rank: Option<u32>,
    /// How it went, such as `won`; none with one player.
    pub outcome: Option<String>,
    /// Why the episode is over.
    pub completion_reason: Option<String>,
    /// It is out, for any reason.
    pub failed: bool,
    /// The game put it out by its own rules.
    pub eliminated: bool,
}

/// An environment with one trained seat.
///
/// The other seats are league opponents (`opponent_seats` in [`EnvOptions::reset`]), or are played by a policy
/// given as opponents. One episode at a time. Dropping it settles the run and closes a live episode by tasks of
/// their own, as well as possible; [`close`](Self::close) does so surely. A `reset` or `step` that is cancelled by
/// dropping its future closes the episode likewise, and the next one may be started.
///
/// ```no_run
/// # use gert::api::{Client, endpoints::{OpenRun, ResetEpisode}, model::Json};
/// # use gert::rollout::{Env, EnvOptions, Error};
/// # async fn example(client: Client, policy: fn(Option<Json>) -> Json) -> Result<(), Error> {
/// let options = EnvOptions {
///     open: OpenRun::new(10u32).max_ticks_per_episode(200u64),
///     reset: ResetEpisode::default().game("connect_four").opponent_seats(1u32),
///     ..EnvOptions::default()
/// };
/// let mut env = Env::open(&client, options).await?;
/// let mut seen = env.reset(Some(7)).await?;
/// while !seen.done {
///     seen = env.step(policy(seen.observation)).await?;
/// }
/// env.close().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Env<P = NoPolicy> {
    run: Run,
    options: EnvOptions,
    opponents: Option<P>,
    rules: Option<String>,
    episode: Option<Episode>,
    seat: Option<Seat>,
    live: Option<Live>,
}

/// The episode that is being played.
#[derive(Debug)]
struct Live {
    seat: TrainedSeat,
    /// Closes it if this is dropped.
    closing: Closing,
    last: StepResult,
    /// Rewards that came before the seat could act: part of its first step's.
    carried: f64,
}

impl Env {
    /// Opens a run for an environment where the server plays all other seats, or there are none.
    ///
    /// # Errors
    /// Wrong options, before anything is sent; a failed call.
    pub async fn open(client: &Client, options: EnvOptions) -> Result<Self, Error> {
        Self::open_against(client, options, None).await
    }
}

impl<P: Policy> Env<P> {
    /// Opens a run for an environment where a policy plays the other seats.
    ///
    /// # Errors
    /// Wrong options, before anything is sent; a failed call.
    pub async fn with_opponents(client: &Client, options: EnvOptions, opponents: P) -> Result<Self, Error> {
        Self::open_against(client, options, Some(opponents)).await
    }

    async fn open_against(client: &Client, options: EnvOptions, opponents: Option<P>) -> Result<Self, Error> {
        if let Some(fault) = options.reset.selector_fault() {
            return Err(Error::Refused(fault.into()));
        }
        check_auto_extend(options.auto_extend)?;
        let run = Run::open(client, &options.open).await?;
        Ok(Self {
            run,
            rules: options.rules.clone(),
            options,
            opponents,
            episode: None,
            seat: None,
            live: None,
        })
    }

    /// The run that pays.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The rules of the newest episode's game: the system message. None for a game without rules.
    pub fn rules(&self) -> Option<&str> {
        self.rules.as_deref()
    }

    /// The newest episode, as it was started: its name, its resolved game, its primary seat.
    pub fn episode(&self) -> Option<&Episode> {
        self.episode.as_ref()
    }

    /// The trained seat of the newest episode.
    pub fn seat(&self) -> Option<&Seat> {
        self.seat.as_ref()
    }

    /// Starts the next episode, and plays the opponents until the trained seat acts. A `seed` replaces the options'
    /// own.
    ///
    /// # Errors
    /// After [`close`](Self::close), while an episode is live, where the episode has several seats of ours and
    /// nobody to play them, or where the trained seat is not one of ours: then the episode is closed. Where the
    /// rules cannot be fetched, the whole run is ended, since training without them would be worse. A failed call.
    pub async fn reset(&mut self, seed: Option<u64>) -> Result<EnvStep, Error> {
        self.check_open()?;
        if self.live.is_some() {
            return Err(Error::Refused("an episode is live: step it to its end first".into()));
        }
        let request = ResetEpisode { seed: seed.or(self.options.reset.seed), ..self.options.reset.clone() };
        let episode = self.run.reset(&request, self.options.auto_extend).await?;
        let mut closing = Closing::new(self.run.client(), self.run.id(), vec![episode.episode_id.clone()]);
        match self.begin(&episode).await {
            Ok((seat, last, carried)) => {
                self.episode = Some(episode);
                self.seat = Some(seat.seat().clone());
                let live = Live { seat, closing, last, carried };
                // The rewards of an episode that ended before the seat could act have no step to go to.
                let reward = (live.last.done && self.opponents.is_some()).then_some(carried);
                Ok(self.keep(live, reward))
            }
            Err(error) => {
                if self.run.is_closed() {
                    closing.is_over(&episode.episode_id);
                }
                closing.close_all().await;
                Err(error)
            }
        }
    }

    /// Plays an action of the trained seat, and the opponents until it acts again.
    ///
    /// # Errors
    /// After [`close`](Self::close), without a live episode, a failed call, the opponents' error. The episode is
    /// closed then, and another one may be started.
    pub async fn step(&mut self, action: Json) -> Result<EnvStep, Error> {
        self.check_open()?;
        let Some(mut live) = self.live.take() else {
            return Err(Error::Refused("no episode is live: reset first".into()));
        };
        let stepped = match &mut self.opponents {
            Some(opponents) => live.seat.step(action, &live.last, opponents).await,
            None => live.seat.step_alone(action, &live.last).await,
        };
        match stepped {
            Ok((last, reward)) => {
                live.last = last;
                let reward = reward + std::mem::take(&mut live.carried);
                Ok(self.keep(live, Some(reward)))
            }
            Err(error) => {
                live.closing.close_all().await;
                Err(error)
            }
        }
    }

    /// Settles the run, and with it a live episode. After an error it may be called again; a repeated call gives
    /// the first result.
    ///
    /// # Errors
    /// A failed call.
    pub async fn close(&mut self) -> Result<RunClosed, Error> {
        let closed = self.run.close().await?;
        if let Some(mut live) = self.live.take() {
            live.closing.all_are_over();
        }
        Ok(closed)
    }

    fn check_open(&self) -> Result<(), Error> {
        if self.run.is_closed() {
            return Err(Error::Refused("the environment is closed: open another one".into()));
        }
        Ok(())
    }

    /// Finds the trained seat, fetches the rules, lets the opponents open.
    async fn begin(&mut self, episode: &Episode) -> Result<(TrainedSeat, StepResult, f64), Error> {
        let ours = episode.seats();
        if ours.len() > 1 && self.opponents.is_none() {
            return Err(Error::Refused(format!(
                "the episode has {} seats of ours and one is played here: set `opponent_seats` to one less than there are \
                 players, give opponents that play the others, or use `run_episode`",
                ours.len()
            )));
        }
        let seat = self.options.seat.clone().or_else(|| episode.policy_seat.clone()).unwrap_or_default();
        // A server that names no seat at all leaves only one to play.
        let is_ours = ours.contains(&seat) || (ours.is_empty() && self.options.seat.is_none());
        if !is_ours {
            let names: Vec<_> = ours.iter().map(Seat::as_str).collect();
            return Err(Error::Refused(format!(
                "`{seat}` is not a seat of ours (ours: {})",
                names.join(", ")
            )));
        }
        self.fetch_rules(&episode.game).await?;
        let trained = TrainedSeat::new(self.run.client(), self.run.id(), &episode.episode_id, &seat);
        let start = StepResult { tick: episode.tick.or(Some(0)), ..episode.into() };
        let (last, carried) = match &mut self.opponents {
            Some(opponents) => trained.drive_opponents(start, opponents).await?,
            None => (start, 0.0),
        };
        Ok((trained, last, carried))
    }

    async fn fetch_rules(&mut self, game: &GameSlug) -> Result<(), Error> {
        if self.options.rules.is_some() || game.is_empty() {
            return Ok(());
        }
        match self.run.rules(game).await {
            Ok(rules) => {
                self.rules = rules;
                Ok(())
            }
            Err(error) => {
                self.run.abort().await;
                Err(error.into())
            }
        }
    }

    /// Keeps a live episode unless it is over; says what the seat is told.
    fn keep(&mut self, mut live: Live, reward: Option<f64>) -> EnvStep {
        let (seat, last) = (live.seat.seat(), &live.last);
        let told = EnvStep {
            observation: last.view(seat).cloned(),
            done: last.done,
            reward,
            end: last.done.then(|| End::of(last, seat)),
        };
        if last.done {
            live.closing.all_are_over();
        } else {
            self.live = Some(live);
        }
        told
    }
}

impl End {
    fn of(last: &StepResult, seat: &Seat) -> Self {
        Self {
            score: last.score_of(seat),
            rank: last.rank_of(seat),
            outcome: last.outcome_of(seat).map(str::to_owned),
            completion_reason: last.completion_reason.clone(),
            failed: last.has_failed(seat),
            eliminated: last.is_eliminated(seat),
        }
    }
}
