//! The settings, the profile, the key, and how the host would be reached.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use serde_json::Value;

use crate::api::{self, Client};
use crate::config::{At, Config, Given, KeySource, Places, Problem, Setting};

use super::super::facts::{Authorities, Key, Profile, Proxy, Settings};
use super::super::{env, redact};
use super::{KEYRING_LIMIT, shown, tilde};
use crate::cli::config::{origin, plain};

/// Variables that name a proxy, in the order in which the first that is set counts.
const HTTPS_PROXIES: [&str; 4] = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
const HTTP_PROXIES: [&str; 4] = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];
const NO_PROXIES: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// A variable that says something.
fn set(name: &str) -> Option<String> {
    env(name).filter(|value| !value.trim().is_empty())
}

/// Reads the settings, without the key.
pub(super) fn read(given: &Given) -> (Settings, Option<Config>) {
    let places = Places::find(given, &env);
    let found = places.file.as_deref().map(Path::metadata);
    let mode = found.and_then(Result::ok).map(|found| found.permissions().mode() & 0o777);
    let (config, problems) = match Config::load_without_key(given, &env) {
        Ok(config) => (Some(config), Vec::new()),
        Err(why) => (None, why.problems().iter().cloned().map(short).collect()),
    };
    let warnings = config.iter().flat_map(|config| &config.warnings).map(|warning| tilde(warning)).collect();
    let path = places.file.as_deref().map(shown);
    (Settings { path, exists: mode.is_some(), mode, problems, warnings }, config)
}

/// A problem with `~` in its words.
fn short(problem: Problem) -> Problem {
    let at = match problem.at {
        At::File(path, line) => At::File(shown(&path).into(), line),
        named @ At::Named(_) => named,
    };
    Problem { at, what: tilde(&problem.what), advice: problem.advice.as_deref().map(tilde) }
}

/// The profile in force.
pub(super) fn profile(config: &Config) -> Profile {
    let from = |name: &str| {
        setting(config, name)
            .map(|value| origin(&value.origin, config.places.file.as_deref()))
            .unwrap_or_default()
    };
    Profile {
        name: config.profile.clone(),
        origin: from("profile"),
        base_url: config.base_url.to_string(),
        base_url_origin: from("base_url"),
        read_only: config.read_only,
        is_clear: !config.base_url.is_secure() && !config.base_url.is_loopback(),
    }
}

/// A value in force, by its name or that of a member of the profile.
fn setting<'c>(config: &'c Config, name: &str) -> Option<&'c Setting> {
    let member = format!("profiles.{}.{name}", config.profile);
    config.values.iter().find(|value| value.name == name || value.name == member)
}

/// Fetches the key, without waiting for a locked keyring for long.
pub(super) async fn key(config: &Config) -> (Config, Key) {
    let mut fetching = config.clone();
    fetching.warnings.clear();
    let fetched = tokio::task::spawn_blocking(move || {
        fetching.fetch_key();
        fetching
    });
    let config =
        tokio::time::timeout(KEYRING_LIMIT, fetched).await.ok().and_then(Result::ok).unwrap_or_else(|| {
            let limit = KEYRING_LIMIT.as_secs();
            let mut config = config.clone();
            config.key_problem =
                Some(format!("the system's keyring did not answer within {limit} s: is it locked?"));
            config
        });
    let is_kept = setting(&config, "key").is_some_and(|place| plain(&place.value) != "none");
    let key = Key {
        from: tilde(&config.key_source.to_string()),
        shown: config.key_shown(),
        problem: config.key_problem.as_deref().map(tilde),
        warnings: config.warnings.iter().map(|warning| tilde(warning)).collect(),
        hides_another: is_kept && config.key_source == KeySource::Variable("GERT_API_KEY".to_owned()),
        source: config.key_source.clone(),
    };
    (config, key)
}

/// Whether there is a keyring, or why not.
pub(super) async fn keyring() -> Result<(), String> {
    let asked = tokio::task::spawn_blocking(keyring_status);
    match tokio::time::timeout(KEYRING_LIMIT, asked).await {
        Ok(answer) => answer.unwrap_or_else(|why| Err(why.to_string())).map_err(|why| tilde(&why)),
        Err(_) => Err(format!("no answer within {} s", KEYRING_LIMIT.as_secs())),
    }
}

#[cfg(feature = "keyring")]
fn keyring_status() -> Result<(), String> {
    keyring::Entry::store_status().as_ref().copied().map_err(ToString::to_string)
}

#[cfg(not(feature = "keyring"))]
fn keyring_status() -> Result<(), String> {
    Err("this build has none".to_owned())
}

/// The proxy in force, and what decided it.
pub(super) fn proxy(config: Option<&Config>, way: Option<&Result<Client, api::Error>>) -> Proxy {
    let names = HTTPS_PROXIES.iter().chain(&HTTP_PROXIES[..2]).chain(&NO_PROXIES);
    let variables = names.filter_map(|name| Some((*name, redact::url(&set(name)?)))).collect();
    let problem = way.and_then(|way| way.as_ref().err()).map(|why| tilde(why.why()));
    let in_force = way.and_then(|way| way.as_ref().ok()).and_then(|client| client.dialer().proxy_host());
    let by = config.map(|config| decided_by(config, in_force.is_some())).unwrap_or_default();
    Proxy { variables, in_force, by, problem }
}

fn decided_by(config: &Config, is_proxied: bool) -> String {
    if config.base_url.is_loopback() {
        return "the host is this machine".to_owned();
    }
    if let Some(own) = setting(config, "proxy").filter(|own| own.value != Value::Null) {
        return origin(&own.origin, config.places.file.as_deref());
    }
    let names = if config.base_url.is_secure() { HTTPS_PROXIES } else { HTTP_PROXIES };
    let first = |names: &[&'static str]| names.iter().find(|name| set(name).is_some()).copied();
    let by = match (first(&names), is_proxied) {
        (Some(name), true) => name,
        (Some(_), false) => first(&NO_PROXIES).unwrap_or("no proxy that can be used is set"),
        (None, _) => "no proxy is set",
    };
    by.to_owned()
}

/// Where certificate authorities are taken from, beside the system's.
pub(super) fn authorities(config: Option<&Config>) -> Vec<Authorities> {
    let named = |by: &str, path: PathBuf, holds: fn(&Path) -> _| Authorities {
        by: by.to_owned(),
        holds: holds(&path),
        path: shown(&path),
    };
    let file = set("SSL_CERT_FILE").map(|path| named("SSL_CERT_FILE", path.into(), certificates));
    let folder = set("SSL_CERT_DIR").map(|path| {
        named("SSL_CERT_DIR", path.into(), |path| {
            // A list of folders, of which one that is there is enough.
            let is_there = std::env::split_paths(path).any(|folder| folder.is_dir());
            if is_there { Ok(None) } else { Err("is no folder".to_owned()) }
        })
    });
    let own = config.into_iter().flat_map(|config| {
        let by = setting(config, "ca_files").map(|own| origin(&own.origin, config.places.file.as_deref()));
        let by = by.unwrap_or_default();
        config.ca_files.iter().map(move |path| named(&by, path.clone(), certificates))
    });
    file.into_iter().chain(folder).chain(own).collect()
}

fn certificates(path: &Path) -> Result<Option<usize>, String> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match read {
        Ok(found) if found.is_empty() => Err("holds no certificate".to_owned()),
        Ok(found) => Ok(Some(found.len())),
        Err(why) => Err(format!("cannot be read: {}", tilde(&why.to_string()))),
    }
}
