//! `gert arena`: the arena alone, and what its makers need.

mod calibrate;
mod fault_script;
mod grant;
mod doctor;
mod init_bot;
mod provider;

use std::path::PathBuf;

use crate::arena::command::{self, Options};

use super::Failure;

/// What `gert arena` takes.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Let anybody on this machine register, log in and mint keys, as the SDK's live tests do
    #[arg(long)]
    dev: bool,
    /// The address to listen on: loopback only
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// The port; 0 picks a free one
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// The database file [default: arena.db in the data folder]
    #[arg(long, value_name = "FILE", conflicts_with = "ephemeral")]
    db: Option<PathBuf>,
    /// Keep nothing
    #[arg(long)]
    ephemeral: bool,
    /// Make things go wrong as this TOML file says: latency, errors, cut sockets, late starts, failing seats
    #[arg(long, value_name = "FILE")]
    fault: Option<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Measure the ratings of a game's built-in players: they play each other on all cores
    Calibrate(calibrate::Args),
    /// Give an account credits, or limit what it may spend a day; the arena may be running
    Grant(grant::Args),
    /// How submitted programs are kept in their place on this machine
    Doctor,
    /// Write a player to submit into a file: it plays at random, and has the rules in it
    InitBot(init_bot::Args),
    /// Register, list or forget the endpoints that write submissions
    Provider(provider::Args),
}

/// Serves until INT or TERM, or does what else was asked for.
pub(super) async fn run(args: Args) -> Result<i32, Failure> {
    let Args { action, dev, host, port, db, ephemeral, fault } = args;
    match action {
        Some(Action::Calibrate(args)) => return calibrate::run(args).await,
        Some(Action::Grant(args)) => return grant::run(&args),
        Some(Action::Doctor) => return doctor::run().await,
        Some(Action::InitBot(args)) => return init_bot::run(&args),
        Some(Action::Provider(args)) => return provider::run(args),
        None => {}
    }
    let faults = fault.map(|path| fault_script::read(&path)).transpose()?.unwrap_or_default();
    command::run(Options { dev, host, port, db, ephemeral, faults }).await?;
    Ok(0)
}
