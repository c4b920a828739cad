//! `gert policy init`: a policy to start from, in one file.

use std::path::PathBuf;

use crate::cli::Failure;

/// What `gert policy init` takes.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// In which language
    #[arg(long, value_enum)]
    lang: Lang,
    /// The game it is for; without it, any
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The file to write [default: policy.py, policy.rs, policy.sh or policy.mjs]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// A language that there is a template in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Lang {
    Python,
    Rust,
    Sh,
    Js,
}

/// Writes the file.
pub(super) fn run(args: &Args) -> Result<i32, Failure> {
    Err(format!("there is no template yet for {args:?}").into())
}
