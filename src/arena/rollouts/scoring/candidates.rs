//! Which actions are compared.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::model::Json;
use crate::arena::engine::rng::mix;
use crate::arena::engine::seats::Seat;
use crate::arena::engine::{Game, Play};
use crate::arena::error::ArenaError;
use crate::rollout::canonical_action;

/// Most candidates of one question.
pub const MAX_CANDIDATES: usize = 128;

/// Where a candidate comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The client named it.
    User,
    /// A league player would play it.
    League,
    /// The game lists it as legal.
    ActionSpace,
}

/// An action to be scored.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// As it is echoed: a list of one is its element, numbers keep their text.
    pub json: Json,
    /// The same, as the engine reads it.
    pub action: Value,
    /// Where it comes from.
    pub source: Source,
}

/// Candidates, each once: [`canonical_action`] says when two are the same, for clients as well.
#[derive(Debug, Default)]
pub struct Candidates {
    list: Vec<Candidate>,
    seen: HashSet<String>,
}

impl Candidates {
    /// What the client named, in the order of the first mention.
    ///
    /// # Errors
    /// Names the first one that cannot be read; too many.
    pub fn of_user(actions: &[Json]) -> Result<Self, ArenaError> {
        let mut candidates = Self::default();
        for (nth, action) in actions.iter().enumerate() {
            candidates
                .add(action, Source::User)
                .map_err(|problem| ArenaError::invalid(&format!("candidate_actions[{nth}]"), problem))?;
        }
        if candidates.list.len() > MAX_CANDIDATES {
            let problem = format!(
                "has {} different actions, at most {MAX_CANDIDATES} are compared",
                candidates.list.len()
            );
            return Err(ArenaError::invalid("candidate_actions", problem));
        }
        Ok(candidates)
    }

    /// Adds others until there are `most`: first what `advisers`, league players, would do, then what the game lists as
    /// legal, the likelier first.
    pub fn top_up(
        &mut self,
        game: &dyn Game,
        play: &dyn Play,
        seat: Seat,
        advisers: impl Iterator<Item = &'static str>,
        most: usize,
    ) {
        let missing = most.saturating_sub(self.list.len());
        if missing == 0 {
            return;
        }
        let stream = mix(&[play.digest(), 0xAD5E]);
        let moves = advisers.filter_map(|name| Some(game.player(name, stream)?.act(play, seat)));
        for action in moves.take(missing) {
            self.add_legal(play, seat, &action, Source::League);
        }
        let mut legal = legal(play, seat);
        // Stable: equally likely ones keep the game's order.
        legal.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        for Choice { action, .. } in legal {
            if self.list.len() >= most {
                return;
            }
            self.add_legal(play, seat, &action, Source::ActionSpace);
        }
    }

    /// The candidates.
    pub fn list(&self) -> &[Candidate] {
        &self.list
    }

    fn add_legal(&mut self, play: &dyn Play, seat: Seat, action: &Value, source: Source) {
        if play.judge(seat, action).is_ok()
            && let Ok(json) = Json::parse(&action.to_string())
        {
            // What the game itself wrote can be read.
            _ = self.add(&json, source);
        }
    }

    fn add(&mut self, action: &Json, source: Source) -> Result<(), String> {
        let (json, key) = canonical_action(action).map_err(|error| format!("cannot be played: {error}"))?;
        if !self.seen.insert(key) {
            return Ok(());
        }
        let action = json.decode().map_err(|error| format!("cannot be read: {error}"))?;
        self.list.push(Candidate { json, action, source });
        Ok(())
    }
}

/// What an observation lists as legal, for whoever reads only that.
#[derive(Deserialize)]
struct Listed {
    #[serde(default, rename = "_action_space")]
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    action: Value,
    weight: f64,
}

