//! Where policies play: the profile's server, or an arena of our own in this process.

use crate::api::Client;
use crate::api::endpoints::GetGame;
use crate::api::model::GameDetail;
use crate::cli::Failure;
#[cfg(feature = "arena")]
use crate::cli::embedded::Bare;
use crate::config::{Config, Given};

/// A server that is open for us.
pub(super) struct Server {
    pub(super) api: Client,
    /// What it is called to people.
    pub(super) label: String,
    /// What is played there costs real credits.
    pub(super) bills: bool,
    #[cfg(feature = "arena")]
    own: Option<Bare>,
}

impl Server {
    /// The profile's server; without a key, or when `own` is asked for, an arena in this process.
    pub(super) async fn choose(own: bool, sessions: usize, given: Given) -> Result<Self, Failure> {
        if own {
            return Self::own(sessions, "").await;
        }
        let config = crate::cli::load(given, Config::load).await?;
        if config.key.is_none() && config.key_problem.is_none() {
            return Self::own(sessions, "there is no API key, so ").await;
        }
        Self::of_profile(&config)
    }

    /// The profile's server.
    pub(super) fn of_profile(config: &Config) -> Result<Self, Failure> {
        let mut settings = config.client_settings()?;
        settings.guard = crate::cli::guard::of(config);
        let api = Client::new(settings)?;
        let label = format!("{} (profile `{}`)", config.base_url.as_str(), config.profile);
        let bills = !config.base_url.is_loopback();
        Ok(Self {
            api,
            label,
            bills,
            #[cfg(feature = "arena")]
            own: None,
        })
    }

    /// An arena in this process, for so many sessions at once.
    #[cfg(feature = "arena")]
    pub(super) async fn own(sessions: usize, why: &str) -> Result<Self, Failure> {
        let own = Bare::open(sessions).await?;
        let label = "an arena in this process".to_owned();
        eprintln!("gert: {why}it is played on {label}: free, nothing leaves this machine");
        Ok(Self { api: own.api.clone(), label, bills: false, own: Some(own) })
    }

    #[cfg(not(feature = "arena"))]
    pub(super) async fn own(_: usize, why: &str) -> Result<Self, Failure> {
        Err(format!("{why}an arena of our own would be needed, and this build has none").into())
    }

    /// True for an arena of our own.
    #[cfg(feature = "arena")]
    pub(super) fn is_own(&self) -> bool {
        self.own.is_some()
    }

    #[cfg(not(feature = "arena"))]
    pub(super) fn is_own(&self) -> bool {
        false
    }

    /// What there is to know of a game.
    ///
    /// # Errors
    /// It is not there, or the server cannot be asked.
    pub(super) async fn game(&self, slug: &str) -> Result<GameDetail, Failure> {
        Ok(self.api.send(&GetGame::new(slug)).await?)
    }

    /// Ends what is ours of it.
    pub(super) async fn close(self) {
        #[cfg(feature = "arena")]
        if let Some(own) = self.own {
            own.close().await;
        }
    }
}
