//! What an observation says in numbers: scores, rewards, and how long actions took.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::api::Message;
use crate::api::model::Scores;

/// Players looked at; a table of more is no game.
const MOST_PLAYERS: usize = 64;
/// The longest name of a player that is kept.
const LONGEST_NAME: usize = 64;

/// A number a player.
pub(super) type ByPlayer = Vec<(String, f64)>;

/// The numbers of one observation.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Numbers {
    pub(super) scores: ByPlayer,
    pub(super) rewards: ByPlayer,
    pub(super) latencies: ByPlayer,
    /// The seats whose observations are in the message.
    pub(super) seats: Vec<String>,
}

/// The members of a message with numbers in them, read in one pass; each may be of any shape.
#[derive(Deserialize, Default)]
struct Members<'a> {
    #[serde(borrow, default)]
    scores: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reward: Option<&'a RawValue>,
    #[serde(borrow, default)]
    rewards: Option<&'a RawValue>,
    #[serde(borrow, default)]
    actions: Option<&'a RawValue>,
    #[serde(borrow, default)]
    others: Option<&'a RawValue>,
}

/// What a seat's own observation says of it.
#[derive(Deserialize)]
struct Own<'a> {
    #[serde(borrow, default)]
    score: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Timed<'a> {
    #[serde(borrow, default)]
    latency_ms: Option<&'a RawValue>,
}

/// Reads an observation. Scores are the message's own, or what the seat's observation says of its own score.
pub(super) fn of(message: &Message) -> Numbers {
    let members: Members<'_> = serde_json::from_str(&message.raw).unwrap_or_default();
    let mut numbers = Numbers::default();
    let player = message.player_id.as_deref().filter(|player| player.len() <= LONGEST_NAME);
    if let Some(scores) = members.scores {
        numbers.scores = by_player(scores);
    } else if let (Some(player), Some(data)) = (player, &message.data) {
        let own = data.decode::<Own<'_>>().ok().and_then(|own| number(own.score?));
        numbers.scores.extend(own.map(|score| (player.to_owned(), score)));
    }
    if let Some(rewards) = members.rewards {
        numbers.rewards = by_player(rewards);
    } else if let (Some(player), Some(reward)) = (player, members.reward.and_then(number)) {
        numbers.rewards.push((player.to_owned(), reward));
    }
    if let Some(actions) = members.actions {
        let actions: BTreeMap<String, &RawValue> = serde_json::from_str(actions.get()).unwrap_or_default();
        let timed = |(player, action): (String, &RawValue)| {
            let timed: Timed<'_> = serde_json::from_str(action.get()).ok()?;
            Some((player, number(timed.latency_ms?)?))
        };
        numbers.latencies = bounded(actions.into_iter().filter_map(timed));
    }
    numbers.seats.extend(player.map(str::to_owned));
    if let Some(others) = members.others {
        let others: BTreeMap<String, &RawValue> = serde_json::from_str(others.get()).unwrap_or_default();
        let names = others.into_keys().filter(|name| name.len() <= LONGEST_NAME);
        numbers.seats.extend(names.take(MOST_PLAYERS));
    }
    numbers
}

/// The scores in a message of any kind.
pub(super) fn scores(message: &Message) -> ByPlayer {
    message
        .raw_member("scores")
        .and_then(|text| serde_json::from_str(text).ok())
        .map_or_else(Vec::new, by_player)
}

fn by_player(raw: &RawValue) -> ByPlayer {
    let scores: Option<Scores> = serde_json::from_str(raw.get()).ok();
    let scores = scores.into_iter().flat_map(|scores| scores.0);
    bounded(scores.filter_map(|(player, score)| Some((player.as_str().to_owned(), score?))))
}

fn bounded(all: impl Iterator<Item = (String, f64)>) -> ByPlayer {
    all.filter(|(player, number)| player.len() <= LONGEST_NAME && number.is_finite())
        .take(MOST_PLAYERS)
        .collect()
}

fn number(raw: &RawValue) -> Option<f64> {
    raw.get().parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Numbers {
        of(&Message::parse(text.into()))
    }

    #[test]
    fn a_spectator_hears_all_scores_and_how_long_actions_took() {
        let text = r#"{"type":"observation","tick":3,"player_id":"p0","data":{"score":9},"others":{"p1":{}},
            "scores":{"p0":1.5,"p1":null},"actions":{"p0":{"action":[],"latency_ms":12},"p1":{"action":null}}}"#;
        let numbers = numbers(text);
        assert_eq!(numbers.scores, [("p0".into(), 1.5)]);
        assert_eq!(numbers.latencies, [("p0".into(), 12.0)]);
        assert_eq!(numbers.seats, ["p0", "p1"]);
    }

    #[test]
    fn a_player_hears_its_own_score_in_its_observation() {
        let text = r#"{"type":"observation","player_id":"p1","reward":0.5,"data":{"score":7,"scores":[1]}}"#;
        let numbers = numbers(text);
        assert_eq!(numbers.scores, [("p1".into(), 7.0)]);
        assert_eq!(numbers.rewards, [("p1".into(), 0.5)]);
    }

    #[test]
    fn odd_shapes_have_no_numbers() {
        for text in [
            r#"{"type":"observation","player_id":"p0","data":{"score":"high"},"actions":[1]}"#,
            r#"{"type":"observation","player_id":"p0","data":[1],"scores":7,"others":3,"reward":"x"}"#,
            r#"{"scores":{"p0":1},"scores":{"p0":2}}"#,
            "junk",
        ] {
            let numbers = numbers(text);
            assert!(numbers.scores.is_empty() && numbers.rewards.is_empty(), "{text}");
        }
    }
}
