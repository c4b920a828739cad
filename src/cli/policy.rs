//! `gert policy`: what plays, from a shell.

mod check;
mod contest;
pub(super) mod init;
mod kept;
mod ladder;
mod live;
mod play;
mod rollout;
mod series;
mod server;
mod shared;
mod stop;
mod table;

use super::Failure;
use crate::config::Given;

/// What `gert policy` does.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Action {
    /// Try a policy on observations of every game and on hostile ones, and say what is wrong with it
    Check(check::Args),
    /// Write a policy to start from into this folder
    Init(init::Args),
    /// A policy in seats of play sessions: one after the other or several at once, each told as it ends
    Play(Box<play::Args>),
    /// Episodes of a rollout run into a file, each with a label that says whether it is of use
    Rollout(Box<rollout::Args>),
    /// Two players against each other until it is known who is stronger: paired seeds, Elo, a test that ends it
    Match(Box<contest::Args>),
    /// A policy against the league, band by band: which bands does it beat?
    Ladder(Box<ladder::Args>),
}

/// Does it; returns the exit status.
pub(super) async fn run(action: Action, given: Given) -> Result<i32, Failure> {
    match action {
        Action::Check(args) => check::run(args).await,
        Action::Init(args) => init::run(&args),
        Action::Play(args) => play::run(*args, given).await,
        Action::Rollout(args) => rollout::run(*args, given).await,
        Action::Match(args) => contest::run(*args, given).await,
        Action::Ladder(args) => ladder::run(*args, given).await,
    }
}
