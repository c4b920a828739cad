//! What an observation's numbers were over the last ticks, for sparklines, charts and marks.

use std::collections::VecDeque;

use serde_json::Value;

/// Points kept of a number: four minutes at a tick a second.
const MAX_POINTS: usize = 240;
/// Numbers kept; the first found win, so that the set stays the same through a session.
const MAX_PATHS: usize = 64;
/// Events kept.
const MAX_EVENTS: usize = 256;
/// Bytes, roughly, of an event that is kept.
const MAX_EVENT_WEIGHT: usize = 2_048;
/// Members looked at in any one object or list.
const MAX_MEMBERS: usize = 64;
/// Objects inside objects looked at.
const MAX_DEPTH: usize = 3;

/// A bounded history of one seat's observations. Paths are JSON pointers; items of lists go by their `seat`, `id`
/// or `name` where they have one (`/serpents/p0/health`), the last item of a `history` list by `-`
/// (`/history/ORE/-`).
#[derive(Debug, Clone, Default)]
pub struct Trail {
    tick: Option<u64>,
    series: Vec<(String, Vec<(u64, f64)>)>,
    events: VecDeque<(u64, Value)>,
}

impl Trail {
    /// Adds the observation of a tick. One of an earlier tick (seeking in a recording) drops what came after it.
    pub fn push(&mut self, tick: u64, observation: &Value) {
        if self.tick.is_some_and(|last| tick <= last) {
            for (_, points) in &mut self.series {
                points.retain(|(at, _)| *at < tick);
            }
            self.events.retain(|(at, _)| *at < tick);
        }
        self.tick = Some(tick);
        self.walk(tick, &mut String::new(), observation, 0);
        let events = observation.get("events").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let events: Vec<&Value> = events[events.len().saturating_sub(MAX_EVENTS)..]
            .iter()
            .filter(|event| weight(event, MAX_EVENT_WEIGHT) > 0)
            .collect();
        // Where seats take turns, a seat is told again and again what happened since its own last move.
        let turns = observation.get("is_your_turn").is_some();
        let known = if turns { self.known(&events) } else { 0 };
        for event in &events[known..] {
            if self.events.len() == MAX_EVENTS {
                self.events.pop_front();
            }
            self.events.push_back((tick, (*event).clone()));
        }
    }

    /// How many of these events are the last that are kept.
    fn known(&self, events: &[&Value]) -> usize {
        let kept = self.events.len();
        let same = |count: &usize| {
            let last = self.events.range(kept - count..).map(|(_, event)| event);
            last.eq(events[..*count].iter().copied())
        };
        (0..=events.len().min(kept)).rev().find(same).unwrap_or(0)
    }

    /// Tick and value, oldest first; empty for a path that is not kept.
    pub fn series(&self, path: &str) -> &[(u64, f64)] {
        self.series.iter().find(|(name, _)| name == path).map_or(&[], |(_, points)| points)
    }

    /// The values alone.
    pub fn values(&self, path: &str) -> impl DoubleEndedIterator<Item = f64> {
        self.series(path).iter().map(|(_, value)| *value)
    }

    /// The kept values, if the number ever changed.
    pub fn trend(&self, path: &str) -> Vec<f64> {
        let points = self.series(path);
        let moved = points.windows(2).any(|pair| pair[0].1.to_bits() != pair[1].1.to_bits());
        if moved { self.values(path).collect() } else { Vec::new() }
    }

    /// Events with the tick they were told at, oldest first.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = (u64, &Value)> {
        self.events.iter().map(|(tick, event)| (*tick, event))
    }

    fn walk(&mut self, tick: u64, path: &mut String, value: &Value, depth: usize) {
        match value {
            Value::Number(number) => {
                if let Some(number) = number.as_f64() {
                    self.point(tick, path, number);
                }
            }
            Value::Object(members) if depth <= MAX_DEPTH => {
                for (key, member) in members.iter().take(MAX_MEMBERS) {
                    let skipped = depth == 0
                        && (key.starts_with('_')
                            || matches!(key.as_str(), "events" | "tick" | "max_ticks" | "player_count"));
                    if !skipped {
                        self.step(tick, path, key, member, depth);
                    }
                }
            }
            Value::Array(items) if path.contains("/history") => {
                if let Some(last) = items.last() {
                    self.step(tick, path, "-", last, depth);
                }
            }
            Value::Array(items) if depth <= MAX_DEPTH => {
                for item in items.iter().take(MAX_MEMBERS) {
                    if let Some(name) = item_name(item) {
                        self.step(tick, path, name, item, depth);
                    }
                }
            }
            _ => {}
        }
    }

    fn step(&mut self, tick: u64, path: &mut String, key: &str, value: &Value, depth: usize) {
        if key.len() > 64 {
            return;
        }
        let length = path.len();
        path.push('/');
        path.push_str(key);
        self.walk(tick, path, value, depth + 1);
        path.truncate(length);
    }

    fn point(&mut self, tick: u64, path: &str, value: f64) {
        let place = match self.series.iter().position(|(name, _)| name == path) {
            Some(place) => place,
            None if self.series.len() < MAX_PATHS => {
                self.series.push((path.to_owned(), Vec::new()));
                self.series.len() - 1
            }
            None => return,
        };
        let points = &mut self.series[place].1;
        if points.len() == MAX_POINTS {
            points.remove(0);
        }
        points.push((tick, value));
    }
}

