//! `gert auth`: the key of the profile in force.

use serde_json::json;

use crate::api::model::Balance;
use crate::api::{self, ApiKey, ErrorKind};
use crate::config::{Config, Given, KeySource, Store, check_key, fingerprint};

use super::prompt::{self, Answer};
use super::twin::status_of;
use super::{Failure, chain, env, load, patiently, print};

/// What `gert auth` does. No flag takes a key: a command line can be read by every user of the machine.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Action {
    /// Ask for a key, check it, and store it for the profile in force
    Login {
        /// Where to store it
        #[arg(long, value_enum, default_value_t = Where::Auto)]
        store: Where,
        /// Read the key from standard input
        #[arg(long)]
        stdin: bool,
        /// Store the key without asking the platform whether it takes it
        #[arg(long)]
        no_check: bool,
    },
    /// Say which key is in force, where it came from and what the platform says to it
    Status {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove the key that is stored for the profile in force
    Logout,
}

/// Where to store a key.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(super) enum Where {
    /// The keyring, else a file
    Auto,
    /// The system's keyring
    Keyring,
    /// A file that only you can read
    File,
}

impl From<Where> for Store {
    fn from(store: Where) -> Self {
        match store {
            Where::Auto => Self::Auto,
            Where::Keyring => Self::Keyring,
            Where::File => Self::File,
        }
    }
}

/// Does it; returns the exit status.
pub(super) async fn run(action: Action, given: Given) -> Result<i32, Failure> {
    match action {
        Action::Login { store, stdin, no_check } => login(given, store.into(), stdin, no_check).await,
        Action::Status { json } => status(given, json).await,
        Action::Logout => logout(given).await,
    }
}

async fn login(given: Given, store: Store, stdin: bool, no_check: bool) -> Result<i32, Failure> {
    let config = load(Given { new_profile: true, ..given }, Config::load_without_key).await?;
    config.can_keep_key()?;
    let host = config.base_url.host();
    let text = if stdin {
        tokio::task::spawn_blocking(prompt::piped).await??
    } else if prompt::can_ask() {
        match prompt::secret(&format!("API key for {host}: ")).await? {
            Answer::Typed(text) => text,
            Answer::Left(code) => return Ok(code),
        }
    } else {
        // T-08: nobody can answer.
        eprintln!(
            "gert: there is no terminal to ask for the key on: pipe it in with `--stdin`, or set `GERT_API_KEY`"
        );
        return Ok(2);
    };
    if text.trim().is_empty() {
        eprintln!("gert: no key was given: nothing was changed");
        return Ok(2);
    }
    let key = ApiKey::new(&text)?;
    if !no_check {
        match check_key(config.settings(key.clone())).await {
            Ok((_, balance)) => print(&format!("{host} accepts the key: {}\n", account(&balance)))?,
            Err(why) => return Ok(not_stored(&host, &why)),
        }
    }
    let shown = fingerprint(&key);
    let profile = config.profile.clone();
    let kept = patiently(move || config.keep_key(&key, store)).await??;
    if let Some(why) = kept.no_keyring {
        eprintln!("gert: the keyring was not used: {}", crate::text::clean(&why));
    }
    print(&format!(
        "The key {shown} is stored in {} for the profile `{profile}`, as noted in {}\n",
        kept.source,
        kept.noted_in.display()
    ))?;
    if still_set("GERT_API_KEY") {
        eprintln!("gert: `GERT_API_KEY` is set and goes before it");
    }
    Ok(0)
}

/// Says why a key was not stored; returns the exit status.
fn not_stored(host: &str, why: &api::Error) -> i32 {
    if is_refusal(why) {
        eprintln!("gert: {host} refuses the key, so it was not stored: {}", told(why));
    } else {
        eprintln!("gert: the key could not be checked, so it was not stored: {}", told(why));
        eprintln!("gert: `--no-check` stores it all the same");
    }
    status_of(why)
}

async fn status(given: Given, json: bool) -> Result<i32, Failure> {
    let config = load(given, Config::load).await?;
    let host = config.base_url.as_str();
    let checked = match config.client_settings() {
        Ok(settings) => {
            check_key(settings).await.map(|(_, balance)| balance).map_err(|why| (status_of(&why), told(&why)))
        }
        Err(why) => Err((4, why.to_string())),
    };
    let source = config.key_source.to_string();
    if json {
        let (account, problem) = match &checked {
            Ok(balance) => (json!({ "credits": balance.credits, "tier": balance.tier }), json!(null)),
            Err((_, why)) => (json!(null), json!(why)),
        };
        let status = json!({
            "profile": config.profile,
            "base_url": host,
            "key": { "source": source, "fingerprint": config.key_shown() },
            "account": account,
            "problem": problem,
        });
        print(&format!("{status:#}\n"))?;
    } else {
        let key = match config.key_shown() {
            Some(shown) => format!("{shown}, from {source}"),
            None if config.key_source == KeySource::Nowhere => "none".to_owned(),
            None => format!("none, {source}"),
        };
        let account = match &checked {
            Ok(balance) => account(balance),
            Err((_, why)) => format!("unknown: {why}"),
        };
        print(&format!(
            "profile  {}\nhost     {host}\nkey      {key}\naccount  {account}\n",
            config.profile
        ))?;
    }
    Ok(checked.err().map_or(0, |(code, _)| code))
}

async fn logout(given: Given) -> Result<i32, Failure> {
    let config = load(given, Config::load_without_key).await?;
    let profile = config.profile.clone();
    let source = config.key_source.clone();
    let forgotten = patiently(move || config.forget_key()).await??;
    if forgotten.from.is_empty() {
        print(&format!("No key is stored for the profile `{profile}`\n"))?;
    }
    for from in &forgotten.from {
        print(&format!("The key of the profile `{profile}` was removed from {from}\n"))?;
    }
    let named = match source {
        KeySource::Variable(name) => vec![name],
        _ => vec![],
    };
    for name in named.iter().map(String::as_str).chain(["GERT_API_KEY"]) {
        if still_set(name) {
            eprintln!("gert: the variable `{name}` still provides a key: unset it where it is set");
            break;
        }
    }
    Ok(0)
}

fn still_set(name: &str) -> bool {
    env(name).is_some_and(|value| !value.trim().is_empty())
}

/// What the platform says about who owns the key.
fn account(balance: &Balance) -> String {
    let owner = ["email", "account", "username", "org"]
        .iter()
        .find_map(|name| balance.extra.decode::<String>(name))
        .map_or_else(String::new, |owner| format!("{owner}, "));
    let tier = balance.tier.as_deref().map_or_else(String::new, |tier| format!("{tier} plan, "));
    crate::text::clean(&format!("{owner}{tier}{} credits", crate::text::number::credits(balance.credits)))
        .into_owned()
}

fn told(why: &api::Error) -> String {
    match why.advice() {
        Some(advice) => format!("{} ({advice})", chain(why)),
        None => chain(why),
    }
}

fn is_refusal(why: &api::Error) -> bool {
    matches!(why.kind(), ErrorKind::Authentication | ErrorKind::Permission)
}
