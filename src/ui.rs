//! Draws the dashboard's state. Reads, changes nothing.
//!
//! Start reading at [`screen::draw`]. A view draws into an area and notes in [`Drawn`](crate::app::screen::Drawn) what
//! the state must know of it: where things lie, and how much fits.

mod branching;
pub mod gate;
pub mod marks;
pub mod overlays;
pub mod panes;
pub mod render;
pub mod screen;
#[cfg(test)]
mod tests;
pub mod theme;
pub mod widgets;
