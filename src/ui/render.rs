//! Turns an observation into panels: known shapes, and everything else.
