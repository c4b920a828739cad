//! Integration tests: one module a subject.

mod api;
