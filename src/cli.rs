//! The command line.

#[cfg(feature = "arena")]
mod arena;
mod auth;
mod completions;
mod config;
mod dashboard;
mod doctor;
#[cfg(feature = "arena")]
mod embedded;
mod guard;
mod log;
mod man;
mod policy;
mod prompt;
mod record;
mod replay;
mod twin;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::api::KeyError;
use crate::config::{Config, ConfigError, Given, KeepError, NoKey, SaveError};

/// A terminal cockpit for the Gert Labs AI evaluation platform.
///
/// Without a command: the dashboard, on the profile in force (`gert config show`).
#[derive(Debug, Parser)]
#[command(name = "gert", version, about, long_about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    view: View,
    /// The platform's address [default: `GERT_BASE_URL`, else the profile's]
    #[arg(long, global = true, value_name = "URL", help_heading = "Settings")]
    base_url: Option<String>,
    /// The profile [default: `GERT_PROFILE`, else what the settings say]
    #[arg(long, global = true, value_name = "NAME", help_heading = "Settings")]
    profile: Option<String>,
    /// The settings file [default: `GERT_CONFIG`, else config.toml in the settings folder]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Settings")]
    config: Option<PathBuf>,
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
        keep: Option<PathBuf>,
    },
    /// The arena alone, for the Python SDK or any client
    #[cfg(feature = "arena")]
    Arena(arena::Args),
    /// Settings: show, change and check them
    #[command(subcommand)]
    Config(config::Action),
    /// The API key: store, look at and remove it
    #[command(subcommand)]
    Auth(auth::Action),
    /// What was recorded: list, look, compare, export, remove
    #[command(subcommand)]
    Record(record::Action),
    /// Open a recording in the dashboard; no key and no network is needed
    Replay {
        /// Its file, its session's id, or the beginning of either
        #[arg(value_name = "FILE|ID")]
        name: String,
        #[command(flatten)]
        view: View,
    },
    /// Check the settings, this machine and the way to the platform, and say what to do
    Doctor(doctor::Args),
    /// Policies: commands and models that play. Check one, or begin one
    #[command(subcommand)]
    Policy(policy::Action),
    /// Completions for a shell, to be put where it looks for them
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// The manual page, or all of them into a folder
    Man {
        /// Write a page for every command into this folder
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}

/// The whole command line, the twin's commands included.
fn command() -> clap::Command {
    Cli::command().subcommands(twin::commands())
}

/// Runs the command line; returns the exit status.
pub fn main() -> ExitCode {
    // The arena's launcher, before there is a second thread.
    #[cfg(feature = "arena")]
    if let Some(status) = crate::arena::sandbox::launch::asked(std::env::args_os()) {
        return ExitCode::from(u8::try_from(status).unwrap_or(1));
    }
    let matches = command().get_matches();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("gert: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let code = runtime.block_on(run(&matches)).unwrap_or_else(|report| {
        for line in chain(&*report).lines() {
            eprintln!("gert: {line}");
        }
        status(&*report)
    });
    // A thread that waits for a key must not hold the end up.
    runtime.shutdown_background();
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

async fn run(matches: &ArgMatches) -> Result<i32, Failure> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let given = Given {
        config: matches.get_one("config").cloned(),
        profile: text("profile"),
        base_url: text("base_url"),
        ..Given::default()
    };
    if let Some(status) = twin::run(matches, given.clone()).await {
        return Ok(status);
    }
    let cli = Cli::from_arg_matches(matches)?;
    let looks = |view: &View| Given { ascii: view.ascii, mouse: view.mouse, ..given.clone() };
    match cli.command {
        #[cfg(feature = "arena")]
        Some(Command::Arena(args)) => arena::run(args).await,
        #[cfg(feature = "arena")]
        Some(Command::Demo { view, keep }) => {
            let given = looks(&cli.view.or(&view));
            dashboard::demo(load(given, Config::load_without_key).await?, keep).await
        }
        Some(Command::Config(action)) => config::run(action, given).await,
        Some(Command::Auth(action)) => auth::run(action, given).await,
        Some(Command::Record(action)) => record::run(action, given).await,
        Some(Command::Replay { name, view }) => replay::run(&name, looks(&cli.view.or(&view))).await,
        Some(Command::Doctor(args)) => doctor::run(args, given).await,
        Some(Command::Policy(action)) => policy::run(action, given).await,
        Some(Command::Completions { shell }) => completions::run(shell),
        Some(Command::Man { dir }) => man::run(dir.as_deref()),
        None => dashboard::run(load(looks(&cli.view), Config::load).await?).await,
    }
}

type Env<'a> = crate::config::Env<'a>;

/// The settings; what the user should know of them goes to standard error.
async fn load(
    given: Given,
    how: fn(&Given, Env<'_>) -> Result<Config, ConfigError>,
) -> Result<Config, Failure> {
    let config = patiently(move || how(&given, &env)).await??;
    for warning in &config.warnings {
        eprintln!("gert: warning: {warning}");
    }
    Ok(config)
}

/// Does what may wait for the keyring off the async threads; after a while says what it waits for.
async fn patiently<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    const A_WHILE: Duration = Duration::from_millis(1500);
    let mut working = tokio::task::spawn_blocking(work);
    if let Ok(done) = tokio::time::timeout(A_WHILE, &mut working).await {
        return Ok(done?);
    }
    eprintln!("gert: waiting for the system's keyring: is it locked?");
    Ok(working.await?)
}

/// A variable of the environment; what is no text keeps a character that no setting takes.
fn env(name: &str) -> Option<String> {
    Some(std::env::var_os(name)?.to_string_lossy().into_owned())
}

/// Writes to standard output. A reader that went away is no failure.
fn print(text: &str) -> Result<(), Failure> {
    use std::io::{ErrorKind, Write};
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// The exit status of a failure: 2 for what is wrong on this side, 4 for a key that is missing, 1 for the rest.
fn status(error: &(dyn std::error::Error + Send + Sync + 'static)) -> i32 {
    let unsound = |error: &SaveError| matches!(error, SaveError::Unsound(_) | SaveError::Unreadable(_));
    let is_ours = error.is::<ConfigError>()
        || error.is::<KeyError>()
        || error.downcast_ref().is_some_and(unsound)
        || matches!(error.downcast_ref(), Some(KeepError::OtherHost { .. }));
    match (is_ours, error.is::<NoKey>()) {
        (true, _) => 2,
        (_, true) => 4,
        _ => 1,
    }
}

/// An error with its causes; a line for each of several problems.
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
    crate::text::clean_lines(&words).into_owned()
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
        // H-16: a key on the command line can be read by every user of the machine.
        let mut commands = vec![command()];
        while let Some(command) = commands.pop() {
            for argument in command.get_arguments() {
                let id = argument.get_id().as_str();
                // The name of a batch of forks is no secret, nor is that of a variable.
                assert!(
                    !id.contains("key") || ["op_key", "key_env"].contains(&id),
                    "{} {argument:?}",
                    command.get_name()
                );
            }
            commands.extend(command.get_subcommands().cloned());
        }
    }
}
