//! Finds the moments worth going to, while a recording grows.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::api::{Message, MessageKind};
use crate::tape::line::LineKind;
use crate::tape::numbers::ByPlayer;

use super::{Marker, MarkerKind};

/// Markers of what happens often that are kept: score jumps, refusals, disagreements. The least of them go first.
const MOST: usize = 512;
/// Markers of what decides a match. Those of an honest one all fit.
const MOST_GRAVE: usize = 8192;
/// Bookmarks.
const MOST_BOOKMARKS: usize = 8192;
/// The longest text of a marker in characters.
const LONGEST: usize = 400;
/// Players whose scores are looked at.
const MOST_PLAYERS: usize = 64;
/// A change is a jump when it is so many times the usual one.
const JUMP: f64 = 6.0;
/// Where a score changes less often than at every so many observations, each change is one.
const SELDOM: f64 = 1.0 / 8.0;
/// Observations until it is known how a score moves; what was taken for a jump before is judged again then.
const WARM: u32 = 24;
/// How fast a score's habits are learnt.
const LEARN: f64 = 1.0 / 24.0;

/// The markers of a recording, and what is needed to find the next.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// What happens often, in order.
    minor: Vec<Minor>,
    /// What does not.
    grave: Vec<Marker>,
    bookmarks: BTreeMap<usize, Marker>,
    scores: BTreeMap<String, Habit>,
}

#[derive(Debug)]
struct Minor {
    marker: Marker,
    /// How many times the usual change it is.
    weight: f64,
    /// Of a jump: whose score it was, and by how much it changed.
    jump: Option<(String, f64)>,
}

/// How a score moves.
#[derive(Debug)]
struct Habit {
    last: f64,
    heard: u32,
    /// The part of observations at which it changes, smoothed.
    often: f64,
    /// How much it changes then, smoothed.
    usual: f64,
}

impl Habit {
    fn is_jump(&self, change: f64) -> bool {
        change.abs() > 0.0 && (self.often < SELDOM || change.abs() > JUMP * self.usual)
    }

    fn learn(&mut self, change: f64) {
        self.heard = self.heard.saturating_add(1);
        let changed = change.abs() > 0.0;
        // As a mean at first, which forgets the old later.
        let rate = LEARN.max(1.0 / f64::from(self.heard));
        self.often += (f64::from(u8::from(changed)) - self.often) * rate;
        if changed {
            // A jump hardly teaches what is usual.
            let size = if self.usual > 0.0 { change.abs().min(self.usual * 3.0) } else { change.abs() };
            let rate = if self.usual > 0.0 { LEARN * 2.0 } else { 1.0 };
            self.usual += (size - self.usual) * rate;
        }
    }
}

impl Marks {
    /// Looks at a line of the moment `nth`.
    pub(super) fn look(&mut self, nth: usize, tick: u64, what: &LineKind) {
        match what {
            LineKind::Heard(message) => self.hear(nth, tick, message),
            LineKind::Acted(act) if act.agrees == Some(false) => {
                let text = format!("{} would play otherwise", act.by);
                self.minor(marker(nth, tick, MarkerKind::Disagreed, &text), 1.0, None);
            }
            LineKind::Linked { up: false, why } => {
                self.grave(marker(nth, tick, MarkerKind::Gap, why.as_deref().unwrap_or("")));
            }
            LineKind::Stopped(why) => self.grave(marker(nth, tick, MarkerKind::Gap, why)),
            LineKind::About(_) | LineKind::Acted(_) | LineKind::Linked { .. } | LineKind::Closed(_) => {}
        }
    }

    fn hear(&mut self, nth: usize, tick: u64, message: &Message) {
        let who = message.player_id.as_deref().unwrap_or("a seat");
        match &message.kind {
            MessageKind::PlayerFailed => {
                let why = message.member::<String>("reason").unwrap_or_default();
                self.grave(marker(nth, tick, MarkerKind::Failed, &format!("{who} failed: {why}")));
            }
            MessageKind::PlayerEliminated => {
                self.grave(marker(nth, tick, MarkerKind::Eliminated, &format!("{who} is out")));
            }
            MessageKind::ActionResult if message.member("accepted") == Some(false) => {
                let reasons: Vec<String> = message.member("reasons").unwrap_or_default();
                let text = format!("{who} refused: {}", reasons.join("; "));
                self.minor(marker(nth, tick, MarkerKind::Rejected, &text), 1.0, None);
            }
            MessageKind::GameCompleted => {
                self.grave(marker(nth, tick, MarkerKind::Ended, "the match ended"));
            }
            _ => {}
        }
    }

