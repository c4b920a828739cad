//! The command line.

#[cfg(feature = "arena")]
mod arena;
mod dashboard;
#[cfg(feature = "arena")]
mod embedded;
mod log;
mod twin;

use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::config::Config;

/// A terminal cockpit for the Gert Labs AI evaluation platform.
///
/// Without a command: the dashboard, with the key in `GERT_API_KEY`.
#[derive(Debug, Parser)]
#[command(name = "gert", version, about, long_about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    view: View,
    /// The platform's address; without it `GERT_BASE_URL`, else the platform's own
    #[arg(long, global = true, value_name = "URL")]
    base_url: Option<String>,
}

/// How the dashboard looks.
#[derive(Debug, Clone, clap::Args)]
struct View {
    /// Draw with ASCII characters only
    #[arg(long)]
    ascii: bool,
    /// Take mouse clicks from the start (f2 switches; while on, the terminal selects text with Shift only)
    #[arg(long)]
    mouse: bool,
}

impl View {
    /// Flags before the command and after it count alike.
    fn or(&self, other: &Self) -> Self {
        Self { ascii: self.ascii || other.ascii, mouse: self.mouse || other.mouse }
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The dashboard on an arena of its own: no key, no network, no credits
    #[cfg(feature = "arena")]
    Demo {
        #[command(flatten)]
        view: View,
        /// Keep the arena's database in this folder; without it nothing is kept
        #[arg(long, value_name = "DIR")]
        keep: Option<std::path::PathBuf>,
    },
    /// The arena alone, for the Python SDK or any client
    #[cfg(feature = "arena")]
    Arena(arena::Args),
}

/// The whole command line, the twin's commands included.
fn command() -> clap::Command {
    Cli::command().subcommands(twin::commands())
}

/// Runs the command line; returns the exit status.
pub fn main() -> ExitCode {
    let matches = command().get_matches();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("gert: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let code = runtime.block_on(run(&matches)).unwrap_or_else(|report| {
        eprintln!("gert: {}", chain(&*report));
        1
    });
    // A thread that waits for a key must not hold the end up.
    runtime.shutdown_background();
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

async fn run(matches: &ArgMatches) -> Result<i32, Failure> {
    let base_url = matches.get_one::<String>("base_url").map(String::as_str);
    let config = || Ok(Config::resolve(base_url, |name| std::env::var(name).ok())?);
    if let Some(status) = twin::run(matches, config).await {
        return Ok(status);
    }
    let cli = Cli::from_arg_matches(matches)?;
    match cli.command {
        #[cfg(feature = "arena")]
        Some(Command::Arena(args)) => arena::run(args).await,
        #[cfg(feature = "arena")]
        Some(Command::Demo { view, keep }) => dashboard::demo(config()?, &cli.view.or(&view), keep).await,
        None => dashboard::run(config()?, &cli.view).await,
    }
}

/// An error with its causes on one line.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_words = cause.to_string();
        // Some libraries repeat their cause in their own message.
        if !words.ends_with(&cause_words) {
            words.push_str(": ");
            words.push_str(&cause_words);
        }
        source = cause.source();
    }
    crate::text::clean(&words).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
    }

    #[test]
    fn no_flag_takes_a_key() {
        // A key on the command line can be read by every user of the machine (failure case H-16).
        for argument in Cli::command().get_arguments() {
            assert!(!argument.get_id().as_str().contains("key"), "{argument:?}");
        }
    }
}
