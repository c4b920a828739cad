//! Own seats in play: what comes over their sockets, and what follows from it.
//!
//! What is sent is in `acting`; policies in `policies`, what is done when they fail in [`reactions`]; policies that
//! only look on in `shadows`; models that decide on the server in [`providers`]; the exact prompt in `prompts`.

mod acting;
mod policies;
mod prompts;
pub mod providers;
pub mod reactions;
mod shadows;

use crate::api::model::{PlayerToken, SessionId};
use crate::api::{Error as ApiError, ErrorKind};
use crate::api::{Message, MessageKind};
use crate::client::{FeedEvent, FeedId, Question, Request};

use super::App;
use super::effect::{Effect, Tell};
use super::live::Tone;
use super::overlay::{Confirm, Overlay, Then};
use super::panes::play::{Answered, Driver, OwnSeat, read_action};
use super::schema::Schema;

use self::reactions::Failure;

pub use self::policies::read_command;
pub use self::prompts::PromptView;

impl App {
    pub(super) fn fed(&mut self, feed: FeedId, event: FeedEvent) -> Vec<Effect> {
        if self.spectated(feed, &event) {
            return Vec::new();
        }
        let Some(at) = self.play.seats.iter().position(|seat| seat.live.feed == feed) else {
            return Vec::new();
        };
        let message = match &event {
            FeedEvent::Said(message) => Some(message.clone()),
            // Whether it arrived is not known: the observation after a reconnect says whether the seat is still asked.
            FeedEvent::NotSent { .. } | FeedEvent::Lost { .. } | FeedEvent::Ended { .. } => {
                if self.provider_decides(at) {
                    self.provider_failed(at, "was cut off: what it decides may still be played and billed");
                }
                self.play.seats[at].sent = None;
                None
            }
            _ => None,
        };
        let seat = &mut self.play.seats[at];
        let before = seat.live.view.tick;
        seat.live.take(self.now, event);
        match message {
            Some(message) => self.seat_heard(at, before, &message),
            None => Vec::new(),
        }
    }

    fn seat_heard(&mut self, at: usize, before: u64, message: &Message) -> Vec<Effect> {
        let seat = &mut self.play.seats[at];
        // Every seat hears what becomes of the others.
        let mine = message.player_id.as_deref().is_none_or(|player| player == seat.player_id);
        match message.kind {
            MessageKind::Observation => self.observed(at, before, message),
            MessageKind::ActionResult => self.acknowledged(at, message),
            MessageKind::PlayerFailed if mine => {
                seat.on_turn = false;
                let why = message.member::<String>("reason").unwrap_or_else(|| "no reason given".into());
                seat.notice = Some((Tone::Bad, format!("your seat failed: {}", crate::text::clean(&why))));
                Vec::new()
            }
            MessageKind::PlayerEliminated if mine => {
                seat.on_turn = false;
                seat.notice = Some((Tone::Warn, "you are out of the game; it goes on without you".into()));
                Vec::new()
            }
            MessageKind::Error => {
                self.seat_error(at, message);
                Vec::new()
            }
            MessageKind::GameCompleted => self.match_over(at),
            _ => Vec::new(),
        }
    }

    fn observed(&mut self, at: usize, before: u64, message: &Message) -> Vec<Effect> {
        let mut effects = Vec::new();
        let seat = &mut self.play.seats[at];
        seat.on_turn = on_turn(message);
        // It has decided once the seat is not asked any more.
        if let Some(provider) =
            seat.provider.as_mut().filter(|_| !seat.on_turn || seat.live.view.tick != before)
        {
            provider.pending = None;
        }
        if seat.live.view.tick != before {
            seat.answered = None;
            if let Some(policy) = &mut seat.policy {
                policy.tried.remove(&Failure::Refused);
                policy.tried.remove(&Failure::Garbage);
            }
            // A server may take an action without a word: the game went on.
            if let Some(sent) = seat.sent.take() {
                effects.extend(self.played(at, sent.tick, sent.payload));
            }
        }
        self.play.follow_turn();
        effects.extend(self.ask_policy(at));
        effects.extend(self.ask_provider(at));
        effects.extend(self.ask_shadow(at));
        effects
    }

