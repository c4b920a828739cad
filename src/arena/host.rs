//! The play host: makes sessions, finds them again, and keeps one task a session.
//!
//! ```text
//! Plan --create--> waiting --last join--> active --rules, horizon--> completed
//!                     |                      |
//!                     +--nobody comes--------+--left, abandoned, stopped--> failed
//! ```
//!
//! A session's task (`session`) owns its match. Others hold a [`Live`]: they send commands and read the newest
//! [`live::Face`]. Sessions that begin where another one was are made in [`branch`]. The frames that go to sockets are made in [`frames`]; built-in players think in `thinking`.

pub mod branch;
pub mod frames;
pub mod live;
mod session;
mod thinking;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::live::{Live, LiveSeat};
use self::session::{Opening, Session};
use super::engine::rng::{Pcg, mix};
use super::engine::seats::{Seat, SeatMap};
use super::engine::{Game, MatchSetup, Play};
use super::error::ArenaError;
use super::exports::ExportLimits;
use super::faults::Faults;
use super::faults::script::SessionFault;
use super::league::{self, Wanted};
use super::record::{SeatKind, SeatRecord, SessionRecord, Status};
use super::secret::{self, SecretHash};
use super::store::{Store, sessions};

/// Ended sessions that are still answered from memory, their player tokens included.
const REMEMBERED: usize = 128;

/// How patient the arena is. The defaults are for people; tests shorten them.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Live sessions of one account.
    pub live_sessions: usize,
    /// How long a seat that nobody has visited is waited for before it counts as late.
    pub first_visit: Duration,
    /// How long a session of people goes on with nobody there.
    pub idle: Duration,
    /// The longest silence on a socket.
    pub keepalive: Duration,
    /// How long one frame may take to be sent before the receiver counts as gone.
    pub send: Duration,
    /// How long a socket that was told to close may take to do so.
    pub closing: Duration,
    /// How long a shutdown may take.
    pub shutdown: Duration,
    /// Open rollout runs of one account.
    pub open_runs: usize,
    /// Live episodes of all runs.
    pub live_episodes: usize,
    /// How long an episode that nobody drives stays open.
    pub episode_idle: Duration,
    /// How long the last result of an episode that has ended can be asked for again.
    pub replay: Duration,
    /// How long a run stays open before it settles by itself.
    pub run_life: Duration,
    /// How large the files of exports get, and how long they stay.
    pub exports: ExportLimits,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            live_sessions: 32,
            first_visit: Duration::from_secs(30),
            idle: Duration::from_mins(2),
            keepalive: Duration::from_secs(20),
            send: Duration::from_secs(10),
            closing: Duration::from_secs(30),
            shutdown: Duration::from_secs(4),
            open_runs: 1_000,
            live_episodes: 20_000,
            episode_idle: Duration::from_mins(10),
            replay: Duration::from_mins(10),
            run_life: Duration::from_hours(24),
            exports: ExportLimits::default(),
        }
    }
}

/// What a session is to be; checked against its game.
#[derive(Clone)]
pub struct Plan {
    /// What is played.
    pub game: &'static dyn Game,
    /// Who pays.
    pub account_id: String,
    /// What other accounts call the one who pays.
    pub name: String,
    /// Seats, one of the game's counts.
    pub player_count: u8,
    /// Seats of the one who pays, from `p0` on unless there is a rotation.
    pub own_seats: u8,
    /// Built-in players on the last seats; what lies between is open to others.
    pub ai: Vec<String>,
    /// Moves everybody on by so many seats: with 1, who would sit on `p0` sits on `p1`.
    pub rotation: u8,
    /// The horizon.
    pub max_ticks: u32,
    /// Decides all chance.
    pub seed: u64,
    /// The game's options.
    pub config: Value,
    /// A tick's deadline in ms: 0 for none, nothing for the game's own.
    pub tick_ms: Option<u32>,
    /// The least wall time of a tick in ms.
    pub pace_ms: u32,
    /// Whether built-in players were asked for.
    pub vs_ai: bool,
    /// `public`, `private` or `org`.
    pub spectate_mode: &'static str,
    /// Moves the session's clock, for histories; zero for now.
    pub clock_offset: SignedDuration,
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { game, player_count, own_seats, ai, .. } = self;
        write!(f, "Plan({} with {player_count} seats, {own_seats} own, {ai:?})", game.spec().slug)
    }
}

impl Plan {
    /// A session that built-in players play alone, as fast as they can.
    pub fn of_bots(game: &'static dyn Game, account_id: &str, player_count: u8, seed: u64) -> Self {
        Self {
            game,
            account_id: account_id.to_owned(),
            name: String::new(),
            player_count,
            own_seats: 0,
            ai: middling_bots(game, player_count, seed),
            rotation: 0,
            max_ticks: game.spec().canonical_ticks,
            seed,
            config: Value::Object(serde_json::Map::new()),
            tick_ms: None,
            pace_ms: 0,
            vs_ai: true,
            spectate_mode: "public",
            clock_offset: SignedDuration::ZERO,
        }
    }

