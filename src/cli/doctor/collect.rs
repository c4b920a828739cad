//! Looks at everything, each with a limit of its own and all at once; judges nothing.

mod machine;
mod network;
mod settings;

use std::path::Path;
use std::time::Duration;

use crate::config::{Config, Given};

use super::facts::{Facts, Network};

/// How long a check may take that waits for others.
const LIMIT: Duration = Duration::from_secs(8);
/// How long the keyring may take: a person who has to unlock it is not waited for.
const KEYRING_LIMIT: Duration = Duration::from_secs(4);

/// How long it takes at most.
pub(super) const LONGEST: Duration = KEYRING_LIMIT.saturating_add(LIMIT);

/// What was found.
pub(super) struct Collected {
    pub facts: Facts,
    /// Nothing if the settings cannot be read.
    pub config: Option<Config>,
}

/// Looks at everything; takes [`LONGEST`] at most, or a moment if `offline`.
pub(super) async fn all(given: Given, offline: bool) -> Collected {
    let (settings, config) = settings::read(&given);
    let way = config.as_ref().map(network::client);
    let proxy = settings::proxy(config.as_ref(), way.as_ref());
    let authorities = settings::authorities(config.as_ref());
    let ui = config.as_ref().map(|config| config.ui).unwrap_or_default();
    let client = match &way {
        _ if offline => Err("left out by `--offline`"),
        None => Err("not asked, since the settings cannot be read"),
        Some(Err(_)) => Err("not asked, since there is no way to the host: see above"),
        Some(Ok(client)) => Ok(client),
    };
    let host = async { Some(network::host(client.ok()?).await) };
    let with_key = async {
        let Some(config) = &config else { return (None, None) };
        let (config, key) = settings::key(config).await;
        let answers = async {
            let socket = network::websocket(client.ok()?, config.key.as_ref());
            Some(tokio::join!(network::account(&config), socket))
        };
        (Some(key), answers.await)
    };
    let (host, (key, answers), keyring, python) =
        tokio::join!(host, with_key, settings::keyring(), machine::python());
    let network = match (host, answers) {
        (Some(host), Some((account, websocket))) => Ok(Network { host, account, websocket }),
        _ => Err(client.err().unwrap_or_default().to_owned()),
    };
    let log = super::super::log::path();
    let facts = Facts {
        profile: config.as_ref().map(settings::profile),
        settings,
        key,
        keyring,
        proxy,
        authorities,
        network,
        terminal: machine::terminal(&super::env, ui),
        python,
        folders: machine::folders(&given),
        log: machine::log(log.as_deref()),
        ledger: machine::ledger(),
        build: machine::build(),
    };
    Collected { facts, config }
}

/// A path as it is shown.
fn shown(path: &Path) -> String {
    tilde(&path.to_string_lossy())
}

/// Text in which the home folder is `~`.
fn tilde(text: &str) -> String {
    let home = std::env::home_dir().filter(|home| home.components().count() > 1);
    let text = home.map_or_else(|| text.to_owned(), |home| text.replace(&*home.to_string_lossy(), "~"));
    crate::text::clean(&text).into_owned()
}