    fn acknowledged(&mut self, at: usize, message: &Message) -> Vec<Effect> {
        let seat = &mut self.play.seats[at];
        let accepted = message.member::<bool>("accepted").unwrap_or(false);
        let id = message.member::<String>("action_id");
        // What is said of an action of an earlier tick says nothing of this one. A provider's has no id of ours.
        let awaited = seat.sent.take_if(|sent| match &sent.payload {
            Some(_) => id.is_none_or(|id| id == sent.action_id),
            None => message.tick.is_none_or(|tick| tick >= sent.tick),
        });
        let Some(sent) = awaited else {
            // It came too late for its own tick and counts for this one.
            if accepted && message.tick == Some(seat.live.view.tick) {
                seat.acted = message.tick;
            }
            return Vec::new();
        };
        if accepted {
            let tick = sent.tick;
            seat.acted = Some(tick);
            seat.answered = Some(Answered::Accepted { tick });
            seat.notice = seat.notice.take().filter(|_| seat.driver == Driver::Policy);
            if let Some(provider) = &mut seat.provider {
                provider.pending = None;
            }
            // If it was what is written, the next action starts afresh.
            seat.draft =
                seat.draft.take().filter(|draft| read_action(&draft.editor.text()).ok() != sent.payload);
            self.play.follow_turn();
            return self.played(at, tick, sent.payload);
        }
        let reasons: Vec<String> = message
            .member::<Vec<String>>("reasons")
            .filter(|reasons| !reasons.is_empty())
            .unwrap_or_else(|| vec!["no reason given".into()])
            .iter()
            .map(|reason| crate::text::clean(reason).into_owned())
            .collect();
        self.refused_action(at, reasons)
    }

    fn refused_action(&mut self, at: usize, reasons: Vec<String>) -> Vec<Effect> {
        let words = reasons.join("; ");
        let seat = &mut self.play.seats[at];
        seat.answered = Some(Answered::Refused { reasons });
        match (seat.driver, &seat.policy) {
            (Driver::Human, _) => Vec::new(),
            (Driver::Provider, _) => {
                self.provider_failed(at, &format!("played something that was refused: {words}"));
                Vec::new()
            }
            (Driver::Policy, policy) => {
                let before = policy.as_ref().and_then(|policy| policy.tried.get(&Failure::Refused));
                let times = match before.copied().unwrap_or(0) {
                    0 => String::new(),
                    n => format!(" {} times", n + 1),
                };
                self.policy_failed(at, Failure::Refused, &format!("its action was refused{times}: {words}"))
            }
        }
    }

    fn match_over(&mut self, at: usize) -> Vec<Effect> {
        let seat = &mut self.play.seats[at];
        seat.on_turn = false;
        seat.provider = seat
            .provider
            .take()
            .map(|provider| super::panes::play::ProviderSeat { pending: None, ..provider });
        if let Some(draft) = &mut seat.draft {
            // The result takes its place, so it must not keep the keys.
            draft.open = false;
        }
        seat.settle();
        let id = SessionId::from(seat.live.view.session_id.clone());
        let mut effects = Vec::new();
        if let Some(outcome) = &seat.live.view.outcome {
            let player = &seat.player_id;
            let result = serde_json::json!({
                "score": outcome.scores.get(player),
                "rank": outcome.ranks.get(player),
                "outcome": outcome.outcomes.get(player),
                "reason": outcome.reason,
            });
            let shadow = seat.shadow.as_mut().map(|shadow| &mut shadow.policy);
            for policy in seat.policy.iter_mut().chain(shadow) {
                (policy.pending, policy.restart_at) = (None, None);
                effects.push(Effect::TellPolicy(policy.run, Tell::End(result.clone())));
                effects.push(Effect::StopPolicy(policy.run));
            }
        }
        let (_, effect) = self.ask(Question::Session(id));
        effects.push(effect);
        effects.extend(self.load_after_end());
        effects
    }

