//! Typed requests, one file a resource. Building one sends nothing; [`Client::send`](super::Client::send) does.

mod billing;
mod games;
mod play;
mod sessions;

pub use self::billing::{GetBalance, ListUsage};
pub use self::games::{GetGame, GetTags, ListGames};
pub use self::play::{Act, CreateSession, GetPlay, JoinPlay, LeavePlay};
pub use self::sessions::{GetSession, GetSessionLogs, ListSessions};
