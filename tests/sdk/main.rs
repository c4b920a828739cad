//! Our algorithms against the official Python SDK's, input by input.

mod wire;

fn main() {}
