//! The `gert` command.

fn main() {}