    fn record(&self) -> SessionRecord {
        let spec = self.game.spec();
        let first_ai = usize::from(self.player_count) - self.ai.len();
        let count = usize::from(self.player_count);
        let seats = Seat::first(self.player_count).map(|seat| {
            let place = (seat.index() + count - usize::from(self.rotation) % count) % count;
            let (kind, name, account_id) = if place < usize::from(self.own_seats) {
                (SeatKind::User, self.name.clone(), Some(self.account_id.clone()))
            } else if let Some(name) = place.checked_sub(first_ai).and_then(|nth| self.ai.get(nth)) {
                (SeatKind::Ai, name.clone(), None)
            } else {
                (SeatKind::Open, String::new(), None)
            };
            SeatRecord {
                seat,
                kind,
                name,
                account_id,
                score: 0.0,
                failed: false,
                eliminated: false,
                connected: kind == SeatKind::Ai,
                rank: None,
                outcome: None,
            }
        });
        let seats: Vec<SeatRecord> = seats.collect();
        let waits = seats.iter().any(|seat| seat.kind == SeatKind::Open);
        SessionRecord {
            seq: 0,
            session_id: secret::id("s_"),
            account_id: self.account_id.clone(),
            game: spec.slug.to_owned(),
            game_version: spec.game_version.to_owned(),
            score_version: spec.score_version.to_owned(),
            status: if waits { Status::Waiting } else { Status::Active },
            tick: 0,
            max_ticks: self.max_ticks,
            seats,
            vs_ai: self.vs_ai,
            spectate_mode: self.spectate_mode.to_owned(),
            tick_ms: self.tick_ms.unwrap_or(spec.tick_ms),
            pace_ms: self.pace_ms,
            seed: self.seed,
            config: self.config.clone(),
            created_at: now(self.clock_offset),
            started_at: None,
            ended_at: None,
            completion_reason: None,
            failure_reason: None,
            branch: None,
        }
    }
}

/// Built-in players from around the middle of the league, as different from each other as it allows. The seed decides
/// who they are.
pub fn middling_bots(game: &dyn Game, n: u8, seed: u64) -> Vec<String> {
    let slug = game.spec().slug;
    let different = usize::from(n).min(league::of(slug).len());
    let mut rng = Pcg::new(mix(&[seed, 0xA1]));
    // Anybody fits, and no more are asked for than there are.
    let drawn = league::draw(slug, &Wanted::any(), different, &mut rng).unwrap_or_default();
    drawn.into_iter().map(|entry| entry.player.clone()).cycle().take(usize::from(n)).collect()
}

/// All sessions that are live or were a moment ago.
#[derive(Debug)]
pub struct Host {
    store: Arc<Store>,
    limits: Limits,
    faults: Arc<Faults>,
    stop: CancellationToken,
    tasks: TaskTracker,
    thinkers: Arc<Semaphore>,
    registry: Arc<Mutex<Registry>>,
}

#[derive(Debug, Default)]
struct Registry {
    sessions: HashMap<String, Arc<Live>>,
    tokens: HashMap<SecretHash, (String, Seat)>,
    live_of: HashMap<String, usize>,
    ended: VecDeque<String>,
}

impl Registry {
    fn forget(&mut self, session_id: &str) {
        if let Some(live) = self.sessions.remove(session_id) {
            for token in live.seats.iter().filter_map(LiveSeat::token) {
                self.tokens.remove(&secret::hash(&token));
            }
        }
    }
}

impl Host {
    /// A host without sessions; `stop` ends them all.
    pub fn new(store: Arc<Store>, limits: Limits, faults: Arc<Faults>, stop: CancellationToken) -> Self {
        // Thinking is all computing: more threads than cores gain nothing.
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self {
            store,
            limits,
            faults,
            stop,
            tasks: TaskTracker::new(),
            thinkers: Arc::new(Semaphore::new(cores)),
            registry: Arc::default(),
        }
    }

    /// Makes a session, reserves its price and starts it, or opens its lobby.
    ///
    /// # Errors
    /// Bad settings, too few credits, too many live sessions.
    pub async fn create(&self, plan: Plan) -> Result<Arc<Live>, ArenaError> {
        let setup = MatchSetup {
            config: &plan.config,
            seats: plan.player_count,
            max_ticks: plan.max_ticks,
            seed: plan.seed,
        };
        let started = plan.game.start(&setup).map_err(|error| ArenaError::malformed(error.to_string()))?;
        let mut record = plan.record();
        let fault = self.faults.of_session(&record.game).cloned();
        if fault.as_ref().is_some_and(SessionFault::is_late) {
            record.status = Status::Waiting;
        }
        show_start(&mut record, started.as_ref());
        let places = self.take_places(&plan.account_id, 1)?;
        let row = record.clone();
        self.store.write(move |connection| sessions::add(connection, &row)).await?;
        let opening = Opening {
            game: plan.game,
            play: started,
            record,
            tick_ms: plan.tick_ms,
            clock_offset: plan.clock_offset,
            told: 0,
            players: SeatMap::default(),
            first: None,
            fault,
        };
        Ok(self.launch(opening, places))
    }

