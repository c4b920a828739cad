//! The task itself: one loop that takes requests, starts what they ask for, and owns it.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::api;
use crate::api::endpoints::{
    GetBalance, GetGame, GetSession, GetSessionLogs, GetTags, LeavePlay, ListGames, ListSessions, ListUsage,
};

use super::feed::{self, Command, Target};
use super::{Answer, ClientEvent, FeedId, Question, Request, Ticket};

/// Requests on their way. The dashboard asks one question of a kind at a time, so more are never due at once; when it
/// is full the user is told.
const REQUESTS: usize = 64;
/// Orders to one socket. A person gives a few a second; a policy waits for its acknowledgement.
const COMMANDS: usize = 16;
/// Rows fetched of a list that grows without end.
const NEWEST: u32 = 100;

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
pub fn start(api: api::Client, events: mpsc::Sender<ClientEvent>) -> Client {
    let (requests, inbox) = mpsc::channel(REQUESTS);
    let stop = CancellationToken::new();
    let task = tokio::spawn(run(api, inbox, events, stop.clone()));
    Client { requests, task, _stop: stop.drop_guard() }
}

async fn run(
    api: api::Client,
    mut inbox: mpsc::Receiver<Request>,
    events: mpsc::Sender<ClientEvent>,
    stop: CancellationToken,
) {
    let mut work = JoinSet::new();
    let mut feeds: HashMap<FeedId, mpsc::Sender<Command>> = HashMap::new();
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => return, // Dropping the set ends all work.
            request = inbox.recv() => match request {
                Some(request) => take(request, &api, &events, &mut work, &mut feeds),
                None => break,
            },
            Some(_) = work.join_next() => {}
        }
    }
    // Every feed sees its orders end and closes its socket; questions are not waited for.
    feeds.clear();
    let closing = async { while work.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(feed::CLOSING, closing).await;
}

fn take(
    request: Request,
    api: &api::Client,
    events: &mpsc::Sender<ClientEvent>,
    work: &mut JoinSet<()>,
    feeds: &mut HashMap<FeedId, mpsc::Sender<Command>>,
) {
    let mut open = |feed: FeedId, target: Target| {
        let (commands, orders) = mpsc::channel(COMMANDS);
        work.spawn(feed::run(api.clone(), feed, target, orders, events.clone()));
        feeds.insert(feed, commands);
    };
    match request {
        Request::Ask(ticket, question) => {
            let (api, events) = (api.clone(), events.clone());
            work.spawn(async move { answer(&api, ticket, question, &events).await });
        }
        Request::Watch(feed, session) => open(feed, Target::Spectator(session)),
        Request::Sit(feed, session, token) => open(feed, Target::Player(session, token)),
        Request::Act { feed, action_id, payload } => order(feeds, feed, Command::Act { action_id, payload }),
        Request::Reconnect(feed) => order(feeds, feed, Command::Reconnect),
        Request::Close(feed) => drop(feeds.remove(&feed)),
    }
}

/// An order that finds no room or no feed is dropped: the acknowledgement that never comes shows it.
fn order(feeds: &HashMap<FeedId, mpsc::Sender<Command>>, feed: FeedId, command: Command) {
    if let Some(commands) = feeds.get(&feed)
        && commands.try_send(command).is_err()
    {
        tracing::warn!(feed = feed.0, "an order to a socket was dropped");
    }
}

async fn answer(api: &api::Client, ticket: Ticket, question: Question, events: &mpsc::Sender<ClientEvent>) {
    let reply = ask(api, question).await.map_err(Arc::new);
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
        Question::Create(create) => Answer::Created(Box::new(api.send(&*create).await?)),
        Question::Leave(id, token) => {
            api.send(&LeavePlay::new(&id, &token)).await?;
            Answer::Left
        }
    })
}
