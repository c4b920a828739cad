//! Finds the moments worth going to, while a recording grows.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::api::model::Scores;
use crate::api::{Message, MessageKind};
use crate::tape::line::LineKind;

use super::{Marker, MarkerKind};

/// Markers found by itself that are kept; older ones go first.
const MOST: usize = 512;
/// A change is a jump when it is so many times the usual one.
const JUMP: f64 = 6.0;

/// The markers of a recording, and what is needed to find the next.
#[derive(Debug, Default)]
pub(super) struct Marks {
    found: Vec<Marker>,
    bookmarks: BTreeMap<usize, Marker>,
    scores: BTreeMap<String, Score>,
}

#[derive(Debug)]
struct Score {
    last: f64,
    /// The usual change, smoothed.
    usual: f64,
}

impl Marks {
    /// Looks at a line of the moment `nth`.
    pub(super) fn look(&mut self, nth: usize, tick: u64, what: &LineKind) {
        match what {
            LineKind::Heard(message) => self.hear(nth, tick, message),
            LineKind::Acted(act) if act.agrees == Some(false) => {
                self.add(nth, tick, MarkerKind::Disagreed, format!("{} would play otherwise", act.by));
            }
            LineKind::Linked { up: false, why } => {
                self.add(nth, tick, MarkerKind::Gap, why.clone().unwrap_or_default());
            }
            LineKind::About(_) | LineKind::Acted(_) | LineKind::Linked { .. } => {}
        }
    }

    fn hear(&mut self, nth: usize, tick: u64, message: &Message) {
        let who = message.player_id.as_deref().unwrap_or("a seat");
        match &message.kind {
            MessageKind::Observation => self.score(nth, tick, message),
            MessageKind::PlayerFailed => {
                let why = message.member::<String>("reason").unwrap_or_default();
                self.add(nth, tick, MarkerKind::Failed, format!("{who} failed: {why}"));
            }
            MessageKind::PlayerEliminated => {
                self.add(nth, tick, MarkerKind::Eliminated, format!("{who} is out"));
            }
            MessageKind::ActionResult if message.member("accepted") == Some(false) => {
                let reasons: Vec<String> = message.member("reasons").unwrap_or_default();
                self.add(nth, tick, MarkerKind::Rejected, format!("{who} refused: {}", reasons.join("; ")));
            }
            MessageKind::GameCompleted => self.add(nth, tick, MarkerKind::Ended, "the match ended".into()),
            _ => {}
        }
    }

    fn score(&mut self, nth: usize, tick: u64, message: &Message) {
        let Some(scores) = message.member::<Scores>("scores") else { return };
        for (player, score) in scores.0 {
            let Some(score) = score else { continue };
            let player = player.as_str();
            let Some(known) = self.scores.get_mut(player) else {
                self.scores.insert(player.to_owned(), Score { last: score, usual: 0.0 });
                continue;
            };
            let change = score - std::mem::replace(&mut known.last, score);
            let is_jump = change.abs() > known.usual * JUMP + f64::EPSILON;
            known.usual += (change.abs() - known.usual) * 0.1;
            if is_jump {
                let kind = if change > 0.0 { MarkerKind::Rise } else { MarkerKind::Fall };
                self.add(nth, tick, kind, format!("{player} {change:+.2}"));
            }
        }
    }

    fn add(&mut self, nth: usize, tick: u64, kind: MarkerKind, text: String) {
        if self.found.len() == MOST {
            self.found.remove(0);
        }
        let text = crate::text::clean(&text).into_owned();
        self.found.push(Marker { nth, tick, kind, text });
    }

    pub(super) fn bookmark(&mut self, nth: usize, tick: u64, note: Option<String>) {
        match note {
            Some(text) => {
                let text = crate::text::clean(&text).into_owned();
                self.bookmarks.insert(nth, Marker { nth, tick, kind: MarkerKind::Bookmark, text });
            }
            None => drop(self.bookmarks.remove(&nth)),
        }
    }

    pub(super) fn all(&self) -> Arc<[Marker]> {
        let mut all: Vec<Marker> = self.found.iter().chain(self.bookmarks.values()).cloned().collect();
        all.sort_by_key(|marker| marker.nth);
        all.into()
    }

    pub(super) fn after(&self, nth: usize) -> Option<usize> {
        self.places().filter(|place| *place > nth).min()
    }

    pub(super) fn before(&self, nth: usize) -> Option<usize> {
        self.places().filter(|place| *place < nth).max()
    }

    fn places(&self) -> impl Iterator<Item = usize> {
        self.found.iter().map(|marker| marker.nth).chain(self.bookmarks.keys().copied())
    }
}