    /// Starts a session that the database knows already.
    fn launch(&self, opening: Opening, place: Places) -> Arc<Live> {
        let (live, session) = Session::new(opening, self);
        let live = Arc::new(live);
        self.register(&live);
        let registry = Arc::clone(&self.registry);
        self.tasks.spawn(async move {
            let session_id = session.run().await;
            drop(place);
            let mut registry = lock(&registry);
            registry.ended.push_back(session_id);
            if registry.ended.len() > REMEMBERED
                && let Some(oldest) = registry.ended.pop_front()
            {
                registry.forget(&oldest);
            }
        });
        live
    }

    /// A session that is live or was a moment ago.
    pub fn find(&self, session_id: &str) -> Option<Arc<Live>> {
        lock(&self.registry).sessions.get(session_id).cloned()
    }

    /// The seat that a player token opens in this session.
    pub fn seat_of(&self, session_id: &str, token: &str) -> Option<(Arc<Live>, Seat)> {
        let registry = lock(&self.registry);
        let (of, seat) = registry.tokens.get(&secret::hash(token))?;
        (of == session_id).then(|| registry.sessions.get(of).cloned().map(|live| (live, *seat))).flatten()
    }

    /// Gives up a seat. In a lobby it is open again, for others: the old token stops working.
    pub async fn leave(&self, live: &Live, seat: Seat) {
        if !live.leave(seat).await {
            return;
        }
        let mut registry = lock(&self.registry);
        let Some(place) = live.seats.get(seat.index()) else { return };
        if let Some(old) = place.renew_token() {
            registry.tokens.remove(&secret::hash(&old));
        }
        if let Some(token) = place.token() {
            registry.tokens.insert(secret::hash(&token), (live.session_id.clone(), seat));
        }
    }

    /// Drops an ended session from memory.
    pub fn forget(&self, session_id: &str) {
        lock(&self.registry).forget(session_id);
    }

    /// Waits until all sessions have ended; ask for that by the stop signal first.
    pub async fn wait(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn register(&self, live: &Arc<Live>) {
        let mut registry = lock(&self.registry);
        for (seat, place) in Seat::first(live.seats.len() as u8).zip(&live.seats) {
            if let Some(token) = place.token() {
                registry.tokens.insert(secret::hash(&token), (live.session_id.clone(), seat));
            }
        }
        registry.sessions.insert(live.session_id.clone(), Arc::clone(live));
    }

    fn take_places(&self, account_id: &str, wanted: usize) -> Result<Places, ArenaError> {
        let mut registry = lock(&self.registry);
        let (have, most) =
            (registry.live_of.get(account_id).copied().unwrap_or(0), self.limits.live_sessions);
        if have + wanted > most {
            return Err(ArenaError::new(
                StatusCode::TOO_MANY_REQUESTS,
                "SESSION_LIMIT_EXCEEDED",
                format!(
                    "{have} sessions of this account are live, and {wanted} more would be over the limit of {most}: \
                     end some first"
                ),
            ));
        }
        registry.live_of.insert(account_id.to_owned(), have + wanted);
        Ok(Places { registry: Arc::clone(&self.registry), account_id: account_id.to_owned(), count: wanted })
    }
}

/// Live sessions of an account's allowance; given back when they go.
struct Places {
    registry: Arc<Mutex<Registry>>,
    account_id: String,
    count: usize,
}

impl Places {
    /// Takes one of them out.
    fn split_one(&mut self) -> Self {
        let one = self.count.min(1);
        self.count -= one;
        Self { registry: Arc::clone(&self.registry), account_id: self.account_id.clone(), count: one }
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        let mut registry = lock(&self.registry);
        if let Some(count) = registry.live_of.get_mut(&self.account_id) {
            *count = count.saturating_sub(self.count);
            if *count == 0 {
                registry.live_of.remove(&self.account_id);
            }
        }
    }
}

fn show_start(record: &mut SessionRecord, play: &dyn Play) {
    let probe = play.probe();
    for seat in &mut record.seats {
        seat.score = probe.scores.get(seat.seat).copied().unwrap_or_default();
    }
}

/// What seeds the built-in player of a seat.
fn players_stream(players_seed: u64, seat: Seat) -> u64 {
    mix(&[players_seed, seat.index() as u64, 0xB0])
}

/// The session's own time, in whole milliseconds as it is kept.
fn now(offset: SignedDuration) -> Timestamp {
    let now = Timestamp::now();
    let moved = now.checked_add(offset).unwrap_or(now);
    Timestamp::from_millisecond(moved.as_millisecond()).unwrap_or(moved)
}

/// The registry is plain data: a panic elsewhere leaves it usable.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
