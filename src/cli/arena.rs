//! `gert arena`: the arena alone.

use std::path::PathBuf;

use crate::arena::command::{self, Options};

use super::Failure;

/// What `gert arena` takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
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
}

/// Serves until INT or TERM.
pub(super) async fn run(args: Args) -> Result<i32, Failure> {
    let Args { dev, host, port, db, ephemeral } = args;
    command::run(Options { dev, host, port, db, ephemeral }).await?;
    Ok(0)
}
