//! A session as it was heard up to some moment: the newest observation, scores over time, a log.
//!
//! The same for watching, playing and replaying: whoever has messages gives them to a [`View`], one after the other.
//! They are stored as they come; an observation is parsed when it is about to be looked at ([`View::settle`]), so a
//! fast feed costs one parse a frame and not one a message.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::api::model::{Scores, Session};
use crate::api::{Message, MessageKind};

use super::line::Act;
use super::trail::Trail;

/// Log lines kept; older ones go.
const LOG_LINES: usize = 500;

/// A line of the session's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// The tick it belongs to.
    pub tick: u64,
    /// What kind of thing it is, for its mark.
    pub tone: Tone,
    /// The words, cleaned.
    pub text: String,
}

/// How a line is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// An ordinary thing.
    Plain,
    /// Something good.
    Good,
    /// Something to look at.
    Warn,
    /// Something went wrong.
    Bad,
}

/// How a match ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Final scores by player.
    pub scores: BTreeMap<String, f64>,
    /// Places, 1 is best; missing where there are none.
    pub ranks: BTreeMap<String, u64>,
    /// `won`, `draw`, `lost` or what the server says.
    pub outcomes: BTreeMap<String, String>,
    /// Why it ended.
    pub reason: Option<String>,
    /// Ticks that were played.
    pub ticks: Option<u64>,
    /// What it cost, in credits.
    pub credits: Option<f64>,
}

/// An observation that was parsed.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// The player whose observation `data` is.
    pub player: String,
    /// The observation.
    pub data: Value,
    /// Those of the other seats, where the server shows them.
    pub others: Vec<(String, Value)>,
}

/// A session as it was heard so far.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// The session.
    pub session_id: String,
    /// The game, once known.
    pub game: Option<String>,
    /// What REST or the socket said of the session.
    pub session: Option<Box<Session>>,
    /// The tick of the newest observation.
    pub tick: u64,
    /// The newest observation that was parsed.
    pub seen: Option<Seen>,
    /// The observation before it.
    pub previous: Option<Value>,
    /// Numbers over time.
    pub trail: Trail,
    /// Scores by player, as last said.
    pub scores: BTreeMap<String, f64>,
    /// Newest last.
    pub log: VecDeque<LogLine>,
    /// Set when the match is over.
    pub outcome: Option<Outcome>,
    /// When the last message came, on the clock of whoever gives the messages.
    pub heard: Option<Duration>,
    /// When the seat's time for this tick runs out, on the same clock.
    pub deadline: Option<Duration>,
    newest: Option<Message>,
    unsettled: bool,
    /// Whether observations come with everybody's scores; a player's do not.
    told_scores: bool,
}

impl View {
    /// A session of which nothing was heard yet.
    pub fn new(session_id: String, game: Option<String>) -> Self {
        Self { session_id, game, ..Self::default() }
    }

    /// Takes a message that came at a time `now`.
    pub fn hear(&mut self, now: Duration, message: Message) {
        self.heard = Some(now);
        if let Some(tick) = message.tick {
            self.tick = self.tick.max(tick);
        }
        match &message.kind {
            MessageKind::Observation => self.observe(now, message),
            MessageKind::Session => {
                if let Some(session) = message.member::<Session>("session") {
                    self.know(session);
                }
            }
            MessageKind::GameStarted => self.note(Tone::Plain, "the match started"),
            MessageKind::PlayerFailed => {
                let who = message.player_id.as_deref().unwrap_or("a seat");
                let why = message.member::<String>("reason").unwrap_or_else(|| "no reason given".into());
                self.note(Tone::Bad, &format!("{who} failed: {why}"));
            }
            MessageKind::PlayerEliminated => {
                let who = message.player_id.as_deref().unwrap_or("a seat");
                self.note(Tone::Warn, &format!("{who} is eliminated"));
            }
            MessageKind::GameCompleted => self.complete(&message),
            MessageKind::Error => {
                let text = message.member::<String>("message").unwrap_or_else(|| message.raw.to_string());
                self.note(Tone::Bad, &text);
            }
            MessageKind::Other(kind) => {
                let line = format!("{kind} {}", crate::text::excerpt(&message.raw, 300));
                self.note(Tone::Plain, &line);
            }
            MessageKind::Connected | MessageKind::Pong | MessageKind::Waiting | MessageKind::ActionResult => {
            }
        }
    }

    fn observe(&mut self, now: Duration, message: Message) {
        if let Some(scores) = scores(&message) {
            self.scores = scores;
            self.told_scores = true;
        }
        for line in played(&message) {
            self.push(message.tick.unwrap_or(self.tick), Tone::Plain, line);
        }
        self.deadline = message
            .member::<f64>("deadline_ms")
            .filter(|ms| (0.0..1e9).contains(ms))
            .map(|ms| now + Duration::from_secs_f64(ms / 1000.0));
        self.newest = Some(message);
        self.unsettled = true;
    }

    fn complete(&mut self, message: &Message) {
        let outcome = Outcome {
            scores: scores(message).unwrap_or_default(),
            ranks: message.member("ranks").unwrap_or_default(),
            outcomes: message.member("outcomes").unwrap_or_default(),
            reason: message.member("completion_reason"),
            ticks: message.member("ticks"),
            credits: message.member("credits_used"),
        };
        self.note(
            Tone::Good,
            &format!("the match is over: {}", outcome.reason.as_deref().unwrap_or("completed")),
        );
        if !outcome.scores.is_empty() {
            self.scores.clone_from(&outcome.scores);
        }
        self.outcome = Some(outcome);
        self.deadline = None;
    }

