//! The command-line twin: `gert RESOURCE METHOD`, one command for each method of the SDK.
//!
//! Nothing here knows a method by heart: [`table`] lists them, [`flags`] makes a command's flags from the fields of its
//! request (`api::Request::FIELDS`) and its help from the table of prices and resend rules (`api::RULES`), [`work`]
//! sends it, [`output`] prints it. What is more than one request has a file of its own. On stdout there is only what
//! was asked for; everything else goes to stderr.

mod failure;
mod flags;
mod load;
mod local;
mod long;
mod method;
mod narrate;
pub(in crate::cli) mod output;
mod raw;
mod seats;
mod show;
mod sockets;
mod table;
mod work;

use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use clap::{ArgMatches, Command};

use crate::api::model::Json;
use crate::api::{Client, Notice, Observer, PageOptions};
use crate::config::{Config, Given};

pub(super) use self::failure::{Failure, status_of};
pub(super) use self::local::{CommandPolicy, PolicyBroke};
use self::output::Output;
use self::seats::Seats;

/// What every command has at hand.
pub(super) struct Context {
    config: Config,
    /// Talks to the platform, once something is asked.
    made: OnceLock<Client>,
    /// Where answers go.
    output: Output,
    /// How much of a list.
    pages: PageOptions,
    /// How often it is asked again, if it is.
    watch: Option<Duration>,
    /// The last answer of what is watched.
    last: Mutex<Option<Json>>,
    /// The seats that this machine took.
    seats: Seats,
}

/// The commands of the twin.
pub(super) fn commands() -> Vec<Command> {
    let resources = table::RESOURCES.iter().map(flags::resource);
    resources.chain([raw::command()]).collect()
}

/// Runs the command that was given, if it is one of the twin's; returns the exit status.
pub(super) async fn run(matches: &ArgMatches, given: Given) -> Option<i32> {
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
        done = perform(method, args, output, given) => done,
        _ = tokio::signal::ctrl_c() => Err(Failure::Interrupted),
    };
    if matches!(done, Err(Failure::Interrupted)) {
        settle().await;
    }
    Some(match done {
        Ok(()) => 0,
        Err(failure) => {
            failure.tell(output.is_json());
            failure.status()
        }
    })
}

/// Gives what was broken off a moment to be closed: an episode is billed until it is (see `rollout`). A second ctrl-c
/// does not wait.
pub(super) async fn settle() {
    const MOMENT: Duration = Duration::from_secs(5);
    let metrics = tokio::runtime::Handle::current().metrics();
    let closed = async {
        while metrics.num_alive_tasks() > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        _ = tokio::time::timeout(MOMENT, closed) => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

async fn perform(
    method: Option<&method::Method>,
    args: &ArgMatches,
    output: Output,
    given: Given,
) -> Result<(), Failure> {
    let config = super::load(given, Config::load).await.map_err(|why| Failure::Usage(super::chain(&*why)))?;
    let seats = Seats::new(super::log::state_folder(), config.base_url.as_str().to_owned());
    let context = Context {
        config,
        made: OnceLock::new(),
        output,
        pages: flags::pages(args),
        watch: flags::watch(args),
        last: Mutex::default(),
        seats,
    };
    match method {
        Some(method) => {
            let members = flags::members(method, args, &context.seats)?;
            context.watched(method, members).await
        }
        None => raw::run(&context, args).await,
    }
}

impl Context {
    /// The client; without a key there is none.
    fn client(&self) -> Result<&Client, Failure> {
        if let Some(client) = self.made.get() {
            return Ok(client);
        }
        let client = client(&self.config, self.output)?;
        Ok(self.made.get_or_init(|| client))
    }
}

/// A client that tells people when it waits.
fn client(config: &Config, output: Output) -> Result<Client, Failure> {
    let mut settings = config.client_settings().map_err(|why| Failure::NoKey(why.to_string()))?;
    settings.guard = super::guard::of(config);
    let waits = Observer::new(|Notice::Waiting { endpoint, sent, wait, why }| {
        output::say(&format!("{endpoint}: {why}; asked {sent} times, again in {:.1} s", wait.as_secs_f32()));
    });
    settings.observer = if output.is_json() { Observer::default() } else { waits };
    Client::new(settings).map_err(Failure::Api)
}
