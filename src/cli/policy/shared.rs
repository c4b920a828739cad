//! What the commands that play have in common.

use std::sync::Arc;

use crate::api::Micro;
use crate::cli::{Failure, prompt};
use crate::policy::PolicySpec;
use crate::seat::{OnFailure, Player};

use super::server::Server;

/// What becomes of a policy that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Reaction {
    /// The seat is given up
    Stop,
    /// It is started again and asked the same again, up to ten times a session
    Restart,
    /// Something harmless is played in its place: nothing where that is a move, else the first listed action
    Safe,
}

impl From<Reaction> for OnFailure {
    fn from(reaction: Reaction) -> Self {
        match reaction {
            Reaction::Stop => Self::Stop,
            Reaction::Restart => Self::Restart,
            Reaction::Safe => Self::Safe,
        }
    }
}

/// A player from what was typed for it.
pub(super) fn player(command: &str) -> Result<Arc<Player>, String> {
    let spec = PolicySpec::parse(command).map_err(|why| format!("`{command}`: {why}"))?;
    Ok(Arc::new(Player::new(spec.name(), spec)))
}

/// Shows the highest price and, where somebody can be asked and it costs real credits, asks. True to go on.
pub(super) async fn agree(
    server: &Server,
    what: &str,
    price: Option<Micro>,
    yes: bool,
) -> Result<bool, Failure> {
    if server.is_own() {
        return Ok(true);
    }
    let price =
        price.map_or("a price that only the server knows".into(), |price| format!("at most {price} credits"));
    eprintln!("gert: {what} on {}: {price}", server.label);
    if yes || !server.bills || !prompt::can_ask() {
        return Ok(true);
    }
    let agreed = tokio::task::spawn_blocking(|| prompt::yes("Go on?")).await?;
    if !agreed {
        eprintln!("gert: nothing was started");
    }
    Ok(agreed)
}

/// As many as there are cores.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, std::num::NonZero::get)
}

/// A command as a shell takes it.
pub(super) fn quoted(word: &str) -> String {
    crate::policy::CommandLine { argv: vec![word.to_owned()] }.to_string()
}
