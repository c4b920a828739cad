//! Plays whole matches with nobody watching, between built-in players and submitted programs.
//!
//! What an answer that cannot be played costs is decided by the "evaluation match" column of arena.md §2.3: a strike, and the
//! game's own idle move or a legal one drawn by the seed in its place; the third strike in a match takes the seat out. A
//! late answer is played and is a strike as well; one beyond the hard limit, a crash or a word that is no JSON takes the
//! seat out at once. What is our own fault voids the match: there is no record of it.
//!
//! ```text
//! Matches::series ──▶ Series::play(order) ── permit ── seats ── tick … tick ──▶ MatchRecord
//!                        │ keeps the processes between its matches
//!                        └── Series::close ends them
//! ```
//!
//! At most as many matches as there are permits run at once, in the order in which they were asked for, so that several
//! series have their share. Start reading at [`Series::play`].

mod failure;
mod live;
mod log;
mod round;
mod series;

use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Semaphore;

pub use self::failure::{Failure, FailureCode};
pub use self::log::{ActionLog, LogError};
pub use self::series::Series;

use super::engine::{ConfigError, EndReason, Game, MatchSetup};
use super::sandbox::Program;

/// Strikes that take a seat out of a match.
pub const STRIKES: u32 = 3;

/// The room for matches. Copies share it.
#[derive(Debug, Clone)]
pub struct Matches {
    permits: Arc<Semaphore>,
}

impl Matches {
    /// Room for one match a core, but for one core that is the server's.
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, NonZero::get);
        Self::with_room(cores.saturating_sub(1))
    }

    /// Room for so many at once, at least one.
    pub fn with_room(n: usize) -> Self {
        Self { permits: Arc::new(Semaphore::new(n.max(1))) }
    }

    /// Matches one after the other, whose programs go on from one to the next.
    pub fn series(&self) -> Series {
        Series::new(Arc::clone(&self.permits))
    }
}

impl Default for Matches {
    fn default() -> Self {
        Self::new()
    }
}

/// A match to be played.
#[derive(Clone)]
pub struct Order {
    /// What is played.
    pub game: &'static dyn Game,
    /// The game's options, an object.
    pub config: Value,
    /// The horizon, 1 or more.
    pub max_ticks: u32,
    /// Decides all chance, that of the built-in players too. Programs are told another one.
    pub seed: u64,
    /// One a seat.
    pub players: Vec<Player>,
}

impl Order {
    /// A match of a game's usual length.
    pub fn new(game: &'static dyn Game, seed: u64, players: Vec<Player>) -> Self {
        let config = Value::Object(serde_json::Map::new());
        Self { game, config, max_ticks: game.spec().canonical_ticks, seed, players }
    }

    /// How the engine sets it up; what [`ActionLog::replay`] needs.
    pub fn setup(&self) -> MatchSetup<'_> {
        // More than a byte holds are refused by the engine, as are those between.
        let seats = u8::try_from(self.players.len()).unwrap_or(u8::MAX);
        MatchSetup { config: &self.config, seats, max_ticks: self.max_ticks, seed: self.seed }
    }
}

impl std::fmt::Debug for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { game, config, max_ticks, seed, players } = self;
        let mut show = f.debug_struct("Order");
        show.field("game", &game.spec().slug).field("config", config).field("max_ticks", max_ticks);
        show.field("seed", seed).field("players", players).finish()
    }
}

/// Who plays a seat.
#[derive(Debug, Clone)]
pub enum Player {
    /// A player of the game's own, by name: `ab4`, `ab4+eps0.25`.
    BuiltIn(String),
    /// A submitted program.
    Program(Program),
}

/// A match that was played.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchRecord {
    /// As ordered.
    pub seed: u64,
    /// Ticks played.
    pub ticks: u32,
    /// Why it ended.
    pub end: EndReason,
    /// One a seat, in order.
    pub seats: Vec<SeatRecord>,
    /// From the first look at the board to the last, the wait for a permit and the start of processes aside.
    pub wall: Duration,
    /// The processor time of its programs.
    pub cpu: Duration,
    /// What was played, to play it again.
    pub log: ActionLog,
}

/// What became of a seat.
#[derive(Debug, Clone, PartialEq)]
pub struct SeatRecord {
    /// As the game has it at the end.
    pub score: f64,
    /// 1 is best; ties share it.
    pub rank: u32,
    /// `won`, `draw` or `lost`.
    pub outcome: &'static str,
    /// Why it was taken out, if it was.
    pub failure: Option<Failure>,
    /// Strikes, of a program.
    pub strikes: u32,
    /// How long its answers took together, of a program.
    pub thought: Duration,
    /// Processor time, of a program.
    pub cpu: Duration,
}

/// There is no match.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MatchError {
    /// The game does not have this setup.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The game does not have this player.
    #[error("`{slug}` has no built-in player `{name}`")]
    UnknownPlayer {
        /// The game.
        slug: &'static str,
        /// What was asked for.
        name: String,
    },
    /// It was called off.
    #[error("the match was called off")]
    Cancelled,
    /// Our fault (`host_error`): it is void.
    #[error("the match is void: {0}")]
    Host(String),
}
