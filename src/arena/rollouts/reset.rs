//! Starting an episode: the match, and who plays which seat.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::json;
use tokio::sync::Mutex;

use super::episode::{self, Episode, Lease, Live, Opponent};
use super::run::Run;
use super::{Rollouts, answer};
use crate::arena::engine::observation::Number;
use crate::arena::engine::rng::{Pcg, mix};
use crate::arena::engine::seats::{Seat, SeatMap, SeatSet};
use crate::arena::engine::{Game, MatchSetup, Play, Player};
use crate::arena::error::ArenaError;
use crate::arena::league::{self, Entry, Wanted};

/// What an episode is to be; checked against its game.
#[derive(Clone)]
pub struct EpisodePlan {
    /// What is played.
    pub game: &'static dyn Game,
    /// Seats, one of the game's counts.
    pub player_count: u8,
    /// How many of them league players take; fewer than there are.
    pub opponent_seats: u8,
    /// Which league players.
    pub wanted: Wanted,
    /// The horizon, 1 or more.
    pub max_ticks: u32,
    /// Decides all chance, the seats and the opponents.
    pub seed: u64,
    /// How hard it is, in a game that can be told; checked. The usual one unless given.
    pub difficulty: Option<f64>,
}

impl std::fmt::Debug for EpisodePlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { game, player_count, opponent_seats, seed, .. } = self;
        let slug = game.spec().slug;
        write!(
            f,
            "EpisodePlan({slug} with {player_count} seats, {opponent_seats} of the league, seed {seed})"
        )
    }
}

impl Rollouts {
    /// Starts an episode; it counts, even if the client never learns of it.
    ///
    /// # Errors
    /// `RUN_EXHAUSTED`, `RUN_CLOSED`, `INSUFFICIENT_CREDITS`, `HOST_AT_CAPACITY`, a league that is too thin.
    pub async fn reset(&self, run: Arc<Run>, plan: EpisodePlan) -> Result<Bytes, ArenaError> {
        // Everything that may be refused comes before the claim.
        let config =
            plan.difficulty.map_or_else(|| json!({}), |difficulty| json!({ "difficulty": difficulty }));
        let (seats, max_ticks, seed) = (plan.player_count, plan.max_ticks, plan.seed);
        let play = plan
            .game
            .start(&MatchSetup { config: &config, seats, max_ticks, seed })
            .map_err(|error| ArenaError::malformed(error.to_string()))?;
        let table = Table::draw(&plan)?;
        let place = self.take_places(1)?.pop();
        let claim = run.claim(&self.0.store, 1, u64::from(max_ticks)).await?;
        let lease = place.map(|place| Lease { claim, _place: place });
        if table.entries.is_empty() {
            return begin(&run, &plan, play, &table, lease);
        }
        let permit = Arc::clone(&self.0.workers).acquire_owned().await.map_err(ArenaError::internal)?;
        let opening = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            begin(&run, &plan, play, &table, lease)
        });
        opening.await.map_err(ArenaError::internal)?
    }
}

fn begin(
    run: &Run,
    plan: &EpisodePlan,
    play: Box<dyn Play>,
    table: &Table,
    lease: Option<Lease>,
) -> Result<Bytes, ArenaError> {
    let now = Timestamp::now();
    let live = Arc::new(Mutex::new(Live::new(play, table.hire(plan)?, lease)));
    let episode = Arc::new(Episode {
        episode_id: episode::new_id(),
        game: plan.game,
        player_count: plan.player_count,
        policy: table.policy,
        opponents: table.told(),
        wanted: plan.wanted.clone(),
        seed: plan.seed,
        difficulty: plan.difficulty,
        origin: 0,
        horizon: plan.max_ticks,
        touched: AtomicI64::new(episode::millis(now)),
        live: Arc::clone(&live),
    });
    let mut live = live.try_lock().map_err(ArenaError::internal)?;
    live.begin(&episode);
    let body = answer::opened(&episode, &live);
    // Nobody else gets at it before the lock goes.
    if live.end.is_none() && !run.add([Arc::clone(&episode)]) {
        return Err(super::run::closed(run.run_id()));
    }
    let ticks = live.tick(&episode);
    live.meter(ticks);
    if live.end.is_some() {
        run.learn(&episode, &live);
        live.lease = None;
    }
    Ok(body)
}

/// Who sits where.
struct Table {
    policy: SeatSet,
    entries: SeatMap<&'static Entry>,
}

impl Table {
    /// Draws seats and opponents by the seed.
    fn draw(plan: &EpisodePlan) -> Result<Self, ArenaError> {
        let mut rng = Pcg::new(mix(&[plan.seed, 0x5EA7]));
        let mut seats: Vec<Seat> = Seat::first(plan.player_count).collect();
        rng.shuffle(&mut seats);
        let league = seats.split_off(seats.len() - usize::from(plan.opponent_seats));
        let entries = if league.is_empty() {
            SeatMap::default()
        } else {
            let drawn = league::draw(plan.game.spec().slug, &plan.wanted, league.len(), &mut rng)?;
            league.into_iter().zip(drawn).collect()
        };
        Ok(Self { policy: seats.into_iter().collect(), entries })
    }

    fn hire(&self, plan: &EpisodePlan) -> Result<SeatMap<Box<dyn Player>>, ArenaError> {
        let hire = |(seat, entry): (Seat, &&'static Entry)| {
            let stream = mix(&[plan.seed, seat.index() as u64, 0x1EA6]);
            let player = plan.game.player(&entry.player, stream);
            let missing =
                || ArenaError::internal(format!("the league names `{}`, which is no player", entry.player));
            Ok((seat, player.ok_or_else(missing)?))
        };
        self.entries.iter().map(hire).collect()
    }

    fn told(&self) -> SeatMap<Opponent> {
        let opponent = |(seat, entry): (Seat, &&'static Entry)| {
            let opponent = Opponent {
                player_type: "code",
                submission_id: &entry.submission_id,
                model: &entry.player,
                provider: league::PROVIDER,
                elo_rating: Number(entry.elo),
            };
            (seat, opponent)
        };
        self.entries.iter().map(opponent).collect()
    }
}
