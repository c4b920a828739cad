//! The local server with its own real games: the platform's API on loopback, for free.
//!
//! Start at `Arena::open`, then `serve`. Requests pass `guard` and reach `routes`, which parse, call the
//! `store`, the `host` or the `rollouts`, and answer with `reply` or `error`. Sessions are played by `host`, rollouts by
//! `rollouts`, both over the traits of `engine`; what takes longer than a request is a job (`jobs`: `evaluation`,
//! `generation`, `builds`, `exports`); `games` has the games. `command` is `gert arena`, `demo` fills an arena with something to see.

pub mod auth;
pub mod builds;
pub mod catalogue;
pub mod command;
pub mod credits;
pub mod demo;
pub mod engine;
pub mod error;
pub mod evaluation;
pub mod exports;
pub mod games;
pub mod generation;
pub mod guard;
pub mod host;
pub mod jobs;
pub mod league;
pub mod legacy;
pub mod matches;
pub mod page;
pub mod providers;
pub mod record;
pub mod reply;
pub mod request;
pub mod rollouts;
pub mod routes;
pub mod sandbox;
pub mod secret;
pub mod store;
pub mod submissions;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::Router;
use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::catalogue::Games;
use self::host::{Host, Limits};
use self::jobs::Jobs;
use self::matches::Matches;
use self::rollouts::Rollouts;
use self::sandbox::Sandbox;
use self::store::open::OpenError;
use self::store::{Place, Store, StoreError};

/// Where the API begins.
pub const BASE_PATH: &str = "/api/v1";

/// How an arena is set up.
#[derive(Clone)]
pub struct ArenaSettings {
    /// Where its data lies.
    pub store: Place,
    /// Whether anybody on this machine may register, log in and mint keys.
    pub dev: bool,
    /// What is played.
    pub games: Games,
    /// How patient it is.
    pub limits: Limits,
    /// What starts submitted programs (see [`sandbox::Sandbox::new`]); without it, this very binary.
    pub launcher: Option<PathBuf>,
    /// What submitted programs may take.
    pub programs: sandbox::Limits,
}

impl std::fmt::Debug for ArenaSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { store, dev, games, limits, launcher, programs } = self;
        let games: Vec<&str> = games.iter().map(|game| game.spec().slug).collect();
        let mut show = f.debug_struct("ArenaSettings");
        show.field("store", store).field("dev", dev).field("games", &games).field("limits", limits);
        show.field("launcher", launcher).field("programs", programs).finish()
    }
}

impl ArenaSettings {
    /// All games, and the patience that people need.
    pub fn new(store: Place, dev: bool) -> Self {
        let programs = sandbox::Limits::default();
        Self { store, dev, games: games::GAMES, limits: Limits::default(), launcher: None, programs }
    }
}

/// An open arena. Copies are the same arena.
#[derive(Debug, Clone)]
pub struct Arena(Arc<Inner>);

struct Inner {
    settings: ArenaSettings,
    store: Arc<Store>,
    keys: auth::Keys,
    host: Host,
    rollouts: Rollouts,
    jobs: Jobs,
    sandbox: Sandbox,
    matches: Matches,
    /// Cancelled when the arena ends: sessions end, sockets close.
    closing: CancellationToken,
    /// Sockets, and requests that go on when their client gives up.
    tasks: TaskTracker,
    port: OnceLock<u16>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Arena").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// Why an arena could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its database cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Its database failed.
    #[error("the arena's database failed at the start")]
    Store(#[from] StoreError),
}

impl Arena {
    /// Opens the data and makes ready to play.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn open(settings: ArenaSettings) -> Result<Self, StartError> {
        let place = settings.store.clone();
        let store = tokio::task::spawn_blocking(move || Store::open(&place)).await;
        let store = Arc::new(store.map_err(|_| StoreError::Closed)??);
        let keys = auth::Keys::load(&store).await?;
        let closing = CancellationToken::new();
        let host = Host::new(Arc::clone(&store), settings.limits.clone(), closing.clone());
        let (tasks, port) = (TaskTracker::new(), OnceLock::new());
        // Without a path there is no launcher, which its level tells.
        let launcher = settings.launcher.clone().or_else(|| std::env::current_exe().ok()).unwrap_or_default();
        let (sandbox, matches) = (Sandbox::new(launcher), Matches::new());
        let rollouts = Rollouts::load(Arc::clone(&store), settings.limits.clone(), tasks.clone()).await?;
        tasks.spawn(rollouts.clone().keep_up(closing.clone()));
        let jobs = Jobs::new(tasks.clone(), closing.clone());
        let arena = Self(Arc::new(Inner {
            settings,
            store,
            keys,
            host,
            rollouts,
            jobs,
            sandbox,
            matches,
            closing,
            tasks,
            port,
        }));
        arena.jobs().resume(&arena).await?;
        Ok(arena)
    }

