//! Makes a [`super::Play`] of any [`super::Rules`].

/// A match in progress.
#[derive(Debug)]
pub struct Table;
