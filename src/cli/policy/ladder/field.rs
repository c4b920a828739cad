//! Where the games of a ladder are played: in sessions of an arena in this process, or in a rollout run of a server.

mod run;
mod sessions;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::contest::Side;
use crate::contest::ladder::{LadderSettings, SetRow};
use crate::policy::PolicySpec;
use crate::seat::{GameFacts, Player};

use super::super::series::Nothing;
use super::super::server::Server;

/// Where games are played.
pub(super) enum Field {
    Sessions(sessions::Sessions),
    Run(Box<run::InRun>),
}

impl Field {
    /// Sessions on an arena of our own.
    pub(super) fn sessions(
        server: &Server,
        player: Arc<Player>,
        game: GameFacts,
        settings: &LadderSettings,
        concurrency: usize,
    ) -> Result<Self, String> {
        sessions::Sessions::new(server, player, game, settings, concurrency).map(Self::Sessions)
    }

    /// A rollout run for so many games.
    pub(super) fn run(
        server: &Server,
        spec: PolicySpec,
        game: GameFacts,
        settings: &LadderSettings,
        ticks: u64,
        games: u64,
    ) -> Self {
        Self::Run(Box::new(run::InRun::new(server, spec, game, settings, ticks, games)))
    }

    /// Opens what is needed.
    pub(super) async fn begin(&self) -> Result<(), String> {
        match self {
            Self::Sessions(_) => Ok(()),
            Self::Run(run) => run.open().await,
        }
    }

    /// Plays a set against a band, which is the nth of the ladder's.
    pub(super) async fn set(
        &self,
        settings: &LadderSettings,
        band: usize,
        set: u64,
        stop: &CancellationToken,
    ) -> Result<SetRow, Nothing> {
        if stop.is_cancelled() {
            return Err(Nothing::Stopped);
        }
        match self {
            Self::Sessions(sessions) => sessions.set(settings, band, set, stop).await,
            Self::Run(run) => run.set(settings, band, set, stop).await,
        }
    }

    /// Ends processes, politely if there is time, and closes what was opened.
    pub(super) async fn end(&self, politely: bool) {
        match self {
            Self::Sessions(sessions) if politely => sessions.player.shutdown().await,
            Self::Sessions(_) => {}
            Self::Run(run) => run.close(politely).await,
        }
    }
}

/// The policy in one seat, others in the rest.
fn seats(n_seats: usize, own: usize) -> Vec<Side> {
    (0..n_seats).map(|seat| if seat == own { Side::A } else { Side::B }).collect()
}
