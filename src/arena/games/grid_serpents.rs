//! `grid_serpents`.
