//! What the platform's answers change.

use std::sync::Arc;

use crate::api::model::CreatedSession;
use crate::api::{Error as ApiError, ErrorKind};
use crate::client::{Answer, ClientEvent, Question, Request, Ticket};
use crate::tape::{About, LineKind, TapeEvent};

use super::effect::Effect;
use super::gate::Gate;
use super::live::{Live, Tone};
use super::overlay::Overlay;
use super::panes::play::OwnSeat;
use super::{App, Health, Pane, RETRY_WAITS};

type Reply<T> = Result<T, Arc<ApiError>>;

impl App {
    pub(super) fn heard(&mut self, event: ClientEvent) -> Vec<Effect> {
        match event {
            ClientEvent::Answered(ticket, reply) => self.answered(ticket, reply),
            ClientEvent::Fed(feed, event) => self.fed(feed, event),
            ClientEvent::Taped(feed, event) => self.taped(feed, event),
        }
    }

    fn answered(&mut self, ticket: Ticket, reply: Reply<Answer>) -> Vec<Effect> {
        let Some(pending) = self.pending.remove(&ticket) else { return Vec::new() };
        let is_local = pending.question.is_local();
        let mut effects =
            if is_local { Vec::new() } else { self.learn_health(&pending.question, reply.as_ref().err()) };
        effects.extend(match pending.question {
            Question::Games => {
                if self.games.games.settle(ticket, reply.and_then(|a| expect(a, Answer::games))) {
                    self.games.refresh();
                }
                Vec::new()
            }
            Question::Tags => {
                self.games.tags.settle(ticket, reply.and_then(|a| expect(a, Answer::tags)));
                Vec::new()
            }
            Question::Game(slug) => {
                if let Some(detail) = self.games.details.get_mut(&slug) {
                    detail.settle(ticket, reply.and_then(|a| expect(a, Answer::game)));
                }
                self.apply_game_rules();
                Vec::new()
            }
            Question::Sessions => {
                if self.sessions.sessions.settle(ticket, reply.and_then(|a| expect(a, Answer::sessions))) {
                    self.sessions.refresh();
                }
                self.again.remove("sessions").then(|| self.load_sessions()).flatten().into_iter().collect()
            }
            Question::Session(id) => {
                if let Ok(Answer::Session(session)) = reply
                    && let Some(seat) =
                        self.play.seats.iter_mut().find(|seat| seat.live.view.session_id == id.as_str())
                {
                    seat.live.view.know(*session);
                }
                Vec::new()
            }
            Question::Logs(_) => {
                self.sessions.logs.settle(ticket, reply.and_then(|a| expect(a, Answer::logs)));
                Vec::new()
            }
            Question::Providers => {
                self.play.providers.settle(ticket, reply.and_then(|a| expect(a, Answer::providers)));
                Vec::new()
            }
            Question::Recordings => {
                if self.sessions.recordings.settle(ticket, reply.and_then(|a| expect(a, Answer::recordings)))
                {
                    self.sessions.refresh_recorded();
                }
                Vec::new()
            }
            Question::Balance => {
                if reply.is_ok() {
                    self.credits.balance_at = Some(self.now.wall);
                }
                self.credits.balance.settle(ticket, reply.and_then(|a| expect(a, Answer::balance)));
                self.again.remove("balance").then(|| self.load_balance()).flatten().into_iter().collect()
            }
            Question::Usage => {
                self.credits.usage.settle(ticket, reply.and_then(|a| expect(a, Answer::usage)));
                self.again.remove("usage").then(|| self.load_usage()).flatten().into_iter().collect()
            }
            Question::Create(_) => self.created(ticket, reply),
            Question::Branch(_) => self.branched(ticket, reply),
            Question::Leave(id, token) => self.left(id.as_str(), &token, reply.err().as_deref()),
            Question::Compare(..) => Vec::new(),
        });
        effects
    }

