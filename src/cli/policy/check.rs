//! `gert policy check`: what is wrong with a policy, step by step, in words that its author can act on.

use std::path::PathBuf;

use crate::cli::Failure;

/// What `gert policy check` takes.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Only observations of this game
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The report as one JSON document
    #[arg(long)]
    json: bool,
    /// Only what this file holds, which an earlier check wrote
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Flags of the policy, then the command; as one text or as words
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    command: Vec<String>,
}

/// Checks it; the exit status is 0 for a sound policy, 1 for one with faults, 2 for what is none.
pub(super) async fn run(args: Args) -> Result<i32, Failure> {
    Err(format!("there is nothing to check yet for {args:?}").into())
}
