//! The task that owns all traffic with the platform: takes [`Request`]s, sends [`ClientEvent`]s.
//!
//! It knows nothing of the dashboard. Each request is answered by exactly one event with its ticket; a feed (an open
//! socket) sends events until it ends or is closed. Start reading at [`start`]; feeds are in [`feed`].

pub mod feed;
mod pen;
mod records;
mod task;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::api;
use crate::api::endpoints::{CreateSession, PricedBranch};
use crate::api::model::{
    Balance, BranchedPlay, CreatedSession, Game, GameDetail, GameSlug, Listing, Logs, PlayerToken, Provider,
    ProviderId, Rows, Session, SessionId, Tags, UsageEntry,
};
use crate::tape::{self, LineKind, TapeEvent};

pub use task::{Client, start};

/// Numbers a question; the answer carries it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// Numbers an open socket; every event of it carries the number, so that late ones are recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FeedId(pub u64);

/// What the task is asked to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Ask something once.
    Ask(Ticket, Question),
    /// Open a spectator socket and keep it open.
    Watch(FeedId, SessionId),
    /// Open a player's socket and keep it open.
    Sit(FeedId, SessionId, PlayerToken),
    /// Play a recording as if it were a feed.
    Replay(FeedId, PathBuf),
    /// Note something in a feed's recording.
    Jot(FeedId, LineKind),
    /// Bring a moment of a feed's recording back, or keep a note at one.
    Tape(FeedId, tape::Order),
    /// Send an action on a player's socket.
    Act {
        /// The player's socket.
        feed: FeedId,
        /// Who decided, for the recording: `human`, `policy NAME`.
        by: Arc<str>,
        /// The tick it is meant for.
        tick: u64,
        /// Comes back in the acknowledgement, where the server does that.
        action_id: String,
        /// The action as JSON text.
        payload: Arc<str>,
    },
    /// Let a provider decide a turn on the server. May cost credits: never sent twice.
    Delegate {
        /// The player's socket.
        feed: FeedId,
        /// Comes back only if it could not be sent.
        action_id: String,
        /// Who decides, for the recording: `provider ID/MODEL`.
        by: Arc<str>,
        /// The tick it is meant for.
        tick: u64,
        /// The provider.
        provider: ProviderId,
        /// The model; without one the provider's own choice.
        model: Option<String>,
    },
    /// Close a socket.
    Close(FeedId),
    /// Try a lost socket again now.
    Reconnect(FeedId),
}

/// A question with one answer.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "named after the endpoints, which say what they do")]
pub enum Question {
    Games,
    Game(GameSlug),
    Tags,
    Balance,
    Usage,
    Sessions,
    Session(SessionId),
    Logs(SessionId),
    Providers,
    /// May bill: never sent twice.
    Create(Box<CreateSession>),
    /// May bill: never sent twice.
    Branch(Box<PricedBranch>),
    Leave(SessionId, PlayerToken),
    /// Which recordings there are; the platform is not asked.
    Recordings,
    /// Where two recordings differ.
    Compare(PathBuf, PathBuf),
}

impl Question {
    /// Whether it is answered from this disk and says nothing of the platform.
    pub fn is_local(&self) -> bool {
        matches!(self, Self::Recordings | Self::Compare(..))
    }
}

/// The answer to a [`Question`], of the same kind.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "named after the endpoints, which say what they give")]
pub enum Answer {
    Games(Listing<Game>),
    Game(Box<GameDetail>),
    Tags(Tags),
    Balance(Balance),
    Usage(Listing<UsageEntry>),
    Sessions(Listing<Session>),
    Session(Box<Session>),
    Logs(Logs),
    Providers(Rows<Provider>),
    Created(Box<CreatedSession>),
    Branched(Box<BranchedPlay>),
    Left,
    Recordings(Vec<tape::Recording>),
    Compared(Box<tape::Comparison>),
}

macro_rules! reads {
    ($($name:ident: $variant:ident -> $type:ty),* $(,)?) => {
        impl Answer {
            $(
                /// The content, if it is of this kind.
                pub fn $name(self) -> Option<$type> {
                    match self {
                        Self::$variant(content) => Some(content),
                        _ => None,
                    }
                }
            )*
        }
    };
}

reads! {
    games: Games -> Listing<Game>,
    game: Game -> Box<GameDetail>,
    tags: Tags -> Tags,
    balance: Balance -> Balance,
    usage: Usage -> Listing<UsageEntry>,
    sessions: Sessions -> Listing<Session>,
    logs: Logs -> Logs,
    providers: Providers -> Rows<Provider>,
    recordings: Recordings -> Vec<tape::Recording>,
    compared: Compared -> Box<tape::Comparison>,
}

/// What reached us from the platform.
#[derive(Debug, Clone)]
pub enum ClientEvent {
    /// A question was answered.
    Answered(Ticket, Result<Answer, Arc<api::Error>>),
    /// Something happened on a socket.
    Fed(FeedId, FeedEvent),
    /// Something about a feed's recording.
    Taped(FeedId, TapeEvent),
}

/// What happened on a socket.
#[derive(Debug, Clone)]
pub enum FeedEvent {
    /// A connection is being made, for the nth time in a row.
    Connecting {
        /// From 1.
        attempt: u32,
    },
    /// It is open; a fresh snapshot follows.
    Opened,
    /// A message came.
    Said(api::Message),
    /// So many observations came and were replaced by newer ones before they could be shown. A recording has them.
    Skipped(u64),
    /// It broke; the next try comes after `retry`.
    Lost {
        /// What happened, cleaned.
        why: String,
        /// How long until the next try.
        retry: Duration,
    },
    /// It will not be opened again by itself.
    Ended {
        /// What happened, cleaned.
        why: String,
        /// True when the session is over in the ordinary way.
        orderly: bool,
    },
    /// An action could not be sent.
    NotSent {
        /// The action's id.
        action_id: String,
        /// Why.
        why: String,
    },
}
