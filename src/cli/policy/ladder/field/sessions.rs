//! Games in sessions of an arena in this process: the built-in players of a band are asked for by name.

use std::sync::Arc;

use futures_util::future::join_all;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::api::Client;
use crate::api::endpoints::{CreateSession, DeleteSession};
use crate::api::model::Json;
use crate::contest::ladder::{self, LadderSettings, SetRow};
use crate::contest::{GameRow, schedule};
use crate::seat::{self, Booking, GameFacts, OnFailure, Place, Player, Table};

use super::super::super::series::{self, Nothing};
use super::super::super::server::Server;
use super::seats;

/// Who may be met in a band.
struct Pool {
    percentiles: [f64; 2],
    players: Vec<&'static str>,
}

/// Sessions on an arena of our own.
pub(in super::super) struct Sessions {
    api: Client,
    pub(super) player: Arc<Player>,
    game: Arc<GameFacts>,
    on_failure: OnFailure,
    pools: Vec<Pool>,
    /// A permit for each game at once.
    permits: Semaphore,
}

impl Sessions {
    pub(super) fn new(
        server: &Server,
        player: Arc<Player>,
        game: GameFacts,
        settings: &LadderSettings,
        concurrency: usize,
    ) -> Result<Self, String> {
        let n_opponents = settings.players as usize - 1;
        let pools = settings.bands.iter().map(|band| pool(&settings.game, *band, n_opponents));
        let on_failure = match settings.on_failure.as_str() {
            "restart" => OnFailure::Restart,
            "safe" => OnFailure::Safe,
            _ => OnFailure::Stop,
        };
        Ok(Self {
            api: server.api.clone(),
            player,
            game: Arc::new(game),
            on_failure,
            pools: pools.collect::<Result<_, _>>()?,
            permits: Semaphore::new(concurrency.max(1)),
        })
    }

    pub(super) async fn set(
        &self,
        settings: &LadderSettings,
        band: usize,
        set: u64,
        stop: &CancellationToken,
    ) -> Result<SetRow, Nothing> {
        let (pool, band) = (&self.pools[band], settings.bands[band]);
        let n_seats = settings.players as usize;
        let opponents = ladder::opponents(&pool.players, settings.seed, band, set, n_seats - 1);
        let seed = ladder::seed(settings.seed, band, set);
        let games = (0..n_seats).map(|seat| self.game(settings, seat, seed, &opponents, stop));
        let games = join_all(games).await.into_iter().collect::<Result<_, _>>()?;
        let opponents = opponents.into_iter().map(str::to_owned).collect();
        Ok(SetRow { band, set, percentiles: pool.percentiles, opponents, games })
    }

    /// A game with the policy in this seat, and its opponents in those after it.
    async fn game(
        &self,
        settings: &LadderSettings,
        seat: usize,
        seed: u64,
        opponents: &[&str],
        stop: &CancellationToken,
    ) -> Result<GameRow, Nothing> {
        let permit = tokio::select! {
            () = stop.cancelled() => return Err(Nothing::Stopped),
            permit = self.permits.acquire() => permit,
        };
        let mut create = CreateSession::of(settings.game.as_str());
        create.seats = Some(1);
        create.player_count = Some(settings.players);
        create.vs_ai = Some(true);
        create.max_ticks = settings.max_ticks;
        create.spectate_mode = Some("private".into());
        let mut put = |name: &str, value: serde_json::Value| {
            // What was made from a value is JSON.
            if let Ok(json) = Json::parse(&value.to_string()) {
                create.extra.insert(name, json);
            }
        };
        put("seed", seed.into());
        // The policy's own limits decide; the arena waits.
        put("tick_ms", 0.into());
        put("pace_ms", 0.into());
        put("rotation", seat.into());
        put("ai", opponents.into());
        let place = Place { player: Arc::clone(&self.player), seed: Some(schedule::policy_seed(seed, seat)) };
        let booking = Booking { create, places: vec![place], game: Arc::clone(&self.game) };
        let on_failure = self.on_failure;
        let table = Table { api: self.api.clone(), recordings: None, on_failure, notes: None };
        let played = seat::play(&table, booking, stop).await.map_err(|why| series::refused(&why))?;
        let row = series::game_row(&seats(settings.players as usize, seat), seed, &played, stop);
        if played.ending.is_some() {
            // One that stays only takes room.
            let _ = self.api.send(&DeleteSession::new(&played.session_id)).await;
        }
        drop(permit);
        row
    }
}

/// The players of a band, made wider until there are enough of them.
#[cfg(feature = "arena")]
fn pool(game: &str, band: u8, n_opponents: usize) -> Result<Pool, String> {
    use crate::arena::league::{self, Wanted};
    let pools = (0..=ladder::WIDEST).map(|step| {
        let percentiles = ladder::percentiles(band, step);
        let wanted = Wanted { band: Some(percentiles), ..Wanted::any() };
        let players = league::pool(game, &wanted).into_iter().map(|(entry, _)| &*entry.player);
        Pool { percentiles, players: players.collect() }
    });
    let is_enough = |pool: &Pool| pool.players.len() >= n_opponents;
    pools.into_iter().find(is_enough).ok_or_else(|| {
        let known = league::of(game).len();
        format!(
            "{n_opponents} opponents are needed and the league of {game} has {known}: take fewer `--players`"
        )
    })
}

#[cfg(not(feature = "arena"))]
fn pool(_: &str, _: u8, _: usize) -> Result<Pool, String> {
    Err("this program was built without the arena: its league is played with `--online`".into())
}
