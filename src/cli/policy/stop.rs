//! The first ctrl-c asks everything to end in order, the second ends it at once.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// How long killed processes may take to be gone.
const LAST_MOMENT: Duration = Duration::from_millis(300);

/// The exit status of what was interrupted.
pub(super) const INTERRUPTED: i32 = 130;

/// Does some work. A signal cancels `stop`, and the work should end soon; a second one gives it up: what it holds is
/// dropped, so that processes are killed. `None` then.
pub(super) async fn unless_stopped<T>(stop: &CancellationToken, work: impl Future<Output = T>) -> Option<T> {
    let mut signals = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()]
        .into_iter()
        .filter_map(|kind| signal(kind).ok())
        .collect::<Vec<_>>();
    let done = {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                done = &mut work => break Some(done),
                () = next(&mut signals) => {
                    if stop.is_cancelled() {
                        break None;
                    }
                    eprintln!("\ngert: stopping: seats are left and policies end; ctrl-c again ends at once");
                    stop.cancel();
                }
            }
        }
    };
    if done.is_none() {
        tokio::time::sleep(LAST_MOMENT).await;
    }
    done
}

async fn next(signals: &mut [tokio::signal::unix::Signal]) {
    std::future::poll_fn(|context| {
        let came = signals.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
        if came { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}