    /// The account of an address and a new key for it, without a login: for whoever runs the arena. Makes the account
    /// when it is not there.
    ///
    /// # Errors
    /// The database failed.
    pub async fn bootstrap_key(&self, email: &str) -> Result<(String, String), StoreError> {
        let account_id = auth::ensure(self.store(), email).await?;
        let key = self.keys().mint(self.store(), &account_id, "local").await?;
        Ok((account_id, key))
    }

    /// Ends all sessions and sockets, finishes what is to be written and closes the data.
    pub async fn close(&self) {
        self.0.closing.cancel();
        self.0.tasks.close();
        let deadline = tokio::time::Instant::now() + self.limits().shutdown;
        let ended = async { tokio::join!(self.host().wait(), self.0.tasks.wait()) };
        if tokio::time::timeout_at(deadline, ended).await.is_err() {
            tracing::warn!("some sessions or sockets did not end in time");
        }
        if tokio::time::timeout_at(deadline, self.rollouts().finish()).await.is_err() {
            tracing::warn!("what some rollout runs used was not written in time");
        }
        // A file that another program keeps locked is given up; what is missing is made good at the next start.
        let grace = deadline.max(tokio::time::Instant::now() + Duration::from_millis(500));
        if tokio::time::timeout_at(grace, self.store().close()).await.is_err() {
            tracing::warn!("the database could not be closed in time");
        }
    }

    /// The play host.
    pub fn host(&self) -> &Host {
        &self.0.host
    }

    /// The rollout host.
    pub fn rollouts(&self) -> &Rollouts {
        &self.0.rollouts
    }

    /// The queue of jobs.
    pub fn jobs(&self) -> &Jobs {
        &self.0.jobs
    }

    /// What starts submitted programs.
    pub fn sandbox(&self) -> &Sandbox {
        &self.0.sandbox
    }

    /// What submitted programs may take.
    pub fn program_limits(&self) -> &sandbox::Limits {
        &self.0.settings.programs
    }

    /// The room for matches that nobody watches.
    pub fn matches(&self) -> &Matches {
        &self.0.matches
    }

    /// The database.
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// The API keys.
    pub fn keys(&self) -> &auth::Keys {
        &self.0.keys
    }

    /// What is played.
    pub fn games(&self) -> Games {
        self.0.settings.games
    }

    /// How patient it is.
    pub fn limits(&self) -> &Limits {
        &self.0.settings.limits
    }

    /// Whether accounts can be made over the wire.
    pub fn is_dev(&self) -> bool {
        self.0.settings.dev
    }

    /// The port it is served on, once it is.
    pub fn port(&self) -> Option<u16> {
        self.0.port.get().copied()
    }

    fn closing(&self) -> &CancellationToken {
        &self.0.closing
    }

    fn tasks(&self) -> &TaskTracker {
        &self.0.tasks
    }
}

/// The whole API. Served by [`serve`]; tests may call it directly.
pub fn router(arena: Arena) -> Router {
    routes::router(arena)
}

/// Serves the arena until `stop`, then closes it. Done within five seconds of `stop`, whoever is connected.
///
/// # Errors
/// The listener is unusable.
pub async fn serve(listener: TcpListener, arena: Arena, stop: CancellationToken) -> std::io::Result<()> {
    let port = listener.local_addr()?.port();
    // Served once; a second listener would only make the port check stricter than needed.
    _ = arena.0.port.set(port);
    let app = router(arena.clone());
    let accepting = stop.clone();
    // Observations are small and one waits for the other: without this each tick costs a delayed acknowledgement.
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection keeps its delay");
        }
    });
    let server = axum::serve(listener, app).with_graceful_shutdown(accepting.cancelled_owned());
    let patience = arena.limits().shutdown;
    let closed = async {
        stop.cancelled().await;
        arena.close().await;
        // Requests that hang in the middle are not waited for.
        tokio::time::sleep(Duration::from_millis(200).min(patience)).await;
    };
    tokio::select! {
        outcome = server => {
            arena.close().await;
            outcome
        }
        () = closed => Ok(()),
    }
}
