//! Integration tests: one module a subject.

#[cfg(feature = "arena")]
mod arena;
