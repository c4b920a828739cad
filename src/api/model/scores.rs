//! Scores by seat, as a map or as a list: the SDK only prints them, so both are read.

use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Json, PlayerId};

/// One number a seat, in the server's order; a seat without a number has none.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scores(pub Vec<(PlayerId, Option<f64>)>);

impl Scores {
    /// The score of a seat.
    pub fn get(&self, player: &str) -> Option<f64> {
        self.0.iter().find(|(id, _)| id.as_str() == player).and_then(|(_, score)| *score)
    }

    /// True when nobody has a score.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A number, or the number in an object.
fn number(json: &Json) -> Option<f64> {
    #[derive(Deserialize)]
    struct Scored {
        #[serde(alias = "value")]
        score: f64,
    }
    json.decode::<f64>().ok().or_else(|| json.decode::<Scored>().ok().map(|scored| scored.score))
}

/// Whose score an object in a list is; the place in the list if it does not say.
fn owner(json: &Json, index: usize) -> PlayerId {
    #[derive(Deserialize)]
    struct Owned {
        #[serde(alias = "player", alias = "seat", alias = "id")]
        player_id: PlayerId,
    }
    json.decode::<Owned>().map_or_else(|_| PlayerId::from(index.to_string()), |owned| owned.player_id)
}

impl<'de> Deserialize<'de> for Scores {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Scores;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("scores as a map or a list")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scores, A::Error> {
                let mut scores = Vec::new();
                while let Some((player, json)) = map.next_entry::<String, Json>()? {
                    scores.push((PlayerId::from(player), number(&json)));
                }
                Ok(Scores(scores))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Scores, A::Error> {
                let mut scores = Vec::new();
                while let Some(json) = seq.next_element::<Json>()? {
                    scores.push((owner(&json, scores.len()), number(&json)));
                }
                Ok(Scores(scores))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

impl Serialize for Scores {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(player, score)| (player, score)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_and_a_list_give_the_same_scores() {
        for text in [
            r#"{"p1":1.5,"p0":null}"#,
            r#"[{"player_id":"p1","score":1.5},{"player":"p0","score":null}]"#,
            r#"{"p1":{"score":1.5},"p0":"none"}"#,
        ] {
            let scores: Scores = serde_json::from_str(text).expect("scores");
            assert_eq!((scores.get("p1"), scores.get("p0"), scores.0.len()), (Some(1.5), None, 2), "{text}");
        }
        let bare: Scores = serde_json::from_str("[3, 4]").expect("scores");
        assert_eq!((bare.get("0"), bare.get("1")), (Some(3.0), Some(4.0)));
    }
}
