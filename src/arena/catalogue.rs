//! The games as the API lists them: records, tags, the text that explains a game to a model.

use serde_json::{Map, Value, json};

use super::engine::observation::Number;
use super::engine::{Enumeration, Game, GameSpec, Noop, Timing};
use super::games::TagGroup;
use super::league::{self, Entry};

/// The games of an arena, in the order of the list.
pub type Games = &'static [&'static dyn Game];

/// The game with this slug.
pub fn find(games: Games, slug: &str) -> Option<&'static dyn Game> {
    games.iter().copied().find(|game| game.spec().slug == slug)
}

/// The games that have all of these tags.
pub fn with_tags(games: Games, tags: &[String]) -> impl Iterator<Item = &'static dyn Game> + use<'_> {
    games.iter().copied().filter(|game| tags.iter().all(|tag| game.spec().tags.contains(&tag.as_str())))
}

/// A row of the list: everything but what is long.
pub fn row(game: &dyn Game) -> Value {
    let mut record = record(game);
    if let Value::Object(record) = &mut record {
        for long in ["prompt", "action_schema", "observation_schema"] {
            record.shift_remove(long);
        }
        if let Some(Value::Object(league)) = record.get_mut("league") {
            league.shift_remove("players");
        }
    }
    record
}

/// A game in full.
pub fn record(game: &dyn Game) -> Value {
    let spec = game.spec();
    json!({
        "slug": spec.slug,
        "name": spec.name,
        "tags": spec.tags,
        "description": spec.description,
        "prompt": spec.prompt,
        "min_players": spec.seats.first(),
        "max_players": spec.seats.last(),
        "allowed_player_counts": spec.seats,
        "default_players": spec.default_seats,
        "turn_based": spec.timing == Timing::TurnBased,
        "canonical_ticks": spec.canonical_ticks,
        "score_version": spec.score_version,
        "game_version": spec.game_version,
        "supports_difficulty": spec.max_difficulty.is_some(),
        "max_difficulty": Number(spec.max_difficulty.unwrap_or(1.0)),
        "enumeration": enumeration(spec.enumeration),
        "action_schema": (spec.action_schema)(),
        "observation_schema": (spec.observation_schema)(),
        "config": {
            "arena": true,
            "turn_isolated": spec.turn_isolated,
            "supports_difficulty": spec.max_difficulty.is_some(),
            "max_difficulty": Number(spec.max_difficulty.unwrap_or(1.0)),
            "noop": noop(spec.noop),
            "code_supported": spec.tags.contains(&"code"),
            "tick_ms": spec.tick_ms,
            "first_tick_ms": spec.first_tick_ms,
        },
        "league": standing(game),
    })
}

/// Who is rated and how far apart they are, weakest first.
fn standing(game: &dyn Game) -> Value {
    let rated = league::of(game.spec().slug);
    let bots = game.bots();
    let player = |entry: &Entry| {
        // What a mix is, its name says.
        let about = bots.iter().find(|bot| bot.name == entry.player).map(|bot| bot.about);
        json!({ "name": entry.player, "about": about, "elo_rating": Number(entry.elo), "error": Number(entry.error) })
    };
    json!({
        "rated": rated.len(),
        "min_elo": rated.first().map(|entry| Number(entry.elo)),
        "max_elo": rated.last().map(|entry| Number(entry.elo)),
        "players": rated.iter().map(player).collect::<Vec<_>>(),
    })
}

/// The rules and what is seen and sent, as one text.
pub fn prompt(spec: &GameSpec) -> String {
    // Pretty JSON of a schema cannot fail; an empty text would only say less.
    let pretty = |schema: Value| serde_json::to_string_pretty(&schema).unwrap_or_default();
    format!(
        "{}\n\n## Observation schema\n\n```json\n{}\n```\n\n## Action schema\n\nSend a list of these objects{}.\n\n\
         ```json\n{}\n```",
        spec.prompt,
        pretty((spec.observation_schema)()),
        if spec.noop == Noop::None {
            "; the empty list is not allowed"
        } else {
            "; the empty list is a no-op"
        },
        pretty((spec.action_schema)()),
    )
}

/// `GET /tags`.
pub fn tags(games: Games, taxonomy: &[TagGroup], with_counts: bool) -> Value {
    let mut tags = Vec::new();
    let mut groups = Map::new();
    for TagGroup { name: group, tags: names } in taxonomy {
        groups.insert((*group).to_owned(), json!(names));
        for name in *names {
            let count = games.iter().filter(|game| game.spec().tags.contains(name)).count();
            if with_counts {
                // Active means: there is something to play.
                if count > 0 {
                    tags.push(json!({ "name": name, "group": group, "count": count }));
                }
            } else {
                tags.push(json!({ "name": name, "group": group }));
            }
        }
    }
    json!({ "tags": tags, "taxonomy": groups })
}

fn noop(noop: Noop) -> &'static str {
    match noop {
        Noop::Legal => "legal",
        Noop::Default => "default",
        Noop::None => "none",
    }
}

fn enumeration(enumeration: Enumeration) -> &'static str {
    match enumeration {
        Enumeration::Full => "full",
        Enumeration::Menu => "menu",
        Enumeration::Absent => "absent",
    }
}
