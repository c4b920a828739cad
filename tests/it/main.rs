//! Integration tests: one module a subject.

#![expect(
    clippy::unwrap_used,
    reason = "a step that fails is a test that fails, also in shared harness code"
)]

mod api;
#[cfg(feature = "arena")]
mod arena;
#[cfg(all(unix, feature = "tui"))]
mod config;
mod failure_cases;
#[cfg(all(unix, feature = "tui", feature = "arena"))]
mod headless;
#[cfg(all(unix, feature = "tui"))]
mod doctor;
mod layers;
mod licences;
#[cfg(all(feature = "tui", feature = "arena"))]
mod painters;
#[cfg(feature = "tui")]
mod twin;
#[cfg(all(unix, feature = "tui", feature = "arena"))]
mod policy;
#[cfg(all(unix, feature = "tui"))]
mod pty;
#[cfg(all(unix, feature = "tui"))]
mod record;
mod rollout;
#[cfg(all(unix, feature = "tui"))]
mod seats;
#[cfg(feature = "tui")]
mod spectating;