    /// Notes whether the platform answers, and whether it takes our key.
    fn learn_health(&mut self, question: &Question, failure: Option<&Arc<ApiError>>) -> Vec<Effect> {
        let Some(why) = failure else {
            let back = matches!(self.health, Health::Down { .. });
            (self.health, self.trouble) = (Health::Up, None);
            if back {
                self.toast(Tone::Good, "the platform answers again");
            }
            return Vec::new();
        };
        match why.kind() {
            ErrorKind::Authentication if self.gate.is_none() && !matches!(question, Question::Leave(..)) => {
                self.gate = Some(Gate::refused(explain(why)));
            }
            ErrorKind::Authentication => {}
            // Where other answers are good, one that cannot be read is that endpoint's fault.
            ErrorKind::Decode | ErrorKind::Redirect if self.health == Health::Up => {}
            _ if is_connection(why) => {
                let now = self.now.since_start;
                let tries = match self.health {
                    // Several questions that failed together are one try.
                    Health::Down { tries, retry_at } if retry_at > now => tries,
                    Health::Down { tries, .. } => tries + 1,
                    _ => 1,
                };
                let wait = RETRY_WAITS[(tries as usize - 1).min(RETRY_WAITS.len() - 1)];
                self.health = Health::Down { tries, retry_at: now + std::time::Duration::from_secs(wait) };
                self.trouble = Some(why.clone());
            }
            _ => {}
        }
        Vec::new()
    }

    /// A session was created, or perhaps not.
    fn created(&mut self, ticket: Ticket, reply: Reply<Answer>) -> Vec<Effect> {
        // Another form may have been opened meanwhile.
        let form = match &mut self.overlay {
            Some(Overlay::Create(form)) if form.sent == Some(ticket) => Some(form),
            _ => None,
        };
        let why = match reply {
            Ok(Answer::Created(created)) => {
                if form.is_some() {
                    self.overlay = None;
                }
                return self.sit_down(&created);
            }
            Ok(_) => return Vec::new(),
            Err(why) => why,
        };
        let words = if why.outcome_unknown() {
            "The answer was lost. The session may exist and cost credits: look at Sessions (2) before you start another."
                .to_owned()
        } else {
            explain(&why)
        };
        match form {
            Some(form) => (form.sent, form.start, form.problem) = (None, false, Some(words)),
            None => self.toast(Tone::Bad, words),
        }
        self.load_after_start()
    }

    pub(super) fn sit_down(&mut self, created: &CreatedSession) -> Vec<Effect> {
        let (id, session, own) = (created.id().clone(), created.session.clone(), created.own_seats());
        let mut effects = self.load_after_start();
        if own.is_empty() {
            effects.extend(self.watch(&id));
            return effects;
        }
        self.play.at = self.play.seats.len();
        for seat in own {
            let feed = self.new_feed();
            let mut live = Live::new(feed, id.as_str().to_owned(), None);
            live.view.know(session.clone());
            let token = seat.player_token.clone();
            self.play.seats.push(OwnSeat::new(seat.player_id.as_str().to_owned(), token.clone(), live));
            let about = About {
                game: Some(session.game.as_str().to_owned()),
                player_id: Some(seat.player_id.to_string()),
            };
            effects.push(Effect::Send(Request::Sit(feed, id.clone(), token)));
            effects.push(Effect::Send(Request::Jot(feed, LineKind::About(about))));
        }
        self.apply_game_rules();
        self.pane = Pane::Play;
        (self.play.raw, self.play.policy_log, self.play.scroll) = (false, false, 0);
        effects
    }

