//! The local server with its own real games.

pub mod engine;
pub mod games;
