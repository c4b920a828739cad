//! `gert policy`: what plays, from a shell.

mod check;
mod init;

use super::Failure;

/// What `gert policy` does.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Action {
    /// Try a policy on observations of every game and on hostile ones, and say what is wrong with it
    Check(check::Args),
    /// Write a policy to start from into this folder
    Init(init::Args),
}

/// Does it; returns the exit status.
pub(super) async fn run(action: Action) -> Result<i32, Failure> {
    match action {
        Action::Check(args) => check::run(args).await,
        Action::Init(args) => init::run(&args),
    }
}
