//! A session told as plain text, a line for each thing that happens: what was played, by how much the scores changed,
//! who failed or is out, and how it ended.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::api::Message;
use crate::tape::{Tone, View};
use crate::text;

/// Tells a session.
#[derive(Default)]
pub(super) struct Narrator {
    view: View,
    scores: BTreeMap<String, f64>,
}

impl Narrator {
    /// The lines that a message is worth, cleaned.
    pub(super) fn tell(&mut self, message: Message) -> Vec<String> {
        let had_game = self.view.game.is_some();
        let was_over = self.view.outcome.is_some();
        self.view.hear(Duration::ZERO, message);
        let mut lines = Vec::new();
        if let Some(game) = self.view.game.as_deref().filter(|_| !had_game) {
            lines.push(text::clean(game).into_owned());
        }
        for line in std::mem::take(&mut self.view.log) {
            let mark = match line.tone {
                Tone::Bad => "failed: ",
                Tone::Warn => "note: ",
                Tone::Plain | Tone::Good => "",
            };
            lines.push(format!("tick {:<5} {mark}{}", line.tick, line.text));
        }
        if self.view.scores != self.scores {
            self.scores.clone_from(&self.view.scores);
            let scores: Vec<String> = self
                .scores
                .iter()
                .map(|(player, score)| format!("{player} {}", text::decimal(*score, 4)))
                .collect();
            lines.push(self.line(&format!("score  {}", scores.join("  "))));
        }
        if !was_over {
            lines.extend(self.end());
        }
        lines
    }

    /// How it ended, a line a seat.
    fn end(&self) -> Vec<String> {
        let Some(outcome) = &self.view.outcome else { return Vec::new() };
        let mut seats: Vec<(&String, &f64)> = outcome.scores.iter().collect();
        seats.sort_by(|a, b| {
            (outcome.ranks.get(a.0), b.1)
                .partial_cmp(&(outcome.ranks.get(b.0), a.1))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        let seat = |(player, score): (&String, &f64)| {
            let rank = outcome.ranks.get(player).map_or_else(|| "–".into(), |rank| format!("{rank}."));
            let word = outcome.outcomes.get(player).map_or("", String::as_str);
            self.line(&format!("{rank} {player}  {}  {word}", text::decimal(*score, 4)))
        };
        seats.into_iter().map(seat).collect()
    }

    fn line(&self, words: &str) -> String {
        format!("tick {:<5} {}", self.view.tick, text::clean(words).trim_end())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_session_is_told_line_by_line() {
        let mut narrator = Narrator::default();
        let mut tell = |message: Value| narrator.tell(Message::parse(message.to_string().into())).join("\n");
        let session = json!({"session_id": "s", "game": "connect_four", "status": "active"});
        assert_eq!(tell(json!({"type": "session", "session": session})), "connect_four");
        let played = json!({"type": "observation", "tick": 12, "player_id": "p0", "data": {}, "scores": {"p0": 50, "p1": 50},
            "actions": {"p0": {"action": [{"action": "drop", "column": 3}], "latency_ms": 12}}});
        assert_eq!(
            tell(played.clone()),
            "tick 12    p0  drop column 3  12 ms\ntick 12    score  p0 50  p1 50"
        );
        assert_eq!(tell(played), "tick 12    p0  drop column 3  12 ms", "scores are told when they change");
        let failed =
            json!({"type": "player_failed", "tick": 13, "player_id": "p1", "reason": "\u{1b}[2Jsilent"});
        let line = tell(failed);
        assert!(line.starts_with("tick 13    failed: p1 failed:") && !line.contains('\u{1b}'), "{line}");
        let over = json!({"type": "game_completed", "tick": 14, "scores": {"p0": 0, "p1": 100}, "ranks": {"p0": 2, "p1": 1},
            "outcomes": {"p0": "lost", "p1": "won"}, "completion_reason": "game_complete"});
        let end = tell(over);
        assert!(end.ends_with("tick 14    1. p1  100  won\ntick 14    2. p0  0  lost"), "{end}");
    }
}
