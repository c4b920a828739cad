//! Policies in seats: started, greeted, asked, heard, taken out again.

use std::sync::Arc;
use std::time::Duration;

use crate::client::{Question, Request};
use crate::policy::{Hello, PolicyEvent, PolicySpec, Run, Turn, parse_command_line};

use crate::app::editor::Editor;
use crate::app::effect::{Effect, Tell};
use crate::app::live::Tone;
use crate::app::overlay::{CommandPrompt, Overlay};
use crate::app::panes::play::{Answered, Driver, Heard, OwnSeat, PolicySeat};
use crate::app::{App, Pane};

use super::reactions::{Failure, Reaction, Reactions};

/// The most times a policy is started again.
const RESTARTS: u32 = 5;

/// Reads a typed command: what is done when it fails, and what is run.
///
/// # Errors
/// What is wrong with it.
pub fn read_command(text: &str) -> Result<(Reactions, PolicySpec), String> {
    let words = parse_command_line(text).map_err(|why| why.to_string())?;
    let (reactions, words) = Reactions::take(words)?;
    let spec = PolicySpec::from_words(words).map_err(|why| why.to_string())?;
    Ok((reactions, spec))
}

impl App {
    /// Asks for a command: one that drives the seat on screen, or one that only looks on.
    pub(in crate::app) fn ask_for_policy(&mut self, shadow: bool) {
        let Some(seat) = self.play.seat().filter(|seat| seat.live.is_live()) else { return };
        let known = seat.shadow.as_ref().filter(|_| shadow).map(|shadow| shadow.policy.command.clone());
        let input = Editor::line(known.as_ref().unwrap_or(&self.last_command));
        self.overlay = Some(Overlay::Command(CommandPrompt { input, problem: None, shadow }));
    }

    /// Puts a command into the seat on screen.
    pub(in crate::app) fn seat_policy(
        &mut self,
        command: String,
        spec: PolicySpec,
        reactions: Reactions,
    ) -> Vec<Effect> {
        let run = self.new_run();
        let at = self.play.at;
        let Some(seat) = self.play.seats.get_mut(at).filter(|seat| seat.live.is_live()) else {
            return Vec::new();
        };
        let mut effects = Vec::new();
        if let Some(old) = seat.policy.take() {
            effects.push(Effect::StopPolicy(old.run));
        }
        let mut policy = PolicySeat::new(run, command.clone(), spec.clone(), reactions);
        policy.log(&format!("$ {command}"));
        policy.log(&policy.reactions.words());
        seat.policy = Some(policy);
        seat.take_from_provider();
        seat.driver = Driver::Policy;
        seat.notice = None;
        self.last_command = command;
        effects.push(Effect::StartPolicy(run, spec));
        effects.push(Effect::TellPolicy(run, Tell::Hello(self.hello(at))));
        effects.extend(self.ask_policy(at));
        effects
    }

    pub(super) fn hello(&self, at: usize) -> Hello {
        let seat = &self.play.seats[at];
        let game = seat.live.view.game.clone().unwrap_or_default();
        let record = self.games.detail(&game);
        let session = seat.live.view.session.as_ref();
        Hello {
            game_version: record.and_then(|record| record.game_version.as_ref()?.decode().ok()),
            rules: record.and_then(|record| record.prompt.clone()).unwrap_or_default(),
            config: record.and_then(|record| serde_json::to_value(&record.config).ok()).unwrap_or_default(),
            player_count: session.and_then(|session| session.player_count).unwrap_or_default(),
            seat: seat.player_id.clone(),
            seed: None,
            game,
        }
    }

    /// Asks the policy of a seat, if it drives and has to decide.
    pub(super) fn ask_policy(&mut self, at: usize) -> Vec<Effect> {
        let id = self.number();
        let seat = &mut self.play.seats[at];
        if seat.driver != Driver::Policy || !seat.wants_decision() {
            return Vec::new();
        }
        let tick = seat.live.view.tick;
        let Some(observation) = seat.live.view.observation_text() else { return Vec::new() };
        let Some(policy) = seat.policy.as_mut().filter(|policy| policy.is_up()) else { return Vec::new() };
        if policy.pending.is_some_and(|(_, pending)| pending == tick) {
            return Vec::new();
        }
        policy.pending = Some((id, tick));
        policy.streamed.clear();
        vec![Effect::TellPolicy(policy.run, Tell::Observe(Turn { id, tick, observation }))]
    }

