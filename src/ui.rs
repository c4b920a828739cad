//! Draws the dashboard's state. Reads, changes nothing.

pub mod render;
pub mod theme;
pub mod widgets;
