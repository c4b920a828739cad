//! One session's task: owns the match, asks the seats, plays the ticks, tells everybody, and settles.
//!
//! Read [`Session::run`] first, then [`Session::collect`], which gathers the inputs of one round. A round ends as a
//! tick, or without one when a seat that was waited for is out. What is played goes to the database in the
//! background; only the end is waited for, so that whoever reads `game_completed` finds it settled.

mod acting;
mod delegating;
mod faulty;
mod seat;
mod telling;

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use serde_json::Value;
use tokio::sync::{broadcast, mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use self::seat::{Given, SeatState};
use super::frames::{self, Frame};
use super::live::{Command, Face, Live, LiveSeat, Presence};
use super::thinking::{Thinking, Thought};
use super::{Host, Limits, now};
use crate::arena::engine::seats::{Seat, SeatMap, SeatSet};
use crate::arena::engine::{EndReason, Game, Input, Play, Player, Probe};
use crate::arena::faults::script::SessionFault;
use crate::arena::record::{SeatKind, SessionRecord, Status};
use crate::arena::store::sessions::{Entry, What};
use crate::arena::store::{Store, sessions};

/// Commands that wait for the task; it takes them at once, so few ever do.
const COMMANDS: usize = 64;

/// Frames that a socket may be behind: a spectator that is further behind gets a fresh snapshot instead.
const FRAMES: usize = 256;

/// Refused actions a seat may send in one round.
const TRIES: u32 = 3;

/// Rounds in a row that a seat may miss in a game without a no-op.
const STRIKES: u32 = 3;

/// How long the end waits for the database; afterwards the writer goes on trying alone.
const COMMIT_WAIT: Duration = Duration::from_secs(15);

/// What a session begins with.
pub(super) struct Opening {
    pub(super) game: &'static dyn Game,
    pub(super) play: Box<dyn Play>,
    pub(super) record: SessionRecord,
    /// A tick's deadline in ms, where it is not the game's own.
    pub(super) tick_ms: Option<u32>,
    pub(super) clock_offset: SignedDuration,
    /// Rows of its story that are written already.
    pub(super) told: u32,
    /// Built-in players that have been there before; others are hired.
    pub(super) players: SeatMap<Box<dyn Player>>,
    /// Played for a seat in the first round.
    pub(super) first: Option<(Seat, Value)>,
    /// What is to go wrong.
    pub(super) fault: Option<SessionFault>,
}

/// One session.
pub(super) struct Session {
    game: &'static dyn Game,
    play: Box<dyn Play>,
    record: SessionRecord,
    seats: Vec<SeatState>,
    /// A tick's deadline in ms, where it is not the game's own.
    tick_ms: Option<u32>,
    /// Played for a seat in the first round.
    first: Option<(Seat, Value)>,
    fault: Option<SessionFault>,
    clock_offset: SignedDuration,
    round: Round,
    began: Instant,
    /// What the last tick played, as JSON.
    last_actions: String,
    thinking: Thinking,
    story: Vec<Entry>,
    told: u32,
    /// The tick of the record that was last handed to the database.
    stored_tick: u32,
    commands: mpsc::Receiver<Command>,
    face: watch::Sender<Arc<Face>>,
    observations: SeatMap<Arc<str>>,
    audience: broadcast::Sender<Frame>,
    spectators: Arc<Presence>,
    last_frame: Instant,
    last_visit: Instant,
    store: Arc<Store>,
    limits: Limits,
    stop: CancellationToken,
}

/// What is waited for now.
struct Round {
    number: u64,
    asked: SeatSet,
    opened: Instant,
    deadline: Option<Instant>,
}

/// How a session ends.
struct Ending {
    status: Status,
    completion_reason: &'static str,
    failure_reason: Option<String>,
}

impl Ending {
    fn failed(completion_reason: &'static str, failure_reason: impl Into<String>) -> Self {
        Self { status: Status::Failed, completion_reason, failure_reason: Some(failure_reason.into()) }
    }

    fn of_game(reason: EndReason) -> Self {
        match reason {
            EndReason::PolicyFailed => Self::failed(reason.as_str(), "every seat is out"),
            EndReason::GameComplete | EndReason::MaxTicks => {
                Self { status: Status::Completed, completion_reason: reason.as_str(), failure_reason: None }
            }
        }
    }
}

/// How a round ends.
enum Outcome {
    /// Everything that was asked for is there.
    Tick,
    /// The match waits for something else now.
    Again,
    /// The session ends.
    End(Ending),
}

impl Session {
    /// The task of a new session and what others hold of it.
    pub(super) fn new(opening: Opening, host: &Host) -> (Live, Self) {
        let Opening { game, play, record, tick_ms, clock_offset, told, mut players, first, fault } = opening;
        let out = play.probe();
        let (sender, commands) = mpsc::channel(COMMANDS);
        let (face, face_reader) =
            watch::channel(Arc::new(Face { record: record.clone(), observations: SeatMap::default() }));
        let (audience, _) = broadcast::channel(FRAMES);
        let spectators = Arc::<Presence>::default();
        let live_seats: Vec<LiveSeat> = record.seats.iter().map(|seat| LiveSeat::new(seat.kind)).collect();
        let seats = record
            .seats
            .iter()
            .zip(&live_seats)
            .map(|(seat, live)| {
                let (frames, _) = broadcast::channel(FRAMES);
                let mut state = SeatState::new(seat.seat, frames, Arc::clone(&live.presence));
                state.player = players.remove(seat.seat);
                state.gone = out.failed.without(out.eliminated).contains(seat.seat);
                state
            })
            .collect();
        let live = Live {
            session_id: record.session_id.clone(),
            game,
            seats: live_seats,
            spectators: Arc::clone(&spectators),
            commands: sender,
            face: face_reader,
        };
        let start = Instant::now();
        let mut session = Self {
            game,
            play,
            stored_tick: record.tick,
            record,
            seats,
            tick_ms,
            first,
            fault,
            clock_offset,
            round: Round { number: 0, asked: SeatSet::EMPTY, opened: start, deadline: None },
            began: start,
            last_actions: "{}".to_owned(),
            thinking: Thinking::new(Arc::clone(&host.thinkers)),
            story: Vec::new(),
            told,
            commands,
            face,
            observations: SeatMap::default(),
            audience,
            spectators,
            last_frame: start,
            last_visit: start,
            store: Arc::clone(&host.store),
            limits: host.limits.clone(),
            stop: host.stop.clone(),
        };
        // The answer to the request that made the session already holds the first observation.
        if session.record.status == Status::Active {
            session.begin();
        }
        (live, session)
    }

    /// Plays the session to its end and gives its id back.
    pub(super) async fn run(mut self) -> String {
        let ending = self.play_out().await;
        self.finish(ending).await;
        self.record.session_id
    }

    async fn play_out(&mut self) -> Ending {
        let mut upkeep = tokio::time::interval(self.limits.keepalive.min(self.limits.idle) / 4);
        upkeep.set_missed_tick_behavior(MissedTickBehavior::Delay);
        if self.record.status == Status::Waiting {
            if let Outcome::End(ending) = self.collect(&mut upkeep).await {
                return ending;
            }
            self.begin();
        }
        loop {
            match self.collect(&mut upkeep).await {
                Outcome::Tick => self.play_tick(),
                Outcome::Again => {}
                Outcome::End(ending) => return ending,
            }
            let probe = self.play.probe();
            self.show(&probe);
            if let Some(reason) = probe.over {
                return Ending::of_game(reason);
            }
            self.open_round(&probe);
        }
    }

    /// The first round. All seats are taken.
    fn begin(&mut self) {
        self.record.status = Status::Active;
        self.record.started_at = Some(now(self.clock_offset));
        self.began = Instant::now();
        for (state, seat) in self.seats.iter_mut().zip(&self.record.seats) {
            if seat.kind == SeatKind::Ai && state.player.is_none() {
                state.hire(self.game, &seat.name, self.record.players_seed());
            }
        }
        // The story of a branch says already where it began.
        if self.record.branch.is_none() {
            let text = format!("{} seats, at most {} ticks", self.seats.len(), self.record.max_ticks);
            self.say("started", None, text);
        }
        self.store_record();
        let players: Vec<Seat> = self.seats.iter().map(|state| state.seat).collect();
        self.tell_all(&frames::started(&players));
        let probe = self.play.probe();
        self.show(&probe);
        self.open_round(&probe);
    }

    /// Asks the seats on turn.
    fn open_round(&mut self, probe: &Probe) {
        let opened = Instant::now();
        let deadline = self.deadline_ms(probe).map(|ms| opened + Duration::from_millis(u64::from(ms)));
        self.round = Round { number: self.round.number + 1, asked: probe.turn.seats(), opened, deadline };
        for state in &mut self.seats {
            state.given = None;
            state.tries = 0;
        }
        if let Some((seat, payload)) = self.first.take()
            && self.round.asked.contains(seat)
        {
            self.seats[seat.index()].given = Some(Given::action(payload, Duration::ZERO));
        }
        self.observe();
        self.publish();
        let asked: Vec<Seat> = self.missing().iter().collect();
        let copy: Option<Arc<dyn Play>> =
            asked.iter().any(|seat| self.is_ai(*seat)).then(|| Arc::from(self.play.fork()));
        if let Some(copy) = copy {
            for seat in asked {
                self.think(seat, &copy);
            }
        }
    }

    /// Without a deadline of its own a session has the game's, with more time for its first tick.
    fn deadline_ms(&self, probe: &Probe) -> Option<u32> {
        let spec = self.game.spec();
        let ms = match self.tick_ms {
            Some(ms) => ms,
            None if probe.tick == self.record.first_tick() => spec.first_tick_ms,
            None => spec.tick_ms,
        };
        (ms > 0).then_some(ms)
    }

    fn think(&mut self, seat: Seat, play: &Arc<dyn Play>) {
        let round = self.round.number;
        if let Some(player) = self.seats[seat.index()].player.take() {
            self.thinking.start(seat, round, player, Arc::clone(play));
        }
    }

    /// Gathers what the round asks for; in a lobby, the players.
    async fn collect(&mut self, upkeep: &mut tokio::time::Interval) -> Outcome {
        loop {
            let lobby = self.record.status == Status::Waiting;
            let full = self.record.seats.iter().all(|seat| seat.kind != SeatKind::Open);
            let late = self.late().filter(|_| lobby && full);
            if lobby && full && late.is_none_or(|late| Instant::now() >= late) {
                return self.start_failure().unwrap_or(Outcome::Tick);
            }
            if let Some(outcome) = self.fail_on_demand() {
                return outcome;
            }
            let complete = !lobby && self.missing().is_empty();
            let pace = self.round.opened + Duration::from_millis(u64::from(self.record.pace_ms));
            if complete && Instant::now() >= pace {
                return Outcome::Tick;
            }
            let wake = if complete { Some(pace) } else { late.or(self.round.deadline.filter(|_| !lobby)) };
            let outcome = tokio::select! {
                () = self.stop.cancelled() => Some(Outcome::End(Ending::failed("interrupted", "the arena was stopped"))),
                thought = self.thinking.next() => { self.take(thought); None }
                command = self.commands.recv() => match command {
                    Some(command) => self.obey(command),
                    // Nobody can reach it any more.
                    None => Some(Outcome::End(Ending::failed("interrupted", "the arena is gone"))),
                },
                () = sleep_until(wake) => match (complete, late) {
                    (true, _) => Some(Outcome::Tick),
                    (false, Some(_)) => None,
                    (false, None) => self.time_is_up(),
                },
                _ = upkeep.tick() => self.keep_up(),
            };
            if let Some(outcome) = outcome {
                return outcome;
            }
        }
    }

    /// Seats that are asked and have not answered.
    fn missing(&self) -> SeatSet {
        self.round.asked.iter().filter(|seat| self.seats[seat.index()].given.is_none()).collect()
    }

    fn take(&mut self, thought: Thought) {
        let seat = thought.seat;
        if !self.is_ai(seat) {
            return self.decided(thought);
        }
        let (name, seed) = (self.record.seats[seat.index()].name.clone(), self.record.players_seed());
        let waited_for = self.missing().contains(seat);
        let state = &mut self.seats[seat.index()];
        let Some((player, action)) = thought.outcome else {
            state.hire(self.game, &name, seed);
            state.given = Some(Given::Nothing("broke"));
            return;
        };
        state.player = Some(player);
        if !waited_for {
            return;
        }
        if thought.round != self.round.number {
            // It was too late for its own round; this one is another question.
            let copy: Arc<dyn Play> = Arc::from(self.play.fork());
            return self.think(seat, &copy);
        }
        state.given = Some(match self.play.judge(seat, &action) {
            Ok(()) => Given::action(action, thought.took),
            Err(verdict) => {
                tracing::error!(game = self.record.game, name, %action, ?verdict, "a built-in player may not do that");
                Given::Nothing("refused")
            }
        });
    }

    fn obey(&mut self, command: Command) -> Option<Outcome> {
        // Whoever asked may be gone; what was asked happens all the same.
        match command {
            Command::Act { seat, payload, reply } => {
                let (answer, outcome) = self.act(seat, payload);
                _ = reply.send(answer);
                return outcome;
            }
            Command::Delegate { seat, order, reply } => _ = reply.send(self.delegate(seat, order)),
            Command::Checkpoint { reply } => _ = reply.send(self.checkpoint()),
            Command::Join { account_id, name, reply } => _ = reply.send(self.join(&account_id, &name)),
            Command::Leave { seat, reply } => {
                let (open_again, outcome) = self.leave(seat);
                _ = reply.send(open_again);
                return outcome;
            }
            Command::Attach { seat, reply } => _ = reply.send(self.attach(seat)),
            Command::Watch { reply } => _ = reply.send(self.watch()),
            Command::Cancel { reply } => {
                _ = reply.send(());
                return Some(Outcome::End(Ending::failed("cancelled", "ended by its owner")));
            }
        }
        None
    }

    fn play_tick(&mut self) {
        let inputs: SeatMap<Input> = self
            .round
            .asked
            .iter()
            .filter_map(|seat| self.seats[seat.index()].given.as_ref().map(|given| (seat, given.input())))
            .collect();
        self.last_actions = seat::played(self.round.asked, &self.seats);
        self.note(What::Played(self.last_actions.clone()));
        self.play.submit(&inputs);
    }

    /// Notes where the match stands and tells who dropped out by the rules.
    fn show(&mut self, probe: &Probe) {
        self.record.tick = probe.tick;
        for nth in 0..self.seats.len() {
            let record = &mut self.record.seats[nth];
            let seat = record.seat;
            record.score = probe.scores.get(seat).copied().unwrap_or_default();
            record.failed = probe.failed.contains(seat);
            let news = probe.eliminated.contains(seat) && !record.eliminated;
            record.eliminated |= news;
            if news {
                let score = record.score;
                self.say("eliminated", Some(seat), format!("{seat} is out by the rules"));
                self.tell_all(&frames::eliminated(seat, probe.tick, score));
            }
        }
    }

    async fn finish(&mut self, ending: Ending) {
        let probe = self.play.probe();
        self.show(&probe);
        self.round.asked = SeatSet::EMPTY;
        self.round.deadline = None;
        if self.record.started_at.is_some() {
            self.observe();
        }
        self.record.status = ending.status;
        self.record.completion_reason = Some(ending.completion_reason.to_owned());
        self.record.failure_reason = ending.failure_reason;
        self.record.ended_at = Some(now(self.clock_offset));
        if self.seats.len() > 1 && self.record.started_at.is_some() {
            for (seat, standing) in self.play.standings().iter() {
                let record = &mut self.record.seats[seat.index()];
                record.rank = Some(standing.rank);
                record.outcome = Some(standing.outcome.to_owned());
            }
        }
        let text = self.record.failure_reason.clone().unwrap_or_else(|| ending.completion_reason.to_owned());
        self.say("ended", None, text);
        self.commit().await;
        self.publish();
        self.tell_all(&frames::frame(&self.record.completed_message()));
        self.commands.close();
    }

    /// Writes the end; whoever is told of it finds it in the database.
    async fn commit(&mut self) {
        let (record, story) = (self.record.clone(), std::mem::take(&mut self.story));
        let write = self.store.write_patiently(move |connection| {
            sessions::append(connection, &record.session_id, &story)?;
            sessions::put(connection, &record)
        });
        match tokio::time::timeout(COMMIT_WAIT, write).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::error!(session_id = self.record.session_id, %error, "the end of a session was not written");
            }
            Err(_) => tracing::warn!(
                session_id = self.record.session_id,
                "the database is slow: the end is written later"
            ),
        }
    }

    fn is_ai(&self, seat: Seat) -> bool {
        self.record.seats[seat.index()].kind == SeatKind::Ai
    }
}

async fn sleep_until(when: Option<Instant>) {
    match when {
        Some(when) => tokio::time::sleep_until(when).await,
        None => std::future::pending().await,
    }
}