    pub(in crate::app) fn policy_did(&mut self, event: PolicyEvent) -> Vec<Effect> {
        let runs = |policy: Option<&PolicySeat>| policy.is_some_and(|policy| policy.run == event.run);
        if let Some(at) = self.play.seats.iter().position(|seat| runs(seat.policy.as_ref())) {
            let Some(policy) = &mut self.play.seats[at].policy else { return Vec::new() };
            return match policy.hear(event.what) {
                Heard::Nothing => Vec::new(),
                Heard::Answer { action } => self.send_for_policy(at, action),
                Heard::Failed(failure, why) => self.policy_failed(at, failure, &why),
            };
        }
        let shadow = |seat: &OwnSeat| runs(seat.shadow.as_ref().map(|shadow| &shadow.policy));
        match self.play.seats.iter().position(shadow) {
            Some(at) => self.shadow_did(at, event.what),
            None => Vec::new(), // Of a run that was replaced.
        }
    }

    fn send_for_policy(&mut self, at: usize, payload: Arc<str>) -> Vec<Effect> {
        let seat = &mut self.play.seats[at];
        if seat.driver != Driver::Policy || !seat.wants_decision() {
            return Vec::new();
        }
        let by = seat.by();
        vec![self.send_for(at, payload, by)]
    }

    /// A policy failed: does what was chosen for that, as often as it may be tried; then the human gets the seat.
    pub(super) fn policy_failed(&mut self, at: usize, failure: Failure, why: &str) -> Vec<Effect> {
        let seat = &mut self.play.seats[at];
        let Some(policy) = seat.policy.as_mut().filter(|_| seat.driver == Driver::Policy) else {
            return Vec::new();
        };
        if !policy.is_up() {
            return Vec::new(); // What follows a failure is no second one.
        }
        let chosen = policy.reactions.to(failure);
        let tried = policy.fail(failure);
        let spent = tried >= Reactions::tries(failure) || policy.restarts >= RESTARTS;
        let reaction = match chosen {
            Reaction::Restart | Reaction::Safe | Reaction::Ask if spent => Reaction::Hand,
            chosen => chosen,
        };
        policy.log(&format!("✗ {why} → {}", reaction.name()));
        match reaction {
            Reaction::Wait => Vec::new(),
            Reaction::Hand => self.hand_over(at, why),
            Reaction::Stop => self.stop_policy(at, why),
            Reaction::Ask => self.ask_again(at, failure, why),
            Reaction::Restart => self.restart_later(at, why),
            Reaction::Safe => self.play_safe(at, failure, why),
        }
    }

    /// Tells the policy what was wrong and asks the same turn again.
    fn ask_again(&mut self, at: usize, failure: Failure, why: &str) -> Vec<Effect> {
        let seat = &mut self.play.seats[at];
        let Some(policy) = &mut seat.policy else { return Vec::new() };
        let id = policy.pending.take().map_or(policy.answered, |(id, _)| id);
        let reasons = match &seat.answered {
            Some(Answered::Refused { reasons }) if failure == Failure::Refused => reasons.clone(),
            _ => vec![why.to_owned()],
        };
        let mut effects = vec![Effect::TellPolicy(policy.run, Tell::Reject { id, reasons })];
        effects.extend(self.ask_policy(at));
        effects
    }

    fn play_safe(&mut self, at: usize, failure: Failure, why: &str) -> Vec<Effect> {
        let is_gone = matches!(failure, Failure::Crash | Failure::End | Failure::TimeOut);
        let seat = &mut self.play.seats[at];
        let wanted = seat.wants_decision();
        let safe = seat.safe_action().filter(|_| wanted);
        if wanted && safe.is_none() {
            return self.hand_over(at, &format!("{why}; no safe action is known here"));
        }
        let by = format!("{} (safe action)", seat.by()).into();
        if let Some(policy) = &mut seat.policy {
            policy.pending = None;
        }
        let mut effects = if is_gone { self.restart_later(at, why) } else { Vec::new() };
        if let Some(payload) = safe {
            effects.push(self.send_for(at, payload, by));
            let text = format!("a safe action was played for the policy: {why}");
            self.play.seats[at].notice = Some((Tone::Warn, crate::text::clean(&text).into_owned()));
        }
        effects
    }