fn legal(play: &dyn Play, seat: Seat) -> Vec<Choice> {
    let mut observation = Vec::new();
    play.observe(seat, &[], &mut observation);
    let listed: Listed =
        serde_json::from_slice(&observation).expect("an observation lists actions with weights");
    listed.choices
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::arena::engine::seats::SeatMap;
    use crate::arena::engine::{Enumeration, Input, MatchSetup};
    use crate::arena::games::GAMES;
    use crate::arena::games::connect_four::ConnectFour;

    fn parsed(texts: &[&str]) -> Result<Candidates, ArenaError> {
        let actions: Vec<Json> = texts.iter().map(|text| Json::parse(text).unwrap()).collect();
        Candidates::of_user(&actions)
    }

    fn echoed(candidates: &Candidates) -> Vec<(&str, Source)> {
        candidates.list().iter().map(|candidate| (candidate.json.get(), candidate.source)).collect()
    }

    #[test]
    fn a_list_of_one_is_its_element_and_the_same_action_is_scored_once() {
        let candidates = parsed(&[
            r#"[{"a":1,"b":2}]"#,
            r#"{"b":2,"a":1}"#,
            r#"{"a":1.0,"b":2}"#,
            r#"[{"a":1},{"a":1}]"#,
            "[]",
            "\"left\"",
        ])
        .unwrap();
        let expected = [r#"{"a":1,"b":2}"#, r#"{"a":1.0,"b":2}"#, r#"[{"a":1},{"a":1}]"#, "[]", "\"left\""];
        assert_eq!(echoed(&candidates), expected.map(|text| (text, Source::User)));
    }

    #[test]
    fn the_candidate_that_cannot_be_read_is_named() {
        let error = parsed(&["{}", r#"{"x":1e999}"#]).unwrap_err();
        assert!(error.message().contains("`candidate_actions[1]`"), "{}", error.message());
        let many: Vec<String> = (0..=MAX_CANDIDATES).map(|n| format!("[{n}]")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(parsed(&many).unwrap_err().message().contains("at most 128"));
    }

    /// At a position where column 3 wins.
    fn topped_up(users: &[&str], advisers: &[&'static str], most: usize) -> Vec<(String, Source)> {
        let setup = MatchSetup { config: &json!({}), seats: 2, max_ticks: 42, seed: 1 };
        let mut play = ConnectFour.start(&setup).unwrap();
        for (nth, column) in [3, 0, 3, 0, 3, 0].into_iter().enumerate() {
            let action = Input::Act(json!({"action": "drop", "column": column}));
            play.submit(&SeatMap::from_iter([(Seat::new(nth as u8 % 2), action)]));
        }
        let mut candidates = parsed(users).unwrap();
        let advisers = advisers.iter().copied();
        candidates.top_up(&ConnectFour, play.as_ref(), Seat::new(0), advisers, most);
        echoed(&candidates).into_iter().map(|(text, source)| (text.to_owned(), source)).collect()
    }

    fn drop(column: u8) -> String {
        format!(r#"{{"action":"drop","column":{column}}}"#)
    }

    #[test]
    fn the_rest_comes_from_players_and_then_from_the_likeliest_legal_actions() {
        // Weights are 1 1 2 4 2 1 1 from the left.
        let edge = drop(6);
        let own = (edge.clone(), Source::User);
        let middle = (drop(3), Source::League);
        let legal = |column| (drop(column), Source::ActionSpace);
        assert_eq!(topped_up(&[&edge], &["ab4"], 4), [own.clone(), middle.clone(), legal(2), legal(4)]);
        assert_eq!(topped_up(&[&edge], &[], 3), [own.clone(), legal(3), legal(2)]);
        // Never more than there are, never fewer than were named.
        assert_eq!(topped_up(&[&edge], &["ab4"], 100).len(), 7);
        assert_eq!(topped_up(&[&edge], &["ab4"], 1), [own]);
    }

    #[test]
    fn every_game_lists_what_it_allows() {
        for game in GAMES {
            let spec = game.spec();
            let setup = MatchSetup {
                config: &json!({}),
                seats: spec.default_seats,
                max_ticks: spec.canonical_ticks,
                seed: 3,
            };
            let play = game.start(&setup).unwrap();
            let seat = play.probe().turn.seats().iter().next().unwrap();
            let mut candidates = Candidates::default();
            candidates.top_up(*game, play.as_ref(), seat, std::iter::empty(), 5);
            let lists = spec.enumeration != Enumeration::Absent;
            assert_eq!(candidates.list().len() > 1, lists, "{}", spec.slug);
        }
    }
}
