//! The `gert` command; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    gert::cli::main()
}
