//! Shadows: a second policy answers every turn beside whoever drives, and is compared with what was played.

use std::sync::Arc;

use crate::policy::{PolicyEventKind, PolicySpec, Turn};
use crate::tape::{Act, LineKind};

use crate::app::App;
use crate::app::effect::{Effect, Tell};
use crate::app::live::Tone;
use crate::app::panes::play::{Heard, PolicySeat, Shadow};

use super::reactions::{Failure, Reactions};

impl App {
    /// Lets a command look over the shoulder of the seat on screen.
    pub(in crate::app) fn start_shadow(&mut self, command: String, spec: PolicySpec) -> Vec<Effect> {
        let run = self.new_run();
        let at = self.play.at;
        let mut effects = self.end_shadow(at);
        let Some(seat) = self.play.seats.get_mut(at).filter(|seat| seat.live.is_live()) else {
            return effects;
        };
        let policy = PolicySeat::new(run, command.clone(), spec.clone(), Reactions::default());
        seat.shadow = Some(Shadow::new(policy));
        self.last_command = command;
        effects.push(Effect::StartPolicy(run, spec));
        effects.push(Effect::TellPolicy(run, Tell::Hello(self.hello(at))));
        effects.extend(self.ask_shadow(at));
        effects
    }

    /// Ends the shadow of a seat, if it has one.
    pub(in crate::app) fn end_shadow(&mut self, at: usize) -> Vec<Effect> {
        let shadow = self.play.seats.get_mut(at).and_then(|seat| seat.shadow.take());
        shadow.map(|shadow| Effect::StopPolicy(shadow.policy.run)).into_iter().collect()
    }

    /// Shows what the shadow would play while the user decides, or hides it.
    pub(in crate::app) fn toggle_shadow(&mut self) {
        let Some(seat) = self.play.seat_mut() else { return };
        match &mut seat.shadow {
            Some(shadow) => shadow.shown = !shadow.shown,
            None => seat.notice = Some((Tone::Plain, "no shadow here; S starts one".into())),
        }
    }

    /// Asks the shadow of a seat, whoever drives it.
    pub(super) fn ask_shadow(&mut self, at: usize) -> Vec<Effect> {
        let id = self.number();
        let seat = &mut self.play.seats[at];
        if !seat.on_turn || !seat.live.is_live() {
            return Vec::new();
        }
        let tick = seat.live.view.tick;
        let Some(observation) = seat.live.view.observation_text() else { return Vec::new() };
        let Some(shadow) = &mut seat.shadow else { return Vec::new() };
        let asked = shadow.policy.pending.is_some_and(|(_, pending)| pending == tick)
            || shadow.would.as_ref().is_some_and(|(answered, _)| *answered == tick);
        if asked {
            return Vec::new();
        }
        shadow.policy.pending = Some((id, tick));
        vec![Effect::TellPolicy(shadow.policy.run, Tell::Observe(Turn { id, tick, observation }))]
    }

    pub(super) fn shadow_did(&mut self, at: usize, what: PolicyEventKind) -> Vec<Effect> {
        let Some(shadow) = &mut self.play.seats[at].shadow else { return Vec::new() };
        let pending = shadow.policy.pending;
        match shadow.policy.hear(what) {
            Heard::Answer { action } => {
                shadow.would = pending.map(|(_, tick)| (tick, action));
                self.compare_shadow(at)
            }
            // A turn without an answer is not compared; the next one may be.
            Heard::Failed(Failure::Garbage | Failure::Late, _) | Heard::Nothing => Vec::new(),
            Heard::Failed(_, why) => {
                let text = crate::text::clean(&format!("the shadow is stopped: {why}")).into_owned();
                self.play.seats[at].notice = Some((Tone::Warn, text.clone()));
                self.tell_of_seat(at, Tone::Warn, &text);
                self.end_shadow(at)
            }
        }
    }

    /// Something was played for a seat: its shadow is compared with that.
    pub(super) fn played(&mut self, at: usize, tick: u64, payload: Option<Arc<str>>) -> Vec<Effect> {
        let Some(shadow) = &mut self.play.seats[at].shadow else { return Vec::new() };
        shadow.played = Some((tick, payload));
        self.compare_shadow(at)
    }

    fn compare_shadow(&mut self, at: usize) -> Vec<Effect> {
        let seat = &mut self.play.seats[at];
        let Some(shadow) = &mut seat.shadow else { return Vec::new() };
        let Some(compared) = shadow.compare() else { return Vec::new() };
        let act = Act {
            player_id: seat.player_id.clone(),
            tick: compared.tick,
            by: format!("policy {}", shadow.policy.title()),
            payload: Some(compared.would),
            shadow: true,
            agrees: compared.agrees,
        };
        seat.live.view.acted(&act);
        vec![self.jot(at, LineKind::Acted(act))]
    }
}
