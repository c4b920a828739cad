//! A language model behind an API like `OpenAI`'s, as a policy: the task that asks it.
//!
//! Every turn is one request with the platform's own two messages; what was said before is not sent. The same
//! messages go in and the same events come out as for a command. A turn that is given up takes its request with it.

mod chat;
mod request;
mod stream;

use std::future::Future;
use std::pin::Pin;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use self::request::{Asker, Fault, Reply};
use super::dialogue::{Dialogue, Reading};
use super::event::{Exit, PolicyEvent, PolicyEventKind};
use super::free_text::action_in;
use super::message::{Hello, Outgoing, Turn};
use super::outbox::Outbox;
use super::spec::{Endpoint, PolicySpec};
use super::supervisor::Caller;
use super::wording::{Prompt, prompt};

pub use self::chat::{Chat, ChatReply};
pub use self::stream::ToolCall;

/// Pieces of an answer that wait for the task; when it is full the answer is read more slowly.
const PIECES: usize = 64;

/// Answers turns until it is told to stop or cannot go on.
pub(super) async fn play(
    spec: PolicySpec,
    endpoint: Endpoint,
    inbox: mpsc::Receiver<Outgoing>,
    caller: Caller,
) {
    let asker = match Asker::new(&endpoint, &spec.limits) {
        Ok(asker) => asker,
        Err(why) => {
            let how = Exit::NotStarted { argv: spec.argv(), why };
            caller.tell(PolicyEventKind::Exited { how, last_stderr: Vec::new(), expected: false }).await;
            return;
        }
    };
    let mut out = Outbox::default();
    out.push(PolicyEventKind::Started { pid: None, argv: spec.argv() });
    let mut dialogue = Dialogue::new(spec.limits.clone());
    dialogue.read_as(Reading::Whole);
    let (hello, refused, asking) = (None, None, None);
    Player { spec, asker, inbox, caller, dialogue, out, hello, refused, asking }.run().await;
}

struct Player {
    spec: PolicySpec,
    asker: Asker,
    inbox: mpsc::Receiver<Outgoing>,
    caller: Caller,
    dialogue: Dialogue,
    out: Outbox,
    hello: Option<Box<Hello>>,
    refused: Option<(u64, Vec<String>)>,
    asking: Option<Asking>,
}

/// A request under way.
struct Asking {
    id: u64,
    pieces: mpsc::Receiver<String>,
    reply: Pin<Box<dyn Future<Output = Result<Reply, Fault>> + Send>>,
}

/// What the task was woken by.
enum Woken {
    Stop,
    EventSent,
    Message(Option<Outgoing>),
    Piece(String),
    Reply(Result<Reply, Fault>),
    Timer,
}

/// How a run ends, and whether that was wanted.
type End = (Exit, bool);

impl Player {
    async fn run(mut self) {
        let (how, expected) = loop {
            let end = match self.wait().await {
                Woken::Stop | Woken::Message(None) => Some((Exit::Code(0), true)),
                Woken::EventSent => None,
                Woken::Message(Some(message)) => {
                    self.take_message(message);
                    None
                }
                Woken::Piece(piece) => {
                    self.take_piece(&piece);
                    None
                }
                Woken::Reply(reply) => self.take_reply(reply),
                Woken::Timer => self.check_limits(),
            };
            if let Some(end) = end {
                break end;
            }
        };
        self.inbox.close();
        self.asking = None;
        self.out.push(PolicyEventKind::Exited { how, last_stderr: Vec::new(), expected });
        while let Some(what) = self.out.pop() {
            if !self.caller.tell(what).await {
                break;
            }
        }
    }

