//! How a session ended.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::api::Message;
use crate::api::model::{Scores, Session};

/// How a session ended; empty where the server does not say.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Ending {
    /// `completed` or `failed`.
    pub status: Option<String>,
    /// Why it is over.
    #[serde(rename = "completion_reason")]
    pub reason: Option<String>,
    /// Ticks played.
    pub ticks: Option<u64>,
    /// Scores by seat.
    pub scores: BTreeMap<String, f64>,
    /// Places by seat, 1 is best.
    pub ranks: BTreeMap<String, f64>,
    /// `won`, `draw`, `lost` by seat.
    pub outcomes: BTreeMap<String, String>,
    /// What it cost.
    #[serde(rename = "credits_used")]
    pub credits: Option<f64>,
}

impl Ending {
    /// As `game_completed` tells it.
    pub(super) fn of_message(message: &Message) -> Self {
        let numbers =
            |name| message.member::<Scores>(name).map(|scores| by_seat(&scores)).unwrap_or_default();
        Self {
            status: message.member("status"),
            reason: message.member("completion_reason"),
            ticks: message.member("ticks"),
            scores: numbers("scores"),
            ranks: numbers("ranks"),
            outcomes: message.member("outcomes").unwrap_or_default(),
            credits: message.member("credits_used"),
        }
    }

    /// As a session that is over tells it.
    pub(super) fn of_session(session: &Session) -> Self {
        let outcomes = session.outcomes.iter();
        Self {
            status: Some(session.status.as_str().to_owned()),
            reason: session.completion_reason.clone(),
            ticks: session.tick,
            scores: session.scores.as_ref().map(by_seat).unwrap_or_default(),
            ranks: session.ranks.as_ref().map(by_seat).unwrap_or_default(),
            outcomes: outcomes.filter_map(|(seat, word)| Some((seat.clone(), word.decode().ok()?))).collect(),
            credits: session.credits_used,
        }
    }

    /// The places of the seats, else by their scores: a higher one is the better place.
    pub fn places(&self) -> BTreeMap<String, f64> {
        if !self.ranks.is_empty() {
            return self.ranks.clone();
        }
        let better = |score: f64| self.scores.values().filter(|other| **other > score).count();
        self.scores.iter().map(|(seat, score)| (seat.clone(), 1.0 + better(*score) as f64)).collect()
    }

    /// What a policy is told of it.
    pub(super) fn result_of(&self, seat: &str) -> serde_json::Value {
        serde_json::json!({
            "score": self.scores.get(seat),
            "rank": self.ranks.get(seat).map(|rank| *rank as u64),
            "outcome": self.outcomes.get(seat),
            "reason": self.reason,
        })
    }
}

fn by_seat(scores: &Scores) -> BTreeMap<String, f64> {
    let known = |(seat, score): &(_, Option<f64>)| -> Option<(String, f64)> {
        let seat: &crate::api::model::PlayerId = seat;
        Some((seat.as_str().to_owned(), (*score)?))
    };
    scores.0.iter().filter_map(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tellings_of_an_end_are_the_same() {
        let members = r#""scores":{"p0":100,"p1":0},"ranks":{"p0":1,"p1":2},"outcomes":{"p0":"won","p1":"lost"},
            "completion_reason":"game_complete","status":"completed","credits_used":0.0052"#;
        let message = Message::parse(format!(r#"{{"type":"game_completed","ticks":13,{members}}}"#).into());
        let session: Session =
            serde_json::from_str(&format!(r#"{{"session_id":"s","tick":13,{members}}}"#)).expect("a session");
        let ending = Ending::of_message(&message);
        assert_eq!(ending, Ending::of_session(&session));
        assert_eq!(ending.result_of("p0")["rank"], 1);
        assert!((ending.places()["p1"] - 2.0).abs() < 1e-9);
    }

    #[test]
    fn without_ranks_the_scores_decide_the_places() {
        let scores = [("a", 3.0), ("b", 5.0), ("c", 3.0)].map(|(seat, score)| (seat.to_owned(), score));
        let places = Ending { scores: scores.into(), ..Ending::default() }.places();
        assert_eq!(places.into_values().collect::<Vec<_>>(), [2.0, 1.0, 2.0]);
    }
}
