//! Settings: flags over environment over the file over defaults, resolved and checked once.
//!
//! The environment is the SDK's (`GERT_API_KEY`, `GERT_BASE_URL`; protocol.md §1.3); an empty variable counts as
//! absent. The file is `config.toml`, written by hand, by `gert config` or by `gert auth`; it never holds a key, only
//! where one is kept. Whatever is wrong with it is an error with its line ([`ConfigError`]), before anything else
//! happens, and a file that cannot be read is never written.
//!
//! ```text
//! Given (flags) ─┐
//! environment ───┼─▶ Config::load ─▶ Config ─▶ settings for a client
//! config.toml ───┤                     │
//! keyring, keys/ ┘                     └─▶ show: every value and where it came from
//! ```
//!
//! A key that a profile keeps belongs to that profile's host: if a flag or a variable leads elsewhere, it is withheld.
//! Start reading at [`Config::load`]; changes are in [`Config::keep_key`] and [`change`].

mod caps;
pub mod change;
mod edit;
mod fields;
mod file;
mod keep;
mod keys;
mod places;
mod problem;
mod proxy;
mod resolve;
mod save;

use std::path::PathBuf;
use std::time::Duration;

use crate::api::{self, ApiKey, BaseUrl, ProxyRules, Settings};

pub use self::caps::{Spend, UnknownPrice};
pub use self::file::DEFAULT_PROFILE;
pub use self::keep::{Forgotten, KeepError, Kept, Store};
pub use self::keys::{KeyPlace, KeySource, StoreError, fingerprint};
pub use self::places::{Env, Given, Places};
pub use self::problem::{At, ConfigError, Problem};
pub use self::resolve::{Origin, Setting};
pub use self::save::SaveError;

/// The file that `gert config edit` begins with: every default and a word about each.
pub const TEMPLATE: &str = include_str!("../assets/config.toml");

/// What the settings come to.
#[derive(Debug, Clone)]
pub struct Config {
    /// The profile in force.
    pub profile: String,
    /// Where the platform is.
    pub base_url: BaseUrl,
    /// Who is asking; none if there is no key anywhere, or none that may be used.
    pub key: Option<ApiKey>,
    /// Where the key came from.
    pub key_source: KeySource,
    /// Why a key that is configured cannot be used.
    pub key_problem: Option<String>,
    /// Refuse every write.
    pub read_only: bool,
    /// Caps on spending.
    pub spend: Spend,
    /// Lets the key travel in clear to a host that is not this machine.
    pub allow_plain_http: bool,
    /// PEM files of certificate authorities to trust beside the platform's.
    pub ca_files: Vec<PathBuf>,
    /// Which proxy.
    pub proxy: ProxyRules,
    /// The longest silence of the server.
    pub timeout: Duration,
    /// How often a request is sent again that the server did nothing about.
    pub max_retries: u32,
    /// How the dashboard looks.
    pub ui: Ui,
    /// How sessions are recorded.
    pub recordings: Recordings,
    /// Every value, by the name that `gert config set` knows it by, and where it came from.
    pub values: Vec<Setting>,
    /// What the user should be told once.
    pub warnings: Vec<String>,
    /// Where the settings are.
    pub places: Places,
    keeper: keep::Keeper,
}

/// How the dashboard looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ui {
    /// Draw with ASCII characters only.
    pub ascii: bool,
    /// Take mouse clicks from the start.
    pub mouse: bool,
}

/// How sessions are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recordings {
    /// Whether they are.
    pub enabled: bool,
    /// The size at which a recording stops.
    pub max_mib: u64,
    /// What all together may take; the oldest go first.
    pub total_mib: u64,
    /// Whether those that were closed are compressed.
    pub compress: bool,
}

impl Default for Recordings {
    fn default() -> Self {
        Self { enabled: true, max_mib: 256, total_mib: 4096, compress: true }
    }
}

impl Config {
    /// Resolves flags, environment and file, and fetches the key from where it is kept. May wait for the keyring: not for
    /// async threads.
    ///
    /// # Errors
    /// Everything that is wrong, with where it stands.
    pub fn load(given: &Given, env: Env<'_>) -> Result<Self, ConfigError> {
        let mut config = Self::load_without_key(given, env)?;
        config.fetch_key();
        Ok(config)
    }

    /// As [`Config::load`], but leaves the keyring and the key files alone.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn load_without_key(given: &Given, env: Env<'_>) -> Result<Self, ConfigError> {
        let places = Places::find(given, env);
        let bytes = places.read()?;
        resolve::resolve(given, env, places, bytes.as_deref())
    }

    /// Fetches the key from the keyring or the key file, if that is where it is kept.
    pub fn fetch_key(&mut self) {
        let fetched = match &self.key_source {
            KeySource::Keyring => self.keeper.entry().get().map(|key| key.map(|key| (key, None))),
            KeySource::File(path) => keys::read_file(path),
            _ => return,
        };
        match fetched {
            Ok(Some((key, warning))) => {
                self.key = Some(key);
                self.warnings.extend(warning);
            }
            Ok(None) => {
                let (profile, source) = (&self.profile, &self.key_source);
                self.key_problem = Some(format!(
                    "the profile `{profile}` keeps its key in {source}, where there is none: `gert auth login` stores one"
                ));
            }
            Err(why) => self.key_problem = Some(format!("the key cannot be read: {}", words(&why))),
        }
    }

    /// The key in force for people: its fingerprint, never itself.
    pub fn key_shown(&self) -> Option<String> {
        self.key.as_ref().map(fingerprint)
    }

    /// What a client is made from with a key.
    pub fn settings(&self, key: ApiKey) -> Settings {
        Settings {
            max_retries: self.max_retries,
            timeout: self.timeout,
            allow_plain_http: self.allow_plain_http,
            proxy: self.proxy.clone(),
            ca_files: self.ca_files.clone(),
            ..Settings::new(self.base_url.clone(), key)
        }
    }

    /// What a client is made from.
    ///
    /// # Errors
    /// When there is no key; says what to do.
    pub fn client_settings(&self) -> Result<Settings, NoKey> {
        match &self.key {
            Some(key) => Ok(self.settings(key.clone())),
            None => Err(NoKey(self.key_problem.clone().unwrap_or_else(|| {
                format!(
                    "there is no API key for the profile `{}`: set `GERT_API_KEY`, or store one with `gert auth login`",
                    self.profile
                )
            }))),
        }
    }
}

/// There is no key to ask with; says why and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoKey(String);

/// Asks the platform whether it takes a key, by asking for the balance.
///
/// # Errors
/// When the platform refuses it, or cannot be asked.
pub async fn check_key(settings: Settings) -> Result<(api::Client, api::model::Balance), api::Error> {
    let client = api::Client::new(settings)?;
    let balance = client.send(&api::endpoints::GetBalance::new()).await?;
    Ok((client, balance))
}

/// An error with its causes in one line.
fn words(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        words = format!("{words}: {cause}");
        source = cause.source();
    }
    words
}

#[cfg(test)]
mod tests;
