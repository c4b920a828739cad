//! What reaches the dashboard.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::client::{ClientEvent, Request};
use crate::policy::PolicyEvent;

use super::fields::Views;
use super::key::Key;

/// When something happened. Made by the loop, so that nothing here reads a clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Since the program started; never goes back.
    pub since_start: Duration,
    /// Wall-clock time, for stamps only.
    pub wall: jiff::Timestamp,
}

/// Something reached us.
#[derive(Debug, Clone)]
pub enum Event {
    /// A key was pressed.
    Typed(Key),
    /// Text was pasted.
    Pasted(String),
    /// The mouse did something.
    Moused(Mouse),
    /// The platform answered.
    Client(ClientEvent),
    /// The client task had no room for this request.
    Refused(Box<Request>),
    /// A policy did something.
    Policy(PolicyEvent),
    /// The arena was started for us, or could not be.
    ArenaStarted(Result<(), String>),
    /// A key was checked and is in use now, or was not accepted. Says where it is kept, or why it is not.
    KeyTaken(Result<Result<String, String>, Arc<str>>),
    /// Text was pasted that is too long for any editor; none of it is kept.
    PasteTooLong,
    /// There is no shell that could bring the program back, so it was not stopped.
    CannotSuspend,
    /// The renderer files were read; what is wrong with them, in words.
    RenderersRead(Vec<String>),
    /// The terminal is gone. The loop ends before the state hears of it.
    TerminalLost,
    /// Something that means nothing here.
    Nothing,
    /// The time asked for by [`App::next_wake`](super::App::next_wake) has come.
    Woke,
    /// A frame is about to be drawn.
    Drawing,
}

/// What the mouse did, in cells from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    /// Column.
    pub column: u16,
    /// Row.
    pub row: u16,
    /// What.
    pub what: MouseWhat,
}

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseWhat {
    /// The left button went down.
    Click,
    /// The wheel turned up.
    WheelUp,
    /// The wheel turned down.
    WheelDown,
}

/// What the program was started with.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "facts of the start that do not depend on each other")]
pub struct Boot {
    /// Name of the profile, e.g. `demo`.
    pub profile: String,
    /// The base URL, for people.
    pub host: String,
    /// Whether that is an arena of our own.
    pub arena: bool,
    /// Whether there is a key; without one the first screen asks.
    pub has_key: bool,
    /// Why a key that is configured cannot be used.
    pub key_problem: Option<String>,
    /// Whether the profile refuses every write.
    pub read_only: bool,
    /// Whether an arena is to be opened first (`gert demo`).
    pub demo: bool,
    /// The recording to play, if it was started for that (`gert replay`); no key is needed then.
    pub replay: Option<PathBuf>,
    /// Where the sample policies are, if they could be found or written.
    pub sample_policy: Option<PathBuf>,
    /// Where times of the day are shown for.
    pub zone: jiff::tz::TimeZone,
    /// How the user wants games drawn.
    pub views: Views,
    /// What went wrong while starting, in words.
    pub notices: Vec<String>,
}
