//! Telling: frames for the seats and spectators, the face for readers, the story for the database.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::{Ending, Outcome, Session};
use crate::arena::engine::observation::Number;
use crate::arena::engine::seats::Seat;
use crate::arena::host::frames::{self, Frame};
use crate::arena::host::live::{Face, Feed};
use crate::arena::host::now;
use crate::arena::record::{SeatKind, Status};
use crate::arena::store::sessions::{self, Entry, What};

impl Session {
    /// Sends everybody what they see now. Seats of built-in players are written only when somebody watches.
    pub(super) fn observe(&mut self) {
        let (tick, asked, left) = (self.record.tick, self.round.asked, self.time_left());
        let watched = self.audience.receiver_count() > 0;
        for nth in 0..self.seats.len() {
            let seat = self.seats[nth].seat;
            if self.is_ai(seat) {
                continue;
            }
            let data: Arc<str> = self.see(seat, &[]).into();
            if self.seats[nth].frames.receiver_count() > 0 {
                self.tell_seat(seat, &frames::observation(seat, &data, tick, asked.contains(seat), left));
            }
            self.observations.insert(seat, data);
        }
        if watched {
            let frame = self.spectacle();
            self.tell_spectators(&frame);
        }
        self.last_frame = Instant::now();
    }

    /// Sends a seat its observation once more, with what was wrong with its answer.
    pub(super) fn observe_again(&mut self, seat: Seat, reasons: &[String]) {
        let data: Arc<str> = self.see(seat, reasons).into();
        let frame = frames::observation(seat, &data, self.record.tick, true, self.time_left());
        self.tell_seat(seat, &frame);
        self.observations.insert(seat, data);
        self.publish();
    }

    /// Brings what a seat's poll shows up to date.
    pub(super) fn look_again(&mut self, seat: Seat) {
        self.observations.insert(seat, self.see(seat, &[]).into());
    }

    /// What a seat's socket is sent from now on.
    pub(super) fn attach(&self, seat: Seat) -> Feed {
        let frames = self.seats[seat.index()].frames.subscribe();
        let (tick, on_turn, left) = (self.record.tick, self.round.asked.contains(seat), self.time_left());
        let first = if self.record.status == Status::Waiting {
            self.waiting()
        } else if let Some(data) = self.observations.get(seat) {
            frames::observation(seat, data, tick, on_turn, left)
        } else {
            frames::observation(seat, &self.see(seat, &[]), tick, on_turn, left)
        };
        Feed { backlog: vec![first], frames }
    }

    /// What a spectator's socket is sent from now on, after the session itself.
    pub(super) fn watch(&self) -> Feed {
        let frames = self.audience.subscribe();
        let first = if self.record.status == Status::Waiting { self.waiting() } else { self.spectacle() };
        Feed { backlog: vec![first], frames }
    }

    fn waiting(&self) -> Frame {
        let open = self.record.seats.iter().filter(|seat| seat.kind == SeatKind::Open).map(|seat| seat.seat);
        let missing: Vec<Seat> = match self.record.status {
            Status::Waiting => open.collect(),
            _ => self.missing().iter().collect(),
        };
        frames::waiting(self.record.tick, &missing)
    }

    fn spectacle(&self) -> Frame {
        let seen: Vec<(Seat, String)> =
            self.seats.iter().map(|state| (state.seat, self.see(state.seat, &[]))).collect();
        let scores: Map<String, Value> =
            self.record.seats.iter().map(|seat| (seat.seat.to_string(), json!(Number(seat.score)))).collect();
        let (tick, asked, left) = (self.record.tick, self.round.asked, self.time_left());
        frames::spectacle(&seen, tick, asked, left, &Value::Object(scores), &self.last_actions)
    }

    fn see(&self, seat: Seat, feedback: &[String]) -> String {
        let mut bytes = Vec::with_capacity(2048);
        self.play.observe(seat, feedback, &mut bytes);
        String::from_utf8(bytes).unwrap_or_else(|_| {
            tracing::error!(game = self.record.game, "an observation is not UTF-8");
            "null".to_owned()
        })
    }

    fn time_left(&self) -> Option<Duration> {
        self.round.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    pub(super) fn tell_all(&mut self, frame: &Frame) {
        for state in &self.seats {
            // Nobody listening is no error.
            _ = state.frames.send(frame.clone());
        }
        self.tell_spectators(frame);
        self.last_frame = Instant::now();
    }

    pub(super) fn tell_seat(&self, seat: Seat, frame: &Frame) {
        _ = self.seats[seat.index()].frames.send(frame.clone());
    }

    pub(super) fn tell_spectators(&self, frame: &Frame) {
        _ = self.audience.send(frame.clone());
    }

    /// Shows readers how it stands.
    pub(super) fn publish(&mut self) {
        let face = Face { record: self.record.clone(), observations: self.observations.clone() };
        self.face.send_replace(Arc::new(face));
    }

    /// Breaks long silences, and ends what nobody comes back to.
    pub(super) fn keep_up(&mut self) -> Option<Outcome> {
        self.flush();
        if self.record.status == Status::Active && self.record.tick != self.stored_tick {
            // Should the arena be killed, this is how the session will be remembered.
            self.store_record();
        }
        if self.last_frame.elapsed() >= self.limits.keepalive * 3 / 4 {
            let frame = self.waiting();
            self.tell_all(&frame);
        }
        let users =
            || self.record.seats.iter().zip(&self.seats).filter(|(seat, _)| seat.kind == SeatKind::User);
        let visits = users().map(|(_, state)| &state.presence).chain([&self.spectators]);
        let seen = visits.filter_map(|presence| presence.last_seen()).max();
        self.last_visit = seen.map_or(self.last_visit, |seen| seen.max(self.last_visit));
        let abandoned = users().next().is_some() && self.last_visit.elapsed() >= self.limits.idle;
        abandoned.then(|| {
            let minutes = self.limits.idle.as_secs() / 60;
            Outcome::End(Ending::failed(
                "abandoned",
                format!("abandoned: nobody was there for {minutes} minutes"),
            ))
        })
    }

    /// Adds to the story.
    pub(super) fn say(&mut self, kind: &'static str, seat: Option<Seat>, text: String) {
        self.note(What::Said { kind, seat, text });
    }

    pub(super) fn note(&mut self, what: What) {
        self.story.push(Entry { n: self.told, tick: self.record.tick, at: now(self.clock_offset), what });
        self.told += 1;
        self.flush();
    }

    /// Hands the story to the writer; when that is busy, keeps it and tries again later.
    pub(super) fn flush(&mut self) {
        if self.story.is_empty() || !self.store.has_room() {
            return;
        }
        let (session_id, story) = (self.record.session_id.clone(), std::mem::take(&mut self.story));
        let kept = story.clone();
        if !self.store.post(move |connection| sessions::append(connection, &session_id, &story)) {
            self.story = kept;
        }
    }

    /// Hands the record to the writer.
    pub(super) fn store_record(&mut self) {
        self.stored_tick = self.record.tick;
        let record = self.record.clone();
        if !self.store.post(move |connection| sessions::put(connection, &record)) {
            tracing::warn!(
                session_id = self.record.session_id,
                "the database is busy: a session's start is not noted yet"
            );
        }
    }
}
