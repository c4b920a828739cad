//! The real client against canned servers: what the wire looks like, and every way it can go wrong.

pub(crate) mod canned;
#[cfg(feature = "tui")]
mod delegate;
mod downloads;
mod jobs;
mod pages;
mod rest;
mod secure;
mod sockets;

use std::time::Duration;

use gert::api::{ApiKey, BaseUrl, Client, Settings};

const KEY: &str = "sk_gert_integration";

fn settings(base: &str) -> Settings {
    let base: BaseUrl = base.parse().expect("a base URL");
    let mut settings = Settings::new(base, ApiKey::new(KEY).expect("a key"));
    settings.timeout = Duration::from_secs(5);
    settings.connect_timeout = Duration::from_secs(5);
    settings
}

pub(crate) fn client(base: &str) -> Client {
    Client::new(settings(base)).expect("a client")
}
