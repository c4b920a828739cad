//! A whole session: makes it, plays our seats, and finds out how it ended.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::api::endpoints::{CreateSession, GetSession};
use crate::api::model::{CreatedSession, GameDetail, SessionId};
use crate::api::{Client, Error, MessageKind};
use crate::client::{self, ClientEvent, FeedEvent, FeedId, Request};
use crate::policy::Hello;
use crate::tape::Keep;

use super::drive::{Job, SeatEnd, SeatReport, drive};
use super::process::Player;
use super::{Ending, OnFailure};

/// Events of a session that is only watched; when it is full the socket is read more slowly.
const EVENTS: usize = 256;
/// How long the server may take to settle a session that all our seats have left.
const SETTLING: Duration = Duration::from_secs(4);
/// Between two looks at it.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Where sessions are played.
#[derive(Debug, Clone)]
pub struct Table {
    /// The server.
    pub api: Client,
    /// Sessions are recorded in this folder, if there is one.
    pub recordings: Option<Keep>,
    /// What becomes of a policy that fails.
    pub on_failure: OnFailure,
    /// Takes what policies say on the side. What finds no room is dropped.
    pub notes: Option<mpsc::Sender<String>>,
}

/// What a policy is told of a game.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GameFacts {
    /// Its name in requests.
    pub slug: String,
    /// The version of its rules.
    pub version: Option<String>,
    /// The rules.
    pub rules: String,
    /// Its flags.
    pub config: Value,
    /// Doing nothing is a move.
    pub may_pass: bool,
}

impl GameFacts {
    /// From the catalogue.
    pub fn of(game: &GameDetail) -> Self {
        Self {
            slug: game.slug.as_str().to_owned(),
            version: game.game_version.as_ref().and_then(|version| version.decode().ok()),
            rules: game.prompt.clone().unwrap_or_default(),
            config: serde_json::to_value(&game.config).unwrap_or_default(),
            may_pass: game.config.decode::<String>("noop").as_deref() != Some("none"),
        }
    }
}

/// Who plays one of our seats.
#[derive(Debug, Clone)]
pub struct Place {
    /// The player.
    pub player: Arc<Player>,
    /// What its policy may seed its own choices with.
    pub seed: Option<u64>,
}

/// A session that is to be played.
#[derive(Debug, Clone)]
pub struct Booking {
    /// How it is made.
    pub create: CreateSession,
    /// Who plays our seats, in the server's order of them.
    pub places: Vec<Place>,
    /// What is played.
    pub game: Arc<GameFacts>,
}

/// A session that was played.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// Which.
    pub session_id: SessionId,
    /// Our seats.
    pub seats: Vec<SeatReport>,
    /// How it ended; `None` if it goes on without us or the server does not say.
    pub ending: Option<Ending>,
    /// How long it took.
    pub took: Duration,
}

impl Played {
    /// Somebody asked us to stop while it was played.
    pub fn was_stopped(&self) -> bool {
        self.seats.iter().any(|seat| matches!(seat.end, SeatEnd::Stopped { .. }))
    }

    /// A seat whose server does not know that it is not played any more.
    pub fn still_open(&self) -> Option<&SeatReport> {
        let is_open =
            |seat: &&SeatReport| matches!(seat.end, SeatEnd::Stopped { left: false } | SeatEnd::Lost(_));
        self.seats.iter().find(is_open).filter(|_| self.ending.is_none())
    }
}

/// Makes a session and plays our seats in it to its end. When `stop` is cancelled they are left.
///
/// # Errors
/// It could not be made. Whether it may be running all the same the error says.
pub async fn play(table: &Table, booking: Booking, stop: &CancellationToken) -> Result<Played, Error> {
    let began = Instant::now();
    // Never cancelled half-way: a session that is billed must be known to be left.
    let created = table.api.send(&booking.create).await?;
    let session_id = created.id().clone();
    let (seats, mut ending) = if booking.places.is_empty() {
        (Vec::new(), watch(table, &session_id, stop).await)
    } else {
        let seats = join_all(jobs(table, &booking, &created, stop).into_iter().map(drive)).await;
        let ending = seats.iter().find_map(|seat| seat.ending.clone());
        (seats, ending)
    };
    if ending.is_none() {
        ending = settled(&table.api, &session_id, stop).await;
    }
    Ok(Played { session_id, seats, ending, took: began.elapsed() })
}

fn jobs(table: &Table, booking: &Booking, created: &CreatedSession, stop: &CancellationToken) -> Vec<Job> {
    let game = &booking.game;
    let seats = created.own_seats();
    let player_count = created.session.player_count.unwrap_or(seats.len() as u32);
    let job = |(seat, place): (_, &Place)| {
        let seat: crate::api::model::CreatedSeat = seat;
        Job {
            api: table.api.clone(),
            recordings: table.recordings.clone(),
            session: created.id().clone(),
            hello: Hello {
                game: game.slug.clone(),
                game_version: game.version.clone(),
                seat: seat.player_id.as_str().to_owned(),
                player_count,
                rules: game.rules.clone(),
                config: game.config.clone(),
                seed: place.seed,
            },
            seat,
            player: Arc::clone(&place.player),
            on_failure: table.on_failure,
            may_pass: game.may_pass,
            notes: table.notes.clone(),
            stop: stop.clone(),
        }
    };
    seats.into_iter().zip(&booking.places).map(job).collect()
}

/// Looks on until a session without seats of ours is over.
async fn watch(table: &Table, session: &SessionId, stop: &CancellationToken) -> Option<Ending> {
    let (sender, mut events) = mpsc::channel(EVENTS);
    let client = client::start(Some(table.api.clone()), table.recordings.clone(), sender);
    // A new client has room.
    let _ = client.send(Request::Watch(FeedId(0), session.clone()));
    let mut ending = None;
    while ending.is_none() {
        let event = tokio::select! {
            () = stop.cancelled() => break,
            event = events.recv() => event,
        };
        match event {
            Some(ClientEvent::Fed(_, FeedEvent::Said(message)))
                if message.kind == MessageKind::GameCompleted =>
            {
                ending = Some(Ending::of_message(&message));
            }
            Some(ClientEvent::Fed(_, FeedEvent::Ended { .. })) | None => break,
            Some(_) => {}
        }
    }
    client.shutdown().await;
    ending
}

/// How a session ended, from the server's list; waits a little for it to be settled.
async fn settled(api: &Client, session: &SessionId, stop: &CancellationToken) -> Option<Ending> {
    let deadline = Instant::now() + SETTLING;
    loop {
        let known = api.send(&GetSession::new(session)).await.ok()?;
        if known.status.is_over() {
            return Some(Ending::of_session(&known));
        }
        if Instant::now() >= deadline || stop.is_cancelled() {
            return None;
        }
        sleep(LOOK_EVERY).await;
    }
}
