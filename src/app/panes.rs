//! The panes' states, one file each.

pub mod credits;
pub mod games;
pub mod play;
pub mod sessions;
