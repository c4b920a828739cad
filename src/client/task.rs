//! The task itself: one loop that takes requests, starts what they ask for, and owns it.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::api;
use crate::api::endpoints::{
    GetBalance, GetGame, GetSession, GetSessionLogs, GetTags, LeavePlay, ListGames, ListProviders,
    ListSessions, ListUsage,
};

use crate::tape::{Keep, Order, deck, library};

use super::feed::{self, Command, Target};
use super::pen::{self, Pen};
use super::{Answer, ClientEvent, FeedEvent, FeedId, Question, Request, Ticket, records};

/// Requests on their way. The dashboard asks one question of a kind at a time, so more are never due at once; when it
/// is full the user is told.
const REQUESTS: usize = 64;
/// Orders to one socket. A person gives a few a second; a policy waits for its acknowledgement.
const COMMANDS: usize = 16;
/// Rows fetched of a list that grows without end.
const NEWEST: u32 = 100;
/// What is said where there is nobody to ask.
const NO_PLATFORM: &str = "there is no API key: `gert auth login` stores one";

/// The running task. Dropping it cancels everything it does.
#[derive(Debug)]
pub struct Client {
    requests: mpsc::Sender<Request>,
    task: JoinHandle<()>,
    _stop: DropGuard,
}

impl Client {
    /// Hands a request over without waiting.
    ///
    /// # Errors
    /// Gives the request back when there is no room.
    pub fn send(&self, request: Request) -> Result<(), Box<Request>> {
        self.requests.try_send(request).map_err(|why| Box::new(why.into_inner()))
    }

    /// Closes all sockets politely and ends; bounded by what closing a socket may take.
    pub async fn shutdown(self) {
        let Self { requests, task, _stop } = self;
        drop(requests);
        // It fails only if the task panicked, and that has been reported.
        let _ = task.await;
    }
}

/// Starts the task. Events wait for room in `events`: a slow receiver slows the sockets down.
/// Without a platform it works with recordings alone. Sessions are recorded where `keep` says, if it does.
pub fn start(api: Option<api::Client>, keep: Option<Keep>, events: mpsc::Sender<ClientEvent>) -> Client {
    let (requests, inbox) = mpsc::channel(REQUESTS);
    let stop = CancellationToken::new();
    let task = tokio::spawn(Desk::new(api, keep, events).run(inbox, stop.clone()));
    Client { requests, task, _stop: stop.drop_guard() }
}

/// What the task works with.
struct Desk {
    api: Option<api::Client>,
    keep: Option<Keep>,
    events: mpsc::Sender<ClientEvent>,
    work: JoinSet<()>,
    /// Ends what tidies up the recordings; nobody waits for it.
    tidied: CancellationToken,
    tidying: Option<JoinHandle<()>>,
    feeds: HashMap<FeedId, mpsc::Sender<Command>>,
    decks: HashMap<FeedId, (mpsc::Sender<Order>, Pen)>,
}

impl Desk {
    fn new(api: Option<api::Client>, keep: Option<Keep>, events: mpsc::Sender<ClientEvent>) -> Self {
        let (work, feeds, decks) = (JoinSet::new(), HashMap::new(), HashMap::new());
        Self { api, keep, events, work, tidied: CancellationToken::new(), tidying: None, feeds, decks }
    }

