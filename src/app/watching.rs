//! What may be wrong with a session that is watched: told from its messages and the clock, pure.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::api::{Message, MessageKind};

use super::live::{Link, Live};

/// Silence is told after so many times the usual one …
const GAPS: u32 = 4;
/// … but not before this; the same number as everywhere.
const SILENCE: Duration = super::STALLED;
/// A turn is not called slow before this.
const SLOW: Duration = Duration::from_secs(5);
/// How long a refusal or a fall of a score is told.
const SHOWN: Duration = Duration::from_secs(15);
/// Observations within which a score falls.
const WINDOW: usize = 20;
/// The fall, in per cent of the best score in the window, that is told.
const CLIFF: f64 = 20.0;

/// Something that is wrong with a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Sign {
    /// The link is down; the next try comes in so many seconds.
    Lost(u64),
    /// The link is closed for good, and not because the match is over.
    Closed,
    /// Nothing came for so long.
    Stalled(Duration),
    /// A seat takes its time.
    Slow(String),
    /// A seat's action was refused.
    Rejected(String),
    /// A score fell by so much. In points: near zero a share of it would say nothing.
    Fell(f64),
    /// A seat failed.
    Failed(String),
}

/// What is remembered of a session to tell what is wrong with it.
#[derive(Debug, Clone, Default)]
pub struct Signs {
    /// The usual time between two messages, smoothed.
    usual: Option<Duration>,
    heard: Option<Duration>,
    observed: Option<Duration>,
    /// Who is waited for, and since when.
    waits: Option<(String, Duration)>,
    /// Who took long for the newest tick.
    slow: Option<String>,
    rejected: Option<(String, Duration)>,
    fell: Option<(f64, Duration)>,
    scores: BTreeMap<String, VecDeque<f64>>,
    /// Seats that failed.
    pub failed: BTreeSet<String>,
    /// Seats that are out by the game's rules.
    pub out: BTreeSet<String>,
}

/// What a spectator hears of a seat's action.
#[derive(Deserialize)]
struct Played {
    latency_ms: Option<f64>,
    accepted: Option<bool>,
}

impl Signs {
    /// Looks at a message that came at a time; `scores` are those known after it.
    pub fn hear(&mut self, now: Duration, message: &Message, scores: &BTreeMap<String, f64>) {
        self.beat(now);
        let who = || crate::text::excerpt(message.player_id.as_deref().unwrap_or("a seat"), 8).into_owned();
        match message.kind {
            MessageKind::Observation => self.observe(now, message, scores),
            MessageKind::Waiting => self.wait(now, message),
            MessageKind::PlayerFailed => drop(self.failed.insert(who())),
            MessageKind::PlayerEliminated => drop(self.out.insert(who())),
            MessageKind::ActionResult if message.member("accepted") == Some(false) => {
                self.rejected = Some((who(), now));
            }
            _ => {}
        }
    }

    /// The link was down: what came before says nothing of the time between messages.
    pub fn reopened(&mut self) {
        (self.heard, self.observed, self.waits) = (None, None, None);
    }

    fn beat(&mut self, now: Duration) {
        if let Some(gap) = self.heard.map(|heard| now.saturating_sub(heard)) {
            self.usual = Some(self.usual.map_or(gap, |usual| (usual * 7 + gap) / 8));
        }
        self.heard = Some(now);
    }

    fn observe(&mut self, now: Duration, message: &Message, scores: &BTreeMap<String, f64>) {
        (self.waits, self.slow, self.observed) = (None, None, Some(now));
        let actions: BTreeMap<String, Box<RawValue>> = message.member("actions").unwrap_or_default();
        for (player, action) in actions {
            let Ok(played) = serde_json::from_str::<Played>(action.get()) else { continue };
            let player = crate::text::excerpt(&player, 8).into_owned();
            if played.accepted == Some(false) {
                self.rejected = Some((player.clone(), now));
            }
            if played.latency_ms.is_some_and(|ms| ms >= SLOW.as_secs_f64() * 1000.0) {
                self.slow = Some(player);
            }
        }
        for (player, score) in scores {
            let kept = self.scores.entry(player.clone()).or_default();
            let best = kept.iter().copied().fold(*score, f64::max);
            let fall = (best - score) / best.abs() * 100.0;
            // A score that jumps all the time falls off no cliff.
            let steps = kept.iter().zip(kept.iter().skip(1)).map(|(a, b)| (b - a).abs());
            let usual = steps.sum::<f64>() / kept.len().max(1) as f64;
            if best != 0.0 && fall >= CLIFF && kept.len() >= 3 && best - score > usual * 8.0 {
                self.fell = Some((best - score, now));
                kept.clear();
            }
            if kept.len() == WINDOW {
                kept.pop_front();
            }
            kept.push_back(*score);
        }
    }

    fn wait(&mut self, now: Duration, message: &Message) {
        let named: Vec<String> = message.member("waiting_for").unwrap_or_default();
        let Some(first) = named.first() else { return };
        let first = crate::text::excerpt(first, 8).into_owned();
        self.waits = Some((first, self.observed.unwrap_or(now)));
    }