    /// Looks at the scores of a moment.
    pub(super) fn score(&mut self, nth: usize, tick: u64, scores: &ByPlayer) {
        for (player, score) in scores {
            let Some(habit) = self.scores.get_mut(player) else {
                if self.scores.len() < MOST_PLAYERS {
                    let habit = Habit { last: *score, heard: 0, often: 0.0, usual: 0.0 };
                    self.scores.insert(player.clone(), habit);
                }
                continue;
            };
            let change = score - std::mem::replace(&mut habit.last, *score);
            let (is_jump, usual) = (habit.is_jump(change), habit.usual);
            habit.learn(change);
            let is_warm = habit.heard == WARM;
            if is_jump {
                let kind = if change > 0.0 { MarkerKind::Rise } else { MarkerKind::Fall };
                let text = format!("{player} {change:+.2}");
                let weight = if usual > 0.0 { change.abs() / usual } else { JUMP };
                self.minor(marker(nth, tick, kind, &text), weight, Some((player.clone(), change)));
            }
            if is_warm {
                self.judge_again(player);
            }
        }
    }

    /// Takes back jumps of a player that turned out to be how its score moves.
    fn judge_again(&mut self, player: &str) {
        let Some(habit) = self.scores.get(player) else { return };
        self.minor.retain(|minor| match &minor.jump {
            Some((whose, change)) if whose == player => habit.is_jump(*change),
            _ => true,
        });
    }

    fn minor(&mut self, marker: Marker, weight: f64, jump: Option<(String, f64)>) {
        if self.minor.len() == MOST {
            let least = self.minor.iter().enumerate().min_by(|(_, a), (_, b)| a.weight.total_cmp(&b.weight));
            let Some((place, least)) = least else { return };
            if least.weight > weight {
                return;
            }
            self.minor.remove(place);
        }
        self.minor.push(Minor { marker, weight, jump });
    }

    fn grave(&mut self, marker: Marker) {
        if self.grave.len() < MOST_GRAVE {
            self.grave.push(marker);
        }
    }

    pub(super) fn bookmark(&mut self, nth: usize, tick: u64, note: Option<String>) {
        match note {
            Some(text) if self.bookmarks.len() < MOST_BOOKMARKS || self.bookmarks.contains_key(&nth) => {
                self.bookmarks.insert(nth, marker(nth, tick, MarkerKind::Bookmark, &text));
            }
            Some(_) => {}
            None => drop(self.bookmarks.remove(&nth)),
        }
    }

    pub(super) fn notes(&self) -> usize {
        self.bookmarks.len()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.grave.iter().any(|marker| marker.kind == MarkerKind::Ended)
    }

    pub(super) fn all(&self) -> Arc<[Marker]> {
        let mut all: Vec<Marker> = self.iter().cloned().collect();
        all.sort_by_key(|marker| marker.nth);
        all.into()
    }

    pub(super) fn after(&self, nth: usize) -> Option<usize> {
        self.iter().map(|marker| marker.nth).filter(|place| *place > nth).min()
    }

    pub(super) fn before(&self, nth: usize) -> Option<usize> {
        self.iter().map(|marker| marker.nth).filter(|place| *place < nth).max()
    }

    fn iter(&self) -> impl Iterator<Item = &Marker> {
        self.minor.iter().map(|minor| &minor.marker).chain(&self.grave).chain(self.bookmarks.values())
    }
}

fn marker(nth: usize, tick: u64, kind: MarkerKind, text: &str) -> Marker {
    let text = crate::text::excerpt(&crate::text::clean(text), LONGEST).into_owned();
    Marker { nth, tick, kind, text }
}

#[cfg(test)]
mod tests;
