//! The dashboard, on the platform or on an arena of its own.

use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use crate::api::{ApiKey, BaseUrl, Client, Settings};
use crate::app::event::Boot;
use crate::config::Config;
use crate::runtime::{self, ArenaSource, Options};
use crate::ui::theme::Theme;

use super::{Failure, View, log};

/// How long the dashboard waits for the past of its arena.
#[cfg(feature = "arena")]
const SEEDING: std::time::Duration = std::time::Duration::from_millis(1500);

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

#[cfg(feature = "arena")]
fn arena_source(keep: Option<PathBuf>) -> ArenaSource {
    Box::new(move || {
        let keep = keep.clone();
        Box::pin(async move { open_arena(keep).await.map_err(|why| super::chain(&*why)) })
    })
}

#[cfg(not(feature = "arena"))]
fn arena_source(_: Option<PathBuf>) -> ArenaSource {
    Box::new(|| Box::pin(async { Err("this build has no arena".to_owned()) }))
}

/// Opens an arena on a free port, with a past to look at and two sessions that play themselves.
#[cfg(feature = "arena")]
async fn open_arena(keep: Option<PathBuf>) -> Result<runtime::OpenedArena, Failure> {
    use crate::arena::{self, Arena, ArenaSettings, command, store::Place};

    let place = keep.map_or(Place::Ephemeral, |folder| Place::File(folder.join("arena.db")));
    let fresh = !matches!(&place, Place::File(file) if file.exists());
    let listener = command::bind("127.0.0.1", 0).await?;
    let address = listener.local_addr()?;
    let arena = Arena::open(ArenaSettings::new(place, false)).await?;
    let (account, key) = arena.bootstrap_key(command::LOCAL_EMAIL).await?;
    let stop = CancellationToken::new();
    let serving = tokio::spawn(arena::serve(listener, arena.clone(), stop.clone()));
    let playing = tokio::spawn(arena::demo::keep_playing(arena.clone(), stop.clone()));
    let mut seeding = tokio::spawn(async move {
        if fresh {
            arena::demo::seed(&arena, &account).await;
        }
    });
    // So that the first lists are whole; a slow machine shows what there is and goes on.
    let _ = tokio::time::timeout(SEEDING, &mut seeding).await;
    let base_url: BaseUrl = format!("http://{address}{}", arena::BASE_PATH).parse()?;
    let api = Client::new(Settings::new(base_url, ApiKey::new(&key)?))?;
    let close = async move {
        stop.cancel();
        // Both end by the token; that one of them panicked has been reported.
        seeding.abort();
        let _ = tokio::join!(serving, playing);
    };
    Ok(runtime::OpenedArena { api, close: Box::pin(close) })
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
