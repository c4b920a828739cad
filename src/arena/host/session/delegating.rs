//! Turns that somebody else decides in a seat's place, and the match handed out to go on from.

use std::sync::Arc;

use serde_json::json;

use super::Session;
use super::seat::{self, Given};
use crate::arena::engine::Play;
use crate::arena::engine::rng::mix;
use crate::arena::engine::seats::Seat;
use crate::arena::host::frames;
use crate::arena::host::live::{Checkpoint, Delegation};
use crate::arena::host::thinking::Thought;
use crate::arena::record::Status;

impl Session {
    /// Lets a built-in player decide this turn of a seat. The one that did so before goes on with what it remembers.
    pub(super) fn delegate(&mut self, seat: Seat, order: Delegation) -> Result<(), &'static str> {
        if let Some(reason) = self.may_not_act(seat) {
            return Err(reason);
        }
        let state = &mut self.seats[seat.index()];
        if state.given.is_some() {
            return Err("this seat has acted already");
        }
        if state.delegated.is_some() {
            return Err("somebody is deciding for this seat already");
        }
        let known = state.stand_in.take().filter(|(name, _)| *name == order.model);
        let stream = mix(&[self.record.players_seed(), seat.index() as u64, 0xDE]);
        let player = known.map(|(_, player)| player).or_else(|| self.game.player(&order.model, stream));
        let Some(player) = player else { return Err("the game has no such player") };
        let says = format!("{}/{} decides", order.provider_id, order.model);
        state.delegated = Some(order);
        self.say("delegated", Some(seat), says);
        let copy: Arc<dyn Play> = Arc::from(self.play.fork());
        self.thinking.start(seat, self.round.number, player, copy);
        Ok(())
    }

    /// What was decided counts if the turn is still open; either way the seat's sockets are told.
    pub(super) fn decided(&mut self, thought: Thought) {
        let seat = thought.seat;
        let on_time = thought.round == self.round.number && self.round.asked.contains(seat);
        let state = &mut self.seats[seat.index()];
        let Some(order) = state.delegated.take() else { return };
        let mut message = json!({
            "type": "action_result", "accepted": false, "tick": self.record.tick, "delegated": order.json(),
        });
        if let Some(action_id) = &order.action_id {
            message["action_id"] = action_id.clone();
        }
        let refused = match thought.outcome {
            None => vec!["whoever was to decide broke".to_owned()],
            Some((player, action)) => {
                state.stand_in = Some((order.model.clone(), player));
                message["action"] = action.clone();
                if !on_time {
                    vec!["the turn was over before it was decided".to_owned()]
                } else if state.given.is_some() {
                    vec!["the seat acted by itself meanwhile".to_owned()]
                } else if let Err(verdict) = self.play.judge(seat, &action) {
                    seat::reasons(verdict)
                } else {
                    state.strikes = 0;
                    state.given =
                        Some(Given::Action { payload: action, latency: thought.took, by: Some(order) });
                    Vec::new()
                }
            }
        };
        message["accepted"] = refused.is_empty().into();
        if !refused.is_empty() {
            message["reasons"] = json!(refused);
        }
        self.tell_seat(seat, &frames::frame(&message));
    }

    /// The match as it stands, for whoever goes on from here.
    pub(super) fn checkpoint(&mut self) -> Option<Checkpoint> {
        if self.record.status == Status::Waiting {
            return None;
        }
        self.flush();
        Some(Checkpoint {
            play: self.play.fork(),
            record: self.record.clone(),
            told: self.told,
            unwritten: self.story.clone(),
        })
    }
}
