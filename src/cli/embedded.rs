//! An arena in the dashboard's own process.

use std::path::PathBuf;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::api::{ApiKey, BaseUrl, Client, Settings};
use crate::arena::credits::Credits;
use crate::arena::store::Place;
use crate::arena::store::ledger;
use crate::arena::{self, Arena, ArenaSettings, command};
use crate::runtime::{ArenaSource, OpenedArena};

use super::Failure;

/// How long the dashboard waits for the past of its arena.
const SEEDING: Duration = Duration::from_millis(1500);

/// Opens one when asked; its database is kept in the folder, if there is one.
pub(super) fn source(keep: Option<PathBuf>) -> ArenaSource {
    Box::new(move || {
        let keep = keep.clone();
        Box::pin(async move { open(keep).await.map_err(|why| super::chain(&*why)) })
    })
}

/// Opens an arena on a free port, with a past to look at and two sessions that play themselves.
async fn open(keep: Option<PathBuf>) -> Result<OpenedArena, Failure> {
    let place = keep.map_or(Place::Ephemeral, |folder| Place::File(folder.join("arena.db")));
    let fresh = !matches!(&place, Place::File(file) if file.exists());
    let listener = command::bind("127.0.0.1", 0).await?;
    let address = listener.local_addr()?;
    let arena = Arena::open(ArenaSettings::new(place, false)).await?;
    let (account, key) = arena.bootstrap_key(command::LOCAL_EMAIL).await?;
    let stop = CancellationToken::new();
    let serving = tokio::spawn(arena::serve(listener, arena.clone(), stop.clone()));
    let playing = tokio::spawn(arena::demo::keep_playing(arena.clone(), stop.clone()));
    let mut seeding = tokio::spawn(async move {
        if fresh {
            arena::demo::seed(&arena, &account).await;
        }
    });
    // So that the first lists are whole; a slow machine shows what there is and goes on.
    let _ = tokio::time::timeout(SEEDING, &mut seeding).await;
    let base_url: BaseUrl = format!("http://{address}{}", arena::BASE_PATH).parse()?;
    let api = Client::new(Settings::new(base_url, ApiKey::new(&key)?))?;
    let close = async move {
        stop.cancel();
        // Both end by the token; that one of them panicked has been reported.
        seeding.abort();
        let _ = tokio::join!(serving, playing);
    };
    Ok(OpenedArena { api, close: Box::pin(close) })
}

/// An arena with nothing in it, for matches of policies.
pub(super) struct Bare {
    /// Talks to it.
    pub(super) api: Client,
    stop: CancellationToken,
    serving: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl Bare {
    /// Opens one for so many sessions at once. It keeps nothing, and what is played there is never too dear.
    pub(super) async fn open(sessions: usize) -> Result<Self, Failure> {
        /// More than can be played in a lifetime.
        const PLENTY: Credits = Credits(1_000_000_000 * 1_000_000);
        let listener = command::bind("127.0.0.1", 0).await?;
        let address = listener.local_addr()?;
        let mut settings = ArenaSettings::new(Place::Ephemeral, false);
        settings.limits.live_sessions = settings.limits.live_sessions.max(2 * sessions);
        let arena = Arena::open(settings).await?;
        let (account, key) = arena.bootstrap_key(command::LOCAL_EMAIL).await?;
        let granting = move |connection: &_| {
            ledger::grant(connection, &account, PLENTY, jiff::Timestamp::now(), "for matches")
        };
        arena.store().write(granting).await?;
        let stop = CancellationToken::new();
        let serving = tokio::spawn(arena::serve(listener, arena, stop.clone()));
        let base_url: BaseUrl = format!("http://{address}{}", arena::BASE_PATH).parse()?;
        let api = Client::new(Settings::new(base_url, ApiKey::new(&key)?))?;
        Ok(Self { api, stop, serving })
    }

    /// Ends it.
    pub(super) async fn close(self) {
        self.stop.cancel();
        // That it panicked has been reported.
        let _ = self.serving.await;
    }
}
