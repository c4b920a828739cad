//! The command-line twin: `gert RESOURCE METHOD`, one command for each method of the SDK.
//!
//! Nothing here knows a method by heart: [`table`] lists them, [`flags`] makes a command's flags from the fields of its
//! request (`api::Request::FIELDS`) and its help from the table of prices and resend rules (`api::RULES`), [`work`]
//! sends it, [`output`] prints it. What is more than one request has a file of its own. On stdout there is only what
//! was asked for; everything else goes to stderr.

mod failure;
mod flags;
#[cfg_attr(not(test), expect(dead_code, reason = "the command `exports load` comes with the downloads"))]
mod load;
mod method;
mod output;
mod raw;
mod show;
mod table;
mod work;

use std::time::Duration;

use clap::{ArgMatches, Command};

use crate::api::{Client, Notice, Observer, PageOptions};
use crate::config::Config;

pub(super) use self::failure::Failure;
use self::output::Output;

/// What every command has at hand.
pub(super) struct Context {
    /// Talks to the platform.
    client: Client,
    /// Where answers go.
    output: Output,
    /// How much of a list.
    pages: PageOptions,
    /// How often it is asked again, if it is.
    watch: Option<Duration>,
}

/// The commands of the twin.
pub(super) fn commands() -> Vec<Command> {
    let resources = table::RESOURCES.iter().map(flags::resource);
    resources.chain([raw::command()]).collect()
}

/// Runs the command that was given, if it is one of the twin's; returns the exit status.
pub(super) async fn run(
    matches: &ArgMatches,
    config: impl FnOnce() -> Result<Config, super::Failure>,
) -> Option<i32> {
    let (name, inner) = matches.subcommand()?;
    let is_raw = name == raw::NAME;
    let resource = table::RESOURCES.iter().find(|resource| resource.name == name);
    if resource.is_none() && !is_raw {
        return None;
    }
    let (method, args) = match resource {
        Some(resource) => {
            let (name, args) = inner.subcommand()?;
            (Some(resource.methods.iter().find(|method| method.name == name)?), args)
        }
        None => (None, inner),
    };
    let output = Output::of(args);
    let done = tokio::select! {
        done = perform(method, args, output, config) => done,
        _ = tokio::signal::ctrl_c() => Err(Failure::Interrupted),
    };
    Some(match done {
        Ok(()) => 0,
        Err(failure) => {
            failure.tell(output.is_json());
            failure.status()
        }
    })
}

async fn perform(
    method: Option<&method::Method>,
    args: &ArgMatches,
    output: Output,
    config: impl FnOnce() -> Result<Config, super::Failure>,
) -> Result<(), Failure> {
    let client = client(config().map_err(|why| Failure::Usage(super::chain(&*why)))?)?;
    let context = Context { client, output, pages: flags::pages(args), watch: flags::watch(args) };
    match method {
        Some(method) => {
            let members = flags::members(method, args)?;
            context.watched(method, members).await
        }
        None => raw::run(&context, args).await,
    }
}

/// A client that says on stderr when it waits.
fn client(config: Config) -> Result<Client, Failure> {
    let key = config.key.clone().ok_or(Failure::NoKey)?;
    let mut settings = config.settings(key);
    settings.observer = Observer::new(|Notice::Waiting { endpoint, sent, wait, why }| {
        output::say(&format!("{endpoint}: {why}; asked {sent} times, again in {:.1} s", wait.as_secs_f32()));
    });
    Client::new(settings).map_err(Failure::Api)
}
