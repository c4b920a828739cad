//! The games: one module each, one line each in [`GAMES`].

pub mod connect_four;
pub mod grid_serpents;
pub mod market_simulator;