    async fn run(mut self, mut inbox: mpsc::Receiver<Request>, stop: CancellationToken) {
        let _guard = self.tidied.clone().drop_guard();
        self.tidy();
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return, // Dropping the set ends all work.
                request = inbox.recv() => match request {
                    Some(request) => self.take(request),
                    None => break,
                },
                Some(_) = self.work.join_next() => {}
            }
        }
        // Every feed sees its orders end and closes its socket, then its recording ends; questions are not waited for.
        self.tidied.cancel();
        // What it had begun is as it was before.
        drop(self.tidying.take());
        self.feeds.clear();
        self.decks.clear();
        let closing = async { while self.work.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(feed::CLOSING, closing).await;
    }

    /// Tidies up the recordings, once, beside everything else.
    fn tidy(&mut self) {
        let Some(keep) = self.keep.clone().filter(|keep| keep.tidies) else { return };
        let stopped = self.tidied.clone();
        let tidying = move || library::maintain(&keep, &|| stopped.is_cancelled());
        self.tidying = Some(tokio::task::spawn_blocking(tidying));
    }

    fn take(&mut self, request: Request) {
        match request {
            Request::Ask(ticket, question) => {
                let (api, events) = (self.api.clone(), self.events.clone());
                let folder = self.keep.as_ref().map(|keep| keep.folder.clone());
                self.work.spawn(async move {
                    let reply = match question {
                        Question::Recordings | Question::Compare(..) => {
                            records::answer(question, folder).await
                        }
                        question => ask_platform(api.as_ref(), question).await,
                    };
                    answer(ticket, reply, &events).await;
                });
            }
            Request::Watch(feed, session) => self.open(feed, Target::Spectator(session)),
            Request::Sit(feed, session, token) => self.open(feed, Target::Player(session, token)),
            Request::Replay(feed, file) => {
                self.deck(feed, |tell| deck::open(file, tell));
            }
            Request::Jot(feed, what) => {
                if let Some((orders, pen)) = self.decks.get(&feed) {
                    let line = pen.line(what);
                    hand_over(orders, feed, Order::Write(line));
                }
            }
            Request::Tape(feed, order) => {
                if let Some((orders, _)) = self.decks.get(&feed) {
                    hand_over(orders, feed, order);
                }
            }
            Request::Act { feed, action_id, by, tick, payload } => {
                self.order(feed, Command::Act { action_id, by, tick, payload });
            }
            Request::Delegate { feed, action_id, by, tick, provider, model } => {
                self.order(feed, Command::Delegate { action_id, by, tick, provider, model });
            }
            Request::Reconnect(feed) => self.order(feed, Command::Reconnect),
            Request::Close(feed) => {
                self.feeds.remove(&feed);
                self.decks.remove(&feed);
            }
        }
    }

    /// Opens a socket, and a recording of what it says.
    fn open(&mut self, feed: FeedId, target: Target) {
        let Some(api) = self.api.clone() else {
            let events = self.events.clone();
            let ended = FeedEvent::Ended { why: NO_PLATFORM.into(), orderly: false };
            self.work.spawn(async move {
                let _ = events.send(ClientEvent::Fed(feed, ended)).await;
            });
            return;
        };
        let keep = self.keep.as_ref().filter(|keep| keep.enabled);
        let plan = keep.map(|keep| pen::plan(keep, &target, api.settings(), jiff::Timestamp::now()));
        let pen = match plan {
            Some(plan) => self.deck(feed, |tell| deck::record(plan, tell)),
            None => Pen::new(None),
        };
        let (commands, orders) = mpsc::channel(COMMANDS);
        self.work.spawn(feed::run(api, feed, target, orders, self.events.clone(), pen));
        self.feeds.insert(feed, commands);
    }

    fn deck(
        &mut self,
        feed: FeedId,
        make: impl FnOnce(deck::Tell) -> (mpsc::Sender<Order>, deck::Deck),
    ) -> Pen {
        let events = self.events.clone();
        let (orders, deck) = make(Box::new(move |event| {
            // The receiver is gone only when the program ends.
            let _ = events.blocking_send(ClientEvent::Taped(feed, event));
        }));
        self.work.spawn_blocking(move || deck.run());
        let pen = Pen::new(Some(orders.clone()));
        self.decks.insert(feed, (orders, pen.clone()));
        pen
    }

    /// An order that finds no feed is dropped: the acknowledgement that never comes shows it.
    fn order(&self, feed: FeedId, command: Command) {
        if let Some(commands) = self.feeds.get(&feed) {
            hand_over(commands, feed, command);
        }
    }
}

/// Hands something over without waiting; what finds no room is dropped.
fn hand_over<T>(to: &mpsc::Sender<T>, feed: FeedId, order: T) {
    if to.try_send(order).is_err() {
        tracing::warn!(feed = feed.0, "an order was dropped");
    }
}

async fn ask_platform(api: Option<&api::Client>, question: Question) -> Result<Answer, api::Error> {
    match api {
        Some(api) => ask(api, question).await,
        None => Err(api::Error::local("ask the platform", NO_PLATFORM)),
    }
}

async fn answer(ticket: Ticket, reply: Result<Answer, api::Error>, events: &mpsc::Sender<ClientEvent>) {
    let reply = reply.map_err(Arc::new);
    if let Err(why) = &reply {
        tracing::warn!(error = %why, why = why.why(), request_id = why.request_id(), "a question failed");
    }
    // The receiver is gone only when the program ends.
    let _ = events.send(ClientEvent::Answered(ticket, reply)).await;
}

async fn ask(api: &api::Client, question: Question) -> Result<Answer, api::Error> {
    Ok(match question {
        Question::Games => {
            let all = api.all(&ListGames::new(), api::PageOptions::default()).await?;
            Answer::Games(api::model::Listing { items: all.items, ..Default::default() })
        }
        Question::Game(slug) => Answer::Game(Box::new(api.send(&GetGame::new(&slug)).await?)),
        Question::Tags => Answer::Tags(api.send(&GetTags::new().active(true)).await?),
        Question::Balance => Answer::Balance(api.send(&GetBalance::new()).await?),
        Question::Usage => Answer::Usage(api.page(&ListUsage::new(), NEWEST, None).await?),
        Question::Sessions => Answer::Sessions(api.page(&ListSessions::new(), NEWEST, None).await?),
        Question::Session(id) => Answer::Session(Box::new(api.send(&GetSession::new(&id)).await?)),
        Question::Logs(id) => Answer::Logs(api.send(&GetSessionLogs::new(&id)).await?),
        Question::Providers => Answer::Providers(api.send(&ListProviders::new()).await?),
        Question::Create(create) => Answer::Created(Box::new(api.send(&*create).await?)),
        Question::Branch(branch) => Answer::Branched(Box::new(api.send(&*branch).await?)),
        Question::Leave(id, token) => {
            api.send(&LeavePlay::new(&id, &token)).await?;
            Answer::Left
        }
        Question::Recordings | Question::Compare(..) => {
            return Err(api::Error::local("ask the platform", "it knows no recordings"));
        }
    })
}
