//! A run from opening to settlement.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::closing::in_background;
use crate::api::endpoints::{CloseRun, GetGame, OpenRun};
use crate::api::model::{GameSlug, RunClosed, RunId, RunOpened};
use crate::api::{Client, Error};

/// A run that is surely settled: by [`close`](Self::close), or when it is dropped, by a task of its own that closes
/// it as well as possible, for up to half a minute and only while the runtime lives. A run that nobody closes holds
/// its credits until it expires.
#[derive(Debug)]
pub struct Run {
    client: Client,
    opened: RunOpened,
    /// Nothing new is started; set by an abort as well as by a close.
    is_closed: AtomicBool,
    settled: OnceLock<RunClosed>,
    /// Not to be closed when dropped.
    is_kept: bool,
    /// By resolved game: with tags every episode may be another one.
    rules: Mutex<HashMap<GameSlug, Option<String>>>,
    /// Held while one of the run's users extends it, across the calls for it: see [`Run::reset`].
    pub(super) extending: tokio::sync::Mutex<()>,
}

impl Run {
    /// Opens a run, which holds credits.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::api::ErrorKind).
    pub async fn open(client: &Client, request: &OpenRun) -> Result<Self, Error> {
        Ok(Self::from_opened(client, client.send(request).await?))
    }

    /// Takes over a run that was opened before: dropping it settles it, too.
    pub fn adopt(client: &Client, run_id: &RunId) -> Self {
        Self::from_opened(client, RunOpened { run_id: run_id.clone(), ..RunOpened::default() })
    }

    fn from_opened(client: &Client, opened: RunOpened) -> Self {
        Self {
            client: client.clone(),
            opened,
            is_closed: AtomicBool::new(false),
            settled: OnceLock::new(),
            is_kept: false,
            rules: Mutex::default(),
            extending: tokio::sync::Mutex::default(),
        }
    }

    /// Its name.
    pub fn id(&self) -> &RunId {
        &self.opened.run_id
    }

    /// What the server said when it was opened.
    pub fn opened(&self) -> &RunOpened {
        &self.opened
    }

    /// The client it was opened with.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// True after it was closed or aborted.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// The rules of a game, fetched once; `None` for a game without rules.
    ///
    /// # Errors
    /// A failed call: playing on without the rules would be worse.
    pub async fn rules(&self, game: &GameSlug) -> Result<Option<String>, Error> {
        if let Some(known) = self.lock_rules().get(game) {
            return Ok(known.clone());
        }
        let rules = self.client.send(&GetGame::new(game)).await?.prompt;
        self.lock_rules().insert(game.clone(), rules.clone());
        Ok(rules)
    }

    fn lock_rules(&self) -> std::sync::MutexGuard<'_, HashMap<GameSlug, Option<String>>> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Settles the run. Only then it counts as closed: after an error this may be called again. A repeated call
    /// gives the first result and sends nothing.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::api::ErrorKind).
    pub async fn close(&self) -> Result<RunClosed, Error> {
        if let Some(settled) = self.settled.get() {
            return Ok(settled.clone());
        }
        let closed = self.client.send(&CloseRun::new(self.id())).await?;
        self.is_closed.store(true, Ordering::Relaxed);
        Ok(self.settled.get_or_init(|| closed).clone())
    }

    /// Ends the run after a failure: nothing new is started, and it is settled as well as possible. If that fails,
    /// [`close`](Self::close) and dropping it try again.
    pub async fn abort(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        let _ = self.close().await;
    }

    /// Lets the run go without settling it, for somebody who closes it later.
    pub fn keep_open(mut self) -> RunId {
        self.is_kept = true;
        self.id().clone()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if self.is_kept || self.settled.get().is_some() {
            return;
        }
        let (client, close) = (self.client.clone(), CloseRun::new(self.id()));
        in_background(async move {
            // As well as possible: it settles by itself when it expires.
            let _ = client.send(&close).await;
        });
    }
}
