//! Episodes that are closed whichever way their owner ends.

use std::future::Future;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::api;
use crate::api::endpoints::CloseEpisode;
use crate::api::model::{EpisodeClosed, EpisodeId, RunId};
use crate::api::{Client, ErrorKind};

/// How long closing may take in all. What is still open then is closed by the server, after about 10 idle minutes
/// or when the run is closed.
const LIMIT: Duration = Duration::from_secs(30);

/// How many episodes are closed at once.
const TOGETHER: usize = 8;

/// The live episodes that somebody drives. What is left when it is dropped is closed by a task of its own: the one
/// way out of a future that was cancelled. Without a runtime around, nothing is done.
#[derive(Debug)]
pub(super) struct Closing {
    client: Client,
    run_id: RunId,
    open: Vec<EpisodeId>,
}

impl Closing {
    pub(super) fn new(client: &Client, run_id: &RunId, open: Vec<EpisodeId>) -> Self {
        Self { client: client.clone(), run_id: run_id.clone(), open }
    }

    /// One more.
    pub(super) fn add(&mut self, episode_id: &EpisodeId) {
        self.open.push(episode_id.clone());
    }

    /// The episode is over, and closed itself.
    pub(super) fn is_over(&mut self, episode_id: &EpisodeId) {
        self.open.retain(|open| open != episode_id);
    }

    /// All are over, or are closed by somebody else.
    pub(super) fn all_are_over(&mut self) {
        self.open.clear();
    }

    /// Closes one; `None` when it was gone already. After an error it stays among those to close.
    pub(super) async fn close(
        &mut self,
        episode_id: &EpisodeId,
    ) -> Result<Option<EpisodeClosed>, api::Error> {
        let closed = close(&self.client, &self.run_id, episode_id).await?;
        self.is_over(episode_id);
        Ok(closed)
    }

    /// Closes all that are left, as well as possible.
    pub(super) async fn close_all(&mut self) {
        // They are kept until they are closed: this future may be cancelled, too.
        let all = close_each(self.client.clone(), self.run_id.clone(), self.open.clone());
        let _ = timeout(LIMIT, all).await;
        self.open.clear();
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        let open = std::mem::take(&mut self.open);
        if !open.is_empty() {
            in_background(close_each(self.client.clone(), self.run_id.clone(), open));
        }
    }
}

async fn close_each(client: Client, run_id: RunId, open: Vec<EpisodeId>) {
    stream::iter(open)
        .for_each_concurrent(TOGETHER, async |episode_id| {
            // As well as possible: the server closes it later.
            let _ = close(&client, &run_id, &episode_id).await;
        })
        .await;
}

async fn close(
    client: &Client,
    run_id: &RunId,
    episode_id: &EpisodeId,
) -> Result<Option<EpisodeClosed>, api::Error> {
    match client.send(&CloseEpisode::new(run_id, episode_id)).await {
        Ok(closed) => Ok(Some(closed)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Lets work go on after its owner is gone, for a bounded time.
pub(super) fn in_background(work: impl Future<Output = ()> + Send + 'static) {
    if let Ok(runtime) = Handle::try_current() {
        runtime.spawn(timeout(LIMIT, work));
    }
}