    /// Ends the process now and starts another in a moment.
    fn restart_later(&mut self, at: usize, why: &str) -> Vec<Effect> {
        let now = self.now.since_start;
        let seat = &mut self.play.seats[at];
        let Some(policy) = &mut seat.policy else { return Vec::new() };
        let wait = policy.restart_after();
        (policy.pending, policy.restart_at) = (None, Some(now + wait));
        policy.streamed.clear();
        let text = format!("the policy is started again: {why}");
        let run = policy.run;
        seat.notice = Some((Tone::Warn, crate::text::clean(&text).into_owned()));
        vec![Effect::StopPolicy(run)]
    }

    /// Starts the policies whose time has come.
    pub(in crate::app) fn restart_policies(&mut self) -> Vec<Effect> {
        let now = self.now.since_start;
        let mut effects = Vec::new();
        for at in 0..self.play.seats.len() {
            let policy = self.play.seats[at].policy.as_ref();
            if policy.and_then(|policy| policy.restart_at).is_none_or(|due| due > now) {
                continue;
            }
            let (run, hello) = (self.new_run(), self.hello(at));
            let Some(policy) = &mut self.play.seats[at].policy else { continue };
            (policy.run, policy.restart_at) = (run, None);
            policy.log("started again");
            effects.push(Effect::StartPolicy(run, policy.spec.clone()));
            effects.push(Effect::TellPolicy(run, Tell::Hello(hello)));
            effects.extend(self.ask_policy(at));
        }
        effects
    }

    /// When a policy is to be started again.
    pub(in crate::app) fn next_restart(&self) -> Option<Duration> {
        self.play.seats.iter().filter_map(|seat| seat.policy.as_ref()?.restart_at).min()
    }

    /// The user takes the seat on screen back.
    pub(in crate::app) fn take_back(&mut self) -> Vec<Effect> {
        let at = self.play.at;
        match self.play.seats.get(at).map(|seat| seat.driver) {
            Some(Driver::Policy) => {
                self.end_policy(at, Tone::Plain, "the seat is yours; c gives it to the policy again")
            }
            Some(Driver::Provider) => {
                self.take_from_provider(at, Tone::Plain, "the seat is yours; v gives it to a provider again");
                Vec::new()
            }
            Some(Driver::Human) | None => Vec::new(),
        }
    }

    /// A policy loses its seat.
    fn hand_over(&mut self, at: usize, why: &str) -> Vec<Effect> {
        let text =
            format!("the seat is yours, the policy is stopped: {why}; c tries one again, L shows its log");
        self.end_policy(at, Tone::Bad, &text)
    }

    /// A policy is stopped, and nobody plays the seat until the user says who.
    fn stop_policy(&mut self, at: usize, why: &str) -> Vec<Effect> {
        let text = format!("the policy is stopped and the seat waits: {why}; h takes it, c tries one again");
        let effects = self.end_policy(at, Tone::Bad, &text);
        let seat = &mut self.play.seats[at];
        seat.driver = Driver::Policy;
        effects
    }

    fn end_policy(&mut self, at: usize, tone: Tone, text: &str) -> Vec<Effect> {
        let seat = &mut self.play.seats[at];
        seat.driver = Driver::Human;
        let text = crate::text::clean(text).into_owned();
        seat.notice = Some((tone, text.clone()));
        let Some(policy) = &mut seat.policy else { return Vec::new() };
        (policy.pending, policy.restart_at, policy.stopped) = (None, None, true);
        policy.streamed.clear();
        policy.log(&text);
        let run: Run = policy.run;
        self.tell_of_seat(at, tone, &text);
        vec![Effect::StopPolicy(run)]
    }

    /// Says something of a seat in the corner, if it is not on screen.
    pub(super) fn tell_of_seat(&mut self, at: usize, tone: Tone, text: &str) {
        if at != self.play.at || self.pane != Pane::Play {
            let player = self.play.seats[at].player_id.clone();
            self.toast(tone, format!("{player}: {text}"));
        }
    }

    /// Asks for the platform's providers, to choose one.
    pub(super) fn load_providers(&mut self) -> Option<Effect> {
        if self.play.providers.is_loading() {
            return None;
        }
        let (ticket, effect) = self.ask(Question::Providers);
        self.play.providers.ask(ticket);
        Some(effect)
    }

    /// Notes something in the recording of a seat.
    pub(super) fn jot(&self, at: usize, what: crate::tape::LineKind) -> Effect {
        Effect::Send(Request::Jot(self.play.seats[at].live.feed, what))
    }
}

impl PolicySeat {
    /// Whether it can be asked: it was not stopped, and does not wait to be started again.
    pub fn is_up(&self) -> bool {
        !self.stopped && self.restart_at.is_none()
    }
}
