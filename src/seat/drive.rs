//! One seat from its socket to its end: carries out what the desk says.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::api::Client;
use crate::api::endpoints::LeavePlay;
use crate::api::model::{CreatedSeat, SessionId};
use crate::api::{Error, ErrorKind};
use crate::client::{self, ClientEvent, FeedEvent, FeedId, Request};
use crate::policy::{Hello, SendError};
use crate::tape::Keep;
use crate::tape::{About, LineKind, TapeEvent};

use super::desk::{Desk, Do};
use super::process::{Player, Process};
use super::{Ending, OnFailure, SeatCounts};

/// What the socket's task may be ahead of the seat; when it is full the socket is read more slowly.
const EVENTS: usize = 256;
/// How long a seat that is out listens on for the end of its session.
const LINGER: Duration = Duration::from_secs(2);
/// How long a lost socket is tried again before the seat is given up for lost.
const PATIENCE: Duration = Duration::from_mins(2);
/// How long leaving may take.
const LEAVING: Duration = Duration::from_secs(5);

/// The number of the only socket of a seat's client.
const FEED: FeedId = FeedId(0);

/// What a seat needs.
pub(super) struct Job {
    pub(super) api: Client,
    pub(super) recordings: Option<Keep>,
    pub(super) session: SessionId,
    pub(super) seat: CreatedSeat,
    pub(super) player: Arc<Player>,
    pub(super) hello: Hello,
    pub(super) on_failure: OnFailure,
    pub(super) may_pass: bool,
    pub(super) notes: Option<mpsc::Sender<String>>,
    pub(super) stop: CancellationToken,
}

/// How it ended for a seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeatEnd {
    /// Its session is over, or goes on without it.
    Over,
    /// We were asked to stop; whether the seat was left.
    Stopped {
        /// The server knows that it plays no more.
        left: bool,
    },
    /// The socket was lost for good, and why.
    Lost(String),
}

/// What became of a seat.
#[derive(Debug, Clone, PartialEq)]
pub struct SeatReport {
    /// The seat.
    pub player_id: String,
    /// Who drove it.
    pub player: String,
    /// How it ended.
    pub end: SeatEnd,
    /// The session's end, if this seat heard it.
    pub ending: Option<Ending>,
    /// What the policy did.
    pub counts: SeatCounts,
    /// The recording.
    pub recording: Option<PathBuf>,
    /// Why there is none, or not all of it.
    pub recording_fault: Option<String>,
}

/// Plays the seat.
pub(super) async fn drive(job: Job) -> SeatReport {
    let process = job.player.take();
    let mut seat = Driven::new(job, process);
    let end = seat.play().await;
    seat.finish(end).await
}

struct Driven {
    job: Job,
    by: Arc<str>,
    process: Process,
    desk: Desk,
    client: client::Client,
    events: mpsc::Receiver<ClientEvent>,
    /// Until when the end of the session is waited for.
    linger: Option<Instant>,
    /// Until when a lost socket may come back.
    patience: Option<Instant>,
    recording: Option<PathBuf>,
    recording_fault: Option<String>,
}

impl Driven {
    fn new(job: Job, process: Process) -> Self {
        let (sender, events) = mpsc::channel(EVENTS);
        let client = client::start(Some(job.api.clone()), job.recordings.clone(), sender);
        let player_id = job.seat.player_id.as_str();
        let about = About { game: Some(job.hello.game.clone()), player_id: Some(player_id.to_owned()) };
        // A new client has room for both.
        let sit = Request::Sit(FEED, job.session.clone(), job.seat.player_token.clone());
        for request in [sit, Request::Jot(FEED, LineKind::About(about))] {
            let _ = client.send(request);
        }
        Self {
            by: format!("policy {}", job.player.name()).into(),
            desk: Desk::new(player_id, job.on_failure, job.may_pass, process.turn),
            process,
            client,
            events,
            linger: None,
            patience: None,
            recording: None,
            recording_fault: None,
            job,
        }
    }

    async fn play(&mut self) -> SeatEnd {
        self.greet();
        loop {
            let todo = tokio::select! {
                biased;
                () = self.job.stop.cancelled() => {
                    let was_out = self.desk.is_out();
                    self.desk.stop();
                    return SeatEnd::Stopped { left: was_out || self.leave().await };
                }
                event = self.events.recv() => match event {
                    Some(event) => self.client_said(event),
                    None => return SeatEnd::Lost("the connection's task has ended".into()),
                },
                event = self.process.next(), if !self.process.is_over => {
                    self.process.is_over |= matches!(event, crate::policy::PolicyEventKind::Exited { .. });
                    self.desk.told(event)
                }
                () = until(self.linger) => return SeatEnd::Over,
                () = until(self.patience) => {
                    return SeatEnd::Lost(format!("no connection for {} s", PATIENCE.as_secs()));
                }
            };
            if let Some(end) = self.carry_out(todo).await {
                return end;
            }
        }
    }

