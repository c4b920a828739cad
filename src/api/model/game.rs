//! The catalogue: games and tags.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::members::{Json, model};
use super::{Extra, GameSlug};

model! {
    /// A row of the catalogue.
    pub struct Game {
        /// Its name in paths and requests.
        pub slug: GameSlug,
        /// Its name for people.
        pub name: String,
        /// What it is like.
        pub tags: Vec<String>,
        /// One sentence.
        pub description: Option<String>,
        /// The fewest seats.
        pub min_players: Option<u32>,
        /// The most seats.
        pub max_players: Option<u32>,
        /// The seat counts a session may have.
        pub allowed_player_counts: Vec<u32>,
        /// The seat count when nobody says.
        pub default_players: Option<u32>,
        /// True when one seat acts at a time.
        pub turn_based: Option<bool>,
        /// The league's horizon in ticks.
        pub canonical_ticks: Option<u64>,
        /// Whether the strength of opponents can be set.
        pub supports_difficulty: Option<bool>,
        /// The highest strength.
        pub max_difficulty: Option<f64>,
    }
}

impl Game {
    /// What to call it on screen.
    pub fn title(&self) -> &str {
        if self.name.is_empty() { self.slug.as_str() } else { &self.name }
    }
}

model! {
    /// A game with its rules.
    pub struct GameDetail {
        /// Its name in paths and requests.
        pub slug: GameSlug,
        /// Its name for people.
        pub name: String,
        /// What it is like.
        pub tags: Vec<String>,
        /// One sentence.
        pub description: Option<String>,
        /// The rules as Markdown.
        pub prompt: Option<String>,
        /// The fewest seats.
        pub min_players: Option<u32>,
        /// The most seats.
        pub max_players: Option<u32>,
        /// The seat counts a session may have.
        pub allowed_player_counts: Vec<u32>,
        /// The seat count when nobody says.
        pub default_players: Option<u32>,
        /// True when one seat acts at a time.
        pub turn_based: Option<bool>,
        /// JSON Schema of one action.
        pub action_schema: Option<Json>,
        /// JSON Schema of an observation.
        pub observation_schema: Option<Json>,
        /// Flags such as `turn_isolated`.
        pub config: Extra,
        /// The league's horizon in ticks.
        pub canonical_ticks: Option<u64>,
        /// Raw scores compare only within one version; text or a number.
        pub score_version: Option<Json>,
        /// Changes when the same log would play differently; text or a number.
        pub game_version: Option<Json>,
        /// Whether the strength of opponents can be set; may stand in `config` instead.
        pub supports_difficulty: Option<bool>,
        /// The highest strength; may stand in `config` instead.
        pub max_difficulty: Option<f64>,
        /// How the league rates it.
        pub league: Option<Json>,
    }
}

/// What a game says about scoring and difficulty, wherever it says it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GameScoring {
    /// Past observations must not be shown again.
    pub turn_isolated: bool,
    /// The strength of opponents can be set.
    pub supports_difficulty: bool,
    /// The highest strength.
    pub max_difficulty: f64,
}

impl GameDetail {
    /// Reads the flags from the top level, else from `config`.
    pub fn scoring(&self) -> GameScoring {
        let flag = |name: &str| self.config.decode::<bool>(name);
        GameScoring {
            turn_isolated: flag("turn_isolated")
                .or_else(|| self.extra.decode("turn_isolated"))
                .unwrap_or_default(),
            supports_difficulty: self
                .supports_difficulty
                .or_else(|| flag("supports_difficulty"))
                .unwrap_or_default(),
            max_difficulty: self
                .max_difficulty
                .or_else(|| self.config.decode("max_difficulty"))
                .unwrap_or(1.0),
        }
    }
}

impl<'de> Deserialize<'de> for Extra {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        super::members::Members::deserialize(deserializer).map(super::members::Members::rest)
    }
}

impl serde::Serialize for Extra {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

model! {
    /// The tags that games carry.
    pub struct Tags {
        /// All of them.
        pub tags: TagList,
        /// Tags by the question they answer, as far as the server sorts them so.
        pub taxonomy: Taxonomy,
    }
}

model! {
    /// One tag.
    pub struct Tag {
        /// The word.
        pub name: String = or "tag", "slug",
        /// The question it answers.
        pub group: Option<String> = or "category",
        /// How many games carry it, when it was asked for.
        pub count: Option<u64> = or "game_count",
    }
}

/// Tags as the server lists them: words, objects, or a map from word to count or details.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct TagList(pub Vec<Tag>);

impl std::ops::Deref for TagList {
    type Target = [Tag];