    /// A request found no room on its way.
    pub(super) fn refused(&mut self, request: &Request) -> Vec<Effect> {
        self.toast(Tone::Warn, "busy: too much is under way, try again in a moment");
        match request {
            Request::Ask(ticket, _) => return self.pending_gone(*ticket, "too many requests are under way"),
            Request::Watch(..) | Request::Sit(..) | Request::Close(_) => self.put_off.push(request.clone()),
            Request::Act { feed, .. } => {
                if let Some(seat) = self.play.seats.iter_mut().find(|seat| seat.live.feed == *feed) {
                    seat.sent = None;
                    seat.live.view.note(Tone::Bad, "the action was not sent");
                    seat.notice = Some((Tone::Bad, "the action was not sent: too much is under way".into()));
                }
            }
            Request::Delegate { feed, .. } => {
                if let Some(at) = self.play.seats.iter().position(|seat| seat.live.feed == *feed) {
                    self.provider_failed(at, "was not asked: too much is under way");
                }
            }
            Request::Replay(feed, _) => {
                return self.taped(*feed, TapeEvent::Failed("too much is under way".into()));
            }
            Request::Tape(feed, _) => {
                if let Some(time) = self.timelines.get_mut(feed) {
                    time.undelivered();
                }
            }
            // A lost link is tried again by itself.
            Request::Jot(..) | Request::Reconnect(_) => {}
        }
        Vec::new()
    }

    fn pending_gone(&mut self, ticket: Ticket, why: &str) -> Vec<Effect> {
        self.answered(ticket, Err(Arc::new(ApiError::local("ask the platform", why))))
    }

    /// Asks a platform that was just chosen. What the one before was asked will not be answered any more.
    fn load_anew(&mut self) -> Vec<Effect> {
        self.gate = None;
        let old: Vec<Ticket> = self.pending.keys().copied().collect();
        let mut effects: Vec<Effect> = old
            .into_iter()
            .flat_map(|ticket| self.pending_gone(ticket, "another platform was chosen"))
            .collect();
        effects.extend(self.load_all());
        effects
    }

    pub(super) fn arena_started(&mut self, result: Result<(), String>) -> Vec<Effect> {
        match result {
            Ok(()) => {
                (self.boot.profile, self.boot.arena, self.boot.has_key) = ("demo".into(), true, true);
                // The arena is not the profile's, so its guard does not stand before it.
                self.boot.read_only = false;
                self.load_anew()
            }
            Err(why) => {
                self.gate_failed(&why);
                Vec::new()
            }
        }
    }

    pub(super) fn key_taken(&mut self, result: Result<Result<String, String>, Arc<str>>) -> Vec<Effect> {
        match result {
            Ok(kept) => {
                self.boot.has_key = true;
                match kept {
                    Ok(word) => self.toast(Tone::Good, word),
                    Err(word) => self.toast(Tone::Warn, word),
                }
                self.load_anew()
            }
            Err(why) => {
                self.gate_failed(&why);
                Vec::new()
            }
        }
    }

    fn gate_failed(&mut self, why: &str) {
        let gate = self.gate.get_or_insert_with(Gate::welcome);
        gate.busy = false;
        gate.problem = Some(why.into());
    }
}

/// An error in one paragraph: what failed, why, and what to do.
pub fn explain(why: &ApiError) -> String {
    let mut words = why.to_string();
    let mut source = std::error::Error::source(why);
    while let Some(cause) = source {
        words.push_str(": ");
        words.push_str(&cause.to_string());
        source = cause.source();
    }
    if let Some(advice) = why.advice() {
        words.push_str(" — ");
        words.push_str(advice);
    }
    crate::text::clean(&words).into_owned()
}

/// Whether an error says that the platform cannot be reached, rather than what it thinks of a request.
pub fn is_connection(why: &ApiError) -> bool {
    use ErrorKind as K;
    matches!(why.kind(), K::Connect | K::Timeout | K::Lost | K::Tls | K::Proxy | K::Decode | K::Redirect)
}

/// The answer as the kind its question calls for.
fn expect<T>(answer: Answer, read: impl FnOnce(Answer) -> Option<T>) -> Reply<T> {
    read(answer)
        .ok_or_else(|| Arc::new(ApiError::local("read an answer", "it is of another kind than the question")))
}