    fn client_said(&mut self, event: ClientEvent) -> Vec<Do> {
        match event {
            ClientEvent::Fed(_, event) => {
                match &event {
                    FeedEvent::Opened => self.patience = None,
                    FeedEvent::Lost { .. } => {
                        self.patience.get_or_insert_with(|| Instant::now() + PATIENCE);
                    }
                    _ => {}
                }
                self.desk.fed(event)
            }
            ClientEvent::Taped(_, TapeEvent::Opened { file, .. }) => {
                self.recording = Some(file);
                Vec::new()
            }
            ClientEvent::Taped(_, TapeEvent::Failed(why)) => {
                self.recording_fault = Some(why);
                Vec::new()
            }
            ClientEvent::Taped(..) | ClientEvent::Answered(..) => Vec::new(),
        }
    }

    async fn carry_out(&mut self, todo: Vec<Do>) -> Option<SeatEnd> {
        for what in todo {
            match what {
                Do::Ask(turn) => self.say(|process| process.policy.observe(&turn)),
                Do::Reject { id, reasons } => self.say(|process| process.policy.reject(id, &reasons)),
                Do::Act { action_id, tick, payload, safe } => self.act(action_id, tick, payload, safe),
                Do::Restart => {
                    let fresh = self.job.player.start();
                    // Dropped, the old one is killed with all that it started.
                    drop(std::mem::replace(&mut self.process, fresh));
                    self.greet();
                }
                Do::Leave => {
                    self.linger = Some(Instant::now() + LINGER);
                    if !self.leave().await {
                        return Some(SeatEnd::Lost("the seat could not be left".into()));
                    }
                }
                Do::Finish if self.desk.ending.is_some() => return Some(SeatEnd::Over),
                Do::Finish => match self.desk.lost.take() {
                    Some(why) => return Some(SeatEnd::Lost(why)),
                    None => self.linger = Some(Instant::now() + LINGER),
                },
                // Who looks for notes reads fast enough, or misses some.
                Do::Note(words) => {
                    let _ = self.job.notes.as_ref().map(|notes| notes.try_send(words));
                }
            }
        }
        None
    }

    fn greet(&self) {
        self.say(|process| process.policy.hello(&self.job.hello));
    }

    /// That a process has ended is told by its last event; one that does not read runs into its limit.
    fn say(&self, message: impl FnOnce(&Process) -> Result<(), SendError>) {
        if let Err(why) = message(&self.process) {
            tracing::debug!(%why, "a policy was not told something");
        }
    }

    fn act(&self, action_id: String, tick: u64, payload: Arc<str>, safe: bool) {
        let by = if safe { "safe".into() } else { Arc::clone(&self.by) };
        // One action at a time is under way, so there is room.
        if self.client.send(Request::Act { feed: FEED, by, tick, action_id, payload }).is_err() {
            tracing::warn!("an action found no room");
        }
    }

    /// Gives the seat up. True when the server knows.
    async fn leave(&self) -> bool {
        let leave = LeavePlay::new(&self.job.session, &self.job.seat.player_token);
        match timeout(LEAVING, self.job.api.send(&leave)).await {
            Ok(left) => left.map_or_else(|why| is_gone(&why), |_| true),
            Err(_) => false,
        }
    }

    async fn finish(mut self, end: SeatEnd) -> SeatReport {
        self.client.shutdown().await;
        // What was still on its way says where the recording is.
        while let Ok(event) = self.events.try_recv() {
            match event {
                ClientEvent::Taped(_, TapeEvent::Opened { file, .. }) => self.recording = Some(file),
                ClientEvent::Taped(_, TapeEvent::Failed(why)) => self.recording_fault = Some(why),
                _ => {}
            }
        }
        self.process.turn = self.desk.last_turn();
        if !self.process.is_over && self.process.policy.end(&self.desk.result()).is_ok() {
            // After a failure the next match gets a fresh process.
            if self.desk.counts.failed == 0 {
                self.job.player.give_back(self.process);
            } else {
                self.process.policy.shutdown().await;
            }
        }
        SeatReport {
            player_id: self.job.seat.player_id.as_str().to_owned(),
            player: self.job.player.name().to_owned(),
            end,
            ending: self.desk.ending,
            counts: self.desk.counts,
            recording: self.recording,
            recording_fault: self.recording_fault,
        }
    }
}

/// A session that is not there any more, or over, was left, too.
fn is_gone(why: &Error) -> bool {
    matches!(why.kind(), ErrorKind::NotFound | ErrorKind::Conflict)
}

async fn until(when: Option<Instant>) {
    match when {
        Some(when) => sleep_until(when).await,
        None => std::future::pending().await,
    }
}
