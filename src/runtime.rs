//! The event loop: terminal, inbox, effects. The only place that wires things.

pub mod exit;
pub mod input;
pub mod signals;
pub mod terminal;
