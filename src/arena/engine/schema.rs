//! JSON Schemas of observations: the members that all games share, joined with a game's own.

use serde_json::{Value, json};

use super::Timing;

/// The schema of an observation. `own` maps the game's members, all required, to their schemas.
pub fn observation(timing: Timing, action: &Value, own: Value) -> Value {
    let mut properties = json!({
        "_action_space": {
            "description": "Actions that may be played now, with weights for random play.",
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"action": action, "weight": {"type": "number", "exclusiveMinimum": 0}},
                "required": ["action", "weight"],
                "additionalProperties": false,
            },
        },
        "_rejection_feedback": {
            "description": "Why the action before was rejected.",
            "type": "array",
            "items": {"type": "string"},
        },
        "events": {
            "description": "What happened since this seat's last own action, the newest 64.",
            "type": "array",
            "maxItems": 64,
            "items": {"type": "object", "minProperties": 1, "maxProperties": 1},
        },
        "max_ticks": {"type": "integer", "minimum": 1},
        "player_count": {"type": "integer", "minimum": 1, "maximum": 8},
        "score": {"type": "number"},
        "seat": {"type": "string", "pattern": "^p[0-7]$"},
        "tick": {"type": "integer", "minimum": 0},
    });
    let mut required = vec!["events", "max_ticks", "player_count", "score", "seat", "tick"]
        .into_iter()
        .map(String::from)
        .collect::<Vec<_>>();
    if timing == Timing::TurnBased {
        properties["is_your_turn"] = json!({"type": "boolean"});
        required.push("is_your_turn".into());
    }
    if let Value::Object(own) = own {
        for (key, schema) in own {
            properties[&key] = schema;
            required.push(key);
        }
    }
    required.sort_unstable();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}