    pub(super) fn ask_to_leave(&mut self) -> Vec<Effect> {
        let Some(seat) = self.play.seat() else { return Vec::new() };
        let id = seat.live.view.session_id.clone();
        if !seat.live.is_live() {
            return self.forget(&id);
        }
        let mine: Vec<&OwnSeat> =
            self.play.seats.iter().filter(|seat| seat.live.view.session_id == id).collect();
        let tokens = mine.iter().map(|seat| seat.token.clone()).collect();
        let seats: Vec<&str> = mine.iter().map(|seat| seat.player_id.as_str()).collect();
        self.overlay = Some(Overlay::Confirm(Confirm {
            question: format!("Leave {id}?"),
            detail: vec![
                format!("Your seat ({}) fails and gets the score of a failure.", seats.join(", ")),
                "The ticks played so far stay billed, nothing more is.".into(),
            ],
            yes: "Leave",
            no: "Stay",
            agree: false,
            then: Then::Leave(SessionId::from(id), tokens),
        }));
        Vec::new()
    }

    pub(super) fn leave(&mut self, id: &SessionId, tokens: Vec<PlayerToken>) -> Vec<Effect> {
        tokens.into_iter().map(|token| self.ask(Question::Leave(id.clone(), token)).1).collect()
    }

    /// A seat was left, or could not be. One that is not there any more was left too.
    pub(super) fn left(&mut self, id: &str, token: &PlayerToken, failure: Option<&ApiError>) -> Vec<Effect> {
        if let Some(why) = failure.filter(|why| why.kind() != ErrorKind::NotFound) {
            self.toast(Tone::Bad, format!("not left: {}", super::answers::explain(why)));
            return Vec::new();
        }
        let mut effects = self.forget_where(|seat| seat.live.view.session_id == id && seat.token == *token);
        self.toast(Tone::Plain, format!("left {id}"));
        effects.extend(self.load_after_end());
        effects
    }

    /// Takes all seats of a session off the screen.
    fn forget(&mut self, id: &str) -> Vec<Effect> {
        self.forget_where(|seat| seat.live.view.session_id == id)
    }

    fn forget_where(&mut self, gone: impl Fn(&OwnSeat) -> bool) -> Vec<Effect> {
        let mut effects = Vec::new();
        for seat in self.play.seats.iter().filter(|seat| gone(seat)) {
            effects.push(Effect::Send(Request::Close(seat.live.feed)));
            let shadow = seat.shadow.as_ref().map(|shadow| &shadow.policy);
            effects.extend(seat.policy.iter().chain(shadow).map(|policy| Effect::StopPolicy(policy.run)));
        }
        self.play.seats.retain(|seat| !gone(seat));
        self.play.at = self.play.at.min(self.play.seats.len().saturating_sub(1));
        (self.play.raw, self.play.policy_log) = (false, false);
        effects
    }

    /// Tells each seat what its game says of actions: whether doing nothing is one, what they look like.
    pub(super) fn apply_game_rules(&mut self) {
        for at in 0..self.play.seats.len() {
            let game = self.play.seats[at].live.view.game.clone().unwrap_or_default();
            let Some(record) = self.games.detail(&game) else { continue };
            let noop = record.config.decode::<String>("noop");
            let schema = record.action_schema.as_ref().and_then(|schema| Schema::read(schema.get()));
            let examples = prompts::examples(record.prompt.as_deref().unwrap_or_default());
            let seat = &mut self.play.seats[at];
            seat.may_pass = noop.as_deref() != Some("none");
            seat.pass_is_safe = noop.is_some_and(|noop| noop == "legal" || noop == "default");
            seat.schema = schema.map(std::sync::Arc::new);
            seat.examples = examples.into();
        }
    }
}

/// Whether the seat that gets this observation is asked now. Servers say so beside the observation or in it; where
/// neither does, every observation asks.
fn on_turn(message: &Message) -> bool {
    #[derive(serde::Deserialize)]
    struct Turn {
        #[serde(default)]
        is_your_turn: Option<bool>,
    }
    message
        .member::<bool>("on_turn")
        .or_else(|| message.data.as_ref()?.decode::<Turn>().ok()?.is_your_turn)
        .unwrap_or(true)
}
