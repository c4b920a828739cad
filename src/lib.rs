//! `gert`: a terminal cockpit, a client library and a local arena for the Gert Labs AI evaluation platform.
//!
//! The modules in reading order:
//!
//! - [`text`]: text from outside made safe to show, and cut to a width.
//! - [`api`]: the platform's REST and WebSocket API, typed.
//! - [`rollout`]: the SDK's algorithms on top: prompts, actions, episodes, scoring, transcripts.
//! - [`dataset`]: reads export files: Parquet, JSON and JSON lines.
//! - `config`: settings, flags over environment over the file over defaults.
//! - `journal`: JSON-lines files that survive crashes and several writers.
//! - `spend`: spending caps, read-only mode, and the ledger of what this machine started.
//! - `tape`: recordings of sessions: written while they run, any moment of them brought back.
//! - `client`: the task that owns all traffic with the platform.
//! - `policy`: runs any command as a player, over JSON lines.
//! - `seat`: plays seats of sessions without a dashboard.
//! - `contest`: a contest of two players: pairs, Elo, the test that ends it.
//! - `app`: the dashboard's state, events in and effects out, nothing else.
//! - `ui`: draws the dashboard's state.
//! - `arena`: the local server with its own real games.
//! - `runtime`: the event loop; the only place that wires things.
//! - `cli`: the command line.
//!
//! With `default-features = false` the library is a lean SDK for the platform: [`api`], [`rollout`], [`dataset`] without
//! Parquet, and [`text`]; no terminal, no server. `examples/` has the common tasks: discover, play, rollouts, branch
//! scoring, building a data set, exports, tasks, errors. `ARCHITECTURE.md` has the map and the invariants.

pub mod text;
pub mod api;
pub mod rollout;
pub mod dataset;
#[cfg(feature = "tui")]
pub mod config;
#[cfg(feature = "tui")]
pub mod journal;
#[cfg(feature = "tui")]
pub mod spend;
#[cfg(feature = "tui")]
pub mod client;
#[cfg(any(feature = "arena", feature = "tui"))]
pub mod policy;
#[cfg(feature = "tui")]
pub mod tape;
#[cfg(feature = "tui")]
pub mod seat;
#[cfg(feature = "tui")]
pub mod contest;
#[cfg(feature = "tui")]
pub mod app;
#[cfg(feature = "tui")]
pub mod ui;
#[cfg(feature = "arena")]
pub mod arena;
#[cfg(feature = "tui")]
pub mod runtime;
#[cfg(feature = "tui")]
pub mod cli;
