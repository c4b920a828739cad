//! What the dashboard does: events in, state and effects out. No runtime, no clock, no terminal.
//!
//! [`harness`] drives the state; each other file holds the sentences about one subject.

pub(crate) mod harness;

mod branching;
mod creating;
mod idle;
mod keys;
mod lists;
mod loading;
mod looking;
mod mouse;
mod playing;
mod replaying;
mod policies;
mod providers;
pub(crate) mod wall;
mod watching;