    async fn wait(&mut self) -> Woken {
        let wake = [self.dialogue.wake(), self.out.wake()].into_iter().flatten().min();
        let has_room = !self.out.is_full();
        let Self { caller, out, asking, inbox, .. } = self;
        tokio::select! {
            () = caller.kill.cancelled() => Woken::Stop,
            () = caller.quit.cancelled() => Woken::Stop,
            permit = caller.events.reserve(), if !out.is_empty() => match permit {
                Ok(permit) => {
                    if let Some(what) = out.pop() {
                        permit.send(PolicyEvent { run: caller.run, what });
                    }
                    Woken::EventSent
                }
                // Nobody listens: the policy plays for no one.
                Err(_) => Woken::Stop,
            },
            message = inbox.recv(), if has_room => Woken::Message(message),
            woken = hear(asking), if has_room => woken,
            () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => Woken::Timer,
        }
    }

    fn take_message(&mut self, message: Outgoing) {
        let effect = message.effect();
        match message {
            Outgoing::Hello(hello) => {
                self.hello = Some(hello);
                (self.refused, self.asking) = (None, None);
            }
            Outgoing::Reject { id, reasons } => self.refused = Some((id, reasons)),
            Outgoing::End(_) => self.asking = None,
            Outgoing::Observe(turn) => {
                // The request of an old turn ends here, and no answer of it can come.
                self.dialogue.restarted();
                self.dialogue.written(effect, Instant::now());
                self.ask(&turn);
                return;
            }
        }
        self.dialogue.written(effect, Instant::now());
    }

    fn ask(&mut self, turn: &Turn) {
        let refused = self.refused.take().filter(|(id, _)| *id == turn.id).map(|(_, reasons)| reasons);
        let prompt = prompt(self.hello.as_deref(), turn, refused);
        let Prompt { system, user } = match prompt {
            Ok(prompt) => prompt,
            Err(why) => {
                let why = format!("the observation cannot be shown to a model: {why}");
                self.out.garbage(Some(turn.id), why, String::new, Instant::now());
                return;
            }
        };
        let (sender, pieces) = mpsc::channel(PIECES);
        let reply = Box::pin(self.asker.clone().ask(system, user, sender));
        self.asking = Some(Asking { id: turn.id, pieces, reply });
    }

    fn take_piece(&mut self, piece: &str) {
        if let Some(asking) = &self.asking {
            self.out.streamed(asking.id, piece);
        }
    }

    fn take_reply(&mut self, reply: Result<Reply, Fault>) -> Option<End> {
        let mut asking = self.asking.take()?;
        let now = Instant::now();
        while let Ok(piece) = asking.pieces.try_recv() {
            self.out.streamed(asking.id, &piece);
        }
        match reply {
            Ok(reply) => {
                if let Some(usage) = reply.usage {
                    self.out.push(PolicyEventKind::Counted { id: asking.id, usage });
                }
                let line = reply.explain(action_in(Some(asking.id), &reply.text));
                self.dialogue.heard(line, reply.text.as_bytes(), now, &mut self.out);
                None
            }
            Err(Fault::Broken { why, text }) => {
                let line = super::answer::Line::Garbage { why };
                self.dialogue.heard(line, text.as_bytes(), now, &mut self.out);
                None
            }
            Err(Fault::TooLong) => {
                self.out.push(PolicyEventKind::LineTooLong { limit: self.spec.limits.line_bytes });
                Some((Exit::Code(0), true))
            }
            Err(Fault::Refused(why)) => Some((Exit::Refused { why }, false)),
        }
    }

    fn check_limits(&mut self) -> Option<End> {
        let now = Instant::now();
        self.out.tell_noise_if_due(now);
        let checked = self.dialogue.check(now, 0, &mut self.out);
        checked.is_err().then_some((Exit::Code(0), true))
    }
}

/// The next of a request under way; without one, never.
async fn hear(asking: &mut Option<Asking>) -> Woken {
    let Some(asking) = asking else { return std::future::pending().await };
    tokio::select! {
        biased;
        Some(piece) = asking.pieces.recv() => Woken::Piece(piece),
        reply = &mut asking.reply => Woken::Reply(reply),
    }
}
