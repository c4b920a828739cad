//! `connect_four`.
