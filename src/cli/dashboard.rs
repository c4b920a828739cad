//! The dashboard, on the platform or on an arena of its own.

use std::path::{Path, PathBuf};

use crate::api::{ApiKey, Client};
use crate::app::event::Boot;
use crate::config::Config;
use crate::runtime::{self, Options};
use crate::ui::theme::Theme;

#[cfg(feature = "arena")]
use super::embedded::source as arena_source;
use super::{Failure, View, log};

/// The dashboard on the platform. Without a key its first screen asks.
pub(super) async fn run(config: Config, view: &View) -> Result<i32, Failure> {
    log::to_file();
    let api = match config.key.clone() {
        Some(key) => Some(Client::new(config.settings(key))?),
        None => None,
    };
    let boot = Boot {
        profile: "default".into(),
        host: config.base_url.as_str().to_owned(),
        arena: config.base_url.is_loopback(),
        has_key: api.is_some(),
        demo: false,
        sample_policy: sample_policy(),
        zone: jiff::tz::TimeZone::system(),
    };
    start(boot, api, config, view, None).await
}

/// The dashboard on an arena of its own.
#[cfg(feature = "arena")]
pub(super) async fn demo(config: Config, view: &View, keep: Option<PathBuf>) -> Result<i32, Failure> {
    log::to_file();
    let boot = Boot {
        profile: "demo".into(),
        host: "an arena in this process".into(),
        arena: true,
        has_key: true,
        demo: true,
        sample_policy: sample_policy(),
        zone: jiff::tz::TimeZone::system(),
    };
    start(boot, None, config, view, keep).await
}

async fn start(
    boot: Boot,
    api: Option<Client>,
    config: Config,
    view: &View,
    keep: Option<PathBuf>,
) -> Result<i32, Failure> {
    let env = |name: &str| std::env::var(name).ok();
    let mut theme = Theme::detect(env);
    theme.ascii |= view.ascii;
    let with_key = move |text: &str| {
        let key = ApiKey::new(text).map_err(|why| why.to_string())?;
        Client::new(config.settings(key)).map_err(|why| format!("{why}: {}", why.why()))
    };
    let options = Options {
        boot,
        api,
        with_key: Box::new(with_key),
        arena: arena_source(keep),
        theme,
        mouse: view.mouse,
    };
    Ok(runtime::run(options).await?)
}

#[cfg(not(feature = "arena"))]
fn arena_source(_: Option<PathBuf>) -> runtime::ArenaSource {
    Box::new(|| Box::pin(async { Err("this build has no arena".to_owned()) }))
}

/// The sample policy: beside the sources in a checkout, else where it can be written down.
fn sample_policy() -> Option<PathBuf> {
    let here = Path::new("assets/policies/random.py");
    if here.is_file() {
        return Some(here.to_owned());
    }
    let folders = directories::ProjectDirs::from("", "", "gert")?;
    let path = folders.data_dir().join("policies/random.py");
    if !path.is_file() {
        std::fs::create_dir_all(path.parent()?).ok()?;
        std::fs::write(&path, include_str!("../../assets/policies/random.py")).ok()?;
    }
    Some(path)
}
