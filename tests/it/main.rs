//! Integration tests: one module a subject.

//mod layers;
mod pty;
