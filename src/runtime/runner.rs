//! Carries out effects: owns the client task, the policies and an arena of our own.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::api;
use crate::app::effect::{Effect, Tell};
use crate::app::event::Event;
use crate::client::{self, Client, ClientEvent, Request};
use crate::policy::{Policy, PolicyEvent, PolicySpec, Run, SendError};
use crate::tape::Keep;

/// Events of the platform that wait for the loop; when it is full the sockets are read more slowly.
const CLIENT_EVENTS: usize = 256;
/// Events of policies that wait for the loop; when it is full their pipes are read more slowly.
const POLICY_EVENTS: usize = 256;
/// Other answers: an arena that was opened, a key that was taken.
const OTHERS: usize = 4;

/// An arena that was opened in this process. Dropping it ends it.
pub struct OpenedArena {
    /// How to talk to it.
    pub api: api::Client,
    /// Ends it politely.
    pub close: Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// A typed key that the platform accepted.
pub struct TakenKey {
    /// How to talk to the platform with it.
    pub api: api::Client,
    /// Where it is kept, or why it is not.
    pub word: Result<String, String>,
}

/// What came of checking a key.
type Taking = Result<TakenKey, String>;

/// Gets from a typed key to the platform.
pub type KeySource = Box<dyn Fn(String) -> Pin<Box<dyn Future<Output = Taking> + Send>> + Send>;

/// What came of opening an arena.
type Opening = Result<OpenedArena, String>;

/// Opens an arena in this process.
pub type ArenaSource = Box<dyn Fn() -> Pin<Box<dyn Future<Output = Opening> + Send>> + Send>;

/// An answer that is neither the platform's nor a policy's.
enum Other {
    Arena(Opening),
    Key(Taking),
}

/// What the loop itself has to do for an effect.
pub(super) enum Wish {
    /// Nothing.
    Nothing,
    /// Take this event at once.
    Again(Event),
    /// End.
    Exit,
    /// Stop to the shell.
    Suspend,
    /// Draw every cell.
    Redraw,
    /// Put text on the terminal's clipboard.
    Copy(String),
    /// Mouse reports on or off.
    Mouse(bool),
}

/// Owns what effects started.
pub(super) struct Runner {
    /// Where sessions are recorded.
    recordings: Option<Keep>,
    client: Option<Client>,
    with_key: KeySource,
    arena: ArenaSource,
    opened: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    policies: HashMap<Run, Policy>,
    work: JoinSet<()>,
    client_events: (mpsc::Sender<ClientEvent>, mpsc::Receiver<ClientEvent>),
    policy_events: (mpsc::Sender<PolicyEvent>, mpsc::Receiver<PolicyEvent>),
    others: (mpsc::Sender<Other>, mpsc::Receiver<Other>),
    heard: (Vec<ClientEvent>, Vec<PolicyEvent>),
}

impl Runner {
    pub(super) fn new(
        api: Option<api::Client>,
        recordings: Option<Keep>,
        with_key: KeySource,
        arena: ArenaSource,
    ) -> Self {
        let client_events = mpsc::channel(CLIENT_EVENTS);
        // Without a platform it still plays recordings.
        let client = Some(client::start(api, recordings.clone(), client_events.0.clone()));
        Self {
            recordings,
            client,
            with_key,
            arena,
            opened: None,
            policies: HashMap::new(),
            work: JoinSet::new(),
            client_events,
            policy_events: mpsc::channel(POLICY_EVENTS),
            others: mpsc::channel(OTHERS),
            heard: (Vec::new(), Vec::new()),
        }
    }