    /// The gravest thing that is wrong now.
    pub fn now(&self, now: Duration, live: &Live) -> Option<Sign> {
        let recent = |at: Duration| now.saturating_sub(at) < SHOWN;
        match &live.link {
            _ if live.view.outcome.is_some() => return None,
            Link::Lost { retry_at, .. } => {
                return Some(Sign::Lost(retry_at.saturating_sub(now).as_secs()));
            }
            Link::Ended { .. } => return Some(Sign::Closed),
            _ => {}
        }
        if let Some((player, _)) = self.waits.as_ref().filter(|(_, since)| now.saturating_sub(*since) >= SLOW)
        {
            return Some(Sign::Slow(player.clone()));
        }
        if let Some(silent) = self.silent(now, live) {
            return Some(Sign::Stalled(silent));
        }
        if let Some(player) = &self.slow {
            return Some(Sign::Slow(player.clone()));
        }
        if let Some((player, _)) = self.rejected.as_ref().filter(|(_, at)| recent(*at)) {
            return Some(Sign::Rejected(player.clone()));
        }
        if let Some((fall, _)) = self.fell.filter(|(_, at)| recent(*at)) {
            return Some(Sign::Fell(fall));
        }
        self.failed.first().map(|player| Sign::Failed(player.clone()))
    }

    /// How long nothing came, if that is longer than is usual here.
    fn silent(&self, now: Duration, live: &Live) -> Option<Duration> {
        let tick = live.view.session.as_ref().and_then(|session| session.tick_ms).unwrap_or(0);
        let usual = self.usual.unwrap_or_default();
        // The server says that it waits every 20 s at the latest, so a long tick is no excuse for more than that.
        let patience = (usual * GAPS).max(Duration::from_millis(tick.min(30_000))).max(SILENCE);
        let silent = now.saturating_sub(self.heard.or(live.view.heard)?);
        (silent >= patience).then_some(silent)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::client::FeedId;

    const fn secs(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    struct Rig {
        signs: Signs,
        live: Live,
    }

    impl Rig {
        fn new() -> Self {
            let mut live = Live::new(FeedId(1), "s_1".into(), None);
            live.link = Link::Open;
            Self { signs: Signs::default(), live }
        }

        fn hear(&mut self, at: u64, message: &Value) {
            let message = Message::parse(message.to_string().into());
            self.live.view.hear(secs(at), message.clone());
            self.signs.hear(secs(at), &message, &self.live.view.scores);
        }

        fn sign(&self, at: u64) -> Option<Sign> {
            self.signs.now(secs(at), &self.live)
        }
    }

    fn scored(tick: u64, score: f64) -> Value {
        json!({"type": "observation", "tick": tick, "data": {}, "scores": {"p0": score}})
    }

    #[test]
    fn a_session_is_stalled_after_four_usual_gaps_but_not_before_25_seconds() {
        let mut rig = Rig::new();
        (0..10).for_each(|at| rig.hear(at, &scored(at, 1.0)));
        assert_eq!(rig.sign(33), None);
        assert_eq!(rig.sign(34), Some(Sign::Stalled(secs(25))));
        let mut slow = Rig::new();
        (0..10).for_each(|nth| slow.hear(nth * 10, &scored(nth, 1.0)));
        assert_eq!(slow.sign(90 + 39), None);
        assert_eq!(slow.sign(90 + 40), Some(Sign::Stalled(secs(40))));
    }

    #[test]
    fn who_is_waited_for_is_named_and_forgotten_when_the_game_goes_on() {
        let mut rig = Rig::new();
        rig.hear(1, &scored(1, 1.0));
        let waiting = json!({"type": "waiting", "tick": 1, "waiting_for": ["p1", "p2"]});
        rig.hear(4, &waiting);
        assert_eq!(rig.sign(5), None);
        rig.hear(20, &waiting);
        assert_eq!(rig.sign(41), Some(Sign::Slow("p1".into())));
        rig.hear(42, &scored(2, 1.0));
        assert_eq!(rig.sign(43), None);
    }

    #[test]
    fn a_slow_or_refused_action_is_told() {
        let mut rig = Rig::new();
        let slow =
            json!({"type": "observation", "tick": 1, "data": {}, "actions": {"p1": {"latency_ms": 6000}}});
        rig.hear(1, &slow);
        assert_eq!(rig.sign(2), Some(Sign::Slow("p1".into())));
        rig.hear(3, &json!({"type": "observation", "tick": 2, "data": {}, "actions": {"p1": {"latency_ms": 3, "accepted": false}}}));
        assert_eq!(rig.sign(4), Some(Sign::Rejected("p1".into())));
        rig.hear(12, &json!({"type": "action_result", "player_id": "p0", "accepted": false}));
        assert_eq!(rig.sign(20), Some(Sign::Rejected("p0".into())));
        assert_eq!(rig.sign(27), None);
    }

    #[test]
    fn a_fall_of_a_score_is_told_for_a_while() {
        let mut rig = Rig::new();
        for (at, score) in [100.0, 102.0, 99.0, 95.0, 70.0].into_iter().enumerate() {
            rig.hear(at as u64, &scored(at as u64, score));
        }
        assert!(matches!(rig.sign(5), Some(Sign::Fell(fall)) if (31.9..32.1).contains(&fall)));
        rig.hear(19, &scored(19, 70.0));
        assert_eq!(rig.sign(20), None);
    }

    #[test]
    fn a_failed_seat_and_a_lost_link_are_told_and_nothing_after_the_end() {
        let mut rig = Rig::new();
        rig.hear(1, &json!({"type": "player_failed", "tick": 1, "player_id": "p2", "reason": "x"}));
        assert_eq!(rig.sign(2), Some(Sign::Failed("p2".into())));
        rig.live.link = Link::Lost { why: "reset".into(), retry_at: secs(5) };
        assert_eq!(rig.sign(2), Some(Sign::Lost(3)));
        rig.live.link = Link::Ended { why: "denied".into(), orderly: false };
        assert_eq!(rig.sign(2), Some(Sign::Closed));
        rig.hear(3, &json!({"type": "game_completed", "tick": 3, "scores": {"p0": 1}}));
        assert_eq!(rig.sign(90), None);
    }
}
