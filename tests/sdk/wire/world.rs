//! A platform that plays by chance: the same for the same seed and the same questions in the same order.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::generate::{Generator, coded};
use super::server::{Asked, Reply};

const SEATS: [&str; 3] = ["p0", "p1", "p2"];

/// What may be left out of an answer, and at times is.
const OPTIONAL: [&str; 10] = [
    "policy_seats",
    "observations",
    "observation",
    "on_turn_seats",
    "failed_seats",
    "eliminated_seats",
    "tick",
    "rewards",
    "reward",
    "ticks_used",
];

/// The platform.
#[derive(Debug, Clone)]
pub(crate) struct World {
    seed: u64,
    generator: Generator,
    /// The seats that are played; the first is the primary one.
    seats: &'static [&'static str],
    turn_based: bool,
    /// Leaves out what may be missing.
    is_terse: bool,
    /// One answer in so many is none.
    trouble: usize,
    episodes: HashMap<String, Episode>,
}

/// Where an episode is.
#[derive(Debug, Clone, Default)]
struct Episode {
    tick: u64,
    end: u64,
    failed: Vec<&'static str>,
    eliminated: Vec<&'static str>,
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        // Not the chance that chooses the arguments.
        let mut generator = Generator::new(!seed);
        Self {
            seed,
            seats: &SEATS[..=generator.up_to(2)],
            turn_based: generator.flip(),
            is_terse: generator.up_to(2) == 0,
            trouble: generator.pick(&[6, 20, 1000]),
            episodes: HashMap::new(),
            generator,
        }
    }

    pub(crate) fn answer(&mut self, asked: &Asked) -> Reply {
        // Behind `/api/v1/rollout-runs/{run_id}`.
        let words: Vec<&str> = asked.path.split('/').skip(5).collect();
        let body = asked.body.clone().unwrap_or_default();
        match words[..] {
            // Not by chance: these may come in any order.
            ["episodes", id, "close"] => self.close(id),
            _ if self.generator.up_to(self.trouble) == 0 => self.generator.trouble(),
            ["episodes"] => self.reset(),
            ["episodes", id] => self.probe(id),
            ["episodes", id, "step"] => Reply::data(&self.step(id)),
            ["episodes", id, "forks"] => self.forks(id, body["count"].as_u64().unwrap_or_default()),
            ["episodes", _, "complete"] => self.complete(),
            ["steps"] => self.steps(&body),
            _ => Reply::Cut,
        }
    }

    fn close(&self, id: &str) -> Reply {
        let number = id.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u64>().unwrap_or_default();
        match self.seed.wrapping_add(number) % 7 {
            0 => Reply::new(404, "", &coded("EPISODE_NOT_FOUND")),
            1 => Reply::new(500, "", &coded("INTERNAL_ERROR")),
            2 => Reply::Cut,
            3 => Reply::data(&json!({"episode_id": id})),
            _ => Reply::data(&json!({"episode_id": id, "ticks_used": number})),
        }
    }

    fn reset(&mut self) -> Reply {
        self.begin("e1", 0);
        if self.generator.up_to(12) == 0 {
            self.episode("e1").end = 0;
        }
        let mut episode = self.state("e1");
        episode["episode_id"] = json!("e1");
        episode["game"] = json!("chess");
        Reply::data(&episode)
    }

    fn probe(&mut self, id: &str) -> Reply {
        self.begin(id, 2);
        if self.generator.up_to(30) == 0 {
            self.episode(id).end = 0;
        }
        if self.generator.up_to(9) == 0 {
            self.put_out(id);
        }
        let mut probe = self.state(id);
        probe["turn_based"] = json!(self.turn_based);
        Reply::data(&probe)
    }

    fn forks(&mut self, id: &str, count: u64) -> Reply {
        let parent = self.episode(id).clone();
        let forks: Vec<Value> = (0..count)
            .map(|index| {
                let name = format!("f{index}");
                self.episodes.insert(name.clone(), parent.clone());
                let end = parent.tick + 1 + self.generator.up_to(5) as u64;
                self.episode(&name).end = end;
                let is_moved = index == 0 && self.generator.up_to(20) == 0;
                if is_moved {
                    self.put_out(&name);
                }
                let mut fork = self.state(&name);
                fork["episode_id"] = json!(name);
                fork
            })
            .collect();
        Reply::data(&json!({ "forks": forks }))
    }

    fn steps(&mut self, body: &Value) -> Reply {
        let entries = body["steps"].as_array().cloned().unwrap_or_default();
        let results: Vec<Value> = entries
            .iter()
            .map(|entry| {
                let id = entry["episode_id"].as_str().unwrap_or_default();
                let mut result = match self.generator.up_to(90) {
                    0 => json!({"error": {"code": "STEP_CONFLICT"}}),
                    1..4 => json!({"error": {"code": "EPISODE_NOT_FOUND", "message": "gone"}}),
                    4..6 => json!({"error": {"code": "INTERNAL_ERROR", "ticks_used": 77}}),
                    6 => json!({}),
                    _ => self.step(id),
                };
                result["ok"] = json!(result.get("done").is_some());
                result["episode_id"] = json!(id);
                result
            })
            .collect();
        Reply::data(&json!({ "results": results }))
    }

    fn complete(&mut self) -> Reply {
        let scored = self.generator.up_to(3);
        let mut completion = json!({
            "scored": scored, "failed": self.generator.up_to(3), "ticks_used": self.generator.up_to(500),
            "score": {"mean": self.number(), "median": 1.0},
        });
        if self.seats.len() > 1 {
            completion["win_rate"] = self.generator.pick(&[0.0, 0.25, 0.1, 1.0]).into();
        }
        if self.is_terse && self.generator.flip() {
            completion["ticks_used"] = Value::Null;
        }
        if self.is_terse && scored == 0 {
            completion["score"] = Value::Null;
        }
        drop_nulls(&mut completion);
        Reply::data(&completion)
    }

    fn begin(&mut self, id: &str, least: u64) {
        let end = least + 1 + self.generator.up_to(6) as u64;
        self.episodes.insert(id.to_owned(), Episode { end, ..Episode::default() });
    }

    fn episode(&mut self, id: &str) -> &mut Episode {
        self.episodes.entry(id.to_owned()).or_default()
    }

    /// Puts a seat out, by the game's rules or not.
    fn put_out(&mut self, id: &str) {
        let (seat, by_rule) = (self.generator.pick(self.seats), self.generator.flip());
        let episode = self.episode(id);
        if !episode.failed.contains(&seat) {
            episode.failed.push(seat);
            if by_rule {
                episode.eliminated.push(seat);
            }
        }
    }

    /// Plays on; says what became of it.
    fn step(&mut self, id: &str) -> Value {
        // Turns of others may be played along.
        self.episode(id).tick += 1 + u64::from(self.generator.up_to(9) == 0);
        if self.generator.up_to(9) == 0 {
            self.put_out(id);
        }
        let mut state = self.state(id);
        let done = state["done"] == true;
        state["done"] = json!(done);
        self.describe(&mut state, "reward", "rewards", Self::number);
        if done {
            self.describe(&mut state, "score", "scores", Self::number);
            state["completion_reason"] = self.generator.pick(&["game_complete", "max_ticks"]).into();
            if self.seats.len() > 1 {
                self.describe(&mut state, "rank", "ranks", |world| json!(1 + world.generator.up_to(2)));
                self.describe(&mut state, "outcome", "outcomes", |world| {
                    world.generator.pick(&["won", "lost", "draw"]).into()
                });
            }
        }
        self.shorten(&mut state);
        state
    }

    fn number(&mut self) -> Value {
        json!(self.generator.pick(&[-1.5, 0.0, 0.1, 0.2, 0.7, 2.0, 1e6]))
    }

    /// What is said of the primary seat, and of each.
    fn describe(&mut self, state: &mut Value, one: &str, all: &str, value: fn(&mut Self) -> Value) {
        let mut each = json!({});
        for seat in self.seats {
            each[seat] = value(self);
            if self.is_terse && self.generator.up_to(9) == 0 {
                each[seat] = Value::Null;
            }
        }
        if !(self.is_terse && self.generator.up_to(3) == 0) {
            state[one] = each[self.seats[0]].clone();
        }
        if !(self.is_terse && self.generator.up_to(3) == 0) {
            state[all] = each;
        }
    }

    /// Where an episode is.
    fn state(&mut self, id: &str) -> Value {
        let Episode { tick, end, failed, eliminated } = self.episode(id).clone();
        let live: Vec<_> = self.seats.iter().filter(|seat| !failed.contains(*seat)).copied().collect();
        let on_turn = match live.len() {
            0 => Vec::new(),
            n if self.turn_based => vec![live[tick as usize % n]],
            _ => live,
        };
        let mut views = json!({});
        for seat in self.seats {
            views[seat] = json!({"seat": seat, "tick": tick, "more": self.generator.json()});
        }
        let mut state = json!({
            "policy_seat": self.seats[0],
            "policy_seats": self.seats,
            "observation": views[self.seats[0]],
            "observations": views,
            "on_turn_seats": on_turn,
            "failed_seats": failed,
            "eliminated_seats": eliminated,
            "tick": tick,
        });
        if tick >= end || self.generator.flip() {
            state["done"] = json!(tick >= end);
        }
        self.shorten(&mut state);
        state
    }

    fn shorten(&mut self, state: &mut Value) {
        if !self.is_terse {
            return;
        }
        for name in OPTIONAL {
            // Several seats would not be known.
            if self.generator.up_to(5) == 0 && (name != "policy_seats" || self.seats.len() == 1) {
                state[name] = Value::Null;
            }
        }
        drop_nulls(state);
    }
}

/// Leaves members out that say nothing.
fn drop_nulls(value: &mut Value) {
    if let Some(members) = value.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
}
