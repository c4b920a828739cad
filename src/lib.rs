//! `gert`: a terminal cockpit, a client library and a local arena for the Gert Labs AI evaluation platform.
//!
//! In reading order:

// The platform's REST and WebSocket API, typed.
pub mod api;
// The dashboard's state: events in, effects out, nothing else.
#[cfg(feature = "tui")]
pub mod app;
// The local server with its own real games.
#[cfg(feature = "arena")]
pub mod arena;
// The command line.
pub mod cli;
// The task that owns all traffic with the platform.
#[cfg(feature = "tui")]
pub mod client;
// Profiles and settings: flags over environment over file over defaults.
pub mod config;
// Runs any command as a player, over JSON lines.
#[cfg(feature = "tui")]
pub mod policy;
// The event loop: terminal, inbox, effects. The only place that wires things.
#[cfg(feature = "tui")]
pub mod runtime;
// Text from outside made safe to show, and cut to a width.
pub mod text;
// Draws the dashboard's state.
#[cfg(feature = "tui")]
pub mod ui;
