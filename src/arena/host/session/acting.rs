//! What the seats do, and do not do: acting, being late, falling out, joining, leaving.

use serde_json::Value;
use tokio::time::Instant;

use super::seat::{self, Given, SeatState};
use super::{Ending, Outcome, STRIKES, Session, TRIES};
use crate::arena::engine::seats::{Seat, SeatSet};
use crate::arena::engine::{Noop, Timing, Turn};
use crate::arena::error::ArenaError;
use crate::arena::host::frames;
use crate::arena::host::live::ActAnswer;
use crate::arena::record::{SeatKind, SeatRecord, SessionRecord, Status};

impl Session {
    pub(super) fn act(&mut self, seat: Seat, payload: Value) -> (ActAnswer, Option<Outcome>) {
        let tick = self.record.tick;
        if let Some(reason) = self.may_not_act(seat) {
            return (ActAnswer::refused(tick, vec![reason.to_owned()]), None);
        }
        let Err(verdict) = self.play.judge(seat, &payload) else {
            let latency = self.round.opened.elapsed();
            let state = &mut self.seats[seat.index()];
            state.strikes = 0;
            let earlier = state.given.replace(Given::action(payload, latency));
            return (ActAnswer::accepted(tick, earlier.is_some()), None);
        };
        let mut reasons = seat::reasons(verdict);
        self.say("rejected", Some(seat), format!("{payload}: {}", reasons.join("; ")));
        let state = &mut self.seats[seat.index()];
        state.tries += 1;
        if state.tries < TRIES {
            self.observe_again(seat, &reasons);
            return (ActAnswer::refused(tick, reasons), None);
        }
        let why = format!("{TRIES} refused actions in one tick, the last: {}", reasons.join("; "));
        reasons.push(format!("refused action {TRIES} of {TRIES}: the seat is out"));
        let outcome = self.fail(seat, &why);
        (ActAnswer::refused(tick, reasons), outcome)
    }

    /// Why a seat has nothing to do now, if it has not.
    pub(super) fn may_not_act(&self, seat: Seat) -> Option<&'static str> {
        if self.record.status == Status::Waiting {
            Some("the session waits for players")
        } else if self.record.seats[seat.index()].failed {
            Some("this seat is out")
        } else if !self.round.asked.contains(seat) {
            Some("it is not this seat's turn")
        } else {
            None
        }
    }

    /// The deadline passed.
    pub(super) fn time_is_up(&mut self) -> Option<Outcome> {
        let grace = self.began + self.limits.first_visit;
        let no_harm = self.game.spec().noop != Noop::None;
        let late = self.missing();
        let unvisited =
            |seat: &Seat| !self.is_ai(*seat) && self.seats[seat.index()].presence.last_seen().is_none();
        if !no_harm && Instant::now() < grace && late.iter().any(|seat| unvisited(&seat)) {
            self.round.deadline = Some(grace);
            return None;
        }
        let mut out = Vec::new();
        for seat in late.iter() {
            let harmless = no_harm || self.is_ai(seat);
            let state = &mut self.seats[seat.index()];
            state.given = Some(Given::Nothing("timeout"));
            if harmless {
                continue;
            }
            state.strikes += 1;
            let strikes = state.strikes;
            self.say("timeout", Some(seat), format!("no answer in time, {strikes} in a row"));
            if strikes >= STRIKES {
                out.push(seat);
            }
        }
        let mut outcome = None;
        for seat in out {
            outcome = self.fail(seat, &format!("no answer in time, {STRIKES} times in a row")).or(outcome);
        }
        Some(outcome.unwrap_or(Outcome::Tick))
    }

    /// Takes a seat out. Gives what that means for the round.
    pub(super) fn fail(&mut self, seat: Seat, why: &str) -> Option<Outcome> {
        self.play.fail(seat, why);
        self.seats[seat.index()].gone = true;
        self.say("failed", Some(seat), why.to_owned());
        let frame = frames::failed(seat, self.record.tick, why);
        self.tell_seat(seat, &frame);
        self.tell_spectators(&frame);
        let probe = self.play.probe();
        self.round.asked = self.round.asked.without(SeatSet::one(seat));
        self.show(&probe);
        self.look_again(seat);
        self.publish();
        // A game that ended by this ended by its own rules.
        if probe.over.is_some() {
            return Some(Outcome::Again);
        }
        let mut users = self.record.seats.iter().filter(|seat| seat.kind == SeatKind::User).peekable();
        if users.peek().is_some() && users.all(|seat| self.seats[seat.seat.index()].gone) {
            return Some(Outcome::End(Ending::failed(
                "policy_failed",
                format!("no player is left: {seat} {why}"),
            )));
        }
        (self.game.spec().timing == Timing::TurnBased || probe.turn == Turn::Over).then_some(Outcome::Again)
    }

    pub(super) fn join(&mut self, account_id: &str, name: &str) -> Result<Vec<Seat>, ArenaError> {
        let own = |record: &SessionRecord, seats: &[SeatState]| -> Vec<Seat> {
            let is_own = |seat: &&SeatRecord| {
                seat.account_id.as_deref() == Some(account_id) && !seats[seat.seat.index()].gone
            };
            record.seats.iter().filter(is_own).map(|seat| seat.seat).collect()
        };
        let held = own(&self.record, &self.seats);
        if !held.is_empty() {
            return Ok(held);
        }
        let open = self.record.seats.iter_mut().find(|seat| seat.kind == SeatKind::Open);
        let Some(seat) = open else { return Err(ArenaError::conflict("no seat of this session is open")) };
        seat.kind = SeatKind::User;
        seat.account_id = Some(account_id.to_owned());
        name.clone_into(&mut seat.name);
        let seat = seat.seat;
        self.seats[seat.index()].presence.touch();
        self.say("joined", Some(seat), format!("{name} takes {seat}"));
        self.store_record();
        self.publish();
        Ok(vec![seat])
    }

    /// True when the seat is open for others again.
    pub(super) fn leave(&mut self, seat: Seat) -> (bool, Option<Outcome>) {
        if self.record.status == Status::Waiting {
            let place = &mut self.record.seats[seat.index()];
            if place.account_id.as_deref() == Some(self.record.account_id.as_str()) {
                return (false, Some(Outcome::End(Ending::failed("left", "its owner left before it began"))));
            }
            place.kind = SeatKind::Open;
            place.account_id = None;
            place.name.clear();
            self.say("left", Some(seat), format!("{seat} is open again"));
            self.store_record();
            self.publish();
            return (true, None);
        }
        if self.record.seats[seat.index()].failed || self.seats[seat.index()].gone {
            self.seats[seat.index()].gone = true;
            return (false, None);
        }
        let outcome = self.fail(seat, "left");
        let outcome = outcome.map(|outcome| match outcome {
            Outcome::End(_) => Outcome::End(Ending::failed("left", "every player left")),
            other => other,
        });
        (false, outcome)
    }
}
