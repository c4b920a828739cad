//! What rollouts answer, written straight to bytes: an observation is never parsed on its way out.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;

use super::episode::{End, Episode, Live};
use super::steps::StepError;
use crate::arena::engine::Timing;
use crate::arena::engine::observation::Number;
use crate::arena::engine::seats::{Seat, SeatMap, SeatSet};
use crate::arena::error::ArenaError;

/// Writes one JSON object, member by member.
pub(super) struct Object<'a> {
    out: &'a mut Vec<u8>,
    is_empty: bool,
}

impl<'a> Object<'a> {
    pub(super) fn open(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, is_empty: true }
    }

    /// Keys need no escaping.
    pub(super) fn put<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) {
        self.key(key);
        serde_json::to_writer(&mut *self.out, value).expect("plain data serialises into memory");
    }

    /// A value that writes itself.
    pub(super) fn raw(&mut self, key: &str, write: impl FnOnce(&mut Vec<u8>)) {
        self.key(key);
        write(self.out);
    }

    /// All members of an object that was written before; it has some.
    fn members_of(&mut self, object: &[u8]) {
        self.separate();
        self.out.extend_from_slice(&object[1..object.len() - 1]);
    }

    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(b',');
        }
    }

    fn key(&mut self, key: &str) {
        self.separate();
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    pub(super) fn close(self) {
        self.out.push(b'}');
    }
}

/// What reset says of a new episode.
pub(super) fn opened(episode: &Episode, live: &Live) -> Bytes {
    named(&episode.episode_id, &opening(episode, live))
}

/// New episodes that differ in their ids alone, so that what is said of all is written and kept once.
#[derive(Debug)]
pub(super) struct Alike {
    ids: Vec<String>,
    opening: Vec<u8>,
}

impl Alike {
    pub(super) fn new(episodes: &[Arc<Episode>], live: &Live) -> Self {
        let ids = episodes.iter().map(|episode| episode.episode_id.clone()).collect();
        let opening = episodes.first().map(|first| opening(first, live)).unwrap_or_default();
        Self { ids, opening }
    }

    /// What a fork answers.
    pub(super) fn first(&self) -> Bytes {
        self.ids.first().map(|id| named(id, &self.opening)).unwrap_or_default()
    }

    /// What a batch of forks answers.
    pub(super) fn all(&self) -> Bytes {
        let children: Vec<Bytes> = self.ids.iter().map(|id| named(id, &self.opening)).collect();
        list_of("forks", children.iter().map(AsRef::as_ref))
    }
}

/// The answer of a batch of steps; an entry without a result broke.
pub(super) fn results<'a>(entries: impl Iterator<Item = (&'a String, &'a Option<Vec<u8>>)>) -> Bytes {
    let written: Vec<Cow<'_, [u8]>> = entries
        .map(|(episode_id, written)| match written {
            Some(written) => Cow::Borrowed(written.as_slice()),
            None => Cow::Owned(result(episode_id, &Err(ArenaError::internal("the step broke").into()))),
        })
        .collect();
    list_of("results", written.iter().map(AsRef::as_ref))
}

/// One entry of a batch of steps.
pub(super) fn result(episode_id: &str, outcome: &Result<Bytes, StepError>) -> Vec<u8> {
    let mut out = Vec::with_capacity(64 + outcome.as_ref().map_or(128, Bytes::len));
    let mut object = Object::open(&mut out);
    object.put("episode_id", episode_id);
    object.put("ok", &outcome.is_ok());
    match outcome {
        Ok(step) => object.members_of(step),
        Err(StepError { error, ticks_used }) => object.raw("error", |out| {
            let mut object = Object::open(out);
            object.put("code", error.code());
            object.put("message", error.message());
            if let Some(ticks_used) = ticks_used {
                object.put("ticks_used", ticks_used);
            }
            object.close();
        }),
    }
    object.close();
    out
}

fn list_of<'a>(name: &str, items: impl Iterator<Item = &'a [u8]> + Clone) -> Bytes {
    let mut out = Vec::with_capacity(32 + items.clone().map(|item| item.len() + 1).sum::<usize>());
    let mut object = Object::open(&mut out);
    object.raw(name, |out| {
        out.push(b'[');
        for (nth, item) in items.enumerate() {
            if nth > 0 {
                out.push(b',');
            }
            out.extend_from_slice(item);
        }
        out.push(b']');
    });
    object.close();
    Bytes::from(out)
}

/// An episode's id before what else is said of it.
fn named(episode_id: &str, opening: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(opening.len() + 48);
    let mut object = Object::open(&mut out);
    object.put("episode_id", episode_id);
    object.members_of(opening);
    object.close();
    Bytes::from(out)
}

