//! Submissions: code that plays a game.

pub mod check;