/// What is left of a budget of bytes after a value; 0 when it is too heavy.
fn weight(value: &Value, budget: usize) -> usize {
    let budget = budget.saturating_sub(8);
    match value {
        Value::String(text) => budget.saturating_sub(text.len()),
        Value::Array(items) => items
            .iter()
            .try_fold(budget, |left, item| left.checked_sub(1).map(|left| weight(item, left)))
            .unwrap_or(0),
        Value::Object(members) => members
            .iter()
            .try_fold(budget, |left, (key, member)| {
                left.checked_sub(key.len() + 1).map(|left| weight(member, left))
            })
            .unwrap_or(0),
        _ => budget,
    }
}

/// What an item of a list is called.
pub fn item_name(item: &Value) -> Option<&str> {
    ["seat", "player_id", "id", "name", "symbol"].iter().find_map(|key| item.get(*key)?.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_kept_by_path() {
        let mut trail = Trail::default();
        for tick in 0..3_u64 {
            let health = 100 - tick;
            trail.push(
                tick,
                &json!({"tick": tick, "score": tick * 2, "account": {"positions": {"ORE": 5}},
                "serpents": [{"seat": "p1", "health": health}], "history": {"ORE": [1, 2, tick]}, "events": [{"at": tick}]}),
            );
        }
        assert_eq!(trail.series("/score"), [(0, 0.0), (1, 2.0), (2, 4.0)]);
        assert_eq!(trail.values("/serpents/p1/health").collect::<Vec<_>>(), [100.0, 99.0, 98.0]);
        assert_eq!(trail.values("/history/ORE/-").collect::<Vec<_>>(), [0.0, 1.0, 2.0]);
        assert_eq!(trail.trend("/account/positions/ORE"), Vec::<f64>::new());
        assert_eq!(trail.series("/tick"), []);
        assert_eq!(trail.events().count(), 3);
    }

    #[test]
    fn going_back_in_time_forgets_the_future() {
        let mut trail = Trail::default();
        for tick in [1, 2, 3, 2] {
            trail.push(tick, &json!({"score": tick * 10, "events": [tick]}));
        }
        assert_eq!(trail.series("/score"), [(1, 10.0), (2, 20.0)]);
        assert_eq!(trail.events().map(|(tick, _)| tick).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn what_is_told_again_is_kept_once() {
        let mut trail = Trail::default();
        let told = [json!(["a"]), json!(["a", "b"]), json!(["a", "b", "b"]), json!(["c"]), json!(["c", "d"])];
        for (tick, events) in (1..).zip(&told) {
            trail.push(tick, &json!({"is_your_turn": false, "events": events}));
        }
        let kept: Vec<_> = trail.events().map(|(tick, event)| (tick, event.as_str().unwrap())).collect();
        assert_eq!(kept, [(1, "a"), (2, "b"), (3, "b"), (4, "c"), (5, "d")]);
        // Where all act at once, each observation tells only what is new.
        for tick in [6, 7] {
            trail.push(tick, &json!({"events": ["d"]}));
        }
        assert_eq!(trail.events().count(), 7);
    }

    #[test]
    fn history_is_bounded() {
        let mut trail = Trail::default();
        let wide: serde_json::Map<_, _> = (0..500).map(|nth| (format!("n{nth}"), json!(nth))).collect();
        for tick in 0..300 {
            trail.push(tick, &json!({"wide": wide, "events": vec![0; 10]}));
        }
        assert_eq!(trail.series.len(), MAX_PATHS);
        assert!(trail.series.iter().all(|(_, points)| points.len() == MAX_POINTS));
        assert_eq!(trail.events.len(), MAX_EVENTS);
        trail.push(301, &json!({"events": ["x".repeat(100_000), {"kept": 1}]}));
        assert_eq!(trail.events().last().unwrap(), (301, &json!({"kept": 1})));
        assert!(trail.events().all(|(_, event)| !event.is_string()));
    }
}