/// All of a new episode but its id, as an object.
fn opening(episode: &Episode, live: &Live) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    let mut object = Object::open(&mut out);
    object.put("game", episode.game.spec().slug);
    let seats = standing(&mut object, episode, live);
    object.put("policy_seat", &episode.primary());
    object.put("policy_seats", &list(episode.policy));
    object.put("player_count", &episode.player_count);
    object.put("max_ticks", &episode.ticks_at_most());
    object.put("seed", &episode.seed);
    if let Some(difficulty) = episode.difficulty {
        object.put("difficulty", &Number(difficulty));
    }
    object.raw("opponents", |out| {
        let mut opponents = Object::open(out);
        for (seat, opponent) in episode.opponents.iter() {
            opponents.put(&seat.to_string(), opponent);
        }
        opponents.close();
    });
    if let Some(band) = episode.wanted.band.filter(|_| !episode.opponents.is_empty()) {
        object.put("opponent_band", &band);
    }
    object.put("initial_score", &live.score(episode.primary()));
    object.raw("initial_scores", |out| by_seat(out, episode.policy, |seat| live.score(seat)));
    observations(&mut object, live, episode.primary(), seats, true);
    end(&mut object, episode, live, true);
    object.close();
    out
}

/// What a step answers. One policy seat has plain members, several have them by seat too.
pub(super) fn stepped(episode: &Episode, live: &Live, rewards: &SeatMap<f64>) -> Bytes {
    let is_multi = episode.policy.len() > 1;
    let reward = |seat| Number(rewards.get(seat).copied().unwrap_or_default());
    let mut out = Vec::with_capacity(1024);
    let mut object = Object::open(&mut out);
    object.put("reward", &reward(episode.primary()));
    if is_multi {
        object.raw("rewards", |out| by_seat(out, episode.policy, reward));
    }
    let seats = standing(&mut object, episode, live);
    observations(&mut object, live, episode.primary(), seats, is_multi);
    end(&mut object, episode, live, is_multi);
    object.close();
    Bytes::from(out)
}

/// What the probe answers: no observations.
pub(super) fn probed(episode: &Episode, live: &Live) -> Bytes {
    let mut out = Vec::with_capacity(512);
    let mut object = Object::open(&mut out);
    object.put("episode_id", &episode.episode_id);
    object.put("game", episode.game.spec().slug);
    standing(&mut object, episode, live);
    object.put("policy_seat", &episode.primary());
    object.put("policy_seats", &list(episode.policy));
    object.put("turn_based", &(episode.game.spec().timing == Timing::TurnBased));
    object.put("player_count", &episode.player_count);
    object.put("max_ticks", &episode.ticks_at_most());
    object.put("seed", &episode.seed);
    object.close();
    Bytes::from(out)
}

/// Tick, end and the state of the policy's seats; gives those that still see the game.
fn standing(object: &mut Object<'_>, episode: &Episode, live: &Live) -> SeatSet {
    let probe = live.play.probe();
    let out = probe.failed.intersection(episode.policy);
    object.put("tick", &episode.ticks_of(probe.tick));
    object.put("done", &live.end.is_some());
    let on_turn = if live.end.is_some() { SeatSet::EMPTY } else { probe.turn.seats() };
    object.put("on_turn_seats", &list(on_turn.intersection(episode.policy)));
    if !out.is_empty() {
        object.put("failed_seats", &list(out));
    }
    let eliminated = probe.eliminated.intersection(episode.policy);
    if !eliminated.is_empty() {
        object.put("eliminated_seats", &list(eliminated));
    }
    episode.policy.without(out)
}

fn observations(object: &mut Object<'_>, live: &Live, primary: Seat, seats: SeatSet, with_map: bool) {
    // The primary seat's is in the map too: it is written once and copied.
    let mut written = None;
    if with_map {
        object.raw("observations", |out| {
            let mut map = Object::open(out);
            for seat in seats.iter() {
                map.raw(&seat.to_string(), |out| {
                    let start = out.len();
                    live.play.observe(seat, &[], out);
                    if seat == primary {
                        written = Some(start..out.len());
                    }
                });
            }
            map.close();
        });
    }
    if seats.contains(primary) {
        object.raw("observation", |out| match written {
            Some(written) => out.extend_from_within(written),
            None => live.play.observe(primary, &[], out),
        });
    }
}

fn end(object: &mut Object<'_>, episode: &Episode, live: &Live, with_maps: bool) {
    let Some(End { reason, is_scored }) = live.end else { return };
    object.put("completion_reason", reason.as_str());
    if !is_scored {
        return;
    }
    let primary = episode.primary();
    object.put("score", &live.score(primary));
    if with_maps {
        object.raw("scores", |out| by_seat(out, episode.policy, |seat| live.score(seat)));
    }
    if episode.player_count == 1 {
        return;
    }
    let standings = live.play.standings();
    if let Some(standing) = standings.get(primary) {
        object.put("rank", &standing.rank);
        object.put("outcome", standing.outcome);
    }
    if with_maps {
        object.raw("ranks", |out| by_seat(out, episode.policy, |seat| standings.get(seat).map(|at| at.rank)));
        object.raw("outcomes", |out| {
            by_seat(out, episode.policy, |seat| standings.get(seat).map(|at| at.outcome));
        });
    }
}

fn by_seat<T: Serialize>(out: &mut Vec<u8>, seats: SeatSet, value: impl Fn(Seat) -> T) {
    let mut object = Object::open(out);
    for seat in seats.iter() {
        object.put(&seat.to_string(), &value(seat));
    }
    object.close();
}

fn list(seats: SeatSet) -> Vec<Seat> {
    seats.iter().collect()
}
