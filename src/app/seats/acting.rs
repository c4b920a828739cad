//! Acting for a seat: what is sent, by whom, and what is written by hand.

use std::sync::Arc;

use serde_json::Value;

use crate::client::Request;
use crate::tape::Act;

use crate::app::App;
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::live::{Tone, words};
use crate::app::panes::play::{Draft, Driver, LastAct, OwnSeat, Sent, Verdict, read_action};

impl App {
    /// Sends the chosen action.
    pub(in crate::app) fn play_chosen(&mut self) -> Vec<Effect> {
        let Some(payload) = self.play.seat().and_then(OwnSeat::chosen).map(|choice| choice.payload.clone())
        else {
            return Vec::new();
        };
        self.send_by_hand(payload)
    }

    fn send_by_hand(&mut self, payload: Arc<str>) -> Vec<Effect> {
        let Some(seat) = self.play.seat_mut() else { return Vec::new() };
        let hurdle = if !seat.live.is_live() {
            Some("the match is over")
        } else if seat.driver == Driver::Policy {
            Some("the policy drives this seat: h takes it back")
        } else if seat.driver == Driver::Provider {
            Some("a provider drives this seat: h takes it back")
        } else if !seat.on_turn {
            Some("not your turn")
        } else if seat.sent.is_some() || seat.acted == Some(seat.live.view.tick) {
            Some("already played this tick")
        } else {
            None
        };
        if let Some(hurdle) = hurdle {
            seat.notice = Some((Tone::Warn, hurdle.into()));
            return Vec::new();
        }
        seat.notice = None;
        seat.answered = None;
        let game = seat.live.view.game.clone().unwrap_or_default();
        self.play.remember(&game, &payload);
        let by = "human".into();
        vec![self.send_for(self.play.at, payload, by)]
    }

    /// Sends an action for a seat that wants one.
    pub(super) fn send_for(&mut self, at: usize, payload: Arc<str>, by: Arc<str>) -> Effect {
        let action_id = format!("a{}", self.number());
        let seat = &mut self.play.seats[at];
        let tick = seat.live.view.tick;
        seat.sent = Some(Sent { action_id: action_id.clone(), tick, payload: Some(payload.clone()) });
        seat.note_act(tick, Some(payload.clone()), &by);
        Effect::Send(Request::Act { feed: seat.live.feed, action_id, by, tick, payload })
    }

    pub(in crate::app) fn edit_action(&mut self) {
        let Some(seat) = self.play.seat_mut() else { return };
        let tick = seat.live.view.tick;
        let example = seat.chosen().map_or_else(|| "[]".to_owned(), |choice| pretty(&choice.payload));
        match &mut seat.draft {
            Some(draft) => draft.open = true,
            None => seat.draft = Some(Draft::new(&example, tick)),
        }
    }

    /// A key for the action that is being written.
    pub(in crate::app) fn typed_into_draft(&mut self, key: Key) -> Vec<Effect> {
        let Some(seat) = self.play.seats.get_mut(self.play.at) else { return Vec::new() };
        let history = seat.live.view.game.as_ref().and_then(|game| self.play.history.get(game));
        let played = history.into_iter().flatten().map(|payload| &**payload);
        let Some(draft) = &mut seat.draft else { return Vec::new() };
        match key.code {
            KeyCode::Esc => draft.open = false,
            KeyCode::Enter if key.alt => {
                draft.touched();
                draft.editor.break_line();
            }
            KeyCode::Enter => return self.send_draft(),
            KeyCode::Tab => {
                let listed = seat.choices.iter().map(|choice| choice.payload.to_string());
                let actions =
                    played.rev().map(str::to_owned).chain(seat.examples.iter().cloned()).chain(listed);
                draft.complete(seat.schema.as_deref(), actions);
            }
            KeyCode::Char('p') if key.ctrl => draft.recall(played, true),
            KeyCode::Char('n') if key.ctrl => draft.recall(played, false),
            _ => {
                draft.touched();
                draft.editor.input(key);
            }
        }
        Vec::new()
    }

    /// Sends what is written, if it is an action and meant for this tick. What does not fit the game's schema is sent
    /// by a second Enter: the schema may be wrong.
    fn send_draft(&mut self) -> Vec<Effect> {
        let Some(seat) = self.play.seat_mut() else { return Vec::new() };
        let Some(draft) = &mut seat.draft else { return Vec::new() };
        let text = draft.editor.text();
        let payload = match read_action(&text) {
            Ok(payload) => payload,
            Err(why) => {
                seat.notice = Some((Tone::Bad, format!("not sent: {why}")));
                return Vec::new();
            }
        };
        if let Verdict::Misfit { why, .. } = draft.verdict(seat.schema.as_deref())
            && draft.warned.as_deref() != Some(&text)
        {
            draft.warned = Some(text);
            seat.notice = Some((Tone::Warn, format!("schema: {why}; Enter again sends it all the same")));
            return Vec::new();
        }
        if draft.tick != seat.live.view.tick {
            let text = format!(
                "the game went on from tick {} to {}: Enter again to play it now",
                draft.tick, seat.live.view.tick
            );
            draft.tick = seat.live.view.tick;
            seat.notice = Some((Tone::Warn, text));
            return Vec::new();
        }
        let effects = self.send_by_hand(payload);
        if let (false, Some(draft)) =
            (effects.is_empty(), self.play.seat_mut().and_then(|seat| seat.draft.as_mut()))
        {
            draft.open = false;
        }
        effects
    }
}

impl OwnSeat {
    /// Notes what is played for it: in the session's log, as in the recording, and as its last action.
    pub(super) fn note_act(&mut self, tick: u64, payload: Option<Arc<str>>, by: &Arc<str>) {
        let played: Option<Value> = payload.as_deref().and_then(|text| serde_json::from_str(text).ok());
        let told = played.as_ref().map_or_else(|| "left to the server".to_owned(), words);
        self.last = Some(LastAct { tick, words: crate::text::clean(&told).into_owned(), by: by.clone() });
        let act = Act {
            player_id: self.player_id.clone(),
            tick,
            by: by.to_string(),
            payload,
            shadow: false,
            agrees: None,
        };
        self.live.view.acted(&act);
    }
}

/// JSON with a member a line, for editing.
fn pretty(json: &str) -> String {
    serde_json::from_str::<Value>(json)
        .and_then(|value| serde_json::to_string_pretty(&value))
        .unwrap_or_else(|_| json.to_owned())
}
