//! Games as episodes of a rollout run: the server seats opponents of a band.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::api::Client;
use crate::api::endpoints::{OpenRun, ResetEpisode};
use crate::api::model::{Episode, Json};
use crate::cli::chain;
use crate::cli::twin::{CommandPolicy, PolicyBroke};
use crate::contest::ladder::{self, LadderSettings, SetRow};
use crate::contest::{FailureRow, GameRow, Outcome, Side, schedule};
use crate::policy::PolicySpec;
use crate::rollout::{self, Run, Trajectory};
use crate::seat::{FailureKind, GameFacts};
use crate::text;

use super::super::super::rollout::label::{Label, judge};
use super::super::super::series::{self, Nothing};
use super::super::super::server::Server;
use super::seats;

/// The server has too few players in a band.
const TOO_THIN: &str = "LEAGUE_TOO_THIN";

/// The longest an opponent's name is kept, in columns.
const NAME: usize = 60;

/// How long settling the run may take: in order, and after a second interrupt.
const SETTLING: [Duration; 2] = [Duration::from_mins(1), Duration::from_secs(2)];

/// A rollout run, opened before the first game.
pub(in super::super) struct InRun {
    api: Client,
    spec: PolicySpec,
    game: GameFacts,
    ticks: u64,
    games: u64,
    run: Mutex<Option<Arc<Run>>>,
    /// Policies between two games.
    idle: Mutex<Vec<CommandPolicy>>,
    /// How often each band was made wider.
    steps: Vec<AtomicU8>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl InRun {
    /// For so many games of at most so many ticks. Nothing is opened yet.
    pub(super) fn new(
        server: &Server,
        spec: PolicySpec,
        game: GameFacts,
        settings: &LadderSettings,
        ticks: u64,
        games: u64,
    ) -> Self {
        Self {
            api: server.api.clone(),
            spec,
            game,
            ticks,
            games,
            run: Mutex::default(),
            idle: Mutex::default(),
            steps: settings.bands.iter().map(|_| AtomicU8::new(0)).collect(),
        }
    }

    /// Opens the run, which holds the price of all games.
    pub(super) async fn open(&self) -> Result<(), String> {
        let episodes = u32::try_from(self.games).map_err(|_| "a run is for fewer games than that")?;
        let mut open = OpenRun::new(episodes);
        open.max_ticks_per_episode = Some(self.ticks);
        let run = Run::open(&self.api, &open).await.map_err(|why| format!("{why}: {}", why.why()))?;
        *lock(&self.run) = Some(Arc::new(run));
        Ok(())
    }

    /// Ends the policies and settles the run, whatever happened before.
    pub(super) async fn close(&self, politely: bool) {
        let idle = std::mem::take(&mut *lock(&self.idle));
        if politely {
            for policy in idle {
                policy.shutdown().await;
            }
        }
        let Some(run) = lock(&self.run).take() else { return };
        let patience = SETTLING[usize::from(!politely)];
        let why = match timeout(patience, run.close()).await {
            Ok(Ok(_)) => return,
            Ok(Err(why)) => why.why().to_owned(),
            Err(_) => "no answer in time".to_owned(),
        };
        let id = run.id();
        eprintln!(
            "gert: the run `{id}` could not be closed and holds its credits until it expires ({why}): \
             `gert rollout-runs close {id}`"
        );
    }

    pub(super) async fn set(
        &self,
        settings: &LadderSettings,
        band: usize,
        set: u64,
        stop: &CancellationToken,
    ) -> Result<SetRow, Nothing> {
        let Some(run) = lock(&self.run).clone() else { return Err(Nothing::Stopped) };
        let idle = lock(&self.idle).pop();
        let mut policy =
            idle.unwrap_or_else(|| CommandPolicy::in_game(self.spec.clone(), &self.game).quietly());
        let played = tokio::select! {
            // Dropped in the middle, the episode is closed on the side, and with the run.
            () = stop.cancelled() => Err(Nothing::Stopped),
            played = self.game(&run, settings, band, set, &mut policy) => played,
        };
        if stop.is_cancelled() {
            policy.shutdown().await;
        } else {
            lock(&self.idle).push(policy);
        }
        played
    }

    async fn game(
        &self,
        run: &Run,
        settings: &LadderSettings,
        band: usize,
        set: u64,
        policy: &mut CommandPolicy,
    ) -> Result<SetRow, Nothing> {
        let seed = ladder::seed(settings.seed, settings.bands[band], set);
        let (reset, episode) = self.reset(run, settings, band, seed).await?;
        if episode.seats().len() > 1 {
            let n_ours = episode.seats().len();
            return Err(Nothing::Hopeless(format!("the server gave us {n_ours} seats instead of one")));
        }
        let players = episode.player_count.unwrap_or(settings.players);
        let seat = episode.policy_seat.as_ref().map_or("p0", |seat| seat.as_str()).to_owned();
        let number = seat.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or_default();
        policy.next_match(players, Some(schedule::policy_seed(seed, number)));
        let played = rollout::play_episode(&self.api, &reset, &episode, policy).await;
        policy.end(played.as_ref().ok());
        let mut row = GameRow {
            seed,
            session_id: episode.episode_id.as_str().to_owned(),
            seats: seats(players as usize, number),
            ..GameRow::default()
        };
        match played {
            Ok(played) => {
                row.failures = failures(&played);
                row.result = if row.failures.is_empty() {
                    let unknown = || Nothing::Fault("the server does not say who won".into());
                    result(played.outcome.as_deref(), played.rank, players).ok_or_else(unknown)?
                } else {
                    Outcome::Loss
                };
                row.ticks = played.steps.len() as u64;
                row.scores.extend(played.score.map(|score| (seat, score)));
                row.reason = played.completion_reason;
            }
            Err(why) => {
                row.failures.push(broken(why)?);
                row.result = Outcome::Loss;
                row.reason = Some(rollout::POLICY_FAILED.into());
            }
        }
        let percentiles = [reset.min_percentile, reset.max_percentile].map(Option::unwrap_or_default);
        let opponents = names(&episode);
        Ok(SetRow { band: settings.bands[band], set, percentiles, opponents, games: vec![row] })
    }

    /// Starts a game. Where the server has too few opponents in the band, the band is made wider.
    async fn reset(
        &self,
        run: &Run,
        settings: &LadderSettings,
        band: usize,
        seed: u64,
    ) -> Result<(ResetEpisode, Episode), Nothing> {
        let mut reset = ResetEpisode::of(run.id().clone(), settings.game.as_str());
        reset.seed = Some(seed);
        reset.player_count = Some(settings.players);
        reset.opponent_seats = Some(settings.players - 1);
        reset.max_ticks = Some(self.ticks);
        let step = &self.steps[band];
        loop {
            let n_wider = step.load(Ordering::Relaxed);
            let [low, high] = ladder::percentiles(settings.bands[band], n_wider);
            (reset.min_percentile, reset.max_percentile) = (Some(low), Some(high));
            match run.reset(&reset, None).await {
                Ok(episode) => return Ok((reset, episode)),
                Err(why) if why.code() == Some(TOO_THIN) && n_wider < ladder::WIDEST => {
                    step.fetch_max(n_wider + 1, Ordering::Relaxed);
                }
                Err(rollout::Error::Api(why)) => return Err(series::refused(&why)),
                Err(why) => return Err(Nothing::Hopeless(chain(&why))),
            }
        }
    }
}

/// How a game went for a seat of which outcome and place are known.
fn result(outcome: Option<&str>, rank: Option<u32>, players: u32) -> Option<Outcome> {
    match (outcome, rank) {
        (Some("draw"), _) if players == 2 => Some(Outcome::Draw),
        // Against the mean of the others' places, which are those that are left of 1 to n.
        (_, Some(rank)) => Some(match (2 * rank).cmp(&(players + 1)) {
            std::cmp::Ordering::Less => Outcome::Win,
            std::cmp::Ordering::Equal => Outcome::Draw,
            std::cmp::Ordering::Greater => Outcome::Loss,
        }),
        (Some("won"), None) => Some(Outcome::Win),
        (Some("lost"), None) => Some(Outcome::Loss),
        _ => None,
    }
}

/// What the policy was put out for.
fn failures(played: &Trajectory) -> Vec<FailureRow> {
    let (_, failed) = judge(played);
    let failure = |seat: super::super::super::rollout::label::FailedSeat| {
        let malformed = seat.how == Label::Malformed.as_str();
        let kind = if malformed { FailureKind::Garbage } else { FailureKind::Refused };
        FailureRow { side: Side::A, player_id: seat.seat.as_str().to_owned(), kind, why: seat.how }
    };
    failed.into_iter().map(failure).collect()
}

/// The policy's own failure, which loses the game; another one gives none.
fn broken(why: rollout::Error) -> Result<FailureRow, Nothing> {
    let why = match why {
        rollout::Error::Policy(why) => why,
        rollout::Error::Api(why) => return Err(series::refused(&why)),
        why @ rollout::Error::Conflict { .. } => return Err(Nothing::Fault(chain(&why))),
        why => return Err(Nothing::Hopeless(chain(&why))),
    };
    match why.downcast::<PolicyBroke>() {
        Ok(broke) if broke.kind == FailureKind::NotStarted => Err(Nothing::Hopeless(broke.why)),
        Ok(broke) => Ok(FailureRow {
            side: Side::A,
            player_id: broke.seat.as_str().to_owned(),
            kind: broke.kind,
            why: text::excerpt(&broke.why, 400).into_owned(),
        }),
        Err(why) => Err(Nothing::Hopeless(why.to_string())),
    }
}

/// Who the opponents are, as far as the server says.
fn names(episode: &Episode) -> Vec<String> {
    let name = |opponent: &Json| {
        let members: serde_json::Map<String, serde_json::Value> = opponent.decode().ok()?;
        let known = ["name", "model", "submission_id", "player_type"];
        let name = known.iter().find_map(|member| members.get(*member)?.as_str())?;
        Some(text::excerpt(name, NAME).into_owned())
    };
    episode.opponents.iter().filter_map(|(_, opponent)| name(opponent?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_won_by_a_better_place_than_the_mean_one() {
        use Outcome::{Draw, Loss, Win};
        for (outcome, rank, players, result) in [
            (Some("won"), Some(1), 2, Some(Win)),
            (Some("lost"), Some(2), 2, Some(Loss)),
            (Some("draw"), Some(1), 2, Some(Draw)),
            (None, Some(2), 4, Some(Win)),
            (Some("lost"), Some(3), 4, Some(Loss)),
            (None, Some(2), 3, Some(Draw)),
            (Some("won"), None, 2, Some(Win)),
            (Some("a_word_of_a_later_version"), None, 2, None),
            (None, None, 2, None),
        ] {
            assert_eq!(super::result(outcome, rank, players), result, "{outcome:?} {rank:?} of {players}");
        }
    }
}
