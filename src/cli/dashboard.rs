//! The dashboard, on the platform or on an arena of its own.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use crate::api::{ApiKey, Client, ErrorKind, Settings};
use crate::app::event::Boot;
use crate::app::fields::Views;
use crate::config::{Config, Store, check_key};
use crate::runtime::{self, Options, TakenKey};
use crate::ui::theme::Theme;

#[cfg(feature = "arena")]
use super::embedded::source as arena_source;
use super::{Failure, log};

/// The dashboard on the platform. Without a key its first screen asks.
pub(super) async fn run(config: Config) -> Result<i32, Failure> {
    log::to_file();
    let api = match config.key.clone() {
        Some(key) => Some(Client::new(settings(&config, key))?),
        None => None,
    };
    let boot = Boot {
        profile: config.profile.clone(),
        host: config.base_url.as_str().to_owned(),
        arena: config.base_url.is_loopback(),
        has_key: api.is_some(),
        key_problem: config.key_problem.clone(),
        read_only: config.read_only,
        demo: false,
        replay: None,
        sample_policy: sample_policy(),
        zone: jiff::tz::TimeZone::system(),
        views: Views::default(),
        notices: Vec::new(),
    };
    start(boot, api, config, None).await
}

/// The dashboard on a recording. Neither a key nor a network is needed for it, so the platform is not asked anything.
pub(super) async fn replay(config: Config, file: PathBuf) -> Result<i32, Failure> {
    log::to_file();
    let boot = Boot {
        profile: config.profile.clone(),
        host: "a recording".into(),
        arena: false,
        has_key: false,
        key_problem: None,
        read_only: config.read_only,
        demo: false,
        replay: Some(file),
        sample_policy: sample_policy(),
        zone: jiff::tz::TimeZone::system(),
        views: Views::default(),
        notices: Vec::new(),
    };
    start(boot, None, config, None).await
}

/// The dashboard on an arena of its own.
#[cfg(feature = "arena")]
pub(super) async fn demo(config: Config, keep: Option<PathBuf>) -> Result<i32, Failure> {
    log::to_file();
    let boot = Boot {
        profile: "demo".into(),
        host: "an arena in this process".into(),
        arena: true,
        has_key: true,
        key_problem: None,
        // The profile's guard is not asked about an arena of our own.
        read_only: false,
        demo: true,
        replay: None,
        sample_policy: sample_policy(),
        zone: jiff::tz::TimeZone::system(),
        views: Views::default(),
        notices: Vec::new(),
    };
    start(boot, None, config, keep).await
}

async fn start(
    mut boot: Boot,
    api: Option<Client>,
    config: Config,
    keep: Option<PathBuf>,
) -> Result<i32, Failure> {
    let mut theme = Theme::detect(super::env);
    theme.ascii |= config.ui.ascii;
    let mouse = config.ui.mouse;
    let recordings = super::record::keep(&config);
    let views = runtime::views_file();
    if let Some(file) = &views {
        let (kept, trouble) = runtime::load_views(file);
        boot.views = kept;
        boot.notices.extend(trouble);
    }
    // Beside the settings, wherever these are.
    let renderers = config.places.file.as_deref().map(|file| file.with_file_name("renderers"));
    let (drawn_by, troubles) = runtime::read_renderers(renderers.as_deref());
    theme.renderers = Some(drawn_by);
    boot.notices.extend(troubles);
    let config = Arc::new(config);
    let with_key = move |text: String| -> Pin<Box<dyn Future<Output = _> + Send>> {
        Box::pin(take_key(config.clone(), text))
    };
    let options = Options {
        boot,
        api,
        with_key: Box::new(with_key),
        recordings,
        views,
        arena: arena_source(keep),
        theme,
        renderers,
        mouse,
    };
    Ok(Box::pin(runtime::run(options)).await?)
}

/// Checks a key that was typed on the first screen, and keeps it as `gert auth login` does. One that cannot be kept is
/// used all the same.
async fn take_key(config: Arc<Config>, text: String) -> Result<TakenKey, String> {
    let key = ApiKey::new(&text).map_err(|why| why.to_string())?;
    let (api, _) = check_key(settings(&config, key.clone())).await.map_err(|why| match why.kind() {
        ErrorKind::Authentication | ErrorKind::Permission => {
            format!("the platform refuses this key: {}", why.why())
        }
        _ => format!("the key could not be checked: {}", super::chain(&why)),
    })?;
    let kept = tokio::task::spawn_blocking(move || config.keep_key(&key, Store::Auto)).await;
    let word = match kept {
        Ok(Ok(kept)) if super::env("GERT_API_KEY").is_some() => {
            Err(format!("the key is kept in {}, but `GERT_API_KEY` goes before it next time", kept.source))
        }
        Ok(Ok(kept)) => Ok(format!("the key is kept in {}", kept.source)),
        Ok(Err(why)) => Err(format!("the key is used until you leave and not kept: {}", super::chain(&why))),
        Err(why) => Err(format!("the key is used until you leave and not kept: {why}")),
    };
    Ok(TakenKey { api, word })
}

/// What the platform's client is made from: it asks the profile's guard.
fn settings(config: &Config, key: ApiKey) -> Settings {
    Settings { guard: super::guard::of(config), ..config.settings(key) }
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
