//! `gert arena`: binds, opens the data, says that it is ready, serves until a signal.

use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::faults::Faults;
use super::faults::script::Script;
use super::sandbox::Level;
use super::store::{Place, StoreError};
use super::{Arena, ArenaSettings, BASE_PATH, StartError};

/// The account that the printed key belongs to.
pub const LOCAL_EMAIL: &str = "local@arena";

/// What `gert arena` was told.
#[derive(Debug)]
pub struct Options {
    /// Whether anybody on this machine may register, log in and mint keys.
    pub dev: bool,
    /// The address to listen on; loopback only.
    pub host: String,
    /// The port; 0 takes a free one.
    pub port: u16,
    /// The database; without it, one in the data folder.
    pub db: Option<PathBuf>,
    /// Keep nothing.
    pub ephemeral: bool,
    /// What is to go wrong.
    pub faults: Script,
}

/// Why the arena did not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not an address of this machine alone.
    #[error("`{0}` is not a loopback address: the arena listens on `127.0.0.1`, `::1` or `localhost` only")]
    NotLoopback(String),
    /// Somebody else listens there.
    #[error(
        "{0} is in use, perhaps by another arena: stop that one, or choose another port with `--port` (0 picks a free one)"
    )]
    PortInUse(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// Both were given.
    #[error("`--db` and `--ephemeral` exclude each other")]
    TwoPlaces,
    /// No home folder.
    #[error(
        "there is no data folder to keep the arena's database in: name a file with `--db`, or use `--ephemeral`"
    )]
    NoDataFolder,
    /// The data cannot be used.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The local account could not be made.
    #[error("cannot make a key for the local account")]
    Key(#[from] StoreError),
    /// Serving or the signals failed.
    #[error("the arena stopped")]
    Io(#[from] io::Error),
}

/// Runs the arena until INT or TERM. A second signal ends the process at once.
///
/// # Errors
/// It could not start, or it broke.
pub async fn run(options: Options) -> Result<(), Error> {
    log_to_stderr();
    let place = place(&options)?;
    let listener = bind(&options.host, options.port).await?;
    let address = listener.local_addr()?;
    let mut signals = Signals::listen()?;
    let faults = Arc::new(Faults::new(options.faults));
    if !faults.is_empty() {
        tracing::warn!("faults on demand: what this arena answers is not always right");
    }
    let arena = Arena::open(ArenaSettings { faults, ..ArenaSettings::new(place, options.dev) }).await?;
    let (_, key) = arena.bootstrap_key(LOCAL_EMAIL).await?;
    let sandbox = arena.sandbox().level().await;
    tracing::info!(database = %arena.store().path().display(), dev = options.dev, %sandbox, "serving");
    if sandbox < Level::Strong {
        tracing::warn!("{} (`gert arena doctor` says why)", sandbox.about());
    }
    announce(address, &key)?;
    let stop = CancellationToken::new();
    let serving = super::serve(listener, arena, stop.clone());
    tokio::pin!(serving);
    tokio::select! {
        served = &mut serving => return Ok(served?),
        () = signals.next() => {}
    }
    tracing::info!("stopping; a second signal ends at once");
    stop.cancel();
    tokio::select! {
        served = &mut serving => Ok(served?),
        () = signals.next() => std::process::exit(130),
    }
}

/// The file in the data folder.
pub fn default_database() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "gert").map(|folders| folders.data_dir().join("arena.db"))
}

/// Listens on a loopback address.
///
/// # Errors
/// It is none, or it cannot be had.
pub async fn bind(host: &str, port: u16) -> Result<TcpListener, Error> {
    let ip = match host.trim_matches(['[', ']']) {
        "localhost" => IpAddr::V4(Ipv4Addr::LOCALHOST),
        text => text
            .parse::<IpAddr>()
            .ok()
            .filter(IpAddr::is_loopback)
            .ok_or_else(|| Error::NotLoopback(host.to_owned()))?,
    };
    let address = SocketAddr::new(ip, port);
    TcpListener::bind(address).await.map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => Error::PortInUse(address),
        _ => Error::Bind { address, source },
    })
}

fn place(options: &Options) -> Result<Place, Error> {
    match (&options.db, options.ephemeral) {
        (Some(_), true) => Err(Error::TwoPlaces),
        (None, true) => Ok(Place::Ephemeral),
        (Some(path), false) => Ok(Place::File(path.clone())),
        (None, false) => default_database().map(Place::File).ok_or(Error::NoDataFolder),
    }
}

/// The three lines that scripts read. Nothing else goes to stdout.
fn announce(address: SocketAddr, key: &str) -> io::Result<()> {
    let base = format!("http://{address}{BASE_PATH}");
    let mut out = io::stdout().lock();
    writeln!(out, "gert arena ready on {base}")?;
    writeln!(out, "export GERT_BASE_URL={base}")?;
    writeln!(out, "export GERT_API_KEY={key}")?;
    out.flush()
}

fn log_to_stderr() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("gert=info"));
    // Whoever embeds us may have set up logging already.
    _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).try_init();
}

/// The signals that end the arena.
struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Signals {
    #[cfg(unix)]
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    #[cfg(not(unix))]
    fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_loopback_is_bound() {
        for host in ["0.0.0.0", "192.0.2.1", "::", "example.org", ""] {
            assert!(matches!(bind(host, 0).await, Err(Error::NotLoopback(_))), "{host}");
        }
        bind("localhost", 0).await.unwrap();
    }

    #[tokio::test]
    async fn a_port_in_use_is_named_with_what_to_do() {
        // S-01.
        let first = bind("127.0.0.1", 0).await.unwrap();
        let address = first.local_addr().unwrap();
        let error = bind("127.0.0.1", address.port()).await.unwrap_err().to_string();
        assert!(error.contains(&address.to_string()) && error.contains("--port"), "{error}");
    }
}
