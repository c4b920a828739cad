//! Signals: those that end the program, job control, and changes of the terminal's size.
//!
//! [`Stops`] belongs to `main` and lives as long as the process; [`Signals`] is polled by the loop.

use super::exit;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;
use tokio::signal::unix::{self, SignalKind};
use tokio_util::sync::CancellationToken;

/// How long a stopped program may take to leave by itself: it must be gone within two seconds.
pub const DEADLINE: Duration = Duration::from_millis(1500);

/// The exit status of a program whose terminal went away, as if SIGHUP had ended it.
pub const LOST: i32 = 128 + 1;

/// Listens for SIGTERM, SIGHUP, SIGINT and SIGQUIT until the process ends.
///
/// The first cancels the token and gives the program [`DEADLINE`] to leave by itself; a second one ends it at once.
/// Either way the terminal is given back and the exit status is 128 and the signal's number.
#[derive(Debug, Clone)]
pub struct Stops {
    /// The first signal's number; 0 before there was one.
    first: Arc<AtomicI32>,
}

impl Stops {
    /// Starts to listen. Needs a multi-threaded runtime, so that a blocked main task cannot hold signals up.
    pub fn listen(stop: &CancellationToken) -> io::Result<Self> {
        let first = Arc::new(AtomicI32::new(0));
        let kinds =
            [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt(), SignalKind::quit()];
        for kind in kinds {
            let mut signals = unix::signal(kind)?;
            let (first, stop) = (Arc::clone(&first), stop.clone());
            // Not kept in a handle: without its listener a caught signal would be ignored, also while we leave.
            tokio::spawn(async move {
                while signals.recv().await.is_some() {
                    stop_by(kind.as_raw_value(), &first, &stop);
                }
            });
        }
        Ok(Self { first })
    }

    /// The exit status if a signal ended the program.
    pub fn exit_code(&self) -> Option<i32> {
        match self.first.load(Ordering::SeqCst) {
            0 => None,
            number => Some(128 + number),
        }
    }
}

fn stop_by(number: i32, first: &AtomicI32, stop: &CancellationToken) {
    if first.compare_exchange(0, number, Ordering::SeqCst, Ordering::SeqCst).is_err() {
        exit::exit_now(128 + number);
    }
    stop.cancel();
    exit::exit_at_latest(DEADLINE, 128 + number);
}

/// What a signal asks of the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Give the terminal back and stop: `Screen::suspend`. The key Ctrl-Z takes the same path.
    Suspend,
    /// We were stopped and go on: `Screen::resume`, then draw.
    Resume,
    /// The terminal may have another size: ask for it, then draw.
    Resize,
}

/// Job control and sizes. Several signals of one kind between two polls are one.
#[derive(Debug)]
pub struct Signals {
    suspend: unix::Signal,
    resume: unix::Signal,
    resize: unix::Signal,
}

impl Signals {
    /// Starts to listen.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            suspend: unix::signal(SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw()))?,
            resume: unix::signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
            resize: unix::signal(SignalKind::window_change())?,
        })
    }

    /// The next signal. Nothing is lost if the future is dropped.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            biased;
            Some(()) = self.suspend.recv() => Signal::Suspend,
            Some(()) = self.resume.recv() => Signal::Resume,
            Some(()) = self.resize.recv() => Signal::Resize,
            // tokio's streams of signals have no end.
            else => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{Signal as Number, getpid, kill_process};

    #[tokio::test]
    async fn signals_between_two_polls_are_one_of_each_kind() {
        let mut signals = Signals::listen().unwrap();
        for _ in 0..3 {
            kill_process(getpid(), Number::WINCH).unwrap();
            kill_process(getpid(), Number::TSTP).unwrap();
        }
        let mut seen = [signals.next().await, signals.next().await];
        seen.sort_by_key(|signal| *signal == Signal::Resize);
        assert_eq!(seen, [Signal::Suspend, Signal::Resize]);
    }
}
