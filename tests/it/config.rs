//! The built program's settings and keys: what a user types, and what is on disk afterwards.
//!
//! Each test has a home of its own, and no system keyring: the bus that leads to one is not there.

mod auth;
mod files;
mod rig;
mod terminal;