    fn deref(&self) -> &[Tag] {
        &self.0
    }
}

/// Groups of tags, in the server's order.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct Taxonomy(pub BTreeMap<String, Vec<String>>);

impl Tag {
    fn named(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    /// Reads a word or an object.
    fn read(json: &Json) -> Option<Self> {
        json.decode::<String>().map(Self::named).or_else(|_| json.decode()).ok()
    }

    /// Reads what stands beside the word in a map: a count, or details.
    fn under(name: String, json: &Json) -> Self {
        let count = json.decode::<u64>().ok();
        let mut tag: Self = json.decode().unwrap_or_default();
        tag.count = count.or(tag.count);
        tag.name = name;
        tag
    }
}

impl<'de> Deserialize<'de> for TagList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = TagList;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list or a map of tags")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<TagList, A::Error> {
                let mut tags = Vec::new();
                while let Some(json) = seq.next_element::<Json>()? {
                    tags.extend(Tag::read(&json));
                }
                Ok(TagList(tags))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TagList, A::Error> {
                let mut tags = Vec::new();
                while let Some((name, json)) = map.next_entry::<String, Json>()? {
                    tags.push(Tag::under(name, &json));
                }
                Ok(TagList(tags))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

impl<'de> Deserialize<'de> for Taxonomy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let groups = Extra::deserialize(deserializer)?;
        let words = |json: &Json| {
            let tags = json.decode::<TagList>().unwrap_or_default();
            tags.0.into_iter().map(|tag| tag.name).collect()
        };
        Ok(Self(groups.iter().map(|(name, json)| (name.to_owned(), words(json))).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_come_as_words_objects_or_a_map() {
        for text in [
            r#"{"tags":["a","b"]}"#,
            r#"{"tags":[{"name":"a"},{"tag":"b","game_count":2},7]}"#,
            r#"{"tags":{"a":1,"b":{"count":2}}}"#,
        ] {
            let tags: Tags = serde_json::from_str(text).expect("tags");
            let names: Vec<_> = tags.tags.iter().map(|tag| tag.name.as_str()).collect();
            assert_eq!(names, ["a", "b"], "{text}");
            let other = serde_json::to_string(&tags).expect("JSON");
            assert_eq!(serde_json::from_str::<Tags>(&other).expect("tags"), tags);
        }
        let map: Tags = serde_json::from_str(r#"{"tags":{"a":3}}"#).expect("tags");
        assert_eq!(map.tags[0].count, Some(3));
    }

    #[test]
    fn a_taxonomy_is_read_or_kept() {
        let text = r#"{"tags":null,"taxonomy":{"form":["board","cards"],"odd":[{"name":"x"}],"none":null}}"#;
        let tags: Tags = serde_json::from_str(text).expect("tags");
        assert_eq!(tags.taxonomy.0["form"], ["board", "cards"]);
        assert_eq!(tags.taxonomy.0["odd"], ["x"]);
        assert!(tags.taxonomy.0["none"].is_empty());
        let odd: Tags = serde_json::from_str(r#"{"taxonomy":["a"]}"#).expect("tags");
        assert!(odd.extra.get("taxonomy").is_some());
    }

    #[test]
    fn difficulty_is_found_at_either_place() {
        let detail = |text: &str| serde_json::from_str::<GameDetail>(text).expect("a game").scoring();
        let both = [
            r#"{"supports_difficulty":true,"max_difficulty":0.5,"config":{"turn_isolated":true}}"#,
            r#"{"config":{"supports_difficulty":true,"max_difficulty":0.5,"turn_isolated":true}}"#,
        ];
        for text in both {
            let wanted = GameScoring { turn_isolated: true, supports_difficulty: true, max_difficulty: 0.5 };
            assert_eq!(detail(text), wanted);
        }
        assert_eq!(detail("{}").max_difficulty.to_bits(), 1f64.to_bits());
    }
}
