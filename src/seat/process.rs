//! A player: a command, and its processes that wait for their next match.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::mpsc;

use crate::policy::{Policy, PolicyEvent, PolicyEventKind, PolicySpec, Run};

/// Events that may wait for a seat; the process slows down when it is full.
const EVENTS: usize = 64;

/// How long ending all processes may take.
const CLOSING: Duration = Duration::from_secs(3);

/// A command that plays. One process plays one seat at a time, and many matches one after the other.
#[derive(Debug)]
pub struct Player {
    name: String,
    spec: PolicySpec,
    idle: Mutex<VecDeque<Process>>,
    started: AtomicU64,
}

/// A running policy and what is heard of it.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) policy: Policy,
    events: mpsc::Receiver<PolicyEvent>,
    /// The last turn it was asked: numbers are not used twice.
    pub(super) turn: u64,
    /// It said the last word.
    pub(super) is_over: bool,
}

impl Player {
    /// A player who is called so in recordings. Nothing is started before its first match.
    pub fn new(name: impl Into<String>, spec: PolicySpec) -> Self {
        Self { name: name.into(), spec, idle: Mutex::default(), started: AtomicU64::default() }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A process that waits, else a new one.
    pub(super) fn take(&self) -> Process {
        loop {
            let idle = self.lock().pop_front();
            let Some(mut process) = idle else { return self.start() };
            // One that left between two matches is nobody's failure.
            if !process.has_left() {
                return process;
            }
        }
    }

    /// A new process.
    pub(super) fn start(&self) -> Process {
        let run = Run(self.started.fetch_add(1, Ordering::Relaxed));
        let (sender, events) = mpsc::channel(EVENTS);
        let policy = Policy::start(self.spec.clone(), run, sender);
        Process { policy, events, turn: 0, is_over: false }
    }

    /// Takes a process back after its match.
    pub(super) fn give_back(&self, process: Process) {
        self.lock().push_back(process);
    }

    /// Ends all processes that wait, politely.
    pub async fn shutdown(&self) {
        let idle = std::mem::take(&mut *self.lock());
        let closing = join_all(idle.into_iter().map(|process| process.policy.shutdown()));
        // What is left is killed.
        let _ = tokio::time::timeout(CLOSING, closing).await;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<Process>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Process {
    /// The next thing heard; after the last one waits for ever. Safe to drop and call again.
    pub(super) async fn next(&mut self) -> PolicyEventKind {
        let next = poll_fn(|context| self.events.poll_recv(context));
        match next.await {
            Some(event) => event.what,
            None => std::future::pending().await,
        }
    }

    fn has_left(&mut self) -> bool {
        while let Ok(event) = self.events.try_recv() {
            self.is_over |=
                matches!(event.what, PolicyEventKind::Exited { .. } | PolicyEventKind::Closed { .. });
        }
        self.is_over || self.policy.is_over()
    }
}
