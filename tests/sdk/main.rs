//! Our algorithms against the official Python SDK's, input by input.

fn main() {}
