//! Matches one after the other, for which programs are started once.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::live::Live;
use super::round::{self, Chair};
use super::{MatchError, MatchRecord, Order, Player};

/// A series of matches. Processes wait in it for the next one; dropping it kills them, [`Series::close`] asks first.
#[derive(Debug)]
pub struct Series {
    permits: Arc<Semaphore>,
    idle: Vec<Live>,
}

impl Series {
    pub(super) fn new(permits: Arc<Semaphore>) -> Self {
        Self { permits, idle: Vec::new() }
    }

    /// Plays a match to its end, once there is room for it.
    ///
    /// # Errors
    /// There is no match: bad settings, called off, or void.
    pub async fn play(&mut self, order: &Order, stop: &CancellationToken) -> Result<MatchRecord, MatchError> {
        let permits = Arc::clone(&self.permits);
        let _permit = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(MatchError::Cancelled),
            permit = permits.acquire_owned() => permit.map_err(|why| MatchError::Host(why.to_string()))?,
        };
        let play = order.game.start(&order.setup())?;
        if order.players.iter().all(|player| matches!(player, Player::BuiltIn(_))) {
            return round::play_built_in(order, play, stop).await;
        }
        let mut chairs = Vec::new();
        let played = match self.seat(order, &mut chairs) {
            Ok(()) => tokio::select! {
                biased;
                () = stop.cancelled() => Err(MatchError::Cancelled),
                played = round::play(order, play, &mut chairs) => played,
            },
            Err(why) => Err(why),
        };
        self.rise(chairs, played.is_ok()).await;
        played
    }

    /// Ends all processes and waits until they are gone.
    pub async fn close(mut self) {
        for live in &mut self.idle {
            live.end().await;
        }
    }

    fn seat(&mut self, order: &Order, chairs: &mut Vec<Chair>) -> Result<(), MatchError> {
        let isolated = order.game.spec().turn_isolated;
        for (nth, player) in order.players.iter().enumerate() {
            let chair = match player {
                Player::BuiltIn(name) => Chair::built_in(order, nth, name)?,
                Player::Program(program) => {
                    let waits = self.idle.iter().position(|live| live.serves(program, isolated));
                    let live = match waits.map(|at| self.idle.swap_remove(at)) {
                        Some(live) => live,
                        None => Live::start(program, isolated).map_err(MatchError::Host)?,
                    };
                    Chair::program(live)
                }
            };
            chairs.push(chair);
        }
        Ok(())
    }

    /// Keeps the processes that can play on and ends the others; after a match that was broken off, all.
    async fn rise(&mut self, chairs: Vec<Chair>, is_over: bool) {
        for mut live in chairs.into_iter().filter_map(Chair::into_live) {
            if is_over && live.is_fit() {
                self.idle.push(live);
            } else {
                live.end().await;
            }
        }
    }
}