    /// Waits for events and adds them.
    pub(super) async fn recv_many(&mut self, events: &mut Vec<Event>, most: usize) {
        tokio::select! {
            // The channels never close: a sender is kept beside each receiver.
            _ = self.client_events.1.recv_many(&mut self.heard.0, most) => {}
            _ = self.policy_events.1.recv_many(&mut self.heard.1, most) => {}
            Some(other) = self.others.1.recv() => events.push(match other {
                Other::Arena(opened) => Event::ArenaStarted(self.use_arena(opened)),
                Other::Key(taken) => Event::KeyTaken(self.use_key(taken)),
            }),
            Some(_) = self.work.join_next() => {}
        }
        events.extend(self.heard.0.drain(..).map(Event::Client));
        events.extend(self.heard.1.drain(..).map(Event::Policy));
    }

    /// Starts what an effect asks for. Never waits.
    pub(super) fn start(&mut self, effect: Effect) -> Wish {
        match effect {
            Effect::Send(request) => return self.send(request),
            Effect::StartPolicy(run, spec) => self.start_policy(run, spec),
            Effect::TellPolicy(run, tell) => self.tell_policy(run, tell),
            Effect::StopPolicy(run) => {
                if let Some(policy) = self.policies.remove(&run) {
                    self.work.spawn(policy.shutdown());
                }
            }
            Effect::Copy(text) => return Wish::Copy(text),
            Effect::SetMouse(on) => return Wish::Mouse(on),
            Effect::OpenArena => {
                let (opening, others) = ((self.arena)(), self.others.0.clone());
                self.work.spawn(async move {
                    // The receiver is gone only when the program ends.
                    let _ = others.send(Other::Arena(opening.await)).await;
                });
            }
            Effect::UseKey(secret) => {
                let (taking, others) = ((self.with_key)(secret.0), self.others.0.clone());
                self.work.spawn(async move {
                    let _ = others.send(Other::Key(taking.await)).await;
                });
            }
            Effect::Suspend => return Wish::Suspend,
            Effect::Redraw => return Wish::Redraw,
            Effect::Exit => return Wish::Exit,
        }
        Wish::Nothing
    }

    /// Ends everything politely.
    pub(super) async fn shutdown(mut self) {
        self.work.abort_all();
        let policies: JoinSet<()> = self.policies.into_values().map(Policy::shutdown).collect();
        if let Some(client) = self.client {
            // Events are not taken any more: what still comes must not block the sockets' end.
            drop(self.client_events);
            client.shutdown().await;
        }
        policies.join_all().await;
        if let Some(close) = self.opened {
            close.await;
        }
    }

    fn send(&mut self, request: Request) -> Wish {
        let Some(client) = &self.client else { return Wish::Again(Event::Refused(Box::new(request))) };
        match client.send(request) {
            Ok(()) => Wish::Nothing,
            Err(request) => Wish::Again(Event::Refused(request)),
        }
    }

    fn start_policy(&mut self, run: Run, spec: PolicySpec) {
        let policy = Policy::start(spec, run, self.policy_events.0.clone());
        self.policies.insert(run, policy);
    }

    /// A message that finds no room is not an event of its own: the policy's own limits end a policy that does not
    /// read.
    fn tell_policy(&mut self, run: Run, tell: Tell) {
        let Some(policy) = self.policies.get(&run) else { return };
        let told = match tell {
            Tell::Hello(hello) => policy.hello(&hello),
            Tell::Observe(turn) => policy.observe(&turn),
            Tell::Reject { id, reasons } => policy.reject(id, &reasons),
            Tell::End(result) => policy.end(&result),
        };
        match told {
            Ok(()) | Err(SendError::Ended) => {}
            Err(why) => tracing::warn!(%why, "a policy was not told something"),
        }
    }

    fn use_arena(&mut self, opened: Opening) -> Result<(), String> {
        let opened = opened?;
        self.client =
            Some(client::start(Some(opened.api), self.recordings.clone(), self.client_events.0.clone()));
        self.opened = Some(opened.close);
        Ok(())
    }

    fn use_key(&mut self, taken: Taking) -> Result<Result<String, String>, Arc<str>> {
        let taken = taken?;
        self.client =
            Some(client::start(Some(taken.api), self.recordings.clone(), self.client_events.0.clone()));
        Ok(taken.word)
    }
}