    /// Takes what REST said of the session.
    pub fn know(&mut self, session: Session) {
        if self.game.is_none() && !session.game.is_empty() {
            self.game = Some(session.game.as_str().to_owned());
        }
        self.session = Some(Box::new(session));
    }

    /// Parses the newest observation, if it was not yet. Called before a frame is drawn, and before a decision.
    pub fn settle(&mut self) {
        if !std::mem::take(&mut self.unsettled) {
            return;
        }
        let Some(message) = &self.newest else { return };
        let data = message.data.as_ref().and_then(|data| data.decode().ok()).unwrap_or(Value::Null);
        let others: BTreeMap<String, Value> = message.member("others").unwrap_or_default();
        let player = message.player_id.clone().unwrap_or_default();
        self.trail.push(self.tick, &data);
        if let Some(score) = data.get("score").and_then(Value::as_f64)
            && !self.told_scores
            && self.outcome.is_none()
        {
            self.scores.insert(player.clone(), score);
        }
        let seen = Seen { player, data, others: others.into_iter().collect() };
        self.previous = self.seen.replace(seen).map(|seen| seen.data);
    }

    /// Whether an observation waits to be parsed.
    pub fn unsettled(&self) -> bool {
        self.unsettled
    }

    /// The newest observation as it came.
    pub fn observation_text(&self) -> Option<String> {
        self.newest.as_ref()?.data.as_ref().map(|data| data.get().to_owned())
    }

    /// Notes what one of the user's seats did.
    pub fn acted(&mut self, act: &Act) {
        let played: Option<Value> = act.payload.as_deref().and_then(|text| serde_json::from_str(text).ok());
        let played = played.as_ref().map_or_else(|| "left to the server".to_owned(), words);
        let would = if act.shadow { "would play " } else { "" };
        let text = format!("{}  {would}{played}  ({})", act.player_id, act.by);
        self.push(act.tick, Tone::Plain, crate::text::clean(&text).into_owned());
    }

    /// Adds a line to the log, at the tick of the moment.
    pub fn note(&mut self, tone: Tone, text: &str) {
        self.push(self.tick, tone, crate::text::clean(text).into_owned());
    }

    fn push(&mut self, tick: u64, tone: Tone, text: String) {
        if self.log.len() == LOG_LINES {
            self.log.pop_front();
        }
        self.log.push_back(LogLine { tick, tone, text });
    }
}

/// What was played in the tick that led to an observation, a line a seat.
fn played(message: &Message) -> Vec<String> {
    let actions: BTreeMap<String, BTreeMap<String, Box<RawValue>>> =
        message.member("actions").unwrap_or_default();
    actions
        .iter()
        .filter_map(|(player, members)| {
            let action: Value = serde_json::from_str(members.get("action")?.get()).ok()?;
            let latency =
                members.get("latency_ms").map(|ms| format!("  {} ms", ms.get())).unwrap_or_default();
            Some(crate::text::clean(&format!("{player}  {}{latency}", words(&action))).into_owned())
        })
        .collect()
}

/// An action in words: its verb, then the other members.
pub fn words(action: &Value) -> String {
    match action {
        Value::Object(members) => {
            let verb = members.get("action").and_then(Value::as_str).unwrap_or("");
            let rest =
                members.iter().filter(|(name, _)| *name != "action").map(|(name, value)| match value {
                    Value::String(text) => text.clone(),
                    other => format!("{name} {other}"),
                });
            let words: Vec<String> =
                std::iter::once(verb.to_owned()).chain(rest).filter(|w| !w.is_empty()).collect();
            words.join(" ")
        }
        Value::Array(actions) if actions.is_empty() => "nothing".into(),
        Value::Array(actions) => actions.iter().map(words).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// Scores by player, whatever shape they came in.
fn scores(message: &Message) -> Option<BTreeMap<String, f64>> {
    let scores: Scores = message.member("scores")?;
    Some(
        scores
            .0
            .into_iter()
            .filter_map(|(player, score)| Some((player.as_str().to_owned(), score?)))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hear(view: &mut View, text: &str) {
        view.hear(Duration::ZERO, Message::parse(text.to_owned().into()));
        view.settle();
    }

    #[test]
    fn a_players_score_is_that_of_its_observation_until_the_match_tells_all() {
        let mut view = View::default();
        hear(&mut view, r#"{"type":"observation","player_id":"p1","tick":1,"data":{"score":7}}"#);
        assert_eq!(view.scores, [("p1".to_owned(), 7.0)].into());
        hear(&mut view, r#"{"type":"game_completed","scores":{"p0":1,"p1":9}}"#);
        assert_eq!(view.scores, [("p0".to_owned(), 1.0), ("p1".to_owned(), 9.0)].into());
        let mut watched = View::default();
        let text = r#"{"type":"observation","player_id":"p1","data":{"score":7},"scores":{"p1":8}}"#;
        hear(&mut watched, text);
        assert_eq!(watched.scores, [("p1".to_owned(), 8.0)].into());
    }
}
